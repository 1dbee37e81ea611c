"""OrderScores: orders of any sentences of a corpus, scored under one metric."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.analysis.corpus import Corpus
from wordorder.metrics.contract import BaseMetric, statistics_in_pieces
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.statistics.measurement import Measurement
from wordorder.treebank.column import Column
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class OrderScores:
    """What a metric says of orders, sentence by sentence and together.

    Attributes
    ----------
    corpus : Corpus
    metric : BaseMetric
        Of orders: one that reads permutations.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.metrics import metric
    >>> from wordorder.treebank.treebank import Treebank
    >>> corpus = Corpus(Treebank.from_words([["a", "b", "c"]]), Orders.from_rows([[2, 0, 1]]))
    >>> scores = OrderScores(corpus, metric("frs"))
    >>> statistics = scores.statistics(Orders.from_rows([[0, 1, 2], [2, 0, 1]]), np.array([0, 0]))
    >>> scores.of_sentences(statistics).tolist(), scores.value(statistics[:1])
    ([0.5, 1.0], 0.5)
    """

    corpus: Corpus
    metric: BaseMetric

    def statistics(self, orders: Orders, sentences: Int64 | None = None) -> Float64:
        """Return the metric's statistics of each order, float64[T, k].

        Parameters
        ----------
        orders : Orders
            T rows.
        sentences : int64[T], optional
            The sentence that each order is of, in any order, also repeatedly; without it, all.
        """
        reference, forms = self.corpus.reference, self.corpus.words.form
        offsets = self.corpus.words.offsets
        # Only a metric that matches words by themselves asks which are equal.
        named = self.metric.match == "first-unmatched"
        source = Ragged(Column.concatenate([forms]).codes, offsets) if named else None
        if sentences is not None:
            reference = reference.take(sentences)
            source = None if source is None else source.take(sentences)
        segments = Segments.from_orders(orders, reference, source=source)
        return statistics_in_pieces(self.metric, segments)

    def of_sentences(self, statistics: Float64) -> Float64:
        """Return the score of each row of statistics, float64[T], larger being better."""
        scores = self.metric.score_segments(statistics)
        return scores if self.metric.higher_is_better else -scores

    def value(self, statistics: Float64) -> float:
        """Return the metric's value of all rows of statistics together, from exact sums."""
        return float(Measurement([statistics], self.metric.score).values()[0])
