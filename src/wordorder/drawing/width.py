"""How many columns of a terminal a text takes."""

from __future__ import annotations

import re
import unicodedata

# Control characters, separators of lines and paragraphs, marks that turn the rest of a line
# around, and halves of surrogate pairs.
_BREAKING = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def display_width(text: str) -> int:
    """Return the number of terminal columns of `text`, a single line.

    East Asian wide and full-width characters take two columns; combining marks, joiners and the
    later letters of a Korean syllable written in letters take none.

    Examples
    --------
    >>> display_width("order"), display_width("語順"), display_width("cafe\\u0301")
    (5, 4, 4)
    """
    return len(text) if text.isascii() else sum(map(_character_width, text))


def padded(text: str, width: int, right: bool = False) -> str:
    """Fill `text` with blanks to `width` columns, on its left if it is right-aligned.

    Examples
    --------
    >>> padded("語順", 6) + "|" + padded("4", 3, right=True)
    '語順  |  4'
    """
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def printable(text: str) -> str:
    """Write control characters as escapes, so that a text can neither break a line nor a terminal.

    Examples
    --------
    >>> printable("a\\tb\\x1b[2J")
    'a\\\\tb\\\\x1b[2J'
    """
    return _BREAKING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def _character_width(character: str) -> int:
    """Return the number of columns of one character: 0, 1 or 2."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 1 if character == "\xad" else 0  # terminals show the soft hyphen
    if "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
