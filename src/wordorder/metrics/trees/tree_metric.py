"""What the metrics of dependency trees share: words that count, shares of them, F1 of arcs."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from wordorder.errors import choose
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.trees.punctuation import RULES, kept_words
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.types import Bool, Float64, Int64


class TreeMetric(BaseMetric):
    """A metric that judges dependency trees or tags against gold ones of the same words.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        Whether punctuation marks count as words: all do; those do not that have the gold tag PUNCT
        or, where UPOS is none of the universal tags, consist of punctuation marks; those do not
        that consist of punctuation marks, whatever their tag (CoNLL-X).

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    """

    columns: tuple[str, ...] = ("trees",)

    def __init__(self, *, punctuation: str = "include") -> None:
        self.punctuation = choose(f"{self.name}.punctuation", punctuation, RULES)

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature's fields of options that only this metric has."""
        return ()

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        return Signature(self.name, (*self.extra_fields(), ("punctuation", self.punctuation)))

    def counted(self, segments: Segments) -> Bool:
        """Return which words count, bool[N]."""
        rule = self.punctuation
        return segments.derived(
            ("counted words", rule), lambda: kept_words(segments.trees.gold, rule)
        )


class ShareMetric(TreeMetric):
    """The share of words that a system has right, each with a weight."""

    @abstractmethod
    def right(self, segments: Segments) -> Bool:
        """Return which words are right, bool[N]."""

    def weights(self, segments: Segments) -> Bool | Int64:
        """Return what each word counts, bool[N] or int64[N], at least 0; here each as much."""
        return self.counted(segments)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 3]: the weight of words that are right, of all words, and 1."""
        offsets = segments.trees.offsets
        weights = self.weights(segments)
        found = (sums(weights * self.right(segments), offsets), sums(weights, offsets))
        return np.stack([*found, np.ones(len(segments))], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return what is right over all, float64[...]; 1 where nothing can be wrong."""
        return _ratio(totals[..., 0], totals[..., 1], totals[..., 2])


class ArcMetric(TreeMetric):
    """F1 of some arcs: the harmonic mean of precision and recall."""

    @abstractmethod
    def arcs(self, segments: Segments) -> tuple[Bool, Bool, Bool]:
        """Return whose arc is meant, bool[N] each: the system's, the gold one, and both alike."""

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 4]: arcs of the system, gold arcs, arcs in common, and 1."""
        offsets = segments.trees.offsets
        counted = self.counted(segments)
        found = [sums(counted & arcs, offsets) for arcs in self.arcs(segments)]
        return np.stack([*found, np.ones(len(segments))], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the F1, float64[...]; 1 where neither side has an arc."""
        return _ratio(2 * totals[..., 2], totals[..., 0] + totals[..., 1], totals[..., 3])


def right_heads(segments: Segments) -> Bool:
    """Return which words have the right head, bool[N]."""

    def compared() -> Bool:
        system, gold = segments.trees.heads()
        return np.equal(system, gold)

    return segments.derived("right heads", compared)


def sums(values: Bool | Int64, offsets: Int64) -> Float64:
    """Sum the values of each row, float64[S].

    Examples
    --------
    >>> sums(np.array([1, 2, 3]), np.array([0, 2, 2, 3]))
    array([3., 0., 3.])
    """
    running = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=running[1:])
    return (running[offsets[1:]] - running[offsets[:-1]]).astype(np.float64)


def _ratio(part: Float64, whole: Float64, segments: Float64) -> Float64:
    """Return ``part / whole``; where there is nothing, 1 if there were segments, otherwise 0."""
    value = np.where(segments > 0, 1.0, 0.0)
    np.divide(part, whole, out=value, where=whole > 0)
    return value
