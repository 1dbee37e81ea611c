"""Conventions: marks that a system consistently writes in another way than the references."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.translations.stored import count_values
from wordorder.arrays import Bool, Int64
from wordorder.text.texts import Texts

# Notations of the same marks: how a notation is displayed, and the pattern of words with it.
NOTATIONS = (
    (
        *(('"…"', '"'), ("“…”", "[“”„‟]"), ("«…»", "[«»]")),
        *(("「…」", "[「」『』]"), ("``…''", "^(``|'')$")),
        # Words that begin with an apostrophe, but no contractions.
        ("'…'", r"^'(?!(s|re|ve|ll|d|m|t|n|em|\d\ds?)$)\w"),
    ),
    (("'", "['`´]"), ("’", "[‘’]")),
    (("-", "^-$"), ("--", "^--+$"), ("–", "^–$"), ("—", "^—+$")),
    (("...", r"^\.\.+$"), ("…", "…")),
    (("word ,", "^[,;:!?]$"), ("word,", r"\w[,;:!?]$")),
    (("( , )", "[(),:;!?]"), ("（，）", "[（），：；！？]")),
)

# A notation is a convention if it has at least this share of the marks, and this number of words.
MIN_SHARE, MIN_MARKS = 0.9, 20


@dataclass(frozen=True, eq=False)
class Convention:
    """A mark that a system writes in another way than the references.

    Attributes
    ----------
    written, expected : str
        The notations of the system and of the references.
    count : int
        The number of words of the output with the mark.
    affected : bool[V]
        The words of the vocabulary with the mark, in any notation.
    """

    written: str
    expected: str
    count: int
    affected: Bool

    def describe(self, system: str) -> str:
        """Describe the convention in a note."""
        return (
            f"{system} writes {self.written} where the references write {self.expected}: "
            f"{self.count:,} words; no finding names them"
        )


def mark_conventions(systems: Sequence[Texts]) -> tuple[tuple[Convention, ...], ...]:
    """Return the conventions of each system.

    Parameters
    ----------
    systems : sequence of Texts
        One per system, with the same references and vocabulary.

    Examples
    --------
    >>> texts = Texts.from_segments(["“ no ”"] * 10, ['" no "'] * 10)
    >>> [convention.describe("A") for convention in mark_conventions([texts])[0]]
    ['A writes “…” where the references write "…": 20 words; no finding names them']
    """
    vocabulary = systems[0].vocabulary.words
    size = len(vocabulary)
    # Most words consist of letters only.
    with_marks = [index for index, word in enumerate(vocabulary) if not word.isalnum()]
    references = count_values(systems[0].references.values, size)
    outputs = [count_values(texts.hypothesis.values, size) for texts in systems]
    conventions: list[list[Convention]] = [[] for _ in systems]
    for notations in NOTATIONS:
        words = np.zeros((len(notations), size), np.bool_)
        for row, (_, pattern) in zip(words, notations, strict=True):
            search = re.compile(pattern, re.IGNORECASE).search
            row[[index for index in with_marks if search(vocabulary[index])]] = True
        expected = _main_notation(words, references)
        for counts, system_conventions in zip(outputs, conventions, strict=True):
            written = _main_notation(words, counts)
            if written is None or expected is None or written == expected:
                continue
            count = int(counts[words[written]].sum())
            names = notations[written][0], notations[expected][0]
            system_conventions.append(Convention(*names, count, np.logical_or.reduce(words)))
    return tuple(map(tuple, conventions))


def _main_notation(words: Bool, counts: Int64) -> int | None:
    """Return the index of the notation of nearly all marks; None if there is none."""
    totals = words @ counts
    best = int(totals.argmax())
    return best if totals[best] >= max(MIN_MARKS, MIN_SHARE * int(totals.sum())) else None
