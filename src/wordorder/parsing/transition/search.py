"""Beam search over encoded sentences: trees, derivations, mistakes, features and scores."""

from collections.abc import Iterator

import numpy as np

from wordorder.arrays import Int32, Int64, UInt64, row_offsets, value_indices
from wordorder.errors import InputError
from wordorder.kernels import call, parsing as kernel
from wordorder.parsing.transition.system import TransitionSystem
from wordorder.parsing.weights import UNIT, Weights

# Keys, actions and deltas of changes of weights.
Changes = tuple[UInt64, Int32, Int32]

# The maximum of words times beam in a sentence, for which a search takes less than 1.2 GB.
MAX_ITEMS = 1 << 22

# Actions of a derivation whose features are computed at a time.
ACTIONS_AT_ONCE = 1 << 10

# The index of the early update in the parser's update rules.
EARLY_UPDATE = 0


def check_beam_lengths(offsets: Int64, beam: int) -> None:
    """Raise an InputError if the search of a sentence would take too much memory."""
    lengths = np.diff(offsets)
    max_words = MAX_ITEMS // beam
    if lengths.max(initial=0) > max_words:
        row = int(np.argmax(lengths > max_words))
        problem = f"{int(lengths[row])} words, too long for a beam of {beam}"
        raise InputError(f"sentence {row + 1}", problem, f"up to {max_words} words")


class Search:
    """Beam search over sentences, with its working memory; for one thread at a time.

    Parameters
    ----------
    system : TransitionSystem
    words : int32[N, 3]
        See `Encoding.encode`.
    offsets : int64[S+1]
        The offset of each sentence's first word.
    beam : int

    Raises
    ------
    InputError
        If the search of a sentence would take too much memory.
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

    def trees(self, weights: Weights, max_trees: int) -> tuple[Int32, Int32, Int64, Int64]:
        """Return up to `max_trees` trees per sentence, best first.

        Returns
        -------
        heads, labels : int32 arrays
            The heads and labels of all trees; the label of the root is the number of labels.
        scores : int64 array
            The score of each tree, in units of ``1 / UNIT``.
        counts : int64[S]
            The number of trees of each sentence.
        """
        lengths = np.diff(self._offsets)
        counts = np.zeros(len(lengths), np.int64)
        scores = np.empty((len(lengths), max_trees), np.int64)
        paths = np.empty(2 * max_trees * int(self._offsets[-1]), np.int32)
        outputs = (max_trees, paths, scores.reshape(-1), counts)
        call(kernel.best_derivations, weights.weigh(self._beam), *outputs, 0, len(lengths))
        # The arrays have space for `max_trees` trees per sentence; copy those that it has.
        is_filled = np.arange(max_trees) < counts[:, None]
        path_offsets = row_offsets(np.repeat(2 * lengths, max_trees))
        path_positions, cuts = value_indices(path_offsets, np.flatnonzero(is_filled))
        cuts //= 2
        heads, labels = np.empty((2, int(cuts[-1])), np.int32)
        derived = (paths[path_positions], cuts, len(self._system.labels))
        call(kernel.derivation_trees, *derived, heads, labels, len(cuts) - 1, self._path)
        return heads, labels, scores[is_filled], counts

    def derivations(self, weights: Weights, row: int, max_trees: int) -> tuple[Int32, Int64]:
        """Return up to `max_trees` derivations of a sentence, best first.

        Returns
        -------
        actions : int32[T, 2 * n]
        scores : int64[T]
            The score of each derivation, in units of ``1 / UNIT``.
        """
        size = 2 * int(self._offsets[row + 1] - self._offsets[row])
        paths, scores = np.empty(max_trees * size, np.int32), np.empty(max_trees, np.int64)
        counts = np.zeros(1, np.int64)
        outputs = (max_trees, paths, scores, counts)
        call(kernel.best_derivations, weights.weigh(self._beam), *outputs, row, row + 1)
        return paths.reshape(max_trees, size)[: counts[0]], scores[: counts[0]]

    def tree_parts(self, actions: Int32) -> tuple[Int32, Int32]:
        """Return the concatenated heads and labels of derivations of one sentence.

        Parameters
        ----------
        actions : int32[T, 2 * n]
            The actions of each derivation.
        """
        cuts = actions.shape[1] // 2 * np.arange(len(actions) + 1)
        heads, labels = np.empty((2, int(cuts[-1])), np.int32)
        derived = (np.ascontiguousarray(actions).reshape(-1), cuts, len(self._system.labels))
        call(kernel.derivation_trees, *derived, heads, labels, len(actions), self._path)
        return heads, labels

    def mistake(self, weights: Weights, row: int, gold: Int32, rule: int) -> Int32:
        """Return the actions of the best hypothesis up to the step of the update.

        Parameters
        ----------
        weights : Weights
        row : int
        gold : int32[2 * n]
            The gold actions of the sentence.
        rule : int
            The step. 0 (early update): when the beam loses the gold hypothesis, or the end. 1
            (max-violation): where the best hypothesis is farthest ahead of the gold one.

        Returns
        -------
        int32 array
            Empty if the best hypothesis is gold.
        """
        arguments = (weights.weigh(self._beam), row, gold, rule == EARLY_UPDATE, self._path)
        return self._path[: call(kernel.find_mistake, *arguments)]

    def scores(self, weights: Weights, actions: Int32) -> Int64:
        """Return the score of each sentence's derivation, int64[S], in units of ``1 / UNIT``."""
        scores = np.zeros(len(self._offsets) - 1, np.int64)
        call(kernel.derivation_scores, weights.weigh(self._beam), actions, scores, len(scores))
        return scores

    def features(self, weights: Weights, row: int, actions: Int32) -> tuple[UInt64, Int32]:
        """Return the key and the action of each feature of a sentence's derivation."""
        key_parts, action_parts = [np.zeros(0, np.uint64)], [np.zeros(0, np.int32)]
        for first in range(0, len(actions), ACTIONS_AT_ONCE):
            piece = actions[first : first + ACTIONS_AT_ONCE]
            keys = self._keys(weights, row, actions, first, first + len(piece))
            has_key = keys != 0
            key_parts.append(keys[has_key])
            action_parts.append(np.repeat(piece, has_key.sum(axis=1)))
        return np.concatenate(key_parts), np.concatenate(action_parts)

    def changes(self, weights: Weights, row: int, better: Int32, worse: Int32) -> Iterator[Changes]:
        """Yield the changes of weights that prefer one list of actions to another.

        Features that both have at the same step are left out.
        """
        for first in range(int(np.argmax(better != worse)), len(better), ACTIONS_AT_ONCE):
            last = min(first + ACTIONS_AT_ONCE, len(better))
            better_keys = self._keys(weights, row, better, first, last)
            worse_keys = self._keys(weights, row, worse, first, last)
            is_common = (better_keys == worse_keys) & (better[first:last] == worse[first:last])[
                :, None
            ]
            is_better, is_worse = (better_keys != 0) & ~is_common, (worse_keys != 0) & ~is_common
            keys = np.concatenate([better_keys[is_better], worse_keys[is_worse]])
            sides = ((better, is_better), (worse, is_worse))
            actions = [np.repeat(side[first:last], has_key.sum(axis=1)) for side, has_key in sides]
            deltas = np.full(len(keys), -UNIT, np.int32)
            deltas[: len(actions[0])] = UNIT
            yield keys, np.concatenate(actions), deltas

    def _keys(self, weights: Weights, row: int, actions: Int32, first: int, last: int) -> UInt64:
        """Return the keys of all templates before the actions ``first .. last-1``, 0 for none."""
        keys = np.empty((last - first, self._templates), np.uint64)
        arguments = (weights.weigh(self._beam), row, actions, keys.reshape(-1), first, last)
        call(kernel.derivation_keys, *arguments)
        return keys
