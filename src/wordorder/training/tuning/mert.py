"""Minimum error rate training: climbing along lines from several starts (Och 2003)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from wordorder.arrays import Array, Float64, Int64, concat_ranges, row_offsets
from wordorder.errors import UsageError
from wordorder.kernels import run_rows, translation as kernel
from wordorder.text.lines import LARGEST_NUMBER
from wordorder.training.tuning.problem import Problem

# A smaller gain does not count as a step; six decimals are printed.
GAIN = 1e-8

# Random directions in addition to the axes, in each round.
DIRECTIONS = 8

# What a candidate needs in memory for each line, and how much there may be of it.
BYTES, MOST_BYTES = 40, 1 << 33


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
            direction = random.standard_normal(problem.width) * equal
            if number % 2:
                direction = np.abs(direction)
        else:
            direction = random.uniform(*self.bounds)
        return np.where(problem.varies, direction, first)


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
        Random directions in each round, in addition to the axes.
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
        Random directions in each round, in addition to the axes.
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
        random_directions = random.standard_normal((directions, problem.width)) * scale
        lines, sweep = search.sweep(weights, random_directions, bounds)
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
    is_distinct = problem.varies & (problem.spread > 1 / LARGEST_NUMBER)
    return np.where(is_distinct, 1 / np.where(is_distinct, problem.spread, 1.0), 0.0)


def _goodness(problem: Problem, weights: Float64) -> float:
    """Return the score of the candidates that weights choose; more is better."""
    return float(problem.goodness(problem.totals(weights)))


@dataclass(frozen=True, eq=False)
class Sweep:
    """All intervals of several lines, with the metric's value in each.

    Attributes
    ----------
    begins : float64[M]
        Where each interval begins; the first of a line at minus infinity. It ends where the next
        of its line begins, or at infinity.
    goodness : float64[M]
        The metric's value anywhere inside, turned so that more is better.
    offsets : int64[D+1]
        Line ``d`` has the intervals ``offsets[d] .. offsets[d+1]-1``.
    lows, highs : float64[D]
        Where each line begins and ends.
    """

    begins: Float64
    goodness: Float64
    offsets: Int64
    lows: Float64
    highs: Float64

    def best(self) -> tuple[int, float]:
        """Return the line with the best point, the first of several, and where that is.

        See `best_point`.
        """
        line = int(np.argmax(np.maximum.reduceat(self.goodness, self.offsets[:-1])))
        span = slice(int(self.offsets[line]), int(self.offsets[line + 1]))
        ends = float(self.lows[line]), float(self.highs[line])
        return line, best_point(self.begins[span], self.goodness[span], *ends)[0]


def best_point(
    begins: Float64, goodness: Float64, lowest: float = -np.inf, highest: float = np.inf
) -> tuple[float, float]:
    """Return the best point of one line, and the goodness there.

    Neighbouring intervals of equal value are one. Of several that are best, the one around 0 is
    taken, then the widest, then the leftmost. The point is 0 if that is inside; else the middle, or
    where the interval has no end on one side, as far beyond its other end as that is from 0, and at
    least 1. If candidates change at 0 itself, where the first in the list wins, it is the middle of
    the part above 0.

    Parameters
    ----------
    begins, goodness : float64[M]
        The intervals, of which each ends where the next begins.
    lowest, highest : float
        Where the first begins and the last ends; 0 is between them.

    Examples
    --------
    >>> best_point(np.array([-np.inf, 1.0, 3.0]), np.array([0.1, 0.3, 0.2]))
    (2.0, 0.3)
    >>> best_point(np.array([-np.inf, 5.0]), np.array([0.1, 0.3]))
    (10.0, 0.3)
    >>> best_point(np.array([-np.inf, 5.0]), np.array([0.1, 0.3]), -1, 6)
    (5.5, 0.3)
    """
    begins = np.append(begins, highest)
    begins[0] = lowest
    best = goodness.max()
    is_best = goodness == best
    # The first of each run of intervals that are best, and the first after it.
    edges = np.flatnonzero(np.diff(is_best, prepend=False, append=False))
    lows, highs = begins[edges[::2]], begins[edges[1::2]]
    around = np.flatnonzero((lows < 0) & (highs > 0))
    if len(around) and 0.0 not in begins:
        return 0.0, float(best)
    if len(around):
        low, high = 0.0, float(begins[begins > 0].min())
    else:
        widest = int(np.argmax(highs - lows))
        low, high = float(lows[widest]), float(highs[widest])
    if low == -np.inf:
        return high - max(1.0, abs(high)), float(best)
    if high == np.inf:
        return low + max(1.0, abs(low)), float(best)
    return low + (high - low) / 2, float(best)


class LineSearch:
    """Looks along lines through a point, all candidates of all sentences at once.

    Parameters
    ----------
    problem : Problem

    Raises
    ------
    UsageError
        If the axes of all features and candidates need too much memory.
    """

    def __init__(self, problem: Problem) -> None:
        size = BYTES * problem.features.size
        if size > MOST_BYTES:
            raise UsageError(
                f"mert with {problem.width} features of {len(problem.features)} candidates needs "
                f"{size / 2**30:.0f} GB: take --method=mira for this number of features"
            )
        self.problem = problem
        self._ended: list[bool] = []
        # The features that tell candidates apart, each of which has a line of its own.
        self.axes = np.flatnonzero(problem.varies)
        # What the kernel remembers of each sentence and axis: where envelopes were before.
        self._guides = np.full(4 * len(self.axes) * problem.sentences, -1, np.int64)
        # Arrays that are used again in each sweep: fresh memory costs more than what goes in.
        self._room: dict[str, Array] = {}

    def sweep(
        self,
        weights: Float64,
        directions_added: Float64,
        bounds: tuple[Float64, Float64] | None = None,
    ) -> tuple[Float64, Sweep]:
        """Look along all axes and along further directions.

        Parameters
        ----------
        weights : float64[F]
            The point ``x = 0`` of all lines.
        directions_added : float64[R, F]
            Further directions, any number.
        bounds : two of float64[F], optional
            The lowest and highest weights: lines end where they would leave these. `weights` are
            between them.

        Returns
        -------
        float64[D, F], the directions, and their Sweep
        """
        directions = np.concatenate([np.eye(self.problem.width)[self.axes], directions_added])
        if not len(directions):
            empty = np.empty(0)
            return directions, Sweep(empty, empty, np.zeros(1, np.int64), empty, empty)
        lows, highs = _ends(weights, directions, bounds)
        return directions, self._swept(
            np.concatenate([weights[np.newaxis], directions_added]), lows, highs
        )

    def _reused(self, name: str, size: int, kind: type[np.generic] = np.float64) -> Array:
        """Return an array of a size, the same as before if it is large enough."""
        if name not in self._room or len(self._room[name]) < size:
            self._room[name] = np.empty(size + size // 4, kind)
        return self._room[name][:size]

    def _swept(self, point_and_directions: Float64, lows: Float64, highs: Float64) -> Sweep:
        """Find the intervals of each line, and the value in each."""
        problem, lines = self.problem, len(lows)
        sentences, candidates = problem.sentences, len(problem.features)
        ended = (np.isfinite(lows) & np.isfinite(highs))[: len(self.axes)].tolist()
        if ended != self._ended:
            # On lines with two ends the kernel remembers other candidates than on lines without.
            self._guides.fill(-1)
            self._ended = ended
        chosen = self._reused("chosen", lines * candidates, np.int64)
        begins = self._reused("begins", lines * candidates)
        starts, counts = np.empty((2, lines * sentences), np.int64)
        run_rows(
            kernel.envelopes,
            problem.offsets * lines,
            *(problem.columns.ravel(), candidates, problem.width, point_and_directions.ravel()),
            *(self.axes, lows, highs, problem.offsets, self._guides),
            *(chosen, begins, starts, counts),
            scratch=lambda longest: (
                *(np.empty(2 * longest // lines), np.empty(2 * longest // lines)),
                *(np.empty(2 * longest // lines, np.int64), np.empty(8), np.empty(4, np.int64)),
            ),
        )
        # One interval more than there are changes of a winner.
        changes = np.add.reduceat(counts, np.arange(0, len(counts), sentences)) - sentences
        offsets = row_offsets(changes + 1)
        width = problem.statistics.shape[1]
        crossings = self._reused("found", int(offsets[-1]))
        totals = self._reused("totals", len(crossings) * width)
        line_counts = np.empty(lines, np.int64)
        run_rows(
            kernel.sweeps,
            offsets,
            *(chosen, begins, counts, starts, sentences),
            *(problem.statistics.ravel(), width, offsets, crossings, totals, line_counts),
            scratch=lambda longest: (
                np.empty(2 * longest),
                np.empty(2 * longest, np.int64),
                np.empty(width),
            ),
        )
        # From the room for all intervals to those that are there.
        indices = concat_ranges(offsets[:-1], line_counts)
        goodness = problem.goodness(totals.reshape(-1, width).take(indices, axis=0))
        return Sweep(crossings[indices], goodness, row_offsets(line_counts), lows, highs)


def _ends(
    weights: Float64, directions: Float64, bounds: tuple[Float64, Float64] | None
) -> tuple[Float64, Float64]:
    """Return where lines through a point leave the bounds, on either side of 0."""
    lows, highs = np.full((2, len(directions)), np.inf)
    if bounds is not None:
        for direction, low, high in zip(
            directions.T, *(bound - weights for bound in bounds), strict=True
        ):
            moves = direction != 0
            ends = np.array([low, high])[:, np.newaxis] / direction[moves]
            lows[moves] = np.minimum(lows[moves], np.maximum(-ends.min(axis=0), 0.0))
            highs[moves] = np.minimum(highs[moves], np.maximum(ends.max(axis=0), 0.0))
    return -lows, highs
