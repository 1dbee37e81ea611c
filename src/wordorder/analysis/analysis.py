"""Analysis: all that was found about some systems on one corpus."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.grid import Grid
from wordorder.analysis.score_intervals import ScoreIntervals
from wordorder.analysis.section import Section
from wordorder.analysis.system import AnalysedSystem
from wordorder.scoring.length_scores import LengthScores


@dataclass(frozen=True, eq=False)
class Analysis:
    """What `wordorder analyze` shows, as text, JSON and page.

    Attributes
    ----------
    corpus : Corpus
    systems : tuple of AnalysedSystem
    signature : str
        Of the metric that scores single sentences: ``frs|match:index|…``.
    grid : Grid, optional
        The systems as parsers × rule sets, if they are that: in the order of `systems`.
    sections : tuple of Section
        The findings, the most important first.
    higher_is_better : bool
        Of the scores of sentences.
    answer : str
        Which system orders words best, whether that may be chance, and by how much: one sentence.
    intervals : tuple of ScoreIntervals
        What the systems score under each metric; the first is that of `answer`.
    lengths : LengthScores, optional
        What they score under the first metric on sentences of similar lengths.
    """

    corpus: Corpus
    systems: tuple[AnalysedSystem, ...]
    signature: str
    grid: Grid | None
    sections: tuple[Section, ...]
    higher_is_better: bool = True
    answer: str = ""
    intervals: tuple[ScoreIntervals, ...] = ()
    lengths: LengthScores | None = None

    @property
    def size(self) -> int:
        """How many sentences there are."""
        return len(self.corpus.words)
