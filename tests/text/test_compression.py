import bz2
import gzip
import io
import lzma
import os
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.files import written
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.text.blocks import LineBlocks
from wordorder.text.compression import compressor, kind_of_bytes
from wordorder.text.sources import Source


def _zstd(data: bytes) -> bytes:
    stream = io.BytesIO()
    with compressor(stream, "zstd") as zstd:
        zstd.write(data)
    return stream.getvalue()


COMPRESS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".xz": lzma.compress}
COMPRESS |= {".bz2": bz2.compress, ".zst": _zstd}
SUFFIXES = sorted(COMPRESS)
TEXT = b"".join(b"%d %d %d\n" % (i * i % 97, i % 7, i % 3) for i in range(300))


def read_all(path: Path | str) -> bytes:
    with Source(path) as source:
        parts = []
        while data := source.read():
            parts.append(data)
    return b"".join(parts)


@pytest.fixture(params=SUFFIXES)
def suffix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def path(tmp_path: Path, suffix: str) -> Path:
    return tmp_path / f"a{suffix}"


@pytest.mark.parametrize("size", [0, 1, 10, 65535, 65536, 65537, 3 << 20])
def test_whole_files_are_read(path: Path, suffix: str, size: int) -> None:
    data = (TEXT * (size // len(TEXT) + 1))[:size]
    path.write_bytes(COMPRESS[suffix](data))
    assert read_all(path) == data


def test_the_suffix_may_be_in_capitals(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path, COMPRESS[suffix](TEXT), f"a{suffix.upper()}")
    assert read_all(path) == TEXT


def test_a_file_cut_at_any_byte_is_an_error(path: Path, suffix: str) -> None:
    packed = COMPRESS[suffix](TEXT[:200])
    for cut in range(len(packed)):
        path.write_bytes(packed[:cut])
        refuses(InputError, f"^{path}: .*(breaks off|an empty file)", read_all, path)


def test_a_large_file_cut_at_any_sixteenth_is_an_error(path: Path, suffix: str) -> None:
    # Not periodic, so that the cuts of the packed file are cuts everywhere in the text.
    data = b"".join(b"%d\n" % (i * i % 1000003) for i in range(80_000))
    packed = COMPRESS[suffix](data)
    for sixteenth in range(16):
        path.write_bytes(packed[: len(packed) * sixteenth // 16])
        with pytest.raises(InputError):
            read_all(path)


def test_all_members_are_read(path: Path, suffix: str) -> None:
    path.write_bytes(b"".join(COMPRESS[suffix](part) for part in (TEXT, b"", b"x\n", TEXT)))
    assert read_all(path) == TEXT + b"x\n" + TEXT
    path.write_bytes(b"".join(COMPRESS[suffix](b"%d\n" % i) for i in range(1000)))
    assert read_all(path) == b"".join(b"%d\n" % i for i in range(1000))


def test_a_second_member_cut_at_any_byte_is_an_error(path: Path, suffix: str) -> None:
    first, second = COMPRESS[suffix](TEXT), COMPRESS[suffix](TEXT[:100])
    for cut in range(1, len(second)):
        path.write_bytes(first + second[:cut])
        with pytest.raises(InputError):
            read_all(path)


def test_data_that_are_not_what_they_seem_are_an_error(path: Path, suffix: str) -> None:
    second = bytearray(COMPRESS[suffix](TEXT))
    second[1] ^= 0x55
    path.write_bytes(COMPRESS[suffix](TEXT) + second)
    refuses(InputError, "damaged data", read_all, path)
    path.write_bytes(b"2 0 1\n" * 10)
    refuses(InputError, "something else", read_all, path)
    plain = path.with_name("a.orders")
    plain.write_bytes(COMPRESS[suffix](TEXT))
    refuses(InputError, suffix.replace(".", r"\."), read_all, plain)


def test_damage_anywhere_is_never_read_as_the_text(path: Path, suffix: str) -> None:
    packed = COMPRESS[suffix](TEXT)
    for at in range(0, len(packed), 7):
        damaged = bytearray(packed)
        damaged[at] ^= 0x10
        path.write_bytes(damaged)
        try:
            data = read_all(path)
        except InputError:
            continue
        # A flag or a time in a header says nothing about the text.
        assert data == TEXT


def test_zeros_may_follow_a_member_of_some_kinds(path: Path, suffix: str) -> None:
    packed = COMPRESS[suffix](TEXT)
    if suffix in (".gz", ".xz"):
        path.write_bytes(packed + bytes(1 << 18) + packed + bytes(8))
        assert read_all(path) == TEXT * 2
    else:
        path.write_bytes(packed + bytes(8))
        with pytest.raises(InputError):
            read_all(path)


def test_standard_input_is_known_by_its_bytes(monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(COMPRESS[suffix](TEXT))))
    assert read_all("-") == TEXT


@pytest.mark.parametrize("size", [0, 1, 9, 10, 11, 1 << 20, (1 << 20) + 11])
def test_plain_standard_input_stays_open(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    data = (TEXT * (size // len(TEXT) + 1))[:size]
    stdin = io.TextIOWrapper(io.BytesIO(data))
    monkeypatch.setattr("sys.stdin", stdin)
    assert read_all("-") == data
    assert not stdin.buffer.closed
    monkeypatch.setattr("sys.stdin", None)
    refuses(InputError, "standard input is closed", Source, "-")


def test_a_pipe_is_known_by_its_bytes(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(COMPRESS[suffix](TEXT),))
    writer.start()
    assert read_all(path) == TEXT
    writer.join()


@pytest.mark.parametrize("text", [b"BZh9 is a text\n", b"BZ", b"(\xb5", b"\x1f", b""])
def test_plain_bytes_are_not_taken_for_compressed_ones(text: bytes) -> None:
    assert kind_of_bytes(text) is None


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    refuses(InputError, f"^{tmp_path}/missing: .*No such file", Source, tmp_path / "missing")
    refuses(InputError, "directory", Source, tmp_path)
    refuses(InputError, "zero byte", Source, "a\0b")
    # Memory at address 0 can be opened and not be read.
    refuses(InputError, "error", Source, "/proc/self/mem")


@pytest.mark.slow
def test_a_bomb_is_streamed(path: Path, suffix: str) -> None:
    line = b"0" * 999 + b"\n"
    path.write_bytes(COMPRESS[suffix](line * 32_000))
    lines = 0
    tracemalloc.start()
    try:
        with LineBlocks(Source(path)) as blocks:
            while (block := blocks.take(100)).lines:
                lines += block.lines
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert lines == 32_000
    # Text of 32 MB; a few pieces of 1 MB are alive at a time.
    assert peak < 12 << 20


def test_an_xz_file_that_asks_for_much_memory_is_refused(tmp_path: Path) -> None:
    packed = bytearray(lzma.compress(TEXT))
    header = slice(12, 12 + (packed[12] + 1) * 4)
    # The block header: its size, flags, the filter, one byte of properties (the dictionary).
    assert packed[14:16] == b"\x21\x01"
    packed[16] = 40
    packed[header.stop - 4 : header.stop] = zlib.crc32(
        packed[header.start : header.stop - 4]
    ).to_bytes(4, "little")
    path = written(tmp_path, packed, "a.xz")
    refuses(InputError, r"[Mm]emory", read_all, path)
