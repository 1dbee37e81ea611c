"""The tokens of sacreBLEU's tokenizers, and characters."""

import random

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from tests.nasty_text import PIECES, nasty_line

from wordorder.text.raw_lines import RawLines
from wordorder.text.tokenizers import blank_words, characters, edge_words, mteval_words


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Draw lines, and make all strings of two pieces with a digit before, between or behind."""
    rng = random.Random(1)
    found = ["", " ", *(nasty_line(rng) for _ in range(3000))]
    found += [f"1{a}{b}" for a in PIECES for b in PIECES[::5]]
    found += [f"a{a}.{b}2" for a in PIECES[::5] for b in PIECES]
    # Only lists of tokens can hold line breaks and lone surrogates.
    found += [
        "".join(rng.choices([*".-a1 ,", "\n", "\ud800", "<skipped>"], k=8)) for _ in range(500)
    ]
    return found


def raw(lines: list[str]) -> RawLines:
    """Put the lines into an order of their own, so that their bytes are not in line."""
    given = RawLines.from_strings(lines[::-1], surrogates=True)
    return given.take(np.arange(len(lines))[::-1])


def test_13a(lines: list[str]) -> None:
    tokenize = BLEU(tokenize="13a").tokenizer
    found = mteval_words(raw(lines)).strings(surrogates=True)
    # As BLEU calls it, without the white space at the end.
    assert found == [tokenize(line.rstrip()) for line in lines]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("a..5 1..5 1.5,7 1. .5", "a . .5 1 . . 5 1.5,7 1 . . 5"),
        ("a...5 1...5 x,", "a . . . 5 1 . . .5 x ,"),
        ("1-2 a-b 1--2 -3", "1 - 2 a-b 1 - -2 -3"),
        ("&amp;lt; &amp;quot; &amp;amp; &lt", "< & quot ; & amp ; & lt"),
        ("<ski<skipped>pped> don't", "< skipped > don't"),
        ("1-\n2 3-\n", "12 3 -"),
    ],
)
def test_13a_by_hand(line: str, wanted: str) -> None:
    assert BLEU(tokenize="13a").tokenizer(line.rstrip()) == wanted
    assert mteval_words(RawLines.from_strings([line])).strings() == [wanted]


def test_white_space(lines: list[str]) -> None:
    found = blank_words(raw(lines)).strings(surrogates=True)
    assert found == [" ".join(line.split()) for line in lines]
    blanks = "".join(char for char in map(chr, range(0x110000)) if char.isspace())
    every = RawLines.from_strings([f"a{blanks}b", *(f"{c}a{c}{c}b{c}" for c in blanks)])
    assert blank_words(every).strings() == ["a b"] * (len(blanks) + 1)
    others = [chr(code) for code in range(0x3100) if not chr(code).isspace()]
    assert blank_words(RawLines.from_strings(others)).strings() == others


def test_edges_of_words(lines: list[str]) -> None:
    split = CHRF(word_order=2)._remove_punctuation
    found = edge_words(raw(lines)).strings(surrogates=True)
    assert found == [" ".join(split(line)) for line in lines]


@pytest.mark.parametrize("white_space", [False, True])
def test_characters(lines: list[str], white_space: bool) -> None:
    points, starts, stops = characters(raw(lines), white_space=white_space)
    wanted = lines if white_space else ["".join(line.split()) for line in lines]
    found = [points[a:b].tolist() for a, b in zip(starts, stops, strict=True)]
    assert found == [list(map(ord, line)) for line in wanted]


def test_no_lines() -> None:
    nothing = RawLines.from_strings([])
    assert mteval_words(nothing).strings() == []
    assert characters(nothing, white_space=True)[0].tolist() == []
