"""Encoding: what a transition parser knows of words, as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from wordorder.parsing.model_arrays import strings_arrays, strings_from_arrays
from wordorder.treebank.column import NOTHING, Column
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Int32

# 0 says that there is no such word, 1 that the model does not know its string.
UNKNOWN = 1
KNOWN = 2
STRINGS = ("forms", "tags", "universal")


class Encoding:
    """Numbers for forms, tags and universal tags of words.

    The tag of a word is the pair of its universal tag and that of the language. A pair that was
    never seen counts as the most frequent one with the same tag of the language or else with the
    same universal tag; so a treebank that has only one of the two can be read, too.

    Parameters
    ----------
    forms, tags, universal : sequence of str
        The known strings, distinct, the most frequent first, numbered from 2 on. A tag is written
        with a tab between its two.
    lowercase : bool
        Whether words are read in lower case.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]], upos=[["PRON", "VERB"]])
    >>> encoding = Encoding.learn(bank)
    >>> encoding.encode(Treebank.from_words([["It", "snows"]], xpos=[["PRP", "VBZ"]])).tolist()
    [[2, 1, 1], [1, 1, 1]]
    """

    def __init__(
        self,
        forms: Sequence[str],
        tags: Sequence[str],
        universal: Sequence[str],
        *,
        lowercase: bool = False,
    ) -> None:
        self.forms, self.tags = list(forms), list(tags)
        self.universal = list(universal)
        self.lowercase = lowercase
        # A treebank without universal tags has those of the language as both.
        self._one_kind = all(len(set(tag.split("\t"))) == 1 for tag in self.tags)
        self._form = _numbers(self.forms)
        self._universal = _numbers(self.universal)
        self._tag = _numbers(self.tags)
        for tag, number in _numbers(self.tags).items():
            universal_tag, _, own_tag = tag.partition("\t")
            for key in (_own(own_tag), _common(universal_tag)):
                self._tag.setdefault(key, number)

    @classmethod
    def learn(
        cls,
        treebank: Treebank,
        *,
        least: int = 1,
        lowercase: bool = False,
        text: Treebank | None = None,
    ) -> Encoding:
        """Number the strings of a treebank.

        Parameters
        ----------
        treebank : Treebank
        least : int
            Forms that the treebank has less often are unknown.
        lowercase : bool
        text : Treebank, optional
            Further sentences whose forms count too; their tags do not.
        """
        form = treebank.form if text is None else Column.concatenate([treebank.form, text.form])
        forms = form.map(str.lower) if lowercase else form
        upos, xpos = _tag_columns(treebank)
        tags = zip(upos.strings(), xpos.strings(), strict=True)
        return cls(
            _by_frequency(forms.strings(), least),
            _by_frequency(map("\t".join, tags)),
            _by_frequency(upos.strings()),
            lowercase=lowercase,
        )

    @property
    def classes(self) -> tuple[int, int, int]:
        """What the numbers of forms, of tags and of universal tags stay below."""
        return KNOWN + len(self.forms), KNOWN + len(self.tags), KNOWN + len(self.universal)

    def learnt_tags(self) -> dict[str, frozenset[str]]:
        """Return the tags that are known, ``upos`` and ``xpos``; none where only the other is."""
        upos = () if self._one_kind else self.universal
        xpos = {tag.partition("\t")[2] for tag in self.tags}
        return {"upos": frozenset(upos) - {NOTHING}, "xpos": frozenset(xpos) - {NOTHING}}

    def encode(self, sentences: Treebank) -> Int32:
        """Return form, tag and universal tag of each word, int32[N, 3]."""
        forms = sentences.form.map(str.lower) if self.lowercase else sentences.form
        upos, xpos = _tag_columns(sentences)
        if self._one_kind and xpos.said().any():
            upos = xpos
        found = np.empty((sentences.words, 3), np.int32)
        found[:, 0] = forms.encode(self._form, UNKNOWN)
        found[:, 1] = self._tag_numbers(upos, xpos)
        found[:, 2] = upos.encode(self._universal, UNKNOWN)
        return found

    def arrays(self, prefix: str) -> dict[str, Array]:
        """Return all strings as arrays."""
        named = zip(STRINGS, (self.forms, self.tags, self.universal), strict=True)
        arrays: dict[str, Array] = {}
        for name, strings in named:
            arrays |= strings_arrays(f"{prefix}.{name}", strings)
        return arrays

    @classmethod
    def from_arrays(
        cls, prefix: str, arrays: Mapping[str, Array], *, lowercase: bool = False
    ) -> Encoding:
        """Make it again of such arrays.

        Raises
        ------
        ModelError
            If they are missing or damaged.
        """
        forms, tags, universal = (
            strings_from_arrays(f"{prefix}.{name}", arrays) for name in STRINGS
        )
        return cls(forms, tags, universal, lowercase=lowercase)

    def _tag_numbers(self, upos: Column, xpos: Column) -> Int32:
        """Return the number of each word's pair of tags."""
        width = max(len(xpos.vocabulary), 1)
        codes = upos.codes.astype(np.int64) * width + xpos.codes
        pairs, places = np.unique(codes, return_inverse=True)
        table = np.empty(len(pairs), np.int32)
        for i, pair in enumerate(pairs.tolist()):
            universal = upos.vocabulary.words[pair // width]
            own = xpos.vocabulary.words[pair % width]
            keys = (f"{universal}\t{own}", _own(own), _common(universal))
            table[i] = next((self._tag[key] for key in keys if key in self._tag), UNKNOWN)
        found: Int32 = table[places.reshape(-1)]
        return found


def _own(tag: str) -> str:
    """Return what finds the most frequent pair with a tag of the language."""
    return f"\t\t{tag}" if tag != NOTHING else ""


def _common(tag: str) -> str:
    """Return what finds the most frequent pair with a universal tag."""
    return f"{tag}\t\t" if tag != NOTHING else ""


def _tag_columns(treebank: Treebank) -> tuple[Column, Column]:
    """Return universal tags and those of the language; the latter as both if they are all."""
    words = treebank.upos.vocabulary.words
    if all(words[code] == NOTHING for code in np.unique(treebank.upos.codes).tolist()):
        return treebank.xpos, treebank.xpos
    return treebank.upos, treebank.xpos


def _numbers(strings: Iterable[str]) -> dict[str, int]:
    return {string: number for number, string in enumerate(strings, KNOWN)}


def _by_frequency(strings: Iterable[str], least: int = 1) -> list[str]:
    """Return distinct strings, the most frequent first."""
    kept = [(-count, string) for string, count in Counter(strings).items() if count >= least]
    return [string for _, string in sorted(kept)]
