"""BLEU-S: BLEU of one segment, smoothed."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.options import LONGEST_NGRAMS, switch, whole
from wordorder.metrics.text.ngram_counts import ngram_statistics
from wordorder.metrics.text.text_metric import TextMetric
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.types import Float64


class SmoothedBleu(TextMetric):
    """BLEU for single segments: one is added to the counts of all but single words.

    ``BP * (m_1 / t_1 * product over n = 2 .. order of (m_n + 1) / (t_n + 1)) ** (1 / order)`` with
    ``t_n`` n-grams in the hypothesis of which ``m_n`` match (Lin and Och 2004), and BLEU's brevity
    penalty ``BP = min(1, exp(1 - |reference| / |hypothesis|))`` within the segment. 0 if no word
    matches.

    It is a measure of segments: the corpus score is their mean. A segment without references is
    left out.

    Parameters
    ----------
    order : int, default 4
        The longest n-grams.
    boundaries : bool, default False
        Count n-grams with one symbol before the first word and one behind the last
        (Leusch, Ueffing and Ney 2006, section 5.1).

    Raises
    ------
    UsageError
        If a value is of another kind, or `order` not from 1 to 100.

    Examples
    --------
    >>> segments = Segments.from_text(["the cat sat on mat"], ["the cat sat on the mat"])
    >>> SmoothedBleu().segment_scores(segments).round(4)
    array([0.6511])
    """

    name = "bleu-s"

    def __init__(self, *, order: int = 4, boundaries: bool = False) -> None:
        self.order = whole("bleu-s.order", order, 1, LONGEST_NGRAMS)
        self.boundaries = switch("bleu-s.boundaries", boundaries)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2]: the segment's score and 1."""
        texts = segments.texts
        counts = ngram_statistics(texts, self.order, self.boundaries)
        used = np.diff(texts.reference_offsets) > 0
        return np.stack([smoothed_bleu(counts), used.astype(np.float64)], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the mean of the segments, 0 without any."""
        quotient = np.zeros(totals.shape[:-1])
        return np.divide(totals[..., 0], totals[..., 1], out=quotient, where=totals[..., 1] > 0)

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        boundaries = "one" if self.boundaries else "none"
        fields = (("order", str(self.order)), ("boundaries", boundaries), ("average", "segment"))
        return Signature(self.name, fields)


def smoothed_bleu(counts: Float64) -> Float64:
    """Return the smoothed BLEU of each row of counts.

    Parameters
    ----------
    counts : float64[S, 2*order+2]
        As `ngram_statistics` returns them.

    Returns
    -------
    float64[S] in [0, 1]
    """
    order = counts.shape[1] // 2 - 1
    matches, totals = counts[:, :order].copy(), counts[:, order : 2 * order].copy()
    matches[:, 1:] += 1
    totals[:, 1:] += 1
    length, reference = counts[:, -2], counts[:, -1]
    used = (matches[:, 0] > 0) & (length > 0)
    scores = np.zeros(len(counts))
    logs = np.log(matches[used] / totals[used]).mean(axis=1)
    scores[used] = np.exp(logs + np.minimum(0, 1 - reference[used] / length[used]))
    return scores
