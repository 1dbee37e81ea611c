"""Scores of several systems against one reference, read in parallel and scored in chunks."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, combinations, islice
from mmap import ALLOCATIONGRANULARITY, mmap
from statistics import stdev
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wordorder.arrays import Bool, Float64, Int64, OnProgress
from wordorder.errors import InputError, UsageError
from wordorder.kernels import keep_freed_memory, run_in_order, run_pieces, threads
from wordorder.metrics.accumulator import Accumulator, bucket_measurement
from wordorder.metrics.contract import Metric, Score, left_out_segments, require_segments
from wordorder.metrics.order.common_words import (
    CommonWords,
    count_dropped_words,
    has_common_words,
    reads_orders,
    reads_orders_alone,
)
from wordorder.notes import held_notes, note
from wordorder.scoring.files import Inputs, SegmentsFactory
from wordorder.segments import Segments
from wordorder.segments.columns import DroppedWords
from wordorder.signature import labels
from wordorder.statistics.bucket_sums import BUCKETS_ABOVE, RESAMPLED_FIELD
from wordorder.statistics.documents import Documents
from wordorder.statistics.measurement import Measurement
from wordorder.text.lazy_rows import LazyRows
from wordorder.text.lockstep import RowSource, parallel_rows

if TYPE_CHECKING:
    from typing_extensions import Self

# Line numbers of skipped segments are kept up to this number; all skipped segments are counted.
MAX_SKIPPED_LINES = 100


@dataclass(frozen=True)
class SystemScores:
    """The scores of one system under all metrics.

    Attributes
    ----------
    name : str
    scores : tuple of Score
        One per metric.
    dropped_words : DroppedWords
        Counts of the words that only the system or only the reference has, and of matched words.
    one_word : int
        Number of segments with a single word to order.
    statistics : tuple of float64[S, k]
        One array per metric if statistics were kept, otherwise empty.
    buckets : tuple of Accumulator
        One per metric if sums of buckets are resampled instead of segments, otherwise empty.
    segments : tuple of float64[S]
        The score of each segment, one array per metric, NaN for segments that the metric leaves
        out; empty unless these scores were kept.
    runs : tuple of SystemScores
        The runs that the scores are the means of; empty for a single run.
    """

    name: str
    scores: tuple[Score, ...]
    dropped_words: DroppedWords
    one_word: int = 0
    statistics: tuple[Float64, ...] = ()
    buckets: tuple[Accumulator, ...] = ()
    segments: tuple[Float64, ...] = ()
    runs: tuple[SystemScores, ...] = ()

    @property
    def dropped(self) -> int:
        """Number of words that only the system or only the reference has."""
        return self.dropped_words.total

    def spread(self, metric: int) -> float | None:
        """Return the standard deviation (n - 1) of the runs' values, or None for a single run."""
        values = [run.scores[metric].value for run in self.runs]
        return stdev(values) if len(values) > 1 and not any(map(math.isnan, values)) else None

    def matched(self, metric: Metric) -> float | None:
        """Return the share of the reference's words that match, for a metric of orders.

        It is None for all other metrics, and where words are not matched.
        """
        return self.dropped_words.matched_share if reads_orders(metric) else None


@dataclass(frozen=True)
class Evaluation:
    """The scores of some systems on the same segments.

    Attributes
    ----------
    segments : int
    skipped : int
        Number of segments that at least one metric left out for at least one system.
    skipped_lines : tuple of int
        Line numbers of the first hundred of these segments, from 1.
    systems : tuple of SystemScores
    pairs : tuple of PairScores
        Scores of order metrics for each pair of systems on the words that both match; empty unless
        they were requested, and the systems are translations whose matched words are known.
    lengths : int64[S], optional
        Number of words in the first reference of each segment, if lengths were kept and are known.
    documents : Documents, optional
        The documents of the segments, if intervals and tests draw documents.
    """

    segments: int
    skipped: int
    skipped_lines: tuple[int, ...]
    systems: tuple[SystemScores, ...]
    lengths: Int64 | None = None
    pairs: tuple[PairScores, ...] = ()
    documents: Documents | None = None

    @property
    def metric_names(self) -> list[str]:
        """Names of the metrics, with the options that distinguish metrics of one name."""
        return labels([score.signature for score in self.systems[0].scores])


@dataclass(frozen=True)
class PairScores:
    """The scores of order metrics for two systems on the reference words that both match.

    Attributes
    ----------
    first, second : int
        The indices of the two systems.
    systems : (SystemScores, SystemScores)
        With one score for each metric that reads only orders.
    words, reference_words : int
        Number of compared words, and of all words of the references.
    segments : int
        Number of compared segments: those in which both systems match at least two words.
    """

    first: int
    second: int
    systems: tuple[SystemScores, SystemScores]
    words: int
    reference_words: int
    segments: int


class Store(Protocol):
    """Storage of large arrays outside memory."""

    def put(self, values: Float64) -> Float64:
        """Store an array; return a view of the stored array."""

    def concatenate(self, parts: Sequence[Float64]) -> Float64:
        """Concatenate arrays into a stored one."""


@dataclass(frozen=True)
class Keep:
    """What an evaluation keeps besides sums of statistics.

    Attributes
    ----------
    statistics : bool
        The statistics of all segments. Without them, memory does not grow with the number of lines.
    store : Store, optional
        Where statistics are stored, if not in memory.
    segment_scores : bool
        The score of each segment: 8 bytes per system and metric.
    lengths : bool
        The lengths of the segments.
    seed : int, optional
        The seed of intervals or tests on `measurements`: the statistics of up to 100,000 segments
        (`BUCKETS_ABOVE`) are kept, and of more segments the sums of buckets.
    pairs : bool
        The scores of order metrics for all pairs of systems on the words that both match.
    """

    statistics: bool = False
    store: Store | None = None
    segment_scores: bool = False
    lengths: bool = False
    seed: int | None = None
    pairs: bool = False


def score_systems(
    reference: RowSource,
    systems: Sequence[RowSource],
    metrics: Sequence[Metric],
    *,
    names: Sequence[str] | None = None,
    words: RowSource | None = None,
    keep: bool = False,
    intervals: int | None = None,
    progress: OnProgress | None = None,
) -> Evaluation:
    """Score the orders of systems against reference orders while reading.

    Parameters
    ----------
    reference : source of Orders
        Such as `OrderReader`.
    systems : sequence of sources of Orders
        `OrderReader` or `MatchedTextReader`, with one line per line of the reference.
    metrics : sequence of Metric
    names : sequence of str, optional
        Names of the systems; by default the names of their files.
    words : source of Ragged, optional
        The source words, which ``match="first-unmatched"`` needs: `WordIdReader`.
    keep : bool
        Whether to keep the statistics of all segments; see `Keep`.
    intervals : int, optional
        The seed of the intervals or tests that will follow; see `Keep.seed`.
    progress : callable, optional
        Called now and then with the number of segments done.

    Raises
    ------
    InputError
        If a line is not an order, or two files differ in their number of lines.
    """
    from wordorder.scoring.file_formats import order_inputs

    names = names or [source.name for source in systems]
    inputs = order_inputs(reference, systems, names, words)
    return score_inputs(inputs, metrics, Keep(statistics=keep, seed=intervals), progress=progress)


def score_inputs(
    inputs: Inputs,
    metrics: Sequence[Metric],
    keep: Keep = Keep(),
    *,
    progress: OnProgress | None = None,
) -> Evaluation:
    """Score systems against a reference while reading.

    Parameters
    ----------
    inputs : Inputs
        Files opened by a `FileKind`.
    metrics : sequence of Metric
    keep : Keep
    progress : callable, optional
        Called now and then with the number of segments done.

    Raises
    ------
    InputError
        If a line is wrong, two files differ in their number of lines, or there are no lines.
    UsageError
        If a metric needs columns that the inputs do not have.
    """
    running = RunningScores.of(inputs.names, metrics, keep)
    running.add_inputs(inputs, metrics, keep, progress=progress)
    require_segments(running.segments, inputs.sources[0].name)
    return running.evaluation()


@dataclass
class RunningScores:
    """Sums of statistics, and what else is kept, for all systems and the rows read so far.

    Attributes
    ----------
    systems : list of RunningSystem
    pairs : list of RunningPair
        All pairs of systems, if order metrics compare them on common words.
    segments, skipped : int
    skipped_lines : list of int
        See `Evaluation`.
    lengths : list of int64[S]
        The lengths of the segments of each chunk, if they are kept and known.
    """

    systems: list[RunningSystem]
    pairs: list[RunningPair] = field(default_factory=list)
    segments: int = 0
    skipped: int = 0
    skipped_lines: list[int] = field(default_factory=list)
    lengths: list[Int64] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        metrics: Sequence[Metric],
        keep: Keep = Keep(),
        *,
        partial: bool = False,
    ) -> Self:
        """Return empty sums for systems of these names.

        Parameters
        ----------
        names : sequence of str
        metrics : sequence of Metric
        keep : Keep
        partial : bool
            Whether the rows are a part of all rows: then only the sums of buckets are kept for
            intervals, no statistics.
        """

        def running_system(index: int, metrics: Sequence[Metric]) -> RunningSystem:
            return RunningSystem.of(names[index], metrics, keep, partial)

        systems = range(len(names))
        running = cls([running_system(index, metrics) for index in systems])
        order_metrics = [metric for metric in metrics if reads_orders_alone(metric)]
        if keep.pairs and order_metrics:
            running.pairs = [
                RunningPair(
                    first,
                    second,
                    (running_system(first, order_metrics), running_system(second, order_metrics)),
                )
                for first, second in combinations(systems, 2)
            ]
        return running

    def add_inputs(
        self,
        inputs: Inputs,
        metrics: Sequence[Metric],
        keep: Keep = Keep(),
        *,
        first_row: int = 0,
        progress: OnProgress | None = None,
    ) -> None:
        """Add all rows of some inputs; `first_row` is the index of the first row in its file."""

        def measure_step(step: _Step) -> _MeasuredStep:
            factories = inputs.segments([part.rows() for part in step.parts], step.first_row)
            measure = partial(_measure, metrics=metrics, keep=keep)
            systems = run_pieces(measure, factories)
            segments = [system.segments for system in systems]
            if not self.pairs or not has_common_words(segments):
                return systems, []
            return systems, run_pieces(lambda pair: pair.measure(segments), self.pairs)

        for systems, pairs in _run_steps(measure_step, _read_steps(inputs, first_row)):
            if not pairs:
                self.pairs = []
            for pair, measured_pair in zip(self.pairs, pairs, strict=True):
                pair.add(measured_pair, first_row)
            is_skipped = np.zeros(len(systems[0].segments), np.bool_)
            for system, measured in zip(self.systems, systems, strict=True):
                for message in measured.notes:
                    note(message)
                system.add(measured, first_row)
                is_skipped |= measured.is_skipped
            self.skipped += int(np.count_nonzero(is_skipped))
            if len(self.skipped_lines) < MAX_SKIPPED_LINES:
                skipped_rows = np.flatnonzero(is_skipped)[:MAX_SKIPPED_LINES]
                self.skipped_lines += (first_row + 1 + skipped_rows).tolist()
            if systems[0].lengths is not None:
                self.lengths.append(systems[0].lengths)
            first_row += len(is_skipped)
            self.segments += len(is_skipped)
            if progress is not None:
                progress(self.segments)

    def evaluation(self) -> Evaluation:
        """Return the scores of all rows added so far."""
        return Evaluation(
            self.segments,
            self.skipped,
            tuple(self.skipped_lines[:MAX_SKIPPED_LINES]),
            tuple(system.result() for system in self.systems),
            np.concatenate(self.lengths) if self.lengths else None,
            tuple(pair.result() for pair in self.pairs),
        )


@dataclass(frozen=True)
class _Step:
    """The same rows of all files, and the index of the first of them."""

    parts: Sequence[LazyRows[Any]]
    first_row: int


@dataclass(frozen=True)
class _MeasuredSystem:
    """The segments of one system in a step, with arrays for each metric, and their notes."""

    segments: Segments
    statistics: Sequence[Float64]
    is_skipped: Bool
    notes: Sequence[str]
    lengths: Int64 | None
    scores: Sequence[Float64]
    dropped_words: DroppedWords


def _read_steps(inputs: Inputs, first_row: int) -> Iterator[_Step]:
    """Yield the rows of all files in chunks, line by line in parallel."""
    for parts in parallel_rows(inputs.sources):
        yield _Step(parts, first_row)
        first_row += len(parts[0])


def _run_steps(
    work: Callable[[_Step], _MeasuredStep], steps: Iterator[_Step]
) -> Iterator[_MeasuredStep]:
    """Run one step per thread, in order; a single step uses all threads."""
    keep_freed_memory()
    first_steps = list(islice(steps, 1))
    try:
        first_steps += islice(steps, 1)
    except InputError:
        # Errors in the rows of the first step are raised before the error in those after it.
        deque(map(work, first_steps), maxlen=0)
        raise
    if len(first_steps) < 2:
        return map(work, first_steps)
    return run_in_order(work, chain(first_steps, steps), ahead=threads() + 1)


_MeasuredStep = tuple[list["_MeasuredSystem"], list["_MeasuredPair"]]


def _measure(make: SegmentsFactory, metrics: Sequence[Metric], keep: Keep) -> _MeasuredSystem:
    """Build the segments of a system, and compute what is kept of them."""
    with held_notes() as notes:
        segments = make()
        pieces = [_piece_statistics(piece, metrics) for piece in segments.pieces()]
    statistics = list(map(np.concatenate, zip(*pieces, strict=True)))
    is_skipped = np.zeros(len(segments), np.bool_)
    for rows in statistics:
        is_skipped |= left_out_segments(rows)
    lengths = segments.words_of_reference if keep.lengths else None
    scores = list(map(score_segments, metrics, statistics)) if keep.segment_scores else []
    dropped_words = count_dropped_words(segments, metrics)
    # The columns are kept until all systems are measured; derived arrays are no longer needed.
    segments.forget_derived()
    return _MeasuredSystem(segments, statistics, is_skipped, notes, lengths, scores, dropped_words)


def _piece_statistics(piece: Segments, metrics: Sequence[Metric]) -> list[Float64]:
    """Return the statistics of some segments, one array per metric; free derived arrays."""
    statistics = [metric.statistics(piece) for metric in metrics]
    piece.forget_derived()
    return statistics


def score_segments(metric: Metric, statistics: Float64) -> Float64:
    """Return the score of each segment, float64[S], NaN for segments that the metric leaves out."""
    # Metrics that are not a `BaseMetric` score a segment like a corpus.
    score = getattr(metric, "score_segments", metric.score)
    return np.where(left_out_segments(statistics), np.nan, score(statistics))


class _GrowingScores:
    """Scores in pages of their own: small arrays or a growing one would fragment the heap."""

    def __init__(self) -> None:
        self._pages = mmap(-1, ALLOCATIONGRANULARITY)
        self._size = 0

    def extend(self, scores: Float64) -> None:
        """Append scores."""
        end = self._size + scores.nbytes
        if end > len(self._pages):
            # Pages take no memory before they are written to.
            pages = mmap(-1, max(end, 2 * len(self._pages)))
            pages[: self._size] = self._pages[: self._size]
            self._pages.close()
            self._pages = pages
        self._pages[self._size : end] = scores.tobytes()
        self._size = end

    def array(self) -> Float64:
        """Return a view of all scores; nothing can be appended while it exists."""
        return np.frombuffer(self._pages, np.float64, self._size // 8)


@dataclass
class RunningSystem:
    """Sums of statistics, and what else is kept, for one system and the rows added so far.

    Attributes
    ----------
    name : str
    accumulators : list of Accumulator
        One per metric.
    dropped_words : DroppedWords
    one_word : int
        See `SystemScores`.
    statistics : list of list of float64[S, k]
        For each metric, the statistics of each chunk; empty if they are not kept.
    max_kept : float
        Number of segments above which statistics are no longer kept.
    store : Store or None
        Where statistics are stored, if not in memory.
    scores : list of _GrowingScores
        For each metric, the scores of all segments; empty if they are not kept.
    """

    name: str
    accumulators: list[Accumulator]
    dropped_words: DroppedWords = field(default_factory=DroppedWords)
    one_word: int = 0
    statistics: list[list[Float64]] = field(default_factory=list)
    max_kept: float = BUCKETS_ABOVE
    store: Store | None = None
    scores: list[_GrowingScores] = field(default_factory=list)

    @classmethod
    def of(cls, name: str, metrics: Sequence[Metric], keep: Keep, partial: bool) -> RunningSystem:
        """Return empty sums; see `RunningScores.of`."""
        buckets = keep.seed is not None
        has_statistics = keep.statistics or (buckets and not partial)
        return cls(
            name,
            [Accumulator(m, intervals=buckets, seed=keep.seed or 0) for m in metrics],
            statistics=[[] for _ in metrics] if has_statistics else [],
            max_kept=math.inf if keep.statistics else BUCKETS_ABOVE,
            store=keep.store,
            scores=[_GrowingScores() for _ in metrics] if keep.segment_scores else [],
        )

    def add(self, measured: _MeasuredSystem, first_row: int) -> None:
        """Add the segments of a step."""
        self.count(measured.segments, measured.dropped_words)
        self.add_statistics(measured.segments, measured.statistics, first_row)
        for scores, further_scores in zip(self.scores, measured.scores, strict=bool(self.scores)):
            scores.extend(further_scores)

    def add_statistics(
        self, segments: Segments, statistics: Sequence[Float64], first_row: int | Int64 | None
    ) -> None:
        """Add the statistics of segments, one array per metric."""
        for accumulator, rows in zip(self.accumulators, statistics, strict=True):
            accumulator.add(segments, rows, first_row=first_row)
        if any(accumulator.segments > self.max_kept for accumulator in self.accumulators):
            self.statistics = []
        for chunks, rows in zip(self.statistics, statistics, strict=bool(self.statistics)):
            # The first chunk stays in memory: a corpus of one chunk is small.
            chunks.append(self.store.put(rows) if self.store and chunks else rows)

    def merge(self, other: RunningSystem) -> None:
        """Add the sums of other rows.

        Raises
        ------
        UsageError
            If they are of other metrics.
        """
        if len(self.accumulators) != len(other.accumulators):
            raise UsageError("cannot merge scores of other metrics")
        for accumulator, further in zip(self.accumulators, other.accumulators, strict=True):
            accumulator.merge(further)
        self.dropped_words += other.dropped_words
        self.one_word += other.one_word

    def count(self, segments: Segments, dropped_words: DroppedWords) -> None:
        """Add the counts of words of some segments."""
        self.dropped_words += dropped_words
        self.one_word += segments.one_word

    def result(self) -> SystemScores:
        """Return the scores of all rows added so far.

        Buckets are returned if these are resampled: for many segments, or for any number without
        statistics.
        """
        statistics: tuple[Float64, ...] = ()
        if self.statistics:
            concatenate = np.concatenate if self.store is None else self.store.concatenate
            statistics = tuple(
                concatenate(chunks)
                if chunks
                else accumulator.metric.statistics(Segments.empty(accumulator.metric.columns))
                for accumulator, chunks in zip(self.accumulators, self.statistics, strict=True)
            )
        scores = [accumulator.compute() for accumulator in self.accumulators]
        buckets: tuple[Accumulator, ...] = ()
        most = BUCKETS_ABOVE if statistics else 0
        if any(sums.intervals and sums.segments > most for sums in self.accumulators):
            buckets = tuple(self.accumulators)
            scores = [score.with_fields(RESAMPLED_FIELD) for score in scores]
        counts = self.dropped_words, self.one_word
        segments = tuple(values.array() for values in self.scores)
        return SystemScores(self.name, tuple(scores), *counts, statistics, buckets, segments)


# The segments of two systems on common words, and the statistics of both, one array per metric.
_MeasuredPair = tuple[CommonWords, tuple[list[Float64], list[Float64]]]


@dataclass
class RunningPair:
    """Sums of statistics for two systems on the words that both match.

    Attributes
    ----------
    first, second : int
        The indices of the two systems.
    systems : (RunningSystem, RunningSystem)
    words, reference_words, segments : int
        See `PairScores`.
    """

    first: int
    second: int
    systems: tuple[RunningSystem, RunningSystem]
    words: int = 0
    reference_words: int = 0
    segments: int = 0

    def measure(self, segments: Sequence[Segments]) -> _MeasuredPair:
        """Compute the statistics of the pair on its common words; `segments` are by system."""
        common = CommonWords.of(segments[self.first], segments[self.second])
        metrics = [accumulator.metric for accumulator in self.systems[0].accumulators]
        first_statistics, second_statistics = (
            _piece_statistics(system, metrics) for system in common.systems
        )
        return common, (first_statistics, second_statistics)

    def add(self, pair: _MeasuredPair, first_row: int | Int64 | None) -> None:
        """Add the result of `measure`."""
        common, statistics = pair
        for system, segments, rows in zip(self.systems, common.systems, statistics, strict=True):
            system.add_statistics(segments, rows, first_row)
        self.words += common.words
        self.reference_words += common.reference_words
        self.segments += common.segments

    def merge(self, other: RunningPair) -> None:
        """Add the sums of other rows."""
        for system, further in zip(self.systems, other.systems, strict=True):
            system.merge(further)
        self.words += other.words
        self.reference_words += other.reference_words
        self.segments += other.segments

    def result(self) -> PairScores:
        """Return the scores of all rows added so far."""
        first, second = (system.result() for system in self.systems)
        counts = self.words, self.reference_words, self.segments
        return PairScores(self.first, self.second, (first, second), *counts)


def measurements(evaluation: Evaluation, metrics: Sequence[Metric]) -> list[Measurement]:
    """Return one measurement of all systems per metric, for intervals and tests."""
    documents = evaluation.documents
    if evaluation.systems and evaluation.systems[0].buckets:
        buckets = [system.buckets for system in evaluation.systems]
        return [bucket_measurement([sums[m] for sums in buckets]) for m in range(len(metrics))]
    by_metric = []
    for m, metric in enumerate(metrics):
        statistics = [system.statistics[m] for system in evaluation.systems]
        measurement = Measurement(statistics, metric.score, metric.higher_is_better)
        by_metric.append(measurement if documents is None else documents.measurement(measurement))
    return by_metric


def pair_measurements(
    pair: PairScores, metrics: Sequence[Metric], documents: Documents | None = None
) -> dict[int, Measurement]:
    """Return the measurements of a pair on common words, by the indices of the order metrics."""
    indices = [m for m, metric in enumerate(metrics) if reads_orders_alone(metric)]
    evaluation = Evaluation(0, 0, (), pair.systems, documents=documents)
    by_metric = measurements(evaluation, [metrics[m] for m in indices])
    return dict(zip(indices, by_metric, strict=True))


def select(evaluation: Evaluation, metrics: Sequence[int]) -> Evaluation:
    """Return an evaluation with only the metrics of these indices."""
    systems = []
    for system in evaluation.systems:
        selected: dict[str, Any] = {}
        for name in ("scores", "statistics", "buckets", "segments"):
            column = getattr(system, name)
            selected[name] = tuple(column[m] for m in metrics if column)
        systems.append(replace(system, **selected))
    return replace(evaluation, systems=tuple(systems))
