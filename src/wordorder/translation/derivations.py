"""What the search finds: which phrases, in which order, with which features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.translation.features import FEATURES
from wordorder.types import Float64, Int32, Int64


@dataclass(frozen=True, eq=False)
class Derivations:
    """Translations as rows of phrases, the best of each sentence first.

    Attributes
    ----------
    sentence : int64[C]
        The sentence that each translates, not falling. A sentence without words has none.
    offsets : int64[C+1]
        Where the phrases of each begin.
    entry : int64[]
        The entry of the phrase table that each phrase is; -1 for a source word that is copied.
    start, length : int32[]
        Its first word and its words in the source.
    features : float64[C, 15]
        As `wordorder.translation.features` names them, rounded to six decimals.
    scores : float64[C]
        The features, weighted and summed up one after the other.
    """

    sentence: Int64
    offsets: Int64
    entry: Int64
    start: Int32
    length: Int32
    features: Float64
    scores: Float64

    def __len__(self) -> int:
        return len(self.sentence)

    @classmethod
    def of(cls, parts: list[tuple[Int64, Int64, Float64, Int64, Int32, Int32]]) -> Derivations:
        """Put parts together as kernels write them, without scores."""
        longs, ints = np.zeros(0, np.int64), np.zeros(0, np.int32)
        parts = [(longs, longs, np.zeros((0, len(FEATURES))), longs, ints, ints), *parts]
        rows, begins, features, entry, start, length = (
            [part[column] for part in parts] for column in range(6)
        )
        shifts = np.cumsum([0, *map(len, entry)])
        begins = [begin + shift for begin, shift in zip(begins, shifts[:-1], strict=True)]
        return cls(
            np.concatenate(rows),
            np.append(np.concatenate(begins), shifts[-1]),
            np.concatenate(entry),
            np.concatenate(start),
            np.concatenate(length),
            np.concatenate(features),
            np.zeros(0),
        )

    def scored(self, weights: Float64) -> Derivations:
        """Return them with scores, those of a sentence in the order of their scores."""
        features = np.round(self.features, 6) + 0.0
        scores = np.zeros(len(self))
        # Feature by feature, so that equal translations have equal scores.
        for column, weight in zip(features.T, weights.tolist(), strict=True):
            scores += column * weight
        order = np.lexsort((-scores, self.sentence))
        counts = np.diff(self.offsets)[order]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        places = spread(self.offsets[:-1][order], counts)
        return Derivations(
            self.sentence,
            offsets,
            self.entry[places],
            self.start[places],
            self.length[places],
            features[order],
            scores[order],
        )


def spread(starts: Int64, counts: Int64) -> Int64:
    """Return ``starts[i], starts[i] + 1, …``, so many of each.

    Examples
    --------
    >>> spread(np.array([5, 0, 9]), np.array([2, 0, 1])).tolist()
    [5, 6, 9]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + counts, counts)
