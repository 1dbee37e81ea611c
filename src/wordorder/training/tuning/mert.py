"""Minimum error rate training: climbing along lines from several starts (Och 2003)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from wordorder.training.tuning.line_search import LineSearch
from wordorder.training.tuning.problem import Problem
from wordorder.training.tuning.real_numbers import LARGEST
from wordorder.types import Float64

# A step that gains less is none; six decimals are printed.
GAIN = 1e-8
# Random directions beside the axes, in each round.
DIRECTIONS = 8


@dataclass(frozen=True, eq=False)
class Climbed:
    """Where one climb ended.

    Attributes
    ----------
    weights : float64[F]
        Their absolute values sum up to 1.
    goodness : float
        The metric's value, turned so that more is better.
    rounds : int
        How many steps were taken.
    """

    weights: Float64
    goodness: float
    rounds: int


@dataclass(frozen=True, eq=False)
class Starts:
    """Where climbs begin: at given weights, then at random ones.

    Parameters
    ----------
    first : float64[F], optional
        Without it the first start has equal weights, each feature divided by its spread.
    bounds : two of float64[F], optional
        Lowest and highest weights of random starts. Without them a weight is normally distributed,
        divided by the spread of its feature; in every second start its absolute value is taken,
        since most features of decoders are better high.
    seed : int
    within : bool
        Whether climbs stay between the bounds, beyond which they would otherwise only not begin.
    """

    first: Float64 | None = None
    bounds: tuple[Float64, Float64] | None = None
    seed: int = 12345
    within: bool = False

    def generator(self, number: int) -> np.random.Generator:
        """Return the random numbers of one climb; they depend on the seed and its number alone."""
        return np.random.default_rng([self.seed, number])

    def start(self, problem: Problem, number: int, random: np.random.Generator) -> Float64:
        """Return where a climb begins, float64[F]; 0 is the first.

        A feature that is the same for all candidates of each sentence keeps the weight that the
        first start gives it.
        """
        equal = inverse_spread(problem)
        first = equal if self.first is None else self.first
        if number == 0:
            return first
        if self.bounds is None:
            drawn = random.standard_normal(problem.width) * equal
            if number % 2:
                drawn = np.abs(drawn)
        else:
            drawn = random.uniform(*self.bounds)
        return np.where(problem.varies, drawn, first)


def mert(
    problem: Problem,
    starts: Starts,
    *,
    number: int = 20,
    directions: int = DIRECTIONS,
    done: Sequence[Climbed] = (),
    after: Callable[[Sequence[Climbed]], object] | None = None,
) -> list[Climbed]:
    """Climb from several starts.

    Parameters
    ----------
    problem : Problem
        One without candidates that no weights tell apart: `distinct`.
    starts : Starts
    number : int
        How many.
    directions : int
        Random directions in each round, beside the axes.
    done : sequence of Climbed
        The first climbs, where an earlier run has made them.
    after : callable, optional
        Is given all climbs so far after each.

    Returns
    -------
    list of Climbed
        One a start, in their order.
    """
    search = LineSearch(problem)
    climbs = list(done[:number])
    while len(climbs) < number:
        random = starts.generator(len(climbs))
        start = starts.start(problem, len(climbs), random)
        bounds = starts.bounds if starts.within else None
        climbs.append(climb(search, start, random, directions, bounds))
        if after is not None:
            after(climbs)
    return climbs


def highest(climbs: Sequence[Climbed]) -> Climbed:
    """Return the climb that came highest; the first of several."""
    return max(climbs, key=lambda climb: climb.goodness)


def climb(
    search: LineSearch,
    start: Float64,
    random: np.random.Generator,
    directions: int = DIRECTIONS,
    bounds: tuple[Float64, Float64] | None = None,
) -> Climbed:
    """Climb from a point: step after step to the best point of all lines through it.

    Parameters
    ----------
    search : LineSearch
    start : float64[F]
    random : numpy.random.Generator
        Draws the directions.
    directions : int
        How many random ones there are in each round, beside the axes.
    bounds : two of float64[F], optional
        The lowest and highest weights that are looked at; `start` is between them.

    Notes
    -----
    The value of a step is that of the candidates which the new weights choose, so a rounding at
    the border of an interval cannot make it look better than it is.
    """
    problem = search.problem
    scale = inverse_spread(problem)
    scaled = unit if bounds is None else partial(np.clip, a_min=bounds[0], a_max=bounds[1])
    weights = scaled(start)
    goodness = _goodness(problem, weights)
    rounds = 0
    while True:
        more = random.standard_normal((directions, problem.width)) * scale
        lines, sweep = search.sweep(weights, more, bounds)
        if not len(lines):
            break
        line, point = sweep.best()
        stepped = scaled(weights + point * lines[line])
        reached = _goodness(problem, stepped)
        if not reached > goodness + GAIN:
            break
        weights, goodness, rounds = stepped, reached, rounds + 1
    return Climbed(weights if bounds is None else unit(weights), goodness, rounds)


def unit(weights: Float64) -> Float64:
    """Return weights whose absolute values sum up to 1, which choose the same candidates."""
    size = float(np.abs(weights).sum())
    return weights / size if size > 0 else weights


def inverse_spread(problem: Problem) -> Float64:
    """Return 1 through the spread of each feature, 0 for one that never varies, float64[F]."""
    # What varies by less than that has no spread: its weight would be no number.
    told = problem.varies & (problem.spread > 1 / LARGEST)
    return np.where(told, 1 / np.where(told, problem.spread, 1.0), 0.0)


def _goodness(problem: Problem, weights: Float64) -> float:
    return float(problem.goodness(problem.totals(weights)))
