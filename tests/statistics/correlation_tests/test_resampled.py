"""Tests of two metrics by permuted and by resampled scores, against slow twins."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests import oracles_correlation_tests as oracle, oracles_statistics
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.statistics import swapped_correlations
from wordorder.statistics.correlation_bootstrap import (
    bootstrap_coefficients,
    bootstrap_p_values,
    bootstrap_test,
    compare_samples,
)
from wordorder.statistics.correlation_permutation import (
    perm_both,
    perm_inputs,
    perm_systems,
    permutation_p_values,
    permutation_test,
)
from wordorder.statistics.measurement import Measurement, resample_keys

Tables = tuple[Float64, Float64, Float64]
STATISTICS = ("pearson", "spearman", "kendall-b", "accuracy", "acc-eq")


def tables(
    seed: int, systems: int = 4, segments: int = 7, *, gaps: bool = True, steps: bool = True
) -> Tables:
    """Two metrics and people, with equal scores and with gaps at different segments."""
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 4, (systems, segments)).astype(np.float64)
    first = human + rng.normal(size=human.shape)
    second = human + rng.normal(size=human.shape) * 2
    if steps:
        first, second = np.round(first), np.round(second * 2) / 2
    if gaps:
        for table in (first, second, human):
            table[rng.integers(0, systems, 3), rng.integers(0, segments, 3)] = np.nan
    return first, second, human


@pytest.mark.parametrize("by", ["none", "item", "system"])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_differences_equal_the_oracle(statistic: str, by: str) -> None:
    for seed, swap in enumerate(("both", "inputs", "systems")):
        given = tables(seed)
        test = permutation_test(*given, swap=swap, statistic=statistic, by=by, resamples=9, seed=5)
        wanted = oracle.permutation_differences(
            given,
            [int(key) % 2**64 for key in resample_keys(9, 5).tolist()],
            swap=swap,
            value=lambda metric, human: oracle.coefficient(statistic, metric, human, by),
        )
        found = [test.difference, *test.differences.tolist()]
        assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)
        beyond = sum(not each < wanted[0] - 1e-12 for each in wanted[1:])
        assert test.p_value == (1 + beyond) / 10


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall-b", "accuracy", "acc-eq"])
def test_means_of_systems_equal_the_oracle(statistic: str) -> None:
    first, second, human = tables(3, systems=6, steps=False)
    judged = np.nanmean(human, axis=1)

    def value(metric: Float64, _: Float64) -> float:
        scores = np.nanmean(metric, axis=1)
        if statistic == "acc-eq":
            return oracle.acc_eq([(scores, judged)])
        return oracle.of_vectors(statistic, scores, judged)

    keys = [int(key) % 2**64 for key in resample_keys(8, 1).tolist()]
    for people in (human, judged):
        for swap in ("both", "inputs", "systems"):
            test = permutation_test(
                *(first, second, people), swap=swap, statistic=statistic, unit="system",
                resamples=8, seed=1,
            )  # fmt: skip
            wanted = oracle.permutation_differences(
                (first, second, human), keys, swap=swap, value=value, judged=False
            )
            assert [test.difference, *test.differences] == pytest.approx(wanted, abs=1e-12)
            assert test.n == 6


@pytest.mark.parametrize(("systems", "resamples"), [(2, 70), (3, 70), (64, 3), (65, 65)])
def test_acc_eq_in_more_resamples_than_a_word_has_bits(systems: int, resamples: int) -> None:
    given = tables(systems, systems=systems, segments=2, gaps=False)
    test = perm_both(*given, statistic="acc-eq", by="item", resamples=resamples)
    slow = perm_both(*given, statistic=oracle_acc_eq, resamples=resamples)
    assert test.differences == pytest.approx(slow.differences, abs=1e-12)


def oracle_acc_eq(metric: Float64, human: Float64) -> float:
    """All thresholds at once: pairs [P, 1] against thresholds [1, T]."""
    later, earlier = np.tril_indices(len(metric), -1)
    gaps = metric[later] - metric[earlier]
    wanted = np.sign(human[later] - human[earlier])
    thresholds = np.unique(np.abs(gaps).ravel())
    thresholds = np.concatenate([[0.0], thresholds[np.diff(thresholds, prepend=-1) > 0]])
    best = 0.0
    for chosen in np.array_split(thresholds, max(1, len(thresholds) // 500)):
        tied = np.abs(gaps)[..., None] <= chosen + 1e-9
        right = np.where(tied, 0, np.sign(gaps)[..., None]) == wanted[..., None]
        best = max(best, float(right.mean(axis=(0, 1)).max()))
    return best


def test_a_function_gives_what_the_kernels_give() -> None:
    first, second, human = tables(8)
    for by in ("none", "item", "system"):
        fast = perm_both(first, second, human, statistic="kendall-b", by=by, resamples=20)
        slow = perm_both(
            *(first, second, human),
            statistic=partial(oracle.coefficient, "kendall-b", by=by),
            resamples=20,
        )
        assert fast.differences == pytest.approx(slow.differences, abs=1e-12)
        # Tau-c has no kernel: it goes the same way as a function.
        by_name = perm_both(first, second, human, statistic="kendall-c", by=by, resamples=5)
        assert by_name.n == np.count_nonzero(~np.isnan(first + second + human))


def test_blocks_of_ranks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    given = tables(2)
    whole = perm_both(*given, statistic="kendall-14", by="item", resamples=11)
    monkeypatch.setattr(swapped_correlations, "RANK_BLOCK", 100)
    pieces = perm_both(*given, statistic="kendall-14", by="item", resamples=11)
    assert pieces.differences.tobytes() == whole.differences.tobytes()


def test_large_groups_give_what_small_ones_give(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed, swap in enumerate(("both", "inputs", "systems")):
        given = tables(seed, systems=5, segments=40)
        flat = np.where(np.arange(40) == seed, 1.0, 0.0) + np.zeros((5, 1))
        for metrics in (given[:2], (given[0], flat), (flat, flat[:, ::-1])):
            monkeypatch.setattr(swapped_correlations, "LARGE_GROUP", 1000)
            slow = permutation_test(*metrics, given[2], swap=swap, resamples=30)
            monkeypatch.setattr(swapped_correlations, "LARGE_GROUP", 1)
            fast = permutation_test(*metrics, given[2], swap=swap, resamples=30)
            found = [fast.difference, *fast.differences.tolist()]
            wanted = [slow.difference, *slow.differences.tolist()]
            assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_same_bytes_for_any_number_of_threads(
    statistic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_run, "SMALLEST_CHUNK", 64)
    given = tables(4, segments=30)

    def work(seed: int = 3) -> bytes:
        test = perm_both(*given, statistic=statistic, by="item", resamples=150, seed=seed)
        return test.differences.tobytes()

    one, two, five = with_threads(work, 1, 2, 5)
    assert one == two == five != work(seed=4)


def test_p_values_are_never_0_and_equal_metrics_have_1() -> None:
    rng = np.random.default_rng(2)
    human = rng.normal(size=(6, 40))
    test = perm_both(human, rng.normal(size=human.shape), human, resamples=99)
    assert (test.p_value, test.p_value_of_b) == (0.01, 1.0)
    same = perm_both(human, human * 2 + 1, human, resamples=99)
    assert same.difference == pytest.approx(0, abs=1e-15)
    assert (same.p_value, same.p_value_of_b) == (1.0, 1.0)


def test_false_claims_come_as_often_as_the_level_says() -> None:
    """Two equally noisy metrics, 400 times: p < .1 in about one of ten, each way."""
    rng = np.random.default_rng(7)
    claims = []
    for trial in range(400):
        human = rng.normal(size=(5, 12))
        first, second = (human + rng.normal(size=human.shape) for _ in range(2))
        test = perm_both(first, second, human, by="item", resamples=99, seed=trial)
        claims.append((test.p_value <= 0.1, test.p_value_of_b <= 0.1))
    # Binomial: sd .015.
    assert np.mean(claims, axis=0) == pytest.approx([0.1, 0.1], abs=0.05)


def test_gaps_at_different_segments_are_left_out_together() -> None:
    first, second, human = tables(5, gaps=False)
    whole = perm_both(first[:, 2:], second[:, 2:], human[:, 2:], resamples=1)
    first[:, 0] = np.nan
    human[:, 1] = np.nan
    test = perm_both(first, second, human, resamples=1)
    assert (test.value_a, test.value_b, test.n) == (whole.value_a, whole.value_b, whole.n)


def test_rounding_makes_no_thresholds() -> None:
    """.2 + .1 and .3 are one score, whichever metric it comes from."""
    human = np.array([[1.0, 1], [1, 1], [2, 2]])
    noisy = np.array([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2], [0.9, 0.9]])
    clean = np.round(noisy, 6)
    found = [
        perm_both(each, human, human, statistic="acc-eq", by="item") for each in (noisy, clean)
    ]
    assert found[0].value_a == 1.0
    assert found[0].differences.tolist() == found[1].differences.tolist()


def test_large_and_small_numbers() -> None:
    first, second, human = tables(6)
    usual = perm_both(first, second, human, resamples=20)
    for scale in (1e300, 1e-300):
        scaled = perm_both(first * scale, second, human * scale, resamples=20)
        assert scaled.differences == pytest.approx(usual.differences, abs=1e-9)


def test_nothing_to_compare() -> None:
    empty = np.full((3, 4), np.nan)
    for statistic in STATISTICS:
        for given in (empty, np.ones((3, 4))):
            test = perm_both(given, given, empty, statistic=statistic, by="item", resamples=5)
            assert np.isnan(test.difference)
            assert np.isnan(test.p_value)
            assert test.n == 0


def test_matrix_of_p_values() -> None:
    first, second, human = tables(9)
    p_values = permutation_p_values([first, second, first], human, swap="inputs", resamples=49)
    test = perm_inputs(first, second, human, resamples=49)
    assert (p_values[0, 1], p_values[1, 0]) == (test.p_value, test.p_value_of_b)
    assert (p_values[0, 2], p_values[2, 0]) == (1.0, 1.0)
    assert np.isnan(p_values.diagonal()).all()
    by_systems = perm_systems(first[:, 0], second[:, 0], human[:, 0], unit="system", resamples=9)
    assert by_systems.resamples == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "pearsn"}, "did you mean 'pearson'"),
        ({"by": "segment"}, "legal names: item, none, system"),
        ({"unit": "document"}, "legal names: segment, system"),
        ({"resamples": 0}, "at least 1 resample"),
        ({"seed": -1}, "seed must not be negative"),
    ],
)
def test_options(options: dict[str, object], message: str) -> None:
    refuses(UsageError, message, perm_both, *tables(1), **options)


def test_shapes_and_sizes() -> None:
    first, second, human = tables(1)
    refuses(UsageError, r"shape \(4, 7\) and \(3, 7\)", perm_both, first, second[:3], human)
    refuses(UsageError, "of segments, not of systems", perm_both, first, second, human[:, 0])
    refuses(UsageError, "infinite", perm_both, first, second, np.full(human.shape, np.inf))
    many = np.zeros((2, 4000))
    refuses(UsageError, r"by='item'", perm_both, many, many, many, statistic="acc-eq")


@pytest.mark.parametrize("statistic", [*STATISTICS, "kendall-23", "kendall-c"])
def test_a_metric_and_its_copy_in_per_cent_agree_equally_well(statistic: str) -> None:
    generator = np.random.default_rng(4)
    metric = generator.integers(0, 4, (6, 9)) / 3
    human = generator.integers(0, 3, (6, 9)).astype(float)
    for by in ("none", "item", "system"):
        test = perm_both(metric, metric * 100 + 7, human, statistic=statistic, by=by, resamples=20)
        assert (test.p_value, test.p_value_of_b) == (1.0, 1.0)


@pytest.mark.parametrize("statistic", [*STATISTICS, "spa"])
@pytest.mark.parametrize("unit", ["segment", "system"])
def test_metrics_that_score_nothing_in_common(statistic: str, unit: str) -> None:
    _, second, human = tables(1)
    for shape in (human.shape, (0, 0)):
        first = np.full(shape, np.nan)
        others = (human[: shape[0], : shape[1]], second[: shape[0], : shape[1]])
        test = perm_both(first, *others, statistic=statistic, unit=unit, resamples=5)
        assert (test.n, np.isnan(test.p_value)) == (0, True)


# -- bootstrap.


def with_gaps(seed: int, systems: int = 5, segments: int = 8) -> list[Float64]:
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
    first, second, human = with_gaps(1)
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
    metric, _, human = with_gaps(3)
    drawn: dict[str, Any] = {"over": "segments", "resamples": 9}
    fast = bootstrap_coefficients([metric], human, statistic="kendall-14", by="item", **drawn)[1]

    def pooled(table: Float64, people: Float64) -> float:
        counts = [0, 0, 0]
        for m, h in oracle.groups_of(table, people, "item"):
            for i in range(len(m)):
                for j in range(i):
                    if h[i] != h[j]:
                        counts[1 + int(np.sign(m[i] - m[j]) * np.sign(h[i] - h[j]))] += 1
        wrong, _, right = counts
        return (right - wrong) / sum(counts)

    slow = bootstrap_coefficients([metric], human, statistic=pooled, **drawn)[1]
    assert fast == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize("over", ["both", "segments", "systems"])
@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall-b", "accuracy", "acc-eq"])
def test_resampled_means_of_systems_equal_the_oracle(statistic: str, over: str) -> None:
    metric, _, human = with_gaps(2, segments=20)
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


def test_corpus_scores_come_from_resampled_sums() -> None:
    """A ratio of sums is no mean of ratios; and a metric of errors is turned."""
    rng = np.random.default_rng(5)
    statistics = rng.integers(1, 9, (6, 12, 2)).astype(np.float64)
    judged = rng.normal(size=6)
    for higher in (True, False):
        measured = Measurement(statistics, oracles_statistics.ratio, higher)
        values, samples = bootstrap_coefficients(
            [measured], judged, unit="system", over="both", resamples=7, seed=4
        )
        sign = 1 if higher else -1
        for found, (rows, columns) in zip(samples[0], choices("both", (6, 12), 7, 4), strict=True):
            scores = oracles_statistics.ratio(statistics[:, columns].sum(axis=1))[rows]
            wanted = sign * oracle.of_vectors("pearson", scores, judged[rows])
            assert found == pytest.approx(wanted, abs=1e-9)
        whole = oracles_statistics.ratio(statistics.sum(axis=1))
        assert values[0] == pytest.approx(sign * oracle.of_vectors("pearson", whole, judged))


def test_the_test_reads_its_samples() -> None:
    samples = np.array([[0.5, 0.6, 0.7, np.nan], [0.4, 0.7, 0.7, 0.1]])
    test = compare_samples(np.array([0.6, 0.5]), samples, level=0.5)
    # Of .1, -.1 and 0 two are not above 0, and the undefined one counts too.
    assert (test.p_value, test.p_value_of_b, test.undefined) == (4 / 5, 4 / 5, 1)
    assert (test.low, test.high) == pytest.approx((-0.1, 0.1))
    undefined = compare_samples(np.array([np.nan, 0.5]), np.full((2, 3), np.nan))
    assert np.isnan([undefined.p_value, undefined.low, undefined.high]).all()


def test_p_values_of_all_pairs_are_those_of_two() -> None:
    first, second, human = with_gaps(4)
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
    first, second, human = with_gaps(6)
    both = np.isnan(first) | np.isnan(second)
    test = bootstrap_test(first, second, human, resamples=3)
    wanted = oracle.coefficient("pearson", np.where(both, np.nan, first), human, "none")
    assert test.value_a == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("over", ["segments", "both"])
@pytest.mark.parametrize("unit", ["segment", "system"])
def test_same_samples_for_any_number_of_threads(
    unit: Any, over: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_run, "SMALLEST_CHUNK", 64)
    first, second, human = with_gaps(7, segments=40)

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
def test_options_of_the_bootstrap(options: dict[str, object], message: str) -> None:
    first, second, human = with_gaps(1)
    refuses(UsageError, message, bootstrap_test, first, second, human, **options)


def test_shapes_of_the_bootstrap() -> None:
    first, second, human = with_gaps(1)
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
