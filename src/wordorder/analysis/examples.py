"""Sentences that show a finding best: those in which it costs most."""

from __future__ import annotations

import numpy as np

from wordorder.types import Float64, Int64

# Sentences a row; who wants more can search.
SHOWN = 5


def costliest_sentences(
    groups: Int64, sentences: Int64, costs: Float64, count: int, shown: int = SHOWN
) -> tuple[tuple[int, ...], ...]:
    """Return the sentences that cost each group most, the costliest first.

    Parameters
    ----------
    groups, sentences : int64[K]
        The group and the sentence of each single cost.
    costs : float64[K]
        Sentences whose costs add up to 0 are no examples.
    count : int
        How many groups there are.
    shown : int
        How many sentences at most; of those that cost the same, the first.

    Returns
    -------
    tuple of `count` tuples of int

    Examples
    --------
    >>> groups, sentences = np.array([0, 0, 0, 2]), np.array([7, 8, 7, 1])
    >>> costliest_sentences(groups, sentences, np.array([0.2, 0.3, 0.2, 0.1]), 3)
    ((7, 8), (), (1,))
    """
    width = int(sentences.max(initial=0)) + 1
    keys, inverse = np.unique(groups * width + sentences, return_inverse=True)
    totals = np.bincount(inverse, costs, len(keys))
    keys, totals = keys[totals > 0], totals[totals > 0]
    group, sentence = np.divmod(keys, width)
    # Sums of the same costs in another order may differ in their last bits.
    order = np.lexsort((sentence, -np.round(totals, 12), group))
    group, sentence = group[order], sentence[order]
    starts = np.searchsorted(group, np.arange(count))
    stops = np.searchsorted(group, np.arange(count), side="right")
    listed = sentence.tolist()
    return tuple(
        tuple(listed[start : min(stop, start + shown)])
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)
    )
