"""Which texts are taken for another language."""

import gzip
from collections import Counter
from copy import copy
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.files import data

from wordorder.errors import ModelError
from wordorder.parsing.base import KnowsWords
from wordorder.parsing.installed import InstalledModel
from wordorder.parsing.language import LanguageCheck, nearest_model, unknown_share
from wordorder.parsing.model_file import Loaded, load_models
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Column

KNOWN = [
    f"word{a}{b}{c}" for a in "abcdefghijklmnopqrst" for b in "abcdefghijkl" for c in "opqrstuvwxyz"
]
OTHER = [f"other{a}{b}" for a in "abcdefghij" for b in "klmnopqrst"]


def note(known: list[str] | LanguageCheck, words: list[str], batch: int = 30) -> str:
    """The note on the words, by words that are known or by an unused check."""
    check = copy(known) if isinstance(known, LanguageCheck) else LanguageCheck(known)
    for first in range(0, len(words), batch):
        check.add(Column.of(words[first : first + batch]))
    return check.message("M")


@cache
def checks_of_english() -> tuple[LanguageCheck, ...]:
    """By the words of the tagger, by those of the parser, and by those and their own share."""
    model = load_models("en")
    assert isinstance(model.tagger, KnowsWords)
    assert isinstance(model.parser, KnowsWords)
    tagged, parsed = list(model.tagger.learnt_words()), list(model.parser.learnt_words())
    return LanguageCheck(tagged), LanguageCheck(parsed), LanguageCheck(parsed, model.unknown)


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


def judged(rows: list[list[str]], known: list[str], batch: int) -> str:
    """The note on sentences that come in batches."""
    check = LanguageCheck(known)
    for first in range(0, len(rows), batch):
        some = rows[first : first + batch]
        offsets = np.cumsum([0, *map(len, some)])
        check.add(
            Column.of([w for row in some for w in row]), offsets, first + np.arange(len(some))
        )
    return check.message("M")


@pytest.mark.parametrize("batch", [1, 7, 400])
def test_sentences_are_judged_by_themselves(batch: int) -> None:
    many = [*KNOWN, *(f"more{x}" for x in KNOWN)]
    native = [KNOWN[k : k + 9] for k in range(0, 90, 9)]
    # 50 % / sqrt(n) above one half: 72.4 % of 5 words, 65.1 % of 11.
    for unknown, words, noted in ((4, 5, True), (3, 5, False), (8, 11, True), (7, 11, False)):
        row = [*OTHER[:unknown], *KNOWN[: words - unknown]]
        found = judged([*native, row, [], *native], many, batch)
        expected = (
            "1 of 21 sentences of 5 words or more (5 %) has mostly words unknown to M (sentence "
            f"11: {unknown} of {words}): is it another language, or names and jargon?"
        )
        assert found == (expected if noted else "")
    # Four words say nothing, nor do tokens without letters, nor a model that knows little.
    assert judged([OTHER[:4]], many, batch) == ""
    assert judged([[*OTHER[:4], ",", "1", "!"]], many, batch) == ""
    assert judged([OTHER[:9]], KNOWN, batch) == ""
    # One in a hundred, but not one in 101; more than half of the whole text is the other note.
    assert judged([*native * 9, *native[:9], OTHER[:9]], many, batch).startswith("1 of 100 ")
    assert judged([*native * 10, OTHER[:9]], many, batch) == ""
    assert judged([OTHER[:9]] * 2, many, batch).startswith("100 % of the words")
    assert "2 of 3 sentences" in judged([OTHER[:5], OTHER[5:10], KNOWN[:50]], many, batch)


# Of each treebank at most so many per cent of the sentences of five words or more are noted, of
# another language at least so many.
@pytest.mark.parametrize(
    ("path", "least", "most"),
    [
        ("ud-english-ewt/en_ewt-ud-dev.conllu.gz", 0, 0.4),
        ("ud-english-ewt/en_ewt-ud-test.conllu.gz", 0, 0.7),
        ("ud-english-atis/en_atis-ud-dev.conllu.gz", 0, 0.1),
        ("ud-pud/en_pud-ud-test.conllu.gz", 0, 0.2),
        ("ud-pud/de_pud-ud-test.conllu.gz", 98, 100),
        ("ud-pud/tr_pud-ud-test.conllu.gz", 95, 100),
        ("ud-pud/hi_pud-ud-test.conllu.gz", 99.9, 100),
        ("ud-pud/ko_pud-ud-test.conllu.gz", 99.9, 100),
        ("ud-pud/zh_pud-ud-test.conllu.gz", 99.9, 100),
        ("ud-other/fr/dev.conllu.gz", 90, 100),
        ("ud-other/hu/dev.conllu.gz", 99, 100),
        ("ud-other/vi/dev.conllu.gz", 99, 100),
    ],
)
def test_single_sentences_of_treebanks(path: str, least: float, most: float) -> None:
    bank = read_treebank(data(path))
    check = checks_of_english()[-1]
    judged_sentences = noted = 0
    for row in bank.sentences():
        if sum(any(map(str.isalpha, word)) for word in row) >= 5:
            judged_sentences += 1
            # As if it were the whole text.
            one = copy(check)
            one.add(Column.of(row), np.array([0, len(row)]))
            noted += bool(one.message("en"))
    assert judged_sentences > 300
    assert least <= 100 * noted / judged_sentences <= most


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
    lines = gzip.decompress(data(path).read_bytes()).decode().split("\n")
    if column == 1:
        words = [line.split("\t")[1] for line in lines if line[:1].isdigit()]
    else:
        words = " ".join(line.split("\t")[column == "target"] for line in lines if line).split()
    for case in (str, str.lower, str.upper):
        for check in checks_of_english():
            assert bool(note(check, [case(word) for word in words[:4000]], 2000)) == other


def test_the_limit_is_between_the_own_share_and_that_of_others() -> None:
    # Halfway between .2 and .6, and .6 standard deviations of 5 words: .4 + .268.
    words = [*OTHER[:4], *KNOWN[:1]]
    for own, unknown, noted in ((0.2, 4, True), (0.2, 3, False), (0.6, 4, False), (0.0, 4, True)):
        check = LanguageCheck(KNOWN, own)
        row = [*words[:unknown], *KNOWN[: 5 - unknown]]
        check.add(Column.of(row), np.array([0, 5]))
        assert bool(check.message("M")) == noted, (own, unknown)


def test_what_a_treebank_does_not_know_of_itself() -> None:
    rows = [["aa", "ab"]] * 9 + [["aa", "zz", "."]]
    assert unknown_share(rows * 2) == 0.5
    assert unknown_share([[]]) == unknown_share(rows[:9]) == 0
    # The file of version 1.0.0rc1 tells it in its profile of letters.
    assert load_models("en").unknown == 0.033


def test_a_model_at_hand_that_fits_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Words:
        def __init__(self, *words: str) -> None:
            self.words = words

        def learnt_words(self) -> tuple[str, ...]:
            return self.words

        def parse(self, treebank: object) -> object:
            return treebank

    words = "слово словами словам слова новое".split() * 4
    parsers = {"ru": Words(*words[:3]), "fr": Words("mot", "mots", "nouveau"), "en": Words()}

    def load(name: str) -> Loaded:
        if name == "damaged":
            raise ModelError("damaged")
        return Loaded(parser=parsers[name])  # type: ignore[arg-type]  # all that is asked of it

    models = {name: InstalledModel(name, "x", "1", Path(name)) for name in ("ru", "fr", "damaged")}
    monkeypatch.setattr("wordorder.parsing.installed.installed_models", lambda: models)
    monkeypatch.setattr("wordorder.parsing.model_file.load_models", load)
    check = LanguageCheck(["mot", "mots"], 0.1)
    check.add(Column.of(words))
    assert check.message("fr").endswith("1 %): it is that of the model ru")
    # None fits.
    check = LanguageCheck(["mot", "mots"], 0.1)
    check.add(Column.of("qqq zzz qqz zqz kqk qkq".split() * 4))
    assert check.message("fr").endswith("is it another language, or names and jargon?")
    assert nearest_model(Counter(["mots", "nouveau"]), "fr") == ""
