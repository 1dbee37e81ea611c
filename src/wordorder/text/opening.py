"""Opening a file or standard input for reading, whole or a part of it, compressed or not."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from _thread import allocate_lock
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar

from wordorder.errors import InputError
from wordorder.text.compression import (
    MAGIC_BYTES,
    READ_BYTES,
    Decompressed,
    kind_of_bytes,
    kind_of_name,
)
from wordorder.text.names import SUFFIXES, is_address, is_treebank, shown_address, table_column
from wordorder.text.parts import FilePart, PartCutter, part_of

Path = str | os.PathLike[str]
# Seconds to wait for further bytes of a pipe before the rows read so far are processed.
PIPE_PATIENCE = 0.02
# Seconds for which `close` waits for a read in progress on another thread.
CLOSE_TIMEOUT = 1.0
# Bytes at the start of a file from which its number of rows is estimated.
SAMPLE_BYTES = 1 << 18
# The byte order mark of UTF-8.
BOM = b"\xef\xbb\xbf"
# Pipes whose first bytes were peeked at before they are opened for reading. Keys are device and
# inode, since the system reuses descriptors and so paths of pipes.
_PEEKED_PIPES: dict[tuple[int, int], io.BufferedReader] = {}
Self = TypeVar("Self", bound="Closeable")


def display_name(path: Path) -> str:
    """Return the name of an input for messages.

    Examples
    --------
    >>> display_name("-"), display_name("a.orders")
    ('<stdin>', 'a.orders')
    """
    name = shown_address(os.fspath(path))
    if name == "-" or name.startswith(("-#", "/dev/stdin#")):
        return f"<stdin>{''.join(name.partition('#')[1:])}"
    return name or "''"


class Closeable(ABC):
    """A base class for objects with an open input."""

    @abstractmethod
    def close(self) -> None:
        """Close the input."""

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class FileSource(Closeable):
    """The bytes of a file or of standard input, decompressed.

    Parameters
    ----------
    path : path or "-"
        A file or the address of one in a store, compressed if its suffix is ``.gz``, ``.xz``,
        ``.bz2`` or ``.zst``; ``-`` is standard input. Its first bytes, and those of pipes, show
        the compression. If `reading_parts` has the file, only that part is read.
    part : FilePart, optional
        The part of the file to read; it takes precedence over `reading_parts`.

    Attributes
    ----------
    name : str
        The input's name in messages.
    lines_before, rows_before : int
        Lines and rows of the file before the part that is read; 0 for a complete file.

    Raises
    ------
    InputError
        If the file cannot be read, or its suffix and its bytes differ in their compression.

    Examples
    --------
    >>> FileSource("no-such.orders")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: no-such.orders: No such file or directory; expected a file to read
    """

    # Whether the bytes are the cells of a table, not those of a file.
    _cells = False

    def __init__(self, path: Path, part: FilePart | None = None) -> None:
        self.name = display_name(path)
        part = part_of(path) if part is None else part
        self._part: PartCutter | None = None
        self.lines_before, self.rows_before = 0, 0
        self._raw, self._regular = self._open_stream(path if part is None else part.path, part)
        # Locked while bytes are read.
        self._reading = allocate_lock()
        try:
            if part is not None:
                self.lines_before, self.rows_before = part.lines_before, part.rows_before
            if part is not None and not self._cells:
                self._part = PartCutter(part)
                self._raw.seek(part.offset)
            self._start = self._first_bytes()
            named_compression, compression = kind_of_name(self.name), kind_of_bytes(self._start)
            # A part of a text or a cell may start like a compressed file by chance.
            compression = compression if self.lines_before == 0 and not self._cells else None
            if compression is not None and named_compression is None and self._regular:
                suffix = next(s for s, kind in SUFFIXES.items() if kind == compression)
                raise InputError(
                    self.name, f"{compression} data", f"plain text, or a name in {suffix}"
                )
        except BaseException:
            self.close()
            raise
        kind = None if self._cells else named_compression or compression
        self._decompressed = (
            Decompressed(self._raw, kind, self.name, self._start) if kind is not None else None
        )

    def read(self) -> bytes:
        """Return the next bytes, at most `CHUNK`; empty at the end.

        Raises
        ------
        InputError
            If the input cannot be read, is damaged or breaks off.
        """
        if self._part is None:
            return self._next()
        while not self._part.ended and (data := self._next()):
            if chunk := self._part.cut(data):
                return chunk
        return b""

    def waits(self) -> bool:
        """Return whether the next bytes must be waited for; always False for compressed input."""
        if self._decompressed is not None or self._start:
            return False
        try:
            return not select.select([self._raw.fileno()], [], [], PIPE_PATIENCE)[0]
        except (OSError, ValueError):
            # `select` cannot wait for bytes in memory or a pipe of Windows.
            return False

    def close(self) -> None:
        """Close the file; standard input stays open.

        A read ahead by another thread must end first: otherwise it would continue in the next file
        that is opened, which gets the same descriptor. A read from a pipe may never end.
        """
        is_locked = self._regular and self._reading.acquire(timeout=CLOSE_TIMEOUT)
        try:
            self._raw.close()
        finally:
            if is_locked:
                self._reading.release()

    def _open_stream(self, path: Path, part: FilePart | None) -> tuple[Any, bool]:
        """Return the stream of a path, and whether it is a regular file."""
        return _open(path, self.name)

    def _next(self) -> bytes:
        """Return the next bytes of the file."""
        with readable(self.name), self._reading:
            if self._decompressed is not None:
                return self._decompressed.read()
            if self._start:
                start, self._start = self._start, b""
                return start
            return bytes(self._raw.read(READ_BYTES))

    def _first_bytes(self) -> bytes:
        """Read until the compression format is known, at most a line of text."""
        start = b""
        with readable(self.name):
            while len(start) < MAGIC_BYTES and b"\n" not in start:
                chunk = self._raw.read(MAGIC_BYTES - len(start))
                if not chunk:
                    break
                start += chunk
        return start


class _Buffered:
    """A buffered stream whose reads return as soon as bytes arrive, so that Ctrl-C is handled.

    Parameters
    ----------
    buffer : file object
    owned : bool
        Whether `close` closes the buffer; standard input must stay open.
    """

    def __init__(self, buffer: Any, *, owned: bool) -> None:
        self.buffer, self._is_owned = buffer, owned

    def read(self, size: int) -> bytes:
        return bytes(self.buffer.read1(size))

    def fileno(self) -> int:
        return int(self.buffer.fileno())

    def close(self) -> None:
        if self._is_owned:
            self.buffer.close()


def first_bytes(path: Path) -> bytes:
    """Return the bytes that standard input or a pipe has now, without consuming them.

    Compressed bytes are decompressed. Empty at the end of the input, or if it has no `peek`.
    """
    path, name = os.fspath(path), display_name(path)
    if path == "-":
        buffer: Any = getattr(sys.stdin, "buffer", None)
    else:
        raw = _open(path, name)[0]
        buffer = raw.buffer if isinstance(raw, _Buffered) else io.BufferedReader(raw, READ_BYTES)
        _PEEKED_PIPES[_identity(buffer.fileno())] = buffer
    try:
        start = bytes(buffer.peek(1)) if hasattr(buffer, "peek") else b""
        kind = kind_of_bytes(start)
        return start if kind is None else Decompressed(io.BytesIO(start), kind, name).read()
    except (OSError, InputError):
        # The reader will report the error.
        return b""


def _open(path: Path, name: str) -> tuple[Any, bool]:
    """Return the stream of a path, and whether it is a regular file."""
    if os.fspath(path) == "-":
        if sys.stdin is None:
            raise InputError(name, "standard input is closed", "an open one")
        return _Buffered(sys.stdin.buffer, owned=False), False
    if is_address(path):
        from wordorder.text.stores import StoredFile

        return StoredFile(os.fspath(path)), True
    try:
        with readable(name):
            # A named pipe that was read to its end could not be opened again.
            if _PEEKED_PIPES and (peeked := _PEEKED_PIPES.pop(_identity(path), None)):
                return _Buffered(peeked, owned=True), False
            # Unbuffered: reads are large already.
            raw: Any = open(path, "rb", buffering=0)  # noqa: SIM115  # closed by its owner
    except ValueError:
        raise InputError(repr(name), "a name with a zero byte", "the name of a file") from None
    return raw, stat.S_ISREG(os.fstat(raw.fileno()).st_mode)


def _identity(file: Path | int) -> tuple[int, int]:
    """Return device and inode, which identify a file."""
    status = os.stat(file)
    return status.st_dev, status.st_ino


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn system errors of reading a file into an `InputError` of one line.

    Raises
    ------
    InputError
        Instead of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise InputError(name, error.strerror or str(error), "a file to read") from None


def estimate_source_rows(arguments: Mapping[str, Any]) -> int | None:
    """Estimate the number of lines or trees of a function's argument `source`."""
    source = arguments.get("source", "-")
    if not isinstance(source, (str, os.PathLike)):
        return None
    return estimate_rows(os.fspath(source), treebank=is_treebank(source))


def estimate_rows(path: str, *, treebank: bool = False) -> int | None:
    """Estimate the number of lines of a file, or sentences of a treebank, from its start.

    None for standard input, pipes, compressed files, and files that cannot be read.
    """
    try:
        if path == "-" or table_column(path) or not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            start = file.read(SAMPLE_BYTES)
        if kind_of_bytes(start) is not None:
            return None
        rows = start.count(b"\n\n" if treebank else b"\n")
        # An estimate is exact to three digits at most.
        return round(float(f"{rows * os.path.getsize(path) / len(start):.3g}")) if rows else None
    except (OSError, ValueError):
        return None
