"""Word kinds: what words of translations are counted by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.bins import Bins
from wordorder.analysis.translations.translations import Translations
from wordorder.analysis.translations.word_outcomes import WordOutcomes
from wordorder.text.texts import Texts
from wordorder.treebank.strings import numbered, says_something
from wordorder.types import Int64

# The ranges of compare-mt.
FREQUENCIES = Bins((0, 1, 2, 3, 4, 5, 10, 100, 1000))
LENGTHS = Bins((1, 2, 3, 4, 5, 6, 7, 8, 10, 13))


@dataclass(frozen=True, eq=False)
class WordKinds:
    """Kinds of words, and which word is of which.

    Attributes
    ----------
    key : str
        "form", "frequency", "length" or "tag".
    title : str
        What a column of them is called.
    names : sequence of str
        By number, K of them.
    of_reference : callable
        Returns the kind of each reference word of some outcomes, int64[M].
    of_output : callable or None
        The same of the output words, int64[N]; None where outputs are not known by kind.
    which : callable or None
        Says which words are of a kind, as printed after "word" or "words"; None where the name of
        a kind is the word itself.
    """

    key: str
    title: str
    names: tuple[str, ...]
    of_reference: Callable[[WordOutcomes], Int64]
    of_output: Callable[[WordOutcomes], Int64] | None
    which: Callable[[str], str] | None

    def each(self, kind: int) -> str:
        """Return what one word of a kind is called."""
        name = self.names[kind]
        return repr(name) if self.which is None else f"word {self.which(name)}"

    def all(self, kind: int) -> str:
        """Return what all words of a kind are called."""
        name = self.names[kind]
        return repr(name) if self.which is None else f"words {self.which(name)}"


def word_forms(texts: Texts) -> WordKinds:
    """Tell words apart by their form, with its case."""
    names = tuple(texts.vocabulary.words)
    same = np.arange(len(names))
    return _by_word("form", "word", names, same, None)


def word_frequencies(texts: Texts) -> WordKinds:
    """Sort words by how often the references have them, all references together.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat"], [["the dog", "the dogs"]])
    >>> kinds = word_frequencies(texts)
    >>> counts = np.bincount(texts.references.values, minlength=len(texts.vocabulary))
    >>> {w: kinds.names[k] for w, k in zip(texts.vocabulary.words, FREQUENCIES.of(counts))}
    {'the': '2', 'dog': '1', 'dogs': '1', 'cat': '0'}
    """
    counts = np.bincount(texts.references.values, minlength=len(texts.vocabulary))
    return _by_word(
        "frequency",
        "frequency",
        FREQUENCIES.names,
        FREQUENCIES.of(counts),
        lambda name: f"used {_times(name)} in the references",
    )


def word_lengths(texts: Texts) -> WordKinds:
    """Sort words by their length in characters (code points)."""
    lengths = np.fromiter(map(len, texts.vocabulary.words), np.int64, len(texts.vocabulary))
    return _by_word(
        "length",
        "length",
        LENGTHS.names,
        LENGTHS.of(lengths),
        lambda name: f"of {_characters(name)}",
    )


def word_tags(translations: Translations) -> WordKinds | None:
    """Tell words of the references apart by their tag; None where they are not tagged.

    Tags of the outputs are not known, since only references are parsed.
    """
    trees = translations.trees
    if trees is None or not says_something(trees.upos):
        return None
    of_place, names = numbered(trees.upos)
    return WordKinds(
        "tag",
        "tag",
        names,
        lambda outcomes: of_place[outcomes.places],
        None,
        lambda name: f"tagged {name}",
    )


def _by_word(
    key: str,
    title: str,
    names: tuple[str, ...],
    of_word: Int64,
    which: Callable[[str], str] | None,
) -> WordKinds:
    return WordKinds(
        key,
        title,
        names,
        lambda outcomes: of_word[outcomes.words],
        lambda outcomes: of_word[outcomes.output_words],
        which,
    )


def _times(name: str) -> str:
    """Say how often words of a range occur."""
    if name in ("1", "2"):
        return "once" if name == "1" else "twice"
    return f"{name[:-1]} times or more" if name.endswith("+") else f"{name} times"


def _characters(name: str) -> str:
    """Say how long words of a range are."""
    if name == "1":
        return "1 character"
    return f"{name[:-1]} characters or more" if name.endswith("+") else f"{name} characters"
