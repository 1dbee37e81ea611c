"""Cheapest paths of the long jump distance: every word of both sentences taken once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.kernels import long_jump as kernel
from wordorder.kernels._run import call
from wordorder.metrics.text.disjoint_path import disjoint_path, read_in_reference
from wordorder.metrics.text.grid_path import OPERATIONS, GridPath, Step
from wordorder.metrics.text.long_jump import LIMIT, MOST_PLACES, SLOTS, checked_limit
from wordorder.notes import note
from wordorder.text.texts import Texts
from wordorder.types import Int32

# Where the kernel says that its steps are from.
_EDITS, _RELAXED = 0, 1


def long_jump_path(
    hypothesis: Sequence[str], reference: Sequence[str], *, limit: int = LIMIT
) -> GridPath:
    """Find a cheapest path of the long jump distance.

    Parameters
    ----------
    hypothesis, reference : sequence of str
        The words of one sentence pair.
    limit : int, default 20000
        How many states the search may look at, as for `LongJump`.

    Returns
    -------
    GridPath
        It takes every word of both sentences exactly once, and costs what `LongJump` counts.

    Raises
    ------
    UsageError
        If `limit` is not a whole number from 0 to 10**15.

    Warns
    -----
    WordOrderWarning
        If it is not proven within the limit that no path is cheaper.

    Notes
    -----
    Leusch, Ueffing and Ney (2006), section 2.2. The distance is NP-hard; `long_jump_bounds` tells
    how it is found. Where edits alone cost as little, the path does not jump. Else it is the path
    that the search ends with, or one made by `disjoint_path` from a path that proves the bound.

    Examples
    --------
    >>> long_jump_path("on tuesday on tuesday we met".split(), "on tuesday we met".split())
    GridPath(2 deletions, 4 matches: cost 2)
    >>> long_jump_path("d e f a b c".split(), "a b c d e f".split())
    GridPath(3 jumps, 6 matches: cost 3)
    """
    limit = checked_limit(limit)
    texts = Texts.from_segments([list(hypothesis)], [[list(reference)]])
    local = texts.local()
    rows = [local.hypothesis.values, local.references.values]
    edits = _edit_path(hypothesis, reference, *rows)
    turned = len(hypothesis) > len(reference)
    if turned:
        rows.reverse()
    trail, walked = (np.zeros(6 * (len(hypothesis) + len(reference) + 1), np.int32) for _ in "12")
    found = np.array([0, int(edits.cost), 0, _EDITS], np.int32)
    longest = len(hypothesis) + len(reference) + 2
    call(
        kernel.long_jump_steps,
        *rows,
        limit,
        trail,
        walked,
        found,
        np.empty(7 * longest, np.int32),
        np.empty(min(longest**2 // 4, MOST_PLACES), np.int32),
        np.empty(SLOTS, np.uint64),
        np.zeros(2 * SLOTS, np.int64),
    )
    lower, upper, count, origin = found.tolist()
    if lower < upper:
        note(
            f"long-jump: a path of cost {lower} is not excluded within limit={limit}; "
            f"the cheapest one found costs {upper}"
        )
    if origin == _EDITS:
        return edits
    steps = tuple(
        Step(OPERATIONS[kind], i, k, float(kind > 0))
        for kind, i, k in trail[: 3 * count].reshape(-1, 3)[::-1].tolist()
    )
    sides = [tuple(hypothesis), tuple(reference)]
    path = GridPath(steps, *(reversed(sides) if turned else sides))
    if origin == _RELAXED:
        path = disjoint_path(path)
    return read_in_reference(path.turned()) if turned else path


def _edit_path(
    hypothesis: Sequence[str], reference: Sequence[str], ours: Int32, theirs: Int32
) -> GridPath:
    """Return a cheapest path without jumps, with as many diagonal steps as its end allows."""
    costs = np.empty((len(theirs) + 1, len(ours) + 1), np.int32)
    across = np.arange(len(ours) + 1, dtype=np.int32)
    costs[0] = across
    for k, word in enumerate(theirs.tolist()):
        row = costs[k] + 1
        row[1:] = np.minimum(row[1:], costs[k, :-1] + (ours != word))
        # Deletions lead from the cheapest place on the left.
        costs[k + 1] = np.minimum.accumulate(row - across) + across
    i, k = len(ours), len(theirs)
    steps = []
    while i or k:
        wrong = bool(i and k and ours[i - 1] != theirs[k - 1])
        if i and k and costs[k, i] == costs[k - 1, i - 1] + wrong:
            i, k = i - 1, k - 1
            steps.append(Step("substitution" if wrong else "match", i, k, float(wrong)))
        elif k and costs[k, i] == costs[k - 1, i] + 1:
            k -= 1
            steps.append(Step("insertion", i, k, 1.0))
        else:
            i -= 1
            steps.append(Step("deletion", i, k, 1.0))
    return GridPath(tuple(reversed(steps)), tuple(hypothesis), tuple(reference))
