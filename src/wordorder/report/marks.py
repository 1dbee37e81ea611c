"""Marked sentences on terminals, with colours if possible, and in HTML."""

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


# Replacements of marks that an output cannot encode.
_ASCII = {display.OPEN: "(", display.CLOSE: ")", display.BREAK: "|", display.REFERENCE_BREAK: "||"}

_ASCII_MARK = re.compile(r"[()|\\]")

_BOLD, _GREEN, _RED = "\x1b[1m", "\x1b[32m", "\x1b[31m"

# A signed number or the mark of a test, outside words.
_SIGNED = re.compile(r"(?<![\w.+-])(?:\+|-)(?:\*{1,2}|\d[\d.,]*\d|\d)(?![\w*-])")
# Styles of unmatched words and of other marks on terminals.
_UNMATCHED_STYLE, _MARK_STYLE, _RESET = "\x1b[4;31m", "\x1b[1;36m", "\x1b[0m"

# In HTML marks are elements with styles, not characters that a text may contain.
BREAK_HTML = "<i></i>"
_ELEMENTS = {display.OPEN: "<u>", display.CLOSE: "</u>", display.BREAK: BREAK_HTML}

# Texts after the name of a metric in headings of values, and of differences.
_VALUE_SUFFIXES = ("", "of", "without")

_DIFFERENCE_SUFFIXES = ("lost",)

# Metrics whose names are headings of other columns too.
_AMBIGUOUS_NAMES = ("precision", "recall", "unaligned", "mix")


def with_writable_marks(text: display.Marked) -> str:
    r"""Return a marked text with marks that standard output can encode.

    Examples
    --------
    >>> from wordorder.text.display import marked
    >>> print(with_writable_marks(marked(["(", "evening"], free={1})))
    ( ⟦evening⟧
    """
    return text if _can_write_marks() else _in_ascii(text)


def note_with_writable_marks(note: str) -> str:
    """Return a note on marks with marks that standard output can encode."""
    return note if _can_write_marks() else "".join(_ASCII.get(sign, sign) for sign in note)


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
    opening, closing, break_mark, reference_break = (
        note_with_writable_marks(mark)
        for mark in (display.OPEN, display.CLOSE, display.BREAK, display.REFERENCE_BREAK)
    )
    first, last = re.escape(opening), re.escape(closing)
    pattern = re.compile(
        rf"\\.|{first}(?:\\.|[^\\{first}{last}])*{last}|{re.escape(reference_break)}|{re.escape(break_mark)}"
        rf"|{re.escape(display.TIE)}|{re.escape(display.END_OF_TIE)}",
        re.DOTALL,
    )

    def paint_match(match: re.Match[str]) -> str:
        if match[0].startswith("\\"):
            return match[0]
        style = _UNMATCHED_STYLE if match[0].startswith(opening) else _MARK_STYLE
        # Line by line, so that indentation is not styled.
        return re.sub(r"\S.*", rf"{style}\g<0>{_RESET}", match[0])

    return pattern.sub(paint_match, text)


def bold(text: str) -> str:
    r"""Return lines in bold, on a terminal with colours.

    Examples
    --------
    >>> bold("A is best.")
    'A is best.'
    """
    return re.sub(r".+", rf"{_BOLD}\g<0>{_RESET}", text) if display.STYLED.get() else text


def colour_signs(text: str) -> str:
    r"""Colour signed numbers and marks of tests on a terminal: + in green, - in red.

    Examples
    --------
    >>> _ = display.STYLED.set(True)
    >>> colour_signs("[-1.5, +0.2] +** 1-2")
    '[\x1b[31m-1.5\x1b[0m, \x1b[32m+0.2\x1b[0m] \x1b[32m+**\x1b[0m 1-2'
    >>> _ = display.STYLED.set(False)
    """
    if not display.STYLED.get():
        return text

    def paint(match: re.Match[str]) -> str:
        return f"{_GREEN if match[0].startswith('+') else _RED}{match[0]}{_RESET}"

    return _SIGNED.sub(paint, text)


def marked_html(text: display.Marked) -> Markup:
    """Return a marked text as HTML: unmatched words underlined, breaks as bars.

    Examples
    --------
    >>> from wordorder.text.display import marked
    >>> print(marked_html(marked(["|", "<evening>", "met"], free={1}, breaks={2})))
    | <u>&lt;evening&gt;</u> <i></i> met
    """
    from markupsafe import Markup

    # Escaping keeps all marks; done once for speed, since pages have thousands of sentences.
    return Markup(display.MARKED_PIECE.sub(_element, escape(drawable(text), quote=False)))


def words_html(
    words: Sequence[str],
    free: Collection[int] = (),
    breaks: Collection[int] = (),
    moved_words: Collection[int] = (),
) -> Markup:
    """Return the words of an output as HTML, with marks of all three kinds.

    Parameters
    ----------
    words : sequence of str
    free : collection of int
        The indices of words without a counterpart.
    breaks : collection of int
        The indices of words before which the order breaks.
    moved_words : collection of int
        The indices of moved words. Adjacent words of one kind share a mark up to the next break.

    Examples
    --------
    >>> print(words_html(["on", "tuesday", "<well>", "we", "met"], {2}, {3}, {0, 1}))
    <mark>on tuesday</mark> <u>&lt;well&gt;</u> <i></i> we met
    """
    from markupsafe import Markup

    breaks_before = list(accumulate(index in breaks for index in range(len(words))))
    kinds = ["u" if n in free else "mark" if n in moved_words else "" for n in range(len(words))]
    parts: list[str] = []
    for (_, kind), run in groupby(range(len(words)), lambda n: (breaks_before[n], kinds[n])):
        indices = list(run)
        text = " ".join(word_html(words[n]) for n in indices)
        parts += [BREAK_HTML] * (indices[0] in breaks)
        parts.append(f"<{kind}>{text}</{kind}>" if kind else text)
    return Markup(" ".join(parts))


def joined_html(words: Iterable[str]) -> Markup:
    """Join words and marks that are HTML already, such as results of `word_html`."""
    from markupsafe import Markup

    return Markup(" ".join(words))


@lru_cache(1 << 16)
def word_html(word: str) -> str:
    """Return a word as HTML."""
    return escape(drawable(word), quote=False)


def key_html(note: str) -> Markup:
    """Return a note on marks as HTML; the hint on escapes is left out.

    Examples
    --------
    >>> print(key_html(f"⟦Such words⟧ are new. {display.ESCAPES}"))
    <u>Such words</u> are new.
    """
    return marked_html(display.Marked(note.replace(display.ESCAPES, "").replace("  ", " ").strip()))


def _element(piece: re.Match[str]) -> str:
    """Return a mark as an element, and other text unchanged."""
    mark = piece[2]
    if mark is None:
        return piece[1] or piece[0]
    return _ELEMENTS.get(mark) or f"<i>{mark}</i>"


def _can_write_marks() -> bool:
    return all(
        display.writable(mark)
        for mark in (display.OPEN, display.CLOSE, display.BREAK, display.REFERENCE_BREAK)
    )


def _in_ascii(text: display.Marked) -> str:
    def replace_mark(piece: re.Match[str]) -> str:
        if piece[2] is not None:
            return _ASCII.get(piece[2], piece[2])
        # Braces stay escaped, since they are marks here too.
        if piece[1] in ("{", "}"):
            return piece[0]
        return _ASCII_MARK.sub(r"\\\g<0>", piece[1] or piece[0])

    return display.MARKED_PIECE.sub(replace_mark, text)


def heading(column: str, arrows: Callable[[bool], str] = display.arrow) -> str:
    """Return the heading of a column: the metric's name in papers, and its direction.

    Parameters
    ----------
    column : str
    arrows : function of bool to str
        Formats the direction of the metric, which follows its name.

    Examples
    --------
    >>> heading("frs"), heading("CDER of A"), heading("per cent"), heading("words")
    ('FRS ↑', 'CDER ↓ of A', 'per cent', 'words')
    >>> heading("frs lost"), heading("cder(penalty=mean) of B")
    ('FRS lost', 'CDER(penalty=mean) ↓ of B')
    """
    name, options = _metric_first(column)
    suffix = options.split(" ")[0]
    if not name or suffix not in (*_VALUE_SUFFIXES, *_DIFFERENCE_SUFFIXES):
        return column
    better = higher_is_better(name) if suffix in _VALUE_SUFFIXES else None
    name_shown = called(name) if better is None else f"{called(name)} {arrows(better)}"
    return f"{name_shown} {options}".rstrip(" ")


@cache
def higher_is_better(name: str) -> bool | None:
    """Return the direction of a metric, with options or without; None for other names.

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
    """Return the metric at the start of a heading and the rest; "" if there is no metric."""
    for name, spelling in DISPLAY_NAMES.items():
        for spelling_used in (name, spelling):
            if column == spelling_used or column.startswith(
                (f"{spelling_used} ", f"{spelling_used}(")
            ):
                options, bracket, remainder = column[len(spelling_used) :].partition(")")
                if column.startswith(f"{spelling_used}(") and bracket:
                    return f"{name}{options})", remainder.strip(" ")
                return name, column[len(spelling_used) :].strip(" ")
    first, _, remainder = column.partition(" ")
    return (
        (first, remainder)
        if first in METRICS.built_in and first not in _AMBIGUOUS_NAMES
        else ("", column)
    )
