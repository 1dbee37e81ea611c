"""Detection of raters who disagree with the others more than chance explains."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Array, Bool, Float64, Int64
from wordorder.errors import UsageError
from wordorder.statistics.distributions import normal_tail, student_tail
from wordorder.statistics.paired_tests import holm

# Raters with fewer ratings are not tested.
MIN_RATINGS = 8
_LARGEST_R = 0.999999
# The significance level over all raters, and the smallest bias that is reported, in standard
# deviations of all ratings.
_ALPHA, _BIAS = 0.01, 0.5


@dataclass(frozen=True)
class UnusualRater:
    """A rater whose ratings should be checked.

    Attributes
    ----------
    rater : int
    what : "constant", "inverted", "random" or "biased"
        What is unusual about the ratings.
    ratings : int
        The number of ratings.
    correlation : float
        The correlation with the mean of the other raters on the same outputs; NaN if all ratings
        are equal or all other raters are unusual, too.
    bias : float
        The mean difference from the others' mean; NaN if all other raters are unusual, too.
    """

    rater: int
    what: str
    ratings: int
    correlation: float
    bias: float


def unusual_raters(rater: Array, unit: Array, values: Array) -> list[UnusualRater]:
    """Return the raters whose ratings are constant, inverted, random or biased.

    Each rater is compared with the mean of the others on the same outputs. The tests are done in
    this order, and raters that one test reports are left out of the later tests: *constant*: all
    ratings are equal; *inverted*: the correlation with the others is negative (t-test); *random*:
    the correlation is significantly below the median of all raters (Fisher's z) and not
    significantly above 0; *biased*: ratings differ from the mean of the others (t-test), by half a
    standard deviation of all ratings or more.
    The level is .01 after Holm's correction for the number of raters; raters with fewer than 8
    ratings are not tested.

    Parameters
    ----------
    rater, unit : int[N]
        The rater and the output of each rating, as ids.
    values : float64[N]

    Returns
    -------
    list of UnusualRater
        Sorted by rater.

    Raises
    ------
    UsageError
        If the arrays differ in length.

    Examples
    --------
    Five raters of 20 outputs; the last one inverts the scale.

    >>> unit, rater = np.tile(np.arange(20), 5), np.repeat(np.arange(5), 20)
    >>> values = (unit + rater) % 7.0
    >>> values = np.where(rater == 4, 6 - unit % 7, unit % 7)
    >>> [(found.rater, found.what) for found in unusual_raters(rater, unit, values)]
    [(4, 'inverted')]
    """
    values = np.asarray(values, np.float64)
    if not len(rater) == len(unit) == len(values):
        raise UsageError(f"{len(rater)} raters, {len(unit)} outputs, {len(values)} ratings")
    names, codes = np.unique(rater, return_inverse=True)
    _, units = np.unique(unit, return_inverse=True)
    ratings = _Ratings(codes.reshape(-1), units.reshape(-1), values, len(names))
    reasons: dict[int, str] = {}
    for reason, test in (
        ("constant", ratings.constant),
        ("inverted", ratings.inverted),
        ("random", ratings.random),
        ("biased", ratings.biased),
    ):
        # Each test compares only raters that no earlier test has reported.
        for number in test([n for n in range(len(names)) if n not in reasons]):
            reasons[number] = reason
    ratings.trust([n for n in range(len(names)) if n not in reasons])
    return [UnusualRater(int(names[n]), reasons[n], *ratings.summary(n)) for n in sorted(reasons)]


class _Ratings:
    """Ratings, each with the mean rating of the same output by the other trusted raters."""

    def __init__(self, rater: Int64, unit: Int64, values: Float64, raters: int) -> None:
        self.rater, self.unit, self.values = rater, unit, values
        self.spread = float(values.std()) if len(values) else 0.0
        self.trust(range(raters))

    def trust(self, raters: Sequence[int]) -> None:
        """Trust only these raters, and compute the mean rating of the others again."""
        trusted = np.isin(self.rater, np.fromiter(raters, np.int64, len(raters)))
        size = int(self.unit.max(initial=-1)) + 1
        sums = np.bincount(self.unit, np.where(trusted, self.values, 0), minlength=size)
        counts = np.bincount(self.unit, trusted, minlength=size)
        other_count = counts[self.unit] - trusted
        other_sum = sums[self.unit] - np.where(trusted, self.values, 0)
        self.others = np.where(other_count > 0, other_sum / np.maximum(other_count, 1), np.nan)

    def constant(self, raters: Sequence[int]) -> list[int]:
        """Return the raters whose ratings are all equal."""
        ratings = {n: self.values[self.rater == n] for n in raters}
        return [
            n
            for n, own_ratings in ratings.items()
            if len(own_ratings) >= MIN_RATINGS and np.ptp(own_ratings) == 0
        ]

    def inverted(self, raters: Sequence[int]) -> list[int]:
        """Return the raters whose correlation with the others is significantly negative."""
        self.trust(raters)
        return self._significant(
            raters, [_tail_probability(-r, n) for r, n in map(self._correlation, raters)]
        )

    def random(self, raters: Sequence[int]) -> list[int]:
        """Return the raters with an unusually low correlation that is not significantly above 0."""
        self.trust(raters)
        correlations = [self._correlation(n) for n in raters]
        sufficient = [r for r, n in correlations if n >= MIN_RATINGS]
        typical = _fisher_z(float(np.median(sufficient))) if sufficient else 0.0
        lower = [
            normal_tail((typical - _fisher_z(r)) * math.sqrt(n - 3)) if n >= MIN_RATINGS else 1.0
            for r, n in correlations
        ]
        above = {
            n: _tail_probability(*correlation)
            for n, correlation in zip(raters, correlations, strict=True)
        }
        return [n for n in self._significant(raters, lower) if above[n] > _ALPHA]

    def biased(self, raters: Sequence[int]) -> list[int]:
        """Return the raters whose mean difference from the others is large and significant."""
        self.trust(raters)
        p_values = []
        for number in raters:
            differences = self._differences(number)
            size = len(differences)
            p_value = 1.0
            if size >= MIN_RATINGS and abs(differences.mean()) >= _BIAS * self.spread > 0:
                error = float(differences.std(ddof=1)) / math.sqrt(size)
                t = abs(float(differences.mean())) / error if error > 0 else math.inf
                p_value = min(1.0, 2 * student_tail(t, size - 1)) if error > 0 else 0.0
            p_values.append(p_value)
        return self._significant(raters, p_values)

    def summary(self, rater: int) -> tuple[int, float, float]:
        """Return the number of ratings, the correlation and the bias of a rater."""
        differences = self._differences(rater)
        bias = float(differences.mean()) if len(differences) else math.nan
        is_own = self.rater == rater
        constant = np.ptp(self.values[is_own]) == 0
        correlation, compared = self._correlation(rater)
        correlation = math.nan if constant or not compared else correlation
        return int(np.count_nonzero(is_own)), correlation, bias

    def _compared_rows(self, rater: int) -> Bool:
        """Return a mask of the rater's ratings of outputs that trusted others rated, too."""
        rows: Bool = (self.rater == rater) & ~np.isnan(self.others)
        return rows

    def _differences(self, rater: int) -> Float64:
        """Return the differences of the rater's ratings from the mean of the others."""
        rows = self._compared_rows(rater)
        return self.values[rows] - self.others[rows]

    def _correlation(self, rater: int) -> tuple[float, int]:
        """Return Pearson's r with the others (0 if undefined), and the number of ratings."""
        rows = self._compared_rows(rater)
        if np.count_nonzero(rows) < 2:
            return 0.0, 0
        mine = self.values[rows] - self.values[rows].mean()
        other_deviations = self.others[rows] - self.others[rows].mean()
        scale = math.sqrt(float(mine @ mine) * float(other_deviations @ other_deviations))
        return (float(mine @ other_deviations) / scale if scale > 0 else 0.0), len(mine)

    @staticmethod
    def _significant(raters: Sequence[int], p_values: Sequence[float]) -> list[int]:
        """Return the raters whose p-values are significant after Holm's correction."""
        corrected = holm(p_values)
        return [n for n, p in zip(raters, corrected.tolist(), strict=True) if p < _ALPHA]


def _tail_probability(r: float, n: int) -> float:
    """Return the probability that chance gives a correlation of at least `r`, of n ratings."""
    if n < MIN_RATINGS:
        return 1.0
    r = max(-_LARGEST_R, min(_LARGEST_R, r))
    return student_tail(r * math.sqrt((n - 2) / (1 - r * r)), n - 2)


def _fisher_z(r: float) -> float:
    """Return Fisher's z of a correlation, finite for 1 and -1, too."""
    return math.atanh(max(-_LARGEST_R, min(_LARGEST_R, r)))
