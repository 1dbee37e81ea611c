"""The sentences of an analysis of orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from wordorder.analysis.analysis import Analysis
from wordorder.analysis.points import OF_ORDERS
from wordorder.drawing.marks import BREAK, CLOSE, END_OF_TIE, OPEN, TIE
from wordorder.report.page.interest import score_matrix, shown_pair
from wordorder.report.page.overview import run_details
from wordorder.report.page.picture_row import PictureRow
from wordorder.report.page.pictures import picture_rows
from wordorder.report.page.sentence_view import SentenceView, sentence_views
from wordorder.types import Float64


@dataclass(frozen=True)
class OrderSentences:
    """Source, system orders and reference order of each sentence.

    Attributes
    ----------
    analysis : Analysis
    """

    analysis: Analysis

    template = "sentence.html.j2"
    points = OF_ORDERS
    text_share = 0.75
    help = (
        f"Open a sentence to see the system orders and the reference order; {TIE} these words "
        f"{END_OF_TIE} may come in any order. In a system order, {BREAK} marks a broken order: the "
        f"words beside it do not follow each other in the reference; {OPEN}underlined words in a "
        f"box{CLOSE} are not in the reference."
    )

    @property
    def names(self) -> Sequence[str]:
        """What the systems are called."""
        return [system.name for system in self.analysis.systems]

    @cached_property
    def scores(self) -> Float64:
        """The score of each system's sentences, float64[N, S]; NaN where one was left out."""
        return score_matrix(self.analysis)

    @property
    def details(self) -> Sequence[tuple[str, str]]:
        """What was compared."""
        return run_details(self.analysis)

    def views(self) -> Iterator[SentenceView]:
        """Yield all sentences."""
        return sentence_views(self.analysis, self.scores)

    def pictures(self, sentence: int) -> Sequence[PictureRow]:
        """Draw the trees and orders of two systems."""
        pair = shown_pair(self.analysis, self.scores, sentence)
        return picture_rows(self.analysis, sentence, pair)
