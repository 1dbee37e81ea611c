"""MERT and MIRA: what they reach; the search along lines against all crossings."""

import itertools
import re
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.notes import noted
from tests.oracles_tuning import best_of_line, candidate_lines, naive_envelope, value_along
from tests.refusing import refuses

from wordorder.arrays import Float64
from wordorder.errors import ModelError, UsageError, WordOrderError
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.training import Problem, Tuned, TuningOptions, nbest_of_orders, tune
from wordorder.training.tuning.mert import ClimbResult, LineSearch, Starts, Sweep, best_point, mert
from wordorder.training.tuning.moses import moses_bleu
from wordorder.training.tuning.problem import drop_duplicates


def ratio(totals: Float64) -> Float64:
    return np.asarray(totals[..., 0] / np.maximum(totals[..., 1], 1e-9))


def small_problem(
    seed: int, *, most: int = 6, width: int = 3, whole: bool = False, higher: bool = True
) -> Problem:
    """Make sentences with one candidate and more; whole features tie often."""
    random = np.random.default_rng(seed)
    counts = random.integers(1, most + 1, random.integers(1, 6))
    shape = (int(counts.sum()), width)
    counted = [random.integers(0, 9, shape[0]), random.integers(1, 9, shape[0])]
    statistics = np.column_stack(counted).astype(np.float64)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Problem(numbers(random, shape, whole), statistics, offsets, ratio, higher)


def numbers(random: np.random.Generator, shape: tuple[int, ...], whole: bool) -> Float64:
    """Draw whole numbers from -2 to 2, or normally distributed ones."""
    drawn = random.integers(-2, 3, shape) if whole else random.normal(size=shape)
    return np.asarray(drawn, np.float64)


def bleu_problem(seed: int, sentences: int = 8, most: int = 12, width: int = 5) -> Problem:
    """Make sentences with statistics of BLEU as Moses writes them."""
    random = np.random.default_rng(seed)
    counts = random.integers(1, most + 1, sentences)
    rows = []
    for _ in range(int(counts.sum())):
        words = int(random.integers(5, 15))
        matched = int(random.integers(1, words + 1))
        row: list[int] = []
        for order in range(4):
            matched = int(random.integers(0, matched + 1)) if order else matched
            row += [matched, words - order]
        rows.append([*row, 10])
    features = random.normal(size=(len(rows), width))
    parts = features, np.array(rows, np.float64), np.concatenate([[0], np.cumsum(counts)])
    return Problem(*parts, moses_bleu, objective="bleu")


METHODS = ["mert", "mira"]


def best_anywhere(problem: Problem, steps: int = 48) -> float:
    """Return the best value on a dense grid of directions of two weights."""
    angles = np.linspace(0, 2 * np.pi, 40 * steps, endpoint=False) + 1e-4
    weights = np.column_stack([np.cos(angles), np.sin(angles)])
    values = [problem.value(each) for each in weights]
    return max(values) if problem.higher_is_better else min(values)


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_mert_finds_the_best_of_two_weights(seed: int, higher: bool) -> None:
    problem = small_problem(seed, most=9, width=2, higher=higher)
    tuned = tune(problem, TuningOptions(starts=10))
    best = best_anywhere(problem)
    assert tuned.value == pytest.approx(best)
    assert tuned.value == problem.value(tuned.weights)
    assert len(tuned.starts) == 10
    assert np.abs(tuned.weights).sum() == pytest.approx(1)


@pytest.mark.parametrize("seed", range(4))
def test_no_single_weight_can_be_changed_for_the_better(seed: int) -> None:
    problem = bleu_problem(seed)
    tuned = tune(problem, TuningOptions(starts=1))
    steps = np.concatenate([-np.geomspace(1e-3, 10, 60), np.geomspace(1e-3, 10, 60)])
    for feature, step in itertools.product(range(problem.width), steps):
        moved = tuned.weights.copy()
        moved[feature] += step
        assert problem.value(moved) <= tuned.value + 1e-7


@pytest.mark.parametrize("method", METHODS)
def test_the_seed_decides(method: str) -> None:
    problem = bleu_problem(3, sentences=12)
    first, again, other = (
        tune(problem, TuningOptions(method=method, seed=seed, starts=5)) for seed in (1, 1, 2)
    )
    assert first.weights.tobytes() == again.weights.tobytes()
    assert first.weights.tobytes() != other.weights.tobytes()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("higher", [True, False])
def test_all_methods_learn_what_is_easy(method: str, higher: bool) -> None:
    """The metric is the second of three features; the others are noise."""
    random = np.random.default_rng(5)
    features = random.normal(size=(400, 3))
    gain = 1 / (1 + np.exp(-features[:, 1:2]))
    statistics = np.column_stack([gain, np.ones(400)])
    parts = features, statistics, np.arange(0, 401, 10), ratio
    problem = Problem(*parts, higher_is_better=higher)
    tuned = tune(problem, TuningOptions(method=method, starts=3))
    side = np.sign(tuned.weights[1])
    assert side == (1 if higher else -1)
    assert abs(tuned.weights[1]) > 0.8
    best = [gain[a : a + 10].max() if higher else gain[a : a + 10].min() for a in range(0, 400, 10)]
    assert tuned.value == pytest.approx(np.mean(best), abs=0.02)


def test_more_starts_go_on_from_fewer() -> None:
    problem, _ = drop_duplicates(bleu_problem(2))
    starts = Starts(seed=4)
    few, many = mert(problem, starts, start_count=2), mert(problem, starts, start_count=5)
    for one, other in zip(few, many, strict=False):
        assert one.weights.tobytes() == other.weights.tobytes()
    resumed = mert(problem, starts, start_count=5, finished_climbs=few)
    assert [c.weights.tobytes() for c in resumed] == [c.weights.tobytes() for c in many]


def same(one: Tuned, other: Tuned) -> bool:
    spreads = [np.asarray(each.spread).tobytes() for each in (one, other)]
    weights = one.weights.tobytes() == other.weights.tobytes()
    return weights and one.starts == other.starts and spreads[0] == spreads[1]


def test_a_start_at_which_all_candidates_are_equal_is_left() -> None:
    # Whichever side is taken, another candidate than the first wins, and all are better.
    problem = Problem(
        features=np.array([[0.0], [-1.0], [1.0], [3.0]]),
        statistics=np.array([[0.0], [1.0], [1.0], [1.0]]),
        offsets=np.array([0, 4]),
        score=lambda totals: totals[..., 0],
    )
    tuned = tune(problem, TuningOptions(start=np.zeros(1), starts=1))
    assert (tuned.before, tuned.value) == (0.0, 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_weights_are_numbers_however_little_a_feature_varies(method: str) -> None:
    problem = small_problem(3, most=9, width=3)
    tiny = replace(problem, features=problem.features * np.array([1e-310, 1.0, 1e100]))
    assert np.isfinite(tune(tiny, TuningOptions(method=method, starts=3)).weights).all()


def test_resamples_with_other_numbers_of_starts_do_not_mix(tmp_path: Path) -> None:
    problem = bleu_problem(7)
    many = tune(problem, TuningOptions(starts=8, retune=4))
    tune(problem, TuningOptions(starts=1, retune=3), output=tmp_path / "w")
    resumed = tune(problem, TuningOptions(starts=8, retune=4), output=tmp_path / "w", resume=True)
    assert same(many, resumed)


@pytest.mark.parametrize("stop", [1, 3, 5, 7])
def test_a_killed_tuning_goes_on(stop: int, tmp_path: Path) -> None:
    problem, output = bleu_problem(7), tmp_path / "weights"
    options = TuningOptions(starts=4, retune=3)
    few = partial(tune, options=options)
    whole = few(problem)
    left = 0

    def killed(work: str, done: int, total: int) -> None:
        nonlocal left
        left += 1
        if left == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        few(problem, output=output, progress=killed)
    message = "an unfinished tuning left this; resume=True continues"
    refuses(UsageError, message, few, problem, output=output)
    again = partial(few, output=output, resume=True)
    refuses(
        UsageError,
        "cannot be resumed with other seed",
        again,
        problem,
        options=replace(options, seed=9),
    )
    refuses(UsageError, "cannot be resumed with other data", again, bleu_problem(8))
    told: list[str] = []
    assert same(again(problem, progress=lambda *done: told.append(str(done))), whole)
    assert len(told) == 7 - stop
    assert same(few(problem, output=output, restart=True), whole)


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    (tmp_path / "w.checkpoint").write_bytes(b"x" * 100)
    refuses(ModelError, "w.checkpoint", tune, bleu_problem(1), output=tmp_path / "w", resume=True)
    with pytest.raises(UsageError, match="resume=True and restart=True are for output="):
        tune(bleu_problem(1), resume=True)


def test_features_that_never_vary_keep_their_weight() -> None:
    problem = bleu_problem(1)
    features = np.column_stack([problem.features[:, :2], np.full(len(problem.features), 7.0)])
    fixed = Problem(features, problem.statistics, problem.offsets, problem.score)
    with noted("1 of 3 features never differ .*: F_2"):
        tuned = tune(fixed, TuningOptions(start=np.array([0.1, 0.1, 0.8]), starts=6))
    assert tuned.weights[2] > 0
    with noted("never differ"):
        assert (
            tune(fixed, TuningOptions(method="mira", start=np.array([0.1, 0.1, 0.8]))).weights[2]
            > 0
        )


@pytest.mark.parametrize("method", METHODS)
def test_a_candidate_a_sentence_leaves_nothing_to_tune(method: str) -> None:
    problem = Problem(np.eye(3), np.ones((3, 1)), np.arange(4), lambda totals: totals[..., 0])
    with noted("3 of 3 features never differ"):
        tuned = tune(
            problem, TuningOptions(method=method, start=np.array([1.0, 0.0, -1.0]), starts=2)
        )
    assert tuned.weights.tolist() == [0.5, 0.0, -0.5]
    assert tuned.value == tuned.before == 3.0


def test_intervals_and_spread() -> None:
    problem = bleu_problem(9, sentences=30)
    tuned = tune(problem, TuningOptions(starts=2, confidence=0.9, resamples=200, retune=10))
    assert tuned.interval is not None
    assert tuned.interval[0] < tuned.value < tuned.interval[1]
    assert tuned.spread is not None
    assert tuned.spread.shape == (problem.width, 2)
    assert np.all(tuned.spread[:, 0] < tuned.spread[:, 1])


def test_options_that_are_wrong() -> None:
    problem = bleu_problem(1)
    refuses(
        UsageError,
        "unknown value for method 'mart'.*mert",
        tune,
        problem,
        TuningOptions(method="mart"),
    )
    refuses(UsageError, "at least 1 start", tune, problem, TuningOptions(starts=0))
    refuses(UsageError, "seed must not be negative", tune, problem, TuningOptions(seed=-1))
    refuses(
        UsageError, "2 start weights for 5 features", tune, problem, TuningOptions(start=np.ones(2))
    )
    five = np.ones(5)
    with pytest.raises(UsageError, match="start weights are numbers, not .*nan"):
        tune(problem, TuningOptions(start=np.array([1, 1, np.nan, 1, 1])))
    refuses(
        UsageError,
        "1 bounds for 5 features",
        tune,
        problem,
        TuningOptions(bounds=(np.ones(1), five)),
    )
    with pytest.raises(UsageError, match="a lowest weight is above the highest one"):
        tune(problem, TuningOptions(bounds=(five, -five)))
    refuses(
        UsageError,
        "the number of resamples must not be negative",
        tune,
        problem,
        TuningOptions(retune=-1),
    )
    for confidence in (0.0, 95.0, float("nan")):
        with pytest.raises(UsageError, match="confidence must lie between 0 and 1"):
            tune(problem, TuningOptions(confidence=confidence))


def test_pre_orderers_are_asked_together() -> None:
    reference = Orders.from_rows([[2, 0, 1], [1, 0], [0, 1, 2, 3]])
    good = replace(
        Orders.from_rows([[2, 0, 1], [0, 1], [0, 1, 2, 3]]), provenance=(("rules", "good"),)
    )
    poor = Orders.from_rows([[0, 1, 2], [1, 0], [3, 2, 1, 0]])
    worse = Orders.from_rows([[1, 0, 2], [0, 1], [3, 1, 2, 0]])
    frs = metric("frs")
    nbest = nbest_of_orders({"good": good, "poor": poor, "worse": worse}, metric("kendall"))
    found = nbest.text
    assert found == ("2 0 1", "0 1 2", "1 0 2", "0 1", "1 0", *("0 1 2 3", "3 2 1 0", "3 1 2 0"))
    assert nbest.offsets.tolist() == [0, 3, 5, 8]
    assert nbest.features[:3, 0] == pytest.approx([1, 1 / 3, 0])
    from wordorder.segments import Segments

    rows = Orders.from_rows([list(map(int, text.split())) for text in nbest.text])
    statistics = frs.statistics(Segments.from_orders(rows, reference.take(nbest.sentence)))
    tuned = tune(
        Problem(nbest.features, statistics, nbest.offsets, frs.score), TuningOptions(starts=5)
    )
    scores = [
        frs.corpus_score(Segments.from_orders(each, reference)).value for each in (good, poor)
    ]
    assert tuned.value >= max(scores)
    refuses(UsageError, "there are no orders", nbest_of_orders, {}, frs)
    for name in ("a b", "a=", "a|||b", ""):
        refuses(UsageError, "without blanks and =", nbest_of_orders, {name: good}, frs)
    with pytest.raises(UsageError, match="poor orders 1 sentences, good orders 3"):
        nbest_of_orders({"good": good, "poor": poor.take(np.array([0]))}, frs)


def test_climbs_are_plain_numbers() -> None:
    (climbed,) = mert(drop_duplicates(bleu_problem(1))[0], Starts(), start_count=1)
    assert isinstance(climbed, ClimbResult)
    assert climbed.rounds > 0


# -- The search along lines against one that looks between all crossings. --------------------------


def whole_score(totals: Float64) -> Float64:
    """Tell any choice of candidates from any other: each has a digit of its own."""
    return totals[..., 0]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_the_envelope_is_that_of_all_pairs(seed: int, whole: bool) -> None:
    made, _ = drop_duplicates(small_problem(seed, most=9, whole=whole))
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
    problem, _ = drop_duplicates(small_problem(seed, whole=whole, higher=higher))
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
    problem, _ = drop_duplicates(small_problem(seed, most=9, whole=whole))
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
    problem, _ = drop_duplicates(small_problem(seed, most=40, whole=seed % 2 == 0))
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
    made, kept = drop_duplicates(problem)
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
    parts = map(np.array, (features, statistics, offsets))
    refuses(WordOrderError, re.escape(said), Problem, *parts, whole_score)


def test_a_score_that_is_no_number_is_refused() -> None:
    parts = np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]]), np.array([0, 2])
    problem = Problem(*parts, lambda totals: np.where(totals[..., 0] > 0, 1.0, np.nan))
    with pytest.raises(UsageError, match=r"score is nan for the sums \[0.0\]"):
        LineSearch(problem).sweep(np.ones(1), np.empty((0, 1)))
