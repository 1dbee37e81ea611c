"""Names of columns in files of tables: ``data.parquet#reference``, ``data.jsonl.gz#text``."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from wordorder.text.compression import SUFFIXES

TABLE_SUFFIXES = (".parquet", ".jsonl", ".ndjson")
_COLUMN = re.compile(
    rf"(.*?(?:{'|'.join(map(re.escape, TABLE_SUFFIXES))})"
    rf"(?:{'|'.join(map(re.escape, SUFFIXES))})?)(?:#(.*))?",
    re.IGNORECASE | re.DOTALL,
)


class TableColumn(NamedTuple):
    """A column of a file; its name is empty where the file was named without one."""

    path: str
    column: str

    @property
    def parquet(self) -> bool:
        """Whether the file is Parquet; otherwise it is JSON Lines."""
        return ".parquet" in os.path.basename(self.path).lower()


def table_column(path: str | os.PathLike[str]) -> TableColumn | None:
    """Return the column that a name means; None if it is not the name of a table.

    Examples
    --------
    >>> table_column("data.parquet#reference")
    TableColumn(path='data.parquet', column='reference')
    >>> table_column("a.jsonl.gz"), table_column("a.txt")
    (TableColumn(path='a.jsonl.gz', column=''), None)
    """
    name = os.fspath(path)
    found = _COLUMN.fullmatch(name)
    return None if found is None else TableColumn(found[1], found[2] or "")


def file_of(path: str | os.PathLike[str]) -> str:
    """Return the file that a name means, be it the name of a column.

    Examples
    --------
    >>> file_of("data.parquet#reference"), file_of("a.txt")
    ('data.parquet', 'a.txt')
    """
    column = table_column(path)
    return os.fspath(path) if column is None else column.path


def with_column(name: str, column: str) -> str:
    """Return the name of a column of a table; a name that has one already, or is no table's, as is.

    Examples
    --------
    >>> [with_column(name, "text") for name in ("A=a.jsonl", "a.jsonl#de", "a.txt")]
    ['A=a.jsonl#text', 'a.jsonl#de', 'a.txt']
    """
    found = table_column(name)
    return name if found is None or found.column else f"{found.path}#{column}"
