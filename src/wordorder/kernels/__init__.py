"""The hot loops: flat arrays in, flat arrays out; compiled by the build, readable as they are.

What lives here, one file a family:

- `text`: words, tokens and characters; orders and word alignments in files
- `treebank`: CoNLL-U, dependency trees
- `orders`: what metrics of orders count, permutation trees, orders by links
- `edits`, `matching`: what metrics of translations count
- `resampling`: random choices, exact sums, pairs and ties
- `alignment`, `translation`: word alignments and phrase pairs; language models, decoding, tuning
- `weights`, `tagging`, `parsing`: features' weights, and what is done by them
- `learned`: families of trees, bracketing, precedence rules, consensus
- `_common`: hashes and tables of several kernels; the build copies them into each

A kernel is called as ``kernel(*arrays, first, last, *scratch)`` and works on the rows
``first .. last-1``. It allocates nothing for a row, raises nothing and knows nothing of the rest of
the package; sizes are checked by its callers. `run_rows`, of `_run`, decides on chunks and threads.
A variable gets its type where it is first set; that of a loop has the type of its range. What a
kernel offers to others is declared in a `.pxd` file beside it.

``WORDORDER_KERNELS=interpreted`` in the environment loads the Python source even where compiled
kernels are installed: for debugging, coverage and the tests that compare the two.
"""

import builtins
import math
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from wordorder import lazy_names

INTERPRETED_BY_CHOICE = os.environ.get("WORDORDER_KERNELS") == "interpreted"


def _imported(name: str, *rest: Any) -> Any:
    """Import for a kernel: Cython, which only compiling needs, has a stand-in."""
    if name == "cython":
        from wordorder.kernels._cython_shim import Cython

        return Cython
    if name == "cython.cimports.libc.math":
        return math
    return builtins.__import__(name.removeprefix("cython.cimports."), *rest)


class _SourceLoader(SourceFileLoader):
    """Runs a kernel's Python source; nobody else sees what it imports as `cython`."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _imported}
        super().exec_module(module)


class _CompiledLoader(ExtensionFileLoader):
    """Loads a compiled kernel, which says so when it was compiled before its source changed."""

    def exec_module(self, module: ModuleType) -> None:
        def refuse(name: str) -> None:
            if name.startswith("__"):
                raise AttributeError(name)
            raise ImportError(
                f"{module.__name__} was compiled before it had {name}: compile the kernels again, "
                "with `python setup.py --quiet build_ext --inplace`"
            )

        super().exec_module(module)
        vars(module)["__getattr__"] = refuse


class _KernelFinder:
    """Finds a kernel's Python source where it has no compiled twin, or where that is asked for."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, stem = name.rpartition(".")
        source = Path(__file__).parent / f"{stem}.py"
        others = stem.startswith("_") and stem != "_common"
        if package != __name__ or others or not source.exists():
            return None
        found = None if INTERPRETED_BY_CHOICE else PathFinder.find_spec(name, path, target)
        if found is not None and not str(found.origin).endswith(".py"):
            found.loader = _CompiledLoader(name, str(found.origin))
            return found
        return spec_from_file_location(name, source, loader=_SourceLoader(name, str(source)))


sys.meta_path.insert(0, _KernelFinder())
# What runs kernels, which looking for the version must not load.
__all__, __getattr__, __dir__ = lazy_names(__name__)


def compiled() -> bool:
    """Say whether all kernels of this installation run as compiled code."""
    names = [path.stem for path in Path(__file__).parent.glob("[!_]*.py")]
    specs = [find_spec(f"{__name__}.{name}") for name in names]
    return not any(spec is None or str(spec.origin).endswith(".py") for spec in specs)
