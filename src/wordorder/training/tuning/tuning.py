"""Tuning of weights on candidates, from files or arrays; the method MIRA."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.arrays import Float64
from wordorder.errors import UsageError, choose
from wordorder.messages import counted, names_arguments, percent
from wordorder.metrics.contract import BaseMetric
from wordorder.notes import grouped_notes, note
from wordorder.options import take_options
from wordorder.progress import shows_progress
from wordorder.scoring.files import Files, Metrics, make_metrics, paths
from wordorder.statistics.exact_sum import ExactSum
from wordorder.text.opening import Path, display_name
from wordorder.text.output import require_creatable
from wordorder.training.tuning.candidates import CandidateStatistics, list_kind
from wordorder.training.tuning.checkpoint import TuningCheckpoint, problem_signature
from wordorder.training.tuning.mert import (
    DEFAULT_DIRECTIONS,
    ClimbResult,
    Starts,
    inverse_spread,
    mert,
    unit_norm,
)
from wordorder.training.tuning.nbest import NBest
from wordorder.training.tuning.problem import Problem, drop_duplicates
from wordorder.training.tuning.weights_file import Tuned, read_start, save_tuned

METHODS = ("mert", "mira")

DEFAULT_STARTS = 20

# Values that differ by less are equal up to rounding.
VALUE_TOLERANCE = 1e-12

# Takes the name of the work, the number of steps done, and their total.
TuningProgress = Callable[[str, int, int], object]

MIRA_EPOCHS = 60

# The maximum step of one sentence, and the decay of earlier sentences in the background totals.
MAX_MIRA_STEP, MIRA_DECAY = 0.01, 0.999

# The scale of metric gains relative to scores, which vary by about 1.
GAIN_SCALE = 10.0


@dataclass(frozen=True, eq=False, kw_only=True)
class TuningOptions:
    """How weights are tuned.

    Attributes
    ----------
    method : "mert" or "mira"
    start : float64[F], optional
        The first weights. By default they are equal, each divided by the spread of its feature.
    bounds : two of float64[F], optional
        The lowest and highest weights of random starts.
    within : bool
        Whether MERT searches only between `bounds`, which must include `start`.
    starts : int
        The number of starts of MERT, `start` included.
    directions : int
        The number of random directions in each step of MERT, in addition to the axes. More take
        longer and find more.
    seed : int
    confidence : float, optional
        The level of intervals: of the value, by bootstrap resampling of the sentences, and, with
        `retune`, of each weight.
    resamples : int
        The number of resamples for the interval of the value.
    retune : int
        The number of resamples of the sentences on which the whole tuning is repeated, to show how
        far the weights spread.
    """

    method: str = "mert"
    start: Float64 | None = None
    bounds: tuple[Float64, Float64] | None = None
    within: bool = False
    starts: int = DEFAULT_STARTS
    directions: int = DEFAULT_DIRECTIONS
    seed: int = 12345
    confidence: float | None = None
    resamples: int = 1000
    retune: int = 0

    def check(self) -> None:
        """Raise a UsageError for an invalid value."""
        choose("--method", self.method, METHODS)
        if self.starts < 1:
            raise UsageError(f"at least 1 start is needed, got {self.starts}")
        values = (
            ("number of directions", self.directions),
            ("seed", self.seed),
            ("number of resamples", self.retune),
        )
        for name, value in values:
            if value < 0:
                raise UsageError(f"the {name} must not be negative, got {value}")
        if self.confidence is not None and not 0 < self.confidence < 1:
            raise UsageError(f"the confidence must lie between 0 and 1, got {self.confidence}")


@dataclass(frozen=True, eq=False)
class _Search:
    """A tuning: its options, and the points at which it starts."""

    options: TuningOptions
    points: Starts
    progress: TuningProgress | None

    def mert(self, problem: Problem, checkpoint: TuningCheckpoint) -> list[ClimbResult]:
        """Climb from all starts that are not in the checkpoint."""

        def save(climbs: Sequence[ClimbResult]) -> None:
            checkpoint.climbs = list(climbs)
            checkpoint.write()
            self.report("starts", len(climbs), self.options.starts)

        return mert(
            problem,
            self.points,
            start_count=self.options.starts,
            directions=self.options.directions,
            finished_climbs=checkpoint.climbs,
            on_climb=save,
        )

    def weights(self, problem: Problem, start: Float64) -> Float64:
        """Return the tuned weights of one run, without a checkpoint."""
        if not problem.varies.any():
            return start
        random = self.points.generator(0)
        if self.options.method == "mert":
            climbs = mert(
                problem,
                self.points,
                start_count=self.options.starts,
                directions=self.options.directions,
            )
            return highest_climb(climbs).weights
        tuned = mira(
            problem, start, random, progress=lambda n: self.report("epochs", n, MIRA_EPOCHS)
        )
        size = np.abs(tuned[problem.varies]).sum()
        return unit_norm(np.where(problem.varies, tuned / size if size > 0 else tuned, start))

    def report(self, work: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(work, done, total)


def highest_climb(climbs: Sequence[ClimbResult]) -> ClimbResult:
    """Return the climb with the best value; the first one on ties."""
    return max(climbs, key=lambda climb: climb.goodness)


@shows_progress("steps", lambda line: {"progress": line.show})
def tune(
    problem: Problem,
    options: TuningOptions | None = None,
    *,
    names: Sequence[str] | None = None,
    output: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    progress: TuningProgress | None = None,
) -> Tuned:
    """Find the weights whose chosen candidates score best under a metric.

    Parameters
    ----------
    problem : Problem
    options : TuningOptions, optional
    names : sequence of str, optional
        The features, one per column.
    output : path, optional
        The file of the weights; until it exists, the results so far are in its checkpoint.
    resume, restart : bool
        Continue from such a file, or start again in spite of it.
    progress : callable, optional
        Called with the name of the work, the number of finished steps, and their total.

    Raises
    ------
    UsageError
        If an option is invalid, or `start` or `names` do not have one entry per feature.

    Examples
    --------
    >>> problem = Problem(
    ...     features=np.array([[1.0, 0.0], [0.0, 1.0]]),
    ...     statistics=np.array([[0.0], [1.0]]),
    ...     offsets=np.array([0, 2]),
    ...     score=lambda totals: totals[..., 0],
    ... )
    >>> tuned = tune(problem, TuningOptions(start=np.array([1.0, 0.0])))
    >>> tuned.before, tuned.value
    (0.0, 1.0)
    """
    options = options or TuningOptions()
    options.check()
    if names is not None and len(names) != problem.width:
        raise UsageError(f"{len(names)} names for {problem.width} features")
    start, bounds = _checked_start(problem, options)
    feature_names = tuple(names or (f"F_{column}" for column in range(problem.width)))
    reduced, _ = drop_duplicates(problem)
    _note_duplicates(problem, reduced)
    _note_constant(reduced, feature_names)
    points = Starts(start, bounds, options.seed, options.within)
    first = unit_norm(points.start(reduced, 0, points.generator(0)))
    settings = {
        "data": problem_signature(reduced),
        "objective": problem.objective,
        "method": options.method,
        "directions": options.directions,
        "seed": options.seed,
        "start": first.tolist(),
        "bounds": None if bounds is None else [bound.tolist() for bound in bounds],
        **({"within": True} if options.within else {}),
    }
    checkpoint = TuningCheckpoint(output, settings, options.starts, resume=resume, restart=restart)
    search = _Search(options, points, progress)
    sign = 1.0 if problem.higher_is_better else -1.0
    if options.method == "mert":
        climbs = search.mert(reduced, checkpoint)
        weights = highest_climb(climbs).weights
        reached = tuple(sign * climb.goodness for climb in climbs)
    else:
        weights = search.weights(reduced, first)
        reached = (reduced.value(weights),)
    value, value_before = exact_value(reduced, weights), exact_value(reduced, first)
    _note_no_gain(reduced, weights, options.method, (*reached, value_before), value)
    interval = value_interval(
        reduced,
        reduced.statistics[reduced.chosen(weights)],
        confidence=options.confidence,
        resamples=options.resamples,
        seed=options.seed,
    )
    return Tuned(
        problem.objective,
        value,
        weights,
        feature_names,
        value_before,
        reached,
        problem.sentences,
        len(reduced.features),
        interval,
        _spread(reduced, first, search, checkpoint) if options.retune else None,
        options.method,
    )


def _checked_start(
    problem: Problem, options: TuningOptions
) -> tuple[Float64 | None, tuple[Float64, Float64] | None]:
    """Check and return the start weights and their bounds, one number per feature.

    Raises
    ------
    UsageError
        If a size is wrong, or `within` lacks bounds or start weights.
    """
    start, bounds = options.start, options.bounds
    start = None if start is None else _checked_weights(start, problem, "start weights")
    if bounds is not None:
        low, high = (_checked_weights(bound, problem, "bounds") for bound in bounds)
        if np.any(low > high):
            raise UsageError("a lowest weight is above the highest one")
        bounds = low, high
    if options.within and (bounds is None or start is None):
        raise UsageError("within needs bounds, and weights between them to start from")
    return start, bounds


def _note_duplicates(problem: Problem, reduced: Problem) -> None:
    """Note how many candidates have the same features as another one."""
    if duplicate_count := len(problem.features) - len(reduced.features):
        total_text = counted(len(problem.features), "candidate")
        note(
            f"{duplicate_count} of {total_text} "
            f"({percent(duplicate_count, len(problem.features))}) have the same features as an "
            "earlier one of their sentence, so no weights can choose them"
        )


def _note_no_gain(
    problem: Problem, weights: Float64, method: str, reached_values: Sequence[float], value: float
) -> None:
    """Note that tuning did not raise the value; the last reached value is the one before."""
    sign = 1.0 if problem.higher_is_better else -1.0
    value_before = reached_values[-1]
    if sign * value < sign * value_before:
        note(
            f"{method} did not improve {_objective_name(problem)}: {value_before:.6f} before, "
            f"{value:.6f} now"
        )
    elif np.ptp([*reached_values]) < VALUE_TOLERANCE and _is_unmoved(problem, weights):
        note(
            f"no other candidate of a sentence changes {_objective_name(problem)} ({value:.6f}): "
            "all weights score the same"
        )


def _is_unmoved(problem: Problem, weights: Float64) -> bool:
    """Return whether no change of a single candidate changes the value.

    False if no features vary, which has a note of its own.
    """
    if not problem.varies.any():
        return False
    chosen = problem.statistics[problem.chosen(weights)]
    totals = chosen.sum(axis=0) - chosen[problem.sentence_of] + problem.statistics
    return bool(np.ptp(problem.score(totals)) < VALUE_TOLERANCE)


def exact_value(problem: Problem, weights: Float64) -> float:
    """Return the metric's value of the candidates that weights choose, from an exact sum."""

    total = ExactSum(problem.statistics.shape[1])
    total.add(problem.statistics[problem.chosen(weights)])
    return float(problem.score(total.totals()))


def value_interval(
    problem: Problem, statistics: Float64, *, confidence: float | None, resamples: int, seed: int
) -> tuple[float, float] | None:
    """Return the bootstrap interval of the value over sentences; None without a confidence."""
    if confidence is None:
        return None
    from wordorder.statistics import intervals, measurement

    measured = measurement.Measurement([statistics], problem.score, problem.higher_is_better)
    ((estimate,),) = intervals.confidence_intervals(
        [measured], confidence=confidence, resamples=resamples, seed=seed
    )
    return estimate.low, estimate.high


def _spread(
    problem: Problem, first: Float64, search: _Search, checkpoint: TuningCheckpoint
) -> Float64:
    """Return the interval of each weight when it is tuned on resampled sentences, float64[F, 2]."""
    from wordorder.statistics.intervals import interval

    options, resampled = search.options, checkpoint.resampled
    while len(resampled) < options.retune:
        # Generator numbers far beyond those of starts.
        random = search.points.generator((1 << 32) + len(resampled))
        sample = problem.take(random.integers(0, problem.sentences, problem.sentences))
        resampled.append(search.weights(sample, first))
        checkpoint.write()
        search.report("resamples", len(resampled), options.retune)
    level = 0.95 if options.confidence is None else options.confidence
    return np.column_stack(interval(np.array(resampled[: options.retune]).T, level))


def _checked_weights(
    values: Sequence[float] | Float64, problem: Problem, description: str
) -> Float64:
    """Return weights as an array; raise a UsageError unless there is one number per feature."""
    weights = np.asarray(values, np.float64)
    if weights.shape != (problem.width,):
        raise UsageError(f"{weights.size} {description} for {problem.width} features")
    if not np.isfinite(weights).all():
        raise UsageError(f"{description} are numbers, not {weights.tolist()}")
    return weights


def _note_constant(problem: Problem, names: Sequence[str]) -> None:
    """Note the features that never vary within a sentence."""
    constant = [name for name, varies in zip(names, problem.varies, strict=True) if not varies]
    if constant:
        share = f"{len(constant)} of {len(names)} features"
        listing = ", ".join(constant[:5]) + (", ..." if len(constant) > 5 else "")
        note(f"{share} never differ within a sentence, so their weights stay: {listing}")


def _objective_name(problem: Problem) -> str:
    return problem.objective.partition("|")[0]


@names_arguments
def tune_files(
    nbest: Path | Sequence[Path],
    reference: Path,
    metric: Metrics = "bleu",
    *,
    settings: Sequence[str] = (),
    start: Path | None = None,
    output: Path | None = None,
    reranked: Path | None = None,
    **options: Any,
) -> Tuned:
    """Tune the weights of n-best lists.

    Parameters
    ----------
    nbest : path or sequence of paths
        Lists of one or several runs; see `NBest.read`.
    reference : path
        A reference translation of each sentence, or reference orders if the candidates are orders.
    metric : str
        The metric to optimise: a name, with options, or a sum.
    settings : sequence of str
        Options of the metric, ``[METRIC.]KEY=VALUE``.
    start : path, optional
        Weights to start from; see `read_start`.
    output : path, optional
        The file of the weights.
    reranked : path, optional
        A file for the lists with the scores of the new weights, best candidates first.
    options
        Fields of `TuningOptions`; ``resume``, ``restart`` and ``progress`` of `tune`; and fields of
        `wordorder.scoring.files.Files`: ``references=["ref1.txt"]``, ``aligner="exact"``.

    Raises
    ------
    UsageError
        If a name is unknown, or options contradict each other.
    InputError
        If a file is malformed; the message names the line.
    """
    tuning = take_options(options, TuningOptions)
    run = {name: options.pop(name) for name in ("resume", "restart", "progress") if name in options}
    lists = paths(nbest)
    outputs = [path for path in (output, reranked) if path is not None]
    for path in outputs:
        require_creatable(path)
    if len(set(map(os.path.realpath, outputs))) < len(outputs):
        raise UsageError(f"{output}: weights and lists need files of their own")
    nbest_lists, problem = read_problem(lists, reference, metric, settings=settings, **options)
    first, bounds = (None, None) if start is None else read_start(start, nbest_lists.names)
    tuning |= {"start": first, "bounds": bounds}
    tuned = tune(problem, TuningOptions(**tuning), names=nbest_lists.names, output=output, **run)
    if reranked is not None:
        nbest_lists.reranked(tuned.weights).write(reranked)
    if output is not None:
        save_tuned(tuned, output)
    return tuned


def read_problem(
    nbest: Sequence[str],
    reference: Path,
    metric: Metrics,
    *,
    settings: Sequence[str] = (),
    **options: Any,
) -> tuple[NBest, Problem]:
    """Read n-best lists and references; return the lists and the input of tuning."""
    (metric_named,) = one_metric(metric, settings)
    tokenized = metric_named.with_tokenizer(options.get("tokenizer", "auto"))
    if options.get("reference_alignments"):
        # The alignments of candidates are in the lists, which are read once.
        options["hypothesis_alignments"] = [display_name(nbest[0])]
    files = Files.of(reference, {"candidates": nbest[0]}, options)
    kind = list_kind(files, tokenized)
    with grouped_notes():
        nbest_lists = NBest.read(*nbest)
        return nbest_lists, CandidateStatistics(tokenized, kind).problem(nbest_lists)


def one_metric(metric: Metrics, settings: Sequence[str]) -> list[BaseMetric]:
    """Return a list with the metric of this name; raise a UsageError for several."""
    metrics = make_metrics(metric, settings, set())
    if len(metrics) > 1:
        names = ", ".join(chosen.name for chosen in metrics)
        raise UsageError(f'-m names several metrics: {names}; join them in a sum: "0.5*a+0.5*b"')
    return metrics


def mira(
    problem: Problem,
    start: Float64,
    random: np.random.Generator,
    *,
    epochs: int = MIRA_EPOCHS,
    progress: Callable[[int], object] | None = None,
) -> Float64:
    """Return weights by batch MIRA (Cherry and Foster 2012).

    Each sentence has a hope, the candidate with the largest sum of score and gain, and a fear, the
    one with the largest score minus gain. The gain of a candidate is the metric's value for the
    statistics of the previous sentences (with decay) plus its own. If hope does not beat fear by
    the difference of their gains, the weights move towards it. Weights are averaged over all
    sentences; the average of the epoch with the best value on all lists is returned.

    Parameters
    ----------
    problem : Problem
    start : float64[F]
    random : numpy.random.Generator
        Draws the order of the sentences in each epoch.
    epochs : int
    progress : callable, optional
        Called with the number of finished epochs.

    Returns
    -------
    float64[F]
        `start` if no epoch is better.
    """
    scale = inverse_spread(problem)
    features = problem.features * scale
    # Features that never vary keep their weight, which has no effect.
    weights = np.where(scale > 0, unit_norm(start) / np.where(scale > 0, scale, 1.0), 0.0)
    norm = np.abs(weights).sum()
    weights = weights / norm if norm > 0 else weights
    background = problem.totals(start).astype(np.float64)
    seen = float(problem.sentences)
    total, steps = np.zeros_like(weights), 0
    best, best_goodness = start, float(problem.goodness(problem.totals(start)))
    bounds = problem.offsets.tolist()
    for epoch in range(1, epochs + 1):
        for sentence in random.permutation(problem.sentences).tolist():
            rows = slice(bounds[sentence], bounds[sentence + 1])
            statistics = problem.statistics[rows]
            scores = np.einsum("nf,f->n", features[rows], weights)
            gains = GAIN_SCALE * (seen + 1) * problem.goodness(background + statistics)
            hope, fear = int(np.argmax(scores + gains)), int(np.argmax(scores - gains))
            feature_difference = features[rows][hope] - features[rows][fear]
            loss = gains[hope] - gains[fear] - float((feature_difference * weights).sum())
            length = float((feature_difference * feature_difference).sum())
            if loss > 0 and length > 0:
                weights = weights + min(MAX_MIRA_STEP, loss / length) * feature_difference
            background = MIRA_DECAY * background + statistics[int(np.argmax(scores))]
            seen = MIRA_DECAY * seen + 1
            total += weights
            steps += 1
        average = np.where(problem.varies, total / steps * scale, start)
        goodness = float(problem.goodness(problem.totals(average)))
        if goodness > best_goodness:
            best, best_goodness = average, goodness
        if progress is not None:
            progress(epoch)
    return best
