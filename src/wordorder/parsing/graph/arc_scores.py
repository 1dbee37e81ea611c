"""Scores of arcs: words, tags and labels by number, features of arcs, and sums of their weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wordorder.arrays import Array, Int16, Int32, Int64, UInt64, concat_ranges
from wordorder.errors import InputError, ModelError
from wordorder.kernels import announce, call, parsing as kernel
from wordorder.parsing import model_file
from wordorder.parsing.given_tags import with_features
from wordorder.parsing.weights import MAX_ACTIONS, Weights
from wordorder.treebank.treebank import NOTHING, Column, Treebank, combine_columns

# Memory grows with the square of the length, to some 150 MB for such a sentence; and up to it the
# whole numbers of the kernels are wide enough.
LONGEST = 2000

# Lists of features: Hall et al. (2011), and more (see `GraphParser`).
FEATURES = ("hall", "rich")

# What a look-up takes, in steps.
LOOK_UP = 4

UNKNOWN = 0

# The numbers of words, tags and groups of tags that are not in the vocabulary.
ROOT = 1
OUTSIDE = 2
RESERVED = 3

# Tables of this number of groups squared are small enough; rarer tags form one group.
MOST_GROUPS = 100
NAME = "graph"


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
            error_location = f"sentence {int(np.argmax(lengths > LONGEST)) + 1}"
            problem = f"{longest} words"
            raise InputError(error_location, problem, f"at most {LONGEST}, as all arcs are scored")
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
        """Return the number of cells of each of the sentences ``first .. last-1``."""
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
        inputs = (weights.weigh(self._arcs(self._ids)), self.offsets, self._groups)
        choice = (self.choice.offsets, self.choice.numbers)
        call(kernel.score_arcs, *inputs, *choice, scores, labels, first, last)
        return scores, labels

    def arc_features(
        self, row: int, heads: Int32, labels: Int32, feature_parts: Int32 | None = None
    ) -> tuple[UInt64, Int32]:
        """Return the features of arcs of a sentence.

        Parameters
        ----------
        row : int
        heads, labels : int32[n]
            Heads are counted from 1, 0 is the artificial root; labels are numbers.
        feature_parts : int32[n], optional
            Of each arc: 1 the features as such, 2 those with its label, 3 both, 0 none. Without it,
            all that there are: a label that is not known has none.

        Returns
        -------
        keys : uint64[F]
        actions : int32[F]
        """
        if feature_parts is None:
            feature_parts = np.where(labels >= 0, 3, 1).astype(np.int32)
        start = int(self.offsets[row]) + 3 * row
        ids = np.ascontiguousarray(self._ids[:, start : start + len(heads) + 3])
        room = self.keys * int(
            np.count_nonzero(feature_parts) + np.count_nonzero(feature_parts == 3)
        )
        keys, actions = np.empty(room, np.uint64), np.empty(room, np.int32)
        inputs = (self._arcs(ids), len(heads), heads, labels, feature_parts, self.choice.attach)
        count = call(kernel.arc_features, *inputs, keys, actions)
        return keys[:count], actions[:count]

    def _arcs(self, ids: Int32) -> Any:
        """Return the kernel's arcs of some sentences."""
        room = (self.longest, self.keys, self._between, self._different)
        return call(kernel.ArcFeatures, ids.ravel(), self._kinds, self.choice.attach + 1, *room)


def _with_margins(sentences: Treebank, word: Int32, tag: Int32, group: Int32) -> Int32:
    """Return words, tags and groups with a margin around each sentence, int32[3, N + 3 S]."""
    size = len(word) + 3 * len(sentences)
    ids = np.full((3, size), OUTSIDE, np.int32)
    ids[:, sentences.offsets[:-1] + 3 * np.arange(len(sentences)) + 1] = ROOT
    sentence = np.repeat(np.arange(len(sentences)), sentences.lengths)
    ids[:, np.arange(len(word)) + 3 * sentence + 2] = np.stack([word, tag, group[tag]])
    return ids


class LabelChoice:
    """Labels by number, and which of them were seen between groups of tags, in which direction.

    Where two groups were not seen, any label is allowed that was seen at the root or, for other
    arcs, apart from the root.

    Attributes
    ----------
    labels : list of str
        The most frequent first.
    offsets : int32[2 * G * G + 1]
        Class ``(g * G + d) * 2 + r`` is that of arcs from group `g` to group `d`, to the left
        (``r`` 0) or right. Its labels are ``offsets[c] .. offsets[c+1]-1`` of `numbers`; there
        is always one.
    numbers : int32
    by_name : dict
        The number of each label.
    """

    def __init__(self, labels: Sequence[str], offsets: Int32, numbers: Int32) -> None:
        self.labels = list(labels)
        self.by_name = {name: number for number, name in enumerate(labels)}
        self.offsets = offsets
        self.numbers = numbers

    @classmethod
    def learn(cls, treebank: Treebank, numbering: Numbering) -> LabelChoice:
        """Take the labels of a treebank, whose trees are whole.

        Raises
        ------
        InputError
            If there are no words, or more labels than the weights can tell apart.
        """
        if not treebank.words:
            raise InputError("Treebank", "no words", "trees to learn from")
        labels = treebank.label.by_frequency()
        if len(labels) >= MAX_ACTIONS:
            raise InputError("Treebank", f"{len(labels)} labels", f"at most {MAX_ACTIONS - 1}")
        label = treebank.label.encode({name: n for n, name in enumerate(labels)}, 0)
        groups = numbering.groups
        word_group = numbering.group[numbering.encode(treebank)[1]]
        position = concat_ranges(0, treebank.lengths)
        head = np.where(treebank.heads > 0, word_group[treebank.above], ROOT)
        seen = np.zeros((groups, groups, 2, len(labels)), bool)
        seen[head, word_group, (treebank.heads <= position).astype(np.int64), label] = True
        at_root = np.zeros(groups, bool)
        at_root[ROOT] = True
        for arcs in (at_root, ~at_root):
            allowed_labels = seen[arcs].any(axis=(0, 1, 2))
            unseen = arcs[:, None, None] & ~seen.any(axis=3)
            seen[unseen] = allowed_labels if allowed_labels.any() else True
        offsets = np.zeros(2 * groups * groups + 1, np.int32)
        np.cumsum(seen.sum(axis=3).ravel(), out=offsets[1:])
        return cls(labels, offsets, (np.flatnonzero(seen) % len(labels)).astype(np.int32))

    @property
    def attach(self) -> int:
        """The action of an arc as such: one more than the last label."""
        return len(self.labels)

    def arrays(self) -> dict[str, Array]:
        """Return the arrays for a model file."""
        return {
            **model_file.strings_arrays(f"{NAME}.label", self.labels),
            f"{NAME}.choice": self.numbers,
            f"{NAME}.choice_end": self.offsets[1:],
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], groups: int) -> LabelChoice:
        """Return the choice that `arrays` made arrays of.

        Raises
        ------
        ModelError
            If they do not fit together.
        """
        labels = model_file.strings_from_arrays(f"{NAME}.label", arrays)
        if not 0 < len(labels) < MAX_ACTIONS:
            raise ModelError(f"{NAME}.label: {len(labels)} labels; expected 1 to {MAX_ACTIONS - 1}")
        numbers = model_file.numbers_from_arrays(f"{NAME}.choice", arrays, len(labels) - 1)
        ends = model_file.numbers_from_arrays(
            f"{NAME}.choice_end", arrays, len(numbers), size=2 * groups * groups
        )
        offsets = np.concatenate([np.zeros(1, np.int32), ends])
        if np.any(offsets[1:] <= offsets[:-1]) or offsets[-1] != len(numbers):
            raise ModelError(f"{NAME}.choice_end: not one label or more for each pair of tags")
        return cls(labels, offsets, numbers)


def feature_scores(weights: Weights, keys: UInt64, actions: Array) -> Int64:
    """Return the weight of each feature, int64[F]; zero for unknown features.

    Examples
    --------
    >>> weights = Weights(actions=3)
    >>> key, action = np.array([7, 7], np.uint64), np.array([0, 2], np.int32)
    >>> weights.add(key, action, np.array([3, -4], np.int32), before=0)
    >>> feature_scores(weights, np.array([8, 7], np.uint64), np.array([2, 2])).tolist()
    [0, -4]
    """
    starts = weights.places(keys)
    feature = np.flatnonzero(starts)
    starts = starts[feature]
    counts = weights.entries[2 * starts + 1] & 0xFFFF
    places = concat_ranges(starts + 1, counts)
    feature = np.repeat(feature, counts)
    same = weights.entries[2 * places] == actions[feature]
    scores = np.zeros(len(keys), np.int64)
    # A row has each action once.
    scores[feature[same]] = weights.entries[2 * places[same] + 1]
    return scores


class Numbering:
    """Words and tags by number; a tag is the pair of UPOS and XPOS.

    A pair that was not seen counts as the most frequent one with its XPOS or, failing that, with
    its UPOS: a treebank may have only one of them.

    Parameters
    ----------
    words : sequence of str
        The known words, distinct.
    upos, xpos : sequence of str
        The known tags of each kind, distinct.
    pairs : int32[2 * T]
        For each tag the numbers of its UPOS and its XPOS, the most frequent tag first.
    lowercase : bool
        Whether words are lowercased first.
    feats : sequence of str
        The features of FEATS that are part of the XPOS.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]], xpos=[["PRP", "VBZ"]])
    >>> numbering = Numbering.learn(bank)
    >>> numbering.encode(Treebank.from_words([["It", "snows"]], xpos=[["PRP", "VBZ"]]))
    (array([3, 0], dtype=int32), array([3, 4], dtype=int32))
    """

    def __init__(
        self,
        words: Sequence[str],
        upos: Sequence[str],
        xpos: Sequence[str],
        pairs: Int32,
        *,
        lowercase: bool = False,
        feats: Sequence[str] = (),
    ) -> None:
        self.feats = tuple(feats)
        self.words, self.upos, self.xpos = list(words), list(upos), list(xpos)
        self.pairs = pairs
        self.lowercase = lowercase
        self._word_number = {word: n for n, word in enumerate(self.words, RESERVED)}
        self._tag_number: dict[tuple[str | None, str | None], int] = {}
        for number, (u, x) in enumerate(pairs.reshape(-1, 2).tolist(), RESERVED):
            universal, specific = self.upos[u], self.xpos[x]
            self._tag_number[universal, specific] = number
            # That nothing is said is no likeness.
            if specific != NOTHING:
                self._tag_number.setdefault((None, specific), number)
            if universal != NOTHING:
                self._tag_number.setdefault((universal, None), number)

    @classmethod
    def learn(
        cls,
        treebank: Treebank,
        *,
        lowercase: bool = False,
        least: int = 1,
        text: Treebank | None = None,
        feats: Sequence[str] = (),
    ) -> Numbering:
        """Take the words of a treebank that it has at least `least` times, and all of its tags.

        Words of a further `text` count too, its tags do not.
        """
        form = _forms(treebank, lowercase)
        if text is not None:
            form = Column.concatenate([form, _forms(text, lowercase)])
        words = form.by_frequency(least)
        specific_tags = _own_tags(treebank, feats)
        upos, xpos = treebank.upos.by_frequency(), specific_tags.by_frequency()
        both = np.stack(
            [
                treebank.upos.encode({tag: n for n, tag in enumerate(upos)}, UNKNOWN),
                specific_tags.encode({tag: n for n, tag in enumerate(xpos)}, UNKNOWN),
            ],
            axis=1,
        )
        pairs, counts = np.unique(both, axis=0, return_counts=True)
        pairs = pairs[np.argsort(-counts, kind="stable")]
        numbers = pairs.astype(np.int32).ravel()
        return cls(words, upos, xpos, numbers, lowercase=lowercase, feats=feats)

    @property
    def tags(self) -> int:
        """Number of tag codes, with those that mean no tag."""
        return len(self.pairs) // 2 + RESERVED

    @property
    def groups(self) -> int:
        """Number of groups of tags."""
        return int(self.group.max()) + 1

    @property
    def group(self) -> Int32:
        """The group of each tag, int32[tags]: its UPOS, or its XPOS if there is no UPOS.

        The rarest are one group where there are more than 100.
        """
        upos, xpos = self.pairs[::2], self.pairs[1::2]
        is_untagged = np.array([tag == NOTHING for tag in self.upos], bool)
        group_of_tag = np.where(is_untagged[upos], xpos, upos) if len(upos) else upos
        group_of_tag = np.minimum(group_of_tag, MOST_GROUPS - 1)
        return np.concatenate([np.arange(RESERVED), group_of_tag + RESERVED]).astype(np.int32)

    def encode(self, sentences: Treebank) -> tuple[Int32, Int32]:
        """Return the number of each word and of each tag, int32[N] both."""
        word = _forms(sentences, self.lowercase).encode(self._word_number, UNKNOWN)
        pairs, places = combine_columns([sentences.upos, _own_tags(sentences, self.feats)])
        known_number, table = self._tag_number, np.empty(len(pairs), np.int32)
        for i, (upos, xpos) in enumerate(pairs):
            tries = ((upos, xpos), (None, xpos), (upos, None))
            table[i] = next((known_number[pair] for pair in tries if pair in known_number), UNKNOWN)
        return word, table[places]

    def arrays(self) -> dict[str, Array]:
        """Return the arrays for a model file."""
        return {
            **model_file.strings_arrays(f"{NAME}.word", self.words),
            **model_file.strings_arrays(f"{NAME}.upos", self.upos),
            **model_file.strings_arrays(f"{NAME}.xpos", self.xpos),
            f"{NAME}.tag": self.pairs,
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Array], *, lowercase: bool, feats: Sequence[str] = ()
    ) -> Numbering:
        """Return the numbering that `arrays` made arrays of.

        Raises
        ------
        ModelError
            If they do not fit together.
        """
        words, upos, xpos = (
            model_file.strings_from_arrays(f"{NAME}.{kind}", arrays)
            for kind in ("word", "upos", "xpos")
        )
        pairs = model_file.numbers_from_arrays(f"{NAME}.tag", arrays, max(len(upos), len(xpos)) - 1)
        if len(pairs) % 2 or np.any(pairs[::2] >= len(upos)) or np.any(pairs[1::2] >= len(xpos)):
            raise ModelError(f"{NAME}.tag: not pairs of the tags of the model")
        return cls(words, upos, xpos, pairs, lowercase=lowercase, feats=feats)


def _own_tags(treebank: Treebank, feats: Sequence[str]) -> Column:
    """Return the tags of the language, with features."""
    tags = treebank.xpos
    return with_features(tags, treebank.columns["feats"], feats) if feats else tags


def _forms(treebank: Treebank, lowercase: bool) -> Column:
    """Return the words as the parser sees them."""
    return treebank.form.map(str.lower) if lowercase else treebank.form
