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

# The minimum gain of a step: far below the six decimals that are printed.
MIN_STEP_GAIN = 1e-8

# Random directions in addition to the axes, in each round.
DEFAULT_DIRECTIONS = 8

# Bytes that the search needs per candidate and axis, and the limit for all of them.
BYTES_PER_CANDIDATE, MAX_BYTES = 40, 1 << 33


@dataclass(frozen=True, eq=False)
class ClimbResult:
    """The point where a climb ended.

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
        equal_weights = inverse_spread(problem)
        first = equal_weights if self.first is None else self.first
        if climb_index == 0:
            return first
        if self.bounds is None:
            weights = random.standard_normal(problem.width) * equal_weights
            if climb_index % 2:
                weights = np.abs(weights)
        else:
            weights = random.uniform(*self.bounds)
        return np.where(problem.varies, weights, first)


def mert(
    problem: Problem,
    starts: Starts,
    *,
    start_count: int = 20,
    directions: int = DEFAULT_DIRECTIONS,
    finished_climbs: Sequence[ClimbResult] = (),
    on_climb: Callable[[Sequence[ClimbResult]], object] | None = None,
) -> list[ClimbResult]:
    """Climb from several starts.

    Parameters
    ----------
    problem : Problem
        A problem without duplicates; see `drop_duplicates`.
    starts : Starts
    start_count : int
        The number of starts.
    directions : int
        Random directions in each round, in addition to the axes.
    finished_climbs : sequence of ClimbResult
        The first climbs, which an earlier run has finished.
    on_climb : callable, optional
        Called after each climb with all climbs so far.

    Returns
    -------
    list of ClimbResult
        One per start, in order.
    """
    search = LineSearch(problem)
    climbs = list(finished_climbs[:start_count])
    while len(climbs) < start_count:
        random = starts.generator(len(climbs))
        start = starts.start(problem, len(climbs), random)
        bounds = starts.bounds if starts.within else None
        climbs.append(climb(search, start, random, directions, bounds))
        if on_climb is not None:
            on_climb(climbs)
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
    The value after a step is computed from the candidates that the new weights choose, so rounding
    errors at the end of an interval cannot make it look better than it is.
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
    """Rescale weights so that their absolute values sum up to 1; this changes no choice."""
    size = float(np.abs(weights).sum())
    return weights / size if size > 0 else weights


def inverse_spread(problem: Problem) -> Float64:
    """Return 1 divided by the spread of each feature, 0 if it never varies, float64[F]."""
    # The inverse of a smaller spread would overflow, so the feature is treated as one that never
    # varies.
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
        The start of each interval; minus infinity for the first one of a line. An interval ends at
        the start of the next one of its line, or at infinity.
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
    taken, else the widest, else the leftmost. The point is 0 if the interval contains 0, otherwise
    its middle. If the interval is open on one side and ends at ``e`` on the other, the point is
    ``max(1, abs(e))`` beyond ``e``. If an interval starts exactly at 0, the best candidates at 0
    depend on the order of the list: then the point is the middle of the interval above 0.

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
    run_lows, run_highs = begins[edges[::2]], begins[edges[1::2]]
    contains_zero = np.flatnonzero((run_lows < 0) & (run_highs > 0))
    if len(contains_zero) and 0.0 not in begins:
        return 0.0, float(best)
    if len(contains_zero):
        low, high = 0.0, float(begins[begins > 0].min())
    else:
        widest = int(np.argmax(run_highs - run_lows))
        low, high = float(run_lows[widest]), float(run_highs[widest])
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
        size = BYTES_PER_CANDIDATE * problem.features.size
        if size > MAX_BYTES:
            raise UsageError(
                f"mert with {problem.width} features of {len(problem.features)} candidates needs "
                f"{size / 2**30:.0f} GB: take --method=mira for this number of features"
            )
        self.problem = problem
        self._had_ends: list[bool] = []
        # The indices of the features that vary; each has a line.
        self.axes = np.flatnonzero(problem.varies)
        # Where the kernel starts its search: per sentence and axis, candidates of the last sweep.
        self._guides = np.full(4 * len(self.axes) * problem.sentences, -1, np.int64)
        # Buffers that are reused in each sweep, since allocating them is slower than filling them.
        self._buffers: dict[str, Array] = {}

    def sweep(
        self,
        weights: Float64,
        further_directions: Float64,
        bounds: tuple[Float64, Float64] | None = None,
    ) -> tuple[Float64, Sweep]:
        """Search along all axes and along further directions.

        Parameters
        ----------
        weights : float64[F]
            The point ``x = 0`` of all lines.
        further_directions : float64[R, F]
            Further directions.
        bounds : two of float64[F], optional
            The lowest and highest weights, at which lines end; `weights` are between them.

        Returns
        -------
        float64[D, F], the directions, and their Sweep
        """
        directions = np.concatenate([np.eye(self.problem.width)[self.axes], further_directions])
        if not len(directions):
            empty = np.empty(0)
            return directions, Sweep(empty, empty, np.zeros(1, np.int64), empty, empty)
        lows, highs = _line_ends(weights, directions, bounds)
        return directions, self._swept(
            np.concatenate([weights[np.newaxis], further_directions]), lows, highs
        )

    def _reused(self, name: str, size: int, dtype: type[np.generic] = np.float64) -> Array:
        """Return a buffer of a size; reuse the previous one if it is large enough."""
        if name not in self._buffers or len(self._buffers[name]) < size:
            self._buffers[name] = np.empty(size + size // 4, dtype)
        return self._buffers[name][:size]

    def _swept(self, point_and_directions: Float64, lows: Float64, highs: Float64) -> Sweep:
        """Compute the intervals of each line and their goodness."""
        problem, lines = self.problem, len(lows)
        sentences, candidates = problem.sentences, len(problem.features)
        has_ends = (np.isfinite(lows) & np.isfinite(highs))[: len(self.axes)].tolist()
        if has_ends != self._had_ends:
            # Envelopes of lines with ends and without ends differ, so the stored ones are no help.
            self._guides.fill(-1)
            self._had_ends = has_ends
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
        # Each line uses only the first part of its buffer.
        indices = concat_ranges(offsets[:-1], line_counts)
        goodness = problem.goodness(totals.reshape(-1, width).take(indices, axis=0))
        return Sweep(crossings[indices], goodness, row_offsets(line_counts), lows, highs)


def _line_ends(
    weights: Float64, directions: Float64, bounds: tuple[Float64, Float64] | None
) -> tuple[Float64, Float64]:
    """Return the points at which each line leaves the bounds: below 0 and above 0."""
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
