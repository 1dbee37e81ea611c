"""Confidence intervals and critical values of correlation coefficients."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError, choose
from wordorder.statistics.distributions import student_quantile
from wordorder.statistics.intervals import check_level

# Spearman's coefficient: up to this number of systems all orders are counted; for more systems its
# distribution is close enough to that of Pearson's.
MAX_EXACT_SPEARMAN = 12
# Kendall's tau: for more systems its distribution is close enough to a normal one.
MAX_EXACT_KENDALL = 100
COEFFICIENT_NAMES = ("pearson", "spearman", "kendall")


def fisher_interval(
    r: float, n: int, level: float = 0.95, statistic: str = "pearson"
) -> tuple[float, float]:
    """Return the confidence interval of a coefficient by Fisher's z transformation.

    ``z = atanh(r)`` is nearly normal for any true coefficient; the interval is
    ``tanh(z - q * s) .. tanh(z + q * s)`` with ``q`` the normal quantile of `level`. The variance
    ``s * s`` is for

    - pearson ``1 / (n - 3)`` (Fisher 1921),
    - spearman ``(1 + r * r / 2) / (n - 3)`` (Bonett and Wright 2000, where ``1.06 / (n - 3)`` of
      Fieller, Hartley and Pearson 1957 is too narrow for large coefficients),
    - kendall ``0.437 / (n - 4)`` (Fieller, Hartley and Pearson 1957), for tau-a or tau-b with few
      ties.

    Parameters
    ----------
    r : float in [-1, 1]
    n : int
        The number of outputs, or systems, that the coefficient was computed from.
    level : float
        The confidence, between 0 and 1.
    statistic : "pearson", "spearman" or "kendall"

    Returns
    -------
    low, high : float
        -1 and 1 if `n` is too small: at most 3 (kendall: 4). NaN if `r` is NaN. Both are `r` if it
        is 1 or -1: the formula gives no width there, which does not mean that `r` is certain.

    Raises
    ------
    UsageError
        If `r` or `level` is out of range or the statistic is unknown.

    Examples
    --------
    >>> low, high = fisher_interval(0.9, 12)
    >>> round(low, 3), round(high, 3)
    (0.674, 0.972)
    """
    choose("statistic", statistic, COEFFICIENT_NAMES)
    check_level(level)
    if math.isnan(r):
        return math.nan, math.nan
    if not -1 <= r <= 1:
        raise UsageError(f"a coefficient lies between -1 and 1, got {r}")
    variance_numerator, freedom = {
        "pearson": (1.0, n - 3),
        "spearman": (1 + r * r / 2, n - 3),
        "kendall": (0.437, n - 4),
    }[statistic]
    if freedom <= 0:
        return -1.0, 1.0
    if abs(r) == 1:
        return float(r), float(r)
    half_width = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(variance_numerator / freedom)
    return math.tanh(math.atanh(r) - half_width), math.tanh(math.atanh(r) + half_width)


def critical_correlation(n: int, level: float = 0.95, statistic: str = "pearson") -> float:
    """Return the absolute value from which a coefficient of `n` systems is significant.

    For example, with 6 systems one in twenty metrics that are unrelated to human scores reaches a
    Pearson coefficient of .81 or more, positive or negative, by chance.

    - pearson: Student's t with ``n - 2`` degrees of freedom (scores from a normal distribution);
    - spearman: the exact distribution for up to 12 systems; for more, the same t, which gives up to
      .01 too little at 95 %, and up to .025 at 99 % and above;
    - kendall: the exact distribution without ties for up to 100 systems; for more, a normal one.

    Returns
    -------
    float in (0, 1], or infinite
        The smallest ``c`` for which ``|r| >= c`` has a probability of at most ``1 - level`` by
        chance; infinite if even ``|r| = 1`` is more probable.

    Raises
    ------
    UsageError
        If `level` is not between 0 and 1 or the statistic is unknown.

    Examples
    --------
    >>> [round(critical_correlation(n), 3) for n in (3, 6, 13)]
    [0.997, 0.811, 0.553]
    >>> round(critical_correlation(6, statistic="spearman"), 3)
    0.886
    """
    choose("statistic", statistic, COEFFICIENT_NAMES)
    check_level(level)
    if n < 3:
        return math.inf
    chance = 1 - level
    if statistic == "kendall":
        if n > MAX_EXACT_KENDALL:
            deviation = math.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))
            return NormalDist().inv_cdf(1 - chance / 2) * deviation
        return _smallest_rare(*_tau_distribution(n), chance)
    if statistic == "spearman" and n <= MAX_EXACT_SPEARMAN:
        return _smallest_rare(*_rho_distribution(n), chance)
    t = student_quantile(1 - chance / 2, n - 2)
    return t / math.sqrt(n - 2 + t * t)


def _smallest_rare(sizes: Float64, counts: Float64, chance: float) -> float:
    """Return the smallest size that is reached with a probability of at most `chance`.

    `sizes` are absolute coefficients, ascending; `counts` are the numbers of orders that have them.
    """
    reached = counts[::-1].cumsum()[::-1] / counts.sum()
    rare = np.flatnonzero(reached <= chance * (1 + 1e-12))
    return float(sizes[rare[0]]) if len(rare) else math.inf


@cache
def _tau_distribution(n: int) -> tuple[Float64, Float64]:
    """Return the absolute taus of all orders of `n` items, ascending, and their probabilities.

    Computed from the number of inversions: the k-th item adds 0 .. k - 1 of them.
    """
    shares = np.ones(1)
    for size in range(2, n + 1):
        shares = np.convolve(shares, np.full(size, 1 / size))
    pairs = n * (n - 1) // 2
    return _summed_by_size(np.abs(pairs - 2 * np.arange(pairs + 1)), shares, pairs)


@cache
def _rho_distribution(n: int) -> tuple[Float64, Float64]:
    """Return the absolute Spearman coefficients of all orders of `n` items, and their counts."""
    # rho = 1 - squares / half, where squares is the sum of the squared differences of ranks.
    half = n * (n * n - 1) // 6
    # counts[chosen, squares]: the orders of the ranks in the bit set `chosen` with this sum.
    counts = np.zeros((1 << n, 2 * half + 1))
    counts[0, 0] = 1
    for chosen in range(1 << n):
        position = chosen.bit_count()
        for rank in range(n):
            if not chosen >> rank & 1:
                square = (rank - position) ** 2
                counts[chosen | 1 << rank, square:] += counts[chosen, : 2 * half + 1 - square]
    return _summed_by_size(np.abs(half - np.arange(2 * half + 1)), counts[-1], half)


def _summed_by_size(sizes: Int64, counts: Float64, scale: int) -> tuple[Float64, Float64]:
    """Sum the counts of equal sizes; return the sizes that occur, divided by `scale`."""
    summed: Float64 = np.bincount(sizes, counts).astype(np.float64)
    occurring = np.flatnonzero(summed)
    return occurring / scale, summed[occurring]
