"""Word charges: which words account for the edits and jumps of the cheapest CDER path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.metrics.text.cover_path import DELETION, INSERTION, JUMP, SUBSTITUTION, CoverPaths
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class WordCharges:
    """The part of CDER that each word is charged with.

    A substitution or an insertion is charged to the word of the reference, a deletion to that of
    the output. Half of a jump is charged to the reference word before it and half to the one
    behind it; at the beginning and the end of a sentence all of it to the only neighbour. So all
    words together are charged what the corpus lost, but for jumps and deletions of sentences whose
    reference has no words.

    Attributes
    ----------
    edits, jumps : float64[M]
        Of the words of the references, in the order of `WordOutcomes`.
    deletions : float64[N]
        Of the words of the outputs.

    Examples
    --------
    >>> from wordorder.metrics.text.cover_path import cover_paths
    >>> from wordorder.text.texts import Texts
    >>> texts = Texts.from_segments(
    ...     ["on monday night we saw him there"], ["we met him there on monday night"]
    ... )
    >>> found = word_charges(cover_paths(texts))
    >>> found.edits.tolist(), found.jumps.tolist()
    ([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 1.0])
    """

    edits: Float64
    jumps: Float64
    deletions: Float64

    @property
    def total(self) -> float:
        """The total charge of all words."""
        return float(self.edits.sum() + self.jumps.sum() + self.deletions.sum())


def word_charges(paths: CoverPaths) -> WordCharges:
    """Charge the steps of paths to words.

    Parameters
    ----------
    paths : CoverPaths
        With jumps in the hypothesis, one a translation that has a reference.
    """
    ours, theirs = paths.lengths
    rows = paths.path_of
    starts = np.cumsum(theirs) - theirs
    output_starts = np.cumsum(ours) - ours
    words, output_words = int(theirs.sum()), int(ours.sum())
    edited = (paths.operation == SUBSTITUTION) | (paths.operation == INSERTION)
    deleted = paths.operation == DELETION
    jump = np.flatnonzero((paths.operation == JUMP) & (theirs[rows] > 0))
    place, length = paths.reference[jump].astype(np.int64), theirs[rows[jump]]
    # The words before and behind a jump; at an end of the sentence both are its only neighbour.
    before = starts[rows[jump]] + np.maximum(place - 1, 0)
    behind = starts[rows[jump]] + np.minimum(place, length - 1)
    half = paths.cost[jump] / 2
    return WordCharges(
        _sums(starts[rows[edited]] + paths.reference[edited], paths.cost[edited], words),
        _sums(before, half, words) + _sums(behind, half, words),
        _sums(
            output_starts[rows[deleted]] + paths.hypothesis[deleted],
            paths.cost[deleted],
            output_words,
        ),
    )


def _sums(places: Int64, costs: Float64, size: int) -> Float64:
    """Add up the costs at each place."""
    return np.bincount(places, costs, size).astype(np.float64)
