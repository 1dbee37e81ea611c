"""chrF and chrF++, as sacreBLEU computes them."""

from __future__ import annotations

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics.options import LONGEST_NGRAMS, switch, whole
from wordorder.metrics.text.ngram_counts import overlap_counts, rows_of
from wordorder.metrics.text.sacrebleu_metric import Fields, SacreBleuMetric
from wordorder.metrics.text.text_metric import best_reference
from wordorder.segments import Segments
from wordorder.text.cut_words import cut_words
from wordorder.text.tokenizers import characters, edge_words
from wordorder.types import Float64

# What sacreBLEU takes for a precision or a recall of nothing.
EPSILON = 1e-16
# Precision counts a millionth of recall.
LARGEST_BETA = 1000


class Chrf(SacreBleuMetric):
    """chrF as sacreBLEU has it (Popović 2015; chrF++: Popović 2017), from 0 to 1.

    The F-score of character n-grams, and with ``word_order=2`` (chrF++) of words too.

    Parameters
    ----------
    char_order : int, default 6
    word_order : int, default 0
    beta : int, default 2
        How much more recall weighs than precision.
    lowercase, whitespace, eps_smoothing : bool, default False
        Ignore case; count blanks as characters; smooth as chrF++.py does.

    Raises
    ------
    UsageError
        If a value is of another kind, an order not from 0 to 100, both orders 0, or `beta` not
        from 1 to 1000.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> segments = Segments.from_text(["It is a test."], ["It was a test."])
    >>> Chrf().segment_scores(segments).round(4)
    array([0.5692])
    """

    name = "chrf"

    def __init__(
        self,
        *,
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ) -> None:
        self.char_order = whole("chrf.char_order", char_order, 0, LONGEST_NGRAMS)
        self.word_order = whole("chrf.word_order", word_order, 0, LONGEST_NGRAMS)
        if self.char_order + self.word_order == 0:
            raise UsageError("chrf.char_order and chrf.word_order are not both 0")
        self.beta = whole("chrf.beta", beta, 1, LARGEST_BETA)
        self.lowercase = switch("chrf.lowercase", lowercase)
        self.whitespace = switch("chrf.whitespace", whitespace)
        self.eps_smoothing = switch("chrf.eps_smoothing", eps_smoothing)

    @property
    def width(self) -> int:
        """Hypothesis, reference and match counts of each order."""
        return 3 * (self.char_order + self.word_order)

    @property
    def unsigned(self) -> Fields:
        """The weight of recall."""
        return (("beta", str(self.beta)),)

    @property
    def signed(self) -> Fields:
        """The options by sacreBLEU's names."""
        return (
            ("eff", "no" if self.eps_smoothing else "yes"),
            ("nc", str(self.char_order)),
            ("nw", str(self.word_order)),
            ("space", "yes" if self.whitespace else "no"),
        )

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, width+1]: the counts with the best reference of each segment, and 1."""
        texts = segments.texts
        hypothesis, references = self.cased(texts)
        columns = [
            characters(lines, white_space=self.whitespace) for lines in (hypothesis, references)
        ]
        counts = overlap_counts(columns[0], columns[1], texts.segment_of, self.char_order)
        if self.word_order:
            cut = cut_words(texts, edge_words, lowercase=self.lowercase)
            ours, theirs = rows_of(cut.hypothesis), rows_of(cut.references)
            words = overlap_counts(ours, theirs, texts.segment_of, self.word_order)
            counts = np.concatenate([counts, words], axis=1)
        best = best_reference(-self.scores_of(counts), texts.reference_offsets)
        used = best >= 0
        statistics = np.zeros((len(texts), self.width + 1))
        statistics[used, :-1] = counts[best[used]]
        statistics[used, -1] = 1
        return statistics

    def scores_of(self, counts: Float64) -> Float64:
        """Return sacreBLEU's scores, by its operations in their order."""
        orders = self.char_order + self.word_order
        factor = self.beta**2
        smoothed, precisions, recalls, effective = np.zeros((4, len(counts)))
        for order in range(orders):
            ours, theirs, matches = counts[:, 3 * order : 3 * order + 3].T
            precision, recall = _share(matches, ours), _share(matches, theirs)
            below = factor * precision + recall
            harmonic = (1 + factor) * precision * recall
            smoothed += np.divide(
                harmonic, below, out=np.full(len(counts), EPSILON), where=below > 0
            )
            both = (ours > 0) & (theirs > 0)
            precisions += np.where(both, precision, 0.0)
            recalls += np.where(both, recall, 0.0)
            effective += both
        if self.eps_smoothing:
            return 100 * smoothed / orders
        precisions /= np.maximum(effective, 1)
        recalls /= np.maximum(effective, 1)
        below = factor * precisions + recalls
        harmonic = (1 + factor) * precisions * recalls
        return np.where(below > 0, 100 * _share(harmonic, below), 0.0)


def _share(part: Float64, total: Float64) -> Float64:
    """Return the quotient, next to nothing where it has no value."""
    shares = np.full(len(part), EPSILON)
    np.divide(part, total, out=shares, where=total > 0)
    return shares
