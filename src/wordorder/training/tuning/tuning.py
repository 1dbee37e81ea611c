"""Tuning of weights on the candidates of sentences, by any of the methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.counts import counted, percent
from wordorder.errors import UsageError, choose
from wordorder.notes import note
from wordorder.text.opening import Path
from wordorder.training.tuning.checkpoint import TuningCheckpoint, problem_signature
from wordorder.training.tuning.mert import DIRECTIONS, Climbed, Starts, highest, mert, unit
from wordorder.training.tuning.problem import Problem, distinct
from wordorder.training.tuning.tuned import Tuned
from wordorder.types import Float64

METHODS = ("mert", "pro", "mira")
STARTS = 20
# Is told what is done, how many of it, and of how many.
OnTuning = Callable[[str, int, int], object]


@dataclass(frozen=True, eq=False)
class _Task:
    """One tuning: where it begins, and how."""

    method: str
    begin: Starts
    starts: int
    directions: int
    progress: OnTuning | None

    def mert(self, problem: Problem, kept: TuningCheckpoint) -> list[Climbed]:
        """Climb from all starts that are not done yet."""

        def after(climbs: Sequence[Climbed]) -> None:
            kept.climbs = list(climbs)
            kept.write()
            self.told("starts", len(climbs), self.starts)

        return mert(
            problem,
            self.begin,
            number=self.starts,
            directions=self.directions,
            done=kept.climbs,
            after=after,
        )

    def weights(self, problem: Problem, start: Float64) -> Float64:
        """Return the weights of a method that has a single start."""
        if not problem.varies.any():
            return start
        random = self.begin.generator(0)
        if self.method == "mira":
            from wordorder.training.tuning.mira import EPOCHS, mira

            told = self.told
            found = mira(problem, start, random, progress=lambda n: told("epochs", n, EPOCHS))
        else:
            from wordorder.training.tuning.pro import pro

            score = problem.score_sentences or problem.score
            values = np.asarray(score(problem.statistics), np.float64)
            found = pro(problem, values if problem.higher_is_better else -values, random)
            if not found.any():
                note("no two candidates of a sentence differ enough for PRO: the weights stay")
                return start
        size = np.abs(found[problem.varies]).sum()
        return unit(np.where(problem.varies, found / size if size > 0 else found, start))

    def told(self, work: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(work, done, total)


def tune(
    problem: Problem,
    *,
    names: Sequence[str] | None = None,
    start: Float64 | None = None,
    bounds: tuple[Float64, Float64] | None = None,
    within: bool = False,
    method: str = "mert",
    starts: int = STARTS,
    directions: int = DIRECTIONS,
    seed: int = 12345,
    confidence: float | None = None,
    resamples: int = 1000,
    retune: int = 0,
    output: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    progress: OnTuning | None = None,
) -> Tuned:
    """Find the weights whose chosen candidates a metric likes best.

    Parameters
    ----------
    problem : Problem
    names : sequence of str, optional
        The features, one a column.
    start : float64[F], optional
        The weights that tuning begins with. Without it they are equal, each divided by the spread
        of its feature.
    bounds : two of float64[F], optional
        The lowest and highest weights of random starts.
    within : bool
        Whether MERT looks nowhere else than between `bounds`, where `start` must be.
    method : "mert", "pro" or "mira"
    starts : int
        How many starts MERT has, `start` among them.
    directions : int
        In how many random directions MERT looks in each step, beside the axes. More take longer and
        find more.
    seed : int
    confidence : float, optional
        The level of intervals: that of the value, by bootstrap resampling of the sentences, and,
        if there are `retune`, that of each weight.
    resamples : int
        How many are drawn for the interval of the value.
    retune : int
        On how many resamples of the sentences the whole tuning is done again, to see how far the
        weights spread.
    output : path, optional
        Where the weights will go: what is done is kept beside it until then.
    resume, restart : bool
        Whether to go on from such a file, or to begin again in spite of it.
    progress : callable, optional
        Told what is done, how many of it, and of how many.

    Raises
    ------
    UsageError
        If an option's value is wrong, or `start` or `names` are not one a feature.

    Examples
    --------
    >>> problem = Problem(
    ...     features=np.array([[1.0, 0.0], [0.0, 1.0]]),
    ...     statistics=np.array([[0.0], [1.0]]),
    ...     offsets=np.array([0, 2]),
    ...     score=lambda totals: totals[..., 0],
    ... )
    >>> tuned = tune(problem, start=np.array([1.0, 0.0]))
    >>> tuned.before, tuned.value
    (0.0, 1.0)
    """
    choose("--method", method, METHODS)
    if starts < 1:
        raise UsageError(f"at least 1 start is needed, got {starts}")
    if directions < 0:
        raise UsageError(f"the number of directions must not be negative, got {directions}")
    if seed < 0:
        raise UsageError(f"the seed must not be negative, got {seed}")
    if confidence is not None and not 0 < confidence < 1:
        raise UsageError(f"the confidence must lie between 0 and 1, got {confidence}")
    if retune < 0:
        raise UsageError(f"the number of resamples must not be negative, got {retune}")
    if names is not None and len(names) != problem.width:
        raise UsageError(f"{len(names)} names for {problem.width} features")
    start = None if start is None else _weights(start, problem, "start weights")
    if bounds is not None:
        low, high = (_weights(each, problem, "bounds") for each in bounds)
        if np.any(low > high):
            raise UsageError("a lowest weight is above the highest one")
        bounds = low, high
    if within and (bounds is None or start is None):
        raise UsageError("within needs bounds, and weights between them to start from")
    named = tuple(names or (f"F_{column}" for column in range(problem.width)))
    whole, _ = distinct(problem)
    if alike := len(problem.features) - len(whole.features):
        number = counted(len(problem.features), "candidate")
        note(
            f"{alike} of {number} ({percent(alike, len(problem.features))}) have the features of "
            "one before them: no weights can choose them"
        )
    _note_constant(whole, named)
    begin = Starts(start, bounds, seed, within)
    first = unit(begin.start(whole, 0, begin.generator(0)))
    settings = {
        "data": problem_signature(whole),
        "objective": problem.objective,
        "method": method,
        "directions": directions,
        "seed": seed,
        "start": first.tolist(),
        "bounds": None if bounds is None else [each.tolist() for each in bounds],
        **({"within": True} if within else {}),
    }
    kept = TuningCheckpoint(output, settings, starts, resume=resume, restart=restart)
    task = _Task(method, begin, starts, directions, progress)
    sign = 1.0 if problem.higher_is_better else -1.0
    if method == "mert":
        climbs = task.mert(whole, kept)
        weights = highest(climbs).weights
        reached = tuple(sign * climb.goodness for climb in climbs)
    else:
        weights = task.weights(whole, first)
        reached = (whole.value(weights),)
    value, before = exact_value(whole, weights), exact_value(whole, first)
    if sign * value < sign * before:
        note(f"{method} did not improve {_name(problem)}: {before:.6f} before, {value:.6f} now")
    level = 0.95 if confidence is None else confidence
    return Tuned(
        problem.objective,
        value,
        weights,
        named,
        before,
        reached,
        problem.sentences,
        len(whole.features),
        None if confidence is None else _interval(whole, weights, level, resamples, seed),
        _spread(whole, first, level, retune, task, kept) if retune else None,
        method,
    )


def exact_value(problem: Problem, weights: Float64) -> float:
    """Return the metric's value of the candidates that weights choose, from an exact sum."""
    from wordorder.statistics.exact_sum import ExactSum

    total = ExactSum(problem.statistics.shape[1])
    total.add(problem.statistics[problem.chosen(weights)])
    return float(problem.score(total.totals()))


def _interval(
    problem: Problem, weights: Float64, level: float, resamples: int, seed: int
) -> tuple[float, float]:
    """Return the bootstrap interval of the value, the weights being as they are."""
    from wordorder.statistics.intervals import confidence_intervals
    from wordorder.statistics.measurement import Measurement

    chosen = problem.statistics[problem.chosen(weights)]
    measurement = Measurement([chosen], problem.score, problem.higher_is_better)
    ((estimate,),) = confidence_intervals(
        [measurement], confidence=level, resamples=resamples, seed=seed
    )
    return estimate.low, estimate.high


def _spread(
    problem: Problem,
    first: Float64,
    level: float,
    number: int,
    task: _Task,
    kept: TuningCheckpoint,
) -> Float64:
    """Return the interval of each weight when it is tuned on resampled sentences, float64[F, 2]."""
    from wordorder.statistics.intervals import interval

    while len(kept.resampled) < number:
        # Their numbers are far beyond those of starts.
        random = task.begin.generator((1 << 32) + len(kept.resampled))
        drawn = problem.take(random.integers(0, problem.sentences, problem.sentences))
        if task.method == "mert":
            climbs = mert(drawn, task.begin, number=task.starts, directions=task.directions)
            found = highest(climbs).weights
        else:
            found = task.weights(drawn, first)
        kept.resampled.append(found)
        kept.write()
        task.told("resamples", len(kept.resampled), number)
    return np.column_stack(interval(np.array(kept.resampled[:number]).T, level))


def _weights(given: Sequence[float] | Float64, problem: Problem, what: str) -> Float64:
    """Return numbers that were given, once they are one a feature."""
    weights = np.asarray(given, np.float64)
    if weights.shape != (problem.width,):
        raise UsageError(f"{weights.size} {what} for {problem.width} features")
    if not np.isfinite(weights).all():
        raise UsageError(f"{what} are numbers, not {weights.tolist()}")
    return weights


def _note_constant(problem: Problem, names: Sequence[str]) -> None:
    """Say which features no weight can make use of."""
    constant = [name for name, varies in zip(names, problem.varies, strict=True) if not varies]
    if constant:
        share = f"{len(constant)} of {len(names)} features"
        shown = ", ".join(constant[:5]) + (", ..." if len(constant) > 5 else "")
        note(f"{share} never differ within a sentence, so their weights stay: {shown}")


def _name(problem: Problem) -> str:
    return problem.objective.partition("|")[0]
