"""How far long work has come, on a terminal only."""

from __future__ import annotations

import sys
import time
from types import TracebackType


class Progress:
    """A line on standard error that counts, and is gone at the end.

    Parameters
    ----------
    noun : str
        What is counted: ``"lines"``.

    Notes
    -----
    Prints nothing in the first second, and nothing at all where standard error is not a terminal.

    Examples
    --------
    >>> with Progress("lines") as progress:
    ...     progress(1000)
    """

    def __init__(self, noun: str) -> None:
        self._noun = noun
        on_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + 1.0 if on_terminal else float("inf")
        self._shown = False

    def __call__(self, done: int) -> None:
        """Show how many are done, at most five times a second."""
        now = time.monotonic()
        if now >= self._next:
            sys.stderr.write(f"\r{done:,} {self._noun} ")
            sys.stderr.flush()
            self._next = now + 0.2
            self._shown = True

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
