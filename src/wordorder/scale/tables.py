"""Scoring of systems that are columns of a table, batch by batch on any engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.alignment.alignments import Alignments, check_links_option
from wordorder.alignment.formats import DoubledLinks, LineRows
from wordorder.alignment.pharaoh import LINE_FORMATS
from wordorder.alignment.reading import recognise
from wordorder.arrays import Int64
from wordorder.arrow.columns import IntegerColumn, TextColumn
from wordorder.arrow.inputs import input_column, plain_rows
from wordorder.errors import InputError, UsageError, choose, unknown_name
from wordorder.kernels import one_thread
from wordorder.metrics.contract import BaseMetric, left_out_segments
from wordorder.metrics.order.common_words import count_dropped_words, has_common_words
from wordorder.notes import held_notes, kept_notes
from wordorder.options import WordOptions, options_of
from wordorder.order.orders import Orders
from wordorder.order.reading import orders_of_block, orders_of_input
from wordorder.scale.scoring import PartialScores, merge_scores, refuse_prepared
from wordorder.scoring.comparisons import WORDS, compare_systems
from wordorder.scoring.file_formats import AlignmentFiles, OrderFiles
from wordorder.scoring.files import FileKind, make_metrics
from wordorder.scoring.notes import note_few, note_left_out
from wordorder.scoring.scores import Scores, compute_intervals
from wordorder.scoring.signatures import with_counted_links
from wordorder.scoring.systems import Keep, RunningSystem
from wordorder.scoring.text_files import TextFiles
from wordorder.segments import Segments
from wordorder.text.blocks import TextBlock

if TYPE_CHECKING:
    from wordorder.front import ComparisonResult, ScoreResult

# The column with the partial scores of each batch.
PART_COLUMN = "part"

_FILE_KINDS: dict[str, type[FileKind]] = {
    "orders": OrderFiles,
    "text": TextFiles,
    "alignments": AlignmentFiles,
}

# Options whose values are names of columns; all others are arguments of `Segments`.
_COLUMN_OPTIONS = ("source", "hypothesis_alignments", "reference_alignments")
_WORD_OPTIONS = (*options_of(WordOptions), "case")


@dataclass(frozen=True)
class TableScores:
    """Scores systems that are columns of a table against a reference in another column.

    The object is small and can be pickled: an engine sends it to its workers, which score the
    batches that they have, and `result` or `compare` merges the partial scores. Rows are not sent.

    Parameters
    ----------
    metrics : str
        Names separated by commas; see `score_files`.
    reference : str
        The column of the reference: for text, of strings or of lists of strings.
    systems : tuple of str
        The columns of the systems.
    kind : "orders", "text" or "alignments"
        Orders, as lists of positions or lines (``"2 0 3,4 1"``); translations; or word alignments,
        as lists of pairs or lines (``"0-1 1-0"``), against gold ones.
    options : mapping
        For text: arguments of `Segments.from_text`, ``{"tokenizer": "13a", "aligner": "exact"}``.
        Or, for orders from alignments with the source and for LRscore: the columns ``source``,
        ``hypothesis_alignments`` (one per system) and ``reference_alignments`` (one in all, or one
        per reference), arguments of `Segments.from_alignments`, and ``{"links": "sure"}``.
    row : str, optional
        A column with the index of each row, which intervals and tests need: it decides to which of
        4,096 buckets a row belongs. With the indices of the lines of a file, intervals and tests
        are those of `score_files` and `compare_files` for this file. Rows with the same index stay
        together: with indices of documents, intervals are over documents.
    seed : int
        The seed of the random choices of intervals and tests.
    words : "common" or "own"
        On which words `compare` tests order metrics of translations; see `compare_files`.

    Raises
    ------
    UsageError
        If there is no system, or an option or its value is not valid.

    Examples
    --------
    >>> import pyarrow
    >>> table = pyarrow.table({"ref": [[0, 1, 2], [0, 1]], "sys": [[1, 0, 2], [0, 1]]})
    >>> frs = TableScores("frs", "ref", ("sys",))
    >>> parts = [frs.part(batch) for batch in table.to_batches(max_chunksize=1)]
    >>> frs.result(parts).values()
    {'sys': {'frs': 0.5}}
    """

    metrics: str
    reference: str
    systems: tuple[str, ...]
    kind: str = "orders"
    options: Mapping[str, Any] = field(default_factory=dict)
    row: str | None = None
    seed: int = 12345
    words: str = "common"

    def __post_init__(self) -> None:
        choose("kind", self.kind, tuple(_FILE_KINDS))
        choose("words", self.words, WORDS)
        if not self.systems or isinstance(self.systems, str):
            raise UsageError("systems is a tuple of names of columns, at least one")
        if self.kind == "text":
            text_options = self._text_options()
            for name in self.options:
                if name not in text_options:
                    raise unknown_name("option", name, text_options)
        elif self.options:
            raise UsageError(f"options are for text: {', '.join(self.options)}")
        check_links_option(self.options.get("links", "all"))

    def _text_options(self) -> tuple[str, ...]:
        """Return the valid options of translations."""
        if "hypothesis_alignments" not in self.options:
            return ("source", "hypothesis_alignments", "aligner", *_WORD_OPTIONS)
        columns = self.options["hypothesis_alignments"]
        if isinstance(columns, str) or len(columns) != len(self.systems):
            expected = "hypothesis_alignments is a tuple of names of columns, one per system"
            raise UsageError(f"{expected}: {len(self.systems)}")
        if "source" not in self.options:
            raise UsageError("hypothesis_alignments are with the source: name its column, source")
        return (*_COLUMN_OPTIONS, "rule", "unaligned", "links", *_WORD_OPTIONS)

    def work(self, batches: Iterable[Any]) -> bytes:
        """Score batches of rows.

        Parameters
        ----------
        batches : iterable
            Record batches or tables of pyarrow, frames of Polars or pandas, or mappings of names to
            lists or arrays; each with all columns.

        Returns
        -------
        bytes
            For `result` and `compare`, or `wordorder.scale.merge`.

        Raises
        ------
        InputError
            If a column is missing, or a row is wrong or null.
        UsageError
            If a metric is unknown or reads columns that are missing.
        """
        scores = self._empty_scores(self._metrics())
        with held_notes() as notes:
            for batch in batches:
                self._add(scores, batch)
        scores.notes = [(0, message) for message in dict.fromkeys(notes)]
        return scores.to_bytes()

    def part(self, batch: Any) -> Any:
        """Score a batch for an engine; return a table of one row, of the type of the batch.

        Pass this method to `map_partitions` of Dask, `map_batches` of Ray and Polars, `mapInArrow`
        and `mapInPandas` of Spark, or `map` of Hugging Face datasets.

        Parameters
        ----------
        batch : table, or iterator of tables
            See `work`. For an iterator, which Spark passes, an iterator is returned.

        Returns
        -------
        table
            With a column ``part`` of bytes.

        Raises
        ------
        InputError, UsageError
            See `work`.
        """
        if isinstance(batch, Iterator):
            return self._part_of_all(batch)
        with one_thread():
            return _part_table(batch, self.work([batch]))

    def result(
        self,
        parts: Any,
        *,
        confidence: bool = False,
        level: float = 0.95,
        resamples: int | None = None,
    ) -> ScoreResult:
        """Merge the scores of all batches.

        Parameters
        ----------
        parts : table, or iterable
            The collected results of `part`, with a column ``part``; or their rows; or the results
            of `work`.
        confidence, level, resamples
            See `wordorder.score`. The sums of buckets are resampled, for any number of rows.

        Raises
        ------
        InputError
            If there are no rows, or a part is damaged.
        UsageError
            If parts are of other systems, metrics or versions; or for intervals without `row`.

        Warns
        -----
        note
            About skipped segments and words.
        """
        from wordorder.front import ScoreResult, require_interval

        require_interval(confidence, level, resamples)
        if confidence:
            self._require_rows()
        with kept_notes(result=True) as notes:
            scores = self._merge(parts)
            if confidence:
                note_few(scores.evaluation)
                estimates = compute_intervals(
                    scores.evaluation, scores.metrics, level, resamples, self.seed
                )
                scores = replace(scores, estimates=estimates)
        return ScoreResult(scores, tuple(notes), level=level)

    def compare(
        self, parts: Any, *, test: str = "auto", resamples: int | None = None
    ) -> ComparisonResult:
        """Merge the scores of all batches, and test all pairs of systems.

        Parameters
        ----------
        parts
            See `result`.
        test, resamples
            See `wordorder.compare`.

        Raises
        ------
        InputError, UsageError
            See `result`.

        Examples
        --------
        >>> rows = {"id": range(40), "ref": [[0, 1, 2]] * 40, "b": [[0, 1, 2]] * 40}
        >>> table = rows | {"a": [[1, 0, 2], [2, 1, 0]] * 20}
        >>> scores = TableScores("frs", "ref", ("a", "b"), row="id")
        >>> scores.compare([scores.part(table)])
        <ComparisonResult: frs: b is better than a (95 %).>
        """
        from wordorder.front import ComparisonResult

        self._require_rows()
        with kept_notes(result=True) as notes:
            scores = self._merge(parts)
            comparison = compare_systems(
                scores.evaluation, scores.metrics, test, resamples, self.seed
            )
        return ComparisonResult(comparison, tuple(notes))

    def _metrics(self) -> list[BaseMetric]:
        tokenizer = self.options.get("tokenizer") or "none"
        metrics = make_metrics(self.metrics, (), set(), tokenizer)
        refuse_prepared(metrics, "not batch by batch")
        return metrics

    def _empty_scores(self, metrics: Sequence[BaseMetric]) -> PartialScores:
        seed = None if self.row is None else self.seed
        pairs = seed is not None and self.kind == "text" and self.words == "common"
        return PartialScores.of(self.systems, metrics, Keep(seed=seed, pairs=pairs), partial=True)

    def _add(self, scores: PartialScores, batch: Any) -> None:
        """Add the rows of a batch to the scores."""
        rows = None if self.row is None else _row_indices(_column(batch, self.row), self.row)
        readers = {"orders": self._orders, "text": self._text, "alignments": self._alignments}
        is_skipped: Any = False
        systems = list(readers[self.kind](batch))
        for system, segments in zip(scores.systems, systems, strict=True):
            metrics = [accumulator.metric for accumulator in system.accumulators]
            for accumulator in system.accumulators:
                is_skipped |= left_out_segments(accumulator.update(segments, first_row=rows))
            system.count(segments, count_dropped_words(segments, metrics))
        if not has_common_words(systems):
            scores.pairs = []
        for pair in scores.pairs:
            pair.add(pair.measure(systems), rows)
        scores.segments += len(systems[0])
        scores.skipped += int(np.count_nonzero(is_skipped))

    def _orders(self, batch: Any) -> Iterator[Segments]:
        reference = _read_orders(_column(batch, self.reference), self.reference)
        for name in self.systems:
            yield Segments.from_orders(_read_orders(_column(batch, name), name), reference)

    def _alignments(self, batch: Any) -> Iterator[Segments]:
        columns = (self.reference, *self.systems)
        gold, *systems = (_read_alignments(_column(batch, name), name) for name in columns)
        for system in systems:
            yield Segments.from_links(system, gold)

    def _text(self, batch: Any) -> Iterator[Segments]:
        """Yield the segments of each system; errors name the column."""
        column_of = {"references": self.reference, "source": self.options.get("source")}
        translations = self._translations(batch)
        for name in self.systems:
            try:
                segments = next(translations)
            except InputError as error:
                argument, *row = error.where.split(", ", 1)
                if argument not in ("hypotheses", *column_of):
                    raise
                row = [text.replace("entry", "row") for text in row]
                where = ", ".join([f"column {column_of.get(argument, name)!r}", *row])
                raise InputError(where, error.what, error.expected) from None
            yield segments

    def _translations(self, batch: Any) -> Iterator[Segments]:
        options = dict(self.options)
        source, system_columns, reference_columns = (
            options.pop(name, None) for name in _COLUMN_OPTIONS
        )
        links = options.pop("links", "all")
        reference = _column(batch, self.reference)
        source_lines: Any = None if source is None else _column(batch, source)
        if system_columns is None:
            for name in self.systems:
                yield Segments.from_text(_column(batch, name), reference, source_lines, **options)
            return
        if isinstance(reference_columns, str):
            reference_columns = [reference_columns]
        reference_alignments = reference_columns and [
            _read_alignments(_column(batch, name), name).counting(links, gold=True)
            for name in reference_columns
        ]
        for name, column in zip(self.systems, system_columns, strict=True):
            alignments = _read_alignments(_column(batch, column), column).counting(links)
            texts = source_lines, _column(batch, name), reference
            yield Segments.from_alignments(*texts, alignments, reference_alignments, **options)

    def _part_of_all(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield one table with the partial scores of all batches, unless there are no batches."""
        for first in batches:
            with one_thread():
                yield _part_table(first, self.work(chain([first], batches)))

    def _require_rows(self) -> None:
        if self.row is None:
            raise UsageError("intervals and tests need row=COLUMN, which has a number of each row")

    def _merge(self, parts: Any) -> Scores:
        """Merge parts, and log notes about skipped segments and words."""
        scores = merge_scores(_read_parts(parts))
        metrics = tuple(self._metrics())
        expected = self._empty_scores(metrics)
        if list(map(_identity, scores.systems)) != list(map(_identity, expected.systems)):
            raise UsageError("parts of other systems, metrics, or another row or seed than these")
        if scores.pairs and not expected.pairs:
            raise UsageError(f"parts with words='common', not words={self.words!r}")
        evaluation = scores.finish()
        note_left_out(evaluation, metrics, _FILE_KINDS[self.kind])
        evaluation = with_counted_links(evaluation, metrics, self.options.get("links", "all"))
        return Scores(evaluation, metrics)


def _part_table(batch: Any, data: bytes) -> Any:
    """Return a table with one part, of the type of a batch."""
    columns = {PART_COLUMN: [data]}
    if isinstance(batch, Mapping):
        return columns
    table_type = type(batch)
    return getattr(table_type, "from_pydict", table_type)(columns)


def _identity(system: RunningSystem) -> tuple[str, list[Any]]:
    """Return the name, signatures and seeds of a system, which must be equal in all parts."""
    sums = system.accumulators
    return system.name, [(s.signature, s.intervals, s.intervals and s.seed) for s in sums]


def _read_parts(parts: Any) -> Iterator[bytes]:
    """Yield the parts of a table, of its rows, or of an iterable."""
    value = parts.as_py() if hasattr(parts, "as_py") else parts
    if isinstance(value, (bytes, bytearray, memoryview)):
        yield bytes(value)
    elif isinstance(value, Mapping) or hasattr(value, "columns") or hasattr(value, "column_names"):
        yield from _read_parts(_column(value, PART_COLUMN))
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for part in value:
            yield from _read_parts(part)
    else:
        raise UsageError(f"parts are what TableScores.part made, not {type(value).__name__}")


def _column(batch: Any, name: str) -> Any:
    """Return a column of a batch."""
    try:
        return batch[name]
    except Exception as error:
        # pandas, Polars, pyarrow and mappings raise different errors.
        names = getattr(batch, "column_names", None) or list(
            batch if isinstance(batch, Mapping) else getattr(batch, "columns", ())
        )
        if name in names:
            raise
        expected = f"one of {', '.join(map(str, names))}"
        raise InputError("", f"no column {name!r}", expected) from error


def _read_lines(column: Any, name: str, expected: str) -> TextBlock | None:
    """Return a column of strings as lines, or None if it does not hold strings."""
    values = input_column(column, f"column {name!r}", expected)
    if isinstance(values, TextColumn):
        values = plain_rows(values)
    if not isinstance(values, (list, np.ndarray)) or not len(values):
        return None
    if not isinstance(values[0], str):
        return None
    for number, line in enumerate(values, 1):
        if not isinstance(line, str) or "\n" in line:
            raise InputError(f"column {name!r}, row {number}", repr(line)[:40], "one line")
    data = "\n".join([*values, ""]).encode("utf-8", "surrogatepass")
    return TextBlock(np.frombuffer(data, np.uint8), len(values), 1)


def _read_orders(column: Any, name: str) -> Orders:
    """Return a column as orders; errors name the column and the row in the batch."""
    block = _read_lines(column, name, "orders")
    if block is not None:
        return orders_of_block(block, f"column {name!r}")
    return orders_of_input(column, f"column {name!r}")


def _read_alignments(column: Any, name: str) -> Alignments:
    """Return a column as alignments; errors name the column and the row in the batch."""
    where = f"column {name!r}"
    block = _read_lines(column, name, "alignments")
    if block is None:
        return Alignments.from_rows(column, path=where)
    recognised = recognise(block, where)
    # Empty lines are alignments without links in any notation.
    format_name = recognised.name if recognised is not None else "pharaoh"
    if format_name not in LINE_FORMATS:
        problem = f"alignments in the notation {format_name}"
        raise InputError(where, problem, "links of one row per cell")
    notation = LINE_FORMATS[format_name]
    doubled = DoubledLinks(where, strict=False)
    rows = LineRows(where, ("the source", "the target"), doubled, one_based=False)
    return rows.checked(rows.parse(block, notation), block, notation, None, None)


def _row_indices(column: Any, name: str) -> Int64:
    """Return a column of the indices of rows."""
    values = input_column(column, f"column {name!r}", "integers")
    indices = np.asarray(values.values if isinstance(values, IntegerColumn) else values)
    if indices.ndim != 1 or (len(indices) and indices.dtype.kind not in "iu"):
        raise InputError(f"column {name!r}", "no numbers of rows", "integers from 0")
    return indices.astype(np.int64)
