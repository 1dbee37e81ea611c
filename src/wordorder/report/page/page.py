"""An analysis as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from wordorder._version import __version__
from wordorder.analysis.answer import ScoreIntervals
from wordorder.analysis.corpus import AnalysedOrders
from wordorder.analysis.findings import top_findings
from wordorder.analysis.section import Finding, Group, shortened
from wordorder.analysis.translations.stored import concatenate, free_memory, move_to_file
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.arrays import Array, Bool, Float64, Int8, Int32, Int64, group_rows, row_offsets
from wordorder.drawing.svg import runs_leftwards
from wordorder.errors import UsageError
from wordorder.kernels import piece_spans
from wordorder.messages import counted
from wordorder.metrics.registry import called
from wordorder.notes import note
from wordorder.order.orders import moved_words
from wordorder.report.marks import BREAK_HTML, joined_html, word_html
from wordorder.report.page import filling, sentence_list
from wordorder.report.page.columns import Column, columns_svg, named_moves
from wordorder.report.page.orders import OrderSentences, metric_grids
from wordorder.report.scores import LEGEND
from wordorder.report.sections import AnyAnalysis
from wordorder.text.opening import Path
from wordorder.text.output import write_text

if TYPE_CHECKING:
    from markupsafe import Markup

# More make the page slow to open on a phone.
PICTURES = 50

ROWS = 200

# What browsers on small machines still open at once.
BYTES = 5_000_000

# On the first screen, and the longest sentences that fit there.
_FIRST, _LONGEST = 3, 25

# Sentences whose words are in memory together.
_TOGETHER = 1 << 14

# A grid of more words is larger than a window.
_GRID = 40

AnySentences: TypeAlias = "OrderSentences | TranslationSentences"

# By the kind of a word: none, without a match, moved; then the same behind a break.
BEFORE = ("", "<u>", "<mark>", f"{BREAK_HTML} ", f"{BREAK_HTML} <u>", f"{BREAK_HTML} <mark>")

AFTER = ("", "</u>", "</mark>")


def report_page(
    analysis: AnyAnalysis,
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
    analysis : Analysis
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
    >>> from wordorder.analysis.analyze import analyze
    >>> from wordorder.analysis.corpus import Corpus, scored_system
    >>> from wordorder.metrics.registry import metric
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["<em>", "eats", "rice"]])
    >>> corpus = Corpus(words, Orders.from_rows([[0, 2, 1]]))
    >>> system = scored_system("R1", Orders.from_rows([[0, 1, 2]]), corpus, metric("frs"))
    >>> page = report_page(analyze(corpus, [system], metric=metric("frs")))
    >>> "&lt;em&gt; eats rice" in page, "<em>" in page
    (True, False)
    """
    sentence_view = _sentence_view(analysis)
    size = sentence_view.scores.shape[1]
    for name, value in (("pictures", pictures), ("rows", rows), ("limit", limit)):
        if value < 0:
            raise UsageError(f"{name} is a number of at least 0, not {value}")
    for sentence in sentences:
        if not 0 <= sentence < size:
            raise UsageError(f"sentence {sentence + 1} is asked for, but there are {size}")
    environment = filling.templates()
    drawings = environment.get_template("pictures.html.j2")
    languages = source_language, target_language
    content = _content(analysis, sentence_view, title, rows)
    page_template = environment.get_template("page.html.j2")

    def write(view: Any, drawn: Sequence[filling.PictureRow]) -> str:
        pictures = drawings.render(view=view, pictures=drawn) if drawn else ""
        return sentence_view.block(view, pictures, content["metric"], languages)

    def page(listed: sentence_list.SentenceList) -> str:
        return page_template.render(sentences=listed, **content) + "\n"

    # Whatever sentences are drawn: their numbers are in the page too.
    least = page(sentence_list.SentenceList(drawn=tuple(range(1, min(size, pictures) + 1))))
    room = limit - len(least.encode())
    listed_sentences = sentence_list.sentence_list(
        analysis, sentence_view, write, room=room, pictures=pictures, wanted=sentences
    )
    text = page(listed_sentences)
    if len(text.encode()) > limit:
        size = len(text.encode())
        note(
            f"the page has {counted(size, 'byte')}, more than {limit}: it has many tables, or "
            "sentences that were asked for"
        )
    return text


def _sentence_view(analysis: AnyAnalysis) -> AnySentences:
    """Return what draws the sentences of an analysis."""
    analysed = analysis.analysed
    if isinstance(analysed, AnalysedOrders):
        return OrderSentences(analysed, analysis.grid)
    assert isinstance(analysed, Translations)
    return TranslationSentences(analysed, analysis.intervals)


def _content(analysis: AnyAnalysis, shown: AnySentences, title: str, rows: int) -> dict[str, Any]:
    """Return what the template of the page fills in, the sentences left out."""
    sections = shortened(analysis.sections, rows)
    grid = analysis.grid
    findings = top_findings(sections)
    return {
        "analysis": analysis,
        "title": title,
        "names": analysis.names,
        "size": shown.scores.shape[1],
        "metric": called(analysis.signature.split("|")[0]),
        "details": [
            *shown.details,
            *(("Note", text) for text in analysis.notes),
            ("Signature", analysis.signature),
        ],
        "help": shown.help,
        "points": analysis.points,
        "difference": filling.difference_picture(analysis.intervals, analysis.comparisons),
        "first": first_pictures(analysis, shown, [finding for finding, _ in findings]),
        "intervals": [
            filling.score_picture(intervals_of_metric) for intervals_of_metric in analysis.intervals
        ],
        "findings": findings,
        "titles": {section.key: section.title for section in sections},
        "grids": metric_grids(grid) if grid else [],
        "rules": grid.rules if grid else (),
        "legend": LEGEND,
        "scores": [section for section in sections if section.group is Group.SCORES],
        "groups": filling.table_groups(
            [section for section in sections if section.group is not Group.SCORES]
        ),
        "version": __version__,
    }


@dataclass(frozen=True)
class FirstPicture:
    """A sentence on the first screen.

    Attributes
    ----------
    sentence : int
        Counted from 1.
    finding : int
        Which finding it shows, counted from 1; 0 for none.
    caption : str
        What the finding says; "" if a picture before it shows the same one.
    here : str
        What can be seen.
    svg : str
        Two outputs next to the reference.
    """

    sentence: int
    finding: int
    caption: str
    here: str
    svg: str


def first_pictures(
    analysis: AnyAnalysis, shown: AnySentences, findings: Sequence[Finding]
) -> list[FirstPicture]:
    """Draw the sentences that show the first findings best.

    Those that the findings name; where none does, their examples of moderate length, or else those
    that are most worth a picture.
    """
    shown_findings = [
        (n, finding) for n, finding in enumerate(findings, 1) if finding.shown is not None
    ]
    # The sentence of each finding, then further ones of the first.
    rounds = zip_longest(
        *(dict.fromkeys((finding.shown, *finding.examples)) for _, finding in shown_findings)
    )
    candidates = [
        (n, sentence, finding.systems)
        for row in rounds
        for (n, finding), sentence in zip(shown_findings, row, strict=True)
        if sentence is not None and shown.length(sentence) <= _LONGEST
    ]
    if not shown_findings:
        candidates = [
            (n, sentence, ())
            for n, finding in enumerate(findings, 1)
            for sentence in finding.examples
            if shown.length(sentence) <= _LONGEST
        ]
        # One example a finding.
        candidates = list({n: each for each in reversed(candidates) for n in each[:1]}.values())[
            ::-1
        ]
        quality = shown.scores if analysis.higher_is_better else -shown.scores
        by_worth = sentence_list.by_interest(quality, analysis.sections)[:PICTURES]
        candidates += [(0, i, ()) for i in by_worth if shown.length(i) <= _LONGEST]
    pictures: dict[int, FirstPicture] = {}
    names = list(analysis.names)
    # Where a finding does not say whose outputs: those of the answer.
    scores = analysis.intervals[:1]
    best = [
        scores_of_metric.names[s]
        for scores_of_metric in scores
        for s in scores_of_metric.ranked()[:2]
        if scores_of_metric.names[s] in names
    ]
    for n, sentence, systems in candidates:
        if len(pictures) == _FIRST:
            break
        pair = [names.index(name) for name in systems[:2] or best] or shown.pair(sentence)
        finding = findings[n - 1] if n else Finding("", 0.0)
        words = dict(zip(finding.examples, finding.words, strict=False)).get(sentence, frozenset())
        columns = shown.columns(sentence, pair, words)
        here = named_moves(columns[1], finding.direction)
        if sentence in pictures or bool(words) > bool(here):
            continue
        if drawing := columns_svg(*columns):
            again = any(picture.finding == n for picture in pictures.values())
            caption = "" if again else finding.caption or finding.sentence
            pictures[sentence] = FirstPicture(sentence + 1, n, caption, here, drawing)
    return sorted(pictures.values(), key=lambda each: each.finding)


def write_page(analysis: AnyAnalysis, path: Path, **options: Any) -> None:
    """Write the page of an analysis into a file, which is whole or not there at all.

    Parameters
    ----------
    analysis : Analysis
    path : path or "-"
        As `wordorder.text.output.write_output` takes it.
    options
        As `report_page` takes them.
    """
    text = report_page(analysis, **options)
    with write_text(path) as stream:
        stream.write(text)


@dataclass(frozen=True)
class TranslationView:
    """What a page says about a sentence.

    Attributes
    ----------
    number : int
        Counted from 1.
    title, source : Markup
        The sentence as one reads it: its source, or its first reference.
    references : tuple of Markup
    score : str
        The lowest and the highest score under the first metric.
    keys : str
        What lists are sorted by: length, lowest and highest score, difference, then each system.
    direction : str
        How the target language runs.
    results : tuple of Result
    """

    number: int
    title: Markup
    source: Markup
    references: tuple[Markup, ...]
    score: str
    keys: str
    direction: str
    results: tuple[sentence_list.Result, ...]


@dataclass(frozen=True)
class TranslationSentences:
    """Source, references and translations of each sentence.

    Attributes
    ----------
    analysed : Translations
    intervals : tuple of ScoreIntervals
        One per metric.
    """

    analysed: Translations
    intervals: tuple[ScoreIntervals, ...]

    _help = (
        f"Open a sentence to see its references and translations. {filling.KEY} With several "
        "references the marks are of the one of the lowest CDER."
    )

    @property
    def help(self) -> str:
        """What the marks of the sentences mean."""
        if self.analysed.links is None:
            return self._help
        return (
            f"{self._help} Scores of word order come from the links with the source; the marks do "
            "not: they show words that match those of the reference."
        )

    @cached_property
    def scores(self) -> Float64:
        """The score of each system's sentences under the first metric, float64[N, S]."""
        return np.array([system.scores[0] for system in self.analysed.systems])

    @cached_property
    def weights(self) -> Float64:
        """The mean number of matched words of the systems, float64[S]."""
        counts: Float64 = np.mean([each.matched for each in self._marked], axis=0)
        return counts

    @cached_property
    def _marked(self) -> list[MarkedWords]:
        return [MarkedWords(system) for system in self.analysed.systems]

    @property
    def details(self) -> Sequence[tuple[str, str]]:
        """What was compared."""
        texts = self.analysed.texts
        modules = self.analysed.systems[0].matches.modules
        details = [
            ("Sentences", f"{len(texts.hypothesis):,}"),
            ("Systems", ", ".join(self.analysed.names)),
            ("References", f"{len(texts.references):,}"),
            ("Words of the references", f"{len(texts.references.values):,}"),
            (
                "Metrics",
                ", ".join(
                    called(intervals_of_metric.metric) for intervals_of_metric in self.intervals
                ),
            ),
            ("Words matched by", f"the modules {', '.join(modules)}"),
        ]
        if texts.source is not None:
            details.append(("Source", counted(len(texts.source.values), "word")))
        return details

    def views(self, chosen: Set[int]) -> Iterator[TranslationView]:
        """Yield some sentences, by their numbers, in the order of the corpus."""
        translations = self.analysed
        texts = translations.texts
        words = texts.vocabulary.words
        rows = texts.reference_offsets.tolist()
        for i, (first, last) in enumerate(pairwise(rows)):
            if i % _TOGETHER == 0:
                free_memory()
            if i not in chosen:
                continue
            source = joined_html(()) if texts.source is None else self._text(texts.source[i])
            there = [self._text(texts.references[row]) for row in range(first, last)]
            title = source or (there[0] if there else source)
            forms = (words[n] for n in texts.references[first].tolist()) if there else ()
            length = title.count(" ") + 1 if title else 0
            column, weight = self.scores[:, i].tolist(), float(self.weights[i])
            score, keys = sentence_list.scores_and_keys(length, column, weight)
            yield TranslationView(
                i + 1,
                title,
                source,
                tuple(there),
                score,
                keys,
                "rtl" if runs_leftwards(forms) else "ltr",
                tuple(self._results(i)),
            )

    def _text(self, numbers: Int32) -> Markup:
        """Write a text for the page: each word is escaped once."""
        return joined_html([self._words[number] for number in numbers.tolist()])

    @cached_property
    def _words(self) -> list[str]:
        return list(map(word_html, self.analysed.texts.vocabulary.words))

    def _scores(self, system: int, sentence: int) -> str:
        """Write the scores of a sentence of a system, under all metrics."""
        scores = self._score_rows[system][sentence].tolist()
        return ", ".join(
            [
                f"{name}\u00a0{sentence_list.score_text(score)}"
                for name, score in zip(self._metrics, scores, strict=True)
            ]
        )

    @cached_property
    def _metrics(self) -> list[str]:
        return [called(intervals_of_metric.metric) for intervals_of_metric in self.intervals]

    @cached_property
    def _score_rows(self) -> list[Float64]:
        systems = self.analysed.systems
        return [move_to_file(np.column_stack(each.scores)) for each in systems]

    def _results(self, sentence: int) -> Iterator[sentence_list.Result]:
        """Yield the different translations of a sentence."""
        systems = self.analysed.systems
        rows = (system.texts.hypothesis[sentence] for system in systems)
        same = group_rows((row.tobytes(), s) for s, row in enumerate(rows))
        for first, *other_systems in same.values():
            yield sentence_list.Result(
                tuple(systems[s].name for s in (first, *other_systems)),
                self._marked[first].html(sentence, self._words),
                self._scores(first, sentence),
            )

    def block(
        self, view: TranslationView, pictures: str, metric: str, languages: tuple[str, str]
    ) -> str:
        """Write a sentence; without a template, because pages have thousands of sentences."""
        source, target = (
            f' lang="{escape(language)}"' if language else "" for language in languages
        )
        if view.direction == "rtl":
            target = f' dir="rtl"{target}'
        tag = ' <span class="tag">pictures</span>' if pictures else ""
        rows = [("Source", f'<td dir="auto"{source}>', view.source)] if view.source else []
        for n, reference in enumerate(view.references, 1):
            number = f" {n}" if len(view.references) > 1 else ""
            rows.append((f"Reference{number}", f"<td{target}>", reference))
        for result in view.results:
            names = ", ".join(map(word_html, result.systems))
            head = f"<bdi>{names}</bdi> <small>{result.scores}</small>"
            rows.append((head, f"<td{target}>", result.words))
        lines = [f"<tr><th>{head}</th>{cell}{words}</td></tr>" for head, cell, words in rows]
        return "\n".join(
            [
                f'<details class="sentence" data-keys="{view.keys}">',
                f'<summary><b>{view.number}</b> <span class="score">{view.score}</span>{tag} '
                f'<span class="text" dir="auto">{view.title}</span></summary>',
                f'<div id="s{view.number}">\n<table class="view translations">',
                *lines,
                f"</table>\n{pictures}</div>\n</details>",
            ]
        )

    def length(self, sentence: int) -> int:
        """Count the words of the longest output of a sentence."""
        systems = self.analysed.systems
        return max(int(system.texts.hypothesis.lengths[sentence]) for system in systems)

    def pictures(self, sentence: int) -> Sequence[filling.PictureRow]:
        """Draw two translations next to the reference, and the path of the worse one."""
        pair = self.pair(sentence)
        rows = []
        if drawing := columns_svg(*self.columns(sentence, pair)):
            rows.append(
                filling.PictureRow("Beside the reference", "", (filling.Picture("", drawing),))
            )
        quality = self.scores[:, sentence] * (1 if self.intervals[0].higher_is_better else -1)
        return rows + self._path(sentence, min(pair, key=lambda s: float(quality[s])))

    def columns(
        self, sentence: int, systems: Sequence[int], named: Set[int] = frozenset()
    ) -> tuple[list[str], list[Column]]:
        """Return the reference of a sentence and translations, to be drawn."""
        marked = [self._marked[s] for s in systems]
        reference = marked[0].reference(sentence) if marked else []
        return reference, [system.column(sentence, named) for system in marked]

    def _path(self, sentence: int, s: int) -> list[filling.PictureRow]:
        """Draw how CDER pays for a translation."""
        system = self.analysed.systems[s]
        path = system.path(sentence)
        if path is None or not path.steps or max(len(path.hypothesis), len(path.reference)) > _GRID:
            return []
        drawing = filling.Picture(system.name, path.to_svg())
        return [filling.PictureRow("Cheapest path of CDER", f"{path.summary}.", (drawing,))]

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

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["on tuesday evening we met at six"]}
    >>> found = translations_of(lines, ["we met them at six on tuesday"], metrics="frs")
    >>> print(MarkedWords(found.systems[0]).html(0, found.texts.vocabulary.words))
    <mark>on tuesday</mark> <u>evening</u> <i></i> we met at six
    """

    system: TranslatedSystem

    @property
    def matches(self) -> Array:
        """The word of the reference that each word matches, or -1, whole numbers [N]."""
        return self.system.marks[0]

    @property
    def begins(self) -> Bool:
        """Before which words the order breaks, bool[N]."""
        return self.system.marks[1]

    @property
    def matched(self) -> Int64:
        """How many words of each segment match, int64[S]."""
        offsets, counts = self.system.texts.hypothesis.offsets, [np.zeros(0, np.int64)]
        for first, last in piece_spans(offsets):
            bounds = offsets[first : last + 1]
            there = self.matches[slice(*bounds[[0, -1]].tolist())] >= 0
            counts.append(np.diff(row_offsets(there)[bounds - bounds[0]]))
        return np.concatenate(counts)

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
        matches: list[int] = self.matches[self._span(segment)].tolist()
        return matches

    def column(self, segment: int, named: Set[int] = frozenset()) -> Column:
        """Return the column of a translation next to the reference; `named` are places there."""
        start = int(self.system.texts.references.offsets[max(self.system.rows[segment], 0)])
        words = {place - start for place in named}
        return Column(self.system.name, self.words(segment), self.partners(segment), named=words)

    @cached_property
    def _marks(self) -> tuple[Int8, Int8]:
        """Marks before and after each word, as indexes of `BEFORE` and `AFTER`, int8[N] each.

        For many segments at once, as pages have thousands of sentences. Neighbours of one kind
        share a mark up to the next break. Without a reference nothing is marked.
        """
        spans = piece_spans(self.system.texts.hypothesis.offsets) or [(0, 0)]
        before, after = zip(*(self._marks_of(*span) for span in spans), strict=True)
        return concatenate(before), concatenate(after)

    def _marks_of(self, first: int, last: int) -> tuple[Int8, Int8]:
        """Return `_marks` of some segments."""
        offsets = self.system.texts.hypothesis.offsets[first : last + 1]
        words = slice(*offsets[[0, -1]].tolist())
        offsets = offsets - offsets[0]
        matches, begins = self.matches[words], self.begins[words]
        # 1 for a word without a match, 2 for one that has moved.
        compared = np.repeat(self.system.compared[first:last], np.diff(offsets))
        kinds = np.where(_moved(matches, begins, offsets), np.int8(2), np.int8(0))
        kinds[compared & (matches < 0)] = 1
        starts = np.ones(len(kinds) + 1, np.bool_)
        starts[1:-1] = (np.diff(kinds) != 0) | begins[1:]
        starts[offsets] = True
        starts_before = 3 * begins.astype(np.int8) + np.where(starts[:-1], kinds, np.int8(0))
        return starts_before, np.where(starts[1:], kinds, np.int8(0))

    def html(self, segment: int, words: Sequence[str]) -> Markup:
        """Write a translation with marks: words without a match, breaks, words that have moved.

        Parameters
        ----------
        segment : int
        words : sequence of str
            The words of the vocabulary, escaped.
        """
        span = self._span(segment)
        numbers = self.system.texts.hypothesis[segment].tolist()
        before, after = (marks[span].tolist() for marks in self._marks)
        return joined_html(
            [
                f"{BEFORE[b]}{words[n]}{AFTER[a]}" if a or b else words[n]
                for b, n, a in zip(before, numbers, after, strict=True)
            ]
        )


def _moved(matches: Array, begins: Bool, offsets: Int64) -> Bool:
    """Return which words of some segments have moved, bool[N]."""
    is_matched = np.zeros(len(matches), np.bool_)
    matched = np.flatnonzero(matches >= 0)
    segments = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    # The first of several words has the partner.
    keys = segments[matched] * (int(matches.max(initial=0)) + 1) + matches[matched]
    matched = matched[np.sort(np.unique(keys, return_index=True)[1])]
    # Where nothing breaks nothing has moved.
    broken = np.unique(segments[begins])
    firsts = np.searchsorted(matched, offsets[broken]).tolist()
    lasts = np.searchsorted(matched, offsets[broken + 1]).tolist()
    for first, last in zip(firsts, lasts, strict=True):
        places = matched[first:last]
        is_matched[places] = moved_words(matches[places].tolist())
    return is_matched
