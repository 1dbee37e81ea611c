"""Which texts are taken for another language, and how letters follow each other."""

import gzip
import math
from collections import Counter
from copy import copy
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.files import data
from tests.refusing import refuses

from wordorder.errors import ModelError
from wordorder.parsing.base import KnowsWords
from wordorder.parsing.installed import InstalledModel
from wordorder.parsing.language import LanguageCheck, nearest_model
from wordorder.parsing.letters import SCALE, STRANGE, LetterProfile
from wordorder.parsing.model_file import load_models, save_models
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Column, Treebank

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
    """By the words of the tagger, by those of the parser, and by those and letters."""
    model = load_models("en")
    assert isinstance(model.tagger, KnowsWords)
    assert isinstance(model.parser, KnowsWords)
    tagged, parsed = list(model.tagger.learnt_words()), list(model.parser.learnt_words())
    return LanguageCheck(tagged), LanguageCheck(parsed), LanguageCheck(parsed, model.letters)


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
        ("ud-pud/en_pud-ud-test.conllu.gz", 0, 0.1),
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


def test_odds_of_a_profile_are_those_of_their_definition() -> None:
    rows = [["ab", "ba", "abba"]] * 18 + [["ab", "cd", "ab"]] * 2
    letters = LetterProfile.learn(Treebank.from_words(rows))
    check = LanguageCheck(["ab", "ba", "abba"], letters)
    words = ["ab", "xy", "xyz", "yx", "zz", "ab", ","]
    check.add(Column.of(words), np.array([0, 7]))
    # Of 6 words 4 are unknown; in new text 2 of 6 were, of which no letter is in a third.
    share = min(max(letters.unknown, 0.1), 0.6)
    by_words = 4 * math.log(share / 0.65) + 2 * math.log((1 - share) / 0.35)
    sums, lengths = letters.scores(words)
    by_letters = float(sums.sum()) - letters.mean / 3 * int(lengths.sum())
    chance = 1 / (1 + math.exp(0.5 * by_words + 0.1 * by_letters))
    shown = "over .999" if chance > 0.999 else f"{chance:.3f}"[1:]
    assert check.message("M").startswith(
        f"another language than that of M (probability {shown}): 67 % of its words"
    )
    # Less than .99: nothing is said.
    check = LanguageCheck(["ab", "ba", "abba"], letters)
    check.add(Column.of(["ab", "ba", "abba", "ab", "xy"]), np.array([0, 5]))
    assert check.message("M") == ""


def test_a_model_at_hand_that_fits_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "слово словами словам слова новое новыми другое другими".split()
    profiles = {
        "ru": LetterProfile.learn(Treebank.from_words([words] * 20)),
        "fr": LetterProfile.learn(Treebank.from_words([["mot", "mots", "nouveau"]] * 20)),
    }
    models = {}
    for name, profile in profiles.items():
        save_models(tmp_path / name, {"letters": profile}, {})
        models[name] = InstalledModel(name, f"wordorder-{name}", "1", tmp_path / name)
    (tmp_path / "damaged").write_bytes(b"\0" * 99)
    models["damaged"] = InstalledModel("damaged", "bad", "1", tmp_path / "damaged")
    monkeypatch.setattr("wordorder.parsing.installed.installed_models", lambda: models)
    check = LanguageCheck(["mot", "mots"], profiles["fr"])
    check.add(Column.of(words))
    assert check.message("fr").endswith("in other ways; by them it is that of the model ru")
    # None fits.
    check = LanguageCheck(["mot", "mots"], profiles["fr"])
    check.add(Column.of("qqq zzz qqz zqz kqk qkq".split()))
    assert check.message("fr").endswith("in other ways")
    assert nearest_model(Counter(["mots", "nouveau"]), "fr") == ""


# -- How letters follow each other. ----------------------------------------------------------------


WORDS = "the other mother then gathers these feathers there that hat hot".split()


def profile(words: list[str], times: int = 3) -> LetterProfile:
    return LetterProfile.learn(Treebank.from_words([words] * times))


def slow_score(word: str, words: list[str]) -> float:
    """Witten and Bell's smoothing, written down from its definition."""
    text = ["  " + each for each in words]
    threes = Counter(t[k - 2 : k + 1] for t in text for k in range(2, len(t)))
    twos, ones = Counter[str](), Counter[str]()
    for three, times in threes.items():
        twos[three[1:]] += times
        ones[three[2]] += times

    def share(context: str, letter: str, counts: Counter[str], below: float) -> float:
        own = {key[-1]: times for key, times in counts.items() if key[:-1] == context}
        if not own:
            return below
        total = sum(own.values())
        return (own.get(letter, 0) + len(own) * below) / (total + len(own))

    bits = 0.0
    padded = "  " + word
    for k in range(2, len(padded)):
        letter = padded[k]
        alone = ones[letter] / ones.total()
        two = share(padded[k - 1], letter, twos, alone)
        bits += math.log2(share(padded[k - 2 : k], letter, threes, two) / alone)
    return bits


@pytest.mark.parametrize("word", ["the", "mother", "hat", "gathers", "tho", "eee", "rrh"])
def test_scores_are_those_of_the_definition(word: str) -> None:
    # Three sentences: none is held out.
    sums, letters = profile(WORDS).scores([word])
    assert letters.tolist() == [len(word)]
    # What was seen is rounded once a letter, what was not twice or three times.
    assert abs(float(sums[0]) - slow_score(word, WORDS * 3)) <= 3 * len(word) * 0.5 / SCALE + 1e-9


def test_only_letters_count_whatever_their_case() -> None:
    sums, letters = profile(WORDS).scores(["The", "t-h7e.", "", "42"])
    assert letters.tolist() == [3, 3, 0, 0]
    assert sums[0] == sums[1]
    assert sums[2:].tolist() == [0, 0]
    # Letters that the language does not have.
    sums, _ = profile(WORDS).scores(["слово", "x"])
    assert sums.tolist() == [5 * STRANGE, STRANGE]


def test_a_script_of_names_alone_is_none_of_the_language() -> None:
    words = ["東京", "日本", "京都", "本日"] * 30 + ["ab"]
    sums, _ = profile(words).scores(["ab", "東京"])
    # 2 of 242 letters, each.
    assert sums[0] == pytest.approx(2 * math.log2(2 / 242), abs=1 / SCALE)
    assert sums[1] > 0


def test_new_text_says_how_much_is_unknown() -> None:
    rows = [["aa", "ab"]] * 9 + [["aa", "zz"]]
    found = LetterProfile.learn(Treebank.from_words(rows * 2))
    assert found.unknown == 0.5
    assert LetterProfile.learn(Treebank.from_words([[]])).unknown == 0


def test_what_is_kept_of_a_profile() -> None:
    one = profile(WORDS)
    about, arrays = one.parts()
    again = LetterProfile.from_parts(about, arrays)
    assert again.scores(WORDS)[0].tolist() == one.scores(WORDS)[0].tolist()
    for name, array in (
        ("3.key", arrays["3.key"][::-1].copy()),
        ("2.key", arrays["2.key"].astype(np.int64)),
        ("1.rest", arrays["1.rest"][1:]),
        ("3.score", arrays["3.score"].astype(np.int32)),
    ):
        refuses(ModelError, ".", LetterProfile.from_parts, about, {**arrays, name: array})
