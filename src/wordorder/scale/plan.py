"""The work of an engine: running a span, storing results, and estimating the time of all spans."""

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

# Trials grow until one takes this many seconds of CPU, or has this many rows.
MIN_TRIAL_SECONDS = 0.2
MAX_TRIAL_ROWS = 64 * CHUNK_LINES

# The start of a result that is an error.
_ERROR_START = b'{"error":'
_ERRORS = {kind.__name__: kind for kind in (InputError, ModelError, UsageError, WordOrderError)}


@dataclass(frozen=True)
class Plan:
    """Spans, with an estimate of their cost.

    Attributes
    ----------
    spans : tuple of Span
    seconds : float or None
        CPU time of all spans on one core of this machine; None if no trial was possible.
    result_bytes : int
        Size of the result of a span.
    """

    spans: tuple[Span, ...]
    seconds: float | None
    result_bytes: int = 0

    @classmethod
    def of(cls, spans: Sequence[Span]) -> Plan:
        """Estimate the cost of spans by running their first rows on this machine.

        Raises
        ------
        WordOrderError
            If the trial fails.
        """
        first = spans[0]
        if any(part.lines != first.rows for part in first.parts.values()):
            return cls(tuple(spans), None)
        rows = min(CHUNK_LINES, first.rows)
        seconds, result = _run_trial(first, rows)
        while seconds < MIN_TRIAL_SECONDS and rows < min(first.rows, MAX_TRIAL_ROWS):
            rows = min(4 * rows, first.rows)
            seconds, result = _run_trial(first, rows)
        total_rows = sum(span.rows for span in spans)
        return cls(tuple(spans), seconds * total_rows / max(rows, 1), len(result))

    def to_text(self) -> str:
        """Return a table of the spans and a line with the estimate."""
        lines = ["span\tfirst row\trows"]
        for number, span in enumerate(self.spans, 1):
            lines.append(f"{number}\t{span.first_row + 1}\t{span.rows or 'all'}")
        rows = sum(span.rows for span in self.spans)
        size = sum(size for size, _ in self.spans[0].files.values())
        lines.append(f"{counted(len(self.spans), 'span')}, {rows} rows, {size / 1e6:.1f} MB")
        if self.seconds is None:
            lines.append("no estimate: the first rows cannot be tried alone")
        else:
            span_bytes = sum(len(span.to_json()) for span in self.spans)
            result_bytes = self.result_bytes * len(self.spans)
            lines.append(
                f"about {duration(self.seconds)} of CPU in all; {span_bytes / 1e3:.1f} kB go to "
                f"the workers, {result_bytes / 1e3:.1f} kB come back"
            )
        return "\n".join(lines) + "\n"


def _run_trial(span: Span, rows: int) -> tuple[float, bytes]:
    """Run the first rows of a span; return the seconds of CPU and the result."""
    parts = {name: replace(part, lines=rows) for name, part in span.parts.items()}
    with tempfile.TemporaryDirectory() as folder:
        task = {**span.task, "folder": folder}
        trial = replace(span, task=task, rows=rows, parts=parts).to_json()
        before = time.process_time()
        result = raise_failure(perform(trial))
        return time.process_time() - before, result


def perform(job: bytes) -> bytes:
    """Run a span, on any machine that sees its files.

    Parameters
    ----------
    job : bytes
        ``Span.to_json()``; its task contains the command and the version of the sending package.

    Returns
    -------
    bytes
        One line: the result of the command for the span, or its error. Errors are returned and not
        raised, because engines would wrap the exception and repeat the job.
    """
    try:
        return _run_job(job)
    except WordOrderError as error:
        return _error_to_json(error)


def is_failure(result: bytes) -> bool:
    """Return whether a result of `perform` is an error."""
    return result.startswith(_ERROR_START)


def is_result(stored: bytes) -> bool:
    """Return whether stored bytes are a complete result of `perform`.

    Examples
    --------
    >>> is_result(b'{"newlines":[3]}'), is_result(b'{"newlines":[')
    (True, False)
    """
    try:
        return isinstance(json.loads(stored), dict)
    except ValueError:
        return False


def raise_failure(result: bytes) -> bytes:
    """Return a result of `perform`, or raise it if it is an error.

    Raises
    ------
    WordOrderError
        The error of the worker.
    """
    if not is_failure(result):
        return result
    content = json.loads(result)
    raise _ERRORS[content["error"]](*content["arguments"])


def _run_job(job: bytes) -> bytes:
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
    """Raise an InputError if a file is missing here, or has another size than when it was cut."""
    host = socket.gethostname()
    try:
        size_here, _ = stored_stamp(path)
    except OSError as error:
        problem = f"the worker on {host}: {error.strerror or error}"
        raise InputError(path, problem, "a file that all workers see under this path") from None
    if size_here != size:
        problem = f"{size_here} bytes for the worker on {host}, {size} when the spans were cut"
        raise InputError(path, problem, "the same file everywhere, unchanged")


def _error_to_json(error: WordOrderError) -> bytes:
    kind = type(error).__name__
    arguments: tuple[Any, ...] = (str(error),)
    if isinstance(error, InputError):
        kind, arguments = "InputError", (error.where, error.what, error.expected)
    elif kind not in _ERRORS:
        kind = "WordOrderError"
    return json.dumps({"error": kind, "arguments": arguments}, separators=(",", ":")).encode()


class ResultFolder:
    """A folder with results of spans, one file each, named by a hash of the span.

    Parameters
    ----------
    folder : str
        Created if it does not exist; may contain results of several runs.

    Raises
    ------
    UsageError
        If the folder cannot be created.

    Examples
    --------
    >>> import tempfile
    >>> state = ResultFolder(tempfile.mkdtemp())
    >>> state.store(b"a span", b"a result")
    >>> state.result(b"a span"), state.result(b"another")
    (b'a result', None)
    """

    def __init__(self, folder: str) -> None:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--state={folder}: {error.strerror or error}") from None
        self._folder = folder

    def store(self, job: bytes, result: bytes) -> None:
        """Write the result of a job, atomically."""
        with write_output(self._path(job)) as stream:
            stream.write(result)

    def result(self, job: bytes) -> bytes | None:
        """Return the stored result of a job, or None."""
        try:
            with open(self._path(job), "rb") as stream:
                return stream.read()
        except FileNotFoundError:
            return None

    def _path(self, job: bytes) -> str:
        """Return the path of the result, named by the SHA-256 of the job."""
        return os.path.join(self._folder, f"{hashlib.sha256(job).hexdigest()}.json")


def main() -> None:
    """Run the jobs of standard input, until it ends because the parent process has ended.

    A thread reads the jobs, so that the process ends even in the middle of a span.
    """
    # The parent process handles Ctrl-C.
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
    """Put the lines of standard input into the queue, and end the process after the last one."""
    for job in sys.stdin.buffer:
        jobs.put(job)
    # Without clean-up, because the main thread may still run a span.
    os._exit(0)


if __name__ == "__main__":
    main()
