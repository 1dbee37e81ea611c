"""Cover-disjoint error rate: edits, and jumps between blocks of words."""

from __future__ import annotations

import numpy as np

from wordorder.errors import choose
from wordorder.kernels import edit_distance
from wordorder.metrics.text.pairs import Pairs
from wordorder.metrics.text.substitution import weighted_distances
from wordorder.metrics.text.symmetric_rate import DIRECTIONS, PENALTIES
from wordorder.metrics.text.weighted_rate import WeightedErrorRate
from wordorder.metrics.text.word_costs import Cost
from wordorder.segments import Segments
from wordorder.text.texts import Texts
from wordorder.types import Float64


class CoverDisjointErrorRate(WeightedErrorRate):
    """Edits and jumps between blocks of words, over the length of the reference.

    The reference is read from its first to its last word. Beside insertions, deletions and
    substitutions there are jumps, at cost 1, to any place of the hypothesis: its words may be taken
    never, once, or several times (Leusch et al. 2006, equation 1).

    Parameters
    ----------
    direction : "reference", "candidate" or "max"
        Which sentence is covered exactly once: the reference, as in the paper; the hypothesis,
        with jumps in the reference ("reversed"); or the larger of both distances.
    penalty : "none", "length", "miscoverage" or "mean"
        What is added, since jumps leave words out: the number of words that the sentence with the
        jumps has more than the other; the sum of ``|1 - coverage|`` over its words; or the mean of
        both (section 3.3). For ``direction="max"`` each distance has its own penalty.
    substitution, language, synonyms, costs, similar
        What a substitution costs: as `WeightedErrorRate`.
    ref_len : "best" or "average"
        As `ErrorRate`. Rates are over the length of the reference in all directions.

    Raises
    ------
    UsageError, InputError
        As `WeightedErrorRate`.

    Notes
    -----
    Time: hypothesis times reference words, 64 of them at a time with constant costs and no
    miscoverage. The miscoverage is that of one cheapest path; other ones may have other
    values. It is followed from its end, by substitution or identity where that is possible, else
    by insertion, else by deletion, else by a jump from the first minimum.

    Examples
    --------
    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> CoverDisjointErrorRate().segment_scores(segments)
    array([0.5])
    """

    name = "cder"

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
        self.direction = choose("cder.direction", direction, DIRECTIONS)
        self.penalty = choose("cder.penalty", penalty, PENALTIES)

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return direction, penalty and the kind of substitution costs."""
        return (("direction", self.direction), ("penalty", self.penalty), *self.cost_fields)

    def distances(self, segments: Segments) -> Float64:
        """Return cover distances with their penalties, float64[R]."""
        texts = segments.texts
        if self.direction == "max":
            return np.maximum(self._directed(texts, False), self._directed(texts, True))
        return self._directed(texts, self.direction == "candidate")

    def _directed(self, texts: Texts, reverse: bool) -> Float64:
        """Return the distances of one direction."""
        traced = self.penalty in ("miscoverage", "mean")
        if self.constant and not traced:
            pairs = Pairs.of(texts, local=True, reverse=reverse)
            distances = pairs.bit_parallel(edit_distance.cover_distances)
            missing = np.zeros(len(pairs), np.int64)
        else:
            pairs = Pairs.of(texts, reverse=reverse)
            distances, missing = weighted_distances(
                pairs, self.word_costs.table(texts), jumps=True, traced=traced
            )
        if self.penalty in ("length", "mean"):
            missing = missing + pairs.surplus
        return np.add(distances, missing / 2 if self.penalty == "mean" else missing)
