"""Parameter mixing: the mean of weights that were learned from several parts of the data."""

from collections.abc import Sequence

import numpy as np

from wordorder.parsing.weights import Weights

# Numbers that are computed at a time, so that they stay in the cache.
NUMBERS_AT_ONCE = 1 << 16


def mix_weights(
    start: Weights, parts: Sequence[Weights], instances_before: int, instances_done: Sequence[int]
) -> Weights:
    """Return the mean of weights that were learned from the same start (McDonald et al. 2010).

    Parameters
    ----------
    start : Weights
        The weights from which all parts started.
    parts : sequence of Weights
        The weights after each part of the instances; the first of them is changed.
    instances_before : int
        The number of instances that `start` had seen.
    instances_done : sequence of int
        The number of further instances that each part has seen.

    Returns
    -------
    Weights
        Each weight is the mean of those of the parts, rounded to whole units, halves upwards. Its
        average over all instances is the exact average of all values that it had in `start` and
        in the parts.

    Notes
    -----
    The order of `parts` makes no difference.
    """
    # The sum of a weight's values after each of T instances is T * value - moment. The sum since
    # the start is this sum of the part minus that of the start, which is therefore subtracted
    # once for each part except one.
    total = instances_before + sum(instances_done)
    mix = parts[0]
    values, moments = mix.entries[1::2], mix.moment
    for first in range(0, len(values), NUMBERS_AT_ONCE):
        span = slice(first, first + NUMBERS_AT_ONCE)
        moments[span] = (instances_before + instances_done[0]) * values[span].astype(
            np.int64
        ) - moments[span]
    for part, seen in zip(parts[1:], instances_done[1:], strict=True):
        mix.add_weights(part, 1, (instances_before + seen, -1))
    part_count = len(parts) - 1
    mix.add_weights(start, 0, (-part_count * instances_before, part_count))
    values, moments, heads = mix.entries[1::2], mix.moment, mix.heads()
    counts = values[heads]
    for first in range(0, len(values), NUMBERS_AT_ONCE):
        span = slice(first, first + NUMBERS_AT_ONCE)
        mean = (2 * values[span].astype(np.int64) + len(parts)) // (2 * len(parts))
        values[span] = mean
        moments[span] = total * mean - moments[span]
    values[heads] = counts
    return mix
