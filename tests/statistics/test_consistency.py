from fractions import Fraction
from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from tests.refusing import refuses

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.statistics.consistency import (
    ConsistencyCurve,
    best_weights,
    consistency,
    consistency_curve,
    mean_curve,
    pair_differences,
)

# Small whole numbers make many ties and many equal turning points.
DIFFERENCES = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=12)
Pairs = list[tuple[int, int]]


def slow(pairs: Pairs, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """Count pair by pair, in exact numbers."""
    values = [alpha * b + (1 - alpha) * a for a, b in pairs]
    agreeing, tied = sum(v > 0 for v in values), sum(v == 0 for v in values)
    return Fraction(agreeing, len(pairs)), Fraction(2 * agreeing + tied, 2 * len(pairs))


def turning_points(pairs: Pairs) -> list[Fraction]:
    turns = {Fraction(a, a - b) for a, b in pairs if a * b < 0}
    return sorted({Fraction(0), Fraction(1), *turns})


def curve_of(pairs: Pairs) -> ConsistencyCurve:
    values = np.array(pairs, np.float64)
    return consistency_curve(values[:, 0], values[:, 1])


@given(DIFFERENCES)
def test_the_curve_is_that_of_counting(pairs: Pairs) -> None:
    curve, points = curve_of(pairs), turning_points(pairs)
    assert curve.alphas == pytest.approx([float(each) for each in points])
    for place, alpha in enumerate(points):
        assert curve.at[:, place] == pytest.approx([float(each) for each in slow(pairs, alpha)])
    for place, (low, high) in enumerate(pairwise(points)):
        expected = [float(each) for each in slow(pairs, (low + high) / 2)]
        assert curve.between[:, place] == pytest.approx(expected)


@given(DIFFERENCES, st.sampled_from(["strict", "half"]))
def test_no_weight_is_better_than_the_best(pairs: Pairs, ties: str) -> None:
    best = curve_of(pairs).best(ties)
    points = turning_points(pairs)
    tried = [*points, *((a + b) / 2 for a, b in pairwise(points))]
    row = ("strict", "half").index(ties)
    assert best.value == pytest.approx(max(float(slow(pairs, alpha)[row]) for alpha in tried))
    assert best.low <= best.alpha <= best.high
    assert best.value == pytest.approx(float(slow(pairs, Fraction(best.alpha))[row]))


@given(st.lists(DIFFERENCES, min_size=1, max_size=3), st.fractions(0, 1, max_denominator=50))
def test_the_mean_counts_every_set_the_same(sets: list[Pairs], alpha: Fraction) -> None:
    # Not at a turning point, where the rounding of alpha decides.
    alpha = alpha * Fraction(97, 100) + Fraction(1, 101)
    mean = mean_curve([curve_of(pairs) for pairs in sets])
    for row, ties in enumerate(("strict", "half")):
        expected = sum(slow(pairs, alpha)[row] for pairs in sets) / len(sets)
        assert mean.value(float(alpha), ties) == pytest.approx(float(expected))


def climbed(differences: list[tuple[Float64, Float64]], start: float) -> float:
    """Climb greedily with steps that shrink, as the papers say that they did."""

    def value(alpha: float) -> float:
        found = [consistency(alpha * b + (1 - alpha) * a).strict for a, b in differences]
        return float(np.mean(found))

    best, step = start, 0.25
    while step > 1e-4:
        nearby = [best, max(best - step, 0.0), min(best + step, 1.0)]
        chosen = max(nearby, key=value)
        step, best = (step / 2, best) if chosen == best else (step, chosen)
    return value(best)


def test_hill_climbing_finds_no_better_weight() -> None:
    generator = np.random.default_rng(3)
    sets = []
    for size in (200, 300):
        truth = generator.normal(0.4, 1, size)
        sets.append((truth + generator.normal(0, 1, size), truth + generator.normal(0, 1, size)))
    exact = mean_curve([consistency_curve(a, b) for a, b in sets]).best().value
    reached = max(climbed(sets, start) for start in np.linspace(0, 1, 21))
    assert exact - 0.01 < reached <= exact


def test_a_strict_count_rewards_any_weight_that_breaks_ties() -> None:
    """The first metric ties everything; the second is right no more often than wrong."""
    curve = curve_of([(0, 1), (0, -1)])
    assert curve.value(0.0) == 0
    assert curve.value(0.01) == 0.5
    assert curve.value(0.0, "half") == curve.value(0.01, "half") == 0.5


def test_ends_count_where_they_are_better() -> None:
    """At 0 three pairs are tied, which half of the count rewards; beyond, all are wrong."""
    best = curve_of([(0, -1)] * 3 + [(1, 1)]).best("half")
    assert (best.alpha, best.low, best.high, best.value) == (0, 0, 0, 0.625)
    best = curve_of([(-1, 0)] * 3 + [(1, 1)]).best("half")
    assert (best.alpha, best.low, best.high, best.value) == (1, 1, 1, 0.625)


def test_pairs_without_a_score_are_left_out() -> None:
    gap = float("nan")
    scores = np.array([[1.0, gap, 0.3], [0.5, 0.5, 0.1 + 0.2]])
    items, better, worse = np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([1, 1, 0])
    differences = pair_differences(scores, items, better, worse)
    found = consistency(differences)
    assert (found.pairs, found.agreeing, found.tied, found.missing) == (2, 1, 1, 1)
    curve = consistency_curve(differences, np.array([-1.0, 1.0, 1.0]))
    assert curve.pairs == 2
    with pytest.raises(UsageError, match="no preference of people has scores for both outputs"):
        consistency_curve(np.array([gap]), np.array([1.0]))


def test_the_consistency_of_the_worked_example() -> None:
    """Three agree, one disagrees, one is tied: 60 %, or 70 % with ties for half."""
    found = consistency(np.array([1.0, 2.0, 3.0, -1.0, 0.0]))
    assert (found.strict, found.half) == (0.6, 0.7)


def test_weights_outside_are_refused() -> None:
    refuses(UsageError, "alpha is from 0 to 1, got 1.5", curve_of([(1, 1)]).value, 1.5)


def test_weights_of_two_members_are_the_best_of_the_curve() -> None:
    generator = np.random.default_rng(5)
    a, b = generator.normal(0.3, 1, (2, 400))
    weights, value = best_weights([[a, b]])
    assert value == pytest.approx(consistency_curve(a, b).best().value)
    assert consistency(weights @ np.stack([a, b])).strict == pytest.approx(value)


def test_weights_of_three_members_are_those_of_a_grid() -> None:
    generator = np.random.default_rng(7)
    truth = generator.normal(0.5, 1, 300)
    members = truth + generator.normal(0, [[0.5], [1.0], [3.0]], (3, 300))
    weights, value = best_weights([members])
    grid = [
        consistency(np.array([a, b, 20 - a - b]) @ members).strict
        for a in range(21)
        for b in range(21 - a)
    ]
    assert value >= max(grid)
    assert weights.sum() == pytest.approx(1)
    assert consistency(weights @ members).strict == pytest.approx(value)
