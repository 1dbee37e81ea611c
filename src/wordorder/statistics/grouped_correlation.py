"""Scores in groups, such as all outputs of one segment, and soft pairwise accuracy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, Int64, row_offsets
from wordorder.errors import UsageError, choose
from wordorder.statistics.exact_means import whole_multiples
from wordorder.statistics.measurement import (
    draw_random_swaps,
    resample_keys,
    resampled_sums,
    rounded_statistics,
)

GROUPINGS = ("none", "item", "system")

# The differences of larger scores could overflow.
LARGEST_SCORE = float(np.finfo(np.float64).max) / 4


@dataclass(frozen=True, eq=False)
class Groups:
    """Metric and human scores of the same outputs, sorted by group; only outputs with both.

    Attributes
    ----------
    metric, human : float64[N]
        Finite. Group ``g`` has the values ``offsets[g] .. offsets[g + 1] - 1``.
    offsets : int64[G+1]
    """

    metric: Float64
    human: Float64
    offsets: Int64

    @property
    def sizes(self) -> Int64:
        """The number of outputs in each group, int64[G]."""
        return np.diff(self.offsets)

    @property
    def pairs(self) -> Int64:
        """The number of pairs of outputs in each group, int64[G]."""
        sizes = self.sizes
        return sizes * (sizes - 1) // 2


def grouped(metric: npt.ArrayLike, human: npt.ArrayLike, by: str = "none") -> Groups:
    """Arrange metric and human scores in groups, without the outputs that lack one of them.

    Parameters
    ----------
    metric, human : float64 of the same shape
        NaN where there is no score. For "item" and "system" float64[systems, segments].
    by : "none", "item" or "system"
        One group of all outputs; one group per segment, or one per system.

    Raises
    ------
    UsageError
        If the shapes do not fit or a score is infinite.

    Examples
    --------
    >>> groups = grouped([[1.0, 2.0], [3.0, np.nan]], [[5.0, 6.0], [7.0, 8.0]], by="item")
    >>> groups.metric.tolist(), groups.human.tolist(), groups.offsets.tolist()
    ([1.0, 3.0, 2.0], [5.0, 7.0, 6.0], [0, 2, 3])
    """
    choose("by", by, GROUPINGS)
    scores, judged = (np.asarray(table, np.float64) for table in (metric, human))
    if scores.shape != judged.shape:
        problem = f"shape {scores.shape}, people's {judged.shape}"
        raise UsageError(f"the metric's scores are of {problem}")
    if by == "none":
        scores, judged = scores.reshape(1, -1), judged.reshape(1, -1)
    elif scores.ndim != 2:
        raise UsageError(f"by={by!r} needs scores [systems, segments], got shape {scores.shape}")
    elif by == "item":
        scores, judged = scores.T, judged.T
    group_count, size = scores.shape
    flat = [np.ascontiguousarray(table).ravel() for table in (scores, judged)]
    has_both = ~(np.isnan(flat[0]) | np.isnan(flat[1]))
    if has_both.all():
        offsets = np.arange(group_count + 1, dtype=np.int64) * size
    else:
        flat = [table[has_both] for table in flat]
        offsets = row_offsets(has_both.reshape(group_count, size).sum(axis=1))
    check_finite(*flat)
    return Groups(flat[0], flat[1], offsets)


def rows_as_groups(metric: Float64, human: Float64) -> Groups:
    """Return groups with one group per row of float64[R, n] without NaN."""
    offsets = np.arange(len(metric) + 1, dtype=np.int64) * metric.shape[1]
    scores, judged = (np.ascontiguousarray(table, np.float64).ravel() for table in (metric, human))
    return Groups(scores, judged, offsets)


def check_finite(*scores: Float64) -> None:
    """Check that scores are finite, and small enough that their differences are; NaN is valid.

    Raises
    ------
    UsageError
        If a score is infinite or too large.
    """
    largest = max((float(np.nanmax(np.abs(table), initial=0.0)) for table in scores), default=0.0)
    if largest > LARGEST_SCORE:
        problem = (
            "infinite"
            if np.isinf(largest)
            else f"too large: {largest:g}, above {LARGEST_SCORE:.2g}"
        )
        raise UsageError(f"a score is {problem}")


def concatenate_groups(groups: Sequence[Groups]) -> Groups:
    """Concatenate the groups of several sets, such as language pairs."""
    return Groups(
        np.concatenate([group.metric for group in groups]),
        np.concatenate([group.human for group in groups]),
        np.cumsum([0, *np.concatenate([group.sizes for group in groups])], dtype=np.int64),
    )


def mean_over_groups(values: Float64) -> float:
    """Return the mean of the values that are not NaN; NaN if all values are."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def soft_pairwise_accuracy(
    metric: npt.ArrayLike, human: npt.ArrayLike, seed: int = 12345, *, resamples: int = 1000
) -> float:
    """Return the similarity of the metric's and people's confidence in each pair of systems.

    Pairwise accuracy only compares which of two systems is better. Here, a one-sided paired
    permutation test over segments gives a p-value for each pair, once from the human scores and
    once from the metric's. The soft accuracy is ``1 - mean(|p_human - p_metric|)`` over the pairs
    (Thompson et al. 2024).

    Parameters
    ----------
    metric, human : float64[systems, segments]
        Higher is better. NaN where there is no score: each pair of systems is tested on the
        segments on which both have both scores.
    seed : int
        The same seed gives the same result, on any platform.
    resamples : int
        The number of random sign assignments; the same ones are used for all pairs and scores.

    Returns
    -------
    float in [0, 1]
        1 if all p-values are the same; NaN if no two systems share a segment.

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite, or `seed` or `resamples` is out of range.

    Notes
    -----
    A p-value counts the observed outcome as one of the resamples, so it is never 0.

    Examples
    --------
    >>> people = [[3.0, 4.0, 5.0], [1.0, 2.0, 1.0]]
    >>> soft_pairwise_accuracy(people, people)
    1.0
    """
    chances = pair_chances(metric, human, seed, resamples=resamples)
    return 1.0 - float(np.abs(chances[0] - chances[1]).mean()) if chances.size else float("nan")


def pairwise_confidence_error(
    metric: npt.ArrayLike, human: npt.ArrayLike, seed: int = 12345, *, resamples: int = 1000
) -> float:
    """Return the mean of ``|p_human - p_metric|`` over pairs of systems: 1 - the soft accuracy.

    Parameters and errors: see `soft_pairwise_accuracy`.
    """
    return 1.0 - soft_pairwise_accuracy(metric, human, seed, resamples=resamples)


def pair_chances(
    metric: npt.ArrayLike, human: npt.ArrayLike, seed: int = 12345, *, resamples: int = 1000
) -> Float64:
    """Return for each pair of systems the p-values by the metric and by people.

    Returns
    -------
    float64[2, P]
        The probability that chance puts the first system of the pair at least as far ahead of the
        second. The pairs are those of ``(0, 1), (0, 2), … (1, 2), …`` that share a segment.
    """
    tables = [np.asarray(table, np.float64) for table in (metric, human)]
    if tables[0].shape != tables[1].shape or tables[0].ndim != 2:
        shapes = " and ".join(str(table.shape) for table in tables)
        raise UsageError(f"expected scores [systems, segments] twice, got shapes {shapes}")
    check_finite(*tables)
    # Decimals become integers, so that differences that cancel sum to exactly 0.
    gaps = _differences(*(whole_multiples(table)[0] for table in tables))
    if not gaps.size:
        return np.empty((2, 0))
    rounded = rounded_statistics(gaps[np.newaxis])
    totals = rounded.totals[0]
    reached = np.zeros(len(totals))
    for _, (sums,) in resampled_sums([rounded], draw_random_swaps, resample_keys(resamples, seed)):
        # A swapped difference changes its sign. All sums are integers, and exact.
        reached += (totals - 2 * sums[:, 0] >= totals).sum(axis=0)
    chances: Float64 = (reached + 1) / (resamples + 1)
    return chances.reshape(2, -1)


def _differences(metric: Float64, human: Float64) -> Float64:
    """Return the score differences of pairs of systems, float64[S, 2 * P]; 0 if one is missing."""
    has_both = ~(np.isnan(metric) | np.isnan(human))
    first, second = np.triu_indices(len(metric), 1)
    common = has_both[first] & has_both[second]
    paired = common.any(axis=1)
    first, second, common = first[paired], second[paired], common[paired]
    gaps = [np.where(common, table[first] - table[second], 0.0) for table in (metric, human)]
    return np.ascontiguousarray(np.concatenate(gaps).T)
