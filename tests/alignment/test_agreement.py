"""What the models link, on a language that is made up so that the right links are known."""

from __future__ import annotations

import random

import pytest

import wordorder as wo
from wordorder.alignment.align import ALIGNERS, align
from wordorder.alignment.statistical.aligner import AgreementAligner

Links = set[tuple[int, int]]


def made_up(rng: random.Random, pairs: int, words: int) -> tuple[list[str], list[str], list[Links]]:
    """Translate random sentences word by word, and turn some stretches round.

    Some words are frequent and most are rare; none is listed twice in a sentence.
    """
    source, target, links = [], [], []
    for _ in range(pairs):
        draws = [int(words * rng.random() ** 3) for _ in range(rng.randint(4, 14))]
        numbers = list(dict.fromkeys(draws))
        order = list(range(len(numbers)))
        start = rng.randrange(len(order))
        order[start : start + 3] = reversed(order[start : start + 3])
        source.append(" ".join(f"s{n}" for n in numbers))
        target.append(" ".join(f"{numbers[i]}t" for i in order))
        links.append({(i, place) for place, i in enumerate(order)})
    return source, target, links


def error_rate(found: wo.Alignments, right: list[Links]) -> float:
    both = sum(len(set(row.links) & gold) for row, gold in zip(found, right, strict=True))
    return 1 - 2 * both / (len(found.source) + sum(map(len, right)))


def test_words_that_stand_once() -> None:
    source, target, right = made_up(random.Random(1), 300, 400)
    rates = {m: error_rate(align(source, target, model=m), right) for m in ALIGNERS.built_in}
    assert rates["agreement"] < 0.01
    assert rates["ibm1"] < 0.01
    assert rates["hmm"] < 0.2


def test_words_that_stand_often_need_their_order() -> None:
    """A particle behind each word, on both sides: only its neighbour tells which is which."""
    source, target, right = made_up(random.Random(1), 300, 400)
    with_particles = [
        [" ".join(f"{word} {particle}" for word in row.split()) for row in side]
        for side, particle in ((source, "no"), (target, "de"))
    ]
    links = [{(2 * s + k, 2 * t + k) for s, t in row for k in (0, 1)} for row in right]
    rates = {m: error_rate(align(*with_particles, model=m), links) for m in ALIGNERS.built_in}
    assert rates["agreement"] < 0.12
    assert rates["agreement"] < rates["hmm"] < rates["ibm1"]


def test_more_text_helps() -> None:
    source, target, right = made_up(random.Random(2), 600, 400)
    few = error_rate(align(source[:60], target[:60]), right[:60])
    many = error_rate(align(source, target)[:60], right[:60])
    assert many < few


def test_letters_help_where_there_is_little_text() -> None:
    """Twenty pairs whose words begin alike on both sides, against the same without letters."""
    source, target, right = made_up(random.Random(3), 20, 900)
    cognates = [" ".join(f"{w[1:].zfill(4)}" for w in row.split()) for row in source]
    related = [" ".join(f"{w[:-1].zfill(4)}en" for w in row.split()) for row in target]
    with_letters = error_rate(align(cognates, related), right)
    assert with_letters < 0.2 * error_rate(align(source, target), right)


def test_numbers_have_no_letters() -> None:
    """The same text as rows of word numbers: no word begins like another."""
    source, target, right = made_up(random.Random(4), 100, 50)
    numbers = [
        wo.Ragged.from_rows([[int(w.strip("st")) + shift for w in row.split()] for row in side])
        for side, shift in ((source, 0), (target, 1000))
    ]
    found = align(*numbers)
    assert error_rate(found, right) < 0.05


def test_a_model_aligns_other_text() -> None:
    source, target, right = made_up(random.Random(5), 400, 60)
    model = AgreementAligner.train(source[:300], target[:300])
    assert error_rate(model.align(source[300:], target[300:]), right[300:]) < 0.01


def test_unknown_words() -> None:
    """An unknown word that stands on both sides is linked to itself, others perhaps to nothing."""
    source, target, _ = made_up(random.Random(6), 50, 20)
    model = AgreementAligner.train(source, target)
    found = model.align(["s1 Nikolaus", "neu", ""], ["1t nikolaus", "", "neu"])
    assert set(found[0].links) == {(0, 0), (1, 1)}
    assert found[1].links == found[2].links == ()


def test_kind_of_text() -> None:
    model = AgreementAligner.train(["a b"], ["x y"])
    numbers = wo.Ragged.from_rows([[1, 2]])
    with pytest.raises(wo.WordOrderError, match="trained on words, the text to align is word num"):
        model.align(numbers, numbers)
