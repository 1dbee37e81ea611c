"""Soft pairwise accuracy against all signs, one by one, and its behaviour with gaps."""

import itertools

import numpy as np
import pytest
from tests.refusing import refuses

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.judgement import pairwise_confidence_error, soft_pairwise_accuracy
from wordorder.statistics.grouped_correlation import pair_chances


def exact_chance(first: Float64, second: Float64) -> float:
    """The p-value over all choices of sign, of the segments that both have."""
    gaps = first - second
    gaps = gaps[~np.isnan(gaps)]
    sums = [float(np.dot(signs, gaps)) for signs in itertools.product((1, -1), repeat=len(gaps))]
    return float(np.mean(np.array(sums) >= gaps.sum() - 1e-9))


def tables(seed: int = 0, segments: int = 10) -> tuple[Float64, Float64]:
    human = np.random.default_rng(seed).integers(0, 5, (4, segments)) + np.arange(4.0)[:, None] / 2
    metric = human + np.random.default_rng(seed + 1).normal(size=human.shape)
    return metric, human


@pytest.mark.parametrize("gaps", [False, True])
def test_close_to_the_exact_test(gaps: bool) -> None:
    metric, human = tables()
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


def test_a_printed_p_value() -> None:
    """Scores .8 .9 .7 1 .6 against .2 .3 .1 .4 0 (the docstring of mt-metrics-eval's pce.py): only
    the signs as they are reach the difference of 3, so p is near 1 / 32.
    """
    scores = [[0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]]
    chances = pair_chances(scores, scores, 1, resamples=20_000)
    assert chances[0, 0] == chances[1, 0] == pytest.approx(1 / 32, abs=0.004)


def test_gaps_at_different_segments_do_not_shift_scores() -> None:
    """mt-metrics-eval drops each system's gaps and pairs up what is left by position."""
    _, human = tables(segments=40)
    gaps = human.copy()
    gaps[0, 0] = gaps[1, 39] = gaps[2, 20] = gaps[3, 7] = np.nan
    assert soft_pairwise_accuracy(human, gaps) == 1
    assert soft_pairwise_accuracy(gaps, human) == 1
    # Each pair of systems keeps the segments that the two have in common.
    alone = pair_chances(gaps[:2, 1:39], human[:2, 1:39], 5)
    assert pair_chances(gaps[:2], human[:2], 5).shape == alone.shape == (2, 1)


def test_the_same_seed_the_same_value() -> None:
    metric, human = tables()
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


def test_a_printed_soft_accuracy() -> None:
    """.872 from 1,000 random signs by mt-metrics-eval; .875 from all of them."""
    gold, metric = [1, 2, 3, 4, 5, 5, 7, 8], [2, 1, 2, 6, 8, 8, 7, 6]
    for seed in range(5):
        found = soft_pairwise_accuracy(np.reshape(metric, (4, 2)), np.reshape(gold, (4, 2)), seed)
        assert found == pytest.approx(0.872, abs=0.02)
