"""The plan of which rater rates which items: seeded, balanced, within each rater's share."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from wordorder.arrays import Int64
from wordorder.errors import UsageError
from wordorder.messages import counted


def max_items(items: int, max_share: float) -> int:
    """Return the largest number of items for one rater.

    The share is read as a decimal fraction: 29 % of 100 are exactly 29.

    Examples
    --------
    >>> max_items(100, 0.29), max_items(33, 0.03), max_items(34, 0.03)
    (29, 0, 1)
    """
    return int(Fraction(repr(float(max_share))) * items)


def fewest_raters(items: int, ratings: int, max_share: float) -> int:
    """Return the number of raters needed if no rater may have more than a share of the items.

    Raises
    ------
    UsageError
        If the share allows less than one item; the message has the number of items needed.

    Examples
    --------
    >>> fewest_raters(10_000, 3, 0.03), fewest_raters(34, 3, 0.03), fewest_raters(34, 3, 1)
    (100, 102, 3)
    """
    if items < 1:
        raise UsageError("nothing to rate")
    capacity = max_items(items, max_share)
    if not capacity:
        needed = -(-1 // Fraction(repr(float(max_share))))
        problem = f"{counted(items, 'item')}: one is more than the share {max_share:g} of a rater"
        raise UsageError(f"{problem}; give {needed} items or a larger --max-share (1 lifts it)")
    return max(ratings, -(-items * ratings // capacity))


def rating_plan(
    items: int, raters: int, *, ratings: int = 3, max_share: float = 1.0, seed: int = 12345
) -> list[Int64]:
    """Assign items to raters: `ratings` raters for each item, equally many items for each rater.

    Shuffled items go to the raters in turn, and the raters are shuffled again for each turn, so
    that any two raters may have an item in common. No rater has an item twice.

    Parameters
    ----------
    items, raters : int
    ratings : int
        Number of raters per item.
    max_share : float
        The largest share of the items that one rater may have.
    seed : int

    Returns
    -------
    list of int64[n], one per rater
        Indices of the rater's items, in the order in which they are shown. The lengths differ by
        1 at most.

    Raises
    ------
    UsageError
        If there are too few raters or items; the message has the number needed.

    Examples
    --------
    >>> [sorted(rows.tolist()) for rows in rating_plan(4, 3, ratings=2)]
    [[0, 1, 3], [1, 2], [0, 2, 3]]
    """
    needed = fewest_raters(items, ratings, max_share)
    if raters < needed:
        if raters < ratings:
            problem = f"{counted(raters, 'rater')} for {ratings} ratings of each item"
            raise UsageError(f"{problem}; give {needed} raters or more")
        # The smallest sufficient share, rounded up to four digits.
        share = -(-Fraction(-(-items * ratings // raters), items) * 10000 // 1) / Fraction(10000)
        problem = f"{counted(raters, 'rater')} for {ratings} ratings of {items} items"
        limit = f"at most {max_items(items, max_share)} by one (--max-share={max_share:g})"
        advice = f"give {needed} raters or more, or --max-share={float(share):g}"
        raise UsageError(f"{problem}, {limit}; {advice}")
    random = np.random.default_rng(seed)
    slots = items * ratings
    rater_of_slot = np.concatenate(
        [np.empty(0, np.int64), *_draw_turns(random, slots, raters, ratings)]
    )
    item_of_slot = np.repeat(random.permutation(items), ratings)
    by_rater = np.argsort(rater_of_slot[:slots], kind="stable")
    ends = np.cumsum(np.bincount(rater_of_slot[:slots], minlength=raters))
    return [random.permutation(part) for part in np.split(item_of_slot[by_rater], ends[:-1])]


def _draw_turns(random: np.random.Generator, slots: int, raters: int, ratings: int) -> list[Int64]:
    """Return permutations of the raters that, concatenated, give no item the same rater twice."""
    turns: list[Int64] = []
    for start in range(0, slots, raters):
        turn = random.permutation(raters).astype(np.int64)
        # How many raters of an unfinished item come from the previous permutation.
        carried = start % ratings
        if carried:
            missing = ratings - carried
            # A permutation is never shorter than the number of raters of an item.
            previous_raters = set(turns[-1][-carried:].tolist())
            for index in range(missing):
                if turn[index] in previous_raters:
                    unused = [
                        index
                        for index in range(missing, raters)
                        if turn[index] not in previous_raters
                    ]
                    swap = unused[int(random.integers(len(unused)))]
                    turn[index], turn[swap] = turn[swap], turn[index]
        turns.append(turn)
    return turns
