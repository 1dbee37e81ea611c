"""TrueSkill: skills of systems estimated from a sequence of matches."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from wordorder.arrays import Array, Float64, Int64
from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.kernels.resampling import rate_in_order, sampled_runs
from wordorder.statistics.measurement import draw_bootstrap_counts, resample_keys

# The settings of Sakaguchi et al. (2014) for the shared tasks of WMT. Beta is SIGMA times the
# number of matches, divided by 40.
SIGMA = 0.5
DRAWS = 0.25
_MATCHES_OF_BETA = 40.0
# The generators that draw items and matches must have different streams.
_MATCH_STREAM = np.uint64(0x5851F42D4C957F2D)


@dataclass(frozen=True, eq=False)
class Skills:
    """TrueSkill's estimates of the skills of systems.

    Attributes
    ----------
    mu, sigma : float64[..., n]
        Mean and standard deviation of each skill.
    """

    mu: Float64
    sigma: Float64


def trueskill(
    first: Array,
    second: Array,
    outcome: Array,
    *,
    systems: int,
    mu: float = 25.0,
    sigma: float = 25 / 3,
    beta: float = 25 / 6,
    tau: float = 25 / 300,
    draw_probability: float = 0.1,
) -> Skills:
    """Rate systems by a sequence of matches.

    The options and their defaults are those of Herbrich, Minka and Graepel (2006, "TrueSkill: A
    Bayesian Skill Rating System") and of the Python package `trueskill`. The package computes the
    normal distribution to fewer digits; its skills agree with these to about 1e-5.

    Parameters
    ----------
    first, second : int[N]
        The two systems of each match, from 0.
    outcome : int[N]
        1 if the first system won, -1 if the second did, 0 for a draw.
    systems : int
        The number of systems.
    mu, sigma : float
        Mean and standard deviation of each skill at the start.
    beta : float
        Standard deviation of the performance in one match.
    tau : float
        Standard deviation of the change of a skill between matches.
    draw_probability : float
        The share of draws between equally skilled systems, at least 0 and below 1.

    Returns
    -------
    Skills

    Raises
    ------
    UsageError
        If an option or a system is out of range, or there are draws but their probability is 0.

    Examples
    --------
    >>> skills = trueskill(np.array([0]), np.array([1]), np.array([1]), systems=2)
    >>> skills.mu.round(3).tolist(), skills.sigma.round(3).tolist()
    ([29.396, 20.604], [7.171, 7.171])
    """
    if not (sigma > 0 and beta > 0 and tau >= 0 and 0 <= draw_probability < 1):
        raise UsageError("sigma and beta are above 0, tau is at least 0, a probability below 1")
    _, first, second, outcome = _checked_matches(
        np.zeros_like(first), first, second, outcome, systems
    )
    if draw_probability == 0 and (outcome == 0).any():
        raise UsageError("there are draws, but their probability is 0")
    means, variances = np.full(systems, float(mu)), np.full(systems, float(sigma) ** 2)
    _run.call(
        rate_in_order,
        *(first, second, outcome),
        *(2 * beta**2, _margin(draw_probability) * beta, tau**2),
        *(means, variances, 0, len(first)),
    )
    return Skills(means, np.sqrt(variances))


def trueskill_runs(
    item: Array,
    first: Array,
    second: Array,
    outcome: Array,
    *,
    items: int,
    systems: int,
    runs: int = 1000,
    before: int = 0,
    seed: int = 12345,
    resample: bool = True,
) -> Skills:
    """Rate systems in many runs of matches sampled from judgements, as in WMT's official rankings.

    A run has one match per judgement. Each match is between the system whose skill is least certain
    and a random opponent, which is the more probable the more similar its skill. A random judgement
    of the two decides the match (Sakaguchi, Post and Van Durme 2014, section 4). All skills start
    at 0 with a standard deviation of .5; beta is .5 times the number of matches, divided by 40, and
    a quarter of the matches between equally skilled systems are draws.

    Parameters
    ----------
    item, first, second : int[N]
        The item and the two systems of each judgement, from 0.
    outcome : int[N]
        1 if the first system was judged better, -1 if the second was, 0 for a tie.
    items, systems : int
        The numbers of items and of systems.
    runs : int
    before : int
        The number of runs of earlier calls with this seed; their random numbers are skipped.
    seed : int
    resample : bool
        Whether each run first draws its items with replacement, so that differences between runs
        also reflect the choice of items. If not, only matches are random, as in WMT15.

    Returns
    -------
    Skills
        ``mu[r, s]`` and ``sigma[r, s]`` of system s in run r. Systems are ranked by their mean mu
        over all runs.

    Raises
    ------
    UsageError
        If a number is out of range or there is no judgement.

    Examples
    --------
    >>> names = np.zeros(40, int)
    >>> skills = trueskill_runs(np.arange(40), names, names + 1, names + 1, items=40, systems=2,
    ...                         runs=3)
    >>> bool((skills.mu[:, 0] > skills.mu[:, 1]).all())
    True
    """
    item, first, second, outcome = _checked_matches(item, first, second, outcome, systems)
    if not len(item) or item.min() < 0 or item.max() >= items:
        raise UsageError(f"items are numbers from 0 to {items - 1}, one or more")
    # The system with the lower index comes first; judgements are sorted by pair.
    outcome = np.where(first < second, outcome, -outcome)
    pair = np.minimum(first, second) * systems + np.maximum(first, second)
    order = np.argsort(pair, kind="stable")
    starts = np.searchsorted(pair[order], np.arange(systems**2 + 1))
    if before < 0 or runs < 1:
        raise UsageError(f"at least 1 run after 0 or more is needed, got {runs} after {before}")
    keys = resample_keys(before + runs, seed)[before:]
    times = np.ones((runs, items))
    if resample:
        draw_bootstrap_counts(keys, times)
    matches = (times @ np.bincount(item, minlength=items)).astype(np.int64)
    beta = SIGMA / _MATCHES_OF_BETA
    mu, variance = np.empty(runs * systems), np.empty(runs * systems)
    largest = int(matches.max())

    def scratch(_: int) -> tuple[Array, ...]:
        """Return working memory for one thread."""
        per_system = [np.empty(systems) for _ in range(3)]
        return np.empty(largest, np.int64), np.empty(systems**2 + 1, np.int64), *per_system

    _run.run_rows(
        sampled_runs,
        # Chunks are cut by their cost: a match takes about the time of `systems` values.
        np.concatenate([[0], np.cumsum(matches * systems)]),
        (keys.view(np.uint64) ^ _MATCH_STREAM).view(np.int64),
        *(systems, matches, starts.astype(np.int64), item[order], outcome[order]),
        *(times.reshape(-1), items, SIGMA**2, 2 * beta**2, _margin(DRAWS) * beta),
        *(mu, variance),
        scratch=scratch,
    )
    return Skills(mu.reshape(runs, systems), np.sqrt(variance).reshape(runs, systems))


def _margin(draw_probability: float) -> float:
    """Return the largest difference of two performances that is a draw, divided by beta."""
    return NormalDist().inv_cdf((draw_probability + 1) / 2) * math.sqrt(2)


def _checked_matches(
    item: Array, first: Array, second: Array, outcome: Array, systems: int
) -> tuple[Int64, Int64, Int64, Int64]:
    """Return the columns of matches as int64[N], after checks of their ranges."""
    columns = [np.ascontiguousarray(column, np.int64) for column in (item, first, second, outcome)]
    if len({column.shape for column in columns}) > 1 or columns[0].ndim != 1:
        raise UsageError("items, systems and outcomes are rows of the same length")
    if len(columns[0]):
        names = np.concatenate(columns[1:3])
        if names.min() < 0 or names.max() >= systems or (columns[1] == columns[2]).any():
            raise UsageError(f"a match is between two of the systems 0 to {systems - 1}")
        if np.abs(columns[3]).max() > 1:
            raise UsageError("an outcome is 1, 0 or -1")
    return columns[0], columns[1], columns[2], columns[3]
