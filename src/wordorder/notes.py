"""Notes: messages about results that do not stop the work.

A note is a record of the logger ``wordorder``, of level WARNING. `wordorder.note_handler` prints it
unless the caller of the package has set up logging; the program prints notes itself, without
`logging`. The context managers `held_notes`, `kept_notes`, `placed_notes` and `grouped_notes`
receive the notes of their body, also from threads of `wordorder.kernels`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from threading import Lock

from wordorder.messages import Program, counted, in_notebook, render_options

# Work that needs at least this number of bytes is announced by a note.
NOTED_BYTES = 10**9
# Similar notes, or counts, up to this number are logged one by one.
_MAX_SINGLE_NOTES = 3
# Length of the quotation of a note for which similar ones stand.
_PREFIX_LENGTH = 50
_NUMBER = re.compile(r"[0-9]+([.,][0-9]+)*(e[+-]?[0-9]+)?")


def note(message: str) -> None:
    """Log a note on the logger ``wordorder``, with options as `render_options` writes them.

    Examples
    --------
    >>> with held_notes() as notes:
    ...     note("a.txt: left out 3 words; --lowercase ignores case")
    >>> notes
    ['a.txt: left out 3 words; lowercase=True ignores case']
    """
    _receiver.get()(render_options(message))


def note_at_once(message: str) -> None:
    """Log a note even inside `held_notes`, because it explains why the user has to wait."""
    (_outer_receiver.get() or _receiver.get())(render_options(message))


def _log(message: str) -> None:
    if Program.print_note is not None:
        # Independent of the logging that a library may have set up.
        Program.print_note(message)
        return
    # `logging` takes some milliseconds to import, and most runs have no notes.
    from wordorder.note_handler import LOGGER

    # `logging.config` disables loggers that it does not name; `setLevel` silences this one.
    LOGGER.disabled = False
    LOGGER.warning("%s", message)


# The receiver of the notes of this context.
_receiver: ContextVar[Callable[[str], None]] = ContextVar("_receiver", default=_log)
# The receiver outside all `held_notes` of this context; None if there are none.
_outer_receiver: ContextVar[Callable[[str], None] | None] = ContextVar(
    "_outer_receiver", default=None
)


@contextlib.contextmanager
def _received_by(receiver: Callable[[str], None]) -> Iterator[None]:
    """Send the notes of this context to a receiver."""
    previous = _receiver.get()
    _receiver.set(receiver)
    try:
        yield
    finally:
        # Not reset with a token: a generator may be closed in another context.
        _receiver.set(previous)


@contextlib.contextmanager
def placed_notes(add_place: Callable[[str], str]) -> Iterator[None]:
    """Rewrite the notes of this context, to add a place that its code does not know.

    Examples
    --------
    >>> with held_notes() as notes, placed_notes(lambda message: f"a.txt: {message}"):
    ...     note("left out 3 words")
    >>> notes
    ['a.txt: left out 3 words']
    """
    receive = _receiver.get()
    with _received_by(lambda message: receive(add_place(message))):
        yield


@contextlib.contextmanager
def held_notes() -> Iterator[list[str]]:
    """Collect the notes of this context in a list, without logging them.

    Examples
    --------
    >>> with held_notes() as notes:
    ...     note("left out 3 words")
    >>> notes
    ['left out 3 words']
    """
    notes: list[str] = []
    previous = _outer_receiver.get()
    _outer_receiver.set(previous or _receiver.get())
    try:
        with _received_by(notes.append):
            yield notes
    finally:
        _outer_receiver.set(previous)


@contextlib.contextmanager
def kept_notes(*, result: bool = False) -> Iterator[list[str]]:
    """Collect the notes of this context in a list, and log them at the end, grouped.

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
    """Group notes of this context that differ only in numbers.

    The first note of a group is logged immediately. The others are logged at the end; more than
    three become one note with their count. Metrics compute statistics in parts, on several threads,
    and may log the same note for each part. Inside `held_notes`, notes are not grouped, because the
    caller groups the notes of all parts.
    """
    if _outer_receiver.get() is not None:
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
            later_notes = list(dict.fromkeys(group))[1:]
            if len(later_notes) > 1 and len(group) > _MAX_SINGLE_NOTES:
                start = group[0][:_PREFIX_LENGTH].rsplit(" ", 1)[0]
                later_notes = [f'{counted(len(group) - 1, "more note")} like "{start} ..."']
            for message in later_notes:
                receive(message)


def log_grouped(messages: Sequence[str]) -> None:
    """Log collected notes, grouped as by `grouped_notes`."""
    with grouped_notes():
        for message in messages:
            note(message)


def note_memory(work: str, size: float, remedy: str) -> None:
    """Log the number of bytes that work will need, if it is large."""
    if size >= NOTED_BYTES:
        note(f"{work} need about {size / 1e9:.1f} GB of memory here: {remedy}")


def note_counts(
    counts: Sequence[tuple[str, int]],
    message: str,
    owner: str,
    noun: str = "",
    shares: Mapping[str, str] = {},
) -> None:
    """Log one note per count or, for more than three counts, one note with their range.

    Parameters
    ----------
    counts : sequence of (name, count)
        Counts of 0 are left out.
    message : str
        The note about one count, with ``{}`` for the count.
    owner : str
        The singular noun for the names: ``"system"``.
    noun : str, optional
        The singular noun for the counts: ``"word"``.
    shares : mapping of name to str, optional
        Each count as a share. The note with a range contains the share of the largest count.
    """
    counts = [(name, count) for name, count in counts if count]
    if len(counts) <= _MAX_SINGLE_NOTES:
        for name, count in counts:
            number = counted(count, noun) if noun else str(count)
            share = f" ({shares[name]})" if name in shares else ""
            note(f"{name}: {message.format(number)}{share}")
        return
    smallest, largest = min(count for _, count in counts), max(count for _, count in counts)
    end = counted(largest, noun) if noun else largest
    value_range = f"{smallest} to {end}" if smallest < largest else f"{end} each"
    name = max(counts, key=lambda name_and_count: name_and_count[1])[0]
    share = f" ({name}: {shares[name]})" if shares else ""
    note(f"{counted(len(counts), owner)}: {message.format(value_range)}{share}")
