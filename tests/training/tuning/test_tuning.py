"""MERT, PRO and MIRA: what they reach, and that the same seed gives the same weights."""

import itertools
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.refusing import refuses
from tests.training.tuning.problems import bleu_problem, small_problem

from wordorder.errors import ModelError, UsageError
from wordorder.messages import WordOrderWarning
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.training import Problem, Tuned, nbest_of_orders, tune
from wordorder.training.tuning.mert import Climbed, Starts, mert
from wordorder.training.tuning.problem import distinct
from wordorder.training.tuning.tuning import fit_logistic

METHODS = ["mert", "pro", "mira"]


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
    tuned = tune(problem, starts=10)
    best = best_anywhere(problem)
    assert tuned.value == pytest.approx(best)
    assert tuned.value == problem.value(tuned.weights)
    assert len(tuned.starts) == 10
    assert np.abs(tuned.weights).sum() == pytest.approx(1)


@pytest.mark.parametrize("seed", range(4))
def test_no_single_weight_can_be_changed_for_the_better(seed: int) -> None:
    problem = bleu_problem(seed)
    tuned = tune(problem, starts=1)
    steps = np.concatenate([-np.geomspace(1e-3, 10, 60), np.geomspace(1e-3, 10, 60)])
    for feature, step in itertools.product(range(problem.width), steps):
        moved = tuned.weights.copy()
        moved[feature] += step
        assert problem.value(moved) <= tuned.value + 1e-7


@pytest.mark.parametrize("method", METHODS)
def test_the_seed_decides(method: str) -> None:
    problem = bleu_problem(3, sentences=12)
    first, again, other = (tune(problem, method=method, seed=seed, starts=5) for seed in (1, 1, 2))
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
    problem = Problem(
        features,
        statistics,
        np.arange(0, 401, 10),
        lambda totals: totals[..., 0] / np.maximum(totals[..., 1], 1),
        higher_is_better=higher,
    )
    tuned = tune(problem, method=method, starts=3)
    side = np.sign(tuned.weights[1])
    assert side == (1 if higher else -1)
    assert abs(tuned.weights[1]) > 0.8
    best = [gain[a : a + 10].max() if higher else gain[a : a + 10].min() for a in range(0, 400, 10)]
    assert tuned.value == pytest.approx(np.mean(best), abs=0.02)


def test_more_starts_go_on_from_fewer() -> None:
    problem, _ = distinct(bleu_problem(2))
    starts = Starts(seed=4)
    few, many = mert(problem, starts, number=2), mert(problem, starts, number=5)
    for one, other in zip(few, many, strict=False):
        assert one.weights.tobytes() == other.weights.tobytes()
    resumed = mert(problem, starts, number=5, done=few)
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
    tuned = tune(problem, start=np.zeros(1), starts=1)
    assert (tuned.before, tuned.value) == (0.0, 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_weights_are_numbers_however_little_a_feature_varies(method: str) -> None:
    problem = small_problem(3, most=9, width=3)
    tiny = replace(problem, features=problem.features * np.array([1e-310, 1.0, 1e100]))
    assert np.isfinite(tune(tiny, method=method, starts=3).weights).all()


def test_resamples_with_other_numbers_of_starts_do_not_mix(tmp_path: Path) -> None:
    problem = bleu_problem(7)
    many = tune(problem, starts=8, retune=4)
    tune(problem, starts=1, retune=3, output=tmp_path / "w")
    resumed = tune(problem, starts=8, retune=4, output=tmp_path / "w", resume=True)
    assert same(many, resumed)


@pytest.mark.parametrize("stop", [1, 3, 5, 7])
def test_a_killed_tuning_goes_on(stop: int, tmp_path: Path) -> None:
    problem, output = bleu_problem(7), tmp_path / "weights"
    few = partial(tune, starts=4, retune=3)
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
    refuses(UsageError, "cannot be resumed with other seed", again, problem, seed=9)
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
    with pytest.warns(WordOrderWarning, match="1 of 3 features never differ .*: F_2"):
        tuned = tune(fixed, start=np.array([0.1, 0.1, 0.8]), starts=6)
    assert tuned.weights[2] > 0
    for method in ("pro", "mira"):
        with pytest.warns(WordOrderWarning, match="never differ"):
            assert tune(fixed, method=method, start=np.array([0.1, 0.1, 0.8])).weights[2] > 0


@pytest.mark.parametrize("method", METHODS)
def test_a_candidate_a_sentence_leaves_nothing_to_tune(method: str) -> None:
    problem = Problem(np.eye(3), np.ones((3, 1)), np.arange(4), lambda totals: totals[..., 0])
    with pytest.warns(WordOrderWarning, match="3 of 3 features never differ"):
        tuned = tune(problem, method=method, start=np.array([1.0, 0.0, -1.0]), starts=2)
    assert tuned.weights.tolist() == [0.5, 0.0, -0.5]
    assert tuned.value == tuned.before == 3.0


def test_intervals_and_spread() -> None:
    problem = bleu_problem(9, sentences=30)
    tuned = tune(problem, starts=2, confidence=0.9, resamples=200, retune=10)
    assert tuned.interval is not None
    assert tuned.interval[0] < tuned.value < tuned.interval[1]
    assert tuned.spread is not None
    assert tuned.spread.shape == (problem.width, 2)
    assert np.all(tuned.spread[:, 0] < tuned.spread[:, 1])


def test_options_that_are_wrong() -> None:
    problem = bleu_problem(1)
    refuses(UsageError, "unknown value for method 'mart'.*mert", tune, problem, method="mart")
    refuses(UsageError, "at least 1 start", tune, problem, starts=0)
    refuses(UsageError, "seed must not be negative", tune, problem, seed=-1)
    refuses(UsageError, "2 start weights for 5 features", tune, problem, start=np.ones(2))
    five = np.ones(5)
    with pytest.raises(UsageError, match="start weights are numbers, not .*nan"):
        tune(problem, start=np.array([1, 1, np.nan, 1, 1]))
    refuses(UsageError, "1 bounds for 5 features", tune, problem, bounds=(np.ones(1), five))
    with pytest.raises(UsageError, match="a lowest weight is above the highest one"):
        tune(problem, bounds=(five, -five))
    refuses(UsageError, "the number of resamples must not be negative", tune, problem, retune=-1)
    for confidence in (0.0, 95.0, float("nan")):
        with pytest.raises(UsageError, match="confidence must lie between 0 and 1"):
            tune(problem, confidence=confidence)


def test_logistic_regression_is_at_its_minimum() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(200, 4)) * [1, 10, 0.1, 3] + [0.5, 0, 0, -1]
    weights = fit_logistic(rows)

    def loss(at: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        return float(np.log1p(np.exp(-rows @ at)).sum() + at @ at / 2)

    gradient = weights - rows.T @ (1 / (1 + np.exp(rows @ weights)))
    assert np.abs(gradient).max() < 1e-6
    for _ in range(50):
        assert loss(weights) <= loss(weights + random.normal(size=4) * 1e-3)
    assert fit_logistic(np.empty((0, 3))).tolist() == [0.0, 0.0, 0.0]
    # Rows that one weight separates: the penalty keeps it finite.
    assert 0 < fit_logistic(np.ones((1000, 1)) * 100)[0] < 1


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
    tuned = tune(Problem(nbest.features, statistics, nbest.offsets, frs.score), starts=5)
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
    (climbed,) = mert(distinct(bleu_problem(1))[0], Starts(), number=1)
    assert isinstance(climbed, Climbed)
    assert climbed.rounds > 0
