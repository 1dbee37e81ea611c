"""What WER and PER share: distances that are the same in both directions."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from wordorder.errors import choose
from wordorder.metrics.text.weighted_rate import WeightedErrorRate
from wordorder.metrics.text.word_costs import Cost
from wordorder.segments import Segments
from wordorder.types import Float64

DIRECTIONS = ("reference", "candidate", "max")
PENALTIES = ("none", "length", "miscoverage", "mean")


class SymmetricErrorRate(WeightedErrorRate):
    """An error rate whose distance is symmetric and covers every word of both sentences once.

    Parameters
    ----------
    direction : "reference", "candidate" or "max"
        Which sentence a length penalty is taken against; the distance itself is the same in both
        directions.
    penalty : "none", "length", "miscoverage" or "mean"
        What is added: the number of words that the hypothesis has more than the reference (for
        ``direction="candidate"`` the reverse, for ``"max"`` the larger); the miscoverage, which
        is 0 here; or the mean of both (Leusch et al. 2006, section 3.3).
    substitution, language, synonyms, costs, similar, ref_len
        As `WeightedErrorRate`.

    Raises
    ------
    UsageError, InputError
        As `WeightedErrorRate`.
    """

    def __init__(
        self,
        *,
        direction: str = "reference",
        penalty: str = "none",
        substitution: str | Cost = "constant",
        language: str = "en",
        synonyms: str = "",
        costs: str = "",
        similar: float = 0.5,
        ref_len: str = "best",
    ) -> None:
        super().__init__(
            substitution=substitution,
            language=language,
            synonyms=synonyms,
            costs=costs,
            similar=similar,
            ref_len=ref_len,
        )
        self.direction = choose(f"{self.name}.direction", direction, DIRECTIONS)
        self.penalty = choose(f"{self.name}.penalty", penalty, PENALTIES)

    @abstractmethod
    def symmetric_distances(self, segments: Segments) -> Float64:
        """Return the distance to each reference without penalty, float64[R]."""

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return penalty and kind of substitution costs; the direction where it can matter."""
        if self.penalty in ("none", "miscoverage"):
            return (("penalty", "none"), *self.cost_fields)
        return (("direction", self.direction), ("penalty", self.penalty), *self.cost_fields)

    def distances(self, segments: Segments) -> Float64:
        """Return the distances with their penalties, float64[R]."""
        distances = self.symmetric_distances(segments)
        if self.penalty in ("none", "miscoverage"):
            return distances
        texts = segments.texts
        surplus = texts.hypothesis.lengths[texts.segment_of] - texts.references.lengths
        if self.direction == "candidate":
            surplus = -surplus
        missing = np.abs(surplus) if self.direction == "max" else np.maximum(surplus, 0)
        share = 0.5 if self.penalty == "mean" else 1.0
        penalised: Float64 = distances + share * missing
        return penalised
