"""Bins: whole numbers sorted into ranges with names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wordorder.types import Int64


@dataclass(frozen=True)
class Bins:
    """Ranges of whole numbers, each up to the next one's start.

    Parameters
    ----------
    starts : tuple of int
        Where each range begins, rising; the last has no end, and what is below the first belongs
        to it.

    Examples
    --------
    >>> bins = Bins((0, 1, 3, 10))
    >>> bins.names, bins.of(np.array([0, 2, 9, 99])).tolist()
    (('0', '1-2', '3-9', '10+'), [0, 1, 2, 3])
    """

    starts: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What the ranges are called."""
        stops = [start - 1 for start in self.starts[1:]]
        named = [
            str(start) if start == stop else f"{start}-{stop}"
            for start, stop in zip(self.starts, stops, strict=False)
        ]
        return (*named, f"{self.starts[-1]}+")

    def of(self, numbers: npt.NDArray[np.integer]) -> Int64:
        """Return the number of each number's range."""
        ranges = np.searchsorted(np.array(self.starts), numbers, side="right") - 1
        return np.maximum(ranges, 0).astype(np.int64)


def signed_names(bins: Bins) -> tuple[str, ...]:
    """Name ranges of distances in both directions, the farthest to the left first.

    Examples
    --------
    >>> signed_names(Bins((0, 1, 3)))
    ('3+ to the left', '1-2 to the left', '0', '1-2 to the right', '3+ to the right')
    """
    away = bins.names[1:]
    left = [f"{name} to the left" for name in reversed(away)]
    return (*left, bins.names[0], *(f"{name} to the right" for name in away))


def signed_bins(bins: Bins, numbers: npt.NDArray[np.integer]) -> Int64:
    """Return the range of each number in both directions, as `signed_names` numbers them.

    Examples
    --------
    >>> signed_bins(Bins((0, 1, 3)), np.array([-5, -1, 0, 2])).tolist()
    [0, 1, 2, 3]
    """
    middle = len(bins.starts) - 1
    ranges: Int64 = middle + np.sign(numbers) * bins.of(np.abs(numbers))
    return ranges
