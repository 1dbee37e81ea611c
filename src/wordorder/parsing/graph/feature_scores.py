"""Scores of single features: what weights say of given keys and actions."""

from __future__ import annotations

import numpy as np

from wordorder.parsing.weights import Weights
from wordorder.types import Array, Int64, UInt64


def feature_scores(weights: Weights, keys: UInt64, actions: Array) -> Int64:
    """Return the weight of each feature, int64[F]; zero where there is none.

    Examples
    --------
    >>> weights = Weights(actions=3)
    >>> key, action = np.array([7, 7], np.uint64), np.array([0, 2], np.int32)
    >>> weights.add(key, action, np.array([3, -4], np.int32), before=0)
    >>> feature_scores(weights, np.array([8, 7], np.uint64), np.array([2, 2])).tolist()
    [0, -4]
    """
    keys = keys & np.uint64(weights.key_mask)
    key, row = weights.table[::2], weights.table[1::2]
    last = np.uint64(len(key) - 1)
    slot = keys & last
    looking = np.arange(len(keys))
    while len(looking):
        at = slot[looking]
        looking = looking[(row[at] > 0) & (key[at] != keys[looking])]
        slot[looking] = (slot[looking] + np.uint64(1)) & last
    found = row[slot].astype(np.int64)
    feature = np.flatnonzero(found)
    starts, counts = weights.row_spans.reshape(-1, 2)[found[feature] - 1].T
    ends = np.cumsum(counts)
    places = np.arange(int(ends[-1]) if len(ends) else 0)
    places += np.repeat(starts - (ends - counts), counts)
    feature = np.repeat(feature, counts)
    same = weights.entries[2 * places] == actions[feature]
    scores = np.zeros(len(keys), np.int64)
    # A row has each action once.
    scores[feature[same]] = weights.value[places[same]]
    return scores
