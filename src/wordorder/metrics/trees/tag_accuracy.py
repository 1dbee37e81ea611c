"""What the accuracies of tags share."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.trees.tree_metric import ShareMetric
from wordorder.segments import Segments
from wordorder.treebank.column import NOTHING
from wordorder.types import Bool, Float64


class TagAccuracy(ShareMetric):
    """The share of words that have the right tag, of those that have a gold tag."""

    column: str

    def right(self, segments: Segments) -> Bool:
        """Return which words have the right tag, bool[N]."""
        return self._compared(segments)[0]

    def weights(self, segments: Segments) -> Bool:
        """Return which words count and have a gold tag, bool[N]."""
        return self.counted(segments) & self._compared(segments)[1]

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 3]: words with the right tag, with a gold tag, and 1.

        Zeros for a sentence that has words and no gold tag.
        """
        found = super().statistics(segments)
        tagged = self._compared(segments)[1]
        offsets = segments.trees.offsets
        running = np.concatenate([np.zeros(1, np.int64), np.cumsum(tagged)])
        none = running[offsets[1:]] == running[offsets[:-1]]
        found[none & (np.diff(offsets) > 0)] = 0.0
        return found

    def _compared(self, segments: Segments) -> tuple[Bool, Bool]:
        """Return which words have the right tag, and which a gold one."""

        def compared() -> tuple[Bool, Bool]:
            system, gold, numbers = segments.trees.codes(self.column)
            return np.equal(system, gold), np.not_equal(gold, numbers.get(NOTHING, -1))

        return segments.derived(("right tags", self.column), compared)
