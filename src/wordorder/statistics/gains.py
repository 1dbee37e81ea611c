"""How many points one system is better than another, under each of several metrics."""

from collections.abc import Iterable
from dataclasses import dataclass

from wordorder.statistics.paired_tests import Comparison, PairTest

# Marks of differences that are significant at 95 %.
_SIGNIFICANT = ("+**", "-**")


@dataclass(frozen=True)
class Gain:
    """The difference of two systems under a metric, in points of .01; positive is better.

    Attributes
    ----------
    metric : str
    value, low, high : float
        The difference and its 95 % interval. The sign is reversed where lower values are better.
    is_reversed : bool
    pair : PairTest
        The test, with the difference as the metric has it.
    """

    metric: str
    value: float
    low: float
    high: float
    is_reversed: bool
    pair: PairTest

    @property
    def is_significant(self) -> bool:
        """Whether the difference is significant at 95 %."""
        return self.pair.mark in _SIGNIFICANT


def gains(metrics: Iterable[tuple[str, Comparison]], best: int, other: int) -> list[Gain]:
    """Return how much one system is better than another, one entry per metric.

    Parameters
    ----------
    metrics : iterable of (name, Comparison)
    best, other : int
        Indices of the systems.

    Returns
    -------
    list of Gain
        Metrics whose tests have no intervals are left out.

    Examples
    --------
    >>> pair = PairTest(0, 1, -0.02, None, (-0.03, -0.01), 0.002, "+**")
    >>> tested = Comparison("bootstrap", 1000, 1, False, (0.5, 0.48), (pair,))
    >>> [(gain.value, gain.low, gain.high) for gain in gains([("cder", tested)], 1, 0)]
    [(2.0, 1.0, 3.0)]
    """
    listed_gains = []
    for metric, comparison in metrics:
        pair = comparison.pair(other, best)
        if pair.interval_95 is None:
            continue
        sign = 100 if comparison.higher_is_better else -100
        low, high = sorted(sign * bound for bound in pair.interval_95)
        value = sign * pair.difference
        listed_gains.append(Gain(metric, value, low, high, not comparison.higher_is_better, pair))
    return listed_gains
