"""Rows of a table, read under its header and named by file and line in messages."""

import csv
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing

from wordorder.errors import InputError, location
from wordorder.text.blocks import quoted
from wordorder.text.lines import REAL_NUMBER, read_lines, read_number, tokens
from wordorder.text.opening import Closeable, Path, display_name
from wordorder.text.stores import is_whole_table

# A number with more digits is not a rank or a line number.
MOST_DIGITS = 10


class TableRows(Closeable):
    r"""Reads a table with a header line.

    The header says what is between the columns: tabs, else commas, else blanks. Empty lines are
    passed over. Parquet, JSON Lines, and folders and globs of parts are tables too.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.sources.Source` takes it; or of a table in parts, or in Parquet.

    Attributes
    ----------
    name : str
        What messages call the file.
    header : list of str
        The names of the columns; empty if the file is.
    line : int
        The line that was read last, from 1.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.tsv")
    >>> _ = path.write_text("segment\tbetter\tworse\n7\tA\tB\n")
    >>> with TableRows(path) as rows:
    ...     list(rows.cells("worse", "segment"))
    [['B', '7']]
    """

    def __init__(self, path: Path) -> None:
        self.name = self._file = display_name(path)
        self.line = 0
        self._rows = self._found(os.fspath(path))
        self.header = next(self._rows, [])

    def cells(self, *columns: str) -> Iterator[list[str]]:
        """Yield the cells of some columns, row by row; a column that is missing is always empty.

        Raises
        ------
        InputError
            If a row has more or fewer cells than the header.
        """
        places = [self.header.index(c) if c in self.header else None for c in columns]
        for row in self._rows:
            if len(row) != len(self.header):
                expected = f"{len(self.header)}: {' '.join(self.header)}"
                raise self.error(f"{len(row)} columns", expected)
            yield ["" if place is None else row[place].strip() for place in places]

    def close(self) -> None:
        """Close the file."""
        self._rows.close()

    def error(self, what: str, expected: str = "") -> InputError:
        """Build the error for what was found in the line that was read last."""
        return InputError(location(self._file, self.line), what, expected)

    def filled(self, cell: str, column: str) -> str:
        """Return a cell that must not be empty."""
        if not cell:
            raise self.error(f"{column} is empty", "a value in each row")
        return cell

    def number(self, cell: str, column: str) -> float:
        """Return the number in a cell."""
        value = read_number(cell)
        if value is None:
            raise self.error(f"{column} is {quoted(cell.encode())}", REAL_NUMBER)
        return value

    def _found(self, path: str) -> Generator[list[str], None, None]:
        """Yield the header and the rows."""
        if not is_whole_table(path):
            yield from self._of_text(path)
            return
        from wordorder.text.table_cells import whole_rows

        header: list[str] = []
        for self._file, self.line, row in whole_rows(path):
            if not header:
                header = list(row)
                yield header
            elif not set(row) <= set(header):
                raise self.error(f"the columns {' '.join(row)}", " ".join(header))
            yield ["" if (cell := row.get(name)) is None else str(cell) for name in header]

    def _of_text(self, path: str) -> Generator[list[str], None, None]:
        """Yield the header and the rows of a text."""
        from wordorder.text.table_cells import refuse_semicolons

        split: Callable[[str], list[str]] | None = None
        with closing(read_lines(path)) as lines:
            for self.line, text in enumerate(lines, 1):
                if not text.strip():
                    continue
                if split is None:
                    split = _splitter(text)
                    names = [name.strip() for name in split(text)]
                    refuse_semicolons(names, location(self._file, self.line))
                    yield names
                else:
                    yield split(text)


class Names:
    """Numbers for names, from 0, in the order in which they come.

    Examples
    --------
    >>> names = Names()
    >>> [names.number(name) for name in ("B", "A", "B")], names.all()
    ([0, 1, 0], ('B', 'A'))
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """Return the number of a name, a new one if it is new."""
        return self._numbers.setdefault(name, len(self._numbers))

    def all(self) -> tuple[str, ...]:
        """Return the names, ``names[number]``."""
        return tuple(self._numbers)


def _splitter(header: str) -> Callable[[str], list[str]]:
    """Return what cuts a line into cells."""
    if "\t" in header:
        return lambda line: line.split("\t")
    if "," in header:
        return _commas
    return tokens


def _commas(line: str) -> list[str]:
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        # Whoever counts the cells says what is wrong.
        return [line]
