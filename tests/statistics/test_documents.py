"""Intervals and tests that draw whole documents, against loops over documents."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from tests import oracles_statistics as oracle
from tests.oracles_statistics import ratio

from wordorder.statistics.documents import Documents
from wordorder.statistics.intervals import ResamplingPlan, confidence_intervals
from wordorder.statistics.measurement import Measurement, resample_keys
from wordorder.statistics.paired_tests import approximate_randomization, compare

Rows = list[list[float]]


def score(rows: Rows) -> Fraction:
    hits, words = (sum((Fraction(row[k]) for row in rows), Fraction()) for k in (0, 1))
    return hits / words


def drawn_documents(rows: Rows, names: list[str], key: int) -> Rows:
    """A resample: as many documents as there are, with all of their segments."""
    unique = list(dict.fromkeys(names))
    counts, _ = oracle.draw_counts(key, len(unique))
    return [
        row
        for name, count in zip(unique, counts, strict=True)
        for _ in range(count)
        for row, own in zip(rows, names, strict=True)
        if own == name
    ]


def swapped_documents(first: Rows, second: Rows, names: list[str], swapped: set[str]) -> Fraction:
    one = [b if n in swapped else a for a, b, n in zip(first, second, names, strict=True)]
    two = [a if n in swapped else b for a, b, n in zip(first, second, names, strict=True)]
    return abs(score(two) - score(one))


@pytest.mark.parametrize("documents", [4, 40])
def test_whole_documents_are_drawn_and_swapped(documents: int) -> None:
    random = np.random.default_rng(documents)
    # Documents differ in their lengths; the segments of one do not stand together.
    names = [f"d{n}" for n in [*range(documents), *random.integers(documents, size=2 * documents)]]
    lengths = random.integers(2, 9, len(names))
    systems = [
        np.stack([random.binomial(lengths, rate), lengths], axis=1).astype(float)
        for rate in (0.5, 0.6)
    ]
    first, second = (system.tolist() for system in systems)
    measured = Measurement(systems, score=ratio)
    grouped = Documents.of(names).measurement(measured)
    assert grouped.segments == documents
    assert grouped.values().tolist() == measured.values().tolist()

    keys = resample_keys(100, 3).tolist()
    ((estimate, _),) = confidence_intervals([grouped], resamples=100, seed=3)
    values = sorted(score(drawn_documents(first, names, key)) for key in keys)
    dropped = floor(100 * 0.025)
    assert estimate.low == pytest.approx(float(values[dropped]))
    assert estimate.high == pytest.approx(float(values[-1 - dropped]))

    differences = [
        score(drawn_documents(second, names, key)) - score(drawn_documents(first, names, key))
        for key in keys
    ]
    (bootstrap,) = compare([grouped], test="bootstrap", resamples=100, seed=3)
    bounds = sorted(differences)[dropped], sorted(differences)[-1 - dropped]
    assert bootstrap.pairs[0].interval_95 == pytest.approx(tuple(map(float, bounds)))

    unique = list(dict.fromkeys(names))
    if documents == 4:
        flips = [[number >> bit & 1 for bit in range(4)] for number in range(16)]
        share = Fraction(0)
    else:
        flips = [oracle.draw_swaps(key, documents) for key in keys]
        share = Fraction(1)
    real = abs(score(second) - score(first))
    for flip in flips:
        swapped = {name for name, bit in zip(unique, flip, strict=True) if bit}
        share += swapped_documents(first, second, names, swapped) >= real
    (found,) = approximate_randomization([grouped], resamples=100, seed=3)
    assert found.pairs[0].p_value == float(share / (len(flips) + (documents == 40)))


def test_few_documents_are_judged_by_randomization() -> None:
    """Two documents show nothing, however many segments they have."""
    worse, better = np.zeros((200, 1)), np.ones((200, 1))
    measured = Measurement([worse, better], score=lambda totals: totals[..., 0] / 200)
    (alone,) = compare([measured])
    (grouped,) = compare([Documents.of(["a", "b"] * 100).measurement(measured)])
    assert (alone.pairs[0].mark, grouped.pairs[0].mark) == ("+**", "0")
    assert (grouped.test, grouped.pairs[0].p_value) == ("randomization", 0.5)


def test_documents_of_some_segments() -> None:
    """An interval of a group of segments draws the documents that these are of."""
    names = [f"d{number % 7}" for number in range(40)]
    random = np.random.default_rng(3)
    rows = np.stack([random.integers(0, 5, 40), random.integers(5, 9, 40)], axis=1).astype(float)
    chosen = np.array([0, 3, 7, 10, 14, 15, 38])
    drawn = ResamplingPlan(resamples=50, seed=2, documents=Documents.of(names))
    (estimates,) = drawn.estimates_of([Measurement([rows], score=ratio)], chosen)
    assert estimates[0] is not None
    some, own = rows[chosen].tolist(), [names[place] for place in chosen]
    keys = resample_keys(50, 2).tolist()
    values = sorted(score(drawn_documents(some, own, key)) for key in keys)
    assert estimates[0].low == pytest.approx(float(values[1]))
    assert estimates[0].high == pytest.approx(float(values[48]))


def test_documents_whose_segments_stand_apart_are_counted() -> None:
    assert Documents.of(["a", "a", "b"]).scattered == 0
    assert Documents.of(["a", "b", "a", "c", "b"]).scattered == 2
