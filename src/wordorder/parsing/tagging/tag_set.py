"""TagSet: the tags that a tagger gives, universal ones and those of the language together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.errors import InputError, ModelError, choose
from wordorder.parsing.weights import MOST_ACTIONS
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.column import NOTHING, Column
from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool, Int32, Int64

# Which columns a tagger fills.
TAGS = {"both": ("upos", "xpos"), "upos": ("upos",), "xpos": ("xpos",)}


@dataclass(frozen=True, eq=False)
class Choices:
    """The tags that words may have.

    Attributes
    ----------
    kind : int64[N]
        Words of one kind may have the same tags.
    allowed : bool[K, T]
        Which tags each kind may have, at least one.
    """

    kind: Int64
    allowed: Bool


class TagSet:
    """Tags by number; where a tagger fills two columns, each pair that occurs is one tag.

    Parameters
    ----------
    columns : sequence of str
        The columns that are filled, of ``upos`` and ``xpos``.
    tags : sequence of sequences of str
        What tag number ``i`` writes into each column.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]], upos=[["PRON", "VERB"]])
    >>> tag_set, numbers = TagSet.learn(bank)
    >>> tag_set.columns, tag_set.tags, numbers.tolist()
    (('upos',), (('PRON',), ('VERB',)), [0, 1])
    """

    def __init__(self, columns: Sequence[str], tags: Sequence[Sequence[str]]) -> None:
        self.columns = tuple(columns)
        self.tags = tuple(tuple(tag) for tag in tags)

    @classmethod
    def learn(cls, treebank: Treebank, tags: str = "both") -> tuple[TagSet, Int32]:
        """Return the tags of a treebank, sorted, and the number of each word's tag.

        Parameters
        ----------
        treebank : Treebank
        tags : {"both", "upos", "xpos"}
            With ``"both"`` a column in which no word has a tag is left alone.

        Raises
        ------
        InputError
            If there are no words, or one of them has no tag, or if there are too many tags.
        """
        columns = TAGS[choose("tags", tags, tuple(TAGS))]
        if not treebank.words:
            raise InputError("training data", "no words", "tagged sentences")
        if len(columns) > 1:
            said = [c for c in columns if treebank.columns[c].said().any()]
            columns = tuple(said) or columns
        untagged = ~np.logical_or.reduce([treebank.columns[c].said() for c in columns])
        if np.any(untagged):
            word = int(np.argmax(untagged))
            sentence = int(np.searchsorted(treebank.offsets, word, side="right"))
            place = word - int(treebank.offsets[sentence - 1]) + 1
            where = f"training data, sentence {sentence}, word {place}"
            raise InputError(where, f"no tag in {' and '.join(columns)}", "a tag for each word")
        codes = np.zeros(treebank.words, np.int64)
        for name in columns:
            column = treebank.columns[name]
            codes = codes * len(column.vocabulary) + column.codes
        different, places = np.unique(codes, return_inverse=True)
        spelled = []
        for code in different.tolist():
            tag = []
            for name in reversed(columns):
                words = treebank.columns[name].vocabulary.words
                code, number = divmod(code, len(words))
                tag.append(words[number])
            spelled.append(tuple(reversed(tag)))
        names = sorted(set(spelled))
        if len(names) > MOST_ACTIONS:
            raise InputError("training data", f"{len(names)} tags", f"at most {MOST_ACTIONS}")
        numbers = {tag: number for number, tag in enumerate(names)}
        table = np.array([numbers[tag] for tag in spelled], np.int32)
        return cls(columns, names), table[places]

    def __len__(self) -> int:
        return len(self.tags)

    def write(self, sentences: Treebank, numbers: Int32) -> Treebank:
        """Return sentences with the tags of these numbers, one a word."""
        filled: dict[str, Any] = {
            name: Column(numbers, Vocabulary([tag[place] for tag in self.tags] or [NOTHING]))
            for place, name in enumerate(self.columns)
        }
        return sentences.replace(**filled)

    def choices(self, sentences: Treebank) -> Choices:
        """Return the tags of each word that agree with those that it has already.

        A word whose tags agree with no pair keeps the tag of the language, or else the universal
        one; if the set has neither, all tags are open to it.

        Examples
        --------
        >>> tag_set = TagSet(("upos", "xpos"), [("NOUN", "NN"), ("VERB", "VB"), ("VERB", "VBZ")])
        >>> bank = Treebank.from_words([["it", "rains"]], upos=[["_", "VERB"]])
        >>> choices = tag_set.choices(bank)
        >>> choices.allowed[choices.kind].tolist()
        [[True, True, True], [False, True, True]]
        """
        columns = [sentences.columns[name] for name in self.columns]
        codes = np.stack([column.codes for column in columns], axis=1)
        kinds, kind = np.unique(codes, axis=0, return_inverse=True)
        allowed = np.ones((len(kinds), len(self)), bool)
        for row, numbers in zip(allowed, kinds.tolist(), strict=True):
            given = [
                column.vocabulary.words[number]
                for column, number in zip(columns, numbers, strict=True)
            ]
            fits = [
                np.array([tag[place] == string for tag in self.tags], bool)
                for place, string in enumerate(given)
                if string != NOTHING
            ]
            if fits:
                # The tag of the language comes last, and says more.
                tries = (np.logical_and.reduce(fits), *reversed(fits))
                row[:] = next((fit for fit in tries if fit.any()), True)
        return Choices(kind.reshape(-1), allowed)

    def about(self) -> dict[str, Any]:
        """Return what JSON can hold of it."""
        return {"columns": list(self.columns), "tags": [list(tag) for tag in self.tags]}

    @classmethod
    def from_about(cls, about: Mapping[str, Any]) -> TagSet:
        """Make it again.

        Raises
        ------
        ModelError
            If it is not what `about` returns.
        """
        columns: Any = about.get("columns")
        tags: Any = about.get("tags")
        if not isinstance(columns, list) or tuple(columns) not in TAGS.values():
            raise ModelError(f"columns of tags: {str(columns)[:60]}; expected upos, xpos or both")
        good = isinstance(tags, list) and all(
            isinstance(tag, list)
            and len(tag) == len(columns)
            and all(isinstance(part, str) for part in tag)
            for tag in tags
        )
        if not good or not 0 < len(tags) <= MOST_ACTIONS:
            raise ModelError(f"tags: not 1 to {MOST_ACTIONS} lists of {len(columns)} strings")
        if len({tuple(tag) for tag in tags}) != len(tags):
            raise ModelError("tags: one is listed twice")
        return cls(columns, tags)
