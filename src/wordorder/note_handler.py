"""The logger ``wordorder`` and its handler; imported with the first note."""

from __future__ import annotations

import contextlib
import logging
import sys

LOGGER = logging.getLogger("wordorder")
# Printed texts that are remembered: bounds the memory of a server.
_MAX_PRINTED = 10_000


class NoteHandler(logging.Handler):
    """Prints notes for users who have not set up logging, each text once per process.

    As with `logging.lastResort`, a handler of the caller takes its place, on the logger
    ``wordorder`` or on the root logger.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._printed: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Print a note, unless it was printed before or the caller has set up logging."""
        message = record.getMessage()
        if message not in self._printed and not self._is_replaced():
            if len(self._printed) >= _MAX_PRINTED:
                self._printed.clear()
            self._printed.add(message)
            _print(f"wordorder: note: {message}")

    def _is_replaced(self) -> bool:
        """Return whether the caller has set up another handler for notes."""
        root = logging.getLogger()
        return LOGGER.handlers != [self] or bool(LOGGER.propagate and root.handlers)


def _print(line: str) -> None:
    """Print a line on standard error; a missing or closed stream is not an error."""
    stream = sys.stderr
    if stream is not None:
        encoding = getattr(stream, "encoding", None) or "utf-8"
        with contextlib.suppress(OSError, ValueError):
            print(line.encode(encoding, "backslashreplace").decode(encoding), file=stream)


LOGGER.addHandler(NoteHandler())
