"""Near-duplicates against the comparison of every sentence with every other one."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from rapidfuzz.distance import Levenshtein
from tests.analysis.translations.translated import random_lines, ted_lines
from tests.notes import noted

from wordorder.analysis.translations import duplicates as module
from wordorder.analysis.translations.duplicates import (
    alike_systems_section,
    duplicates_section,
    near_duplicates,
    repeated_share,
)
from wordorder.analysis.translations.files import translations_of
from wordorder.arrays import Ragged


def check(sentences: list[list[int]], threshold: float) -> None:
    numbers = max((word for row in sentences for word in row), default=0) + 1
    found = near_duplicates(Ragged.from_rows(sentences), numbers, threshold=threshold)
    first = [sentences.index(row) for row in sentences]
    assert found.same_as.tolist() == first
    near = {}
    for one, other in combinations(sorted(set(first)), 2):
        longer = max(len(sentences[one]), len(sentences[other]))
        edits = Levenshtein.distance(sentences[one], sentences[other])
        if edits <= threshold * longer + 1e-9:
            near[one, other] = edits / longer
    pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert pairs == sorted(near)
    assert found.distances.tolist() == [near[pair] for pair in pairs]
    # The smallest sentence that each is linked with, step by step.
    linked: dict[int, set[int]] = {at: {first[at]} for at in range(len(sentences))}
    for one, other in near:
        linked[one].add(other)
        linked[other].add(one)
    for at, lead in enumerate(found.groups().tolist()):
        reached, waiting = {first[at]}, [first[at]]
        while waiting:
            for neighbour in linked[waiting.pop()] - reached:
                reached.add(neighbour)
                waiting.append(neighbour)
        assert lead == min(reached)


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.2, 0.34, 0.5, 0.75])
@pytest.mark.parametrize("seed", range(3))
def test_random_sentences(seed: int, threshold: float, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(seed)
    words = 4 if seed == 0 else 12
    sentences = [random.integers(0, words, random.integers(0, 12)).tolist() for _ in range(40)]
    for at in range(40):
        changed = list(sentences[at])
        for _ in range(int(random.integers(0, 3))):
            changed[int(random.integers(len(changed) + 1)) :][:1] = []
            changed.insert(int(random.integers(len(changed) + 1)), int(random.integers(words)))
        sentences.append(changed)
    check(sentences, threshold)
    # The same in small pieces.
    monkeypatch.setattr(module, "SPAN_PAIRS", 7)
    check(sentences, threshold)


@given(
    st.lists(st.lists(st.integers(0, 4), max_size=7), max_size=8),
    st.sampled_from([0.1, 0.15, 0.2, 0.3, 0.5, 0.9]),
)
@settings(max_examples=60)
def test_any_sentences(sentences: list[list[int]], threshold: float) -> None:
    check(sentences, threshold)


def test_a_shorter_sentence_that_may_have_no_edit_itself() -> None:
    check([[0, 1, 2, 3], [0, 1, 2, 3, 4]], 0.2)
    check([], 0.2)
    check([[], [], [1]], 0.5)


def test_ted_talks() -> None:
    lines = ted_lines(400)
    found = translations_of(lines.systems, lines.references, metrics="cder")
    check(found.texts.references.to_lists(), 0.3)
    outputs = [[line.split() for line in system] for system in lines.systems.values()]
    section = alike_systems_section(found)
    assert section is not None
    edits = [Levenshtein.distance(a, b) for a, b in zip(*outputs, strict=True)]
    words = sum(max(len(a), len(b)) for a, b in zip(*outputs, strict=True))
    [row] = section.rows
    assert row[2] == edits.count(0)
    assert row[3] == pytest.approx(edits.count(0) / 400)
    assert row[4] == pytest.approx(sum(edits) / words)


@pytest.mark.parametrize("seed", range(3))
def test_the_table_lists_every_group(seed: int) -> None:
    lines = random_lines(seed, segments=60, words="ab")
    source = [f"s{at % 7}" for at in range(60)]
    found = translations_of(lines.systems, lines.references, source, metrics="cder")
    section = duplicates_section(found)
    assert section is not None
    rows = [dict(zip(section.header, row, strict=True)) for row in section.rows]
    assert {row["text"]: row["sentences"] for row in rows if row["side"] == "source"} == {
        f"s{at}": math.ceil((60 - at) / 7) for at in range(7)
    }
    first = [row[0] for row in lines.references if row]
    for row, examples in zip(rows, section.examples, strict=True):
        assert len(examples) == min(5, int(row["sentences"] or 0))
        if row["side"] == "references":
            texts = [lines.references[at][0] for at in examples]
            assert texts[0] == row["text"]
            assert len(set(texts)) <= int(row["different"] or 0)
            if row["different"] == 1:
                assert first.count(str(row["text"])) == row["sentences"]
    alone = translations_of({"A": ["so", ""]}, ["so it is", "we met"], metrics="cder")
    assert duplicates_section(alone) is None
    assert alike_systems_section(alone) is None
    keys = [(source[at], *row) for at, row in enumerate(lines.references)]
    assert repeated_share(found) == pytest.approx(1 - len(set(keys)) / 60)


def test_few_words_in_many_sentences_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs are candidates; each is compared with as many others as time allows."""
    random = np.random.default_rng(5)
    sentences = [random.integers(0, 2, random.integers(12, 20)).tolist() for _ in range(400)]
    rows = Ragged.from_rows(sentences)
    whole = near_duplicates(rows, 2)
    assert whole.compared_share == 1
    compared = []
    distances = module.word_distances

    def counting(*arguments: Any) -> Any:
        compared.append(len(arguments[2]))
        return distances(*arguments)

    monkeypatch.setattr(module, "word_distances", counting)
    monkeypatch.setattr(module, "MAX_PAIRS", 1000)
    monkeypatch.setattr(module, "MAX_PAIRS_PER_SENTENCE", 5)
    fewer = near_duplicates(rows, 2)
    assert sum(compared) <= 2000
    assert 0 < fewer.compared_share < 0.1
    pairs = dict(zip(zip(whole.first, whole.second, strict=True), whole.distances, strict=True))
    found = dict(zip(zip(fewer.first, fewer.second, strict=True), fewer.distances, strict=True))
    assert 0 < len(found) < len(pairs)
    assert found.items() <= pairs.items()


def test_what_is_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences of one pattern are linked all the same, each by those next to it."""
    monkeypatch.setattr(module, "MAX_PAIRS", 0)
    monkeypatch.setattr(module, "MAX_PAIRS_PER_SENTENCE", 2)
    lines = [f"call the number {number} right now" for number in range(50)]
    with noted(r"near-duplicates of references: .* % of the pairs"):
        section = duplicates_section(translations_of({"A": lines}, lines))
    assert section is not None
    assert [row[1] for row in section.rows] == [50]
