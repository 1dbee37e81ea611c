"""Lines no wider than the terminal."""

from __future__ import annotations

import shutil

from wordorder.drawing.width import display_width, printable

# Where standard output is no terminal.
COLUMNS = 80


def line_width() -> int:
    """Return how many columns a line may take: the terminal's, 80 if there is none.

    The environment variable COLUMNS decides where it is set.

    Examples
    --------
    >>> line_width() > 0
    True
    """
    return shutil.get_terminal_size((COLUMNS, 24)).columns


def wrapped(text: str, width: int) -> list[str]:
    """Break a text at blanks into lines of at most `width` columns; longer words are broken too.

    Examples
    --------
    >>> wrapped("put words in order", 9), wrapped("語順語順", 5), wrapped("", 5)
    (['put words', 'in order'], ['語順', '語順'], [''])
    """
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if display_width(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        *full, line = _pieces(word, width)
        lines += full
    return [*lines, line] if line or not lines else lines


def paragraph(text: str, first: str = "", others: str = "") -> str:
    """Break a text into lines that fit, with what precedes the first and the others.

    Examples
    --------
    >>> print(paragraph("a word " * 13, "1. ", "   "))
    1. a word a word a word a word a word a word a word a word a word a word a word
       a word a word
    """
    room = max(1, line_width() - max(display_width(first), display_width(others)))
    begun = [first] + [others] * len(text)
    pieces = wrapped(printable(text).strip(" "), room)
    lines = (f"{start}{piece}" for start, piece in zip(begun, pieces, strict=False))
    return "\n".join(line.rstrip(" ") for line in lines)


def paragraphs(text: str) -> str:
    r"""Break each line of a text into lines that fit.

    Examples
    --------
    >>> print(paragraphs("Two lines\nstay two lines."))
    Two lines
    stay two lines.
    """
    return "\n".join(map(paragraph, text.split("\n")))


def _pieces(word: str, width: int) -> list[str]:
    """Break a word into pieces of at most `width` columns."""
    pieces = [""]
    taken = 0
    for character in word:
        columns = display_width(character)
        if taken + columns > width and pieces[-1]:
            pieces.append("")
            taken = 0
        pieces[-1] += character
        taken += columns
    return pieces
