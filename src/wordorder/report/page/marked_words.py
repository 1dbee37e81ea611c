"""The translations of a system as text, with marks where the order breaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.analysis.translations.translated_system import TranslatedSystem
from wordorder.analysis.translations.word_outcomes import word_outcomes
from wordorder.drawing.marks import Marked, marked
from wordorder.types import Bool, Int64


@dataclass(frozen=True)
class MarkedWords:
    """What each word of all translations of a system matches; made at once, read row by row.

    Attributes
    ----------
    system : TranslatedSystem
    matches : int64[N]
        For each word of the translations the word of the reference that it matches, counted from
        0 in its row; -1 for none.
    begins : bool[N]
        Whether the word matches one that does not follow that of the matched word before it.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> lines = {"A": ["on tuesday evening we met at six"]}
    >>> found = translations_of(lines, ["we met them at six on tuesday"], metrics="frs")
    >>> MarkedWords.of(found.systems[0]).text(0)
    'on tuesday ⟦evening⟧ ¦ we met at six'
    """

    system: TranslatedSystem
    matches: Int64
    begins: Bool

    @classmethod
    def of(cls, system: TranslatedSystem) -> MarkedWords:
        """Follow the words of all translations."""
        texts = system.texts
        outcomes = word_outcomes(texts, system.rows, system.matches)
        matches = np.full(len(texts.hypothesis.values), -1, np.int64)
        begins = np.zeros(len(matches), np.bool_)
        # Only translations with a reference have outcomes.
        there = np.repeat(system.compared, texts.hypothesis.lengths)
        partners = outcomes.partners
        matched = np.flatnonzero(partners >= 0)
        # Where the reference of each segment begins among the words of all references compared.
        starts = np.searchsorted(outcomes.segments, outcomes.output_segments[matched])
        own = np.full(len(partners), -1, np.int64)
        own[matched] = partners[matched] - starts
        matches[there] = own
        ranks = np.cumsum(outcomes.matched)[partners[matched]]
        same = np.diff(outcomes.output_segments[matched]) == 0
        step = np.diff(ranks)
        broken = np.zeros(len(partners), np.bool_)
        broken[matched[1:][same & (step != 0) & (step != 1)]] = True
        begins[there] = broken
        return cls(system, matches, begins)

    def _span(self, segment: int) -> slice:
        first, last = self.system.texts.hypothesis.offsets[segment : segment + 2].tolist()
        return slice(first, last)

    def words(self, segment: int) -> list[str]:
        """Return the words of a translation."""
        texts = self.system.texts
        return [texts.vocabulary.words[number] for number in texts.hypothesis[segment].tolist()]

    def reference(self, segment: int) -> list[str]:
        """Return the words of the reference that it is compared with; none without one."""
        texts, row = self.system.texts, int(self.system.rows[segment])
        if row < 0:
            return []
        return [texts.vocabulary.words[number] for number in texts.references[row].tolist()]

    def partners(self, segment: int) -> list[int]:
        """Return the word of the reference that each word matches, or -1."""
        found: list[int] = self.matches[self._span(segment)].tolist()
        return found

    def text(self, segment: int) -> Marked:
        """Write a translation with marks where the order breaks and around added words.

        Without a reference nothing is marked.
        """
        words = self.words(segment)
        if self.system.rows[segment] < 0:
            return marked(words)
        span = self._span(segment)
        added = set(np.flatnonzero(self.matches[span] < 0).tolist())
        return marked(words, added, set(np.flatnonzero(self.begins[span]).tolist()))
