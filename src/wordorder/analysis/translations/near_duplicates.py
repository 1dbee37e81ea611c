"""Near-duplicates: sentences that are almost equal, found without comparing all pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wordorder.kernels import edit_distance
from wordorder.metrics.text.pairs import Pairs
from wordorder.ragged import Ragged
from wordorder.types import Float64, Int64

# Word edits over the words of the longer sentence: up to here two sentences are almost the same.
THRESHOLD = 0.2
# Candidates that are looked at together.
PIECE = 1 << 20
# So many are looked at in all, or so many a sentence if that is more.
MOST, MOST_EACH = 1 << 20, 64


@dataclass(frozen=True, eq=False)
class NearDuplicates:
    """Sentences that are the same or almost the same.

    Attributes
    ----------
    same_as : int64[S]
        For each sentence the first one that is equal to it: itself, if there is none before.
    first, second : int64[P]
        Pairs of different sentences that are almost the same, each the first of its equals;
        ``first < second``, sorted.
    distances : float64[P]
        The edit distance of each pair in words, over the words of the longer sentence; above 0.
    looked_at : float
        The share of the candidates that are looked at: 1 unless there are too many.
    """

    same_as: Int64
    first: Int64
    second: Int64
    distances: Float64
    looked_at: float = 1.0

    def groups(self) -> Int64:
        """Return for each sentence the first one that it is linked with, int64[S].

        Sentences are linked if they are equal or almost the same, or if there are others between
        them that are.
        """
        lead = np.arange(len(self.same_as))
        first, second = self.first, self.second
        # Each round hands the smallest number to all neighbours and then along the chains.
        while True:
            smallest = np.minimum(lead[first], lead[second])
            changed = lead.copy()
            np.minimum.at(changed, first, smallest)
            np.minimum.at(changed, second, smallest)
            changed = changed[changed]
            if np.array_equal(changed, lead):
                return lead[self.same_as]
            lead = changed


def near_duplicates(rows: Ragged, numbers: int, *, threshold: float = THRESHOLD) -> NearDuplicates:
    """Find the sentences that are almost the same.

    Two sentences are almost the same if their edit distance in words (insertions, deletions,
    substitutions) is at most `threshold` times the words of the longer one. None is missed unless
    there are too many candidates, as the notes say.

    Parameters
    ----------
    rows : Ragged
        S sentences as word numbers.
    numbers : int
        Larger than all of them.
    threshold : float
        From 0 to below 1.

    Notes
    -----
    With d edits, a sentence of n words shares at least n - d words with the other. So if both list
    their words from the rarest on, their first ``floor(threshold * n) + 1`` have one in common
    (Chaudhuri, Ganti and Kaushik 2006, "prefix filter"). Only such pairs of fitting lengths are
    compared. How many there are depends on the text: for sentences of everyday length about as
    many as sentences. Where nearly all sentences have the same few words there are about as many as
    pairs. If they are more than 1,048,576 and more than 64 a sentence, each is compared only with
    those next to it in length, so that time grows with the sentences and not with their square.

    Examples
    --------
    >>> rows = Ragged.from_rows([[0, 1, 2, 3, 4], [5], [0, 1, 6, 3, 4], [5], [4, 3, 2, 1, 0]])
    >>> found = near_duplicates(rows, 7)
    >>> found.same_as.tolist(), found.first.tolist(), found.second.tolist()
    ([0, 1, 2, 1, 4], [0], [2])
    >>> found.distances.tolist(), found.groups().tolist()
    ([0.2], [0, 1, 0, 1, 4])
    """
    same_as = equal_rows(rows)
    distinct = np.flatnonzero(same_as == np.arange(len(rows)))
    kept = rows.take(distinct)
    lengths = kept.lengths
    found_first, found_second, found = [], [], []
    lists = _Candidates(kept, numbers, threshold)
    for first, second in lists:
        distances = word_distances(kept, kept, first, second, numbers)
        shares = distances / np.maximum(lengths[first], lengths[second])
        near = distances <= _edits(np.maximum(lengths[first], lengths[second]), threshold)
        found_first.append(first[near])
        found_second.append(second[near])
        found.append(shares[near])
    pairs = np.concatenate([np.zeros(0, np.int64), *found_first]) * max(len(kept), 1)
    pairs += np.concatenate([np.zeros(0, np.int64), *found_second])
    # Pairs with several rare words in common may be in several pieces.
    pairs, once = np.unique(pairs, return_index=True)
    first, second = np.divmod(pairs, max(len(kept), 1))
    shares = np.concatenate([np.zeros(0), *found])[once]
    return NearDuplicates(same_as, distinct[first], distinct[second], shares, lists.looked_at)


def equal_rows(rows: Ragged) -> Int64:
    """Return for each row the first one that is equal to it, int64[S].

    Examples
    --------
    >>> equal_rows(Ragged.from_rows([[1, 2], [], [1, 2], []])).tolist()
    [0, 1, 0, 1]
    """
    seen: dict[bytes, int] = {}
    return np.array([seen.setdefault(row.tobytes(), at) for at, row in enumerate(rows)], np.int64)


def word_distances(
    first_rows: Ragged, second_rows: Ragged, first: Int64, second: Int64, numbers: int
) -> Float64:
    """Return the edit distances in words of pairs of rows, float64[P].

    Examples
    --------
    >>> rows = Ragged.from_rows([[0, 1], [0], [2, 0]])
    >>> word_distances(rows, rows, np.array([0, 1]), np.array([2, 0]), 3).tolist()
    [2.0, 1.0]
    """
    order = np.argsort(first, kind="stable")
    offsets = np.searchsorted(first[order], np.arange(len(first_rows) + 1))
    pairs = Pairs(first_rows, second_rows, offsets.astype(np.int64), second[order], numbers)
    distances = np.empty(len(first))
    distances[order] = pairs.bit_parallel(edit_distance.levenshtein_distances)
    return distances


class _Candidates:
    """Pairs of rows that have a rare word in common and are about as long, in pieces."""

    def __init__(self, rows: Ragged, numbers: int, threshold: float) -> None:
        lengths = rows.lengths
        edits = _edits(lengths, threshold)
        row_of, tokens = _rarest_tokens(rows, numbers, edits + 1)
        keys = tokens * (int(lengths.max(initial=0)) + 1) + lengths[row_of]
        order = np.lexsort((row_of, keys))
        keys, self.row_of = keys[order], row_of[order]
        # Shorter ones with the same word, that lack no more words than there may be edits.
        start = np.searchsorted(keys, keys - edits[self.row_of])
        # Where there may not be a single edit, only equal rows would do.
        all_counts = np.where(edits[self.row_of] > 0, np.arange(len(keys)) - start, 0)
        self.size = len(rows)
        self.counts = _at_most(all_counts, max(MOST, MOST_EACH * self.size))
        every = int(all_counts.sum())
        self.looked_at = int(self.counts.sum()) / every if every else 1.0

    def __iter__(self) -> Iterator[tuple[Int64, Int64]]:
        ends = np.cumsum(self.counts)
        most = int(ends[-1]) if len(ends) else 0
        cuts = np.searchsorted(ends, np.arange(0, most + PIECE, PIECE), side="right")
        for begin, end in zip(cuts, np.append(cuts[1:], len(ends)), strict=True):
            taken = self.counts[begin:end]
            if not taken.any():
                continue
            one = np.repeat(self.row_of[begin:end], taken)
            inside = np.arange(len(one)) - np.repeat(np.cumsum(taken) - taken, taken)
            other = self.row_of[np.repeat(np.arange(begin, end) - taken, taken) + inside]
            pairs = np.unique(np.minimum(one, other) * self.size + np.maximum(one, other))
            yield np.divmod(pairs, self.size)


def _at_most(counts: Int64, most: int) -> Int64:
    """Cut all counts off at the same height, the largest at which they sum up to `most` at most.

    Examples
    --------
    >>> _at_most(np.array([0, 1, 5, 9]), 9).tolist()
    [0, 1, 4, 4]
    """
    low, high = 0, int(counts.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if np.minimum(counts, middle).sum() <= most else (low, middle - 1)
        )
    return np.minimum(counts, low)


def _edits(lengths: Int64, threshold: float) -> Int64:
    """Return how many edits two sentences may be apart if the longer one has so many words."""
    # A product such as .29 * 100 is a little below the whole number.
    edits: Int64 = np.floor(threshold * lengths + 1e-9).astype(np.int64)
    return edits


def _rarest_tokens(rows: Ragged, numbers: int, counts: Int64) -> tuple[Int64, Int64]:
    """Return the rarest words of each row, so many as `counts` says: rows and tokens.

    The second "the" of a sentence is another token than its first.
    """
    lengths = rows.lengths
    row_of = np.repeat(np.arange(len(rows)), lengths)
    words = row_of * numbers + rows.values
    order = np.argsort(words, kind="stable")
    ordered = words[order]
    begins = np.ones(len(ordered), np.bool_)
    begins[1:] = ordered[1:] != ordered[:-1]
    at = np.arange(len(ordered))
    times = at - np.maximum.accumulate(np.where(begins, at, 0))
    row_of, word = row_of[order], rows.values[order].astype(np.int64)
    _, tokens = np.unique(times * numbers + word, return_inverse=True)
    occurs = np.bincount(tokens)
    order = np.lexsort((tokens, occurs[tokens], row_of))
    place = np.arange(len(order)) - np.repeat(rows.offsets[:-1], lengths)
    kept = order[place < counts[row_of]]
    return row_of[kept], tokens[kept]
