"""Scales of pictures: which values are named along an axis."""

from __future__ import annotations

import math
from itertools import count, takewhile

# At most so many steps of a scale are named.
_STEPS = 6


def scale_steps(low: float, high: float, most: int = _STEPS) -> list[float]:
    """Return the named values of a scale that covers ``low .. high``, at least two.

    There are `most` steps between them at most, if that can be.

    Examples
    --------
    >>> scale_steps(0.21, 0.64)
    [0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    >>> scale_steps(0.21, 0.64, 3)
    [0.2, 0.4, 0.6, 0.8]
    """
    span = max(high - low, 1e-6 * max(abs(low), abs(high)), 1e-9)
    power = 10.0 ** math.floor(math.log10(span / most))
    for unit in (power * factor for factor in (1, 2, 5, 10, 20)):
        first, last = math.floor(low / unit + 1e-9), math.ceil(high / unit - 1e-9)
        if last - first <= most:
            break
    last = max(last, first + 1)
    return [round(step * unit, 12) for step in takewhile(lambda step: step <= last, count(first))]
