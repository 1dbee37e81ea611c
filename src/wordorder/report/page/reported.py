"""What a page needs of an analysis, whatever was analysed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from wordorder.analysis.score_intervals import ScoreIntervals
from wordorder.analysis.section import Section
from wordorder.analysis.translations.translations import Translations
from wordorder.report.page.picture_row import PictureRow
from wordorder.types import Float64


class Reported(Protocol):
    """An analysis: of orders, or of translations."""

    @property
    def answer(self) -> str:
        """Which system orders words best, in one sentence."""

    @property
    def intervals(self) -> tuple[ScoreIntervals, ...]:
        """What the systems score, one a metric; the first is that of the answer."""

    @property
    def sections(self) -> tuple[Section, ...]:
        """All tables."""

    @property
    def signature(self) -> str:
        """What the scores of sentences come from."""

    @property
    def higher_is_better(self) -> bool:
        """Of these scores."""


class ReportedTranslations(Reported, Protocol):
    """An analysis of translations."""

    @property
    def translations(self) -> Translations:
        """What is known of the systems."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out or assumed, and which option changes it."""


class View(Protocol):
    """What a page says about a sentence; its template knows the rest."""

    def without_results(self) -> View:
        """Return the same view with no results of systems."""

    def with_pictures(self, pictures: Sequence[PictureRow]) -> View:
        """Return the same view with pictures."""


class Sentences(Protocol):
    """The sentences of an analysis, to be written one by one."""

    @property
    def template(self) -> str:
        """The file that says how a view is written."""

    @property
    def help(self) -> str:
        """How to read a sentence."""

    @property
    def points(self) -> str:
        """What a point in the findings means."""

    @property
    def text_share(self) -> float:
        """Of the room that is left, what results in words may take; the rest is for pictures."""

    @property
    def names(self) -> Sequence[str]:
        """What the systems are called."""

    @property
    def scores(self) -> Float64:
        """The score of each system's sentences, float64[N, S]; NaN where one was left out."""

    @property
    def details(self) -> Sequence[tuple[str, str]]:
        """What was compared: pairs of a name and what it is."""

    def views(self) -> Iterator[View]:
        """Yield all sentences."""

    def pictures(self, sentence: int) -> Sequence[PictureRow]:
        """Draw a sentence, counted from 0."""
