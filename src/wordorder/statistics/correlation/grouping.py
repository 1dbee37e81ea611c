"""Groups: the scores that are compared with each other, such as all outputs of one segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError, choose
from wordorder.types import Float64, Int64

GROUPINGS = ("none", "item", "system")
# Of larger scores the differences may be infinite.
LARGEST = float(np.finfo(np.float64).max) / 4


@dataclass(frozen=True, eq=False)
class Groups:
    """Two scores of the same outputs, group after group, without those that lack one.

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
    """Arrange two scores in groups, and leave out what lacks one of the two.

    Parameters
    ----------
    metric, human : float64 of the same shape
        NaN where there is no score. For "item" and "system" float64[systems, segments].
    by : "none", "item" or "system"
        One group of all; one a segment, with the outputs of all systems; one a system.

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
    scores, judged = (np.asarray(each, np.float64) for each in (metric, human))
    if scores.shape != judged.shape:
        raise UsageError(
            f"the metric's scores are of shape {scores.shape}, people's {judged.shape}"
        )
    if by == "none":
        scores, judged = scores.reshape(1, -1), judged.reshape(1, -1)
    elif scores.ndim != 2:
        raise UsageError(f"by={by!r} needs scores [systems, segments], got shape {scores.shape}")
    elif by == "item":
        scores, judged = scores.T, judged.T
    number, size = scores.shape
    flat = [np.ascontiguousarray(each).ravel() for each in (scores, judged)]
    known = ~(np.isnan(flat[0]) | np.isnan(flat[1]))
    if known.all():
        offsets = np.arange(number + 1, dtype=np.int64) * size
    else:
        flat = [each[known] for each in flat]
        offsets = np.zeros(number + 1, np.int64)
        np.cumsum(known.reshape(number, size).sum(axis=1), out=offsets[1:])
    check_finite(*flat)
    return Groups(flat[0], flat[1], offsets)


def check_finite(*scores: Float64) -> None:
    """Refuse scores that are infinite, or so large that their differences may be.

    Raises
    ------
    UsageError
        If there is one. NaN is legal.
    """
    largest = max((float(np.nanmax(np.abs(each), initial=0.0)) for each in scores), default=0.0)
    if largest > LARGEST:
        what = "infinite" if np.isinf(largest) else f"too large: {largest:g}, above {LARGEST:.2g}"
        raise UsageError(f"a score is {what}")


def joined(groups: Sequence[Groups]) -> Groups:
    """Put the groups of several sets, such as language pairs, after one another."""
    return Groups(
        np.concatenate([each.metric for each in groups]),
        np.concatenate([each.human for each in groups]),
        np.cumsum([0, *np.concatenate([each.sizes for each in groups])], dtype=np.int64),
    )


def mean_over_groups(values: Float64) -> float:
    """Return the mean of the values that are defined; NaN if none is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")
