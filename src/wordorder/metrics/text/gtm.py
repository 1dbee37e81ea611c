"""General Text Matcher: F-measure of a matching that rewards long runs of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from wordorder.kernels import common_runs
from wordorder.kernels._run import announce, run_rows
from wordorder.metrics.options import real
from wordorder.metrics.text.text_metric import TextMetric, best_reference
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int32, Int64

# A long line's words to this power are still far from what a float holds.
LARGEST_EXPONENT = 10.0
# Scores that differ by a smaller share are compared exactly: the sum of n powers is off by less
# than n times 2**-52 of itself, and no line has ten million runs.
NEAR = 1e-8
# Digits of powers with an exponent that is no whole number, and of those how many must agree.
DIGITS, SURE = 70, 50


class GeneralTextMatcher(TextMetric):
    """F-measure of the words that match, where words that match side by side count more.

    A matching gives each word at most one equal word of the other sentence. It falls into runs:
    stretches of words that are adjacent and in order in both. Its size is ``(sum of length **
    exponent over its runs) ** (1 / exponent)``. Precision is the size over the length of the
    hypothesis, recall is the size over that of the reference, and the score is their harmonic mean
    (Turian, Shen and Melamed 2003; Melamed, Green and Turian 2003).

    The largest matching is hard to find for exponents above 1. So it is put together greedily: the
    longest common run first, of equally long ones the one that begins first in the hypothesis, then
    in the reference, until no word matches.

    Parameters
    ----------
    exponent : float from 1 to 10
        1: runs do not matter, and the score is that of `f1`. The larger, the more long runs count.

    Raises
    ------
    UsageError
        If the exponent is out of range.

    Notes
    -----
    The reference with the best score counts, the first of several: scores are compared as exact
    numbers where the exponent is whole, to 50 digits where it is not. The corpus score comes from
    the sums of sizes and lengths. Two empty sentences score 0. A segment without references is left
    out. Time: for each length of a run, the pairs of equal words of the two sentences.

    Examples
    --------
    Runs of 2 and 4 words: a size of ``sqrt(4 + 16)``, over 6 words.

    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> GeneralTextMatcher().segment_scores(segments).round(4)
    array([0.7454])
    """

    name = "gtm"

    def __init__(self, *, exponent: float = 2.0) -> None:
        self.exponent = real("gtm.exponent", exponent, 1, LARGEST_EXPONENT)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 4]: size of the matching, lengths of hypothesis and reference, 1."""
        texts = segments.texts
        several = bool(np.any(np.diff(texts.reference_offsets) > 1))
        matchings = _Matchings.of(texts, self.exponent, with_runs=several)
        sizes = matchings.sizes
        lengths = texts.hypothesis.lengths[texts.segment_of]
        others = texts.references.lengths
        scores = _f_measure(sizes, lengths + others)
        chosen = best_reference(-scores, texts.reference_offsets)
        if several:
            matchings.take_first_best(chosen, scores, lengths + others, texts.reference_offsets)
        statistics = np.zeros((len(texts), 4))
        used = chosen >= 0
        rows = chosen[used]
        statistics[used, 0] = sizes[rows]
        statistics[used, 1] = lengths[rows]
        statistics[used, 2] = others[rows]
        statistics[used, 3] = 1
        return statistics

    def score(self, totals: Float64) -> Float64:
        """Return twice the size over the lengths, 0 where there are no words."""
        return _f_measure(totals[..., 0], totals[..., 1] + totals[..., 2])

    def signature(self) -> Signature:
        """Return the name with the exponent."""
        return Signature(self.name, (("exponent", f"{self.exponent:g}"),))


def matching_sizes(texts: Texts, exponent: float) -> Float64:
    """Return the size of the greedy matching with each reference, float64[R].

    Examples
    --------
    >>> texts = Texts.from_segments(["a b c x d"], [["d a b c", "x"]])
    >>> matching_sizes(texts, 1.0).tolist(), (matching_sizes(texts, 2.0) ** 2).round(9).tolist()
    ([4.0, 1.0], [10.0, 1.0])
    """
    return _Matchings.of(texts, exponent, with_runs=False).sizes


@dataclass(frozen=True, eq=False)
class _Matchings:
    """The greedy matching of each reference with its hypothesis.

    Attributes
    ----------
    exponent : float
    sizes : float64[R]
    runs : int32[W], empty unless they were asked for
        The lengths of the runs from ``offsets[r]`` on, the longest first; 0 behind the last one.
    offsets : int64[R+1]
        Of the words of the references.
    """

    exponent: float
    sizes: Float64
    runs: Int32
    offsets: Int64

    @classmethod
    def of(cls, texts: Texts, exponent: float, *, with_runs: bool) -> _Matchings:
        """Match the words of all references."""
        local = texts.local()
        totals = np.empty(len(local.references))
        ours = texts.hypothesis.lengths[texts.segment_of]
        theirs = texts.references.lengths
        longest = int(max(ours.max(initial=0), theirs.max(initial=0)))
        pairs = ours * theirs.astype(np.float64)
        announce("gtm", float(pairs.max(initial=0)))
        words = int(local.distinct.max(initial=0))
        powers = np.arange(longest + 1, dtype=np.float64) ** exponent
        runs = np.zeros(len(local.references.values) if with_runs else 0, np.int32)
        run_rows(
            common_runs.sums_of_runs,
            local.references.offsets,
            local.hypothesis.values,
            local.hypothesis.offsets,
            local.references.values,
            local.references.offsets,
            texts.segment_of,
            powers,
            totals,
            runs,
            scratch=lambda _: (np.empty(words, np.int32), np.empty(5 * longest, np.int32)),
        )
        sizes = totals ** (1 / exponent)
        # What is the power of a whole number has that number as its root, whatever rounding does.
        roots = np.minimum(np.searchsorted(powers, totals), longest)
        whole = powers[roots] == totals
        sizes[whole] = roots[whole]
        # No size is larger than the number of words that match.
        sizes = np.minimum(sizes, np.minimum(ours, theirs))
        return cls(exponent, sizes, runs, local.references.offsets)

    def take_first_best(
        self, chosen: Int64, scores: Float64, lengths: Int64, reference_offsets: Int64
    ) -> None:
        """Correct in `chosen` the best reference of each segment, comparing exact numbers.

        Parameters
        ----------
        chosen : int64[S]
            By rounded scores; -1 without references.
        scores : float64[R]
        lengths : int64[R]
            Words of the hypothesis and of the reference together.
        reference_offsets : int64[S+1]
        """
        counts = np.diff(reference_offsets)
        best = np.where(chosen >= 0, scores[chosen], 0.0) if len(scores) else np.zeros(len(counts))
        near = scores >= np.repeat(best, counts) * (1 - NEAR)
        segments = np.repeat(np.arange(len(counts)), counts)
        rivals = np.flatnonzero(near & np.repeat((counts > 1) & (best > 0), counts))
        starts = np.searchsorted(rivals, reference_offsets)
        for segment in np.unique(segments[rivals][1:][np.diff(segments[rivals]) == 0]).tolist():
            first, *others = rivals[starts[segment] : starts[segment + 1]].tolist()
            for row in others:
                if self._is_better(row, first, lengths):
                    first = row
            chosen[segment] = first

    def _is_better(self, one: int, other: int, lengths: Int64) -> bool:
        """Return whether size over length is larger for one reference than for another."""
        runs = [self.runs[self.offsets[row] : self.offsets[row + 1]] for row in (one, other)]
        ours, theirs = (each[: np.count_nonzero(each)].tolist() for each in runs)
        length, longer = int(lengths[one]), int(lengths[other])
        if length == longer and ours == theirs:
            return False
        if self.exponent.is_integer():
            power = int(self.exponent)
            left = sum(run**power for run in ours) * longer**power
            return bool(left > sum(run**power for run in theirs) * length**power)
        # Equal runs in proportion to the lengths are equal numbers.
        share = Fraction(longer, length)
        if len(ours) == len(theirs) and all(
            run * share == like for run, like in zip(ours, theirs, strict=True)
        ):
            return False
        with localcontext() as context:
            context.prec = DIGITS
            left, right = (
                _sum_of_powers(row, self.exponent) * Decimal(by) ** Decimal(self.exponent)
                for row, by in ((ours, longer), (theirs, length))
            )
            return bool(left - right > right.scaleb(-SURE))


def _sum_of_powers(numbers: Sequence[int], exponent: float) -> Decimal:
    """Return the sum of powers, to the digits of the context."""
    powers = {each: Decimal(each) ** Decimal(exponent) for each in set(numbers)}
    return sum((powers[each] for each in numbers), Decimal(0))


def _f_measure(sizes: Float64, lengths: Float64 | Int64) -> Float64:
    quotient = np.zeros(np.shape(sizes))
    return np.divide(2 * sizes, lengths, out=quotient, where=lengths > 0)
