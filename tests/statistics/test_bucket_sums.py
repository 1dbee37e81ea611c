"""Sums in buckets: exact, whatever the cutting, and in buckets that the row's number decides."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.refusing import refuses

from wordorder.arrays import Float64
from wordorder.errors import InputError, UsageError
from wordorder.statistics import bucket_sums
from wordorder.statistics.bucket_sums import BUCKETS, BucketSums

doubles = st.floats(-1e30, 1e30, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-30)
LARGEST = 1.7976931348623157e308
MASK64 = (1 << 64) - 1


def bucket(seed: int, row: int) -> int:
    """The bucket of a row: splitmix64 (Steele, Lea and Flood 2014) in Python's integers."""
    key = int(np.random.PCG64(seed).jumped().random_raw())
    state = (key + (row + 1) * 0x9E3779B97F4A7C15) & MASK64
    state = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & MASK64
    state = ((state ^ state >> 27) * 0x94D049BB133111EB) & MASK64
    return (state ^ state >> 31) >> 52


def by_hand(matrix: Float64, first_row: int, seed: int) -> Float64:
    """The correctly rounded sum of each bucket."""
    found = [bucket(seed, first_row + row) for row in range(len(matrix))]
    totals = np.zeros((BUCKETS, matrix.shape[1]))
    for number in set(found):
        rows = matrix[[other == number for other in found]]
        totals[number] = [math.fsum(column) for column in rows.T.tolist()]
    return totals


def summed(matrix: Float64, first_row: int = 0, seed: int = 12345) -> BucketSums:
    sums = BucketSums(matrix.shape[1], seed=seed)
    sums.add(matrix, first_row)
    return sums


@pytest.mark.parametrize("first_row", [0, 1, 4095, 10**9, 1 << 60])
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_each_row_goes_to_the_bucket_of_its_number(first_row: int, seed: int) -> None:
    matrix = np.arange(1.0, 41.0).reshape(20, 2)
    found = summed(matrix, first_row, seed).totals().tobytes()
    assert found == by_hand(matrix, first_row, seed).tobytes()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(doubles, doubles), max_size=40), st.data())
def test_any_cut_and_order_gives_the_same_sums(
    rows: list[tuple[float, float]], data: st.DataObject
) -> None:
    matrix = np.array(rows, np.float64).reshape(-1, 2)
    once = summed(matrix)
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=3))), len(rows)]
    spans = data.draw(st.permutations(list(pairwise(cuts))))
    merged, added = BucketSums(2), BucketSums(2)
    for first, last in spans:
        added.add(matrix[first:last], first)
        merged.merge(summed(matrix[first:last], first))
    assert added.to_text() == merged.to_text() == once.to_text()
    assert added.totals().tobytes() == merged.totals().tobytes() == once.totals().tobytes()
    back = BucketSums.from_text(once.to_text())
    assert back.to_text() == once.to_text()
    assert back.totals().tobytes() == once.totals().tobytes()
    back.merge(once)
    added.merge(once)
    assert back.to_text() == added.to_text()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(doubles), min_size=1, max_size=30))
def test_sums_are_exact(rows: list[tuple[float]]) -> None:
    """All rows in one bucket: the total is that of math.fsum, but for a second rounding."""
    matrix = np.array(rows)
    sums = BucketSums(1)
    for row in matrix:
        sums.add(row[np.newaxis], 0)
    wanted = math.fsum(matrix[:, 0].tolist())
    found = float(sums.totals()[bucket(12345, 0), 0])
    assert abs(found - wanted) <= math.ulp(wanted)
    for row in matrix:
        sums.add(-row[np.newaxis], 0)
    assert sums.to_text()[1:] == [" ".join("0" * BUCKETS)]
    assert sums.counts.sum() == 2 * len(rows)
    assert not sums.totals().any()


@pytest.mark.parametrize(
    "values", [[5e-324], [-5e-324, 5e-324], [LARGEST, -1e300], [-LARGEST], [-0.0]]
)
def test_the_smallest_and_the_largest(values: list[float]) -> None:
    matrix = np.array(values)[:, np.newaxis]
    assert summed(matrix).totals().tobytes() == by_hand(matrix, 0, 12345).tobytes()


def test_limbs_that_are_full_are_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(3).normal(size=(50, 2)) * 1e9
    wanted = summed(matrix)
    monkeypatch.setattr(bucket_sums, "VALUES_PER_CARRY", 3)
    assert summed(matrix).to_text() == wanted.to_text()


def test_buckets_are_filled_evenly() -> None:
    """The number of rows in each bucket spreads as that of independent throws does."""
    rows = 400_000
    sums = summed(np.ones((rows, 1)), first_row=7)
    counts = sums.counts
    assert counts.tolist() == sums.totals()[:, 0].tolist()
    assert counts.sum() == rows
    spread = ((counts - rows / BUCKETS) ** 2).sum() / (rows / BUCKETS)
    # Chi square with 4,095 degrees of freedom: a mean of 4095, a deviation of 90.
    assert 4095 - 4 * 90 < spread < 4095 + 4 * 90


def test_a_text_is_at_most_64_bytes_a_bucket() -> None:
    """Shares and counts of a million rows."""
    generator = np.random.default_rng(4)
    sums = BucketSums(2)
    for first in range(0, 1_000_000, 100_000):
        lengths = generator.integers(1, 80, 100_000)
        sums.add(np.stack([generator.integers(0, 80, 100_000) / lengths, lengths], axis=1), first)
    lines = sums.to_text()
    assert max(len(text) for line in lines for text in line.split()) < 64
    assert len(lines[1]) < 32 * BUCKETS


def test_what_is_refused() -> None:
    sums = BucketSums(2)
    refuses(UsageError, r"expected a matrix \[S, 2\]", sums.add, np.zeros((3, 1)), 0)
    finite = "row 1 has a value that is not finite"
    refuses(ValueError, finite, sums.add, [[0.0, 1.0], [np.nan, 0.0]], 0)
    numbers = r"rows have numbers from 0 to 2\*\*63 - 1, got -1"
    refuses(UsageError, numbers, sums.add, [[0.0, 1.0]], -1)
    refuses(UsageError, "cannot merge 1 columns into 2", sums.merge, BucketSums(1))
    message = "cannot merge buckets of seed 1 into seed 12345"
    refuses(UsageError, message, sums.merge, BucketSums(2, seed=1))
    refuses(UsageError, "must not be negative", BucketSums, 1, seed=-1)
    zeros = " ".join("0" * BUCKETS)
    bad = " ".join(["2p0"] * BUCKETS)
    for lines in ([], ["0"], [None], [zeros, bad], [bad], [zeros, zeros + " 0"]):
        with pytest.raises(InputError):
            BucketSums.from_text(lines)  # type: ignore[arg-type]  # as hostile JSON has it
