"""The package where no kernel is compiled and Cython is not installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import REFERENCE, SYSTEMS

import wordorder


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the package without what was compiled."""
    folder = tmp_path_factory.mktemp("source")
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(Path(wordorder.__file__).parent, folder / "wordorder", ignore=ignored)
    return folder


def python(source: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python where the copy comes first."""
    environment = {key: value for key, value in os.environ.items() if key != "WORDORDER_KERNELS"}
    environment["PYTHONPATH"] = str(source)
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment
    )


def test_the_program(source: Path) -> None:
    hidden = (
        "import sys; sys.modules.update(cython=None, Cython=None)\n"
        "from wordorder.cli import main; main()"
    )
    said = python(source, "-c", hidden, "--version").stdout
    assert said.endswith("kernels interpreted (slow: no C compiler at installation)\n")
    arguments = ["score", REFERENCE, "-i", SYSTEMS[0]]
    slow = python(source, "-c", hidden, *arguments)
    assert slow.returncode == 0, slow.stderr
    fast = subprocess.run(
        [sys.executable, "-m", "wordorder", *arguments], capture_output=True, text=True, check=True
    )
    assert slow.stdout == fast.stdout
    assert "the kernels are not compiled" in slow.stderr


def test_others_get_the_real_cython(source: Path) -> None:
    """What kernels see in its place is seen by nobody else."""
    done = python(
        source,
        "-c",
        "import sys\n"
        "import wordorder.kernels.permutations as ours\n"
        "assert ours.__file__.endswith('.py')\n"
        "print([name for name in sys.modules if name.lower().startswith('cython')])\n"
        "import importlib.util\n"
        "found = importlib.util.find_spec('cython')\n"
        "print(found is None or 'wordorder' not in found.origin)",
    )
    assert done.stdout == "[]\nTrue\n", done.stderr
