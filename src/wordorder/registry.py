"""Finding metrics and other parts by name: built-ins and entry points alike."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wordorder.errors import UsageError, unknown_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Registry:
    """The parts that are installed under one contract.

    Parameters
    ----------
    kind : str
        What a part is called in messages: ``"metric"``.
    group : str
        The entry-point group, the same for built-ins and third parties: ``"wordorder.metrics"``.
    built_in : mapping of name to ``"module:attribute"``
        What the package brings, as its entry points say it too: known without searching the
        environment, which would take longer than scoring a small file.

    Examples
    --------
    >>> built_in = {"ulam": "wordorder.metrics.order.ulam:Ulam"}
    >>> metrics = Registry("metric", "wordorder.metrics", built_in)
    >>> metrics.load("ulam").__name__
    'Ulam'
    """

    def __init__(self, kind: str, group: str, built_in: Mapping[str, str]) -> None:
        self.kind = kind
        self.group = group
        self.built_in = dict(built_in)

    @cached_property
    def installed(self) -> dict[str, EntryPoint]:
        """What other packages bring, by name; of two with one name, the one found first."""
        from importlib.metadata import entry_points

        found: dict[str, EntryPoint] = {}
        for point in entry_points(group=self.group):
            if point.name not in self.built_in:
                found.setdefault(point.name, point)
        return found

    def names(self) -> list[str]:
        """Return all names, built-ins first."""
        return [*self.built_in, *sorted(self.installed)]

    def load(self, name: str) -> Any:
        """Import the part called `name`.

        Raises
        ------
        UsageError
            If there is none of that name (the message lists the names), or its package is broken.
        """
        if name in self.built_in:
            module, _, attribute = self.built_in[name].partition(":")
            return getattr(importlib.import_module(module), attribute)
        if name not in self.installed:
            raise unknown_name(self.kind, str(name), self.names())
        point = self.installed[name]
        try:
            return point.load()
        except (ImportError, AttributeError) as error:
            message = f"{self.kind} {name!r} cannot be loaded from {point.value}: {error}"
            raise UsageError(message) from error
