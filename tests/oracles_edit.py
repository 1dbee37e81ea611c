"""Slow, obvious twins of the edit distances."""

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import lcm

# Exact: which of two paths is cheaper is no matter of rounding.
Cost = Callable[[str, str], Fraction]
Exact = Fraction | int
Point = tuple[int, int]


def constant_cost(one: str, other: str) -> Fraction:
    return Fraction(one != other)


def prefix_cost(one: str, other: str) -> Fraction:
    if one == other:
        return Fraction(0)
    common = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        common += 1
    return 1 - Fraction(2 * common, len(one) + len(other))


@cache
def levenshtein_path(one: str, other: str) -> tuple[int, int]:
    """Return edits and, negated, identities of the cheapest paths' longest, over all paths."""
    if not one or not other:
        return len(one) + len(other), 0
    ways = []
    for path, step in (
        (levenshtein_path(one[1:], other), (1, 0)),
        (levenshtein_path(one, other[1:]), (1, 0)),
        (levenshtein_path(one[1:], other[1:]), (0, -1) if one[0] == other[0] else (1, 0)),
    ):
        ways.append((path[0] + step[0], path[1] + step[1]))
    return min(ways)


def levenshtein_cost(one: str, other: str) -> Fraction:
    edits, identities = levenshtein_path(one, other)
    return Fraction(edits, edits - identities) if edits else Fraction(0)


COSTS: dict[str, Cost] = {
    "constant": constant_cost,
    "prefix": prefix_cost,
    "levenshtein": levenshtein_cost,
}


def in_units(
    candidate: Iterable[str], reference: Iterable[str], cost: Callable[[str, str], Exact]
) -> tuple[Callable[[str, str], int], int]:
    """Return costs as whole numbers, and what 1 is among them: as exact as fractions, but fast."""
    words = set(reference)
    costs = {(one, other): cost(one, other) for one in set(candidate) for other in words}
    unit = lcm(*(each.denominator for each in costs.values()))
    whole = {pair: int(each * unit) for pair, each in costs.items()}
    return lambda one, other: whole[one, other], unit


def edit_distance(candidate: Sequence[str], reference: Sequence[str], cost: Cost) -> Fraction:
    """Return the cheapest way through the whole grid."""
    return _cheapest(candidate, reference, cost, jumps=False)


def cover_distance(candidate: Sequence[str], reference: Sequence[str], cost: Cost) -> Fraction:
    """Return the cheapest way through the grid in which each point of a row leads to all others."""
    return _cheapest(candidate, reference, cost, jumps=True)


def _cheapest(
    candidate: Sequence[str], reference: Sequence[str], cost: Cost, *, jumps: bool
) -> Fraction:
    """Dijkstra's algorithm."""
    price, unit = in_units(candidate, reference, cost)

    def edges(i: int, k: int) -> Iterator[tuple[int, Point]]:
        if i < len(candidate):
            yield unit, (i + 1, k)
        if k < len(reference):
            yield unit, (i, k + 1)
        if i < len(candidate) and k < len(reference):
            yield price(candidate[i], reference[k]), (i + 1, k + 1)
        if jumps:
            for other in range(len(candidate) + 1):
                yield unit, (other, k)

    done: set[Point] = set()
    heap: list[tuple[int, Point]] = [(0, (0, 0))]
    while True:
        distance, point = heapq.heappop(heap)
        if point == (len(candidate), len(reference)):
            return Fraction(distance, unit)
        if point not in done:
            done.add(point)
            for length, there in edges(*point):
                heapq.heappush(heap, (distance + length, there))


def equation_1(
    candidate: Sequence[str],
    reference: Sequence[str],
    cost: Callable[[str, str], Exact],
    unit: int = 1,
) -> dict[Point, Exact]:
    """Return D(i, l), the four terms of the equation as they stand there, 1 being the unit."""
    D: dict[Point, Exact] = {}
    for k in range(len(reference) + 1):
        row: dict[int, Exact] = {}
        for i in range(len(candidate) + 1):
            terms: list[Exact] = [0] if i == k == 0 else []
            if i > 0 and k > 0:
                terms.append(D[i - 1, k - 1] + cost(candidate[i - 1], reference[k - 1]))
            if k > 0:
                terms.append(D[i, k - 1] + unit)
            if i > 0:
                terms.append(row[i - 1] + unit)
            row[i] = min(terms)
        jump = min(row.values()) + unit
        for i, value in row.items():
            D[i, k] = min(value, jump)
    return D


def miscoverage(candidate: Sequence[str], reference: Sequence[str], cost: Cost) -> int:
    """Return the sum of |1 - coverage| on the path with the documented preferences."""
    path = documented_path(candidate, reference, cost)
    return _miscovered(path, len(candidate))


def cheapest_paths(
    candidate: Sequence[str], reference: Sequence[str], cost: Cost
) -> Iterator[tuple[tuple[str, int, int], ...]]:
    """Yield all cheapest paths: the name of each step and the point where it begins."""
    price, unit = in_units(candidate, reference, cost)
    D = equation_1(candidate, reference, price, unit)

    def ending(i: int, k: int, jumped: bool) -> Iterator[tuple[tuple[str, int, int], ...]]:
        here = D[i, k]
        if (i, k) == (0, 0):
            yield ()
        if i and k and here == D[i - 1, k - 1] + price(candidate[i - 1], reference[k - 1]):
            same = candidate[i - 1] == reference[k - 1]
            step = ("match" if same else "substitution", i - 1, k - 1)
            yield from ((*path, step) for path in ending(i - 1, k - 1, False))
        if k and here == D[i, k - 1] + unit:
            yield from ((*path, ("insertion", i, k - 1)) for path in ending(i, k - 1, False))
        if i and here == D[i - 1, k] + unit:
            yield from ((*path, ("deletion", i - 1, k)) for path in ending(i - 1, k, False))
        if not jumped:
            for other in range(len(candidate) + 1):
                if here == D[other, k] + unit:
                    yield from ((*path, ("jump", other, k)) for path in ending(other, k, True))

    return ending(len(candidate), len(reference), False)


def documented_path(
    candidate: Sequence[str], reference: Sequence[str], cost: Cost
) -> list[tuple[str, int, int]]:
    """Return the cheapest path with the documented preferences, followed from its end."""
    price, unit = in_units(candidate, reference, cost)
    D = equation_1(candidate, reference, price, unit)
    steps: list[tuple[str, int, int]] = []
    i, k = len(candidate), len(reference)
    while (i, k) != (0, 0):
        here = D[i, k]
        if i and k and here == D[i - 1, k - 1] + price(candidate[i - 1], reference[k - 1]):
            i, k = i - 1, k - 1
            name = "match" if candidate[i] == reference[k] else "substitution"
        elif k and here == D[i, k - 1] + unit:
            k, name = k - 1, "insertion"
        elif i and here == D[i - 1, k] + unit:
            i, name = i - 1, "deletion"
        else:
            row = [D[other, k] for other in range(len(candidate) + 1)]
            assert here == min(row) + unit
            i, name = row.index(min(row)), "jump"
        steps.insert(0, (name, i, k))
    return steps


def blockwise_path(
    candidate: Sequence[str], reference: Sequence[str], cost: Cost
) -> list[tuple[str, int, int]]:
    """Return of all cheapest paths the one with most links of matches, then fewest jumps.

    Then the one with most matches, if costs are constant; of several the one that is first by the
    documented preferences, from its end.
    """
    ranks = ["match", "substitution", "insertion", "deletion", "jump"]

    def key(path: Iterable[tuple[str, int, int]]) -> tuple[int, int, int, list[tuple[int, int]]]:
        steps = list(path)
        names = [name for name, _, _ in steps]
        links = sum(a == b == "match" for a, b in pairwise(names))
        matches = names.count("match") if cost is constant_cost else 0
        return (
            -links,
            names.count("jump"),
            -matches,
            [(ranks.index(name), i) for name, i, _ in reversed(steps)],
        )

    return list(min(cheapest_paths(candidate, reference, cost), key=key))


def matching_cost(candidate: Sequence[str], reference: Sequence[str], cost: Cost) -> Fraction:
    """Return the cheapest matching of all words of the shorter, and 1 for each word too many."""
    shorter, longer = sorted([tuple(candidate), tuple(reference)], key=len)
    price, unit = in_units(shorter, longer, cost)

    @cache
    def cheapest(row: int, used: int) -> int:
        if row == len(shorter):
            return unit * (len(longer) - len(shorter))
        return min(
            price(shorter[row], word) + cheapest(row + 1, used | 1 << column)
            for column, word in enumerate(longer)
            if not used >> column & 1
        )

    return Fraction(cheapest(0, 0), unit)


DISTANCES = {"wer": edit_distance, "cder": cover_distance, "per": matching_cost}


def least_miscoverage(candidate: Sequence[str], reference: Sequence[str], cost: Cost) -> int:
    """Return the least sum of |1 - coverage| over all cheapest paths, by trying them all."""
    paths = cheapest_paths(candidate, reference, cost)
    return min(_miscovered(path, len(candidate)) for path in paths)


def _miscovered(path: Sequence[tuple[str, int, int]], words: int) -> int:
    taken = [i for name, i, _ in path if name not in ("insertion", "jump")]
    return sum(abs(1 - taken.count(word)) for word in range(words))


def position_independent(candidate: Sequence[str], reference: Sequence[str]) -> int:
    common = Counter(candidate) & Counter(reference)
    return max(len(candidate), len(reference)) - sum(common.values())
