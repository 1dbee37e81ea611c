"""Likeness of words: what their letters say before any sentence pair has been seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.types import Bool, Float64, Int32

# Words that begin alike are taken for forms of one word.
STEM_LETTERS = 4
# One ideograph says as much as a few letters.
IDEOGRAPHS = (("\u3400", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff"))


@dataclass(frozen=True, eq=False)
class Likeness:
    """Groups of words by number.

    Attributes
    ----------
    folded : int32[V]
        Equal for words that differ in case alone.
    stem : int32[V]
        Equal for words that begin alike.
    long : bool[V]
        Whether a common stem makes two words of different languages look related.
    stems : dict of str to int
        The stems by their text.
    """

    folded: Int32
    stem: Int32
    long: Bool
    stems: dict[str, int]

    @classmethod
    def of_words(cls, words: Sequence[str], spelled: bool) -> Likeness:
        """Group words by their letters; without meaningful ones, each word is alone.

        Examples
        --------
        >>> likeness = Likeness.of_words(["Parliament", "parlement", "parliament", "le"], True)
        >>> likeness.folded.tolist(), likeness.stem.tolist(), likeness.long.tolist()
        ([0, 1, 0, 2], [0, 0, 0, 1], [True, True, True, False])
        """
        folded_numbers: dict[str, int] = {}
        stems: dict[str, int] = {}
        folded = np.empty(len(words), np.int32)
        stem = np.empty(len(words), np.int32)
        long = np.zeros(len(words), np.bool_)
        for number, word in enumerate(words):
            form = word.casefold() if spelled else word
            beginning = _stem(form) if spelled else word
            folded[number] = folded_numbers.setdefault(form, len(folded_numbers))
            stem[number] = stems.setdefault(beginning, len(stems))
            long[number] = spelled and len(beginning) >= STEM_LETTERS
        return cls(folded, stem, long, stems)

    def prior(self, source: Int32, target: Int32, identical: float, cognate: float) -> Prior:
        """Return how often pairs of words count as seen together because they look alike.

        Parameters
        ----------
        source, target : int32[E]
            The words of each pair.
        identical, cognate : float
            For words that differ in case at most, and for others that begin alike.

        Returns
        -------
        float64[E]
        """
        same = self.folded[source] == self.folded[target]
        alike = (self.stem[source] == self.stem[target]) & self.long[source] & self.long[target]
        return np.where(same, identical, np.where(alike, cognate, 0.0))


Prior = Float64


def _stem(form: str) -> str:
    """Return the first letters of a folded word, or its first ideograph.

    Examples
    --------
    >>> _stem("houses"), _stem("海洋"), _stem("の")
    ('hous', '海', 'の')
    """
    ideograph = any(low <= form[:1] <= high for low, high in IDEOGRAPHS)
    return form[:1] if ideograph else form[:STEM_LETTERS]
