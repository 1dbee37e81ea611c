"""Compact storage of weights of which many are 0."""

from collections.abc import Mapping

import numpy as np

from wordorder.arrays import Array, Float32
from wordorder.errors import ModelError, UsageError


def halved(weights: Array) -> Float32:
    """Round weights to the upper half of their bits, which a file stores.

    Examples
    --------
    >>> halved(np.array([1 / 3, -1e-30])).tolist()
    [0.333984375, -9.98...e-31]
    """
    bits = weights.astype(np.float32).view(np.uint32)
    return (bits + np.uint32(0x8000) & np.uint32(0xFFFF0000)).view(np.float32)


def packed_weights(weights: Float32) -> dict[str, Array]:
    """Pack weights for a file: a bit for each weight, and those that are not 0.

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
    fits_half = not np.any(bits & 0xFFFF)
    stored = (bits >> 16).astype(np.uint16) if fits_half else values
    return {"used": np.packbits(weights != 0), "weights": stored}


def weights_of(arrays: Mapping[str, Array], size: int) -> Float32:
    """Unpack `size` weights that `packed_weights` packed.

    Raises
    ------
    ModelError
        If the arrays' sizes or types are wrong, or a weight is not finite.
    """
    used, stored = arrays["used"], arrays["weights"]
    values = (
        (stored.astype(np.uint32) << 16).view(np.float32) if stored.dtype == np.uint16 else stored
    )
    fits = used.dtype == np.uint8 and used.shape == (-(-size // 8),)
    indices = np.flatnonzero(np.unpackbits(used, count=size)) if fits else np.zeros(0, np.int64)
    fits = fits and values.shape == indices.shape and values.dtype == np.float32
    if not fits or not np.isfinite(values).all():
        raise ModelError("the weights are damaged")
    weights = np.zeros(size, np.float32)
    weights[indices] = values
    return weights


def dense(rows: Array, values: Array, size: int) -> Array:
    """Return an array of `size` numbers: `values` at the indices `rows`, 0 elsewhere.

    Raises
    ------
    ModelError
        If the indices do not ascend or are out of range, or a number is not finite.
    """
    fits = rows.ndim == values.ndim == 1 and rows.shape == values.shape
    if not fits or rows.dtype != np.int32 or values.dtype != np.float32:
        raise ModelError("the weights of the model are damaged")
    if len(rows) and not (rows[0] >= 0 and rows[-1] < size and np.all(np.diff(rows) > 0)):
        raise ModelError("a weight of the model is out of place")
    if not np.isfinite(values).all():
        raise ModelError("a weight of the model is not finite")
    weights = np.zeros(size, np.float32)
    weights[rows] = values
    return weights
