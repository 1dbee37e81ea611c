"""Build the compiled kernels; everything else is declared in pyproject.toml.

Environment switches
--------------------
WORDORDER_BOUNDS_CHECK=1    kernels that check every index (for the test suite)
WORDORDER_NO_COMPILE=1      install the kernels as plain Python only
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup

KERNELS = Path("src/wordorder/kernels")


def extensions() -> list[Extension]:
    """One optional extension a kernel: where no compiler works, the Python source serves."""
    if os.environ.get("WORDORDER_NO_COMPILE") == "1":
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    checked = os.environ.get("WORDORDER_BOUNDS_CHECK") == "1"
    # No -march=native and no contraction to fused multiply-add: the same digits on every machine.
    # What is checked need not be fast, and is compiled in half the time.
    speed = "-O1" if checked else "-O3"
    flags = [] if sys.platform == "win32" else [speed, "-ffp-contract=off", "-g0"]
    modules = [
        Extension(
            f"wordorder.kernels.{path.stem}",
            [path.as_posix()],
            extra_compile_args=flags,
        )
        for path in sorted(KERNELS.glob("*.py"))
        if not path.stem.startswith("_")
    ]
    # Checked and unchecked C must not be mixed.
    folder = "build/cython-checked" if checked else "build/cython"
    # What Cython puts into every module otherwise, once: half of the time to compile, a third of
    # the size.
    shared = "wordorder.kernels._shared"
    modules.append(Extension(shared, [f"{folder}/_shared.c"], extra_compile_args=flags))
    compiled = cythonize(
        modules,
        build_dir=folder,
        shared_utility_qualified_name=shared,
        compiler_directives={
            "language_level": 3,
            "boundscheck": checked,
            "wraparound": False,
            "initializedcheck": checked,
            "cdivision": True,
            "embedsignature": True,
        },
    )
    for extension in compiled:
        # Cython makes new extensions and forgets this.
        extension.optional = True
    return compiled


setup(ext_modules=extensions(), options={"build_ext": {"parallel": os.cpu_count() or 1}})
