"""Files of alignments: read, refused with the place named, written and read back."""

import gzip
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.alignment.notations import message, rows_of, rows_or_complaint, written
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.formats import ENOUGH_LINES
from wordorder.alignment.reading import AlignmentReader, read_alignments, write_alignments
from wordorder.errors import InputError, UsageError
from wordorder.messages import WordOrderWarning


@pytest.mark.parametrize(
    ("text", "format", "rows"),
    [
        ("0-0 1-2\n\n2p1 3?0\n", "pharaoh", ["0-0 1-2", "", "2p1 3p0"]),
        ("\n\n0p0", "pharaoh", ["", "", "0p0"]),
        (" 0-0\t1-1 \r\n", "pharaoh", ["0-0 1-1"]),
        ("2,,0_1\n", "talbot", ["2-0 0-2 1-2"]),
        ("\n5\n", "talbot", ["", "5-0"]),
        ("5", "talbot", ["5-0"]),
        ("5\r\n", "talbot", ["5-0"]),
        (",,3\n", "talbot", ["3-2"]),
        ("7_8\n", "talbot", ["7-0 8-0"]),
        ("\n\n", None, ["", ""]),
        ("", None, []),
    ],
)
def test_the_notation_shows_itself(
    tmp_path: Path, text: str, format: str | None, rows: list[str]
) -> None:
    path = written(tmp_path, text)
    assert rows_of(read_alignments(path)) == rows
    with AlignmentReader(path) as reader:
        assert rows_of(reader.take(100)) == rows
        assert reader.format == format
        assert (reader.name, reader.lines) == (str(path), len(rows))
        assert len(reader.take(100)) == 0


def test_the_notation_that_is_named_wins(tmp_path: Path) -> None:
    assert message(written(tmp_path, "0-0\n"), format="talbot").startswith(":1:1: '0-0' is no")
    assert message(written(tmp_path, "0,0\n"), format="pharaoh").startswith(":1:1: '0,0' is no")
    with pytest.raises(UsageError, match="did you mean 'pharaoh'"):
        read_alignments(written(tmp_path, ""), format="pharao")


def test_talbot_tells_the_target_lengths(tmp_path: Path) -> None:
    a = read_alignments(written(tmp_path, "\n\n0,,\n\n1\n"))
    assert a.target_lengths is not None
    assert a.target_lengths.tolist() == [0, 0, 3, 0, 1]


def test_one_empty_field_looks_like_no_field(tmp_path: Path) -> None:
    path = written(tmp_path, "0,1\n\n\n")
    a = read_alignments(path, target_lengths=[2, 0, 1])
    assert a.target_lengths is not None
    assert a.target_lengths.tolist() == [2, 0, 1]
    assert message(path, target_lengths=[2, 0, 2]).startswith(":3: 0 fields, but the target has 2")
    assert message(path, target_lengths=[1, 0, 1]).startswith(":1: 2 fields, but the target has 1")


def test_blank_lines_before_the_notation_shows(tmp_path: Path) -> None:
    path = written(tmp_path, "\n" * (1 << 16) + "0,,1\n")
    a = read_alignments(path)
    assert a.target_lengths is not None
    assert (len(a), a.target_lengths.sum(), str(a[-1])) == ((1 << 16) + 1, 3, "0-0 1-2")


@pytest.mark.parametrize(
    ("text", "where", "token"),
    [
        ("0-0\n1-1 1-a\n", ":2:5", "'1-a'"),
        ("0-0 --1\n", ":1:5", "'--1'"),
        ("0-0 1_0-2\n", ":1:5", "'1_0-2'"),
        ("0-0 +1-2\n", ":1:5", "'+1-2'"),
        ("0-0 1-+2\n", ":1:5", "'1-+2'"),
        ("0-0 ٣-1\n", ":1:5", "'٣-1'"),
        ("0-0 1-\n", ":1:5", "'1-'"),
        ("0-0 -1\n", ":1:5", "'-1'"),
        ("0-0 1\n", ":1:5", "'1'"),
        ("0-0 1-2-3\n", ":1:5", "'1-2-3'"),
        ("0-0 1-1,\n", ":1:5", "'1-1,'"),
        ("0-0 1-1\r2-2\n", ":1:5", "'1-1\\r2-2'"),
        ("0-0 1-1\v2-2\n", ":1:5", "'1-1\\x0b2-2'"),
        ("0-0 1-1\u00a02-2\n", ":1:5", "'1-1\\xa02-2'"),
        ("0-0 1-1\r", ":1:5", "'1-1\\r'"),
        ("猫-0 0-0\n", ":1:1", "'猫-0'"),
        ("0-0 100000000000000000000-2\n", ":1:5", "'100000000000000000000-2'"),
        ("0-0 1-4294967296\n", ":1:5", "'1-4294967296'"),
        (b"0-0 \xff-1\n", ":1:5", "b'\\xff-1'"),
        ("2,,0_\n", ":1:4", "'0_'"),
        ("2,_0,1\n", ":1:3", "'_0'"),
        ("2,0__1,1\n", ":1:3", "'0__1'"),
        ("2,0_,1\n", ":1:3", "'0_'"),
        ("2, 0,1\n", ":1:3", "' 0'"),
        ("2,0 ,1\n", ":1:3", "'0 '"),
        ("2,-1\n", ":1:3", "'-1'"),
        ("2,1-1,0\n", ":1:3", "'1-1'"),
        ("2\n0,+1,0\n", ":2:3", "'+1'"),
        ("2,٣\n", ":1:3", "'٣'"),
        ("2,100000000000000000000\n", ":1:3", "'100000000000000000000'"),
        ("2,4294967296\n", ":1:3", "'4294967296'"),
        ("2,1\r0\n", ":1:3", "'1\\r0'"),
        ("hello\n", ":1:1", "'hello'"),
        ("\n\n  +1-1 0-0\n", ":3:3", "'+1-1'"),
        ("1 2\n", ":1:1", "'1'"),
    ],
)
def test_strict_numbers(tmp_path: Path, text: str | bytes, where: str, token: str) -> None:
    assert message(written(tmp_path, text)).startswith(f"{where}: {token} ")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("0-0\n1-1 7-31\n", ":2:5: link 7-31 points past the target (29 tokens). Are the files in"),
        ("0-0\n1-1  12-3\n", ":2:6: link 12-3 points past the source (12 tokens). Are the files"),
        (
            "0-0\n1-1 1p1\n",
            ":2:5: link 1p1 is listed twice; expected each pair once, sure or possi",
        ),
        ("0-0\n3?2\t1-1 3?2\n", ":2:9: link 3?2 is listed twice"),
        ("0-0\n1-1 1-16777216\n", ":2:5: link 1-16777216 has an index above 16777215"),
        ("0,1\n0_3,11_12" + "," * 27, ":2:8: index 12 points past the source (12 tokens). Are the"),
        ("0,1\n0_3,3_4_3" + "," * 27, ":2:9: index 3 is listed twice"),
        ("0,1\n0,,0\n", ":2: 3 fields, but ja.txt has 29 tokens. Are the files in step?"),
    ],
)
def test_links_that_cannot_be(tmp_path: Path, text: str, what: str) -> None:
    lengths = {"source_lengths": [2, 12], "target_lengths": [2, 29], "target_name": "ja.txt"}
    assert message(written(tmp_path, text), **lengths).startswith(what)


def test_an_index_equal_to_the_length_hints_at_its_base(tmp_path: Path) -> None:
    hint = "If indices start at 1: one_based=True"
    assert hint in message(written(tmp_path, "0-0 2-1\n"), source_lengths=[2])
    assert hint in message(written(tmp_path, "0-0 1-2\n"), target_lengths=[2])
    assert hint not in message(written(tmp_path, "0-0 3-1\n"), source_lengths=[2])
    path = written(tmp_path, "1-1 3-1\n")
    assert hint not in message(path, source_lengths=[2], one_based=True)


def test_one_based(tmp_path: Path) -> None:
    path = written(tmp_path, "1-1 2p3\n")
    a = read_alignments(path, one_based=True, source_lengths=[2], target_lengths=[3])
    assert rows_of(a) == ["0-0 1p2"]
    found = rows_of(read_alignments(written(tmp_path, "1,,2_3\n"), one_based=True))
    assert found == ["0-0 1-2 2-2"]
    for text in ("1-1 0-2\n", "1-1 2-0\n"):
        assert message(written(tmp_path, text), one_based=True).startswith(
            f":1:5: link {text[4:7]} has an index below 1"
        )
    assert ":1:3: index 0 has an index below 1" in message(
        written(tmp_path, "1,0\n"), one_based=True
    )


@pytest.mark.parametrize("line", ["1-1 2-2", "1,2"])
def test_data_that_looks_one_based(tmp_path: Path, line: str) -> None:
    many = f"{line}\n" * ENOUGH_LINES
    path = written(tmp_path, many)
    with pytest.warns(WordOrderWarning, match=r"no index 0 in 20 lines; if indices start at 1"):
        read_alignments(path)
    read_alignments(path, one_based=True)
    read_alignments(written(tmp_path, f"{line}\n" * (ENOUGH_LINES - 1)))
    read_alignments(written(tmp_path, many + line.replace("1", "0", 1) + "\n"))


def test_a_first_target_word_is_enough(tmp_path: Path) -> None:
    read_alignments(written(tmp_path, "1-1 2-2\n" * ENOUGH_LINES + "3-0\n"))


def test_one_warning_for_a_stream(tmp_path: Path) -> None:
    path = written(tmp_path, "1-1\n" * ENOUGH_LINES)
    with warnings.catch_warnings(record=True) as caught, AlignmentReader(path) as reader:
        warnings.simplefilter("always")
        for _ in range(ENOUGH_LINES + 5):
            reader.take(1)
    assert len(caught) == 1


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize(("lines", "lengths"), [(3, 2), (2, 3), (0, 1), (1, 0)])
def test_files_of_different_length(tmp_path: Path, side: str, lines: int, lengths: int) -> None:
    path = written(tmp_path, "0-0\n" * lines)
    given_lengths = {f"{side}_lengths": [1] * lengths, f"{side}_name": "en.txt"}
    noun = "line" if lines == 1 else "lines"
    assert message(path, **given_lengths).startswith(f": {lines} {noun}, but en.txt has {lengths}")


def test_streaming_with_lengths(tmp_path: Path) -> None:
    path = written(tmp_path, "0-0\n1-1\n2-2\n")
    with AlignmentReader(path, source_name="en.txt") as reader:
        first = reader.take(2, source_lengths=[1, 2])
        assert first.source_lengths is not None
        assert (first.source_lengths.tolist(), first.where(1)) == ([1, 2], f"{path}:2")
        assert len(reader.take(2, source_lengths=[3, 4])) == 1
    with AlignmentReader(path, source_name="en.txt") as reader:
        reader.take(1, source_lengths=[1])
        refuses(InputError, r"3 lines, but en\.txt has 1", reader.take, 1, source_lengths=[])
    with AlignmentReader(path) as reader:
        reader.take(2)
        with pytest.raises(InputError) as error:
            reader.take(1, source_lengths=[2])
    assert str(error.value).startswith(f"{path}:3:1: link 2-2 points past the source")


LINKS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), unique=True, max_size=9)


@given(rows=st.lists(LINKS, max_size=5), flags=st.lists(st.booleans(), min_size=45, max_size=45))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_there_and_back(
    tmp_path: Path, rows: list[list[tuple[int, int]]], flags: list[bool]
) -> None:
    lengths = [7] * len(rows)
    sure = Alignments.from_rows(rows, target_lengths=lengths)
    marks = iter(flags)
    marked = Alignments.from_rows([[(s, t, next(marks)) for s, t in row] for row in rows])
    path = tmp_path / "out.align"
    write_alignments(marked, path, format="pharaoh")
    assert read_alignments(path, format="pharaoh", target_lengths=lengths) == marked
    assert rows_of(read_alignments(path, format="pharaoh")) == rows_of(marked)
    write_alignments(sure, path, format="talbot")
    assert read_alignments(path, format="talbot", target_lengths=lengths) == sure


def test_compressed(tmp_path: Path) -> None:
    path = tmp_path / "a.align.gz"
    a = Alignments.from_rows([[(0, 0), (1, 2)], []])
    write_alignments(a, path)
    assert gzip.decompress(path.read_bytes()) == b"0-0 1-2\n\n"
    assert read_alignments(path) == a


@pytest.mark.parametrize(
    ("rows", "lengths", "what"),
    [
        ([[(0, 0)]], None, "a: the target lengths are not known"),
        ([[], [(0, 0, True)]], [0, 1], "a:2: a possible link"),
        ([[], []], [0, 1], "a:2: a single unaligned target word"),
    ],
)
def test_what_talbot_cannot_say(tmp_path: Path, rows: Any, lengths: Any, what: str) -> None:
    path = tmp_path / "out.align"
    a = Alignments.from_rows(rows, target_lengths=lengths, path="a")
    refuses(InputError, f"^{what}", write_alignments, a, path, format="talbot")
    assert not path.exists()


@given(st.binary(max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes(tmp_path: Path, text: bytes) -> None:
    whole = b"0-0\n" + text
    path = written(tmp_path, whole)
    lines = whole.count(b"\n") + (not whole.endswith(b"\n"))
    assert rows_or_complaint(path) in (lines, None)


@pytest.mark.parametrize("path", [None, 3, b"a.align"])
def test_what_is_no_name_of_a_file_and_what_no_alignments(path: Any, tmp_path: Path) -> None:
    message = "expected text or a pathlib"
    refuses(UsageError, message, read_alignments, path)
    refuses(UsageError, message, write_alignments, Alignments.from_rows([]), path)
    message = "alignments is an object of type list"
    refuses(UsageError, message, write_alignments, [[(0, 0)]], tmp_path / "a.align")
    assert not (tmp_path / "a.align").exists()
