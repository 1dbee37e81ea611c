"""Orders as columns, against plain lists; their chunks against brute force and the metric."""

import random
from itertools import chain, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.oracles import lcs
from tests.oracles_orders import order_text
from tests.strategies import tied

from wordorder import metric
from wordorder.arrays import Ragged
from wordorder.errors import InputError, UsageError
from wordorder.order.orders import (
    MAX_POSITION,
    Order,
    Orders,
    best_reading,
    kept_pairs,
    moved_words,
)
from wordorder.segments import Segments

Groups = list[list[int]]


@st.composite
def groupings(draw: Any) -> Groups:
    """Draw one order: distinct positions cut into groups."""
    position = st.integers(0, 70) | st.just(MAX_POSITION - 1)
    positions = draw(st.lists(position, unique=True))
    groups: Groups = []
    for word in positions:
        if groups and draw(st.booleans()):
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def as_lists(orders: Orders) -> list[Groups]:
    return [[list(group) for group in order.groups] for order in orders]


@given(st.lists(groupings(), max_size=6))
def test_rows_come_back(rows: list[Groups]) -> None:
    orders = Orders.from_rows(rows)
    assert as_lists(orders) == rows
    assert [len(order) for order in orders] == orders.lengths.tolist()
    assert [list(o.positions) for o in orders] == orders.positions.to_lists()
    for i, row in enumerate(rows):
        assert orders.to_text(i).encode() + b"\n" == order_text(row)
    tied = any(len(group) > 1 for row in rows for group in row)
    assert (orders.ranks is not None) == tied
    if orders.ranks is not None:
        assert orders.ranks.to_lists() == [
            [rank for rank, group in enumerate(row) for _ in group] for row in rows
        ]


@given(st.lists(groupings(), max_size=6), st.integers(-7, 7), st.integers(-7, 7))
def test_slices_and_concatenation(rows: list[Groups], start: int, stop: int) -> None:
    orders = Orders.from_rows(rows, provenance=(("rule", "talbot"),))
    part = orders[start:stop]
    assert as_lists(part) == rows[start:stop]
    assert part.provenance == orders.provenance
    assert as_lists(orders[::-1]) == rows[::-1]
    assert Orders.concatenate([orders[:2], orders[2:3], orders[3:]]) == orders
    assert Orders.concatenate([orders, part]).provenance == orders.provenance


def test_equality_is_of_the_orders() -> None:
    plain = Orders.from_rows([[1, 0], [0]])
    assert plain == Orders.from_rows([[[1], 0], [0]], provenance=(("rule", "talbot"),))
    assert plain == Orders(plain.positions, Ragged.from_rows([[0, 1], [0]]))
    others: list[Any] = [[[[1, 0]], [0]], [[0, 1], [0]], [[1, 0, 2], []]]
    assert plain not in map(Orders.from_rows, others)
    empty = Orders.concatenate([])
    assert empty == Orders.from_rows([])
    assert (len(empty), list(empty)) == (0, [])


def test_one_row_by_index_and_the_text_of_a_column() -> None:
    orders = Orders.from_rows([[1, 0], [[0, 2]]])
    assert orders[-1] == orders[1] == Order(((0, 2),))
    assert orders[0] == Order(((1,), (0,)))
    with pytest.raises(IndexError):
        orders[2]
    assert repr(orders[:1]) == "Orders(1 rows, 2 words)"
    assert repr(orders[1:]) == "Orders(1 rows, 2 words, with ties)"
    parts = [Orders.from_rows([[0]], provenance=(("rule", rule),)) for rule in ("a", "b")]
    with pytest.raises(UsageError):
        Orders.concatenate(parts)


def test_other_kinds_of_rows() -> None:
    expected = Orders.from_rows([[1, 0], [2]])
    assert Orders.from_rows(Ragged.from_rows([[1, 0], [2]])) == expected
    assert Orders.from_rows([np.array([1, 0]), np.array([2], np.uint8)]) == expected
    assert Orders.from_rows(iter([(1, 0), range(2, 3)])) == expected
    assert Orders.from_rows(np.array([[2, 1, 0], [0, 1, 2]]))[0].positions == (2, 1, 0)
    assert Orders.from_rows([[np.array([1, 0]), 2]]) == Orders.from_rows([[(1, 0), 2]])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([7, 1, 7], "row 3, entry 3: position 7 is listed twice"),
        ([7, [1, 7]], "row 3, entry 3: position 7 is listed twice"),
        ([[7, 7]], "row 3, entry 2: position 7 is listed twice"),
        ([0, -1], "row 3, entry 2: position -1; expected a position from 0 to 16777215"),
        ([MAX_POSITION], "row 3, entry 1: position 16777216"),
        ([5, 5, -1], "row 3, entry 2: position 5 is listed twice"),
        ([-(2**31)], "row 3, entry 1: position -2147483648"),
        ([2**31], "row 3, entry 1: 2147483648; expected an integer of 32 bits"),
        ([10**20], "row 3, entry 1: 1000"),
        ([0, []], "row 3: an empty group"),
        ([0, "1"], "row 3: '1'; expected a position, or a sequence of positions that tie"),
        ([0, [1, "2"]], "row 3, entry 3: '2'"),
        ([0, [[1, 2]]], "row 3, entry 2: "),
        ([0.5], "row 3: 0.5"),
        (np.array([1.0]), "row 3: "),
        ([True], "row 3, entry 1: True"),
        ([[True], 2], "row 3, entry 1: True"),
        ([True, [2]], "row 3, entry 1: True"),
        ([None], "row 3: None"),
        ("2 0 1", "row 3: '2 0 1'; expected a sequence of integers"),
        (5, "row 3: 5; expected a sequence of integers"),
    ],
)
def test_rows_that_are_no_orders(row: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Orders.from_rows([[0], [], row, [0, 0]])
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 1000])
def test_one_repeated_position_among_many(size: int) -> None:
    row = list(range(size))
    good = Ragged.from_rows([[], row, [size - 1], [*row, size]])
    assert Orders(good).positions == good
    for again in sorted({0, size // 2, size - 1}):
        with pytest.raises(InputError) as caught:
            Orders(Ragged.from_rows([[], row, [size - 1], [*row, again], [0, 0]]))
        assert caught.value.where == f"row 4, entry {size + 1}"
        assert caught.value.what == f"position {again} is listed twice"


@pytest.mark.parametrize(
    ("ranks", "where"),
    [
        ([[0, 1, 2], [1]], "row 2, entry 1"),
        ([[0, 2, 2], [0]], "row 1, entry 2"),
        ([[0, 1, 0], [0]], "row 1, entry 3"),
        ([[-1, 0, 1], [0]], "row 1, entry 1"),
        ([[0, 1], [0, 0]], "ranks"),
        ([[0, 1, 2]], "ranks"),
    ],
)
def test_ranks_that_are_none(ranks: list[list[int]], where: str) -> None:
    with pytest.raises(InputError) as caught:
        Orders(Ragged.from_rows([[2, 0, 1], [0]]), Ragged.from_rows(ranks))
    assert caught.value.where == where


# -- Chunks of a system's order, against brute force and the metric that counts them.


def random_reference(rng: random.Random, words: int) -> Groups:
    """Most positions, in any order, tied or not."""
    row = [p for p in range(words) if rng.random() < 0.9]
    rng.shuffle(row)
    return tied(rng, row, rng.choice([0.0, 0.3, 0.6, 0.9]))


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


@pytest.mark.parametrize("ties", [False, True])
def test_chunks_are_those_that_the_metric_counts(ties: bool) -> None:
    rng = random.Random(6)
    words = [rng.choice([0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 200]) for _ in range(500)]
    references = [random_reference(rng, n) for n in words]
    if not ties:
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
    reference = Orders.from_rows([[1, 0], []])
    assert best_reading(Orders.from_rows([[0, 1], [3]]), reference) is reference
    with pytest.raises(InputError, match="1 rows of the system against 2"):
        kept_pairs(Orders.from_rows([[0]]), Orders.from_rows([[0], [0]]))


# -- Moved words against brute force.


@given(st.permutations(range(7)), st.integers(0, 7))
def test_as_few_words_as_possible_have_moved(row: list[int], words: int) -> None:
    row = row[:words]
    moved = moved_words(row)
    stay = [value for value, flag in zip(row, moved, strict=True) if not flag]
    assert stay == sorted(stay)
    assert len(stay) == lcs(row, sorted(row))
