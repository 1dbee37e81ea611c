"""Test of whether orders are worse than the source order, measured by links of the sentences."""

import math

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Ragged, concat_ranges
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.order.reference import reference_orders
from wordorder.segments import Segments

# Critical value of a two-sided z-test at 95 %.
Z_95 = 1.959964


class LinkedOrders:
    """Tests whether orders are further from the translations than the source order is.

    Call it with the links and orders of each batch. It keeps only sums, so memory does not grow.

    Attributes
    ----------
    sentences : int
        The number of sentences with at least two linked words.

    Notes
    -----
    The score is FRS against the reference orders of Talbot et al. (2011). Words without a link are
    left out, because their position is not evidence about the target. The test is a paired z-test
    of the score differences of sentences, two-sided at 95 %.

    Examples
    --------
    The translation has the order of the source; the system has a different one.

    >>> judge = LinkedOrders()
    >>> links = Alignments.from_rows([[(0, 0), (1, 1), (2, 2)]] * 3, source_lengths=[3] * 3)
    >>> judge(links, Orders.from_rows([[1, 2, 0], [2, 1, 0], [1, 2, 0]]))
    >>> print(judge.warning("R5"))
    by its links, the order of R5 is worse than the source as it stands: FRS 0.3333, the source \
1.0000 (3 sentences); these rules may be for another target language
    """

    def __init__(self) -> None:
        self.sentences = 0
        self._order = self._source = self._squares = 0.0

    def __call__(self, links: Alignments, orders: Orders) -> None:
        """Add a batch of sentences: their links, and the orders of all their words."""
        lengths = orders.lengths
        reference = reference_orders(links, lengths, unaligned="drop")
        rows = np.flatnonzero(reference.lengths > 1)
        if not len(rows):
            return
        source_order = Orders(
            Ragged(concat_ranges(0, lengths).astype(np.int32), orders.positions.offsets)
        )
        frs = metric("frs")
        scores = [
            frs.score_segments(frs.statistics(Segments.from_orders(candidate, reference)))[rows]
            for candidate in (orders, source_order)
        ]
        self.sentences += len(rows)
        self._order += float(scores[0].sum())
        self._source += float(scores[1].sum())
        self._squares += float(np.square(scores[0] - scores[1]).sum())

    def warning(self, rules: str) -> str | None:
        """Return a warning if the orders are significantly worse than the source, else None."""
        n = self.sentences
        if n < 2:
            return None
        loss = (self._source - self._order) / n
        variance = max(self._squares / n - loss * loss, 0.0) * n / (n - 1)
        if loss <= Z_95 * math.sqrt(variance / n):
            return None
        return (
            f"by its links, the order of {rules} is worse than the source as it stands: FRS "
            f"{self._order / n:.4f}, the source {self._source / n:.4f} ({n:,} sentences); "
            "these rules may be for another target language"
        )
