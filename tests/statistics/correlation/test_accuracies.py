"""acc_eq against every threshold in fractions, soft pairwise accuracy against all signs."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests import oracles_correlation as oracle
from tests.refusing import refuses

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.judgement import (
    TieCalibration,
    acc_eq,
    kendall,
    pair_counts,
    pairwise_confidence_error,
    soft_pairwise_accuracy,
)
from wordorder.statistics import named_statistics
from wordorder.statistics.grouped_correlation import grouped, pair_chances
from wordorder.statistics.named_statistics import LARGEST_WEIGHT_SUM, pair_weights

VALUES = st.one_of(st.just(float("nan")), st.integers(-3, 3).map(float))


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[float]], list[list[float]]]:
    systems, segments = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    row = st.lists(VALUES, min_size=segments, max_size=segments)
    table = st.lists(row, min_size=systems, max_size=systems)
    return draw(table), draw(table)


@given(tables(), st.sampled_from(["none", "item", "system"]))
def test_the_best_of_all_thresholds(
    tables: tuple[list[list[float]], list[list[float]]], by: str
) -> None:
    metric, human = tables
    grouped = oracle.groups(metric, human, by)
    found = acc_eq(metric, human, by)
    assert found.groups == sum(len(group) > 1 for group in grouped)
    assert found.pairs == sum(len(group) * (len(group) - 1) // 2 for group in grouped)
    if not found.pairs:
        assert np.isnan(found.value)
        assert found.threshold == 0
        return
    value, threshold = oracle.acc_eq(grouped)
    assert found.threshold == threshold
    assert found.value == pytest.approx(float(value), abs=1e-12, rel=0)
    again = acc_eq(metric, human, by, threshold=threshold)
    assert again == found


@pytest.mark.parametrize("by", ["none", "item", "system"])
def test_scores_of_any_size(by: str) -> None:
    generator = np.random.default_rng(11)
    human = generator.integers(0, 2, (6, 7)).astype(float)
    metric = human + 2 * generator.normal(size=human.shape)
    metric[generator.random(metric.shape) < 0.1] = np.nan
    value, threshold = oracle.acc_eq(oracle.groups(metric.tolist(), human.tolist(), by))
    found = acc_eq(metric, human, by)
    assert found.threshold == threshold > 0
    assert found.value == pytest.approx(float(value), abs=1e-12, rel=0)


def test_printed_values() -> None:
    assert acc_eq([2, 1, 1.5, 5, 3], [1, 2, 2, 3, 4]) == TieCalibration(0.7, 0.5, 1, 10)
    assert acc_eq([2, 1, 1.5, 5, 3], [1, 2, 2, 3, 4], threshold=2).value == 0.4
    assert acc_eq([2, 1, 1.5, 5, 3], [1, 2, 2, 3, 4], threshold=0).value == 0.6


def test_a_threshold_is_not_made_by_rounding() -> None:
    """0.3 - 0.2 and 0.2 - 0.1 are one difference; so the same scores times 10 give the same."""
    generator = np.random.default_rng(2)
    for _ in range(20):
        whole = generator.integers(0, 12, (4, 5))
        human = generator.integers(0, 3, (4, 5)).astype(float)
        tenths = whole / 10
        gaps = np.abs(tenths.ravel()[:, None] - tenths.ravel())
        assert len(np.unique(gaps)) > 12
        for by in ("none", "item", "system"):
            exact = acc_eq(whole.astype(float), human, by)
            found = acc_eq(tenths, human, by)
            assert found.value == exact.value
            assert found.threshold == pytest.approx(exact.threshold / 10, abs=1e-15)


def test_equally_good_thresholds_in_groups_of_several_sizes() -> None:
    """Sums of 1/3 and 1/6 in floating point prefer one of two equal means; whole numbers do not."""
    nan = float("nan")
    metric = [[0.0, 0.0], [1.0, 1.0], [3.0, 7.0], [nan, 13.0]]
    for ranks in itertools.product(range(3), repeat=4):
        human = [[1.0 * r, 2.0 * s] for r, s in zip(ranks, reversed(ranks), strict=True)]
        value, threshold = oracle.acc_eq(oracle.groups(metric, human, "item"))
        found = acc_eq(metric, human, "item")
        assert found.threshold == threshold
        assert found.value == pytest.approx(float(value), abs=1e-15)


@given(st.lists(st.integers(0, 30), max_size=40))
def test_every_group_weighs_the_same(pairs: list[int]) -> None:
    weights = pair_weights(np.array(pairs, np.int64)).tolist()
    assert len({w * p for w, p in zip(weights, pairs, strict=True) if p}) <= 1
    assert all(weight == 0 for weight, p in zip(weights, pairs, strict=True) if not p)


def test_weights_without_a_small_common_multiple() -> None:
    sizes = np.arange(1000, 1030, dtype=np.int64)
    pairs = sizes * (sizes - 1) // 2
    weights = pair_weights(pairs).tolist()
    sums = [w * p for w, p in zip(weights, pairs.tolist(), strict=True)]
    assert sum(sums) < 2**63
    assert Fraction(max(sums) - min(sums), max(sums)) < Fraction(1, 10**10)
    assert max(sums) > LARGEST_WEIGHT_SUM // 64


def test_the_same_metric_at_every_call() -> None:
    """No pair is sampled: two calls agree, and no random state is touched."""
    generator = np.random.default_rng(4)
    metric, human = generator.normal(size=(2, 5, 40))
    state = repr(np.random.get_state())
    assert acc_eq(metric, human, "item") == acc_eq(metric, human, "item")
    assert repr(np.random.get_state()) == state


def test_ties_up_to_the_threshold_whatever_rounding_does() -> None:
    """A difference of exactly the threshold is a tie in the search and in the count."""
    found = acc_eq([1.0, 2.0, 3.0], [4.0, 4.0, 4.0])
    assert found == TieCalibration(1.0, 2.0, 1, 3)
    assert acc_eq([1.0, 2.0, 3.0], [4.0, 4.0, 4.0], threshold=2.0) == found
    assert kendall([1.0, 2.0, 3.0], [4.0, 4.0, 4.0], "23") == -1
    # People: A = B > C. To the metric A and B differ by 2**-54, and by nothing else.
    found = acc_eq([0.1 + 0.2, 0.3, 0.1], [5, 5, 1])
    assert found.value == 1
    assert 0 < found.threshold < 1e-15
    assert 0.4 - 0.3 > 0.1
    assert acc_eq([0.4, 0.3], [5, 5], threshold=0.1).value == 1
    assert pair_counts([0.4, 0.3], [5, 5], threshold=0.1).both_ties == 1
    assert acc_eq([0.4, 0.3], [5, 5], threshold=0.0999).value == 0
    # Nor is the least difference of people's scores: 75.1 - 50.1 is a little less than 25.
    assert 75.1 - 50.1 < 25
    assert kendall([1, 2], [50.1, 75.1], "17") == 1
    assert np.isnan(kendall([1, 2], [50.1, 75.0], "17"))


def test_negative_thresholds_and_infinite_differences_are_refused() -> None:
    for threshold in (-1.0, float("nan")):
        message = "must not be negative"
        refuses(UsageError, message, acc_eq, [1, 2], [1, 2], threshold=threshold)
    refuses(UsageError, "too large: 1.7e\\+308", acc_eq, [-1.7e308, 1.7e308], [1, 2])


@pytest.mark.parametrize("buckets", [2, 3, 8, 64])
@pytest.mark.parametrize("by", ["none", "item", "system"])
def test_more_pairs_than_can_be_listed(
    by: str, buckets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only pairs near the best threshold are listed: value and threshold stay the same."""
    monkeypatch.setattr(named_statistics, "MAX_LISTED_GAPS", 5)
    monkeypatch.setattr(named_statistics, "HISTOGRAM_BUCKETS", buckets)
    generator = np.random.default_rng(buckets)
    for places in (0, 1, 1, 2, 2, 9, 9):
        human = generator.integers(0, 3, (5, 6)).astype(float)
        metric = (human + 3 * generator.normal(size=human.shape)).round(places)
        metric[generator.random(metric.shape) < 0.1] = np.nan
        metric[0] = human[0] * 50 if places == 9 else metric[0]  # far from the others
        # In whole numbers, so that the loop does not see thresholds made by rounding.
        value, threshold = oracle.acc_eq(
            oracle.groups((metric * 1e3).round().tolist(), human.tolist(), by)
        )
        found = acc_eq((metric * 1e3).round(), human, by)
        assert found.threshold == threshold
        assert found.value == pytest.approx(float(value), abs=1e-12, rel=0)
    assert acc_eq(np.full((5, 6), 0.3), human, by).threshold == 0


def test_outputs_are_cut_into_pieces_of_about_as_many_pairs() -> None:
    outputs = named_statistics.Outputs.of(grouped(np.zeros((9, 4)), np.zeros((9, 4)), "system"))
    for pairs in (1, 5, 17, 100):
        pieces = outputs.pieces(pairs)
        assert [end for _, end in pieces[:-1]] == [start for start, _ in pieces[1:]]
        assert pieces[0][0] == 0
        assert pieces[-1][1] == 36
        sizes = [int((np.arange(a, b) - outputs.starts[a:b]).sum()) for a, b in pieces]
        assert sum(sizes) == 9 * 6
        assert max(sizes) <= pairs + 3


def test_tiny_scores_and_rounding_wider_than_a_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(2)
    human = generator.integers(0, 3, (6, 8)).astype(float)
    levels = generator.integers(0, 4, (6, 8)).astype(float)
    for metric in (levels * 1e-320, 1e6 + levels * 2e-8):
        exact = acc_eq(metric, human)
        with monkeypatch.context() as limits:
            limits.setattr(named_statistics, "MAX_LISTED_GAPS", 4)
            assert acc_eq(metric, human) == exact


# -- Soft pairwise accuracy, and its behaviour with gaps.


def exact_chance(first: Float64, second: Float64) -> float:
    """The p-value over all choices of sign, of the segments that both have."""
    gaps = first - second
    gaps = gaps[~np.isnan(gaps)]
    sums = [float(np.dot(signs, gaps)) for signs in itertools.product((1, -1), repeat=len(gaps))]
    return float(np.mean(np.array(sums) >= gaps.sum() - 1e-9))


def scored(seed: int = 0, segments: int = 10) -> tuple[Float64, Float64]:
    human = np.random.default_rng(seed).integers(0, 5, (4, segments)) + np.arange(4.0)[:, None] / 2
    metric = human + np.random.default_rng(seed + 1).normal(size=human.shape)
    return metric, human


@pytest.mark.parametrize("gaps", [False, True])
def test_close_to_the_exact_test(gaps: bool) -> None:
    metric, human = scored()
    if gaps:
        metric[0, 3] = metric[2, 5] = human[0, 9] = human[1, 2] = np.nan
    together = np.isnan(metric) | np.isnan(human)
    expected = [
        [exact_chance(*np.where(together, np.nan, table)[[i, j]]) for i, j in pairs(4)]
        for table in (metric, human)
    ]
    chances = pair_chances(metric, human, 3, resamples=10_000)
    assert np.abs(chances - expected).max() < 0.02
    value = 1 - np.abs(np.subtract(expected[0], expected[1])).mean()
    found = soft_pairwise_accuracy(metric, human, 3, resamples=10_000)
    assert found == pytest.approx(value, abs=0.01)


def pairs(systems: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(systems), 2))


def test_printed_values_of_the_soft_accuracy() -> None:
    """Scores .8 .9 .7 1 .6 against .2 .3 .1 .4 0 (the docstring of mt-metrics-eval's pce.py): only
    the signs as they are reach the difference of 3, so p is near 1 / 32.
    """
    scores = [[0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]]
    chances = pair_chances(scores, scores, 1, resamples=20_000)
    assert chances[0, 0] == chances[1, 0] == pytest.approx(1 / 32, abs=0.004)
    # .872 from 1,000 random signs by mt-metrics-eval; .875 from all of them.
    gold, metric = [1, 2, 3, 4, 5, 5, 7, 8], [2, 1, 2, 6, 8, 8, 7, 6]
    for seed in range(5):
        found = soft_pairwise_accuracy(np.reshape(metric, (4, 2)), np.reshape(gold, (4, 2)), seed)
        assert found == pytest.approx(0.872, abs=0.02)


def test_gaps_at_different_segments_do_not_shift_scores() -> None:
    """mt-metrics-eval drops each system's gaps and pairs up what is left by position."""
    _, human = scored(segments=40)
    gaps = human.copy()
    gaps[0, 0] = gaps[1, 39] = gaps[2, 20] = gaps[3, 7] = np.nan
    assert soft_pairwise_accuracy(human, gaps) == 1
    assert soft_pairwise_accuracy(gaps, human) == 1
    # Each pair of systems keeps the segments that the two have in common.
    alone = pair_chances(gaps[:2, 1:39], human[:2, 1:39], 5)
    assert pair_chances(gaps[:2], human[:2], 5).shape == alone.shape == (2, 1)


def test_the_same_seed_the_same_value() -> None:
    metric, human = scored()
    first = soft_pairwise_accuracy(metric, human, seed=1)
    assert soft_pairwise_accuracy(metric, human, 1) == first
    assert soft_pairwise_accuracy(metric, human, 2) != first
    assert pairwise_confidence_error(metric, human, 1) == 1 - first


def test_never_a_p_of_0() -> None:
    better = np.arange(200.0)
    table = np.stack([better + 1, better])
    chances = pair_chances(table, -table, 1, resamples=99)
    assert chances[:, 0].tolist() == [0.01, 1.0]


def test_without_a_pair() -> None:
    assert np.isnan(soft_pairwise_accuracy([[1.0, 2.0]], [[1.0, 2.0]]))
    nan = np.nan
    assert np.isnan(soft_pairwise_accuracy([[1.0, nan], [nan, 1.0]], [[1.0, 2.0], [1.0, 2.0]]))
    # Systems that share no segment with others are left out.
    lonely = [[1.0, 2.0, nan], [2.0, 1.0, nan], [nan, nan, 5.0]]
    assert pair_chances(lonely, lonely).shape == (2, 1)


def test_bad_scores_are_refused() -> None:
    refuses(UsageError, r"got shapes \(2,\) and \(2,\)", soft_pairwise_accuracy, [1, 2], [1, 2])
    with pytest.raises(UsageError, match="infinite"):
        soft_pairwise_accuracy([[1.0, 2.0], [1.0, np.inf]], [[1, 2], [1, 2]])
    with pytest.raises(UsageError, match="at least 1 resample"):
        soft_pairwise_accuracy([[1, 2], [1, 3]], [[1, 2], [1, 2]], resamples=0)
