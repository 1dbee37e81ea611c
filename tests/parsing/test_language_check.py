"""Which texts are taken for another language."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from wordorder.parsing.language_check import LanguageCheck
from wordorder.parsing.model_file import load_models
from wordorder.treebank.column import Column

DATA = Path(os.environ.get("WORDORDER_DATA", "no data"))
KNOWN = [
    f"word{a}{b}{c}" for a in "abcdefghijklmnopqrst" for b in "abcdefghijkl" for c in "opqrstuvwxyz"
]
OTHER = [f"other{a}{b}" for a in "abcdefghij" for b in "klmnopqrst"]


def note(known: list[str], words: list[str]) -> str:
    check = LanguageCheck(known)
    for first in range(0, len(words), 30):
        check.add(Column.of(words[first : first + 30]))
    return check.message("M")


def test_more_than_half_of_the_words_and_a_standard_deviation_are_needed() -> None:
    assert len(KNOWN) == 2880
    many = [*KNOWN, *(f"more{x}" for x in KNOWN)]
    # 50 % / sqrt(n) of n words: 5 % of 100, 10 % of 25, 12.9 % of 15.
    found = note(many, OTHER[:56] + KNOWN[:44])
    assert found.startswith("56 % of the words and 0 % of the letters are unknown to M")
    assert found.endswith(": is it another language, or names and jargon?")
    assert note(many, OTHER[:54] + KNOWN[:46]) == ""
    assert note(many, OTHER[:16] + KNOWN[:9]) != ""
    assert note(many, OTHER[:14] + KNOWN[:11]) == ""
    assert note(many, OTHER[:10] + KNOWN[:5]) != ""
    assert note(many, OTHER[:9] + KNOWN[:6]) == ""
    # Too little text; too few words known; no letters; case and digits do not matter.
    assert note(many, OTHER[:14]) == ""
    assert note(KNOWN, OTHER) == ""
    assert note(many, [str(x) for x in range(1000)]) == ""
    assert note(["word1", *many], ["WORD7"] * 200) == ""


def test_another_script_needs_twenty_letters() -> None:
    assert note(["word"], ["слово"] * 4).startswith("100 % of the words and 100 % of the letters")
    assert note(["word"], ["слово"] * 3) == ""
    assert note(["word"], ["слово"] * 4 + ["word"] * 12) == ""


@pytest.mark.parametrize(
    ("path", "column", "other"),
    [
        ("ud-english-ewt/en_ewt-ud-dev.conllu.gz", 1, False),
        ("ud-english-atis/en_atis-ud-dev.conllu.gz", 1, False),
        ("ud-pud/en_pud-ud-test.conllu.gz", 1, False),
        ("kftt-alignments-dev/en.tok.gz", None, False),
        ("compare-mt-ted/ted.ref.eng.gz", None, False),
        ("compare-mt-ted/ted.orig.slk.gz", None, True),
        ("ud-pud/de_pud-ud-test.conllu.gz", 1, True),
        ("multi30k-en-de/val.lc.norm.tok.en.gz", None, False),
        ("multi30k-en-de/val.lc.norm.tok.de.gz", None, True),
        ("small_parallel_enja/dev.en.gz", None, False),
        ("small_parallel_enja/dev.ja.gz", None, True),
        *((f"xl-wa/{code}/test.tsv.gz", "target", True) for code in ("es", "hu", "it", "nl")),
    ],
)
def test_real_texts(path: str, column: int | str | None, other: bool) -> None:
    if not (DATA / path).exists():
        pytest.skip("WORDORDER_DATA names no folder with such texts")
    lines = gzip.decompress((DATA / path).read_bytes()).decode().split("\n")
    if column == 1:
        words = [line.split("\t")[1] for line in lines if line[:1].isdigit()]
    else:
        words = " ".join(line.split("\t")[column == "target"] for line in lines if line).split()
    model = load_models("en")
    for part in (model.tagger, model.parser):
        known = list(part.learnt_words())  # type: ignore[union-attr]
        for case in (str, str.lower, str.upper):
            assert bool(note(known, [case(word) for word in words])) == other
