"""Slow, obvious twins of the tests of two metrics: every resample is built and scored by itself."""

import itertools
from collections.abc import Callable

import numpy as np
from scipy import stats

from tests.oracles_statistics import splitmix64
from wordorder.arrays import Bool, Float64

Pair = tuple[Float64, Float64]


def coins(key: int, number: int) -> list[int]:
    """Flip `number` coins: the bits of the generator's outputs, the lowest first."""
    outputs = splitmix64(key)
    flips: list[int] = []
    while len(flips) < number:
        output = next(outputs)
        flips += [output >> bit & 1 for bit in range(64)]
    return flips[:number]


def swap_mask(swap: str, shape: tuple[int, int], key: int) -> Bool:
    """Which scores a resample swaps, bool[systems, segments]."""
    systems, segments = shape
    if swap == "both":
        return np.array(coins(key, systems * segments), bool).reshape(shape)
    if swap == "inputs":
        return np.array([coins(key, segments)] * systems, bool)
    return np.array([[coin] * segments for coin in coins(key, systems)], bool)


def standardised(scores: Float64, known: Bool) -> Float64:
    """z-scores of what is known, NaN elsewhere."""
    table = np.full(scores.shape, np.nan)
    inside = scores[known]
    table[known] = 0.0 if len(set(inside.tolist())) < 2 else stats.zscore(inside)
    return table


def groups_of(metric: Float64, human: Float64, by: str) -> list[Pair]:
    """The scores that are compared with each other."""
    tables = (metric, human)
    if by == "none":
        pairs = [tuple(each.ravel() for each in tables)]
    elif by == "item":
        pairs = list(zip(metric.T, human.T, strict=True))
    else:
        pairs = list(zip(metric, human, strict=True))
    kept = []
    for m, h in pairs:
        there = ~np.isnan(m) & ~np.isnan(h)
        kept.append((m[there], h[there]))
    return kept


def defined_mean(values: list[float]) -> float:
    kept = [value for value in values if not np.isnan(value)]
    return float(np.mean(kept)) if kept else float("nan")


def of_vectors(name: str, metric: Float64, human: Float64, names: Float64 | None = None) -> float:
    """A coefficient of two vectors, by scipy or by looking at all pairs.

    Outputs of the same name are copies, which are not compared.
    """
    if name == "accuracy":
        right = [
            np.sign(metric[i] - metric[j]) == np.sign(human[i] - human[j])
            for i, j in itertools.combinations(range(len(metric)), 2)
            if names is None or names[i] != names[j]
        ]
        return float(np.mean(right)) if right else float("nan")
    if len(set(metric.tolist())) < 2 or len(set(human.tolist())) < 2:
        return float("nan")
    if name == "pearson":
        return float(stats.pearsonr(metric, human)[0])
    if name == "spearman":
        return float(stats.spearmanr(metric, human)[0])
    assert name == "kendall-b"
    return float(stats.kendalltau(metric, human)[0])


def acc_eq(groups: list[Pair], names: list[Float64] | None = None) -> float:
    """Try 0 and every difference of a pair as the threshold; rounding does not count."""
    pairs = []
    for number, (metric, human) in enumerate(groups):
        later, earlier = np.tril_indices(len(metric), -1)
        if names is not None:
            others = names[number][later] != names[number][earlier]
            later, earlier = later[others], earlier[others]
        if len(later):
            wanted = np.sign(human[later] - human[earlier])
            pairs.append((metric[later] - metric[earlier], wanted))
    gaps = np.concatenate([gap for gap, _ in pairs])
    best = 0.0
    for threshold in {0.0, *np.round(np.abs(gaps), 12).tolist()}:
        shares = []
        for gap, wanted in pairs:
            tied = np.abs(gap) <= threshold + 1e-9
            shares.append(np.mean(np.where(tied, 0, np.sign(gap)) == wanted))
        best = max(best, float(np.mean(shares)))
    return best


def coefficient(
    name: str, metric: Float64, human: Float64, by: str, names: Float64 | None = None
) -> float:
    groups = groups_of(metric, human, by)
    copies = None
    if names is not None:
        known = np.where(np.isnan(metric), np.nan, names)
        copies = [name for name, _ in groups_of(known, human, by)]
    if name == "acc-eq":
        return acc_eq(groups, copies)
    values = [
        of_vectors(name, m, h, None if copies is None else copies[number])
        for number, (m, h) in enumerate(groups)
    ]
    return defined_mean(values)


def permutation_differences(
    tables: tuple[Float64, Float64, Float64],
    keys: list[int],
    *,
    swap: str,
    value: Callable[[Float64, Float64], float],
    judged: bool = True,
) -> list[float]:
    """The differences of the observed and of each swapped pair of metrics."""
    first, second, human = tables
    known = ~np.isnan(first) & ~np.isnan(second)
    if judged:
        known &= ~np.isnan(human)
    one, other = standardised(first, known), standardised(second, known)
    differences = [value(one, human) - value(other, human)]
    for key in keys:
        mask = swap_mask(swap, first.shape, key)
        mixed, rest = np.where(mask, other, one), np.where(mask, one, other)
        differences.append(value(mixed, human) - value(rest, human))
    return differences
