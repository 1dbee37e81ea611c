"""Weights against a dictionary, and averages against fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.parsing.toy import Slow, entries, half_up, written

from wordorder.errors import UsageError
from wordorder.parsing.weights import ALL_BITS, COMPACT_BITS, UNIT, Weights, pairs

Change = tuple[int, int, int]

# Keys that want the same slots, the last ones too, from where the search goes round.
KEYS = st.sampled_from([0, 1, 8191, 8191 + (1 << 20), 8191 + (1 << 40), ALL_BITS])
CHANGES = st.lists(
    st.lists(st.tuples(KEYS, st.integers(0, 40), st.integers(-3, 3)), max_size=8), max_size=12
)


def learnt(instances: list[list[Change]], actions: int = 41) -> Weights:
    weights = Weights(actions)
    for before, changes in enumerate(instances):
        keys, numbers, deltas = zip(*changes, strict=True) if changes else ((), (), ())
        arrays = np.array(numbers, np.int32), np.array(deltas, np.int32) * UNIT
        weights.add(np.array(keys, np.uint64), *arrays, before)
    return weights


def slow(instances: list[list[Change]], total: int) -> Slow:
    """Average as it is defined: the weights after each instance, added up."""
    weights: Slow = defaultdict(int)
    sums: Slow = defaultdict(int)
    for number in range(total):
        for key, action, delta in instances[number] if number < len(instances) else []:
            weights[key, action] += delta * UNIT
        for entry, value in weights.items():
            sums[entry] += value
    means = {entry: half_up(Fraction(value, total)) for entry, value in sums.items()}
    return {entry: mean for entry, mean in means.items() if mean}


@settings(max_examples=40)
@given(CHANGES, st.integers(1, 3))
def test_average_is_that_of_all_instances(instances: list[list[Change]], more: int) -> None:
    total = len(instances) + more
    averaged = learnt(instances).averaged(total)
    assert entries(averaged) == slow(instances, total)
    assert all(averaged.row(key) for key in averaged.row_keys().tolist())


@settings(max_examples=40)
@given(CHANGES)
def test_values_are_sums_and_rows_do_not_depend_on_the_way(instances: list[list[Change]]) -> None:
    weights = learnt(instances)
    expected: Slow = defaultdict(int)
    for changes in instances:
        for key, action, delta in changes:
            expected[key, action] += delta * UNIT
    assert entries(weights) == {entry: value for entry, value in expected.items() if value}
    again = learnt([list(reversed(changes)) for changes in instances])
    assert written(weights) == written(again)


def test_room_grows_and_gaps_close() -> None:
    """Rows of many sizes, so many that table, rows and entries grow, and rows leave gaps."""
    rng = np.random.default_rng(3)
    weights = Weights(300)
    expected: Slow = defaultdict(int)
    most = 0
    for before in range(300):
        keys = rng.integers(0, 6000, 400).astype(np.uint64) ** 3 * np.uint64(0x9E3779B97F4A7C15)
        actions = (rng.integers(0, 300, 400) * (keys % 7 == 0)).astype(np.int32)
        weights.add(keys, actions, np.full(400, UNIT, np.int32), before)
        for entry in zip(keys.tolist(), actions.tolist(), strict=True):
            expected[entry] += UNIT
        most = max(most, len(weights.moment))
    assert entries(weights) == dict(expected)
    assert weights.features > 1 << 12
    assert len(weights.table) >= 4 * weights.features
    # What rows left behind is used again.
    assert most < 4 * len(expected) + 8 * 300 + (1 << 14)


def test_a_copy_learns_on_alone() -> None:
    weights = learnt([[(5, 1, 1)], [(5, 2, 1), (6, 0, -1)]])
    copy = weights.copy()
    more = np.array([5], np.uint64), np.array([1], np.int32), np.array([UNIT], np.int32)
    copy.add(*more, 2)
    assert weights.row(5) == {1: UNIT, 2: UNIT}
    assert copy.row(5) == {1: 2 * UNIT, 2: UNIT}
    averaged = weights.averaged(2)
    with pytest.raises(UsageError, match="only to be read"):
        averaged.add(*more, 2)
    thawed = averaged.copy()
    thawed.add(*more, 0)
    assert thawed.row(5) == {1: 2 * UNIT, 2: UNIT // 2}
    assert averaged.row(5) == {1: UNIT, 2: UNIT // 2}


@pytest.mark.parametrize("rows", [0, 1, 4096, 4097])
def test_rows_as_they_are_read_can_be_learnt_on_with(rows: int) -> None:
    first = [[(key * 3, key % 3, 1) for key in range(rows)]]
    whole = learnt([*first, [(key, 7, 1) for key in range(2 * rows + 1)]])
    key, counts, action, value, moment = learnt(first).rows()
    read = Weights.from_rows(41, key, counts, pairs(action, value, np.int32), moment)
    keys = np.arange(2 * rows + 1, dtype=np.uint64)
    read.add(keys, np.full(len(keys), 7, np.int32), np.full(len(keys), UNIT, np.int32), 1)
    assert written(read) == written(whole)


def test_compact_keys_are_looked_up_by_half() -> None:
    key = np.array([5], np.uint64)
    action, value = np.array([1], np.int16), np.array([3], np.int32)
    weights = Weights.from_entries(2, key, action, value, COMPACT_BITS)
    assert weights.row((7 << 32) | 5) == {1: 3}
    more = weights.copy()
    more.add(np.array([(9 << 32) | 5], np.uint64), action.astype(np.int32), value, 0)
    assert more.row(5) == {1: 6}


def test_no_weights() -> None:
    weights = Weights(3)
    assert weights.row(0) == {}
    assert [len(array) for array in weights.rows()] == [0] * 5
    assert entries(weights.averaged(0)) == {}


@pytest.mark.parametrize("actions", [-1, 32_768])
def test_more_actions_than_numbers_are_refused(actions: int) -> None:
    with pytest.raises(UsageError, match="weights tell at most 32767 apart"):
        Weights(actions)
