"""What users are told, and how it is worded: notes, names of options, numbers with their nouns.

A note is what a user should know beside a result, and does not stop the work. Messages are written
with the options of the program, each with its value behind ``=``: ``--aligner=exact+stem``. What a
reader sees is `spoken`: options on the command line, arguments in Python. Commands, between
backticks, stay as they are.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from threading import Lock, local
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

_HOME = os.path.dirname(__file__) + os.sep
# Held notes are given when a context ends.
_CONTEXTS = contextlib.__file__
_NUMBER = re.compile(r"[0-9]+([.,][0-9]+)*(e[+-]?[0-9]+)?")
# Things that have a note of their own.
_EACH = 3
# Characters by which a note is named again.
_SHOWN = 50
# `held`: where the notes of a thread go while they are held back. `place`: what puts the place that
# is meant into a note.
_here = local()

# From here on a count is rounded: it is too long to read.
EXACT_BELOW = 10**15
DECIMALS = 4


class WordOrderWarning(UserWarning):
    """Something that the user should know and that does not stop the work."""


def note(message: str) -> None:
    """Give a note: a `WordOrderWarning` in Python, a line on standard error of the program.

    The warning points to the caller's own code, not into the package.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     note("a.txt: left out 3 words")
    >>> print(found[0].category.__name__, found[0].message)
    WordOrderWarning a.txt: left out 3 words
    """
    place: Callable[[str], str] | None = getattr(_here, "place", None)
    if place is not None:
        message = place(message)
    held: list[str] | None = getattr(_here, "held", None)
    if held is not None:
        held.append(spoken(message))
        return
    level, frame = 2, sys._getframe(1)
    passed = (_HOME, _CONTEXTS)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(passed):
        level, frame = level + 1, frame.f_back
    warnings.warn(spoken(message), WordOrderWarning, stacklevel=level)


# Bytes from which on a note says how much memory work takes.
LARGE = 10**9


def note_memory(what: str, size: float, remedy: str) -> None:
    """Note before the work how many bytes of memory something needs, if they are many."""
    if size >= LARGE:
        note(f"{what} need about {size / 1e9:.1f} GB of memory here: {remedy}")


def note_each(
    found: Sequence[tuple[str, int]],
    said: str,
    what: str,
    noun: str = "",
    shares: Mapping[str, str] = {},
) -> None:
    """Say a count of each of a few, and the range of many; those that count nothing are fine.

    Parameters
    ----------
    found : sequence of name and count
    said : str
        What is said of each, with ``{}`` for the count.
    what : str
        What is named, in the singular: ``"system"``.
    noun : str, optional
        What is counted, in the singular: ``"word"``.
    shares : mapping of name to str, optional
        What each count is a share of; of many, that of the largest count is said.
    """
    found = [(name, count) for name, count in found if count]
    share = {name: f" ({each})" for name, each in (shares or {}).items()}
    if len(found) <= _EACH:
        for name, count in found:
            number = counted(count, noun) if noun else str(count)
            note(f"{name}: {said.format(number)}{share.get(name, '')}")
        return
    counts = [count for _, count in found]
    most = counted(max(counts), noun) if noun else max(counts)
    between = f"{min(counts)} to {most}" if min(counts) < max(counts) else f"{most} each"
    largest = max(found, key=lambda each: each[1])[0]
    behind = f" ({largest}: {shares[largest]})" if shares else ""
    note(f"{counted(len(found), what)}: {said.format(between)}{behind}")


@contextlib.contextmanager
def placed_notes(place: Callable[[str], str]) -> Iterator[None]:
    """Change the notes of this thread: what gives them does not know where its input is from.

    Examples
    --------
    >>> with held_notes() as held, placed_notes(lambda message: f"a.txt: {message}"):
    ...     note("left out 3 words")
    >>> held
    ['a.txt: left out 3 words']
    """
    before = getattr(_here, "place", None)
    _here.place = place
    try:
        yield
    finally:
        _here.place = before


@contextlib.contextmanager
def held_notes() -> Iterator[list[str]]:
    """Hold back the notes of this thread; the caller gives them in an order of its own.

    Threads come to their notes in any order.

    Examples
    --------
    >>> with held_notes() as held:
    ...     note("left out 3 words")
    >>> held
    ['left out 3 words']
    """
    before, held = getattr(_here, "held", None), list[str]()
    _here.held = held
    try:
        yield held
    finally:
        _here.held = before


@contextlib.contextmanager
def kept_notes(*, result: bool = False) -> Iterator[list[str]]:
    """Give notes at the end, those of a kind once, and keep them.

    Parameters
    ----------
    result : bool
        Whether a result has the notes. In a notebook, which shows the result, they are not given
        as warnings then, unless the work fails.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as found, kept_notes() as kept:
    ...     warnings.simplefilter("always")
    ...     note("left out 3 words")
    >>> kept
    ['left out 3 words']
    """
    held: list[str] = []
    has_result = False
    try:
        with held_notes() as held:
            yield held
        has_result = result
    finally:
        if not (has_result and in_notebook()):
            with one_note_of_a_kind():
                for message in held:
                    note(message)


def in_notebook() -> bool:
    """Return whether the code runs in a notebook, which shows results as HTML."""
    return type(sys.stderr).__module__.startswith("ipykernel.")


def has_escape_codes(stream: Any) -> bool:
    """Return whether a stream is a terminal, and escape codes are welcome there (no-color.org)."""
    unwelcome = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not unwelcome


@contextlib.contextmanager
def one_note_of_a_kind() -> Iterator[None]:
    """Show the first of the notes that differ only in numbers, and at the end the few others.

    Of many only their number is shown. A metric is asked for statistics part by part, on several
    threads, and may have the same thing to say of each.
    """
    show = warnings.showwarning
    lock = Lock()
    found: dict[str, list[str]] = {}

    def once(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, WordOrderWarning):
            show(message, category, *place, **more)
            return
        text = str(message)
        with lock:
            alike = found.setdefault(_NUMBER.sub("#", text), [])
            alike.append(text)
            first = len(alike) == 1
        if first:
            show(message, category, *place, **more)

    warnings.showwarning = once
    try:
        yield
    finally:
        warnings.showwarning = show
        for alike in found.values():
            others = list(dict.fromkeys(alike))[1:]
            if others and len(alike) > _EACH:
                start = alike[0][:_SHOWN].rsplit(" ", 1)[0]
                others = [f'{counted(len(alike) - 1, "more note")} like "{start} ..."']
            for message in others:
                note(message)


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
