from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from tests import oracles_statistics as oracle

from wordorder.kernels import _run
from wordorder.kernels.resampling import draw_counts, draw_swaps

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
