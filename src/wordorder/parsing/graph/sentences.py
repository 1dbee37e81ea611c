"""EncodedSentences: the features of any tree of a sentence, and updates towards better trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.errors import InputError
from wordorder.parsing.graph.arc_scores import ArcScores, LabelChoice, Numbering
from wordorder.parsing.weights import UNIT, CandidateSentences, Weights
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int32, UInt64

# Heads of a sentence, counted from 1, and labels: strings, or their numbers in the parser.
Heads = Sequence[int] | Int32
Labels = Sequence[str] | Sequence[int] | Int32


class EncodedSentences(CandidateSentences[tuple[Heads, Labels], tuple[Int32, Int32]]):
    """Sentences as a graph parser sees them, to learn from any trees of theirs.

    Parameters
    ----------
    numbering : Numbering
    choice : LabelChoice
    sentences : Treebank
        With tags; trees are not looked at.
    features : {"hall", "rich"}

    Raises
    ------
    InputError
        If a sentence is longer than 2000 words.
    """

    def __init__(
        self, numbering: Numbering, choice: LabelChoice, sentences: Treebank, features: str
    ) -> None:
        self.arcs = ArcScores(numbering, choice, sentences, features)
        self.offsets = sentences.offsets
        self._labels = choice.labels
        self._label_number = {name: n for n, name in enumerate(choice.labels)}

    def features(self, row: int, heads: Heads, labels: Labels) -> tuple[UInt64, Int32]:
        """Return the features of any tree of a sentence.

        Parameters
        ----------
        row : int
            Number of the sentence.
        heads : int[n]
            Counted from 1; 0 is the artificial root.
        labels : str[n] or int[n]
            Labels, or their numbers in ``choice.labels`` of the parser; one that is not known has
            no features.

        Returns
        -------
        keys : uint64[F]
        actions : int32[F]
            One feature as often as the tree has it; the score of the tree is the sum of their
            weights.

        Raises
        ------
        InputError
            If the arcs are not those of a sentence of this length.
        """
        return self.arcs.features(row, *given_arcs(row, *self.numbered(row, (heads, labels))))

    def numbered(self, row: int, given: tuple[Heads, Labels]) -> tuple[Int32, Int32]:
        """Return heads and labels as arrays."""
        heads, labels = given
        n = int(self.offsets[row + 1] - self.offsets[row])
        numbers = [self._label_number.get(x, -1) if isinstance(x, str) else x for x in labels]
        for name, entries in (("heads", heads), ("labels", numbers)):
            if len(entries) != n:
                raise InputError(f"sentence {row + 1}", f"{len(entries)} {name}", str(n))
        label = np.array(numbers, np.int32)
        if np.any(label >= len(self._labels)):
            most = len(self._labels) - 1
            raise InputError(f"sentence {row + 1}", f"label {label.max()}", f"at most {most}")
        found = np.array(heads, np.int32), label
        given_arcs(row, *found)
        return found

    def change(
        self,
        weights: Weights,
        row: int,
        better: tuple[Int32, Int32],
        worse: tuple[Int32, Int32],
        before: int,
    ) -> bool:
        """Favour one tree of a sentence over another; say whether they differ."""
        head_differs = better[0] != worse[0]
        differs = head_differs | (better[1] != worse[1])
        if not differs.any():
            return False
        changes = []
        for heads, labels in (better, worse):
            wanted = head_differs + 2 * (differs & (labels >= 0))
            changes.append(self.arcs.features(row, heads, labels, wanted.astype(np.int32)))
        (keys, actions), (bad_keys, bad_actions) = changes
        delta = np.repeat(np.array([UNIT, -UNIT], np.int32), [len(keys), len(bad_keys)])
        keys, actions = np.append(keys, bad_keys), np.append(actions, bad_actions)
        weights.add(keys, actions, delta, before)
        return True


def given_arcs(row: int, heads: Int32, labels: Int32) -> tuple[Int32, Int32, Int32]:
    """Check the arcs of a sentence; return them, and of each which features it has (1 or 3).

    Raises
    ------
    InputError
        If a head is not a position of the sentence, or the word itself.
    """
    n = len(heads)
    bad = (heads < 0) | (heads > n) | (heads == np.arange(1, n + 1))
    if bad.any():
        word = int(np.argmax(bad))
        where = f"sentence {row + 1}, word {word + 1}"
        raise InputError(where, f"the head is {int(heads[word])}", f"another one of 0 to {n}")
    return heads, labels, np.where(labels >= 0, 3, 1).astype(np.int32)
