"""Slow, obvious twins of the moved blocks: sentence by sentence, by trying all choices."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

from wordorder.metrics.text.paths import GridPath


@dataclass
class SlowBlock:
    """A block of one sentence.

    Attributes
    ----------
    first, stop : int
        Its words, numbers in the row of places.
    """

    first: int
    stop: int
    moved: bool = False
    distance: int = 0
    passed: tuple[int, ...] = ()
    cost: Fraction = Fraction(0)


def slow_blocks(
    places: Sequence[int], jumps: Sequence[bool], width: int
) -> tuple[list[SlowBlock], int]:
    """Return the blocks of a row of places, and its jumps without a cause."""
    used = sorted(set(places))
    blocks: list[SlowBlock] = []
    for i, place in enumerate(places):
        if i and used.index(places[i - 1]) + 1 == used.index(place):
            blocks[-1].stop = i + 1
        else:
            blocks.append(SlowBlock(i, i + 1))
    staying = set(_staying(blocks, places))
    kept = [
        i for n, block in enumerate(blocks) if n in staying for i in range(block.first, block.stop)
    ]
    for n, block in enumerate(blocks):
        block.moved = n not in staying
        if not block.moved:
            continue
        left, right = places[block.first], places[block.stop - 1]
        early = [i for i in kept if i < block.first and places[i] > right]
        late = [i for i in kept if i > block.first and places[i] < left]
        assert not (early and late)
        block.passed = tuple(early or late)
        block.distance = len(late) - len(early)
    return blocks, _charge(blocks, places, jumps, width)


def _staying(blocks: Sequence[SlowBlock], places: Sequence[int]) -> tuple[int, ...]:
    """Return the blocks in order with most words, of several choices the first."""

    @cache
    def chains(after: int) -> tuple[int, tuple[int, ...]]:
        """Return words and blocks of the best choice behind a block."""
        best: tuple[int, tuple[int, ...]] = (0, ())
        for n in range(after + 1, len(blocks)):
            if after < 0 or places[blocks[n].first] > places[blocks[after].stop - 1]:
                words, rest = chains(n)
                words += blocks[n].stop - blocks[n].first
                if words > best[0]:
                    best = (words, (n, *rest))
        return best

    if len(blocks) <= 7:
        assert chains(-1) == _best_of_all(blocks, places)
    return chains(-1)[1]


def _best_of_all(blocks: Sequence[SlowBlock], places: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """Try all choices."""
    best: tuple[int, tuple[int, ...]] = (0, ())
    for size in range(len(blocks) + 1):
        for chosen in combinations(range(len(blocks)), size):
            row = [p for n in chosen for p in places[blocks[n].first : blocks[n].stop]]
            if all(a < b for a, b in pairwise(row)):
                better = len(row) > best[0] or (len(row) == best[0] and chosen < best[1])
                best = (len(row), chosen) if better else best
    return best


def _charge(
    blocks: Sequence[SlowBlock], places: Sequence[int], jumps: Sequence[bool], width: int
) -> int:
    causeless = 0
    for gap, jumped in enumerate(jumps):
        if not jumped:
            continue
        before = next((b for b in blocks if b.stop > gap - 1 >= b.first), None)
        behind = next((b for b in blocks if b.first <= gap < b.stop), None)
        start = places[gap - 1] + 1 if before else 0
        stop = places[gap] if behind else width
        causes = [b for b in (before, behind) if b is not None and b.moved]
        if before is not None and before is behind:
            causes = []
        elif not causes:
            causes = [
                b
                for b in blocks
                if b.moved and set(places[b.first : b.stop]) & {*range(start, stop)}
            ]
        for block in causes:
            block.cost += Fraction(1, len(causes))
        causeless += not causes
    return causeless


def places_of(path: GridPath) -> tuple[list[int], list[int], list[bool]]:
    """Return reference words with a place, their places, and the jumps around them."""
    words, places, jumps = [], [], [False]
    for step in path.steps:
        if step.operation in ("jump", "deletion"):
            jumps[-1] = True
        elif step.operation in ("match", "substitution"):
            words.append(step.reference)
            places.append(step.hypothesis)
            jumps.append(False)
    return words, places, jumps
