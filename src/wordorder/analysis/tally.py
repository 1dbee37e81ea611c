"""Counts and sums by group, ranges of numbers, and the sentences with the highest costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Bool, Float64, Int64
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.order.chunks import OrderMetric
from wordorder.metrics.text.edits import ErrorRate

# The number of example sentences of a row.
EXAMPLE_COUNT = 5

# Decimals by which values are compared: sums in another order differ in their last bits.
DIGITS = 12

# Scores that differ by less are equal except for rounding.
NEAR = 1e-9


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts items such as words, boundaries or blocks by type, and adds up their values.

    Parameters
    ----------
    kinds : int64[W]
        The type of each item, from 0.
    size : int
        The number of types, K.

    Examples
    --------
    >>> tally = Tally(np.array([0, 0, 2]), 3)
    >>> tally.count().tolist(), tally.sums(np.array([0.5, 1, 2])).tolist()
    ([2, 0, 1], [1.5, 0.0, 2.0])
    >>> tally.count(np.array([True, False, True])).tolist()
    [1, 0, 1]
    """

    kinds: Int64
    size: int

    def of(self, chosen: Bool) -> Tally:
        """Return the tally of the chosen items."""
        return Tally(self.kinds[chosen], self.size)

    def count(self, chosen: Bool | None = None) -> Int64:
        """Return the number of items of each type, int64[K]; only of chosen items if given."""
        kinds = self.kinds if chosen is None else self.kinds[chosen]
        return np.bincount(kinds, minlength=self.size)

    def sums(self, values: npt.NDArray[np.number]) -> Float64:
        """Add up the values of the items of each type, float64[K]."""
        return np.bincount(self.kinds, values, self.size).astype(np.float64)

    def means(self, values: npt.NDArray[np.number]) -> Float64:
        """Return the mean value of each type, float64[K]; 0 for a type without items."""
        return self.sums(values) / np.maximum(self.count(), 1)

    def costliest(
        self, sentences: Int64, costs: Float64, limit: int = EXAMPLE_COUNT
    ) -> tuple[tuple[int, ...], ...]:
        """Return for each type the sentences whose items cost most, the costliest first.

        Parameters
        ----------
        sentences : int64[W]
            The sentence of each item.
        costs : float64[W]
            The cost of each item. Sentences whose costs add up to 0 are left out.
        limit : int
            The most sentences of a type; of sentences with equal costs, the first are taken.

        Returns
        -------
        tuple of K tuples of int

        Examples
        --------
        >>> tally = Tally(np.array([0, 0, 0, 2]), 3)
        >>> tally.costliest(np.array([7, 8, 7, 1]), np.array([0.2, 0.3, 0.2, 0.1]))
        ((7, 8), (), (1,))
        """
        costliest = Costliest(self.size, limit)
        costliest.add(self.kinds, sentences, costs)
        return costliest.sentences()


class Costliest:
    """Collects the costliest sentences of each type from several parts of a corpus.

    Parameters
    ----------
    size : int
        The number of types.
    limit : int
        The most sentences of a type.
    """

    def __init__(self, size: int, limit: int = EXAMPLE_COUNT) -> None:
        self._size, self._limit = size, limit
        self._kinds: Int64 = np.zeros(0, np.int64)
        self._sentences: Int64 = np.zeros(0, np.int64)
        self._costs: Float64 = np.zeros(0)

    def add(self, kinds: npt.NDArray[np.integer], sentences: Int64, costs: Float64) -> None:
        """Add all items of some sentences: the type, sentence and cost of each item."""
        width = int(sentences.max(initial=0)) + 1
        keys, inverse = np.unique(kinds * width + sentences, return_inverse=True)
        totals = np.bincount(inverse, costs, len(keys))
        keys, totals = keys[totals > 0], totals[totals > 0]
        group, sentence = np.divmod(keys, width)
        group, sentence = np.append(self._kinds, group), np.append(self._sentences, sentence)
        cost: Float64 = np.append(self._costs, totals)
        order = np.lexsort((sentence, -np.round(cost, DIGITS), group))
        group, sentence, cost = group[order], sentence[order], cost[order]
        first = np.arange(len(group)) - np.searchsorted(group, group) < self._limit
        self._kinds, self._sentences, self._costs = group[first], sentence[first], cost[first]

    def sentences(self) -> tuple[tuple[int, ...], ...]:
        """Return the sentences of each type, the costliest first."""
        bounds = np.searchsorted(self._kinds, np.arange(self._size + 1)).tolist()
        sentences = self._sentences.tolist()
        return tuple(tuple(sentences[start:stop]) for start, stop in pairwise(bounds))


def costliest_sentences(sentences: Int64, costs: Float64) -> tuple[int, ...]:
    """Return the sentences whose items cost most, the costliest first; see `Tally.costliest`.

    Examples
    --------
    >>> costliest_sentences(np.array([7, 8, 7, 9]), np.array([0.2, 0.3, 0.2, 0]))
    (7, 8)
    """
    return Tally(np.zeros(len(sentences), np.int64), 1).costliest(sentences, costs)[0]


def largest_first(
    *columns: npt.NDArray[np.number],
    names: Sequence[str] | Sequence[tuple[str, ...]] = (),
    digits: int = DIGITS,
) -> Int64:
    """Return the indices of rows sorted by the first column, then the others, largest first.

    Parameters
    ----------
    *columns : arrays of K numbers
    names : sequence
        K names, by which rows that are equal in all columns are sorted; without names they keep
        their order.
    digits : int
        The number of decimals by which values are compared.

    Returns
    -------
    int64[K]

    Examples
    --------
    >>> largest_first(np.array([1, 2, 2]), np.array([0.5, 0.1, 0.1]), names="cba").tolist()
    [2, 1, 0]
    """
    keys = [-np.round(column, digits) for column in reversed(columns)]
    if names:
        alphabetical = sorted(range(len(names)), key=lambda row: names[row])
        # The rank of each name.
        keys.insert(0, np.argsort(alphabetical))
    return np.lexsort(keys)


def mean_scores(totals: Float64) -> Float64:
    """Return mean scores, 0 where there are no scores.

    Parameters
    ----------
    totals : float64[..., 2]
        The sum of the scores, and their number.

    Returns
    -------
    float64[...]

    Examples
    --------
    >>> mean_scores(np.array([[1.5, 2.0], [0.0, 0.0]])).tolist()
    [0.75, 0.0]
    """
    quotient = np.zeros(totals.shape[:-1])
    return np.divide(totals[..., 0], totals[..., 1], out=quotient, where=totals[..., 1] > 0)


@dataclass(frozen=True)
class Bins:
    """Ranges of whole numbers, each up to the start of the next one.

    Parameters
    ----------
    starts : tuple of int
        The first number of each range, rising. The last range has no end; smaller numbers than the
        first start belong to the first range.

    Examples
    --------
    >>> bins = Bins((0, 1, 3, 10))
    >>> bins.names, bins.of(np.array([0, 2, 9, 99])).tolist()
    (('0', '1-2', '3-9', '10+'), [0, 1, 2, 3])
    """

    starts: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the ranges, such as ``1-2``."""
        stops = [start - 1 for start in self.starts[1:]]
        names = [
            str(start) if start == stop else f"{start}-{stop}"
            for start, stop in zip(self.starts, stops, strict=False)
        ]
        return (*names, f"{self.starts[-1]}+")

    def of(self, numbers: npt.NDArray[np.integer]) -> Int64:
        """Return the index of the range of each number."""
        ranges = np.searchsorted(np.array(self.starts), numbers, side="right") - 1
        return np.maximum(ranges, 0).astype(np.int64)


def signed_names(bins: Bins) -> tuple[str, ...]:
    """Name ranges of distances in both directions, the farthest to the left first.

    Examples
    --------
    >>> signed_names(Bins((0, 1, 3)))
    ('3+ to the left', '1-2 to the left', '0', '1-2 to the right', '3+ to the right')
    """
    zero, *distances = bins.names
    to_left = [f"{name} to the left" for name in reversed(distances)]
    return (*to_left, zero, *(f"{name} to the right" for name in distances))


def signed_bins(bins: Bins, numbers: npt.NDArray[np.integer]) -> Int64:
    """Return the index of the range of each signed distance, in the order of `signed_names`.

    Examples
    --------
    >>> signed_bins(Bins((0, 1, 3)), np.array([-5, -1, 0, 2])).tolist()
    [0, 1, 2, 3]
    """
    middle = len(bins.starts) - 1
    ranges: Int64 = middle + np.sign(numbers) * bins.of(np.abs(numbers))
    return ranges


def sentence_losses(metric: BaseMetric, statistics: Float64) -> Float64 | None:
    """Return how much each segment contributes to the loss of the corpus.

    For an error rate, a segment contributes its edits divided by the reference words of the
    corpus. For the mean of an order metric, it contributes 1 minus its score, times its weight.

    Parameters
    ----------
    metric : BaseMetric
    statistics : float64[S, k]
        The statistics of the metric.

    Returns
    -------
    float64[S], or None
        Not negative; the sum is the error rate of the corpus, or 1 minus its score. None for a
        metric whose score is not a sum over segments, such as BLEU.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> from wordorder.segments import Segments
    >>> segments = Segments.from_text(["b a", "a b c"], ["a b", "a b c"], aligner="exact")
    >>> for name in ("frs", "cder", "bleu"):
    ...     used = metric(name)
    ...     print(name, sentence_losses(used, used.statistics(segments)))
    frs [0.5 0. ]
    cder [0.4 0. ]
    bleu None
    """
    if isinstance(metric, ErrorRate):
        words = float(statistics[:, 1].sum())
        return statistics[:, 0] / words if words else None
    if isinstance(metric, OrderMetric) and metric.average != "micro":
        weight = float(statistics[:, 1].sum())
        losses = statistics[:, 1] - statistics[:, 0]
        return np.maximum(losses, 0.0) / weight if weight else None
    return None
