"""Tune a decoder: decode, merge the lists of all rounds, tune on them, decode again."""

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
from wordorder.training.tuning.mert import DEFAULT_DIRECTIONS, inverse_spread, unit_norm
from wordorder.training.tuning.nbest import GrowingList, NBest
from wordorder.training.tuning.problem import Problem
from wordorder.training.tuning.tuning import (
    DEFAULT_STARTS,
    TuningOptions,
    TuningProgress,
    tune,
    value_interval,
)
from wordorder.training.tuning.weights_file import Round, Run, TunedRounds

ROUNDS_FORMAT = "wordorder tuning in rounds"
DEFAULT_ROUNDS = 10
# MIRA's result depends less on the seed than MERT's, and it is faster.
DEFAULT_METHOD = "mira"
# A run ends after this number of rounds without a better value.
PATIENCE = 5
# Weights that differ by less are considered equal.
WEIGHT_TOLERANCE = 1e-6
# MERT may move any weight at least this far in a round, as a share of the mean weight.
MIN_REACH = 0.05

# Returns the candidates of a decoder under weights, the best of each sentence first.
Decode = Callable[[Float64], NBest]
# Called with the number of the run, counted from 1, and the finished round.
OnRound = Callable[[int, Round], object]


@dataclass(frozen=True, eq=False)
class RoundSettings:
    """Settings for tuning a decoder.

    Attributes
    ----------
    method : "mira" or "mert", optional
        By default that of the tuning which is resumed, else MIRA.
    rounds : int
        The maximum number of rounds of a run.
    runs : int
        The number of runs, with different seeds.
    starts, directions : int, optional
        For MERT, in each round: 20 and 8 by default.
    seed : int
    confidence : float, optional
        The level of an interval of the value, by bootstrap resampling of the sentences.
    resamples : int
    """

    method: str | None = None
    rounds: int = DEFAULT_ROUNDS
    runs: int = 1
    starts: int | None = None
    directions: int | None = None
    seed: int = 12345
    confidence: float | None = None
    resamples: int = 1000

    def __post_init__(self) -> None:
        for name in ("rounds", "runs"):
            whole_number(name, getattr(self, name))

    def with_method(self, earlier_method: str | None) -> RoundSettings:
        """Return the settings with defaults filled in.

        The method is the given one, else `earlier_method`, else the default.

        Raises
        ------
        UsageError
            If options of MERT are set, `method` is not, and the method that follows is not MERT.
        """
        method = self.method or earlier_method or DEFAULT_METHOD
        for option, value in (("--points", self.starts), ("--directions", self.directions)):
            if self.method is None and method != "mert" and value is not None:
                raise UsageError(
                    f"{option} is for --method=mert; without --method a model is tuned by "
                    f"{DEFAULT_METHOD}"
                )
        return replace(
            self,
            method=method,
            starts=DEFAULT_STARTS if self.starts is None else self.starts,
            directions=DEFAULT_DIRECTIONS if self.directions is None else self.directions,
        )


def tune_in_rounds(
    decode: Decode,
    metric: BaseMetric,
    references: FileKind,
    start: Float64,
    settings: RoundSettings,
    *,
    output: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    progress: TuningProgress | None = None,
    on_round: OnRound | None = None,
) -> TunedRounds:
    """Tune the weights of a decoder on the sentences that it translates.

    In each round the sentences are decoded with the weights of the previous one; new candidates are
    added to those of earlier rounds, and the weights are tuned on all of them. A run ends when no
    candidate is new, the weights do not change, or the value of the decoder's best translations has
    not risen for five rounds. The weights of its best round are kept.

    MERT searches near the previous weights (`weight_bounds`): a list decoded with some weights
    lacks the candidates that very different weights would give. A feature that never varies within
    a sentence keeps its weight.

    Parameters
    ----------
    decode : callable
        Weights to candidates; the same weights give the same candidates.
    metric : BaseMetric
    references : FileKind
    start : float64[F]
        The weights of the first round.
    settings : RoundSettings
    output : path, optional
        The file of the weights; until it exists, the weights of each round are in its checkpoint.
    resume, restart : bool
        Whether to continue from that checkpoint, or to start again and replace it. The sentences of
        finished rounds are decoded again, which takes little time; weights are not tuned again.
    progress : callable, optional
        Called with the progress of the tuning of a round.
    on_round : callable, optional
        Called with each finished round.

    Raises
    ------
    UsageError
        If an option is invalid, or a checkpoint exists that is neither resumed nor restarted.
    InputError
        If the input of the metric is malformed.
    """
    checkpoint = tuning_file(output, ROUNDS_FORMAT, resume=resume, restart=restart)
    saved = checkpoint.read({}, subset=True) if checkpoint.resumed else None
    settings = settings.with_method(None if saved is None else saved[0]["settings"].get("method"))
    start = unit_norm(np.asarray(start, np.float64))
    first_candidates = decode(start)
    if not any(first_candidates.text):
        raise UsageError("the development text has no words to translate")
    candidate_statistics = CandidateStatistics(metric, references)
    problem = candidate_statistics.problem(first_candidates)
    settings_used = {
        "data": problem_signature(problem),
        "objective": problem.objective,
        "start": start.tolist(),
        **{name: getattr(settings, name) for name in ("method", "starts", "directions", "seed")},
    }
    saved_weights = _SavedWeights(checkpoint, settings_used)
    sign = 1.0 if problem.higher_is_better else -1.0
    runs, statistics_of_runs = [], []
    for run_index in range(settings.runs):
        run = _Run(decode, candidate_statistics, settings, run_index, saved_weights, progress, sign)
        finished_rounds = []
        for tuned_round, statistics in run.rounds(start, first_candidates):
            finished_rounds.append(tuned_round)
            if on_round is not None:
                on_round(run_index + 1, tuned_round)
            if tuned_round is best_round(finished_rounds, sign):
                run_statistics = statistics
        runs.append(Run(run.seed, tuple(finished_rounds), best_round(finished_rounds, sign)))
        statistics_of_runs.append(run_statistics)
    best_run = max(range(len(runs)), key=lambda run: sign * runs[run].best.value)
    interval_options = {
        name: getattr(settings, name) for name in ("confidence", "resamples", "seed")
    }
    interval = value_interval(problem, statistics_of_runs[best_run], **interval_options)
    return TunedRounds(
        problem.objective,
        first_candidates.names,
        tuple(runs),
        runs[best_run],
        problem.sentences,
        problem.higher_is_better,
        settings.method or DEFAULT_METHOD,
        interval,
    )


def best_round(rounds: Sequence[Round], sign: float) -> Round:
    """Return the round with the best value; the first one on ties."""
    return max(rounds, key=lambda tuned_round: sign * tuned_round.value)


class _SavedWeights:
    """The tuned weights of each round, by run: those of the checkpoint and new ones."""

    def __init__(self, checkpoint: Checkpoint, settings: dict[str, Any]) -> None:
        self._checkpoint = checkpoint
        self._settings = settings
        self.runs: dict[int, list[Float64]] = {}
        saved = checkpoint.read(settings) if checkpoint.resumed else None
        if saved is None:
            return
        with checkpoint.unpacked():
            _, arrays = saved
            for run, weights in zip(arrays["runs"].tolist(), arrays["weights"], strict=True):
                self.runs.setdefault(run, []).append(np.array(weights, np.float64))

    def add(self, run: int, weights: Float64) -> None:
        """Add the weights of the next round of a run, and write the checkpoint."""
        self.runs.setdefault(run, []).append(weights)
        round_weights = [weights for rounds in self.runs.values() for weights in rounds]
        run_indices = [run for run, rounds in self.runs.items() for _ in rounds]
        arrays = {
            "runs": np.array(run_indices, np.int64),
            "weights": np.array(round_weights, np.float64),
        }
        self._checkpoint.write(self._settings, arrays)


@dataclass(eq=False)
class _Run:
    """A run: rounds of decoding and tuning; `sign` is -1 if lower values are better, else 1."""

    decode: Decode
    candidate_statistics: CandidateStatistics
    settings: RoundSettings
    run_index: int
    saved_weights: _SavedWeights
    progress: TuningProgress | None
    sign: float

    @property
    def seed(self) -> int:
        return self.settings.seed + self.run_index

    def rounds(self, start: Float64, first: NBest) -> Any:
        """Yield each round with the statistics of the decoder's best candidates, float64[S, k]."""
        merged_list = GrowingList()
        weights, nbest = start, first
        best_value, rounds_since_best = -np.inf, 0
        for round_number in range(self.settings.rounds + 1):
            if round_number:
                nbest = self.decode(weights)
            new_count = merged_list.add(nbest)
            assert merged_list.nbest is not None
            problem = self.candidate_statistics.problem(merged_list.nbest)
            # The merged list has these candidates, so their statistics are already stored.
            decoded_problem = self.candidate_statistics.problem(nbest)
            statistics = decoded_problem.statistics[decoded_problem.offsets[:-1]]
            value = float(problem.score(statistics.sum(axis=0)))
            yield Round(round_number, weights, value, new_count, len(merged_list.nbest)), statistics
            rounds_since_best = 0 if self.sign * value > best_value else rounds_since_best + 1
            best_value = max(best_value, self.sign * value)
            if (
                not new_count
                or rounds_since_best == PATIENCE
                or round_number == self.settings.rounds
            ):
                return
            new_weights = self._tuned(problem, merged_list.nbest.names, weights, round_number)
            if np.abs(new_weights - weights).max() < WEIGHT_TOLERANCE:
                return
            weights = new_weights

    def _tuned(
        self, problem: Problem, names: Sequence[str], weights: Float64, round_number: int
    ) -> Float64:
        """Return the weights that are tuned after a round, from the checkpoint if it has them."""
        earlier_rounds = self.saved_weights.runs.get(self.run_index, [])
        if round_number < len(earlier_rounds):
            return earlier_rounds[round_number]
        result = tune(
            problem,
            TuningOptions(
                start=weights,
                bounds=weight_bounds(problem, weights),
                within=True,
                method=self.settings.method or DEFAULT_METHOD,
                starts=self.settings.starts or DEFAULT_STARTS,
                directions=self.settings.directions or 0,
                seed=int(np.random.SeedSequence([self.seed, round_number]).generate_state(1)[0]),
            ),
            names=names,
            progress=self.progress,
        )
        scaled = rescale(result.weights, weights, problem.varies)
        self.saved_weights.add(self.run_index, scaled)
        return scaled


def weight_bounds(problem: Problem, weights: Float64) -> tuple[Float64, Float64]:
    """Return the lowest and highest weights that MERT may reach in a round, two of float64[F].

    The size of a weight is its effect on scores: its absolute value times the spread of its
    feature. Each weight may change by its own size, but at least by a twentieth of the mean size of
    the weights of features that vary, so that a weight near 0 can grow or change its sign.
    """
    scale = inverse_spread(problem)
    varies = scale > 0
    distance = np.abs(weights[varies]) * problem.spread[varies]
    min_reach = MIN_REACH * float(distance.mean()) * scale if varies.any() else 0.0 * scale
    reach = np.maximum(np.abs(weights), min_reach)
    return weights - reach, weights + reach


def rescale(tuned: Float64, previous: Float64, varies: Bool) -> Float64:
    """Rescale tuned weights of features that vary to the total size of the previous ones.

    Weights of other features stay as they were.

    Examples
    --------
    >>> varies = np.array([True, True, False])
    >>> rescale(np.array([0.2, -0.6, 0.2]), np.array([0.3, 0.2, 0.5]), varies).tolist()
    [0.125, -0.375, 0.5]
    """
    size, previous_size = (float(np.abs(vector[varies]).sum()) for vector in (tuned, previous))
    if not (size > 0 and previous_size > 0):
        return tuned
    return np.where(varies, tuned * (previous_size / size), previous)
