"""Slow, obvious twins of the distances with jumps and transpositions, and of their helpers."""

from collections.abc import Sequence
from functools import cache
from heapq import heappop, heappush

Words = Sequence[object]


def levenshtein(one: Words, other: Words) -> int:
    """Return the edit distance by its recursion."""
    row = list(range(len(other) + 1))
    for i, word in enumerate(one, 1):
        above, row = row, [i]
        for j, theirs in enumerate(other, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (word != theirs)))
    return row[-1]


def long_jump_distance(candidate: Words, reference: Words) -> int:
    """Return the cheapest path through (i, l, words covered), by Dijkstra's algorithm.

    Leusch, Ueffing and Ney (2006), section 2.2: edits and jumps cost 1, and the path covers each
    candidate word and each reference word exactly once.
    """
    words, lines = len(candidate), len(reference)
    start = (0, 0, 0)
    known = {start: 0}
    heap = [(0, start)]
    while heap:
        cost, state = heappop(heap)
        if cost > known[state]:
            continue
        i, line, covered = state
        if i == words and line == lines and covered == (1 << words) - 1:
            return cost
        steps = []
        if line < lines:
            steps.append(((i, line + 1, covered), 1))
        if i < words and not covered >> i & 1:
            steps.append(((i + 1, line, covered | 1 << i), 1))
            if line < lines:
                wrong = int(candidate[i] != reference[line])
                steps.append(((i + 1, line + 1, covered | 1 << i), wrong))
        steps += [((k, line, covered), 1) for k in range(words + 1) if k != i]
        for after, price in steps:
            if cost + price < known.get(after, len(candidate) + lines + 1):
                known[after] = cost + price
                heappush(heap, (cost + price, after))
    raise AssertionError("deleting and inserting all words is a path")


def cover_disjoint_distance(candidate: Words, reference: Words) -> int:
    """Return d_CD: as the long jump distance, but the candidate may be covered in any way."""
    row = [min(i, 1) for i in range(len(candidate) + 1)]
    for word in reference:
        above, row = row, [row[0] + 1]
        for i, ours in enumerate(candidate, 1):
            row.append(min(above[i] + 1, row[i - 1] + 1, above[i - 1] + (word != ours)))
        row = [min(cost, min(row) + 1) for cost in row]
    return row[-1]


def inversion_distance(candidate: Words, reference: Words, inversion: float = 1.0) -> float:
    """Return the edit distance with block transpositions, from its definition.

    Leusch, Ueffing and Ney (2003): a pair of spans is edited word by word, or cut into two pairs of
    spans, in order or crosswise; the latter costs `inversion`.
    """

    @cache
    def distance(i: int, j: int, k: int, m: int) -> float:
        if i == j or k == m:
            return float(j - i + m - k)
        best = float("inf")
        if j - i == m - k == 1:
            best = float(candidate[i] != reference[k])
        for a in range(i, j + 1):
            for b in range(k, m + 1):
                if (a, b) not in ((i, k), (j, m)):
                    best = min(best, distance(i, a, k, b) + distance(a, j, b, m))
                if (a, b) not in ((i, m), (j, k)):
                    crossed = distance(i, a, b, m) + distance(a, j, k, b)
                    best = min(best, crossed + inversion)
        return best

    return distance(0, len(candidate), 0, len(reference))
