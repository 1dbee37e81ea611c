"""Misplaced, missing and added words, followed and counted one by one."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from tests.analysis.translations.translated import (
    REAL,
    Lines,
    drawn_lines,
    needs_data,
    random_lines,
    real_lines,
)

from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.alignment.monolingual.aligner import Matches
from wordorder.analysis.translations.words import WordOutcomes, word_counts, word_outcomes
from wordorder.arrays import Int64
from wordorder.text.texts import Texts

# What no word can be.
ADDED = " "
# (segment, word) of the reference -> the outcome; and of the output -> what it is counted as.
Followed = tuple[list[tuple[int, str, str, bool]], list[tuple[int, str, str]]]


def followed(texts: Texts, rows: Int64, matches: Matches) -> Followed:
    """Follow each word, slowly: one segment, one match, one word after the other."""
    words = texts.vocabulary.words
    reference: list[tuple[int, str, str, bool]] = []
    output: list[tuple[int, str, str]] = []
    for segment in range(len(texts)):
        row = int(rows[segment])
        if row < 0:
            continue
        ours = [words[n] for n in texts.hypothesis[segment].tolist()]
        theirs = [words[n] for n in texts.references[row].tolist()]
        partner: dict[int, int] = {}
        covered: list[tuple[int, int]] = []
        for k in range(int(matches.offsets[row]), int(matches.offsets[row + 1])):
            start, length = int(matches.start[k]), int(matches.length[k])
            at, width = int(matches.hypothesis_start[k]), int(matches.hypothesis_length[k])
            covered += [(at, start + i) for i in range(length)]
            for i in range(width):
                partner[at + i] = start + min(i, length - 1)
        # By the start of the match in the output, then along the reference.
        order = [place for _, place in sorted(covered)]
        kept = sorted(order)
        bad = set()
        for left, right in pairwise(order):
            if kept.index(right) != kept.index(left) + 1:
                bad |= {left, right}
        for place, word in enumerate(theirs):
            what = "matched" if place in order else "missing"
            reference.append((segment, word, what, place in bad))
        for place, word in enumerate(ours):
            known = theirs[partner[place]] if place in partner else ADDED
            output.append((segment, word, known))
    return reference, output


def check(texts: Texts, rows: Int64, aligner: MonolingualAligner) -> WordOutcomes:
    matches = aligner.align(texts)
    found = word_outcomes(texts, rows, matches)
    words = texts.vocabulary.words
    reference, output = followed(texts, rows, matches)
    assert [
        (segment, words[number], "matched" if matched else "missing", misplaced)
        for segment, number, matched, misplaced in zip(
            found.segments.tolist(),
            found.words.tolist(),
            found.matched.tolist(),
            found.misplaced.tolist(),
            strict=True,
        )
    ] == reference
    assert [
        (segment, words[number], ADDED if at < 0 else words[int(found.words[at])])
        for segment, number, at in zip(
            found.output_segments.tolist(),
            found.output_words.tolist(),
            found.partners.tolist(),
            strict=True,
        )
    ] == output
    counted = word_counts(
        found, found.words.astype(np.int64), found.output_words.astype(np.int64), len(words)
    )
    occurs = Counter(word for _, word, _, _ in reference)
    missing = Counter(word for _, word, what, _ in reference if what == "missing")
    misplaced = Counter(word for _, word, _, bad in reference if bad)
    added = Counter(word for _, word, known in output if known == ADDED)
    right = Counter(known for _, _, known in output if known != ADDED)
    for number, word in enumerate(words):
        assert counted.reference[number] == occurs[word]
        assert counted.missing[number] == missing[word]
        assert counted.misplaced[number] == misplaced[word]
        assert counted.added[number] == added[word]
        assert counted.output[number] == added[word] + right[word]
        recall = (occurs[word] - missing[word]) / occurs[word] if occurs[word] else 0.0
        written = added[word] + right[word]
        precision = right[word] / written if written else 0.0
        assert counted.recall[number] == recall
        assert counted.precision[number] == precision
        f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
        assert counted.f1[number] == pytest.approx(f1)
    return found


def cases(lines: Lines) -> list[Texts]:
    return [Texts.from_segments(system, lines.references) for system in lines.systems.values()]


@pytest.mark.parametrize("seed", range(6))
def test_words_of_random_texts(seed: int) -> None:
    random = np.random.default_rng(seed)
    for texts in cases(random_lines(seed)):
        counts = np.diff(texts.reference_offsets)
        rows = texts.reference_offsets[:-1] + random.integers(0, np.maximum(counts, 1))
        check(texts, np.where(counts > 0, rows, -1), MonolingualAligner())


@given(drawn_lines())
@settings(max_examples=25)
def test_words_of_any_texts(lines: Lines) -> None:
    for texts in cases(lines):
        there = np.diff(texts.reference_offsets) > 0
        check(texts, np.where(there, texts.reference_offsets[1:] - 1, -1), MonolingualAligner())


def test_phrases_that_match() -> None:
    """Two words for three, three for one: all are matched, and paired from left to right."""
    texts = Texts.from_segments(["we a lot like it"], ["we like very much this it"])
    matches = Matches(
        start=np.array([0, 2, 5], np.int32),
        length=np.array([1, 3, 1], np.int32),
        hypothesis_start=np.array([0, 1, 4], np.int32),
        hypothesis_length=np.array([1, 2, 1], np.int32),
        module=np.array([0, 1, 0], np.int32),
        offsets=np.array([0, 3]),
        modules=("exact", "paraphrase"),
        hypothesis_lengths=np.array([5]),
        reference_lengths=np.array([6]),
    )
    found = word_outcomes(texts, np.array([0]), matches)
    assert found.matched.tolist() == [True, False, True, True, True, True]
    assert found.partners.tolist() == [0, 2, 3, -1, 5]
    assert not found.misplaced.any()


def test_nothing_to_compare() -> None:
    texts = Texts.from_segments(["we met", ""], [[], ["so"]])
    found = check(texts, np.array([-1, 0]), MonolingualAligner())
    assert found.missing.tolist() == [True]
    empty = Texts.from_segments([], [])
    assert not len(check(empty, np.zeros(0, np.int64), MonolingualAligner()).words)


@needs_data
@pytest.mark.parametrize("name", REAL)
def test_words_of_real_translations(name: str) -> None:
    for texts in cases(real_lines(name, 60)):
        check(texts, np.arange(len(texts)), MonolingualAligner())
