"""Output of the program: results on standard output, everything else on standard error."""

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
# The version of the JSON of all commands. It rises when a field changes its meaning or is removed.
JSON_VERSION = 1

# Tokens of JSON that are written in one go.
TOKENS_PER_WRITE = 1 << 12

# The key of a context's `meta` for the file that replaces standard output.
OUTPUT_KEY = "wordorder.output"

OUT_OF_MEMORY = "error: not enough memory"
# Messages of the dynamic loader and of `threading` when memory runs out.
_OUT_OF_MEMORY_TEXT = re.compile(
    "failed to map segment|annot allocate memory|cannot create shared object|can't start new thread"
)


class Messages:
    """The lines on standard error of one run of the program.

    Attributes
    ----------
    notes : list of str
        The notes so far, each once.
    quiet : bool
        Whether notes are not printed.
    after_result : bool
        Whether notes are printed by `release` only, after the result.
    """

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.quiet = False
        self.after_result = False
        self._waiting: list[str] = []

    def release(self) -> None:
        """Print the waiting notes, at the end of the run; also after an error."""
        while self._waiting:
            self._print(self._waiting.pop(0))

    def add(self, text: str) -> None:
        """Print and store a note."""
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
    """Print a message as one line, even if a file name has line breaks; wrap it on terminals."""
    from wordorder.text.display import printable

    line = f"wordorder: {printable(message)}"
    if sys.stderr is not None and sys.stderr.isatty():
        # Imported here, since it is needed on terminals only.
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
            # Erase the line of progress.
            line = f"\r\033[K{line}"
    click.echo(line, err=True)


def print_message(text: str) -> None:
    """Print a message about the finished work on standard error, and store it in the JSON."""
    click.get_current_context().ensure_object(Messages).add(text)


def print_result(output: Output, output_format: str) -> None:
    """Print a result in the requested format."""
    if output_format == "json":
        print_json(output.data())
    else:
        write_result(output.pieces(output_format))


def print_json(document: dict[str, Any]) -> None:
    """Print a result as JSON, with the version of the format and the notes of this run."""
    notes = click.get_current_context().ensure_object(Messages).notes
    tokens = json_tokens({"version": JSON_VERSION, **document, "notes": notes})
    write_result(chain(iter(lambda: "".join(islice(tokens, TOKENS_PER_WRITE)), ""), ["\n"]))


def json_tokens(document: dict[str, Any]) -> Iterator[str]:
    """Yield the text of JSON token by token; arrays of float64 become lists, NaN becomes null.

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
            # `default` was called: this token is the placeholder of the array.
            yield from _list_tokens(arrays.pop(), indent)
            continue
        if "\n" in token:
            indent = token[token.rindex("\n") :]
        yield token


def _list_tokens(values: Float64, indent: str) -> Iterator[str]:
    """Yield the JSON of an array; `indent` is the line break and indentation of its first line."""
    prefix = "["
    for first in range(0, len(values), TOKENS_PER_WRITE):
        for value in values[first : first + TOKENS_PER_WRITE].tolist():
            yield f"{prefix}{indent}  {repr(value) if value == value else 'null'}"
            prefix = ","
    yield f"{indent}]" if len(values) else "[]"


def write_result(text: str | Iterable[str]) -> None:
    """Write a result, or its pieces, to standard output or to the file of ``--output``."""
    pieces = [text] if isinstance(text, str) else text
    output = click.get_current_context().meta.get(OUTPUT_KEY)
    if output is None:
        for piece in pieces:
            click.echo(piece, nl=False)
        return
    from wordorder.text.output import write_output

    with write_output(output) as stream:
        # File names that are not UTF-8 are escaped, as on standard output.
        for piece in pieces:
            stream.write(piece.encode(errors="backslashreplace"))


def _be_quiet(ctx: click.Context, _: click.Parameter, quiet: bool) -> None:
    if quiet:
        ctx.ensure_object(Messages).quiet = True
        # Silence the warnings of other packages.
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
    """Return whether an error, or one of its causes, comes from a lack of memory.

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
        if isinstance(error, (ImportError, RuntimeError)) and _OUT_OF_MEMORY_TEXT.search(
            str(error)
        ):
            return True
        # C code that fails without setting an exception becomes a SystemError.
        if isinstance(error, SystemError) and _is_limited():
            return True
        error = error.__cause__ or error.__context__
    return False


def _is_limited() -> bool:
    """Return whether the memory of this process is limited."""
    try:
        import resource
    except ImportError:
        return False
    limits = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return any(resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in limits)


@contextmanager
def hint_at_resuming(
    output: str | None,
    effect: str = "continues from the last complete epoch",
    *,
    prefix: str = "",
    other_files: Iterable[str] = (),
) -> Iterator[None]:
    """Print after an interrupt how training can be resumed, if there is a checkpoint.

    Parameters
    ----------
    output : str or None
        The path of the model; the checkpoint is ``OUTPUT.checkpoint``.
    effect : str
        What the same command with ``--resume`` does.
    prefix : str
        The beginning of the message.
    other_files : iterable of str
        Further checkpoints of the training.
    """
    try:
        yield
    except KeyboardInterrupt:
        if output is not None and any(map(os.path.exists, [f"{output}.checkpoint", *other_files])):
            print_message(f"{prefix}the same command with --resume {effect}")
        raise
