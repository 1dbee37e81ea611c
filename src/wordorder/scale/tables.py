"""TableScores: systems that are columns of a table, scored batch by batch wherever these are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.alignment.alignments import Alignments, check_counting
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
from wordorder.order.orders import Orders
from wordorder.order.reading import given_orders, orders_of_block
from wordorder.scale.scoring import PartialScores, all_scores, refuse_prepared
from wordorder.scoring.comparisons import WORDS, compared
from wordorder.scoring.file_formats import AlignmentFiles, OrderFiles
from wordorder.scoring.files import FileKind, make_metrics
from wordorder.scoring.notes import note_few, note_left_out
from wordorder.scoring.scores import Scores, estimated
from wordorder.scoring.signatures import with_counted_links
from wordorder.scoring.systems import RunningSystem
from wordorder.scoring.text_files import TextFiles
from wordorder.segments import Segments
from wordorder.text.blocks import TextBlock

if TYPE_CHECKING:
    from wordorder.front import ComparisonResult, ScoreResult

# The column of a table in which each batch has its sums.
PART = "part"

_KINDS: dict[str, type[FileKind]] = {
    "orders": OrderFiles,
    "text": TextFiles,
    "alignments": AlignmentFiles,
}

# Options that name columns; the others are those of `Segments`.
_COLUMNS = ("source", "hypothesis_alignments", "reference_alignments")
_WORDS = ("tokenizer", "lowercase", "normalization", "case")


@dataclass(frozen=True)
class TableScores:
    """Scores systems that are columns of a table against a reference in another column.

    It is small and plain: an engine sends it to its workers, has them score the batches that they
    hold, and `result` or `compare` adds up what comes of them. No row goes anywhere.

    Parameters
    ----------
    metrics : str
        Names separated by commas, as `score_files` takes them.
    reference : str
        The column of the reference: for text, of strings or of lists of strings.
    systems : tuple of str
        The columns of the systems.
    kind : "orders", "text" or "alignments"
        Orders, as lists of positions or lines (``"2 0 3,4 1"``); translations; or word alignments,
        as lists of pairs or lines (``"0-1 1-0"``), against gold ones.
    options : mapping
        For text: what `Segments.from_text` takes, ``{"tokenizer": "13a", "aligner": "exact"}``; or,
        for orders by alignments with the source and so for LRscore, the columns ``source``,
        ``hypothesis_alignments`` (one per system) and ``reference_alignments`` (one, or one a
        reference), what `Segments.from_alignments` takes, and ``{"links": "sure"}``.
    row : str, optional
        A column with a number of each row, from 0, for intervals and tests: it decides which of
        4,096 buckets the row goes to. With the numbers of the rows of a file, they are those of
        `score_files` and `compare` of that file. Rows with one number stay together:
        the numbers of documents make intervals over documents.
    seed : int
        The seed of the random choices of intervals and tests.
    words : "common" or "own"
        On which words `compare` tests order metrics of translations, as `compare_files` takes it.

    Raises
    ------
    UsageError
        If there is no system, or an option or its value is not legal.

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
        choose("kind", self.kind, tuple(_KINDS))
        choose("words", self.words, WORDS)
        if not self.systems or isinstance(self.systems, str):
            raise UsageError("systems is a tuple of names of columns, at least one")
        if self.kind == "text":
            legal = self._legal_for_text()
            for name in self.options:
                if name not in legal:
                    raise unknown_name("option", name, legal)
        elif self.options:
            raise UsageError(f"options are for text: {', '.join(self.options)}")
        check_counting(self.options.get("links", "all"))

    def _legal_for_text(self) -> tuple[str, ...]:
        """Return the legal options of translations."""
        if "hypothesis_alignments" not in self.options:
            return ("source", "hypothesis_alignments", "aligner", *_WORDS)
        aligned = self.options["hypothesis_alignments"]
        if isinstance(aligned, str) or len(aligned) != len(self.systems):
            what = "hypothesis_alignments is a tuple of names of columns, one per system"
            raise UsageError(f"{what}: {len(self.systems)}")
        if "source" not in self.options:
            raise UsageError("hypothesis_alignments are with the source: name its column, source")
        return (*_COLUMNS, "rule", "unaligned", "links", *_WORDS)

    def work(self, batches: Iterable[Any]) -> bytes:
        """Score batches of rows.

        Parameters
        ----------
        batches : iterable
            Each has the columns under their names: record batches or tables of pyarrow, frames of
            Polars or pandas, mappings of names to lists or arrays.

        Returns
        -------
        bytes
            For `result` and `compare`, or `wordorder.scale.merge`.

        Raises
        ------
        InputError
            If there is no such column, or a row is wrong or null.
        UsageError
            If a metric cannot be had, or reads what there is not.
        """
        found = self._nothing(self._metrics())
        with held_notes() as notes:
            for batch in batches:
                self._add(found, batch)
        found.notes = [(0, message) for message in dict.fromkeys(notes)]
        return found.to_bytes()

    def part(self, batch: Any) -> Any:
        """Score a batch for an engine: a table of one row comes of it, in the engine's own type.

        It is what `map_partitions` of Dask, `map_batches` of Ray and Polars, `mapInArrow` and
        `mapInPandas` of Spark and `map` of Hugging Face datasets want.

        Parameters
        ----------
        batch : table, or iterator of tables
            As `work` takes them. Of an iterator, as Spark gives it, comes an iterator.

        Returns
        -------
        table
            With a column ``part`` of bytes.

        Raises
        ------
        InputError, UsageError
            As `work`.
        """
        if isinstance(batch, Iterator):
            return self._parts(batch)
        with one_thread():
            return _table(batch, self.work([batch]))

    def result(
        self,
        parts: Any,
        *,
        confidence: bool = False,
        level: float = 0.95,
        resamples: int | None = None,
    ) -> ScoreResult:
        """Add up the scores of all batches.

        Parameters
        ----------
        parts : table, or iterable
            With a column ``part``: the collected results of `part`; or their rows; or the results
            of `work`.
        confidence, level, resamples
            As in `wordorder.score`; of tables the sums of buckets are resampled, whatever the
            number of rows.

        Raises
        ------
        InputError
            If there are no rows, or a part is damaged.
        UsageError
            If parts are of other systems, metrics or versions; for intervals without `row`.

        Warns
        -----
        note
            Of what was left out.
        """
        from wordorder.front import ScoreResult, require_interval

        require_interval(confidence, level, resamples)
        if confidence:
            self._require_rows()
        with kept_notes(result=True) as notes:
            scores = self._merged(parts)
            if confidence:
                note_few(scores.evaluation)
                estimates = estimated(
                    scores.evaluation, scores.metrics, level, resamples, self.seed
                )
                scores = replace(scores, estimates=estimates)
        return ScoreResult(scores, tuple(notes), level=level)

    def compare(
        self, parts: Any, *, test: str = "auto", resamples: int | None = None
    ) -> ComparisonResult:
        """Add up the scores of all batches, and test all pairs of systems.

        Parameters
        ----------
        parts
            As in `result`.
        test, resamples
            As in `wordorder.compare`.

        Raises
        ------
        InputError, UsageError
            As `result`.

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
            scores = self._merged(parts)
            used = scores.metrics
            found = compared(scores.evaluation, used, test, resamples, self.seed)
        return ComparisonResult(found, tuple(notes))

    def _metrics(self) -> list[BaseMetric]:
        tokenizer = self.options.get("tokenizer") or "none"
        metrics = make_metrics(self.metrics, (), set(), tokenizer)
        refuse_prepared(metrics, "not batch by batch")
        return metrics

    def _nothing(self, metrics: Sequence[BaseMetric]) -> PartialScores:
        kept = None if self.row is None else self.seed
        pairs = kept is not None and self.kind == "text" and self.words == "common"
        return PartialScores.of(self.systems, metrics, intervals=kept, partial=True, pairs=pairs)

    def _add(self, found: PartialScores, batch: Any) -> None:
        """Add the rows of a batch to what was found."""
        numbers = None if self.row is None else _numbers(_column(batch, self.row), self.row)
        make = {"orders": self._orders, "text": self._text, "alignments": self._alignments}
        missing: Any = False
        systems = list(make[self.kind](batch))
        for system, segments in zip(found.systems, systems, strict=True):
            metrics = [accumulator.metric for accumulator in system.accumulators]
            for accumulator in system.accumulators:
                missing |= left_out_segments(accumulator.update(segments, first_row=numbers))
            system.count(segments, count_dropped_words(segments, metrics))
        if not has_common_words(systems):
            found.pairs = []
        for pair in found.pairs:
            pair.add(pair.measure(systems), numbers)
        found.segments += len(systems[0])
        found.skipped += int(np.count_nonzero(missing))

    def _orders(self, batch: Any) -> Iterator[Segments]:
        reference = _given_orders(_column(batch, self.reference), self.reference)
        for name in self.systems:
            yield Segments.from_orders(_given_orders(_column(batch, name), name), reference)

    def _alignments(self, batch: Any) -> Iterator[Segments]:
        columns = (self.reference, *self.systems)
        gold, *systems = (_given_links(_column(batch, name), name) for name in columns)
        for system in systems:
            yield Segments.from_links(system, gold)

    def _text(self, batch: Any) -> Iterator[Segments]:
        sides = {"references": self.reference, "source": self.options.get("source")}
        made = self._translations(batch)
        for name in self.systems:
            try:
                segments = next(made)
            except InputError as error:
                side, *row = error.where.split(", ", 1)
                if side not in ("hypotheses", *sides):
                    raise
                row = [each.replace("entry", "row") for each in row]
                where = ", ".join([f"column {sides.get(side, name)!r}", *row])
                raise InputError(where, error.what, error.expected) from None
            yield segments

    def _translations(self, batch: Any) -> Iterator[Segments]:
        options = dict(self.options)
        source, ours, theirs = (options.pop(name, None) for name in _COLUMNS)
        counted = options.pop("links", "all")
        reference = _column(batch, self.reference)
        words: Any = None if source is None else _column(batch, source)
        if ours is None:
            for name in self.systems:
                yield Segments.from_text(_column(batch, name), reference, words, **options)
            return
        several = [theirs] if isinstance(theirs, str) else theirs
        aligned = several and [
            _given_links(_column(batch, n), n).counting(counted, gold=True) for n in several
        ]
        for name, links in zip(self.systems, ours, strict=True):
            own = _given_links(_column(batch, links), links).counting(counted)
            hypothesis = _column(batch, name)
            yield Segments.from_alignments(words, hypothesis, reference, own, aligned, **options)

    def _parts(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield one table of all that an iterator gives; none of none."""
        for first in batches:
            with one_thread():
                yield _table(first, self.work(chain([first], batches)))

    def _require_rows(self) -> None:
        if self.row is None:
            raise UsageError("intervals and tests need row=COLUMN, which has a number of each row")

    def _merged(self, parts: Any) -> Scores:
        """Add up parts, and say what did not take part."""
        found = all_scores(_bytes_of(parts))
        used = tuple(self._metrics())
        wanted = self._nothing(used)
        if list(map(_described, found.systems)) != list(map(_described, wanted.systems)):
            raise UsageError("parts of other systems, metrics, or another row or seed than these")
        if found.pairs and not wanted.pairs:
            raise UsageError(f"parts with words='common', not words={self.words!r}")
        evaluation = found.concluded()
        note_left_out(evaluation, used, _KINDS[self.kind])
        evaluation = with_counted_links(evaluation, used, self.options.get("links", "all"))
        return Scores(evaluation, used)


def _table(like: Any, data: bytes) -> Any:
    """Return a table of one row, of the type that a batch has."""
    columns = {PART: [data]}
    if isinstance(like, Mapping):
        return columns
    kind = type(like)
    return getattr(kind, "from_pydict", kind)(columns)


def _described(system: RunningSystem) -> tuple[str, list[Any]]:
    """Return what two parts must have in common."""
    running = system.accumulators
    return system.name, [(e.signature, e.intervals, e.intervals and e.seed) for e in running]


def _bytes_of(parts: Any) -> Iterator[bytes]:
    """Yield the parts in a table, in its rows, or as they are."""
    given = parts.as_py() if hasattr(parts, "as_py") else parts
    if isinstance(given, (bytes, bytearray, memoryview)):
        yield bytes(given)
    elif isinstance(given, Mapping) or hasattr(given, "columns") or hasattr(given, "column_names"):
        yield from _bytes_of(_column(given, PART))
    elif isinstance(given, Iterable) and not isinstance(given, str):
        for each in given:
            yield from _bytes_of(each)
    else:
        raise UsageError(f"parts are what TableScores.part made, not {type(given).__name__}")


def _column(batch: Any, name: str) -> Any:
    """Return a column of a batch."""
    try:
        return batch[name]
    except Exception as error:
        # pandas, Polars, pyarrow and mappings have errors of their own.
        there = getattr(batch, "column_names", None) or list(
            batch if isinstance(batch, Mapping) else getattr(batch, "columns", ())
        )
        if name in there:
            raise
        legal = f"one of {', '.join(map(str, there))}"
        raise InputError("", f"no column {name!r}", legal) from error


def _strings(column: Any, name: str, legal: str) -> TextBlock | None:
    """Return a column of strings as lines; None if it holds anything else."""
    given = input_column(column, f"column {name!r}", legal)
    if isinstance(given, TextColumn):
        given = plain_rows(given)
    if not isinstance(given, (list, np.ndarray)) or not len(given) or not isinstance(given[0], str):
        return None
    for number, line in enumerate(given, 1):
        if not isinstance(line, str) or "\n" in line:
            raise InputError(f"column {name!r}, row {number}", repr(line)[:40], "one line")
    data = "\n".join([*given, ""]).encode("utf-8", "surrogatepass")
    return TextBlock(np.frombuffer(data, np.uint8), len(given), 1)


def _given_orders(column: Any, name: str) -> Orders:
    """Return a column as orders, whose faults name the column and the row in the batch."""
    block = _strings(column, name, "orders")
    if block is not None:
        return orders_of_block(block, f"column {name!r}")
    return given_orders(column, f"column {name!r}")


def _given_links(column: Any, name: str) -> Alignments:
    """Return a column as alignments."""
    where = f"column {name!r}"
    block = _strings(column, name, "alignments")
    if block is None:
        return Alignments.from_rows(column, path=where)
    known = recognise(block, where)
    # While all lines are blank, they have no links in any notation.
    name = known.name if known is not None else "pharaoh"
    if name not in LINE_FORMATS:
        raise InputError(where, f"alignments in the notation {name}", "links of one row per cell")
    notation = LINE_FORMATS[name]
    doubled = DoubledLinks(where, strict=False)
    rows = LineRows(where, ("the source", "the target"), doubled, one_based=False)
    return rows.checked(rows.parse(block, notation), block, notation, None, None)


def _numbers(column: Any, name: str) -> Int64:
    """Return the numbers of rows."""
    given = input_column(column, f"column {name!r}", "integers")
    numbers = np.asarray(given.values if isinstance(given, IntegerColumn) else given)
    if numbers.ndim != 1 or (len(numbers) and numbers.dtype.kind not in "iu"):
        raise InputError(f"column {name!r}", "no numbers of rows", "integers from 0")
    return numbers.astype(np.int64)
