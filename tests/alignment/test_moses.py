"""Phrase alignments of Moses as links and as system orders."""

import random
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests import oracles_notations as oracles
from tests.alignment.notations import in_parts, message, rows_or_complaint, written
from tests.refusing import refuses

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.alignment.formats import ENOUGH_LINES
from wordorder.alignment.reading import AlignmentReader, read_alignments, write_alignments
from wordorder.errors import InputError
from wordorder.messages import WordOrderWarning


def test_phrases_show_themselves(tmp_path: Path) -> None:
    text = "0=0 1-2=1-2\n\n1=2-3\t0-1=0 \r\n"
    with AlignmentReader(written(tmp_path, text)) as reader:
        found = reader.take(10)
        assert reader.format == "moses-phrases"
    shown = [sorted(row.links) for row in found]
    assert shown == [[(0, 0), *product((1, 2), repeat=2)], [], [(0, 0), (1, 0), (1, 2), (1, 3)]]


def test_traces_have_the_translation_in_them(tmp_path: Path) -> None:
    text = "we met |1-2| there |0-0|\n\n|0-0| yes |1-1|\n"
    found = read_alignments(written(tmp_path, text), format="moses-trace")
    shown = [sorted(row.links) for row in found]
    assert shown == [[(0, 2), (1, 0), (1, 1), (2, 0), (2, 1)], [], [(1, 0)]]
    assert found.target_lengths is not None
    assert found.target_lengths.tolist() == [3, 0, 1]


def test_random_segmentations(tmp_path: Path) -> None:
    """Both notations against the links of the phrases they were made of, and each other."""
    rng = random.Random(1)
    phrases, traces, wanted = [], [], []
    for _ in range(60):
        pairs, source, target = [], 0, 0
        for _ in range(rng.randrange(5)):
            ends = source + rng.randrange(1, 4), target + rng.randrange(1, 4)
            pairs.append((source, ends[0], ends[1] - target))
            source, target = ends
        rng.shuffle(pairs)
        place, spans, words = 0, list[str](), list[str]()
        links: list[tuple[int, int]] = []
        for first, last, size in pairs:
            both = [(first, last - 1), (place, place + size - 1)]
            spans.append("=".join(str(a) if a == b else f"{a}-{b}" for a, b in both))
            words.append(" ".join(["w"] * size) + f" |{first}-{last - 1}|")
            links += product(range(first, last), range(place, place + size))
            place += size
        phrases.append(" ".join(spans))
        traces.append(" ".join(words))
        wanted.append(sorted(links))
    # So that the first line shows the notation.
    lines = "0=0\n" + "\n".join(phrases) + "\n"
    found = read_alignments(written(tmp_path, lines))
    assert [sorted(row.links) for row in found][1:] == wanted
    path = written(tmp_path, "\n".join(traces) + "\n", "a.trace")
    trace = read_alignments(path, format="moses-trace")
    assert [sorted(row.links) for row in trace] == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0=0 1-2\n", ":1:5: '1-2' is no phrase pair; expected i=k or i-j=k-l"),
        ("0=0\n0=0 2-1=1\n", ":2:5: '2-1=1' is no phrase pair"),
        ("0=0 x\n", ":1:5: 'x' is no phrase pair"),
        ("0-5000=0\n", ":1:1: '0-5000=0' is no phrase pair"),
        ("0=0 1=0-1=2\n", ":1:5: '1=0-1=2' is no phrase pair"),
        ("0=99999999\n", ":1:1: '0=99999999' is no phrase pair"),
        ("a b |0-1| c\n", ":1:11: 'c' is no span; expected words and"),
        ("a\n", ":1:1: 'a' is no span"),
        ("a |1-0|\n", ":1:3: '|1-0|' is no span"),
    ],
)
def test_bad_lines_are_refused(tmp_path: Path, text: str, said: str) -> None:
    notation = "moses-trace" if "span" in said else "auto"
    assert message(written(tmp_path, text), format=notation).startswith(said)


def test_links_out_of_range_name_their_phrase(tmp_path: Path) -> None:
    path = written(tmp_path, "0-1=0-1 2-3=2\n")
    with pytest.raises(InputError, match=r":1:9: phrase pair 2-3=2 .*source .*3"):
        read_alignments(path, source_lengths=[3])
    with pytest.raises(InputError, match=r":1:9: phrase pair 2-3=2 .*target"):
        read_alignments(path, target_lengths=[2])
    path = written(tmp_path, "a b |0-1| c |2-3|\n")
    with pytest.raises(InputError, match=r":1:13: span \|2-3\| .*source"):
        read_alignments(path, format="moses-trace", source_lengths=[3])
    with pytest.raises(InputError, match="3.*target|target.*3"):
        read_alignments(path, format="moses-trace", target_lengths=[4])


def test_one_based_and_writing(tmp_path: Path) -> None:
    path = written(tmp_path, "1=1 2-3=2\n")
    found = read_alignments(path, one_based=True)
    assert sorted(found[0].links) == [(0, 0), (1, 1), (2, 1)]
    again = tmp_path / "b.phrases"
    write_alignments(found, again, format="moses-phrases")
    assert again.read_text() == "0=0 1=1 2=1\n"
    assert read_alignments(again) == found
    with pytest.raises(InputError, match="moses-trace has the translation in it"):
        write_alignments(found, tmp_path / "c", format="moses-trace")
    possible = Alignments.from_rows([[(0, 0), (1, 1, True)]])
    with pytest.raises(InputError, match="a possible link"):
        write_alignments(possible, tmp_path / "c", format="moses-phrases")


def test_phrases_as_system_orders(tmp_path: Path) -> None:
    """Words of one phrase tie, and are read from left to right in a system's order."""
    path = written(tmp_path, "2-3=0-1 0-1=2\n")
    links = read_alignments(path, source_lengths=[4])
    tied = wo.reference_orders(links, [4])
    assert str(tied[0]) == "2,3 0,1"
    assert str(wo.reference_orders(links, [4], rule="lrscore")[0]) == "2 3 0 1"
    segments = wo.Segments.from_orders(tied, [[2, 3, 0, 1]])
    assert wo.metric("frs").corpus_score(segments).value == 1
    segments = wo.Segments.from_orders(tied, [[3, 2, 0, 1]])
    assert wo.metric("frs").corpus_score(segments).value == pytest.approx(1 / 3)


# -- Lader's notation: both lengths, then links.


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
    ("rows", "lengths", "what"),
    [
        ([[]], None, "a: the lengths of the sentences are not known"),
        ([[(0, 0)], [], [(0, 0, True)]], [1, 0, 1], "a:3: a possible link"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, rows: Any, lengths: Any, what: str) -> None:
    path = tmp_path / "out.lader"
    a = Alignments.from_rows(rows, source_lengths=lengths, target_lengths=lengths, path="a")
    refuses(InputError, f"^{what}", write_alignments, a, path, format="lader")
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
