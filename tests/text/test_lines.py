import io
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.messages import WordOrderWarning
from wordorder.text import opening
from wordorder.text.blocks import RawLines, interleaved, quoted
from wordorder.text.lines import line_count_mismatch, read_lines, tokens, word_reader

TRICKY = "a b\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\r\t é語😀\x00"


def lines_from(data: bytes, chunk: int = 1 << 20) -> list[str]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        monkeypatch.setattr(opening, "CHUNK", chunk)
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
    with pytest.raises(InputError) as caught:
        lines_from("a\n語 ".encode() + bad + end, chunk)
    assert caught.value.where == "<stdin>:2:5"
    assert caught.value.what == f"byte 0x{bad[0]:02x}"


@given(st.binary(max_size=60))
def test_random_bytes_are_lines_or_an_error_at_their_place(data: bytes) -> None:
    if data.startswith(b"\xef\xbb\xbf"):
        data = b" " + data
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].split(b"\n")
        with pytest.raises(InputError) as caught:
            lines_from(data)
        assert caught.value.where == f"<stdin>:{len(before)}:{len(before[-1]) + 1}"
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
        (tmp_path / name).write_text(text)
        with (
            pytest.warns(WordOrderWarning, match=f"{name}: looks like CoNLL-U, but is read as"),
            word_reader(tmp_path / name) as reader,
        ):
            assert reader.take(9).strings() == text.split("\n")[:-1]


def test_what_is_meant_is_not_said(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(ROW)
    (tmp_path / "a.txt").write_text("1\tIt\n\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, kind, first in (
            ("a.conllu", "auto", "It"),
            ("a.conllu", "text", ROW.strip()),
            ("a.txt", "auto", "1\tIt"),
        ):
            with word_reader(tmp_path / name, kind) as reader:
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
