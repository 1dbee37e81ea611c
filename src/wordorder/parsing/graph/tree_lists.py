"""The best spanning trees of sentences whose arcs are scored: exact lists, best first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.errors import UsageError
from wordorder.kernels import spanning_tree as kernel
from wordorder.kernels._run import call
from wordorder.types import Int32, Int64

NO_ARC = -(1 << 62)
# Arrays of numbers that the kernel works in.
NUMBERS = 14


@dataclass(frozen=True)
class TreeLists:
    """Trees of sentences, best first.

    Attributes
    ----------
    heads : int32[k * N]
        Tree `t` of sentence `s`, which has `n` words, begins at ``k * offsets[s] + t * n``.
    scores : int64[S, k]
    counts : int64[S]
        How many trees each sentence has.
    """

    heads: Int32
    scores: Int64
    counts: Int64


def tree_lists(scores: Int64, offsets: Int64, k: int, roots: Int64 | None = None) -> TreeLists:
    """Find the `k` best trees of each sentence that have a single word at the root.

    The set of all trees but those found is cut into sets that share no tree. Of each the best
    tree is known by its score and by the one arc that it changes in a tree that was found; the
    best of all is made, and its set is cut once more (Camerini, Fratta and Maffioli 1980, as
    Hall 2007 uses it for parsing). Lists are exact and without duplicates; trees that score the
    same come in an order that depends on the scores alone.

    Parameters
    ----------
    scores : int64, ``n * (n + 1)`` a sentence
        Row ``i - 1`` of a sentence holds the arcs to word `i` from the heads 0 .. n; -2**62 where
        there can be none. All others are within ±2**34.
    offsets : int64[S+1]
        Words of the sentences, at most 2000 each.
    k : int, at least 1
    roots : int64[S], optional
        The word that has to be the root, counted from 1; 0 where any may be.

    Examples
    --------
    Two words; either may be the root.

    >>> scores = np.array([5, NO_ARC, 1, 3, 2, NO_ARC])
    >>> lists = tree_lists(scores, np.array([0, 2]), k=8)
    >>> lists.counts.tolist(), lists.scores[0, :2].tolist(), lists.heads[:4].tolist()
    ([2], [7, 4], [0, 1, 2, 0])
    """
    if k < 1:
        raise UsageError(f"k is at least 1, not {k}")
    sentences = len(offsets) - 1
    lengths = np.diff(offsets)
    cell_offsets = np.zeros(sentences + 1, np.int64)
    np.cumsum(lengths * (lengths + 1), out=cell_offsets[1:])
    cells, penalties = _single_root(scores, lengths, cell_offsets, roots)
    if sentences == 1:
        return one_list(cells, cell_offsets, lengths, k, int(penalties[0]))
    search = _Search(cells, cell_offsets, lengths, int(offsets[-1]) * k)
    place = k * offsets[:-1]
    found = np.zeros((sentences, k), np.int64)
    counts = np.zeros(sentences, np.int64)
    none = np.full(sentences, -1, np.int32)
    # Sets that wait: what the best tree scores that is not found yet, which tree it changes at
    # which word, and the conditions of the set.
    bound = np.full((sentences, k), NO_ARC, np.int64)
    tree, word, condition = (np.full((sentences, k), -1, np.int64) for _ in range(3))
    active = np.arange(sentences)
    done = search.run(active, place, False, none, k > 1)
    found[:, 0], counts[done.cut >= 0] = done.score, 1
    bound[:, 0], tree[:, 0], word[:, 0] = done.second, 0, done.cut
    bound[done.cut <= 0, 0] = NO_ARC
    for t in range(1, k):
        best = np.argmax(bound[active], axis=1)
        waits = bound[active, best] > NO_ARC
        active, best = active[waits], best[waits]
        if not len(active):
            break
        parent, at, before = (array[active, best] for array in (tree, word, condition))
        old = place[active] + parent * lengths[active]
        new = place[active] + t * lengths[active]
        head = search.heads[old + at - 1]
        without = search.demand(head, at, 0, before)
        done = search.run(active, new, False, without, t + 1 < k)
        kept = done.cut >= 0
        # Where the next tree would have two words at the root, so have all others.
        active, best = active[kept], best[kept]
        found[active, t] = done.score[kept]
        counts[active] = t + 1
        if t + 1 == k:
            break
        bound[active, t] = np.where(done.cut[kept] > 0, done.second[kept], NO_ARC)
        tree[active, t], word[active, t] = t, done.cut[kept]
        condition[active, t] = without[kept]
        parent, old, at, before = parent[kept], old[kept], at[kept], before[kept]
        with_arc = search.demand(head[kept], at, 1, before)
        done = search.run(active, old, True, with_arc, True)
        bound[active, best] = np.where(done.cut > 0, done.second, NO_ARC)
        tree[active, best], word[active, best] = parent, done.cut
        condition[active, best] = with_arc
    return TreeLists(search.heads, found + penalties[:, None], counts)


def one_list(cells: Int64, cell_offsets: Int64, lengths: Int64, k: int, penalty: int) -> TreeLists:
    """Find the list of a single sentence: the same steps as for many, with numbers for arrays."""
    n = int(lengths[0])
    heads, conditions = np.zeros(n * k, np.int32), np.zeros(8 * k, np.int32)
    sentence, place, score, second = np.zeros((4, 1), np.int64)
    known, condition, cut = np.zeros((3, 1), np.int32)
    scratch = (np.empty(2 * n * (n + 1), np.int64), np.empty(NUMBERS * (2 * n + 2), np.int32))
    task = (cells, cell_offsets, lengths, sentence, place, known, condition, conditions)
    done = (heads, score, second, cut, 0, 1, *scratch)
    demands = 0

    def run(tree: int, is_known: bool, under: int, with_second: bool) -> tuple[int, int]:
        """Return the word that the second best tree changes, and its score if there is one."""
        place[0], known[0], condition[0] = n * tree, is_known, under
        call(kernel.best_trees, *task, with_second, *done)
        word = int(cut[0])
        return word, int(second[0]) if word > 0 else NO_ARC

    def demand(head: int, at: int, wanted: int, before: int) -> int:
        nonlocal demands
        conditions[4 * demands : 4 * demands + 4] = head, at, wanted, before
        demands += 1
        return demands - 1

    word, bound = run(0, False, -1, k > 1)
    scores = [int(score[0])]
    if word < 0:
        return TreeLists(heads, np.zeros((1, k), np.int64) + penalty, np.zeros(1, np.int64))
    # What waits: the score, the tree that is changed, at which word, and under which condition.
    waiting = [(bound, 0, word, -1)]
    while len(scores) < k:
        best = max(range(len(waiting)), key=lambda number: waiting[number][0])
        bound, parent, at, before = waiting[best]
        if bound == NO_ARC:
            break
        head, new = int(heads[n * parent + at - 1]), len(scores)
        without = demand(head, at, 0, before)
        word, bound = run(new, False, without, new + 1 < k)
        if word < 0:
            break
        scores.append(int(score[0]))
        if new + 1 == k:
            break
        waiting.append((bound, new, word, without))
        with_arc = demand(head, at, 1, before)
        word, bound = run(parent, True, with_arc, True)
        waiting[best] = (bound, parent, word, with_arc)
    found = np.zeros((1, k), np.int64)
    found[0, : len(scores)] = scores
    return TreeLists(heads, found + penalty, np.array([len(scores)]))


@dataclass(frozen=True)
class _Done:
    """What came of tasks: see the kernel."""

    score: Int64
    second: Int64
    cut: Int32


class _Search:
    """Runs tasks of the kernel, and keeps the conditions that they are under."""

    def __init__(self, cells: Int64, cell_offsets: Int64, lengths: Int64, room: int) -> None:
        self._given = (cells, cell_offsets, lengths)
        self._longest = int(lengths.max(initial=0))
        self._conditions = np.zeros((0, 4), np.int32)
        self.heads = np.zeros(room, np.int32)

    def demand(self, head: Int32, word: Int64, wanted: int, before: Int64) -> Int32:
        """Add a condition to each of some others; return their numbers."""
        rows = np.stack([head, word, np.full(len(word), wanted), before], axis=1)
        first = len(self._conditions)
        self._conditions = np.concatenate([self._conditions, rows.astype(np.int32)])
        return np.arange(first, len(self._conditions), dtype=np.int32)

    def run(
        self, sentence: Int64, place: Int64, known: bool, condition: Int32, with_second: bool
    ) -> _Done:
        """Do one task for each of some sentences."""
        tasks = len(sentence)
        n = self._longest
        done = _Done(
            np.zeros(tasks, np.int64), np.zeros(tasks, np.int64), np.zeros(tasks, np.int32)
        )
        asked = (sentence, place, np.full(tasks, int(known), np.int32), condition)
        conditions = self._conditions.ravel()
        answers = (self.heads, done.score, done.second, done.cut)
        scratch = (np.empty(2 * n * (n + 1), np.int64), np.empty(NUMBERS * (2 * n + 2), np.int32))
        call(
            kernel.best_trees,
            *(*self._given, *asked, conditions, with_second, *answers, 0, tasks, *scratch),
        )
        return done


def _single_root(
    scores: Int64, lengths: Int64, cell_offsets: Int64, roots: Int64 | None
) -> tuple[Int64, Int64]:
    """Lower the arcs of the root so that trees with two of them come after all others.

    Two trees of a sentence differ by no more than the sum over its words of the distance between
    the best and the worst arc; the penalty is 1 more. So a tree with one arc from the root stays
    before any with two, whatever the scores are.
    """
    widths = np.repeat(lengths + 1, lengths)
    starts = np.cumsum(widths) - widths
    cells = scores.copy()
    penalties = np.zeros(len(lengths), np.int64)
    if not len(starts):
        return cells, penalties
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    if roots is not None:
        first = np.cumsum(lengths) - lengths
        position = np.arange(len(sentence)) - first[sentence] + 1
        fixed = roots[sentence] > 0
        is_root = roots[sentence] == position
        at_root = cells[starts]
        cells[np.repeat(fixed & is_root, widths)] = NO_ARC
        cells[starts] = np.where(fixed & ~is_root, NO_ARC, at_root)
    exists = cells != NO_ARC
    highest = np.maximum.reduceat(cells, starts)
    lowest = np.minimum.reduceat(np.where(exists, cells, -NO_ARC), starts)
    spread = np.where(highest == NO_ARC, 0, highest - lowest)
    np.add.at(penalties, sentence, spread)
    penalties += 1
    cells[starts] -= np.where(cells[starts] == NO_ARC, 0, penalties[sentence])
    return cells, np.where(lengths > 0, penalties, 0)
