"""Compressed files: gzip, bzip2, xz and Zstandard, by their names and first bytes."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any, BinaryIO, Protocol

from wordorder.errors import InputError
from wordorder.text.names import SUFFIXES

# How many bytes are given at a time.
CHUNK = 1 << 20
# How many are decompressed at a time: few, because each member's end copies the rest.
_COMPRESSED = 1 << 16
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
