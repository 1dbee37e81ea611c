"""How sure a correlation is: confidence intervals and critical values."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError, choose
from wordorder.statistics.distributions import student_quantile
from wordorder.statistics.intervals import check_level

# Of so few systems all orders are counted; of more, Spearman's coefficient is near enough to
# Pearson's, and Kendall's tau to a normal variable.
ALL_ORDERS = 12
SURELY_NORMAL = 100
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
        How many outputs, or systems, the coefficient was computed from.
    level : float
        The confidence, between 0 and 1.
    statistic : "pearson", "spearman" or "kendall"

    Returns
    -------
    low, high : float
        -1 and 1 if `n` is too small to say anything, up to 3 (kendall: 4). NaN if `r` is. Both are
        `r` if it is 1 or -1: the formula has no width there, which does not mean that `r` is sure.

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
    above, freedom = {
        "pearson": (1.0, n - 3),
        "spearman": (1 + r * r / 2, n - 3),
        "kendall": (0.437, n - 4),
    }[statistic]
    if freedom <= 0:
        return -1.0, 1.0
    if abs(r) == 1:
        return float(r), float(r)
    reach = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(above / freedom)
    return math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)


def critical_correlation(n: int, level: float = 0.95, statistic: str = "pearson") -> float:
    """Return the size from which on a coefficient of `n` systems differs from 0.

    With 6 systems a Pearson coefficient below .81 may well be chance: of metrics that have nothing
    to do with people, one in twenty gets that far, in one direction or the other.

    - pearson: Student's t with ``n - 2`` degrees of freedom (scores from a normal distribution);
    - spearman: all orders for up to 12 systems, the same t beyond, which is up to .01 too small at
      95 %, up to .025 at 99 % and above;
    - kendall: the exact distribution for up to 100 systems without ties, a normal one beyond.

    Returns
    -------
    float in (0, 1], or infinite
        The smallest ``c`` for which ``|r| >= c`` has a probability of at most ``1 - level`` by
        chance; infinite if not even 1 is that rare.

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
        if n > SURELY_NORMAL:
            deviation = math.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))
            return NormalDist().inv_cdf(1 - chance / 2) * deviation
        return _smallest_rare(*_tau_distribution(n), chance)
    if statistic == "spearman" and n <= ALL_ORDERS:
        return _smallest_rare(*_rho_distribution(n), chance)
    t = student_quantile(1 - chance / 2, n - 2)
    return t / math.sqrt(n - 2 + t * t)


def _smallest_rare(sizes: Float64, counts: Float64, chance: float) -> float:
    """Return the smallest size that is reached with a probability of at most `chance`.

    `sizes` ascend; `counts` say how many orders have each.
    """
    reached = counts[::-1].cumsum()[::-1] / counts.sum()
    rare = np.flatnonzero(reached <= chance * (1 + 1e-12))
    return float(sizes[rare[0]]) if len(rare) else math.inf


@cache
def _tau_distribution(n: int) -> tuple[Float64, Float64]:
    """Return the absolute taus of all orders of `n`, ascending, and their probabilities.

    The probabilities of numbers of inversions: one more item adds 0 .. n - 1 of them.
    """
    shares = np.ones(1)
    for size in range(2, n + 1):
        shares = np.convolve(shares, np.full(size, 1 / size))
    pairs = n * (n - 1) // 2
    return _folded(np.abs(pairs - 2 * np.arange(pairs + 1)), shares, pairs)


@cache
def _rho_distribution(n: int) -> tuple[Float64, Float64]:
    """Return the absolute Spearman coefficients of all orders of `n`, and their numbers."""
    # rho = 1 - squares / half, with the sum of the squared differences of ranks.
    half = n * (n * n - 1) // 6
    # How many orders of the ranks in a set, given to the first places, have each sum.
    counts = np.zeros((1 << n, 2 * half + 1))
    counts[0, 0] = 1
    for chosen in range(1 << n):
        place = chosen.bit_count()
        for rank in range(n):
            if not chosen >> rank & 1:
                square = (rank - place) ** 2
                counts[chosen | 1 << rank, square:] += counts[chosen, : 2 * half + 1 - square]
    return _folded(np.abs(half - np.arange(2 * half + 1)), counts[-1], half)


def _folded(sizes: Int64, counts: Float64, scale: int) -> tuple[Float64, Float64]:
    """Sum the counts of equal sizes; return the sizes that occur, divided by `scale`."""
    summed: Float64 = np.bincount(sizes, counts).astype(np.float64)
    occurring = np.flatnonzero(summed)
    return occurring / scale, summed[occurring]
