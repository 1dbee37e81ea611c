"""Numbering: the words and tags that a graph parser knows, as the numbers its kernels read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from wordorder.errors import ModelError
from wordorder.parsing.graph.checked_numbers import checked_numbers
from wordorder.parsing.model_arrays import strings_arrays, strings_from_arrays
from wordorder.treebank.column import NOTHING, Column
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Int32

UNKNOWN = 0
# The numbers of words, tags and groups of tags that are not in the vocabulary.
ROOT = 1
OUTSIDE = 2
RESERVED = 3
# Tables of so many groups squared are small enough; rarer tags beyond are one group together.
MOST_GROUPS = 100
NAME = "graph"


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
    ) -> None:
        self.words, self.upos, self.xpos = list(words), list(upos), list(xpos)
        self.pairs = pairs
        self.lowercase = lowercase
        self._word_number = {word: n for n, word in enumerate(self.words, RESERVED)}
        self._upos_number = {tag: n for n, tag in enumerate(self.upos)}
        self._xpos_number = {tag: n for n, tag in enumerate(self.xpos)}
        self._tag_number: dict[tuple[int, int], int] = {}
        for number, (u, x) in enumerate(pairs.reshape(-1, 2).tolist(), RESERVED):
            self._tag_number[u, x] = number
            # That nothing is said is no likeness.
            if self.xpos[x] != NOTHING:
                self._tag_number.setdefault((-1, x), number)
            if self.upos[u] != NOTHING:
                self._tag_number.setdefault((u, -1), number)

    @classmethod
    def learn(
        cls,
        treebank: Treebank,
        *,
        lowercase: bool = False,
        least: int = 1,
        text: Treebank | None = None,
    ) -> Numbering:
        """Take the words of a treebank that it has at least `least` times, and all of its tags.

        Words of a further `text` count too, its tags do not.
        """
        form = _forms(treebank, lowercase)
        if text is not None:
            form = Column.concatenate([form, _forms(text, lowercase)])
        words = [word for word, count in _counted(form) if count >= least]
        upos = [tag for tag, _ in _counted(treebank.upos)]
        xpos = [tag for tag, _ in _counted(treebank.xpos)]
        both = np.stack(
            [
                treebank.upos.encode({tag: n for n, tag in enumerate(upos)}, UNKNOWN),
                treebank.xpos.encode({tag: n for n, tag in enumerate(xpos)}, UNKNOWN),
            ],
            axis=1,
        )
        pairs, counts = np.unique(both, axis=0, return_counts=True)
        pairs = pairs[np.argsort(-counts, kind="stable")]
        return cls(words, upos, xpos, pairs.astype(np.int32).ravel(), lowercase=lowercase)

    @property
    def tags(self) -> int:
        """How many numbers of tags there are, with those that mean no tag."""
        return len(self.pairs) // 2 + RESERVED

    @property
    def groups(self) -> int:
        """How many groups of tags there are."""
        return int(self.group.max()) + 1

    @property
    def group(self) -> Int32:
        """The group of each tag, int32[tags]: its UPOS, or its XPOS if there is no UPOS.

        The rarest are one group where there are more than 100.
        """
        upos, xpos = self.pairs[::2], self.pairs[1::2]
        nothing = np.array([tag == NOTHING for tag in self.upos], bool)
        own = np.where(nothing[upos], xpos, upos) if len(upos) else upos
        own = np.minimum(own, MOST_GROUPS - 1)
        return np.concatenate([np.arange(RESERVED), own + RESERVED]).astype(np.int32)

    def encode(self, sentences: Treebank) -> tuple[Int32, Int32]:
        """Return the number of each word and of each tag, int32[N] both."""
        word = _forms(sentences, self.lowercase).encode(self._word_number, UNKNOWN)
        upos = sentences.upos.encode(self._upos_number, -1)
        xpos = sentences.xpos.encode(self._xpos_number, -1)
        both = np.stack([upos, xpos], axis=1)
        kinds, places = np.unique(both, axis=0, return_inverse=True)
        table = np.array([self._tag(u, x) for u, x in kinds.tolist()], np.int32)
        return word, table[places.reshape(-1)] if len(table) else both[:, 0]

    def _tag(self, upos: int, xpos: int) -> int:
        """Return the number of a tag."""
        known = self._tag_number
        for pair in ((upos, xpos), (-1, xpos), (upos, -1)):
            if pair in known:
                return known[pair]
        return UNKNOWN

    def arrays(self) -> dict[str, Array]:
        """Return the arrays for a model file."""
        return {
            **strings_arrays(f"{NAME}.word", self.words),
            **strings_arrays(f"{NAME}.upos", self.upos),
            **strings_arrays(f"{NAME}.xpos", self.xpos),
            f"{NAME}.tag": self.pairs,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], *, lowercase: bool) -> Numbering:
        """Return the numbering that `arrays` made arrays of.

        Raises
        ------
        ModelError
            If they do not fit together.
        """
        words, upos, xpos = (
            strings_from_arrays(f"{NAME}.{kind}", arrays) for kind in ("word", "upos", "xpos")
        )
        pairs = checked_numbers(f"{NAME}.tag", arrays, max(len(upos), len(xpos)) - 1)
        if len(pairs) % 2 or np.any(pairs[::2] >= len(upos)) or np.any(pairs[1::2] >= len(xpos)):
            raise ModelError(f"{NAME}.tag: not pairs of the tags of the model")
        return cls(words, upos, xpos, pairs, lowercase=lowercase)


def _forms(treebank: Treebank, lowercase: bool) -> Column:
    """Return the words as the parser sees them."""
    return treebank.form.map(str.lower) if lowercase else treebank.form


def _counted(column: Column) -> list[tuple[str, int]]:
    """Return the strings of a column with how often each occurs, the most frequent first."""
    counts: dict[str, int] = {}
    numbers = np.bincount(column.codes, minlength=len(column.vocabulary)).tolist()
    for string, count in zip(column.vocabulary.words, numbers, strict=True):
        if count:
            counts[string] = counts.get(string, 0) + count
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
