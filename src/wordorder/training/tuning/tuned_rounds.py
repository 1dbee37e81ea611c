"""What tuning a decoder in rounds found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.types import Float64


@dataclass(frozen=True, eq=False)
class Round:
    """One round: what the decoder found with the weights of the round before.

    Attributes
    ----------
    number : int
        0 is the start, whose weights are not tuned.
    weights : float64[F]
        Those that were decoded with.
    value : float
        The metric's value of the best candidates.
    new, candidates : int
        How many candidates no round before had, and how many there are of all rounds.
    """

    number: int
    weights: Float64
    value: float
    new: int
    candidates: int


@dataclass(frozen=True, eq=False)
class Run:
    """All rounds with one seed, and the best of them."""

    seed: int
    rounds: tuple[Round, ...]
    best: Round


@dataclass(frozen=True, eq=False)
class TunedRounds:
    """Tuned weights of a decoder, and what they are worth.

    Attributes
    ----------
    objective : str
        The signature of the metric.
    names : tuple of str
        The features.
    runs : tuple of Run
        One a seed.
    best : Run
        That with the best value, whose weights count.
    sentences : int
    higher_is_better : bool
    method : "mira", "mert" or "pro"
    interval : (low, high), optional
        The bootstrap interval of `value` over the sentences, for these weights.
    """

    objective: str
    names: tuple[str, ...]
    runs: tuple[Run, ...]
    best: Run
    sentences: int
    higher_is_better: bool
    method: str
    interval: tuple[float, float] | None = None

    @property
    def value(self) -> float:
        """The metric's value of what the decoder finds best with the tuned weights."""
        return self.best.best.value

    @property
    def before(self) -> float:
        """The value at the weights that tuning began with."""
        return self.best.rounds[0].value

    @property
    def weights(self) -> Float64:
        """The tuned weights, float64[F]; their absolute values sum up to 1, but for PRO, MIRA."""
        return self.best.best.weights

    @property
    def values(self) -> Float64:
        """The value of each run, float64[R]."""
        return np.array([run.best.value for run in self.runs])

    @property
    def run_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean over runs, by Student's t; None for a single run.

        How much the value depends on the optimizer's random choices (Clark et al. 2011).
        """
        values = self.values
        if len(values) < 2:
            return None
        from wordorder.statistics.distributions import student_quantile

        mean, deviation = float(values.mean()), float(values.std(ddof=1))
        half = student_quantile(0.975, len(values) - 1) * deviation / np.sqrt(len(values))
        return mean - float(half), mean + float(half)
