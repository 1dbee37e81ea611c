"""Slow, obvious twins of the search along lines."""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np

from wordorder.arrays import Float64
from wordorder.training.tuning.problem import Problem

Line = tuple[float, float]
NARROW = 1e-8


def winner(lines: Sequence[Line], x: float) -> int:
    """Return the first of the lines (intercept, slope) that is highest at a point."""
    return max(range(len(lines)), key=lambda i: (lines[i][0] + x * lines[i][1], -i))


def crossings(lines: Sequence[Line]) -> Iterator[float]:
    """Yield where any two lines cross."""
    for (a, b), (c, d) in combinations(lines, 2):
        if b != d:
            yield (a - c) / (d - b)


def between(points: Sequence[float]) -> list[float]:
    """Return a place left of rising points, one between any two, and one right of them.

    Points that differ by a rounding are one.
    """
    if not points:
        return [0.0]
    middles = [(low + high) / 2 for low, high in pairwise(points) if high - low > NARROW]
    return [points[0] - 1, *middles, points[-1] + 1]


def naive_envelope(lines: Sequence[Line]) -> list[int]:
    """Return which lines are highest anywhere, from left to right: one look between crossings."""
    found: list[int] = []
    for x in between(sorted(set(crossings(lines)))):
        best = winner(lines, x)
        if not found or found[-1] != best:
            found.append(best)
    return found


def candidate_lines(problem: Problem, weights: Float64, direction: Float64) -> list[list[Line]]:
    """Return the candidates of each sentence as lines."""
    intercepts = (problem.features @ weights).tolist()
    slopes = (problem.features @ direction).tolist()
    bounds = problem.offsets.tolist()
    return [list(zip(intercepts[a:b], slopes[a:b], strict=True)) for a, b in pairwise(bounds)]


def value_along(problem: Problem, lines: Sequence[Sequence[Line]], x: float) -> float:
    """Return the metric's value of the winners at a point, their statistics added one by one."""
    total = np.zeros(problem.statistics.shape[1])
    for first, sentence in zip(problem.offsets.tolist(), lines, strict=False):
        total = total + problem.statistics[first + winner(sentence, x)]
    return float(problem.score(total))


def best_of_line(
    problem: Problem, weights: Float64, direction: Float64, ends: tuple[float, float] | None = None
) -> float:
    """Return the best value anywhere on a line, or between its ends: a look between crossings."""
    lines = candidate_lines(problem, weights, direction)
    points = sorted({x for sentence in lines for x in crossings(sentence)})
    places = between(points)
    if ends is not None:
        low, high = ends
        inside = [low, *(x for x in points if low < x < high), high]
        places = [(a + b) / 2 for a, b in pairwise(inside) if b - a > NARROW]
    values = [value_along(problem, lines, x) for x in places]
    return max(values) if problem.higher_is_better else min(values)
