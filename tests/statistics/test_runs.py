"""Tests of systems with several runs, against loops over runs and segments."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from statistics import fmean, pvariance, variance

import numpy as np
import pytest
from tests import oracles_statistics as oracle
from tests.oracles_statistics import ratio

from wordorder.statistics.measurement import Measurement, resample_keys
from wordorder.statistics.runs import drawn_runs, swapped_p_value

Rows = Sequence[Sequence[float]]


def score(rows: Rows) -> Fraction:
    hits, words = (sum((Fraction(row[k]) for row in rows), Fraction()) for k in (0, 1))
    return hits / words


@pytest.mark.parametrize("values", [[0.2, 0.5], [0.1, 0.4, 0.9], [0.3, 0.1, 0.7, 0.8]])
def test_one_run_fewer_gives_the_variance_of_the_mean(values: list[float]) -> None:
    """Of all choices of n - 1 of n runs the means vary as the mean of n runs does: s^2 / n."""
    every = [fmean(chosen) for chosen in product(values, repeat=len(values) - 1)]
    assert pvariance(every) == pytest.approx(variance(values) / len(values))
    (shares,) = drawn_runs([len(values)], 40_000, 5)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert (shares @ values).var() == pytest.approx(pvariance(every), rel=0.03)


def test_draws_are_those_of_the_stream() -> None:
    """The words of the stream behind the keys of the segments, by system, then by resample."""
    raw = [int(word) % 2**64 for word in resample_keys(5 * (1 + 2 + 1 + 1), 3)[5:]]
    shares = drawn_runs([3, 1, 2], 5, 3)
    for b in range(5):
        first = [(raw[2 * b + k] >> 32) * 3 >> 32 for k in (0, 1)]
        assert shares[0][b].tolist() == [first.count(run) / 2 for run in range(3)]
        assert shares[1][b].tolist() == [1.0]
        third = (raw[15 + b] >> 32) * 2 >> 32
        assert shares[2][b].tolist() == [float(third == run) for run in range(2)]


@pytest.mark.parametrize("segments", [3, 20])
def test_swaps_are_those_of_a_loop(segments: int) -> None:
    """Both runs of A against three of B, whose words differ from pair to pair."""
    random = np.random.default_rng(segments)
    pairs, rows = {}, {}
    for places in product((0, 1), (2, 3, 4)):
        lengths = random.integers(2, 9, segments)
        sides = [
            np.stack([random.binomial(lengths, rate), lengths], axis=1).astype(float)
            for rate in (0.5, 0.6)
        ]
        pairs[places] = Measurement(sides, score=ratio)
        rows[places] = [side.tolist() for side in sides]

    def difference(swaps: Sequence[int]) -> Fraction:
        found = Fraction(0)
        for one, two in rows.values():
            exchanged = list(zip(one, two, swaps, strict=True))
            first = [b if swap else a for a, b, swap in exchanged]
            second = [a if swap else b for a, b, swap in exchanged]
            found += score(second) - score(first)
        return abs(found / len(rows))

    if segments == 3:
        ways, add = list(product((0, 1), repeat=3)), 0
    else:
        ways = [tuple(oracle.draw_swaps(key, segments)) for key in resample_keys(60, 4).tolist()]
        add = 1
    real = difference([0] * segments)
    extreme = sum(difference(way) >= real for way in ways)
    expected = Fraction(extreme + add, len(ways) + add)
    assert swapped_p_value(pairs, 60, 4) == float(expected)
