"""Spanning trees and arc features the slow, obvious way."""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from tests import oracles_trees

NO_ARC = -(1 << 62)


@cache
def all_trees(n: int) -> npt.NDArray[np.int64]:
    """Every tree of `n` words with a single word at the root, as its heads, one per row."""
    return np.array([heads for heads in product(range(n + 1), repeat=n) if is_tree(heads)], int)


def is_tree(heads: Sequence[int]) -> bool:
    """Whether exactly one word is at the root and all others hang below it."""
    return len(heads) > 0 and oracles_trees.is_tree(list(heads), single_root=True)


def ranked_trees(
    cells: npt.NDArray[np.int64], root: int = 0
) -> tuple[list[int], dict[tuple[int, ...], int]]:
    """The scores of all trees that can be, best first, and the score of each.

    ``cells[i - 1, h]`` is the score of the arc from `h` to `i`.
    """
    scores = {}
    n = len(cells)
    for heads in all_trees(n):
        arcs = cells[np.arange(n), heads]
        if (arcs != NO_ARC).all() and (not root or heads[root - 1] == 0):
            scores[tuple(heads.tolist())] = int(arcs.sum())
    return sorted(scores.values(), reverse=True), scores


def arc_features(
    words: Sequence[Any], tags: Sequence[tuple[Any, Any]], head: int, i: int, *, rich: bool
) -> set[tuple[object, ...]]:
    """The features of an arc: those that Hall et al. (2011) list, or more.

    Position 0 is the root. A tag is a pair of UPOS and XPOS.
    """
    plain = _hall(words, tags, head, i)
    if rich:
        plain += _neighbours(tags, head, i)
        # All that has tags, with UPOS alone: what has none is the same and stands once.
        coarse = [upos for upos, _ in tags]
        plain += _hall(words, coarse, head, i) + _neighbours(coarse, head, i)
    direction = i > head
    length = abs(i - head)
    length_class = length if length < 5 else 5 if length < 10 else 6
    return {
        feature
        for part in plain
        for feature in ((direction, *part), (direction, length_class, *part))
    }


def _tag(tags: Sequence[Any], position: int) -> Any:
    return tags[position] if 0 <= position < len(tags) else "outside"


def _neighbours(tags: Sequence[Any], head: int, i: int) -> list[tuple[object, ...]]:
    th, ti = tags[head], tags[i]
    kind = type(ti)
    return [
        (kind, f"th ti {name}{side:+}", th, ti, _tag(tags, position + side))
        for name, position in (("h", head), ("i", i))
        for side in (1, -1)
    ]


def _hall(words: Sequence[Any], tags: Sequence[Any], head: int, i: int) -> list[tuple[object, ...]]:
    wi, ti, wh, th = words[i], tags[i], words[head], tags[head]
    kind = type(ti)
    found: list[tuple[object, ...]] = [
        ("arc",),
        ("wi", wi),
        ("wh", wh),
        ("wi wh", wi, wh),
        (kind, "ti", ti),
        (kind, "th", th),
        (kind, "wi ti", wi, ti),
        (kind, "wh th", wh, th),
        (kind, "ti th", ti, th),
        (kind, "th wi ti", th, wi, ti),
        (kind, "wh wi ti", wh, wi, ti),
        (kind, "wh th ti", wh, th, ti),
        (kind, "wh th wi", wh, th, wi),
    ]
    for h_side, i_side in product((1, -1), repeat=2):
        name = f"th th{h_side:+} ti{i_side:+} ti"
        found.append((kind, name, th, _tag(tags, head + h_side), _tag(tags, i + i_side), ti))
    between = range(min(head, i) + 1, max(head, i))
    return found + [(kind, "th tj ti", th, tags[j], ti) for j in between]
