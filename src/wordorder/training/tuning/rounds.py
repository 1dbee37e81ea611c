"""Tuning of a decoder: decode, join the lists of all rounds, tune on them, decode again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.arrays import Bool, Float64
from wordorder.errors import UsageError, whole_number
from wordorder.metrics.contract import BaseMetric
from wordorder.scoring.files import FileKind
from wordorder.text.checkpoints import Checkpoint
from wordorder.text.opening import Path
from wordorder.training.tuning.candidates import CandidateStatistics
from wordorder.training.tuning.checkpoint import problem_signature, tuning_file
from wordorder.training.tuning.mert import DIRECTIONS, inverse_spread, unit
from wordorder.training.tuning.nbest import GrowingList, NBest
from wordorder.training.tuning.problem import Problem
from wordorder.training.tuning.tuning import STARTS, OnTuning, tune, value_interval
from wordorder.training.tuning.weights_file import Round, Run, TunedRounds

FORMAT = "wordorder tuning in rounds"
ROUNDS = 10
# MIRA's outcome depends less on the seed than MERT's, and it takes less time.
METHOD = "mira"
# Tuning ends after this number of rounds without a better value.
PATIENCE = 5
# Weights that differ by less are the same.
CLOSE = 1e-6
# How far MERT may move a weight near 0 in one round, as a share of the average weight.
FREEDOM = 0.05

# Returns the candidates that a decoder finds under weights: of each sentence the best first.
Decode = Callable[[Float64], NBest]
# Is told the number of the run, counted from 1, and the round that is done.
OnRound = Callable[[int, Round], object]


@dataclass(frozen=True, eq=False)
class RoundSettings:
    """How a decoder is tuned.

    Attributes
    ----------
    method : "mira" or "mert", optional
        Without it that of the tuning which is resumed, else MIRA.
    rounds : int
        How often the weights are tuned in each run, at most.
    runs : int
        How often all is done, each time with another seed.
    starts, directions : int, optional
        Of MERT, in each round: 20 and 8 unless they are given.
    seed : int
    confidence : float, optional
        The level of an interval of the value, by bootstrap resampling of the sentences.
    resamples : int
    """

    method: str | None = None
    rounds: int = ROUNDS
    runs: int = 1
    starts: int | None = None
    directions: int | None = None
    seed: int = 12345
    confidence: float | None = None
    resamples: int = 1000

    def __post_init__(self) -> None:
        for name in ("rounds", "runs"):
            whole_number(name, getattr(self, name))

    def settled(self, earlier_method: str | None) -> RoundSettings:
        """Return them with a method, that of an earlier run before the usual one, and its options.

        Raises
        ------
        UsageError
            If they have options of MERT and no method, and it is another.
        """
        method = self.method or earlier_method or METHOD
        for option, value in (("--points", self.starts), ("--directions", self.directions)):
            if self.method is None and method != "mert" and value is not None:
                raise UsageError(
                    f"{option} is for --method=mert; without --method a model is tuned by {METHOD}"
                )
        return replace(
            self,
            method=method,
            starts=STARTS if self.starts is None else self.starts,
            directions=DIRECTIONS if self.directions is None else self.directions,
        )


def tune_in_rounds(
    decode: Decode,
    metric: BaseMetric,
    kind: FileKind,
    start: Float64,
    settings: RoundSettings,
    *,
    output: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    progress: OnTuning | None = None,
    after: OnRound | None = None,
) -> TunedRounds:
    """Tune the weights of a decoder on the sentences that it translates.

    In each round the sentences are decoded with the weights of the round before; candidates that
    are new join those of earlier rounds, and the weights are tuned on all of them. A run ends when
    no candidate is new, the weights stay, or the value of what the decoder finds best has not risen
    for five rounds. The weights of its best round are kept.

    MERT looks for weights near those of the round before (`near`): a list that was made with some
    weights lacks what a decoder would find with very different ones. A feature that tells no
    candidates of a sentence apart keeps its weight.

    Parameters
    ----------
    decode : callable
        Weights to candidates; the same weights give the same candidates.
    metric : BaseMetric
    kind : FileKind
        The references.
    start : float64[F]
        The weights of the first round.
    settings : RoundSettings
    output : path, optional
        The file of the weights; until it exists, the weights of each round are in its checkpoint.
    resume, restart : bool
        Whether to go on from such a file, or to begin again in spite of it. Rounds that are done
        are decoded again, which takes little time, and not tuned again.
    progress, after : callable, optional
        Told how far the tuning of a round is, and of each round that is done.

    Raises
    ------
    UsageError
        If an option's value is wrong, or a checkpoint is there that nobody spoke of.
    InputError
        If what the metric reads is wrong.
    """
    checkpoint = tuning_file(output, FORMAT, resume=resume, restart=restart)
    saved = checkpoint.read({}, subset=True) if checkpoint.resumed else None
    settings = settings.settled(None if saved is None else saved[0]["settings"].get("method"))
    start = unit(np.asarray(start, np.float64))
    first = decode(start)
    if not any(first.text):
        raise UsageError("the development text has no words to translate")
    counted = CandidateStatistics(metric, kind)
    problem = counted.problem(first)
    depends = {
        "data": problem_signature(problem),
        "objective": problem.objective,
        "start": start.tolist(),
        **{name: getattr(settings, name) for name in ("method", "starts", "directions", "seed")},
    }
    done = _Done(checkpoint, depends)
    sign = 1.0 if problem.higher_is_better else -1.0
    runs, chosen = [], []
    for number in range(settings.runs):
        run = _Run(decode, counted, settings, number, done, progress, sign)
        rounds = []
        for round_done, statistics in run.rounds(start, first):
            rounds.append(round_done)
            if after is not None:
                after(number + 1, round_done)
            if round_done is best_round(rounds, sign):
                best = statistics
        runs.append(Run(run.seed, tuple(rounds), best_round(rounds, sign)))
        chosen.append(best)
    best_run = max(range(len(runs)), key=lambda run: sign * runs[run].best.value)
    how = {name: getattr(settings, name) for name in ("confidence", "resamples", "seed")}
    interval = value_interval(problem, chosen[best_run], **how)
    return TunedRounds(
        problem.objective,
        first.names,
        tuple(runs),
        runs[best_run],
        problem.sentences,
        problem.higher_is_better,
        settings.method or METHOD,
        interval,
    )


def best_round(rounds: Sequence[Round], sign: float) -> Round:
    """Return the round with the best value; the first of several."""
    return max(rounds, key=lambda each: sign * each.value)


class _Done:
    """The weights that each round of each run came to, as far as they are known."""

    def __init__(self, checkpoint: Checkpoint, depends: dict[str, Any]) -> None:
        self._checkpoint = checkpoint
        self._depends = depends
        self.runs: dict[int, list[Float64]] = {}
        saved = checkpoint.read(depends) if checkpoint.resumed else None
        if saved is None:
            return
        with checkpoint.unpacked():
            _, arrays = saved
            for run, weights in zip(arrays["runs"].tolist(), arrays["weights"], strict=True):
                self.runs.setdefault(run, []).append(np.array(weights, np.float64))

    def add(self, run: int, weights: Float64) -> None:
        """Keep the weights of a further round."""
        self.runs.setdefault(run, []).append(weights)
        pairs = [(number, run_round) for number, rows in self.runs.items() for run_round in rows]
        arrays = {
            "runs": np.array([number for number, _ in pairs], np.int64),
            "weights": np.array([round_done for _, round_done in pairs], np.float64),
        }
        self._checkpoint.write(self._depends, arrays)


@dataclass(eq=False)
class _Run:
    """One run: round after round."""

    decode: Decode
    counted: CandidateStatistics
    settings: RoundSettings
    number: int
    done: _Done
    progress: OnTuning | None
    sign: float

    @property
    def seed(self) -> int:
        return self.settings.seed + self.number

    def rounds(self, start: Float64, first: NBest) -> Any:
        """Yield each round, and the statistics of what the decoder finds best, float64[S, k]."""
        growing = GrowingList()
        weights, nbest = start, first
        best, since = -np.inf, 0
        for number in range(self.settings.rounds + 1):
            if number:
                nbest = self.decode(weights)
            new = growing.add(nbest)
            assert growing.nbest is not None
            problem = self.counted.problem(growing.nbest)
            # What is decoded is known by now: nothing is counted twice.
            decoded = self.counted.problem(nbest)
            statistics = decoded.statistics[decoded.offsets[:-1]]
            value = float(problem.score(statistics.sum(axis=0)))
            yield Round(number, weights, value, new, len(growing.nbest)), statistics
            since = 0 if self.sign * value > best else since + 1
            best = max(best, self.sign * value)
            if not new or since == PATIENCE or number == self.settings.rounds:
                return
            tuned = self._tuned(problem, growing.nbest.names, weights, number)
            if np.abs(tuned - weights).max() < CLOSE:
                return
            weights = tuned

    def _tuned(
        self, problem: Problem, names: Sequence[str], weights: Float64, number: int
    ) -> Float64:
        """Return the weights after a round, from an earlier run of the program if it had them."""
        earlier_rounds = self.done.runs.get(self.number, [])
        if number < len(earlier_rounds):
            return earlier_rounds[number]
        tuned = tune(
            problem,
            names=names,
            start=weights,
            bounds=near(problem, weights),
            within=True,
            method=self.settings.method or METHOD,
            starts=self.settings.starts or STARTS,
            directions=self.settings.directions or 0,
            seed=int(np.random.SeedSequence([self.seed, number]).generate_state(1)[0]),
            progress=self.progress,
        )
        scaled = in_proportion(tuned.weights, weights, problem.varies)
        self.done.add(self.number, scaled)
        return scaled


def near(problem: Problem, weights: Float64) -> tuple[Float64, Float64]:
    """Return how low and how high weights may go in one round, two of float64[F].

    Each may change by as much as it is; and by a twentieth of what the weights of all features
    that vary are on average, so that one near 0 can grow, or change its sign. A weight counts as
    what it moves the scores by: times the spread of its feature.
    """
    scale = inverse_spread(problem)
    varies = scale > 0
    distance = np.abs(weights[varies]) * problem.spread[varies]
    least = FREEDOM * float(distance.mean()) * scale if varies.any() else 0.0 * scale
    reach = np.maximum(np.abs(weights), least)
    return weights - reach, weights + reach


def in_proportion(tuned: Float64, previous: Float64, varies: Bool) -> Float64:
    """Return tuned weights of the features that vary, together as large as before.

    The lists say nothing about the others, so these keep their weights.

    Examples
    --------
    >>> varies = np.array([True, True, False])
    >>> in_proportion(np.array([0.2, -0.6, 0.2]), np.array([0.3, 0.2, 0.5]), varies).tolist()
    [0.125, -0.375, 0.5]
    """
    size, wanted_size = (float(np.abs(vector[varies]).sum()) for vector in (tuned, previous))
    if not (size > 0 and wanted_size > 0):
        return tuned
    return np.where(varies, tuned * (wanted_size / size), previous)
