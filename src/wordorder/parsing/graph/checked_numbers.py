"""The numbers that a model file holds, checked before a kernel uses them as places."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wordorder.errors import ModelError
from wordorder.types import Array, Int32


def checked_numbers(
    name: str, arrays: Mapping[str, Array], most: int, *, size: int | None = None
) -> Int32:
    """Return a flat int32 array of numbers from 0 to `most`.

    Parameters
    ----------
    name : str
    arrays : mapping of name to array
    most : int
    size : int, optional
        How many numbers there must be.

    Raises
    ------
    ModelError
        If the array is missing or holds anything else.
    """
    array = arrays.get(name)
    if array is None:
        raise ModelError(f"{name} is missing")
    if array.dtype != np.int32 or array.ndim != 1 or (size is not None and len(array) != size):
        wanted = "" if size is None else size
        found = f"{array.dtype}{list(array.shape)}"
        raise ModelError(f"{name}: {found}; expected int32[{wanted}]")
    if len(array) and (int(array.min()) < 0 or int(array.max()) > most):
        raise ModelError(f"{name} holds a number that is not from 0 to {most}")
    return np.ascontiguousarray(array)
