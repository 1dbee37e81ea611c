"""Intervals and paired tests of accumulators, from sums of buckets."""

import json
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.metrics.test_partial_results import SEGMENTS, cases
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import InputError, UsageError
from wordorder.metrics.accumulator import bucket_measurement
from wordorder.statistics.exact_sum import BUCKETS
from wordorder.statistics.intervals import confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import compare

CHOSEN = ("frs|match:index|ties:best", "cder|direction:reference|penalty:none")


def shuffled(rows: int, seed: int) -> wo.Segments:
    """Permutations of 2 to 11 words, some swapped."""
    generator = np.random.default_rng(seed)
    orders = []
    for length in generator.integers(2, 12, rows).tolist():
        order = list(range(length))
        for place in generator.integers(0, length - 1, generator.integers(0, 4)).tolist():
            order[place : place + 2] = order[place : place + 2][::-1]
        orders.append(order)
    return wo.Segments.from_permutations(orders)


@pytest.mark.parametrize("seed", range(2))
def test_any_partition_and_merge_order_gives_the_same_bytes(seed: int) -> None:
    chance = random.Random(seed)
    for segments, metric, statistics, _, score in cases():
        if not str(score.signature).startswith(CHOSEN):
            continue
        once = wo.Accumulator(metric, intervals=True)
        once.add(segments, statistics)
        borders = [0, *sorted(chance.sample(range(SEGMENTS), 4)), SEGMENTS]
        parts = []
        for first, last in pairwise(borders):
            part = wo.Accumulator(metric, intervals=True)
            part.add(segments[first:last], statistics[first:last], first_row=first)
            parts.append(wo.Accumulator.from_bytes(part.to_bytes()))
        chance.shuffle(parts)
        whole = wo.Accumulator(metric, intervals=True)
        for part in parts:
            whole.merge(part)
        assert whole.to_bytes() == once.to_bytes()
        assert whole.compute() == score
        assert whole.estimate(resamples=50) == once.estimate(resamples=50)
        assert once.estimate(resamples=50).value == score.value
        columns = statistics.shape[1]
        assert len(once.to_bytes()) < 4096 + BUCKETS * (64 * columns + 3)


def test_pieces_in_order_need_no_row_numbers() -> None:
    segments = shuffled(60, 1)
    once, pieces = (wo.Accumulator(wo.metric("frs"), intervals=True) for _ in range(2))
    once.update(segments)
    for first in range(0, 60, 17):
        pieces.update(segments[first : first + 17])
    assert pieces.to_bytes() == once.to_bytes()
    # The content does not choose the bucket: from another row on, the same text is elsewhere.
    moved = wo.Accumulator(wo.metric("frs"), intervals=True)
    moved.update(segments, first_row=1)
    assert moved.to_bytes() != once.to_bytes()
    assert moved.compute() == once.compute()


def test_as_wide_as_intervals_of_segments() -> None:
    """The mean of ten widths is that of the full bootstrap, within its own noise."""
    segments = shuffled(20_000, 2)
    metric = wo.metric("kendall")
    statistics = metric.statistics(segments)
    ((full,),) = confidence_intervals([Measurement([statistics], metric.score)])
    widths = []
    for seed in range(10):
        running = wo.Accumulator(metric, intervals=True, seed=seed)
        running.add(segments, statistics)
        found = running.estimate()
        assert found.value == full.value
        widths.append(found.high - found.low)
    assert np.mean(widths) / (full.high - full.low) == pytest.approx(1, abs=0.05)


def test_few_segments_are_resampled_as_themselves() -> None:
    """Each has a bucket of its own, and buckets without segments are none."""
    running = wo.Accumulator(wo.metric("frs"), intervals=True)
    assert (running.estimate().low, running.estimate().high) == (0, 0)
    running.update([[0, 1, 2]])
    found = running.estimate()
    assert (found.low, found.value, found.high) == (1, 1, 1)
    running.update([[0, 1, 2]] * 3)
    assert running.estimate() == found


def test_paired() -> None:
    worse, better = (shuffled(3000, seed) for seed in (3, 3))
    rows = better.permutation.to_lists()
    better = wo.Segments.from_permutations(
        [sorted(r) if i % 50 == 0 else r for i, r in enumerate(rows)]
    )
    metric = wo.metric("frs")
    systems = []
    for segments in (worse, better):
        running = wo.Accumulator(metric, intervals=True)
        running.update(segments)
        systems.append(running)
    whole = Measurement([metric.statistics(s) for s in (worse, better)], metric.score)
    for test in ("bootstrap", "randomization"):
        (found,), (full,) = (compare([m], test=test) for m in (bucket_measurement(systems), whole))
        assert found.values == full.values
        assert found.pair(0, 1).difference == full.pair(0, 1).difference
        assert found.pair(0, 1).mark == full.pair(0, 1).mark == "+**"
    # Paired, a difference in few segments is seen; the systems' own intervals overlap.
    assert systems[0].estimate().high > systems[1].estimate().low


def test_what_cannot_be_merged_or_compared() -> None:
    plain = wo.Accumulator(wo.metric("frs"))
    first, other = (wo.Accumulator(wo.metric("frs"), intervals=True, seed=s) for s in (1, 2))
    for running in (plain, first, other):
        running.update([[1, 0]])
    with pytest.raises(UsageError, match="cannot merge frs without buckets into one with buckets"):
        first.merge(plain)
    with pytest.raises(UsageError, match="with buckets of seed 2 into one with buckets of seed 1"):
        first.merge(other)
    refuses(UsageError, "made with intervals=True", plain.estimate)
    refuses(UsageError, "buckets of seed 2 and of seed 1", bucket_measurement, [first, other])
    with pytest.raises(UsageError, match="kendall.* cannot be compared with frs"):
        bucket_measurement([first, wo.Accumulator(wo.metric("kendall"), intervals=True, seed=1)])
    refuses(UsageError, "at least one", bucket_measurement, [])
    more = wo.Accumulator.from_bytes(first.to_bytes())
    more.update([[1, 0]])
    refuses(UsageError, "different segments", bucket_measurement, [first, more])


def changed(**fields: Any) -> bytes:
    running = wo.Accumulator(wo.metric("frs"), intervals=True)
    running.update([[1, 0]])
    content = json.loads(running.to_bytes())
    lines = content["buckets"]["sums"]
    return json.dumps({**content, "buckets": {"seed": 1, "sums": lines} | fields}).encode()


ZEROS = " ".join("0" * BUCKETS)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"seed": -1}, "seed is -1"),
        ({"seed": None}, "seed is None"),
        ({"sums": 3}, "buckets without sums"),
        ({"sums": []}, "buckets with 0 lines; expected 3"),
        ({"sums": [ZEROS, ZEROS]}, "buckets with 2 lines; expected 3"),
        ({"sums": [ZEROS, ZEROS, "0"]}, "1 buckets; expected 4096"),
        ({"sums": [ZEROS, ZEROS, 7]}, "0 buckets; expected 4096"),
        ({"sums": [ZEROS, ZEROS, ZEROS]}, "buckets that do not add up; expected 1 segments"),
        ({"sums": [ZEROS, ZEROS, "x" + ZEROS[1:]]}, "'x' is not an exact sum"),
        ({"sums": ["-1" + ZEROS[1:], ZEROS, ZEROS]}, "'-1' segments in a bucket"),
        ({"sums": [ZEROS, ZEROS, "1p1024" + ZEROS[1:]]}, "beyond the largest double"),
    ],
)
def test_hostile_buckets(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        wo.Accumulator.from_bytes(changed(**fields))
    assert str(error.value).startswith("partial result: ")
