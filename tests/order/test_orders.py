from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.oracles_orders import order_text

from wordorder.arrays import Ragged
from wordorder.errors import InputError, UsageError
from wordorder.order.orders import MAX_POSITION, Order, Orders

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


def test_orders_of_different_provenance_do_not_mix() -> None:
    parts = [Orders.from_rows([[0]], provenance=(("rule", rule),)) for rule in ("a", "b")]
    with pytest.raises(UsageError):
        Orders.concatenate(parts)
