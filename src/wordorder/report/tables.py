"""Plain tables for a terminal, and the same rows as TSV for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wordorder.counts import DECIMALS, number
from wordorder.drawing.width import display_width, padded, printable
from wordorder.errors import UsageError

Cell = str | int | float | None

GAP = "  "
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
) -> str:
    """Lay rows out in aligned columns, under a header if there is one.

    Parameters
    ----------
    rows : rows of str, int, float or None
        All of one length. Floats get `decimals` decimals, None stays blank.
    header : sequence of str, optional
        One name a column.

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
    lines = _texts(rows, header, decimals)
    columns = range(len(lines[0]) if lines else 0)
    widths = [max(display_width(line[c]) for line in lines) for c in columns]
    numeric = [
        any(_is_number(row[c]) for row in rows)
        and all(_is_number(row[c]) or row[c] is None for row in rows)
        for c in columns
    ]
    if header is not None:
        lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        GAP.join(padded(line[c], widths[c], numeric[c]) for c in columns).rstrip(" ")
        for line in lines
    )


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
    return "\n".join("\t".join(map(_harmless, line)) for line in _texts(rows, header, decimals))


def columns_tsv(columns: Mapping[str, Sequence[Cell]]) -> str:
    """Write columns with their names as lines, numbers in full precision.

    Examples
    --------
    >>> columns_tsv({"system": ["a", "b"], "value": [0.1, None]})
    'system\\tvalue\\na\\t0.1\\nb\\t\\n'
    """
    rows = list(zip(*columns.values(), strict=True))
    return tsv(rows, list(columns), decimals=None) + "\n"


def _texts(
    rows: Sequence[Sequence[Cell]], header: Sequence[str] | None, decimals: int | None
) -> list[list[str]]:
    """Write each cell, the header first."""
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
