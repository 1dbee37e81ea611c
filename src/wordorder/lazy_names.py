"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import importlib
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_names(
    package: str, places: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package.

    Parameters
    ----------
    package : str
        Its full name.
    places : mapping of name to module
        Where each name is defined, the module as seen from the package; ``.order.orders`` begins in
        the package above.

    Examples
    --------
    >>> get, names = lazy_names("wordorder", {"Ragged": "ragged"})
    >>> get("Ragged").__module__, names()
    ('wordorder.ragged', ['Ragged'])
    """

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f".{places[name]}", package), name)
        # The next time it is found without this function.
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted(places)

    return get, names
