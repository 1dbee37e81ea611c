"""Documents: segments that are resampled together, because they are not independent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.statistics.measurement import Measurement


@dataclass(frozen=True, eq=False)
class Documents:
    """The document of each segment.

    Attributes
    ----------
    names : tuple of str
        The names of all documents, in the order of their first segments.
    numbers : int64[S]
        The document of each segment, an index into `names`.

    Examples
    --------
    >>> found = Documents.of(["news", "news", "talk"])
    >>> found.names, found.numbers.tolist()
    (('news', 'talk'), [0, 0, 1])
    """

    names: tuple[str, ...]
    numbers: Int64

    @classmethod
    def of(cls, names: Sequence[str]) -> Documents:
        """Group segments by the names of their documents."""
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        return cls(tuple(numbers), np.array([numbers[name] for name in names], np.int64))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def scattered(self) -> int:
        """The number of documents whose segments are not contiguous."""
        run_starts = np.append(True, self.numbers[1:] != self.numbers[:-1])[: len(self.numbers)]
        runs = np.bincount(self.numbers[run_starts], minlength=len(self))
        return int(np.count_nonzero(runs > 1))

    def of_segments(self, rows: Int64) -> Documents:
        """Return the documents of selected segments."""
        return Documents.of([self.names[number] for number in self.numbers[rows].tolist()])

    def sums(self, rows: Float64) -> Float64:
        """Return the sum of the segments' rows of each document, float64[S, k] -> float64[D, k].

        Examples
        --------
        >>> Documents.of(["a", "b", "a"]).sums(np.array([[1.0], [2.0], [3.0]])).tolist()
        [[4.0], [2.0]]
        """
        added = np.zeros((len(self), rows.shape[1]))
        np.add.at(added, self.numbers, rows)
        return added

    def measurement(self, measured: Measurement) -> Measurement:
        """Return the measurement with one row per document, and the same values.

        Tests that resample or swap its rows then resample or swap complete documents.
        """
        rows = [self.sums(matrix) for matrix in measured.statistics]
        totals = measured.exact_totals()
        return Measurement(rows, measured.score, measured.higher_is_better, totals)
