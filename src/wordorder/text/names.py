"""Names of inputs: ``NAME=FILE``, columns of tables, addresses, suffixes, and pipes."""

import os
import re
import stat
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wordorder.errors import UsageError
from wordorder.messages import counted, joined
from wordorder.notes import note

SUFFIXES = {".gz": "gzip", ".xz": "xz", ".bz2": "bzip2", ".zst": "zstd"}
# A column whose name ends with its format: ``A_orders``.
_COLUMN_WITH_FORMAT = re.compile(r"#(?:(.*)[_.\- ])?(orders|align|talbot)$")
# Names of standard input.
_STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
# The path that a shell substitutes for ``<(COMMAND)``.
_SHELL_PIPE = re.compile(r"/(?:dev|proc/self)/fd/[0-9]+")
TABLE_SUFFIXES = (".parquet", ".jsonl", ".ndjson")
# Read as tables where a column is named; otherwise their lines are text.
DELIMITED_SUFFIXES = (".csv", ".tsv")
COLUMN_SUFFIXES = TABLE_SUFFIXES + DELIMITED_SUFFIXES
_STORE_ADDRESS = re.compile(r"[a-z][a-z0-9+.\-]*://", re.IGNORECASE)
_CREDENTIALS = re.compile(r"(?<=://)[^/#]*@|\?[^#]*")
_TABLE_COLUMN = re.compile(
    rf"(.*?(?:{'|'.join(map(re.escape, TABLE_SUFFIXES))})"
    rf"(?:{'|'.join(map(re.escape, SUFFIXES))})?)(?:#(.*))?",
    re.IGNORECASE | re.DOTALL,
)
TREEBANK_SUFFIXES = (".conllu", ".conllx", ".conll")
BRACKET_SUFFIXES = (".mrg", ".ptb", ".brackets")


def without_compression(path: str) -> str:
    """Return a path without its compression suffix, so that it ends in the suffix of the format.

    The name of a table's column gets such a suffix too: ``A_orders`` becomes ``A.orders``.

    Examples
    --------
    >>> without_compression("a.orders.gz"), without_compression("a.jsonl.gz#A_orders")
    ('a.orders', 'a.jsonl.gz#A.orders')
    """
    if "#" in path:
        return _COLUMN_WITH_FORMAT.sub(r"#\1.\2", path)
    for suffix in SUFFIXES:
        path = path.removesuffix(suffix)
    return path


def unlinked_paths(orders: str | os.PathLike[str]) -> list[str]:
    """Return the possible paths of the list of unlinked words of a file of orders.

    The list is written to the first. The others apply if the orders have been compressed or
    decompressed since then.

    Examples
    --------
    >>> unlinked_paths("a/test.orders.gz")[:2], unlinked_paths("-"), unlinked_paths("a.csv#orders")
    (['a/test.orders.gz.unlinked', 'a/test.orders.unlinked'], [], [])
    """
    path = os.fspath(orders)
    plain_path = without_compression(path)
    if not plain_path.endswith(".orders") or "#" in plain_path:
        return []
    names = [path, plain_path, *(f"{plain_path}{suffix}" for suffix in SUFFIXES)]
    return [f"{name}.unlinked" for name in dict.fromkeys(names)]


def split_name(text: str) -> tuple[str, str]:
    """Split ``NAME=FILE``; the name is empty if it is missing, or if "=" is part of the path.

    Examples
    --------
    >>> split_name("P1=trees.conllu"), split_name("trees.conllu")
    (('P1', 'trees.conllu'), ('', 'trees.conllu'))
    """
    name, equals, path = text.partition("=")
    if equals and name and os.sep not in name and not os.path.exists(text):
        return name, path
    return "", text


def names_and_paths(inputs: Sequence[str]) -> list[tuple[str, str]]:
    """Return a distinct name and the path of each system.

    The name is that of ``NAME=FILE``; otherwise the file name without folder and suffix, or the
    complete path if two systems would get the same name. Columns of tables give their own names,
    if these differ.

    Raises
    ------
    UsageError
        If two systems still have the same name.
    """
    pairs = [split_name(text) for text in inputs]
    refuse_two_pipes(path for _, path in pairs)
    columns = [column.column for _, path in pairs if (column := table_column(path))]
    by_column = len(set(columns)) == len(columns)
    names = [name or _stem(path, by_column=by_column) for name, path in pairs]
    distinct = [
        (name if chosen or names.count(name) == 1 else shown_address(path), path)
        for name, (chosen, path) in zip(names, pairs, strict=True)
    ]
    seen = set()
    for name, _ in distinct:
        if name in seen:
            raise UsageError(f"two systems have the same name, {name!r}; NAME=FILE gives another")
        seen.add(name)
    pipe_names = [
        name
        for name, (chosen, path) in zip(names, pairs, strict=True)
        if not chosen and _SHELL_PIPE.fullmatch(path)
    ]
    if pipe_names:
        systems = f"{counted(len(pipe_names), 'system')} named after a pipe: {joined(pipe_names)}"
        note(f"{systems}; NAME=<(COMMAND) gives another name")
    return distinct


def refuse_two_pipes(paths: Iterable[str | None]) -> None:
    """Refuse to read standard input, or another pipe, for two inputs.

    Raises
    ------
    UsageError

    Examples
    --------
    >>> refuse_two_pipes(["-", "a.txt", "-"])
    Traceback (most recent call last):
    wordorder.errors.UsageError: only one input can be standard input ("-")
    """
    pipes: set[str] = set()
    for pipe in filter(None, map(_pipe, paths)):
        if pipe in pipes:
            source = 'standard input ("-")' if pipe == "-" else f"the pipe {pipe}"
            raise UsageError(f"only one input can be {source}")
        pipes.add(pipe)


def _pipe(path: str | None) -> str | None:
    """Return the pipe of a path, ``-`` for standard input; None if the path is not a pipe."""
    if path in _STANDARD_INPUT:
        # A file that a shell opened as standard input can be read again under its other names.
        return None if os.path.isfile(path) and path != "-" else "-"
    is_pipe = path is not None and os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode)
    return path if is_pipe else None


def _stem(path: str, *, by_column: bool) -> str:
    """Return the default name of a system: its column, or its file without folder and suffix."""
    if path == "-":
        return "stdin"
    table = table_column(path)
    if table is not None and table.column and by_column:
        return table.column
    path = shown_address(file_of(path))
    if path == "-":
        return "stdin"
    name = last = os.path.basename(path.rstrip("/"))
    suffixes = (".orders", *TREEBANK_SUFFIXES, *COLUMN_SUFFIXES, ".txt", ".align", ".talbot")
    for suffix in (*SUFFIXES, *suffixes):
        name = name.removesuffix(suffix)
    return name or last


def read_only_once(path: str) -> bool:
    """Return whether a file can be read only once: standard input, a pipe, a terminal.

    Columns of standard input can be read again, since its bytes are stored.
    """
    table = table_column(path)
    if table is not None and table.path == "-":
        return False
    path = file_of(path)
    return path == "-" or (
        os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    )


def is_address(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is the address of a file in a store.

    Examples
    --------
    >>> is_address("s3://bucket/a.txt"), is_address("a.txt")
    (True, False)
    """
    return _STORE_ADDRESS.match(os.fspath(path)) is not None


def has_glob(path: str) -> bool:
    """Return whether a path has wildcards: "*", and outside of stores also "?" and "[...]"."""
    return any(sign in path for sign in ("*" if is_address(path) else "*?["))


def shown_address(path: str) -> str:
    """Return an address without credentials: user, password and signed query.

    Examples
    --------
    >>> shown_address("https://me:secret@host/a.jsonl?signature=abc#ref"), shown_address("a?.txt")
    ('https://host/a.jsonl#ref', 'a?.txt')
    """
    return _CREDENTIALS.sub("", path) if is_address(path) else path


class TableColumn(NamedTuple):
    """A column of a table in a file; `column` is empty if only the file was named."""

    path: str
    column: str


def table_column(path: str | os.PathLike[str]) -> TableColumn | None:
    """Return the column of a table that a name refers to; None for other files.

    Examples
    --------
    >>> table_column("data.parquet#reference")
    TableColumn(path='data.parquet', column='reference')
    >>> table_column("a.jsonl.gz"), table_column("a.txt")
    (TableColumn(path='a.jsonl.gz', column=''), None)
    >>> table_column("a.csv#ref"), table_column("-#ref")
    (TableColumn(path='a.csv', column='ref'), TableColumn(path='-', column='ref'))
    """
    name = os.fspath(path)
    match = _TABLE_COLUMN.fullmatch(name)
    if match is not None:
        return TableColumn(match[1], match[2] or "")
    file, stem_path, column = name.partition("#")
    file = "-" if file == "/dev/stdin" else file
    is_table = stem_path and (
        file == "-"
        or without_compression(file.lower()).endswith(DELIMITED_SUFFIXES)
        or is_address(file)
        or (not os.path.exists(name) and (os.path.isdir(file) or has_glob(file)))
    )
    return TableColumn(file, column) if is_table else None


def file_of(path: str | os.PathLike[str]) -> str:
    """Return the file of an input, which may be a column of a table.

    Examples
    --------
    >>> file_of("data.parquet#reference"), file_of("a.txt")
    ('data.parquet', 'a.txt')
    """
    column = table_column(path)
    return os.fspath(path) if column is None else column.path


def can_be_peeked_at(path: str | os.PathLike[str]) -> bool:
    """Return whether the first lines of a file can be read without consuming it."""
    file = file_of(path)
    is_remote = is_address(path) or (
        table_column(path) is not None and not read_only_once(str(path))
    )
    return os.path.isfile(file) or (
        is_remote and (file == "-" or has_glob(file) or is_address(file) or os.path.isdir(file))
    )


def with_column(name: str, column: str) -> str:
    """Add a column to the name of a table; other names, and those with a column, stay as they are.

    Examples
    --------
    >>> [with_column(name, "text") for name in ("A=a.jsonl", "a.jsonl#de", "a.txt")]
    ['A=a.jsonl#text', 'a.jsonl#de', 'a.txt']
    """
    table = table_column(name)
    return name if table is None or table.column else f"{table.path}#{column}"


def is_treebank(path: str | os.PathLike[str]) -> bool:
    """Return whether a file name has a suffix of dependency treebanks.

    Examples
    --------
    >>> is_treebank("en.conllu.gz"), is_treebank("en.txt")
    (True, False)
    """
    return without_compression(os.fspath(path)).endswith(TREEBANK_SUFFIXES)


def refuse_brackets(path: str | os.PathLike[str]) -> None:
    """Raise a UsageError if a file name has a suffix of phrase structure trees in brackets.

    Examples
    --------
    >>> refuse_brackets("wsj.mrg")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    wordorder.errors.UsageError: wsj.mrg: phrase structure trees in brackets; convert them ...
    """
    name = os.fspath(path)
    plain = without_compression(name)
    if plain.endswith(BRACKET_SUFFIXES):
        new = f"{plain.rpartition('.')[0]}.conllu"
        raise UsageError(
            f"{name}: phrase structure trees in brackets; convert them first: "
            f"`wordorder convert {name} -o {new}`"
        )
