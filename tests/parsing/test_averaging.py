"""Weights that are mixed, and what stays of those that may take little room."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.parsing.toy import (
    Slow,
    ToyLearner,
    entries,
    half_up,
    instances,
    slow_epoch,
)

from wordorder.errors import UsageError
from wordorder.parsing.model_file import load_models, save_models, weights_arrays
from wordorder.parsing.training.averaging import LEVELS, compact, mixed, pruned, smaller
from wordorder.parsing.weights import COMPACT_BITS, UNIT, Weights


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
        weights = mixed(weights, [own for _, own in parts], before, done)
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
    assert entries(pruned(made(found), entries=number)) == best(found, number)


@settings(max_examples=40)
@given(WEIGHTS, st.integers(0, 5))
def test_those_near_zero_go(found: Slow, least: int) -> None:
    stay = {entry: value for entry, value in found.items() if value and abs(value) >= least}
    assert entries(pruned(made(found), least=least / UNIT)) == stay


@settings(max_examples=40)
@given(WEIGHTS, st.integers(0, 200))
def test_a_size_is_filled_but_not_exceeded(found: Slow, size: int) -> None:
    """The levels come on top: a table of some bytes."""

    def taken(weights: Weights) -> int:
        arrays = weights_arrays("w", compact(weights))
        return sum(array.nbytes for name, array in arrays.items() if name != "w.level")

    weights = pruned(made(found), size=size)
    assert taken(weights) <= size
    number = len(entries(weights))
    assert entries(weights) == best(found, number)
    if best(found, number + 1) != best(found, number):
        assert taken(made(best(found, number + 1))) > size


def test_a_bound_is_not_negative() -> None:
    with pytest.raises(UsageError, match="not negative"):
        pruned(made({}), entries=-1)


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
    assert len(set(small.values())) <= LEVELS
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
        small: dict[str, Any] = smaller(models, size)
        save_models(path, small, {})
        taken = path.stat().st_size
        whole = sum(len(compact(model.weights).value) for model in models.values())
        stay = sum(len(model.weights.value) for model in small.values())
        assert taken <= size
        # All of the room is used while something is left out.
        assert (taken > size - (1 << 15)) if stay < whole else (stay == whole)
        read: Any = load_models(path).parser
        assert read.weights.key_mask == COMPACT_BITS


def test_words_alone_may_be_too_many() -> None:
    parser: Any = load_models("en").parser
    with pytest.raises(UsageError, match="a size of 1000 bytes; words, tags and labels alone take"):
        smaller({"parser": parser}, 1000)
