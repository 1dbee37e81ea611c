"""As what a word is tagged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.treebank.coarse_tags import known_tags, tagged_as
from wordorder.treebank.strings import numbered
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int64


@dataclass(frozen=True, eq=False)
class TagCounts:
    """As what a word is tagged.

    Attributes
    ----------
    places : int64[K]
        The place of the word, as the treebank counts words.
    tags : tuple of (str, int)
        Each tag and how often the word has it, the most frequent first.
    nouns, verbs : int
        How often it is tagged as a noun (or name), and as a verb (or auxiliary).
    """

    places: Int64
    tags: tuple[tuple[str, int], ...]
    nouns: int
    verbs: int


def tag_counts(treebank: Treebank, word: str) -> TagCounts:
    """Count the tags of a word, whatever the case of its letters.

    Parameters
    ----------
    treebank : Treebank
        Universal tags are counted if there are any, otherwise those of the language.
    word : str

    Examples
    --------
    >>> bank = Treebank.from_words([["Click", "a", "click"]], upos=[["VERB", "DET", "NOUN"]])
    >>> counts = tag_counts(bank, "click")
    >>> counts.tags, counts.nouns, counts.verbs
    ((('NOUN', 1), ('VERB', 1)), 1, 1)
    """
    numbers, forms = numbered(treebank.form, str.casefold)
    wanted = word.casefold()
    places = np.flatnonzero(numbers == (forms.index(wanted) if wanted in forms else -1))
    column = known_tags(treebank)
    tags: tuple[tuple[str, int], ...] = ()
    if column is not None:
        codes, strings = numbered(column.take(places))
        counts = np.bincount(codes, minlength=len(strings)).tolist()
        occurring = [(tag, count) for tag, count in zip(strings, counts, strict=True) if count]
        tags = tuple(sorted(occurring, key=lambda each: (-each[1], each[0])))
    nouns, verbs = (int(tagged_as(treebank, kind)[places].sum()) for kind in ("noun", "verb"))
    return TagCounts(places, tags, nouns, verbs)
