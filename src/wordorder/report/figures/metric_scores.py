"""MetricScores: what the figures of systems show of one metric."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.metrics.called import called
from wordorder.metrics.contract import BaseMetric, left_out
from wordorder.scoring.systems import Evaluation
from wordorder.signature import labels
from wordorder.statistics.intervals import Estimate
from wordorder.types import Float64


@dataclass(frozen=True, eq=False)
class MetricScores:
    """The values of systems under a metric.

    Attributes
    ----------
    metric : str
        What tables call it.
    higher_is_better : bool
    systems : tuple of str
    estimates : tuple of Estimate
        One a system; the interval is NaN where there is none.
    signatures : tuple of str
        One a system.
    segments : float64[n, S], optional
        The scores of segments; NaN for those that the metric leaves out.
    """

    metric: str
    higher_is_better: bool
    systems: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    signatures: tuple[str, ...]
    segments: Float64 | None = None

    @property
    def axis(self) -> str:
        """What an axis says."""
        name = called(self.metric)
        return name if self.higher_is_better else f"{name} (lower is better)"

    @property
    def values(self) -> Float64:
        """The value of each system, float64[n]."""
        return np.array([each.value for each in self.estimates])

    @property
    def has_intervals(self) -> bool:
        """Whether any value has an interval."""
        return not all(math.isnan(each.low) for each in self.estimates)

    def best_first(self) -> list[int]:
        """Return the numbers of the systems, the best first."""
        values = -self.values if self.higher_is_better else self.values
        return [int(n) for n in np.argsort(values, kind="stable")]


def metric_scores(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    estimates: Sequence[Sequence[Estimate]] | None = None,
    segments: Mapping[tuple[int, int], Float64] | None = None,
) -> Iterator[MetricScores]:
    """Yield what was found under each metric.

    Parameters
    ----------
    evaluation : Evaluation
        With its statistics, if there are `segments`.
    metrics : sequence of BaseMetric
        Those that made it.
    estimates : by metric, then by system, optional
        Values with intervals.
    segments : mapping of (system, metric) to float64[S], optional
        The scores of segments.
    """
    systems = evaluation.systems
    names = labels([score.signature for score in systems[0].scores])
    for m, (name, metric) in enumerate(zip(names, metrics, strict=True)):
        values = [system.scores[m].value for system in systems]
        rows = None
        if segments is not None:
            left = [left_out(system.statistics[m]) for system in systems]
            scores = [segments[s, m] for s in range(len(systems))]
            rows = np.where(np.stack(left), np.nan, np.stack(scores))
        yield MetricScores(
            name,
            metric.higher_is_better,
            tuple(system.name for system in systems),
            tuple(estimates[m]) if estimates is not None else tuple(map(without_interval, values)),
            tuple(str(system.scores[m].signature) for system in systems),
            rows,
        )


def without_interval(value: float) -> Estimate:
    """Return a value whose interval is not known."""
    return Estimate(value, math.nan, math.nan)
