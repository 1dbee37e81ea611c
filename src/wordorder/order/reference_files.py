"""Reference orders from files of alignments, some lines at a time."""

from __future__ import annotations

from typing import Any

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
    counters = [TokenCounter(path) for path in (source, target) if path is not None]
    names: dict[str, Any] = {"source_name": counters[0].name, "target_name": counters[-1].name}
    report = ReferenceReport()
    reader = AlignmentReader(alignments, format=format, one_based=one_based, **names)
    with reader, write_output(output) as stream:
        while True:
            lengths = [counter.take(CHUNK) for counter in counters]
            rows = reader.take(
                CHUNK,
                source_lengths=lengths[0],
                target_lengths=lengths[-1] if target is not None else None,
            )
            if any(len(column) != len(rows) for column in lengths):
                _raise_mismatch(reader, counters)
            if len(rows) == 0:
                return report
            orders = reference_orders(
                rows, lengths[0], rule=rule, unaligned=unaligned, links=links
            )
            report += reference_report(rows, lengths[0], orders, links=links)
            write_rows(orders, stream)


def _raise_mismatch(reader: AlignmentReader, counters: list[TokenCounter]) -> None:
    """Count all lines and raise the error that names two files that differ."""
    while len(reader.take(CHUNK)):
        pass
    for counter in counters:
        while len(counter.take(CHUNK)):
            pass
        if counter.lines != reader.lines:
            raise line_count_mismatch(reader.name, reader.lines, counter.name, counter.lines)
