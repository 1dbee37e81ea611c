"""Notes: what a user should know beside a result, and that does not stop the work."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Lock, local
from typing import Any

from wordorder.counts import counted
from wordorder.errors import WordOrderWarning, spoken

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
def kept_notes() -> Iterator[list[str]]:
    """Give notes at the end, those of a kind once, and keep them.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as found, kept_notes() as kept:
    ...     warnings.simplefilter("always")
    ...     note("left out 3 words")
    >>> kept
    ['left out 3 words']
    """
    held: list[str] = []
    try:
        with held_notes() as held:
            yield held
    finally:
        with one_note_of_a_kind():
            for message in held:
                note(message)


@contextlib.contextmanager
def one_note_of_a_kind() -> Iterator[None]:
    """Show the first of the notes that differ only in numbers, and at the end how many there were.

    A metric is asked for statistics part by part, on several threads, and may have the same thing
    to say of each.
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
            others = len(alike) - 1
            if len(set(alike)) > 1:
                start = alike[0][:_SHOWN].rsplit(" ", 1)[0]
                note(f'{counted(others, "more note")} like "{start} ..."')
