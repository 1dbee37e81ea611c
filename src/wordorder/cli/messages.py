"""Output of the program: results on standard output, all else on standard error."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

import click

from wordorder.messages import has_escape_codes

if TYPE_CHECKING:
    from wordorder.arrays import Float64
    from wordorder.report.document import Output


# Of the JSON of every verb. It rises when a field changes its meaning or goes, not when one comes.
JSON_VERSION = 1

# Parts of JSON that are written at a time.
TOKENS = 1 << 12

# Where a context keeps the file that takes the place of standard output.
OUTPUT = "wordorder.output"


NOT_ENOUGH = "error: not enough memory"
# What the loader of libraries and the starter of threads say then.
_SAID = re.compile(
    "failed to map segment|annot allocate memory|cannot create shared object|can't start new thread"
)


class Messages:
    """The lines on standard error of one run of the program.

    Attributes
    ----------
    notes : list of str
        The notes so far, each once.
    quiet : bool
        Whether notes are kept to ourselves.
    after_result : bool
        Whether notes wait for `release`, so that the result comes first.
    """

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.quiet = False
        self.after_result = False
        self._waiting: list[str] = []

    def release(self) -> None:
        """Print the notes that were held back until the end of the run, also after an error."""
        while self._waiting:
            self._print(self._waiting.pop(0))

    def add(self, text: str) -> None:
        """Print a note and keep it."""
        self.notes.append(text)
        self._print(text)

    def _print(self, text: str) -> None:
        if not self.quiet:
            print_line(text)

    def print_note(self, text: str) -> None:
        """Print a note of the package, unless it was printed before."""
        if text not in self.notes:
            self.notes.append(text)
            if self.after_result:
                self._waiting.append(f"note: {text}")
            else:
                self._print(f"note: {text}")


def print_line(message: str) -> None:
    """Print a message in one line, even if a file name has line breaks; a terminal wraps it."""
    from wordorder.text.display import printable

    line = f"wordorder: {printable(message)}"
    if sys.stderr is not None and sys.stderr.isatty():
        # Imported where it is needed: tables load numpy, and an error should be quick.
        from textwrap import fill

        width = shutil.get_terminal_size().columns
        line = fill(
            line,
            max(width, 20),
            subsequent_indent=" " * 4,
            break_long_words=False,
            break_on_hyphens=False,
        )
        if has_escape_codes(sys.stderr):
            # A line that counts how far the work has come goes first.
            line = f"\r\033[K{line}"
    click.echo(line, err=True)


def say(text: str) -> None:
    """Print a note about the work that was done on standard error."""
    click.get_current_context().ensure_object(Messages).add(text)


def show(found: Output, form: str) -> None:
    """Print a result in the form that was asked for."""
    if form == "json":
        print_json(found.data())
    else:
        put(found.pieces(form))


def print_json(found: dict[str, Any]) -> None:
    """Print a result as JSON, with the version of its form and the notes of this run.

    Arrays of float64 are written in parts, NaN as null.
    """
    notes = click.get_current_context().ensure_object(Messages).notes
    tokens = json_tokens({"version": JSON_VERSION, **found, "notes": notes})
    put(chain(iter(lambda: "".join(islice(tokens, TOKENS)), ""), ["\n"]))


def json_tokens(document: dict[str, Any]) -> Iterator[str]:
    """Yield the text of JSON in small parts; arrays of float64 are lists, with null for NaN.

    Examples
    --------
    >>> import numpy as np
    >>> print("".join(json_tokens({"scores": np.array([0.5, np.nan])})))
    {
      "scores": [
        0.5,
        null
      ]
    }
    """
    import json

    arrays: list[Float64] = []

    def postpone(value: object) -> str:
        arrays.append(cast("Float64", value))
        return ""

    indent = ""
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2, default=postpone)
    for token in encoder.iterencode(document):
        if arrays:
            # This token is the placeholder of the array.
            yield from _list_tokens(arrays.pop(), indent)
            continue
        if "\n" in token:
            indent = token[token.rindex("\n") :]
        yield token


def _list_tokens(values: Float64, indent: str) -> Iterator[str]:
    """Yield the JSON of an array, after a line that is indented so."""
    prefix = "["
    for first in range(0, len(values), TOKENS):
        for value in values[first : first + TOKENS].tolist():
            yield f"{prefix}{indent}  {repr(value) if value == value else 'null'}"
            prefix = ","
    yield f"{indent}]" if len(values) else "[]"


def put(text: str | Iterable[str]) -> None:
    """Print the result, or its pieces, on standard output, or write it to ``--output``."""
    pieces = [text] if isinstance(text, str) else text
    output = click.get_current_context().meta.get(OUTPUT)
    if output is None:
        for piece in pieces:
            click.echo(piece, nl=False)
        return
    from wordorder.text.output import write_output

    with write_output(output) as stream:
        # A file name that is no text stays visible, as on standard output.
        for piece in pieces:
            stream.write(piece.encode(errors="backslashreplace"))


def _be_quiet(ctx: click.Context, _: click.Parameter, quiet: bool) -> None:
    if quiet:
        ctx.ensure_object(Messages).quiet = True
        # Those of other packages.
        warnings.simplefilter("ignore")


quiet_option = click.Option(
    ["-q", "--quiet"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_be_quiet,
    help="Print no notes on standard error, only errors.",
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
        # C code that reports a failure without an exception raises this.
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
