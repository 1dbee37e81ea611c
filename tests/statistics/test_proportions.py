"""Intervals of shares against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from wordorder.errors import UsageError
from wordorder.statistics.intervals import wilson_interval


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_score_intervals_are_those_of_scipy(confidence: float) -> None:
    cases = [(0, 1), (1, 1), (0, 50), (50, 50), (7, 10), (1, 3000), (1499, 3000)]
    low, high = wilson_interval([c for c, _ in cases], [n for _, n in cases], confidence)
    for at, (part, whole) in enumerate(cases):
        expected = binomtest(part, whole).proportion_ci(confidence, method="wilson")
        assert low[at] == pytest.approx(expected.low, abs=1e-12)
        assert high[at] == pytest.approx(expected.high, abs=1e-12)
        assert low[at] <= part / whole <= high[at]


def test_no_cases_say_nothing() -> None:
    assert [float(each) for each in wilson_interval(0, 0)] == [0.0, 1.0]


def test_what_is_no_share() -> None:
    with pytest.raises(UsageError, match="a part lies between 0 and its whole"):
        wilson_interval([3], [2])
    with pytest.raises(UsageError, match="confidence"):
        wilson_interval(np.array([1]), np.array([2]), 1.0)
