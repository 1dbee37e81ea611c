"""Rows that are parsed at their first use."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable


class Sliceable(Protocol):
    """Rows that can be sliced, such as `Orders` and `RawLines`."""

    def __getitem__(self, rows: slice, /) -> Any:
        """Return some of the rows."""


RowsType = TypeVar("RowsType", bound=Sliceable)


class LazyRows(Generic[RowsType]):
    """Rows of a file that are parsed at their first use, on the thread that uses them.

    Parameters
    ----------
    count : int
        How many rows there are.
    parse : callable
        Returns all rows; called once.

    Examples
    --------
    >>> later = LazyRows(3, lambda: ["a", "b", "c"])
    >>> len(later[1:]), later[1:].rows(), later.rows()
    (2, ['b', 'c'], ['a', 'b', 'c'])
    """

    def __init__(self, count: int, parse: Callable[[], RowsType]) -> None:
        self._once = _OnceValue(parse)
        self._span = (0, count)
        self._count = count

    def __len__(self) -> int:
        return self._span[1] - self._span[0]

    def __getitem__(self, rows: slice) -> LazyRows[RowsType]:
        """Return some of the rows, to be parsed together with the others."""
        first, last, _ = rows.indices(len(self))
        part = LazyRows.__new__(LazyRows)
        part._once, part._count = self._once, self._count
        part._span = (self._span[0] + first, self._span[0] + max(first, last))
        return part

    def rows(self) -> RowsType:
        """Return the rows.

        Raises
        ------
        InputError
            If a row is invalid.
        """
        rows = self._once.result()
        if self._span == (0, self._count):
            return rows
        return rows[slice(*self._span)]  # type: ignore[no-any-return]  # of the same kind


class _OnceValue(Generic[RowsType]):
    """A result that is computed once, by the first thread that uses it."""

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
