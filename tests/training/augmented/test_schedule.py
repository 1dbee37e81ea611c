"""The schedule against the loop that the paper prints, with its index mended."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from wordorder.errors import UsageError
from wordorder.training.augmented.learner import Schedule


def printed_loop(
    orders: list[list[int]], trees: int, ratios: list[Fraction], sizes: list[int]
) -> list[list[int]]:
    """Run algorithm 2: all iterations, all losses, one instance of each loss that is due."""
    most = max([Fraction(1), *ratios])
    rates = [1 / most, *(ratio / most for ratio in ratios)]
    firsts = [trees + sum(sizes[:j]) for j in range(len(sizes))]
    places = [0] * len(sizes)
    epochs: list[list[int]] = [[]]
    waiting = [row for order in orders for row in order]
    done = i = 0
    while True:
        for j, rate in enumerate(rates):
            if math.floor((i + 1) * rate) <= math.floor(i * rate):
                continue
            if j == 0:
                epochs[-1].append(waiting[done])
                done += 1
            else:
                epochs[-1].append(firsts[j - 1] + places[j - 1])
                places[j - 1] = (places[j - 1] + 1) % sizes[j - 1]
        i += 1
        if math.floor(i * rates[0]) == len(epochs) * len(orders[0]) and i * rates[0] == math.floor(
            i * rates[0]
        ):
            if len(epochs) == len(orders):
                return epochs
            epochs.append([])


@pytest.mark.parametrize("number", range(60))
def test_the_same_as_the_printed_loop(number: int) -> None:
    rng = random.Random(number)
    trees, epochs = rng.randint(1, 9), rng.randint(1, 4)
    choices = [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(1, 3), Fraction(3, 2)]
    ratios = [rng.choice(choices) for _ in range(rng.randint(1, 3))]
    # The loop ends epochs between two iterations: where the treebank's rate allows it.
    if max(ratios) == Fraction(3, 2):
        trees *= 2
    sizes = [rng.randint(1, 12) for _ in ratios]
    orders = [rng.sample(range(trees), trees) for _ in range(epochs)]
    start = rng.randint(0, 2)
    schedule = Schedule(trees, [float(ratio) for ratio in ratios], sizes, start)
    for epoch in range(1, start + 1):
        assert schedule.epoch(np.array(orders[0]), epoch).tolist() == orders[0]
    found = [
        schedule.epoch(np.array(order), start + epoch).tolist()
        for epoch, order in enumerate(orders, 1)
    ]
    assert found == printed_loop(orders, trees, ratios, sizes)


def test_ratios_are_those_asked_for() -> None:
    for ratio in (0.5, 1.0, 2.0, 0.333, 1.7):
        order = Schedule(100, [ratio], [7]).epoch(np.arange(100), 1)
        assert abs(np.count_nonzero(order >= 100) - 100 * ratio) <= 1


def test_a_repeated_tree_counts_as_often() -> None:
    order = Schedule(2, [1.0], [3]).epoch(np.array([1, 1, 1, 0]), 1)
    assert order.tolist() == [1, 2, 1, 3, 1, 4, 0, 2]


@pytest.mark.parametrize(
    ("ratio", "size", "message"),
    [
        (0.0, 1, "a ratio is a number from 0.001 to 1000, not 0.0"),
        (float("nan"), 1, "not nan"),
        (1.0, 0, "an augmented loss has no sentences"),
    ],
)
def test_what_cannot_be_scheduled(ratio: float, size: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Schedule(3, [ratio], [size])
