"""Chunks of a system's order, against brute force and the metric that counts them."""

import random
from itertools import chain, combinations, pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wordorder import metric
from wordorder.errors import InputError
from wordorder.order.orders import Orders, best_reading, kept_pairs, moved_words
from wordorder.segments import Segments

Groups = list[list[int]]


def random_reference(rng: random.Random, words: int) -> Groups:
    """Most positions, in any order, tied or not."""
    row = [p for p in range(words) if rng.random() < 0.9]
    rng.shuffle(row)
    groups: Groups = []
    ties = rng.choice([0.0, 0.3, 0.6, 0.9])
    for position in row:
        if groups and rng.random() < ties:
            groups[-1].append(position)
        else:
            groups.append([position])
    return groups


def random_system(rng: random.Random, words: int) -> list[int]:
    row = [p for p in range(words) if rng.random() < 0.95]
    if rng.random() < 0.7:
        rng.shuffle(row)
    return row


def followers(system: list[int], reading: list[int]) -> list[bool]:
    """Say for each pair of neighbours among the shared words whether the reading has it too."""
    both = [p for p in reading if p in system]
    pairs = set(pairwise(both))
    return [pair in pairs for pair in pairwise([p for p in system if p in reading])]


def rows_of(kept: np.ndarray, offsets: np.ndarray) -> list[list[bool]]:
    return [kept[a:b].tolist() for a, b in pairwise(offsets.tolist())]


def test_no_reading_of_the_ties_keeps_more() -> None:
    rng = random.Random(5)
    words = [rng.randrange(8) for _ in range(600)]
    references = [random_reference(rng, n) for n in words]
    systems = [random_system(rng, n) for n in words]
    columns = Orders.from_rows(systems), Orders.from_rows(references)
    found = rows_of(*kept_pairs(*columns))
    for system, reference, kept in zip(systems, references, found, strict=True):
        readings = [
            list(chain.from_iterable(groups)) for groups in product(*map(permutations, reference))
        ]
        possible = [followers(system, reading) for reading in readings]
        assert kept in possible
        assert sum(kept) == max(map(sum, possible))


@pytest.mark.parametrize("tied", [False, True])
def test_chunks_are_those_that_the_metric_counts(tied: bool) -> None:
    rng = random.Random(6)
    words = [rng.choice([0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 200]) for _ in range(500)]
    references = [random_reference(rng, n) for n in words]
    if not tied:
        references = [[[p] for group in row for p in group] for row in references]
    system = Orders.from_rows([random_system(rng, n) for n in words])
    reference = Orders.from_rows(references)
    kept, offsets = kept_pairs(system, reference)
    rows = np.repeat(np.arange(len(words)), np.diff(offsets))
    sums = np.bincount(rows, kept, len(words))
    totals = metric("frs", average="micro").statistics(Segments.from_orders(system, reference))
    assert np.array_equal(sums, totals[:, 0])
    assert np.array_equal(np.diff(offsets), totals[:, 1])


def test_a_reading_keeps_the_pairs_that_are_named() -> None:
    rng = random.Random(7)
    words = [rng.randrange(20) for _ in range(500)]
    references = [random_reference(rng, n) for n in words]
    system = Orders.from_rows([random_system(rng, n) for n in words])
    reference = Orders.from_rows(references)
    read = best_reading(system, reference)
    assert read.ranks is None
    one, other = kept_pairs(system, reference), kept_pairs(system, read)
    assert rows_of(*one) == rows_of(*other)
    for row, groups in zip(read.positions.to_lists(), references, strict=True):
        at = 0
        for group in groups:
            assert sorted(row[at : at + len(group)]) == sorted(group)
            at += len(group)


def test_a_reference_without_ties_has_one_reading() -> None:
    reference = Orders.from_rows([[1, 0], []])
    assert best_reading(Orders.from_rows([[0, 1], [3]]), reference) is reference


def test_orders_of_other_numbers_of_rows_are_refused() -> None:
    with pytest.raises(InputError, match="1 rows of the system against 2"):
        kept_pairs(Orders.from_rows([[0]]), Orders.from_rows([[0], [0]]))


# -- Moved words against brute force.


@given(st.permutations(range(7)), st.integers(0, 7))
def test_as_few_words_as_possible_have_moved(row: list[int], words: int) -> None:
    row = row[:words]
    moved = moved_words(row)
    stay = [value for value, flag in zip(row, moved, strict=True) if not flag]
    assert stay == sorted(stay)
    longest = max(
        size
        for size in range(len(row) + 1)
        for chosen in combinations(row, size)
        if all(a < b for a, b in pairwise(chosen))
    )
    assert len(stay) == longest
