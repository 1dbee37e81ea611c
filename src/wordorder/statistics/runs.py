"""Several runs of one system: a bootstrap that draws runs and segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from wordorder.arrays import Float64
from wordorder.statistics.intervals import value_tolerance
from wordorder.statistics.measurement import (
    Measurement,
    resample_keys,
    resampled_sums,
    rounded_statistics,
)
from wordorder.statistics.paired_tests import PairTest, ways_to_swap

# Pairs of runs, by their numbers.
RunPairs = Mapping[tuple[int, int], Measurement]


def drawn_runs(runs: Sequence[int], resamples: int, seed: int) -> list[Float64]:
    """Draw runs of every system with replacement, one fewer than it has.

    The mean of n drawn runs would vary too little, by the factor (n - 1) / n; with one fewer its
    variance is that of the mean of n runs (Rao and Wu 1988). A single run is always drawn.

    Parameters
    ----------
    runs : sequence of int
        How many runs each system has.
    resamples, seed : int
        The choices follow those of segments in the stream of random numbers.

    Returns
    -------
    list of float64[B, R]
        For every system the share of each run among those that are drawn.
    """
    sizes = [max(number - 1, 1) for number in runs]
    raw = resample_keys(resamples * (1 + sum(sizes)), seed)[resamples:].view(np.uint64)
    shares = []
    for number, part in zip(runs, np.split(raw, np.cumsum(sizes[:-1]) * resamples), strict=True):
        # The high 32 bits times `number`, of which the high 32 bits are the run.
        chosen = ((part >> np.uint64(32)) * np.uint64(number)) >> np.uint64(32)
        chosen = chosen.reshape(resamples, -1)
        shares.append((chosen[..., np.newaxis] == np.arange(number)).mean(axis=1))
    return shares


def swapped_p_value(pairs: RunPairs, resamples: int, seed: int) -> float:
    """Test two systems with several runs by swapping their outputs of a segment in all runs.

    The difference is the mean of the differences of all pairs of runs, one of each system. Every
    resample swaps the same segments in all of them, as `approximate_randomization` does.

    Parameters
    ----------
    pairs : mapping of two runs to Measurement
        Of these two runs.
    resamples, seed : int
    """
    rounded = [rounded_statistics(measured.statistics) for measured in pairs.values()]
    segments = next(iter(pairs.values())).segments
    draw, keys, add = ways_to_swap(segments, resamples, seed)
    real = np.zeros(2)
    swapped = np.zeros(len(keys))
    for measured, statistics in zip(pairs.values(), rounded, strict=True):
        real += measured.values() / len(pairs)
        for first, (sums,) in resampled_sums([statistics], draw, keys):
            exchanged = sums[:, 1] - sums[:, 0]
            swapped_scores = measured.scores(statistics.values(statistics.totals[0] + exchanged))
            two = measured.scores(statistics.values(statistics.totals[1] - exchanged))
            swapped[first : first + len(sums)] += (two - swapped_scores) / len(pairs)
    near = float(value_tolerance(np.abs(real).max(keepdims=True))[0])
    extreme = int(np.count_nonzero(np.abs(swapped) >= abs(real[1] - real[0]) - near))
    return (extreme + add) / (len(keys) + add)


def weaker(pair: PairTest, p_value: float) -> PairTest:
    """Return a test whose p-value and mark are those of the more careful of two tests.

    Examples
    --------
    >>> found = PairTest(0, 1, 0.1, None, None, 0.001, "+**")
    >>> [(weaker(found, p).mark, weaker(found, p).p_value) for p in (0.0001, 0.07, 0.5)]
    [('+**', 0.001), ('+*', 0.07), ('0', 0.5)]
    """
    stars = min(pair.mark.count("*"), (p_value <= 0.1) + (p_value <= 0.05))
    mark = pair.mark[0] + "*" * stars if stars else "0"
    return replace(pair, p_value=max(pair.p_value, p_value), mark=mark)
