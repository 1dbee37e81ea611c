"""Mixing: the mean of weights that were learned from several parts of the data."""

from collections.abc import Sequence

import numpy as np

from wordorder.parsing.weights import Weights

# As many numbers are worked on at once: they stay in the cache.
PIECE = 1 << 16


def mixed(start: Weights, parts: Sequence[Weights], before: int, done: Sequence[int]) -> Weights:
    """Return the mean of weights that were learnt from the same start (McDonald et al. 2010).

    Parameters
    ----------
    start : Weights
        What all parts started from.
    parts : sequence of Weights
        What each learnt from its share of the instances; the first of them is changed.
    before : int
        How many instances `start` had seen.
    done : sequence of int
        How many more each part has seen, counting on from `before`.

    Returns
    -------
    Weights
        Weights whose values are the means of those of the parts, rounded to whole units, half
        upwards. Their average over ``before + sum(done)`` instances is, without any rounding,
        that of all weights that `start` and each of the parts went through.

    Notes
    -----
    The order of `parts` makes no difference.
    """
    # After T instances the weights that were gone through add up to T * value - moment. What a
    # part went through since the start is (before + done) * value - moment, less the same of the
    # start, which is therefore taken off once for each part but one.
    total = before + sum(done)
    mix = parts[0]
    values, moments = mix.entries[1::2], mix.moment
    for first in range(0, len(values), PIECE):
        span = slice(first, first + PIECE)
        moments[span] = (before + done[0]) * values[span].astype(np.int64) - moments[span]
    for part, seen in zip(parts[1:], done[1:], strict=True):
        mix.add_weights(part, 1, (before + seen, -1))
    part_count = len(parts) - 1
    mix.add_weights(start, 0, (-part_count * before, part_count))
    values, moments, heads = mix.entries[1::2], mix.moment, mix.heads()
    counts = values[heads]
    for first in range(0, len(values), PIECE):
        span = slice(first, first + PIECE)
        mean = (2 * values[span].astype(np.int64) + len(parts)) // (2 * len(parts))
        values[span] = mean
        moments[span] = total * mean - moments[span]
    values[heads] = counts
    return mix
