"""Reference orders of a file of alignments, some lines at a time."""

from collections import deque
from contextlib import ExitStack
from typing import Any

import numpy as np

from wordorder.alignment.reading import AlignmentReader
from wordorder.arrays import Int64, OnProgress
from wordorder.notes import note
from wordorder.order.reading import write_rows
from wordorder.order.reference import (
    DEFAULT_UNALIGNED,
    ReferenceReport,
    linked_words,
    reference_orders,
    reference_report,
)
from wordorder.order.unlinked import UnlinkedWriter, unlinked_rows
from wordorder.progress import shows_progress
from wordorder.text.lines import tokens
from wordorder.text.lockstep import length_mismatch
from wordorder.text.opening import Closeable, Path
from wordorder.text.output import write_output
from wordorder.text.readers import ConlluWordCounter, TokenCounter, word_counter, word_reader

# The number of lines that are read at a time.
CHUNK_SENTENCES = 1 << 15


@shows_progress("lines")
def convert_alignments(
    alignments: Path,
    source: Path,
    output: Path,
    *,
    target: Path | None = None,
    format: str = "auto",
    one_based: bool = False,
    strict: bool = False,
    rule: str = "talbot",
    unaligned: str | None = None,
    links: str = "all",
    unlinked: Path | None = None,
    progress: OnProgress | None = None,
) -> ReferenceReport:
    """Write the reference orders of a file of alignments.

    Parameters
    ----------
    alignments, source, target : path or "-"
        Files with the same number of lines, or of sentences of a treebank; `target` is only used
        to check the links.
    output : path or "-"
    format, one_based, strict
        See `read_alignments`.
    rule, unaligned, links
        See `reference_orders`; ``lader`` reads the words of `source` too.
    unlinked : path, optional
        A second output: the words without a link and their treatment, which scoring reads; see
        `wordorder.text.names.unlinked_paths` for its name.
    progress : callable, optional
        Called with the number of lines processed so far.

    Returns
    -------
    ReferenceReport

    Raises
    ------
    InputError
        If a file is invalid, or the files differ in their number of lines; then no output appears.

    Warns
    -----
    note
        If sentences with links have no order under the rule ``topdown-btg``.

    Notes
    -----
    Memory does not depend on the number of lines.
    """
    report = ReferenceReport()
    rule_options: dict[str, Any] = {"rule": rule, "unaligned": unaligned, "links": links}
    without_order = 0
    with ExitStack() as stack:
        source_words = _BufferedWordReader(source) if rule == "lader" else None
        counters: list[TokenCounter | ConlluWordCounter | _BufferedWordReader] = []
        for path in (source, target):
            if path is not None:
                counters.append(
                    source_words if source_words and not counters else word_counter(path)
                )
                stack.enter_context(counters[-1])
        notation: dict[str, Any] = {"format": format, "one_based": one_based, "strict": strict}
        notation |= {"source_name": counters[0].name, "target_name": counters[-1].name}
        reader = stack.enter_context(AlignmentReader(alignments, **notation))
        stream = stack.enter_context(write_output(output))
        unlinked_writer = None
        if unlinked is not None:
            treatment = unaligned or DEFAULT_UNALIGNED[rule]
            unlinked_writer = UnlinkedWriter(
                stack.enter_context(write_output(unlinked)), rule, treatment, str(links)
            )
            stream = unlinked_writer.watching(stream)
        waiting = [np.zeros(0, np.int64) for _ in counters]
        while True:
            unread = zip(waiting, counters, strict=True)
            waiting = [
                column if len(column) else counter.take(CHUNK_SENTENCES)
                for column, counter in unread
            ]
            lengths = [column[: min(map(len, waiting))] for column in waiting]
            if len(lengths[0]) == 0:
                # One text has ended, so all must have.
                if len(reader.take(1)) or any(map(len, waiting)):
                    raise length_mismatch([reader, *counters])
                break
            target_lengths = lengths[-1] if target is not None else None
            side_lengths = {"source_lengths": lengths[0], "target_lengths": target_lengths}
            rows = reader.take(len(lengths[0]), **side_lengths)
            if len(rows) == 0:
                raise length_mismatch([reader, *counters])
            # If there are fewer rows than lengths, the other lengths are for the next rows.
            waiting = [column[len(rows) :] for column in waiting]
            words = None if source_words is None else source_words.words(len(rows))
            orders = reference_orders(rows, lengths[0][: len(rows)], words=words, **rule_options)
            report += reference_report(rows, lengths[0][: len(rows)], orders, links=links)
            if rule == "topdown-btg":
                with_links = np.diff(rows.offsets) > 0
                without_order += int(np.count_nonzero(with_links & (orders.lengths == 0)))
            write_rows(orders, stream)
            if unlinked_writer is not None:
                linked = linked_words(rows, lengths[0][: len(rows)], links=links)
                unlinked_writer.add(unlinked_rows(linked, lengths[0][: len(rows)]), len(linked))
            if progress is not None:
                progress(reader.lines)
        if unlinked_writer is not None:
            unlinked_writer.finish()
    if without_order:
        reason = "have a target span inside another one, and so no order"
        note(f"{without_order} of {report.sentences} sentences {reason}")
    return report


class _BufferedWordReader(Closeable):
    """A `word_counter` that also stores the words of the sentences it counts."""

    def __init__(self, path: Path) -> None:
        self._reader = word_reader(path)
        self.name = self._reader.name
        self._kept: deque[list[str]] = deque()

    @property
    def lines(self) -> int:
        """The number of sentences counted so far."""
        return self._reader.lines

    def take(self, lines: int) -> Int64:
        """Return the number of words of each of the next sentences."""
        rows = [tokens(line) for line in self._reader.take(lines).strings()]
        self._kept += rows
        return np.array([len(row) for row in rows], np.int64)

    def words(self, lines: int) -> list[list[str]]:
        """Return and remove the words of the earliest stored sentences."""
        return [self._kept.popleft() for _ in range(lines)]

    def close(self) -> None:
        """Close the input."""
        self._reader.close()
