"""Paired scores: two metrics and people on the same outputs, ready to have scores swapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError, choose
from wordorder.kernels import _run
from wordorder.kernels.resample import draw_flips
from wordorder.statistics.correlation.grouping import GROUPINGS, check_finite
from wordorder.statistics.correlation.pair_counts import ROUNDING
from wordorder.statistics.resampling import resample_keys
from wordorder.types import Bool, Float64, Int8, Int32, Int64, UInt64

# What is swapped as one: a single score, all scores of a segment, all scores of a system.
SWAPPED = ("both", "inputs", "systems")


@dataclass(frozen=True, eq=False)
class PairedScores:
    """The outputs that both metrics score, group after group.

    Attributes
    ----------
    scores : float64[2 * N]
        Of output ``c`` the standardised scores of both metrics, at ``2 * c`` and ``2 * c + 1``.
    human : float64[N]
    offsets : int64[G+1]
        Group ``g`` has the outputs ``offsets[g] .. offsets[g + 1] - 1``.
    units : int32[N]
        Which coin decides whether an output is swapped.
    coins : int
        How many there are.
    tolerance : float
        Differences between scores that are closer differ by rounding.
    """

    scores: Float64
    human: Float64
    offsets: Int64
    units: Int32
    coins: int
    tolerance: float

    @property
    def sizes(self) -> Int64:
        """How many outputs each group has, int64[G]."""
        return np.diff(self.offsets)

    @property
    def group(self) -> Int64:
        """The group of each output, int64[N]."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.sizes)

    def of_groups(self, kept: Bool) -> PairedScores:
        """Return some of the groups, bool[G]."""
        inside = np.repeat(kept, self.sizes)
        offsets = np.concatenate([[0], np.cumsum(self.sizes[kept])])
        scores = self.scores.reshape(-1, 2)[inside].ravel()
        return PairedScores(
            *(scores, self.human[inside], offsets, self.units[inside]),
            *(self.coins, self.tolerance),
        )

    def flips(self, resamples: int, seed: int) -> UInt64:
        """Flip all coins once for each resample; none in row 0, which is what was observed.

        Returns
        -------
        uint64[1 + R, words]
            Coin ``u`` is bit ``u % 64`` of word ``u // 64``.
        """
        words = (self.coins + 63) // 64
        flips = np.zeros((resamples + 1, words), np.uint64)
        offsets = np.arange(resamples + 1, dtype=np.int64) * words
        keys = resample_keys(resamples, seed)
        _run.run_rows(draw_flips, offsets, keys, words, flips[1:].reshape(-1))
        return flips

    def in_order(self, secondary: npt.NDArray[np.int32] | None = None) -> tuple[Int32, Int8]:
        """Sort the scores of both metrics together, within each group.

        Returns
        -------
        int32[2 * N], int8[2 * N]
            Indices into `scores`, lowest first, those of equal scores by `secondary` [N]; and
            whether a score is the last of equal ones.
        """
        group = np.repeat(self.group, 2)
        equal = np.zeros(len(group)) if secondary is None else np.repeat(secondary, 2)
        order = np.lexsort((equal, self.scores, group))
        scores, group = self.scores[order], group[order]
        ends = np.ones(len(order), np.int8)
        ends[:-1] = (scores[1:] != scores[:-1]) | (group[1:] != group[:-1])
        return order.astype(np.int32), ends


def paired_scores(
    metric_a: Float64, metric_b: Float64, human: Float64 | None, *, by: str, swap: str
) -> PairedScores:
    """Standardise two metrics and arrange what both score in groups.

    Scores are brought to a mean of 0 and a variance of 1 over all outputs that count, so that
    a score of one metric can take the place of one of the other (Deutsch et al. 2021).

    Parameters
    ----------
    metric_a, metric_b : float64[systems, segments]
        NaN where there is no score: an output counts if all have one.
    human : float64[systems, segments], optional
    by : "none", "item" or "system"
    swap : "both", "inputs" or "systems"
    """
    choose("by", by, GROUPINGS)
    choose("swap", swap, SWAPPED)
    judged = np.zeros_like(metric_a) if human is None else human
    systems, segments = metric_a.shape
    unit = {
        "both": np.arange(systems * segments).reshape(systems, segments),
        "inputs": np.broadcast_to(np.arange(segments), metric_a.shape),
        "systems": np.broadcast_to(np.arange(systems)[:, None], metric_a.shape),
    }[swap]
    tables = [metric_a, metric_b, judged, unit]
    if by == "item":
        tables = [each.T for each in tables]
    known = ~np.isnan(tables[0]) & ~np.isnan(tables[1]) & ~np.isnan(tables[2])
    first, second, people, units = (each[known] for each in tables)
    sizes = [len(first)] if by == "none" else known.sum(axis=1)
    (first, noise), (second, more_noise) = standardised(first), standardised(second)
    tolerance = max(noise, more_noise)
    return PairedScores(
        # Scores that are one step of rounding away, not sums of many.
        without_rounding(np.stack([first, second], axis=1).ravel(), tolerance / 16),
        people,
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        units.astype(np.int32),
        int(unit.max(initial=-1)) + 1,
        tolerance,
    )


def standardised(scores: Float64) -> tuple[Float64, float]:
    """Return scores with mean 0 and variance 1, and how far rounding can move one of them.

    Equal scores become 0. The variance is that of the scores themselves (divided by N).
    """
    largest = float(np.abs(scores).max(initial=0.0))
    if len(scores) == 0 or scores.min() == scores.max():
        return np.zeros(len(scores)), 0.0
    # Without the largest exponents, so that no square is too large.
    scaled = scores / largest
    centred = scaled - scaled.mean()
    deviation = float(np.sqrt((centred * centred).mean()))
    return centred / deviation, ROUNDING / deviation


def without_rounding(scores: Float64, tolerance: float) -> Float64:
    """Make scores equal that only rounding makes differ, so that a swap keeps their ties.

    A metric and its copy in per cent have the same standardised scores but for the last digits.
    Sorted scores are the same as long as each is within `tolerance` of the one before. Of several
    rows, float64[..., N], each is looked at alone.

    Examples
    --------
    >>> without_rounding(np.array([0.3, 1.0, 0.1 + 0.2]), 1e-12).tolist()
    [0.3, 1.0, 0.3]
    """
    order = np.argsort(scores, axis=-1, kind="stable")
    in_order = np.take_along_axis(scores, order, -1)
    first = np.diff(in_order, prepend=-np.inf) > tolerance
    same = np.empty(scores.shape)
    lowest = in_order[first][first.cumsum() - 1].reshape(same.shape)
    np.put_along_axis(same, order, lowest, -1)
    return same


def three_tables(
    metric_a: npt.ArrayLike, metric_b: npt.ArrayLike, human: npt.ArrayLike
) -> tuple[Float64, Float64, Float64]:
    """Check the scores of two metrics and of people; a vector is a table of one segment.

    Raises
    ------
    UsageError
        If the shapes differ or a score is infinite.
    """
    tables = [np.asarray(each, np.float64) for each in (metric_a, metric_b, human)]
    tables = [each[:, None] if each.ndim == 1 else each for each in tables]
    shapes = [each.shape for each in tables]
    vector = shapes[2] == (shapes[0][0], 1)
    if tables[0].ndim != 2 or shapes[0] != shapes[1] or (shapes[2] != shapes[0] and not vector):
        raise UsageError(
            f"the metrics' scores are of shape {shapes[0]} and {shapes[1]}, people's of {shapes[2]}"
        )
    check_finite(*tables)
    return tables[0], tables[1], tables[2]
