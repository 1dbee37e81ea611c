"""What the cheapest path charges to each word, step by step."""

import numpy as np
import pytest
from tests.analysis.translations.translated import REAL, Lines, needs_data, random_lines, real_lines

from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.words import word_charges


def check(lines: Lines) -> None:
    found = translations_of(lines.systems, lines.references, metrics="cder")
    for system in found.systems:
        edits: list[float] = []
        jumps: list[float] = []
        deletions: list[float] = []
        nowhere = 0.0
        for path in system.paths:
            words = len(path.reference)
            edited, jumped = [0.0] * words, [0.0] * words
            deleted = [0.0] * len(path.hypothesis)
            for step in path.steps:
                if step.operation in ("substitution", "insertion"):
                    edited[step.reference] += step.cost
                elif step.operation == "deletion":
                    deleted[step.hypothesis] += step.cost
                elif step.operation == "jump":
                    beside = [step.reference - 1, step.reference]
                    beside = [place for place in beside if 0 <= place < words]
                    for place in beside:
                        jumped[place] += step.cost / len(beside)
                    nowhere += 0 if beside else step.cost
            edits += edited
            jumps += jumped
            deletions += deleted
        charges = word_charges(system.paths)
        assert charges.edits.tolist() == edits
        assert charges.jumps.tolist() == jumps
        assert charges.deletions.tolist() == deletions
        # All of them are what CDER adds up.
        assert charges.total + nowhere == system.statistics[0][:, 0].sum()


@pytest.mark.parametrize("seed", range(4))
def test_charges_of_random_texts(seed: int) -> None:
    check(random_lines(seed))


def test_no_reference_words() -> None:
    check(Lines([[""], [], ["we met"]], {"A": ["so we met", "x", ""]}))
    empty = translations_of({"A": []}, [], metrics="cder")
    charges = word_charges(empty.systems[0].paths)
    assert charges.total == 0
    assert charges.edits.dtype == np.float64


@needs_data
@pytest.mark.parametrize("name", REAL)
def test_charges_of_real_translations(name: str) -> None:
    check(real_lines(name, 100))
