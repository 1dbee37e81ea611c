"""Scores that grow: for corpora in pieces and for training loops."""

from __future__ import annotations

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics.contract import Metric, Score, completed, left_out, statistics_in_pieces
from wordorder.segments import Segments
from wordorder.segments.columns import Provenance
from wordorder.segments.given_orders import Rows
from wordorder.segments.joining import one_provenance
from wordorder.statistics.exact_sum import ExactSum
from wordorder.types import Float64


class Accumulator:
    """Adds up a metric's statistics, piece by piece.

    Parameters
    ----------
    metric : Metric

    Notes
    -----
    Sums are exact: any cutting of a corpus into pieces, in any order, gives the same score to the
    last digit. Memory does not grow.

    Examples
    --------
    >>> from wordorder.metrics import metric
    >>> running = Accumulator(metric("frs"))
    >>> _ = running.update([[1, 0, 2]], [[0, 1, 2]])
    >>> _ = running.update([[0, 1, 2]], [[0, 1, 2]])
    >>> running.compute().value
    0.5
    >>> running.reset()
    >>> running.compute().segments
    0
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = completed(metric)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._sum: ExactSum | None = None
        self._segments = 0
        self._skipped = 0
        self._provenance: Provenance | None = None

    def update(self, system: Segments | Rows, reference: Rows | None = None) -> Float64:
        """Add segments, relative permutations, or the orders of a system and of a reference.

        Returns
        -------
        float64[S, k]
            The statistics that were added.

        Raises
        ------
        UsageError
            If the references came about in another way than earlier ones: no signature could say
            how.
        InputError
            If the orders are wrong, as in `Segments`.
        """
        if isinstance(system, Segments):
            if reference is not None:
                raise UsageError("segments have their references already")
            segments = system
        elif reference is None:
            segments = Segments.from_permutations(system)  # type: ignore[arg-type]
        else:
            segments = Segments.from_orders(system, reference)
        statistics = statistics_in_pieces(self.metric, segments)
        self.add(segments, statistics)
        return statistics

    def add(self, segments: Segments, statistics: Float64) -> None:
        """Add segments whose statistics under the metric are known already."""
        if len(segments):
            known = [] if self._provenance is None else [self._provenance]
            described = segments.described(self.metric.columns)
            self._provenance = one_provenance([*known, described])
        if self._sum is None:
            self._sum = ExactSum(statistics.shape[1])
        self._sum.add(statistics)
        self._segments += len(segments)
        self._skipped += int(np.count_nonzero(left_out(statistics)))

    def compute(self) -> Score:
        """Return the score of everything added since the start or the last `reset`."""
        if self._sum is None:
            totals = np.zeros(self.metric.statistics(Segments.empty()).shape[1])
        else:
            totals = self._sum.totals()
        value = float(self.metric.score(totals))
        signature = self.metric.signature().with_fields(*(self._provenance or ()))
        return Score(value, signature, self._segments, self._skipped)
