"""Tags before parsing: those that the input has, and predicted ones where it has none."""

from __future__ import annotations

import numpy as np

from wordorder.errors import InputError
from wordorder.parsing.base import CompletingTagger, Tagger
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool

# The tags that parsers look at.
TAGS = ("upos", "xpos")


def fill_tags(sentences: Treebank, tagger: Tagger) -> Treebank:
    """Return the sentences with a predicted tag wherever a tag is not given.

    Parameters
    ----------
    sentences : Treebank
    tagger : Tagger
        One that is a `CompletingTagger` gives a word only tags that go with the one it has.

    Examples
    --------
    >>> class AllNouns:
    ...     def tag(self, sentences):
    ...         return sentences.replace(upos=Column.filled(sentences.words, "NOUN"))
    >>> bank = Treebank.from_words([["It", "rains"]], upos=[["PRON", "_"]])
    >>> fill_tags(bank, AllNouns()).upos.strings()
    ['PRON', 'NOUN']
    """
    if all(sentences.columns[name].said().all() for name in TAGS):
        return sentences
    if isinstance(tagger, CompletingTagger) and any(
        sentences.columns[name].said().any() for name in TAGS
    ):
        return keep_tags(sentences, tagger.complete(sentences))
    return keep_tags(sentences, tagger.tag(sentences))


def without_tags(sentences: Treebank) -> Treebank:
    """Return the sentences without any tags."""
    nothing = Column.filled(sentences.words)
    return sentences.replace(upos=nothing, xpos=nothing)


def keep_tags(given: Treebank, tagged: Treebank) -> Treebank:
    """Return sentences whose tags are put back where they were given.

    Parameters
    ----------
    given : Treebank
    tagged : Treebank
        The same sentences with other tags.
    """
    return tagged.replace(upos=_kept(given.upos, tagged.upos), xpos=_kept(given.xpos, tagged.xpos))


def untagged(sentences: Treebank) -> Bool:
    """Return which words have no tag at all, bool[N].

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]], upos=[["PRON", "_"]])
    >>> untagged(bank).tolist()
    [False, True]
    """
    return ~(sentences.upos.said() | sentences.xpos.said())


def require_tags(sentences: Treebank, where: str, before: int) -> None:
    """Refuse sentences with a word that has no tag at all.

    Parameters
    ----------
    sentences : Treebank
    where : str
        What a message calls the input.
    before : int
        Sentences before these.

    Raises
    ------
    InputError
        With the number of the first such sentence.
    """
    without = np.flatnonzero(untagged(sentences))
    if len(without):
        sentence = int(np.searchsorted(sentences.offsets, without[0], side="right"))
        raise InputError(
            where,
            f"words without tags in sentence {before + sentence}",
            "tags, or a model with a tagger",
        )


def _kept(first: Column, second: Column) -> Column:
    """Return the strings of `first` where it says something, else those of `second`."""
    both = Column.concatenate([first, second])
    codes = np.where(first.said(), both.codes[: len(first)], both.codes[len(first) :])
    return Column(codes, both.vocabulary)
