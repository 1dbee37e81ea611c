"""Mixed weights against fractions over everything that the shards went through."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.parsing.toy import (
    Slow,
    ToyLearner,
    entries,
    half_up,
    instances,
    slow_epoch,
)

from wordorder.parsing.training.averaging import mixed


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
