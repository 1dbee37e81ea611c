"""What correlates with people once two metrics have swapped some of their scores."""

from __future__ import annotations

import numpy as np

from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.kernels.inversions import inversions
from wordorder.kernels.swapped_scores import (
    flipped_sums,
    swapped_pearson,
    swapped_rankings,
    swapped_spearman,
    swapped_sums,
)
from wordorder.statistics.correlation.grouping import Groups
from wordorder.statistics.correlation.linear import mean_ranks
from wordorder.statistics.correlation_tests.coefficients import COUNTED, Statistic, of_counts
from wordorder.statistics.correlation_tests.paired_scores import PairedScores
from wordorder.statistics.correlation_tests.swapped_ties import swapped_acc_eq
from wordorder.types import Bool, Float64, Int32, Int64, UInt64

# Numbers in one block of people's ranks: 16 MB. Results do not depend on it.
BLOCK = 1 << 22
# One group of as many outputs goes a faster way, in which equal scores have a variance of
# about 1e-13 instead of 0; less than `FLAT` is taken for 0.
LARGE = 1000
FLAT = 1e-10


def swapped_values(paired: PairedScores, flips: UInt64, statistic: str) -> Float64:
    """Return the coefficient of both mixed metrics in each resample.

    Returns
    -------
    float64[1 + R, 2]
        Row 0 is without any swap; NaN where it is not defined.

    Raises
    ------
    UsageError
        If there is no fast way to this statistic.
    """
    if statistic == "acc-eq":
        return swapped_acc_eq(paired, flips)
    if statistic in ("pearson", "spearman"):
        return _linear(paired, flips, statistic)
    if statistic in COUNTED:
        return _counted(paired, flips, statistic)
    raise UsageError(f"a function of tables is needed for {statistic}")


def has_kernel(statistic: str | Statistic) -> bool:
    """Return whether `swapped_values` knows a coefficient."""
    return statistic in ("pearson", "spearman", "acc-eq", *COUNTED)


def swapped_means(paired: PairedScores, flips: UInt64) -> Float64:
    """Return the mean of both mixed metrics in each group, float64[1 + R, 2, G]."""
    rows, words = flips.shape
    groups = len(paired.offsets) - 1
    sums = np.empty((rows, 2, groups))
    _run.run_rows(
        swapped_sums,
        np.arange(rows + 1, dtype=np.int64) * len(paired.human),
        *(paired.scores, paired.units, paired.offsets, flips.reshape(-1), words),
        sums.reshape(-1),
    )
    with np.errstate(invalid="ignore"):
        averages: Float64 = sums / paired.sizes
    return averages


def _linear(paired: PairedScores, flips: UInt64, statistic: str) -> Float64:
    """Pearson's r, or Spearman's rho, as a mean over the groups in which it is defined."""
    ranked = statistic == "spearman"
    human = paired.human
    if ranked:
        human = mean_ranks(human, Groups(human, human, paired.offsets))
    unit, varied = _unit_vectors(human, paired)
    paired, human = paired.of_groups(varied), unit[np.repeat(varied, paired.sizes)]
    rows, words = flips.shape
    sums = np.zeros((rows, 4))
    offsets = np.arange(rows + 1, dtype=np.int64) * max(len(human), 1)
    shared = (human, paired.units, paired.offsets, flips.reshape(-1), words, sums.reshape(-1))
    if ranked:
        _run.run_rows(swapped_spearman, offsets, *paired.in_order(), *shared)
    elif len(paired.sizes) == 1 and len(human) >= LARGE:
        return _pooled_pearson(paired, flips, human)
    else:
        _run.run_rows(swapped_pearson, offsets, paired.scores, *shared)
    with np.errstate(invalid="ignore"):
        values: Float64 = np.clip(sums[:, 0::2] / sums[:, 1::2], -1.0, 1.0)
    return values


def _pooled_pearson(paired: PairedScores, flips: UInt64, human: Float64) -> Float64:
    """Pearson's r of one large group: a swap adds the same to three sums, whatever else is swapped.

    `human` is centred, with squares that sum up to 1.
    """
    rows, words = flips.shape
    scores = paired.scores.reshape(-1, 2)
    # What makes r: the sum of the scores, of their squares, of their products with people's.
    terms = np.stack([scores, scores * scores, scores * human[:, None]], axis=2)
    moved = np.zeros((64 * words, 3))
    np.add.at(moved, paired.units, terms[:, 1] - terms[:, 0])
    table = np.zeros((16 * words, 16, 3))
    for coin in range(4):
        shown = (np.arange(16) >> coin & 1).astype(np.float64)
        table += shown[:, None] * moved[coin::4, None]
    sums = np.empty((rows, 3))
    offsets = np.arange(rows + 1, dtype=np.int64) * 64 * words
    _run.run_rows(
        flipped_sums, offsets, table.reshape(-1), flips.reshape(-1), words, sums.reshape(-1)
    )
    whole = terms.sum(axis=0)
    values = np.empty((rows, 2))
    for side, sign in enumerate((1, -1)):
        total, square, product = (whole[side] + sign * sums).T
        variance = square - total * total / len(human)
        # Of scores with a variance of 1 for each metric, a mixture has less only if all are equal.
        variance[variance < FLAT * len(human)] = np.nan
        values[:, side] = np.clip(product / np.sqrt(variance), -1.0, 1.0)
    return values


def _unit_vectors(human: Float64, paired: PairedScores) -> tuple[Float64, Bool]:
    """Centre scores in their groups and make their squares sum up to 1; tell where they vary."""
    sizes = paired.sizes
    groups = len(sizes)
    # From the first of the group, so that equal scores leave exactly 0.
    first = human[np.minimum(paired.offsets[:-1], max(len(human) - 1, 0))] if len(human) else sizes
    moved = human - np.repeat(first, sizes)
    spread = np.zeros(groups)
    np.maximum.at(spread, paired.group, np.abs(moved))
    varied = spread > 0
    moved = moved / np.repeat(np.where(varied, spread, 1.0), sizes)
    means = np.bincount(paired.group, moved, groups) / np.maximum(sizes, 1)
    moved = moved - np.repeat(means, sizes)
    length = np.sqrt(np.bincount(paired.group, moved * moved, groups))
    return moved / np.repeat(np.where(varied, length, 1.0), sizes), varied


def _counted(paired: PairedScores, flips: UInt64, statistic: str) -> Float64:
    """Kendall's taus and the pairwise accuracy, from counts of pairs."""
    rows, words = flips.shape
    cells, groups = len(paired.human), len(paired.offsets) - 1
    human = _dense_ranks(paired.human)
    order = paired.in_order(human)
    pairs = paired.sizes * (paired.sizes - 1) // 2
    human_ties = _tied_pairs(human, paired)
    values = np.empty((rows, 2))
    at_once = max(1, BLOCK // max(2 * cells, 1))
    for first in range(0, rows, at_once):
        block = flips[first : first + at_once]
        number = len(block)
        ranked = np.empty(number * 2 * cells, np.int32)
        ties = np.empty((number, 2, groups, 2), np.int64)
        _run.run_rows(
            swapped_rankings,
            np.arange(number + 1, dtype=np.int64) * max(2 * cells, 1),
            *(*order, human, paired.units, paired.offsets, block.reshape(-1), words),
            *(ranked, ties.reshape(-1)),
        )
        offsets = np.cumsum(np.concatenate([[0], np.tile(paired.sizes, 2 * number)]))
        discordant = np.empty(2 * number * groups, np.int64)
        _run.run_rows(
            inversions,
            *(offsets, ranked, offsets, discordant),
            scratch=lambda longest: (np.empty(longest, np.int32), np.empty(longest, np.int32)),
        )
        wrong = discordant.reshape(number, 2, groups)
        metric, shared = ties[..., 0], ties[..., 1]
        right = pairs - wrong - metric - human_ties + shared
        counts = np.stack(
            [right, wrong, metric - shared, human_ties - shared, shared], axis=-1
        ).reshape(2 * number, groups, 5)
        values[first : first + number] = of_counts(counts, statistic).reshape(number, 2)
    return values


def _dense_ranks(scores: Float64) -> Int32:
    return np.unique(scores, return_inverse=True)[1].astype(np.int32)


def _tied_pairs(ranks: Int32, paired: PairedScores) -> Int64:
    """Count the pairs of equal ranks in each group, int64[G]."""
    width = int(ranks.max(initial=0)) + 1
    keys, counts = np.unique(paired.group * width + ranks, return_counts=True)
    ties = np.zeros(len(paired.offsets) - 1, np.int64)
    np.add.at(ties, keys // width, counts * (counts - 1) // 2)
    return ties
