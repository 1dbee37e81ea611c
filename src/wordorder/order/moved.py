"""Moved words: the fewest that have to change their place to make one order of another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def moved_words(permutation: Sequence[int]) -> list[bool]:
    """Say which words of a permutation have moved, if as few as possible have.

    Parameters
    ----------
    permutation : sequence of int
        Distinct numbers.

    Returns
    -------
    list of bool
        False for the words of one longest increasing subsequence, always the same one: these stay,
        and all others are taken out and put in elsewhere.

    Notes
    -----
    As many are True as Ulam's distance counts. O(n log n) time (Schensted 1961).

    Examples
    --------
    She can read it, put into the order *she it read can*:

    >>> moved_words([0, 3, 2, 1])
    [False, True, True, False]
    >>> moved_words([1, 2, 3, 0])
    [False, False, False, True]
    """
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for place, value in enumerate(permutation):
        length = bisect_left(tails, value)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [value]
        ends[length : length + 1] = [place]
    moved = [True] * len(permutation)
    place = ends[-1] if ends else -1
    while place >= 0:
        moved[place] = False
        place = before[place]
    return moved
