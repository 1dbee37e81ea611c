"""Print the answers as JSON, and which functions of the kernels were called for them."""

import ast
import importlib
import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from wordorder import kernels

FOLDER = Path(str(kernels.__file__)).parent
# What each kernel module offers: the functions that Python can call.
OFFERED = {
    (source.stem, node.name)
    for source in FOLDER.glob("[!_]*.py")
    for node in ast.parse(source.read_text("utf-8")).body
    if isinstance(node, ast.FunctionDef)
    and "cython.cfunc" not in map(ast.unparse, node.decorator_list)
}


def note_calls(called: set[str]) -> None:
    """Let each function that the kernels offer write down its name when it is called.

    A profiler would see the million calls of their helpers too, and take longer than the work.
    """

    def noting(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            called.add(name)
            return function(*arguments, **named)

        return call

    for stem, name in OFFERED:
        module = importlib.import_module(f"wordorder.kernels.{stem}")
        setattr(module, name, noting(getattr(module, name), f"{stem}.{name}"))


def main() -> None:
    """Print whether the kernels are compiled, the answers, and the functions called."""
    called: set[str] = set()
    note_calls(called)
    # Only now: what imports a function of a kernel by name shall get the one that notes.
    from tests.kernels.answers import answers

    import wordorder as wo

    wo.set_threads(1)
    print(json.dumps([kernels.compiled(), answers(), sorted(called)]))


if __name__ == "__main__":
    main()
