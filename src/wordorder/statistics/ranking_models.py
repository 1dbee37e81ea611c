"""Rankings of systems by judgements: wins, strengths, skills, standard scores, rank ranges."""

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
# No step is longer, so that the first ones do not overshoot.
_LONGEST_STEP = 2.0
_CONVERGED = 1e-12


def bradley_terry(wins: npt.ArrayLike, *, prior: float = 0.0) -> Float64:
    """Return the Bradley-Terry strength of each system.

    System a beats system b with probability ``1 / (1 + exp(s_b - s_a))``; the strengths s are
    those that make the decided judgements most probable, by Newton's method (Bradley and Terry
    1952). Ties are ignored.

    Parameters
    ----------
    wins : float64[..., n, n]
        ``wins[a, b]``: how often system a was judged better than system b.
    prior : float
        Number of wins, and of losses, that are added to each system, against a system of strength
        0. A system that always wins or always loses then has a finite strength.

    Returns
    -------
    float64[..., n]
        In natural logarithms of odds; their mean is 0.

    Raises
    ------
    UsageError
        If no finite strengths exist, because some systems never lost to the others, or were never
        compared with them; the message names them.

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
    met = flat + np.swapaxes(flat, 1, 2)
    won = flat.sum(axis=2)
    strengths = np.zeros(won.shape)
    # Only differences matter: this holds the mean in place.
    fixed = np.full((n, n), 1.0 / n)
    for _ in range(_MAX_STEPS):
        share = 1 / (1 + np.exp(strengths[:, np.newaxis, :] - strengths[:, :, np.newaxis]))
        alone = 1 / (1 + np.exp(-strengths))
        gradient = won - (met * share).sum(axis=2) + prior * (1 - 2 * alone)
        weights = met * share * (1 - share)
        hessian = -weights
        diagonal = weights.sum(axis=2) + 2 * prior * alone * (1 - alone)
        hessian[:, np.arange(n), np.arange(n)] += diagonal
        step = np.linalg.solve(hessian + (fixed if not prior else 0), gradient[..., np.newaxis])
        step = np.clip(step[..., 0], -_LONGEST_STEP, _LONGEST_STEP)
        strengths += step
        if np.abs(step).max() < _CONVERGED:
            break
    centred: Float64 = strengths - strengths.mean(axis=1, keepdims=True)
    return centred.reshape(table.shape[:-1])


def require_strengths(wins: Float64, names: Sequence[str]) -> None:
    """Refuse wins of one row per system without finite Bradley-Terry strengths.

    Raises
    ------
    UsageError
        That names the systems that never lost to the others, and those that never won.
    """
    chains = reachable(wins > 0)
    if chains.all():
        return
    groups: dict[bytes, list[str]] = {}
    for name, members in zip(names, chains & chains.T, strict=True):
        groups.setdefault(members.tobytes(), []).append(name)
    reasons = []
    for members, systems in groups.items():
        inside = np.frombuffer(members, np.bool_)
        lost, won = chains[~inside][:, inside].any(), chains[inside][:, ~inside].any()
        if not (lost and won):
            never = "won" if lost else "lost" if won else "won or lost"
            reasons.append(f"{joined(systems)} never {never} a pair with the others")
    raise UsageError(
        f"no finite strengths: {'; '.join(reasons)}; --prior=0.01 adds 0.01 wins and "
        "0.01 losses to each system"
    )


def reachable(links: Bool) -> Bool:
    """Return which nodes a chain of links leads to from each node, itself included, bool[n, n]."""
    reached = links | np.eye(len(links), dtype=np.bool_)
    while True:
        further = reached @ reached
        if (further == reached).all():
            return reached
        reached = further


@dataclass(frozen=True, eq=False)
class RankRanges:
    """Where each system may be in the ranking.

    Attributes
    ----------
    low, high : float64[n]
        The interval of each value.
    best, worst : int64[n]
        The ranks that each system may have, from 1.
    cluster : int64[n]
        From 1, the best: systems whose ranks overlap, directly or through others, are together.
    above : bool[n, n]
        Whether the row's system is surely above the column's: the interval of the sign of their
        difference says so, or their ranks do not overlap.
    """

    low: Float64
    high: Float64
    best: Int64
    worst: Int64
    cluster: Int64
    above: Bool


def rank_ranges(values: Float64, samples: Float64, *, level: float = 0.95) -> RankRanges:
    """Find intervals, rank ranges and clusters of systems, as the shared tasks of WMT do.

    The ranks of a system on the resamples, without the lowest and highest ``(1 - level) / 2`` of
    them, are its range. Sorted by their values, systems are parted where all ranges before end
    above where all ranges behind begin (Bojar et al. 2013, section 3.3).

    Parameters
    ----------
    values : float64[n]
        Higher is better.
    samples : float64[B, n]
        The values on B resamples; NaN where a system has none.
    level : float
        Between 0 and 1.

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
    # A system without a value on a resample is last there; equal ones share all their ranks.
    filled = np.where(np.isnan(samples), -np.inf, samples)
    higher = filled[:, np.newaxis, :] > filled[:, :, np.newaxis]
    best = 1 + higher.sum(axis=2)
    worst = len(values) - higher.sum(axis=1)
    first = interval(best.T, level)[0].astype(np.int64)
    last = interval(worst.T, level)[1].astype(np.int64)
    order = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable")
    cluster = np.ones(len(values), np.int64)
    for place in range(1, len(order)):
        apart = last[order[:place]].max() < first[order[place:]].min()
        cluster[order[place]] = cluster[order[place - 1]] + apart
    signs = np.transpose(higher, (2, 1, 0)).astype(np.int8) - np.transpose(higher, (1, 2, 0))
    above = (interval(signs, level)[0] > 0) | (last[:, np.newaxis] < first)
    return RankRanges(low, high, first, last, cluster, above)


def standard_scores(values: Array, rater: Array) -> Float64:
    """Return each rating's distance from its rater's mean, in the rater's standard deviations.

    As in WMT's direct assessment (Graham et al. 2013): mean and sample standard deviation of all
    ratings that a rater gave.

    Parameters
    ----------
    values : float64[N]
    rater : int[N]
        Who gave each rating; equal numbers are one rater.

    Returns
    -------
    float64[N]
        NaN for a rater who gave one value only, since their scale is unknown.

    Raises
    ------
    UsageError
        If the arrays differ in length, or a rating is no finite number.

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
    number = np.bincount(codes)
    lowest, highest = np.full(len(number), np.inf), np.full(len(number), -np.inf)
    np.minimum.at(lowest, codes, values)
    np.maximum.at(highest, codes, values)
    # The distance from the mean times the rater's number of ratings is computed without rounding,
    # so that equal ratings have equal scores in any order and for any rater.
    units, _ = whole_multiples(values)
    apart = number[codes] * units - group_sums(units, codes, len(number))[codes]
    variances = group_sums(apart * apart, codes, len(number)) / np.maximum(number - 1, 1)
    deviations = np.where(lowest < highest, np.sqrt(variances), np.nan)
    scores: Float64 = apart / deviations[codes]
    return scores


def ratio_of_wins(wins: npt.ArrayLike) -> Float64:
    """Return the share of its decided judgements that each system won, ties ignored.

    ``won / (won + lost)``, as Bojar et al. (2011) ranked systems and as Stanojević and Sima'an
    (2016, section 7) do.

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
    """Return each system's probability of beating a system that is drawn at random.

    The mean over the opponents of the share of decided judgements won against each (Koehn 2012;
    the official ranking of WMT13). A much judged opponent counts no more than another.

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
        Of each judgement.
    outcome : int[N]
        1 if the first system was judged better, -1 if the second was, 0 for a tie.
    items, systems : int
        How many there are.

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
        If it is not square or a count is negative, infinite or NaN.
    """
    table = np.asarray(wins, np.float64)
    if table.ndim < 2 or table.shape[-1] != table.shape[-2]:
        raise UsageError(f"expected wins [systems, systems], got shape {table.shape}")
    if not ((table >= 0) & (table < np.inf)).all():
        raise UsageError("wins are finite numbers of at least 0")
    return table


def _ratio(part: Float64, whole: Float64) -> Float64:
    """Divide; NaN where the whole is 0."""
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), np.nan)
