"""Marked sentences on terminals, in colour where there is any, and on pages."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from wordorder.drawing.marks import (
    BREAK,
    CLOSE,
    END_OF_TIE,
    ESCAPES,
    OPEN,
    OTHER,
    PIECE,
    TIE,
    Marked,
)
from wordorder.drawing.tree_labels import drawable
from wordorder.report.symbols import STYLED, writable

if TYPE_CHECKING:
    from markupsafe import Markup

# For outputs that cannot write the marks.
_ASCII = {OPEN: "(", CLOSE: ")", BREAK: "|", OTHER: "||"}
_ASCII_MARK = re.compile(r"[()|\\]")
# What a terminal underlines or shows in bold, each with a colour of its own.
_FREE, _SIGN, _PLAIN = "\x1b[4;31m", "\x1b[1;36m", "\x1b[0m"
_ELEMENTS = {OPEN: "<u>", CLOSE: "</u>"}


def in_letters(text: Marked) -> str:
    r"""Return a marked text with marks that standard output can write.

    Examples
    --------
    >>> from wordorder.drawing.marks import marked
    >>> print(in_letters(marked(["(", "evening"], free={1})))
    ( ⟦evening⟧
    """
    return text if _can_be_written() else _in_ascii(text)


def key_in_letters(note: str) -> str:
    """Return a note on marks with marks that standard output can write."""
    return note if _can_be_written() else "".join(_ASCII.get(sign, sign) for sign in note)


def styled(text: str) -> str:
    r"""Underline words without a counterpart and make other marks bold, on a terminal with colours.

    Parameters
    ----------
    text : str
        A marked text, or a note on marks, laid out in lines.

    Examples
    --------
    >>> _ = STYLED.set(True)
    >>> styled("we ⟦them \\⟧⟧ ¦ met")
    'we \x1b[4;31m⟦them \\⟧⟧\x1b[0m \x1b[1;36m¦\x1b[0m met'
    >>> _ = STYLED.set(False)
    """
    if not STYLED.get():
        return text
    opening, closing, sign, other = (key_in_letters(mark) for mark in (OPEN, CLOSE, BREAK, OTHER))
    first, last = re.escape(opening), re.escape(closing)
    found = re.compile(
        rf"\\.|{first}(?:\\.|[^\\{first}{last}])*{last}|{re.escape(other)}|{re.escape(sign)}"
        rf"|{re.escape(TIE)}|{re.escape(END_OF_TIE)}",
        re.DOTALL,
    )

    def painted(match: re.Match[str]) -> str:
        if match[0].startswith("\\"):
            return match[0]
        paint = _FREE if match[0].startswith(opening) else _SIGN
        # Each line on its own, so that what precedes it stays as it is.
        return re.sub(r"\S.*", rf"{paint}\g<0>{_PLAIN}", match[0])

    return found.sub(painted, text)


def marked_html(text: Marked) -> Markup:
    """Write a marked text for a page: words without a counterpart in a box, other marks as signs.

    Examples
    --------
    >>> from wordorder.drawing.marks import marked
    >>> print(marked_html(marked(["|", "<evening>", "met"], free={1}, breaks={2})))
    | <u>&lt;evening&gt;</u> <i>|</i> met
    """
    from markupsafe import Markup

    # Escaped once, which leaves all marks as they are: pages have thousands of sentences.
    return Markup(PIECE.sub(_element, escape(drawable(text), quote=False)))


def key_html(note: str) -> Markup:
    """Write a note on marks for a page, where no character of the text looks like one.

    Examples
    --------
    >>> print(key_html(f"⟦Such words⟧ are new. {ESCAPES}"))
    <u>Such words</u> are new.
    """
    return marked_html(Marked(note.replace(ESCAPES, "").replace("  ", " ").strip()))


def _element(piece: re.Match[str]) -> str:
    """Write a mark as an element, and the text as it is."""
    mark = piece[2]
    if mark is None:
        return piece[1] or piece[0]
    return _ELEMENTS.get(mark) or f"<i>{_ASCII.get(mark, mark)}</i>"


def _can_be_written() -> bool:
    return all(writable(mark) for mark in (OPEN, CLOSE, BREAK, OTHER))


def _in_ascii(text: Marked) -> str:
    def written(piece: re.Match[str]) -> str:
        if piece[2] is not None:
            return _ASCII.get(piece[2], piece[2])
        # Braces keep their backslash: they are marks here too.
        if piece[1] in ("{", "}"):
            return piece[0]
        return _ASCII_MARK.sub(r"\\\g<0>", piece[1] or piece[0])

    return PIECE.sub(written, text)
