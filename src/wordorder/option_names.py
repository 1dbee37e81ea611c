"""Names of options in messages: those of the program on its command line, arguments in Python.

Messages are written with the options of the program, each with its value behind ``=``:
``--aligner=exact+stem``. What a reader sees is `spoken`. Commands, between backticks, stay as they
are.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

# Options whose argument is not called like them, the most common name first.
ARGUMENTS = {
    "--costs-output": ("costs",),
    "-i": ("systems",),
    "-m": ("metrics", "metric"),
    "-r": ("references",),
    "-o": ("output",),
    "-O": ("settings",),
    "--compat": ("preset",),
    "--fail-under": ("thresholds",),
    "--hypothesis-alignment": ("hypothesis_alignments",),
    "--input": ("kind",),
    "--name": ("names", "name"),
    "--normalize": ("normalization",),
    "--parser": ("parsers", "parser"),
    "--reference-alignment": ("reference_alignments",),
    "--rules": ("rule_sets", "rules"),
    "--statistic": ("statistics", "statistic"),
}
# Options that are called otherwise where texts are read.
SPELLINGS = {"tokenize": "tokenizer", "normalize": "normalization"}
# Options without a value.
FLAGS = frozenset(
    (
        *("--human-translations", "--lowercase", "--one-based", "--restart", "--resume"),
        *("--reverse", "--sensitivity", "--strict"),
    )
)
_OPTION = r"(?<![^\s(\[])(--[a-z][a-z-]*|-[imroO](?![\w-]))(?:=([^\s;)\]`]*[^\s;,)\]`.:]))?"
_PARTS = re.compile(rf"(`[^`]*`)|{_OPTION}")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.\-]*://[^\s'\"<>]*", re.IGNORECASE)
# What may open a store: user and password, or a signed query.
_OPENS_STORE = re.compile(r"(?<=://)[^/]*@|\?[^#]*?(?=[:;,.)]*$|#)")
_PLAIN = re.compile(r"[A-Z][A-Z0-9=]*|[0-9.]+")


class _Reader:
    """Who reads messages; the program sets it for the whole process, whose threads all write."""

    on_command_line = False
    # What the command that runs calls an option that messages call otherwise.
    spellings: Mapping[str, str] = {}  # exchanged whole


# What the function that was called from Python calls its arguments.
_called: ContextVar[frozenset[str]] = ContextVar("_called", default=frozenset())


def set_on_command_line(on: bool) -> bool:
    """Say whether messages go to users of the program; return what was said before."""
    before, _Reader.on_command_line = _Reader.on_command_line, on
    return before


def is_on_command_line() -> bool:
    """Return whether messages go to users of the program."""
    return _Reader.on_command_line


def set_spellings(spellings: Mapping[str, str]) -> None:
    """Say what the command that runs calls its options: ``{"--strict": "-O strict"}``."""
    _Reader.spellings = spellings


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
        if _Reader.on_command_line:
            option = _Reader.spellings.get(option, option)
            joint = "=" if option.startswith("-O ") else " "
            return option if value is None else f"{option}{joint}{value}"
        # `unknown value for kind 'x'` names it well enough.
        bare = message.startswith(" '", found.end())
        return _argument(option, value, known).removesuffix("=" if bare else "")

    return _PARTS.sub(named, message)


def _argument(option: str, value: str | None, known: Collection[str]) -> str:
    """Return an option with its value as an argument of a function."""
    candidates = ARGUMENTS.get(option) or (option[2:].replace("-", "_"),)
    name = next((each for each in candidates if each in known), candidates[0])
    if value is None:
        return f"{name}=True" if option in FLAGS else f"{name}="
    value = value.strip("'")
    return f"{name}={value}" if _PLAIN.fullmatch(value) else f'{name}="{value}"'


def names_arguments(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let the messages of a function name its own arguments where it is called from Python."""
    code = function.__code__
    arguments = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])

    @functools.wraps(function)
    def called(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
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
