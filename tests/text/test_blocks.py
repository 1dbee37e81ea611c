import gzip
import io
import itertools
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.files import written
from tests.notes import noted
from tests.oracles_orders import lines_of
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.order.reading import read_orders
from wordorder.text import blocks as blocks_module, opening
from wordorder.text.blocks import LineBlocks, TextBlock
from wordorder.text.compression import READ_BYTES, Decompressed
from wordorder.text.lines import read_lines
from wordorder.text.opening import FileSource
from wordorder.text.parts import FilePart, reading_parts
from wordorder.text.sources import Source

SOUP = st.lists(
    st.sampled_from([b"\n", b"\r", b"a", b"\r\n", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0c", b"\x0b"]),
    max_size=80,
).map(b"".join)


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes, chunk: int = 1 << 20) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    monkeypatch.setattr(opening, "READ_BYTES", chunk)


def newlines_of(block: TextBlock) -> list[int]:
    return [] if block.newlines is None else block.newlines.tolist()


def blocks_of(size: int, *, max_line_bytes: int = 1 << 26) -> list[tuple[bytes, int, int]]:
    found = []
    with LineBlocks(Source("-"), max_line_bytes=max_line_bytes) as blocks:
        while (block := blocks.take(size)).lines:
            found.append((block.data.tobytes(), block.lines, block.first_line))
            assert newlines_of(block) == [i for i, byte in enumerate(block.data) if byte == 10]
        assert block.data.tobytes() == b""
        assert blocks.take(size).lines == 0
    return found


@given(SOUP, st.integers(1, 9), st.sampled_from([1, 2, 3, 7, 64, 65]))
def test_blocks_hold_the_lines_asked_for(data: bytes, size: int, chunk: int) -> None:
    lines = lines_of(data)
    expected = [
        (b"".join(lines[i : i + size]), len(lines[i : i + size]), i + 1)
        for i in range(0, len(lines), size)
    ]
    with pytest.MonkeyPatch.context() as monkeypatch:
        feed(monkeypatch, data, chunk)
        assert blocks_of(size) == expected


@given(SOUP, st.sampled_from([1, 2, 3, 7, 64]))
def test_ready_blocks_hold_all_lines(data: bytes, chunk: int) -> None:
    found = b""
    with pytest.MonkeyPatch.context() as monkeypatch:
        feed(monkeypatch, data, chunk)
        blocks = LineBlocks(Source("-"))
        while (block := blocks.take_ready()).lines:
            assert block.first_line == len(lines_of(found)) + 1
            assert block.lines == len(lines_of(block.data.tobytes()))
            assert newlines_of(block) == [i for i, byte in enumerate(block.data) if byte == 10]
            found += block.data.tobytes()
    assert found == data


@given(SOUP, st.integers(1, 9), st.sampled_from([1, 2, 3, 7, 64]), st.sampled_from([1, 5, 20]))
def test_large_blocks_end_early_and_lose_nothing(
    data: bytes, size: int, chunk: int, limit: int
) -> None:
    longest = max(map(len, lines_of(data)), default=0)
    with pytest.MonkeyPatch.context() as monkeypatch:
        feed(monkeypatch, data, chunk)
        monkeypatch.setattr(blocks_module, "BLOCK_BYTES", limit)
        found = blocks_of(size)
    assert b"".join(part for part, _, _ in found) == data
    for part, lines, _ in found:
        assert lines == len(lines_of(part)) <= size
        # The limit, what was read when it was reached, and the lines that then end.
        assert len(part) <= limit + 2 * max(chunk, 10) + longest


@pytest.mark.parametrize("chunk", [1, 3, 64, 1 << 20])
@pytest.mark.parametrize("limit", [1, 2, 63, 64, 65])
@pytest.mark.parametrize("end", [b"", b"\n", b"\nb\n"])
def test_the_line_limit_is_exact(
    monkeypatch: pytest.MonkeyPatch, chunk: int, limit: int, end: bytes
) -> None:
    allowed = b"c\n\n" + b"a" * limit + end
    feed(monkeypatch, allowed, chunk)
    assert b"".join(data for data, _, _ in blocks_of(2, max_line_bytes=limit)) == allowed
    feed(monkeypatch, b"c\n\n" + b"a" * (limit + 1) + end, chunk)
    refuses(InputError, "^<stdin>:3: .*split it", blocks_of, 2, max_line_bytes=limit)


def test_an_endless_line_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO(b"a" * (1 << 20))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    monkeypatch.setattr(opening, "READ_BYTES", 1 << 10)
    with pytest.raises(InputError, match="<stdin>:1: a line of more than 5000 bytes"):
        LineBlocks(Source("-"), max_line_bytes=5000).take(1)
    assert stream.tell() < 1 << 14


@pytest.mark.parametrize("chunk", [1, 2, 3, 4, 1 << 20])
@pytest.mark.parametrize("rest", [b"", b"\n", b"0 1\n2\n"])
def test_a_byte_order_mark_is_dropped_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, chunk: int, rest: bytes
) -> None:
    feed(monkeypatch, b"\xef\xbb\xbf" + rest, chunk)
    with noted("<stdin>: dropped the byte order mark"):
        found = blocks_of(1)
    assert [data for data, _, _ in found] == lines_of(rest)


@pytest.mark.parametrize("cuts", [(1,), (2,), (3,), (1, 2), (1, 2, 3)])
def test_a_byte_order_mark_in_several_pieces(tmp_path: Path, cuts: tuple[int, ...]) -> None:
    data = b"\xef\xbb\xbf0 1\n2\n"
    ends = [0, *cuts, len(data)]
    path = tmp_path / "a.gz"
    # Each member of a gzip file is a piece of its own.
    path.write_bytes(b"".join(gzip.compress(data[a:b]) for a, b in itertools.pairwise(ends)))
    with (
        noted("byte order mark"),
        LineBlocks(Source(path)) as blocks,
    ):
        assert blocks.take(9).data.tobytes() == b"0 1\n2\n"


@pytest.mark.parametrize("data", [b"\xef\xbb", b"a\xef\xbb\xbf\n", b"\n\xef\xbb\xbf"])
def test_other_marks_stay(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    feed(monkeypatch, data, 1)
    assert b"".join(part for part, _, _ in blocks_of(1)) == data


@pytest.mark.parametrize(
    ("packed", "where"), [(gzip.compress(b"0 1 2\n" * 5 + b"0 1", mtime=0)[:-8], 6), (b"", 1)]
)
def test_a_file_that_breaks_off_or_is_empty_names_the_line_reached(
    tmp_path: Path, packed: bytes, where: int
) -> None:
    path = written(tmp_path, packed, "a.gz")
    message = "breaks off" if packed else "an empty file"
    with pytest.raises(InputError, match=message) as caught, LineBlocks(Source(path)) as blocks:
        blocks.take(100)
    assert caught.value.where == f"{path}:{where}"


def test_no_lines_at_all_and_the_name_of_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, b"")
    with LineBlocks(Source(path)) as blocks:
        assert blocks.name == str(path)
        assert blocks.take(3).lines == 0
    path.write_text("one\n")
    with reading_parts({str(path): part(path, 1, 0)}):
        assert list(read_lines(path)) == []


# -- Parts of files are read as if they were the file, with the line numbers of the whole.


LINES = [f"line {number} " + "x" * (number % 50) for number in range(300)]


def part(
    path: Path, first: int, lines: int, *, offset: int = 0, skip: int | None = None
) -> FilePart:
    return FilePart(str(path), offset, first if skip is None else skip, lines, first, first)


@pytest.mark.parametrize("ended", [True, False])
def test_any_lines_of_a_text_from_any_place(tmp_path: Path, ended: bool) -> None:
    path = tmp_path / "a.txt"
    text = "\n".join(LINES) + "\n" * ended
    path.write_text(text)
    generator = np.random.default_rng(1)
    for _ in range(200):
        first, last = sorted(generator.integers(0, len(LINES) + 1, 2).tolist())
        # A place before the line, where an earlier line may have begun.
        start = len("".join(line + "\n" for line in LINES[:first]))
        offset = int(generator.integers(0, start + 1)) if first else 0
        skip = first - text[:offset].count("\n")
        if offset and skip == 0:
            offset, skip = 0, first
        with reading_parts({str(path): part(path, first, last - first, offset=offset, skip=skip)}):
            assert list(read_lines(path)) == LINES[first:last]
    assert list(read_lines(path)) == LINES


def test_members_of_a_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    data = "".join(line + "\n" for line in LINES).encode()
    cuts = [0, 1000, 1001, 3500, len(data)]
    members = [gzip.compress(data[a:b]) for a, b in pairwise(cuts)]
    path.write_bytes(b"".join(members) + b"\0" * 7)
    with path.open("rb") as raw:
        reader = Decompressed(raw, "gzip", "a.txt.gz")
        places = []
        while piece := reader.read():
            places.append((reader.member, len(piece)))
    stored = np.cumsum([0, *map(len, members)]).tolist()
    assert places == [(stored[n], cuts[n + 1] - cuts[n]) for n in range(4)]
    offset, before = stored[2], data[: cuts[2]].count(b"\n")
    one = part(path, before + 4, 30, offset=offset, skip=4)
    with reading_parts({str(path): one}):
        assert list(read_lines(path)) == LINES[before + 4 : before + 34]


def test_messages_name_the_line_of_the_whole_file(tmp_path: Path) -> None:
    path = written(tmp_path, "0 1\n" * 20 + "0 x\n", "a.orders")
    with (
        reading_parts({str(path): part(path, 17, 4)}),
        pytest.raises(InputError, match=r"a\.orders:21:3: "),
    ):
        read_orders(path)


def test_lines_from_the_middle_may_begin_with_any_bytes(tmp_path: Path) -> None:
    """Where the first bytes of a whole file would be a byte order mark or compressed data."""
    path = tmp_path / "a.txt"
    lines = ["a", "\ufeffb", "BZh91AY&SY c"]
    path.write_text("".join(line + "\n" for line in lines))
    for number in (1, 2):
        start = len("".join(line + "\n" for line in lines[:number]).encode())
        one = part(path, number, 1, offset=start - 1, skip=1)
        with reading_parts({str(path): one}):
            assert list(read_lines(path)) == [lines[number]]


def test_a_file_is_not_closed_while_a_thread_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its number would be that of the next file that is opened, and the read would go on there."""
    path = written(tmp_path, b"one\ntwo\n" * 99)
    began, go = threading.Event(), threading.Event()

    class Slow(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if size == READ_BYTES:
                began.set()
                assert go.wait(9)
            return super().read(size) or b""

    monkeypatch.setattr(FileSource, "_open_stream", lambda *_: (Slow(path), True))
    source, found = FileSource(path), list[bytes]()
    start = source.read()
    reader = threading.Thread(target=lambda: found.append(source.read()))
    reader.start()
    assert began.wait(9)
    closer = threading.Thread(target=source.close)
    closer.start()
    closer.join(0.05)
    assert closer.is_alive()
    go.set()
    closer.join(9)
    reader.join(9)
    assert start + found[0] == path.read_bytes()
    refuses(ValueError, "closed file", source.read)
