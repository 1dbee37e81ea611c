"""How far long work has come, on a terminal only."""

from __future__ import annotations

import os
import stat
import sys
import time
from types import TracebackType

from wordorder.text.compression import kind_of_bytes
from wordorder.text.names import table_column

# Seconds before the first line, and between two.
PATIENCE, PAUSE = 1.0, 0.2
# As much of a file tells how long its sentences are.
SAMPLE_BYTES = 1 << 18


class Progress:
    """A line on standard error that counts, tells rate and time left, and is gone at the end.

    Parameters
    ----------
    noun : str
        What is counted: ``"lines"``.
    total : int, optional
        About how many there are.

    Notes
    -----
    Prints nothing in the first second, and nothing at all where standard error is not a terminal.
    The line is cut to the width of the terminal.

    Examples
    --------
    >>> with Progress("lines") as progress:
    ...     progress(1000)
    """

    def __init__(self, noun: str, total: int | None = None) -> None:
        self._noun = noun
        self._total = total
        on_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + PATIENCE if on_terminal else float("inf")
        self._shown = False
        self._work = ""
        self._begin = time.monotonic()
        self._before = 0

    def __call__(self, done: int) -> None:
        """Show how many are done, at most five times a second."""
        self.show("", done, self._total)

    def show(self, work: str, done: int, total: int | None, more: int = 0) -> None:
        """Show how many are done of some part of the work.

        Parameters
        ----------
        work : str
            What the part is called; rates are those within a part.
        done : int
        total : int or None
            How many the part has, if that is known.
        more : int
            How many follow in further parts.
        """
        now = time.monotonic()
        if work != self._work:
            self._work, self._begin, self._before = work, now, done
        if now < self._next:
            return
        line = progress_line(
            self._noun, done, total, more, (done - self._before) / max(now - self._begin, 1e-9)
        )
        line = f"{work}: {line}" if work else line
        sys.stderr.write(f"\r{line[: _columns() - 1]}\033[K")
        sys.stderr.flush()
        self._next = now + PAUSE
        self._shown = True

    def clear(self) -> None:
        """Take the line away, so that another can be printed."""
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self._shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()


def progress_line(noun: str, done: int, total: int | None, more: int, rate: float) -> str:
    """Say how much is done, how fast, and how much time is left.

    Parameters
    ----------
    noun : str
    done : int
    total : int or None
        A total that is too small was a bad guess, and is not named.
    more : int
        How many come after these.
    rate : float
        How many a second.

    Examples
    --------
    >>> progress_line("sentences", 3000, 12000, 0, 500.0)
    '3,000 of 12,000 sentences, 500 a second, 0:18 left'
    >>> progress_line("sentences", 3000, 12000, 120000, 0.5)
    '3,000 of 12,000 sentences, 0.5 a second, 5:00:00 left, 71:40:00 in all'
    >>> progress_line("lines", 3000, None, 0, 500.0)
    '3,000 lines, 500 a second'
    """
    known = total is not None and total >= done
    parts = [f"{done:,} of {total:,} {noun}" if known else f"{done:,} {noun}"]
    if rate > 0:
        parts.append(f"{rate:,.{0 if rate >= 10 else 1}f} a second")
        if known and total is not None:
            parts.append(f"{_clock((total - done) / rate)} left")
            if more:
                parts.append(f"{_clock((total - done + more) / rate)} in all")
    return ", ".join(parts)


def about_how_many(path: str, *, treebank: bool = False) -> int | None:
    """Return about how many lines a file has, or sentences of a treebank, by how it begins.

    None for standard input, pipes, compressed files, and what cannot be read.
    """
    try:
        if path == "-" or table_column(path) or not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            start = file.read(SAMPLE_BYTES)
        if kind_of_bytes(start) is not None:
            return None
        rows = start.count(b"\n\n" if treebank else b"\n")
        # Three digits, since it is a guess.
        return round(float(f"{rows * os.path.getsize(path) / len(start):.3g}")) if rows else None
    except (OSError, ValueError):
        return None


def _clock(seconds: float) -> str:
    """Write a time in hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _columns() -> int:
    """Return how wide the terminal is."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
