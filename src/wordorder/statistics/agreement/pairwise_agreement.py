"""How far raters agree on pairs of outputs, as the shared tasks of WMT measure it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.errors import choose
from wordorder.statistics.agreement.kappa import kappa
from wordorder.statistics.intervals import interval_around
from wordorder.statistics.resampling import bootstrap_totals
from wordorder.types import Array, Float64, Int64

CHANCES = ("marginals", "uniform")


@dataclass(frozen=True)
class PairwiseAgreement:
    """How often two judgements of the same pair of outputs agree.

    Attributes
    ----------
    pairs, agreed : int
        Pairs of judgements, and how many of them agree.
    observed, chance : float
        P_A and P_E.
    kappa : float
        ``(P_A - P_E) / (1 - P_E)``; NaN without pairs.
    low, high : float
        The interval of kappa.
    """

    pairs: int
    agreed: int
    observed: float
    chance: float
    kappa: float
    low: float
    high: float


def pairwise_agreement(
    item: Array,
    rater: Array,
    first: Array,
    second: Array,
    outcome: Array,
    *,
    within: bool = False,
    chance: str = "marginals",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> PairwiseAgreement:
    """Measure how far raters agree on which of two outputs is better.

    P_A is the share of agreeing pairs among all pairs of judgements of the same two outputs (Bojar
    et al. 2013, section 3.2). P_E is the sum of the squared shares of the outcomes, or 1/3. Which
    output comes first is arbitrary, so "first" and "second" each get half of the decided share.

    Parameters
    ----------
    item, rater, first, second : int[N]
        Of each judgement. -1 as rater is unknown; such judgements are left out.
    outcome : int[N]
        1 if the first output was judged better, -1 if the second was, 0 for a tie.
    within : bool
        Whether the judgements of one rater are compared with each other (intra) or those of
        different raters (inter).
    chance : "marginals" or "uniform"
    level : float
        The confidence of the interval, which comes from resampling items.
    resamples, seed : int

    Returns
    -------
    PairwiseAgreement

    Examples
    --------
    Two raters agree on one pair of outputs and not on another.

    >>> two = pairwise_agreement(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.zeros(4, int),
    ...                         np.ones(4, int), np.array([1, 1, 1, -1]), chance="uniform")
    >>> two.pairs, two.agreed, round(two.kappa, 2)
    (2, 1, 0.25)
    """
    choose("chance", chance, CHANCES)
    known = np.asarray(rater) >= 0
    item, rater, first, second, outcome = (
        np.asarray(each, np.int64)[known] for each in (item, rater, first, second, outcome)
    )
    # The same two outputs in one order, so that equal outcomes are equal numbers.
    outcome = np.where(first < second, outcome, -outcome)
    systems = int(max(first.max(initial=0), second.max(initial=0))) + 1
    pair = (item * systems + np.minimum(first, second)) * systems + np.maximum(first, second)
    names, codes = np.unique(item, return_inverse=True)
    item = codes.reshape(-1)
    by_rater = _pairs_by_item((pair, rater), item, len(names))
    by_rater_agreed = _pairs_by_item((pair, rater, outcome), item, len(names))
    if within:
        pairs, agreed = by_rater, by_rater_agreed
    else:
        pairs = _pairs_by_item((pair,), item, len(names)) - by_rater
        agreed = _pairs_by_item((pair, outcome), item, len(names)) - by_rater_agreed
    judged = np.bincount(item, minlength=len(names))
    tied = np.bincount(item, outcome == 0, minlength=len(names))
    matrix = np.column_stack([pairs, agreed, judged, tied]).astype(np.float64)
    observed, by_chance = _shares(matrix.sum(axis=0)[np.newaxis], chance)
    value = float(_kappas(observed, by_chance)[0])
    low = high = value
    if len(names) > 1 and not np.isnan(value):
        totals = bootstrap_totals(matrix, resamples=resamples, seed=seed)
        samples = _kappas(*_shares(totals, chance))
        low, high = interval_around(value, samples, level)
    return PairwiseAgreement(
        int(pairs.sum()),
        int(agreed.sum()),
        float(observed[0]),
        float(by_chance[0]),
        value,
        low,
        high,
    )


def _pairs_by_item(keys: tuple[Int64, ...], item: Int64, items: int) -> Int64:
    """Count for each item the pairs of judgements that are equal in all keys."""
    if not len(item):
        return np.zeros(items, np.int64)
    order = np.lexsort(keys[::-1])
    changed = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    starts = np.concatenate([[0], np.flatnonzero(changed) + 1])
    number = np.diff([*starts.tolist(), len(order)])
    counts = np.bincount(item[order[starts]], number * (number - 1) // 2, minlength=items)
    return counts.astype(np.int64)


def _shares(totals: Float64, chance: str) -> tuple[Float64, Float64]:
    """Return P_A and P_E of sums over items, float64[B] each."""
    pairs, agreed, judged, tied = totals.T
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = agreed / pairs
        ties = tied / judged
    by_chance = ties**2 + (1 - ties) ** 2 / 2
    return observed, np.full_like(ties, 1 / 3) if chance == "uniform" else by_chance


def _kappas(observed: Float64, chance: Float64) -> Float64:
    return np.array([kappa(*pair) for pair in zip(observed, chance, strict=True)])
