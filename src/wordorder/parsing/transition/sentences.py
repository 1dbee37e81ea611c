"""EncodedSentences: the features of any tree of a sentence, and updates towards better trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.errors import InputError
from wordorder.parsing.transition.search import Search
from wordorder.parsing.transition.system import TransitionSystem
from wordorder.parsing.weights import Weights
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int32, UInt64

# Heads of a sentence, counted from 1, and labels: strings, or their numbers in the system.
Heads = Sequence[int] | Int32
Labels = Sequence[str] | Sequence[int] | Int32


class EncodedSentences:
    """Sentences as a transition parser sees them, to learn from any trees of theirs.

    Parameters
    ----------
    system : TransitionSystem
    sentences : Treebank
        With tags; trees are not looked at.
    """

    def __init__(self, system: TransitionSystem, sentences: Treebank) -> None:
        self.system = system
        self.offsets = np.ascontiguousarray(sentences.offsets)
        self.words = system.encoding.encode(sentences)
        # Features do not depend on any weights.
        self._none = Weights(system.actions)

    def features(self, row: int, heads: Heads, labels: Labels) -> tuple[UInt64, Int32]:
        """Return the features of any tree of a sentence: those of its only derivation.

        Parameters
        ----------
        row : int
            Number of the sentence.
        heads : int[n]
            Counted from 1; 0 is the root.
        labels : str[n] or int[n]
            Labels, or their numbers in ``system.labels``; that of the root does not matter.

        Returns
        -------
        keys : uint64[F]
        actions : int32[F]
            A feature as often as the derivation has it; the score of the tree is the sum of
            their weights.

        Raises
        ------
        InputError
            If the tree is not projective, has not exactly one root, or a label is not known.
        """
        actions = self._actions(row, heads, labels)
        return self._search(row).features(self._none, 0, actions)

    def update(
        self,
        weights: Weights,
        row: int,
        better: tuple[Heads, Labels],
        worse: tuple[Heads, Labels],
        before: int,
    ) -> bool:
        """Add the features of one tree of a sentence to the weights and take off another's.

        Parameters
        ----------
        weights : Weights
        row : int
            Number of the sentence.
        better, worse : (heads, labels)
            As `features` takes them.
        before : int
            How many instances these weights have seen; one more after this call, even if
            nothing changed.

        Returns
        -------
        bool
            Whether the trees differ.

        Raises
        ------
        InputError
            As `features` does.
        """
        more, less = self._actions(row, *better), self._actions(row, *worse)
        if np.array_equal(more, less):
            return False
        for changes in self._search(row).changes(self._none, 0, more, less):
            weights.add(*changes, before)
        return True

    def _search(self, row: int) -> Search:
        """Return a search of one sentence."""
        words = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        offsets = np.array([0, words.stop - words.start], np.int64)
        return Search(self.system, self.words[words], offsets, beam=1)

    def _actions(self, row: int, heads: Heads, labels: Labels) -> Int32:
        """Return the derivation of a tree."""
        n = int(self.offsets[row + 1] - self.offsets[row])
        names = self.system.labels
        for name, given in (("heads", heads), ("labels", labels)):
            if len(given) != n:
                raise InputError(f"sentence {row + 1}", f"{len(given)} {name}", str(n))
        places = [int(head) for head in heads]
        strings = [
            label if isinstance(label, str) else names[label] if 0 <= label < len(names) else ""
            for label in labels
        ]
        tree = Treebank.from_words([[""] * n], heads=[places], label=[strings])
        try:
            return self.system.required_derivations(tree)
        except InputError as error:
            raise InputError(f"sentence {row + 1}", error.what, error.expected) from None
