"""Several systems against one reference, read side by side and scored piece by piece."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, combinations, islice
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

# Skipped lines that are named; all are counted.
LISTED = 100


@dataclass(frozen=True)
class SegmentScores:
    """The scores of a system's segments under one metric.

    Attributes
    ----------
    values : float64[S]
    left_out : bool[S]
        Which segments the metric leaves out.
    """

    values: Float64
    left_out: Bool

    @property
    def known(self) -> Float64:
        """The values, NaN for a segment that is left out."""
        return np.where(self.left_out, np.nan, self.values)

    @classmethod
    def of(cls, metric: Metric, statistics: Float64) -> SegmentScores:
        """Return the scores that a metric makes of its statistics."""
        # What is not a `BaseMetric` scores a segment as a corpus.
        score = getattr(metric, "score_segments", metric.score)
        return cls(score(statistics), left_out_segments(statistics))

    @classmethod
    def concatenate(cls, parts: Sequence[SegmentScores]) -> SegmentScores:
        """Put the scores of several parts one after the other."""
        values = [np.zeros(0), *(part.values for part in parts)]
        missing = [np.zeros(0, np.bool_), *(part.left_out for part in parts)]
        return cls(np.concatenate(values), np.concatenate(missing))


@dataclass(frozen=True)
class SystemScores:
    """What the metrics found for one system.

    Attributes
    ----------
    name : str
    scores : tuple of Score
        One per metric.
    dropped_words : DroppedWords
        Words that only one of system and reference has, by side, and those that match.
    one_word : int
        Segments with a single word to order.
    statistics : tuple of float64[S, k], one per metric; empty unless they were to be kept
    buckets : tuple of Accumulator
        One per metric, where sums of buckets are resampled in place of segments; else empty.
    segments : tuple of SegmentScores
        One per metric, if the scores of segments were to be kept; else empty.
    runs : tuple of SystemScores
        The runs whose means the scores are, where systems have several; else empty.
    """

    name: str
    scores: tuple[Score, ...]
    dropped_words: DroppedWords
    one_word: int = 0
    statistics: tuple[Float64, ...] = ()
    buckets: tuple[Accumulator, ...] = ()
    segments: tuple[SegmentScores, ...] = ()
    runs: tuple[SystemScores, ...] = ()

    @property
    def dropped(self) -> int:
        """How many words only one of system and reference has."""
        return self.dropped_words.total

    def spread(self, metric: int) -> float | None:
        """Return the standard deviation (n - 1) of the runs' values; None of a single run."""
        values = [run.scores[metric].value for run in self.runs]
        return stdev(values) if len(values) > 1 and not any(map(math.isnan, values)) else None

    def matched(self, metric: Metric) -> float | None:
        """Return the share of the reference's words that match, for a metric of orders.

        None for all other metrics, and for systems that leave out no words.
        """
        return self.dropped_words.matched_share if reads_orders(metric) else None


@dataclass(frozen=True)
class Evaluation:
    """What `score_systems` found.

    Attributes
    ----------
    segments : int
    skipped : int
        Segments that at least one metric left out for at least one system.
    skipped_lines : tuple of int
        Their line numbers, from 1; the first hundred.
    systems : tuple of SystemScores
    pairs : tuple of PairScores
        The order metrics of all pairs of systems on the words that both match; empty unless they
        were asked for, and the systems are translations whose matched words are known.
    lengths : int64[S], optional
        Words of the first reference of each segment, if they were to be kept and are known.
    documents : Documents, optional
        Those of the segments, if intervals and tests draw documents.
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
        """The metrics, with the options that differ where a name comes twice."""
        return labels([score.signature for score in self.systems[0].scores])


@dataclass(frozen=True)
class PairScores:
    """What order metrics find for two systems on the reference words that both match.

    Attributes
    ----------
    first, second : int
        The systems' numbers.
    systems : (SystemScores, SystemScores)
        With one score for each metric that reads nothing but orders.
    words, reference_words : int
        How many words are compared, and how many the references have.
    segments : int
        How many segments are compared: both systems match at least two words of them.
    """

    first: int
    second: int
    systems: tuple[SystemScores, SystemScores]
    words: int
    reference_words: int
    segments: int


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
        As `OrderReader`.
    systems : sequence of sources of Orders
        As many lines as the reference has: `OrderReader`, `MatchedTextReader`.
    metrics : sequence of Metric
    names : sequence of str, optional
        What to call the systems instead of the names of their files.
    words : source of Ragged, optional
        The source words, for ``match="first-unmatched"``: `WordIdReader`.
    keep, intervals, progress
        As in `score_inputs`.

    Raises
    ------
    InputError
        If a line is not an order, or two files differ in their number of lines.
    """
    from wordorder.scoring.file_formats import order_inputs

    names = names or [source.name for source in systems]
    inputs = order_inputs(reference, systems, names, words)
    return score_inputs(inputs, metrics, keep=keep, intervals=intervals, progress=progress)


def score_inputs(
    inputs: Inputs,
    metrics: Sequence[Metric],
    *,
    keep: bool = False,
    store: Store | None = None,
    segments: bool = False,
    lengths: bool = False,
    intervals: int | None = None,
    pairs: bool = False,
    progress: OnProgress | None = None,
) -> Evaluation:
    """Score systems against a reference while reading.

    Parameters
    ----------
    inputs : Inputs
        As a `FileKind` opens them.
    metrics : sequence of Metric
    keep : bool
        Whether to keep all statistics. Without, memory does not grow with the number of lines.
    store : Store, optional
        Where kept statistics are, if not in memory.
    segments : bool
        Whether to keep the score of each segment: 9 bytes per system and metric.
    lengths : bool
        Whether to keep the lengths of the segments.
    intervals : int, optional
        The seed of intervals or tests that will be asked of `measurements`: keeps the statistics
        of up to 100,000 segments (`BUCKETS_ABOVE`), and of more than those the sums of buckets.
    pairs : bool
        Whether order metrics compare all pairs of systems on the words that both match.
    progress : callable, optional
        Told now and then how many segments are done.

    Raises
    ------
    InputError
        If a line is wrong, two files differ in their number of lines, or there are no lines.
    UsageError
        If a metric needs what the inputs do not have.
    """
    running = RunningScores.of(
        inputs.names, metrics, keep=keep, store=store, intervals=intervals, pairs=pairs
    )
    running.add_inputs(inputs, metrics, segments=segments, lengths=lengths, progress=progress)
    require_segments(running.segments, inputs.sources[0].name)
    return running.evaluation()


class Store(Protocol):
    """Where large arrays are kept."""

    def put(self, values: Float64) -> Float64:
        """Keep an array; return it as it is kept."""

    def joined(self, parts: Sequence[Float64]) -> Float64:
        """Put arrays one behind the other."""


@dataclass
class RunningScores:
    """What has been added up for all systems.

    Attributes
    ----------
    systems : list of RunningSystem
    pairs : list of RunningPair
        All pairs of systems, if order metrics compare them on common words.
    segments, skipped : int
    skipped_lines : list of int
        As in `Evaluation`.
    lengths : list of int64[S]
        Of the segments, piece by piece, where they are kept and known.
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
        *,
        keep: bool = False,
        store: Store | None = None,
        intervals: int | None = None,
        partial: bool = False,
        pairs: bool = False,
    ) -> Self:
        """Begin with nothing.

        Parameters
        ----------
        names, metrics, keep, store, intervals
            As in `score_inputs`.
        partial : bool
            Whether the rows are a part of more: then `intervals` keeps the sums of buckets alone.
        pairs : bool
            As in `score_inputs`.
        """

        def running(number: int, used: Sequence[Metric]) -> RunningSystem:
            made = RunningSystem.of(names[number], used, keep, intervals, partial)
            made.store = store
            return made

        systems = range(len(names))
        made = cls([running(number, metrics) for number in systems])
        orders = [metric for metric in metrics if reads_orders_alone(metric)]
        if pairs and orders:
            made.pairs = [
                RunningPair(first, second, (running(first, orders), running(second, orders)))
                for first, second in combinations(systems, 2)
            ]
        return made

    def add_inputs(
        self,
        inputs: Inputs,
        metrics: Sequence[Metric],
        *,
        segments: bool = False,
        lengths: bool = False,
        first_row: int = 0,
        progress: OnProgress | None = None,
    ) -> None:
        """Add all rows of some inputs; `first_row` is the number of the first, from 0."""

        def scored(step: _Step) -> tuple[list[_Scored], list[_ScoredPair]]:
            makers = inputs.segments([part.rows() for part in step.parts], step.before)
            measured = partial(_measured, metrics=metrics, scored=segments, lengths=lengths)
            systems = run_pieces(measured, makers)
            parts = [system.segments for system in systems]
            if not self.pairs or not has_common_words(parts):
                return systems, []
            return systems, run_pieces(lambda pair: pair.measure(parts), self.pairs)

        before = first_row
        for systems, pairs in _spread(scored, _steps(inputs, first_row)):
            if not pairs:
                self.pairs = []
            for running, measured in zip(self.pairs, pairs, strict=True):
                running.add(measured, before)
            missing = np.zeros(len(systems[0].segments), np.bool_)
            for each, part in zip(self.systems, systems, strict=True):
                for message in part.notes:
                    note(message)
                missing |= each.add(part, before)
            self.skipped += int(np.count_nonzero(missing))
            if len(self.skipped_lines) < LISTED:
                self.skipped_lines += (before + 1 + np.flatnonzero(missing)[:LISTED]).tolist()
            if systems[0].lengths is not None:
                self.lengths.append(systems[0].lengths)
            before += len(missing)
            self.segments += len(missing)
            if progress is not None:
                progress(self.segments)

    def evaluation(self) -> Evaluation:
        """Return what was found."""
        found = tuple(each.result() for each in self.systems)
        lines = tuple(self.skipped_lines[:LISTED])
        lengths = np.concatenate(self.lengths) if self.lengths else None
        pairs = tuple(each.result() for each in self.pairs)
        return Evaluation(self.segments, self.skipped, lines, found, lengths, pairs)


@dataclass(frozen=True)
class _Step:
    """The same rows of all files, and how many rows come before them."""

    parts: Sequence[LazyRows[Any]]
    before: int


@dataclass(frozen=True)
class _Scored:
    """Segments of one system with their statistics, one per metric, and what is to be said."""

    segments: Segments
    statistics: Sequence[Float64]
    missing: Bool
    notes: Sequence[str]
    lengths: Int64 | None
    scores: Sequence[SegmentScores]
    dropped_words: DroppedWords


def _steps(inputs: Inputs, before: int) -> Iterator[_Step]:
    """Read the files in step; so many rows come before."""
    for parts in parallel_rows(inputs.sources):
        yield _Step(parts, before)
        before += len(parts[0])


def _spread(work: Callable[[_Step], Measured], steps: Iterator[_Step]) -> Iterator[Measured]:
    """Work on steps, each on a thread; a step that is alone has all threads for itself."""
    keep_freed_memory()
    begun = list(islice(steps, 1))
    try:
        begun += islice(steps, 1)
    except InputError:
        # An error in the lines that are there comes before one that was found behind them.
        deque(map(work, begun), maxlen=0)
        raise
    if len(begun) < 2:
        return map(work, begun)
    return run_in_order(work, chain(begun, steps), ahead=2 * threads())


Measured = tuple[list["_Scored"], list["_ScoredPair"]]


def _measured(
    make: SegmentsFactory, metrics: Sequence[Metric], *, scored: bool, lengths: bool
) -> _Scored:
    """Build segments, and compute their statistics and which of them each metric leaves out.

    With their scores too, if they are to be `scored`.
    """
    with held_notes() as notes:
        segments = make()
        pieces = [_piece_statistics(piece, metrics) for piece in segments.pieces()]
    statistics = list(map(np.concatenate, zip(*pieces, strict=True)))
    missing = np.zeros(len(segments), np.bool_)
    for column in statistics:
        missing |= left_out_segments(column)
    words = segments.words_of_reference if lengths else None
    scores = list(map(SegmentScores.of, metrics, statistics)) if scored else []
    dropped = count_dropped_words(segments, metrics)
    # The columns wait until all systems are measured; what was made of them need not.
    segments.forget_derived()
    return _Scored(segments, statistics, missing, notes, words, scores, dropped)


def _piece_statistics(piece: Segments, metrics: Sequence[Metric]) -> list[Float64]:
    """Return the statistics of some segments, one array per metric, and free what was derived."""
    statistics = [metric.statistics(piece) for metric in metrics]
    piece.forget_derived()
    return statistics


@dataclass
class RunningSystem:
    """What has been added up for one system.

    Attributes
    ----------
    name : str
    accumulators : list of Accumulator
        One per metric.
    dropped_words : DroppedWords
    one_word : int
        As in `SystemScores`.
    kept : list of list of float64[S, k]
        The statistics of each metric, piece by piece; empty where they are not kept.
    most_kept : float
        Of how many segments they are.
    store : Store or None
        Where they are, if not in memory.
    scores : list of list of SegmentScores
        The scores of each metric, piece by piece; empty where they are not kept.
    """

    name: str
    accumulators: list[Accumulator]
    dropped_words: DroppedWords = field(default_factory=DroppedWords)
    one_word: int = 0
    kept: list[list[Float64]] = field(default_factory=list)
    most_kept: float = BUCKETS_ABOVE
    store: Store | None = None
    scores: list[list[SegmentScores]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        name: str,
        metrics: Sequence[Metric],
        keep: bool,
        intervals: int | None,
        partial: bool,
    ) -> RunningSystem:
        """Begin with nothing, as `RunningScores.of` does."""
        buckets = intervals is not None
        made = cls(name, [Accumulator(m, intervals=buckets, seed=intervals or 0) for m in metrics])
        made.most_kept = math.inf if keep else BUCKETS_ABOVE
        made.kept = [[] for _ in metrics] if keep or (buckets and not partial) else []
        return made

    def add(self, part: _Scored, first_row: int) -> Bool:
        """Add segments with their statistics; return which of them a metric left out."""
        self.count(part.segments, part.dropped_words)
        self.add_statistics(part.segments, part.statistics, first_row)
        self.scores = self.scores or [[] for _ in part.scores]
        for scored, piece in zip(self.scores, part.scores, strict=True):
            scored.append(piece)
        return part.missing

    def add_statistics(
        self, segments: Segments, statistics: Sequence[Float64], first_row: int | Int64 | None
    ) -> None:
        """Add the statistics of segments, one array per metric."""
        for accumulator, column in zip(self.accumulators, statistics, strict=True):
            accumulator.add(segments, column, first_row=first_row)
        if any(each.segments > self.most_kept for each in self.accumulators):
            self.kept = []
        for pieces, column in zip(self.kept, statistics, strict=bool(self.kept)):
            # A corpus that is read in one piece is small.
            pieces.append(self.store.put(column) if self.store and pieces else column)

    def merge(self, other: RunningSystem) -> None:
        """Add the scores of other rows.

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
        """Add what is counted of segments beside their scores."""
        self.dropped_words += dropped_words
        self.one_word += segments.one_word

    def result(self) -> SystemScores:
        """Return what was found, with the buckets if these are resampled.

        They are of many segments, or of any number of which no statistics were kept.
        """
        statistics: tuple[Float64, ...] = ()
        if self.kept:
            joined = np.concatenate if self.store is None else self.store.joined
            statistics = tuple(
                joined(pieces)
                if pieces
                else accumulator.metric.statistics(Segments.empty(accumulator.metric.columns))
                for accumulator, pieces in zip(self.accumulators, self.kept, strict=True)
            )
        scores = [each.compute() for each in self.accumulators]
        buckets: tuple[Accumulator, ...] = ()
        most = BUCKETS_ABOVE if statistics else 0
        if any(each.intervals and each.segments > most for each in self.accumulators):
            buckets = tuple(self.accumulators)
            scores = [
                replace(s, signature=s.signature.with_fields(RESAMPLED_FIELD)) for s in scores
            ]
        counts = self.dropped_words, self.one_word
        segments = tuple(map(SegmentScores.concatenate, self.scores))
        return SystemScores(self.name, tuple(scores), *counts, statistics, buckets, segments)


# The two systems on common words, and their statistics, one array per metric.
_ScoredPair = tuple[CommonWords, tuple[list[Float64], list[Float64]]]


@dataclass
class RunningPair:
    """What has been added up for two systems on the words that both match.

    Attributes
    ----------
    first, second : int
        The systems' numbers.
    systems : (RunningSystem, RunningSystem)
    words, reference_words, segments : int
        As in `PairScores`.
    """

    first: int
    second: int
    systems: tuple[RunningSystem, RunningSystem]
    words: int = 0
    reference_words: int = 0
    segments: int = 0

    def measure(self, segments: Sequence[Segments]) -> _ScoredPair:
        """Restrict the rows of all systems to the pair's common words, and score them."""
        common = CommonWords.of(segments[self.first], segments[self.second])
        metrics = [accumulator.metric for accumulator in self.systems[0].accumulators]
        of_first, of_second = (
            [metric.statistics(side) for metric in metrics] for side in common.systems
        )
        for side in common.systems:
            side.forget_derived()
        return common, (of_first, of_second)

    def add(self, pair: _ScoredPair, first_row: int | Int64 | None) -> None:
        """Add what `measure` found."""
        common, statistics = pair
        for system, part, columns in zip(self.systems, common.systems, statistics, strict=True):
            system.add_statistics(part, columns, first_row)
        self.words += common.words
        self.reference_words += common.reference_words
        self.segments += common.segments

    def merge(self, other: RunningPair) -> None:
        """Add what was found in other rows."""
        for mine, further in zip(self.systems, other.systems, strict=True):
            mine.merge(further)
        self.words += other.words
        self.reference_words += other.reference_words
        self.segments += other.segments

    def result(self) -> PairScores:
        """Return what was found."""
        of_first, of_second = (system.result() for system in self.systems)
        counts = self.words, self.reference_words, self.segments
        return PairScores(self.first, self.second, (of_first, of_second), *counts)


def measurements(evaluation: Evaluation, metrics: Sequence[Metric]) -> list[Measurement]:
    """Return what was kept of all systems, one entry per metric, for intervals and tests."""
    documents = evaluation.documents
    if evaluation.systems and evaluation.systems[0].buckets:
        systems = [system.buckets for system in evaluation.systems]
        return [bucket_measurement([each[m] for each in systems]) for m in range(len(metrics))]
    measured = []
    for m, metric in enumerate(metrics):
        statistics = [system.statistics[m] for system in evaluation.systems]
        made = Measurement(statistics, metric.score, metric.higher_is_better)
        measured.append(made if documents is None else documents.measurement(made))
    return measured


def pair_measurements(
    pair: PairScores, metrics: Sequence[Metric], documents: Documents | None = None
) -> dict[int, Measurement]:
    """Return what was kept of a pair on common words, by the numbers of the order metrics."""
    numbers = [m for m, metric in enumerate(metrics) if reads_orders_alone(metric)]
    evaluation = Evaluation(0, 0, (), pair.systems, documents=documents)
    found = measurements(evaluation, [metrics[number] for number in numbers])
    return dict(zip(numbers, found, strict=True))


def select(evaluation: Evaluation, metrics: Sequence[int]) -> Evaluation:
    """Return an evaluation with some of its metrics, by number."""
    systems = []
    for system in evaluation.systems:
        kept: dict[str, Any] = {}
        for name in ("scores", "statistics", "buckets", "segments"):
            column = getattr(system, name)
            kept[name] = tuple(column[m] for m in metrics if column)
        systems.append(replace(system, **kept))
    return replace(evaluation, systems=tuple(systems))
