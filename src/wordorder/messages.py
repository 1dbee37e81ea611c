"""What users are told, and how it is worded: notes, names of options, numbers with their nouns.

A note is what a user should know beside a result, and does not stop the work. Messages are written
with the options of the program, each with its value behind ``=``: ``--aligner=exact+stem``. What a
reader sees is `spoken`: options on the command line, arguments in Python. Commands, between
backticks, stay as they are.
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

# Options whose argument has another name, beside those of `wordorder.options`.
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
# Options that are called otherwise where texts are read.
SPELLINGS = {"tokenize": "tokenizer", "normalize": "normalization"}
# Options without a value, beside those of `wordorder.options`.
FLAGS = frozenset(
    "--anonymous --human-translations --restart --resume --reverse --sensitivity".split()
)
_OPTION = r"(?<![^\s(\[])(--[a-z][a-z-]*|-[imroO](?![\w-]))(?:=([^\s;)\]`]*[^\s;,)\]`.:]))?"
_PARTS = re.compile(rf"(`[^`]*`)|{_OPTION}")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.\-]*://[^\s'\"<>]*", re.IGNORECASE)
# What may open a store: user and password, or a signed query.
_OPENS_STORE = re.compile(r"(?<=://)[^/]*@|\?[^#]*?(?=[:;,.)]*$|#)")
_PLAIN = re.compile(r"[A-Z][A-Z0-9=]*|[0-9.]+")

# From here on a count is rounded: it is too long to read.
EXACT_BELOW = 10**15
DECIMALS = 4


def in_notebook() -> bool:
    """Return whether the code runs in a notebook, which shows results as HTML."""
    return type(sys.stderr).__module__.startswith("ipykernel.")


def has_escape_codes(stream: Any) -> bool:
    """Return whether a stream is a terminal, and escape codes are welcome there (no-color.org)."""
    unwelcome = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not unwelcome


class Program:
    """What the program sets for the whole process, whose threads all write."""

    on_command_line = False
    # Prints a note; None where the package is used from Python.
    print_note: Callable[[str], None] | None = None
    # What the command that runs calls an option that messages call otherwise.
    spellings: Mapping[str, str] = {}  # exchanged whole


# What the function that was called from Python calls its arguments.
_called: ContextVar[frozenset[str]] = ContextVar("_called", default=frozenset())


def set_on_command_line(on: bool) -> bool:
    """Say whether messages go to users of the program; return what was said before."""
    before, Program.on_command_line = Program.on_command_line, on
    return before


def is_on_command_line() -> bool:
    """Return whether messages go to users of the program."""
    return Program.on_command_line


def set_spellings(spellings: Mapping[str, str]) -> None:
    """Say what the command that runs calls its options: ``{"--strict": "-O strict"}``."""
    Program.spellings = spellings


def spoken(message: str, arguments: Collection[str] = ()) -> str:
    """Return a message with the names that its reader knows, and without what opens a store.

    Parameters
    ----------
    message : str
    arguments : collection of str
        What the function that was called takes, where that is known.

    Examples
    --------
    >>> spoken("--one-based is for alignments, but r.txt holds orders (--input=alignments)")
    'one_based=True is for alignments, but r.txt holds orders (kind="alignments")'
    >>> spoken("there are no trees: --parser=MODEL, or run `wordorder parse --beam 8`", ["parser"])
    'there are no trees: parser=MODEL, or run `wordorder parse --beam 8`'
    >>> spoken("https://me:secret@host/a.jsonl?signature=abc#ref: no file")
    'https://host/a.jsonl#ref: no file'
    """
    if "://" in message:
        message = _ADDRESS.sub(lambda found: _OPENS_STORE.sub("", found[0]), message)
    if "-" not in message:
        return message
    known = frozenset(arguments) or _called.get()

    def named(found: re.Match[str]) -> str:
        command, option, value = found.groups()
        if command:
            return command
        if Program.on_command_line:
            option = Program.spellings.get(option, option)
            joint = "=" if option.startswith("-O ") else " "
            return option if value is None else f"{option}{joint}{value}"
        # `unknown value for kind 'x'` names it well enough.
        bare = message.startswith(" '", found.end())
        return _argument(option, value, known).removesuffix("=" if bare else "")

    return _PARTS.sub(named, message)


def argument_names(option: str) -> tuple[str, ...]:
    """Return what functions call an option, the most common name first.

    Examples
    --------
    >>> argument_names("--parser"), argument_names("-m"), argument_names("--max-share")
    (('parsers', 'parser'), ('metrics', 'metric'), ('max_share',))
    """
    from wordorder.options import BY_FLAG

    declared = (BY_FLAG[option].name,) if option in BY_FLAG else ()
    others = ARGUMENTS.get(option) or (option.lstrip("-").replace("-", "_"),)
    return tuple(dict.fromkeys((*declared, *others)))


def is_switch(option: str) -> bool:
    """Return whether an option has no value."""
    from wordorder.options import BY_FLAG

    return BY_FLAG[option].is_switch if option in BY_FLAG else option in FLAGS


def _argument(option: str, value: str | None, known: Collection[str]) -> str:
    """Return an option with its value as an argument of a function."""
    candidates = argument_names(option)
    name = next((each for each in candidates if each in known), candidates[0])
    if value is None:
        return f"{name}=True" if is_switch(option) else f"{name}="
    value = value.strip("'")
    return f"{name}={value}" if _PLAIN.fullmatch(value) else f'{name}="{value}"'


def names_arguments(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let the messages of a function name its own arguments where it is called from Python.

    Fields of dataclasses that it takes count as arguments.
    """
    code = getattr(function, "__wrapped__", function).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def called(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        groups = [value for value in (*args, *options.values()) if is_dataclass(value)]
        arguments = frozenset(
            [*names, *(field.name for group in groups for field in fields(group))]
        )
        # Of several functions that call each other, the reader knows the outermost.
        outermost = not _called.get()
        before = _called.set(arguments) if outermost else None
        try:
            return function(*args, **options)
        except Exception as error:
            if outermost and hasattr(error, "arguments"):
                error.arguments = arguments
            raise
        finally:
            if before is not None:
                _called.reset(before)

    return called


def counted(count: int, one: str, many: str | None = None, *, commas: bool = False) -> str:
    """Write a count with its noun; a huge count is rounded.

    Parameters
    ----------
    count : int
        At least 0.
    one, many : str
        The noun for one and for any other number; `many` is `one` with an ``s`` unless given.
    commas : bool
        Whether thousands are set apart, as in the sentences of a report.

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
    """Write a share in percent, so that a part is never written as none or all.

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
    """List words as prose does.

    Examples
    --------
    >>> joined(["A"]), joined(["A", "B"]), joined(["A", "B", "C"], "or")
    ('A', 'A and B', 'A, B or C')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def number(value: float, decimals: int = DECIMALS) -> str:
    """Write a number with a fixed count of decimals; zero has no sign.

    Examples
    --------
    >>> number(0.83333), number(-0.00001), number(71.5, 1)
    ('0.8333', '0.0000', '71.5')
    """
    text = f"{value:.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def duration(seconds: float) -> str:
    """Write a time in the unit that fits.

    Examples
    --------
    >>> duration(4.2), duration(400), duration(40000)
    ('4.2 seconds', '6.7 minutes', '11.1 hours')
    """
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} seconds"
