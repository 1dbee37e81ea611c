"""Coefficients within groups of scores, such as all outputs of one segment."""

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

# Of larger scores the differences may be infinite.
LARGEST_SCORE = float(np.finfo(np.float64).max) / 4


@dataclass(frozen=True, eq=False)
class Groups:
    """Two scores of the same outputs by group; outputs that lack a score are left out.

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
        """How many outputs each group has, int64[G]."""
        return np.diff(self.offsets)

    @property
    def pairs(self) -> Int64:
        """How many pairs of outputs each group has, int64[G]."""
        sizes = self.sizes
        return sizes * (sizes - 1) // 2


def grouped(metric: npt.ArrayLike, human: npt.ArrayLike, by: str = "none") -> Groups:
    """Arrange two scores in groups, and leave out outputs that lack one of the two.

    Parameters
    ----------
    metric, human : float64 of the same shape
        NaN where there is no score. For "item" and "system" float64[systems, segments].
    by : "none", "item" or "system"
        One group of all; one per segment, with the outputs of all systems; one per system.

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
    number, size = scores.shape
    flat = [np.ascontiguousarray(table).ravel() for table in (scores, judged)]
    has_both = ~(np.isnan(flat[0]) | np.isnan(flat[1]))
    if has_both.all():
        offsets = np.arange(number + 1, dtype=np.int64) * size
    else:
        flat = [table[has_both] for table in flat]
        offsets = row_offsets(has_both.reshape(number, size).sum(axis=1))
    check_finite(*flat)
    return Groups(flat[0], flat[1], offsets)


def rows_as_groups(metric: Float64, human: Float64) -> Groups:
    """Make each row of float64[R, n] without NaN a group."""
    offsets = np.arange(len(metric) + 1, dtype=np.int64) * metric.shape[1]
    scores, judged = (np.ascontiguousarray(table, np.float64).ravel() for table in (metric, human))
    return Groups(scores, judged, offsets)


def check_finite(*scores: Float64) -> None:
    """Refuse scores that are infinite, or so large that their differences may be.

    Raises
    ------
    UsageError
        If there is one. NaN is legal.
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
    """Put the groups of several sets, such as language pairs, after one another."""
    return Groups(
        np.concatenate([group.metric for group in groups]),
        np.concatenate([group.human for group in groups]),
        np.cumsum([0, *np.concatenate([group.sizes for group in groups])], dtype=np.int64),
    )


def mean_over_groups(values: Float64) -> float:
    """Return the mean of the values that are not NaN; NaN if all are."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def soft_pairwise_accuracy(
    metric: npt.ArrayLike, human: npt.ArrayLike, seed: int = 12345, *, resamples: int = 1000
) -> float:
    """Return the similarity of the metric's and people's confidence in each pair of systems.

    Pairwise accuracy asks only which of two systems is better; here each verdict has a p-value,
    that of a paired permutation test of the segments, one-sided, of people and of the metric. The
    soft accuracy is ``1 - mean(|p_human - p_metric|)`` over the pairs (Thompson et al. 2024).

    Parameters
    ----------
    metric, human : float64[systems, segments]
        Higher is better. NaN where there is no score: each pair of systems is tested on the
        segments on which both have both scores.
    seed : int
        The same one gives the same result, on any platform.
    resamples : int
        Random choices of sign, the same ones for all pairs, metrics and people.

    Returns
    -------
    float in [0, 1]
        1 if the metric is exactly as sure as people; NaN if no two systems share a segment.

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite, or `seed` or `resamples` is out of range.

    Notes
    -----
    A p-value counts the real outcome among the resamples and is never 0.

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

    Takes and raises what `soft_pairwise_accuracy` does.
    """
    return 1.0 - soft_pairwise_accuracy(metric, human, seed, resamples=resamples)


def pair_chances(
    metric: npt.ArrayLike, human: npt.ArrayLike, seed: int = 12345, *, resamples: int = 1000
) -> Float64:
    """Return for each pair of systems the p-values by the metric and by people.

    Returns
    -------
    float64[2, P]
        That chance alone puts the first system of the pair ahead of the second by as much. The
        pairs ``(0, 1), (0, 2), … (1, 2), …`` that share a segment.
    """
    tables = [np.asarray(table, np.float64) for table in (metric, human)]
    if tables[0].shape != tables[1].shape or tables[0].ndim != 2:
        shapes = " and ".join(str(table.shape) for table in tables)
        raise UsageError(f"expected scores [systems, segments] twice, got shapes {shapes}")
    check_finite(*tables)
    # Of decimals without rounding: a sum of gaps that is 0 must be 0.
    gaps = _differences(*(whole_multiples(table)[0] for table in tables))
    if not gaps.size:
        return np.empty((2, 0))
    rounded = rounded_statistics(gaps[np.newaxis])
    totals = rounded.totals[0]
    reached = np.zeros(len(totals))
    for _, (sums,) in resampled_sums([rounded], draw_random_swaps, resample_keys(resamples, seed)):
        # Whatever is swapped counts with the other sign. All sums are whole numbers, and exact.
        reached += (totals - 2 * sums[:, 0] >= totals).sum(axis=0)
    chances: Float64 = (reached + 1) / (resamples + 1)
    return chances.reshape(2, -1)


def _differences(metric: Float64, human: Float64) -> Float64:
    """Subtract the scores of pairs of systems, float64[S, 2 * P]; 0 where one is missing."""
    has_both = ~(np.isnan(metric) | np.isnan(human))
    first, second = np.triu_indices(len(metric), 1)
    common = has_both[first] & has_both[second]
    paired = common.any(axis=1)
    first, second, common = first[paired], second[paired], common[paired]
    gaps = [np.where(common, table[first] - table[second], 0.0) for table in (metric, human)]
    return np.ascontiguousarray(np.concatenate(gaps).T)
