"""Conventions: marks that a system writes in another way than the references throughout."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.translations.stored import count_values
from wordorder.arrays import Bool, Int64
from wordorder.text.texts import Texts

# Ways to write the same marks: how a way is displayed, and the pattern of the words that have it.
WAYS = (
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

# A convention is followed by at least this share of a system's marks, and has at least this many.
SHARE, FEWEST = 0.9, 20


@dataclass(frozen=True, eq=False)
class Convention:
    """A mark that a system writes in another way than the references.

    Attributes
    ----------
    written, expected : str
        The ways of the system and of the references.
    count : int
        The number of words of the output that have the mark.
    affected : bool[V]
        The words of the vocabulary that have the mark, in any of its ways.
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
    # Most words have letters alone.
    marked = [number for number, word in enumerate(vocabulary) if not word.isalnum()]
    references = count_values(systems[0].references.values, size)
    outputs = [count_values(texts.hypothesis.values, size) for texts in systems]
    conventions: list[list[Convention]] = [[] for _ in systems]
    for ways in WAYS:
        words = np.zeros((len(ways), size), np.bool_)
        for row, (_, pattern) in zip(words, ways, strict=True):
            has = re.compile(pattern, re.IGNORECASE).search
            row[[number for number in marked if has(vocabulary[number])]] = True
        expected = _main_way(words, references)
        for counts, listed in zip(outputs, conventions, strict=True):
            written = _main_way(words, counts)
            if written is None or expected is None or written == expected:
                continue
            count = int(counts[words[written]].sum())
            names = ways[written][0], ways[expected][0]
            listed.append(Convention(*names, count, np.logical_or.reduce(words)))
    return tuple(map(tuple, conventions))


def _main_way(words: Bool, counts: Int64) -> int | None:
    """Return the number of the way in which nearly all marks are written, if there is one."""
    totals = words @ counts
    best = int(totals.argmax())
    return best if totals[best] >= max(FEWEST, SHARE * int(totals.sum())) else None
