"""Cells laid out in columns that are no wider than the terminal: every table goes through here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wordorder.drawing.width import display_width, padded
from wordorder.report.legend import Legend
from wordorder.report.lines import wrapped

GAP = "  "
# The least columns of a cell that is broken into lines.
_LEAST = 8
# Numbers and intervals, which are never broken.
_NUMBERS = re.compile(r"[-+.,\d\[\]() <>%*e]*")

# A cell as its lines.
_Lines = list[str]


def fitted(
    cells: Sequence[Sequence[str]],
    right: Sequence[bool],
    *,
    header: bool,
    legend: Legend,
    width: int,
    below: Sequence[Sequence[str]] = (),
) -> str:
    """Lay cells out in columns; where they are too wide, change as little as makes them fit.

    In this order: break headers into lines, shorten long names, break long texts, and go on with
    the columns that are left over in a further block that repeats the first column.

    Parameters
    ----------
    cells : rows of str, all of one length
    right : sequence of bool
        Which columns are aligned on the right.
    header : bool
        Whether the first row is one.
    legend : Legend
        Knows the short forms of names.
    width : int
        How many columns of the terminal a line may take.
    below : sequence of lists of str
        For each row after the header, lines to print below it; in the first block only.

    Examples
    --------
    >>> rows = [["system", "first score", "second score"], ["the-one-and-only", "0.5", "0.25"]]
    >>> legend = Legend(20)
    >>> print(fitted(rows, [False, True, True], header=True, legend=legend, width=20))
              first
    system    score
    --------  -----
    the-…nly    0.5
    <BLANKLINE>
              second
    system     score
    --------  ------
    the-…nly    0.25
    >>> print(legend.text())
    the-…nly = the-one-and-only
    """
    if not cells:
        return ""
    table = [[[cell] for cell in row] for row in cells]
    widths = _widths(table)
    if _total(widths) > width:
        table = _narrowed(cells, header=header, legend=legend, width=width)
        widths = _widths(table)
    blocks: list[str] = []
    for columns in _blocks(widths, width):
        lines: list[str] = []
        for number, row in enumerate(table):
            shown = [(row[c], widths[c], right[c]) for c in columns]
            lines += _row(shown, bottom=header and number == 0)
            if header and number == 0:
                lines.append(GAP.join("-" * widths[c] for c in columns))
            elif below and not blocks:
                lines += below[number - header]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _narrowed(
    cells: Sequence[Sequence[str]], *, header: bool, legend: Legend, width: int
) -> list[list[_Lines]]:
    """Break headers, shorten names and break texts, each only where it is still needed."""
    body = [list(row) for row in cells[header:]]
    columns = range(len(cells[0]))
    heads = list(cells[0]) if header else [""] * len(columns)
    for attempt in range(2):
        widths = _with_headers(heads, body, width)
        if _total(widths) <= width or attempt:
            break
        texts = [_is_text(row[c] for row in body) for c in columns]
        legend.add(word for head in heads for word in head.split(" "))
        for c in columns:
            legend.add(word for row in body for word in row[c].split(" ") if texts[c])
        heads = [legend.short_words(head) for head in heads]
        body = [
            [legend.short_words(row[c]) if texts[c] else row[c] for c in columns] for row in body
        ]
    breakable = [c for c in columns if _is_text(row[c] for row in body)]
    cap = _cap(widths, breakable, width, max(_LEAST, width // 4))
    for c in columns:
        # No column may leave its block no room beside the first one.
        most = width // 2 if c == 0 else width - min(widths[0], width // 2) - len(GAP)
        widths[c] = max(1, min(widths[c], cap if c in breakable else most, most))
    rows = [[wrapped(row[c], widths[c]) for c in columns] for row in body]
    return [[wrapped(heads[c], widths[c]) for c in columns], *rows] if header else rows


def _with_headers(heads: Sequence[str], body: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the widths of columns whose headers are broken no more than the width needs."""
    columns = range(len(heads))
    of_body = [max((display_width(row[c]) for row in body), default=0) for c in columns]
    whole = [max(of_body[c], display_width(heads[c])) for c in columns]
    least = [max(of_body[c], _longest(heads[c].split(" "))) for c in columns]
    for cap in range(max(whole), 0, -1):
        widths = [max(least[c], min(cap, whole[c])) for c in columns]
        if _total(widths) <= width:
            return widths
    fewer = len(list(_blocks(least, width))) < len(list(_blocks(whole, width)))
    return least if fewer else whole


def _cap(widths: Sequence[int], breakable: Sequence[int], width: int, least: int) -> int:
    """Return the greatest width of the columns of text under which a line has room for all."""
    cap = max(widths)
    while (
        cap > least
        and _total([min(w, cap) if c in breakable else w for c, w in enumerate(widths)]) > width
    ):
        cap -= 1
    return cap


def _blocks(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """Yield the columns of each block; each begins with the first column."""
    block: list[int] = [0]
    for c in range(1, len(widths)):
        if len(block) > 1 and _total([widths[each] for each in (*block, c)]) > width:
            yield block
            block = [0]
        block.append(c)
    yield block


def _row(shown: Sequence[tuple[_Lines, int, bool]], *, bottom: bool) -> list[str]:
    """Lay out a row, whose cells may have several lines; those of a header end at the bottom."""
    height = max(len(lines) for lines, _, _ in shown)
    filled = [
        ([""] * (height - len(lines)) + lines if bottom else lines + [""] * (height - len(lines)))
        for lines, _, _ in shown
    ]
    return [
        GAP.join(
            padded(lines[i], width, right)
            for lines, (_, width, right) in zip(filled, shown, strict=True)
        ).rstrip(" ")
        for i in range(height)
    ]


def _widths(table: Sequence[Sequence[_Lines]]) -> list[int]:
    """Return how many columns of the terminal each column takes."""
    return [max(_longest(row[c]) for row in table) for c in range(len(table[0]))]


def _longest(words: Sequence[str]) -> int:
    return max(map(display_width, words))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _is_text(cells: Iterator[str]) -> bool:
    """Say whether a column holds anything but numbers."""
    return any(_NUMBERS.fullmatch(cell) is None for cell in cells)
