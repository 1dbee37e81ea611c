"""Score table: what one metric, or people, gave to each system on each segment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wordorder.errors import UsageError
from wordorder.types import Float64

if TYPE_CHECKING:
    from wordorder.statistics.measurement import Measurement


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of systems on segments.

    Attributes
    ----------
    name : str
        The metric, or the kind of human judgement.
    systems : tuple of str
        n of them.
    segments : float64[n, S]
        NaN where there is no score: a segment that the metric leaves out, or that nobody judged.
    whole : float64[n], optional
        The score of each system on the whole test set; without it, the mean of its segments.
    measurement : Measurement, optional
        The statistics behind the scores, to resample corpus scores exactly.
    higher_is_better : bool

    Raises
    ------
    UsageError
        If the shapes do not agree, a system is listed twice or a score is infinite.

    Examples
    --------
    >>> table = ScoreTable("frs", ("A", "B"), np.array([[0.5, 1.0], [np.nan, 0.5]]))
    >>> table.system_scores().tolist()
    [0.75, 0.5]
    """

    name: str
    systems: tuple[str, ...]
    segments: Float64
    whole: Float64 | None = None
    measurement: Measurement | None = None
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        if self.segments.ndim != 2 or len(self.segments) != len(self.systems):
            shape = self.segments.shape
            raise UsageError(f"{self.name}: scores of shape {shape}, {len(self.systems)} systems")
        if len(set(self.systems)) < len(self.systems):
            raise UsageError(f"{self.name}: a system is listed twice")
        if np.isinf(self.segments).any():
            raise UsageError(f"{self.name}: a score is infinite")
        if self.whole is not None and self.whole.shape != (len(self.systems),):
            raise UsageError(
                f"{self.name}: {self.whole.shape} scores for {len(self.systems)} systems"
            )

    def system_scores(self) -> Float64:
        """Return the score of each system, float64[n]; NaN without any score."""
        if self.whole is not None:
            return self.whole
        scored = ~np.isnan(self.segments)
        number = scored.sum(axis=1)
        means: Float64 = np.where(scored, self.segments, 0.0).sum(axis=1) / np.maximum(number, 1)
        return np.where(number > 0, means, np.nan)
