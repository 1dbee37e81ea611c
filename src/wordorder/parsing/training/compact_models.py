"""Smaller models: weights near zero are left out, keys and values are shortened."""

import copy
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from wordorder.arrays import Int32
from wordorder.errors import UsageError
from wordorder.parsing.weights import COMPACT_BITS, UNIT, Model, Weights

# How many different weights a compact model knows: what a byte can tell apart.
LEVELS = 1 << 8

# Bytes of a key and of a weight in a compact model.
KEY_BYTES = 4
VALUE_BYTES = 1

# Bytes of a file around its arrays: their names and offsets, and the metadata of the models.
HEADER = 1 << 14


def pruned(
    weights: Weights, *, least: float = 0.0, entries: int | None = None, size: int | None = None
) -> Weights:
    """Remove the weights nearest to zero.

    Parameters
    ----------
    weights : Weights
    least : float
        Weights nearer to zero than this are left out; one update of a perceptron is 1.
    entries : int, optional
        How many weights may stay.
    size : int, optional
        How many bytes the weights may take in a file once they are compact.

    Returns
    -------
    Weights
        To be read. Of weights equally far from zero those with the smaller key stay.

    Raises
    ------
    UsageError
        If a bound is negative.

    Examples
    --------
    >>> weights = Weights(actions=3)
    >>> key, action = np.array([7, 7, 9], np.uint64), np.array([0, 1, 1], np.int32)
    >>> weights.add(key, action, np.array([100, -300, 200], np.int32), before=0)
    >>> pruned(weights, entries=2).row(7)
    {1: -300}
    """
    if least < 0 or (entries or 0) < 0 or (size or 0) < 0:
        raise UsageError("a bound of weights is not negative")
    keys, counts, action, value, _ = weights.rows()
    row = np.repeat(np.arange(len(keys)), counts)
    distance = np.abs(value.astype(np.int64))
    best_first = np.argsort(-distance, kind="stable")
    count = int(np.count_nonzero((distance > 0) & (distance >= least * UNIT)))
    if entries is not None:
        count = min(count, entries)
    if size is not None:
        # Each row costs its key once, when the first of its weights comes.
        new_row = np.zeros(len(value), bool)
        new_row[np.unique(row[best_first], return_index=True)[1]] = True
        index_bytes = _index_bytes(weights)
        bytes_taken = np.cumsum(
            new_row * (KEY_BYTES + index_bytes) + (index_bytes + VALUE_BYTES), dtype=np.int64
        )
        count = min(count, int(np.searchsorted(bytes_taken, size, side="right")))
    stay = np.sort(best_first[:count])
    return Weights.from_entries(
        weights.actions, keys[row[stay]], action[stay], value[stay], weights.key_mask
    )


def compact(weights: Weights) -> Weights:
    """Shorten keys to half their bits, and weights to 256 different values.

    Weights are rounded to the most leading binary digits that leave 256 different ones, so that all
    are off by about the same share of their size. Two features with the same half of a key
    happen to one in some thousands; the one with less weight is left out.

    Returns
    -------
    Weights
        To be read; themselves if they are compact already.

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
    weight = np.zeros(len(keys), np.int64)
    np.add.at(weight, row, np.abs(value.astype(np.int64)))
    order = np.lexsort((keys, -weight, halves))
    first = np.append(True, halves[order][1:] != halves[order][:-1])[: len(keys)]
    rank = np.full(len(keys), -1)
    rank[order[first]] = np.arange(int(np.count_nonzero(first)))
    entries = np.flatnonzero(rank[row] >= 0)
    entries = entries[np.argsort(rank[row[entries]], kind="stable")]
    return Weights.from_entries(
        weights.actions,
        halves[row[entries]],
        action[entries],
        _rounded(value[entries]),
        COMPACT_BITS,
    )


def _rounded(value: Int32) -> Int32:
    """Round numbers to leading binary digits, the most that leave `LEVELS` different values."""
    different, places = np.unique(value, return_inverse=True)
    size = np.abs(different.astype(np.int64))
    # frexp of a whole number is exact: how many binary digits it has.
    digits = np.frexp(size.astype(np.float64))[1].astype(np.int64)
    for digits_left in range(int(digits.max(initial=1)), 0, -1):
        dropped = np.maximum(digits - digits_left, 0)
        half = (np.int64(1) << dropped) >> 1
        levels = np.sign(different) * ((size + half) >> dropped << dropped)
        if len(np.unique(levels)) <= LEVELS:
            break
    # Powers of two alone are few enough.
    rounded: Int32 = levels.astype(np.int32)[places]
    return rounded


def smaller(models: Mapping[str, Model], size: int) -> dict[str, Model]:
    """Return compact models that take at most about `size` bytes in one file.

    Words, tags and labels stay; of the weights, those nearest to zero go, in equal shares of what
    each model has.

    Parameters
    ----------
    models : mapping of str to Model
        See `wordorder.parsing.model_file.save_models`.
    size : int

    Raises
    ------
    UsageError
        If the words alone take more.

    Examples
    --------
    >>> from wordorder.parsing.model_file import load_models
    >>> tagger = smaller({"tagger": load_models("en").tagger}, 2_000_000)["tagger"]
    >>> tagger.weights.key_mask == 2**32 - 1
    True
    """
    smaller_models = {role: copy.copy(model) for role, model in models.items()}
    # A model that only counts has none; those of a tokenizer are small already.
    learnt: dict[str, Any] = {
        role: model
        for role, model in smaller_models.items()
        if isinstance(getattr(model, "weights", None), Weights)
    }
    compact_weights = {role: compact(model.weights) for role, model in learnt.items()}
    for role, model in learnt.items():
        model.weights = Weights(compact_weights[role].actions)
    other_bytes = HEADER
    for model in smaller_models.values():
        about, arrays = model.parts()
        other_bytes += len(json.dumps(about)) + sum(array.nbytes for array in arrays.values())
    needed = {role: _bytes_taken(weights) for role, weights in compact_weights.items()}
    room = size - other_bytes
    if room < 0:
        raise UsageError(f"a size of {size} bytes; words, tags and labels alone take {other_bytes}")
    for role, model in learnt.items():
        share = room * needed[role] // max(sum(needed.values()), 1)
        model.weights = compact_weights[role]
        if share < needed[role]:
            model.weights = pruned(compact_weights[role], size=share)
    return smaller_models


def _bytes_taken(weights: Weights) -> int:
    """Return the bytes of compact weights in a file, without the table of their values."""
    _, counts, action, _, _ = weights.rows()
    index_bytes = _index_bytes(weights)
    row = KEY_BYTES + index_bytes
    return len(counts) * row + len(action) * (index_bytes + VALUE_BYTES)


def _index_bytes(weights: Weights) -> int:
    """Return the bytes of an action in a compact file."""
    return 1 if weights.actions < 1 << 8 else 2
