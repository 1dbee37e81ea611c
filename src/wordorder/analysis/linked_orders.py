"""Orders against the links of the same sentences, batch by batch, beside the source order."""

import math

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Ragged, concat_ranges
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.order.reference import reference_orders
from wordorder.segments import Segments

# The bound of a two-sided test at 95 %.
Z = 1.959964


class LinkedOrders:
    """Whether orders bring sentences nearer to their translations, by the words that have links.

    Call it with the links and orders of each batch. It keeps sums alone, so memory does not grow.

    Attributes
    ----------
    sentences : int
        Those with two linked words or more, which can be out of order.

    Notes
    -----
    The score is FRS against the reference orders of Talbot et al. (2011). Words without a link
    do not count: where English leaves them says nothing about the target. The test is a paired
    z-test of the differences by sentence, 95 %.

    Examples
    --------
    The translation has the order of the source; the system has another one.

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
        """Add a batch: links whose source is the sentences, and orders of all their words."""
        lengths = orders.lengths
        reference = reference_orders(links, lengths, unaligned="drop")
        rows = np.flatnonzero(reference.lengths > 1)
        if not len(rows):
            return
        unmoved = Orders(
            Ragged(concat_ranges(0, lengths).astype(np.int32), orders.positions.offsets)
        )
        frs = metric("frs")
        scores = [
            frs.score_segments(frs.statistics(Segments.from_orders(each, reference)))[rows]
            for each in (orders, unmoved)
        ]
        self.sentences += len(rows)
        self._order += float(scores[0].sum())
        self._source += float(scores[1].sum())
        self._squares += float(np.square(scores[0] - scores[1]).sum())

    def warning(self, rules: str) -> str | None:
        """Say with figures that the order is worse than that of the source; None if it is not."""
        n = self.sentences
        if n < 2:
            return None
        loss = (self._source - self._order) / n
        variance = max(self._squares / n - loss * loss, 0.0) * n / (n - 1)
        if loss <= Z * math.sqrt(variance / n):
            return None
        return (
            f"by its links, the order of {rules} is worse than the source as it stands: FRS "
            f"{self._order / n:.4f}, the source {self._source / n:.4f} ({n:,} sentences); "
            "these rules may be for another target language"
        )
