"""Search: the beams of encoded sentences, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wordorder.errors import InputError
from wordorder.kernels import arc_eager, arc_eager_beam, template_scores
from wordorder.kernels._run import call
from wordorder.parsing.transition.feature_sets import PARTS
from wordorder.parsing.transition.system import TransitionSystem
from wordorder.parsing.weights import UNIT, Weights
from wordorder.ragged import row_places
from wordorder.types import Array, Int32, Int64, UInt64

Changes = tuple[UInt64, Int32, Int32]

# Numbers that the kernel keeps of an item and of a word.
ITEM = 5
NODE = 17
# Items that are rated at a time, of several sentences if the beam is small.
ROWS = 32
# Words of a sentence times beam; up to here a search takes less than 1.2 GB.
MOST_ITEMS = 1 << 22
# Actions of a derivation that are looked at together.
PIECE = 1 << 10
EARLY = 0


def check_lengths(offsets: Int64, beam: int) -> None:
    """Refuse a sentence whose search with a beam would take too much memory."""
    lengths = np.diff(offsets)
    most = MOST_ITEMS // beam
    if lengths.max(initial=0) > most:
        row = int(np.argmax(lengths > most))
        what = f"{int(lengths[row])} words, too long for a beam of {beam}"
        raise InputError(f"sentence {row + 1}", what, f"up to {most} words")


class Search:
    """Beams over sentences, with the arrays that they work in; one thread at a time.

    Parameters
    ----------
    system : TransitionSystem
    words : int32[N, 3]
        As `Encoding.encode` gives them.
    offsets : int64[S+1]
        Where each sentence starts.
    beam : int
    lanes : int
        How many sentences are searched at a time, fewer if they are long.

    Raises
    ------
    InputError
        If a sentence is so long that the search would take too much memory.
    """

    def __init__(
        self, system: TransitionSystem, words: Int32, offsets: Int64, beam: int, lanes: int = 1
    ) -> None:
        check_lengths(offsets, beam)
        longest = int(np.diff(offsets).max(initial=1))
        lanes = max(min(lanes, len(offsets) - 1, MOST_ITEMS // (longest * beam)), 1)
        self._system, self._features = system, system.feature_set
        self._templates, groups = len(self._features.templates), self._features.groups
        self._offsets, self._words = offsets, words.reshape(-1)
        self._beam, self._lanes = beam, lanes
        rows = beam * lanes
        self._slots = max(1 << (4 * rows - 1).bit_length(), 32)
        self._kept = np.empty(groups * self._slots * system.actions, np.int64)
        self._kept_key = np.empty(groups * self._slots, np.uint64)
        self._uses = np.zeros(2 * groups * self._slots, np.int64)
        # A sentence that is searched, and a use of the scores, has a number of its own.
        self._searched = self._used = 0
        self._sentence = np.zeros(lanes, np.int64)
        self._counts = np.zeros(lanes, np.int32)
        self._classes = system.word_classes(words)
        self._back = np.empty(4 * longest * rows, np.int32)
        self._item_scores = np.empty(2 * rows, np.int64)
        self._parts = np.empty(rows * len(PARTS), np.int32)
        self._base = np.empty(rows * groups, np.int64)
        self._items = self._beams(longest, lanes, beam, self._parts, self._base, self._back)
        self._path = np.empty(2 * longest, np.int32)
        # One item that takes given actions.
        self._piece = min(PIECE, self._slots // 2, 2 * longest)
        self._own_parts = np.empty(self._piece * len(PARTS), np.int32)
        self._own_base = np.empty(self._piece * groups, np.int64)
        back, base = np.empty(2, np.int32), self._own_base[:groups]
        self._one = self._beams(longest, 1, 1, self._own_parts, base, back)
        self._tables: tuple[Array, ...] = ()
        self._scores: template_scores.Scores | None = None

    def trees(self, weights: Weights, most: int) -> tuple[Int32, Int32, Int64, Int64]:
        """Return up to `most` trees a sentence, best first.

        Returns
        -------
        heads, labels : int32 arrays
            Of all trees; the root has head 0 and as its label the number of labels.
        scores : int64 array
            Of each tree, in units of ``1 / UNIT``.
        counts : int64[S]
            How many trees each sentence has.
        """
        lengths = np.diff(self._offsets)
        found = np.zeros(len(lengths), np.int32)
        scores = np.empty((len(lengths), most), np.int64)
        paths = np.empty(2 * most * int(self._offsets[-1]), np.int32)
        order = np.argsort(lengths, kind="stable")
        for begin in range(0, len(order), self._lanes):
            some = order[begin : begin + self._lanes]
            steps = 2 * lengths[some]
            self._search(weights, some, steps)
            counts = np.minimum(self._counts[: len(some)], most)
            # A sentence without words has one tree.
            found[some] = np.where(steps == 0, 1, counts)
            best = self._item_scores.reshape(2, self._lanes, self._beam)[0, : len(some)]
            scores[some, : best.shape[1]] = np.where(steps[:, None] == 0, 0, best)[:, :most]
            begins = 2 * most * self._offsets[some]
            sizes = (self._beam, self._lanes)
            half = len(self._back) // 2
            back = (self._back[:half], self._back[half:], *sizes, steps, counts, begins, paths)
            call(arc_eager.best_paths, *back, 0, len(some))
        # Of the room for all trees that a sentence might have, that of those it has.
        there = np.arange(most) < found[:, None]
        room = np.zeros(most * len(lengths) + 1, np.int64)
        np.cumsum(np.repeat(2 * lengths, most), out=room[1:])
        places, cuts = row_places(room, np.flatnonzero(there))
        cuts //= 2
        heads, labels = np.empty((2, int(cuts[-1])), np.int32)
        stack = np.empty(len(self._path), np.int32)
        derived = (paths[places], cuts, len(self._system.labels))
        call(arc_eager.trees, *derived, heads, labels, 0, len(cuts) - 1, stack)
        return heads, labels, scores[there], found.astype(np.int64)

    def mistake(self, weights: Weights, row: int, gold: Int32, rule: int) -> Int32:
        """Return the actions of the best item up to where the weights should be changed.

        Parameters
        ----------
        weights : Weights
        row : int
        gold : int32[2 * n]
            The actions of the sentence.
        rule : int
            0 for the early update: as soon as no item is gold, or at the end. 1 for the largest
            violation: where the best item is ahead of the gold one by most.

        Returns
        -------
        int32 array
            Empty if the best item is right.
        """
        self._begin(np.array([row]))
        item, length, tops, wrong = 0, 0, [], []
        for step, action in enumerate(gold.tolist()):
            self._rate(weights, 0, 1)
            item = call(arc_eager_beam.take_step, self._items, step, item, action, 0, 1)
            if rule == EARLY and item < 0:
                return self._path_to(step + 1)
            if rule != EARLY:
                tops.append(int(self._item_scores[(1 - step % 2) * self._beam]))
                wrong.append(item != 0)
        if item == 0:
            return self._path[:0]
        if rule == EARLY:
            return self._path_to(len(gold))
        leads = np.array(tops) - np.cumsum(self._action_scores(weights, row, gold))
        leads[~np.array(wrong)] = np.iinfo(np.int64).min
        length = int(np.argmax(leads)) + 1
        return self._path_to(length)

    def scores(self, weights: Weights, actions: Int32) -> Int64:
        """Return the score of each sentence's derivation, int64[S], in units of ``1 / UNIT``."""
        scores = np.zeros(len(self._offsets) - 1, np.int64)
        for row in range(len(scores)):
            own = actions[2 * int(self._offsets[row]) : 2 * int(self._offsets[row + 1])]
            scores[row] = self._action_scores(weights, row, own).sum()
        return scores

    def features(self, weights: Weights, row: int, actions: Int32) -> tuple[UInt64, Int32]:
        """Return key and action of each feature of a sentence's derivation."""
        found_keys, found_actions = [np.zeros(0, np.uint64)], [np.zeros(0, np.int32)]
        for first in range(0, len(actions), self._piece):
            some = actions[first : first + self._piece]
            keys = self._keys(weights, row, actions, first, first + len(some))
            kept = keys != 0
            found_keys.append(keys[kept])
            found_actions.append(np.repeat(some, kept.sum(axis=1)))
        return np.concatenate(found_keys), np.concatenate(found_actions)

    def changes(self, weights: Weights, row: int, better: Int32, worse: Int32) -> Iterator[Changes]:
        """Yield keys, actions and changes that favour one list of actions over another.

        What both have in the same place is left out.
        """
        for first in range(int(np.argmax(better != worse)), len(better), self._piece):
            last = min(first + self._piece, len(better))
            good = self._keys(weights, row, better, first, last)
            bad = self._keys(weights, row, worse, first, last)
            same = (good == bad) & (better[first:last] == worse[first:last])[:, None]
            more, less = (good != 0) & ~same, (bad != 0) & ~same
            keys = np.concatenate([good[more], bad[less]])
            sides = ((better, more), (worse, less))
            actions = [np.repeat(side[first:last], kept.sum(axis=1)) for side, kept in sides]
            deltas = np.full(len(keys), -UNIT, np.int32)
            deltas[: len(actions[0])] = UNIT
            yield keys, np.concatenate(actions), deltas

    def _search(self, weights: Weights, rows: Int64, steps: Int64) -> None:
        """Search sentences to their ends, shorter ones first."""
        self._begin(rows)
        first, last = 0, len(rows)
        ends = steps.tolist()
        for step in range(ends[-1]):
            while ends[first] <= step:
                first += 1
            self._rate(weights, first, last)
            call(arc_eager_beam.take_step, self._items, step, -1, 0, first, last)

    def _begin(self, rows: Int64) -> None:
        """Put sentences into the lanes."""
        self._sentence[: len(rows)] = rows
        self._starts = self._offsets[rows]
        self._numbers = np.arange(self._searched + 1, self._searched + 1 + len(rows))
        self._searched += len(rows)
        call(arc_eager_beam.begin, self._items, 0, len(rows))

    def _rate(self, weights: Weights, first: int, last: int) -> None:
        """Find the scores of the actions of all items of some lanes."""
        self._used += 1
        lanes = (self._starts, self._numbers, self._counts, self._beam, self._used, self._base)
        rows = (self._with(weights), self._parts, len(PARTS), *lanes)
        call(template_scores.rate_rows, *rows, first, last)

    def _path_to(self, steps: int) -> Int32:
        """Return the actions of the best item of the first lane."""
        half = len(self._back) // 2
        back = (self._back[:half], self._back[half:], self._beam, self._lanes)
        one, none = np.ones(1, np.int32), np.zeros(1, np.int64)
        call(arc_eager.best_paths, *back, np.array([steps]), one, none, self._path, 0, 1)
        return self._path[:steps]

    def _look(self, row: int, actions: Int32, first: int, last: int) -> None:
        """Write the parts of what some actions of a derivation are taken in."""
        self._sentence[0] = row
        call(arc_eager_beam.begin, self._one, 0, 1)
        call(arc_eager_beam.derivation_parts, self._one, actions, first, last)

    def _keys(self, weights: Weights, row: int, actions: Int32, first: int, last: int) -> UInt64:
        """Return the keys of all templates before some of the actions, 0 where there is none."""
        self._look(row, actions, first, last)
        found = np.empty((last - first, self._templates), np.uint64)
        parts = (self._own_parts, len(PARTS), int(self._offsets[row]), found.reshape(-1))
        call(template_scores.row_keys, self._with(weights), *parts, 0, last - first)
        return found

    def _action_scores(self, weights: Weights, row: int, actions: Int32) -> Int64:
        """Return the score of each action of a derivation."""
        self._searched += 1
        number, start = np.array([self._searched]), self._offsets[row : row + 1]
        scores = np.zeros(len(actions), np.int64)
        for first in range(0, len(actions), self._piece):
            last = min(first + self._piece, len(actions))
            self._look(row, actions, first, last)
            self._used += 1
            count = np.array([last - first], np.int32)
            lane = (start, number, count, self._piece, self._used, self._own_base)
            rows = (self._with(weights), self._own_parts, len(PARTS), *lane)
            call(template_scores.rate_rows, *rows, 0, 1)
            base = self._own_base.reshape(-1, self._features.groups)[: last - first]
            scores[first:last] = self._kept[base + actions[first:last, None]].sum(axis=1)
        return scores

    def _beams(
        self, longest: int, lanes: int, width: int, parts: Int32, base: Int64, back: Int32
    ) -> arc_eager_beam.Beam:
        """Return the kernel's items of some lanes."""
        rows = lanes * width
        single = width == lanes == 1 and parts is not self._parts
        sentence = (self._offsets, self._classes, self._system.arcs, self._kept, base)
        sizes = (lanes, width, self._sentence)
        return call(  # type: ignore[no-any-return]
            arc_eager_beam.Beam,
            *(*sentence, *sizes),
            np.zeros(1, np.int32) if single else self._counts,
            np.empty(2 * rows * ITEM, np.int32),
            np.zeros(2, np.int64) if single else self._item_scores,
            parts,
            np.empty(4 * longest * (1 + (0 if single else rows)) * NODE, np.int32),
            back,
            np.empty(2 * width, np.int64),
        )

    def _with(self, weights: Weights) -> template_scores.Scores:
        """Return the kernel's scores with weights as they stand now."""
        tables = weights.tables
        if self._scores is None or any(
            new is not old for new, old in zip(tables, self._tables, strict=True)
        ):
            self._tables = tables
            templates = self._templates
            self._scores = call(
                template_scores.Scores,
                *(self._words, self._features.packed, self._features.seeds, *tables),
                *(weights.key_mask, self._system.actions, self._slots),
                *(self._kept, self._kept_key, self._uses),
                np.empty(self._features.atoms + templates, np.int32),
                np.empty(2 * templates, np.int64),
                np.empty(templates, np.uint64),
            )
        return self._scores
