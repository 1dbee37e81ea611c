"""The n-grams that each system gets right: how often in which sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.metrics.text.ngram_counts import clipped_matches
from wordorder.text.texts import Texts
from wordorder.types import Int32, Int64

# The longest n-grams, as in BLEU.
LONGEST = 4


@dataclass(frozen=True, eq=False)
class RightNgrams:
    """N-grams that some system gets right, G of them.

    A system gets an n-gram right as often as its output has it, but no oftener than the reference
    of the sentence that has it most often (the "modified precision" of BLEU).

    Attributes
    ----------
    words : int32[G, 4]
        The words of each n-gram; -1 behind a shorter one.
    segment_count : int
    keys : tuple of int64[E]
        For each system, ``n-gram * segment_count + segment`` wherever it gets one right; rising.
    counts : tuple of int32[E]
        How often.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat sat", "the the"], ["the cat", "the the cat"])
    >>> found = right_ngrams([texts])
    >>> found.lengths.tolist(), [found.text(number, texts) for number in range(4)]
    ([1, 1, 2, 2], ['the', 'cat', 'the the', 'the cat'])
    >>> found.keys[0].tolist(), found.counts[0].tolist()
    ([0, 1, 2, 5, 6], [1, 2, 1, 1, 1])
    """

    words: Int32
    segment_count: int
    keys: tuple[Int64, ...]
    counts: tuple[Int32, ...]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def lengths(self) -> Int64:
        """How many words each n-gram has, int64[G]."""
        lengths: Int64 = np.count_nonzero(self.words >= 0, axis=1)
        return lengths

    def totals(self, system: int) -> Int64:
        """Return how often a system gets each n-gram right, int64[G]."""
        ngrams = self.keys[system] // max(self.segment_count, 1)
        # Sums of whole numbers are exact.
        return np.bincount(ngrams, self.counts[system], len(self)).astype(np.int64)

    def text(self, ngram: int, texts: Texts) -> str:
        """Return the words of an n-gram with blanks between them."""
        return " ".join(texts.vocabulary.words[n] for n in self.words[ngram].tolist() if n >= 0)


def right_ngrams(systems: Sequence[Texts], order: int = LONGEST) -> RightNgrams:
    """Find the n-grams of 1 .. `order` words that each system gets right.

    Parameters
    ----------
    systems : sequence of Texts
        With the same references and vocabulary.
    order : int
        1 to 4.
    """
    segments = len(systems[0])
    matched = [clipped_matches(texts, order) for texts in systems]
    words = []
    keys: list[list[Int64]] = [[] for _ in systems]
    counts: list[list[Int32]] = [[] for _ in systems]
    known = 0
    for n in range(1, order + 1):
        places = [np.flatnonzero(each[n - 1]) for each in matched]
        rows = [
            texts.hypothesis.values[at[:, np.newaxis] + np.arange(n)]
            for texts, at in zip(systems, places, strict=True)
        ]
        distinct, numbers = _numbered(np.concatenate(rows), len(systems[0].vocabulary))
        words.append(np.pad(distinct, ((0, 0), (0, LONGEST - n)), constant_values=-1))
        parts = np.split(numbers + known, np.cumsum([len(at) for at in places])[:-1])
        for system, (texts, at) in enumerate(zip(systems, places, strict=True)):
            owners = np.searchsorted(texts.hypothesis.offsets, at, side="right") - 1
            keys[system].append(parts[system] * segments + owners)
            counts[system].append(matched[system][n - 1][at])
        known += len(distinct)
    joined = [np.concatenate(each) for each in keys]
    sorting = [np.argsort(each) for each in joined]
    return RightNgrams(
        np.concatenate(words),
        segments,
        tuple(each[at] for each, at in zip(joined, sorting, strict=True)),
        tuple(np.concatenate(each)[at] for each, at in zip(counts, sorting, strict=True)),
    )


def _numbered(rows: Int32, vocabulary: int) -> tuple[Int32, Int64]:
    """Return the distinct rows, and for each row which of them it is."""
    codes = rows[:, 0].astype(np.int64)
    size = vocabulary
    for column in rows.T[1:]:
        if size * vocabulary >= 1 << 62:
            distinct, codes = np.unique(codes, return_inverse=True)
            size = len(distinct)
        codes = codes * vocabulary + column
        size *= vocabulary
    _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    return rows[first], numbers
