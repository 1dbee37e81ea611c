"""Reference orders from files of alignments, some lines at a time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import numpy as np

from wordorder.alignment.reading import AlignmentReader
from wordorder.order.reading import write_rows
from wordorder.order.reference import ReferenceReport, reference_orders, reference_report
from wordorder.text.counts import TokenCounter
from wordorder.text.lines import line_count_mismatch
from wordorder.text.opening import Path
from wordorder.text.output import write_output

CHUNK = 1 << 15


def convert_alignments(
    alignments: Path,
    source: Path,
    output: Path,
    *,
    target: Path | None = None,
    format: str = "auto",
    one_based: bool = False,
    rule: str = "talbot",
    unaligned: str | None = None,
    links: str = "all",
    progress: Callable[[int], None] | None = None,
) -> ReferenceReport:
    """Write the reference orders of a file of alignments.

    Parameters
    ----------
    alignments, source, target : path or "-"
        As many lines in each; `target` is only used to check the links.
    output : path or "-"
    format, one_based
        As in `read_alignments`.
    rule, unaligned, links
        As in `reference_orders`.
    progress : callable, optional
        Told now and then how many lines are done.

    Returns
    -------
    ReferenceReport

    Raises
    ------
    InputError
        If a file is wrong or the files differ in their number of lines; nothing is then written.

    Notes
    -----
    Memory does not grow with the number of lines.
    """
    report = ReferenceReport()
    with ExitStack() as stack:
        counters = [
            stack.enter_context(TokenCounter(path)) for path in (source, target) if path is not None
        ]
        reader = stack.enter_context(
            AlignmentReader(
                alignments,
                format=format,
                one_based=one_based,
                source_name=counters[0].name,
                target_name=counters[-1].name,
            )
        )
        stream = stack.enter_context(write_output(output))
        waiting = [np.zeros(0, np.int64) for _ in counters]
        while True:
            waiting = [
                column if len(column) else counter.take(CHUNK)
                for column, counter in zip(waiting, counters, strict=True)
            ]
            lengths = [column[: min(map(len, waiting))] for column in waiting]
            if len(lengths[0]) == 0:
                # A text has ended; so must all.
                if len(reader.take(1)) or any(map(len, waiting)):
                    _raise_mismatch(reader, counters)
                return report
            rows = reader.take(
                len(lengths[0]),
                source_lengths=lengths[0],
                target_lengths=lengths[-1] if target is not None else None,
            )
            if len(rows) == 0:
                _raise_mismatch(reader, counters)
            # Fewer rows than lengths: what is over waits for the next round.
            waiting = [column[len(rows) :] for column in waiting]
            orders = reference_orders(
                rows, lengths[0][: len(rows)], rule=rule, unaligned=unaligned, links=links
            )
            report += reference_report(rows, lengths[0][: len(rows)], orders, links=links)
            write_rows(orders, stream)
            if progress is not None:
                progress(reader.lines)


def _raise_mismatch(reader: AlignmentReader, counters: list[TokenCounter]) -> None:
    """Read all to the end for the counts, and name a text that differs."""
    while len(reader.take(CHUNK)):
        pass
    for counter in counters:
        while len(counter.take(CHUNK)):
            pass
        if counter.lines != reader.lines:
            raise line_count_mismatch(reader.name, reader.lines, counter.name, counter.lines)
