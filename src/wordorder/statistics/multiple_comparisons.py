"""Corrections for the number of comparisons."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError
from wordorder.types import Float64


def holm(p_values: npt.ArrayLike) -> Float64:
    """Correct p-values for the number of tests (Holm 1979).

    With m tests, the smallest p-value is multiplied by m, the next by m - 1, and so on; no
    corrected value is below one before it, or above 1. To call significant what is at most .05
    keeps the chance of a single false claim among all m at 5 %, however the tests depend on
    each other.

    Parameters
    ----------
    p_values : float64[...]
        NaN where there is no test, as on the diagonal of a matrix of pairs: not counted.

    Returns
    -------
    float64[...]
        Of the same shape.

    Raises
    ------
    UsageError
        If a value is not between 0 and 1.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, np.float64)
    there = ~np.isnan(values)
    tested = values[there]
    if ((tested < 0) | (tested > 1)).any():
        raise UsageError("p-values lie between 0 and 1")
    order = np.argsort(tested, kind="stable")
    scaled = tested[order] * np.arange(len(tested), 0, -1)
    corrected = np.full(values.shape, np.nan)
    unsorted = np.empty(len(tested))
    unsorted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    corrected[there] = unsorted
    return corrected


def level_of_each(level: float, comparisons: int) -> float:
    """Return the level of each interval so that all of them hold together (Bonferroni).

    With m intervals, each is made at ``1 - (1 - level) / m``: then all of them cover at once with
    a probability of at least `level`.

    Raises
    ------
    UsageError
        If `level` is not between 0 and 1, or there is no comparison.

    Examples
    --------
    >>> level_of_each(0.95, 10)
    0.995
    """
    if not 0 < level < 1:
        raise UsageError(f"the level must lie between 0 and 1, got {level}")
    if comparisons < 1:
        raise UsageError(f"at least 1 comparison is needed, got {comparisons}")
    return 1 - (1 - level) / comparisons
