"""Lists of trees from beams that grow until they are long or good enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from wordorder.errors import UsageError
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool, Int64

FIRST_BEAM = 2


class Lists(Protocol):
    """Makes lists of up to `k` trees with a beam."""

    def __call__(self, sentences: Treebank, k: int, *, beam: int | None = None) -> KBest:
        """Return the lists."""
        ...


def grown_lists(
    lists: Lists, sentences: Treebank, k: int, until: Callable[[KBest], Bool] | None
) -> KBest:
    """Return the best `k` of all trees that beams of 2, 4, 8, … find.

    A sentence is done when its list has `k` trees, when `until` says so, or when a beam that
    could give `k` trees was searched.
    """
    done: list[tuple[Int64, KBest]] = []
    still = np.arange(len(sentences))
    found: KBest | None = None
    beam = FIRST_BEAM
    while len(still):
        new = lists(sentences.take(still), beam, beam=beam)
        found = new if found is None else united(found, new)
        finished = np.diff(found.offsets) >= k
        if beam >= k:
            finished[:] = True
        elif until is not None and not finished.all():
            enough = np.asarray(until(found))
            if enough.shape != finished.shape:
                raise UsageError(f"until says of {len(finished)} lists whether they are enough")
            finished |= enough.astype(bool)
        done.append((still[finished], found.take(np.flatnonzero(finished), most=k)))
        found = found.take(np.flatnonzero(~finished))
        still = still[~finished]
        beam *= 2
    if not done:
        return lists(sentences, 1, beam=1)
    rows = np.concatenate([numbers for numbers, _ in done])
    whole = KBest.concatenate([part for _, part in done])
    return whole.take(np.argsort(rows, kind="stable"))


def united(one: KBest, other: KBest) -> KBest:
    """Return all trees of two lists of the same sentences, each once, best first."""
    both = KBest.concatenate([one, other])
    sentence = np.concatenate([one.sentence, other.sentence])
    # Of equal scores the one that was found first comes first.
    order = np.lexsort((np.arange(len(sentence)), -both.scores, sentence)).tolist()
    trees, offsets = both.trees, both.trees.offsets.tolist()
    labels = trees.label.codes
    seen: set[tuple[int, bytes, bytes]] = set()
    kept = []
    for tree in order:
        words = slice(offsets[tree], offsets[tree + 1])
        key = (int(sentence[tree]), trees.heads[words].tobytes(), labels[words].tobytes())
        if key not in seen:
            seen.add(key)
            kept.append(tree)
    places = np.array(kept, np.int64)
    counts = np.bincount(sentence[places], minlength=len(one)) if kept else np.zeros(len(one))
    cuts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    return KBest(trees.take(places), cuts, both.scores[places])
