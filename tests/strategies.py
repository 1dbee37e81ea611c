"""What tests draw: permutations, and rows with ties."""

import random
from collections.abc import Iterable

from hypothesis import strategies as st


@st.composite
def shuffles(draw: st.DrawFn, *, shortest: int = 1, longest: int = 40) -> list[int]:
    """A permutation: any, or one that was made by turning and moving blocks."""
    n = draw(st.integers(shortest, longest))
    if n == 0 or draw(st.booleans()):
        return draw(st.permutations(range(n)))
    row = list(range(n))
    for _ in range(draw(st.integers(0, 6))):
        first = draw(st.integers(0, n - 1))
        last = draw(st.integers(first, n))
        block = row[first:last]
        if draw(st.booleans()):
            row[first:last] = block[::-1]
        else:
            del row[first:last]
            at = draw(st.integers(0, len(row)))
            row[at:at] = block
    return row


@st.composite
def tied_rows(draw: st.DrawFn, *, longest: int = 7) -> list[int]:
    """Dense ranks with ties, in any order."""
    n = draw(st.integers(1, longest))
    ranks = [0]
    for _ in range(n - 1):
        ranks.append(ranks[-1] + draw(st.integers(0, 1)))
    return draw(st.permutations(ranks))


def tied(draw: random.Random, words: Iterable[int], share: float) -> list[list[int]]:
    """Cut words into groups: so many of them tie with the word before."""
    groups: list[list[int]] = []
    for word in words:
        if groups and draw.random() < share:
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups
