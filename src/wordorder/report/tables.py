"""Plain tables for a terminal, and the same rows as TSV for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wordorder.counts import DECIMALS, number
from wordorder.drawing.width import printable
from wordorder.errors import UsageError
from wordorder.report.fitted import fitted
from wordorder.report.legend import Legend

Cell = str | int | float | None

# What a spreadsheet takes for the start of a formula.
_FORMULA = ("=", "+", "-", "@")


def p_number(value: float, decimals: int = DECIMALS) -> str:
    """Write a p-value; a very small one as a bound, because it is never 0.

    Examples
    --------
    >>> p_number(0.0312), p_number(0.00001)
    ('0.0312', '<0.0001')
    """
    smallest = 10.0**-decimals
    return f"<{smallest:.{decimals}f}" if value < smallest / 2 else number(value, decimals)


def table(
    rows: Sequence[Sequence[Cell]],
    header: Sequence[str] | None = None,
    *,
    decimals: int = DECIMALS,
    legend: Legend | None = None,
    below: Sequence[Sequence[str]] = (),
    width: int | None = None,
) -> str:
    """Lay rows out in aligned columns that fit the terminal, under a header if there is one.

    Parameters
    ----------
    rows : rows of str, int, float or None
        All of one length. Floats get `decimals` decimals, None stays blank.
    header : sequence of str, optional
        One name a column.
    legend : Legend, optional
        Takes the names that had to be shortened, for the foot of an output of several tables;
        without it they are listed below this table.
    below : sequence of lists of str
        For each row, lines to print below it.
    width : int, optional
        How many columns a line may take; the terminal's by default.

    Returns
    -------
    str
        Lines without blanks at their ends, without a final line end. Columns that hold numbers
        are aligned on the right, all others on the left.

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
    own = Legend(width) if legend is None else legend
    shown = fitted(
        lines,
        number_columns(rows, len(lines[0]) if lines else 0),
        header=header is not None,
        legend=own,
        width=own.width if width is None else width,
        below=below,
    )
    return "\n\n".join(filter(None, [shown, own.text() if legend is None else ""]))


def number_columns(rows: Sequence[Sequence[Cell]], columns: int) -> list[bool]:
    """Say which columns hold numbers, and nothing else but blanks.

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
    """Write rows with one tab between cells; control characters are written as escapes.

    A text that a spreadsheet would take for a formula gets a leading apostrophe.

    Parameters
    ----------
    decimals : int or None
        None writes floats in full, so that they read back as the same number.

    Raises
    ------
    UsageError
        If the rows and the header differ in length.

    Examples
    --------
    >>> tsv([["a", 0.5], ["=a", -0.5]], ["system", "frs"]).split("\\n")
    ['system\\tfrs', 'a\\t0.5000', "'=a\\t-0.5000"]
    """
    return "\n".join("\t".join(map(_harmless, line)) for line in cell_texts(rows, header, decimals))


def columns_tsv(columns: Mapping[str, Sequence[Cell]]) -> str:
    """Write columns with their names as lines, numbers in full precision.

    Examples
    --------
    >>> columns_tsv({"system": ["a", "b"], "value": [0.1, None]})
    'system\\tvalue\\na\\t0.1\\nb\\t\\n'
    """
    rows = list(zip(*columns.values(), strict=True))
    return tsv(rows, list(columns), decimals=None) + "\n"


def cell_texts(
    rows: Sequence[Sequence[Cell]], header: Sequence[str] | None, decimals: int | None
) -> list[list[str]]:
    """Return each cell as text, the header first.

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
    """Write one cell."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return printable(cell)
    if isinstance(cell, int):
        return str(cell)
    return repr(float(cell)) if decimals is None else number(cell, decimals)


def _harmless(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would compute."""
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def _is_number(cell: Cell) -> bool:
    """Say whether a cell belongs on the right."""
    return isinstance(cell, (int, float))
