"""Plain tables for terminals, and the same rows as TSV."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.errors import UsageError
from wordorder.messages import DECIMALS, number
from wordorder.text.display import cut_sign, display_width, padded, printable

if TYPE_CHECKING:
    from wordorder.arrays import Float64

Cell = str | int | float | None

# Rows of numbers that are formatted in one go.
ROWS_PER_BLOCK = 1 << 12

# Cached, since names of systems and metrics occur in many rows.
_printable = lru_cache(4096)(printable)

GAP = "  "

# The minimum width of a cell that is wrapped.
_MIN_CELL_WIDTH = 8

# Numbers and intervals, which are never wrapped.
_NUMBER_CELL = re.compile(r"[-+.,\d\[\]() <>%*e]*")

# A cell as its lines.
_Lines = list[str]

# The line width if standard output is not a terminal.
DEFAULT_WIDTH = 80


def p_number(value: float, decimals: int = DECIMALS) -> str:
    """Format a p-value; a very small one as a bound, because it is never 0.

    Examples
    --------
    >>> p_number(0.0312), p_number(0.00001)
    ('0.0312', '<0.0001')
    """
    smallest = 10.0**-decimals
    return f"<{smallest:.{decimals}f}" if value < smallest / 2 else number(value, decimals)


def interval(low: float, high: float, decimals: int = DECIMALS) -> str:
    """Format an interval.

    Examples
    --------
    >>> interval(0.25, 0.75)
    '[0.2500, 0.7500]'
    """
    return f"[{number(low, decimals)}, {number(high, decimals)}]"


def rank_range(best: int, worst: int) -> str:
    """Format the ranks that a system may have.

    Examples
    --------
    >>> rank_range(1, 1), rank_range(2, 4)
    ('1', '2-4')
    """
    return str(best) if best == worst else f"{best}-{worst}"


def estimate(value: float, low: float, high: float, decimals: int = DECIMALS) -> str:
    """Format a value with its interval, if there is one; "" for NaN.

    Examples
    --------
    >>> estimate(0.5, 0.25, 0.75, 2)
    '0.50 [0.25, 0.75]'
    """
    if math.isnan(value):
        return ""
    value_text = number(value, decimals)
    return value_text if math.isnan(low) else f"{value_text} {interval(low, high, decimals)}"


def table(
    rows: Sequence[Sequence[Cell]],
    header: Sequence[str] | None = None,
    *,
    decimals: int = DECIMALS,
    legend: Legend | None = None,
    below: Sequence[Sequence[str]] = (),
    width: int | None = None,
) -> str:
    """Return rows in aligned columns that fit the terminal, under a header if there is one.

    Parameters
    ----------
    rows : rows of str, int, float or None
        All of one length. Floats get `decimals` decimals, None and NaN stay blank.
    header : sequence of str, optional
        One name per column.
    legend : Legend, optional
        Collects shortened names, to be explained after several tables; by default they are
        explained below this table.
    below : sequence of lists of str
        Lines to print below each row.
    width : int, optional
        The line width; the terminal's by default.

    Returns
    -------
    str
        Lines without trailing spaces, and without a final line end. Columns of numbers are aligned
        right, others left.

    Raises
    ------
    UsageError
        If the rows and the header differ in length.

    Examples
    --------
    >>> print(table([["語順", 0.5], ["unchanged", 0.25]], ["system", "frs"]))
    system        frs
    ---------  ------
    語順       0.5000
    unchanged  0.2500
    """
    lines = cell_texts(rows, header, decimals)
    table_legend = Legend(width) if legend is None else legend
    fitted_rows = fit_columns(
        lines,
        number_columns(rows, len(lines[0]) if lines else 0),
        header=header is not None,
        legend=table_legend,
        width=table_legend.width if width is None else width,
        below=below,
    )
    return "\n\n".join(filter(None, [fitted_rows, table_legend.text() if legend is None else ""]))


class NumberRows(Sequence[Sequence[Cell]]):
    """Rows of numbers, counted from 1, from columns that are arrays; rows are created on access.

    Parameters
    ----------
    columns : sequence of float64[S]

    Examples
    --------
    >>> import numpy as np
    >>> list(NumberRows([np.array([0.5, 0.25])]))
    [[1, 0.5], [2, 0.25]]
    """

    def __init__(self, columns: Sequence[Float64]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, row: Any) -> Any:
        """Return a row."""
        indices = range(len(self))[row]
        return [indices + 1, *(float(column[indices]) for column in self.columns)]

    def widest(self) -> list[list[Cell]]:
        """Return two rows that contain the widest number of each column."""
        # A column without numbers has empty cells.
        known_values = [column[~np.isnan(column)] for column in self.columns]
        ends = [
            [float(column.min()), float(column.max())] if len(column) else [math.nan] * 2
            for column in known_values
        ]
        return [[len(self), *row] for row in zip(*ends, strict=True)] if len(self) else []


def number_table(
    rows: NumberRows, header: Sequence[str], decimals: int, legend: Legend
) -> Iterator[str]:
    """Yield the text of `table` for rows of numbers, some rows at a time.

    Examples
    --------
    >>> import numpy as np
    >>> rows = NumberRows([np.array([0.5, -12.25])])
    >>> "".join(number_table(rows, ["segment", "frs"], 2, Legend(40))) == table(
    ...     list(rows), ["segment", "frs"], decimals=2, legend=Legend(40))
    True
    """
    gap, next_column = "", 1
    for block in table(rows.widest(), header, decimals=decimals, legend=legend).split("\n\n"):
        lines = block.split("\n")
        rule = next(n for n, line in enumerate(lines) if not line.strip("- "))
        yield gap + "\n".join(lines[: rule + 1])
        first, *widths = map(len, lines[rule].split(GAP))
        columns = rows.columns[next_column - 1 :][: len(widths)]
        for start in range(0, len(rows), ROWS_PER_BLOCK):
            stop = min(start + ROWS_PER_BLOCK, len(rows))
            cells = [[str(row).rjust(first) for row in range(start + 1, stop + 1)]]
            for column, width in zip(columns, widths, strict=True):
                values = column[start:stop].tolist()
                cells.append([_text(value, decimals).rjust(width) for value in values])
            lines_of_cells = zip(*cells, strict=True)
            yield "".join(f"\n{GAP.join(row).rstrip(' ')}" for row in lines_of_cells)
        gap, next_column = "\n\n", next_column + len(widths)


def number_columns(rows: Sequence[Sequence[Cell]], columns: int) -> list[bool]:
    """Return for each column whether it has only numbers and empty cells.

    Examples
    --------
    >>> number_columns([["a", 1, None], ["b", 0.5, None]], 3)
    [False, True, False]
    """
    return [
        any(_is_number(row[c]) for row in rows)
        and all(_is_number(row[c]) or row[c] is None for row in rows)
        for c in range(columns)
    ]


def tsv(
    rows: Sequence[Sequence[Cell]],
    header: Sequence[str] | None = None,
    *,
    decimals: int | None = DECIMALS,
) -> str:
    """Return rows as TSV; control characters are written as escapes.

    Other characters stay unchanged, since other commands read the file.

    Parameters
    ----------
    decimals : int or None
        None writes floats in full precision.

    Raises
    ------
    UsageError
        If the rows and the header differ in length.

    Examples
    --------
    >>> tsv([["a", 0.5], ["=a", -0.5]], ["system", "frs"]).split("\\n")
    ['system\\tfrs', 'a\\t0.5000', '=a\\t-0.5000']
    """
    return "\n".join("\t".join(line) for line in cell_texts(rows, header, decimals))


def columns_tsv(columns: Mapping[str, Sequence[Cell]], *, decimals: int | None = None) -> str:
    """Return columns as TSV with a header; numbers in full precision without `decimals`.

    Examples
    --------
    >>> columns_tsv({"system": ["a", "b"], "value": [0.1, None]})
    'system\\tvalue\\na\\t0.1\\nb\\t\\n'
    """
    rows = list(zip(*columns.values(), strict=True))
    return tsv(rows, list(columns), decimals=decimals) + "\n"


def cell_texts(
    rows: Sequence[Sequence[Cell]], header: Sequence[str] | None, decimals: int | None
) -> list[list[str]]:
    """Return the cells as text, header first.

    Raises
    ------
    UsageError
        If the rows and the header differ in length.

    Examples
    --------
    >>> cell_texts([["a", 0.5, None]], ["system", "frs", ""], 2)
    [['system', 'frs', ''], ['a', '0.50', '']]
    """
    lines: list[Sequence[Cell]] = [*([header] if header is not None else []), *rows]
    for line in lines:
        if len(line) != len(lines[0]):
            raise UsageError(f"a table row has {len(line)} cells, the first {len(lines[0])}")
    return [[_text(cell, decimals) for cell in line] for line in lines]


def _text(cell: Cell, decimals: int | None) -> str:
    """Return a cell as text."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return _printable(cell)
    if isinstance(cell, int):
        return str(cell)
    if math.isnan(cell):
        return ""
    return repr(float(cell)) if decimals is None else number(cell, decimals)


def _is_number(cell: Cell) -> bool:
    """Return whether a cell is a number, which is aligned right."""
    return isinstance(cell, (int, float))


def fit_columns(
    cells: Sequence[Sequence[str]],
    right: Sequence[bool],
    *,
    header: bool,
    legend: Legend,
    width: int,
    below: Sequence[Sequence[str]] = (),
) -> str:
    """Return cells in columns; if they are too wide, change as little as makes them fit.

    In this order: wrap headers, shorten long names, wrap long texts, and continue with the
    remaining columns in a further block, which repeats the first column.

    Parameters
    ----------
    cells : rows of str, all of one length
    right : sequence of bool
        Whether each column is aligned right.
    header : bool
        Whether the first row is a header.
    legend : Legend
        The short forms of names.
    width : int
        The line width in terminal columns.
    below : sequence of lists of str
        Lines to print below each row after the header; in the first block only.

    Examples
    --------
    >>> rows = [["system", "first score", "second score"], ["the-one-and-only", "0.5", "0.25"]]
    >>> legend = Legend(20)
    >>> print(fit_columns(rows, [False, True, True], header=True, legend=legend, width=20))
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
        table = _narrow(cells, header=header, legend=legend, width=width)
        widths = _widths(table)
    blocks: list[str] = []
    for columns in _blocks(widths, width):
        lines: list[str] = []
        for index, row in enumerate(table):
            row_cells = [(row[c], widths[c], right[c]) for c in columns]
            lines += _row(row_cells, bottom=header and index == 0)
            if header and index == 0:
                lines.append(GAP.join("-" * widths[c] for c in columns))
            elif below and not blocks:
                lines += below[index - header]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _narrow(
    cells: Sequence[Sequence[str]], *, header: bool, legend: Legend, width: int
) -> list[list[_Lines]]:
    """Wrap headers, shorten names and wrap texts, as far as needed."""
    body = [list(row) for row in cells[header:]]
    columns = range(len(cells[0]))
    headers = list(cells[0]) if header else [""] * len(columns)
    for attempt in range(2):
        widths = _with_headers(headers, body, width)
        if _total(widths) <= width or attempt:
            break
        texts = [_is_text(row[c] for row in body) for c in columns]
        legend.add(word for head in headers for word in head.split(" "))
        for c in columns:
            legend.add(word for row in body for word in row[c].split(" ") if texts[c])
        headers = [legend.short_words(head) for head in headers]
        body = [
            [legend.short_words(row[c]) if texts[c] else row[c] for c in columns] for row in body
        ]
    breakable = [c for c in columns if _is_text(row[c] for row in body)]
    cap = _text_width(widths, breakable, width, max(_MIN_CELL_WIDTH, width // 4))
    for c in columns:
        # The first column and any other one must fit into a line.
        max_width = width // 2 if c == 0 else width - min(widths[0], width // 2) - len(GAP)
        widths[c] = max(1, min(widths[c], cap if c in breakable else max_width, max_width))
    rows = [[wrap(row[c], widths[c]) for c in columns] for row in body]
    return [[wrap(headers[c], widths[c]) for c in columns], *rows] if header else rows


def _with_headers(heads: Sequence[str], body: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the column widths after headers are wrapped no more than necessary."""
    columns = range(len(heads))
    body_widths = [max((display_width(row[c]) for row in body), default=0) for c in columns]
    full_widths = [max(body_widths[c], display_width(heads[c])) for c in columns]
    min_widths = [max(body_widths[c], _longest(heads[c].split(" "))) for c in columns]
    for cap in range(max(full_widths), 0, -1):
        widths = [max(min_widths[c], min(cap, full_widths[c])) for c in columns]
        if _total(widths) <= width:
            return widths
    fewer = len(list(_blocks(min_widths, width))) < len(list(_blocks(full_widths, width)))
    return min_widths if fewer else full_widths


def _text_width(widths: Sequence[int], breakable: Sequence[int], width: int, min_width: int) -> int:
    """Return the largest width of text columns at which a line has room for all columns."""
    cap = max(widths)
    while (
        cap > min_width
        and _total([min(w, cap) if c in breakable else w for c, w in enumerate(widths)]) > width
    ):
        cap -= 1
    return cap


def _blocks(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """Yield the columns of each block, which starts with the first column."""
    block: list[int] = [0]
    for c in range(1, len(widths)):
        if len(block) > 1 and _total([widths[column] for column in (*block, c)]) > width:
            yield block
            block = [0]
        block.append(c)
    yield block


def _row(cells: Sequence[tuple[_Lines, int, bool]], *, bottom: bool) -> list[str]:
    """Return the lines of a row; cells of a header are aligned at the bottom."""
    height = max(len(lines) for lines, _, _ in cells)
    filled = [
        ([""] * (height - len(lines)) + lines if bottom else lines + [""] * (height - len(lines)))
        for lines, _, _ in cells
    ]
    return [
        GAP.join(
            padded(lines[i], width, right)
            for lines, (_, width, right) in zip(filled, cells, strict=True)
        ).rstrip(" ")
        for i in range(height)
    ]


def _widths(table: Sequence[Sequence[_Lines]]) -> list[int]:
    """Return the width of each column in terminal columns."""
    return [max(_longest(row[c]) for row in table) for c in range(len(table[0]))]


def _longest(words: Sequence[str]) -> int:
    return max(map(display_width, words))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _is_text(cells: Iterator[str]) -> bool:
    """Return whether a column contains anything but numbers."""
    return any(_NUMBER_CELL.fullmatch(cell) is None for cell in cells)


class Legend:
    """The short forms of long names in an output, which are unique.

    Parameters
    ----------
    width : int, optional
        The line width; a short form takes a quarter of it.

    Examples
    --------
    >>> legend = Legend(40)
    >>> legend.short("a-long-name-of-a-system"), legend.short("short")
    ('a-lon…stem', 'short')
    >>> legend.text()
    'a-lon…stem = a-long-name-of-a-system'
    """

    def __init__(self, width: int | None = None) -> None:
        self.width = line_width() if width is None else width
        self.limit = max(_MIN_CELL_WIDTH, self.width // 4)
        self._short: dict[str, str] = {}

    def short(self, name: str) -> str:
        """Return a name in at most a quarter of a line."""
        if display_width(name) <= self.limit:
            return name
        if name not in self._short:
            self._short[name] = self._new(name)
        return self._short[name]

    def short_words(self, text: str) -> str:
        """Shorten the long words of a text.

        Examples
        --------
        >>> Legend(40).short_words("order of a-long-name-of-a-system")
        'order of a-lon…stem'
        """
        return " ".join(map(self.short, text.split(" ")))

    def add(self, names: Iterable[str]) -> None:
        """Choose short forms for related names, which show where the names differ.

        Examples
        --------
        >>> legend = Legend(48)
        >>> legend.add(f"results/{name}/test.orders" for name in ("first", "second"))
        >>> legend.short("results/first/test.orders")
        'resu…first…'
        """
        long_names = [name for name in dict.fromkeys(names) if display_width(name) > self.limit]
        prefix = _common_prefix_length(long_names)
        suffix = _common_prefix_length([name[prefix:][::-1] for name in long_names])
        for name in long_names if len(long_names) > 1 else ():
            form = self._around(name, prefix, len(name) - suffix)
            if name not in self._short and form and form not in self._short.values():
                self._short[name] = form

    def text(self) -> str:
        """Return a line for each shortened name; "" if there is none."""
        return "\n".join(paragraph(f"{s} = {name}", "", "  ") for name, s in self._short.items())

    def _around(self, name: str, start: int, stop: int) -> str:
        """Return the start of a name and a part with as much context as fits; "" if none fits."""
        form, head = "", _first(name, self.limit // 3)
        for growth in range(len(name)):
            # Twice as much context on the left, which is more informative.
            first, last = max(0, start - 2 * growth), min(len(name), stop + growth)
            start_text = (
                f"{head}{cut_sign()}{name[first:last]}" if first > len(head) else name[:last]
            )
            wider = f"{start_text}{cut_sign() if last < len(name) else ''}"
            if display_width(wider) > self.limit:
                break
            form = wider
        return form

    def _new(self, name: str) -> str:
        """Return an unused short form: the start and the end of the name, as much as fits."""
        used_names = set(self._short.values())
        for end_width in [*range(self.limit // 2 - 1, self.limit - 1), *range(self.limit // 2 - 1)]:
            end = _last(name, end_width)
            form = f"{_first(name, self.limit - 1 - display_width(end))}{cut_sign()}{end}"
            if form not in used_names:
                return form
        number = str(len(used_names))
        return f"{_first(name, self.limit - 1 - len(number))}{cut_sign()}{number}"


def _common_prefix_length(names: Sequence[str]) -> int:
    """Return the length of the common prefix of names."""
    letters = zip(*names, strict=False)
    return sum(1 for _ in takewhile(lambda place: len(set(place)) == 1, letters))


def _first(text: str, width: int) -> str:
    """Return the longest prefix of a text that takes at most `width` columns."""
    text = text[: 4 * width]
    while display_width(text) > width:
        text = text[:-1]
    return text


def _last(text: str, width: int) -> str:
    """Return the longest suffix of a text that takes at most `width` columns."""
    text = text[-4 * width :] if width else ""
    while display_width(text) > width:
        text = text[1:]
    return text


def line_width() -> int:
    """Return the line width: the terminal's, or 80 without a terminal.

    The environment variable COLUMNS overrides it.

    Examples
    --------
    >>> line_width() > 0
    True
    """
    return shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns


def wrap(text: str, width: int) -> list[str]:
    """Wrap a text at spaces into lines of at most `width` columns; split longer words.

    A percent sign stays with its number.

    Examples
    --------
    >>> wrap("it has 69 % of them", 9)
    ['it has', '69 % of', 'them']
    >>> wrap("put words in order", 9), wrap("語順語順", 5), wrap("", 5)
    (['put words', 'in order'], ['語順', '語順'], [''])
    """
    lines: list[str] = []
    line = ""
    for word in re.split(" (?!%)", text):
        longer = f"{line} {word}" if line else word
        if display_width(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        *full, line = _pieces(word, width)
        lines += full
    return [*lines, line] if line or not lines else lines


def paragraph(text: str, first: str = "", following: str = "") -> str:
    """Wrap a text, with prefixes for the first and for the following lines.

    Examples
    --------
    >>> print(paragraph("a word " * 13, "1. ", "   "))
    1. a word a word a word a word a word a word a word a word a word a word a word
       a word a word
    """
    room = max(1, line_width() - max(display_width(first), display_width(following)))
    prefixes = [first] + [following] * len(text)
    pieces = wrap(printable(text).strip(" "), room)
    lines = (f"{start}{piece}" for start, piece in zip(prefixes, pieces, strict=False))
    return "\n".join(line.rstrip(" ") for line in lines)


def paragraphs(text: str) -> str:
    r"""Wrap each line of a text.

    Examples
    --------
    >>> print(paragraphs("Two lines\nstay two lines."))
    Two lines
    stay two lines.
    """
    return "\n".join(map(paragraph, text.split("\n")))


def _pieces(word: str, width: int) -> list[str]:
    """Split a word into pieces of at most `width` columns."""
    pieces = [""]
    used = 0
    for character in word:
        columns = display_width(character)
        if used + columns > width and pieces[-1]:
            pieces.append("")
            used = 0
        pieces[-1] += character
        used += columns
    return pieces
