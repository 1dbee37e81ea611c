"""Phrase alignments of Moses as links and as system orders."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest
from tests.alignment.notations import written

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import AlignmentReader, read_alignments, write_alignments
from wordorder.errors import InputError


def test_phrases_show_themselves(tmp_path: Path) -> None:
    text = "0=0 1-2=1-2\n\n1=2-3\t0-1=0 \r\n"
    with AlignmentReader(written(tmp_path, text)) as reader:
        found = reader.take(10)
        assert reader.format == "moses-phrases"
    assert [sorted(row.links) for row in found] == [
        [(0, 0), *product((1, 2), repeat=2)],
        [],
        [(0, 0), (1, 0), (1, 2), (1, 3)],
    ]


def test_traces_have_the_translation_in_them(tmp_path: Path) -> None:
    text = "we met |1-2| there |0-0|\n\n|0-0| yes |1-1|\n"
    found = read_alignments(written(tmp_path, text), format="moses-trace")
    assert [sorted(row.links) for row in found] == [
        [(0, 2), (1, 0), (1, 1), (2, 0), (2, 1)],
        [],
        [(1, 0)],
    ]
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
    ("format", "text", "message"),
    [
        ("auto", "0=0 1-2\n", ":1:5: '1-2' is no phrase pair; expected i=k or i-j=k-l"),
        ("auto", "0=0\n0=0 2-1=1\n", ":2:5: '2-1=1' is no phrase pair"),
        ("auto", "0=0 x\n", ":1:5: 'x' is no phrase pair"),
        ("auto", "0-5000=0\n", ":1:1: '0-5000=0' is no phrase pair"),
        ("auto", "0=0 1=0-1=2\n", ":1:5: '1=0-1=2' is no phrase pair"),
        ("auto", "0=99999999\n", ":1:1: '0=99999999' is no phrase pair"),
        ("moses-trace", "a b |0-1| c\n", ":1:11: 'c' is no span; expected words and"),
        ("moses-trace", "a\n", ":1:1: 'a' is no span"),
        ("moses-trace", "a |1-0|\n", r":1:3: '|1-0|' is no span"),
    ],
)
def test_bad_lines_are_refused(tmp_path: Path, format: str, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_alignments(path, format=format)
    assert str(error.value).removeprefix(str(path)).startswith(message)


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
