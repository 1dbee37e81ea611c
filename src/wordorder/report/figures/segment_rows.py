"""SegmentRows: the scores of segments as rows of a table, made while they are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wordorder.drawing.figure import Cell
from wordorder.types import Float64


@dataclass(frozen=True, eq=False)
class SegmentRows:
    """A row for each segment, of one system after the other: its number from 1, and its scores.

    Attributes
    ----------
    columns : sequence of float64[n, S]
        Of n systems, or other things that have names.
    names : sequence of str, optional
        n of them, which begin the rows.

    Examples
    --------
    >>> import numpy as np
    >>> list(SegmentRows([np.array([[0.5, 1.0]]), np.array([[0.0, 0.25]])], ["A"]))
    [('A', 1, 0.5, 0.0), ('A', 2, 1.0, 0.25)]
    """

    columns: Sequence[Float64]
    names: Sequence[str] = ()

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        for place, rows in enumerate(zip(*self.columns, strict=True)):
            start = (self.names[place],) if self.names else ()
            for number, scores in enumerate(zip(*rows, strict=True), 1):
                yield (*start, number, *map(float, scores))
