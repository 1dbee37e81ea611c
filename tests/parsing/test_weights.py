"""Weights against a dictionary, and averages against fractions."""

from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.parsing.toy import Slow, ToyLearner, entries, half_up, instances, slow_epoch, written
from tests.refusing import refuses

from wordorder.errors import UsageError
from wordorder.parsing.model_file import load_models, save_models, weights_arrays
from wordorder.parsing.training.averaging import mix_weights
from wordorder.parsing.training.compact_models import (
    MAX_LEVELS,
    compact,
    prune_weights,
    shrink_models,
)
from wordorder.parsing.weights import ALL_BITS, COMPACT_BITS, UNIT, Weights

Change = tuple[int, int, int]

# Keys that want the same slots, the last ones too, from where the search goes round; and two whose
# slots also say the same of them.
ALIKE = (1 << 13) | (1 << 45)

KEYS = st.sampled_from([0, ALIKE, 1, 8191, 8191 + (1 << 20), 8191 + (1 << 40), ALL_BITS])

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
    assert all(averaged.row(key) for key in averaged.rows()[0].tolist())


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
    assert len(weights.table) >= 2 * weights.features
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
    refuses(UsageError, "only to be read", averaged.add, *more, 2)
    thawed = averaged.copy()
    thawed.add(*more, 0)
    assert thawed.row(5) == {1: 2 * UNIT, 2: UNIT // 2}
    assert averaged.row(5) == {1: UNIT, 2: UNIT // 2}


@pytest.mark.parametrize("rows", [0, 1, 4096, 4097])
def test_rows_as_they_are_read_can_be_learnt_on_with(rows: int) -> None:
    first = [[(key * 3, key % 3, 1) for key in range(rows)]]
    whole = learnt([*first, [(key, 7, 1) for key in range(2 * rows + 1)]])
    key, counts, action, value, moment = learnt(first).rows()
    read = Weights.from_rows(41, key, counts, action, value, moment)
    keys = np.arange(2 * rows + 1, dtype=np.uint64)
    read.add(keys, np.full(len(keys), 7, np.int32), np.full(len(keys), UNIT, np.int32), 1)
    assert written(read) == written(whole)


@pytest.mark.parametrize("actions", [1, 7, 8, 9, 16, 107])
def test_long_rows_are_stored_once_more_with_all_actions(actions: int) -> None:
    counts = [1 + row % actions for row in range(3 * actions)]
    rows = [{a * a % actions: a + 1 for a in range(count)} for count in counts]
    whole = {(key, action): value for key, row in enumerate(rows) for action, value in row.items()}
    weights = made(whole, actions)
    assert entries(weights) == whole
    keys, long_rows = weights.rows()[0].tolist(), 0
    for key, head in zip(keys, weights.heads().tolist(), strict=True):
        count = len(weights.row(key))
        behind = weights.entries[2 * (head + 1 + count) :][:actions].tolist()
        if count >= weights.long_row:
            long_rows += 1
            assert behind == [rows[key].get(action, 0) for action in range(actions)]
    assert long_rows == sum(len(row) >= actions // 8 + 1 for row in rows) > 0
    # What can change is stored once.
    assert weights.copy().long_row > actions


def test_compact_keys_are_looked_up_by_half() -> None:
    key = np.array([5], np.uint64)
    action, value = np.array([1], np.int16), np.array([3], np.int32)
    weights = Weights.from_entries(2, key, action, value, COMPACT_BITS)
    assert weights.row((7 << 32) | 5) == {1: 3}
    more = weights.copy()
    more.add(np.array([(9 << 32) | 5], np.uint64), action.astype(np.int32), value, 0)
    assert more.row(5) == {1: 6}


def test_no_weights_too_many_actions_and_negative_bounds() -> None:
    weights = Weights(3)
    assert weights.row(0) == {}
    assert [len(array) for array in weights.rows()] == [0] * 5
    assert entries(weights.averaged(0)) == {}
    for actions in (-1, 32_768):
        refuses(UsageError, "weights tell at most 32767 apart", Weights, actions)
    refuses(UsageError, "not negative", prune_weights, made({}), max_entries=-1)


# -- Weights that are mixed, and what stays of those that may take little room. --------------------


@pytest.mark.parametrize("shards", [1, 2, 3, 5])
def test_epochs_of_shards(shards: int) -> None:
    data = instances(23, seed=shards)
    learner = ToyLearner(data)
    rows = np.arange(len(data))
    weights = learner.new_weights()
    slow: Slow = {}
    total: dict[tuple[int, int], int] = {}
    before = 0
    for _ in range(3):
        parts = [(rows[shard::shards], weights.copy()) for shard in range(shards)]
        for share, own in parts:
            learner.learn(share, own, before)
        done = [len(share) for share, _ in parts]
        weights = mix_weights(weights, [own for _, own in parts], before, done)
        before += len(rows)
        ends = []
        for share, _ in parts:
            end, sums = slow_epoch(data, share.tolist(), slow)
            ends.append(end)
            total = {e: total.get(e, 0) + sums.get(e, 0) for e in total.keys() | sums.keys()}
        names = {name for end in ends for name in end}
        slow = {n: half_up(Fraction(sum(end[n] for end in ends), shards)) for n in names}
        assert entries(weights) == {name: value for name, value in slow.items() if value}
        means = {name: half_up(Fraction(value, before)) for name, value in total.items()}
        assert entries(weights.averaged(before)) == {n: mean for n, mean in means.items() if mean}


WEIGHTS = st.dictionaries(
    st.tuples(st.integers(0, 9), st.integers(0, 5)), st.integers(-4, 4), max_size=40
)


def made(found: Slow, actions: int = 6) -> Weights:
    whole = sorted(found.items())
    keys = np.array([key for (key, _), _ in whole], np.uint64)
    action = np.array([number for (_, number), _ in whole], np.int16)
    return Weights.from_entries(actions, keys, action, np.array([v for _, v in whole], np.int32))


def best(found: Slow, number: int) -> Slow:
    order = sorted(found, key=lambda entry: (-abs(found[entry]), entry))
    return {entry: found[entry] for entry in order[:number] if found[entry]}


@settings(max_examples=40)
@given(WEIGHTS, st.integers(0, 45))
def test_the_largest_stay(found: Slow, number: int) -> None:
    assert entries(prune_weights(made(found), max_entries=number)) == best(found, number)


@settings(max_examples=40)
@given(WEIGHTS, st.integers(0, 5))
def test_those_near_zero_go(found: Slow, least: int) -> None:
    stay = {entry: value for entry, value in found.items() if value and abs(value) >= least}
    assert entries(prune_weights(made(found), min_weight=least / UNIT)) == stay


@settings(max_examples=40)
@given(WEIGHTS, st.integers(0, 200))
def test_a_size_is_filled_but_not_exceeded(found: Slow, size: int) -> None:
    """The levels come on top: a table of some bytes."""

    def taken(weights: Weights) -> int:
        arrays = weights_arrays("w", compact(weights))
        return sum(array.nbytes for name, array in arrays.items() if name != "w.level")

    weights = prune_weights(made(found), max_bytes=size)
    assert taken(weights) <= size
    number = len(entries(weights))
    assert entries(weights) == best(found, number)
    if best(found, number + 1) != best(found, number):
        assert taken(made(best(found, number + 1))) > size


@settings(max_examples=40)
@given(WEIGHTS)
def test_few_different_weights_stay_as_they_are(found: Slow) -> None:
    small = compact(made(found))
    assert entries(small) == {entry: value for entry, value in found.items() if value}
    assert small.key_mask == COMPACT_BITS
    assert compact(small) is small


@pytest.mark.parametrize("seed", range(3))
def test_many_weights_are_rounded_by_their_size(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = {
        (key, action): int(np.exp2(rng.uniform(0, 18))) * (1 if key % 2 else -1)
        for key in range(300)
        for action in range(5)
    }
    small = entries(compact(made(found)))
    assert len(set(small.values())) <= MAX_LEVELS
    error = [abs(small[entry] / found[entry] - 1) for entry in found]
    # Two binary digits after the first at least.
    assert max(error) <= 1 / 8


def test_of_two_keys_with_one_half_the_heavier_stays() -> None:
    found = {(5, 0): 10, (5 + (1 << 32), 1): -7, (5 + (1 << 33), 0): 6, (5 + (1 << 33), 1): 6}
    found |= {(6, 0): 1, (6 + (1 << 32), 0): -1}
    small = compact(made(found))
    assert entries(small) == {(5, 0): 6, (5, 1): 6, (6, 0): 1}
    assert small.row(5 + (1 << 50)) == {0: 6, 1: 6}
    assert all(small.row(key) == {} for key in (0, 1, 1 << 32))


def test_models_of_a_size(tmp_path: Path) -> None:
    english = load_models("en")
    models: dict[str, Any] = {"tagger": english.tagger, "parser": english.parser}
    for size in (3_000_000, 6_000_000, 30_000_000):
        path = tmp_path / f"{size}.model"
        small: dict[str, Any] = shrink_models(models, size)
        save_models(path, small, {})
        taken = path.stat().st_size
        whole = sum(len(compact(model.weights).rows()[3]) for model in models.values())
        stay = sum(len(model.weights.rows()[3]) for model in small.values())
        assert taken <= size
        # All of the room is used while something is left out.
        assert (taken > size - (1 << 15)) if stay < whole else (stay == whole)
        read: Any = load_models(path).parser
        assert read.weights.key_mask == COMPACT_BITS


def test_words_alone_may_be_too_many() -> None:
    parser: Any = load_models("en").parser
    with pytest.raises(UsageError, match="a size of 1000 bytes; words, tags and labels alone take"):
        shrink_models({"parser": parser}, 1000)
