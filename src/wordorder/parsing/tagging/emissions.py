"""Emissions of TnT: how likely each tag is to give a word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.parsing.tagging.suffixes import SuffixModel
from wordorder.parsing.tagging.tnt_counts import TnTCounts
from wordorder.parsing.tagging.transitions import log_scores
from wordorder.types import Bool, Int32, Int64

# What the suffix of a known word weighs beside its own tags, if these are not all: one occurrence.
OPEN_COUNT = 1.0


class Emissions:
    """Scores of words given tags.

    Parameters
    ----------
    counts : TnTCounts
    known_words : {"seen", "open"}
        Whether a known word may only have the tags that it was seen with.
    """

    def __init__(self, counts: TnTCounts, known_words: str) -> None:
        self._counts = counts
        self._open = known_words == "open"
        self._number = {word: number for number, word in enumerate(counts.words)}
        self._suffixes = SuffixModel(counts)

    def of(self, words: Sequence[str]) -> tuple[Int64, Int32, Int32]:
        """Return the tags that each word may have, and their scores.

        Returns
        -------
        start : int64[W+1]
            The tags of word ``w`` are ``start[w] .. start[w+1]-1`` of the next two.
        tag : int32 array
        score : int32 array
            The logarithm of ``P(w|t)``, for unknown words that of ``P(t|w) / P(t)``, which
            differs from it by a number that depends on the word alone.
        """
        counts = self._counts
        totals = counts.tag_counts()[:-1]
        number = np.array([self._number.get(word, -1) for word in words], np.int64)
        known = np.flatnonzero(number >= 0)
        begins = counts.word_start[number[known]]
        sizes = counts.word_start[number[known] + 1] - begins
        row = np.repeat(known, sizes)
        place = np.arange(len(row)) + np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
        tag, count = counts.word_tag[place], counts.word_count[place]
        if self._open:
            guessed = np.arange(len(words))
            share = self._suffixes.probabilities(words)
            frequency = np.bincount(row, count, len(words))[known, None]
            share[row, tag] += count / OPEN_COUNT
            # P(t|w) P(w) / P(t), where P(w) is c(w) / N.
            share[known] *= frequency / (frequency / OPEN_COUNT + 1) / totals.sum()
            row, tag, count = row[:0], tag[:0], count[:0]
        else:
            guessed = np.flatnonzero(number < 0)
            share = self._suffixes.probabilities([words[place] for place in guessed.tolist()])
        share *= totals.sum() / totals
        guess, guess_tag = np.nonzero(share > 0)
        rows = np.concatenate([row, guessed[guess]])
        tags = np.concatenate([tag, guess_tag.astype(np.int32)])
        chances = np.concatenate([count / totals[tag], share[guess, guess_tag]])
        order = np.lexsort((tags, rows))
        start = np.append(0, np.cumsum(np.bincount(rows, minlength=len(words))))
        return start, tags[order], log_scores(chances[order])


def restricted(
    emissions: tuple[Int64, Int32, Int32], word: Int64, kind: Int64, allowed: Bool
) -> tuple[Int64, Int32, Int32]:
    """Return the emissions of words that may only have some tags.

    Parameters
    ----------
    emissions : (start, tag, score)
        As `Emissions.of` returns them.
    word, kind : int64[W]
        Which of their words each word is, and its kind.
    allowed : bool[K, T]
        The tags that each kind may have. A word that gives none of them gives all of them alike.

    Examples
    --------
    >>> one = np.array([0, 2]), np.array([0, 1], np.int32), np.array([-5, -7], np.int32)
    >>> allowed = np.array([[False, True, False], [False, False, True]])
    >>> restricted(one, np.array([0, 0]), np.array([0, 1]), allowed)[1:]
    (array([1, 2], dtype=int32), array([-7,  0], dtype=int32))
    """
    start, tag, score = emissions
    scores = np.zeros(allowed.shape[1], np.int32)
    tags: list[Int64] = []
    values: list[Int32] = []
    for place, row in zip(word.tolist(), kind.tolist(), strict=True):
        span = slice(int(start[place]), int(start[place + 1]))
        kept = tag[span][allowed[row][tag[span]]]
        scores[:] = 0
        scores[tag[span]] = score[span]
        tags.append(kept if len(kept) else np.flatnonzero(allowed[row]))
        values.append(scores[tags[-1]] if len(kept) else np.zeros(len(tags[-1]), np.int32))
    lengths = np.array([0, *map(len, tags)])
    return (
        np.cumsum(lengths),
        np.concatenate([np.zeros(0, np.int32), *tags]).astype(np.int32),
        np.concatenate([np.zeros(0, np.int32), *values]),
    )
