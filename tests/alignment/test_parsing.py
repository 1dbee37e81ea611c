"""The two notations against their slow twins, on good and on broken bytes."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from tests import oracles_alignment as oracles

from wordorder.alignment.pharaoh import Pharaoh, Talbot

NUMBERS = st.one_of(st.integers(0, 12), st.integers(0, 1 << 26), st.integers(0, 10**25)).map(str)
PHARAOH = st.builds("{}{}{}".format, NUMBERS, st.sampled_from("-p?"), NUMBERS)
NOISE = st.text("0123456789-p?_, \t+\r\vａ٣", max_size=12)


def lines_of(text: bytes) -> list[bytes]:
    """Cut at line ends only."""
    lines = text.split(b"\n")
    ends = lines[:-1] if lines[-1] == b"" else lines
    # The bytes behind the last \n have no line end that a \r could belong to.
    whole = len(lines) - 1
    return [line.removesuffix(b"\r") if i < whole else line for i, line in enumerate(ends)]


def block(text: bytes) -> tuple[np.ndarray[tuple[int], np.dtype[np.uint8]], int]:
    return np.frombuffer(text, np.uint8), len(lines_of(text))


def starts_of(text: bytes) -> list[int]:
    starts = [0]
    for line in text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


@st.composite
def texts(draw: st.DrawFn, tokens: st.SearchStrategy[str], joint: str) -> bytes:
    lines = draw(st.lists(st.lists(tokens, max_size=6).map(joint.join), max_size=5))
    if draw(st.booleans()):
        lines.append(draw(NOISE))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return (end.join(lines) + draw(st.sampled_from(["", end]))).encode()


@given(texts(PHARAOH, " "))
@example(b"")
@example(b"\n\n")
@example(b"0-0")
@example(b"0-0\r")
@example(b"0-0 \r\n\t1p2  3?4")
@example(b"0-0\n1-a\n")
@example(b"16777216-16777216 0-16777217")
@example(b"16777217-0")
def test_pharaoh(text: bytes) -> None:
    parsed = Pharaoh().parse(*block(text))
    expected: list[list[tuple[int, int, bool]]] = []
    for line, start in zip(lines_of(text), starts_of(text), strict=False):
        links = oracles.pharaoh_line(line)
        if isinstance(links, int):
            assert parsed.bad == start + links
            return
        expected.append(links)
    assert parsed.bad == -1
    assert parsed.possible is not None
    assert parsed.offsets.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    columns = zip(parsed.source, parsed.target, parsed.possible, strict=True)
    assert list(columns) == [link for row in expected for link in row]


@given(texts(st.lists(NUMBERS, max_size=3).map("_".join), ","))
@example(b"")
@example(b"\n\n")
@example(b"\r\n")
@example(b",\n0_\n")
@example(b"0_")
@example(b"0_,1\n")
@example(b"0__1\n")
@example(b"_0\n")
@example(b"0\r1\n")
@example(b"2\r")
@example(b"16777216,16777217")
def test_talbot(text: bytes) -> None:
    parsed = Talbot().parse(*block(text))
    rows: list[list[tuple[int, int]]] = []
    lengths = []
    for line, start in zip(lines_of(text), starts_of(text), strict=False):
        found = oracles.talbot_line(line)
        if isinstance(found, int):
            # The parser may stop anywhere in the field that does not fit.
            field = text[start + found :].split(b",")[0].split(b"\n")[0]
            assert start + found <= parsed.bad <= start + found + len(field)
            return
        rows.append(found[0])
        lengths.append(found[1])
    assert parsed.bad == -1
    assert parsed.target_lengths is not None
    assert parsed.target_lengths.tolist() == lengths
    assert parsed.offsets.tolist() == np.cumsum([0, *map(len, rows)]).tolist()
    links = list(zip(parsed.source.tolist(), parsed.target.tolist(), strict=True))
    assert links == [link for row in rows for link in row]


@given(st.binary(max_size=60))
def test_any_bytes(text: bytes) -> None:
    for notation in (Pharaoh(), Talbot()):
        parsed = notation.parse(*block(text))
        assert -1 <= parsed.bad < len(text)
