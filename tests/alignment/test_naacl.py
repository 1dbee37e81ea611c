"""The notation of the shared tasks: one line per link."""

import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests import oracles_notations as oracles
from tests.alignment.notations import in_parts, message, rows_of, rows_or_complaint, written
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import AlignmentReader, read_alignments, write_alignments
from wordorder.errors import InputError, UsageError
from wordorder.messages import WordOrderWarning

LINKS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), unique=True, max_size=6)
# The guidelines' example: They had gone . / Ils etaient alles .
EXAMPLE = "18 1 1\n18 2 2\n18 3 3\n18 4 4\n"


def test_the_example_of_the_guidelines(tmp_path: Path) -> None:
    a = read_alignments(written(tmp_path, EXAMPLE))
    assert len(a) == 18
    assert rows_of(a)[17] == "0-0 1-1 2-2 3-3"
    assert rows_of(a)[:17] == [""] * 17


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("0001 1 2 S\n0001 2 1 P\n0003 1 1\n", ["0-1 1p0", "", "0-0"]),
        ("1 1 1\r\n2\t3  4 S\t\r\n", ["0-0", "2-3"]),
        (" 1 1 1", ["0-0"]),
        ("1 1 1\n\n2 1 1\n\n", ["0-0", "0-0"]),
        ("2 16777216 16777216\n", ["", "16777215-16777215"]),
    ],
)
def test_the_notation_shows_itself(tmp_path: Path, text: str, rows: list[str]) -> None:
    with AlignmentReader(written(tmp_path, text)) as reader:
        assert rows_of(reader.take(100)) == rows
        assert (reader.format, reader.lines) == ("naacl", len(rows))
        assert len(reader.take(100)) == 0


@given(
    rows=st.lists(LINKS, max_size=5),
    flags=st.lists(st.booleans(), min_size=30, max_size=30),
    size=st.integers(1, 4),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_against_the_twin_and_back(
    tmp_path: Path, rows: list[list[tuple[int, int]]], flags: list[bool], size: int
) -> None:
    marks = iter(flags)
    marked = [[(s, t, next(marks)) for s, t in row] for row in rows]
    expected = Alignments.from_rows(marked)
    path = written(tmp_path, oracles.naacl_text(marked))
    assert read_alignments(path, format="naacl", sentences=len(rows)) == expected
    with AlignmentReader(path, format="naacl", sentences=len(rows)) as reader:
        parts = in_parts(reader, size)
    assert sum(map(len, parts)) == len(rows)
    assert rows_of(Alignments.concatenate(parts)) == rows_of(expected)
    write_alignments(expected, path, format="naacl")
    assert read_alignments(path, format="naacl", source_lengths=[6] * len(rows)) == expected


def test_how_many_rows_there_are(tmp_path: Path) -> None:
    path = written(tmp_path, "2 1 1\n4 1 1\n")
    assert len(read_alignments(path)) == 4
    assert len(read_alignments(path, sentences=6)) == 6
    a = read_alignments(path, source_lengths=[1] * 5, target_lengths=[1] * 5)
    assert rows_of(a) == ["", "0-0", "", "0-0", ""]
    assert message(path, sentences=3) == ": 4 sentence pairs; expected 3"
    what = ": 4 sentence pairs, but en.txt has 3; expected as many in both"
    assert message(path, source_lengths=[1] * 3, source_name="en.txt") == what
    assert len(read_alignments(written(tmp_path, ""), format="naacl", sentences=2)) == 2
    refuses(UsageError, "at least 0, not -1", AlignmentReader, path, sentences=-1)


def test_streaming_with_lengths(tmp_path: Path) -> None:
    """Rows without links follow as long as the text does."""
    path = written(tmp_path, "2 1 1\n")
    with AlignmentReader(path) as reader:
        parts = [reader.take(2, source_lengths=[1, 1]) for _ in range(3)]
        assert [rows_of(part) for part in parts] == [["", "0-0"], ["", ""], ["", ""]]
        assert parts[1].where(0) == f"{path} (sentence pairs):3"
        assert len(reader.take(2, source_lengths=[])) == 0
        assert len(reader.take(2)) == 0


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("1 1 1\n1 2\n", ":2: ", "2 fields; expected sentence, source and target position"),
        ("1 1 1\n1\n", ":2: ", "1 field; expected"),
        ("1 1 1\n1 x 2\n", ":2:3: ", "'x' is no position"),
        ("1 1 1\n1 1_0 2\n", ":2:3: ", "'1_0' is no position"),
        ("1 1 1\n1 +1 2\n", ":2:3: ", "'+1' is no position"),
        ("1 1 1\n1 -1 2\n", ":2:3: ", "'-1' is no position"),
        ("1 1 1\n1 ٣ 2\n", ":2:3: ", "'٣' is no position"),
        ("1 1 1\n1 1\u00a02\n", ":2:3: ", "'1\\xa02' is no position"),
        ("1 1 1\n1 2 100000000000000000000\n", ":2:5: ", "'100000000000000000000' is no"),
        ("1 1 1\n1 2 16777217\n", ":2:5: ", "'16777217' is no position"),
        ("1 1 1\n16777217 2 1\n", ":2:1: ", "'16777217' is no sentence"),
        ("1 1 1\n0 2 1\n", ":2:1: ", "'0' is no sentence"),
        ("1 1 1\na 2 1\n", ":2:1: ", "'a' is no sentence"),
        ("1 1 1\n1 2 1 X\n", ":2:7: ", "'X' does not belong there"),
        ("1 1 1\n1 2 1 s\n", ":2:7: ", "'s' does not belong there"),
        ("1 1 1\n1 2 1 S P\n", ":2:9: ", "'P' does not belong there"),
        ("1 1 1\n1 2 1 S 0.5 7\n", ":2:13: ", "'7' does not belong there"),
        ("1 1 1\n1 2 1 0.5 S\n", ":2:11: ", "'S' does not belong there"),
        ("1 1 1\n1 2 1 nan\n", ":2:7: ", "'nan' does not belong there"),
        ("1 1 1\n1 2 1\r1 3 3\n", ":2:5: ", "'1\\r1' is no position"),
        ("1 1 1\n1 2 1\r", ":2:5: ", "'1\\r' is no position"),
        ("3 1 1\n 2 1 1\n", ":2:2: ", "sentence 2 after sentence 3; expected sentences in asc"),
        ("\n1 1 1\n", ":1: ", "an empty line before the notation naacl, which has none"),
        (b"1 1 1\n1 \xff 2\n", ":2:3: ", "byte 0xff; expected UTF-8 text"),
        ("1 1 1\n1 2 2\n\n1 1 1 P\n", ":4: ", "link 1-1 is listed twice; expected each pair once"),
    ],
)
def test_lines_that_do_not_fit(tmp_path: Path, text: str | bytes, where: str, what: str) -> None:
    assert message(written(tmp_path, text)).startswith(where + what)


def test_links_past_their_sentences(tmp_path: Path) -> None:
    path = written(tmp_path, "1 1 1\n3 1 2\n3 3 1\n")
    what = ":3: link 3-1 points past the source (2 tokens). Are the files in step?"
    assert message(path, source_lengths=[1, 0, 2]) == what
    path = written(tmp_path, "1 1 1\n3 1 2\n3 2 1\n")
    what = ":2: link 1-2 points past the target (1 token). Are the files in step?"
    assert message(path, source_lengths=[1, 0, 2], target_lengths=[1, 0, 1]) == what


def test_the_empty_word_is_counted(tmp_path: Path) -> None:
    path = written(tmp_path, "1 0 1\n1 2 0 P\n1 1 1\n2 0 0\n")
    with pytest.warns(WordOrderWarning, match="3 lines with position 0, the empty word: no link"):
        a = read_alignments(path)
    assert rows_of(a) == ["0-0", ""]


def test_confidences_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path, "1 1 1 S 0.5\n1 2 2 1e-5\n1 3 3 P\n1 4 4 .5\n")
    with pytest.warns(WordOrderWarning, match="confidences of 3 lines are not kept"):
        a = read_alignments(path)
    assert rows_of(a) == ["0-0 1-1 2p2 3-3"]


def test_positions_count_from_1_whatever_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, "1 2 2\n" + "".join(f"{n} 2 2\n" for n in range(2, 40)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_alignments(path, one_based=True) == read_alignments(path)


def test_an_empty_line_is_passed_over_if_the_notation_is_named(tmp_path: Path) -> None:
    assert rows_of(read_alignments(written(tmp_path, "\n1 1 1\n"), format="naacl")) == ["0-0"]
    with AlignmentReader(written(tmp_path, "\n\n1 1 1\n")) as reader:
        reader.take(1)
        reader.take(1)
        refuses(InputError, "an empty line before the notation naacl", reader.take, 1)


def test_a_long_file(tmp_path: Path) -> None:
    """Longer than what is read at a time."""
    rows = (1 << 16) + 3
    path = written(tmp_path, "".join(f"{n} 1 1\n" for n in range(1, rows + 1)))
    a = read_alignments(path)
    assert np.array_equal(a.offsets, np.arange(rows + 1))


@pytest.mark.parametrize(
    ("line", "column"),
    [
        (b"1 1 1 S " + b"1" * 40_000 + b"x", 9),
        (b"1 1 1 S 0." + b"1" * 40_000 + b"x", 9),
        (b"1 1 1 S 1e" + b"1" * 40_000 + b"x", 9),
        (b"1 1 1" + b" " * 40_000 + b"x", 40_006),
        (b"1 1 1" + b" 1" * 40_000, 9),
    ],
)
def test_long_lines_take_no_longer_than_their_length(
    tmp_path: Path, line: bytes, column: int
) -> None:
    path = written(tmp_path, line + b"\n")
    before = time.process_time()
    assert message(path, format="naacl").startswith(f":1:{column}: ")
    assert time.process_time() - before < 3


@given(st.binary(max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes(tmp_path: Path, text: bytes) -> None:
    path = written(tmp_path, b"1 1 1\n" + text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WordOrderWarning)
        assert rows_or_complaint(path) != 0
