"""The column type: what it accepts, refuses and shows; links of pieces as links of words."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from tests import oracles_alignment as oracles
from tests.alignment.notations import lengths_of
from tests.refusing import complains, refuses

from wordorder.alignment.alignments import Alignment, Alignments, LinkError, find_faulty_links
from wordorder.alignment.pharaoh import Pharaoh, Talbot
from wordorder.errors import InputError, UsageError

Rows = list[list[tuple[int, int, bool]]]
LINKS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), unique_by=lambda link: link[:2]
)


@given(rows=st.lists(LINKS, max_size=5))
def test_rows_come_back(rows: Rows) -> None:
    a = Alignments.from_rows(rows)
    assert len(a) == len(rows)
    for seen, row in zip(a, rows, strict=True):
        assert seen.links == tuple((s, t) for s, t, _ in row)
        assert seen.possible == {(s, t) for s, t, flag in row if flag}
    assert [seen.links for seen in a.sure()] == [
        tuple((s, t) for s, t, flag in row if not flag) for row in rows
    ]
    assert [seen.links for seen in a.transpose()] == [tuple((t, s) for s, t, _ in r) for r in rows]
    assert a.transpose().transpose() == a


@given(rows=st.lists(LINKS, max_size=6), start=st.integers(-7, 7), stop=st.integers(-7, 7))
def test_slices(rows: Rows, start: int, stop: int) -> None:
    lengths = list(range(10, 10 + len(rows)))
    a = Alignments.from_rows(rows, source_lengths=lengths, target_lengths=lengths)
    part = a[start:stop]
    assert list(part) == list(a)[start:stop]
    if len(part):
        assert part.location_of(0) == a.location_of(slice(start, stop).indices(len(rows))[0])
    assert Alignments.concatenate([a[:2], a[2:]]) == a


def test_index_and_step() -> None:
    a = Alignments.from_rows([[(0, 0)], [(1, 1)]])
    assert a[-1].links == ((1, 1),)
    with pytest.raises(IndexError):
        a[2]
    with pytest.raises(IndexError):
        a[-3]
    with pytest.raises(IndexError, match="step 1"):
        a[::2]


def test_equality() -> None:
    a = Alignments.from_rows([[(0, 1), (1, 0)], []])
    assert a == Alignments.from_rows([[(1, 0), (0, 1)], []])
    assert a == Alignments.from_rows([[(0, 1), (1, 0)], []], source_lengths=[2, 1])
    assert a != Alignments.from_rows([[(0, 1)], [(1, 0)]])
    assert a != Alignments.from_rows([[(0, 1), (1, 0, True)], []])
    assert a != Alignments.from_rows([[(0, 1), (1, 1)], []])
    assert a != "0-1 1-0"
    lengths = [Alignments.from_rows([[], []], target_lengths=[n, 1]) for n in (1, 2)]
    assert lengths[0] != lengths[1]


def test_concatenation_keeps_lengths_that_all_know() -> None:
    known = Alignments.from_rows([[(0, 0)]], source_lengths=[1], target_lengths=[2])
    half = Alignments.from_rows([[(0, 0)]], source_lengths=[3])
    assert lengths_of(Alignments.concatenate([known, half])) == ([1, 3], None)
    assert len(Alignments.concatenate([])) == 0


def test_row_view() -> None:
    row = Alignment(((0, 1), (2, 0)), frozenset({(2, 0)}), 3, 2)
    assert str(row) == "0-1 2p0"
    assert row.grid() == "  01\n0 .#\n1 ..\n2 ?."
    assert row.grid(["the", "cat", "ok"], ["x", "y"]) == ("    01\nthe .#\ncat ..\nok  ?.\n0:x 1:y")
    assert Alignment(()).grid() == " "
    assert repr(Alignments.from_rows([[(0, 0)]])) == "Alignments(1 rows, 1 links)"


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([[], [(0, 0), (0, 0)]], "a.align:2: link 0-0 is listed twice"),
        ([[(3, 1), (3, 1, True)]], "a.align:1: link 3-1 is listed twice"),
        ([[(0, -1)]], "a.align:1: link 0--1 has an index below 0"),
        ([[(-1, 0)]], "a.align:1: link -1-0 has an index below 0"),
        ([[(1 << 24, 0)]], "a.align:1: link 16777216-0 has an index above 16777215"),
        ([[(0, 1 << 31)]], "a.align:1: (0, 2147483648) is no link"),
        ([[(0, 1.0)]], "a.align:1: (0, 1.0) is no link"),
        ([[(0, True)]], "a.align:1: (0, True) is no link"),
        ([[(0,)]], "a.align:1: (0,) is no link"),
        ([[(0, 1, True, 2)]], "a.align:1: (0, 1, True, 2) is no link"),
        ([[], [0]], "a.align:2: 0 is no link"),
        ([[{0, 1}]], "a.align:1: {0, 1} is no link"),
        ([[], None], "a.align:2: None; expected a list of links"),
    ],
)
def test_bad_rows(rows: Any, what: str) -> None:
    complains(InputError, what, Alignments.from_rows, rows, path="a.align")


def test_ends_of_sentences() -> None:
    rows = [[(1, 2)], [(7, 28)]]
    Alignments.from_rows(rows, source_lengths=[2, 8], target_lengths=[3, 29])
    with pytest.raises(LinkError) as error:
        Alignments.from_rows(rows, source_lengths=[2, 8], target_lengths=[3, 27])
    assert (error.value.row, error.value.link) == (1, 0)
    message = "alignments:2: link 7-28 points past the target (27 tokens). Are the files in step?"
    assert str(error.value) == message
    with pytest.raises(LinkError, match="If indices start at 1: one_based=True"):
        Alignments.from_rows(rows, source_lengths=[1, 8])


def test_what_is_no_list_and_bad_arrays() -> None:
    for no_list in (None, 3):
        refuses(UsageError, "rows of links are a list of lists", Alignments.from_rows, no_list)
    one = np.zeros(1, np.int32)
    rows = np.array([0, 1])
    Alignments(one, one, rows)
    refuses(InputError, "bad source", Alignments, rows, one, rows)
    refuses(InputError, "bad possible", Alignments, one, one, rows, possible=one)
    refuses(InputError, "differ in length", Alignments, one, np.zeros(2, np.int32), rows)
    for offsets in ([1, 1], [0, 2], [0, 2, 1], []):
        refuses(InputError, "bad offsets", Alignments, one, one, np.array(offsets, np.int64))
    wrong: list[Any] = [[1, 1], [-1], [1.5], [None], ["1"], [[1], [1, 2]], 1, [1 << 70]]
    for lengths in wrong:
        with pytest.raises(InputError, match="bad source_lengths"):
            Alignments(one, one, rows, source_lengths=lengths)


@given(
    rows=st.lists(st.lists(st.tuples(st.integers(-1, 6), st.integers(-1, 6))), max_size=4),
    source_length=st.integers(0, 7),
    target_length=st.integers(0, 7),
)
def test_checks(rows: list[list[tuple[int, int]]], source_length: int, target_length: int) -> None:
    flat = np.array([link for row in rows for link in row], np.int32).reshape(-1, 2)
    offsets = np.cumsum([0, *map(len, rows)])
    faults = [oracles.first_fault(row, source_length, target_length) for row in rows]
    expected = [int(offsets[r]) + f if f >= 0 else -1 for r, f in enumerate(faults)]
    sizes = np.full(len(rows), source_length), np.full(len(rows), target_length)
    ends = np.ascontiguousarray(flat[:, 0]), np.ascontiguousarray(flat[:, 1])
    assert find_faulty_links(*ends, offsets, *sizes).tolist() == expected


@pytest.mark.parametrize("links", [0, 1, 2, 63, 64, 65, 2000])
@pytest.mark.parametrize("span", [3, 60, 1 << 24])
def test_checks_at_the_boundaries(links: int, span: int) -> None:
    rng = np.random.default_rng(links)
    ends = rng.integers(0, span, (2, 3 * links)).astype(np.int32)
    offsets = np.array([0, links, 2 * links, 3 * links])
    pairs = list(zip(*ends.tolist(), strict=True))
    rows = [pairs[first : first + links] for first in (0, links, 2 * links)]
    faults = [oracles.first_fault(row, span, span) for row in rows]
    expected = [r * links + f if f >= 0 else -1 for r, f in enumerate(faults)]
    assert find_faulty_links(ends[0], ends[1], offsets, None, None).tolist() == expected


# -- The two notations against their slow twins, on good and on broken bytes.


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
