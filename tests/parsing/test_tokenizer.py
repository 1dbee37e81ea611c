"""Tokenizers that are learnt from treebanks."""

import random
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.files import data
from tests.refusing import refuses

from wordorder import kernels
from wordorder.errors import ModelError
from wordorder.kernels import tagging as kernel
from wordorder.kernels._run import call, plain
from wordorder.parsing.pipeline.loading import own_tokenizer, raw_tokenizers
from wordorder.parsing.tokenizer import (
    CLASSES,
    MAX_BYTE_WEIGHT,
    Characters,
    Multiwords,
    Tokenizer,
    learn_tokenizer,
    quantize_weights,
    raw_sentences,
    token_f1,
)
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Margin, Treebank


def treebank(text: str) -> Treebank:
    """Sentences of lines: ``|`` is between words without a blank, ``du=de+le`` is two words."""
    rows, misc, margins = [], [], []
    for line in text.strip().split("\n"):
        row: list[str] = []
        says: list[str] = []
        extras = []
        for chunk in line.split(" "):
            parts = chunk.split("|")
            for place, part in enumerate(parts):
                after = "_" if place + 1 == len(parts) else "SpaceAfter=No"
                token, several, words = part.partition("=")
                if several:
                    own = words.split("+")
                    span = f"{len(row) + 1}-{len(row) + len(own)}\t{token}" + "\t_" * 7
                    extras.append((len(row), f"{span}\t{after}"))
                    row += own
                    says += ["_"] * len(own)
                else:
                    row.append(token)
                    says.append(after)
        rows.append(row)
        misc.append(says)
        margins.append(Margin((), tuple(extras)))
    bank = Treebank.from_words(rows, misc=misc)
    return Treebank(bank.offsets, bank.heads, bank.columns, margins)


FRENCH = treebank("""
L'|ami du=de+le roi voit l'|eau|.
L'|eau du=de+le lac est claire|.
Qu'|il voie l'|ami des=de+les rois|!
Il voit des rois et des lacs|.
Le roi des=de+les lacs dort|, dit|-|il|.
Des rois voient l'|ami du=de+le lac|.
""")


def learnt(bank: Treebank, seed: int = 1) -> Tokenizer:
    found = learn_tokenizer(bank, seed=seed)
    assert found is not None
    return found


LEARNT = learnt(FRENCH)

ENGLISH = own_tokenizer(Path("en")) or LEARNT


def interpreted() -> Any:
    """The source of the kernel, whose methods can be called."""
    path = Path(kernels.__file__).with_name("tagging.py")
    loader = kernels._SourceLoader("tagging_source", str(path))
    spec = spec_from_file_location("tagging_source", path, loader=loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("blanks", [0, 1])
def test_no_other_cuts_of_a_line_score_more(blanks: int) -> None:
    """Against all cuts of short lines, by weights drawn at random."""
    source = interpreted()
    rng = random.Random(7)
    generator = np.random.default_rng(5)
    allowed = np.full(CLASSES**2, blanks, np.uint8)
    for _ in range(12):
        line = "".join(rng.choice("ab ,B9") for _ in range(rng.randint(1, 9))).strip() or "a"
        characters = Characters.of([line])
        weights = generator.integers(-50, 50, 1 << 10).astype(np.int32)
        cuts = np.zeros(len(characters.chars), np.uint8)
        cutter = call(kernel.Cutter, weights, allowed, len(cuts))
        arrays = (characters.chars, characters.classes, characters.offsets, cuts)
        call(kernel.split_rows, *arrays, 0, 1, cutter)
        twin = source.Cutter(plain(weights), plain(allowed), len(cuts))
        twin.chars, twin.classes = plain(characters.chars), plain(characters.classes)
        twin.start, twin.size = 0, len(cuts)
        twin.weigh()

        def score(found: list[int], twin: Any = twin) -> int:
            places = [*np.flatnonzero(found).tolist(), twin.size]
            total = sum(twin.scores[at] for at in places[1:-1])
            for first, last in pairwise(places):
                end = last - (twin.kind(last - 1) == source.BLANK)
                twin.look_at_word(first, end, twin.word(first, end))
                total += twin.weight(
                    source.PLACE_FEATURES, source.PLACE_FEATURES + source.WORD_FEATURES
                )
            return int(total)

        legal = [
            [1, *rest]
            for rest in product((0, 1), repeat=len(cuts) - 1)
            if not any(
                (cut and twin.kind(at) == source.BLANK)
                or (not cut and not blanks and twin.kind(at - 1) == source.BLANK)
                for at, cut in enumerate(rest, 1)
            )
        ]
        assert score(cuts.tolist()) == max(map(score, legal))


def test_words_as_the_treebank_has_them() -> None:
    written = list(raw_sentences(FRENCH))
    assert written[0].text == "L'ami du roi voit l'eau."
    found = LEARNT.tokens([sentence.text for sentence in written])
    assert found == [sentence.tokens for sentence in written]
    assert [LEARNT.words(row) for row in found] == [sentence.words for sentence in written]
    # Of what was not seen: the same signs; "des" is two words after a noun.
    (row,) = LEARNT.tokens(["Qu'il voie l'eau du lac."])
    assert row == ["Qu'", "il", "voie", "l'", "eau", "du", "lac", "."]
    assert LEARNT.words(row)[5] == ("de", "le")


def test_the_same_seed_gives_the_same_tokenizer() -> None:
    one, same, other = (learnt(FRENCH, seed).weights.tobytes() for seed in (1, 1, 2))
    assert one == same != other


def test_numbers_with_a_blank_inside_are_one_word() -> None:
    lines = [f"Il a {a}\u00a0000 rois ou {a} rois|." for a in range(10, 30)]
    bank = treebank("\n".join(lines).replace("\u00a0", "§"))
    bank = bank.replace(form=bank.form.map(lambda word: word.replace("§", "\u00a0")))
    tokenizer = learnt(bank)
    assert tokenizer.tokens(["Il a 45\u00a0000 rois."]) == [["Il", "a", "45\u00a0000", "rois", "."]]
    # A word is never made of others than two numbers.
    assert len(tokenizer.tokens(["rois 45 et a b 9 ou rois 7"])[0]) == 9


def test_unsegmented_text_is_cut_without_a_word_of_blanks() -> None:
    words = ["東京", "に", "行っ", "た", "京都", "は", "遠い"]
    rows = [[words[k % 7], words[(k * 3 + 1) % 7], words[(k * 5 + 2) % 7]] for k in range(40)]
    bank = Treebank.from_words(rows)
    tokenizer = learnt(bank)
    assert tokenizer.tokens(["東京は遠い"]) == [["東京", "は", "遠い"]]
    # Only such a tokenizer is used where nobody asks for one.
    assert raw_tokenizers("auto", "ja", lambda: tokenizer)["if_unspaced"]() is tokenizer
    assert raw_tokenizers("auto", "fr", lambda: LEARNT)["if_unspaced"]() is None


@pytest.mark.parametrize(
    "text",
    [
        # Blanks between all words; one word.
        "It rains .\nIt snows .",
        "It",
    ],
)
def test_nothing_is_learnt_where_blanks_say_all(text: str) -> None:
    assert learn_tokenizer(treebank(text), seed=1) is None


def test_sentences_whose_text_has_other_words_are_left_out() -> None:
    bank = treebank("L'|ami dort|.\nL'|eau dort|.")
    margins = [Margin(("# text = L'ami dort.",)), Margin(("# text = L'ami dort.",))]
    found = list(raw_sentences(Treebank(bank.offsets, bank.heads, bank.columns, margins)))
    assert [sentence.tokens for sentence in found] == [["L'", "ami", "dort", "."]]


@pytest.mark.parametrize("text", ["ab c", "a bc", "a  b c"])
def test_blanks_inside_words_are_as_many_in_the_text(text: str) -> None:
    bank = Treebank.from_words([["a b", "c"]])
    bank = Treebank(bank.offsets, bank.heads, bank.columns, [Margin((f"# text = {text}",))])
    found = [sentence.tokens for sentence in raw_sentences(bank)]
    assert found == ([] if text == "ab c" else [["a b", "c"]])
    learn_tokenizer(bank, seed=1)


@given(st.lists(st.text("aB9 .,'\u00a0é語ー\U0001f600\u3000\t", max_size=30), max_size=5))
def test_no_character_is_changed_or_lost(lines: list[str]) -> None:
    found = LEARNT.tokens(lines)
    assert ["".join("".join(row).split()) for row in found] == [
        "".join(line.split()) for line in lines
    ]
    assert all(word and word == word.strip() for row in found for word in row)
    assert LEARNT.tokens(list(reversed(lines))) == found[::-1]


@given(
    st.lists(st.sampled_from([*"éñ한ệ al.'", "l'", "q\u0301", "\u00ad", "\u200d", "ো", "\u095d"]))
)
def test_decomposed_characters_are_cut_as_composed_ones(pieces: list[str]) -> None:
    one, other = (normalize(form, "".join(pieces)) for form in ("NFC", "NFD"))
    for tokenizer in (LEARNT, ENGLISH):
        [words, decomposed] = tokenizer.tokens([one, other])
        assert decomposed == [normalize("NFD", word) for word in words]


def test_signs_stay_with_the_characters_that_they_extend() -> None:
    line = "Cafe\u0301 5\ufe0f\u20e3 \u2764\ufe0f!"
    assert ENGLISH.tokens([line]) == [["Cafe\u0301", "5\ufe0f\u20e3", "\u2764\ufe0f", "!"]]


def test_decomposed_treebanks_teach_what_composed_ones_do() -> None:
    text = "né=n+é dé|.\nné=n+é|. é|à|.\n" * 9
    one, other = (learnt(treebank(normalize(form, text))) for form in ("NFC", "NFD"))
    assert (one.weights == other.weights).all()
    assert one.words([normalize("NFD", "né")]) == [("n", "é")]
    assert other.words(["né"]) == [("n", normalize("NFD", "é"))]


def test_words_longer_than_any_with_features() -> None:
    long = "x" * 5000
    assert LEARNT.tokens([f"L'ami {long} dort."])[0][2] == long


def test_the_score_of_tokens() -> None:
    class Halves:
        unspaced = False

        def tokens(self, lines: Sequence[str]) -> list[list[str]]:
            return [[line[:2], line[2:]] for line in lines]

        def words(self, tokens: Sequence[str]) -> list[tuple[str, ...]]:
            return [(token,) for token in tokens]

    # Of "l'|eau|." and "il|." one token in two is right, and one in two; of five and four.
    assert token_f1(Halves(), treebank("l'|eau|.\nil|.")) == 2 * (1 + 2) / (3 + 2 + 2 + 2)


def test_rules_for_endings_are_learnt_from_several_tokens() -> None:
    bank = treebank("\n".join(f"{stem}ki={stem}+ki ev|." for stem in ("evde", "okulda", "suda")))
    tokenizer = learnt(bank)
    assert tokenizer.words(["Yolda", "parktaki", "."]) == [("Yolda",), ("parkta", "ki"), (".",)]
    assert tokenizer.multiwords.parts_of("ki") is None


def test_weights_in_a_byte() -> None:
    rng = np.random.default_rng(1)
    weights = np.concatenate([rng.integers(-5000, 5000, 5000), [10**9, -(10**9), 0]])
    small = quantize_weights(weights)
    size = np.sort(np.abs(weights[weights != 0]))
    top = size[(len(size) - 1) * 1999 // 2000]
    wanted = np.clip(
        np.floor(weights * MAX_BYTE_WEIGHT / top + 0.5), -MAX_BYTE_WEIGHT, MAX_BYTE_WEIGHT
    )
    assert np.array_equal(small, wanted)
    assert quantize_weights(np.zeros(3, np.int64)).tolist() == [0, 0, 0]


def test_what_is_kept_of_a_tokenizer() -> None:
    about, arrays = LEARNT.parts()
    again = Tokenizer.from_parts(about, arrays)
    line = ["Il voit des rois et l'eau du lac."]
    assert again.tokens(line) == LEARNT.tokens(line)
    assert again.words(again.tokens(line)[0]) == LEARNT.words(LEARNT.tokens(line)[0])
    bad: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"room": 3}, {}),
        ({"room": 1 << 40}, {}),
        ({}, {"place": arrays["place"] + 10**6}),
        ({}, {"weight": arrays["weight"][1:]}),
        ({}, {"blanks": np.zeros(3, np.uint8)}),
        ({"multiwords": {**about["multiwords"], "known": {"du": []}}}, {}),
        ({"multiwords": {**about["multiwords"], "endings": {"du": [-1, "", ["a"]]}}}, {}),
        ({"multiwords": {**about["multiwords"], "room": 5}}, {}),
    ]
    for said, changed in bad:
        refuses(ModelError, ".", Tokenizer.from_parts, {**about, **said}, {**arrays, **changed})


def test_capitals_of_tokens_that_are_several_words() -> None:
    found = Multiwords({"au": ("à", "le")}, {}, np.ones(1, np.int32))
    shown = [found.parts_of(word) for word in ("au", "Au", "AU", "eau")]
    assert shown == [("à", "le"), ("À", "le"), ("À", "LE"), None]


# F1 of tokens, and for French the share of tokens whose words are right too.
@pytest.mark.parametrize(
    ("folder", "least"), [("fr", 0.994), ("hu", 0.997), ("tr", 0.99), ("zh", 0.87), ("vi", 0.86)]
)
def test_tokens_of_real_text(folder: str, least: float) -> None:
    files = (data("ud-other", folder, f"{part}.conllu.gz") for part in ("train", "dev"))
    train, dev = map(read_treebank, files)
    tokenizer = learnt(train)
    assert token_f1(tokenizer, dev) >= least
    if folder == "fr":
        wanted = list(raw_sentences(dev))
        found = tokenizer.tokens([sentence.text for sentence in wanted])
        judged = [
            one == other
            for row, each in zip(found, wanted, strict=True)
            if row == each.tokens
            for one, other in zip(tokenizer.words(row), each.words, strict=True)
        ]
        assert len(judged) > 8000
        assert sum(judged) / len(judged) > 0.997
