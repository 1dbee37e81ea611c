"""An analysis as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder._version import __version__
from wordorder.analysis.section import (
    Analysis,
    Finding,
    Group,
    of_translations,
    shortened,
    top_findings,
)
from wordorder.analysis.translations.translations import TranslatedSystem
from wordorder.analysis.translations.words import word_outcomes
from wordorder.counts import counted
from wordorder.drawing.svg import runs_leftwards
from wordorder.errors import UsageError
from wordorder.metrics.registry import called
from wordorder.notes import note
from wordorder.report.marks import words_html
from wordorder.report.page.columns import Column, columns_svg
from wordorder.report.page.filling import (
    KEY,
    Picture,
    PictureRow,
    ReportedTranslations,
    Sentences,
    View,
    score_picture,
    table_groups,
    templates,
)
from wordorder.report.page.orders import OrderSentences, metric_grids
from wordorder.report.page.sentence_list import (
    Result,
    SentenceList,
    by_interest,
    score_text,
    scores_and_keys,
    sentence_list,
)
from wordorder.report.scores import LEGEND
from wordorder.text.opening import Path
from wordorder.text.output import write_text
from wordorder.types import Bool, Float64, Int64

if TYPE_CHECKING:
    from markupsafe import Markup

# More make the page slow to open on a phone.
PICTURES = 50

ROWS = 200

# What browsers on small machines still open at once.
BYTES = 5_000_000

# On the first screen, and the longest sentences that fit there.
_FIRST, _LONGEST = 3, 25


def report_page(
    analysis: Analysis | ReportedTranslations,
    *,
    title: str = "Word order report",
    pictures: int = PICTURES,
    sentences: Sequence[int] = (),
    rows: int = ROWS,
    limit: int = BYTES,
    source_language: str = "",
    target_language: str = "",
) -> str:
    """Write an analysis as one HTML page.

    The page begins with the answer, three sentences that show the first findings, and the findings
    that explain most. Below are the scores with their tests and, folded, all tables; then the
    sentences on which systems differ most, with source, outputs, reference and scores; of orders as
    in Talbot et al. (2011), Figures 1 and 2. All other sentences are in the same file and are
    listed when asked for, by the page's own script. It needs no other file and no network; without
    scripts all but these others can be read.

    Parameters
    ----------
    analysis : Analysis or ReportedTranslations
    title : str
    pictures : int
        How many sentences have pictures: the worst, those on which two systems differ most, and
        the examples of the tables, in turn.
    sentences : sequence of int
        Further sentences to draw, counted from 0; these are drawn whatever the page's size.
    rows : int
        How many rows of each table are shown.
    limit : int
        The page has no more bytes than this as long as sentences can be left out; it says how many
        are.
    source_language, target_language : str
        Codes like ``ja`` for the ``lang`` attribute of words, which chooses fonts and voices.

    Returns
    -------
    str
        Equal analyses give equal pages. All text of the analysis is escaped; what cannot be shown
        in a line is written as U+FFFD.

    Raises
    ------
    UsageError
        If a number is negative, or a sentence is not one of the analysis.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.analysis.corpus import Corpus
    >>> from wordorder.analysis.corpus import AnalysedSystem
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["<em>", "eats", "rice"]])
    >>> reference, orders = Orders.from_rows([[0, 2, 1]]), Orders.from_rows([[0, 1, 2]])
    >>> system = AnalysedSystem("R1", orders, np.zeros(1), np.zeros(1, bool))
    >>> page = report_page(Analysis(Corpus(words, reference), (system,), "frs|v:1", None, ()))
    >>> "&lt;em&gt; eats rice" in page, "<em>" in page
    (True, False)
    """
    shown: Sentences
    if isinstance(analysis, Analysis):
        shown = OrderSentences(analysis)
    else:
        shown = TranslationSentences(analysis)
    size = shown.scores.shape[1]
    for name, value in (("pictures", pictures), ("rows", rows), ("limit", limit)):
        if value < 0:
            raise UsageError(f"{name} is a number of at least 0, not {value}")
    for sentence in sentences:
        if not 0 <= sentence < size:
            raise UsageError(f"sentence {sentence + 1} is asked for, but there are {size}")
    environment = templates("wordorder.report.page")
    template = environment.get_template(shown.template)
    languages = {"source_language": source_language, "target_language": target_language}
    metric = called(analysis.signature.split("|")[0])
    sections = shortened(analysis.sections, rows)
    grid = analysis.grid if isinstance(analysis, Analysis) else None
    found = top_findings(sections)
    frame = {
        "analysis": analysis,
        "title": title,
        "names": shown.names,
        "size": size,
        "metric": metric,
        "details": [*shown.details, ("Signature", analysis.signature)],
        "help": shown.help,
        "points": shown.points,
        "first": first_pictures(analysis, shown, [finding for finding, _ in found]),
        "intervals": [score_picture(each) for each in analysis.intervals],
        "findings": found,
        "titles": {section.key: section.title for section in sections},
        "grids": metric_grids(grid) if grid else [],
        "rules": grid.rules if grid else (),
        "legend": LEGEND,
        "scores": [each for each in sections if each.group is Group.SCORES],
        "groups": table_groups([each for each in sections if each.group is not Group.SCORES]),
        "version": __version__,
    }
    page_template = environment.get_template("page.html.j2")

    def write(view: View, drawn: Sequence[PictureRow]) -> str:
        return template.render(view=view, pictures=drawn, label=metric, **languages)

    def page(listed: SentenceList) -> str:
        return page_template.render(sentences=listed, **frame) + "\n"

    # Whatever sentences are drawn: their numbers are in the page too.
    least = page(SentenceList(drawn=tuple(range(1, min(size, pictures) + 1))))
    room = limit - len(least.encode())
    listed = sentence_list(analysis, shown, write, room=room, pictures=pictures, wanted=sentences)
    text = page(listed)
    if len(text.encode()) > limit:
        size = len(text.encode())
        note(
            f"the page has {counted(size, 'byte')}, more than {limit}: it has many tables, or "
            "sentences that were asked for"
        )
    return text


@dataclass(frozen=True)
class FirstPicture:
    """A sentence on the first screen.

    Attributes
    ----------
    sentence : int
        Counted from 1.
    finding : int
        Which finding it shows, counted from 1; 0 for none.
    svg : str
        Two outputs beside the reference.
    """

    sentence: int
    finding: int
    svg: str


def first_pictures(
    analysis: Analysis | ReportedTranslations, shown: Sentences, findings: Sequence[Finding]
) -> list[FirstPicture]:
    """Draw the sentences that show the first findings best.

    Those that the findings name; where none does, their examples of moderate length, or else those
    that are most worth a picture.
    """
    wanted = [(n, each.shown, each.systems) for n, each in enumerate(findings, 1)]
    named = [(n, sentence, systems) for n, sentence, systems in wanted if sentence is not None]
    if not named:
        named = [
            (n, sentence, ())
            for n, each in enumerate(findings, 1)
            for sentence in each.examples
            if shown.length(sentence) <= _LONGEST
        ]
        # One example a finding.
        named = list({n: each for each in reversed(named) for n in each[:1]}.values())[::-1]
        quality = shown.scores if analysis.higher_is_better else -shown.scores
        by_worth = by_interest(quality, analysis.sections)[:PICTURES]
        named += [(0, i, ()) for i in by_worth if shown.length(i) <= _LONGEST]
    pictures: dict[int, FirstPicture] = {}
    names = list(shown.names)
    # Where a finding does not say whose outputs: those of the answer.
    scores = analysis.intervals[:1]
    best = [each.names[s] for each in scores for s in each.ranked()[:2] if each.names[s] in names]
    for n, sentence, systems in named:
        if len(pictures) == _FIRST:
            break
        pair = [names.index(name) for name in systems[:2] or best] or shown.pair(sentence)
        if sentence not in pictures and (drawing := shown.beside(sentence, pair)):
            pictures[sentence] = FirstPicture(sentence + 1, n, drawing)
    return list(pictures.values())


def write_page(analysis: Analysis | ReportedTranslations, path: Path, **options: Any) -> None:
    """Write the page of an analysis into a file, which is whole or not there at all.

    Parameters
    ----------
    analysis : Analysis or ReportedTranslations
    path : path or "-"
        As `wordorder.text.output.write_output` takes it.
    options
        As `report_page` takes them.
    """
    text = report_page(analysis, **options)
    with write_text(path) as stream:
        stream.write(text)


# A grid of more words is larger than a window.
_GRID = 40


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
    results : tuple of Result
    """

    number: int
    title: str
    source: str
    references: tuple[str, ...]
    score: str
    keys: str
    direction: str
    results: tuple[Result, ...]


@dataclass(frozen=True)
class TranslationSentences:
    """Source, references and translations of each sentence.

    Attributes
    ----------
    analysis : ReportedTranslations
    """

    analysis: ReportedTranslations

    template = "translation.html.j2"
    _help = (
        f"Open a sentence to see its references and translations. {KEY} With several references "
        "the marks are of the one of the lowest CDER."
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
            title = source or (references[0] if references else "")
            length = len(title.split(" ")) if title else 0
            score, keys = scores_and_keys(length, self.scores[:, i])
            yield TranslationView(
                i + 1,
                title,
                source,
                references,
                score,
                keys,
                "rtl" if references and runs_leftwards(references[0].split(" ")) else "ltr",
                tuple(self._results(i, metrics)),
            )

    def _results(self, sentence: int, metrics: Sequence[str]) -> Iterator[Result]:
        """Yield the different translations of a sentence."""
        systems = self.analysis.translations.systems
        same: dict[bytes, list[int]] = {}
        for s, system in enumerate(systems):
            same.setdefault(system.texts.hypothesis[sentence].tobytes(), []).append(s)
        for numbers in same.values():
            system = systems[numbers[0]]
            scores = zip(metrics, system.scores, strict=True)
            yield Result(
                tuple(systems[s].name for s in numbers),
                self._marked[numbers[0]].html(sentence),
                ", ".join(
                    f"{name}\u00a0{score_text(float(each[sentence]))}" for name, each in scores
                ),
            )

    def length(self, sentence: int) -> int:
        """Count the words of the longest output of a sentence."""
        systems = self.analysis.translations.systems
        return max(int(each.texts.hypothesis.lengths[sentence]) for each in systems)

    def pictures(self, sentence: int) -> Sequence[PictureRow]:
        """Draw two translations beside the reference, and the path of the worse one."""
        pair = self.pair(sentence)
        rows = []
        if drawing := self.beside(sentence, pair):
            rows.append(PictureRow("Beside the reference", "", (Picture("", drawing),)))
        quality = self.scores[:, sentence] * (1 if self.analysis.higher_is_better else -1)
        return rows + self._path(sentence, min(pair, key=lambda s: float(quality[s])))

    def beside(self, sentence: int, systems: Sequence[int]) -> str:
        """Draw the reference between two translations."""
        marked = [self._marked[s] for s in systems]
        return columns_svg(
            marked[0].reference(sentence) if marked else (),
            [each.column(sentence) for each in marked],
        )

    def _path(self, sentence: int, s: int) -> list[PictureRow]:
        """Draw how CDER pays for a translation."""
        system = self.analysis.translations.systems[s]
        if not system.compared[sentence]:
            return []
        path = system.paths[int(np.count_nonzero(system.compared[:sentence]))]
        if not path.steps or max(len(path.hypothesis), len(path.reference)) > _GRID:
            return []
        drawing = Picture(system.name, path.to_svg())
        return [PictureRow("Cheapest path of CDER", f"{path.summary}.", (drawing,))]

    def pair(self, sentence: int) -> tuple[int, ...]:
        """Return the systems with the best and the worst score of a sentence."""
        column = self.scores[:, sentence]
        if len(column) < 2 or np.isnan(column).all():
            return tuple(range(min(len(column), 1)))
        low, high = int(np.nanargmin(column)), int(np.nanargmax(column))
        if low == high:
            return (0, 1)
        return tuple(sorted((low, high)))


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
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["on tuesday evening we met at six"]}
    >>> found = translations_of(lines, ["we met them at six on tuesday"], metrics="frs")
    >>> print(MarkedWords.of(found.systems[0]).html(0))
    <mark>on tuesday</mark> <u>evening</u> <i></i> we met at six
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

    def column(self, segment: int) -> Column:
        """Return a translation as it is drawn beside the reference."""
        return Column(self.system.name, self.words(segment), self.partners(segment))

    def html(self, segment: int) -> Markup:
        """Write a translation with marks: words without a match, breaks, words that have moved.

        Without a reference nothing is marked.
        """
        words = self.words(segment)
        if self.system.rows[segment] < 0:
            return words_html(words)
        span = self._span(segment)
        free = set(np.flatnonzero(self.matches[span] < 0).tolist())
        breaks = set(np.flatnonzero(self.begins[span]).tolist())
        # Where nothing breaks nothing has moved.
        return words_html(words, free, breaks, self.column(segment).moved() if breaks else ())
