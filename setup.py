"""Build the compiled kernels; everything else is declared in pyproject.toml.

Environment switches
--------------------
WORDORDER_BOUNDS_CHECK=1    kernels that check every index (for the test suite)
WORDORDER_NO_COMPILE=1      install the kernels as plain Python only
"""

import ast
import gzip
import os
import sys
import tarfile
from pathlib import Path
from threading import Lock

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

CHECKED = os.environ.get("WORDORDER_BOUNDS_CHECK") == "1"
# Checked and unchecked C must not be mixed.
FOLDER = "build/cython-checked" if CHECKED else "build/cython"
# No -march=native and no contraction to fused multiply-add: the same digits on every machine.
# Loops begin at a multiple of 32 bytes: their speed does not depend on the code before them.
# What is checked need not be fast, and is compiled in half the time.
FLAGS = ["-O1" if CHECKED else "-O3", "-ffp-contract=off", "-falign-loops=32", "-g0"]
# No symbols for debuggers: GNU's linker and LLVM's leave them out.
LINKING = ["-s"] if sys.platform == "linux" else []
# The code that Cython otherwise puts into every module. With it in a module of its own, compiling
# takes half the time and the compiled files are a third of the size.
SHARED = "wordorder.kernels._shared"
# What kernels import from here is copied into them: the compiler can inline it.
COMMON = "wordorder.kernels._common"


class BuildKernels(build_ext):
    """Translate the kernels to C, compile them on all cores, and show the progress."""

    translating = Lock()

    def build_extensions(self) -> None:
        """Compile the shared module, then the kernels; without the former none can be imported."""
        shared, *kernels = self.extensions
        self._show(f"compiling {len(kernels)} kernels, about 40 s on two cores: ")
        self.extensions = [shared]
        super().build_extensions()
        if Path(self.get_ext_fullpath(shared.name)).exists():
            self.extensions = kernels
            super().build_extensions()
            self.extensions = [shared, *kernels]
            self._show(" done\n")
        else:
            self._show("no working C compiler, so the kernels run as Python: slow\n")

    def build_extension(self, extension: Extension) -> None:
        """Translate one module while others are compiled."""
        from Cython.Build import cythonize
        from Cython.Compiler.Options import get_directive_defaults

        # As if each function of C said @cython.exceptval(check=False): none raises, and callers
        # need not ask. It is no directive for a module, so cythonize does not take it. A list, not
        # a tuple, since Cython stumbles where a function says the same once more.
        get_directive_defaults()["exceptval"] = [None, False]
        with self.translating:
            (translated,) = cythonize(
                Extension(extension.name, [source_to_translate(extension)]),
                quiet=True,
                # From here kernels find what others declare for them.
                include_path=["src"],
                shared_utility_qualified_name=SHARED,
                compiler_directives={
                    "language_level": 3,
                    "boundscheck": CHECKED,
                    "wraparound": False,
                    "initializedcheck": CHECKED,
                    "cdivision": True,
                    "embedsignature": True,
                    # Functions of C: what classes and default values would need is not compiled.
                    "binding": False,
                    # Nothing pickles what a kernel works with.
                    "auto_pickle": False,
                    # A loop variable has the type of its range.
                    "infer_types": True,
                },
            )
        extension.sources = translated.sources
        super().build_extension(extension)
        self._show(".")

    def _show(self, text: str) -> None:
        print(text, end="", file=sys.stderr, flush=True)


def source_to_translate(extension: Extension) -> str:
    """Return the path of a kernel's copy, which has what it has in common with other kernels."""
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    if not extension.sources:
        return f"{FOLDER}/_shared.c"
    original = Path(extension.sources[0])
    copy = Path(FOLDER) / original.name
    text = with_common(original.read_text("utf-8"))
    # A file that is older than its translation is not translated again.
    if not copy.exists() or copy.read_text("utf-8") != text:
        copy.write_text(text, "utf-8")
    return str(copy)


def with_common(kernel: str) -> str:
    """Return a kernel's source with what it imports from the common file in place of the import."""
    common = Path("src", *COMMON.split(".")).with_suffix(".py").read_text("utf-8")
    parts = {
        name.id if isinstance(name, ast.Name) else node.name: node
        for node in ast.parse(common).body
        if isinstance(node, ast.Assign | ast.FunctionDef)
        for name in getattr(node, "targets", [node])
    }
    for node in ast.parse(kernel).body:
        if isinstance(node, ast.ImportFrom) and node.module == f"cython.cimports.{COMMON}":
            wanted = {alias.name for alias in node.names}
            for name in reversed(parts):
                if name in wanted:
                    wanted |= {x.id for x in ast.walk(parts[name]) if isinstance(x, ast.Name)}
            copied = "\n".join(ast.unparse(parts[name]) for name in parts if name in wanted)
            kernel = kernel.replace(ast.get_source_segment(kernel, node) or "", copied)
    return kernel


class SameArchive(sdist):
    """Write the same bytes for the same files: without the times and owners of this machine."""

    def make_archive(self, base_name: str, format: str, *_: object, **kept: object) -> str:
        """Pack what the archive has in order of its names; SOURCE_DATE_EPOCH is the time of all."""
        if format != "gztar":
            raise SystemExit(f"an sdist is a gztar, not {format}")
        when = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
        place = f"{base_name}.tar.gz"
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        with (
            open(place, "wb") as file,
            gzip.GzipFile("", "wb", 9, file, when) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for path in sorted(Path(str(kept["base_dir"])).rglob("*")):
                member = archive.gettarinfo(path)
                member.mtime = when
                member.uid = member.gid = 0
                member.uname = member.gname = ""
                member.mode = 0o755 if path.is_dir() or member.mode & 0o100 else 0o644
                # Two links to one file would be packed as a link.
                member.type = tarfile.DIRTYPE if path.is_dir() else tarfile.REGTYPE
                if path.is_dir():
                    archive.addfile(member)
                else:
                    member.size = path.stat().st_size
                    with path.open("rb") as content:
                        archive.addfile(member, content)
        return place


def extensions() -> list[Extension]:
    """One optional extension a kernel: where no compiler works, the Python source serves."""
    kernels = sorted(Path("src/wordorder/kernels").glob("[!_]*.py"))
    sources = {SHARED: [], **{f"wordorder.kernels.{path.stem}": [str(path)] for path in kernels}}
    flags = [] if sys.platform == "win32" else FLAGS
    return [
        Extension(name, source, extra_compile_args=flags, extra_link_args=LINKING, optional=True)
        for name, source in sources.items()
    ]


setup(
    ext_modules=[] if os.environ.get("WORDORDER_NO_COMPILE") == "1" else extensions(),
    cmdclass={"build_ext": BuildKernels, "sdist": SameArchive},
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
