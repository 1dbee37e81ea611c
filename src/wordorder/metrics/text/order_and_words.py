"""Metrics of both words and their order: RIBES and LRscore."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder.arrays import Float64, Int64, Ragged, concat_ranges, row_offsets
from wordorder.errors import UsageError
from wordorder.kernels import (
    announce,
    is_long,
    matching as matching_kernel,
    orders as kernel,
    run_rows,
)
from wordorder.metrics.contract import best_reference, check_number, quotient, rows_or_zeros
from wordorder.metrics.options import checked, choice
from wordorder.metrics.order.chunks import Hamming, KendallSqrt, best_matched_reference
from wordorder.metrics.rows import brevity_penalty, count_per_row
from wordorder.metrics.text.ngrams import ngram_statistics, smoothed_bleu
from wordorder.metrics.text.text_metric import Pairs, TextMetric
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.texts import Texts

_ORDERINGS = {"hamming": Hamming, "kendall": KendallSqrt}
_BLEU_ORDERS = {"bleu1": 1, "bleu4": 4}


@dataclass(kw_only=True, eq=False, repr=False)
class Ribes(TextMetric):
    """Rank correlation between the orders of hypothesis and reference, over the words they share.

    ``correlation * P ** alpha * BP ** beta`` (Isozaki, Hirao, Duh, Sudoh and Tsukada 2010). The
    correlation is Kendall's tau or Spearman's rho, rescaled to 0 to 1, of the hypothesis words
    whose position in the reference is certain (`certain_positions`); ``P`` is the share of these
    words in the hypothesis, and ``BP`` is BLEU's brevity penalty. The defaults are those of the
    official script RIBES 1.03.1.

    Of several references, the one with the best score is used; the corpus score is the mean over
    segments. A segment without references is left out. An empty hypothesis or reference scores 0.

    Parameters
    ----------
    alpha : float, default 0.25
        The power of the precision, at least 0.
    beta : float, default 0.1
        The power of the brevity penalty, at least 0.
    rank : "kendall" or "spearman"
        The correlation. For Spearman's rho, equal positions have the mean of their ranks.
    compat : "official" or "nltk"
        "official": as in RIBES 1.03.1. "nltk": as in NLTK since 3.10.

    Raises
    ------
    UsageError
        If a value is unknown or negative, or ``compat="nltk"`` is combined with Spearman's rho.

    Examples
    --------
    >>> hypothesis = "he was late because he was caught in the rain"
    >>> reference = "he was caught in the rain because he was late"
    >>> segments = Segments.from_text([hypothesis], [reference])
    >>> Ribes().segment_scores(segments).round(4)
    array([0.3111])
    """

    name = "ribes"

    alpha: float = checked(0.25, check_number, 0)
    beta: float = checked(0.1, check_number, 0)
    rank: str = choice("kendall", "spearman")
    compat: str = choice("official", "nltk")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.compat == "nltk" and self.rank != "kendall":
            raise UsageError("ribes.compat=nltk has no rank=spearman: NLTK correlates by kendall")

    def statistics(self, segments: Segments) -> Float64:
        """Return the score for the best reference, and 1, float64[S, 2]; zeros if left out."""
        texts = segments.texts
        scores = self._reference_scores(texts)
        chosen = best_reference(-scores, texts.reference_offsets)
        # NLTK counts a segment without references as a score of 0.
        used = (chosen >= 0) | (self.compat == "nltk")
        return np.column_stack([rows_or_zeros(scores, chosen), used])

    def score(self, totals: Float64) -> Float64:
        """Return the mean over segments; 0 without segments."""
        return quotient(totals[..., 0], totals[..., 1])

    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""
        fields = [("alpha", repr(self.alpha)), ("beta", repr(self.beta)), ("rank", self.rank)]
        fields += [("compat", self.compat), ("average", "segment")]
        return Signature(self.name, tuple(fields))

    def _reference_scores(self, texts: Texts) -> Float64:
        """Return the score against each reference, float64[R]."""
        orders = certain_positions(texts, compat=self.compat)
        lengths = texts.hypothesis.lengths[texts.segment_of].astype(np.float64)
        references = texts.references.lengths
        matched = orders.lengths
        has_pairs = matched > 1
        correlation = np.zeros(len(matched))
        tau = (
            _normalised_tau(orders)
            if self.rank == "kendall"
            else _normalised_rho(orders, references)
        )
        correlation[has_pairs] = tau[has_pairs]
        if self.compat == "official":
            # A reference of one word cannot be in the wrong order.
            correlation[(matched == 1) & (references == 1)] = 1.0
        safe_lengths = np.maximum(lengths, 1)
        precision = matched / safe_lengths
        brevity = np.minimum(1.0, np.exp(1.0 - references / safe_lengths))
        scores = correlation * precision**self.alpha * brevity**self.beta
        return np.where(lengths > 0, scores, 0.0)


def certain_positions(texts: Texts, compat: str = "official") -> Ragged:
    """Return the positions of hypothesis words in each reference, if they are certain.

    The position of a word that occurs once in both sentences is certain. Another word is found by
    its context: the shortest run of words that ends or starts with it and occurs once in both
    sentences, on ties the left one. A word without such a context is left out. Two words can have
    the same position.

    Parameters
    ----------
    texts : Texts
    compat : "official" or "nltk"
        "nltk": on ties, the right context is used, and words in the second half do not have the
        complete beginning of the sentence as a left context.

    Examples
    --------
    >>> hypothesis = "he was late because he was caught in the rain"
    >>> reference = "he was caught in the rain because he was late"
    >>> certain_positions(Texts.from_segments([hypothesis], [reference])).to_lists()
    [[7, 8, 9, 6, 7, 1, 2, 3, 4, 5]]
    """
    local = texts.local()
    rows = len(texts.references)
    lengths = texts.hypothesis.lengths[texts.segment_of]
    announce("ribes", _max_comparisons(texts))
    starts = row_offsets(lengths)
    ranks = np.zeros(int(starts[-1]), np.int32)
    matched = np.empty(rows, np.int64)
    sizes = (local.distinct, lengths, texts.references.lengths)
    longest = max(int(side_sizes.max(initial=0)) for side_sizes in sizes)
    run_rows(
        *(
            matching_kernel.worder,
            starts,
            Pairs.of(texts, local=True, reverse=True).rows,
            local.distinct,
        ),
        *(int(compat == "nltk"), starts, ranks, matched),
        scratch=lambda _: (longest,),
    )
    return Ragged(ranks[concat_ranges(starts[:-1], matched)], row_offsets(matched))


def _max_comparisons(texts: Texts) -> float:
    """Return an upper bound of the kernel's comparisons of contexts of equal words in one row."""
    local = texts.local()
    lengths = texts.hypothesis.lengths[texts.segment_of].astype(np.float64)
    max_steps = 2 * lengths * (texts.references.lengths + lengths / 2)
    steps = 0.0
    for row in np.flatnonzero(is_long(max_steps)).tolist():
        segment = texts.segment_of[row]
        id_count = int(local.distinct[segment])
        hypothesis_counts = np.bincount(local.hypothesis[segment], minlength=id_count).astype(
            np.float64
        )
        reference_counts = np.bincount(local.references[row], minlength=id_count)
        # Contexts on the left and on the right.
        steps = max(
            steps, 2 * float(hypothesis_counts @ (reference_counts + hypothesis_counts / 2))
        )
    return steps


def _normalised_tau(orders: Ragged) -> Float64:
    """Return (tau + 1) / 2 of each row, the share of ascending pairs; undefined without pairs."""
    # Negated, since pairs of equal ranks must not count as ascending.
    falling = Ragged(-orders.values, orders.offsets)
    ascending = count_per_row(kernel.inversions, falling, 2)
    share: Float64 = ascending / np.maximum(orders.lengths * (orders.lengths - 1) // 2, 1)
    return share


def _normalised_rho(orders: Ragged, lengths: Int64) -> Float64:
    """Return (rho + 1) / 2 of each row; undefined without pairs."""
    covariance, squares = np.empty((2, len(orders)), np.int64)
    arrays, scratch_size = (lengths, covariance, squares), int(lengths.max(initial=0)) + 1
    run_rows(
        *(matching_kernel.rank_moments, orders.offsets, orders.values, orders.offsets, *arrays),
        scratch=lambda _: (np.empty(scratch_size, np.int32),),
    )
    count = orders.lengths.astype(np.float64)
    rank_squares = (count - 1) * count * (count + 1) / 3
    scale = np.sqrt(rank_squares * squares)
    return (quotient(covariance, scale) + 1) / 2


@dataclass(kw_only=True, eq=False, repr=False)
class LRscore(TextMetric):
    """A reordering score interpolated with BLEU: ``alpha * R + (1 - alpha) * L``.

    `R` compares the orders of the source words in the translation and in the reference: the mean
    over segments of their similarity times the segment's brevity penalty. `L` is the BLEU of the
    corpus, with its own brevity penalty (Birch & Osborne 2011; details as in Moses' scorer).

    Parameters
    ----------
    reordering : "kendall" or "hamming"
        "kendall": 1 minus the square root of Kendall's distance. "hamming": 1 minus the Hamming
        distance.
    lexical : "bleu4" or "bleu1"
        BLEU with n-grams of up to four words, or of single words.
    alpha : float in [0, 1]
        The weight of the reordering score. The trained weights of the paper are not known; 0.5 is
        not a recommendation.
    references : "closest" or "average"
        The reordering score of a segment with several references: "closest": that of the best
        reference; "average": the mean over references.

    Raises
    ------
    UsageError
        If a value is unknown or `alpha` out of range, or the segments lack text or orders.

    Notes
    -----
    A segment whose order has no words has a reordering score of 0. A segment without references or
    without any words is left out and counted. In the score of a single segment, BLEU is smoothed as
    in Lin & Och (2004): 1 is added to matches and totals of n-grams of two words or more.

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
    columns = ("permutation", "text")
    reordering: str = choice(*_ORDERINGS, default="kendall")
    lexical: str = choice(*_BLEU_ORDERS, default="bleu4")
    alpha: float = checked(0.5, check_number, 0, 1)
    references: str = choice("closest", "average")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._ordering = _ORDERINGS[self.reordering]()
        self._bleu_order = _BLEU_ORDERS[self.lexical]

    def statistics(self, segments: Segments) -> Float64:
        """Return the statistics of each segment, float64[S, 2 * n + 4] for n-grams of `n` words.

        The columns are the reordering score with its brevity penalty, 1, and the counts of
        `ngram_statistics`.
        """
        texts = segments.texts
        counts = ngram_statistics(texts, self._bleu_order)
        values = self.reordering_scores(segments)
        offsets = segments.reference_offsets
        reference_counts = np.diff(offsets)
        if self.references == "closest":
            chosen = rows_or_zeros(values, best_matched_reference(values, segments))
        else:
            total = np.bincount(texts.segment_of, weights=values, minlength=len(reference_counts))
            chosen = total / np.maximum(reference_counts, 1)
        pair_words = segments.permutation.lengths + texts.references.lengths
        words = np.bincount(texts.segment_of, weights=pair_words, minlength=len(reference_counts))
        used = (reference_counts > 0) & (words + texts.hypothesis.lengths > 0)
        return np.column_stack([np.where(used, chosen, 0.0), used, counts])

    def reordering_scores(self, segments: Segments) -> Float64:
        """Return the reordering score of each reference with its brevity penalty, float64[R]."""
        texts = segments.texts
        permutation, groups = segments.matched("index")
        values = self._ordering.values(permutation, groups, segments)
        lengths = texts.hypothesis.lengths[texts.segment_of]
        penalty = brevity_penalty(lengths, texts.references.lengths)
        return np.where(permutation.lengths > 0, values * penalty, 0.0)

    def score(self, totals: Float64) -> Float64:
        """Return the interpolation of the mean reordering score and the BLEU of summed counts."""
        mean = quotient(totals[..., 0], totals[..., 1])
        return self._interpolate(mean, _bleu(totals[..., 2:], self._bleu_order))

    def score_segments(self, statistics: Float64) -> Float64:
        """Return the score of each segment with smoothed BLEU: float64[S, k] to float64[S]."""
        return self._interpolate(statistics[:, 0], smoothed_bleu(statistics[:, 2:]))

    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""
        fields = [("reordering", self.reordering), ("lexical", self.lexical)]
        fields += [("alpha", repr(self.alpha)), ("references", self.references)]
        return Signature(self.name, tuple(fields))

    def _interpolate(self, reordering: Float64, lexical: Float64) -> Float64:
        return self.alpha * reordering + (1.0 - self.alpha) * lexical


class _Preset(LRscore):
    """One of the paper's four versions, with fixed orders and BLEU."""

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


def _bleu(counts: Float64, order: int) -> Float64:
    """Return the BLEU of counts [..., 2 * longest + 2]; 0 if no n-gram of some length matches."""
    # Use two dimensions always: numpy may round logarithms and sums of other shapes differently.
    rows = counts.reshape(-1, 2 * order + 2)
    matches, totals = rows[:, :order], rows[:, order : 2 * order]
    precisions = quotient(matches, totals)
    matched = np.all(precisions > 0, axis=1)
    scores = np.zeros(len(rows))
    scores[matched] = np.exp(np.log(precisions[matched]).sum(axis=1) / order)
    return (scores * brevity_penalty(rows[:, -2], rows[:, -1])).reshape(counts.shape[:-1])
