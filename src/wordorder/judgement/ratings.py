"""Ratings: a number that a rater gave to one output."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.types import Float64, Int32


@dataclass(frozen=True, eq=False)
class Ratings:
    """Values that raters gave to outputs, one row a rating.

    Direct assessment, MQM scores and ratings from 0 to 6 are read into this form.

    Attributes
    ----------
    systems, raters, items : tuple of str
        The names that the numbers below refer to; an item is a segment.
    item, rater, system : int32[N]
    value : float64[N]
        Higher is better.
    """

    systems: tuple[str, ...]
    raters: tuple[str, ...]
    items: tuple[str, ...]
    item: Int32
    rater: Int32
    system: Int32
    value: Float64

    def __len__(self) -> int:
        return len(self.value)
