"""Opening a file or standard input for reading, whole or a part of it, compressed or not."""

from __future__ import annotations

import io
import os
import re
import select
import stat
import sys
from _thread import allocate_lock
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TypeVar

from wordorder.errors import InputError
from wordorder.text.names import SUFFIXES, is_address, is_treebank, shown_address, table_column

# A command imports this module before it knows whether there is any work for numpy.
if TYPE_CHECKING:
    from wordorder.arrays import UInt8

Path = str | os.PathLike[str]

# Seconds that whoever writes into a pipe has for its next bytes, if answers are waited for.
PATIENCE = 0.02
# Seconds that a read in progress has before its file is closed.
ENDING = 1.0

NEWLINE, RETURN = 10, 13

# How many bytes are given at a time.
CHUNK = 1 << 20
# How many are decompressed at a time: few, because each member's end copies the rest.
_COMPRESSED = 1 << 16

# As much of a file tells how long its sentences are.
SAMPLE_BYTES = 1 << 18

# The byte order mark of UTF-8.
BOM = b"\xef\xbb\xbf"


def display_name(path: Path) -> str:
    """Return what messages call an input.

    Examples
    --------
    >>> display_name("-"), display_name("a.orders")
    ('<stdin>', 'a.orders')
    """
    name = shown_address(os.fspath(path))
    if name == "-" or name.startswith(("-#", "/dev/stdin#")):
        return f"<stdin>{''.join(name.partition('#')[1:])}"
    return name or "''"


Self = TypeVar("Self", bound="Closeable")


class Closeable(ABC):
    """A base class for what holds an input open."""

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
        ``.bz2`` or ``.zst``; ``-`` is standard input, whose first bytes tell, as do those of a
        pipe. Of a file in `reading_parts` only the part is read.
    part : Part, optional
        Which part of the file is read, whatever `reading_parts` says.

    Attributes
    ----------
    name : str
        What messages call it.
    lines_before, rows_before : int
        Lines and rows of the file before the part that is read; 0 of a whole file.

    Raises
    ------
    InputError
        If the file cannot be read, or its suffix says something else than its bytes.

    Examples
    --------
    >>> FileSource("no-such.orders")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: no-such.orders: No such file or directory; expected a file to read
    """

    # Whether the bytes are the cells of a table, not those of a file.
    _cells = False

    def __init__(self, path: Path, part: Part | None = None) -> None:
        self.name = display_name(path)
        part = part_of(path) if part is None else part
        self._part: PartBytes | None = None
        self.lines_before, self.rows_before = 0, 0
        self._raw, self._regular = self._opened(path if part is None else part.path, part)
        # Taken while bytes are read.
        self._reading = allocate_lock()
        try:
            if part is not None:
                self.lines_before, self.rows_before = part.lines_before, part.rows_before
            if part is not None and not self._cells:
                self._part = PartBytes(part)
                self._raw.seek(part.offset)
            self._start = self._first_bytes()
            named, shown = kind_of_name(self.name), kind_of_bytes(self._start)
            # The first bytes of lines from the middle of a text may be any.
            shown = shown if self.lines_before == 0 and not self._cells else None
            if shown is not None and named is None and self._regular:
                suffix = next(s for s, kind in SUFFIXES.items() if kind == shown)
                raise InputError(self.name, f"{shown} data", f"plain text, or a name in {suffix}")
        except BaseException:
            self.close()
            raise
        kind = None if self._cells else named or shown
        self._decompressed = (
            Decompressed(self._raw, kind, self.name, self._start) if kind is not None else None
        )

    def read(self) -> bytes:
        """Return the next bytes, at most `CHUNK`; none at the end.

        Raises
        ------
        InputError
            If the input cannot be read, is damaged or breaks off.
        """
        if self._part is None:
            return self._next()
        while not self._part.ended and (data := self._next()):
            if given := self._part.cut(data):
                return given
        return b""

    def waits(self) -> bool:
        """Return whether nothing more is there yet, but may come; never of compressed input."""
        if self._decompressed is not None or self._start:
            return False
        try:
            return not select.select([self._raw.fileno()], [], [], PATIENCE)[0]
        except (OSError, ValueError):
            # Nothing that can be waited for: bytes in memory, or a pipe of Windows.
            return False

    def close(self) -> None:
        """Close the file; standard input stays open.

        A read ahead that another thread is about to begin would go on in whatever file is opened
        next, which the system gives the same number: so it ends first. A pipe may give nothing.
        """
        taken = self._regular and self._reading.acquire(timeout=ENDING)
        try:
            self._raw.close()
        finally:
            if taken:
                self._reading.release()

    def _opened(self, path: Path, part: Part | None) -> tuple[Any, bool]:
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
            return bytes(self._raw.read(CHUNK))

    def _first_bytes(self) -> bytes:
        """Read until the kind of compression can be told; it can after a line of text."""
        start = b""
        with readable(self.name):
            while len(start) < MAGIC_BYTES and b"\n" not in start:
                more = self._raw.read(MAGIC_BYTES - len(start))
                if not more:
                    break
                start += more
        return start


class _Buffered:
    """A buffered stream, given as it comes: a read that waits for more might miss an interrupt.

    Parameters
    ----------
    buffer : file object
    owned : bool
        Whether it is closed with this stream: standard input is not ours.
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


# Pipes whose first bytes were looked at before whoever reads them opens them. A number of a pipe,
# and so its path, is used again for others.
_LOOKED_AT: dict[tuple[int, int], io.BufferedReader] = {}


def first_bytes(path: Path) -> bytes:
    """Return the first bytes of standard input or a pipe, as many as there are now.

    They stay there for whoever opens it next. Compressed bytes are decompressed. None at the end,
    or where they cannot be looked at.
    """
    path, name = os.fspath(path), display_name(path)
    if path == "-":
        buffer: Any = getattr(sys.stdin, "buffer", None)
    else:
        raw = _open(path, name)[0]
        buffer = raw.buffer if isinstance(raw, _Buffered) else io.BufferedReader(raw, CHUNK)
        _LOOKED_AT[_identity(buffer.fileno())] = buffer
    try:
        start = bytes(buffer.peek(1)) if hasattr(buffer, "peek") else b""
        kind = kind_of_bytes(start)
        return start if kind is None else Decompressed(io.BytesIO(start), kind, name).read()
    except (OSError, InputError):
        # Who reads it says what is wrong.
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
            if _LOOKED_AT and (looked_at := _LOOKED_AT.pop(_identity(path), None)):
                return _Buffered(looked_at, owned=True), False
            # Unbuffered: what is read is large already.
            raw: Any = open(path, "rb", buffering=0)  # noqa: SIM115  # closed by its owner
    except ValueError:
        raise InputError(repr(name), "a name with a zero byte", "the name of a file") from None
    return raw, stat.S_ISREG(os.fstat(raw.fileno()).st_mode)


def _identity(file: Path | int) -> tuple[int, int]:
    """Return the numbers that tell a file from all others."""
    status = os.stat(file)
    return status.st_dev, status.st_ino


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn what the system says against reading a file into one message.

    Raises
    ------
    InputError
        In the place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise InputError(name, error.strerror or str(error), "a file to read") from None


@dataclass(frozen=True)
class Part:
    """Whole lines of a file.

    Attributes
    ----------
    path : str
        The file.
    offset : int
        Where reading begins, in bytes as they are stored: anywhere in plain text, at the beginning
        of a member in compressed files.
    skip : int
        How many lines to leave out from there; the first may be the end of a line.
    lines : int
        How many lines there are.
    lines_before, rows_before : int
        Lines and rows of the file before them; a row is a line, or a sentence of a treebank.
    """

    path: str
    offset: int
    skip: int
    lines: int
    lines_before: int
    rows_before: int


_PARTS: ContextVar[Mapping[str, Part] | None] = ContextVar("parts", default=None)


@contextmanager
def reading_parts(parts: Mapping[str, Part]) -> Iterator[None]:
    r"""Let whatever opens some files on this thread see only parts of them.

    Parameters
    ----------
    parts : mapping of path to Part
        By the names under which the files are opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.text.lines import read_lines
    >>> path = str(pathlib.Path(tempfile.mkdtemp(), "a.txt"))
    >>> _ = pathlib.Path(path).write_text("one\ntwo\nthree\nfour\n")
    >>> with reading_parts({path: Part(path, 2, 1, 2, lines_before=1, rows_before=1)}):
    ...     list(read_lines(path))
    ['two', 'three']
    """
    token = _PARTS.set(parts)
    try:
        yield
    finally:
        _PARTS.reset(token)


def part_of(path: str | os.PathLike[str]) -> Part | None:
    """Return the part of a file that is to be read, if it is not the whole."""
    parts = _PARTS.get()
    return parts.get(os.fspath(path)) if parts else None


# Newlines are counted by so many bytes: to count them takes a sixth of the time of finding each.
_PIECE = 1 << 16


class PartBytes:
    """Cuts the lines of a part out of the bytes from its offset on.

    Parameters
    ----------
    part : Part
    """

    def __init__(self, part: Part) -> None:
        self._skip = part.skip
        self._left = part.lines

    @property
    def ended(self) -> bool:
        """Whether all lines of the part have been seen."""
        return self._left == 0

    def cut(self, data: bytes) -> bytes:
        """Return those of the next bytes that belong to the part."""
        import numpy as np

        array = np.frombuffer(data, np.uint8)
        start = 0
        if self._skip:
            start, self._skip = _behind(array, self._skip)
            array = array[start:]
        newlines = int(np.count_nonzero(array == NEWLINE))
        if newlines < self._left:
            self._left -= newlines
            return data[start:] if start else data
        stop, self._left = _behind(array, self._left)
        return data[start : start + stop]


def _behind(data: UInt8, newlines: int) -> tuple[int, int]:
    """Return the place behind so many newlines, or the end, and how many are still missing."""
    import numpy as np

    found = data == NEWLINE
    for start in range(0, len(data), _PIECE):
        piece = found[start : start + _PIECE]
        here = int(np.count_nonzero(piece))
        if newlines <= here:
            return start + int(np.flatnonzero(piece)[newlines - 1]) + 1, 0
        newlines -= here
    return len(data), newlines


_MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    # The first block's mark too: "BZh9" alone could begin a text.
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
}
# As many bytes as the longest of them looks at.
MAGIC_BYTES = 10

# Kinds whose members may be followed by zeros.
_PADDED = ("gzip", "xz")

# No file that xz itself writes needs more; one that asks for more is hostile.
_XZ_MEMORY = 1 << 28


class _Decoder(Protocol):
    """What the standard library's decompressors have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _GzipDecoder:
    """Gives one gzip member the interface of the other kinds."""

    def __init__(self) -> None:
        import zlib

        self._decoder: Any = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return bool(self._decoder.eof)

    @property
    def needs_input(self) -> bool:
        return not self._decoder.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return bytes(self._decoder.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        rest = self._decoder.unconsumed_tail
        return bytes(self._decoder.decompress(rest + data if rest else data, max_length))


class Decompressed:
    """The bytes of a compressed stream, all members of it.

    Parameters
    ----------
    raw : binary stream
        Where the compressed bytes come from.
    kind : str
        One of the values of `SUFFIXES`.
    name : str
        What messages call the stream.
    start : bytes
        Bytes that have already been read from `raw`.

    Attributes
    ----------
    member : int
        Where in the compressed bytes the member begins that `read` gave bytes of.

    Notes
    -----
    The library's own file objects take what follows the first member for garbage when it is
    damaged, and an empty file for an empty text; this class never gives less than was written.
    """

    def __init__(self, raw: BinaryIO, kind: str, name: str, start: bytes = b"") -> None:
        self._raw = raw
        self._kind = kind
        self._name = name
        self._waiting = start
        self._taken = len(start)
        self.member = 0
        self._decoder: _Decoder | None = None
        self._error: type[Exception] = OSError
        self._begun = False

    def read(self) -> bytes:
        """Return the next bytes, at most `CHUNK`; none at the end.

        Raises
        ------
        InputError
            If the stream is damaged or breaks off.
        """
        while True:
            if self._decoder is None and not self._next_member():
                return b""
            given = self._decode()
            if given:
                return given

    def _next_member(self) -> bool:
        """Set up a decoder if another member follows."""
        data = self._waiting or self._more()
        while data and self._begun and self._kind in _PADDED and not data.strip(b"\0"):
            data = self._more()
        if self._begun and self._kind in _PADDED:
            data = data.lstrip(b"\0")
        self._waiting = data
        self.member = self._taken - len(data)
        if data:
            self._decoder, self._error = _decoder(self._kind)
        elif not self._begun:
            raise InputError(self._name, "an empty file", f"{self._kind} data")
        return bool(data)

    def _more(self) -> bytes:
        """Return the next compressed bytes."""
        data = self._raw.read(_COMPRESSED)
        self._taken += len(data)
        return data

    def _decode(self) -> bytes:
        """Return the next bytes of the member; leave it at its end."""
        decoder = self._decoder
        if decoder is None:
            return b""
        data = self._waiting
        if not data and decoder.needs_input:
            data = self._more()
        ended = not data and decoder.needs_input
        self._waiting = b""
        try:
            given = decoder.decompress(data, CHUNK)
        except self._error as error:
            what = "damaged data" if self._begun else "something else"
            raise InputError(self._name, f"{what} ({error})", f"{self._kind} data") from None
        self._begun = self._begun or bool(given)
        if decoder.eof:
            self._waiting = decoder.unused_data
            self._decoder = None
            self._begun = True
        elif ended and not given:
            raise InputError(self._name, f"the {self._kind} data breaks off", "a whole file")
        return given


def kind_of_name(name: str) -> str | None:
    """Return the kind of compression that a file's suffix names.

    Examples
    --------
    >>> kind_of_name("train.orders.gz"), kind_of_name("train.orders")
    ('gzip', None)
    """
    return next((kind for end, kind in SUFFIXES.items() if name.lower().endswith(end)), None)


def kind_of_bytes(start: bytes) -> str | None:
    """Return the kind of compression that the first `MAGIC_BYTES` bytes of a stream show.

    Examples
    --------
    >>> kind_of_bytes(bytes([0x28, 0xB5, 0x2F, 0xFD])), kind_of_bytes(b"0 1 2")
    ('zstd', None)
    """
    return next((kind for kind, magic in _MAGIC.items() if magic.match(start)), None)


def compressor(raw: BinaryIO, kind: str) -> BinaryIO:
    """Return a stream that writes compressed bytes to `raw`: the same for the same input."""
    stream: Any
    if kind == "gzip":
        import gzip

        stream = gzip.GzipFile("", "wb", 6, raw, mtime=0)
    elif kind == "xz":
        import lzma

        stream = lzma.LZMAFile(raw, "wb")  # noqa: SIM115  # closed by its owner
    elif kind == "bzip2":
        import bz2

        stream = bz2.BZ2File(raw, "wb")
    else:
        zstd = _zstd()
        options = {zstd.CompressionParameter.checksum_flag: 1}
        stream = zstd.ZstdFile(raw, "wb", options=options)
    return stream  # type: ignore[no-any-return]  # each library has file objects of its own


def _decoder(kind: str) -> tuple[_Decoder, type[Exception]]:
    """Return a decoder of one member and the error that it raises on bad data."""
    if kind == "gzip":
        import zlib

        return _GzipDecoder(), zlib.error
    if kind == "xz":
        import lzma

        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY), lzma.LZMAError
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor(), OSError
    zstd = _zstd()
    return zstd.ZstdDecompressor(), zstd.ZstdError


def _zstd() -> ModuleType:
    """Return the standard library's zstd module, or its twin for older Pythons."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def sentences_of_source(given: Mapping[str, Any]) -> int | None:
    """Return about how many lines or trees the argument `source` has."""
    source = given.get("source", "-")
    if not isinstance(source, (str, os.PathLike)):
        return None
    return about_how_many(os.fspath(source), treebank=is_treebank(source))


def about_how_many(path: str, *, treebank: bool = False) -> int | None:
    """Return about how many lines a file has, or sentences of a treebank, by how it begins.

    None for standard input, pipes, compressed files, and what cannot be read.
    """
    try:
        if path == "-" or table_column(path) or not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            start = file.read(SAMPLE_BYTES)
        if kind_of_bytes(start) is not None:
            return None
        rows = start.count(b"\n\n" if treebank else b"\n")
        # Three digits, since it is a guess.
        return round(float(f"{rows * os.path.getsize(path) / len(start):.3g}")) if rows else None
    except (OSError, ValueError):
        return None
