"""Reads tables with a header; errors name file and line."""

import csv
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing

from wordorder.errors import InputError, location
from wordorder.text.blocks import quoted
from wordorder.text.lines import REAL_NUMBER, read_lines, read_number, tokens
from wordorder.text.opening import Closeable, Path, display_name
from wordorder.text.stores import is_whole_table

# Ranks and line numbers have fewer digits.
MAX_DIGITS = 10


class TableRows(Closeable):
    r"""Reads a table with a header line.

    The delimiter is taken from the header: tabs, else commas, else spaces. Empty lines are skipped.
    Parquet, JSON Lines, and folders and globs of parts are read too.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.text.sources.Source`; or a table in parts, or in Parquet.

    Attributes
    ----------
    name : str
        Display name of the file.
    header : list of str
        Names of the columns; empty if the file is empty.
    line : int
        Number of the last line read, from 1.

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
        self._rows = self._read_rows(os.fspath(path))
        self.header = next(self._rows, [])

    def cells(self, *columns: str) -> Iterator[list[str]]:
        """Yield the cells of some columns, row by row; missing columns have empty cells.

        Raises
        ------
        InputError
            If a row has more or fewer cells than the header.
        """
        indices = [self.header.index(c) if c in self.header else None for c in columns]
        for row in self._rows:
            if len(row) != len(self.header):
                expected = f"{len(self.header)}: {' '.join(self.header)}"
                raise self.error(f"{len(row)} columns", expected)
            yield ["" if index is None else row[index].strip() for index in indices]

    def close(self) -> None:
        """Close the file."""
        self._rows.close()

    def error(self, problem: str, expected: str = "") -> InputError:
        """Build an error about the last line read."""
        return InputError(location(self._file, self.line), problem, expected)

    def filled(self, cell: str, column: str) -> str:
        """Return a cell; refuse an empty one."""
        if not cell:
            raise self.error(f"{column} is empty", "a value in each row")
        return cell

    def number(self, cell: str, column: str) -> float:
        """Return the number in a cell."""
        value = read_number(cell)
        if value is None:
            raise self.error(f"{column} is {quoted(cell.encode())}", REAL_NUMBER)
        return value

    def _read_rows(self, path: str) -> Generator[list[str], None, None]:
        """Yield the header and the rows."""
        if not is_whole_table(path):
            yield from self._read_text(path)
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

    def _read_text(self, path: str) -> Generator[list[str], None, None]:
        """Yield the header and the rows of a text."""
        from wordorder.text.table_cells import refuse_semicolons

        split: Callable[[str], list[str]] | None = None
        with closing(read_lines(path)) as lines:
            for self.line, text in enumerate(lines, 1):
                if not text.strip():
                    continue
                if split is None:
                    split = _choose_splitter(text)
                    names = [name.strip() for name in split(text)]
                    refuse_semicolons(names, location(self._file, self.line))
                    yield names
                else:
                    yield split(text)


class Names:
    """Ids for names, from 0, in order of first appearance.

    Examples
    --------
    >>> names = Names()
    >>> [names.id_of(name) for name in ("B", "A", "B")], names.all()
    ([0, 1, 0], ('B', 'A'))
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def id_of(self, name: str) -> int:
        """Return the id of a name; new names get the next id."""
        return self._ids.setdefault(name, len(self._ids))

    def all(self) -> tuple[str, ...]:
        """Return the names by id."""
        return tuple(self._ids)


class NamedRows:
    """Collects the names of systems, raters and items in rows of a file."""

    def __init__(self) -> None:
        self.systems, self.raters, self.items = Names(), Names(), Names()

    def ids(self, item: str, rater: str, *systems: str) -> tuple[int, ...]:
        """Return the ids of the names; that of an empty rater is -1, unknown."""
        rater_id = self.raters.id_of(rater) if rater else -1
        return self.items.id_of(item), rater_id, *map(self.systems.id_of, systems)

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """The names of the systems, the raters and the items."""
        return self.systems.all(), self.raters.all(), self.items.all()


def _choose_splitter(header: str) -> Callable[[str], list[str]]:
    """Return the function that splits a line into cells."""
    if "\t" in header:
        return lambda line: line.split("\t")
    if "," in header:
        return _split_csv
    return tokens


def _split_csv(line: str) -> list[str]:
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        # The caller reports the wrong number of cells.
        return [line]
