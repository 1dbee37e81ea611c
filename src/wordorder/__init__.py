"""Measure, explain and learn word order in translation."""

from __future__ import annotations

import importlib
import os
import sys

from wordorder._version import __version__ as __version__

# Defined here because importing `typing` takes longer than all other imports here: Ctrl-C is not
# handled until they are done.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def lazy_names(package: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` for a package.

    Its names are listed once, in ``__init__.pyi``, where type checkers look for them; each is
    imported there as ``from wordorder.order.orders import Orders as Orders``.

    Parameters
    ----------
    package : str
        The full name of the package.

    Examples
    --------
    >>> names, get, _ = lazy_names("wordorder.reordering")
    >>> get("RuleSet").__module__, names
    ('wordorder.reordering.rules', ['PrecedenceRules', 'RuleSet', 'open_rules', 'write_rules'])
    """
    module_of = {}
    stub = os.path.join(os.path.dirname(sys.modules[package].__file__ or ""), "__init__.pyi")
    with open(stub, encoding="utf-8") as file:
        stub_tokens = iter(file.read().replace("(", " ").replace(",", " ").split())
    for word in stub_tokens:
        if word == "from":
            module = next(stub_tokens)
        elif word == "as":
            module_of[next(stub_tokens)] = module

    def get(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(module_of[name]), name)
        # Stored in the package, so that the next access does not call this function.
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted(module_of)

    return names(), get, names


# Nothing is imported before it is used: `import wordorder` costs a few milliseconds.
__all__, __getattr__, __dir__ = lazy_names(__name__)
