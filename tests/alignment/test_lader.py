"""Lader's notation: both lengths, then links."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests import oracles_notations as oracles
from tests.alignment.notations import in_parts, message, rows_or_complaint, written

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.formats import ENOUGH_LINES
from wordorder.alignment.reading import AlignmentReader, read_alignments, write_alignments
from wordorder.errors import InputError, WordOrderWarning

LINKS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), unique=True, max_size=6)


@pytest.mark.parametrize(
    ("text", "rows", "lengths"),
    [
        ("3-2 ||| 0-0 2-1\n0-0 |||\n", ["0-0 2-1", ""], ([3, 0], [2, 0])),
        ("1-1 ||| 0-0", ["0-0"], ([1], [1])),
        ("2-1 |||", [""], ([2], [1])),
        (" 2-3\t|||  1-0\t0-2 \r\n2-1 ||| \r\n", ["1-0 0-2", ""], ([2, 2], [3, 1])),
    ],
)
def test_the_notation_shows_itself(
    tmp_path: Path, text: str, rows: list[str], lengths: tuple[list[int], list[int]]
) -> None:
    with AlignmentReader(written(tmp_path, text)) as reader:
        a = reader.take(100)
        assert reader.format == "lader"
    assert [str(row) for row in a] == rows
    assert a.source_lengths is not None
    assert a.target_lengths is not None
    assert (a.source_lengths.tolist(), a.target_lengths.tolist()) == lengths


@given(rows=st.lists(LINKS, max_size=5), size=st.integers(1, 3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_against_the_twin_and_back(
    tmp_path: Path, rows: list[list[tuple[int, int]]], size: int
) -> None:
    expected = Alignments.from_rows(
        rows, source_lengths=[6] * len(rows), target_lengths=[7] * len(rows)
    )
    path = written(tmp_path, oracles.lader_text(rows, [(6, 7)] * len(rows)))
    assert read_alignments(path, format="lader") == expected
    with AlignmentReader(path, format="lader") as reader:
        parts = in_parts(reader, size)
    assert Alignments.concatenate(parts) == expected
    write_alignments(expected, path, format="lader")
    assert read_alignments(path, format="lader") == expected


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("1-1 ||| 0-0\n0-0\n", ":2:1: ", "'0-0' is no link; expected n-m ||| i-j ... (source"),
        ("1-1 ||| 0-0\n\n", ":2:1: ", "'' is no link; expected n-m |||"),
        ("1-1 ||| 0-0\n1-1 || 0-0\n", ":2:1: ", "'1-1' is no link"),
        ("1-1 ||| 0-0\n1-1 |||0-0\n", ":2:1: ", "'1-1' is no link"),
        ("1-1 ||| 0-0\n1 ||| 0-0\n", ":2:1: ", "'1' is no link"),
        ("1-1 ||| 0-0\n1-x ||| 0-0\n", ":2:1: ", "'1-x' is no link"),
        ("1-1 ||| 0-0\n+1-1 ||| 0-0\n", ":2:1: ", "'+1-1' is no link"),
        ("1-1 ||| 0-0\n1-1 ||| 0-0 ||| 0-0\n", ":2:13: ", "'|||' is no link"),
        ("1-1 ||| 0-0\n1-16777217 ||| 0-0\n", ":2:1: ", "'1-16777217' is no link"),
        ("1-1 ||| 0-0\n1-100000000000000000000 ||| 0-0\n", ":2:1: ", "'1-1000"),
        ("1-1 ||| 0-0\n2-2 ||| 1-1 0p1\n", ":2:13: ", "'0p1' is no link"),
        ("1-1 ||| 0-0\n2-2 ||| 1-1 0_0-1\n", ":2:13: ", "'0_0-1' is no link"),
        ("1-1 ||| 0-0\n2-2 ||| 1-1 ٣-1\n", ":2:13: ", "'٣-1' is no link"),
        (b"1-1 ||| 0-0\n2-2 ||| \xff\n", ":2:9: ", "b'\\xff' is no link"),
        ("1-1 ||| 0-x\n0-0\n", ":1:9: ", "'0-x' is no link"),
        ("1-1 ||| 0-0 1-0\n", ":1:13: ", "link 1-0 points past the source (1 token). Are the"),
        (" 1-1\t|||0-0 1-0\n", ":1:2: ", "'1-1' is no link"),
        (" 1-1\t|||  1-0\n", ":1:11: ", "link 1-0 points past the source (1 token). Are the"),
        ("2-1 ||| 0-0 1-2\n", ":1:13: ", "link 1-2 points past the target (1 token). Are the"),
        ("2-1 ||| 0-0 1-0 0-0\n", ":1:17: ", "link 0-0 is listed twice"),
        ("\n1-1 ||| 0-0\n", ":1: ", "an empty line before the notation lader, which has none"),
    ],
)
def test_lines_that_do_not_fit(tmp_path: Path, text: str | bytes, where: str, what: str) -> None:
    assert message(written(tmp_path, text)).startswith(where + what)


def test_texts_of_other_lengths(tmp_path: Path) -> None:
    path = written(tmp_path, "1-1 ||| 0-0\n2-3 |||\n")
    what = ":2: 2 source tokens, but en.txt has 1 tokens. Are the files in step?"
    assert message(path, source_lengths=[1, 1], source_name="en.txt") == what
    what = ":2: 3 target tokens, but ja.txt has 4 tokens. Are the files in step?"
    assert message(path, target_lengths=[1, 4], target_name="ja.txt") == what
    what = ":1: 1 target tokens, but the target has 0 tokens. Are the files in step?"
    assert message(path, target_lengths=[0, 3]) == what
    assert message(path, target_lengths=[1]).startswith(": 2 lines, but the target has 1")


def test_one_based(tmp_path: Path) -> None:
    path = written(tmp_path, "2-2 ||| 1-1 2-2\n" * ENOUGH_LINES)
    assert str(read_alignments(path, one_based=True)[0]) == "0-0 1-1"
    path = written(tmp_path, "3-3 ||| 1-1 2-2\n" * ENOUGH_LINES)
    with pytest.warns(WordOrderWarning, match="no index 0 in 20 lines"):
        read_alignments(path)


@pytest.mark.parametrize(
    ("a", "what"),
    [
        (Alignments.from_rows([[]], path="a"), "a: the lengths of the sentences are not known"),
        (
            Alignments.from_rows(
                [[(0, 0)], [], [(0, 0, True)]],
                source_lengths=[1, 0, 1],
                target_lengths=[1, 0, 1],
                path="a",
            ),
            "a:3: a possible link",
        ),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, a: Alignments, what: str) -> None:
    path = tmp_path / "out.lader"
    with pytest.raises(InputError) as error:
        write_alignments(a, path, format="lader")
    assert str(error.value).startswith(what)
    assert not path.exists()


def test_the_number_of_sentences_must_be_right(tmp_path: Path) -> None:
    path = written(tmp_path, "1-1 |||\n")
    assert len(read_alignments(path, sentences=1)) == 1
    assert message(path, sentences=2) == ": 1 lines; expected 2"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"3-3 ||| " + b"0-0 " * 40_000, ":1:13: link 0-0 is listed twice"),
        (
            b"30000-3 ||| " + b" ".join(b"%d-0" % i for i in range(40_000)),
            ":1:228903: link 30000-0 points past the source",
        ),
        (b" " * 40_000 + b"|| 0-0", ":1:40001: '||' is no link"),
    ],
)
def test_long_lines_take_no_longer_than_their_length(
    tmp_path: Path, text: bytes, what: str
) -> None:
    path = written(tmp_path, text)
    before = time.process_time()
    assert message(path, format="lader").startswith(what)
    assert time.process_time() - before < 3


@given(st.binary(max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes(tmp_path: Path, text: bytes) -> None:
    whole = b"1-1 ||| 0-0\n" + text
    path = written(tmp_path, whole)
    lines = whole.count(b"\n") + (not whole.endswith(b"\n"))
    assert rows_or_complaint(path) in (lines, None)
