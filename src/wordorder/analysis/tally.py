"""What tables count: kinds of things, ranges of numbers, and the sentences that cost most."""

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

# Sentences a row; who wants more can search.
SHOWN = 5

# Sums of the same costs in another order may differ in their last bits.
DIGITS = 12

# Scores that are nearer than this are equal but for rounding.
NEAR = 1e-9


@dataclass(frozen=True, eq=False)
class Tally:
    """Things of K kinds, to be counted and added up: words, boundaries, blocks.

    Parameters
    ----------
    kinds : int64[W]
        The kind of each, from 0.
    size : int
        How many kinds there are.

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
        """Return the tally of some of the things."""
        return Tally(self.kinds[chosen], self.size)

    def count(self, chosen: Bool | None = None) -> Int64:
        """Return how many there are of each kind, int64[K]; of some, if they are chosen."""
        kinds = self.kinds if chosen is None else self.kinds[chosen]
        return np.bincount(kinds, minlength=self.size)

    def sums(self, values: npt.NDArray[np.number]) -> Float64:
        """Add up a value of each thing, float64[K]."""
        return np.bincount(self.kinds, values, self.size).astype(np.float64)

    def means(self, values: npt.NDArray[np.number]) -> Float64:
        """Return the mean of a value, float64[K]; 0 of a kind that there is not."""
        return self.sums(values) / np.maximum(self.count(), 1)

    def costliest(
        self, sentences: Int64, costs: Float64, shown: int = SHOWN
    ) -> tuple[tuple[int, ...], ...]:
        """Return the sentences that cost each kind most, the costliest first.

        Parameters
        ----------
        sentences : int64[W]
            The sentence of each thing.
        costs : float64[W]
            Sentences whose costs add up to 0 are no examples.
        shown : int
            How many sentences at most; of those that cost the same, the first.

        Returns
        -------
        tuple of K tuples of int

        Examples
        --------
        >>> tally = Tally(np.array([0, 0, 0, 2]), 3)
        >>> tally.costliest(np.array([7, 8, 7, 1]), np.array([0.2, 0.3, 0.2, 0.1]))
        ((7, 8), (), (1,))
        """
        costliest = Costliest(self.size, shown)
        costliest.add(self.kinds, sentences, costs)
        return costliest.sentences()


class Costliest:
    """Collects the sentences that cost each kind of things most, as `Tally.costliest` has them.

    Parameters
    ----------
    size : int
        How many kinds there are.
    shown : int
        How many sentences of each at most.
    """

    def __init__(self, size: int, shown: int = SHOWN) -> None:
        self._size, self._shown = size, shown
        self._kinds: Int64 = np.zeros(0, np.int64)
        self._sentences: Int64 = np.zeros(0, np.int64)
        self._costs: Float64 = np.zeros(0)

    def add(self, kinds: npt.NDArray[np.integer], sentences: Int64, costs: Float64) -> None:
        """Add all things of some sentences: the kind, sentence and cost of each."""
        width = int(sentences.max(initial=0)) + 1
        keys, inverse = np.unique(kinds * width + sentences, return_inverse=True)
        totals = np.bincount(inverse, costs, len(keys))
        keys, totals = keys[totals > 0], totals[totals > 0]
        group, sentence = np.divmod(keys, width)
        group, sentence = np.append(self._kinds, group), np.append(self._sentences, sentence)
        cost: Float64 = np.append(self._costs, totals)
        order = np.lexsort((sentence, -np.round(cost, DIGITS), group))
        group, sentence, cost = group[order], sentence[order], cost[order]
        first = np.arange(len(group)) - np.searchsorted(group, group) < self._shown
        self._kinds, self._sentences, self._costs = group[first], sentence[first], cost[first]

    def sentences(self) -> tuple[tuple[int, ...], ...]:
        """Return the sentences of each kind, the costliest first."""
        bounds = np.searchsorted(self._kinds, np.arange(self._size + 1)).tolist()
        listed = self._sentences.tolist()
        return tuple(tuple(listed[start:stop]) for start, stop in pairwise(bounds))


def costliest_sentences(sentences: Int64, costs: Float64) -> tuple[int, ...]:
    """Return the sentences that cost most in all, the costliest first, as `Tally.costliest` does.

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
    """Return the order of rows by their first column, then by the next ones, the largest first.

    Parameters
    ----------
    *columns : arrays of K numbers
        Values that are equal but for rounding are equal.
    names : sequence
        K names: of rows that are equal in all columns, the first in the alphabet comes first;
        without names, the first.
    digits : int
        How many digits count.

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
        alphabetical = sorted(range(len(names)), key=lambda place: names[place])
        # The place of each name in that order.
        keys.insert(0, np.argsort(alphabetical))
    return np.lexsort(keys)


def mean_scores(totals: Float64) -> Float64:
    """Return sums of scores over their numbers, 0 where there are none.

    Parameters
    ----------
    totals : float64[..., 2]
        The sum of the scores, and how many there are.

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
    """Ranges of whole numbers, each up to the next one's start.

    Parameters
    ----------
    starts : tuple of int
        Where each range begins, rising; the last has no end, and what is below the first belongs
        to it.

    Examples
    --------
    >>> bins = Bins((0, 1, 3, 10))
    >>> bins.names, bins.of(np.array([0, 2, 9, 99])).tolist()
    (('0', '1-2', '3-9', '10+'), [0, 1, 2, 3])
    """

    starts: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What the ranges are called."""
        stops = [start - 1 for start in self.starts[1:]]
        named = [
            str(start) if start == stop else f"{start}-{stop}"
            for start, stop in zip(self.starts, stops, strict=False)
        ]
        return (*named, f"{self.starts[-1]}+")

    def of(self, numbers: npt.NDArray[np.integer]) -> Int64:
        """Return the number of each number's range."""
        ranges = np.searchsorted(np.array(self.starts), numbers, side="right") - 1
        return np.maximum(ranges, 0).astype(np.int64)


def signed_names(bins: Bins) -> tuple[str, ...]:
    """Name ranges of distances in both directions, the farthest to the left first.

    Examples
    --------
    >>> signed_names(Bins((0, 1, 3)))
    ('3+ to the left', '1-2 to the left', '0', '1-2 to the right', '3+ to the right')
    """
    away = bins.names[1:]
    left = [f"{name} to the left" for name in reversed(away)]
    return (*left, bins.names[0], *(f"{name} to the right" for name in away))


def signed_bins(bins: Bins, numbers: npt.NDArray[np.integer]) -> Int64:
    """Return the range of each number in both directions, as `signed_names` numbers them.

    Examples
    --------
    >>> signed_bins(Bins((0, 1, 3)), np.array([-5, -1, 0, 2])).tolist()
    [0, 1, 2, 3]
    """
    middle = len(bins.starts) - 1
    ranges: Int64 = middle + np.sign(numbers) * bins.of(np.abs(numbers))
    return ranges


def sentence_losses(metric: BaseMetric, statistics: Float64) -> Float64 | None:
    """Return how much of the corpus's loss each segment has.

    An error rate loses its edits, over the reference words of the whole corpus. The mean of an
    order metric loses what each sentence is short of 1, with its weight.

    Parameters
    ----------
    metric : BaseMetric
    statistics : float64[S, k]
        Of the metric.

    Returns
    -------
    float64[S], or None
        Not negative. They add up to the error rate of the corpus, or to 1 minus its score. None
        for a metric whose score is no sum over segments, as BLEU.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> from wordorder.segments import Segments
    >>> segments = Segments.from_text(["b a", "a b c"], ["a b", "a b c"], aligner="exact")
    >>> for name in ("frs", "cder", "bleu"):
    ...     made = metric(name)
    ...     print(name, sentence_losses(made, made.statistics(segments)))
    frs [0.5 0. ]
    cder [0.4 0. ]
    bleu None
    """
    if isinstance(metric, ErrorRate):
        words = float(statistics[:, 1].sum())
        return statistics[:, 0] / words if words else None
    if isinstance(metric, OrderMetric) and metric.average != "micro":
        weight = float(statistics[:, 1].sum())
        lost = statistics[:, 1] - statistics[:, 0]
        return np.maximum(lost, 0.0) / weight if weight else None
    return None
