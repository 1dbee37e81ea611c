import gzip
import io
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles_orders import lines_of

from wordorder.errors import InputError, WordOrderWarning
from wordorder.text import blocks as blocks_module
from wordorder.text import opening
from wordorder.text.blocks import Block, LineBlocks
from wordorder.text.lines import Source

SOUP = st.lists(
    st.sampled_from([b"\n", b"\r", b"a", b"\r\n", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0c", b"\x0b"]),
    max_size=80,
).map(b"".join)


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes, chunk: int = 1 << 20) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    monkeypatch.setattr(opening, "CHUNK", chunk)


def newlines_of(block: Block) -> list[int]:
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
    with pytest.raises(InputError, match="split it") as caught:
        blocks_of(2, max_line_bytes=limit)
    assert caught.value.where == "<stdin>:3"


def test_an_endless_line_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO(b"a" * (1 << 20))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    monkeypatch.setattr(opening, "CHUNK", 1 << 10)
    with pytest.raises(InputError, match="<stdin>:1: a line of more than 5000 bytes"):
        LineBlocks(Source("-"), max_line_bytes=5000).take(1)
    assert stream.tell() < 1 << 14


@pytest.mark.parametrize("chunk", [1, 2, 3, 4, 1 << 20])
@pytest.mark.parametrize("rest", [b"", b"\n", b"0 1\n2\n"])
def test_a_byte_order_mark_is_dropped_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, chunk: int, rest: bytes
) -> None:
    feed(monkeypatch, b"\xef\xbb\xbf" + rest, chunk)
    with pytest.warns(WordOrderWarning, match="<stdin>: dropped the byte order mark"):
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
        pytest.warns(WordOrderWarning, match="byte order mark"),
        LineBlocks(Source(path)) as blocks,
    ):
        assert blocks.take(9).data.tobytes() == b"0 1\n2\n"


@pytest.mark.parametrize("data", [b"\xef\xbb", b"a\xef\xbb\xbf\n", b"\n\xef\xbb\xbf"])
def test_other_marks_stay(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    feed(monkeypatch, data, 1)
    assert b"".join(part for part, _, _ in blocks_of(1)) == data


def test_a_file_that_breaks_off_names_the_line_reached(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    packed = gzip.compress(b"0 1 2\n" * 5 + b"0 1")
    path.write_bytes(packed[:-8])
    with pytest.raises(InputError) as caught, LineBlocks(Source(path)) as blocks:
        blocks.take(100)
    assert caught.value.where == f"{path}:6"


def test_an_empty_compressed_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(b"")
    with (
        pytest.raises(InputError, match=r"a\.gz:1: an empty file"),
        LineBlocks(Source(path)) as blocks,
    ):
        blocks.take(1)


def test_the_name_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"")
    with LineBlocks(Source(path)) as blocks:
        assert blocks.name == str(path)
        assert blocks.take(3).lines == 0
