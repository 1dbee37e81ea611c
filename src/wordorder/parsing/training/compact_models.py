"""Compact models: weights near zero are left out, keys and values are shortened."""

import copy
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from wordorder.arrays import Int32
from wordorder.errors import UsageError
from wordorder.parsing.weights import COMPACT_BITS, UNIT, Model, Weights

# The number of distinct weights of a compact model, each stored in one byte.
MAX_LEVELS = 1 << 8

# Bytes of a key and of a weight in a compact model.
KEY_BYTES = 4
VALUE_BYTES = 1

# Bytes of a file other than its arrays: their names and offsets, and metadata of the models.
HEADER_BYTES = 1 << 14


def prune_weights(
    weights: Weights,
    *,
    min_weight: float = 0.0,
    max_entries: int | None = None,
    max_bytes: int | None = None,
) -> Weights:
    """Remove the weights nearest to zero.

    Parameters
    ----------
    weights : Weights
    min_weight : float
        Weights nearer to zero are left out; one update of a perceptron is 1.
    max_entries : int, optional
        The maximum number of weights.
    max_bytes : int, optional
        The maximum size of the weights in a file after they are made compact.

    Returns
    -------
    Weights
        Read-only. Of weights equally far from zero those with smaller keys are retained.

    Raises
    ------
    UsageError
        If a bound is negative.

    Examples
    --------
    >>> weights = Weights(actions=3)
    >>> key, action = np.array([7, 7, 9], np.uint64), np.array([0, 1, 1], np.int32)
    >>> weights.add(key, action, np.array([100, -300, 200], np.int32), before=0)
    >>> prune_weights(weights, max_entries=2).row(7)
    {1: -300}
    """
    if min_weight < 0 or (max_entries or 0) < 0 or (max_bytes or 0) < 0:
        raise UsageError("a bound of weights is not negative")
    keys, counts, action, value, _ = weights.rows()
    row = np.repeat(np.arange(len(keys)), counts)
    distance = np.abs(value.astype(np.int64))
    best_first = np.argsort(-distance, kind="stable")
    count = int(np.count_nonzero((distance > 0) & (distance >= min_weight * UNIT)))
    if max_entries is not None:
        count = min(count, max_entries)
    if max_bytes is not None:
        # The first weight of a row also needs the space of its key.
        new_row = np.zeros(len(value), bool)
        new_row[np.unique(row[best_first], return_index=True)[1]] = True
        index_bytes = _index_bytes(weights)
        bytes_taken = np.cumsum(
            new_row * (KEY_BYTES + index_bytes) + (index_bytes + VALUE_BYTES), dtype=np.int64
        )
        count = min(count, int(np.searchsorted(bytes_taken, max_bytes, side="right")))
    retained = np.sort(best_first[:count])
    return Weights.from_entries(
        weights.actions, keys[row[retained]], action[retained], value[retained], weights.key_mask
    )


def compact(weights: Weights) -> Weights:
    """Shorten keys to half their bits, and weights to 256 different values.

    Weights are rounded to the largest number of leading binary digits that leaves at most 256
    different values, so that their relative errors are about equal. Of two features with the same
    half of a key, which happens to one in some thousands, the one with less weight is left out.

    Returns
    -------
    Weights
        Read-only; `weights` itself if it is compact already.

    Examples
    --------
    >>> weights = Weights(actions=1)
    >>> key = np.array([1 << 40 | 5], np.uint64)
    >>> weights.add(key, np.array([0], np.int32), np.array([1000], np.int32), before=0)
    >>> small = compact(weights)
    >>> small.key_mask == 2**32 - 1, small.row(1 << 40 | 5)
    (True, {0: 1000})
    """
    if weights.key_mask == COMPACT_BITS:
        return weights
    keys, counts, action, value, _ = weights.rows()
    row = np.repeat(np.arange(len(keys)), counts)
    halves = keys & np.uint64(COMPACT_BITS)
    row_weight = np.zeros(len(keys), np.int64)
    np.add.at(row_weight, row, np.abs(value.astype(np.int64)))
    order = np.lexsort((keys, -row_weight, halves))
    first = np.append(True, halves[order][1:] != halves[order][:-1])[: len(keys)]
    rank = np.full(len(keys), -1)
    rank[order[first]] = np.arange(int(np.count_nonzero(first)))
    entries = np.flatnonzero(rank[row] >= 0)
    entries = entries[np.argsort(rank[row[entries]], kind="stable")]
    return Weights.from_entries(
        weights.actions,
        halves[row[entries]],
        action[entries],
        _round_values(value[entries]),
        COMPACT_BITS,
    )


def _round_values(value: Int32) -> Int32:
    """Round to the most leading binary digits that leave at most `MAX_LEVELS` distinct values."""
    distinct, inverse = np.unique(value, return_inverse=True)
    size = np.abs(distinct.astype(np.int64))
    # The exponent of frexp is the exact number of binary digits of an integer.
    digits = np.frexp(size.astype(np.float64))[1].astype(np.int64)
    for digits_left in range(int(digits.max(initial=1)), 0, -1):
        dropped = np.maximum(digits - digits_left, 0)
        half = (np.int64(1) << dropped) >> 1
        levels = np.sign(distinct) * ((size + half) >> dropped << dropped)
        if len(np.unique(levels)) <= MAX_LEVELS:
            break
    # The loop always finds such a number: one digit leaves powers of two, fewer than the limit.
    rounded: Int32 = levels.astype(np.int32)[inverse]
    return rounded


def shrink_models(models: Mapping[str, Model], size: int) -> dict[str, Model]:
    """Return compact models that take at most about `size` bytes in one file.

    Words, tags and labels are retained; the weights nearest to zero are left out, in proportion to
    the size of each model's weights.

    Parameters
    ----------
    models : mapping of str to Model
        See `wordorder.parsing.model_file.save_models`.
    size : int

    Raises
    ------
    UsageError
        If words, tags and labels alone take more.

    Examples
    --------
    >>> from wordorder.parsing.model_file import load_models
    >>> tagger = shrink_models({"tagger": load_models("en").tagger}, 2_000_000)["tagger"]
    >>> tagger.weights.key_mask == 2**32 - 1
    True
    """
    smaller_models = {role: copy.copy(model) for role, model in models.items()}
    # TnT has no weights, and those of a tokenizer are small already.
    models_with_weights: dict[str, Any] = {
        role: model
        for role, model in smaller_models.items()
        if isinstance(getattr(model, "weights", None), Weights)
    }
    compact_weights = {role: compact(model.weights) for role, model in models_with_weights.items()}
    for role, model in models_with_weights.items():
        model.weights = Weights(compact_weights[role].actions)
    other_bytes = HEADER_BYTES
    for model in smaller_models.values():
        about, arrays = model.parts()
        other_bytes += len(json.dumps(about)) + sum(array.nbytes for array in arrays.values())
    needed = {role: _bytes_taken(weights) for role, weights in compact_weights.items()}
    available_bytes = size - other_bytes
    if available_bytes < 0:
        raise UsageError(f"a size of {size} bytes; words, tags and labels alone take {other_bytes}")
    for role, model in models_with_weights.items():
        share = available_bytes * needed[role] // max(sum(needed.values()), 1)
        model.weights = compact_weights[role]
        if share < needed[role]:
            model.weights = prune_weights(compact_weights[role], max_bytes=share)
    return smaller_models


def _bytes_taken(weights: Weights) -> int:
    """Return the size of compact weights in a file, in bytes, without the table of their values."""
    _, counts, action, _, _ = weights.rows()
    index_bytes = _index_bytes(weights)
    row = KEY_BYTES + index_bytes
    return len(counts) * row + len(action) * (index_bytes + VALUE_BYTES)


def _index_bytes(weights: Weights) -> int:
    """Return the bytes of one action or count in a compact file."""
    return 1 if weights.actions < 1 << 8 else 2
