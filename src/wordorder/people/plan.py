"""The plan of who rates what: seeded, balanced, nobody beyond his share."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from wordorder.counts import counted
from wordorder.errors import UsageError
from wordorder.types import Int64


def most_items(items: int, max_share: float) -> int:
    """Return how many items one rater may have.

    The share is taken as it is written: 29 % of 100 are 29.

    Examples
    --------
    >>> most_items(100, 0.29), most_items(33, 0.03), most_items(34, 0.03)
    (29, 0, 1)
    """
    return int(Fraction(repr(float(max_share))) * items)


def fewest_raters(items: int, ratings: int, max_share: float) -> int:
    """Return how many raters the ratings need if nobody may have more than a share of the items.

    Raises
    ------
    UsageError
        If not even one item is within the share, with the fewest items of which one is.

    Examples
    --------
    >>> fewest_raters(10_000, 3, 0.03), fewest_raters(34, 3, 0.03), fewest_raters(34, 3, 1)
    (100, 102, 3)
    """
    if items < 1:
        raise UsageError("nothing to rate")
    most = most_items(items, max_share)
    if not most:
        least = -(-1 // Fraction(repr(float(max_share))))
        what = f"{counted(items, 'item')}: one is more than the share {max_share:g} of a rater"
        raise UsageError(f"{what}; give {least} items or a larger --max-share (1 lifts it)")
    return max(ratings, -(-items * ratings // most))


def rating_plan(
    items: int, raters: int, *, ratings: int = 3, max_share: float = 1.0, seed: int = 12345
) -> list[Int64]:
    """Plan who rates what: each item has its number of raters, and all raters as many items.

    The items come in a random order, the raters in random orders one behind the other, so that any
    two raters may meet on an item. No rater has an item twice.

    Parameters
    ----------
    items, raters : int
    ratings : int
        The raters of each item.
    max_share : float
        The largest share of the items that one rater may have.
    seed : int

    Returns
    -------
    list of int64[n], one a rater
        His items, numbers from 0, in the order in which he sees them. The lengths differ by 1 at
        most.

    Raises
    ------
    UsageError
        If there are too few raters or items; the message says how many are needed.

    Examples
    --------
    >>> [sorted(rows.tolist()) for rows in rating_plan(4, 3, ratings=2)]
    [[0, 1, 3], [1, 2], [0, 2, 3]]
    """
    needed = fewest_raters(items, ratings, max_share)
    if raters < needed:
        if raters < ratings:
            raise UsageError(
                f"{counted(raters, 'rater')} for {ratings} ratings of each item; "
                f"give {needed} raters or more"
            )
        # The share that would do, rounded up to what can be typed.
        share = -(-Fraction(-(-items * ratings // raters), items) * 10000 // 1) / Fraction(10000)
        raise UsageError(
            f"{counted(raters, 'rater')} for {ratings} ratings of {items} items, at most "
            f"{most_items(items, max_share)} by one (--max-share={max_share:g}); give {needed} "
            f"raters or more, or --max-share={float(share):g}"
        )
    random = np.random.default_rng(seed)
    slots = items * ratings
    rows = np.concatenate([np.empty(0, np.int64), *_in_turns(random, slots, raters, ratings)])
    order = np.repeat(random.permutation(items), ratings)
    by_rater = np.argsort(rows[:slots], kind="stable")
    ends = np.cumsum(np.bincount(rows[:slots], minlength=raters))
    return [random.permutation(part) for part in np.split(order[by_rater], ends[:-1])]


def _in_turns(random: np.random.Generator, slots: int, raters: int, ratings: int) -> list[Int64]:
    """Return random orders of the raters, so that `ratings` in a row from a multiple on differ."""
    turns: list[Int64] = []
    for begin in range(0, slots, raters):
        turn = random.permutation(raters).astype(np.int64)
        # An item that begins in one turn and ends in the next.
        before = begin % ratings
        if before:
            missing = ratings - before
            seen = _last(turns, before)
            for place in range(missing):
                if turn[place] in seen:
                    free = [at for at in range(missing, raters) if turn[at] not in seen]
                    other = free[int(random.integers(len(free)))]
                    turn[place], turn[other] = turn[other], turn[place]
        turns.append(turn)
    return turns


def _last(turns: list[Int64], count: int) -> set[int]:
    """Return the raters of the last places; a turn is no shorter than the raters of an item."""
    return set(turns[-1][-count:].tolist())
