"""Tables of n-grams: what is listed, and what n-grams cost, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analysis.translations.translated import TED, Lines, random_lines, ted_lines

from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.ngrams import ngram_points, ngram_sections
from wordorder.analysis.translations.translations import TranslatedSystem
from wordorder.analysis.translations.words import word_charges


def slow_points(system: TranslatedSystem, ngram: list[str]) -> float:
    """Add up what steps cost on the words of an n-gram, wherever a reference has it."""
    total, words = 0.0, 0
    for path in system.paths:
        size = len(path.reference)
        words += size
        covered = {
            place
            for start in range(size - len(ngram) + 1)
            if list(path.reference[start : start + len(ngram)]) == ngram
            for place in range(start, start + len(ngram))
        }
        for step in path.steps:
            if step.operation in ("substitution", "insertion"):
                total += step.cost * (step.reference in covered)
            elif step.operation == "jump":
                beside = [p for p in (step.reference - 1, step.reference) if 0 <= p < size]
                total += sum(step.cost / len(beside) for p in beside if p in covered)
    return 100 * total / max(words, 1)


@pytest.mark.parametrize("seed", range(3))
def test_what_ngrams_cost(seed: int) -> None:
    lines = random_lines(seed, words="ab")
    found = translations_of(lines.systems, lines.references, metrics="cder")
    vocabulary = found.texts.vocabulary.words
    random = np.random.default_rng(seed)
    for system in found.systems:
        charges = word_charges(system.paths)
        for _ in range(30):
            words = random.integers(0, len(vocabulary), random.integers(1, 4)).astype(np.int32)
            ngram = [vocabulary[number] for number in words.tolist()]
            expected = slow_points(system, ngram)
            assert ngram_points(system, charges, words) == pytest.approx(expected)


def test_pairs_of_systems() -> None:
    lines = {"A": ["a c b"], "B": ["a b c"], "C": ["c b a"], "D": ["b a c"]}
    reference = ["a b c"]
    for count, keys in ((1, 0), (2, 1), (3, 3), (4, 3)):
        systems = dict(list(lines.items())[:count])
        sections = ngram_sections(translations_of(systems, reference))
        assert [each.key for each in sections] == ["ngrams", "ngrams-2", "ngrams-3"][:keys]
    assert all(section.header[2] == "right: B" for section in sections)
    [same] = ngram_sections(translations_of({"A": ["a b"], "B": ["a b"]}, ["a b"]))
    assert same.reading == "A and B get the same n-grams right."
    assert not same.rows
    [empty] = ngram_sections(translations_of({"A": [], "B": []}, [], metrics="cder"))
    assert not empty.rows


def test_parts_of_longer_ngrams_are_left_out() -> None:
    met = ["we met him"] * 2
    found = translations_of(
        {"A": ["we saw him"] * 6 + met, "B": ["we met her"] * 6 + met},
        ["we met him"] * 8,
        metrics="cder",
    )
    [section] = ngram_sections(found)
    # Not "met", which differs just as "we met" does.
    assert {str(row[0]): row[2:6] for row in section.rows} == {
        "we met": (2, 8, 0, 6),
        "him": (8, 2, 6, 0),
    }


@pytest.mark.skipif(not TED.is_dir(), reason="WORDORDER_DATA names no folder with compare-mt-ted/")
def test_ted_talks() -> None:
    lines = ted_lines(1000)
    lines = Lines(lines.references, dict(reversed(lines.systems.items())))
    found = translations_of(lines.systems, lines.references, metrics="cder")
    [section] = ngram_sections(found)
    rows = [dict(zip(section.header, row, strict=True)) for row in section.rows]
    for listed, _, *numbers in section.rows:
        # Of those that are tested none is part of another one with the same four counts.
        alike = [str(row[0]) for row in section.rows if row[2:6] == tuple(numbers[:4])]
        inside = [other for other in alike if f" {listed} " in f" {other} "]
        assert inside == [listed] or numbers[5] is None
    p_values = [float(row["p"] or 0) for row in rows]
    assert p_values == sorted(p_values)
    assert section.findings
    for finding in section.findings:
        name, rest = finding.sentence.split(" gets ", 1)
        ngram = rest.split("' right")[0].removeprefix("'").split()
        system, other = found.systems
        if system.name != name:
            system, other = other, system
        points = slow_points(system, ngram) - slow_points(other, ngram)
        assert finding.explained == pytest.approx(points)
        [row] = [row for row in rows if row["n-gram"] == " ".join(ngram)]
        assert float(row["p (Holm)"] or 0) <= 0.05
