"""Compressed files: gzip, bzip2, xz and Zstandard, by their names and first bytes."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any, BinaryIO, Protocol

from wordorder.errors import InputError
from wordorder.text.names import SUFFIXES

# The largest number of bytes that are read or returned at a time.
READ_BYTES = 1 << 20
# Bytes that are decompressed at a time: few, because the end of a member copies the rest of them.
_COMPRESSED_BYTES = 1 << 16
_MAGIC_BYTES = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    # The first block's mark too: "BZh9" alone could begin a text.
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
}
# The number of bytes that the longest of these patterns needs.
MAGIC_BYTES = 10
# Formats whose members may be followed by zeros.
_PADDED = ("gzip", "xz")
# Files that xz itself writes need no more; a file that requests more is hostile.
_XZ_MEMORY = 1 << 28


class _Decoder(Protocol):
    """The common interface of the standard library's decompressors."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _GzipDecoder:
    """Adapts the decoder of one gzip member to the interface of the other formats."""

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
        unconsumed = self._decoder.unconsumed_tail
        return bytes(
            self._decoder.decompress(unconsumed + data if unconsumed else data, max_length)
        )


class Decompressed:
    """The decompressed bytes of all members of a stream.

    Parameters
    ----------
    raw : binary stream
        The compressed bytes.
    kind : str
        One of the values of `SUFFIXES`.
    name : str
        The stream's name in messages.
    start : bytes
        Bytes that have already been read from `raw`.

    Attributes
    ----------
    member : int
        Offset, in compressed bytes, of the member that `read` last returned bytes from.

    Notes
    -----
    The library's own file objects ignore damaged data after the first member, and treat an empty
    file as an empty text; this class reports both.
    """

    def __init__(self, raw: BinaryIO, kind: str, name: str, start: bytes = b"") -> None:
        self._raw = raw
        self._kind = kind
        self._name = name
        self._pending = start
        self._bytes_read = len(start)
        self.member = 0
        self._decoder: _Decoder | None = None
        self._error: type[Exception] = OSError
        self._started = False

    def read(self) -> bytes:
        """Return the next bytes, at most `CHUNK`; empty at the end.

        Raises
        ------
        InputError
            If the stream is damaged or breaks off.
        """
        while True:
            if self._decoder is None and not self._next_member():
                return b""
            decoded = self._decode()
            if decoded:
                return decoded

    def _next_member(self) -> bool:
        """Set up a decoder if another member follows."""
        data = self._pending or self._read_compressed()
        while data and self._started and self._kind in _PADDED and not data.strip(b"\0"):
            data = self._read_compressed()
        if self._started and self._kind in _PADDED:
            data = data.lstrip(b"\0")
        self._pending = data
        self.member = self._bytes_read - len(data)
        if data:
            self._decoder, self._error = _decoder(self._kind)
        elif not self._started:
            raise InputError(self._name, "an empty file", f"{self._kind} data")
        return bool(data)

    def _read_compressed(self) -> bytes:
        """Return the next compressed bytes."""
        data = self._raw.read(_COMPRESSED_BYTES)
        self._bytes_read += len(data)
        return data

    def _decode(self) -> bytes:
        """Return the next bytes of the member; drop the decoder at its end."""
        decoder = self._decoder
        if decoder is None:
            return b""
        data = self._pending
        if not data and decoder.needs_input:
            data = self._read_compressed()
        ended = not data and decoder.needs_input
        self._pending = b""
        try:
            decoded = decoder.decompress(data, READ_BYTES)
        except self._error as error:
            problem = "damaged data" if self._started else "something else"
            raise InputError(self._name, f"{problem} ({error})", f"{self._kind} data") from None
        self._started = self._started or bool(decoded)
        if decoder.eof:
            self._pending = decoder.unused_data
            self._decoder = None
            self._started = True
        elif ended and not decoded:
            raise InputError(self._name, f"the {self._kind} data breaks off", "a whole file")
        return decoded


def kind_of_name(name: str) -> str | None:
    """Return the compression format that a file's suffix names.

    Examples
    --------
    >>> kind_of_name("train.orders.gz"), kind_of_name("train.orders")
    ('gzip', None)
    """
    return next((kind for end, kind in SUFFIXES.items() if name.lower().endswith(end)), None)


def kind_of_bytes(start: bytes) -> str | None:
    """Return the compression format that the first `MAGIC_BYTES` bytes of a stream show.

    Examples
    --------
    >>> kind_of_bytes(bytes([0x28, 0xB5, 0x2F, 0xFD])), kind_of_bytes(b"0 1 2")
    ('zstd', None)
    """
    return next((kind for kind, magic in _MAGIC_BYTES.items() if magic.match(start)), None)


def compressor(raw: BinaryIO, kind: str) -> BinaryIO:
    """Return a stream that writes compressed bytes to `raw`; equal input gives equal bytes."""
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
