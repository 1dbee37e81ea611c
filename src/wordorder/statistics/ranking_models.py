"""Rankings of systems by human judgements: wins, strengths, standard scores, rank ranges."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Array, Bool, Float64, Int64
from wordorder.errors import UsageError
from wordorder.messages import joined
from wordorder.statistics.exact_means import exact_means, group_sums, whole_multiples
from wordorder.statistics.intervals import interval, interval_around

_MAX_STEPS = 200
# The largest change of a strength in one step, so that the first steps do not overshoot.
_MAX_STRENGTH_CHANGE = 2.0
_CONVERGED = 1e-12


def bradley_terry(wins: npt.ArrayLike, *, prior: float = 0.0) -> Float64:
    """Return the Bradley-Terry strength of each system.

    System a beats system b with probability ``1 / (1 + exp(s_b - s_a))``; the strengths s maximise
    the likelihood of the decided judgements (Bradley and Terry 1952). Solved by Newton's method;
    ties are ignored.

    Parameters
    ----------
    wins : float64[..., n, n]
        ``wins[a, b]``: how often system a was judged better than system b.
    prior : float
        The number of wins, and of losses, that each system gets against an added system of strength
        0. With a prior, systems that always win or always lose have finite strengths, too.

    Returns
    -------
    float64[..., n]
        Strengths as natural log odds; their mean is 0.

    Raises
    ------
    UsageError
        If no finite strengths exist, because some systems never won, or never lost, against the
        others; the message names them.

    Examples
    --------
    Odds of 3 to 1.

    >>> bradley_terry([[0, 3], [1, 0]]).round(4).tolist()
    [0.5493, -0.5493]
    """
    table = wins_checked(wins)
    n = table.shape[-1]
    if not 0 <= prior < math.inf:
        raise UsageError(f"the prior is at least 0, got {prior}")
    if n == 0:
        return np.zeros(table.shape[:-1])
    flat = table.reshape(-1, n, n) * (1 - np.eye(n))
    for matrix in () if prior else flat:
        require_strengths(matrix, [f"system {number}" for number in range(n)])
    comparisons = flat + np.swapaxes(flat, 1, 2)
    won = flat.sum(axis=2)
    strengths = np.zeros(won.shape)
    # Only differences of strengths are determined; this term fixes their mean.
    fixed = np.full((n, n), 1.0 / n)
    for _ in range(_MAX_STEPS):
        share = 1 / (1 + np.exp(strengths[:, np.newaxis, :] - strengths[:, :, np.newaxis]))
        against_prior = 1 / (1 + np.exp(-strengths))
        gradient = won - (comparisons * share).sum(axis=2) + prior * (1 - 2 * against_prior)
        weights = comparisons * share * (1 - share)
        hessian = -weights
        diagonal = weights.sum(axis=2) + 2 * prior * against_prior * (1 - against_prior)
        hessian[:, np.arange(n), np.arange(n)] += diagonal
        step = np.linalg.solve(hessian + (fixed if not prior else 0), gradient[..., np.newaxis])
        step = np.clip(step[..., 0], -_MAX_STRENGTH_CHANGE, _MAX_STRENGTH_CHANGE)
        strengths += step
        if np.abs(step).max() < _CONVERGED:
            break
    centred: Float64 = strengths - strengths.mean(axis=1, keepdims=True)
    return centred.reshape(table.shape[:-1])


def require_strengths(wins: Float64, names: Sequence[str]) -> None:
    """Check that a table of wins [n, n] has finite Bradley-Terry strengths.

    Raises
    ------
    UsageError
        If it has none; the message names the systems that never lost, or never won, against others.
    """
    chains = reachable(wins > 0)
    if chains.all():
        return
    groups: dict[bytes, list[str]] = {}
    for name, members in zip(names, chains & chains.T, strict=True):
        groups.setdefault(members.tobytes(), []).append(name)
    reasons = []
    for members, systems in groups.items():
        is_member = np.frombuffer(members, np.bool_)
        lost, won = chains[~is_member][:, is_member].any(), chains[is_member][:, ~is_member].any()
        if not (lost and won):
            never = "won" if lost else "lost" if won else "won or lost"
            reasons.append(f"{joined(systems)} never {never} a pair with the others")
    raise UsageError(
        f"no finite strengths: {'; '.join(reasons)}; --prior=0.01 adds 0.01 wins and "
        "0.01 losses to each system"
    )


def reachable(links: Bool) -> Bool:
    """Return which nodes can be reached from each node by links, itself included, bool[n, n]."""
    reached = links | np.eye(len(links), dtype=np.bool_)
    while True:
        further = reached @ reached
        if (further == reached).all():
            return reached
        reached = further


@dataclass(frozen=True, eq=False)
class RankRanges:
    """The range of ranks of each system, with intervals and clusters.

    Attributes
    ----------
    low, high : float64[n]
        The confidence interval of each value.
    best, worst : int64[n]
        The best and the worst rank of each system, from 1.
    cluster : int64[n]
        The cluster of each system, 1 for the best. Systems whose rank ranges overlap, directly or
        through other systems, are in the same cluster.
    above : bool[n, n]
        Whether the row's system is significantly better than the column's: the interval of the sign
        of their difference is above 0, or their rank ranges do not overlap.
    """

    low: Float64
    high: Float64
    best: Int64
    worst: Int64
    cluster: Int64
    above: Bool


def rank_ranges(values: Float64, samples: Float64, *, level: float = 0.95) -> RankRanges:
    """Return intervals, rank ranges and clusters of systems, as in the shared tasks of WMT.

    The rank range of a system has its ranks on the resamples, without the lowest and highest
    ``(1 - level) / 2`` of them. With systems sorted by value, a new cluster starts where the worst
    rank of all systems before is better than the best rank of all after it (Bojar et al. 2013,
    section 3.3).

    Parameters
    ----------
    values : float64[n]
        Higher is better.
    samples : float64[B, n]
        The values on B resamples; NaN where a system has none.
    level : float
        The confidence, between 0 and 1.

    Examples
    --------
    >>> result = rank_ranges(np.array([0.5, 0.9, 0.4]), np.array([[0.5, 0.9, 0.4]] * 99 +
    ...                                                         [[0.4, 0.9, 0.5]] * 99))
    >>> result.best.tolist(), result.worst.tolist(), result.cluster.tolist()
    ([2, 1, 2], [3, 1, 3], [2, 1, 2])
    """
    low, high = np.array(values, np.float64), np.array(values, np.float64)
    for system, column in enumerate(samples.T):
        low[system], high[system] = interval_around(low[system], column, level)
    # A system without a value on a resample ranks last; equal systems share all their ranks.
    filled = np.where(np.isnan(samples), -np.inf, samples)
    higher = filled[:, np.newaxis, :] > filled[:, :, np.newaxis]
    best = 1 + higher.sum(axis=2)
    worst = len(values) - higher.sum(axis=1)
    first = interval(best.T, level)[0].astype(np.int64)
    last = interval(worst.T, level)[1].astype(np.int64)
    order = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable")
    cluster = np.ones(len(values), np.int64)
    for position in range(1, len(order)):
        starts_cluster = last[order[:position]].max() < first[order[position:]].min()
        cluster[order[position]] = cluster[order[position - 1]] + starts_cluster
    signs = np.transpose(higher, (2, 1, 0)).astype(np.int8) - np.transpose(higher, (1, 2, 0))
    above = (interval(signs, level)[0] > 0) | (last[:, np.newaxis] < first)
    return RankRanges(low, high, first, last, cluster, above)


def standard_scores(values: Array, rater: Array) -> Float64:
    """Return each rating's distance from its rater's mean, in the rater's standard deviations.

    As in WMT's direct assessment (Graham et al. 2013): mean and sample standard deviation are those
    of all ratings by the rater.

    Parameters
    ----------
    values : float64[N]
    rater : int[N]
        The rater of each rating, as an id.

    Returns
    -------
    float64[N]
        NaN for raters whose ratings are all equal.

    Raises
    ------
    UsageError
        If the arrays differ in length, or a rating is infinite or NaN.

    Examples
    --------
    >>> standard_scores(np.array([60.0, 80.0, 70.0, 9.0]), np.array([0, 0, 0, 1])).tolist()
    [-1.0, 1.0, 0.0, nan]
    """
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or values.shape != np.shape(rater):
        raise UsageError(
            f"{values.shape} ratings of {np.shape(rater)} raters; expected one rater per rating"
        )
    if not np.isfinite(values).all():
        raise UsageError("a rating is infinite or NaN")
    _, codes = np.unique(rater, return_inverse=True)
    rating_counts = np.bincount(codes)
    lowest, highest = np.full(len(rating_counts), np.inf), np.full(len(rating_counts), -np.inf)
    np.minimum.at(lowest, codes, values)
    np.maximum.at(highest, codes, values)
    # Distances from the mean are multiplied by the rater's number of ratings, and thus exact: equal
    # ratings get equal scores in any order.
    units, _ = whole_multiples(values)
    scaled_distances = (
        rating_counts[codes] * units - group_sums(units, codes, len(rating_counts))[codes]
    )
    variances = group_sums(
        scaled_distances * scaled_distances, codes, len(rating_counts)
    ) / np.maximum(rating_counts - 1, 1)
    deviations = np.where(lowest < highest, np.sqrt(variances), np.nan)
    scores: Float64 = scaled_distances / deviations[codes]
    return scores


def ratio_of_wins(wins: npt.ArrayLike) -> Float64:
    """Return each system's share of wins among its decided judgements; ties are ignored.

    ``won / (won + lost)``, as in Bojar et al. (2011) and Stanojević and Sima'an (2016, section 7).

    Parameters
    ----------
    wins : float64[..., n, n]
        ``wins[a, b]``: how often system a was judged better than system b.

    Returns
    -------
    float64[..., n]
        Between 0 and 1; NaN for a system without a decided judgement.

    Examples
    --------
    >>> ratio_of_wins([[0, 3, 1], [1, 0, 0], [0, 1, 0]]).round(2).tolist()
    [0.8, 0.2, 0.5]
    """
    table = wins_checked(wins)
    won, lost = table.sum(axis=-1), table.sum(axis=-2)
    return _ratio(won, won + lost)


def expected_wins(wins: npt.ArrayLike) -> Float64:
    """Return each system's estimated probability of beating a randomly drawn system.

    The share of decided judgements won against each opponent, averaged over opponents (Koehn 2012;
    the official ranking of WMT13). All opponents have the same weight.

    Parameters
    ----------
    wins : float64[..., n, n]
        ``wins[a, b]``: how often system a was judged better than system b.

    Returns
    -------
    float64[..., n]
        Between 0 and 1, over the opponents that a system was compared with; NaN without any.

    Examples
    --------
    >>> expected_wins([[0, 3, 1], [1, 0, 0], [0, 1, 0]]).tolist()
    [0.875, 0.125, 0.5]
    """
    table = wins_checked(wins)
    shares = _ratio(table, table + np.swapaxes(table, -1, -2))
    return exact_means(shares)


def wins_by_item(
    item: Array, first: Array, second: Array, outcome: Array, *, items: int, systems: int
) -> Float64:
    """Count the wins on each item, float64[items, n * n], for resampling of items.

    Parameters
    ----------
    item, first, second : int[N]
        The item and the two systems of each judgement, from 0.
    outcome : int[N]
        1 if the first system was judged better, -1 if the second was, 0 for a tie.
    items, systems : int
        The numbers of items and of systems.

    Examples
    --------
    >>> wins_by_item(np.array([0, 1]), np.array([0, 0]), np.array([1, 1]), np.array([1, -1]),
    ...              items=2, systems=2).tolist()
    [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    """
    decided = outcome != 0
    item, first, second = (column[decided].astype(np.int64) for column in (item, first, second))
    won = outcome[decided] > 0
    winner, loser = np.where(won, first, second), np.where(won, second, first)
    cells = (item * systems + winner) * systems + loser
    counts = np.bincount(cells, minlength=items * systems * systems)
    return counts.reshape(items, systems * systems).astype(np.float64)


def wins_checked(wins: npt.ArrayLike) -> Float64:
    """Return a table of wins as float64[..., n, n].

    Raises
    ------
    UsageError
        If the table is not square or a count is negative, infinite or NaN.
    """
    table = np.asarray(wins, np.float64)
    if table.ndim < 2 or table.shape[-1] != table.shape[-2]:
        raise UsageError(f"expected wins [systems, systems], got shape {table.shape}")
    if not ((table >= 0) & (table < np.inf)).all():
        raise UsageError("wins are finite numbers of at least 0")
    return table


def _ratio(numerators: Float64, denominators: Float64) -> Float64:
    """Divide; NaN where the whole is 0."""
    return np.where(
        denominators > 0, numerators / np.where(denominators > 0, denominators, 1.0), np.nan
    )
