"""An analysis as one self-contained HTML file."""

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
from wordorder.report.page import sentence_list, template_data
from wordorder.report.page.columns import Column, columns_svg, named_moves
from wordorder.report.page.orders import OrderSentences, metric_grids
from wordorder.report.scores import TRIANGLE_LEGEND
from wordorder.report.sections import AnyAnalysis
from wordorder.text.opening import Path
from wordorder.text.output import write_text

if TYPE_CHECKING:
    from markupsafe import Markup

# The most sentences with pictures: more make the page slow on a phone.
MAX_PICTURES = 50

MAX_TABLE_ROWS = 200

# A browser on a small machine opens a page of up to this size without delay.
MAX_PAGE_BYTES = 5_000_000

# How many sentences the first screen shows, and how many words each may have.
_FIRST_SCREEN_PICTURES, _MAX_FIRST_SCREEN_WORDS = 3, 25

# Memory is freed each time this many sentences have been read.
_SENTENCES_IN_MEMORY = 1 << 14

# The path of a longer sentence would not fit into the browser's window.
_MAX_PATH_WORDS = 40

AnySentences: TypeAlias = "OrderSentences | TranslationSentences"

# Tags before a word: plain, unmatched, moved; entries 3 to 5 are the same after a break.
MARKS_BEFORE = ("", "<u>", "<mark>", f"{BREAK_HTML} ", f"{BREAK_HTML} <u>", f"{BREAK_HTML} <mark>")

# Tags after a word: plain, unmatched, moved.
MARKS_AFTER = ("", "</u>", "</mark>")


def report_page(
    analysis: AnyAnalysis,
    *,
    title: str = "Word order report",
    pictures: int = MAX_PICTURES,
    sentences: Sequence[int] = (),
    rows: int = MAX_TABLE_ROWS,
    limit: int = MAX_PAGE_BYTES,
    source_language: str = "",
    target_language: str = "",
) -> str:
    """Return an analysis as one HTML page.

    The page begins with the answer, three sentences that show the first findings, and the findings
    that explain most. Below are the scores with their tests and, folded, all tables; then the
    sentences on which systems differ most, with source, outputs, reference and scores. Orders are
    drawn as in Talbot et al. (2011), Figures 1 and 2. All other sentences are in the same file; a
    script of the page lists them when the user asks for them, so only they cannot be read without
    scripts. The page needs no other file and no network.

    Parameters
    ----------
    analysis : Analysis
    title : str
    pictures : int
        The number of sentences with pictures: the worst ones, those on which two systems differ
        most, and the examples of the tables, in turn.
    sentences : sequence of int
        Indices of further sentences to draw, whatever the page's size.
    rows : int
        The maximum number of rows of each table.
    limit : int
        The maximum size of the page in bytes. Sentences are left out until the page is small
        enough, and the page says how many; if none is left to leave out, it may be larger.
    source_language, target_language : str
        Codes like ``ja`` for the ``lang`` attribute of words, which chooses fonts and voices.

    Returns
    -------
    str
        Equal analyses give equal pages. All text is escaped; characters that cannot be shown in a
        line become U+FFFD.

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
    sentence_count = sentence_view.scores.shape[1]
    for name, value in (("pictures", pictures), ("rows", rows), ("limit", limit)):
        if value < 0:
            raise UsageError(f"{name} is a number of at least 0, not {value}")
    for sentence in sentences:
        if not 0 <= sentence < sentence_count:
            raise UsageError(
                f"sentence {sentence + 1} is asked for, but there are {sentence_count}"
            )
    environment = template_data.templates()
    pictures_template = environment.get_template("pictures.html.j2")
    languages = source_language, target_language
    content = _content(analysis, sentence_view, title, rows)
    page_template = environment.get_template("page.html.j2")

    def render_sentence(view: Any, picture_rows: Sequence[template_data.PictureRow]) -> str:
        pictures_html = (
            pictures_template.render(view=view, pictures=picture_rows) if picture_rows else ""
        )
        return sentence_view.block(view, pictures_html, content["metric"], languages)

    def render_page(listed_sentences: sentence_list.SentenceList) -> str:
        return page_template.render(sentences=listed_sentences, **content) + "\n"

    # The page without sentences. It lists the numbers of sentences with pictures; those that will
    # be drawn are not known yet, so the first ones stand for them.
    drawn = tuple(range(1, min(sentence_count, pictures) + 1))
    empty_page = render_page(sentence_list.SentenceList(drawn=drawn))
    capacity = limit - len(empty_page.encode())
    listed_sentences = sentence_list.sentence_list(
        analysis,
        sentence_view,
        render_sentence,
        capacity=capacity,
        pictures=pictures,
        requested=sentences,
    )
    text = render_page(listed_sentences)
    byte_count = len(text.encode())
    if byte_count > limit:
        note(
            f"the page has {counted(byte_count, 'byte')}, more than {limit}: it has many "
            "tables, or sentences that were asked for"
        )
    return text


def _sentence_view(analysis: AnyAnalysis) -> AnySentences:
    """Return the sentences of an analysis, for drawing."""
    analysed = analysis.analysed
    if isinstance(analysed, AnalysedOrders):
        return OrderSentences(analysed, analysis.grid)
    assert isinstance(analysed, Translations)
    return TranslationSentences(analysed, analysis.intervals)


def _content(analysis: AnyAnalysis, view: AnySentences, title: str, rows: int) -> dict[str, Any]:
    """Return the variables of the page template, without the list of sentences."""
    sections = shortened(analysis.sections, rows)
    grid = analysis.grid
    findings = top_findings(sections)
    return {
        "analysis": analysis,
        "title": title,
        "names": analysis.names,
        "size": view.scores.shape[1],
        "metric": called(analysis.signature.split("|")[0]),
        "details": [
            *view.details,
            *(("Note", text) for text in analysis.notes),
            ("Signature", analysis.signature),
        ],
        "help": view.help,
        "points": analysis.points,
        "difference": template_data.difference_picture(analysis.intervals, analysis.comparisons),
        "first": first_pictures(analysis, view, [finding for finding, _ in findings]),
        "intervals": [
            template_data.score_picture(intervals_of_metric)
            for intervals_of_metric in analysis.intervals
        ],
        "findings": findings,
        "titles": {section.key: section.title for section in sections},
        "grids": metric_grids(grid) if grid else [],
        "rules": grid.rules if grid else (),
        "legend": TRIANGLE_LEGEND,
        "scores": [section for section in sections if section.group is Group.SCORES],
        "groups": template_data.table_groups(
            [section for section in sections if section.group is not Group.SCORES]
        ),
        "version": __version__,
    }


@dataclass(frozen=True)
class FirstPicture:
    """A sentence that is drawn on the first screen.

    Attributes
    ----------
    sentence : int
        Counted from 1.
    finding_number : int
        The number of the finding that it shows, from 1; 0 for none.
    caption : str
        The text of the finding; "" if an earlier picture shows the same finding.
    shown_moves : str
        The moves that the picture shows, in words.
    svg : str
        The drawing of two outputs next to the reference.
    """

    sentence: int
    finding_number: int
    caption: str
    shown_moves: str
    svg: str


def first_pictures(
    analysis: AnyAnalysis, view: AnySentences, findings: Sequence[Finding]
) -> list[FirstPicture]:
    """Draw the sentences that show the first findings best.

    These are the sentences that findings name. If no finding names one: a short enough example of
    each finding, then the most interesting sentences.
    """
    shown_findings = [
        (n, finding) for n, finding in enumerate(findings, 1) if finding.shown is not None
    ]
    # First the sentence that each finding names, then the first example of each, and so on.
    sentences_by_rank = zip_longest(
        *(dict.fromkeys((finding.shown, *finding.examples)) for _, finding in shown_findings)
    )
    candidates = [
        (n, sentence, finding.systems)
        for sentences in sentences_by_rank
        for (n, finding), sentence in zip(shown_findings, sentences, strict=True)
        if sentence is not None and view.length(sentence) <= _MAX_FIRST_SCREEN_WORDS
    ]
    if not shown_findings:
        candidates = [
            (n, sentence, ())
            for n, finding in enumerate(findings, 1)
            for sentence in finding.examples
            if view.length(sentence) <= _MAX_FIRST_SCREEN_WORDS
        ]
        # One example per finding.
        candidates = list(
            {n: candidate for candidate in reversed(candidates) for n in candidate[:1]}.values()
        )[::-1]
        quality = view.scores if analysis.higher_is_better else -view.scores
        interesting = sentence_list.by_interest(quality, analysis.sections)[:MAX_PICTURES]
        candidates += [(0, i, ()) for i in interesting if view.length(i) <= _MAX_FIRST_SCREEN_WORDS]
    pictures: dict[int, FirstPicture] = {}
    names = list(analysis.names)
    # If a finding names no systems, draw the two best ones of the first metric.
    first_metric = analysis.intervals[:1]
    best_systems = [
        scores_of_metric.names[s]
        for scores_of_metric in first_metric
        for s in scores_of_metric.ranked()[:2]
        if scores_of_metric.names[s] in names
    ]
    for n, sentence, systems in candidates:
        if len(pictures) == _FIRST_SCREEN_PICTURES:
            break
        system_indices = [names.index(name) for name in systems[:2] or best_systems] or view.pair(
            sentence
        )
        finding = findings[n - 1] if n else Finding("", 0.0)
        named_words = dict(zip(finding.examples, finding.words, strict=False)).get(
            sentence, frozenset()
        )
        columns = view.columns(sentence, system_indices, named_words)
        shown_moves = named_moves(columns[1], finding.direction)
        if sentence in pictures or bool(named_words) > bool(shown_moves):
            continue
        if drawing := columns_svg(*columns):
            is_repeated = any(picture.finding_number == n for picture in pictures.values())
            caption = "" if is_repeated else finding.caption or finding.sentence
            pictures[sentence] = FirstPicture(sentence + 1, n, caption, shown_moves, drawing)
    return sorted(pictures.values(), key=lambda picture: picture.finding_number)


def write_page(analysis: AnyAnalysis, path: Path, **options: Any) -> None:
    """Write the page of an analysis to a file, atomically.

    Parameters
    ----------
    analysis : Analysis
    path : path or "-"
        See `wordorder.text.output.write_output`.
    options
        Options of `report_page`.
    """
    text = report_page(analysis, **options)
    with write_text(path) as stream:
        stream.write(text)


@dataclass(frozen=True)
class TranslationView:
    """A sentence with its translations, formatted for the page.

    Attributes
    ----------
    number : int
        Counted from 1.
    title : Markup
        The source, or the first reference if there is no source.
    source : Markup
    references : tuple of Markup
    score : str
        The lowest and the highest score by the first metric.
    keys : str
        The values by which lists can be sorted; see `sentence_list.scores_and_keys`.
    direction : str
        The direction of the target language.
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
    """The sentences of an analysis of translations: scores, texts and drawings of each.

    Attributes
    ----------
    analysed : Translations
    intervals : tuple of ScoreIntervals
        One per metric.
    """

    analysed: Translations
    intervals: tuple[ScoreIntervals, ...]

    _help = (
        f"Open a sentence to see its references and translations. {template_data.KEY} With several "
        "references the marks are of the one of the lowest CDER."
    )

    @property
    def help(self) -> str:
        """The explanation of the marks in sentences, for users of the page."""
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
        """The number of matched words of each sentence, a mean over the systems, float64[S]."""
        counts: Float64 = np.mean([marked.matched for marked in self._marked], axis=0)
        return counts

    @cached_property
    def _marked(self) -> list[MarkedWords]:
        return [MarkedWords(system) for system in self.analysed.systems]

    @property
    def details(self) -> Sequence[tuple[str, str]]:
        """The compared data, as pairs of name and value."""
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
        """Yield the sentences with the chosen indices, in the order of the corpus."""
        translations = self.analysed
        texts = translations.texts
        words = texts.vocabulary.words
        reference_offsets = texts.reference_offsets.tolist()
        for i, (first, last) in enumerate(pairwise(reference_offsets)):
            if i % _SENTENCES_IN_MEMORY == 0:
                free_memory()
            if i not in chosen:
                continue
            source = joined_html(()) if texts.source is None else self._text(texts.source[i])
            reference_texts = [self._text(texts.references[row]) for row in range(first, last)]
            title = source or (reference_texts[0] if reference_texts else source)
            forms = (words[n] for n in texts.references[first].tolist()) if reference_texts else ()
            length = title.count(" ") + 1 if title else 0
            sentence_scores, weight = self.scores[:, i].tolist(), float(self.weights[i])
            score, keys = sentence_list.scores_and_keys(length, sentence_scores, weight)
            yield TranslationView(
                i + 1,
                title,
                source,
                tuple(reference_texts),
                score,
                keys,
                "rtl" if runs_leftwards(forms) else "ltr",
                tuple(self._results(i)),
            )

    def _text(self, word_ids: Int32) -> Markup:
        """Return a text as HTML; each word of the vocabulary is escaped once."""
        return joined_html([self._words[word_id] for word_id in word_ids.tolist()])

    @cached_property
    def _words(self) -> list[str]:
        return list(map(word_html, self.analysed.texts.vocabulary.words))

    def _scores(self, system: int, sentence: int) -> str:
        """Format the scores of a sentence of a system, by all metrics."""
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
        return [move_to_file(np.column_stack(system.scores)) for system in systems]

    def _results(self, sentence: int) -> Iterator[sentence_list.Result]:
        """Yield the distinct translations of a sentence."""
        systems = self.analysed.systems
        translations = (system.texts.hypothesis[sentence] for system in systems)
        systems_of_row = group_rows((row.tobytes(), s) for s, row in enumerate(translations))
        for first, *other_systems in systems_of_row.values():
            yield sentence_list.Result(
                tuple(systems[s].name for s in (first, *other_systems)),
                self._marked[first].html(sentence, self._words),
                self._scores(first, sentence),
            )

    def block(
        self, view: TranslationView, pictures: str, metric: str, languages: tuple[str, str]
    ) -> str:
        """Return a sentence as HTML; a template would be too slow for thousands of sentences."""
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
        """Return the number of words of the longest translation of a sentence."""
        systems = self.analysed.systems
        return max(int(system.texts.hypothesis.lengths[sentence]) for system in systems)

    def pictures(self, sentence: int) -> Sequence[template_data.PictureRow]:
        """Draw two translations next to the reference, and the path of the worse one."""
        pair = self.pair(sentence)
        rows = []
        if drawing := columns_svg(*self.columns(sentence, pair)):
            rows.append(
                template_data.PictureRow(
                    "Beside the reference", "", (template_data.Picture("", drawing),)
                )
            )
        quality = self.scores[:, sentence] * (1 if self.intervals[0].higher_is_better else -1)
        return rows + self._path(sentence, min(pair, key=lambda s: float(quality[s])))

    def columns(
        self, sentence: int, systems: Sequence[int], named: Set[int] = frozenset()
    ) -> tuple[list[str], list[Column]]:
        """Return the words of the reference, and a column for the translation of each system.

        `named` are the words that a finding is about, as indices into the references' words.
        """
        marked = [self._marked[s] for s in systems]
        reference = marked[0].reference(sentence) if marked else []
        return reference, [system.column(sentence, named) for system in marked]

    def _path(self, sentence: int, system_index: int) -> list[template_data.PictureRow]:
        """Draw the cheapest path of CDER for a translation."""
        system = self.analysed.systems[system_index]
        path = system.path(sentence)
        if (
            path is None
            or not path.steps
            or max(len(path.hypothesis), len(path.reference)) > _MAX_PATH_WORDS
        ):
            return []
        drawing = template_data.Picture(system.name, path.to_svg())
        return [template_data.PictureRow("Cheapest path of CDER", f"{path.summary}.", (drawing,))]

    def pair(self, sentence: int) -> tuple[int, ...]:
        """Return the indices of the systems with the lowest and the highest score of a sentence.

        If one system has both, the first two; with fewer than two systems, or without scores, the
        first one, if there is any.
        """
        column = self.scores[:, sentence]
        if len(column) < 2 or np.isnan(column).all():
            return tuple(range(min(len(column), 1)))
        low, high = int(np.nanargmin(column)), int(np.nanargmax(column))
        if low == high:
            return (0, 1)
        return tuple(sorted((low, high)))


@dataclass(frozen=True)
class MarkedWords:
    """The matches of a system's translations, and their words with marks as HTML.

    Attributes
    ----------
    system : TranslatedSystem

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["on tuesday evening we met at six"]}
    >>> analysed = translations_of(lines, ["we met them at six on tuesday"], metrics="frs")
    >>> print(MarkedWords(analysed.systems[0]).html(0, analysed.texts.vocabulary.words))
    <mark>on tuesday</mark> <u>evening</u> <i></i> we met at six
    """

    system: TranslatedSystem

    @property
    def matches(self) -> Array:
        """The index of the reference word that each word matches, or -1, integer[N]."""
        return self.system.marks[0]

    @property
    def begins(self) -> Bool:
        """Mask of the words that have a break of the order before them, bool[N]."""
        return self.system.marks[1]

    @property
    def matched(self) -> Int64:
        """The number of matched words of each segment, int64[S]."""
        offsets, counts = self.system.texts.hypothesis.offsets, [np.zeros(0, np.int64)]
        for first, last in piece_spans(offsets):
            bounds = offsets[first : last + 1]
            is_matched = self.matches[slice(*bounds[[0, -1]].tolist())] >= 0
            counts.append(np.diff(row_offsets(is_matched)[bounds - bounds[0]]))
        return np.concatenate(counts)

    def _span(self, segment: int) -> slice:
        """Return where the words of a segment are in arrays of all words."""
        first, last = self.system.texts.hypothesis.offsets[segment : segment + 2].tolist()
        return slice(first, last)

    def words(self, segment: int) -> list[str]:
        """Return the words of a translation."""
        texts = self.system.texts
        return [texts.vocabulary.words[word_id] for word_id in texts.hypothesis[segment].tolist()]

    def reference(self, segment: int) -> list[str]:
        """Return the words of the reference of a translation; none if it has no reference."""
        texts, row = self.system.texts, int(self.system.rows[segment])
        if row < 0:
            return []
        return [texts.vocabulary.words[word_id] for word_id in texts.references[row].tolist()]

    def partners(self, segment: int) -> list[int]:
        """Return the index of the reference word that each word matches, or -1."""
        matches: list[int] = self.matches[self._span(segment)].tolist()
        return matches

    def column(self, segment: int, named: Set[int] = frozenset()) -> Column:
        """Return the column of a translation; `named` are indices into the references' words."""
        start = int(self.system.texts.references.offsets[max(self.system.rows[segment], 0)])
        named_indices = {index - start for index in named}
        return Column(
            self.system.name, self.words(segment), self.partners(segment), named=named_indices
        )

    @cached_property
    def _marks(self) -> tuple[Int8, Int8]:
        """Marks of each word, as indices into `MARKS_BEFORE` and `MARKS_AFTER`, int8[N] each.

        Adjacent words that are all unmatched, or all moved, share a mark up to the next break.
        Without a reference no word is marked. The marks are computed for many segments at once, for
        speed.
        """
        spans = piece_spans(self.system.texts.hypothesis.offsets) or [(0, 0)]
        marks_before, marks_after = zip(*(self._marks_of(*span) for span in spans), strict=True)
        return concatenate(marks_before), concatenate(marks_after)

    def _marks_of(self, first: int, last: int) -> tuple[Int8, Int8]:
        """Return `_marks` of the segments ``first .. last-1``."""
        offsets = self.system.texts.hypothesis.offsets[first : last + 1]
        words = slice(*offsets[[0, -1]].tolist())
        offsets = offsets - offsets[0]
        matches, begins = self.matches[words], self.begins[words]
        compared = np.repeat(self.system.compared[first:last], np.diff(offsets))
        # 1 for an unmatched word, 2 for a moved one, 0 for other words.
        mark_types = np.where(_moved_words(matches, begins, offsets), np.int8(2), np.int8(0))
        mark_types[compared & (matches < 0)] = 1
        is_boundary = np.ones(len(mark_types) + 1, np.bool_)
        is_boundary[1:-1] = (np.diff(mark_types) != 0) | begins[1:]
        is_boundary[offsets] = True
        before = 3 * begins.astype(np.int8) + np.where(is_boundary[:-1], mark_types, np.int8(0))
        return before, np.where(is_boundary[1:], mark_types, np.int8(0))

    def html(self, segment: int, words: Sequence[str]) -> Markup:
        """Return a translation as HTML with marks: unmatched words, breaks, moved words.

        Parameters
        ----------
        segment : int
        words : sequence of str
            The words of the vocabulary, escaped.
        """
        span = self._span(segment)
        word_ids = self.system.texts.hypothesis[segment].tolist()
        marks_before, marks_after = (marks[span].tolist() for marks in self._marks)
        return joined_html(
            [
                f"{MARKS_BEFORE[b]}{words[n]}{MARKS_AFTER[a]}" if a or b else words[n]
                for b, n, a in zip(marks_before, word_ids, marks_after, strict=True)
            ]
        )


def _moved_words(matches: Array, begins: Bool, offsets: Int64) -> Bool:
    """Return a mask of the moved words of some segments, bool[N]."""
    is_moved = np.zeros(len(matches), np.bool_)
    matched = np.flatnonzero(matches >= 0)
    segments = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    # If several words match the same reference word, only the first is counted as matched.
    keys = segments[matched] * (int(matches.max(initial=0)) + 1) + matches[matched]
    matched = matched[np.sort(np.unique(keys, return_index=True)[1])]
    # Only segments with breaks have moved words.
    segments_with_breaks = np.unique(segments[begins])
    firsts = np.searchsorted(matched, offsets[segments_with_breaks]).tolist()
    lasts = np.searchsorted(matched, offsets[segments_with_breaks + 1]).tolist()
    for first, last in zip(firsts, lasts, strict=True):
        positions = matched[first:last]
        is_moved[positions] = moved_words(matches[positions].tolist())
    return is_moved
