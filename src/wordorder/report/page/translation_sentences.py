"""The sentences of an analysis of translations: references, translations, crossing lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan

import numpy as np

from wordorder.analysis.points import of_translations
from wordorder.counts import counted
from wordorder.drawing.crossing_svg import crossing_svg
from wordorder.drawing.marks import BREAK, CLOSE, OPEN, Marked
from wordorder.drawing.sentence_labels import runs_leftwards
from wordorder.metrics.called import called
from wordorder.order.moved import moved_words
from wordorder.report.page.marked_words import MarkedWords
from wordorder.report.page.picture_row import Picture, PictureRow
from wordorder.report.page.reported import ReportedTranslations
from wordorder.types import Float64

_DECIMALS = 3
# A grid of more words is larger than a window.
_GRID = 40


@dataclass(frozen=True)
class Translation:
    """What one system makes of a sentence, or several that make the same.

    Attributes
    ----------
    systems : tuple of str
    words : Marked
        As `MarkedWords` has them.
    scores : str
        Of all metrics.
    """

    systems: tuple[str, ...]
    words: Marked
    scores: str


@dataclass(frozen=True)
class TranslationView:
    """What a page says about a sentence.

    Attributes
    ----------
    number : int
        Counted from 1.
    title, source : str
        The sentence as one reads it: its source, or its first reference.
    references : tuple of str
    score : str
        The lowest and the highest score under the first metric.
    keys : str
        What lists are sorted by: length, lowest and highest score, difference, then each system.
    direction : str
        How the target language runs.
    results : tuple of Translation
    pictures : tuple of PictureRow
    """

    number: int
    title: str
    source: str
    references: tuple[str, ...]
    score: str
    keys: str
    direction: str
    results: tuple[Translation, ...]
    pictures: tuple[PictureRow, ...] = ()

    def without_results(self) -> TranslationView:
        """Return the same view with no translations."""
        return replace(self, results=())

    def with_pictures(self, pictures: Sequence[PictureRow]) -> TranslationView:
        """Return the same view with pictures."""
        return replace(self, pictures=tuple(pictures))


@dataclass(frozen=True)
class _Path:
    """A picture of a path with what it costs."""

    note: str
    picture: Picture


@dataclass(frozen=True)
class TranslationSentences:
    """Source, references and translations of each sentence.

    Attributes
    ----------
    analysis : ReportedTranslations
    """

    analysis: ReportedTranslations

    template = "translation.html.j2"
    # What a system says is read by all; a picture of it is large.
    text_share = 0.9
    _help = (
        f"Open a sentence to see its references and translations. In a translation, {BREAK} marks "
        "a broken order: the words beside it match words that do not follow each other in the "
        f"reference; {OPEN}underlined words in a box{CLOSE} match no word of the reference. With "
        "several references this is the one of the lowest CDER."
    )

    @property
    def help(self) -> str:
        """What the marks of the sentences mean."""
        if self.analysis.translations.links is None:
            return self._help
        return (
            f"{self._help} Scores of word order come from the links with the source; the marks do "
            "not: they show words that match those of the reference."
        )

    @property
    def points(self) -> str:
        """What a point in the findings means."""
        return of_translations(self.analysis.signature.split("|")[0])

    @property
    def names(self) -> Sequence[str]:
        """What the systems are called."""
        return self.analysis.translations.names

    @cached_property
    def scores(self) -> Float64:
        """The score of each system's sentences under the first metric, float64[N, S]."""
        return np.array([system.scores[0] for system in self.analysis.translations.systems])

    @cached_property
    def _marked(self) -> list[MarkedWords]:
        return [MarkedWords.of(system) for system in self.analysis.translations.systems]

    @property
    def details(self) -> Sequence[tuple[str, str]]:
        """What was compared."""
        texts = self.analysis.translations.texts
        said = [
            ("Sentences", f"{len(texts.hypothesis):,}"),
            ("Systems", ", ".join(self.names)),
            ("References", f"{len(texts.references):,}"),
            ("Words of the references", f"{len(texts.references.values):,}"),
            ("Metrics", ", ".join(called(each.metric) for each in self.analysis.intervals)),
            ("Words matched by", f"the modules {', '.join(self._modules)}"),
        ]
        if texts.source is not None:
            said.append(("Source", counted(len(texts.source.values), "word")))
        return said + [("Note", each) for each in self.analysis.notes]

    @property
    def _modules(self) -> tuple[str, ...]:
        return self.analysis.translations.systems[0].matches.modules

    def views(self) -> Iterator[TranslationView]:
        """Yield all sentences."""
        translations = self.analysis.translations
        texts = translations.texts
        words = texts.vocabulary.words
        metrics = [called(each.metric) for each in self.analysis.intervals]
        for i in range(len(translations)):
            first, last = texts.reference_offsets[i : i + 2].tolist()
            references = tuple(
                " ".join([words[number] for number in texts.references[row].tolist()])
                for row in range(first, last)
            )
            source = ""
            if texts.source is not None:
                source = " ".join([words[number] for number in texts.source[i].tolist()])
            column = self.scores[:, i]
            known = column[~np.isnan(column)]
            low, high = (float(known.min()), float(known.max())) if len(known) else (np.nan,) * 2
            title = source or (references[0] if references else "")
            length = len(title.split(" ")) if title else 0
            numbers = map(_score, [low, high, high - low, *column.tolist()])
            yield TranslationView(
                i + 1,
                title,
                source,
                references,
                _score(low) if _score(low) == _score(high) else f"{_score(low)}–{_score(high)}",
                " ".join([str(length), *numbers]),
                "rtl" if references and runs_leftwards(references[0].split(" ")) else "ltr",
                tuple(self._results(i, metrics)),
            )

    def _results(self, sentence: int, metrics: Sequence[str]) -> Iterator[Translation]:
        """Yield the different translations of a sentence."""
        systems = self.analysis.translations.systems
        same: dict[bytes, list[int]] = {}
        for s, system in enumerate(systems):
            same.setdefault(system.texts.hypothesis[sentence].tobytes(), []).append(s)
        for numbers in same.values():
            system = systems[numbers[0]]
            scores = zip(metrics, system.scores, strict=True)
            yield Translation(
                tuple(systems[s].name for s in numbers),
                self._marked[numbers[0]].text(sentence),
                ", ".join(f"{name}\u00a0{_score(float(each[sentence]))}" for name, each in scores),
            )

    def pictures(self, sentence: int) -> Sequence[PictureRow]:
        """Draw two translations above the reference, and the path of the worse one."""
        pair = self._pair(sentence)
        crossing = [drawn for s in pair if (drawn := self._crossing(sentence, s))]
        rows = []
        if crossing:
            note = "A line joins each word with the one that it matches; broken lines have moved."
            rows.append(PictureRow("Translation and reference", note, tuple(crossing)))
        quality = self.scores[:, sentence] * (1 if self.analysis.higher_is_better else -1)
        path = self._path(sentence, min(pair, key=lambda s: float(quality[s])))
        if path is not None:
            rows.append(PictureRow("Cheapest path of CDER", path.note, (path.picture,)))
        return rows

    def _crossing(self, sentence: int, s: int) -> Picture | None:
        """Draw a translation and its reference, with lines that cross."""
        system, marked = self.analysis.translations.systems[s], self._marked[s]
        words, reference = marked.words(sentence), marked.reference(sentence)
        if not words or not reference:
            return None
        partners = marked.partners(sentence)
        joined: dict[int, int] = {}
        for word, partner in enumerate(partners):
            if partner >= 0:
                joined.setdefault(partner, word)
        order = sorted(joined, key=joined.__getitem__)
        moved = {joined[p] for p, moves in zip(order, moved_words(order), strict=True) if moves}
        drawing = crossing_svg(
            words, reference, partners, moved=frozenset(moved), names=(system.name, "reference")
        )
        return Picture(system.name, drawing, runs_leftwards(words))

    def _path(self, sentence: int, s: int) -> _Path | None:
        """Draw how CDER pays for a translation."""
        system = self.analysis.translations.systems[s]
        if not system.compared[sentence]:
            return None
        path = system.paths[int(np.count_nonzero(system.compared[:sentence]))]
        if not path.steps or max(len(path.hypothesis), len(path.reference)) > _GRID:
            return None
        return _Path(f"{path.summary}.", Picture(system.name, path.to_svg()))

    def _pair(self, sentence: int) -> tuple[int, ...]:
        """Return the systems with the best and the worst score of a sentence."""
        column = self.scores[:, sentence]
        if len(column) < 2 or np.isnan(column).all():
            return tuple(range(min(len(column), 1)))
        low, high = int(np.nanargmin(column)), int(np.nanargmax(column))
        if low == high:
            return (0, 1)
        return tuple(sorted((low, high)))


def _score(value: float) -> str:
    return "–" if isnan(value) else f"{value:.{_DECIMALS}f}"
