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

# The minimum gain of a step; six decimals are printed.
MIN_STEP_GAIN = 1e-8

# Random directions in addition to the axes, in each round.
DEFAULT_DIRECTIONS = 8

# Memory per candidate and line in bytes, and the limit in total.
BYTES, MOST_BYTES = 40, 1 << 33


@dataclass(frozen=True, eq=False)
class ClimbResult:
    """The end of a climb.

    Attributes
    ----------
    weights : float64[F]
        Weights whose absolute values sum up to 1.
    goodness : float
        The metric's value, negated if lower is better.
    rounds : int
        The number of steps.
    """

    weights: Float64
    goodness: float
    rounds: int


@dataclass(frozen=True, eq=False)
class Starts:
    """The starting points of climbs: first the given weights, then random ones.

    Parameters
    ----------
    first : float64[F], optional
        By default equal weights, each divided by the spread of its feature.
    bounds : two of float64[F], optional
        Lowest and highest weights of random starts. By default a weight is normally distributed and
        divided by the spread of its feature; every second start takes absolute values, since most
        features of decoders are better high.
    seed : int
    within : bool
        Whether climbs must stay between the bounds, not only start there.
    """

    first: Float64 | None = None
    bounds: tuple[Float64, Float64] | None = None
    seed: int = 12345
    within: bool = False

    def generator(self, climb_index: int) -> np.random.Generator:
        """Return the random generator of one climb; it depends on the seed and the index only."""
        return np.random.default_rng([self.seed, climb_index])

    def start(self, problem: Problem, climb_index: int, random: np.random.Generator) -> Float64:
        """Return the start of a climb, float64[F]; index 0 is the first one.

        Features that never vary within a sentence keep the weight of the first start.
        """
        equal = inverse_spread(problem)
        first = equal if self.first is None else self.first
        if climb_index == 0:
            return first
        if self.bounds is None:
            direction = random.standard_normal(problem.width) * equal
            if climb_index % 2:
                direction = np.abs(direction)
        else:
            direction = random.uniform(*self.bounds)
        return np.where(problem.varies, direction, first)


def mert(
    problem: Problem,
    starts: Starts,
    *,
    number: int = 20,
    directions: int = DEFAULT_DIRECTIONS,
    done: Sequence[ClimbResult] = (),
    after: Callable[[Sequence[ClimbResult]], object] | None = None,
) -> list[ClimbResult]:
    """Climb from several starts.

    Parameters
    ----------
    problem : Problem
        A problem without duplicates; see `drop_duplicates`.
    starts : Starts
    number : int
        The number of starts.
    directions : int
        Random directions in each round, in addition to the axes.
    done : sequence of Climbed
        The first climbs, if an earlier run has finished them.
    after : callable, optional
        Called after each climb with all climbs so far.

    Returns
    -------
    list of Climbed
        One per start, in order.
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
    directions: int = DEFAULT_DIRECTIONS,
    bounds: tuple[Float64, Float64] | None = None,
) -> ClimbResult:
    """Climb from a point: move to the best point on all lines through it until none is better.

    Parameters
    ----------
    search : LineSearch
    start : float64[F]
    random : numpy.random.Generator
        Draws the directions.
    directions : int
        Random directions in each round, in addition to the axes.
    bounds : two of float64[F], optional
        The lowest and highest weights of the search; `start` is between them.

    Notes
    -----
    The value of a step is recomputed from the candidates that its weights choose, so rounding at
    the end of an interval cannot make it look better than it is.
    """
    problem = search.problem
    scale = inverse_spread(problem)
    normalize = unit_norm if bounds is None else partial(np.clip, a_min=bounds[0], a_max=bounds[1])
    weights = normalize(start)
    goodness = _goodness(problem, weights)
    rounds = 0
    while True:
        random_directions = random.standard_normal((directions, problem.width)) * scale
        lines, sweep = search.sweep(weights, random_directions, bounds)
        if not len(lines):
            break
        line, point = sweep.best()
        new_weights = normalize(weights + point * lines[line])
        new_goodness = _goodness(problem, new_weights)
        if not new_goodness > goodness + MIN_STEP_GAIN:
            break
        weights, goodness, rounds = new_weights, new_goodness, rounds + 1
    return ClimbResult(weights if bounds is None else unit_norm(weights), goodness, rounds)


def unit_norm(weights: Float64) -> Float64:
    """Return weights whose absolute values sum up to 1, which choose the same candidates."""
    size = float(np.abs(weights).sum())
    return weights / size if size > 0 else weights


def inverse_spread(problem: Problem) -> Float64:
    """Return 1 divided by the spread of each feature, 0 if it never varies, float64[F]."""
    # A smaller spread counts as none: its inverse would overflow.
    has_spread = problem.varies & (problem.spread > 1 / LARGEST_NUMBER)
    return np.where(has_spread, 1 / np.where(has_spread, problem.spread, 1.0), 0.0)


def _goodness(problem: Problem, weights: Float64) -> float:
    """Return the goodness of the candidates that weights choose."""
    return float(problem.goodness(problem.totals(weights)))


@dataclass(frozen=True, eq=False)
class Sweep:
    """The intervals of several lines, with the metric's value in each.

    Attributes
    ----------
    begins : float64[M]
        The start of each interval, minus infinity for the first of a line. It ends at the start of
        the next interval of its line, or at infinity.
    goodness : float64[M]
        The metric's value inside the interval, negated if lower is better.
    offsets : int64[D+1]
        Line ``d`` has the intervals ``offsets[d] .. offsets[d+1]-1``.
    lows, highs : float64[D]
        The ends of each line.
    """

    begins: Float64
    goodness: Float64
    offsets: Int64
    lows: Float64
    highs: Float64

    def best(self) -> tuple[int, float]:
        """Return the index of the line with the best point (the first one on ties), and that point.

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

    Neighbouring intervals of equal value are merged. Of several best intervals, the one around 0 is
    taken, else the widest, else the leftmost. The point is 0 if that is inside; otherwise the
    middle. In an interval without an end on one side, its distance from the other end is that end's
    distance from 0, at least 1. If candidates change at 0 itself, where the first in the list wins,
    the point is the middle of the part above 0.

    Parameters
    ----------
    begins, goodness : float64[M]
        The starts of the intervals, which end at the next start, and their goodness.
    lowest, highest : float
        The ends of the line; 0 is between them.

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
    # Start and end of each run of best intervals.
    edges = np.flatnonzero(np.diff(is_best, prepend=False, append=False))
    lows, highs = begins[edges[::2]], begins[edges[1::2]]
    contains_zero = np.flatnonzero((lows < 0) & (highs > 0))
    if len(contains_zero) and 0.0 not in begins:
        return 0.0, float(best)
    if len(contains_zero):
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
    """Searches along lines through a point, over all candidates of all sentences.

    Parameters
    ----------
    problem : Problem

    Raises
    ------
    UsageError
        If the lines of all features need too much memory.
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
        # The features that vary, which have a line each.
        self.axes = np.flatnonzero(problem.varies)
        # The kernel's memory per sentence and axis: positions of the previous envelopes.
        self._guides = np.full(4 * len(self.axes) * problem.sentences, -1, np.int64)
        # Buffers that are reused in each sweep, since allocating them is slower than filling them.
        self._room: dict[str, Array] = {}

    def sweep(
        self,
        weights: Float64,
        more_directions: Float64,
        bounds: tuple[Float64, Float64] | None = None,
    ) -> tuple[Float64, Sweep]:
        """Search along all axes and along further directions.

        Parameters
        ----------
        weights : float64[F]
            The point ``x = 0`` of all lines.
        more_directions : float64[R, F]
            Further directions.
        bounds : two of float64[F], optional
            The lowest and highest weights, at which lines end; `weights` are between them.

        Returns
        -------
        float64[D, F], the directions, and their Sweep
        """
        directions = np.concatenate([np.eye(self.problem.width)[self.axes], more_directions])
        if not len(directions):
            empty = np.empty(0)
            return directions, Sweep(empty, empty, np.zeros(1, np.int64), empty, empty)
        lows, highs = _line_ends(weights, directions, bounds)
        return directions, self._swept(
            np.concatenate([weights[np.newaxis], more_directions]), lows, highs
        )

    def _reused(self, name: str, size: int, dtype: type[np.generic] = np.float64) -> Array:
        """Return a buffer of a size; reuse the previous one if it is large enough."""
        if name not in self._room or len(self._room[name]) < size:
            self._room[name] = np.empty(size + size // 4, dtype)
        return self._room[name][:size]

    def _swept(self, point_and_directions: Float64, lows: Float64, highs: Float64) -> Sweep:
        """Compute the intervals of each line and their goodness."""
        problem, lines = self.problem, len(lows)
        sentences, candidates = problem.sentences, len(problem.features)
        has_ends = (np.isfinite(lows) & np.isfinite(highs))[: len(self.axes)].tolist()
        if has_ends != self._ended:
            # The kernel's memory differs between lines with and without ends.
            self._guides.fill(-1)
            self._ended = has_ends
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
        # Each line has one interval more than changes of the winner.
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
        # Select the used part of the buffer of each line.
        indices = concat_ranges(offsets[:-1], line_counts)
        goodness = problem.goodness(totals.reshape(-1, width).take(indices, axis=0))
        return Sweep(crossings[indices], goodness, row_offsets(line_counts), lows, highs)


def _line_ends(
    weights: Float64, directions: Float64, bounds: tuple[Float64, Float64] | None
) -> tuple[Float64, Float64]:
    """Return the points at which lines leave the bounds, on both sides of 0."""
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
