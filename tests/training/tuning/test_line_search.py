"""The search along lines against one that looks between all crossings."""

from itertools import pairwise

import numpy as np
import pytest
from tests.oracles_tuning import best_of_line, candidate_lines, naive_envelope, value_along
from tests.training.tuning.problems import bleu_problem, numbers, small_problem

from wordorder.arrays import Float64
from wordorder.errors import InputError, UsageError
from wordorder.training.tuning.mert import LineSearch, Sweep, best_point
from wordorder.training.tuning.problem import Problem, distinct


def whole_score(totals: Float64) -> Float64:
    """Tell any choice of candidates from any other: each has a digit of its own."""
    return totals[..., 0]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_the_envelope_is_that_of_all_pairs(seed: int, whole: bool) -> None:
    made, _ = distinct(small_problem(seed, most=9, whole=whole))
    # One sentence, whose candidate is told by its statistics.
    size = int(made.offsets[1])
    marks = np.arange(float(size))[:, np.newaxis]
    problem = Problem(made.features[:size], marks, np.array([0, size]), whole_score)
    random = np.random.default_rng(seed)
    weights = numbers(random, (3,), whole)
    directions, sweep = LineSearch(problem).sweep(weights, random.normal(size=(4, 3)))
    assert len(directions) == int(problem.varies.sum()) + 4
    for line, direction in enumerate(directions):
        found = sweep.goodness[sweep.offsets[line] : sweep.offsets[line + 1]]
        (lines,) = candidate_lines(problem, weights, direction)
        wanted = naive_envelope(lines)
        assert len(found) == len(wanted)
        # Of candidates that are one line, each stands for the other.
        shown = np.array([lines[int(i)] for i in found])
        assert shown.ravel() == pytest.approx(np.array([lines[i] for i in wanted]).ravel())


def best_points(sweep: Sweep) -> tuple[list[float], list[float]]:
    """Return the best point of each line, and the goodness there."""
    spans = [slice(a, b) for a, b in pairwise(sweep.offsets.tolist())]
    found = [
        best_point(sweep.begins[span], sweep.goodness[span], *ends)
        for span, *ends in zip(spans, sweep.lows.tolist(), sweep.highs.tolist(), strict=True)
    ]
    return [point for point, _ in found], [value for _, value in found]


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_the_best_point_of_a_line_is_that_of_all_intervals(
    seed: int, whole: bool, higher: bool
) -> None:
    problem, _ = distinct(small_problem(seed, whole=whole, higher=higher))
    random = np.random.default_rng(seed)
    # Weights without a pattern: nothing ties along a line but what is equal on all of it.
    weights = random.normal(size=3)
    directions, sweep = LineSearch(problem).sweep(weights, random.normal(size=(3, 3)))
    points, values = best_points(sweep)
    sign = 1 if higher else -1
    for direction, point, value in zip(directions, points, values, strict=True):
        lines = candidate_lines(problem, weights, direction)
        assert sign * value == pytest.approx(best_of_line(problem, weights, direction))
        assert value_along(problem, lines, point) == pytest.approx(sign * value)
        assert problem.value(weights + point * direction) == pytest.approx(sign * value)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_a_search_between_bounds_is_that_of_the_intervals_there(seed: int, whole: bool) -> None:
    problem, _ = distinct(small_problem(seed, most=9, whole=whole))
    random = np.random.default_rng(seed)
    weights = random.normal(size=3)
    reach = random.uniform(0.01, 2, 3)
    bounds = weights - reach * random.uniform(size=3), weights + reach
    search = LineSearch(problem)
    # What the kernel remembers of other points changes nothing.
    search.sweep(weights[::-1].copy(), np.empty((0, 3)))
    directions, sweep = search.sweep(weights, random.normal(size=(3, 3)), bounds)
    points, values = best_points(sweep)
    line, point = sweep.best()
    assert (values[line], points[line]) == (max(values), point)
    for number, direction in enumerate(directions):
        ends = float(sweep.lows[number]), float(sweep.highs[number])
        wanted = bounds_of_line(weights, direction, bounds)
        assert ends == pytest.approx(wanted, rel=1e-12)
        best = best_of_line(problem, weights, direction, ends)
        assert values[number] == pytest.approx(best)
        assert ends[0] <= points[number] <= ends[1]
        reached = problem.value(weights + points[number] * direction)
        assert reached == pytest.approx(values[number])


@pytest.mark.parametrize("seed", range(8))
def test_a_search_without_bounds_after_one_between_bounds_sees_all(seed: int) -> None:
    problem, _ = distinct(small_problem(seed, most=40, whole=seed % 2 == 0))
    random = np.random.default_rng(seed)
    search = LineSearch(problem)
    first = random.normal(size=3)
    search.sweep(first, np.empty((0, 3)), (first - 0.3, first + 0.3))
    weights = random.normal(size=3)
    directions, sweep = search.sweep(weights, np.empty((0, 3)))
    points, values = best_points(sweep)
    for direction, point, value in zip(directions, points, values, strict=True):
        assert value == pytest.approx(best_of_line(problem, weights, direction))
        assert problem.value(weights + point * direction) == pytest.approx(value)


def bounds_of_line(
    weights: Float64, direction: Float64, bounds: tuple[Float64, Float64]
) -> tuple[float, float]:
    """Walk along a line, halving, to where it leaves the bounds on either side."""
    found = []
    for sign in (-1.0, 1.0):
        inside, outside = 0.0, 1e6
        for _ in range(200):
            middle = (inside + outside) / 2
            point = weights + sign * middle * direction
            if np.all((point >= bounds[0]) & (point <= bounds[1])):
                inside = middle
            else:
                outside = middle
        found.append(sign * inside)
    return found[0], found[1]


def test_a_weight_at_its_bound_goes_one_way_only() -> None:
    problem = small_problem(3)
    weights = np.array([1.0, 0.0, -1.0])
    _, sweep = LineSearch(problem).sweep(
        weights, np.empty((0, 3)), (np.array([0.0, 0.0, -1.0]), np.array([1.0, 0.0, 2.0]))
    )
    assert sweep.lows.tolist() == [-1.0, 0.0, 0.0]
    assert sweep.highs.tolist() == [0.0, 0.0, 3.0]
    points, _ = best_points(sweep)
    assert points[1] == 0


@pytest.mark.parametrize("seed", range(10))
def test_every_interval_has_the_value_of_its_middle(seed: int) -> None:
    problem = bleu_problem(seed)
    random = np.random.default_rng(seed)
    weights = random.normal(size=problem.width)
    directions, sweep = LineSearch(problem).sweep(weights, random.normal(size=(2, problem.width)))
    assert len(sweep.goodness) > 30
    for line, direction in enumerate(directions):
        span = slice(int(sweep.offsets[line]), int(sweep.offsets[line + 1]))
        begins = sweep.begins[span]
        assert begins[0] == -np.inf
        assert np.all(np.diff(begins) > 0)
        inner = (begins[1:-1] + begins[2:]) / 2
        middles = [begins[1] - 1, *inner, begins[-1] + 1] if len(begins) > 1 else [0.0]
        for middle, value in zip(middles, sweep.goodness[span], strict=True):
            assert problem.value(weights + middle * direction) == pytest.approx(value)


def test_the_choice_among_best_intervals() -> None:
    infinity = np.inf
    # Around 0 first, although another one is wider.
    begins = np.array([-infinity, -1.0, 1.0, 5.0, 50.0])
    assert best_point(begins, np.array([0.0, 1.0, 0.0, 1.0, 0.0])) == (0.0, 1.0)
    # Then the widest: one without an end is wider than all others.
    begins = np.array([-infinity, 1.0, 2.0, 3.0, 9.0])
    assert best_point(begins, np.array([0.0, 1.0, 0.0, 1.0, 0.0])) == (6.0, 1.0)
    assert best_point(begins, np.array([0.0, 1.0, 0.0, 0.0, 1.0])) == (18.0, 1.0)
    # Neighbours of equal value are one interval.
    assert best_point(begins, np.array([0.0, 0.0, 1.0, 1.0, 0.0])) == (5.5, 1.0)
    # Of equally wide ones the leftmost; beyond an end by at least 1.
    assert best_point(begins, np.array([0.0, 1.0, 1.0, 0.0, 0.0])) == (2.0, 1.0)
    assert best_point(np.array([-infinity, -0.25]), np.array([1.0, 0.0])) == (-1.25, 1.0)
    assert best_point(np.array([-infinity]), np.array([0.5])) == (0.0, 0.5)


def test_too_many_features_for_all_axes() -> None:
    problem = Problem(np.zeros((2, 1)), np.zeros((2, 1)), np.array([0, 2]), whole_score)
    # As many zeros as nobody needs to hold.
    wide = np.broadcast_to(np.zeros(1), (100_000, 10_000))
    object.__setattr__(problem, "features", wide)
    with pytest.raises(UsageError, match="10000 features of 100000 candidates needs 37 GB: .*mira"):
        LineSearch(problem)


def test_a_line_on_which_nothing_changes() -> None:
    problem = Problem(np.ones((3, 2)), np.eye(3), np.array([0, 2, 3]), lambda t: t[..., 0])
    search = LineSearch(problem)
    directions, sweep = search.sweep(np.ones(2), np.empty((0, 2)))
    assert directions.shape == (0, 2)
    assert len(sweep.begins) == 0
    _, sweep = search.sweep(np.ones(2), np.ones((1, 2)))
    assert sweep.goodness.tolist() == [1.0]


def test_candidates_with_equal_features_count_once() -> None:
    features = np.array([[1.0, 0.0], [1.0, -0.0], [0.0, 1.0], [1.0, 0.0], [2.0, 0.0]])
    problem = Problem(features, np.arange(5.0)[:, None], np.array([0, 3, 5]), whole_score)
    made, kept = distinct(problem)
    assert kept.tolist() == [0, 2, 3, 4]
    assert made.offsets.tolist() == [0, 2, 4]
    assert made.statistics.ravel().tolist() == [0.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("features", "statistics", "offsets", "said"),
    [
        ([[np.nan]], [[1.0]], [0, 1], "features[0] is nan"),
        ([[1.0]], [[np.inf]], [0, 1], "statistics[0] is inf"),
        ([[1.0]], [[1.0]], [0, 0, 1], "at least one candidate"),
        ([[1.0]], [[1.0]], [0], "at least one candidate"),
        ([[1.0], [1.0]], [[1.0]], [0, 2], "2 rows of features, 1 of statistics"),
        (np.empty((1, 0)), [[1.0]], [0, 1], "of shape (1, 0)"),
    ],
)
def test_what_is_no_problem(
    features: object, statistics: object, offsets: list[int], said: str
) -> None:
    with pytest.raises((InputError, UsageError)) as caught:
        Problem(np.array(features), np.array(statistics), np.array(offsets), whole_score)
    assert said in str(caught.value)


def test_a_score_that_is_no_number_is_refused() -> None:
    problem = Problem(
        np.array([[0.0], [1.0]]),
        np.array([[1.0], [0.0]]),
        np.array([0, 2]),
        lambda totals: np.where(totals[..., 0] > 0, 1.0, np.nan),
    )
    with pytest.raises(UsageError, match=r"score is nan for the sums \[0.0\]"):
        LineSearch(problem).sweep(np.ones(1), np.empty((0, 1)))
