"""Permutation tests of two metrics: which of them agrees better with people?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Array, Bool, Float64, Int32, Int64, OnProgress, UInt64
from wordorder.errors import UsageError, choose
from wordorder.kernels import _run, resampling as kernel
from wordorder.kernels.orders import inversions
from wordorder.statistics import dependent_tests as dependent
from wordorder.statistics.coefficients import mean_ranks
from wordorder.statistics.exact_sum import exact_means
from wordorder.statistics.grouped_correlation import Groups
from wordorder.statistics.measurement import resamples_checked
from wordorder.statistics.named_statistics import pair_weights

if TYPE_CHECKING:
    from typing_extensions import Unpack

UNITS = ("segment", "system")

# Differences of two coefficients that are closer differ by rounding.
SAME = 1e-12


class Way(TypedDict, total=False):
    """How metrics are compared, of all permutation tests; `perm_both` explains it."""

    statistic: str | dependent.Statistic
    by: str
    unit: str
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """Two metrics against people, and what random swaps of their scores say.

    Attributes
    ----------
    value_a, value_b, difference : float
        The coefficients of both metrics on the outputs that both score, and the first less the
        second; NaN where they are not defined.
    p_value : float in (0, 1]
        One-sided: how often swapped scores make the first metric lead by as much. NaN without
        both coefficients.
    p_value_of_b : float in (0, 1]
        The same for the second metric.
    n : int
        How many outputs, or systems, the coefficients rest on.
    resamples : int
    differences : float64[R]
        Of the swapped scores.
    """

    value_a: float
    value_b: float
    difference: float
    p_value: float
    p_value_of_b: float
    n: int
    resamples: int
    differences: Float64 = field(repr=False)


def perm_both(
    metric_a: npt.ArrayLike,
    metric_b: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    statistic: str | dependent.Statistic = "pearson",
    by: str = "none",
    unit: str = "segment",
    resamples: int = 1000,
    seed: int = 12345,
) -> PermutationTest:
    """Test whether metric A agrees better with people than metric B (Deutsch et al. 2021).

    If the metrics agreed equally well, it would not matter which of them gave which score. Each
    resample swaps, for every output, the two metrics' standardised scores with probability 1/2, and
    computes both coefficients once more: ``p = (1 + number of d* >= d) / (R + 1)`` for the
    difference ``d = r(A) - r(B)``. It asks whether the difference would hold for other outputs of
    the same systems. For other systems ask `perm_systems`: a metric may like whole systems, which
    swaps of single outputs average away.

    Parameters
    ----------
    metric_a, metric_b : float64[systems, segments], or float64[systems]
        Higher is better. NaN where there is no score: outputs that lack a score of A, of B or of
        people are left out.
    human : float64[systems, segments], or float64[systems]
        The latter for whole systems only.
    statistic : str or callable
        "pearson", "spearman", "kendall-b" and the other variants of `kendall`, "accuracy" or
        "acc-eq"; or any function of two such tables, which is slow and does its own grouping.
    by : "none", "item" or "system"
        Which outputs are compared with each other. The coefficient is a mean over groups.
    unit : "segment" or "system"
        "system" compares the means of the systems, the metrics' over the segments that both score,
        people's over all that they scored: then `by` is not used.
    resamples : int
    seed : int
        The same seed gives the same result, anywhere, for any number of threads.

    Returns
    -------
    PermutationTest

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite or an option is not legal; or acc-eq has more
        than 12 million pairs.

    Notes
    -----
    With acc-eq every resample has its own tie threshold for each of the two mixed metrics, found
    on all pairs: a threshold that fits A's scores would favour whichever mixture has more of them.
    All differences that can occur are sorted once, so that this costs one sweep a resample.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> human = generator.normal(size=(5, 40))
    >>> close, far = (human + generator.normal(size=human.shape) * noise for noise in (1, 2))
    >>> test = perm_both(close, far, human, by="item", resamples=99)
    >>> test.p_value, test.p_value_of_b
    (0.01, 1.0)
    """
    options: dict[str, Any] = {"statistic": statistic, "by": by, "unit": unit}
    options |= {"resamples": resamples, "seed": seed}
    return permutation_test(metric_a, metric_b, human, swap="both", **options)


def perm_inputs(
    metric_a: npt.ArrayLike,
    metric_b: npt.ArrayLike,
    human: npt.ArrayLike,
    **way: Unpack[Way],
) -> PermutationTest:
    """Test two metrics by swapping all scores of a segment at once.

    As `perm_both`, but one coin decides for all systems of a segment: it asks whether the
    difference would hold on other segments, for these systems.
    """
    return permutation_test(metric_a, metric_b, human, swap="inputs", **way)


def perm_systems(
    metric_a: npt.ArrayLike,
    metric_b: npt.ArrayLike,
    human: npt.ArrayLike,
    **way: Unpack[Way],
) -> PermutationTest:
    """Test two metrics by swapping all scores of a system at once.

    As `perm_both`, but one coin decides for all segments of a system: it asks whether the
    difference would hold for other systems, on these segments. With n systems there are only
    ``2**n`` ways to swap, so with 5 no p-value can be below 1/32 but by chance.
    """
    return permutation_test(metric_a, metric_b, human, swap="systems", **way)


def permutation_test(
    metric_a: npt.ArrayLike,
    metric_b: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    swap: str,
    statistic: str | dependent.Statistic = "pearson",
    by: str = "none",
    unit: str = "segment",
    resamples: int = 1000,
    seed: int = 12345,
) -> PermutationTest:
    """Test two metrics by the test that `swap` names: "both", "inputs" or "systems".

    `perm_both` describes the rest.
    """
    resamples_checked(resamples)
    statistic = dependent.chosen_statistic(statistic)
    first, second, people = dependent.three_tables(metric_a, metric_b, human)
    if choose("unit", unit, UNITS) == "system":
        # One group per system: its mean is what is compared.
        paired = dependent.paired_scores(first, second, None, by="system", swap=swap)
        values, n = _of_systems(paired, paired.flips(resamples, seed), people, statistic)
    elif people.shape != first.shape:
        raise UsageError("segments are tested against human scores of segments, not of systems")
    else:
        paired = dependent.paired_scores(first, second, people, by=by, swap=swap)
        flips, n = paired.flips(resamples, seed), len(paired.human)
        if has_kernel(statistic):
            values = swapped_values(paired, flips, str(statistic))
        else:
            values = _of_tables(paired, flips, (people, first, second), statistic, by)
    differences = values[:, 0] - values[:, 1]
    observed, sampled = float(differences[0]), differences[1:]
    p_values = share_beyond(sampled, observed), share_beyond(-sampled, -observed)
    first_value, second_value = values[0].tolist()
    return PermutationTest(
        first_value, second_value, observed, *p_values, n, resamples, differences=sampled
    )


def share_beyond(samples: Float64, observed: float) -> float:
    """Return ``(1 + number of samples >= observed) / (R + 1)``; NaN if nothing was observed.

    Samples that are not defined count as beyond: they tell nothing against chance.
    """
    if np.isnan(observed):
        return float("nan")
    beyond = ~(samples < observed - SAME)
    return float((1 + np.count_nonzero(beyond)) / (len(samples) + 1))


def permutation_p_values(
    metrics: Sequence[npt.ArrayLike],
    human: npt.ArrayLike,
    *,
    swap: str = "both",
    progress: OnProgress | None = None,
    **way: Unpack[Way],
) -> Float64:
    """Test all pairs of metrics, each on the outputs that both score.

    Parameters
    ----------
    metrics : sequence of float64[systems, segments], or float64[systems]
    human
        As for `perm_both`.
    swap : "both", "inputs" or "systems"
    progress : callable, optional
        Called with the number of pairs tested so far.
    **way
        `statistic`, `by`, `unit`, `resamples` and `seed`, as for `perm_both`.

    Returns
    -------
    float64[M, M]
        ``[a, b]``: the p-value for metric a agreeing better than metric b; NaN on the diagonal.
    """
    p_values = np.full((len(metrics), len(metrics)), np.nan)
    pairs = combinations(range(len(metrics)), 2)
    for done, (a, b) in enumerate(pairs, 1):
        test = permutation_test(metrics[a], metrics[b], human, swap=swap, **way)
        p_values[a, b], p_values[b, a] = test.p_value, test.p_value_of_b
        if progress is not None:
            progress(done)
    return p_values


def _of_systems(
    paired: dependent.PairedScores,
    flips: UInt64,
    human: Float64,
    statistic: str | dependent.Statistic,
) -> tuple[Float64, int]:
    """Return the coefficients of the systems' means, float64[1 + R, 2], and how many systems."""
    judged = exact_means(human)
    scored = swapped_means(paired, flips)
    known = ~np.isnan(judged) & (paired.sizes > 0)
    judged = judged[known]
    # A swap may bring systems the same scores in another order: equal but for rounding.
    scored = dependent.without_rounding(scored[..., known], paired.tolerance)
    flat = scored.reshape(2 * len(flips), len(judged))
    values = dependent.of_rows(flat, np.broadcast_to(judged, flat.shape), statistic)
    return values.reshape(-1, 2), len(judged)


def _of_tables(
    paired: dependent.PairedScores,
    flips: UInt64,
    tables: tuple[Float64, Float64, Float64],
    statistic: str | dependent.Statistic,
    by: str,
) -> Float64:
    """Return the coefficients resample by resample, from whole tables: for any statistic."""
    human, *_ = tables
    known = ~np.isnan(sum(tables[1:], human))
    place = np.nonzero(known.T)[::-1] if by == "item" else np.nonzero(known)
    scores, units = paired.scores.reshape(-1, 2), paired.units.astype(np.int64)
    mixed = np.full((2, *human.shape), np.nan)
    values = np.empty((len(flips), 2))
    for row, words in enumerate(flips):
        bit = (words[units >> 6] >> (units & 63).astype(np.uint64)) & np.uint64(1)
        for side in range(2):
            mixed[side][place] = scores[np.arange(len(units)), side ^ bit.astype(np.int64)]
            values[row, side] = dependent.of_tables(mixed[side], human, statistic, by)
    return values


# Four differences a pair are kept at once, some 40 bytes each while they are sorted.
MOST_PAIRS = 12_000_000

LANES = 64


def swapped_acc_eq(paired: dependent.PairedScores, flips: UInt64) -> Float64:
    """Return acc_eq of both mixed metrics in each resample, float64[1 + R, 2].

    Raises
    ------
    UsageError
        If there are more than 12 million pairs.
    """
    pairs = paired.sizes * (paired.sizes - 1) // 2
    if pairs.sum() > MOST_PAIRS:
        what = f"at most {MOST_PAIRS:,} pairs of outputs, these are {int(pairs.sum()):,}"
        how = "compare the outputs of each segment (by='item')"
        raise UsageError(f"acc-eq can be tested on {what}; {how}")
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
        kernel.swapped_tie_gains,
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
    paired: dependent.PairedScores, left: Int64, right: Int64, weights: Int64
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
    both = (paired.units[each[pair[order]]] for each in (left, right))
    return int(weight[people == 0].sum()), (*both, sides[order], gains[order])


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


# Numbers in one block of people's ranks: 16 MB. Results do not depend on it.
BLOCK = 1 << 22

# One group of as many outputs goes a faster way, in which equal scores have a variance of
# about 1e-13 instead of 0; less than `FLAT` is taken for 0.
LARGE = 1000

FLAT = 1e-10


def swapped_values(paired: dependent.PairedScores, flips: UInt64, statistic: str) -> Float64:
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
    if statistic in dependent.COUNTED:
        return _counted(paired, flips, statistic)
    raise UsageError(f"a function of tables is needed for {statistic}")


def has_kernel(statistic: str | dependent.Statistic) -> bool:
    """Return whether `swapped_values` knows a coefficient."""
    return statistic in ("pearson", "spearman", "acc-eq", *dependent.COUNTED)


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


def _linear(paired: dependent.PairedScores, flips: UInt64, statistic: str) -> Float64:
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
        _run.run_rows(kernel.swapped_spearman, offsets, *paired.in_order(), *shared)
    elif len(paired.sizes) == 1 and len(human) >= LARGE:
        return _pooled_pearson(paired, flips, human)
    else:
        _run.run_rows(kernel.swapped_pearson, offsets, paired.scores, *shared)
    with np.errstate(invalid="ignore"):
        values: Float64 = np.clip(sums[:, 0::2] / sums[:, 1::2], -1.0, 1.0)
    return values


def _pooled_pearson(paired: dependent.PairedScores, flips: UInt64, human: Float64) -> Float64:
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
    moves = table.reshape(-1), flips.reshape(-1), words
    _run.run_rows(kernel.flipped_sums, offsets, *moves, sums.reshape(-1))
    whole = terms.sum(axis=0)
    values = np.empty((rows, 2))
    for side, sign in enumerate((1, -1)):
        total, square, product = (whole[side] + sign * sums).T
        variance = square - total * total / len(human)
        # Of scores with a variance of 1 for each metric, a mixture has less only if all are equal.
        variance[variance < FLAT * len(human)] = np.nan
        values[:, side] = np.clip(product / np.sqrt(variance), -1.0, 1.0)
    return values


def _unit_vectors(human: Float64, paired: dependent.PairedScores) -> tuple[Float64, Bool]:
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


def _counted(paired: dependent.PairedScores, flips: UInt64, statistic: str) -> Float64:
    """Kendall's taus and the pairwise accuracy, from counts of pairs."""
    rows, words = flips.shape
    cells, groups = len(paired.human), len(paired.offsets) - 1
    human = np.unique(paired.human, return_inverse=True)[1].astype(np.int32)
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
            kernel.swapped_rankings,
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
        kinds = [right, wrong, metric - shared, human_ties - shared, shared]
        counts = np.stack(kinds, axis=-1).reshape(2 * number, groups, 5)
        values[first : first + number] = dependent.of_counts(counts, statistic).reshape(number, 2)
    return values


def _tied_pairs(ranks: Int32, paired: dependent.PairedScores) -> Int64:
    """Count the pairs of equal ranks in each group, int64[G]."""
    width = int(ranks.max(initial=0)) + 1
    keys, counts = np.unique(paired.group * width + ranks, return_counts=True)
    ties = np.zeros(len(paired.offsets) - 1, np.int64)
    np.add.at(ties, keys // width, counts * (counts - 1) // 2)
    return ties
