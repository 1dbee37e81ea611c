"""N-grams that one system gets right and another does not, with a test of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.analysis.translations.right_ngrams import RightNgrams
from wordorder.ragged import Ragged
from wordorder.statistics.agreement.sign_test import sign_test
from wordorder.statistics.multiple_comparisons import holm
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int32, Int64

# With fewer sentences that differ no sign test can reach .05: 2 / 2**5 = .0625.
FEWEST = 6
# What compare-mt adds to both counts.
ALPHA = 1.0
SHOWN = 5


@dataclass(frozen=True, eq=False)
class NgramDifferences:
    """N-grams that two systems get right in different sentences: D of them, most significant first.

    Attributes
    ----------
    ngrams : int64[D]
        Numbers in the `RightNgrams` that they come from.
    first, second : int64[D]
        How often either system gets each right.
    first_more, second_more : int64[D]
        In how many sentences either gets it right more often than the other.
    p_values : float64[D]
        Of the exact two-sided sign test over these sentences: were both systems equally likely to
        be the one that is right more often, so large a difference would come with this probability.
    corrected : float64[D]
        The same after Holm's correction for all n-grams that are tested: those with at least six
        such sentences. NaN for the others, which could not be significant. Which n-grams are
        tested does not depend on which of the two systems is better at them.
    salience : float64[D]
        The figure of compare-mt: ``(first + 1) / (first + second + 2)``.
    """

    ngrams: Int64
    first: Int64
    second: Int64
    first_more: Int64
    second_more: Int64
    p_values: Float64
    corrected: Float64
    salience: Float64

    def __len__(self) -> int:
        return len(self.ngrams)

    @property
    def tested(self) -> int:
        """How many n-grams are tested."""
        return int(np.count_nonzero(~np.isnan(self.corrected)))


def ngram_differences(right: RightNgrams, first: int, second: int) -> NgramDifferences:
    """Compare two systems on each n-gram.

    Parameters
    ----------
    right : RightNgrams
    first, second : int
        Numbers of systems.

    Returns
    -------
    NgramDifferences
        Of all n-grams that one of the two gets right more often in some sentence. Sorted by
        p-value, then by how much oftener one is right, then by number.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> from wordorder.analysis.translations.right_ngrams import right_ngrams
    >>> found = translations_of(
    ...     {"A": ["we saw him"] * 7 + ["him we met"], "B": ["we met her"] * 8},
    ...     ["we met him"] * 8, metrics="cder")
    >>> right = right_ngrams([system.texts for system in found.systems])
    >>> compared = ngram_differences(right, 0, 1)
    >>> [right.text(number, found.texts) for number in compared.ngrams.tolist()]
    ['him', 'met', 'we met']
    >>> compared.first_more.tolist(), compared.second_more.tolist(), compared.tested
    ([8, 0, 0], [0, 7, 7], 3)
    >>> compared.p_values.tolist(), compared.corrected.tolist()
    ([0.0078125, 0.015625, 0.015625], [0.0234375, 0.03125, 0.03125])
    """
    size, segments = len(right), right.segment_count
    keys, change = _differences(right, first, second)
    ngrams = keys // max(segments, 1)
    first_more = np.bincount(ngrams[change > 0], minlength=size)
    second_more = np.bincount(ngrams[change < 0], minlength=size)
    different = np.flatnonzero(first_more + second_more)
    more, less = first_more[different], second_more[different]
    p_values = _p_values(more, less)
    corrected = holm(np.where(more + less >= FEWEST, p_values, np.nan))
    ours, theirs = right.totals(first)[different], right.totals(second)[different]
    order = np.lexsort((different, -np.abs(ours - theirs), p_values))
    ours, theirs = ours[order], theirs[order]
    return NgramDifferences(
        different[order],
        ours,
        theirs,
        more[order],
        less[order],
        p_values[order],
        corrected[order],
        salience(ours, theirs),
    )


def salience(first: Int64, second: Int64, alpha: float = ALPHA) -> Float64:
    """Return by what share of both counts the first is the larger one, as compare-mt smooths it.

    Examples
    --------
    >>> salience(np.array([3, 0]), np.array([0, 0])).tolist()
    [0.8, 0.5]
    """
    shares: Float64 = (first + alpha) / (first + second + 2 * alpha)
    return shares


def examples_of(
    right: RightNgrams, first: int, second: int, ngrams: Int64
) -> tuple[tuple[int, ...], ...]:
    """Return for each n-gram sentences in which only one of two systems gets it right.

    Those of the system that does so in more sentences come first.
    """
    keys, change = _differences(right, first, second)
    segments = right.segment_count
    found = []
    starts = np.searchsorted(keys, ngrams * segments).tolist()
    stops = np.searchsorted(keys, (ngrams + 1) * segments).tolist()
    for start, stop in zip(starts, stops, strict=True):
        changes = change[start:stop]
        better = np.sign(np.sign(changes).sum()) or 1
        order = np.argsort(-better * changes, kind="stable")[:SHOWN]
        found.append(tuple((keys[start:stop][order] % segments).tolist()))
    return tuple(found)


def occurrences(right: RightNgrams, texts: Texts, ngrams: Int64) -> Int64:
    """Count how often the references have each n-gram, int64; of several, that which has it most.

    Examples
    --------
    >>> from wordorder.analysis.translations.right_ngrams import right_ngrams
    >>> texts = Texts.from_segments(["the cat"], [["the cat saw the cat", "the cat"]])
    >>> found = right_ngrams([texts])
    >>> occurrences(found, texts, np.arange(len(found))).tolist()
    [2, 2, 2]
    """
    counts = np.zeros(len(ngrams), np.int64)
    for number, ngram in enumerate(ngrams.tolist()):
        words = right.words[ngram][right.words[ngram] >= 0]
        begins = ngram_places(texts.references, words)
        row_of = np.searchsorted(texts.references.offsets, begins, side="right") - 1
        rows, times = np.unique(row_of, return_counts=True)
        most = np.zeros(len(texts), np.int64)
        np.maximum.at(most, texts.segment_of[rows], times)
        counts[number] = most.sum()
    return counts


def ngram_places(rows: Ragged, words: Int32) -> Int64:
    """Return where in ``rows.values`` an n-gram begins that is within a row.

    Examples
    --------
    >>> rows = Ragged.from_rows([[1, 2, 1], [2, 1, 2]])
    >>> ngram_places(rows, np.array([1, 2], np.int32)).tolist()
    [0, 4]
    """
    values = rows.values
    begins = np.flatnonzero(values[: max(len(values) - len(words) + 1, 0)] == words[0])
    for place, word in enumerate(words[1:].tolist(), 1):
        begins = begins[values[begins + place] == word]
    ends = np.searchsorted(rows.offsets, begins, side="right")
    inside: Int64 = begins[begins + len(words) <= rows.offsets[ends]]
    return inside


def _differences(right: RightNgrams, first: int, second: int) -> tuple[Int64, Int32]:
    """Return where two systems differ, and how much oftener the first is right there."""
    keys = np.concatenate([right.keys[first], right.keys[second]])
    change = np.concatenate([right.counts[first], -right.counts[second]])
    order = np.argsort(keys, kind="stable")
    keys, change = keys[order], change[order]
    # No key is there more than twice.
    same = np.flatnonzero(keys[1:] == keys[:-1])
    change[same] += change[same + 1]
    change[same + 1] = 0
    used = np.flatnonzero(change)
    return keys[used], change[used]


def _p_values(more: Int64, less: Int64) -> Float64:
    """Return the two-sided p-values of sign tests, each distinct one computed once."""
    high, low = np.maximum(more, less), np.minimum(more, less)
    pairs, numbers = np.unique(np.stack([high, low]), axis=1, return_inverse=True)
    values = np.array([min(1.0, 2 * sign_test(*pair)) for pair in pairs.T.tolist()], np.float64)
    return values[numbers.reshape(-1)]
