"""F1 of the words that a hypothesis and its reference share."""

from __future__ import annotations

import numpy as np

from wordorder.kernels import ngrams
from wordorder.kernels._run import run_rows
from wordorder.metrics.text.text_metric import TextMetric, best_reference
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int64


class F1(TextMetric):
    """How far two sentences consist of the same words, in whatever order.

    The harmonic mean of precision and recall of the words as a bag: with ``m`` words that both
    have, each instance counted once, ``2 m / (|hypothesis| + |reference|)``. Two empty sentences
    score 0.

    The reference with the best F1 counts. The corpus score comes from the sums of matches and
    lengths. A segment without references is left out.

    Examples
    --------
    >>> segments = Segments.from_text(["on the mat sat the cat", "a b"], ["the cat sat", "b c"])
    >>> F1().segment_scores(segments)
    array([0.66666667, 0.5       ])
    >>> F1().corpus_score(segments).value == 2 * 4 / 13
    True
    """

    name = "f1"

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 4]: matches, lengths of hypothesis and reference, 1."""
        texts = segments.texts
        matches = bag_matches(texts)
        lengths = texts.hypothesis.lengths[texts.segment_of]
        reference_lengths = texts.references.lengths
        chosen = best_reference(-_f1(matches, lengths + reference_lengths), texts.reference_offsets)
        statistics = np.zeros((len(texts), 4))
        used = chosen >= 0
        rows = chosen[used]
        statistics[used, 0] = matches[rows]
        statistics[used, 1] = lengths[rows]
        statistics[used, 2] = reference_lengths[rows]
        statistics[used, 3] = 1
        return statistics

    def score(self, totals: Float64) -> Float64:
        """Return twice the matches over the lengths, 0 where there are no words."""
        return _f1(totals[..., 0], totals[..., 1] + totals[..., 2])

    def signature(self) -> Signature:
        """Return the name; there are no choices."""
        return Signature(self.name)


def bag_matches(texts: Texts) -> Int64:
    """Count the words that each reference shares with its hypothesis, int64[R].

    Each instance counts once: of a word that one sentence has twice and the other three times,
    two match. Counted once for all metrics that ask.

    Examples
    --------
    >>> bag_matches(Texts.from_segments(["a b a"], [["a a a", "b"]])).tolist()
    [2, 1]
    """
    return texts.derived("bag matches", lambda: _bag_matches(texts))


def _bag_matches(texts: Texts) -> Int64:
    local = texts.local()
    matches = np.empty(len(local.references), np.int64)
    most = int(local.distinct.max(initial=0))
    run_rows(
        ngrams.bag_matches,
        local.references.offsets,
        local.hypothesis.values,
        local.hypothesis.offsets,
        local.references.values,
        local.references.offsets,
        texts.segment_of,
        matches,
        scratch=lambda _: (np.zeros(most, np.int32),),
    )
    return matches


def _f1(matches: Float64 | Int64, lengths: Float64 | Int64) -> Float64:
    quotient = np.zeros(np.shape(matches))
    return np.divide(2 * matches, lengths, out=quotient, where=lengths > 0)
