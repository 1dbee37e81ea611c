"""Slow, obvious twins of matchings that reward runs of words."""

from collections.abc import Iterator, Sequence

Match = tuple[int, int]


def all_matchings(one: Sequence[str], other: Sequence[str]) -> Iterator[frozenset[Match]]:
    """Yield every way to give words of one sentence an equal word of the other."""

    def rest(i: int, free: frozenset[int]) -> Iterator[tuple[Match, ...]]:
        if i == len(one):
            yield ()
            return
        yield from rest(i + 1, free)
        for j in free:
            if one[i] == other[j]:
                yield from (((i, j), *more) for more in rest(i + 1, free - {j}))

    return map(frozenset, rest(0, frozenset(range(len(other)))))


def run_lengths(matching: frozenset[Match]) -> list[int]:
    """Return the lengths of the stretches that stand side by side in both sentences."""
    lengths = []
    for i, j in matching:
        if (i - 1, j - 1) not in matching:
            length = 1
            while (i + length, j + length) in matching:
                length += 1
            lengths.append(length)
    return lengths


def size(matching: frozenset[Match], exponent: float) -> float:
    return float(sum(length**exponent for length in run_lengths(matching)) ** (1 / exponent))


def largest(one: Sequence[str], other: Sequence[str], exponent: float) -> float:
    """Return the size of the largest of all matchings."""
    return max(size(matching, exponent) for matching in all_matchings(one, other))


def greedy(one: Sequence[str], other: Sequence[str]) -> frozenset[Match]:
    """Take the longest common run of free words, the first one of several, again and again."""
    taken: set[Match] = set()
    while True:
        rows, columns = {i for i, _ in taken}, {j for _, j in taken}
        best = (0, 0, 0)
        for i in range(len(one)):
            for j in range(len(other)):
                length = 0
                while (
                    i + length < len(one)
                    and j + length < len(other)
                    and one[i + length] == other[j + length]
                    and i + length not in rows
                    and j + length not in columns
                ):
                    length += 1
                best = max(best, (length, -i, -j))
        if best[0] == 0:
            return frozenset(taken)
        taken |= {(k - best[1], k - best[2]) for k in range(best[0])}
