"""RIBES: rank correlation of the words whose place in the reference their context tells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.kernels import ribes
from wordorder.kernels._run import announce, is_long, run_rows
from wordorder.metrics.options import real
from wordorder.metrics.text.text_metric import TextMetric, best_reference
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int32, Int64


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

    def __init__(
        self,
        *,
        alpha: float = 0.25,
        beta: float = 0.1,
        rank: str = "kendall",
        compat: str = "official",
    ) -> None:
        self.alpha = real("ribes.alpha", alpha, 0)
        self.beta = real("ribes.beta", beta, 0)
        self.rank = choose("ribes.rank", rank, ("kendall", "spearman"))
        self.compat = choose("ribes.compat", compat, ("official", "nltk"))
        if compat == "nltk" and rank != "kendall":
            raise UsageError("ribes.compat=nltk has no rank=spearman: NLTK correlates by kendall")

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2]: the score against the best reference, and 1."""
        texts = segments.texts
        scores = self._reference_scores(texts)
        chosen = best_reference(-scores, texts.reference_offsets)
        used = chosen >= 0
        statistics = np.zeros((len(texts), 2))
        statistics[used, 0] = scores[chosen[used]]
        # NLTK counts a segment without references as a score of 0.
        statistics[:, 1] = 1 if self.compat == "nltk" else used
        return statistics

    def score(self, totals: Float64) -> Float64:
        """Return the mean of the segments, 0 without any."""
        quotient = np.zeros(totals.shape[:-1])
        return np.divide(totals[..., 0], totals[..., 1], out=quotient, where=totals[..., 1] > 0)

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        return Signature(
            self.name,
            (
                ("alpha", repr(self.alpha)),
                ("beta", repr(self.beta)),
                ("rank", self.rank),
                ("compat", self.compat),
                ("average", "segment"),
            ),
        )

    def _reference_scores(self, texts: Texts) -> Float64:
        """Return the score against each reference, float64[R]."""
        orders = word_orders(texts, compat=self.compat)
        lengths = texts.hypothesis.lengths[texts.segment_of].astype(np.float64)
        references = texts.references.lengths
        matched = orders.matched
        several = matched > 1
        correlation = np.zeros(len(matched))
        measure = _kendall if self.rank == "kendall" else _spearman
        correlation[several] = measure(orders, references)[several]
        if self.compat == "official":
            # A reference of one word cannot be in the wrong order.
            correlation[(matched == 1) & (references == 1)] = 1.0
        filled = np.maximum(lengths, 1)
        precision = matched / filled
        brevity = np.minimum(1.0, np.exp(1.0 - references / filled))
        scores = correlation * precision**self.alpha * brevity**self.beta
        return np.where(lengths > 0, scores, 0.0)


class WordOrders(NamedTuple):
    """Rows of places in the references, each within a room as long as its hypothesis.

    Attributes
    ----------
    ranks : int32[N]
        Row ``r`` is ``ranks[starts[r] : starts[r] + matched[r]]``; what follows has no meaning.
    starts : int64[R+1]
    matched : int64[R]
    """

    ranks: Int32
    starts: Int64
    matched: Int64

    def to_lists(self) -> list[list[int]]:
        """Return the rows as plain lists."""
        spans = zip(self.starts.tolist(), self.matched.tolist(), strict=False)
        return [self.ranks[start : start + count].tolist() for start, count in spans]


def word_orders(texts: Texts, compat: str = "official") -> WordOrders:
    """Return for each reference the places of the hypothesis words in it.

    A word that occurs once in both sentences has the place of its twin. Another word is told by
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
    starts = np.zeros(rows + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    ranks = np.zeros(int(starts[-1]), np.int32)
    matched = np.empty(rows, np.int64)
    longest = max(
        int(local.distinct.max(initial=0)),
        int(lengths.max(initial=0)),
        int(texts.references.lengths.max(initial=0)),
    )
    run_rows(
        ribes.worder,
        starts,
        local.hypothesis.values,
        local.hypothesis.offsets,
        local.references.values,
        local.references.offsets,
        texts.segment_of,
        local.distinct,
        int(compat == "nltk"),
        starts,
        ranks,
        matched,
        scratch=lambda _: (np.empty(13 * longest, np.int32),),
    )
    return WordOrders(ranks, starts, matched)


def _steps(texts: Texts) -> float:
    """Return how often the kernel compares contexts of equal words, at most, in any row."""
    local = texts.local()
    lengths = texts.hypothesis.lengths[texts.segment_of].astype(np.float64)
    most = 2 * lengths * (texts.references.lengths + lengths / 2)
    steps = 0.0
    for row in np.flatnonzero(is_long(most)).tolist():
        segment = texts.segment_of[row]
        numbers = int(local.distinct[segment])
        ours = np.bincount(local.hypothesis[segment], minlength=numbers).astype(np.float64)
        theirs = np.bincount(local.references[row], minlength=numbers)
        # From the left and from the right.
        steps = max(steps, 2 * float(ours @ (theirs + ours / 2)))
    return steps


def _kendall(orders: WordOrders, lengths: Int64) -> Float64:
    """Return the share of ascending pairs of each row; of a row without pairs, anything."""
    ascending = np.empty(len(orders.matched), np.int64)
    run_rows(
        ribes.ascending_pairs,
        orders.starts,
        *orders,
        lengths,
        ascending,
        scratch=lambda _: (np.empty(int(lengths.max()) + 1, np.int32),),
    )
    pairs = np.maximum(orders.matched * (orders.matched - 1) // 2, 1)
    share: Float64 = ascending / pairs
    return share


def _spearman(orders: WordOrders, lengths: Int64) -> Float64:
    """Return (rho + 1) / 2 of each row; of a row without pairs, anything."""
    covariance = np.empty(len(orders.matched), np.int64)
    spread = np.empty(len(orders.matched), np.int64)
    run_rows(
        ribes.rank_moments,
        orders.starts,
        *orders,
        lengths,
        covariance,
        spread,
        scratch=lambda _: (np.empty(int(lengths.max()) + 1, np.int32),),
    )
    count = orders.matched.astype(np.float64)
    places = (count - 1) * count * (count + 1) / 3
    whole = np.sqrt(places * spread)
    rho: Float64 = np.divide(covariance, whole, out=np.zeros(len(count)), where=whole > 0)
    return (rho + 1) / 2
