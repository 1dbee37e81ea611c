"""Search: the beams of encoded sentences, and what can be asked of them."""

from collections.abc import Iterator

import numpy as np

from wordorder.arrays import Int32, Int64, UInt64, row_offsets, row_positions
from wordorder.errors import InputError
from wordorder.kernels import call, parsing as kernel
from wordorder.parsing.transition.system import TransitionSystem
from wordorder.parsing.weights import UNIT, Weights

Changes = tuple[UInt64, Int32, Int32]

# Words of a sentence times beam; up to here a search takes less than 1.2 GB.
MOST_ITEMS = 1 << 22

# Actions of a derivation that are looked at together.
PIECE = 1 << 10

EARLY = 0


def check_beam_lengths(offsets: Int64, beam: int) -> None:
    """Refuse a sentence whose search with a beam would take too much memory."""
    lengths = np.diff(offsets)
    max_words = MOST_ITEMS // beam
    if lengths.max(initial=0) > max_words:
        row = int(np.argmax(lengths > max_words))
        problem = f"{int(lengths[row])} words, too long for a beam of {beam}"
        raise InputError(f"sentence {row + 1}", problem, f"up to {max_words} words")


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

    Raises
    ------
    InputError
        If a sentence is so long that the search would take too much memory.
    """

    def __init__(self, system: TransitionSystem, words: Int32, offsets: Int64, beam: int) -> None:
        check_beam_lengths(offsets, beam)
        features = system.feature_set
        self._system, self._offsets = system, offsets
        self._templates = len(features.templates)
        self._longest = int(np.diff(offsets).max(initial=0))
        self._beam = call(
            kernel.Beam,
            *(words.reshape(-1), words.shape[1], offsets, system.encoding.word_classes(words)),
            *(system.arcs, *features.tables, features.seeds, beam, self._longest),
        )
        self._path = np.empty(2 * self._longest, np.int32)

    def trees(self, weights: Weights, most: int) -> tuple[Int32, Int32, Int64, Int64]:
        """Return up to `most` trees per sentence, best first.

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
        counts = np.zeros(len(lengths), np.int64)
        scores = np.empty((len(lengths), most), np.int64)
        paths = np.empty(2 * most * int(self._offsets[-1]), np.int32)
        outputs = (most, paths, scores.reshape(-1), counts)
        call(kernel.best_derivations, weights.weigh(self._beam), *outputs, 0, len(lengths))
        # Of the room for all trees that a sentence might have, that of those it has.
        there = np.arange(most) < counts[:, None]
        room = row_offsets(np.repeat(2 * lengths, most))
        places, cuts = row_positions(room, np.flatnonzero(there))
        cuts //= 2
        heads, labels = np.empty((2, int(cuts[-1])), np.int32)
        derived = (paths[places], cuts, len(self._system.labels))
        call(kernel.derivation_trees, *derived, heads, labels, len(cuts) - 1, self._path)
        return heads, labels, scores[there], counts

    def derivations(self, weights: Weights, row: int, most: int) -> tuple[Int32, Int64]:
        """Return up to `most` derivations of a sentence, best first.

        Returns
        -------
        actions : int32[T, 2 * n]
        scores : int64[T]
            In units of ``1 / UNIT``.
        """
        size = 2 * int(self._offsets[row + 1] - self._offsets[row])
        paths, scores = np.empty(most * size, np.int32), np.empty(most, np.int64)
        counts = np.zeros(1, np.int64)
        outputs = (most, paths, scores, counts)
        call(kernel.best_derivations, weights.weigh(self._beam), *outputs, row, row + 1)
        return paths.reshape(most, size)[: counts[0]], scores[: counts[0]]

    def tree_parts(self, actions: Int32) -> tuple[Int32, Int32]:
        """Return heads and labels of derivations of one sentence, int32[T, 2 * n], flat."""
        cuts = actions.shape[1] // 2 * np.arange(len(actions) + 1)
        heads, labels = np.empty((2, int(cuts[-1])), np.int32)
        derived = (np.ascontiguousarray(actions).reshape(-1), cuts, len(self._system.labels))
        call(kernel.derivation_trees, *derived, heads, labels, len(actions), self._path)
        return heads, labels

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
        arguments = (weights.weigh(self._beam), row, gold, rule == EARLY, self._path)
        return self._path[: call(kernel.find_mistake, *arguments)]

    def scores(self, weights: Weights, actions: Int32) -> Int64:
        """Return the score of each sentence's derivation, int64[S], in units of ``1 / UNIT``."""
        scores = np.zeros(len(self._offsets) - 1, np.int64)
        call(kernel.derivation_scores, weights.weigh(self._beam), actions, scores, len(scores))
        return scores

    def features(self, weights: Weights, row: int, actions: Int32) -> tuple[UInt64, Int32]:
        """Return key and action of each feature of a sentence's derivation."""
        found_keys, found_actions = [np.zeros(0, np.uint64)], [np.zeros(0, np.int32)]
        for first in range(0, len(actions), PIECE):
            piece = actions[first : first + PIECE]
            keys = self._keys(weights, row, actions, first, first + len(piece))
            has_key = keys != 0
            found_keys.append(keys[has_key])
            found_actions.append(np.repeat(piece, has_key.sum(axis=1)))
        return np.concatenate(found_keys), np.concatenate(found_actions)

    def changes(self, weights: Weights, row: int, better: Int32, worse: Int32) -> Iterator[Changes]:
        """Yield keys, actions and changes that favour one list of actions over another.

        What both have in the same place is left out.
        """
        for first in range(int(np.argmax(better != worse)), len(better), PIECE):
            last = min(first + PIECE, len(better))
            good = self._keys(weights, row, better, first, last)
            bad = self._keys(weights, row, worse, first, last)
            same = (good == bad) & (better[first:last] == worse[first:last])[:, None]
            is_better, less = (good != 0) & ~same, (bad != 0) & ~same
            keys = np.concatenate([good[is_better], bad[less]])
            sides = ((better, is_better), (worse, less))
            actions = [np.repeat(side[first:last], has_key.sum(axis=1)) for side, has_key in sides]
            deltas = np.full(len(keys), -UNIT, np.int32)
            deltas[: len(actions[0])] = UNIT
            yield keys, np.concatenate(actions), deltas

    def _keys(self, weights: Weights, row: int, actions: Int32, first: int, last: int) -> UInt64:
        """Return the keys of all templates before some of the actions, 0 for no feature."""
        keys = np.empty((last - first, self._templates), np.uint64)
        arguments = (weights.weigh(self._beam), row, actions, keys.reshape(-1), first, last)
        call(kernel.derivation_keys, *arguments)
        return keys
