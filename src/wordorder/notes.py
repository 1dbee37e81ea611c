"""Notes: what users should know about a result, and what does not stop the work.

A note is a record of the logger ``wordorder``, of level WARNING. `wordorder.note_handler` prints it
unless the caller of the package has set up logging; the program prints notes itself, without
`logging`. Inside `held_notes`, `kept_notes`, `placed_notes` and `grouped_notes`, notes go to these
first. Threads of `wordorder.kernels` take part in them.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from threading import Lock

from wordorder.messages import Program, counted, in_notebook, spoken

# Bytes from which on a note says how much memory work takes.
LARGE = 10**9
# Notes of a kind, or things with a count, that are printed one by one.
_FEW = 3
# Characters by which a note is named again.
_PREFIX_LENGTH = 50
_NUMBER = re.compile(r"[0-9]+([.,][0-9]+)*(e[+-]?[0-9]+)?")


def note(message: str) -> None:
    """Log a note on the logger ``wordorder``, with options in the words of its reader.

    Examples
    --------
    >>> with held_notes() as notes:
    ...     note("a.txt: left out 3 words; --lowercase ignores case")
    >>> notes
    ['a.txt: left out 3 words; lowercase=True ignores case']
    """
    _receiver.get()(spoken(message))


def note_at_once(message: str) -> None:
    """Log a note although notes are held back: it says why the user has to wait."""
    (_receiver_outside.get() or _receiver.get())(spoken(message))


def _log(message: str) -> None:
    if Program.print_note is not None:
        # The program prints notes in its own way, whatever a library has set up for logging.
        Program.print_note(message)
        return
    # `logging` takes some milliseconds to import, and most runs have no notes.
    from wordorder.note_handler import LOGGER

    # `logging.config` disables loggers that it does not name; `setLevel` silences this one.
    LOGGER.disabled = False
    LOGGER.warning("%s", message)


# Where notes go in this context.
_receiver: ContextVar[Callable[[str], None]] = ContextVar("_receiver", default=_log)
# Where they would go if they were not held back; None where they are not.
_receiver_outside: ContextVar[Callable[[str], None] | None] = ContextVar(
    "_receiver_outside", default=None
)


@contextlib.contextmanager
def _received_by(receiver: Callable[[str], None]) -> Iterator[None]:
    """Send the notes of this context to a receiver."""
    before = _receiver.get()
    _receiver.set(receiver)
    try:
        yield
    finally:
        # Without a token: a generator may be closed in another context than it began in.
        _receiver.set(before)


@contextlib.contextmanager
def placed_notes(place: Callable[[str], str]) -> Iterator[None]:
    """Rewrite the notes of this context, whose code does not know which file its input is from.

    Examples
    --------
    >>> with held_notes() as notes, placed_notes(lambda message: f"a.txt: {message}"):
    ...     note("left out 3 words")
    >>> notes
    ['a.txt: left out 3 words']
    """
    receive = _receiver.get()
    with _received_by(lambda message: receive(place(message))):
        yield


@contextlib.contextmanager
def held_notes() -> Iterator[list[str]]:
    """Hold back the notes of this context, so that the caller logs them in an order of their own.

    Examples
    --------
    >>> with held_notes() as notes:
    ...     note("left out 3 words")
    >>> notes
    ['left out 3 words']
    """
    notes: list[str] = []
    before = _receiver_outside.get()
    _receiver_outside.set(before or _receiver.get())
    try:
        with _received_by(notes.append):
            yield notes
    finally:
        _receiver_outside.set(before)


@contextlib.contextmanager
def kept_notes(*, result: bool = False) -> Iterator[list[str]]:
    """Keep the notes of this context, and log them at the end, grouped.

    Parameters
    ----------
    result : bool
        Whether the notes become part of a result. In a notebook, which displays the result with its
        notes, they are then logged only if the work fails.

    Examples
    --------
    >>> with kept_notes() as kept:
    ...     note("left out 3 words")
    >>> kept
    ['left out 3 words']
    """
    notes: list[str] = []
    has_result = False
    try:
        with held_notes() as notes:
            yield notes
        has_result = result
    finally:
        if not (has_result and in_notebook()):
            log_grouped(notes)


@contextlib.contextmanager
def grouped_notes() -> Iterator[None]:
    """Log the first of the notes that differ only in numbers at once, the others at the end.

    More than three become one note with their count. A metric computes statistics part by part, on
    several threads, and may have the same note about each part. Notes that a caller holds back are
    not grouped here: the caller groups those of all parts.
    """
    if _receiver_outside.get() is not None:
        yield
        return
    receive = _receiver.get()
    lock = Lock()
    groups: dict[str, list[str]] = {}

    def receive_first(message: str) -> None:
        with lock:
            group = groups.setdefault(_NUMBER.sub("#", message), [])
            group.append(message)
            is_first = len(group) == 1
        if is_first:
            receive(message)

    try:
        with _received_by(receive_first):
            yield
    finally:
        for group in groups.values():
            others = list(dict.fromkeys(group))[1:]
            if len(others) > 1 and len(group) > _FEW:
                start = group[0][:_PREFIX_LENGTH].rsplit(" ", 1)[0]
                others = [f'{counted(len(group) - 1, "more note")} like "{start} ..."']
            for message in others:
                receive(message)


def log_grouped(messages: Sequence[str]) -> None:
    """Log notes that were held back, those that differ only in numbers as one group."""
    with grouped_notes():
        for message in messages:
            note(message)


def note_memory(work: str, size: float, remedy: str) -> None:
    """Log before the work how many bytes of memory it needs, if they are many."""
    if size >= LARGE:
        note(f"{work} need about {size / 1e9:.1f} GB of memory here: {remedy}")


def note_counts(
    counts: Sequence[tuple[str, int]],
    message: str,
    owner: str,
    noun: str = "",
    shares: Mapping[str, str] = {},
) -> None:
    """Log one note per count where they are few, and one note with their range where they are many.

    Parameters
    ----------
    counts : sequence of (name, count)
        Those with a count of 0 are left out.
    message : str
        The note about one of them, with ``{}`` for the count.
    owner : str
        The noun for what is named, in the singular: ``"system"``.
    noun : str, optional
        The noun for what is counted, in the singular: ``"word"``.
    shares : mapping of name to str, optional
        Each count as a share; of many, the share of the largest count is printed.
    """
    counts = [(name, count) for name, count in counts if count]
    if len(counts) <= _FEW:
        for name, count in counts:
            number = counted(count, noun) if noun else str(count)
            share = f" ({shares[name]})" if name in shares else ""
            note(f"{name}: {message.format(number)}{share}")
        return
    smallest, largest = min(count for _, count in counts), max(count for _, count in counts)
    end = counted(largest, noun) if noun else largest
    between = f"{smallest} to {end}" if smallest < largest else f"{end} each"
    first = max(counts, key=lambda named: named[1])[0]
    share = f" ({first}: {shares[first]})" if shares else ""
    note(f"{counted(len(counts), owner)}: {message.format(between)}{share}")
