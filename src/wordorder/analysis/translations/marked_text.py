"""A translation beside its reference, with marks where the order breaks."""

from __future__ import annotations

import numpy as np

from wordorder.analysis.translations.translated_system import TranslatedSystem
from wordorder.types import Bool, Int32

NOTE = (
    "In a translation, a bar marks the start of a new chunk (words that also follow each other "
    "in the reference), and parentheses mark words without a match in the reference; in the "
    "reference they mark words that the translation lacks."
)


def marked_texts(system: TranslatedSystem, segment: int) -> tuple[str, str]:
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
    ('on tuesday (evening) | we met at six', 'we met (them) at six on tuesday')
    """
    texts, row = system.texts, int(system.rows[segment])
    words = texts.vocabulary.words
    ours = [words[number] for number in texts.hypothesis[segment]]
    if row < 0:
        return _joined(ours, np.ones(len(ours), np.bool_), set()), ""
    theirs = [words[number] for number in texts.references[row]]
    matches = system.matches
    span = slice(int(matches.offsets[row]), int(matches.offsets[row + 1]))
    start, length = matches.start[span], matches.length[span]
    first, count = matches.hypothesis_start[span], matches.hypothesis_length[span]
    ranks = np.cumsum(length) - length
    order = np.argsort(first)
    follows = ranks[order][1:] == (ranks + length)[order][:-1]
    breaks = set(first[order][1:][~follows].tolist())
    return (
        _joined(ours, ~_covered(first, count, len(ours)), breaks),
        _joined(theirs, ~_covered(start, length, len(theirs)), set()),
    )


def _covered(starts: Int32, lengths: Int32, words: int) -> Bool:
    """Return which words some stretches cover, bool[words]."""
    covered = np.zeros(words, np.bool_)
    for begin, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        covered[begin : begin + length] = True
    return covered


def _joined(words: list[str], free: Bool, breaks: set[int]) -> str:
    """Write words with runs of free ones in parentheses and a bar before each break."""
    shown: list[str] = []
    for place, word in enumerate(words):
        text = word
        if free[place] and not (place and free[place - 1]):
            text = f"({text}"
        if free[place] and not (place + 1 < len(words) and free[place + 1]):
            text = f"{text})"
        if place in breaks:
            shown.append("|")
        shown.append(text)
    return " ".join(shown)
