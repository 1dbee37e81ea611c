from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests import oracles_correlation_tests as oracle, oracles_statistics
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.statistics.correlation_bootstrap import (
    bootstrap_coefficients,
    bootstrap_p_values,
    bootstrap_test,
    compared_samples,
)
from wordorder.statistics.measurement import Measurement, resample_keys


def tables(seed: int, systems: int = 5, segments: int = 8) -> list[Float64]:
    """Two metrics and people, with gaps and equal scores."""
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 4, (systems, segments)).astype(np.float64)
    first = np.round(human + rng.normal(size=human.shape), 1)
    second = np.round(human + rng.normal(size=human.shape) * 2)
    for table in (first, second, human):
        table[rng.integers(0, systems, 3), rng.integers(0, segments, 3)] = np.nan
    return [first, second, human]


def choices(over: str, shape: Sequence[int], resamples: int, seed: int) -> list[list[Int64]]:
    """Which systems and segments each resample takes, from the oracle's draws."""
    keys = [int(key) % 2**64 for key in resample_keys(2 * resamples, seed).tolist()]
    chosen = []
    for resample in range(resamples):
        both = []
        drawn_by = (keys[resamples + resample], keys[resample])
        for key, number, name in zip(drawn_by, shape, ("systems", "segments"), strict=True):
            every = np.arange(number)
            often = oracles_statistics.draw_counts(key, number)[0]
            both.append(np.repeat(every, often) if over in (name, "both") else every)
        chosen.append(both)
    return chosen


@pytest.mark.parametrize("over", ["both", "segments", "systems"])
@pytest.mark.parametrize("by", ["none", "item", "system"])
@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall-b", "accuracy", "acc-eq"])
def test_segments_equal_the_oracle(statistic: str, by: str, over: str) -> None:
    first, second, human = tables(1)
    values, samples = bootstrap_coefficients(
        [first, second], human, statistic=statistic, by=by, over=over, resamples=5, seed=9
    )
    for number, metric in enumerate((first, second)):
        wanted = [oracle.coefficient(statistic, metric, human, by)]
        for rows, columns in choices(over, human.shape, 5, 9):
            inside = np.ix_(rows, columns)
            names = np.arange(metric.size * 1.0).reshape(metric.shape)[inside]
            wanted.append(oracle.coefficient(statistic, metric[inside], human[inside], by, names))
        assert [values[number], *samples[number]] == pytest.approx(wanted, abs=1e-9, nan_ok=True)


def test_wmts_own_tau_pools_the_pairs_of_resampled_segments() -> None:
    metric, _, human = tables(3)
    fast = bootstrap_coefficients(
        [metric], human, statistic="kendall-14", by="item", over="segments", resamples=9
    )[1]

    def pooled(table: Float64, people: Float64) -> float:
        right = wrong = ties = 0
        for m, h in oracle.groups_of(table, people, "item"):
            for i in range(len(m)):
                for j in range(i):
                    if h[i] != h[j]:
                        sign = np.sign(m[i] - m[j]) * np.sign(h[i] - h[j])
                        right, wrong, ties = (
                            right + (sign > 0),
                            wrong + (sign < 0),
                            ties + (not sign),
                        )
        return float((right - wrong) / (right + wrong + ties))

    slow = bootstrap_coefficients([metric], human, statistic=pooled, over="segments", resamples=9)[
        1
    ]
    assert fast == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize("over", ["both", "segments", "systems"])
@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall-b", "accuracy", "acc-eq"])
def test_means_of_systems_equal_the_oracle(statistic: str, over: str) -> None:
    metric, _, human = tables(2, segments=20)
    judged = np.nanmean(human, axis=1)
    for people in (human, judged):
        values, samples = bootstrap_coefficients(
            [metric], people, statistic=statistic, unit="system", over=over, resamples=9, seed=2
        )
        every = np.arange(len(metric))
        wanted = [of_systems(statistic, np.nanmean(metric, axis=1), judged, every)]
        for rows, columns in choices(over, metric.shape, 9, 2):
            scores = np.nanmean(metric[:, columns], axis=1)[rows]
            by_people = judged if people.ndim == 1 else np.nanmean(human[:, columns], axis=1)
            wanted.append(of_systems(statistic, scores, by_people[rows], rows))
        assert [*values, *samples[0]] == pytest.approx(wanted, abs=1e-9, nan_ok=True)


def of_systems(statistic: str, scores: Float64, judged: Float64, names: Int64) -> float:
    if statistic == "acc-eq":
        return oracle.acc_eq([(scores, judged)], [names.astype(np.float64)])
    return oracle.of_vectors(statistic, scores, judged, names.astype(np.float64))


def ratio(totals: Float64) -> Float64:
    return totals[..., 0] / totals[..., 1]


def test_corpus_scores_come_from_resampled_sums() -> None:
    """A ratio of sums is no mean of ratios; and a metric of errors is turned."""
    rng = np.random.default_rng(5)
    statistics = rng.integers(1, 9, (6, 12, 2)).astype(np.float64)
    judged = rng.normal(size=6)
    for higher in (True, False):
        measured = Measurement(statistics, ratio, higher)
        values, samples = bootstrap_coefficients(
            [measured], judged, unit="system", over="both", resamples=7, seed=4
        )
        sign = 1 if higher else -1
        for found, (rows, columns) in zip(samples[0], choices("both", (6, 12), 7, 4), strict=True):
            scores = ratio(statistics[:, columns].sum(axis=1))[rows]
            assert found == pytest.approx(
                sign * oracle.of_vectors("pearson", scores, judged[rows]), abs=1e-9
            )
        whole = ratio(statistics.sum(axis=1))
        assert values[0] == pytest.approx(sign * oracle.of_vectors("pearson", whole, judged))


def test_the_test_reads_its_samples() -> None:
    samples = np.array([[0.5, 0.6, 0.7, np.nan], [0.4, 0.7, 0.7, 0.1]])
    test = compared_samples(np.array([0.6, 0.5]), samples, level=0.5)
    # Of .1, -.1 and 0 two are not above 0, and the undefined one counts too.
    assert (test.p_value, test.p_value_of_b, test.undefined) == (4 / 5, 4 / 5, 1)
    assert (test.low, test.high) == pytest.approx((-0.1, 0.1))
    undefined = compared_samples(np.array([np.nan, 0.5]), np.full((2, 3), np.nan))
    assert np.isnan([undefined.p_value, undefined.low, undefined.high]).all()


def test_p_values_of_all_pairs_are_those_of_two() -> None:
    first, second, human = tables(4)
    second[np.isnan(first)] = np.nan
    first[np.isnan(second)] = np.nan
    values, samples = bootstrap_coefficients([first, second], human, resamples=50)
    p_values = bootstrap_p_values(values, samples)
    test = bootstrap_test(first, second, human, resamples=50)
    assert (p_values[0, 1], p_values[1, 0]) == (test.p_value, test.p_value_of_b)
    assert (test.value_a, test.value_b) == tuple(values)
    assert np.isnan(p_values.diagonal()).all()
    assert p_values[0, 1] > 0


def test_outputs_that_one_metric_lacks_are_left_out_for_both() -> None:
    first, second, human = tables(6)
    both = np.isnan(first) | np.isnan(second)
    test = bootstrap_test(first, second, human, resamples=3)
    wanted = oracle.coefficient("pearson", np.where(both, np.nan, first), human, "none")
    assert test.value_a == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("over", ["segments", "both"])
@pytest.mark.parametrize("unit", ["segment", "system"])
def test_same_bytes_for_any_number_of_threads(
    unit: Any, over: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_run, "SMALLEST_CHUNK", 64)
    first, second, human = tables(7, segments=40)

    def work() -> bytes:
        both = [first, second]
        found = bootstrap_coefficients(both, human, unit=unit, over=over, by="item", resamples=40)
        return found[1].tobytes()

    one, two, five = with_threads(work, 1, 2, 5)
    assert one == two == five


def test_intervals_cover() -> None:
    """The difference of two equally good metrics is 0: a 90 % interval leaves it out seldom."""
    rng = np.random.default_rng(8)
    left_out = []
    for trial in range(200):
        human = rng.normal(size=(8, 60))
        first, second = (human + rng.normal(size=human.shape) for _ in range(2))
        test = bootstrap_test(
            first, second, human, by="item", over="segments", level=0.9, resamples=199, seed=trial
        )
        left_out.append(not test.low <= 0 <= test.high)
    # Binomial: sd .021.
    assert np.mean(left_out) == pytest.approx(0.1, abs=0.07)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"over": "segment"}, "did you mean 'segments'"),
        ({"unit": "x"}, "legal names: segment, system"),
        ({"by": "x"}, "legal names: item, none, system"),
        ({"statistic": "acc"}, "unknown statistic"),
        ({"resamples": 0}, "at least 1"),
    ],
)
def test_options(options: dict[str, object], message: str) -> None:
    first, second, human = tables(1)
    refuses(UsageError, message, bootstrap_test, first, second, human, **options)


def test_shapes() -> None:
    first, second, human = tables(1)
    measured = Measurement(np.ones((5, 3, 1)), lambda totals: totals[..., 0])
    refuses(UsageError, "compare systems", bootstrap_coefficients, [measured], human)
    refuses(UsageError, "not a Measurement", bootstrap_coefficients, [first], measured)
    refuses(UsageError, "of shape", bootstrap_test, first, second[:, :4], human)
    refuses(UsageError, r"of shape \(5, 4\)", bootstrap_coefficients, [first[:, :4]], human)
    with pytest.raises(UsageError, match="4 systems, people's scores 5"):
        bootstrap_coefficients([first[:4]], human, unit="system")
    refuses(UsageError, "infinite", bootstrap_coefficients, [np.full(human.shape, np.inf)], human)
    many = np.zeros((2, 1100))
    with pytest.raises(UsageError, match=r"these are 2,418,900; .* \(by='item'\)"):
        bootstrap_coefficients([many], many, statistic="acc-eq")
    for unit in ("segment", "system"):
        nothing = np.empty((0, 0))
        empty = bootstrap_test(nothing, nothing, nothing, unit=unit, resamples=3)
        assert np.isnan(empty.p_value)
