"""Exact search along lines through the space of weights (Och 2003)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordorder.errors import UsageError
from wordorder.kernels import envelope
from wordorder.kernels._run import run_rows
from wordorder.training.tuning.problem import Problem
from wordorder.types import Float64, Int64

# What a candidate needs in memory for each line, and how much there may be of it.
BYTES, MOST_BYTES = 40, 1 << 33


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
    """

    begins: Float64
    goodness: Float64
    offsets: Int64

    def best_points(self) -> tuple[Float64, Float64]:
        """Return the best point of each line, and the goodness there: two of float64[D].

        Neighbouring intervals of equal value are one. Of several that are best, the one around 0
        is taken, then the widest, then the leftmost. The point is 0 if that is inside; else the
        middle, or where the interval has no end on one side, as far beyond its other end as that
        is from 0, and at least 1. If candidates change at 0 itself, where the first in the list
        wins, it is the middle of the part above 0.
        """
        points = np.zeros(len(self.offsets) - 1)
        values = np.empty(len(points))
        for line in range(len(points)):
            span = slice(int(self.offsets[line]), int(self.offsets[line + 1]))
            points[line], values[line] = best_point(self.begins[span], self.goodness[span])
        return points, values


def best_point(begins: Float64, goodness: Float64) -> tuple[float, float]:
    """Return the best point of one line, and the goodness there.

    Examples
    --------
    >>> best_point(np.array([-np.inf, 1.0, 3.0]), np.array([0.1, 0.3, 0.2]))
    (2.0, 0.3)
    >>> best_point(np.array([-np.inf, 5.0]), np.array([0.1, 0.3]))
    (10.0, 0.3)
    """
    best = goodness.max()
    is_best = goodness == best
    # The first of each run of intervals that are best, and the first after it.
    edges = np.flatnonzero(np.diff(is_best, prepend=False, append=False))
    lows = begins[edges[::2]]
    highs = np.append(begins, np.inf)[edges[1::2]]
    around = np.flatnonzero((lows < 0) & (highs > 0))
    if len(around) and 0.0 not in begins:
        return 0.0, float(best)
    if len(around):
        low, high = 0.0, float(begins[begins > 0].min(initial=np.inf))
    else:
        at = int(np.argmax(highs - lows))
        low, high = float(lows[at]), float(highs[at])
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
        If there are so many features and candidates that all axes together need too much memory.
    """

    def __init__(self, problem: Problem) -> None:
        size = BYTES * problem.features.size
        if size > MOST_BYTES:
            raise UsageError(
                f"mert with {problem.width} features of {len(problem.features)} candidates needs "
                f"{size / 2**30:.0f} GB: take --method=mira or pro for so many features"
            )
        self.problem = problem

    @cached_property
    def axes(self) -> tuple[Float64, Float64]:
        """The directions that change one feature, and what candidates gain along them."""
        directions = np.eye(self.problem.width)[self.problem.varies]
        return directions, np.ascontiguousarray(self.problem.features.T[self.problem.varies])

    @cached_property
    def _room(self) -> list[tuple[Int64, Float64]]:
        """Arrays that are used again in each sweep: fresh memory costs more than what goes in."""
        return []

    def sweep(self, weights: Float64, more: Float64) -> tuple[Float64, Sweep]:
        """Look along all axes and along further directions.

        Parameters
        ----------
        weights : float64[F]
            The point ``x = 0`` of all lines.
        more : float64[R, F]
            Further directions, any number.

        Returns
        -------
        float64[D, F], the directions, and their Sweep
        """
        directions, slopes = self.axes
        if len(more):
            theirs = self.problem.project(more)
            directions = np.concatenate([directions, more])
            slopes = np.concatenate([slopes, theirs])
        if not len(directions):
            return directions, Sweep(np.empty(0), np.empty(0), np.zeros(1, np.int64))
        intercepts = self.problem.project(weights[np.newaxis])[0]
        return directions, self._swept(intercepts, slopes)

    def _rows(self, lines: int) -> Int64:
        """Return where the candidates of each sentence of each line begin, a row each."""
        candidates = len(self.problem.features)
        starts = np.arange(lines, dtype=np.int64)[:, np.newaxis] * candidates
        return np.append((starts + self.problem.offsets[:-1]).ravel(), lines * candidates)

    def _reused(self, size: int) -> tuple[Int64, Float64]:
        """Return arrays of a size, the same as before if they are large enough."""
        if not self._room or len(self._room[0][0]) < size:
            self._room[:] = [(np.empty(size, np.int64), np.empty(size))]
        chosen, begins = self._room[0]
        return chosen[:size], begins[:size]

    def _swept(self, intercepts: Float64, slopes: Float64) -> Sweep:
        """Find the intervals of each line, and the value in each."""
        problem = self.problem
        lines, sentences, candidates = len(slopes), problem.sentences, len(intercepts)
        rows = self._rows(lines)
        chosen, begins = self._reused(lines * candidates)
        counts = np.empty(lines * sentences, np.int64)
        run_rows(
            envelope.envelopes,
            rows,
            *(intercepts, slopes.ravel(), sentences, rows, chosen, begins, counts),
            scratch=lambda longest: (np.empty(2 * longest), np.empty(2 * longest, np.int64)),
        )
        # One interval more than there are changes of a winner.
        changes = np.add.reduceat(counts, np.arange(0, len(counts), sentences)) - sentences
        offsets = np.concatenate([[0], np.cumsum(changes + 1)])
        width = problem.statistics.shape[1]
        found = np.empty(int(offsets[-1]))
        totals = np.empty((len(found), width))
        kept = np.empty(lines, np.int64)
        run_rows(
            envelope.sweeps,
            offsets,
            *(chosen, begins, counts, rows, sentences),
            *(problem.statistics.ravel(), width, offsets, found, totals.ravel(), kept),
            scratch=lambda longest: (
                np.empty(2 * longest),
                np.empty(2 * longest, np.int64),
                np.empty(width),
            ),
        )
        # From the room for all intervals to those that are there.
        ends = np.cumsum(kept)
        at = np.arange(int(ends[-1])) + np.repeat(offsets[:-1] - (ends - kept), kept)
        return Sweep(found[at], problem.goodness(totals[at]), np.concatenate([[0], ends]))
