"""acc_eq once two metrics have swapped some of their scores, with its own threshold each time."""

from __future__ import annotations

import numpy as np

from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.kernels.swapped_ties import swapped_tie_gains
from wordorder.statistics.correlation.tie_calibration import pair_weights
from wordorder.statistics.correlation_tests.paired_scores import PairedScores
from wordorder.types import Array, Float64, Int64, UInt64

# Four differences a pair are kept at once, some 40 bytes each while they are sorted.
MOST_PAIRS = 12_000_000
LANES = 64


def swapped_acc_eq(paired: PairedScores, flips: UInt64) -> Float64:
    """Return acc_eq of both mixed metrics in each resample, float64[1 + R, 2].

    Raises
    ------
    UsageError
        If there are more than 12 million pairs.
    """
    pairs = paired.sizes * (paired.sizes - 1) // 2
    if pairs.sum() > MOST_PAIRS:
        raise UsageError(
            f"acc-eq can be tested on at most {MOST_PAIRS:,} pairs of outputs, these are "
            f"{int(pairs.sum()):,}; compare the outputs of each segment (by='item')"
        )
    rows = len(flips)
    if not pairs.any():
        return np.full((rows, 2), np.nan)
    weights = pair_weights(pairs)
    weights //= np.gcd.reduce(weights)
    left, right = _pairs_of(paired.sizes, paired.offsets)
    human_ties, differences = _differences(paired, left, right, weights)
    total = int((weights * pairs).sum())
    planes = total.bit_length()
    blocks = (rows + LANES - 1) // LANES
    gains = np.empty((blocks, 2, planes), np.uint64)
    _run.run_rows(
        swapped_tie_gains,
        np.arange(blocks + 1, dtype=np.int64) * max(LANES * len(differences[0]), 1),
        *(*differences, _lanes(flips, paired.coins).reshape(-1), paired.coins, planes),
        gains.reshape(-1),
    )
    # [blocks, 2, planes, 64] bits: what each plane is worth, summed up exactly.
    bits = (gains[..., None] >> np.arange(LANES, dtype=np.uint64)) & np.uint64(1)
    worth = np.left_shift(np.int64(1), np.arange(planes, dtype=np.int64))
    gained = np.einsum("bmpl,p->blm", bits.astype(np.int64), worth).reshape(-1, 2)[:rows]
    values: Float64 = (human_ties + gained) / total
    return values


def _pairs_of(sizes: Int64, offsets: Int64) -> tuple[Int64, Int64]:
    """List all pairs of outputs within the groups."""
    lefts, rights = [], []
    for size in np.unique(sizes).tolist():
        later, earlier = np.tril_indices(size, -1)
        starts = offsets[:-1][sizes == size, None]
        lefts.append((starts + later).ravel())
        rights.append((starts + earlier).ravel())
    return np.concatenate(lefts), np.concatenate(rights)


def _differences(
    paired: PairedScores, left: Int64, right: Int64, weights: Int64
) -> tuple[int, tuple[Array, ...]]:
    """Return the weight of the pairs that people tie, and the sorted differences for the kernel."""
    weight = weights[paired.group[left]]
    people = np.sign(paired.human[left] - paired.human[right])
    scores = paired.scores.reshape(-1, 2)
    parts = []
    for side in range(4):
        gap = scores[left, side & 1] - scores[right, side >> 1]
        gain = np.where(people == 0, weight, np.where(gap * people > 0, -weight, 0))
        kept = np.flatnonzero(gain)
        parts.append((np.abs(gap[kept]), gain[kept], kept, np.full(len(kept), side, np.int8)))
    gaps, gains, pair, sides = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(gaps, kind="stable")
    # Differences that only rounding makes differ are one threshold.
    run = np.cumsum(np.diff(gaps[order], prepend=0.0) > paired.tolerance)
    # Losses before gains within a threshold; below the first one all is tied from the start.
    order = order[np.lexsort((gains[order] > 0, run))]
    order = order[np.count_nonzero(run == 0) :]
    units = paired.units
    return int(weight[people == 0].sum()), (
        units[left[pair[order]]],
        units[right[pair[order]]],
        sides[order],
        gains[order],
    )


def _lanes(flips: UInt64, coins: int) -> UInt64:
    """Turn a row of coins a resample into a word of 64 resamples a coin, uint64[blocks, coins]."""
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
