"""Several systems against one reference, read side by side and scored piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from wordorder.kernels._run import threads
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.base import Metric, Score
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.statistics.measurement import Measurement
from wordorder.text.lines import line_count_mismatch

Float64 = npt.NDArray[np.float64]

# Lines that are read of each file at a time: enough for the threads, little for the memory.
CHUNK = 1 << 15


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
    running = [[Accumulator(metric) for metric in metrics] for _ in systems]
    kept: list[list[list[Float64]]] = [[[] for _ in metrics] for _ in systems]
    dropped = [0] * len(systems)
    segments = skipped = 0
    skipped_lines: list[int] = []
    sources: list[OrderSource | WordSource] = [reference, *systems]
    if words is not None:
        sources.append(words)
    pool = ThreadPoolExecutor(max(1, min(threads(), len(sources))))
    try:
        for target, *parts in _in_step(sources, pool):
            numbers = parts.pop() if words is not None else None
            rows = len(target)
            missing = np.zeros(rows, np.bool_)
            for system, part in enumerate(parts):
                piece = Segments.from_orders(part, target, source=numbers)
                dropped[system] += piece.dropped
                for place, accumulator in enumerate(running[system]):
                    statistics = accumulator.update(piece)
                    missing |= ~statistics.any(axis=1)
                    if keep:
                        kept[system][place].append(statistics)
            skipped += int(missing.sum())
            if len(skipped_lines) < 100:
                skipped_lines += [segments + int(i) + 1 for i in np.flatnonzero(missing)[:100]]
            segments += rows
            if progress is not None:
                progress(segments)
    finally:
        # Without waiting: after an interrupt a source may stand still, as a terminal does.
        pool.shutdown(wait=False, cancel_futures=True)
    found = []
    for system, source in enumerate(systems):
        scores = tuple(accumulator.compute() for accumulator in running[system])
        found.append(
            SystemScores(
                names[system] if names else source.name,
                scores,
                dropped[system],
                tuple(
                    np.concatenate(pieces) if pieces else metric.statistics(_no_segments())
                    for metric, pieces in zip(metrics, kept[system], strict=True)
                )
                if keep
                else (),
            )
        )
    return Evaluation(segments, skipped, tuple(skipped_lines[:100]), tuple(found))


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


def _no_segments() -> Segments:
    return Segments.from_permutations([])


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
