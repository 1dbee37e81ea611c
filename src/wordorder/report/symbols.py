"""What standard output can show: colours; arrows, and the sign of a shortened name."""

from __future__ import annotations

from contextlib import suppress
from contextvars import ContextVar

# What standard output takes before the program makes it UTF-8.
ENCODING: ContextVar[str] = ContextVar("encoding", default="utf-8")

# Whether standard output is a terminal that shows colours.
STYLED: ContextVar[bool] = ContextVar("styled", default=False)

ARROWS = {True: "↑", False: "↓"}
_ASCII = {True: "^", False: "v"}


def arrow(higher_is_better: bool) -> str:
    """Return the direction in which a metric gets better: up or down.

    Examples
    --------
    >>> arrow(True), arrow(False)
    ('↑', '↓')
    """
    return _writable(ARROWS[higher_is_better], _ASCII[higher_is_better])


def cut_sign() -> str:
    """Return the mark for the letters that a shortened name lacks.

    Examples
    --------
    >>> cut_sign()
    '…'
    """
    return _writable("…", "~")


def writable(sign: str) -> bool:
    """Return whether standard output can write a sign.

    Examples
    --------
    >>> writable("↑")
    True
    """
    with suppress(UnicodeEncodeError, LookupError):
        sign.encode(ENCODING.get())
        return True
    return False


def _writable(sign: str, instead: str) -> str:
    """Return a sign, or another one where it cannot be written."""
    return sign if writable(sign) else instead
