"""Agreement of raters: kappas, Krippendorff's alpha, pairwise agreement."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Array, Bool, Float64, Int64
from wordorder.errors import UsageError, choose
from wordorder.statistics.intervals import interval_around
from wordorder.statistics.measurement import bootstrap_totals

SCALES = ("nominal", "ordinal", "interval")
CHANCES = ("marginals", "uniform")


def kappa(observed: float, chance: float) -> float:
    """Return kappa, ``(P_A - P_E) / (1 - P_E)``; NaN if P_E is 1.

    Parameters
    ----------
    observed : float in [0, 1]
        P_A, the share of pairs of judgements that agree.
    chance : float in [0, 1]
        P_E, the share that is expected to agree by chance.

    Examples
    --------
    >>> kappa(0.75, 0.5)
    0.5
    """
    return (observed - chance) / (1 - chance) if chance < 1 else math.nan


def cohen_kappa(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Return Cohen's kappa of two raters who gave each item one category.

    Chance agreement is that of two raters who choose categories at random, each with the
    frequencies of their own ratings (Cohen 1960).

    Parameters
    ----------
    a, b : array[N]
        The categories that the two raters chose: numbers or text.

    Returns
    -------
    float at most 1
        0 if they agree as often as by chance; NaN if both always chose the same single category.

    Raises
    ------
    UsageError
        If the arrays differ in length or are empty, or a category is missing.

    Examples
    --------
    >>> cohen_kappa(["good", "good", "bad", "bad"], ["good", "bad", "bad", "bad"])
    0.5
    """
    first, second = np.asarray(a), np.asarray(b)
    if first.ndim != 1 or first.shape != second.shape or not first.size:
        problem = f"shapes {first.shape} and {second.shape}"
        raise UsageError(f"two rows of categories of the same length are needed, got {problem}")
    if any(map(_has_missing, (first, second))):
        raise UsageError("an item has no category (NaN or None): leave it out for both raters")
    names, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    size = len(first)
    shares = [np.bincount(part, minlength=len(names)) / size for part in np.split(codes, 2)]
    agreed = int(np.count_nonzero(codes[:size] == codes[size:]))
    return kappa(agreed / size, float(shares[0] @ shares[1]))


def _has_missing(categories: Array) -> bool:
    """Return whether a category is missing: NaN (which differs from itself) or None."""
    return bool((categories != categories).any()) or (
        categories.dtype == object and None in categories.tolist()
    )


def fleiss_kappa(table: npt.ArrayLike) -> float:
    """Return Fleiss' kappa of several raters who gave each item one category.

    Chance agreement is that of raters who choose categories at random with their frequencies over
    all items (Fleiss 1971). Items may have different raters.

    Parameters
    ----------
    table : int64[items, categories]
        ``table[i, c]``: the number of raters who put item i into category c; all rows have the same
        sum, of at least 2.

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
        problem = f"the items have {raters.min():g} to {raters.max():g}"
        raise UsageError(f"each item needs the same number of ratings, at least 2; {problem}")
    n = raters[0]
    agreed = np.mean((counts * (counts - 1)).sum(axis=1)) / (n * (n - 1))
    shares = counts.sum(axis=0) / counts.sum()
    return kappa(float(agreed), float(shares @ shares))


class Disagreement:
    """Krippendorff's alpha with a weight for each unit, as resampling needs it.

    Parameters
    ----------
    units : int64[N]
        The unit of each rating, from 0.
    values : float64[N]
    scale : "nominal", "ordinal" or "interval"

    Notes
    -----
    Alpha is 1 - D_o / D_e (Krippendorff 2011). The ordinal difference of categories c and k is the
    sum of the counts from c to k, minus half the counts of c and k: the difference of their
    midranks. The ordinal and the interval scale thus need only squared distances from means, which
    takes O(N) time. Units with one rating are ignored.
    """

    def __init__(self, units: Int64, values: Float64, scale: str) -> None:
        self.scale = choose("scale", scale, SCALES)
        self.size = int(units.max(initial=-1)) + 1
        rating_counts = np.bincount(units, minlength=self.size)
        paired = rating_counts[units] > 1
        self._units = units[paired]
        self._number = np.where(rating_counts > 1, rating_counts, 0).astype(np.float64)
        self._levels, codes = np.unique(values[paired], return_inverse=True)
        self._codes = codes.reshape(-1)
        self._categories = len(self._levels)
        if scale == "nominal":
            self._within = self._different_pairs()

    def alpha(self, times: Float64 | None = None) -> float:
        """Return alpha if unit u is counted ``times[u]`` times; NaN if all values are the same."""
        weights = self._number > 0 if times is None else np.where(self._number > 0, times, 0.0)
        ratings = weights * self._number
        n = float(ratings.sum())
        unit_weights = np.asarray(weights, np.float64)[self._units]
        counts = np.bincount(self._codes, unit_weights, minlength=self._categories)
        if np.count_nonzero(counts) < 2:
            return math.nan
        if self.scale == "nominal":
            observed = float(weights @ self._within)
            expected = float(counts @ (n - counts)) / (n - 1)
            return 1 - observed / expected
        if self.scale == "ordinal":
            levels = np.cumsum(counts) - counts / 2
        else:
            levels = _from_lowest(self._levels, counts > 0)
        centred_levels = levels - float(counts @ levels) / n
        expected = 2 * n * float(counts @ (centred_levels * centred_levels)) / (n - 1)
        return 1 - float(weights @ self._squares(centred_levels[self._codes])) / expected

    def _different_pairs(self) -> Float64:
        """Return each unit's number of ordered pairs of different values, divided by n - 1."""
        cells, cell_counts = np.unique(
            self._units * self._categories + self._codes, return_counts=True
        )
        unit = cells // max(self._categories, 1)
        same = np.bincount(unit, cell_counts * (cell_counts - 1.0), minlength=self.size)
        pairs = self._number * (self._number - 1)
        return (pairs - same) / np.maximum(self._number - 1, 1)

    def _squares(self, values: Float64) -> Float64:
        """Return each unit's sum of squared differences of ordered pairs, divided by n - 1."""
        rating_counts = np.maximum(self._number, 1)
        means = np.bincount(self._units, values, minlength=self.size) / rating_counts
        distances = values - means[self._units]
        squares = np.bincount(self._units, distances * distances, minlength=self.size)
        return 2 * self._number * squares / np.maximum(self._number - 1, 1)


def _from_lowest(levels: Float64, present: Bool) -> Float64:
    """Return the distances of present levels from the lowest, scaled below 1; 0 for absent ones.

    The scale is a power of 2. It avoids overflow of squares of large values, and loss of digits of
    close values because of a distant level that is absent.
    """
    scaled = _below_one(np.where(present, levels, 0.0))
    return _below_one(np.where(present, scaled - scaled[present].min(), 0.0))


def _below_one(values: Float64) -> Float64:
    """Return the values divided by a power of 2 (exact), so that the largest is from 1/2 to 1."""
    _, exponent = np.frexp(np.abs(values).max())
    divided: Float64 = np.ldexp(values, -exponent)
    return divided


def krippendorff_alpha(ratings: npt.ArrayLike, scale: str = "nominal") -> float:
    """Return Krippendorff's alpha, the agreement of any number of raters.

    Every rater may leave out items (Krippendorff 2011, "Computing Krippendorff's
    Alpha-Reliability").

    Parameters
    ----------
    ratings : float64[raters, items]
        NaN where a rater left out an item.
    scale : "nominal", "ordinal" or "interval"
        The distance of two values: whether they differ; the number of ratings between them; their
        squared difference.

    Returns
    -------
    float at most 1
        0 for chance agreement, negative for less; NaN if all values are the same or no item has two
        ratings.

    Raises
    ------
    UsageError
        If the shape or the scale is wrong, or a value is infinite.

    Examples
    --------
    >>> krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, 3]])
    1.0
    >>> round(krippendorff_alpha([[1, 2, 3, np.nan], [1, 2, 4, 5]], "interval"), 4)
    0.878
    """
    values = np.asarray(ratings, np.float64)
    if values.ndim != 2:
        raise UsageError(f"expected ratings [raters, items], got shape {values.shape}")
    if np.isinf(values).any():
        raise UsageError("a rating is infinite")
    rated = ~np.isnan(values)
    units = np.broadcast_to(np.arange(values.shape[1]), values.shape)[rated]
    return Disagreement(units, values[rated], scale).alpha()


@dataclass(frozen=True)
class PairwiseAgreement:
    """The agreement of judgements of the same pair of outputs.

    Attributes
    ----------
    pairs, agreed : int
        The number of pairs of judgements, and of those that agree.
    observed, chance : float
        P_A and P_E.
    kappa : float
        ``(P_A - P_E) / (1 - P_E)``; NaN if there are no pairs.
    low, high : float
        The confidence interval of kappa.
    """

    pairs: int
    agreed: int
    observed: float
    chance: float
    kappa: float
    low: float
    high: float


def pairwise_agreement(
    item: Array,
    rater: Array,
    first: Array,
    second: Array,
    outcome: Array,
    *,
    within: bool = False,
    chance: str = "marginals",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> PairwiseAgreement:
    """Measure the agreement of raters on which of two outputs is better.

    P_A is the share of agreeing pairs among all pairs of judgements of the same two outputs (Bojar
    et al. 2013, section 3.2). P_E is the sum of the squared shares of the three outcomes
    ("marginals"), or 1/3 ("uniform"). The order of the two outputs is arbitrary, so both decided
    outcomes get half of their common share.

    Parameters
    ----------
    item, rater, first, second : int[N]
        The item, rater and two outputs of each judgement. Judgements with rater -1 (unknown) are
        left out.
    outcome : int[N]
        1 if the first output was judged better, -1 if the second was, 0 for a tie.
    within : bool
        Whether to compare judgements by the same rater (intra-rater agreement) or by different
        raters (inter-rater).
    chance : "marginals" or "uniform"
    level : float
        The confidence of the interval, which is computed by resampling items.
    resamples, seed : int

    Returns
    -------
    PairwiseAgreement

    Examples
    --------
    Two raters agree on one pair of outputs and not on another.

    >>> two = pairwise_agreement(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.zeros(4, int),
    ...                         np.ones(4, int), np.array([1, 1, 1, -1]), chance="uniform")
    >>> two.pairs, two.agreed, round(two.kappa, 2)
    (2, 1, 0.25)
    """
    choose("chance", chance, CHANCES)
    is_rated = np.asarray(rater) >= 0
    item, rater, first, second, outcome = (
        np.asarray(column, np.int64)[is_rated] for column in (item, rater, first, second, outcome)
    )
    # The output with the lower index comes first, so that equal outcomes are equal numbers.
    outcome = np.where(first < second, outcome, -outcome)
    systems = int(max(first.max(initial=0), second.max(initial=0))) + 1
    pair = (item * systems + np.minimum(first, second)) * systems + np.maximum(first, second)
    names, codes = np.unique(item, return_inverse=True)
    item = codes.reshape(-1)
    by_rater = _pairs_by_item((pair, rater), item, len(names))
    by_rater_agreed = _pairs_by_item((pair, rater, outcome), item, len(names))
    if within:
        pairs, agreed = by_rater, by_rater_agreed
    else:
        pairs = _pairs_by_item((pair,), item, len(names)) - by_rater
        agreed = _pairs_by_item((pair, outcome), item, len(names)) - by_rater_agreed
    judged = np.bincount(item, minlength=len(names))
    tied = np.bincount(item, outcome == 0, minlength=len(names))
    matrix = np.column_stack([pairs, agreed, judged, tied]).astype(np.float64)
    observed, by_chance = _shares(matrix.sum(axis=0)[np.newaxis], chance)
    value = float(_kappas(observed, by_chance)[0])
    low = high = value
    if len(names) > 1 and not np.isnan(value):
        totals = bootstrap_totals(matrix, resamples=resamples, seed=seed)
        samples = _kappas(*_shares(totals, chance))
        low, high = interval_around(value, samples, level)
    numbers = int(pairs.sum()), int(agreed.sum())
    shares = float(observed[0]), float(by_chance[0])
    return PairwiseAgreement(*numbers, *shares, value, low, high)


def _pairs_by_item(keys: tuple[Int64, ...], item: Int64, items: int) -> Int64:
    """Return the number of pairs of judgements of each item that are equal in all keys."""
    if not len(item):
        return np.zeros(items, np.int64)
    order = np.lexsort(keys[::-1])
    changed = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    starts = np.concatenate([[0], np.flatnonzero(changed) + 1])
    group_sizes = np.diff([*starts.tolist(), len(order)])
    counts = np.bincount(item[order[starts]], group_sizes * (group_sizes - 1) // 2, minlength=items)
    return counts.astype(np.int64)


def _shares(totals: Float64, chance: str) -> tuple[Float64, Float64]:
    """Return P_A and P_E for each row of sums over items, float64[B] each."""
    pairs, agreed, judged, tied = totals.T
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = agreed / pairs
        ties = tied / judged
    by_chance = ties**2 + (1 - ties) ** 2 / 2
    return observed, np.full_like(ties, 1 / 3) if chance == "uniform" else by_chance


def _kappas(observed: Float64, chance: Float64) -> Float64:
    """Return the kappa of each pair of P_A and P_E."""
    return np.array([kappa(*pair) for pair in zip(observed, chance, strict=True)])
