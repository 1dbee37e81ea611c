"""Lines of bytes against str and bytes methods."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.errors import InputError
from wordorder.text.raw_lines import RawLines, interleaved

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
    with pytest.raises(InputError, match=f"text, entry 2: .*{what}"):
        RawLines.from_strings(["fine", line])  # type: ignore[list-item]


@given(
    st.lists(st.text("aB Z[`{\u00c9\u0130\u03a3\u6f22\U00010400\ud800", max_size=5), max_size=6),
    st.data(),
)
def test_lower_case(lines: list[str], data: st.DataObject) -> None:
    raw = RawLines.from_strings(lines, surrogates=True)
    rows = data.draw(st.lists(st.integers(0, len(lines) - 1))) if lines else []
    lowered = raw.take(np.array(rows, np.int64)).lower()
    assert lowered.strings(surrogates=True) == [lines[row].lower() for row in rows]
