"""What the program prints: results on standard output; notes, errors and progress beside it."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from wordorder.errors import WordOrderWarning
from wordorder.text.names import table_column
from wordorder.text.opening import kind_of_bytes

if TYPE_CHECKING:
    from wordorder.report.document import Output


# Of the JSON of every verb. It rises when a field changes its meaning or goes, not when one comes.
JSON_VERSION = 1

# Seconds before the first line that tells how far work has come, and between two.
PATIENCE, PAUSE = 1.0, 0.2
# As much of a file tells how long its sentences are.
SAMPLE_BYTES = 1 << 18

# Where a context keeps the file that takes the place of standard output.
OUTPUT = "wordorder.output"


class Messages:
    """The lines on standard error of one run of the program.

    Attributes
    ----------
    notes : list of str
        The notes so far, each once.
    quiet : bool
        Whether notes are kept to ourselves.
    """

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.quiet = False

    def add(self, text: str, kind: str = "") -> None:
        """Print a note and keep it."""
        self.notes.append(text)
        self._print(kind + text)

    def moved(self, old: str, new: str) -> None:
        """Print a note on the old name of an option; the notes of JSON are about the data."""
        what = f"is now {new}; the old name" if new else "does nothing and"
        self._print(f"note: {old} {what} will go in the next version")

    def _print(self, text: str) -> None:
        if not self.quiet:
            print_line(text)

    def warned(
        self, message: Warning | str, category: type[Warning], *place: Any, **more: Any
    ) -> None:
        """Print a warning as a note, once; takes the place of `warnings.showwarning`."""
        if str(message) not in self.notes:
            ours = issubclass(category, WordOrderWarning)
            self.add(str(message), "note: " if ours else f"{category.__name__}: ")


def print_line(message: str) -> None:
    """Print a message, in one line whatever a file is called."""
    from wordorder.text.shown import printable

    # A line that counts how far the work has come goes first.
    erased = "\r\033[K" if sys.stderr is not None and sys.stderr.isatty() else ""
    click.echo(f"{erased}wordorder: {printable(message)}", err=True)


def say(text: str) -> None:
    """Say on standard error what was done."""
    click.get_current_context().ensure_object(Messages).add(text)


def show(found: Output, form: str) -> None:
    """Print a result in the form that was asked for."""
    if form == "json":
        print_json(found.data())
    else:
        put(found.printed(form))


def print_json(found: dict[str, Any]) -> None:
    """Print a result as JSON, with the version of its form and the notes of this run."""
    import json

    notes = click.get_current_context().ensure_object(Messages).notes
    whole = {"version": JSON_VERSION, **found, "notes": notes}
    put(json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def put(text: str) -> None:
    """Print the result on standard output, or write it to the file of ``--output``."""
    output = click.get_current_context().meta.get(OUTPUT)
    if output is None:
        click.echo(text, nl=False)
        return
    from wordorder.text.output import write_output

    with write_output(output) as stream:
        # A file name that is no text stays visible, as on standard output.
        stream.write(text.encode(errors="backslashreplace"))


def _be_quiet(ctx: click.Context, _: click.Parameter, quiet: bool) -> None:
    if quiet:
        ctx.ensure_object(Messages).quiet = True


quiet_option = click.Option(
    ["-q", "--quiet"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_be_quiet,
    help="Print no notes on standard error, only errors.",
)

NOT_ENOUGH = "error: not enough memory"

# What the loader of libraries and the starter of threads say then.
_SAID = re.compile(
    "failed to map segment|annot allocate memory|cannot create shared object|can't start new thread"
)


def lacks_memory(error: BaseException | None) -> bool:
    """Return whether an error, or one that led to it, comes from a lack of memory.

    Examples
    --------
    >>> lacks_memory(MemoryError()), lacks_memory(RuntimeError("can't start new thread"))
    (True, True)
    >>> lacks_memory(ImportError("No module named x"))
    False
    """
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            return True
        if isinstance(error, (ImportError, RuntimeError)) and _SAID.search(str(error)):
            return True
        # What C code raises that forgot to say what failed.
        if isinstance(error, SystemError) and _is_limited():
            return True
        error = error.__cause__ or error.__context__
    return False


def _is_limited() -> bool:
    """Return whether this process may have only so much memory."""
    try:
        import resource
    except ImportError:
        return False
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return any(resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in kinds)


@contextmanager
def hint_at_resuming(
    output: str | None,
    how: str = "goes on from the last whole epoch",
    *,
    before: str = "",
    kept: Iterable[str] = (),
) -> Iterator[None]:
    """Say after an interrupt how a training can go on, if it has come far enough.

    Parameters
    ----------
    output : str or None
        What it makes.
    how : str
        What the same command with ``--resume`` does.
    before : str
        What is said first.
    kept : iterable of str
        What the training leaves beside its checkpoint, or instead of it.
    """
    try:
        yield
    except KeyboardInterrupt:
        if output is not None and any(map(os.path.exists, [f"{output}.checkpoint", *kept])):
            say(f"{before}the same command with --resume {how}")
        raise


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
