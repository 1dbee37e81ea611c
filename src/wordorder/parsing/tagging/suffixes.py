"""SuffixModel: the tags of unknown words by how they end and whether they begin with a capital."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from wordorder.parsing.tagging.tnt_counts import TnTCounts
from wordorder.types import Float64

# Words that occur more often say nothing of unknown ones; longer endings nothing more.
MOST_COUNT = 10
LONGEST = 10


class SuffixModel:
    """Tag probabilities by suffix, smoothed by successive abstraction (Brants 2000, section 2.3).

    Parameters
    ----------
    counts : TnTCounts

    Attributes
    ----------
    prior : float64[n]
        The share of each tag.
    theta : float
        The weight of the shorter suffix: the standard deviation of the shares.
    """

    def __init__(self, counts: TnTCounts) -> None:
        number = counts.tag_counts()[:-1]
        total = int(number.sum())
        self.prior = number / total
        # In whole numbers up to the root: the same everywhere.
        tags = len(number)
        squares = sum(count * count for count in number.tolist())
        spread = (tags * squares - total * total) / (tags * max(tags - 1, 1))
        self.theta = math.sqrt(spread) / total
        word = np.repeat(np.arange(len(counts.words)), np.diff(counts.word_start))
        totals = np.zeros(len(counts.words), np.int64)
        np.add.at(totals, word, counts.word_count)
        rare = totals <= MOST_COUNT
        rare[[not name for name in counts.words]] = False
        # A suffix, behind a 1 where the word begins with a capital, and its number.
        self._numbers: dict[str, int] = {}
        nodes = np.full((len(counts.words), LONGEST), -1, np.int64)
        for place in np.flatnonzero(rare).tolist():
            for length, suffix in enumerate(_suffixes(counts.words[place])):
                nodes[place, length] = self._numbers.setdefault(suffix, len(self._numbers))
        kept = np.flatnonzero(rare[word])
        node = nodes[word[kept]]
        codes = (node * tags + counts.word_tag[kept, None])[node >= 0]
        times = np.broadcast_to(counts.word_count[kept, None], node.shape)[node >= 0]
        different, places = np.unique(codes, return_inverse=True)
        self._count = np.zeros(len(different), np.int64)
        np.add.at(self._count, places, times)
        owner, self._tag = np.divmod(different, tags)
        self._start = np.append(0, np.cumsum(np.bincount(owner, minlength=len(self._numbers))))

    def probabilities(self, words: Sequence[str]) -> Float64:
        """Return the probability of each tag for each word, float64[W, n].

        Notes
        -----
        From the share of the tag in all text on, each longer suffix ``s`` that occurs gives
        ``P(t|s) = (c(s, t) / c(s) + theta P(t|s')) / (1 + theta)``, with ``s'`` the one before.
        """
        found = np.tile(self.prior, (len(words), 1))
        nodes = np.full((LONGEST, len(words)), -1, np.int64)
        for place, word in enumerate(words):
            for length, suffix in enumerate(_suffixes(word)):
                number = self._numbers.get(suffix)
                if number is None:
                    break
                nodes[length, place] = number
        for level in nodes:
            rows = np.flatnonzero(level >= 0)
            if not len(rows):
                break
            node = level[rows]
            sizes = self._start[node + 1] - self._start[node]
            row = np.repeat(np.arange(len(rows)), sizes)
            places = np.arange(len(row)) + np.repeat(
                self._start[node] - (np.cumsum(sizes) - sizes), sizes
            )
            seen = np.zeros((len(rows), len(self.prior)))
            seen[row, self._tag[places]] = self._count[places]
            seen /= seen.sum(axis=1, keepdims=True)
            found[rows] = (seen + self.theta * found[rows]) / (1 + self.theta)
        return found


def _suffixes(word: str) -> list[str]:
    """Return the keys of a word's suffixes, the shortest first."""
    mark = "1" if word[:1].isupper() else "0"
    return [mark + word[-length:] for length in range(1, min(len(word), LONGEST) + 1)]
