import numpy as np
import pytest
from scipy import stats
from scipy.stats import binomtest
from tests.refusing import refuses

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.statistics.intervals import (
    confidence_intervals,
    interval,
    true_level,
    wilson_interval,
)
from wordorder.statistics.measurement import Measurement, bootstrap_totals


def first_column(totals: Float64) -> Float64:
    return totals[..., 0]


@pytest.mark.parametrize(
    ("size", "confidence", "dropped"),
    [
        (1000, 0.95, 25),  # Koehn (2004): B/40 at each end
        (1000, 0.90, 50),
        (1000, 0.99, 5),
        (999, 0.95, 24),
        (40, 0.95, 1),
        (39, 0.95, 0),
        (1, 0.95, 0),
    ],
)
def test_what_an_interval_drops(size: int, confidence: float, dropped: int) -> None:
    samples = np.random.default_rng(1).permutation(size).astype(np.float64)
    low, high = interval(samples, confidence)
    assert (float(low), float(high)) == (dropped, size - 1 - dropped)


def test_intervals_of_many_rows() -> None:
    samples = np.random.default_rng(2).random((3, 2, 100))
    low, high = interval(samples)
    assert low.shape == high.shape == (3, 2)
    assert (low[1, 0], high[1, 0]) == interval(samples[1, 0])


def test_bad_confidence_no_samples_and_no_shares() -> None:
    for confidence in (0, 1, 95, -0.1, float("nan")):
        refuses(UsageError, "between 0 and 1", interval, [1.0], confidence)
    refuses(UsageError, "at least one sample", interval, [])
    refuses(UsageError, "at least one sample", interval, 1.0)
    refuses(UsageError, "a part lies between 0 and its whole", wilson_interval, [3], [2])
    refuses(UsageError, "confidence", wilson_interval, np.array([1]), np.array([2]), 1.0)


def test_a_95_percent_interval_covers_the_mean_in_95_of_100_corpora() -> None:
    corpora, segments, mean = 3000, 200, 0.3
    random = np.random.default_rng(3)
    statistics = random.beta(3, 7, (segments, corpora))
    low, high = interval(bootstrap_totals(statistics).T / segments)
    covered = np.mean((low <= mean) & (mean <= high))
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize("segments", [1, 2, 3, 5, 12, 30])
def test_how_often_intervals_of_few_segments_hold_the_mean(segments: int) -> None:
    random = np.random.default_rng(segments)
    corpora, resamples = 1500, 400
    values = random.normal(size=(corpora, segments))
    drawn = random.integers(0, segments, (resamples, segments))
    samples = values[:, drawn].mean(axis=2)
    low, high = np.quantile(samples, [0.025, 0.975], axis=1)
    held = np.count_nonzero((low <= 0) & (high >= 0)) / corpora
    # 1,500 corpora tell shares within .03; the tails of so few resamples are a little too short.
    assert abs(held - true_level(segments)) < 0.045


def test_a_ratio_is_covered_too() -> None:
    """Matches over lengths: numerator and denominator vary together."""
    corpora, segments = 2000, 200
    random = np.random.default_rng(4)
    lengths = random.integers(3, 40, (segments, corpora))
    matches = random.binomial(lengths, 0.7)
    totals = bootstrap_totals(np.concatenate([matches, lengths], axis=1))
    low, high = interval((totals[:, :corpora] / totals[:, corpora:]).T)
    assert 0.93 <= np.mean((low <= 0.7) & (high >= 0.7)) <= 0.97


def test_agrees_with_scipy() -> None:
    data = np.random.default_rng(5).exponential(1.0, 60)
    peer = stats.bootstrap(
        (data,), np.mean, n_resamples=20_000, method="percentile", random_state=1
    )
    mean = Measurement([data[:, np.newaxis]], score=lambda totals: totals[..., 0] / 60)
    ((found,),) = confidence_intervals([mean], resamples=20_000)
    # The standard error of a 2.5 % quantile is 2.7 times that of the mean, over sqrt(B).
    tolerance = 4 * np.sqrt(2) * 2.7 * peer.standard_error / np.sqrt(20_000)
    assert found.value == pytest.approx(data.mean(), rel=1e-12)
    assert found.low == pytest.approx(peer.confidence_interval.low, abs=tolerance)
    assert found.high == pytest.approx(peer.confidence_interval.high, abs=tolerance)


def test_estimates_stand_by_measurement_and_system() -> None:
    random = np.random.default_rng(6)
    systems = random.random((3, 50, 1))
    sums = Measurement(systems, score=first_column)
    halves = Measurement(systems[:2], score=lambda totals: totals[..., 0] / 2)
    found = confidence_intervals([sums, halves], confidence=0.9, resamples=200, seed=4)
    assert [len(row) for row in found] == [3, 2]
    for system in range(2):
        whole, half = found[0][system], found[1][system]
        assert (half.value, half.low, half.high) == (whole.value / 2, whole.low / 2, whole.high / 2)
        samples = bootstrap_totals(systems[system], resamples=200, seed=4)[:, 0]
        low, high = map(float, interval(samples, 0.9))
        assert (whole.low, whole.high) == pytest.approx((low, high), rel=1e-9)


@pytest.mark.parametrize("value", [1 / 3, 0.0, -0.1, 1e-320])
@pytest.mark.parametrize("segments", [1, 50])
def test_without_variation_the_interval_is_the_value(value: float, segments: int) -> None:
    constant = Measurement([np.full((segments, 1), value)], score=first_column)
    ((found,),) = confidence_intervals([constant])
    assert found.low == found.value == found.high


def test_no_segments() -> None:
    empty = Measurement([np.zeros((0, 2))], score=lambda totals: totals[..., 0] + 0.5)
    ((found,),) = confidence_intervals([empty])
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


# -- Intervals of shares against scipy.


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
