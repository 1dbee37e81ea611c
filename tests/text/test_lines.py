"""Lines of any file, of text and of treebanks; their words, and the numbers of these."""

import gzip
import io
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.files import written
from tests.notes import noted
from tests.refusing import complains, refuses

from wordorder.errors import InputError
from wordorder.text import opening
from wordorder.text.blocks import quoted
from wordorder.text.lines import read_lines, tokens
from wordorder.text.lockstep import line_count_mismatch
from wordorder.text.raw_lines import RawLines, interleaved
from wordorder.text.readers import ConlluWordReader, word_reader
from wordorder.text.sniffing import LONG_LINE, MAX_COMMENT_BYTES, input_kind
from wordorder.text.sources import PeekableInput
from wordorder.text.vocabulary import MIN_FIRST_SLOTS, number_lines, number_tokens

TRICKY = "a b\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\r\t é語😀\x00"


def lines_from(data: bytes, chunk: int = 1 << 20) -> list[str]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        monkeypatch.setattr(opening, "READ_BYTES", chunk)
        return list(read_lines("-"))


@given(st.lists(st.text(st.sampled_from(TRICKY))), st.sampled_from([1, 2, 5, 64, 1 << 20]))
def test_only_a_newline_ends_a_line(lines: list[str], chunk: int) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    # A carriage return in front of a newline belongs to the end of the line, and only one does.
    assert lines_from(data, chunk) == [line.removesuffix("\r") for line in lines]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"\n\n", ["", ""]),
        (b"a", ["a"]),
        (b"a\r", ["a\r"]),
        (b"a\r\r\n", ["a\r"]),
        (b"a\n\nb", ["a", "", "b"]),
    ],
)
def test_the_ends_of_lines(data: bytes, expected: list[str]) -> None:
    assert lines_from(data) == expected


@pytest.mark.parametrize(
    "bad",
    [b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xe0\x80\xaf", b"\x80", b"\xe8\xaa", b"\xf5\x80"],
)
@pytest.mark.parametrize("end", [b"", b"\n", b"z\nb\n"])
@pytest.mark.parametrize("chunk", [1, 64])
def test_bytes_that_are_not_utf8(bad: bytes, end: bytes, chunk: int) -> None:
    message = f"<stdin>:2:5: byte 0x{bad[0]:02x};"
    complains(InputError, message, lines_from, "a\n語 ".encode() + bad + end, chunk)


@given(st.binary(max_size=60))
def test_random_bytes_are_lines_or_an_error_at_their_place(data: bytes) -> None:
    if data.startswith(b"\xef\xbb\xbf"):
        data = b" " + data
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].split(b"\n")
        where = f"<stdin>:{len(before)}:{len(before[-1]) + 1}: "
        complains(InputError, where, lines_from, data)
    else:
        lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
        assert lines_from(data) == lines


def test_lines_of_a_file_that_is_left_early(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a\nb\n")
    lines: Iterator[str] = read_lines(path)
    assert next(lines) == "a"
    del lines


@pytest.mark.parametrize("space", ["\u00a0", "\u200b", "\u3000", "\u200d", "\x0b", "\x0c", "\r"])
def test_tokens_split_at_ascii_blanks_and_tabs_only(space: str) -> None:
    assert tokens(f"a{space}b \t c\t") == [f"a{space}b", "c"]
    assert tokens("") == tokens(" ") == tokens("\t \t") == []


def test_a_mismatch_names_both_files_and_counts() -> None:
    message = str(line_count_mismatch("a.orders", 1, "b.orders", 20))
    assert "a.orders: 1 line," in message
    assert "b.orders has 20" in message


@given(st.binary(max_size=200))
def test_quotes_are_short_and_of_one_line(token: bytes) -> None:
    assert quoted(token).isprintable()
    assert len(quoted(token)) <= 30 * 10 + 6


@pytest.mark.parametrize("length", [29, 30, 31, 119, 120, 121])
def test_quotes_are_cut_between_characters(length: int) -> None:
    for lead in ("", "a", "é"):
        shown = quoted((lead + "語" * length).encode())
        assert shown.rstrip(".").strip("'") == (lead + "語" * length)[:30]
        assert shown.endswith("...") == (len(lead) + length > 30)


# -- Files of words, text or treebanks.


ROW = "1\tIt" + "\t_" * 8 + "\n\n"


def test_a_treebank_that_is_not_called_so_is_said(tmp_path: Path) -> None:
    for name, text in (("a.txt", ROW), ("b.txt", "# x = y\n1-2" + ROW[1:])):
        path = written(tmp_path, text, name)
        with (
            noted(f"{name}: looks like CoNLL-U, but is read as"),
            word_reader(path) as reader,
        ):
            assert reader.take(9).strings() == text.split("\n")[:-1]


def test_what_is_meant_is_not_said(tmp_path: Path) -> None:
    treebank, text = written(tmp_path, ROW, "a.conllu"), written(tmp_path, "1\tIt\n\n")
    for path, kind, first in (
        (treebank, "auto", "It"),
        (treebank, "text", ROW.strip()),
        (text, "auto", "1\tIt"),
    ):
        with word_reader(path, kind) as reader:
            assert reader.take(1).strings() == [first]


# -- Lines of bytes against str and bytes methods.


PIECES = st.lists(
    st.sampled_from(["a", "\u00e9\u00e9", "\r", "\n", "\r\n", "\u2028", "\x85", "\x0b", " "]),
    max_size=12,
).map("".join)


@given(PIECES)
def test_only_newlines_end_lines(text: str) -> None:
    lines = text.split("\n")
    if lines[-1] == "":
        del lines[-1]
    ended = text.count("\n")
    expected = [
        line.removesuffix("\r") if number < ended else line for number, line in enumerate(lines)
    ]
    assert RawLines.from_bytes(text.encode()).strings() == expected


@given(st.lists(PIECES, max_size=6), st.lists(PIECES, max_size=6), st.integers(0, 6))
def test_parts_and_wholes(one: list[str], other: list[str], cut: int) -> None:
    first, second = RawLines.from_strings(one), RawLines.from_strings(other)
    assert RawLines.concatenate([first, second]).strings() == one + other
    assert RawLines.concatenate([first[cut:], second[:cut]]).strings() == one[cut:] + other[:cut]
    assert RawLines.concatenate([]).strings() == []


@given(st.lists(st.tuples(PIECES, PIECES, PIECES), max_size=5))
def test_interleaving(rows: list[tuple[str, str, str]]) -> None:
    files = [RawLines.from_strings([row[i] for row in rows]) for i in range(3)]
    assert interleaved(files).strings() == [line for row in rows for line in row]


@pytest.mark.parametrize(("line", "what"), [("\ud800", "surrogate"), (7, "7"), (None, "None")])
def test_what_is_no_text_is_refused(line: object, what: str) -> None:
    refuses(InputError, f"text, entry 2: .*{what}", RawLines.from_strings, ["fine", line])


@given(
    st.lists(st.text("aB Z[`{\u00c9\u0130\u03a3\u6f22\U00010400\ud800", max_size=5), max_size=6),
    st.data(),
)
def test_lower_case(lines: list[str], data: st.DataObject) -> None:
    raw = RawLines.from_strings(lines, surrogates=True)
    rows = data.draw(st.lists(st.integers(0, len(lines) - 1))) if lines else []
    lowered = raw.take(np.array(rows, np.int64)).lower()
    assert lowered.strings(surrogates=True) == [lines[row].lower() for row in rows]


# -- Telling a treebank from plain text by its first lines. ----------------------------------------


WORD_ROW = b"1\tGo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n"


def look(path: Path) -> tuple[str, bytes]:
    with PeekableInput(path) as source:
        return input_kind(source), b"".join(iter(source.read, b""))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "text"),
        (b"\n\n", "text"),
        (b"It rains .\n", "text"),
        (b"It rains .", "text"),
        (b"1 2 3\n", "text"),
        (b"1\tone\n", "text"),
        (b"# 1 is the best\nIt rains .\n", "text"),
        (b"# only a comment\n", "text"),
        (b"2\tGo" + b"\t_" * 8 + b"\n", "text"),
        (WORD_ROW, "conllu"),
        (WORD_ROW.rstrip(b"\n"), "conllu"),
        (WORD_ROW.replace(b"\n", b"\r\n"), "conllu"),
        (b"\xef\xbb\xbf" + WORD_ROW, "conllu"),
        # Lines that end with a carriage return alone: the reader says what is wrong.
        (b"# text = Go\r" + WORD_ROW.replace(b"\n", b"\r"), "conllu"),
        (b"# one\rtwo\n" + WORD_ROW, "conllu"),
        (b"# text = Go\n\n" + WORD_ROW, "conllu"),
        (b"1-2\tdon't" + b"\t_" * 8 + b"\n" + WORD_ROW, "conllu"),
        (b"0.1\tx" + b"\t_" * 8 + b"\n" + WORD_ROW, "conllu"),
        # Nine columns: a damaged treebank, and no text.
        (b"1\tGo" + b"\t_" * 7 + b"\n", "conllu"),
        (b"# long\n" * 400_000 + WORD_ROW, "text"),
        (b"x" * (2 * LONG_LINE), "text"),
        (b"# " + b"x" * (2 * LONG_LINE) + b"\n" + WORD_ROW, "conllu"),
    ],
)
def test_what_a_file_looks_like(tmp_path: Path, data: bytes, expected: str) -> None:
    assert look(written(tmp_path, data)) == (expected, data)
    assert look(written(tmp_path, gzip.compress(data), "file.gz")) == (expected, data)


def test_a_pipe_that_gives_a_byte_at_a_time() -> None:
    class Slow(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            return super().read1(1)

    data = b"# text = Go\n" + WORD_ROW
    with (
        mock.patch.object(sys, "stdin", io.TextIOWrapper(Slow(data))),
        PeekableInput("-") as source,
    ):
        assert input_kind(source) == "conllu"
        assert b"".join(iter(source.read, b"")) == data


def test_no_more_is_looked_at_than_is_needed(tmp_path: Path) -> None:
    path = written(tmp_path, b"# x\n" * MAX_COMMENT_BYTES, "file")
    with PeekableInput(path) as source:
        input_kind(source)
        assert len(source.read()) + len(source.read()) + len(source.read()) < 3 * MAX_COMMENT_BYTES


def test_damaged_data_is_an_error_when_looked_at(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"# x\n")[:-6], "file.gz")
    refuses(InputError, r"file\.gz", look, path)


# -- The words of a treebank as text. --------------------------------------------------------------


REST = "\t_" * 8


def test_ranges_empty_nodes_and_comments_are_no_words(tmp_path: Path) -> None:
    words = ["1-2\tvamonos", "1\tvamos", "2\tnos", "2.1\tx", "3\tNew York"]
    rows = "".join(f"{word}{REST}\n" for word in words)
    text = f"# text = vamonos al New York\n{rows}\n\n1\t#{REST}\n"
    with ConlluWordReader(written(tmp_path, text)) as reader:
        assert reader.take(1).strings() == ["vamos nos New\u00a0York"]
        assert reader.take(5).strings() == ["#"]
        assert len(reader.take(5)) == 0
        assert reader.lines == 2


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("1\tx", "columns: 2 in "),
        (f"2\tx{REST}", "ID '2'; expected 1, the number of the word"),
        (f"x\tx{REST}", "ID 'x'; expected 1"),
        (f"01\tx{REST}", "ID '01'; expected 1"),
        (f"{'9' * 5000}\tx{REST}", "expected 1"),
        (f"1-2\tx{REST}", "range '1-2' in a sentence of 0 words"),
        (" ", "a line of blanks"),
        (f"1\t{REST}", "nothing in FORM"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, what: str) -> None:
    path = written(tmp_path, f"# comment\n{line}\n", "a.conllu")
    with ConlluWordReader(path) as reader:
        refuses(InputError, f"{path}:2: .*{what}", reader.take, 1)


def test_other_columns_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "# global.columns = ID FORM UPOS\n1\tx\ty\n", "a.conllu")
    with ConlluWordReader(path) as reader, pytest.raises(InputError, match=r"conllu:1: .*LEMMA"):
        reader.take(1)


# -- Words as numbers, against the obvious dictionary. ---------------------------------------------


WORDS = st.sampled_from(["a", "b", "ab", "\u00a0", "\u3000x", "caf\u00e9", "\r", "\x00", "\u2028"])
LINES = st.lists(
    st.lists(st.one_of(WORDS, st.sampled_from([" ", "\t", "  "])), max_size=12).map("".join),
    max_size=20,
)


def numbered(rows: list[list[str]]) -> tuple[list[list[int]], list[str]]:
    known: dict[str, int] = {}
    return [[known.setdefault(word, len(known)) for word in row] for row in rows], list(known)


@given(LINES)
def test_lines_are_numbered_as_a_dictionary_would(lines: list[str]) -> None:
    numbers, vocabulary = number_lines(RawLines.from_strings(lines))
    assert (numbers.to_lists(), vocabulary.words) == numbered([tokens(line) for line in lines])


@given(st.lists(st.text(alphabet="ab\x00", min_size=1, max_size=18), max_size=60))
def test_words_of_few_and_of_many_bytes(words: list[str]) -> None:
    # Up to seven bytes are compared as one number, more of them one by one.
    rows = [words, [word[:7] for word in words], [word[-8:] + word[:1] for word in words]]
    numbers, vocabulary = number_lines(RawLines.from_strings([" ".join(row) for row in rows]))
    assert (numbers.to_lists(), vocabulary.words) == numbered(rows)


@pytest.mark.parametrize(
    "words",
    [
        0,
        1,
        MIN_FIRST_SLOTS // 2 - 1,
        MIN_FIRST_SLOTS // 2,
        MIN_FIRST_SLOTS // 2 + 1,
        MIN_FIRST_SLOTS * 5,
    ],
)
@pytest.mark.parametrize("a_line", [1, 7, 100_000])
def test_the_table_grows(words: int, a_line: int) -> None:
    flat = [f"w{number * 7919 % max(words, 1)}" for number in range(2 * words)]
    rows = [flat[i : i + a_line] for i in range(0, len(flat), a_line)]
    numbers, vocabulary = number_lines(RawLines.from_strings([" ".join(row) for row in rows]))
    assert len(vocabulary) == words
    assert (numbers.to_lists(), vocabulary.words) == numbered(rows)


@given(st.lists(st.lists(st.text(max_size=3), max_size=6), max_size=8))
def test_tokens_are_taken_as_they_are(rows: list[list[str]]) -> None:
    columns, vocabulary = number_tokens([rows, rows[::-1]])
    expected, words = numbered([*rows, *rows[::-1]])
    assert [row for column in columns for row in column.to_lists()] == expected
    assert vocabulary.words == words


def test_code_points_of_words() -> None:
    _, vocabulary = number_lines(RawLines.from_strings(["a \u00e9\U0001f600 a"]))
    assert vocabulary.code_points().to_lists() == [[97], [0xE9, 0x1F600]]


def test_what_is_made_of_the_words_is_made_once_and_is_not_sent_to_other_processes() -> None:
    vocabulary = number_lines(RawLines.from_strings(["a b"]))[1]
    made = vocabulary.derived("lengths", lambda: [len(word) for word in vocabulary.words])
    assert vocabulary.derived("lengths", list) is made
    other = pickle.loads(pickle.dumps(vocabulary))
    assert other.words == ["a", "b"]
    assert other.derived("lengths", list) == []
