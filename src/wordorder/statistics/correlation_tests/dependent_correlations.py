"""Williams' and Steiger's tests: two correlations that share a variable."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wordorder.errors import UsageError
from wordorder.statistics.distributions import normal_tail, student_tail

# What rounding can leave of a determinant that is 0.
ROUNDING = 1e-12


@dataclass(frozen=True)
class DependentTest:
    """A test of two correlations with the same variable.

    Attributes
    ----------
    statistic : float
        Student's t for Williams, a standard normal z for Steiger; above 0 if r12 > r13.
    p_value : float in (0, 1]
        One-sided: how often chance makes r12 exceed r13 by as much.
    """

    statistic: float
    p_value: float


def williams(r12: float, r13: float, r23: float, n: int) -> DependentTest:
    """Test whether people agree better with metric A than with metric B (Williams 1959).

    With ``K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23``,

    ``t = (r12 - r13) sqrt((n-1)(1+r23)) / sqrt(2 K (n-1)/(n-3) + (r12+r13)^2/4 (1-r23)^3)``

    has Student's t distribution with ``n - 3`` degrees of freedom if the correlations are equal.

    Parameters
    ----------
    r12, r13 : float in [-1, 1]
        The correlations of people with metric A and with metric B.
    r23 : float in [-1, 1]
        The correlation of the two metrics.
    n : int
        How many systems, at least 4.

    Returns
    -------
    DependentTest
        One-sided for ``r12 > r13``: a p-value above .5 says that metric B agrees better.

    Raises
    ------
    UsageError
        If `n` is below 4, a correlation is outside [-1, 1], or no three variables have such
        correlations.

    Notes
    -----
    Made for Pearson's coefficient of normal variables. Each correlation may have any sign: give a
    metric of errors with its sign, or turn it first. Metrics that are copies of each other, which
    the formula leaves at 0 / 0, have t = 0 and p = .5.

    Examples
    --------
    >>> test = williams(0.95, 0.90, 0.92, 13)
    >>> round(test.statistic, 3), round(test.p_value, 4)
    (1.287, 0.1135)
    """
    determinant = _determinant(r12, r13, r23, n)
    mean = (r12 + r13) / 2
    if 1 + r23 <= ROUNDING:
        # A metric and its negative: what is left when both sides are divided by sqrt(1 + r23).
        statistic = _ratio(r12 * math.sqrt(n - 3), math.sqrt(1 - r12**2))
    else:
        numerator = (r12 - r13) * math.sqrt((n - 1) * (1 + r23))
        variance = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
        statistic = _ratio(numerator, math.sqrt(variance))
    return DependentTest(statistic, _never_zero(student_tail(statistic, n - 3)))


def steiger(r12: float, r13: float, r23: float, n: int) -> DependentTest:
    """Test two correlations that share a variable by Fisher's z (Steiger 1980, eq. 14).

    ``Z = (z12 - z13) sqrt(n - 3) / sqrt(2 - 2 c)``, where ``z = atanh(r)`` and ``c`` is the
    correlation of z12 and z13, estimated with the mean of r12 and r13 in the place of both.

    Parameters
    ----------
    r12, r13, r23, n
        As for `williams`.

    Returns
    -------
    DependentTest
        One-sided for ``r12 > r13``.

    Raises
    ------
    UsageError
        As for `williams`.

    Notes
    -----
    Williams' test keeps its level better with few systems; the two agree from some 20 on. A
    coefficient of 1 or -1 has an infinite z, which makes any difference from it sure: use Williams'
    test there.

    Examples
    --------
    >>> test = steiger(0.95, 0.90, 0.92, 13)
    >>> round(test.statistic, 3), round(test.p_value, 4)
    (1.237, 0.1081)
    """
    _determinant(r12, r13, r23, n)
    if r12 == r13:
        return DependentTest(0.0, 0.5)
    square = ((r12 + r13) / 2) ** 2
    if abs(r12) == 1 or abs(r13) == 1:
        statistic = math.copysign(math.inf, r12 - r13)
    else:
        shared = r23 * (1 - 2 * square) - square * (1 - 2 * square - r23**2) / 2
        together = shared / (1 - square) ** 2
        spread = math.sqrt(max(2 - 2 * together, 0.0))
        statistic = _ratio((math.atanh(r12) - math.atanh(r13)) * math.sqrt(n - 3), spread)
    return DependentTest(statistic, _never_zero(normal_tail(statistic)))


def _determinant(r12: float, r13: float, r23: float, n: int) -> float:
    """Check the arguments; return the determinant of the correlation matrix."""
    if n < 4:
        raise UsageError(f"a test of two correlations needs at least 4 systems, got {n}")
    for name, value in (("r12", r12), ("r13", r13), ("r23", r23)):
        if not -1 <= value <= 1:
            raise UsageError(f"{name} is a correlation, from -1 to 1, got {value}")
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if determinant < -ROUNDING:
        raise UsageError(f"no three variables have the correlations {r12}, {r13} and {r23}")
    return max(determinant, 0.0)


def _ratio(numerator: float, denominator: float) -> float:
    """Divide; without any spread a difference is infinitely sure, and no difference is 0."""
    if abs(numerator) <= ROUNDING and denominator <= math.sqrt(ROUNDING):
        return 0.0
    if denominator == 0:
        return math.copysign(math.inf, numerator)
    return numerator / denominator


def _never_zero(p_value: float) -> float:
    """Keep a p-value above 0, where its tail is below the smallest number."""
    return max(p_value, 5e-324)
