"""Tail probabilities of the normal and Student's distribution; quantiles of Student's."""

import math

# The continued fraction has converged when a step changes it by a smaller share.
RELATIVE_PRECISION = 1e-16
TINY = 1e-300


def normal_tail(z: float) -> float:
    """Return the probability that a standard normal variable is above `z`.

    Examples
    --------
    >>> round(normal_tail(1.959964), 4)
    0.025
    """
    return math.erfc(z / math.sqrt(2)) / 2


def student_tail(t: float, freedom: float) -> float:
    """Return the probability that a variable with Student's t distribution is above `t`.

    Parameters
    ----------
    t : float
    freedom : float
        Degrees of freedom, above 0.

    Examples
    --------
    With one degree of freedom, a quarter of the distribution lies above 1.

    >>> round(student_tail(1.0, 1), 12)
    0.25
    """
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    total = freedom + t * t
    tail = incomplete_beta(freedom / 2, 0.5, freedom / total, t * t / total)
    return tail / 2 if t > 0 else 1 - tail / 2


def student_quantile(probability: float, freedom: float) -> float:
    """Return the quantile of Student's t distribution for a probability.

    Examples
    --------
    >>> round(student_quantile(0.975, 2), 6)
    4.302653
    """
    if probability < 0.5:
        return -student_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while 1 - student_tail(high, freedom) < probability:
        low, high = high, 2 * high
    while high - low > RELATIVE_PRECISION * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if 1 - student_tail(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return high


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function, I_x(a, b).

    `rest` is ``1 - x``, passed separately because a caller may know it without cancellation.
    Evaluated as a continued fraction (Press et al., Numerical Recipes, 6.4).
    """
    if x <= 0:
        return 0.0
    if rest <= 0:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        # The fraction converges faster for the complement.
        return 1 - incomplete_beta(b, a, rest, x)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    prefactor = math.exp(logarithm + a * math.log(x) + b * math.log(rest))
    return prefactor * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    numerator = 1.0
    denominator = 1 / _nonzero_divisor(1 - (a + b) * x / (a + 1))
    value = denominator
    step = 0
    change = 0.0
    while abs(change - 1) > RELATIVE_PRECISION and step < 10_000:
        step += 1
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        for term in (even, odd):
            denominator = 1 / _nonzero_divisor(1 + term * denominator)
            numerator = _nonzero_divisor(1 + term / numerator)
            change = denominator * numerator
            value *= change
    return value


def _nonzero_divisor(number: float) -> float:
    """Return a divisor, replaced by a tiny number if it is too close to 0."""
    return number if abs(number) > TINY else TINY
