"""Moved words against brute force."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from wordorder.order.orders import moved_words


@given(st.permutations(range(7)), st.integers(0, 7))
def test_as_few_words_as_possible_have_moved(row: list[int], words: int) -> None:
    row = row[:words]
    moved = moved_words(row)
    stay = [value for value, flag in zip(row, moved, strict=True) if not flag]
    assert stay == sorted(stay)
    longest = max(
        size
        for size in range(len(row) + 1)
        for chosen in combinations(row, size)
        if all(a < b for a, b in pairwise(chosen))
    )
    assert len(stay) == longest
