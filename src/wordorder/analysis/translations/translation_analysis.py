"""TranslationAnalysis: all that was found about the translations of some systems."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.analysis.score_intervals import ScoreIntervals
from wordorder.analysis.section import Section
from wordorder.analysis.translations.translations import Translations
from wordorder.statistics.comparison import Comparison


@dataclass(frozen=True, eq=False)
class TranslationAnalysis:
    """What `wordorder analyze` shows of translations, as text, JSON, TSV and page.

    Attributes
    ----------
    translations : Translations
        Systems, texts, scores of sentences, matches and trees.
    answer : str
        One sentence: which system orders words best, whether that may be chance, and by how much;
        a second one if the two best are compared over very different shares of words.
    intervals : tuple of ScoreIntervals
        One a metric; the first is that of `answer`.
    comparisons : tuple of Comparison
        One a metric: all pairs of systems, tested.
    sections : tuple of Section
        The findings, the most important first.
    notes : tuple of str
        What was left out or assumed, and which option changes it.
    """

    translations: Translations
    answer: str
    intervals: tuple[ScoreIntervals, ...]
    comparisons: tuple[Comparison, ...]
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the systems are called."""
        return self.translations.names

    @property
    def signature(self) -> str:
        """What the scores of sentences are: those of the first metric."""
        return self.intervals[0].signature

    @property
    def higher_is_better(self) -> bool:
        """Whether these scores are better if they are higher."""
        return self.intervals[0].higher_is_better

    @property
    def size(self) -> int:
        """How many segments there are."""
        return len(self.translations)
