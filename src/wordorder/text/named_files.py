"""Files that a call names: ``NAME=FILE``, and which of them can be read only once."""

from __future__ import annotations

import os
from collections.abc import Sequence

from wordorder.errors import UsageError
from wordorder.text.compression import SUFFIXES
from wordorder.text.table_names import TABLE_SUFFIXES, file_of, table_column
from wordorder.text.treebank_names import TREEBANK_SUFFIXES


def split_name(given: str) -> tuple[str, str]:
    """Cut ``NAME=FILE``; the name is empty where there is none, as in the name of a file with "=".

    Examples
    --------
    >>> split_name("P1=trees.conllu"), split_name("trees.conllu")
    (('P1', 'trees.conllu'), ('', 'trees.conllu'))
    """
    name, equals, path = given.partition("=")
    if equals and name and os.sep not in name and not os.path.exists(given):
        return name, path
    return "", given


def names_and_paths(inputs: Sequence[str]) -> list[tuple[str, str]]:
    """Return a distinct name and the path of each system.

    ``NAME=FILE`` names it; otherwise it is called after its file, without folder and suffix, or by
    the whole path where two would be the same. Columns of tables are called by their names, if
    these differ.

    Raises
    ------
    UsageError
        If two systems have one name all the same.
    """
    found = [split_name(given) for given in inputs]
    tables = [column.column for _, path in found if (column := table_column(path))]
    by_column = len(set(tables)) == len(tables)
    names = [name or _stem(path, by_column=by_column) for name, path in found]
    distinct = [
        (name if chosen or names.count(name) == 1 else path, path)
        for name, (chosen, path) in zip(names, found, strict=True)
    ]
    seen = set()
    for name, _ in distinct:
        if name in seen:
            raise UsageError(f"two systems have the same name, {name!r}; NAME=FILE gives another")
        seen.add(name)
    return distinct


def _stem(path: str, *, by_column: bool) -> str:
    if path == "-":
        return "stdin"
    table = table_column(path)
    if table is not None and table.column and by_column:
        return table.column
    path = file_of(path)
    name = last = os.path.basename(path.rstrip("/"))
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    kinds = (".orders", *TREEBANK_SUFFIXES, *TABLE_SUFFIXES, ".txt", ".align", ".talbot")
    for suffix in kinds:
        name = name.removesuffix(suffix)
    return name or last


def read_only_once(path: str) -> bool:
    """Return whether a file is gone when it has been read: standard input, a pipe, a terminal."""
    path = file_of(path)
    return path == "-" or (
        os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    )
