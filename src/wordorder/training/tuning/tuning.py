"""Tuning of weights on the candidates of sentences: of files, and the method MIRA."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.arrays import Float64
from wordorder.errors import UsageError, choose
from wordorder.messages import counted, names_arguments, percent
from wordorder.metrics.contract import BaseMetric
from wordorder.notes import grouped_notes, note
from wordorder.progress import shows_progress
from wordorder.scoring.files import Files, Metrics, make_metrics, paths
from wordorder.statistics.exact_sum import ExactSum
from wordorder.text.opening import Path, display_name
from wordorder.text.output import require_creatable
from wordorder.training.tuning.candidates import CandidateStatistics, list_kind
from wordorder.training.tuning.checkpoint import TuningCheckpoint, problem_signature
from wordorder.training.tuning.mert import DIRECTIONS, Climbed, Starts, inverse_spread, mert, unit
from wordorder.training.tuning.nbest import NBest
from wordorder.training.tuning.problem import Problem, distinct
from wordorder.training.tuning.weights_file import Tuned, read_start, save_tuned

METHODS = ("mert", "mira")

STARTS = 20

# Values that are closer differ by rounding.
SAME = 1e-12

# Takes the name of the work, the number of steps done, and their total.
OnTuning = Callable[[str, int, int], object]

# What `tune` takes; all other options say how files are read.
OF_TUNING = (
    *("method", "starts", "directions", "seed", "confidence", "resamples", "retune"),
    *("resume", "restart", "progress"),
)

EPOCHS = 60

# How far one sentence may move the weights, and how fast the sentences before it are forgotten.
FARTHEST, DECAY = 0.01, 0.999

# What the metric's gain on a sentence is worth beside scores that vary by about 1.
WORTH = 10.0


@dataclass(frozen=True, eq=False)
class _Task:
    """One tuning: where it begins, and how."""

    method: str
    begin: Starts
    starts: int
    directions: int
    progress: OnTuning | None

    def mert(self, problem: Problem, checkpoint: TuningCheckpoint) -> list[Climbed]:
        """Climb from all starts that are not done yet."""

        def after(climbs: Sequence[Climbed]) -> None:
            checkpoint.climbs = list(climbs)
            checkpoint.write()
            self.told("starts", len(climbs), self.starts)

        return mert(
            problem,
            self.begin,
            number=self.starts,
            directions=self.directions,
            done=checkpoint.climbs,
            after=after,
        )

    def weights(self, problem: Problem, start: Float64) -> Float64:
        """Return the weights of a method that has a single start."""
        if not problem.varies.any():
            return start
        random = self.begin.generator(0)
        if self.method == "mert":
            climbs = mert(problem, self.begin, number=self.starts, directions=self.directions)
            return highest(climbs).weights
        report = self.told
        found_weights = mira(problem, start, random, progress=lambda n: report("epochs", n, EPOCHS))
        size = np.abs(found_weights[problem.varies]).sum()
        return unit(
            np.where(problem.varies, found_weights / size if size > 0 else found_weights, start)
        )

    def told(self, work: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(work, done, total)


def highest(climbs: Sequence[Climbed]) -> Climbed:
    """Return the climb that came highest; the first of several."""
    return max(climbs, key=lambda climb: climb.goodness)


@shows_progress("steps", lambda line: {"progress": line.show})
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
        The features, one per column.
    start : float64[F], optional
        The weights that tuning begins with. Without it they are equal, each divided by the spread
        of its feature.
    bounds : two of float64[F], optional
        The lowest and highest weights of random starts.
    within : bool
        Whether MERT looks nowhere else than between `bounds`, where `start` must be.
    method : "mert" or "mira"
    starts : int
        How many starts MERT has, `start` among them.
    directions : int
        The random directions of each step of MERT, in addition to the axes. More take longer and
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
        The file of the weights; until it exists, the results so far are in its checkpoint.
    resume, restart : bool
        Whether to go on from such a file, or to begin again in spite of it.
    progress : callable, optional
        Takes the name of the work, the number of steps done, and their total.

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
    numbers = {"number of directions": directions, "seed": seed, "number of resamples": retune}
    _check_numbers(numbers, confidence)
    if names is not None and len(names) != problem.width:
        raise UsageError(f"{len(names)} names for {problem.width} features")
    start, bounds = _checked_start(problem, start, bounds, within=within)
    feature_names = tuple(names or (f"F_{column}" for column in range(problem.width)))
    reduced, _ = distinct(problem)
    _note_alike(problem, reduced)
    _note_constant(reduced, feature_names)
    begin = Starts(start, bounds, seed, within)
    first = unit(begin.start(reduced, 0, begin.generator(0)))
    settings = {
        "data": problem_signature(reduced),
        "objective": problem.objective,
        "method": method,
        "directions": directions,
        "seed": seed,
        "start": first.tolist(),
        "bounds": None if bounds is None else [bound.tolist() for bound in bounds],
        **({"within": True} if within else {}),
    }
    checkpoint = TuningCheckpoint(output, settings, starts, resume=resume, restart=restart)
    task = _Task(method, begin, starts, directions, progress)
    sign = 1.0 if problem.higher_is_better else -1.0
    if method == "mert":
        climbs = task.mert(reduced, checkpoint)
        weights = highest(climbs).weights
        reached = tuple(sign * climb.goodness for climb in climbs)
    else:
        weights = task.weights(reduced, first)
        reached = (reduced.value(weights),)
    value, value_before = exact_value(reduced, weights), exact_value(reduced, first)
    _note_no_gain(reduced, weights, method, (*reached, value_before), value)
    level = 0.95 if confidence is None else confidence
    chosen = reduced.statistics[reduced.chosen(weights)]
    how: dict[str, Any] = {"confidence": confidence, "resamples": resamples, "seed": seed}
    interval = value_interval(reduced, chosen, **how)
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
        _spread(reduced, first, level, retune, task, checkpoint) if retune else None,
        method,
    )


def _check_numbers(numbers: Mapping[str, int], confidence: float | None) -> None:
    """Raise a UsageError for a negative number, or for a confidence that is not a share."""
    for name, number in numbers.items():
        if number < 0:
            raise UsageError(f"the {name} must not be negative, got {number}")
    if confidence is not None and not 0 < confidence < 1:
        raise UsageError(f"the confidence must lie between 0 and 1, got {confidence}")


def _checked_start(
    problem: Problem,
    start: Float64 | None,
    bounds: tuple[Float64, Float64] | None,
    *,
    within: bool,
) -> tuple[Float64 | None, tuple[Float64, Float64] | None]:
    """Return the start weights and their bounds, one number per feature.

    Raises
    ------
    UsageError
        If they are not, or `within` needs what is missing.
    """
    start = None if start is None else _weights(start, problem, "start weights")
    if bounds is not None:
        low, high = (_weights(bound, problem, "bounds") for bound in bounds)
        if np.any(low > high):
            raise UsageError("a lowest weight is above the highest one")
        bounds = low, high
    if within and (bounds is None or start is None):
        raise UsageError("within needs bounds, and weights between them to start from")
    return start, bounds


def _note_alike(problem: Problem, reduced: Problem) -> None:
    """Note how many candidates have the features of another one."""
    if alike := len(problem.features) - len(reduced.features):
        number = counted(len(problem.features), "candidate")
        note(
            f"{alike} of {number} ({percent(alike, len(problem.features))}) have the features of "
            "one before them: no weights can choose them"
        )


def _note_no_gain(
    problem: Problem, weights: Float64, method: str, others: Sequence[float], value: float
) -> None:
    """Note that tuning did not raise the value; the last of `others` is the value before."""
    sign = 1.0 if problem.higher_is_better else -1.0
    value_before = others[-1]
    if sign * value < sign * value_before:
        note(
            f"{method} did not improve {_name(problem)}: {value_before:.6f} before, {value:.6f} now"
        )
    elif np.ptp([*others]) < SAME and _is_unmoved(problem, weights):
        note(
            f"no other candidate of a sentence changes {_name(problem)} ({value:.6f}): it cannot "
            "tell weights apart"
        )


def _is_unmoved(problem: Problem, weights: Float64) -> bool:
    """Say whether the value stays when any one sentence gets any other of its candidates.

    False where the features do not tell any candidates apart, which has a note of its own.
    """
    if not problem.varies.any():
        return False
    chosen = problem.statistics[problem.chosen(weights)]
    totals = chosen.sum(axis=0) - chosen[problem.sentence_of] + problem.statistics
    return bool(np.ptp(problem.score(totals)) < SAME)


def exact_value(problem: Problem, weights: Float64) -> float:
    """Return the metric's value of the candidates that weights choose, from an exact sum."""

    total = ExactSum(problem.statistics.shape[1])
    total.add(problem.statistics[problem.chosen(weights)])
    return float(problem.score(total.totals()))


def value_interval(
    problem: Problem, statistics: Float64, *, confidence: float | None, resamples: int, seed: int
) -> tuple[float, float] | None:
    """Return the bootstrap interval of the value over the sentences, if there is to be one."""
    if confidence is None:
        return None
    from wordorder.statistics import intervals, measurement

    measured = measurement.Measurement([statistics], problem.score, problem.higher_is_better)
    ((estimate,),) = intervals.confidence_intervals(
        [measured], confidence=confidence, resamples=resamples, seed=seed
    )
    return estimate.low, estimate.high


def _spread(
    problem: Problem,
    first: Float64,
    level: float,
    number: int,
    task: _Task,
    checkpoint: TuningCheckpoint,
) -> Float64:
    """Return the interval of each weight when it is tuned on resampled sentences, float64[F, 2]."""
    from wordorder.statistics.intervals import interval

    while len(checkpoint.resampled) < number:
        # Their numbers are far beyond those of starts.
        random = task.begin.generator((1 << 32) + len(checkpoint.resampled))
        sample = problem.take(random.integers(0, problem.sentences, problem.sentences))
        checkpoint.resampled.append(task.weights(sample, first))
        checkpoint.write()
        task.told("resamples", len(checkpoint.resampled), number)
    return np.column_stack(interval(np.array(checkpoint.resampled[:number]).T, level))


def _weights(weights_in: Sequence[float] | Float64, problem: Problem, description: str) -> Float64:
    """Return numbers that were given, once they are one a feature."""
    weights = np.asarray(weights_in, np.float64)
    if weights.shape != (problem.width,):
        raise UsageError(f"{weights.size} {description} for {problem.width} features")
    if not np.isfinite(weights).all():
        raise UsageError(f"{description} are numbers, not {weights.tolist()}")
    return weights


def _note_constant(problem: Problem, names: Sequence[str]) -> None:
    """Note the features that no weight can use."""
    constant = [name for name, varies in zip(names, problem.varies, strict=True) if not varies]
    if constant:
        share = f"{len(constant)} of {len(names)} features"
        listing = ", ".join(constant[:5]) + (", ..." if len(constant) > 5 else "")
        note(f"{share} never differ within a sentence, so their weights stay: {listing}")


def _name(problem: Problem) -> str:
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
    """Tune the weights of n-best lists, as ``wordorder tune`` does.

    Parameters
    ----------
    nbest : path or sequence of paths
        Lists of one or several runs, as `NBest.read` takes them.
    reference : path
        A reference translation of each sentence, or reference orders if the candidates are orders.
    metric : str
        What is to be made as good as can be: the name of a metric, with options, or a sum.
    settings : sequence of str
        Options of the metric, ``[METRIC.]KEY=VALUE``.
    start : path, optional
        Weights to start from, as `read_start` takes them.
    output : path, optional
        Where the weights go.
    reranked : path, optional
        Where the lists go with the scores of the new weights, best candidate first.
    options
        The options of `wordorder.training.tune`; and fields of `wordorder.scoring.files.Files`, by
        name: ``references=["ref1.txt"]``, ``aligner="exact"``.

    Raises
    ------
    UsageError
        If a name is unknown, or options do not go together.
    InputError
        If a file is wrong; the message names the line.
    """
    tuning = {name: options.pop(name) for name in OF_TUNING if name in options}
    lists = paths(nbest)
    outputs = [path for path in (output, reranked) if path is not None]
    for path in outputs:
        require_creatable(path)
    if len(set(map(os.path.realpath, outputs))) < len(outputs):
        raise UsageError(f"{output}: weights and lists need files of their own")
    read, problem = read_problem(lists, reference, metric, settings=settings, **options)
    first, bounds = (None, None) if start is None else read_start(start, read.names)
    tuned = tune(problem, names=read.names, start=first, bounds=bounds, output=output, **tuning)
    if reranked is not None:
        read.reranked(tuned.weights).write(reranked)
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
    """Read n-best lists and references, and what a metric counts for each candidate."""
    (metric_named,) = one_metric(metric, settings)
    tokenized = metric_named.with_tokenizer(options.get("tokenizer", "auto"))
    if options.get("reference_alignments"):
        # Those of the candidates are in the lists, which are read once.
        options["hypothesis_alignments"] = [display_name(nbest[0])]
    files = Files.of(reference, {"candidates": nbest[0]}, options)
    kind = list_kind(files, tokenized)
    with grouped_notes():
        read = NBest.read(*nbest)
        return read, CandidateStatistics(tokenized, kind).problem(read)


def one_metric(metric: Metrics, settings: Sequence[str]) -> list[BaseMetric]:
    """Return the metric of a name, alone in a list; refuse several."""
    metrics = make_metrics(metric, settings, set())
    if len(metrics) > 1:
        names = ", ".join(metric_found.name for metric_found in metrics)
        raise UsageError(f'-m names several metrics: {names}; join them in a sum: "0.5*a+0.5*b"')
    return metrics


def mira(
    problem: Problem,
    start: Float64,
    random: np.random.Generator,
    *,
    epochs: int = EPOCHS,
    progress: Callable[[int], object] | None = None,
) -> Float64:
    """Return weights by batch MIRA (Cherry and Foster 2012).

    Each sentence has a hope, the candidate with the largest sum of score and gain, and a fear, that
    with the largest score minus gain. The gain of a candidate is the metric's value of the
    statistics of the sentences so far, older ones counting less, with the candidate's added. Where
    hope does not win by the difference of their gains, the weights move towards it. Weights are
    averaged over all sentences; the average of the epoch with the best value on all lists is kept.

    Parameters
    ----------
    problem : Problem
    start : float64[F]
    random : numpy.random.Generator
        Draws the order of the sentences in each epoch.
    epochs : int
    progress : callable, optional
        Told how many epochs are done.

    Returns
    -------
    float64[F]
        `start` where no epoch is better.
    """
    scale = inverse_spread(problem)
    features = problem.features * scale
    # Features that never vary keep their weight, which moves nothing.
    weights = np.where(scale > 0, unit(start) / np.where(scale > 0, scale, 1.0), 0.0)
    size = np.abs(weights).sum()
    weights = weights / size if size > 0 else weights
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
            gains = WORTH * (seen + 1) * problem.goodness(background + statistics)
            hope, fear = int(np.argmax(scores + gains)), int(np.argmax(scores - gains))
            apart = features[rows][hope] - features[rows][fear]
            loss = gains[hope] - gains[fear] - float((apart * weights).sum())
            length = float((apart * apart).sum())
            if loss > 0 and length > 0:
                weights = weights + min(FARTHEST, loss / length) * apart
            background = DECAY * background + statistics[int(np.argmax(scores))]
            seen = DECAY * seen + 1
            total += weights
            steps += 1
        average = np.where(problem.varies, total / steps * scale, start)
        goodness = float(problem.goodness(problem.totals(average)))
        if goodness > best_goodness:
            best, best_goodness = average, goodness
        if progress is not None:
            progress(epoch)
    return best
