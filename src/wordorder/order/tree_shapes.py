"""What the permutation trees of many rows look like, without building objects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.kernels import forest, intervals
from wordorder.kernels._run import run_rows
from wordorder.order.catalan import scaled_catalan
from wordorder.order.leaf_shares import leaf_shares
from wordorder.ragged import Ragged
from wordorder.types import Float64, Int32, Int64


@dataclass(frozen=True)
class TreeShapes:
    """One entry per permutation.

    Attributes
    ----------
    nodes : int64[S]
        Inner nodes of a permutation tree (all trees of a permutation have as many).
    largest : int64[S]
        Length of the longest operator; 0 for a single word.
    mantissa, exponent : float64[S], int64[S]
        The number of permutation trees is ``mantissa * 2**exponent``.
    """

    nodes: Int64
    largest: Int64
    mantissa: Float64
    exponent: Int64


# Up to this length a look down the builder's whole stack is cheaper than what prevents it.
SHORT = 96


def scratch(longest: int) -> tuple[Int32]:
    """Return the working array that the tree kernels need for rows of up to `longest` words."""
    return (np.empty(18 * max(longest, 1), np.int32),)


def leftmost_intervals(permutation: Ragged) -> Int32:
    """Find, for rows longer than `SHORT`, where the first interval that ends at a place begins.

    Returns
    -------
    int32[words]
        Undefined for the places of shorter rows; of length 1 if all are.
    """
    if int(permutation.lengths.max(initial=0)) <= SHORT:
        return np.zeros(1, np.int32)
    leftmost = np.empty(len(permutation.values), np.int32)
    run_rows(
        intervals.leftmost_intervals,
        permutation.offsets,
        permutation.values,
        permutation.offsets,
        SHORT,
        leftmost,
        scratch=lambda longest: (np.empty(8 * longest, np.int32), np.empty(2 * longest, np.int32)),
    )
    return leftmost


def tree_shapes(permutation: Ragged) -> TreeShapes:
    """Count nodes, longest operators and trees of every row.

    Notes
    -----
    O(n log n) a row in the worst case, linear where little is out of order.

    Examples
    --------
    >>> shapes = tree_shapes(Ragged.from_rows([[1, 3, 4, 5, 0, 2], [0, 1, 2, 3, 4]]))
    >>> shapes.nodes.tolist(), shapes.largest.tolist()
    ([3, 4], [4, 2])
    >>> np.ldexp(shapes.mantissa, shapes.exponent).tolist()
    [2.0, 14.0]
    """
    rows = len(permutation)
    longest = int(permutation.lengths.max(initial=0))
    shapes = TreeShapes(
        np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows), np.empty(rows, np.int64)
    )
    run_rows(
        forest.tree_shapes,
        permutation.offsets,
        permutation.values,
        permutation.offsets,
        leftmost_intervals(permutation),
        SHORT,
        *scaled_catalan(longest + 1),
        shapes.nodes,
        shapes.largest,
        shapes.mantissa,
        shapes.exponent,
        scratch=scratch,
    )
    return shapes


def recursive_scores(permutation: Ragged, beta: float) -> Float64:
    """Average the recursive score of every row over all of its permutation trees.

    Returns
    -------
    float64[S]
        In [0, 1], not rescaled; 0 for an empty row.

    Notes
    -----
    ``score(leaf) = 1``, ``score(node) = beta * op + (1 - beta) * sum(size(child) / size(node) *
    score(child))`` with `op` 1 for a monotone binary node and 0 otherwise (Stanojević & Sima'an
    2014, "Evaluating Word Order Recursively over Permutation-Forests").

    Examples
    --------
    >>> recursive_scores(Ragged.from_rows([[0, 1], [1, 0]]), beta=0.6).tolist()
    [1.0, 0.4]
    """
    longest = int(permutation.lengths.max(initial=0))
    shares = leaf_shares(longest, beta)
    scores = np.empty(len(permutation))
    fixed = (beta, shares.table, shares.size, shares.points, shares.weights, shares.catalan)
    run_rows(
        forest.recursive_scores,
        permutation.offsets,
        permutation.values,
        permutation.offsets,
        leftmost_intervals(permutation),
        SHORT,
        *fixed,
        scores,
        scratch=lambda size: (*scratch(size), np.empty(2 * max(size, 1))),
    )
    return scores
