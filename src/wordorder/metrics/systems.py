"""Several systems against one reference, read side by side and scored piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from wordorder.errors import InputError, location
from wordorder.kernels._run import run_pieces, threads
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.base import Metric, Score, left_out
from wordorder.order.first_unmatched import first_beyond
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.statistics.measurement import Measurement
from wordorder.text.lines import line_count_mismatch

Float64 = npt.NDArray[np.float64]

# Lines that are read of each file at a time: enough for the threads, little for the memory.
CHUNK = 1 << 14
# Skipped lines that are named; all are counted.
LISTED = 100


class OrderSource(Protocol):
    """What orders are read from: `OrderReader`, `MatchedTextReader`."""

    name: str
    lines: int

    def take(self, lines: int) -> Orders:
        """Return the orders of the next lines; none at the end."""


class WordSource(Protocol):
    """What the numbers of source words are read from: `WordIdReader`."""

    name: str
    lines: int

    def take(self, lines: int) -> Ragged:
        """Return the numbers of the words of the next lines; none at the end."""


@dataclass(frozen=True)
class SystemScores:
    """What the metrics found for one system.

    Attributes
    ----------
    name : str
    scores : tuple of Score
        One a metric.
    dropped : int
        Words that only one of system and reference has.
    statistics : tuple of float64[S, k], one a metric; empty unless they were to be kept
    """

    name: str
    scores: tuple[Score, ...]
    dropped: int
    statistics: tuple[Float64, ...] = ()


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
    """

    segments: int
    skipped: int
    skipped_lines: tuple[int, ...]
    systems: tuple[SystemScores, ...]


def score_systems(
    reference: OrderSource,
    systems: Sequence[OrderSource],
    metrics: Sequence[Metric],
    *,
    names: Sequence[str] | None = None,
    words: WordSource | None = None,
    keep: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Score systems against a reference while reading.

    Parameters
    ----------
    reference : OrderSource
    systems : sequence of OrderSource
        As many lines as the reference has.
    metrics : sequence of Metric
    names : sequence of str, optional
        What to call the systems instead of the names of their files.
    words : WordSource, optional
        The source words, for ``match="first-unmatched"``.
    keep : bool
        Whether to keep all statistics, which intervals and tests need. Without, memory does not
        grow with the number of lines.
    progress : callable, optional
        Told now and then how many segments are done.

    Raises
    ------
    InputError
        If a line is not an order, or two files differ in their number of lines.
    """
    running = [
        _Running(names[i] if names else source.name, metrics, keep)
        for i, source in enumerate(systems)
    ]
    sources: list[OrderSource | WordSource] = [reference, *systems]
    if words is not None:
        sources.append(words)
    segments = skipped = 0
    skipped_lines: list[int] = []
    pool = ThreadPoolExecutor(max(1, min(threads(), len(sources))))
    try:
        steps = _in_step(sources, pool)
        # As many steps at a time as there are threads, each of which scores whole ones.
        while batch := list(islice(steps, threads())):
            for left_out in _add(running, metrics, batch, words is not None, segments):
                skipped += int(np.count_nonzero(left_out))
                if len(skipped_lines) < LISTED:
                    skipped_lines += (segments + 1 + np.flatnonzero(left_out)[:LISTED]).tolist()
                segments += len(left_out)
            if progress is not None:
                progress(segments)
    finally:
        # Without waiting: after an interrupt a source may stand still, as a terminal does.
        pool.shutdown(wait=False, cancel_futures=True)
    found = tuple(each.result() for each in running)
    return Evaluation(segments, skipped, tuple(skipped_lines[:LISTED]), found)


class _Running:
    """What has been added up for one system."""

    def __init__(self, name: str, metrics: Sequence[Metric], keep: bool) -> None:
        self.name = name
        self.accumulators = [Accumulator(metric) for metric in metrics]
        self.kept: list[list[Float64]] = [[] for _ in metrics] if keep else []
        self.dropped = 0

    def add(self, segments: Segments, statistics: Sequence[Float64]) -> npt.NDArray[np.bool_]:
        """Add segments with their statistics; return which of them a metric left out."""
        missing = np.zeros(len(segments), np.bool_)
        self.dropped += segments.dropped
        for accumulator, column in zip(self.accumulators, statistics, strict=True):
            accumulator.add(segments, column)
            missing |= left_out(column)
        for pieces, column in zip(self.kept, statistics, strict=bool(self.kept)):
            pieces.append(column)
        return missing

    def result(self) -> SystemScores:
        """Return what was found."""
        nothing = Segments.empty()
        statistics = tuple(
            np.concatenate([accumulator.metric.statistics(nothing), *pieces])
            for accumulator, pieces in zip(self.accumulators, self.kept, strict=bool(self.kept))
        )
        scores = tuple(accumulator.compute() for accumulator in self.accumulators)
        return SystemScores(self.name, scores, self.dropped, statistics)


def _check_positions(name: str, before: int, system: Orders, numbers: Ragged) -> None:
    """Raise if a position lies beyond its source sentence; the message names the line."""
    fault = first_beyond(system, numbers)
    if fault is not None:
        row, position, words = fault
        raise InputError(
            location(name, before + row + 1),
            f"position {position} in a source of {words} words",
            "positions of the source; are the files in step?",
        )


def _add(
    running: Sequence[_Running],
    metrics: Sequence[Metric],
    batch: Sequence[Sequence[Any]],
    with_words: bool,
    before: int,
) -> Iterator[npt.NDArray[np.bool_]]:
    """Score some steps on threads and add them up; yield what was left out of each step."""
    tasks: list[tuple[str, int, Orders, Orders, Ragged | None]] = []
    for target, *parts in batch:
        numbers = parts.pop() if with_words else None
        for each, part in zip(running, parts, strict=True):
            tasks.append((each.name, before, part, target, numbers))
        before += len(target)

    def scored(
        task: tuple[str, int, Orders, Orders, Ragged | None],
    ) -> tuple[Segments, list[Float64]]:
        name, first, system, reference, numbers = task
        if numbers is not None:
            _check_positions(name, first, system, numbers)
        segments = Segments.from_orders(system, reference, source=numbers)
        return segments, [metric.statistics(segments) for metric in metrics]

    done = iter(run_pieces(scored, tasks))
    for target, *_ in batch:
        missing = np.zeros(len(target), np.bool_)
        for each in running:
            missing |= each.add(*next(done))
        yield missing


def measurements(evaluation: Evaluation, metrics: Sequence[Metric]) -> list[Measurement]:
    """Return the kept statistics of all systems, one entry a metric, for intervals and tests."""
    return [
        Measurement(
            [system.statistics[m] for system in evaluation.systems],
            metric.score,
            metric.higher_is_better,
        )
        for m, metric in enumerate(metrics)
    ]


def select(evaluation: Evaluation, metrics: Sequence[int]) -> Evaluation:
    """Return an evaluation with some of its metrics, by number."""
    return replace(
        evaluation,
        systems=tuple(
            replace(
                system,
                scores=tuple(system.scores[m] for m in metrics),
                statistics=tuple(system.statistics[m] for m in metrics if system.statistics),
            )
            for system in evaluation.systems
        ),
    )


def _in_step(
    sources: Sequence[OrderSource | WordSource], pool: ThreadPoolExecutor
) -> Iterator[list[Any]]:
    """Yield the same rows of all sources, until all end.

    A source may give fewer rows at a time than another: what is over waits for the next round.
    """
    waiting: list[Any] = [None] * len(sources)

    def filled(number: int) -> Any:
        part = waiting[number]
        return part if part is not None and len(part) else sources[number].take(CHUNK)

    while True:
        waiting = list(pool.map(filled, range(len(sources))))
        rows = min(map(len, waiting))
        if rows == 0:
            break
        yield [part if len(part) == rows else part[:rows] for part in waiting]
        waiting = [None if len(part) == rows else part[rows:] for part in waiting]
    if any(map(len, waiting)):
        _raise_mismatch(sources)


def _raise_mismatch(sources: Sequence[OrderSource | WordSource]) -> None:
    """Read all files to their end for the counts, and name two that differ."""
    for source in sources:
        while len(source.take(CHUNK)):
            pass
    first = sources[0]
    other = next(source for source in sources if source.lines != first.lines)
    raise line_count_mismatch(first.name, first.lines, other.name, other.lines)
