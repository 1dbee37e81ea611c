"""Compact storage of weights of which many are 0."""

from collections.abc import Mapping

import numpy as np

from wordorder.arrays import Array, Float32
from wordorder.errors import ModelError, UsageError


def halved(weights: Array) -> Float32:
    """Return weights rounded to the upper half of their bits, which is what a file keeps of them.

    Examples
    --------
    >>> halved(np.array([1 / 3, -1e-30])).tolist()
    [0.333984375, -9.98...e-31]
    """
    bits = weights.astype(np.float32).view(np.uint32)
    return (bits + np.uint32(0x8000) & np.uint32(0xFFFF0000)).view(np.float32)


def packed_weights(weights: Float32) -> dict[str, Array]:
    """Return what a file keeps of weights of which many are 0: a bit for each, and the others.

    Examples
    --------
    >>> packed = packed_weights(np.array([0, 0.5, 0, -2], np.float32))
    >>> packed["used"].tolist(), packed["weights"].tolist(), str(packed["weights"].dtype)
    ([80], [16128, 49152], 'uint16')
    >>> weights_of(packed, 4).tolist()
    [0.0, 0.5, 0.0, -2.0]
    """
    if not np.all(np.isfinite(weights)):
        raise UsageError("a weight is infinite or no number: the training has diverged")
    values = weights[weights != 0]
    bits = values.view(np.uint32)
    short = not np.any(bits & 0xFFFF)
    kept = (bits >> 16).astype(np.uint16) if short else values
    return {"used": np.packbits(weights != 0), "weights": kept}


def weights_of(arrays: Mapping[str, Array], size: int) -> Float32:
    """Return the `size` weights of which `packed_weights` kept this.

    Raises
    ------
    ModelError
        If it does not fit together, or a weight is not finite.
    """
    used, kept = arrays["used"], arrays["weights"]
    values = (kept.astype(np.uint32) << 16).view(np.float32) if kept.dtype == np.uint16 else kept
    fits = used.dtype == np.uint8 and used.shape == (-(-size // 8),)
    places = np.flatnonzero(np.unpackbits(used, count=size)) if fits else np.zeros(0, np.int64)
    fits = fits and values.shape == places.shape and values.dtype == np.float32
    if not fits or not np.isfinite(values).all():
        raise ModelError("the weights are damaged")
    found = np.zeros(size, np.float32)
    found[places] = values
    return found


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
