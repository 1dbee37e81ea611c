"""Kappa: how far raters agree beyond chance."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError
from wordorder.types import Array


def kappa(observed: float, chance: float) -> float:
    """Return ``(P_A - P_E) / (1 - P_E)``; NaN where chance alone would agree always.

    Parameters
    ----------
    observed : float in [0, 1]
        P_A, the share of pairs of judgements that agree.
    chance : float in [0, 1]
        P_E, the share that would agree by chance.

    Examples
    --------
    >>> kappa(0.75, 0.5)
    0.5
    """
    return (observed - chance) / (1 - chance) if chance < 1 else math.nan


def cohen_kappa(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Measure how far two raters agree who gave each item one category.

    Chance agrees as often as two raters who draw from their own shares of the categories (Cohen
    1960).

    Parameters
    ----------
    a, b : array[N]
        The categories that the two raters chose: numbers or text.

    Returns
    -------
    float at most 1
        0 if they agree as often as chance; NaN if both chose one and the same category always.

    Raises
    ------
    UsageError
        If the raters did not judge the same number of items, or none, or a category is missing.

    Examples
    --------
    >>> cohen_kappa(["good", "good", "bad", "bad"], ["good", "bad", "bad", "bad"])
    0.5
    """
    first, second = np.asarray(a), np.asarray(b)
    if first.ndim != 1 or first.shape != second.shape or not first.size:
        raise UsageError(
            f"two rows of categories of the same length are needed, got shapes {first.shape} "
            f"and {second.shape}"
        )
    if any(map(_lacks_some, (first, second))):
        raise UsageError("an item has no category (NaN or None): leave it out for both raters")
    names, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    size = len(first)
    shares = [np.bincount(part, minlength=len(names)) / size for part in np.split(codes, 2)]
    agreed = int(np.count_nonzero(codes[:size] == codes[size:]))
    return kappa(agreed / size, float(shares[0] @ shares[1]))


def _lacks_some(categories: Array) -> bool:
    """Return whether there is NaN, the only number that differs from itself, or None."""
    return bool((categories != categories).any()) or (
        categories.dtype == object and None in categories.tolist()
    )


def fleiss_kappa(table: npt.ArrayLike) -> float:
    """Measure how far several raters agree who gave each item one category.

    Chance agrees as often as raters who draw from the shares of the categories over all items
    (Fleiss 1971). The raters of one item need not be those of another.

    Parameters
    ----------
    table : int64[items, categories]
        ``table[i, c]``: how many raters put item i into category c; all rows have the same sum,
        of at least 2.

    Returns
    -------
    float at most 1
        NaN if all items are in one category.

    Raises
    ------
    UsageError
        If the table has no item, a negative count or rows of different sums.

    Examples
    --------
    >>> round(fleiss_kappa([[3, 0], [0, 3], [2, 1], [1, 2]]), 4)
    0.3333
    """
    counts = np.asarray(table, np.float64)
    if counts.ndim != 2 or not counts.size:
        raise UsageError(f"expected a table [items, categories], got shape {counts.shape}")
    if not (np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts))).all():
        raise UsageError("counts of raters are whole numbers of at least 0")
    raters = counts.sum(axis=1)
    if raters.min() != raters.max() or raters[0] < 2:
        raise UsageError(
            "each item needs the same number of ratings, at least 2; "
            f"the items have {raters.min():g} to {raters.max():g}"
        )
    n = raters[0]
    agreed = np.mean((counts * (counts - 1)).sum(axis=1)) / (n * (n - 1))
    shares = counts.sum(axis=0) / counts.sum()
    return kappa(float(agreed), float(shares @ shares))
