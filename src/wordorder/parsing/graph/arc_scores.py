"""Scores of arcs, and the features that they come of."""

from __future__ import annotations

from typing import Any

import numpy as np

from wordorder.errors import InputError
from wordorder.kernels import arc_features as kernel
from wordorder.kernels._run import announce, call
from wordorder.parsing.graph.label_choice import LabelChoice
from wordorder.parsing.graph.numbering import OUTSIDE, ROOT, Numbering
from wordorder.parsing.weights import Weights
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int16, Int32, Int64, UInt64

# Memory grows with the square of the length, to some 150 MB for such a sentence; and up to it the
# whole numbers of the kernels are wide enough.
LONGEST = 2000
# Lists of features: Hall et al. (2011), and more (see `GraphParser`).
FEATURES = ("hall", "rich")
# What a look-up takes, in steps.
LOOK_UP = 4


class ArcScores:
    """Scores the arcs of sentences that have been numbered.

    Parameters
    ----------
    numbering : Numbering
    choice : LabelChoice
    sentences : Treebank
        Of which words and tags are taken.
    features : {"hall", "rich"}

    Raises
    ------
    InputError
        If a sentence is longer than 2000 words.
    """

    def __init__(
        self, numbering: Numbering, choice: LabelChoice, sentences: Treebank, features: str
    ) -> None:
        lengths = sentences.lengths
        longest = int(lengths.max(initial=0))
        if longest > LONGEST:
            where = f"sentence {int(np.argmax(lengths > LONGEST)) + 1}"
            raise InputError(
                where, f"{longest} words", f"at most {LONGEST}, as all arcs are scored"
            )
        self.choice = choice
        self.offsets = sentences.offsets
        self.longest = longest
        self._ids = _with_margins(sentences, *numbering.encode(sentences), numbering.group)
        self._groups = numbering.groups
        self._different = max(numbering.tags, numbering.groups)
        self._between = max(min(longest, self._different), 1)
        self._kinds = 2 if features == "rich" else 1
        # Each with the direction, and with the length too; see the kernel.
        self.keys = 2 * (17 + self._between)
        if features == "rich":
            self.keys = 4 * (19 + self._between)
        announce("graph parsing", float(longest) ** 2 * self.keys * LOOK_UP)

    def cells(self, first: int, last: int) -> Int64:
        """Return how many cells each of the sentences ``first .. last-1`` has."""
        lengths: Int64 = np.diff(self.offsets[first : last + 1])
        return lengths * (lengths + 1)

    def score(self, weights: Weights, first: int, last: int) -> tuple[Int64, Int16]:
        """Score the arcs of the sentences ``first .. last-1``.

        Returns
        -------
        scores : int64, ``n * (n + 1)`` a sentence
            Row ``i - 1`` holds the arcs to word `i` from the heads 0 .. n, -2**62 to itself.
        labels : int16
            The best label of each arc.
        """
        size = int(self.cells(first, last).sum())
        scores, labels = np.empty(size, np.int64), np.empty(size, np.int16)
        scorer = call(kernel.Scorer, *weights.tables, weights.key_mask, weights.actions)
        given = (self._arcs(self._ids), scorer, self.offsets, self._groups)
        choice = (self.choice.offsets, self.choice.numbers)
        call(kernel.score_arcs, *given, *choice, scores, labels, first, last)
        return scores, labels

    def features(
        self, row: int, heads: Int32, labels: Int32, wanted: Int32
    ) -> tuple[UInt64, Int32]:
        """Return the features of arcs of a sentence.

        Parameters
        ----------
        row : int
        heads, labels : int32[n]
            Heads are counted from 1, 0 is the artificial root; labels are numbers.
        wanted : int32[n]
            Of each arc: 1 the features as such, 2 those with its label, 3 both, 0 none.

        Returns
        -------
        keys : uint64[F]
        actions : int32[F]
        """
        start = int(self.offsets[row]) + 3 * row
        ids = np.ascontiguousarray(self._ids[:, start : start + len(heads) + 3])
        room = self.keys * int(np.count_nonzero(wanted) + np.count_nonzero(wanted == 3))
        keys, actions = np.empty(room, np.uint64), np.empty(room, np.int32)
        given = (self._arcs(ids), len(heads), heads, labels, wanted, self.choice.attach)
        count = call(kernel.arc_features, *given, keys, actions)
        return keys[:count], actions[:count]

    def _arcs(self, ids: Int32) -> Any:
        """Return the kernel's arcs of some sentences."""
        room = (self.longest, self.keys, self._between, self._different)
        return call(kernel.Arcs, ids.ravel(), self._kinds, *room)


def _with_margins(sentences: Treebank, word: Int32, tag: Int32, group: Int32) -> Int32:
    """Return words, tags and groups with a margin around each sentence, int32[3, N + 3 S]."""
    size = len(word) + 3 * len(sentences)
    ids = np.full((3, size), OUTSIDE, np.int32)
    ids[:, sentences.offsets[:-1] + 3 * np.arange(len(sentences)) + 1] = ROOT
    sentence = np.repeat(np.arange(len(sentences)), sentences.lengths)
    ids[:, np.arange(len(word)) + 3 * sentence + 2] = np.stack([word, tag, group[tag]])
    return ids
