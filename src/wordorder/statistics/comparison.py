"""Comparison: the outcome of a paired test for all pairs of systems under one metric."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from wordorder.types import Bool

MIRRORED = {"0": "0", "+*": "-*", "+**": "-**", "-*": "+*", "-**": "+**"}


@dataclass(frozen=True)
class PairTest:
    """What a test says about two systems.

    Attributes
    ----------
    first, second : int
        The systems' numbers, from 0.
    difference : float
        The second system's value minus the first's.
    interval_90, interval_95 : (low, high) or None
        Of the difference; None where the test gives none.
    p_value : float in (0, 1]
        Two-sided: how often chance alone makes a difference as large.
    mark : str
        ``+*`` if the second system is better at 90 %, ``+**`` at 95 %; ``-*`` and ``-**`` if it
        is worse; ``0`` if neither (the cells of Talbot et al. 2011, Tables 3-5).
    """

    first: int
    second: int
    difference: float
    interval_90: tuple[float, float] | None
    interval_95: tuple[float, float] | None
    p_value: float
    mark: str

    def mirrored(self) -> PairTest:
        """Return the same test with the systems named in the other order."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=0.0 - self.difference,
            interval_90=_negated(self.interval_90),
            interval_95=_negated(self.interval_95),
            mark=MIRRORED[self.mark],
        )


@dataclass(frozen=True)
class Comparison:
    """The systems of one measurement, tested pair by pair.

    Attributes
    ----------
    test : str
        ``bootstrap`` or ``randomization``.
    resamples, seed : int
        How many resamples were drawn, and from which seed.
    higher_is_better : bool
        The direction of the metric; marks already respect it.
    values : tuple of float
        The value of each system over all segments.
    pairs : tuple of PairTest
        All pairs with ``first < second``, sorted.
    """

    test: str
    resamples: int
    seed: int
    higher_is_better: bool
    values: tuple[float, ...]
    pairs: tuple[PairTest, ...]

    def pair(self, first: int, second: int) -> PairTest:
        """Return the test of two different systems, named in either order."""
        low, high = sorted((first, second))
        if not 0 <= low < high < len(self.values):
            raise IndexError(f"systems {first} and {second} of {len(self.values)}")
        # Rows of a triangle: n - 1 pairs with system 0, n - 2 with system 1, ...
        test = self.pairs[low * (2 * len(self.values) - low - 1) // 2 + high - low - 1]
        return test if first < second else test.mirrored()

    def triangle(self) -> list[list[str]]:
        """Return the marks as rows of a triangle: row A holds the systems after A against A."""
        systems = range(len(self.values))
        return [[self.pair(a, b).mark for b in systems[a + 1 :]] for a in systems[:-1]]

    def beats(self) -> Bool:
        """Return whether the row's system is better than the column's at 95 %, bool[n, n]."""
        better = np.zeros((len(self.values), len(self.values)), np.bool_)
        for pair in self.pairs:
            better[pair.second, pair.first] = pair.mark == "+**"
            better[pair.first, pair.second] = pair.mark == "-**"
        return better


def _negated(bounds: tuple[float, float] | None) -> tuple[float, float] | None:
    """Turn the interval of a difference into that of the opposite difference."""
    return None if bounds is None else (0.0 - bounds[1], 0.0 - bounds[0])
