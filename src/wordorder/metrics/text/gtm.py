"""General Text Matcher: F-measure of a matching that rewards long runs of words."""

from __future__ import annotations

import numpy as np

from wordorder.kernels import common_runs
from wordorder.kernels._run import announce, run_rows
from wordorder.metrics.options import real
from wordorder.metrics.text.text_metric import TextMetric, best_reference
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int64

# A long line's words to this power are still far from what a float holds.
LARGEST_EXPONENT = 10.0


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
    The reference with the best score counts. The corpus score comes from the sums of sizes and
    lengths. Two empty sentences score 0. A segment without references is left out. Time: for each
    length of a run, the pairs of equal words of the two sentences.

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
        sizes = matching_sizes(texts, self.exponent)
        lengths = texts.hypothesis.lengths[texts.segment_of]
        others = texts.references.lengths
        chosen = best_reference(-_f_measure(sizes, lengths + others), texts.reference_offsets)
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
    local = texts.local()
    totals = np.empty(len(local.references))
    ours = texts.hypothesis.lengths[texts.segment_of]
    longest = int(max(ours.max(initial=0), texts.references.lengths.max(initial=0)))
    pairs = ours * texts.references.lengths.astype(np.float64)
    announce("gtm", float(pairs.max(initial=0)))
    words = int(local.distinct.max(initial=0))
    run_rows(
        common_runs.sums_of_runs,
        local.references.offsets,
        local.hypothesis.values,
        local.hypothesis.offsets,
        local.references.values,
        local.references.offsets,
        texts.segment_of,
        np.arange(longest + 1, dtype=np.float64) ** exponent,
        totals,
        scratch=lambda _: (np.empty(words, np.int32), np.empty(5 * longest, np.int32)),
    )
    sizes: Float64 = totals ** (1 / exponent)
    return sizes


def _f_measure(sizes: Float64, lengths: Float64 | Int64) -> Float64:
    quotient = np.zeros(np.shape(sizes))
    return np.divide(2 * sizes, lengths, out=quotient, where=lengths > 0)
