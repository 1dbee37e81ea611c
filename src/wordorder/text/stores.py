"""Files in stores, and tables whose parts are in a folder or match a glob.

Addresses (``s3://``, ``gs://``, ``https://``) are opened by fsspec. Access is left to the store's
own library: nothing here reads, stores or prints a password.
"""

import contextlib
import glob
import io
import os
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from wordorder.errors import InputError, UsageError
from wordorder.text import names

# First characters of files that Spark, Dask and Arrow write next to the parts: _SUCCESS,
# _metadata, .crc files.
_HIDDEN_PREFIXES = ("_", ".")

_DIGITS = re.compile(r"([0-9]+)")


class StoredFile(io.RawIOBase):
    """A file in a store, for reading; each fault of the store is an InputError of one line.

    Parameters
    ----------
    path : str
        An address.

    Raises
    ------
    InputError
        From here and when it is read: if the store does not give the file, or stops before its end.
    UsageError
        If fsspec or its package for the store is not installed.
    """

    def __init__(self, path: str) -> None:
        super().__init__()
        self._name = names.shown_address(path)
        filesystem, key = _system(path)
        with _store_errors(path):
            self._file = filesystem.open(key, "rb")
        self._size: int | None = getattr(self._file, "size", None)
        self._offset = 0

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` further bytes; empty at the end."""
        with _store_errors(self._name):
            data = bytes(self._file.read(size))
        self._offset += len(data)
        if self._size is not None and size and not data and self._offset < self._size:
            problem = f"the store stopped after {self._offset:,} of {self._size:,} bytes"
            raise InputError(self._name, problem, "the whole file")
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move to another offset, and return it."""
        with _store_errors(self._name):
            self._offset = int(self._file.seek(offset, whence))
        return self._offset

    def tell(self) -> int:
        """Return the current offset."""
        return self._offset

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return whether the store can read from any offset."""
        return bool(self._file.seekable())

    def close(self) -> None:
        """Close the file."""
        if not self.closed and hasattr(self, "_file"):
            self._file.close()
        super().close()


def stored_stamp(path: str) -> tuple[int, int]:
    """Return the size of a local or stored file in bytes and its time of change in ns.

    The time is 0 for a stored file, since not all stores report it.

    Raises
    ------
    InputError
        If a store does not have the file, or does not report its size.
    OSError
        If a local file does not exist.
    """
    if not names.is_address(path):
        status = os.stat(path)
        return status.st_size, status.st_mtime_ns
    system, key = _system(path)
    with _store_errors(path):
        return int(system.size(key)), 0


def absolute(path: str) -> str:
    """Return the absolute path of a file; return an address unchanged.

    Examples
    --------
    >>> absolute("s3://bucket/a.parquet")
    's3://bucket/a.parquet'
    """
    return path if names.is_address(path) else os.path.abspath(path)


def table_files(path: str) -> list[str]:
    """Return the files of a table: one file, those in a folder, or those that match a glob.

    Files are sorted by name, with numbers compared as numbers (``part.2`` before
    ``part.10``). Names that begin with ``_`` or ``.`` are left out, as Spark and Dask do.

    Raises
    ------
    InputError
        If there is no file, or files have several formats.
    UsageError
        As `StoredFile`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("part.10.parquet", "part.2.parquet", "_SUCCESS"):
    ...     (folder / name).touch()
    >>> [pathlib.Path(file).name for file in table_files(str(folder))]
    ['part.2.parquet', 'part.10.parquet']
    """
    if names.is_address(path):
        stored = _stored_files(path)
    elif os.path.isdir(path):
        stored = [
            os.path.join(folder, name) for folder, _, files in os.walk(path) for name in files
        ]
    elif names.has_glob(path) and not os.path.exists(path):
        stored = [file for file in glob.glob(path, recursive=True) if os.path.isfile(file)]
    else:
        return [path]
    if stored == [path]:
        return stored
    root = len(path) if not names.has_glob(path) else 0
    files = [file for file in stored if _is_part(file[root:], in_folder=bool(root))]
    if not files:
        expected = f"files in {', '.join(names.COLUMN_SUFFIXES)}"
        raise InputError(names.shown_address(path), "no file of a table is there", expected)
    kinds = sorted({table_format(file) for file in files})
    if len(kinds) > 1:
        problem = f"files of several formats ({', '.join(kinds)})"
        raise InputError(
            names.shown_address(path), problem, "one format, or a glob such as *.parquet"
        )
    return sorted(files, key=_natural)


def is_whole_table(path: str) -> bool:
    """Return whether a name refers to all columns of a table; CSV and TSV files are text instead.

    Examples
    --------
    >>> is_whole_table("a.parquet"), is_whole_table("a.parquet#ref"), is_whole_table("a.tsv")
    (True, False, False)
    >>> is_whole_table("s3://bucket/parts"), is_whole_table("parts/*.csv")
    (True, True)
    """
    table = names.table_column(path)
    if table is not None:
        return not table.column
    in_parts = names.has_glob(path) and not os.path.exists(path)
    name = names.without_compression(names.shown_address(path).rstrip("/"))
    stored = names.is_address(path) and "." not in name.rpartition("/")[2]
    return in_parts or stored or os.path.isdir(path)


def table_format(path: str) -> str:
    """Return the suffix of a table's format; ``.jsonl`` if the name has no known one.

    Examples
    --------
    >>> table_format("a.CSV.gz"), table_format("https://host/a.parquet?version=2")
    ('.csv', '.parquet')
    """
    name = names.without_compression(names.shown_address(path).lower())
    base = name.rpartition("/")[2]
    # Spark and others write part-0000.snappy.parquet; and data.parquet.part is Parquet too.
    suffixes = [suffix for suffix in names.COLUMN_SUFFIXES if base.endswith(suffix)]
    return suffixes[0] if suffixes else ".parquet" if ".parquet" in base else ".jsonl"


def partitions(path: str) -> dict[str, str]:
    """Return the columns stored in the names of a file's folders, as Hive, Spark and Dask do.

    Examples
    --------
    >>> partitions("corpus/lang=de/year=2020/part-0.parquet")
    {'lang': 'de', 'year': '2020'}
    """
    folders = path.replace(os.sep, "/").split("/")[:-1]
    pairs = (folder.partition("=") for folder in folders if "=" in folder)
    return {unquote(name): unquote(value) for name, _, value in pairs}


def _stored_files(path: str) -> list[str]:
    """Return the files of an address: one file, those of a folder, or those that match a glob."""
    system, key = _system(path)
    web = path.lower().startswith(("http:", "https:"))
    with _store_errors(path):
        if "*" in key and not web:
            paths = system.glob(key)
        elif web or not system.isdir(key):
            return [path]
        else:
            paths = system.find(key)
    return [str(system.unstrip_protocol(file)) for file in paths]


def _is_part(below: str, *, in_folder: bool) -> bool:
    """Return whether a file is a part of the table; `below` is its path in the table's folder."""
    parts = below.replace(os.sep, "/").strip("/").split("/")
    parts = parts if in_folder else parts[-1:]
    if any(name.startswith(_HIDDEN_PREFIXES) and "=" not in name for name in parts):
        return False
    return names.without_compression(parts[-1].lower()).endswith(names.COLUMN_SUFFIXES)


def _natural(path: str) -> list[tuple[int, str]]:
    """Return a key that sorts paths with numbers compared as numbers."""
    pieces = _DIGITS.split(path)
    return [(int(piece) if piece.isdigit() else -1, piece) for piece in pieces]


def _system(path: str) -> tuple[Any, str]:
    """Return the store of an address, and the name of the file in it."""
    try:
        with _store_errors(path, ImportError):
            import fsspec

            system, key = fsspec.core.url_to_fs(path)
    except ImportError as error:
        missing = f"{error.name} is not installed" if error.name else str(error)
        message = f'{names.shown_address(path)}: {missing}; pip install "wordorder[stores]"'
        raise UsageError(message) from None
    return system, key


@contextlib.contextmanager
def _store_errors(path: str, passed: type[Exception] = InputError) -> Iterator[None]:
    """Turn errors of a store into an `InputError` of one line; errors of type `passed` stay."""
    try:
        yield
    except passed:
        raise
    except Exception as fault:
        name, error = names.shown_address(path), fault
        # fsspec also reports a missing file if the host does not answer or refuses access.
        while isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception):
            error = error.__cause__
        if isinstance(error, FileNotFoundError) or getattr(error, "status", None) == 404:
            raise InputError(name, "No such file or directory", "a file to read") from None
        message = " ".join(str(error).split())[:200]
        problem = f"{type(error).__name__}: {message}" if message else type(error).__name__
        raise InputError(name, problem, "a file that the store gives") from None
