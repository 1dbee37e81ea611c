"""Marked sentences on terminals, in colour where there is any, and on pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, lru_cache
from html import escape
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from wordorder.drawing.trees import drawable
from wordorder.errors import UsageError
from wordorder.metrics import METRICS
from wordorder.metrics.registry import DISPLAY_NAMES, called, named_metric
from wordorder.text import display

if TYPE_CHECKING:
    from markupsafe import Markup


# For outputs that cannot write the marks.
_ASCII = {display.OPEN: "(", display.CLOSE: ")", display.BREAK: "|", display.REFERENCE_BREAK: "||"}

_ASCII_MARK = re.compile(r"[()|\\]")

_BOLD, _MORE, _LESS = "\x1b[1m", "\x1b[32m", "\x1b[31m"

# A signed number, or the mark of a test, that is no part of a word.
_SIGNED = re.compile(r"(?<![\w.+-])(?:\+|-)(?:\*{1,2}|\d[\d.,]*\d|\d)(?![\w*-])")
# What a terminal underlines or shows in bold, each with a colour of its own.
_FREE, _SIGN, _PLAIN = "\x1b[4;31m", "\x1b[1;36m", "\x1b[0m"

# On a page the style sheet draws them: forms and colours, no signs that a text may have too.
BREAK_HTML = "<i></i>"
_ELEMENTS = {display.OPEN: "<u>", display.CLOSE: "</u>", display.BREAK: BREAK_HTML}

# What follows the name of a metric in the names of columns: of its values, and of differences.
_VALUES = ("", "of", "without")

_DIFFERENCES = ("lost",)

# Metrics whose names are the names of other columns too.
_WORDS = ("precision", "recall", "unaligned", "mix")


def in_letters(text: display.Marked) -> str:
    r"""Return a marked text with marks that standard output can write.

    Examples
    --------
    >>> from wordorder.text.display import marked
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
    >>> _ = display.STYLED.set(True)
    >>> styled("we ⟦them \\⟧⟧ ¦ met")
    'we \x1b[4;31m⟦them \\⟧⟧\x1b[0m \x1b[1;36m¦\x1b[0m met'
    >>> _ = display.STYLED.set(False)
    """
    if not display.STYLED.get():
        return text
    opening, closing, sign, other = (
        key_in_letters(mark)
        for mark in (display.OPEN, display.CLOSE, display.BREAK, display.REFERENCE_BREAK)
    )
    first, last = re.escape(opening), re.escape(closing)
    pattern = re.compile(
        rf"\\.|{first}(?:\\.|[^\\{first}{last}])*{last}|{re.escape(other)}|{re.escape(sign)}"
        rf"|{re.escape(display.TIE)}|{re.escape(display.END_OF_TIE)}",
        re.DOTALL,
    )

    def painted(match: re.Match[str]) -> str:
        if match[0].startswith("\\"):
            return match[0]
        paint = _FREE if match[0].startswith(opening) else _SIGN
        # Each line on its own, so that what precedes it stays as it is.
        return re.sub(r"\S.*", rf"{paint}\g<0>{_PLAIN}", match[0])

    return pattern.sub(painted, text)


def bold(text: str) -> str:
    r"""Return lines in bold, on a terminal with colours.

    Examples
    --------
    >>> bold("A is best.")
    'A is best.'
    """
    return re.sub(r".+", rf"{_BOLD}\g<0>{_PLAIN}", text) if display.STYLED.get() else text


def signs_coloured(text: str) -> str:
    r"""Colour signed numbers and marks of tests on a terminal: + in green, - in red.

    Examples
    --------
    >>> _ = display.STYLED.set(True)
    >>> signs_coloured("[-1.5, +0.2] +** 1-2")
    '[\x1b[31m-1.5\x1b[0m, \x1b[32m+0.2\x1b[0m] \x1b[32m+**\x1b[0m 1-2'
    >>> _ = display.STYLED.set(False)
    """
    if not display.STYLED.get():
        return text

    def paint(match: re.Match[str]) -> str:
        return f"{_MORE if match[0].startswith('+') else _LESS}{match[0]}{_PLAIN}"

    return _SIGNED.sub(paint, text)


def marked_html(text: display.Marked) -> Markup:
    """Write a marked text for a page: words without a counterpart underlined, a break as a bar.

    Examples
    --------
    >>> from wordorder.text.display import marked
    >>> print(marked_html(marked(["|", "<evening>", "met"], free={1}, breaks={2})))
    | <u>&lt;evening&gt;</u> <i></i> met
    """
    from markupsafe import Markup

    # Escaped once, which leaves all marks as they are: pages have thousands of sentences.
    return Markup(display.MARKED_PIECE.sub(_element, escape(drawable(text), quote=False)))


def words_html(
    words: Sequence[str],
    free: Collection[int] = (),
    breaks: Collection[int] = (),
    moved: Collection[int] = (),
) -> Markup:
    """Write the words of an output for a page, with marks of all three kinds.

    Parameters
    ----------
    words : sequence of str
    free : collection of int
        The words without a counterpart, counted from 0.
    breaks : collection of int
        The words before which the order breaks.
    moved : collection of int
        The words that have moved. Neighbours of one kind share a mark up to the next break.

    Examples
    --------
    >>> print(words_html(["on", "tuesday", "<well>", "we", "met"], {2}, {3}, {0, 1}))
    <mark>on tuesday</mark> <u>&lt;well&gt;</u> <i></i> we met
    """
    from markupsafe import Markup

    breaks_before = list(accumulate(place in breaks for place in range(len(words))))
    kinds = ["u" if n in free else "mark" if n in moved else "" for n in range(len(words))]
    parts: list[str] = []
    for (_, kind), run in groupby(range(len(words)), lambda n: (breaks_before[n], kinds[n])):
        places = list(run)
        text = " ".join(word_html(words[n]) for n in places)
        parts += [BREAK_HTML] * (places[0] in breaks)
        parts.append(f"<{kind}>{text}</{kind}>" if kind else text)
    return Markup(" ".join(parts))


def joined_html(words: Iterable[str]) -> Markup:
    """Join words that are written for a page: what `word_html` returns, and marks."""
    from markupsafe import Markup

    return Markup(" ".join(words))


@lru_cache(1 << 16)
def word_html(word: str) -> str:
    """Write a word of a text for a page, where it is no markup."""
    return escape(drawable(word), quote=False)


def key_html(note: str) -> Markup:
    """Write a note on marks for a page, where no character of the text looks like one.

    Examples
    --------
    >>> print(key_html(f"⟦Such words⟧ are new. {display.ESCAPES}"))
    <u>Such words</u> are new.
    """
    return marked_html(display.Marked(note.replace(display.ESCAPES, "").replace("  ", " ").strip()))


def _element(piece: re.Match[str]) -> str:
    """Write a mark as an element, and the text as it is."""
    mark = piece[2]
    if mark is None:
        return piece[1] or piece[0]
    return _ELEMENTS.get(mark) or f"<i>{mark}</i>"


def _can_be_written() -> bool:
    return all(
        display.writable(mark)
        for mark in (display.OPEN, display.CLOSE, display.BREAK, display.REFERENCE_BREAK)
    )


def _in_ascii(text: display.Marked) -> str:
    def written(piece: re.Match[str]) -> str:
        if piece[2] is not None:
            return _ASCII.get(piece[2], piece[2])
        # Braces keep their backslash: they are marks here too.
        if piece[1] in ("{", "}"):
            return piece[0]
        return _ASCII_MARK.sub(r"\\\g<0>", piece[1] or piece[0])

    return display.MARKED_PIECE.sub(written, text)


def heading(column: str, arrows: Callable[[bool], str] = display.arrow) -> str:
    """Return the name of a column with its metric as papers call it, and where that is better.

    Parameters
    ----------
    column : str
    arrows : function of bool to str
        Writes the direction of the metric behind its name.

    Examples
    --------
    >>> heading("frs"), heading("CDER of A"), heading("per cent"), heading("words")
    ('FRS ↑', 'CDER ↓ of A', 'per cent', 'words')
    >>> heading("frs lost"), heading("cder(penalty=mean) of B")
    ('FRS lost', 'CDER(penalty=mean) ↓ of B')
    """
    name, options = _metric_first(column)
    follows = options.split(" ")[0]
    if not name or follows not in (*_VALUES, *_DIFFERENCES):
        return column
    better = higher_is_better(name) if follows in _VALUES else None
    name_shown = called(name) if better is None else f"{called(name)} {arrows(better)}"
    return f"{name_shown} {options}".rstrip(" ")


@cache
def higher_is_better(name: str) -> bool | None:
    """Return the direction of a metric, with options or without; None if it cannot be made.

    Examples
    --------
    >>> higher_is_better("frs"), higher_is_better("cder(penalty=mean)"), higher_is_better("words")
    (True, False, None)
    """
    try:
        return named_metric(name).higher_is_better
    except UsageError:
        return None


def _metric_first(column: str) -> tuple[str, str]:
    """Return the metric at the start of a column and the rest; "" without a metric."""
    for name, spelling in DISPLAY_NAMES.items():
        for begin in (name, spelling):
            if column == begin or column.startswith((f"{begin} ", f"{begin}(")):
                options, bracket, remainder = column[len(begin) :].partition(")")
                if column.startswith(f"{begin}(") and bracket:
                    return f"{name}{options})", remainder.strip(" ")
                return name, column[len(begin) :].strip(" ")
    first, _, remainder = column.partition(" ")
    return (first, remainder) if first in METRICS.built_in and first not in _WORDS else ("", column)
