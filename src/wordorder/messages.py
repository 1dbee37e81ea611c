"""The wording of messages: names of options, counts with nouns, numbers, lists.

The code writes messages with the options of the program, each with its value after ``=``:
``--aligner=exact+stem``. `render_options` rewrites them for the reader: options on the command
line, arguments in Python. Commands, between backticks, do not change.
"""

from __future__ import annotations

import functools
import math
import os
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

# Options whose argument has another name, in addition to those of `wordorder.options`.
ARGUMENTS = {
    "--costs-output": ("costs",),
    "-i": ("systems",),
    "-m": ("metrics", "metric"),
    "-o": ("output",),
    "--compat": ("preset",),
    "--fail-under": ("thresholds",),
    "--fit-ties": ("ties",),
    "--name": ("names", "name"),
    "--points": ("starts",),
    "--reference-alignments": ("alignment",),
    "--sentence-metric": ("metric",),
    "--statistic": ("statistics", "statistic"),
}
# Aliases of options of texts.
ALIASES = {"tokenize": "tokenizer", "normalize": "normalization"}
# Options without a value, in addition to those of `wordorder.options`.
FLAGS = frozenset(
    "--anonymous --human-translations --restart --resume --reverse --sensitivity".split()
)
_OPTION = r"(?<![^\s(\[])(--[a-z][a-z-]*|-[imroO](?![\w-]))(?:=([^\s;)\]`]*[^\s;,)\]`.:]))?"
_COMMAND_OR_OPTION = re.compile(rf"(`[^`]*`)|{_OPTION}")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.\-]*://[^\s'\"<>]*", re.IGNORECASE)
# Parts of an address that give access: user and password, or a signed query.
_CREDENTIALS = re.compile(r"(?<=://)[^/]*@|\?[^#]*?(?=[:;,.)]*$|#)")
# Values that are written without quotes in Python: placeholders and numbers.
_UNQUOTED = re.compile(r"[A-Z][A-Z0-9=]*|[0-9.]+")

# Counts from this number on are rounded.
EXACT_BELOW = 10**15
DECIMALS = 4

# The arguments of the function that was called from Python.
_call_arguments: ContextVar[frozenset[str]] = ContextVar("_call_arguments", default=frozenset())


def in_notebook() -> bool:
    """Return whether the code runs in a notebook, which shows results as HTML."""
    return type(sys.stderr).__module__.startswith("ipykernel.")


def has_escape_codes(stream: Any) -> bool:
    """Return whether a stream is a terminal whose escape codes are not disabled (no-color.org)."""
    is_disabled = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not is_disabled


class Program:
    """Settings of the program for the whole process, whose threads all write messages."""

    on_command_line = False
    # Prints a note; None if the package is used from Python.
    print_note: Callable[[str], None] | None = None
    # The running command's own names of options; the mapping is replaced, not changed.
    option_names: Mapping[str, str] = {}


def set_on_command_line(on: bool) -> bool:
    """Set whether messages go to users of the program; return the previous value."""
    previous, Program.on_command_line = Program.on_command_line, on
    return previous


def is_on_command_line() -> bool:
    """Return whether messages go to users of the program."""
    return Program.on_command_line


def set_option_names(names: Mapping[str, str]) -> None:
    """Set the running command's own names of options: ``{"--strict": "-O strict"}``."""
    Program.option_names = names


def render_options(message: str, arguments: Collection[str] = ()) -> str:
    """Return a message with options under the names that its reader uses, and without passwords.

    Parameters
    ----------
    message : str
    arguments : collection of str
        The arguments of the called function, if known.

    Examples
    --------
    >>> render_options("--one-based is for alignments, but r.txt holds orders (--input=alignments)")
    'one_based=True is for alignments, but r.txt holds orders (kind="alignments")'
    >>> render_options("no trees: --parser=MODEL, or run `wordorder parse --beam 8`", ["parser"])
    'no trees: parser=MODEL, or run `wordorder parse --beam 8`'
    >>> render_options("https://me:secret@host/a.jsonl?signature=abc#ref: no file")
    'https://host/a.jsonl#ref: no file'
    """
    if "://" in message:
        message = _ADDRESS.sub(lambda match: _CREDENTIALS.sub("", match[0]), message)
    if "-" not in message:
        return message
    known_arguments = frozenset(arguments) or _call_arguments.get()

    def render(match: re.Match[str]) -> str:
        command, option, value = match.groups()
        if command:
            return command
        if Program.on_command_line:
            option = Program.option_names.get(option, option)
            separator = "=" if option.startswith("-O ") else " "
            return option if value is None else f"{option}{separator}{value}"
        # Before a quoted value, as in `unknown value for kind 'x'`, the name has no "=".
        is_bare = message.startswith(" '", match.end())
        return _argument(option, value, known_arguments).removesuffix("=" if is_bare else "")

    return _COMMAND_OR_OPTION.sub(render, message)


def argument_names(option: str) -> tuple[str, ...]:
    """Return the names of an option as an argument of functions, the most common name first.

    Examples
    --------
    >>> argument_names("--parser"), argument_names("-m"), argument_names("--max-share")
    (('parsers', 'parser'), ('metrics', 'metric'), ('max_share',))
    """
    from wordorder.options import BY_FLAG

    declared_name = (BY_FLAG[option].name,) if option in BY_FLAG else ()
    further_names = ARGUMENTS.get(option) or (option.lstrip("-").replace("-", "_"),)
    return tuple(dict.fromkeys((*declared_name, *further_names)))


def is_switch(option: str) -> bool:
    """Return whether an option has no value."""
    from wordorder.options import BY_FLAG

    return BY_FLAG[option].is_switch if option in BY_FLAG else option in FLAGS


def _argument(option: str, value: str | None, known_arguments: Collection[str]) -> str:
    """Format an option with its value as an argument of a function."""
    candidates = argument_names(option)
    name = next((name for name in candidates if name in known_arguments), candidates[0])
    if value is None:
        return f"{name}=True" if is_switch(option) else f"{name}="
    value = value.strip("'")
    return f"{name}={value}" if _UNQUOTED.fullmatch(value) else f'{name}="{value}"'


def names_arguments(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a function so that messages use the names of its arguments, when used from Python.

    The fields of its arguments that are dataclasses count as arguments.
    """
    code = getattr(function, "__wrapped__", function).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def wrapper(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        groups = [value for value in (*args, *options.values()) if is_dataclass(value)]
        arguments = frozenset(
            [*names, *(field.name for group in groups for field in fields(group))]
        )
        # In nested calls, the reader has called the outermost function.
        is_outermost = not _call_arguments.get()
        token = _call_arguments.set(arguments) if is_outermost else None
        try:
            return function(*args, **options)
        except Exception as error:
            if is_outermost and hasattr(error, "arguments"):
                error.arguments = arguments
            raise
        finally:
            if token is not None:
                _call_arguments.reset(token)

    return wrapper


def counted(count: int, one: str, many: str | None = None, *, commas: bool = False) -> str:
    """Format a count with its noun; a huge count is rounded.

    Parameters
    ----------
    count : int
        At least 0.
    one, many : str
        The noun in singular and plural; by default the plural is `one` with an ``s``.
    commas : bool
        Whether to separate thousands, as in the sentences of a report.

    Examples
    --------
    >>> counted(22630, "word", commas=True)
    '22,630 words'
    >>> counted(1, "line"), counted(0, "line"), counted(3, "entry", "entries")
    ('1 line', '0 lines', '3 entries')
    >>> counted(3814986502092304, "tree")
    'about 3.81 × 10^15 trees'
    """
    noun = one if count == 1 else many or f"{one}s"
    if count < EXACT_BELOW:
        return f"{count:,} {noun}" if commas else f"{count} {noun}"
    power = math.floor(math.log10(count))
    return f"about {count / 10**power:.2f} × 10^{power} {noun}"


def percent(part: float, whole: float) -> str:
    """Format a share in percent; only 0 and 1 are written as "0 %" and "100 %".

    Examples
    --------
    >>> percent(1, 3), percent(3, 3), percent(1, 700), percent(9997, 10000), percent(0, 0)
    ('33 %', '100 %', '0.14 %', '99.97 %', '0 %')
    """
    share = 100 * part / whole if whole else 0.0
    if share in (0, 100) or 1 <= share <= 99:
        return f"{share:.0f} %"
    return f"{share:.2g} %" if share < 1 else f"{share:.2f} %"


def joined(words: Sequence[str], last: str = "and") -> str:
    """Format a list as in prose: "A, B and C".

    Examples
    --------
    >>> joined(["A"]), joined(["A", "B"]), joined(["A", "B", "C"], "or")
    ('A', 'A and B', 'A, B or C')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def number(value: float, decimals: int = DECIMALS) -> str:
    """Format a number with a fixed number of decimals; zero has no sign.

    Examples
    --------
    >>> number(0.83333), number(-0.00001), number(71.5, 1)
    ('0.8333', '0.0000', '71.5')
    """
    text = f"{value:.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def duration(seconds: float) -> str:
    """Format a duration in seconds, minutes or hours.

    Examples
    --------
    >>> duration(4.2), duration(400), duration(40000)
    ('4.2 seconds', '6.7 minutes', '11.1 hours')
    """
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} seconds"
