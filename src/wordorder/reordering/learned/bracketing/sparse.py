"""Weights in files: those that are not zero, with their places."""

from __future__ import annotations

import numpy as np

from wordorder.errors import ModelError
from wordorder.types import Array


def dense(rows: Array, values: Array, size: int) -> Array:
    """Return an array of `size` numbers with these at these places, 0 elsewhere.

    Raises
    ------
    ModelError
        If the places are not rising ones of it, or a number is not finite.
    """
    fits = rows.ndim == values.ndim == 1 and rows.shape == values.shape
    if not fits or rows.dtype != np.int32 or values.dtype != np.float32:
        raise ModelError("the weights of the model are damaged")
    if len(rows) and not (rows[0] >= 0 and rows[-1] < size and np.all(np.diff(rows) > 0)):
        raise ModelError("a weight of the model is out of place")
    if not np.isfinite(values).all():
        raise ModelError("a weight of the model is not finite")
    found = np.zeros(size, np.float32)
    found[rows] = values
    return found
