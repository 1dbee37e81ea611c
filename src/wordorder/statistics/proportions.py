"""Intervals of shares: how much the share of some cases would move in another sample."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError
from wordorder.types import Float64


def wilson_interval(
    part: npt.ArrayLike, whole: npt.ArrayLike, confidence: float = 0.95
) -> tuple[Float64, Float64]:
    """Return the score interval of a share (Wilson 1927).

    Unlike a bootstrap interval it is no single point where the share is 0 or 1.

    Parameters
    ----------
    part, whole : int[...]
        ``part`` of ``whole`` cases; of no cases the interval is from 0 to 1.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    low, high : float64[...]

    Raises
    ------
    UsageError
        If `confidence` is not between 0 and 1, or a part is larger than its whole.

    Examples
    --------
    >>> low, high = wilson_interval(7, 10)
    >>> round(float(low), 4), round(float(high), 4)
    (0.3968, 0.8922)
    """
    if not 0 < confidence < 1:
        raise UsageError(f"the confidence must lie between 0 and 1, got {confidence}")
    cases, total = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    if ((cases < 0) | (cases > total)).any():
        raise UsageError("a part lies between 0 and its whole")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    middle = (cases + z * z / 2) / (total + z * z)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.where(total > 0, cases * (total - cases) / total, 0.0) + z * z / 4)
    half = z * spread / (total + z * z)
    # Rounding must not leave out a share of 0 or 1.
    low = np.where(cases == 0, 0.0, middle - half)
    high = np.where(cases == total, 1.0, middle + half)
    return low, high
