"""Notes in tests: one that no test expects is an error where it is logged."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from wordorder.messages import is_on_command_line
from wordorder.note_handler import LOGGER


class UnexpectedNote(Exception):  # noqa: N818  # it is no error of the package
    """A note that the test does not expect."""


class NoteTrap(logging.Handler):
    """Raises an error for each note that is neither allowed nor recorded.

    Attributes
    ----------
    allowed : list of str
        Patterns of notes that may come.
    recorded : list of list of str
        Where notes go, innermost last.
    """

    def __init__(self) -> None:
        super().__init__()
        self.allowed: list[str] = []
        self.recorded: list[list[str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Record a note, or refuse it; what the program prints is looked at there."""
        message = record.getMessage()
        if is_on_command_line():
            return
        if self.recorded:
            self.recorded[-1].append(message)
        elif not any(re.search(pattern, message) for pattern in self.allowed):
            raise UnexpectedNote(message)


TRAP = NoteTrap()


@contextmanager
def trapped_notes(*allowed: str) -> Iterator[None]:
    """Make unexpected notes errors, except those that match one of the patterns."""
    before = TRAP.allowed
    TRAP.allowed = [*before, *allowed]
    LOGGER.addHandler(TRAP)
    try:
        yield
    finally:
        TRAP.allowed = before
        LOGGER.removeHandler(TRAP)


@contextmanager
def noted(pattern: str = "") -> Iterator[list[str]]:
    """Insist that a note is logged inside which matches the pattern, and yield all notes.

    Those that do not match are logged again at the end.
    """
    with any_notes() as notes:
        yield notes
    assert any(re.search(pattern, message) for message in notes), (pattern, notes)
    for message in notes:
        if not re.search(pattern, message):
            LOGGER.warning("%s", message)


@contextmanager
def any_notes() -> Iterator[list[str]]:
    """Yield the notes that are logged inside, be they none."""
    notes: list[str] = []
    TRAP.recorded.append(notes)
    try:
        yield notes
    finally:
        TRAP.recorded.remove(notes)
