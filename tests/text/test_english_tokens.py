"""Raw English into words: what UD English EWT does, nothing lost, no line too long."""

import gzip
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.text.tokenizers import EnglishTokenizer

# Sentences of our own, and what the annotation of EWT makes of such.
EXAMPLES = {
    "I don't know, and you can't know.": "I do n't know , and you ca n't know .",
    "She'll say it's the dogs' house.": "She 'll say it 's the dogs ' house .",
    "They shouldn't've gone.": "They should n't 've gone .",
    "We cannot go; I'm gonna stay.": "We can not go ; I 'm gon na stay .",
    "dont DONT": "do nt DO NT",
    'He said, "Stop!"': 'He said , " Stop ! "',
    "Mr. Smith met Dr. J. Jones at 7:30PM.": "Mr. Smith met Dr. J. Jones at 7:30 PM .",
    "the U.S. economy, i.e. money, etc.": "the U.S. economy , i.e. money , etc .",
    "to a.b-c@example.org, http://example.org/a-b?c=1.": (
        "to a.b-c@example.org , http://example.org/a-b?c=1 ."
    ),
    "3.5% of $1,000.50 in 2004.": "3.5 % of $ 1,000.50 in 2004 .",
    "a well-known non-stop pre-owned co-worker": "a well - known non-stop pre-owned co-worker",
    "and/or": "and / or",
    "on 11/28/2000 or 3/8/00 call 713-853-3989.": "on 11/28/2000 or 3/8/00 call 713-853-3989 .",
    "2001-2004 (10-12)": "2001 - 2004 ( 10 - 12 )",
    "Wait... what?! No--yes!!!": "Wait ... what ?! No -- yes !!!",
    "Thanks :) bye;-)": "Thanks :) bye ;-)",
    "the 1990s and the 21st": "the 1990s and the 21st",
    "AT&T (in 5kg) [sic]": "AT&T ( in 5 kg ) [ sic ]",
    "<<file.doc>>": "<< file.doc >>",
    "It’s “fine”, isn’t it?": "It ’s “ fine ” , is n’t it ?",
    "": "",
    " \t ": "",
}


@pytest.mark.parametrize(("raw", "words"), EXAMPLES.items())
def test_words(raw: str, words: str) -> None:
    assert EnglishTokenizer().tokenize(raw) == words.split()


@given(st.text())
def test_no_character_is_lost(line: str) -> None:
    words = EnglishTokenizer().tokenize(line)
    assert "".join(words) == "".join(line.split())
    assert all(words)


@given(
    st.lists(st.sampled_from("a 1 . , - ' @ / : ! n't 'll U.S. www. http:// non- 3 _ ( é".split()))
)
def test_no_character_of_tricky_pieces_is_lost(pieces: list[str]) -> None:
    line = "".join(pieces)
    assert "".join(EnglishTokenizer().tokenize(line)) == line


def test_a_tokenizer_that_remembers_gives_the_same() -> None:
    tokenizer = EnglishTokenizer()
    line = "The U.S. is big. The U.S."
    expected = ["The", "U.S.", "is", "big", ".", "The", "U.S", "."]
    assert tokenizer.tokenize(line) == tokenizer.tokenize(line) == expected


@pytest.mark.parametrize(
    "piece", ["a", "a-", "1.", "123-", "a.", "n't", "a'll", "a@b.", "(", ":-", "_", "non-", "U."]
)
def test_long_lines_take_linear_time(piece: str) -> None:
    tokenizer = EnglishTokenizer()

    def seconds(times: int) -> float:
        line = piece * times
        begin = time.process_time()
        assert "".join(tokenizer.tokenize(line)) == line
        return time.process_time() - begin

    short, long = min(seconds(1000) for _ in range(3)), seconds(10_000)
    # Ten times as long; a hundred times the seconds would be quadratic.
    assert long < 40 * short + 0.05


@pytest.mark.parametrize("part", ["dev", "test"])
def test_agrees_with_the_treebank(part: str) -> None:
    folder = os.environ.get("WORDORDER_DATA")
    if folder is None:
        pytest.skip("WORDORDER_DATA names no folder with ud-english-ewt/")
    right = found = given = 0
    tokenizer = EnglishTokenizer()
    path = Path(folder, "ud-english-ewt", f"en_ewt-ud-{part}.conllu.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        sentences = file.read().split("\n\n")[:-1]
    for sentence in sentences:
        rows = [line.split("\t") for line in sentence.split("\n")]
        text = next(row[0][9:] for row in rows if row[0].startswith("# text = "))
        gold = ends([row[1] for row in rows if row[0].isdigit()])
        mine = ends(tokenizer.tokenize(text))
        right, found, given = right + len(gold & mine), found + len(mine), given + len(gold)
    assert 2 * right / (found + given) >= 0.99


def ends(words: list[str]) -> set[tuple[int, int]]:
    """Return where words begin and end, blanks not counted."""
    spans, place = set(), 0
    for word in words:
        spans.add((place, place + len(word)))
        place += len(word)
    return spans
