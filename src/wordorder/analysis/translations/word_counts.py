"""Word counts: how many words of each kind are right, missing and added."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.analysis.translations.word_outcomes import WordOutcomes
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Words of K kinds, counted in the references and in the output of one system.

    Attributes
    ----------
    reference, output : int64[K]
        Words of the references, and of the output.
    found : int64[K]
        Reference words that are matched.
    right : int64[K]
        Output words that are matched. The same number where each match is of one word with one.
    misplaced : int64[K]
        Matched reference words beside the end of a chunk.

    Examples
    --------
    >>> counts = WordCounts(*(np.array([n]) for n in (4, 5, 2, 3, 1)))
    >>> counts.missing.tolist(), counts.added.tolist()
    ([2], [2])
    >>> counts.recall.tolist(), counts.precision.tolist(), counts.f1.round(4).tolist()
    ([0.5], [0.6], [0.5455])
    """

    reference: Int64
    output: Int64
    found: Int64
    right: Int64
    misplaced: Int64

    @property
    def missing(self) -> Int64:
        """Reference words without a match, int64[K]."""
        return self.reference - self.found

    @property
    def added(self) -> Int64:
        """Output words without a match, int64[K]."""
        return self.output - self.right

    @property
    def recall(self) -> Float64:
        """The share of the reference words that are matched, float64[K]; 0 of none."""
        return _share(self.found, self.reference)

    @property
    def precision(self) -> Float64:
        """The share of the output words that are matched, float64[K]; 0 of none."""
        return _share(self.right, self.output)

    @property
    def f1(self) -> Float64:
        """The harmonic mean of precision and recall, float64[K]; 0 where both are 0."""
        both = self.precision + self.recall
        product = 2 * self.precision * self.recall
        return np.divide(product, both, out=np.zeros(len(both)), where=both > 0)

    def first(self, kinds: int) -> WordCounts:
        """Return the counts of the first so many kinds."""
        return WordCounts(
            self.reference[:kinds],
            self.output[:kinds],
            self.found[:kinds],
            self.right[:kinds],
            self.misplaced[:kinds],
        )


def word_counts(outcomes: WordOutcomes, kinds: Int64, output_kinds: Int64, size: int) -> WordCounts:
    """Count the words of each kind.

    Parameters
    ----------
    outcomes : WordOutcomes
    kinds : int64[M]
        The kind of each reference word.
    output_kinds : int64[N]
        The kind of each output word by itself. It counts for added words; a matched one is of
        the kind of the reference word that it is matched with.
    size : int
        How many kinds there are.

    Examples
    --------
    >>> from wordorder.alignment.monolingual import MonolingualAligner
    >>> from wordorder.analysis.translations.word_outcomes import word_outcomes
    >>> from wordorder.text.texts import Texts
    >>> texts = Texts.from_segments(["the dog sat"], ["the old dog lay down"])
    >>> outcomes = word_outcomes(texts, np.array([0]), MonolingualAligner().align(texts))
    >>> lengths = np.array([len(word) for word in texts.vocabulary.words])
    >>> found = word_counts(outcomes, lengths[outcomes.words], lengths[outcomes.output_words], 5)
    >>> found.reference.tolist(), found.output.tolist(), found.missing.tolist()
    ([0, 0, 0, 4, 1], [0, 0, 0, 3, 0], [0, 0, 0, 2, 1])
    """
    added = outcomes.added
    counted = np.where(added, output_kinds, kinds[outcomes.partners] if len(kinds) else 0)
    return WordCounts(
        reference=np.bincount(kinds, minlength=size),
        output=np.bincount(counted, minlength=size),
        found=np.bincount(kinds[outcomes.matched], minlength=size),
        right=np.bincount(counted[~added], minlength=size),
        misplaced=np.bincount(kinds[outcomes.misplaced], minlength=size),
    )


def _share(part: Int64, whole: Int64) -> Float64:
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
