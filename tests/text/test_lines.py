import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.errors import InputError
from wordorder.text import opening
from wordorder.text.lines import line_count_mismatch, quoted, read_lines, tokens

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


@pytest.mark.parametrize("line", ["", " ", "\t \t"])
def test_no_tokens(line: str) -> None:
    assert tokens(line) == []


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
