"""Rows that are parsed when they are first used."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable


class Sliceable(Protocol):
    """Rows: `Orders`, `RawLines` and their like."""

    def __getitem__(self, rows: slice, /) -> Any:
        """Return some of the rows."""


LaterRows = TypeVar("LaterRows", bound=Sliceable)


class Later(Generic[LaterRows]):
    """Rows of a file that are parsed when they are wanted, on the thread that wants them.

    Parameters
    ----------
    count : int
        How many rows there are.
    parse : callable
        Returns them; called once.

    Examples
    --------
    >>> later = Later(3, lambda: ["a", "b", "c"])
    >>> len(later[1:]), later[1:].rows(), later.rows()
    (2, ['b', 'c'], ['a', 'b', 'c'])
    """

    def __init__(self, count: int, parse: Callable[[], LaterRows]) -> None:
        self._once = _Once(parse)
        self._span = (0, count)
        self._all = count

    def __len__(self) -> int:
        return self._span[1] - self._span[0]

    def __getitem__(self, rows: slice) -> Later[LaterRows]:
        """Return some of the rows, to be parsed together with the others."""
        first, last, _ = rows.indices(len(self))
        part = Later.__new__(Later)
        part._once, part._all = self._once, self._all
        part._span = (self._span[0] + first, self._span[0] + max(first, last))
        return part

    def rows(self) -> LaterRows:
        """Return the rows.

        Raises
        ------
        InputError
            If they do not hold what they should.
        """
        found = self._once.result()
        if self._span == (0, self._all):
            return found
        return found[slice(*self._span)]  # type: ignore[no-any-return]  # of the same kind


class _Once(Generic[LaterRows]):
    """A result that is computed once, whichever thread wants it first."""

    def __init__(self, make: Callable[[], LaterRows]) -> None:
        self._make: Callable[[], LaterRows] | None = make
        self._result: LaterRows
        self._lock = threading.Lock()

    def result(self) -> LaterRows:
        with self._lock:
            if self._make is not None:
                self._result = self._make()
                self._make = None
            return self._result


@runtime_checkable
class Deferring(Protocol):
    """A source that can read rows without parsing them: `OrderReader`, `TextReader`."""

    def begin(self, lines: int) -> Later[Any]:
        """Read up to `lines` further rows; none at the end."""
