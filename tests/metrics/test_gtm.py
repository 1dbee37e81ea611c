"""GTM against its slow twin and against the largest of all matchings."""

import random
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from tests import oracles_runs as oracles
from tests.refusing import refuses

import wordorder as wo
from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.metrics.text.matching import GeneralTextMatcher
from wordorder.segments import Segments

EXPONENTS = [1.0, 1.2, 2.0, 3.0]


def sentences(seed: int, number: int, longest: int, kinds: int) -> list[list[str]]:
    rng = random.Random(seed)
    words = [f"w{n}" for n in range(kinds)]
    return [rng.choices(words, k=rng.randrange(longest + 1)) for _ in range(number)]


def matching_sizes(segments: Segments, exponent: float) -> Float64:
    return GeneralTextMatcher(exponent=exponent).statistics(segments)[:, 0]


@pytest.mark.parametrize("kinds", [1, 2, 4, 12])
def test_sizes_of_the_greedy_twin(kinds: int) -> None:
    ours, theirs = sentences(kinds, 60, 16, kinds), sentences(kinds + 50, 60, 16, kinds)
    # Blocks that were moved: long runs.
    theirs += [row[5:] + row[:5] for row in ours]
    segments = Segments.from_text(ours + ours, [[row] for row in theirs])
    for exponent in EXPONENTS:
        wanted = [
            oracles.size(oracles.greedy(one, other), exponent)
            for one, other in zip(ours + ours, theirs, strict=True)
        ]
        assert matching_sizes(segments, exponent) == pytest.approx(np.array(wanted), rel=1e-12)


def test_greedy_sizes_beside_the_largest() -> None:
    """Never above the largest matching of all, and nearly always that."""
    ours, theirs = sentences(1, 300, 6, 4), sentences(2, 300, 6, 4)
    segments = Segments.from_text(ours, [[row] for row in theirs])
    for exponent in EXPONENTS:
        largest = np.array(
            [oracles.largest(one, other, exponent) for one, other in zip(ours, theirs, strict=True)]
        )
        found = matching_sizes(segments, exponent)
        assert np.all(found <= largest + 1e-12)
        assert np.mean(found >= largest - 1e-12) > 0.95
        if exponent == 1:
            assert found == pytest.approx(largest)


def test_where_greedy_is_not_the_largest() -> None:
    """Four words in a row leave two single ones; two runs of three are more at exponent 1.5."""
    one, other = "a b c d e f".split(), "b c d e x a b c x d e f".split()
    assert sorted(oracles.run_lengths(oracles.greedy(one, other))) == [1, 1, 4]
    [found] = matching_sizes(Segments.from_text([one], [[other]]), 1.5)
    assert found == pytest.approx(10 ** (2 / 3))
    largest = oracles.largest(one, other, 1.5)
    assert largest == pytest.approx((2 * 3**1.5) ** (2 / 3))
    assert found < largest


def test_worked_values() -> None:
    """Runs of 4 and 2 in six words: sqrt(20) / 6; an exponent of 1 sees the words only."""
    pair = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    assert GeneralTextMatcher().segment_scores(pair).tolist() == pytest.approx([sqrt(20) / 6])
    assert GeneralTextMatcher(exponent=1).segment_scores(pair).tolist() == [1.0]
    # Precision sqrt(5) / 3, recall sqrt(5) / 5.
    other = Segments.from_text(["a b c"], ["c x a b y"])
    precision, recall = sqrt(5) / 3, sqrt(5) / 5
    wanted = 2 * precision * recall / (precision + recall)
    assert GeneralTextMatcher().segment_scores(other).tolist() == pytest.approx([wanted])


def test_exponent_1_is_f1() -> None:
    rows = sentences(5, 80, 12, 6)
    references = [
        [sentences(n, 1, 12, 6)[0] for n in (seed, seed + 99)][: seed % 3] for seed in range(80)
    ]
    segments = Segments.from_text(rows, references)
    ours, f1 = wo.metric("gtm", exponent=1), wo.metric("f1")
    assert ours.statistics(segments).tolist() == f1.statistics(segments).tolist()
    assert ours.corpus_score(segments).value == f1.corpus_score(segments).value


@pytest.mark.parametrize("exponent", [1, 1.1, 1.5, 2, 2.7, 3, 4, 5, 6.3, 7, 8, 9, 10])
def test_equal_sentences_score_exactly_one(exponent: float) -> None:
    lines = [" ".join(f"w{n}" for n in range(length)) for length in range(1, 120)]
    segments = Segments.from_text(lines, lines)
    metric = wo.metric("gtm", exponent=exponent)
    assert metric.segment_scores(segments).tolist() == [1.0] * len(lines)
    assert metric.corpus_score(segments).value == 1.0
    # Reorderings of the words are never above 1.
    rng = random.Random(9)
    turned = [" ".join(rng.sample(line.split(), len(line.split()))) for line in lines]
    scores = metric.segment_scores(Segments.from_text(turned, lines))
    assert scores.max() <= 1.0


def test_equally_good_references_are_a_tie() -> None:
    """A run of 3 over 12 words, and one of 2 over 8: exactly as much."""
    references = ["a c b ab a ab a b c", "b ab ab ab c"]
    segments = Segments.from_text(["b ab a"], [references])
    statistics = wo.metric("gtm", exponent=3).statistics(segments)
    assert statistics[0, 1:].tolist() == [3.0, 9.0, 1.0]


def first_best(one: list[str], references: list[list[str]], exponent: int) -> int:
    """Return the first best reference by whole numbers alone."""
    best, value = 0, Fraction(-1)
    for number, other in enumerate(references):
        size = sum(length**exponent for length in oracles.run_lengths(oracles.greedy(one, other)))
        words = len(one) + len(other)
        found = Fraction(size, words**exponent) if words else Fraction(0)
        if found > value:
            best, value = number, found
    return best


@pytest.mark.parametrize("exponent", [1, 2, 3, 5, 10])
def test_the_first_of_the_best_references(exponent: int) -> None:
    rng = random.Random(exponent)
    rows, references = [], []
    for _ in range(400):
        rows.append(rng.choices("abc", k=rng.randrange(1, 6)))
        references.append([rng.choices("abc", k=rng.randrange(9)) for _ in range(4)])
    statistics = wo.metric("gtm", exponent=exponent).statistics(
        Segments.from_text(rows, references)
    )
    lengths = [
        len(several[first_best(row, several, exponent)])
        for row, several in zip(rows, references, strict=True)
    ]
    assert statistics[:, 2].tolist() == lengths


def test_ties_at_exponents_that_are_not_whole() -> None:
    """Runs of 3 and 1 over 13 words, and of 6 and 2 over 26: one share, whatever the exponent."""
    ours = "a b c d e f g h"
    short, long = "x d a b c", "g h a b c d e f" + " x" * 10
    for exponent in np.linspace(1.05, 9.95, 90).round(2).tolist():
        metric = wo.metric("gtm", exponent=exponent)
        for references in ([short, long], [long, short]):
            statistics = metric.statistics(Segments.from_text([ours], [references]))
            assert statistics[0, 2] == len(references[0].split())


def test_a_larger_exponent_never_raises_the_score() -> None:
    """The size of one matching falls with the exponent; greedy matchings are the same for all."""
    theirs = [[row] for row in sentences(8, 200, 12, 5)]
    segments = Segments.from_text(sentences(7, 200, 12, 5), theirs)
    sizes = np.array([matching_sizes(segments, exponent) for exponent in EXPONENTS])
    assert np.all(np.diff(sizes, axis=0) <= 1e-12)


def test_short_and_long_sentences() -> None:
    segments = Segments.from_text(["", "a", "", "a"], [[""], [""], ["a"], ["a"]])
    assert GeneralTextMatcher().segment_scores(segments).tolist() == [0, 0, 0, 1]
    words = [f"w{n % 700}" for n in range(3000)]
    turned = Segments.from_text([words], [[words[1000:] + words[:1000]]])
    scores = GeneralTextMatcher(exponent=10).segment_scores(turned)
    assert 0 < scores[0] < 1


def test_exponents_out_of_range_are_refused() -> None:
    for wrong in (0.5, 11, "x", True):
        refuses(UsageError, r"gtm\.exponent is a number", wo.metric, "gtm", exponent=wrong)
    assert wo.metric("gtm", exponent="1.2").signature().fields == (("exponent", "1.2"),)
