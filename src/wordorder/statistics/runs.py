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

# (run of the first system, run of the second system) -> measurement of both.
RunPairs = Mapping[tuple[int, int], Measurement]


def drawn_runs(runs: Sequence[int], resamples: int, seed: int) -> list[Float64]:
    """Sample runs of every system with replacement, one fewer than it has.

    The variance of the mean of n sampled runs would be too small by the factor (n - 1) / n; with
    n - 1 samples it is that of the mean of n runs (Rao and Wu 1988). A single run is always used.

    Parameters
    ----------
    runs : sequence of int
        The number of runs of each system.
    resamples, seed : int
        The random numbers are those after the numbers that segments use with this seed.

    Returns
    -------
    list of float64[B, R]
        For every system, the share of each run among the sampled runs.
    """
    sizes = [max(run_count - 1, 1) for run_count in runs]
    raw = resample_keys(resamples * (1 + sum(sizes)), seed)[resamples:].view(np.uint64)
    shares = []
    for number, part in zip(runs, np.split(raw, np.cumsum(sizes[:-1]) * resamples), strict=True):
        # The upper half of (32 random bits times the number of runs) is uniform over the runs.
        chosen = ((part >> np.uint64(32)) * np.uint64(number)) >> np.uint64(32)
        chosen = chosen.reshape(resamples, -1)
        shares.append((chosen[..., np.newaxis] == np.arange(number)).mean(axis=1))
    return shares


def swapped_p_value(pairs: RunPairs, resamples: int, seed: int) -> float:
    """Test two systems with several runs by swapping their outputs of a segment in all runs.

    The difference is the mean over all pairs of a run of one system and a run of the other. Every
    resample swaps the same segments in all pairs, as `approximate_randomization` does.

    Parameters
    ----------
    pairs : mapping of two runs to Measurement
        The measurement of each pair of runs.
    resamples, seed : int
    """
    rounded = [rounded_statistics(measured.statistics) for measured in pairs.values()]
    segments = next(iter(pairs.values())).segments
    draw, keys, add = ways_to_swap(segments, resamples, seed)
    observed = np.zeros(2)
    swapped = np.zeros(len(keys))
    for measured, statistics in zip(pairs.values(), rounded, strict=True):
        observed += measured.values() / len(pairs)
        for first, (sums,) in resampled_sums([statistics], draw, keys):
            exchanged = sums[:, 1] - sums[:, 0]
            first_scores = measured.scores(statistics.values(statistics.totals[0] + exchanged))
            second_scores = measured.scores(statistics.values(statistics.totals[1] - exchanged))
            swapped[first : first + len(sums)] += (second_scores - first_scores) / len(pairs)
    tolerance = float(value_tolerance(np.abs(observed).max(keepdims=True))[0])
    extreme = int(np.count_nonzero(np.abs(swapped) >= abs(observed[1] - observed[0]) - tolerance))
    return (extreme + add) / (len(keys) + add)


def weaker(pair: PairTest, p_value: float) -> PairTest:
    """Return the test with the larger of two p-values, and a mark that fits both.

    Examples
    --------
    >>> found = PairTest(0, 1, 0.1, None, None, 0.001, "+**")
    >>> [(weaker(found, p).mark, weaker(found, p).p_value) for p in (0.0001, 0.07, 0.5)]
    [('+**', 0.001), ('+*', 0.07), ('0', 0.5)]
    """
    stars = min(pair.mark.count("*"), (p_value <= 0.1) + (p_value <= 0.05))
    mark = pair.mark[0] + "*" * stars if stars else "0"
    return replace(pair, p_value=max(pair.p_value, p_value), mark=mark)
