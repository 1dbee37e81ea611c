"""Text on a terminal: its width, characters that the encoding lacks, and marks among words."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from contextvars import ContextVar

# Control characters, separators of lines and paragraphs, characters that change the direction of
# the rest of a line, and halves of surrogate pairs.
_BREAKING = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# What standard output takes before the program makes it UTF-8.
ENCODING: ContextVar[str] = ContextVar("encoding", default="utf-8")

# Whether standard output is a terminal that shows colours.
STYLED: ContextVar[bool] = ContextVar("styled", default=False)

ARROWS = {True: "↑", False: "↓"}
_ASCII_ARROWS = {True: "^", False: "v"}

# Enclose words without a counterpart.
OPEN, CLOSE = "⟦", "⟧"
# Between two chunks, or between a head's dependents.
BREAK = "¦"
# Between two references.
REFERENCE_BREAK = "‖"
# Words between them may come in any order (Talbot et al. 2011, Figures 1 and 2).
TIE, END_OF_TIE = "{{", "}}"
# A sentence for notes that explain the marks.
ESCAPES = "A backslash comes before a mark or a backslash that the text itself has."
# A character after a backslash, a mark, or any other text.
_MARK_SIGNS = f"{OPEN}{CLOSE}{BREAK}{REFERENCE_BREAK}"
MARKED_PIECE = re.compile(
    rf"\\(.)|([{_MARK_SIGNS}]|{{{{|}}}})|[^\\{_MARK_SIGNS}{{}}]+|.", re.DOTALL
)
_MARK_PATTERN = re.compile(rf"[\\{_MARK_SIGNS}]|{{{{+|}}}}+")


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
    """Pad `text` with spaces to `width` columns, on its left if it is right-aligned.

    Examples
    --------
    >>> padded("語順", 6) + "|" + padded("4", 3, right=True)
    '語順  |  4'
    """
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def printable(text: str) -> str:
    """Write control characters as escapes, which break neither lines nor the terminal.

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


def arrow(higher_is_better: bool) -> str:
    """Return the direction in which a metric gets better: up or down.

    Examples
    --------
    >>> arrow(True), arrow(False)
    ('↑', '↓')
    """
    return _writable(ARROWS[higher_is_better], _ASCII_ARROWS[higher_is_better])


def cut_sign() -> str:
    """Return the mark for the omitted letters of a shortened name.

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
    """Return a sign, or `instead` if standard output cannot write it."""
    return sign if writable(sign) else instead


class Marked(str):
    r"""A text with marks; characters of the text that look like marks are escaped by a backslash.

    Examples
    --------
    >>> isinstance(marked(["a"]), Marked)
    True
    """

    __slots__ = ()


def escaped(text: str) -> str:
    r"""Escape characters that look like marks with a backslash.

    Examples
    --------
    >>> print(escaped("( a | b ¦ { {{ \\"))
    ( a | b \¦ { \{\{ \\
    """
    return _MARK_PATTERN.sub(lambda match: "".join(f"\\{sign}" for sign in match[0]), text)


def marked(
    words: Sequence[str], free: Collection[int] = (), breaks: Collection[int] = ()
) -> Marked:
    r"""Join words with spaces; mark words without a counterpart and breaks of the order.

    Parameters
    ----------
    words : sequence of str
    free : collection of int
        Indices of the words without a counterpart; neighbours share one pair of marks.
    breaks : collection of int
        Indices of the words before which the order breaks.

    Examples
    --------
    >>> print(marked(["on", "tuesday", "evening", "we", "met"], free={2}, breaks={3}))
    on tuesday ⟦evening⟧ ¦ we met
    >>> print(marked(["ends", "(", "Laughter", ")", "⟧"], free={3, 4}))
    ends ( Laughter ⟦) \⟧⟧
    """
    parts: list[str] = []
    for index, word in enumerate(words):
        if index in breaks:
            parts.append(BREAK)
        opening = OPEN if index in free and (index - 1 not in free or index in breaks) else ""
        continues = index + 1 in free and index + 1 not in breaks and index + 1 < len(words)
        closing = CLOSE if index in free and not continues else ""
        parts.append(f"{opening}{escaped(word)}{closing}")
    return Marked(" ".join(parts))


def separated(members: Iterable[str]) -> Marked:
    """Join texts with the mark of a break between them.

    Examples
    --------
    >>> print(separated(["You", "can", "find | it"]))
    You ¦ can ¦ find | it
    """
    return Marked(f" {BREAK} ".join(map(escaped, members)))
