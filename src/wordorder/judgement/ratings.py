"""Ratings: a number that a rater gave to one output."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.judgement.judgements import Judgements
from wordorder.types import Float64, Int32


@dataclass(frozen=True, eq=False)
class Ratings(Judgements):
    """Values that raters gave to outputs, one row a rating.

    Direct assessment, MQM scores and ratings from 0 to 6 are read into this form.

    Attributes
    ----------
    systems, raters, items, item, rater
        As in `Judgements`.
    system : int32[N]
    value : float64[N]
        Higher is better.
    standard : float64[N], optional
        The same values standardised for each rater, where the file has them.

    Examples
    --------
    >>> numbers = np.arange(2, dtype=np.int32)
    >>> Ratings(("A", "B"), (), ("1", "2"), numbers, numbers, numbers, np.array([60.0, 80.0])
    ...     ).means().tolist()
    [[60.0, nan], [nan, 80.0]]
    """

    system: Int32
    value: Float64
    standard: Float64 | None = None

    def means(self, values: Float64 | None = None) -> Float64:
        """Return the mean of each system on each item, float64[n, items]; NaN without a rating.

        Parameters
        ----------
        values : float64[N], optional
            What is averaged instead of `value`, such as `standard`.
        """
        values = self.value if values is None else values
        shape = len(self.systems), len(self.items)
        cells = self.system.astype(np.int64) * shape[1] + self.item
        counts = np.bincount(cells, minlength=shape[0] * shape[1])
        sums = np.bincount(cells, values, minlength=shape[0] * shape[1])
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return means.reshape(shape)
