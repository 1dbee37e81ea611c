"""A translation beside its reference, with marks where the order breaks."""

from __future__ import annotations

import numpy as np

from wordorder.analysis.translations.translated_system import TranslatedSystem
from wordorder.drawing.marks import BREAK, CLOSE, ESCAPES, OPEN, OTHER, Marked, marked
from wordorder.types import Int32

_IN_TRANSLATIONS = (
    f"In a translation, {BREAK} marks the start of a new chunk (words that also follow each other "
    f"in the reference), and {OPEN}these words{CLOSE} have no match in the reference."
)
NOTE = (
    f"{_IN_TRANSLATIONS} In a reference, {OPEN}these words{CLOSE} are not in the translation. "
    f"{ESCAPES}"
)
# Of tables with two translations a row.
NOTE_OF_TWO = (
    f"{_IN_TRANSLATIONS} In a reference, {OPEN}these words{CLOSE} are in neither translation; if "
    f"each translation has its own reference, {OTHER} is between the two, and these words are not "
    f"in the one translation. {ESCAPES}"
)


def marked_texts(system: TranslatedSystem, segment: int) -> tuple[Marked, Marked]:
    """Return a translation and its reference, with chunks and unmatched words marked.

    Parameters
    ----------
    system : TranslatedSystem
    segment : int

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> lines = {"A": ["on tuesday evening we met at six"]}
    >>> found = translations_of(lines, ["we met them at six on tuesday"], metrics="frs")
    >>> marked_texts(found.systems[0], 0)
    ('on tuesday ⟦evening⟧ ¦ we met at six', 'we met ⟦them⟧ at six on tuesday')
    """
    texts, row = system.texts, int(system.rows[segment])
    words = texts.vocabulary.words
    ours = [words[number] for number in texts.hypothesis[segment]]
    if row < 0:
        return marked(ours, range(len(ours))), Marked()
    matches = system.matches
    span = slice(int(matches.offsets[row]), int(matches.offsets[row + 1]))
    first, count = matches.hypothesis_start[span], matches.hypothesis_length[span]
    length = matches.length[span]
    ranks = np.cumsum(length) - length
    order = np.argsort(first)
    follows = ranks[order][1:] == (ranks + length)[order][:-1]
    breaks = set(first[order][1:][~follows].tolist())
    return marked(ours, _free(first, count, len(ours)), breaks), marked_reference(system, segment)


def marked_reference(system: TranslatedSystem, segment: int, *others: TranslatedSystem) -> Marked:
    """Return the reference of a translation, with the words marked that it lacks.

    Parameters
    ----------
    system : TranslatedSystem
    segment : int
    *others : TranslatedSystem
        With the same reference; only words are marked that these lack too.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> lines = {"A": ["we met at six"], "B": ["we met them there"]}
    >>> found = translations_of(lines, ["we met them at six on tuesday"], metrics="frs")
    >>> marked_reference(found.systems[0], 0, found.systems[1])
    'we met them at six ⟦on tuesday⟧'
    """
    texts, row = system.texts, int(system.rows[segment])
    if row < 0:
        return Marked()
    words = [texts.vocabulary.words[number] for number in texts.references[row]]
    free = set(range(len(words)))
    for each in (system, *others):
        matches = each.matches
        span = slice(int(matches.offsets[row]), int(matches.offsets[row + 1]))
        free &= _free(matches.start[span], matches.length[span], len(words))
    return marked(words, free)


def _free(starts: Int32, lengths: Int32, words: int) -> set[int]:
    """Return the words that no stretch covers."""
    free = set(range(words))
    for begin, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        free.difference_update(range(begin, begin + length))
    return free
