"""Scores of arcs: codes of words, tags and labels, features of arcs, sums of their weights."""

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
from wordorder.treebank.treebank import NO_VALUE, Column, Treebank, combine_columns

# The maximum length of a sentence: memory grows with its square to about 150 MB, and the integers
# of the kernels are wide enough.
MAX_GRAPH_WORDS = 2000

# Feature sets: Hall et al. (2011), and a richer one (see `GraphParser`).
GRAPH_FEATURES = ("hall", "rich")

# The estimated steps of a look-up of a feature, for progress.
LOOKUP_STEPS = 4

# Codes of words, tags and groups of tags that are not in the vocabulary: unknown ones, the
# artificial root, and positions outside of the sentence; and the number of these codes.
UNKNOWN_CODE = 0
ROOT_CODE = 1
OUTSIDE_CODE = 2
RESERVED_CODES = 3

# Tables with this number of groups squared fit into memory; rarer tags form one group.
MAX_GROUPS = 100
GRAPH_PREFIX = "graph"


class ArcScores:
    """Scores the arcs of encoded sentences.

    Parameters
    ----------
    numbering : Numbering
    choice : LabelChoice
    sentences : Treebank
        Only words and tags are used.
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
        if longest > MAX_GRAPH_WORDS:
            error_location = f"sentence {int(np.argmax(lengths > MAX_GRAPH_WORDS)) + 1}"
            problem = f"{longest} words"
            raise InputError(
                error_location, problem, f"at most {MAX_GRAPH_WORDS}, as all arcs are scored"
            )
        self.choice = choice
        self.offsets = sentences.offsets
        self.longest = longest
        self._ids = _with_margins(sentences, *numbering.encode(sentences), numbering.group)
        self._groups = numbering.groups
        self._different = max(numbering.tags, numbering.groups)
        self._between = max(min(longest, self._different), 1)
        self._kinds = 2 if features == "rich" else 1
        # Each feature is used with the direction, and with direction and length; see the kernel.
        self.keys = 2 * (17 + self._between)
        if features == "rich":
            self.keys = 4 * (19 + self._between)
        announce("graph parsing", float(longest) ** 2 * self.keys * LOOKUP_STEPS)

    def cells(self, first: int, last: int) -> Int64:
        """Return the number of possible arcs of each of the sentences ``first .. last-1``."""
        lengths: Int64 = np.diff(self.offsets[first : last + 1])
        return lengths * (lengths + 1)

    def score(self, weights: Weights, first: int, last: int) -> tuple[Int64, Int16]:
        """Score the arcs of the sentences ``first .. last-1``.

        Returns
        -------
        scores : int64, ``n * (n + 1)`` per sentence
            Row ``i - 1`` has the arcs to word `i` from the heads 0 .. n, -2**62 from itself.
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
            Heads are counted from 1, 0 is the artificial root; labels are indices.
        feature_parts : int32[n], optional
            Per arc: 1 for the features without label, 2 for those with its label, 3 for both, 0
            for none. By default 3, or 1 for an unknown label.

        Returns
        -------
        keys : uint64[F]
        actions : int32[F]
        """
        if feature_parts is None:
            feature_parts = np.where(labels >= 0, 3, 1).astype(np.int32)
        start = int(self.offsets[row]) + 3 * row
        ids = np.ascontiguousarray(self._ids[:, start : start + len(heads) + 3])
        capacity = self.keys * int(
            np.count_nonzero(feature_parts) + np.count_nonzero(feature_parts == 3)
        )
        keys, actions = np.empty(capacity, np.uint64), np.empty(capacity, np.int32)
        inputs = (self._arcs(ids), len(heads), heads, labels, feature_parts, self.choice.attach)
        count = call(kernel.arc_features, *inputs, keys, actions)
        return keys[:count], actions[:count]

    def _arcs(self, ids: Int32) -> Any:
        """Return the kernel's view of the arcs of some sentences."""
        sizes = (self.longest, self.keys, self._between, self._different)
        return call(kernel.ArcFeatures, ids.ravel(), self._kinds, self.choice.attach + 1, *sizes)


def _with_margins(sentences: Treebank, word: Int32, tag: Int32, group: Int32) -> Int32:
    """Return words, tags and groups with a margin around each sentence, int32[3, N + 3 S]."""
    size = len(word) + 3 * len(sentences)
    ids = np.full((3, size), OUTSIDE_CODE, np.int32)
    ids[:, sentences.offsets[:-1] + 3 * np.arange(len(sentences)) + 1] = ROOT_CODE
    sentence = np.repeat(np.arange(len(sentences)), sentences.lengths)
    ids[:, np.arange(len(word)) + 3 * sentence + 2] = np.stack([word, tag, group[tag]])
    return ids


class LabelChoice:
    """The labels that were seen on arcs between two groups of tags, in each direction.

    Between groups without an arc, all labels are allowed that were seen on arcs from the root or,
    for other arcs, on other arcs.

    Attributes
    ----------
    labels : list of str
        The most frequent first.
    offsets : int32[2 * G * G + 1]
        The labels of arcs from group `g` to group `d`, to the left (``r`` 0) or right, are the
        entries ``offsets[c] .. offsets[c+1]-1`` of `numbers` with ``c = (g * G + d) * 2 + r``;
        there is at least one.
    numbers : int32
        Indices of labels.
    by_name : dict
        The index of each label.
    """

    def __init__(self, labels: Sequence[str], offsets: Int32, numbers: Int32) -> None:
        self.labels = list(labels)
        self.by_name = {name: number for number, name in enumerate(labels)}
        self.offsets = offsets
        self.numbers = numbers

    @classmethod
    def learn(cls, treebank: Treebank, numbering: Numbering) -> LabelChoice:
        """Learn the labels of a treebank with complete trees.

        Raises
        ------
        InputError
            If there are no words, or more labels than weights can have.
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
        head = np.where(treebank.heads > 0, word_group[treebank.above], ROOT_CODE)
        seen = np.zeros((groups, groups, 2, len(labels)), bool)
        seen[head, word_group, (treebank.heads <= position).astype(np.int64), label] = True
        at_root = np.zeros(groups, bool)
        at_root[ROOT_CODE] = True
        for arcs in (at_root, ~at_root):
            allowed_labels = seen[arcs].any(axis=(0, 1, 2))
            unseen = arcs[:, None, None] & ~seen.any(axis=3)
            seen[unseen] = allowed_labels if allowed_labels.any() else True
        offsets = np.zeros(2 * groups * groups + 1, np.int32)
        np.cumsum(seen.sum(axis=3).ravel(), out=offsets[1:])
        return cls(labels, offsets, (np.flatnonzero(seen) % len(labels)).astype(np.int32))

    @property
    def attach(self) -> int:
        """The action of an arc without a label: one more than the last label."""
        return len(self.labels)

    def arrays(self) -> dict[str, Array]:
        """Return the arrays for a model file."""
        return {
            **model_file.strings_arrays(f"{GRAPH_PREFIX}.label", self.labels),
            f"{GRAPH_PREFIX}.choice": self.numbers,
            f"{GRAPH_PREFIX}.choice_end": self.offsets[1:],
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], groups: int) -> LabelChoice:
        """Rebuild the choice from the result of `arrays`.

        Raises
        ------
        ModelError
            If the arrays are inconsistent.
        """
        labels = model_file.strings_from_arrays(f"{GRAPH_PREFIX}.label", arrays)
        if not 0 < len(labels) < MAX_ACTIONS:
            raise ModelError(
                f"{GRAPH_PREFIX}.label: {len(labels)} labels; expected 1 to {MAX_ACTIONS - 1}"
            )
        numbers = model_file.numbers_from_arrays(f"{GRAPH_PREFIX}.choice", arrays, len(labels) - 1)
        ends = model_file.numbers_from_arrays(
            f"{GRAPH_PREFIX}.choice_end", arrays, len(numbers), size=2 * groups * groups
        )
        offsets = np.concatenate([np.zeros(1, np.int32), ends])
        if np.any(offsets[1:] <= offsets[:-1]) or offsets[-1] != len(numbers):
            raise ModelError(
                f"{GRAPH_PREFIX}.choice_end: not one label or more for each pair of tags"
            )
        return cls(labels, offsets, numbers)


def feature_scores(weights: Weights, keys: UInt64, actions: Array) -> Int64:
    """Return the weight of each feature, int64[F]; 0 for unknown features.

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
    entry_pairs = concat_ranges(starts + 1, counts)
    feature = np.repeat(feature, counts)
    is_action = weights.entries[2 * entry_pairs] == actions[feature]
    scores = np.zeros(len(keys), np.int64)
    # A row has no action twice.
    scores[feature[is_action]] = weights.entries[2 * entry_pairs[is_action] + 1]
    return scores


class Numbering:
    """The codes of words and tags; a tag is the pair of UPOS and XPOS.

    An unknown pair is treated as the most frequent pair with its XPOS, otherwise with its UPOS,
    since a treebank may have only one of them.

    Parameters
    ----------
    words : sequence of str
        The known words, distinct.
    upos, xpos : sequence of str
        The known tags of each column, distinct.
    pairs : int32[2 * T]
        The indices of each tag's UPOS and XPOS, the most frequent tag first.
    lowercase : bool
        Whether words are lowercased.
    feats : sequence of str
        The features of FEATS that are added to XPOS.

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
        self._word_number = {word: n for n, word in enumerate(self.words, RESERVED_CODES)}
        self._tag_number: dict[tuple[str | None, str | None], int] = {}
        for number, (u, x) in enumerate(pairs.reshape(-1, 2).tolist(), RESERVED_CODES):
            universal, specific = self.upos[u], self.xpos[x]
            self._tag_number[universal, specific] = number
            # Missing values are not a similarity.
            if specific != NO_VALUE:
                self._tag_number.setdefault((None, specific), number)
            if universal != NO_VALUE:
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
        """Number the words that a treebank has at least `least` times, and all of its tags.

        Words of a further `text` are counted too, its tags are not.
        """
        form = _forms(treebank, lowercase)
        if text is not None:
            form = Column.concatenate([form, _forms(text, lowercase)])
        words = form.by_frequency(least)
        specific_tags = _specific_tags(treebank, feats)
        upos, xpos = treebank.upos.by_frequency(), specific_tags.by_frequency()
        both = np.stack(
            [
                treebank.upos.encode({tag: n for n, tag in enumerate(upos)}, UNKNOWN_CODE),
                specific_tags.encode({tag: n for n, tag in enumerate(xpos)}, UNKNOWN_CODE),
            ],
            axis=1,
        )
        pairs, counts = np.unique(both, axis=0, return_counts=True)
        pairs = pairs[np.argsort(-counts, kind="stable")]
        numbers = pairs.astype(np.int32).ravel()
        return cls(words, upos, xpos, numbers, lowercase=lowercase, feats=feats)

    @property
    def tags(self) -> int:
        """The number of tag codes, with the codes outside of the vocabulary."""
        return len(self.pairs) // 2 + RESERVED_CODES

    @property
    def groups(self) -> int:
        """The number of groups of tags."""
        return int(self.group.max()) + 1

    @property
    def group(self) -> Int32:
        """The group of each tag, int32[tags]: its UPOS, or its XPOS if there is no UPOS.

        If there are more than 100, the rarest are one group.
        """
        upos, xpos = self.pairs[::2], self.pairs[1::2]
        is_untagged = np.array([tag == NO_VALUE for tag in self.upos], bool)
        group_of_tag = np.where(is_untagged[upos], xpos, upos) if len(upos) else upos
        group_of_tag = np.minimum(group_of_tag, MAX_GROUPS - 1)
        return np.concatenate([np.arange(RESERVED_CODES), group_of_tag + RESERVED_CODES]).astype(
            np.int32
        )

    def encode(self, sentences: Treebank) -> tuple[Int32, Int32]:
        """Return the codes of words and tags, int32[N] each."""
        word = _forms(sentences, self.lowercase).encode(self._word_number, UNKNOWN_CODE)
        pairs, rows = combine_columns([sentences.upos, _specific_tags(sentences, self.feats)])
        known_number, pair_codes = self._tag_number, np.empty(len(pairs), np.int32)
        for i, (upos, xpos) in enumerate(pairs):
            candidates = ((upos, xpos), (None, xpos), (upos, None))
            pair_codes[i] = next(
                (known_number[pair] for pair in candidates if pair in known_number), UNKNOWN_CODE
            )
        return word, pair_codes[rows]

    def arrays(self) -> dict[str, Array]:
        """Return the arrays for a model file."""
        return {
            **model_file.strings_arrays(f"{GRAPH_PREFIX}.word", self.words),
            **model_file.strings_arrays(f"{GRAPH_PREFIX}.upos", self.upos),
            **model_file.strings_arrays(f"{GRAPH_PREFIX}.xpos", self.xpos),
            f"{GRAPH_PREFIX}.tag": self.pairs,
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Array], *, lowercase: bool, feats: Sequence[str] = ()
    ) -> Numbering:
        """Rebuild the numbering from the result of `arrays`.

        Raises
        ------
        ModelError
            If the arrays are inconsistent.
        """
        words, upos, xpos = (
            model_file.strings_from_arrays(f"{GRAPH_PREFIX}.{kind}", arrays)
            for kind in ("word", "upos", "xpos")
        )
        pairs = model_file.numbers_from_arrays(
            f"{GRAPH_PREFIX}.tag", arrays, max(len(upos), len(xpos)) - 1
        )
        if len(pairs) % 2 or np.any(pairs[::2] >= len(upos)) or np.any(pairs[1::2] >= len(xpos)):
            raise ModelError(f"{GRAPH_PREFIX}.tag: not pairs of the tags of the model")
        return cls(words, upos, xpos, pairs, lowercase=lowercase, feats=feats)


def _specific_tags(treebank: Treebank, feats: Sequence[str]) -> Column:
    """Return XPOS with some features of FEATS."""
    tags = treebank.xpos
    return with_features(tags, treebank.columns["feats"], feats) if feats else tags


def _forms(treebank: Treebank, lowercase: bool) -> Column:
    """Return the words, lowercased if requested."""
    return treebank.form.map(str.lower) if lowercase else treebank.form
