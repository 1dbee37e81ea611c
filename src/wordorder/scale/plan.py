"""What an engine would have to do: spans, and an estimate from the first rows."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from queue import SimpleQueue
from threading import Thread
from typing import Any

from wordorder._version import __version__
from wordorder.errors import InputError, ModelError, UsageError, WordOrderError
from wordorder.messages import counted, duration
from wordorder.scale.line_output import Span, write_span
from wordorder.text.lockstep import CHUNK_LINES
from wordorder.text.output import write_output
from wordorder.text.stores import stored_stamp

# Seconds of CPU after which a trial is long enough to be judged by.
ENOUGH = 0.2

MOST_ROWS = 64 * CHUNK_LINES


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
        rows = min(CHUNK_LINES, first.rows)
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
                f"about {duration(self.seconds)} of CPU in all; {sent / 1e3:.1f} kB go to the "
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


_FAILED = b'{"error":'

_ERRORS = {kind.__name__: kind for kind in (InputError, ModelError, UsageError, WordOrderError)}


def perform(job: bytes) -> bytes:
    """Do the work of a span, on any machine that sees its files.

    Parameters
    ----------
    job : bytes
        ``Span.to_json()``; its task names the verb and the version of the package that gave it out.

    Returns
    -------
    bytes
        One line: what the verb makes of the span, or the error that it ran into. Errors are given
        back and not raised, since engines wrap what is raised, and would try again.
    """
    try:
        return _done(job)
    except WordOrderError as error:
        return _written(error)


def is_failure(result: bytes) -> bool:
    """Return whether `perform` returned an error."""
    return result.startswith(_FAILED)


def is_result(kept: bytes) -> bool:
    """Return whether bytes from a disk are what `perform` returned, whole.

    Examples
    --------
    >>> is_result(b'{"newlines":[3]}'), is_result(b'{"newlines":[')
    (True, False)
    """
    try:
        return isinstance(json.loads(kept), dict)
    except ValueError:
        return False


def checked(result: bytes) -> bytes:
    """Return what `perform` returned, unless it is an error, which is raised.

    Raises
    ------
    WordOrderError
        The error that the worker ran into.
    """
    if not is_failure(result):
        return result
    found = json.loads(result)
    raise _ERRORS[found["error"]](*found["arguments"])


def _done(job: bytes) -> bytes:
    version = json.loads(job)["task"].get("version")
    if version != __version__:
        raise UsageError(
            f"the worker on {socket.gethostname()} has wordorder {__version__}, not {version}: "
            "install one version everywhere"
        )
    span = Span.from_json(job)
    for path, (size, _) in span.files.items():
        _check_file(path, size)
    if span.task["verb"] == "count":
        from wordorder.scale.cutting import count_span

        return count_span(span)
    if span.task["verb"] == "score":
        from wordorder.scale.scoring import work

        return work(span)

    return write_span(span)


def _check_file(path: str, size: int) -> None:
    """Raise unless this machine sees a file as it was when it was cut."""
    here = socket.gethostname()
    try:
        found, _ = stored_stamp(path)
    except OSError as error:
        what = f"the worker on {here}: {error.strerror or error}"
        raise InputError(path, what, "a file that all workers see under this path") from None
    if found != size:
        what = f"{found} bytes for the worker on {here}, {size} when the spans were cut"
        raise InputError(path, what, "the same file everywhere, unchanged")


def _written(error: WordOrderError) -> bytes:
    kind = type(error).__name__
    arguments: tuple[Any, ...] = (str(error),)
    if isinstance(error, InputError):
        kind, arguments = "InputError", (error.where, error.what, error.expected)
    elif kind not in _ERRORS:
        kind = "WordOrderError"
    return json.dumps({"error": kind, "arguments": arguments}, separators=(",", ":")).encode()


class State:
    """Results of spans by the hash of the span.

    Parameters
    ----------
    folder : str
        Made if it is not there; may hold the results of several runs.

    Raises
    ------
    UsageError
        If it cannot be made.

    Examples
    --------
    >>> import tempfile
    >>> state = State(tempfile.mkdtemp())
    >>> state.keep(b"a span", b"a result")
    >>> state.result(b"a span"), state.result(b"another")
    (b'a result', None)
    """

    def __init__(self, folder: str) -> None:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--state={folder}: {error.strerror or error}") from None
        self._folder = folder

    def keep(self, job: bytes, result: bytes) -> None:
        """Write a result, whole or not at all."""
        with write_output(self._path(job)) as stream:
            stream.write(result)

    def result(self, job: bytes) -> bytes | None:
        """Return what was kept for a span, if anything was."""
        try:
            with open(self._path(job), "rb") as stream:
                return stream.read()
        except FileNotFoundError:
            return None

    def _path(self, job: bytes) -> str:
        """Return the path of the result of a job, named by the SHA-256 of the job."""
        return os.path.join(self._folder, f"{hashlib.sha256(job).hexdigest()}.json")


def main() -> None:
    """Work until the input ends: the process that hands out the spans has ended then.

    A thread waits for jobs, so that the end of the input is seen in the middle of a span too.
    """
    # An interrupt is for whoever gives out the spans.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    jobs: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read_jobs, args=(jobs,), daemon=True).start()
    while True:
        result = perform(jobs.get())
        try:
            sys.stdout.buffer.write(result + b"\n")
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os._exit(0)


def _read_jobs(jobs: SimpleQueue[bytes]) -> None:
    """Pass on the lines of standard input as jobs, and end the process after the last one."""
    for job in sys.stdin.buffer:
        jobs.put(job)
    # Without the work of a normal end: the main thread may be anywhere in a span.
    os._exit(0)


if __name__ == "__main__":
    main()
