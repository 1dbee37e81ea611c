"""Metrics of words and their order together: RIBES and LRscore."""

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
_LONGEST = {"bleu1": 1, "bleu4": 4}


@dataclass(kw_only=True, eq=False, repr=False)
class Ribes(TextMetric):
    """Rank correlation between the orders of hypothesis and reference, over the words they share.

    ``correlation * P ** alpha * BP ** beta``: the words of the hypothesis whose place in the
    reference is certain give a row of places (`word_orders`); Kendall's tau or Spearman's rho of
    this row, from 0 to 1, is multiplied by powers of the share ``P`` of these words in the
    hypothesis and of BLEU's brevity penalty ``BP`` (Isozaki, Hirao, Duh, Sudoh and Tsukada 2010).
    The defaults are those of the official script RIBES 1.03.1.

    The best reference counts; the corpus score is the mean of the segments. A segment without
    references is left out. An empty sentence on either side scores 0.

    Parameters
    ----------
    alpha : float, default 0.25
        The power of the precision, at least 0.
    beta : float, default 0.1
        The power of the brevity penalty, at least 0.
    rank : "kendall" or "spearman"
        The correlation. Equal places share the mean of their ranks in Spearman's.
    compat : "official" or "nltk"
        "official": as RIBES 1.03.1. "nltk": as NLTK since 3.10.

    Raises
    ------
    UsageError
        If a value is unknown or negative, or ``compat="nltk"`` is asked for Spearman's rho.

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
        """Return float64[S, 2]: the score against the best reference, and 1; 0, 0 if left out."""
        texts = segments.texts
        scores = self._reference_scores(texts)
        chosen = best_reference(-scores, texts.reference_offsets)
        # NLTK counts a segment without references as a score of 0.
        used = (chosen >= 0) | (self.compat == "nltk")
        return np.column_stack([rows_or_zeros(scores, chosen), used])

    def score(self, totals: Float64) -> Float64:
        """Return the mean of the segments, 0 without any."""
        return quotient(totals[..., 0], totals[..., 1])

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        fields = [("alpha", repr(self.alpha)), ("beta", repr(self.beta)), ("rank", self.rank)]
        fields += [("compat", self.compat), ("average", "segment")]
        return Signature(self.name, tuple(fields))

    def _reference_scores(self, texts: Texts) -> Float64:
        """Return the score against each reference, float64[R]."""
        orders = word_orders(texts, compat=self.compat)
        lengths = texts.hypothesis.lengths[texts.segment_of].astype(np.float64)
        references = texts.references.lengths
        matched = orders.lengths
        several = matched > 1
        correlation = np.zeros(len(matched))
        tau = _kendall(orders) if self.rank == "kendall" else _spearman(orders, references)
        correlation[several] = tau[several]
        if self.compat == "official":
            # A reference of one word cannot be in the wrong order.
            correlation[(matched == 1) & (references == 1)] = 1.0
        filled = np.maximum(lengths, 1)
        precision = matched / filled
        brevity = np.minimum(1.0, np.exp(1.0 - references / filled))
        scores = correlation * precision**self.alpha * brevity**self.beta
        return np.where(lengths > 0, scores, 0.0)


def word_orders(texts: Texts, compat: str = "official") -> Ragged:
    """Return for each reference the places of the hypothesis words in it.

    A word that occurs once in both sentences has the position of its twin. Another word is found by
    its context: the shortest run of words that ends or begins with it and occurs once in both
    sentences; of two equally short ones that on the left. A word without such a context is left
    out. Two words can have the same place.

    Parameters
    ----------
    texts : Texts
    compat : "official" or "nltk"
        "nltk": of two equally short contexts that on the right, and no left context of the whole
        beginning for words in the second half.

    Examples
    --------
    >>> hypothesis = "he was late because he was caught in the rain"
    >>> reference = "he was caught in the rain because he was late"
    >>> word_orders(Texts.from_segments([hypothesis], [reference])).to_lists()
    [[7, 8, 9, 6, 7, 1, 2, 3, 4, 5]]
    """
    local = texts.local()
    rows = len(texts.references)
    lengths = texts.hypothesis.lengths[texts.segment_of]
    announce("ribes", _steps(texts))
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


def _steps(texts: Texts) -> float:
    """Return how often the kernel compares contexts of equal words, at most, in any row."""
    local = texts.local()
    lengths = texts.hypothesis.lengths[texts.segment_of].astype(np.float64)
    max_steps = 2 * lengths * (texts.references.lengths + lengths / 2)
    steps = 0.0
    for row in np.flatnonzero(is_long(max_steps)).tolist():
        segment = texts.segment_of[row]
        numbers = int(local.distinct[segment])
        hypothesis_counts = np.bincount(local.hypothesis[segment], minlength=numbers).astype(
            np.float64
        )
        reference_counts = np.bincount(local.references[row], minlength=numbers)
        # From the left and from the right.
        steps = max(
            steps, 2 * float(hypothesis_counts @ (reference_counts + hypothesis_counts / 2))
        )
    return steps


def _kendall(orders: Ragged) -> Float64:
    """Return the share of ascending pairs of each row; of a row without pairs, anything."""
    # Equal ranks ascend as little as they fall.
    falling = Ragged(-orders.values, orders.offsets)
    ascending = count_per_row(kernel.inversions, falling, 2)
    share: Float64 = ascending / np.maximum(orders.lengths * (orders.lengths - 1) // 2, 1)
    return share


def _spearman(orders: Ragged, lengths: Int64) -> Float64:
    """Return (rho + 1) / 2 of each row; of a row without pairs, anything."""
    covariance, squares = np.empty((2, len(orders)), np.int64)
    arrays, room = (lengths, covariance, squares), int(lengths.max(initial=0)) + 1
    run_rows(
        *(matching_kernel.rank_moments, orders.offsets, orders.values, orders.offsets, *arrays),
        scratch=lambda _: (np.empty(room, np.int32),),
    )
    count = orders.lengths.astype(np.float64)
    places = (count - 1) * count * (count + 1) / 3
    scale = np.sqrt(places * squares)
    return (quotient(covariance, scale) + 1) / 2


@dataclass(kw_only=True, eq=False, repr=False)
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
    columns = ("permutation", "text")
    reordering: str = choice(*_ORDERINGS, default="kendall")
    lexical: str = choice(*_LONGEST, default="bleu4")
    alpha: float = checked(0.5, check_number, 0, 1)
    references: str = choice("closest", "average")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._ordering = _ORDERINGS[self.reordering]()
        self._longest = _LONGEST[self.lexical]

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
            chosen = rows_or_zeros(values, best_matched_reference(values, segments))
        else:
            total = np.bincount(texts.segment_of, weights=values, minlength=len(number))
            chosen = total / np.maximum(number, 1)
        both = segments.permutation.lengths + texts.references.lengths
        words = np.bincount(texts.segment_of, weights=both, minlength=len(number))
        used = (number > 0) & (words + texts.hypothesis.lengths > 0)
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
        """Return the mean reordering score and the BLEU of summed counts, interpolated."""
        mean = quotient(totals[..., 0], totals[..., 1])
        return self._interpolated(mean, _bleu(totals[..., 2:], self._longest))

    def score_segments(self, statistics: Float64) -> Float64:
        """Return the score of each segment from its statistics, BLEU being smoothed."""
        return self._interpolated(statistics[:, 0], smoothed_bleu(statistics[:, 2:]))

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        fields = [("reordering", self.reordering), ("lexical", self.lexical)]
        fields += [("alpha", repr(self.alpha)), ("references", self.references)]
        return Signature(self.name, tuple(fields))

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
    precisions = quotient(matches, totals)
    matched = np.all(precisions > 0, axis=1)
    scores = np.zeros(len(rows))
    scores[matched] = np.exp(np.log(precisions[matched]).sum(axis=1) / longest)
    return (scores * brevity_penalty(rows[:, -2], rows[:, -1])).reshape(counts.shape[:-1])
