"""Rows that are parsed when they are first used."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable


class Sliceable(Protocol):
    """Rows: `Orders`, `RawLines` and their like."""

    def __getitem__(self, rows: slice, /) -> Any:
        """Return some of the rows."""


RowsType = TypeVar("RowsType", bound=Sliceable)


class LazyRows(Generic[RowsType]):
    """Rows of a file that are parsed when they are wanted, on the thread that wants them.

    Parameters
    ----------
    count : int
        How many rows there are.
    parse : callable
        Returns them; called once.

    Examples
    --------
    >>> later = LazyRows(3, lambda: ["a", "b", "c"])
    >>> len(later[1:]), later[1:].rows(), later.rows()
    (2, ['b', 'c'], ['a', 'b', 'c'])
    """

    def __init__(self, count: int, parse: Callable[[], RowsType]) -> None:
        self._once = _OnceValue(parse)
        self._span = (0, count)
        self._all = count

    def __len__(self) -> int:
        return self._span[1] - self._span[0]

    def __getitem__(self, rows: slice) -> LazyRows[RowsType]:
        """Return some of the rows, to be parsed together with the others."""
        first, last, _ = rows.indices(len(self))
        part = LazyRows.__new__(LazyRows)
        part._once, part._all = self._once, self._all
        part._span = (self._span[0] + first, self._span[0] + max(first, last))
        return part

    def rows(self) -> RowsType:
        """Return the rows.

        Raises
        ------
        InputError
            If they do not hold what they should.
        """
        rows = self._once.result()
        if self._span == (0, self._all):
            return rows
        return rows[slice(*self._span)]  # type: ignore[no-any-return]  # of the same kind


class _OnceValue(Generic[RowsType]):
    """A result that is computed once, whichever thread wants it first."""

    def __init__(self, make: Callable[[], RowsType]) -> None:
        self._make: Callable[[], RowsType] | None = make
        self._result: RowsType
        self._lock = threading.Lock()

    def result(self) -> RowsType:
        with self._lock:
            if self._make is not None:
                self._result = self._make()
                self._make = None
            return self._result


@runtime_checkable
class Deferring(Protocol):
    """A source that can read rows without parsing them: `OrderReader`, `TextReader`."""

    def begin(self, lines: int) -> LazyRows[Any]:
        """Read up to `lines` further rows; 0 at the end."""
