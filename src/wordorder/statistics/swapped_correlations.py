"""Coefficients of two metrics after some of their scores are swapped (fast permutation tests)."""

from __future__ import annotations

import numpy as np

from wordorder.arrays import Array, Bool, Float64, Int32, Int64, UInt64
from wordorder.errors import UsageError
from wordorder.kernels import _run, resampling as kernel
from wordorder.kernels.orders import inversions
from wordorder.statistics import dependent_tests as dependent
from wordorder.statistics.coefficients import mean_ranks
from wordorder.statistics.grouped_correlation import Groups
from wordorder.statistics.named_statistics import pair_weights

# Each pair has four differences in memory, of some 40 bytes each while they are sorted.
MAX_PAIRS = 12_000_000
LANES = 64
# The number of ranks in one block (16 MB). Results do not depend on it.
RANK_BLOCK = 1 << 22
# A single group with this number of outputs uses a faster formula, in which equal scores have a
# variance of about 1e-13 instead of 0; a variance below `MIN_VARIANCE` counts as 0.
LARGE_GROUP = 1000
MIN_VARIANCE = 1e-10


def swapped_acc_eq(paired: dependent.PairedScores, flips: UInt64) -> Float64:
    """Return acc_eq of both mixed metrics in each resample, float64[1 + R, 2].

    Raises
    ------
    UsageError
        If there are more than 12 million pairs.
    """
    pairs = paired.sizes * (paired.sizes - 1) // 2
    if pairs.sum() > MAX_PAIRS:
        problem = f"at most {MAX_PAIRS:,} pairs of outputs, these are {int(pairs.sum()):,}"
        remedy = "compare the outputs of each segment (by='item')"
        raise UsageError(f"acc-eq can be tested on {problem}; {remedy}")
    rows = len(flips)
    if not pairs.any():
        return np.full((rows, 2), np.nan)
    weights = pair_weights(pairs)
    weights //= np.gcd.reduce(weights)
    later, earlier = _pairs_of(paired.sizes, paired.offsets)
    human_ties, differences = _sorted_differences(paired, later, earlier, weights)
    total = int((weights * pairs).sum())
    planes = total.bit_length()
    blocks = (rows + LANES - 1) // LANES
    gains = np.empty((blocks, 2, planes), np.uint64)
    _run.run_rows(
        kernel.swapped_tie_gains,
        np.arange(blocks + 1, dtype=np.int64) * max(LANES * len(differences[0]), 1),
        *(*differences, _transposed_coins(flips, paired.coins).reshape(-1), paired.coins, planes),
        gains.reshape(-1),
    )
    # Sum the bits [blocks, 2, planes, 64], weighted by the power of 2 of their plane.
    bits = (gains[..., None] >> np.arange(LANES, dtype=np.uint64)) & np.uint64(1)
    powers = np.left_shift(np.int64(1), np.arange(planes, dtype=np.int64))
    gained = np.einsum("bmpl,p->blm", bits.astype(np.int64), powers).reshape(-1, 2)[:rows]
    values: Float64 = (human_ties + gained) / total
    return values


def _pairs_of(sizes: Int64, offsets: Int64) -> tuple[Int64, Int64]:
    """Return the indices of the later and the earlier output of all pairs within the groups."""
    lefts, rights = [], []
    for size in np.unique(sizes).tolist():
        later_outputs, earlier_outputs = np.tril_indices(size, -1)
        starts = offsets[:-1][sizes == size, None]
        lefts.append((starts + later_outputs).ravel())
        rights.append((starts + earlier_outputs).ravel())
    return np.concatenate(lefts), np.concatenate(rights)


def _sorted_differences(
    paired: dependent.PairedScores, later: Int64, earlier: Int64, weights: Int64
) -> tuple[int, tuple[Array, ...]]:
    """Return the weight of human ties, and the kernel's columns, sorted by score difference."""
    weight = weights[paired.group[later]]
    people = np.sign(paired.human[later] - paired.human[earlier])
    scores = paired.scores.reshape(-1, 2)
    parts = []
    for side in range(4):
        gap = scores[later, side & 1] - scores[earlier, side >> 1]
        gain = np.where(people == 0, weight, np.where(gap * people > 0, -weight, 0))
        positions = np.flatnonzero(gain)
        parts.append(
            (
                np.abs(gap[positions]),
                gain[positions],
                positions,
                np.full(len(positions), side, np.int8),
            )
        )
    gaps, gains, pair, sides = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(gaps, kind="stable")
    # Differences that only rounding separates are one threshold.
    threshold = np.cumsum(np.diff(gaps[order], prepend=0.0) > paired.tolerance)
    # Within a threshold, losses come before gains. Pairs without a difference are always tied.
    order = order[np.lexsort((gains[order] > 0, threshold))]
    order = order[np.count_nonzero(threshold == 0) :]
    pair_units = (paired.units[side[pair[order]]] for side in (later, earlier))
    return int(weight[people == 0].sum()), (*pair_units, sides[order], gains[order])


def _transposed_coins(flips: UInt64, coins: int) -> UInt64:
    """Transpose the bits of coins: one word per coin for 64 resamples, uint64[blocks, coins]."""
    blocks = (len(flips) + LANES - 1) // LANES
    lanes = np.empty((blocks, coins), "<u8")
    for block in range(blocks):
        rows = np.ascontiguousarray(flips[block * LANES : (block + 1) * LANES], "<u8")
        bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little", count=coins)
        padded = np.zeros((LANES, coins), np.uint8)
        padded[: len(bits)] = bits
        octets = np.packbits(padded, axis=0, bitorder="little")
        lanes[block] = np.ascontiguousarray(octets.T).view("<u8")[:, 0]
    return lanes.astype(np.uint64, copy=False)


def swapped_values(paired: dependent.PairedScores, flips: UInt64, statistic: str) -> Float64:
    """Return the coefficient of both mixed metrics in each resample.

    Returns
    -------
    float64[1 + R, 2]
        Row 0 is without swaps; NaN where undefined.

    Raises
    ------
    UsageError
        If the statistic has no fast implementation (see `has_kernel`).
    """
    if statistic == "acc-eq":
        return swapped_acc_eq(paired, flips)
    if statistic in ("pearson", "spearman"):
        return _linear_coefficients(paired, flips, statistic)
    if statistic in dependent.COUNTED_COEFFICIENTS:
        return _counted_coefficients(paired, flips, statistic)
    raise UsageError(f"a function of tables is needed for {statistic}")


def has_kernel(statistic: str | dependent.Statistic) -> bool:
    """Return whether `swapped_values` can compute a coefficient."""
    return statistic in ("pearson", "spearman", "acc-eq", *dependent.COUNTED_COEFFICIENTS)


def swapped_means(paired: dependent.PairedScores, flips: UInt64) -> Float64:
    """Return the mean of both mixed metrics in each group, float64[1 + R, 2, G]."""
    rows, words = flips.shape
    groups = len(paired.offsets) - 1
    sums = np.empty((rows, 2, groups))
    _run.run_rows(
        kernel.swapped_sums,
        np.arange(rows + 1, dtype=np.int64) * len(paired.human),
        *(paired.scores, paired.units, paired.offsets, flips.reshape(-1), words),
        sums.reshape(-1),
    )
    with np.errstate(invalid="ignore"):
        averages: Float64 = sums / paired.sizes
    return averages


def _linear_coefficients(paired: dependent.PairedScores, flips: UInt64, statistic: str) -> Float64:
    """Return Pearson's r or Spearman's rho, averaged over the groups in which it is defined."""
    ranked = statistic == "spearman"
    human = paired.human
    if ranked:
        human = mean_ranks(human, Groups(human, human, paired.offsets))
    unit_vectors, varied = _unit_vectors(human, paired)
    paired, human = paired.of_groups(varied), unit_vectors[np.repeat(varied, paired.sizes)]
    rows, words = flips.shape
    sums = np.zeros((rows, 4))
    offsets = np.arange(rows + 1, dtype=np.int64) * max(len(human), 1)
    shared = (human, paired.units, paired.offsets, flips.reshape(-1), words, sums.reshape(-1))
    if ranked:
        _run.run_rows(kernel.swapped_spearman, offsets, *paired.in_order(), *shared)
    elif len(paired.sizes) == 1 and len(human) >= LARGE_GROUP:
        return _pooled_pearson(paired, flips, human)
    else:
        _run.run_rows(kernel.swapped_pearson, offsets, paired.scores, *shared)
    with np.errstate(invalid="ignore"):
        values: Float64 = np.clip(sums[:, 0::2] / sums[:, 1::2], -1.0, 1.0)
    return values


def _pooled_pearson(paired: dependent.PairedScores, flips: UInt64, human: Float64) -> Float64:
    """Return Pearson's r of one large group, from three sums to which swaps add independently.

    `human` must be centred, with squares that sum to 1.
    """
    rows, words = flips.shape
    scores = paired.scores.reshape(-1, 2)
    # The sums that r needs: of the scores, of their squares, of their products with human scores.
    terms = np.stack([scores, scores * scores, scores * human[:, None]], axis=2)
    changes = np.zeros((64 * words, 3))
    np.add.at(changes, paired.units, terms[:, 1] - terms[:, 0])
    table = np.zeros((16 * words, 16, 3))
    for coin in range(4):
        bits = (np.arange(16) >> coin & 1).astype(np.float64)
        table += bits[:, None] * changes[coin::4, None]
    sums = np.empty((rows, 3))
    offsets = np.arange(rows + 1, dtype=np.int64) * 64 * words
    moves = table.reshape(-1), flips.reshape(-1), words
    _run.run_rows(kernel.flipped_sums, offsets, *moves, sums.reshape(-1))
    totals = terms.sum(axis=0)
    values = np.empty((rows, 2))
    for side, sign in enumerate((1, -1)):
        total, square, product = (totals[side] + sign * sums).T
        variance = square - total * total / len(human)
        # Both metrics have a variance of 1, so a mixture has none only if all its scores are equal.
        variance[variance < MIN_VARIANCE * len(human)] = np.nan
        values[:, side] = np.clip(product / np.sqrt(variance), -1.0, 1.0)
    return values


def _unit_vectors(human: Float64, paired: dependent.PairedScores) -> tuple[Float64, Bool]:
    """Return centred scores whose squares sum to 1 in each group, and which groups vary."""
    sizes = paired.sizes
    groups = len(sizes)
    # Relative to the first score of the group, so that equal scores become exactly 0.
    first = human[np.minimum(paired.offsets[:-1], max(len(human) - 1, 0))] if len(human) else sizes
    shifted = human - np.repeat(first, sizes)
    max_distance = np.zeros(groups)
    np.maximum.at(max_distance, paired.group, np.abs(shifted))
    varied = max_distance > 0
    shifted = shifted / np.repeat(np.where(varied, max_distance, 1.0), sizes)
    means = np.bincount(paired.group, shifted, groups) / np.maximum(sizes, 1)
    shifted = shifted - np.repeat(means, sizes)
    lengths = np.sqrt(np.bincount(paired.group, shifted * shifted, groups))
    return shifted / np.repeat(np.where(varied, lengths, 1.0), sizes), varied


def _counted_coefficients(paired: dependent.PairedScores, flips: UInt64, statistic: str) -> Float64:
    """Return a Kendall's tau or the pairwise accuracy, float64[1 + R, 2], from counts of pairs."""
    rows, words = flips.shape
    cells, groups = len(paired.human), len(paired.offsets) - 1
    human = np.unique(paired.human, return_inverse=True)[1].astype(np.int32)
    order = paired.in_order(human)
    pairs = paired.sizes * (paired.sizes - 1) // 2
    human_ties = _tied_pairs(human, paired)
    values = np.empty((rows, 2))
    block_rows = max(1, RANK_BLOCK // max(2 * cells, 1))
    for first in range(0, rows, block_rows):
        block = flips[first : first + block_rows]
        block_size = len(block)
        ranked = np.empty(block_size * 2 * cells, np.int32)
        ties = np.empty((block_size, 2, groups, 2), np.int64)
        _run.run_rows(
            kernel.swapped_rankings,
            np.arange(block_size + 1, dtype=np.int64) * max(2 * cells, 1),
            *(*order, human, paired.units, paired.offsets, block.reshape(-1), words),
            *(ranked, ties.reshape(-1)),
        )
        offsets = np.cumsum(np.concatenate([[0], np.tile(paired.sizes, 2 * block_size)]))
        discordant = np.empty(2 * block_size * groups, np.int64)
        _run.run_rows(
            inversions,
            *(offsets, ranked, offsets, discordant),
            scratch=lambda max_length: (
                np.empty(max_length, np.int32),
                np.empty(max_length, np.int32),
            ),
        )
        wrong = discordant.reshape(block_size, 2, groups)
        metric, shared = ties[..., 0], ties[..., 1]
        right = pairs - wrong - metric - human_ties + shared
        count_columns = [right, wrong, metric - shared, human_ties - shared, shared]
        counts = np.stack(count_columns, axis=-1).reshape(2 * block_size, groups, 5)
        values[first : first + block_size] = dependent.of_counts(counts, statistic).reshape(
            block_size, 2
        )
    return values


def _tied_pairs(ranks: Int32, paired: dependent.PairedScores) -> Int64:
    """Count the pairs of equal ranks in each group, int64[G]."""
    width = int(ranks.max(initial=0)) + 1
    keys, counts = np.unique(paired.group * width + ranks, return_counts=True)
    ties = np.zeros(len(paired.offsets) - 1, np.int64)
    np.add.at(ties, keys // width, counts * (counts - 1) // 2)
    return ties
