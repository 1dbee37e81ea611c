"""From links of subword pieces to links of words."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests import oracles_notations as oracles
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.subwords import join_subwords, to_words, words_of_subwords
from wordorder.errors import InputError, UsageError

TEXT = st.text("ab@猫", min_size=1, max_size=4).filter(lambda word: not word.endswith("@"))
SENTENCE = st.lists(TEXT, max_size=5)


@st.composite
def in_pieces(draw: st.DrawFn, style: str) -> tuple[list[str], list[str], list[int]]:
    """Words, a way to cut them into pieces, and the word of each piece."""
    words = draw(SENTENCE)
    pieces, of = [], []
    for number, word in enumerate(words):
        cuts = sorted(draw(st.sets(st.integers(1, len(word))))) if len(word) > 1 else []
        ends = [0, *(cut for cut in cuts if cut < len(word)), len(word)]
        parts = [word[a:b] for a, b in pairwise(ends)]
        if style == "@@":
            parts = [f"{part}@@" for part in parts[:-1]] + parts[-1:]
        elif draw(st.booleans()):
            parts = ["▁", *parts]
        else:
            parts[0] = f"▁{parts[0]}"
        pieces += parts
        of += [number] * len(parts)
    return words, pieces, of


@pytest.mark.parametrize(
    ("pieces", "style", "expected"),
    [
        ([], "auto", []),
        ([], "@@", []),
        ([], "▁", []),
        (["a", "b"], "auto", [0, 1]),
        (["a@@", "b"], "none", [0, 1]),
        (["a@@", "b@@", "c", "d"], "auto", [0, 0, 0, 1]),
        (["a@@"], "auto", [0]),
        (["a", "b@@"], "auto", [0, 1]),
        (["@@", "b"], "auto", [0, 0]),
        (["a@@b", "c"], "@@", [0, 1]),
        (["▁a", "b", "▁c"], "auto", [0, 0, 1]),
        (["a", "b", "▁c"], "auto", [0, 0, 1]),
        (["a", "b"], "▁", [0, 0]),
        (["▁", "a", "▁", "▁b", "▁", "▁", "c"], "auto", [0, 0, 1, 1, 2, 2, 2]),
        (["▁a", "▁"], "auto", [0, 0]),
        (["▁a", "b", "▁", "▁"], "auto", [0, 0, 0, 0]),
        (["▁"], "auto", [0]),
        (["▁", "▁"], "auto", [0, 0]),
        ("un@@ usual  order", "auto", [0, 0, 1]),
        ("un@@ usual\u00a0order", "auto", [0, 0]),
    ],
)
def test_words_of_pieces(pieces: list[str] | str, style: str, expected: list[int]) -> None:
    found = words_of_subwords(pieces, style=style)
    assert found.dtype == "int32"
    assert found.tolist() == expected


@pytest.mark.parametrize("style", ["@@", "▁"])
@given(data=st.data())
def test_any_cutting(style: str, data: st.DataObject) -> None:
    words, pieces, of = data.draw(in_pieces(style))
    assert words_of_subwords(pieces, style=style).tolist() == of
    assert join_subwords(pieces, style=style) == words


def test_joining() -> None:
    assert join_subwords("un@@ usual or@@ der") == ["unusual", "order"]
    assert join_subwords("▁un usual ▁ order ▁") == ["unusual", "order"]
    assert join_subwords("un@@ usual", style="none") == ["un@@", "usual"]
    assert join_subwords("") == []


@given(data=st.data(), style=st.sampled_from(["@@", "▁"]))
def test_links_against_the_twin(data: st.DataObject, style: str) -> None:
    sides = [[data.draw(in_pieces(style)) for _ in range(3)] for _ in range(2)]
    rows = []
    for source, target in zip(*sides, strict=True):
        pairs = [(s, t) for s in range(len(source[1])) for t in range(len(target[1]))]
        chosen = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
        rows.append([(s, t, data.draw(st.booleans())) for s, t in chosen])
    pieces = [[sentence[1] for sentence in side] for side in sides]
    found = to_words(Alignments.from_rows(rows), *pieces, source_style=style, target_style=style)
    for number, (row, links) in enumerate(zip(found, rows, strict=True)):
        source, target = sides[0][number], sides[1][number]
        expected = oracles.word_links(links, source[2], target[2])
        assert [(s, t, (s, t) in row.possible) for s, t in row.links] == expected
        assert (row.source_length, row.target_length) == (len(source[0]), len(target[0]))


def test_the_style_of_a_text_is_one() -> None:
    """A sentence without a mark is in pieces like the others."""
    a = Alignments.from_rows([[(0, 0), (1, 1)], [(0, 1), (1, 0)]])
    words = to_words(a, ["▁a ▁b", "c d"], [["x", "y"], ["u@@", "v"]])
    assert [str(row) for row in words] == ["0-0 1-1", "0-0"]
    assert words.source_lengths is not None
    assert words.source_lengths.tolist() == [2, 1]


def test_no_sentences() -> None:
    assert len(to_words(Alignments.from_rows([]), [], [])) == 0
    a = to_words(Alignments.from_rows([[], []]), ["", ""], ["", "a"])
    assert a.target_lengths is not None
    assert (len(a), a.target_lengths.tolist()) == (2, [0, 1])


def test_what_cannot_be() -> None:
    a = Alignments.from_rows([[], [(0, 2)]], path="a.align")
    with pytest.raises(InputError) as error:
        to_words(a, ["a", "b@@ c"], ["a", "b@@ c"])
    assert str(error.value).startswith("a.align:2: link 0-2 points past the target (2 tokens)")
    with pytest.raises(InputError) as error:
        to_words(a, ["a"], ["a", "b"])
    assert str(error.value).startswith("a.align, source_pieces: 2 rows for 1 sentences")
    with pytest.raises(InputError) as error:
        to_words(a, ["a", "b"], ["a", "▁b d@@ c"])
    assert str(error.value).startswith("target_pieces: pieces with @@ behind and with ▁ before")
    with pytest.raises(InputError) as error:
        to_words(a, ["a", "▁b ▁New▁York"], ["a", "b c d"])
    assert str(error.value).startswith("source_pieces:2: the piece '▁New▁York'; expected pieces")
    refuses(UsageError, "unknown value for style 'bpe'", words_of_subwords, ["a"], style="bpe")


@pytest.mark.parametrize("pieces", [None, 3, b"a", {"a"}, {"a": 1}, iter(["a"])])
def test_what_is_no_sentence(pieces: Any) -> None:
    for call in (words_of_subwords, join_subwords):
        refuses(UsageError, r"^pieces: .*; expected a line or a list of pieces$", call, pieces)
    with pytest.raises(UsageError, match=r"^source_pieces:1: .*; expected a line or a list"):
        to_words(Alignments.from_rows([[]]), [pieces], ["a"])


@pytest.mark.parametrize("piece", [None, 1, b"a", ["a"]])
def test_what_is_no_piece(piece: Any) -> None:
    for call in (words_of_subwords, join_subwords):
        refuses(InputError, r"^pieces, piece 2: .*; expected a string$", call, ["a", piece])


def test_what_is_no_text() -> None:
    a = Alignments.from_rows([[]])
    for pieces in ("a", b"a", None, 3):
        with pytest.raises(UsageError, match=r"^target_pieces: .*; expected a list with one entry"):
            to_words(a, ["a"], pieces)  # type: ignore[arg-type]
    refuses(UsageError, "alignments is an object of type list", to_words, [[]], ["a"], ["a"])
