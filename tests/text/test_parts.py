"""Parts of files are read as if they were the file, with the line numbers of the whole."""

import gzip
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from wordorder.errors import InputError
from wordorder.order.reading import read_orders
from wordorder.text.compression import Decompressed
from wordorder.text.lines import read_lines
from wordorder.text.opening import Part, reading_parts

LINES = [f"line {number} " + "x" * (number % 50) for number in range(300)]


def part(path: Path, first: int, lines: int, *, offset: int = 0, skip: int | None = None) -> Part:
    return Part(str(path), offset, first if skip is None else skip, lines, first, first)


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
    path = tmp_path / "a.orders"
    path.write_text("0 1\n" * 20 + "0 x\n")
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


def test_no_lines_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    with reading_parts({str(path): part(path, 1, 0)}):
        assert list(read_lines(path)) == []
