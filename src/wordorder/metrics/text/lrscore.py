"""LRscore: reordering and words, each measured by itself and put together."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from wordorder.errors import choose
from wordorder.metrics.options import real
from wordorder.metrics.order.hamming import Hamming
from wordorder.metrics.order.kendall_sqrt import KendallSqrt
from wordorder.metrics.text.bleu_s import smoothed_bleu
from wordorder.metrics.text.brevity import brevity_penalty
from wordorder.metrics.text.ngram_counts import ngram_statistics
from wordorder.metrics.text.text_metric import TextMetric, best_reference
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.types import Float64

_ORDERINGS = {"hamming": Hamming, "kendall": KendallSqrt}
_LONGEST = {"bleu1": 1, "bleu4": 4}


class LRscore(TextMetric):
    """A reordering score and BLEU, interpolated: ``alpha * R + (1 - alpha) * L``.

    `R` is the mean over segments of the similarity of two orders of the source words, the one in
    which the translation has them and that of the reference, each times the segment's brevity
    penalty. `L` is the BLEU of the corpus, which has a brevity penalty of its own (Birch & Osborne
    2011; details as in Moses' scorer).

    Parameters
    ----------
    reordering : "kendall" or "hamming"
        One minus the square root of Kendall's distance, or one minus the Hamming distance.
    lexical : "bleu4" or "bleu1"
        BLEU with n-grams of up to four words, or of one.
    alpha : float in [0, 1]
        The weight of the reordering score. The trained weights of the paper are not known: .5 is
        no recommendation.
    references : "closest" or "average"
        The reordering score of a segment with several references: that of its best reference, or
        their mean.

    Raises
    ------
    UsageError
        If a value is unknown or `alpha` out of range, or the segments lack text or orders.

    Notes
    -----
    A segment without orders, for want of words, has a reordering score of 0. One without
    references, or without a word anywhere, is left out and counted. For the score of a single
    segment, BLEU with four words is smoothed as in Lin & Och (2004): one is added to matches and
    totals of two words and more.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignments
    >>> segments = Segments.from_alignments(
    ...     ["a b c d e"],
    ...     ["1 2 3 4 5"],
    ...     ["1 4 5 2 3"],
    ...     Alignments.from_rows([[(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]]),
    ...     Alignments.from_rows([[(0, 0), (1, 3), (2, 4), (3, 1), (4, 2)]]),
    ... )
    >>> LRscore(lexical="bleu1").segment_scores(segments).round(4)
    array([0.6838])
    """

    name = "lrscore"
    columns: tuple[str, ...] = ("permutation", "text")

    def __init__(
        self,
        *,
        reordering: str = "kendall",
        lexical: str = "bleu4",
        alpha: float = 0.5,
        references: str = "closest",
    ) -> None:
        self.reordering = choose("lrscore.reordering", reordering, tuple(_ORDERINGS))
        self.lexical = choose("lrscore.lexical", lexical, tuple(_LONGEST))
        self.references = choose("lrscore.references", references, ("closest", "average"))
        self.alpha = real(f"{self.name}.alpha", alpha, 0, 1)
        self._ordering = _ORDERINGS[reordering]()
        self._longest = _LONGEST[lexical]

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2 * n + 4] for n-grams of up to `n` words.

        Reordering score with brevity penalty, 1, and the counts of `ngram_statistics`.
        """
        texts = segments.texts
        counts = ngram_statistics(texts, self._longest)
        values = self.reordering_scores(segments)
        offsets = segments.reference_offsets
        number = np.diff(offsets)
        if self.references == "closest":
            best = best_reference(-values, offsets)
            chosen = values[best] if len(values) else np.zeros(len(best))
        else:
            total = np.bincount(texts.segment_of, weights=values, minlength=len(number))
            chosen = total / np.maximum(number, 1)
        words = np.bincount(
            texts.segment_of,
            weights=segments.permutation.lengths + texts.references.lengths,
            minlength=len(number),
        )
        used = (number > 0) & (words + texts.hypothesis.lengths > 0)
        return np.column_stack([np.where(used, chosen, 0.0), used, counts])

    def reordering_scores(self, segments: Segments) -> Float64:
        """Return the reordering score of each reference with its brevity penalty, float64[R]."""
        texts = segments.texts
        permutation, groups = segments.matched("index")
        values = self._ordering.values(permutation, groups, segments)
        penalty = brevity_penalty(
            texts.hypothesis.lengths[texts.segment_of], texts.references.lengths
        )
        return np.where(permutation.lengths > 0, values * penalty, 0.0)

    def score(self, totals: Float64) -> Float64:
        """Return the mean reordering score and the BLEU of summed counts, interpolated."""
        mean = np.zeros(np.shape(totals)[:-1])
        np.divide(totals[..., 0], totals[..., 1], out=mean, where=totals[..., 1] > 0)
        return self._interpolated(mean, _bleu(totals[..., 2:], self._longest))

    def score_segments(self, statistics: Float64) -> Float64:
        """Return the score of each segment from its statistics, BLEU being smoothed."""
        return self._interpolated(statistics[:, 0], smoothed_bleu(statistics[:, 2:]))

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        return Signature(
            self.name,
            (
                ("reordering", self.reordering),
                ("lexical", self.lexical),
                ("alpha", repr(self.alpha)),
                ("references", self.references),
            ),
        )

    def _interpolated(self, reordering: Float64, lexical: Float64) -> Float64:
        return self.alpha * reordering + (1.0 - self.alpha) * lexical


class _Preset(LRscore):
    """One of the paper's four versions: only the weight is open."""

    fixed: ClassVar[tuple[str, str]]

    def __init__(self, *, alpha: float = 0.5, references: str = "closest") -> None:
        reordering, lexical = self.fixed
        super().__init__(reordering=reordering, lexical=lexical, alpha=alpha, references=references)


class HammingBleu1(_Preset):
    """LRscore with Hamming distance and BLEU of single words (LR-HB1); see `LRscore`."""

    name = "lr-hb1"
    fixed = ("hamming", "bleu1")


class HammingBleu4(_Preset):
    """LRscore with Hamming distance and BLEU of up to four words (LR-HB4); see `LRscore`."""

    name = "lr-hb4"
    fixed = ("hamming", "bleu4")


class KendallBleu1(_Preset):
    """LRscore with Kendall's distance and BLEU of single words (LR-KB1); see `LRscore`."""

    name = "lr-kb1"
    fixed = ("kendall", "bleu1")


class KendallBleu4(_Preset):
    """LRscore with Kendall's distance and BLEU of up to four words (LR-KB4); see `LRscore`."""

    name = "lr-kb4"
    fixed = ("kendall", "bleu4")


def _bleu(counts: Float64, longest: int) -> Float64:
    """Return the BLEU of counts [..., 2 * longest + 2]; 0 if no n-gram of some length matches."""
    # One layout for any shape: numpy's logarithm and its sums may round others differently.
    rows = counts.reshape(-1, 2 * longest + 2)
    matches, totals = rows[:, :longest], rows[:, longest : 2 * longest]
    precisions = np.divide(matches, totals, out=np.zeros(matches.shape), where=totals > 0)
    matched = np.all(precisions > 0, axis=1)
    scores = np.zeros(len(rows))
    scores[matched] = np.exp(np.log(precisions[matched]).sum(axis=1) / longest)
    return (scores * brevity_penalty(rows[:, -2], rows[:, -1])).reshape(counts.shape[:-1])
