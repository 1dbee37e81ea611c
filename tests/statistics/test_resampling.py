import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tests import oracles_statistics as oracle
from tests.oracles_statistics import ratio
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.arrays import Float64
from wordorder.errors import InputError, UsageError
from wordorder.kernels import _run
from wordorder.kernels.resampling import draw_counts, draw_swaps
from wordorder.statistics import measurement as resampling
from wordorder.statistics.exact_sum import ExactSum
from wordorder.statistics.measurement import (
    Measurement,
    bootstrap_scores,
    bootstrap_totals,
    resample_keys,
    rounded_statistics,
)


def counts_drawn(segments: int, resamples: int, seed: int) -> Float64:
    """The counts themselves: what the unit matrix sums up to."""
    return bootstrap_totals(np.eye(segments), resamples=resamples, seed=seed)


@pytest.mark.parametrize("segments", [0, 1, 2, 63, 64, 65])
def test_totals_equal_the_oracle(segments: int) -> None:
    statistics = np.random.default_rng(1).integers(-50, 50, (segments, 3)).astype(np.float64)
    found = bootstrap_totals(statistics, resamples=7, seed=3)
    for key, totals in zip(resample_keys(7, 3).tolist(), found, strict=True):
        weights = oracle.draw_counts(key, segments)[0]
        wanted = oracle.weighted_totals(weights, statistics.tolist()) if segments else [0, 0, 0]
        assert totals.tolist() == wanted


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-5, 1.0, 1e300])
def test_rounding_stays_within_its_bound(scale: float) -> None:
    segments = 100
    statistics = (np.random.default_rng(2).random((segments, 2)) - 0.3) * scale
    largest = np.abs(statistics).max(axis=0)
    found = bootstrap_totals(statistics, resamples=20)
    for key, totals in zip(resample_keys(20, 12345).tolist(), found, strict=True):
        exact = oracle.weighted_totals(oracle.draw_counts(key, segments)[0], statistics.tolist())
        for total, wanted, peak in zip(totals.tolist(), exact, largest.tolist(), strict=True):
            bound = segments * segments * peak * 2.0**-50
            assert abs(float(total - wanted)) <= max(bound, 5e-324)


@given(
    arrays(
        np.float64,
        array_shapes(min_dims=3, max_dims=3, max_side=5),
        elements=st.floats(-1e300, 1e300),
    )
)
def test_grid_sums_are_whole_and_small(statistics: Float64) -> None:
    grid = rounded_statistics(statistics)
    segments = statistics.shape[1]
    assert (grid.units == np.rint(grid.units)).all()
    assert (np.abs(grid.units).max(axis=(0, 1)) * segments <= 2**51).all()
    units = np.ldexp(1.0, -grid.exponents)
    moved = np.abs(grid.values(grid.units) - statistics.transpose(1, 0, 2))
    assert (moved <= np.maximum(units / 2, 5e-324)).all()


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=100))
def test_whole_numbers_do_not_move(numbers: list[int]) -> None:
    grid = rounded_statistics(np.array(numbers, np.float64)[np.newaxis, :, np.newaxis])
    assert grid.values(grid.units).ravel().tolist() == numbers


def test_counts_have_the_moments_of_a_multinomial() -> None:
    """Means 1, variances 1 - 1/S, covariances -1/S; 5 standard errors of 40,000 draws."""
    segments, resamples = 5, 40_000
    drawn = counts_drawn(segments, resamples, seed=1)
    assert (drawn.sum(axis=1) == segments).all()
    assert np.abs(drawn.mean(axis=0) - 1).max() < 5 * np.sqrt(0.8 / resamples)
    wanted = np.eye(segments) - 1 / segments
    assert np.abs(np.cov(drawn.T) - wanted).max() < 5 * 2 / np.sqrt(resamples)


def test_same_seed_same_bytes_on_any_number_of_threads() -> None:
    statistics = np.random.default_rng(3).random((200, 2))
    one, again = (bootstrap_totals(statistics, resamples=50, seed=1) for _ in range(2))
    other = bootstrap_totals(statistics, resamples=50, seed=2)
    assert one.tobytes() == again.tobytes()
    assert not (one == other).any()
    statistics = np.random.default_rng(4).random((5000, 2))
    found = with_threads(lambda: bootstrap_totals(statistics, resamples=150).tobytes(), 1, 2, 8)
    assert len(set(found)) == 1


@pytest.mark.parametrize("block", [1, 64, 1000, 1 << 30])
def test_any_block_size_gives_the_same_bytes(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    statistics = np.random.default_rng(5).random((64, 3))
    wanted = bootstrap_totals(statistics, resamples=65).tobytes()
    monkeypatch.setattr(resampling, "RESAMPLED_NUMBERS", block)
    assert bootstrap_totals(statistics, resamples=65).tobytes() == wanted


def test_all_systems_and_metrics_share_their_resamples() -> None:
    random = np.random.default_rng(6)
    lengths = random.integers(1, 30, 80).astype(np.float64)
    systems = [np.stack([random.integers(0, 30, 80), lengths], 1) for _ in range(3)]
    wide = Measurement(systems, score=ratio)
    narrow = Measurement([lengths[:, np.newaxis]], score=lambda totals: totals[..., 0])
    together = bootstrap_scores([wide, narrow], resamples=40, seed=9)
    assert [scores.shape for scores in together] == [(3, 40), (1, 40)]
    alone = bootstrap_totals(lengths[:, np.newaxis], resamples=40, seed=9)
    assert together[1].tolist() == [alone[:, 0].tolist()]
    for system, scores in zip(systems, together[0], strict=True):
        wanted = ratio(bootstrap_totals(system, resamples=40, seed=9))
        assert scores.tolist() == wanted.tolist()


def test_a_longer_run_begins_like_a_shorter_one() -> None:
    assert counts_drawn(20, 30, 1)[:10].tolist() == counts_drawn(20, 10, 1).tolist()
    assert bootstrap_totals(np.zeros((5, 0)), resamples=3).shape == (3, 0)


def test_values_are_exact() -> None:
    statistics = np.random.default_rng(7).random((1000, 1))
    total = ExactSum(1)
    total.add(statistics)
    measured = Measurement([statistics], score=lambda totals: totals[..., 0])
    assert measured.values().tolist() == total.totals().tolist()


def test_what_cannot_be_resampled_is_refused() -> None:
    for resamples in (0, -1):
        refuses(UsageError, "at least 1 resample", bootstrap_totals, [[1.0]], resamples=resamples)
    refuses(UsageError, "seed must not be negative, got -1", bootstrap_totals, [[1.0]], seed=-1)
    refuses(UsageError, r"got shape \(2,\)", bootstrap_totals, [1.0, 2.0])
    refuses(InputError, r"segment 1: \[inf\]", bootstrap_totals, [[1.0], [np.inf]])
    short, long = (Measurement([np.ones((size, 2))], score=ratio) for size in (2, 3))
    refuses(UsageError, "got 2 and 3", bootstrap_scores, [long, short])
    refuses(UsageError, "no measurement", bootstrap_scores, [])


def test_what_is_no_measurement_is_refused() -> None:
    refuses(UsageError, "no system", Measurement, [], score=ratio)
    uneven, missing = [np.ones((1, 2)), np.ones((2, 2))], [[[1.0, 1.0]], [[np.nan, 1.0]]]
    refuses(UsageError, r"\(1, 2\) and \(2, 2\)", Measurement, uneven, score=ratio)
    refuses(UsageError, r"got \(2,\)", Measurement, [np.ones(2)], score=ratio)
    message = r"system 1, segment 0: the statistics are \[nan, 1.0\]"
    refuses(InputError, message, Measurement, missing, score=ratio)
    infinite = Measurement([[[0.0]]], score=lambda totals: totals[..., 0] + np.inf)
    refuses(UsageError, r"gives inf for the totals \[0.0\]", infinite.values)
    whole = Measurement([[[0.0]]], score=lambda totals: totals)
    refuses(UsageError, r"made \(1, 1\) of totals \(1, 1\)", whole.values)


# -- resample kernel.


KEYS = np.array([0, 1, -1, 2**63 - 1, -(2**63), 0x0123456789ABCDEF], np.int64)


def counts(keys: npt.NDArray[np.int64], size: int) -> list[list[float]]:
    out = np.full((len(keys), size), np.nan)
    _run.call(draw_counts, keys, size, out.ravel(), 0, len(keys))
    return out.tolist()


def swaps(keys: npt.NDArray[np.int64], size: int) -> list[list[float]]:
    out = np.full((len(keys), size), np.nan)
    _run.call(draw_swaps, keys, size, out.ravel().view(np.int64), 0, len(keys))
    return out.tolist()


def test_the_oracle_is_splitmix64() -> None:
    """The published test values for the seed 1234567 (rosettacode.org, Splitmix64)."""
    assert list(itertools.islice(oracle.splitmix64(1234567), 5)) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@pytest.mark.parametrize("size", [0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1000])
def test_kernels_equal_the_oracles(size: int) -> None:
    assert counts(KEYS, size) == [oracle.draw_counts(int(key), size)[0] for key in KEYS]
    assert swaps(KEYS, size) == [oracle.draw_swaps(int(key), size) for key in KEYS]


def test_words_that_would_favour_a_segment_are_passed_over() -> None:
    size = 400_009
    wanted, passed = oracle.draw_counts(12345, size)
    assert passed > 0
    assert counts(np.array([12345], np.int64), size) == [wanted]


def test_only_the_rows_that_are_asked_for() -> None:
    out = np.full((6, 10), -1.0)
    _run.call(draw_counts, KEYS, 10, out.ravel(), 2, 4)
    _run.call(draw_swaps, KEYS, 10, out.ravel().view(np.int64), 4, 5)
    assert out[[0, 1, 5]].tolist() == [[-1.0] * 10] * 3
    assert out[2:4].tolist() == counts(KEYS[2:4], 10)
    assert out[4:5].tolist() == swaps(KEYS[4:5], 10)


def test_every_resample_is_complete() -> None:
    drawn = np.array(counts(np.arange(300, dtype=np.int64), 37))
    assert (drawn.sum(axis=1) == 37).all()
