"""What an engine would have to do: spans, and an estimate from the first rows."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wordorder.counts import counted
from wordorder.scale.jobs import checked, perform
from wordorder.scale.span import Span
from wordorder.text.in_step import CHUNK

# Seconds of CPU after which a trial is long enough to be judged by.
ENOUGH = 0.2
MOST_ROWS = 64 * CHUNK


@dataclass(frozen=True)
class Plan:
    """Spans, and what they cost.

    Attributes
    ----------
    spans : tuple of Span
    seconds : float or None
        CPU time of all, on one core of this machine; None where nothing could be tried.
    result_bytes : int
        What a worker sends back for a span.
    """

    spans: tuple[Span, ...]
    seconds: float | None
    result_bytes: int = 0

    @classmethod
    def of(cls, spans: Sequence[Span]) -> Plan:
        """Do the first rows, on this machine; nothing of it is kept.

        Raises
        ------
        WordOrderError
            If they are wrong.
        """
        first = spans[0]
        if any(part.lines != first.rows for part in first.parts.values()):
            return cls(tuple(spans), None)
        rows = min(CHUNK, first.rows)
        seconds, result = _tried(first, rows)
        while seconds < ENOUGH and rows < min(first.rows, MOST_ROWS):
            rows = min(4 * rows, first.rows)
            seconds, result = _tried(first, rows)
        every = sum(span.rows for span in spans)
        return cls(tuple(spans), seconds * every / max(rows, 1), len(result))

    def to_text(self) -> str:
        """Return a table of the spans and a line with the estimate."""
        lines = ["span\tfirst row\trows"]
        for number, span in enumerate(self.spans, 1):
            rows = span.rows if span.rows else "all"
            lines.append(f"{number}\t{span.first_row + 1}\t{rows}")
        every = sum(span.rows for span in self.spans)
        size = sum(size for size, _ in self.spans[0].files.values())
        lines.append(f"{counted(len(self.spans), 'span')}, {every} rows, {size / 1e6:.1f} MB")
        if self.seconds is None:
            lines.append("no estimate: the first rows cannot be tried alone")
        else:
            sent = sum(len(span.to_json()) for span in self.spans)
            back = self.result_bytes * len(self.spans)
            lines.append(
                f"about {_time(self.seconds)} of CPU in all; {sent / 1e3:.1f} kB go to the "
                f"workers, {back / 1e3:.1f} kB come back"
            )
        return "\n".join(lines) + "\n"


def _tried(span: Span, rows: int) -> tuple[float, bytes]:
    """Do the first rows of a span; return the CPU seconds, and what came of them."""
    parts = {name: replace(part, lines=rows) for name, part in span.parts.items()}
    with tempfile.TemporaryDirectory() as folder:
        task = {**span.task, "folder": folder}
        trial = replace(span, task=task, rows=rows, parts=parts).to_json()
        before = time.process_time()
        result = checked(perform(trial))
        return time.process_time() - before, result


def _time(seconds: float) -> str:
    """Write a time in the unit that fits.

    Examples
    --------
    >>> _time(4.2), _time(400), _time(40000)
    ('4.2 seconds', '6.7 minutes', '11.1 hours')
    """
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} seconds"
