"""The hot loops, on flat arrays; ordinary Python that the build compiles.

One file per family:

- `text`: words, tokens and characters; orders and word alignments in files
- `treebank`: CoNLL-U, dependency trees
- `orders`: counts for metrics of orders, permutation trees, orders by links
- `edits`, `matching`: counts for metrics of translations
- `resampling`: random choices, exact sums, pairs and ties
- `alignment`, `translation`: word alignments and phrase pairs; language models, decoding, tuning
- `weights`, `tagging`, `parsing`: features' weights, and the taggers and parsers that use them
- `learned`: families of trees, bracketing, precedence rules, consensus
- `_common`: hashes and tables of several kernels; the build copies them into each

A kernel is called as ``kernel(*arrays, first, last, *scratch)`` and processes the rows
``first .. last-1``. It allocates nothing per row, raises nothing and does not use the rest of the
package; its callers check sizes. `_run.run_rows` decides on chunks and threads. A variable gets its
type at its first assignment; a loop variable has the type of its range. Functions and classes that
other kernels import are declared in a `.pxd` file next to the kernel.

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


def _import(name: str, *arguments: Any) -> Any:
    """Import a module for a kernel; Cython, needed only to compile, is replaced by a shim."""
    if name == "cython":
        from wordorder.kernels._cython_shim import Cython

        return Cython
    if name == "cython.cimports.libc.math":
        return math
    return builtins.__import__(name.removeprefix("cython.cimports."), *arguments)


class _SourceLoader(SourceFileLoader):
    """Runs a kernel's Python source, with the shim imported as `cython` in it alone."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _import}
        super().exec_module(module)


class _CompiledLoader(ExtensionFileLoader):
    """Loads a compiled kernel, and reports functions that are missing in a stale compilation."""

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
    """Finds a kernel's Python source if there is no compiled kernel, or if it is requested."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, stem = name.rpartition(".")
        source = Path(__file__).parent / f"{stem}.py"
        is_helper = stem.startswith("_") and stem != "_common"
        if package != __name__ or is_helper or not source.exists():
            return None
        spec = None if INTERPRETED_BY_CHOICE else PathFinder.find_spec(name, path, target)
        if spec is not None and not str(spec.origin).endswith(".py"):
            spec.loader = _CompiledLoader(name, str(spec.origin))
            return spec
        return spec_from_file_location(name, source, loader=_SourceLoader(name, str(source)))


sys.meta_path.insert(0, _KernelFinder())
# `_run` is loaded at its first use, since most commands start without it.
__all__, __getattr__, __dir__ = lazy_names(__name__)


def compiled() -> bool:
    """Return whether all kernels of this installation run as compiled code."""
    names = [path.stem for path in Path(__file__).parent.glob("[!_]*.py")]
    specs = [find_spec(f"{__name__}.{name}") for name in names]
    return not any(spec is None or str(spec.origin).endswith(".py") for spec in specs)
