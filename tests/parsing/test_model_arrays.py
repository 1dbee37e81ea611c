"""Weights and strings as arrays: the same after a round trip, nothing believed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.parsing.toy import entries, written

from wordorder.errors import ModelError
from wordorder.parsing.model_file import (
    strings_arrays,
    strings_from_arrays,
    weights_arrays,
    weights_from_arrays,
)
from wordorder.parsing.training.averaging import compact
from wordorder.parsing.weights import MOST_ACTIONS, Weights

Arrays = dict[str, Any]


def learnt(actions: int, seed: int = 5) -> Weights:
    rng = np.random.default_rng(seed)
    weights = Weights(actions)
    for before in range(20):
        keys = rng.integers(0, 50, 40).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        changed = rng.integers(0, actions, 40).astype(np.int32)
        weights.add(keys, changed, rng.integers(-900, 900, 40).astype(np.int32), before)
    return weights


@pytest.mark.parametrize("actions", [1, 255, 256, 257, MOST_ACTIONS])
@pytest.mark.parametrize("quantised", [False, True])
def test_round_trip(actions: int, quantised: bool) -> None:
    averaged = learnt(actions).averaged(20)
    weights = compact(averaged) if quantised else averaged
    arrays = weights_arrays("w", weights)
    again = weights_from_arrays("w", arrays, actions)
    assert entries(again) == entries(weights)
    assert again.key_mask == weights.key_mask
    assert not again.is_writable
    for key in averaged.row_keys().tolist():
        assert again.row(key) == dict(sorted(weights.row(key).items()))
    repeated = weights_arrays("w", again)
    assert {n: a.tobytes() for n, a in arrays.items()} == {
        n: a.tobytes() for n, a in repeated.items()
    }


def test_learning_goes_on() -> None:
    weights, other = learnt(9), learnt(9, seed=6)
    again = weights_from_arrays("w", weights_arrays("w", weights, training=True), 9)
    for learner in (weights, again):
        ones = np.ones(other.features, np.int32)
        learner.add(other.row_keys(), ones, ones, 20)
    assert written(weights) == written(again)


def test_no_weights() -> None:
    for quantised in (False, True):
        nothing = Weights(3).averaged(1)
        arrays = weights_arrays("w", compact(nothing) if quantised else nothing)
        assert weights_from_arrays("w", arrays, 3).row(0) == {}


def wrong(name: str, place: int, value: int) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name][place] = value

    return change


def other(name: str, **options: Any) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name] = arrays[name].astype(options["dtype"])

    return change


def shorter(name: str) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name] = arrays[name][:-1]

    return change


def missing(name: str) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        del arrays[name]

    return change


def reshaped(name: str) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name] = arrays[name].reshape(-1, 1)

    return change


def swapped(arrays: Arrays) -> None:
    arrays["w.key"] = arrays["w.key"][::-1].copy()


NAMES = ["w.key", "w.count", "w.action", "w.value"]
FAULTS = [
    *(make(name) for make in (missing, shorter, reshaped) for name in NAMES),
    *(other(name, dtype=np.float64) for name in NAMES),
    swapped,
    wrong("w.key", 1, 0),
    wrong("w.count", 0, 0),
    wrong("w.count", 0, 41),
    wrong("w.action", 3, 9),
]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("quantised", [False, True])
def test_senseless_weights_are_refused(fault: Callable[[Arrays], None], quantised: bool) -> None:
    averaged = learnt(9).averaged(20)
    made = weights_arrays("w", compact(averaged) if quantised else averaged)
    arrays = {name: array.copy() for name, array in made.items()}
    fault(arrays)
    with pytest.raises(ModelError, match="^w"):
        weights_from_arrays("w", arrays, 9)


@pytest.mark.parametrize(
    ("quantised", "fault"),
    [
        (False, wrong("w.count", 0, -1)),
        (False, wrong("w.action", 0, -1)),
        (False, wrong("w.value", 0, -(1 << 31))),
        (False, other("w.key", dtype=np.int64)),
        (True, wrong("w.value", 0, 255)),
        (True, wrong("w.level", 0, (1 << 31) - 1)),
        (True, shorter("w.level")),
        (True, other("w.level", dtype=np.int64)),
    ],
)
def test_numbers_out_of_bounds(quantised: bool, fault: Callable[[Arrays], None]) -> None:
    averaged = learnt(9).averaged(20)
    made = weights_arrays("w", compact(averaged) if quantised else averaged)
    arrays = {name: array.copy() for name, array in made.items()}
    fault(arrays)
    with pytest.raises(ModelError, match="^w"):
        weights_from_arrays("w", arrays, 9)


@pytest.mark.parametrize("actions", [-1, MOST_ACTIONS + 1, True, "3", None])
def test_senseless_numbers_of_actions(actions: Any) -> None:
    arrays = weights_arrays("w", Weights(3).averaged(1))
    with pytest.raises(ModelError, match="actions"):
        weights_from_arrays("w", arrays, actions)


def test_any_change_is_refused_or_gives_weights_that_can_be_used() -> None:
    rng = random.Random(2)
    made = (
        weights_arrays("w", learnt(9).averaged(20)),
        weights_arrays("w", compact(learnt(9).averaged(20))),
    )
    for number in range(300):
        arrays = {name: array.copy() for name, array in made[number % 2].items()}
        array = arrays[rng.choice(sorted(arrays))]
        array.view(np.uint8)[rng.randrange(array.nbytes)] ^= 1 << rng.randrange(8)
        try:
            weights = weights_from_arrays("w", arrays, 9)
        except ModelError:
            continue
        assert all(0 <= action < 9 for _, action in entries(weights))
        assert weights.copy().averaged(1).features <= weights.features


@pytest.mark.parametrize(
    "strings", [[], [""], ["a"], ["nsubj", "", "語", "\ud800", "a\nb", "\0"], ["x" * 70_000]]
)
def test_strings(strings: list[str]) -> None:
    assert strings_from_arrays("s", strings_arrays("s", strings)) == strings


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {"s.letters": np.zeros(1, np.uint8)},
        {"s.letters": np.zeros(2, np.uint8), "s.bytes": np.array([1], np.int32)},
        {"s.letters": np.zeros(2, np.uint8), "s.bytes": np.array([1, 1], np.int32)},
        {"s.letters": np.zeros(2, np.uint8), "s.bytes": np.array([3, -1], np.int32)},
        {"s.letters": np.zeros(2, np.uint8), "s.bytes": np.array([2], np.int64)},
        {"s.letters": np.array([0xFF, 0], np.uint8), "s.bytes": np.array([1, 1], np.int32)},
        {"s.letters": np.zeros(0, np.uint8), "s.bytes": np.full(8, 1 << 30, np.int32)},
    ],
)
def test_senseless_strings_are_refused(arrays: Arrays) -> None:
    with pytest.raises(ModelError, match="^s"):
        strings_from_arrays("s", arrays)
