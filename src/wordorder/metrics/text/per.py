"""Position-independent error rate: words, whatever their order."""

from __future__ import annotations

import numpy as np

from wordorder.kernels import edit_distance
from wordorder.metrics.text.pairs import Pairs
from wordorder.metrics.text.substitution import matching_costs
from wordorder.metrics.text.symmetric_rate import SymmetricErrorRate
from wordorder.segments import Segments
from wordorder.types import Float64


class PositionIndependentErrorRate(SymmetricErrorRate):
    """Edits between two sentences whose words may come in any order, over the reference length.

    Words that both have are matched, repeated ones as often as both have them. The other words of
    the shorter sentence are substituted, and what the longer one has more is inserted or deleted:
    ``max(I, L)`` less the common words (Tillmann et al. 1997).

    With other than constant substitutions the words are matched so that the sum of their costs is
    the least (Leusch et al. 2006, section 4.1). Parameters and errors: `SymmetricErrorRate`.

    Notes
    -----
    Linear time with constant costs; with others up to the third power of the length, and memory for
    each pair of words.

    Examples
    --------
    >>> segments = Segments.from_text(["a b b c"], ["b a d"])
    >>> PositionIndependentErrorRate().segment_scores(segments)
    array([0.66666667])
    """

    name = "per"

    def symmetric_distances(self, segments: Segments) -> Float64:
        """Return the costs of the words that differ and of those that are too many, float64[R]."""
        texts = segments.texts
        ours, theirs = texts.hypothesis.lengths[texts.segment_of], texts.references.lengths
        if not self.constant:
            surplus: Float64 = np.abs(ours - theirs).astype(np.float64)
            return matching_costs(texts, self.word_costs.table(texts)) + surplus
        pairs = Pairs.of(texts, local=True)
        common = np.empty(len(pairs), np.int64)
        pairs.run(edit_distance.common_words, common, scratch=((pairs.numbers, 0, np.int32),))
        different: Float64 = np.subtract(np.maximum(ours, theirs), common, dtype=np.float64)
        return different
