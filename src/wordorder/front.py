"""The functions `score`, `compare` and `analyze`, for texts in memory or in files.

The defaults are those of the program, and the options have its names.
"""

from __future__ import annotations

import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from wordorder.errors import UsageError, switch, unify_names, whole_number
from wordorder.messages import ALIASES, counted, names_arguments
from wordorder.notes import kept_notes
from wordorder.options import FileOptions, MetricOptions, options_of
from wordorder.text.opening import Path

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from wordorder.analysis.analysed import Analysis
    from wordorder.analysis.section import Finding, Section
    from wordorder.front_types import (
        Documents,
        FileKeywords,
        References,
        Systems,
        Texts,
        Unit,
    )
    from wordorder.report.document import Document, Output
    from wordorder.scoring.files import Metrics

Parameters = ParamSpec("Parameters")
Found = TypeVar("Found")

# The keywords of `score`, `compare` and `analyze` that are options of files or metrics, and the
# names that differ on the command line.
OPTIONS = options_of(FileOptions, MetricOptions)
del OPTIONS["source"], OPTIONS["references"]
FLAG_NAMES = {option.spelling: name for name, option in OPTIONS.items() if option.spelling != name}
# The version of the JSON format that the program prints.
JSON_VERSION = 1
STARS = "* and **: the difference is significant, at 90 and 95 %"
# Number of systems and of metrics in the short representation of a result.
_MAX_IN_REPR = 3


@dataclass(frozen=True, eq=False, repr=False)
class Result(ABC):
    """A result, displayed as a table in a notebook, and available as rows, JSON or text.

    Two results are equal if they have the same class and the same JSON.

    Attributes
    ----------
    found : Scores, ComparedSystems or Analysis
        The complete result of `wordorder.scoring` or `wordorder.analysis`.
    notes : tuple of str
        Assumptions and omissions, each with the option that changes it.
    """

    found: Any
    notes: tuple[str, ...]

    @abstractmethod
    def _output(self) -> Output:
        """Return the output of the program for this result."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((type(self), self.signature, self.notes))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON that the program prints."""
        return {"version": JSON_VERSION, **self._output().data(), "notes": list(self.notes)}

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the rows that the program prints as TSV, as columns in full precision."""
        return {name: list(cells) for name, cells in self._output().columns().items()}

    def to_pandas(self) -> Any:
        """Return the rows of `to_columns` as a ``pandas.DataFrame``.

        Raises
        ------
        UsageError
            If pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise UsageError("to_pandas() needs pandas: pip install pandas") from None
        return pandas.DataFrame(self.to_columns())

    @property
    def signature(self) -> str:
        """The signature of each metric, one per line."""
        return "\n".join(self._signatures())

    def _signatures(self) -> Sequence[str]:
        from wordorder.report.scores import signatures

        return signatures(self.found.evaluation)

    def __str__(self) -> str:
        return self._output().printed("text").rstrip("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._short()}>"

    @abstractmethod
    def _short(self) -> str:
        """Return the most important values in one line."""

    def _repr_html_(self) -> str:
        document = self._output().document
        assert document is not None
        return _html(document(), self.notes)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreResult(Result):
    """The scores of systems.

    Attributes
    ----------
    level : float
        The level of the intervals.
    segments : bool
        Whether `to_dict` has the scores of the segments.
    """

    level: float = field(kw_only=True)
    segments: bool = field(default=False, kw_only=True)

    def _output(self) -> Output:
        from wordorder.report.scores import score_output

        return score_output(self.found, self.level, segments=self.segments)

    def values(self) -> dict[str, dict[str, float]]:
        """Return the score of each system, by name, under each metric, by name."""
        values: dict[str, dict[str, float]] = self.found.values()
        return values

    def _short(self) -> str:
        values = self.values()
        scores = {name: [f"{m} {v:.4f}" for m, v in row.items()] for name, row in values.items()}
        return _join_first(
            [f"{name}: {_join_first(parts)}" for name, parts in scores.items()], "; "
        )


class ComparisonResult(Result):
    """The tests of all pairs of systems."""

    def _output(self) -> Output:
        from wordorder.report.scores import comparison_output

        return comparison_output(self.found)

    def _short(self) -> str:
        return _join_first(self._readings(), " ")

    def _readings(self) -> list[str]:
        metrics = self._output().data()["metrics"]
        return [f"{row['metric']}: {row['reading']}" for row in metrics]

    def _repr_html_(self) -> str:
        """Return tables of the values, and of the differences with intervals and stars."""
        from wordorder.report.document import Document, Table
        from wordorder.report.scores import MAX_LISTED_PAIRS, metric_headings
        from wordorder.report.tables import Cell, interval

        evaluation, comparisons = self.found.evaluation, self.found.comparisons
        names = [system.name for system in evaluation.systems]
        headings = metric_headings(evaluation, self.found.metrics)
        values: list[list[Cell]] = [
            [name, *(comparison.values[s] for comparison in comparisons)]
            for s, name in enumerate(names)
        ]
        rows: list[list[Cell]] = []
        pairs_by_metric = (comparison.pairs for comparison in comparisons)
        for pairs in list(zip(*pairs_by_metric, strict=True))[:MAX_LISTED_PAIRS]:
            row: list[Cell] = [f"{names[pairs[0].second]} - {names[pairs[0].first]}"]
            for pair in pairs:
                bounds = "" if pair.interval_95 is None else interval(*pair.interval_95)
                stars = pair.mark.strip("+-0")
                row.append(" ".join(filter(None, [f"{pair.difference:+.4f}", bounds, stars])))
            rows.append(row)
        tables = [Table(values, ["system", *headings])]
        tables += [Table(rows, ["pair", *headings])] if rows else []
        notes = (f"{counted(evaluation.segments, 'segment')}; {STARS}",)
        document = Document((*tables, " ".join(self._readings())), notes, tuple(self._signatures()))
        return _html(document, self.notes)


class Report(Result):
    """The report on where and why the order is wrong; `save` writes it as a page."""

    def _output(self) -> Output:
        from wordorder.report.sections import analysis_output

        remainder_note = (
            "Not shown: {missing}. `report.sections` has the tables, report.save() writes the page."
        )
        return analysis_output(self.found, remainder_note)

    def save(
        self, path: Path, *, title: str = "Word order report", pictures: int | None = None
    ) -> None:
        """Write the report as one HTML file that needs no network.

        Parameters
        ----------
        path : path
            The output file, written atomically.
        title : str
        pictures : int, optional
            Number of sentences with pictures, 50 by default.

        Raises
        ------
        UsageError
            If the file cannot be created, or `pictures` is not a whole number.
        """
        from wordorder.report.page.page import report_page
        from wordorder.text.output import write_text

        if not _is_path(path):
            raise UsageError(f"path: {path!r}; expected the name of a file")
        options: dict[str, Any] = {}
        if pictures is not None:
            options["pictures"] = whole_number("pictures", pictures, least=0)
        with write_text(os.fspath(path)) as page:
            page.write(report_page(self.found, title=str(title), **options))

    @property
    def answer(self) -> str:
        """The system that orders words best, and whether the difference is significant."""
        answer: str = self.found.answer
        return answer

    @property
    def sections(self) -> tuple[Section, ...]:
        """The tables of all parts of the report, each with its reading."""
        sections: tuple[Section, ...] = self.found.sections
        return sections

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings as sentences with the points they explain, the most important first."""
        from wordorder.analysis.findings import top_findings

        return tuple(finding for finding, _ in top_findings(self.found.sections))

    def _signatures(self) -> Sequence[str]:
        return [self.found.signature]

    def _short(self) -> str:
        return f"{shorten(self.answer, 80, placeholder=' …')} save() writes the page"

    def _repr_html_(self) -> str:
        from wordorder.report.document import Document

        parts = [self.answer, *(finding.sentence for finding in self.findings)]
        return _html(
            Document(tuple(filter(None, parts)), (), tuple(self._signatures())), self.notes
        )


def _lists_options(function: Callable[Parameters, Found]) -> Callable[Parameters, Found]:
    """Add the options of files and metrics to the signature of a function, for editors and help."""
    signature = inspect.signature(function)
    explicit_parameters = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    options = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=option.type
        )
        for name, option in OPTIONS.items()
    ]
    full_signature = signature.replace(parameters=[*explicit_parameters, *options])
    function.__signature__ = full_signature  # type: ignore[attr-defined]  # for `inspect`
    return function


@_lists_options
@names_arguments
def score(
    systems: Systems,
    references: References,
    metrics: Metrics = (),
    *,
    source: Texts | None = None,
    confidence: bool = False,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
    by: Unit = "segment",
    documents: Documents | None = None,
    segments: bool = False,
    **options: Unpack[FileKeywords],
) -> ScoreResult:
    """Score systems, as ``wordorder score`` does.

    Parameters
    ----------
    systems : mapping of name to lines or path; or lines, or a path
        Lines are a list or tuple of strings, a column of pandas, Polars or pyarrow, or an iterator
        of strings, one per segment; or, in a mapping or a column, lists of words. In a mapping, a
        list of paths or of such lines has several runs of a system. A string is a path; several
        paths are a list of ``pathlib.Path``. Files may contain orders, trees or alignments; lines
        are text.
    references : lines, or a path
        One reference per segment; or a list of references for each segment; or a list of lines for
        each reference, as in sacreBLEU. If the systems are lists of words: a list of words per
        segment, or a list of such lists. For orders, trees and alignments: one file.
    metrics : str or sequence of str
        ``"frs,bleu"`` or ``["frs", "bleu"]``; the default depends on the input.
    source : lines, or a path, optional
    confidence : bool
        Whether to compute intervals by bootstrap resampling.
    level : float
        The level of the intervals.
    resamples : int, optional
        Number of resamples, 1,000 by default.
    seed : int
        The seed of the random choices.
    by : "segment" or "document"
        What is resampled for intervals: segments, or whole documents, because segments of one
        document are not independent.
    documents : list of str, or a path, optional
        For ``by="document"``: the name of each segment's document.
    segments : bool
        Whether `to_dict` contains the scores of the segments.
    options
        The other options of ``wordorder score``: ``lowercase=True``, ``tokenizer="13a"``,
        ``aligner="exact"``, ``language="de"``.

    Raises
    ------
    UsageError
        If a name is unknown, or options contradict each other or do not fit the input.
    InputError
        If an input is wrong, or two differ in their number of segments.

    Warns
    -----
    note
        About assumptions and omissions, such as the default match of words for order metrics.

    Examples
    --------
    >>> a, b = ["we met on tuesday"], ["on tuesday we met"]
    >>> score({"A": a, "B": b}, ["we met on tuesday"], "frs,cder", aligner="exact")
    <ScoreResult: A: frs 1.0000, cder 0.0000; B: frs 0.6667, cder 0.7500>
    """
    from wordorder.scoring.scores import score_files

    require_interval(confidence, level, resamples)
    switch("segments", segments)
    _require_numbers(seed, resamples)
    arguments = _read_options(options, score)
    named_systems, texts = _name_systems(systems), _references(references)
    arguments |= {"source": source, "level": level if confidence else None}
    arguments |= {"resamples": resamples, "seed": seed, "segments": segments}
    arguments |= {"by": by, "documents": documents}
    with kept_notes(result=True) as notes:
        scores = score_files(named_systems, texts, metrics, **arguments)
    return ScoreResult(scores, tuple(notes), level=level, segments=segments)


@_lists_options
@names_arguments
def compare(
    systems: Systems,
    references: References,
    metrics: Metrics = (),
    *,
    source: Texts | None = None,
    test: Literal["auto", "bootstrap", "randomization"] = "auto",
    words: Literal["common", "own"] = "common",
    resamples: int | None = None,
    seed: int = 12345,
    by: Unit = "segment",
    documents: Documents | None = None,
    **options: Unpack[FileKeywords],
) -> ComparisonResult:
    """Test which systems are better, pair by pair, as ``wordorder compare`` does.

    Parameters
    ----------
    systems, references, metrics, source, options
        See `score`.
    test : "auto", "bootstrap" or "randomization"
        Paired bootstrap resampling (Koehn 2004), or approximate randomization; "auto" is the
        bootstrap, with p-values by randomization for fewer than 100 segments.
    words : "common" or "own"
        On which words order metrics compare translations: on the reference words that both systems
        of a pair match, or each system on its own matched words.
    resamples : int, optional
        Number of resamples: 1,000 by default, 10,000 for randomization.
    seed : int
        The seed of the random choices.
    by, documents
        What is resampled for tests; see `score`.

    Raises
    ------
    UsageError, InputError
        See `score`.

    Examples
    --------
    >>> reference = ["we met on tuesday", "it rains"] * 20
    >>> other = ["on tuesday we met", "it rains"] * 20
    >>> compare({"A": reference, "B": other}, reference, "frs", aligner="exact")
    <ComparisonResult: frs: A is better than B (95 %).>
    """
    from wordorder.scoring.comparisons import compare_files

    _require_numbers(seed, resamples)
    resampling: dict[str, Any] = {
        "test": test,
        "words": words,
        "resamples": resamples,
        "seed": seed,
    }
    resampling |= {"by": by, "documents": documents}
    arguments = _read_options(options, compare)
    named_systems, texts = _name_systems(systems), _references(references)
    with kept_notes(result=True) as notes:
        compared = compare_files(
            named_systems, texts, metrics, source=source, **resampling, **arguments
        )
    return ComparisonResult(compared, tuple(notes))


@_lists_options
@names_arguments
def analyze(
    systems: Systems,
    references: References,
    metrics: Metrics = (),
    *,
    source: Texts | None = None,
    focus: Sequence[str] = (),
    hypothesis: str | Sequence[str] = (),
    words: Literal["common", "own"] = "common",
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
    by: Unit = "segment",
    documents: Documents | None = None,
    top: int = 20,
    **options: Unpack[FileKeywords],
) -> Report:
    """Find where and why the order of words is wrong, as ``wordorder analyze`` does.

    Parameters
    ----------
    systems, references, metrics, source
        See `score`. The first metric determines the best system.
    focus : sequence of str
        Systems that are analysed in detail; by default the two best.
    level, resamples, seed
        Options of all intervals and tests; see `score`.
    hypothesis : str or sequence of str
        For translations: word classes that were chosen before the outputs were seen. Tests of
        their parts of the difference in FRS or Kendall's tau are corrected only for each other.
    words : "common" or "own"
        For translations; see `compare`.
    by, documents
        For translations; see `score`.
    top : int
        Number of rows in tables.
    options
        The other options of ``wordorder analyze``: ``language="de"``, ``aligner="agreement"``.

    Raises
    ------
    UsageError, InputError
        See `score`.

    Examples
    --------
    >>> reference = ["we met on tuesday", "it rains"] * 20
    >>> other = ["on tuesday we met", "it rains"] * 20
    >>> report = analyze({"A": reference, "B": other}, reference)
    >>> report.found.names
    ('A', 'B')
    >>> report.save("report.html")  # doctest: +SKIP
    """
    from wordorder.analysis.files import analysed_kind, analyze_files
    from wordorder.analysis.translations.analyze_files import analyze_translations
    from wordorder.scoring.runs import split_runs

    if isinstance(systems, Mapping) and split_runs(systems, references)[1] is not None:
        raise UsageError("several runs of a system are for score() and compare()")
    _require_numbers(seed, resamples, level)
    resampling: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}
    resampling |= {"focus": names_of("focus", focus), "source": source}
    named_systems, texts = _name_systems(systems), _references(references)
    analysis: Analysis[Any]
    arguments = _read_options(options, analyze)
    arguments["rows"] = whole_number("top", top)
    with kept_notes(result=True) as notes:
        kind = "text"
        if _is_path(texts):
            kind = analysed_kind(texts, arguments.get("kind", "auto"))
        if kind == "text":
            arguments |= {"by": by, "documents": documents, "words": words}
            arguments["hypothesis"] = names_of("hypothesis", hypothesis)
            analysis = analyze_translations(
                texts, named_systems, metrics, **arguments, **resampling
            )
        else:
            if by != "segment" or documents is not None:
                raise UsageError("--by is for translations")
            if hypothesis:
                raise UsageError("--hypothesis is for translations")
            if words != "common":
                raise UsageError("--words is for translations")
            arguments |= {"systems": named_systems, **resampling}
            analysis = analyze_files(texts, metrics=metrics, **arguments)
    return Report(analysis, tuple(notes))


def _read_options(options: Mapping[str, Any], function: Callable[..., object]) -> dict[str, Any]:
    """Return options by their names in Python; refuse unknown options."""
    aliases = ALIASES | FLAG_NAMES
    legal = {*inspect.signature(function).parameters, *aliases}
    named_options = unify_names(options, legal, aliases)
    settings = named_options.get("settings", ())
    if isinstance(settings, Mapping):
        settings = [f"{name}={value}" for name, value in settings.items()]
    return named_options | {"settings": names_of("option", settings)}


def names_of(argument: str, value: Any) -> tuple[str, ...]:
    """Return one or several strings as a tuple."""
    strings = (value,) if isinstance(value, str) else value
    if not isinstance(strings, (list, tuple)) or not all(isinstance(item, str) for item in strings):
        raise UsageError(f"{argument}: {value!r}; expected a string or a list of strings")
    return tuple(strings)


def require_interval(confidence: object, level: object, resamples: object) -> None:
    """Raise a UsageError unless the options of intervals are valid."""
    if not isinstance(confidence, bool):
        raise UsageError(f"confidence: {confidence!r}; expected True or False, and level=0.95")
    if not confidence and resamples is not None:
        raise UsageError("--resamples is for --confidence")
    _require_numbers(0, resamples, level)


def _require_numbers(seed: object, resamples: object, level: object = 0.5) -> None:
    whole_number("seed", seed, least=0)
    if resamples is not None:
        whole_number("resamples", resamples)
    if not isinstance(level, float) or not 0 < level < 1:
        raise UsageError(f"level is a number between 0 and 1, not {level!r}")


def _is_path(value: object) -> bool:
    return isinstance(value, (str, os.PathLike))


def _name_systems(systems: Any) -> Any:
    """Return systems by name, or as paths; lines without a name get the name "system"."""
    if isinstance(systems, Mapping) or _is_path(systems) or _are_paths(systems):
        return systems
    rows = systems if isinstance(systems, (list, tuple)) else ()
    if rows and (isinstance(rows[0], (list, tuple)) or hasattr(rows[0], "__array__")):
        names = 'several systems have names: {"A": [...], "B": [...]}'
        raise UsageError(f'{names}; of one with a list of words per segment: {{"A": [[...], ...]}}')
    return {"system": systems}


def _references(value: Any) -> Any:
    """Return references unchanged, but a list with a single path as the path."""
    return value[0] if _are_paths(value) and len(value) == 1 else value


def _are_paths(value: Any) -> bool:
    """Return whether a value is a list of path objects; strings in a list are lines."""
    is_filled_list = isinstance(value, (list, tuple)) and len(value) > 0
    return is_filled_list and all(isinstance(path, os.PathLike) for path in value)


def _html(document: Document, notes: Sequence[str]) -> str:
    """Return HTML for a notebook: tables, summaries, signatures and collapsed notes."""
    from html import escape

    from wordorder.drawing.svg import table_html
    from wordorder.report.document import Table, Title
    from wordorder.report.tables import cell_texts

    blocks: list[str] = []
    for part in document.parts:
        if isinstance(part, Table):
            header, *rows = cell_texts(part.rows, part.header, part.decimals)
            blocks.append(table_html(part.title, header, rows))
        elif isinstance(part, Title):
            blocks.append(f"<h4>{escape(part.text)}</h4>")
        else:
            blocks.append(f"<p>{escape(str(part))}</p>")
    foot = [*map(escape, document.notes)]
    foot += [
        f'<code style="overflow-wrap: anywhere">{escape(text)}</code>'
        for text in document.signatures
    ]
    blocks.append(f"<p><small>{'<br>'.join(foot)}</small></p>")
    if list_items := "".join(f"<li>{escape(text)}</li>" for text in dict.fromkeys(notes)):
        title = counted(len(dict.fromkeys(notes)), "note")
        blocks.append(f"<details><summary>{title}</summary><ul>{list_items}</ul></details>")
    return "\n".join(blocks)


def _join_first(parts: Sequence[str], between: str = ", ") -> str:
    """Join the first three parts, with an ellipsis if there are more."""
    ellipsis = ["…"] if len(parts) > _MAX_IN_REPR else []
    return between.join([*parts[:_MAX_IN_REPR], *ellipsis])
