"""Ranks and clusters of systems from paired tests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from wordorder.arrays import Bool
from wordorder.statistics.paired_tests import Comparison


def system_rank_ranges(comparison: Comparison) -> list[tuple[int, int]]:
    """Return the ranks that each system may have, best and worst.

    A system ranks after all that are better than it at 95 % and before all that are worse: from
    ``1 + (number significantly better)`` to ``n - (number significantly worse)``.

    Returns
    -------
    list of (best, worst)
        In the order of the systems; ranks from 1.
    """
    beats = comparison.beats()
    best = 1 + beats.sum(axis=0)
    worst = len(beats) - beats.sum(axis=1)
    return list(zip(best.tolist(), worst.tolist(), strict=True))


def clusters(comparison: Comparison) -> list[tuple[int, ...]]:
    """Cut the ranking into clusters of systems that differ significantly.

    The result is the finest cut of the ranking in which every system of a cluster is better, at
    95 %, than every system of all later clusters.

    Returns
    -------
    list of tuples of int
        The indices of the systems; the best cluster first, the best system of each first.
    """
    return finest_cut(comparison.ranked(), comparison.beats())


def finest_cut(order: Sequence[int], beats: Bool) -> list[tuple[int, ...]]:
    """Cut a ranking wherever all before the cut beat all after it.

    Parameters
    ----------
    order : sequence of int
        The indices of the ranked systems, best first.
    beats : bool[n, n]
        Whether the row's system is better than the column's.

    Examples
    --------
    >>> finest_cut([2, 0, 1], np.array([[0, 0, 0], [0, 0, 0], [1, 1, 0]], bool))
    [(2,), (0, 1)]
    """
    beats_by_rank = beats[np.ix_(order, order)]
    # Cuts are valid independently of each other, so the finest partition has all valid cuts.
    cuts = [i for i in range(1, len(order)) if beats_by_rank[:i, i:].all()]
    edges = [0, *cuts, len(order)]
    return [tuple(order[a:b]) for a, b in pairwise(edges)]
