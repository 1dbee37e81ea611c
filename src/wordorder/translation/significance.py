"""Leaving out phrase pairs that meet no more often than by chance (Johnson et al. 2007)."""

from __future__ import annotations

import math

import numpy as np

from wordorder.errors import UsageError
from wordorder.kernels import phrase_significance as kernel
from wordorder.kernels._run import call, run_rows
from wordorder.ragged import Ragged
from wordorder.translation.extraction import PhrasePairs
from wordorder.translation.ngrams import Ngrams
from wordorder.types import Float64, Int32, Int64

# Limits by what Johnson et al. call them: the p-value of phrases that occur once, and together, is
# one over the sentence pairs; it and all above is left out, or just all above.
ONCE, MORE_THAN_ONCE = "a+e", "a-e"
_ROUNDING = 1e-6


def significant(pairs: PhrasePairs, source: Ragged, target: Ragged, limit: float | str) -> Int64:
    """Return the numbers of the phrase pairs that meet more often than by chance.

    Parameters
    ----------
    pairs : PhrasePairs
        Of the sentences.
    source, target : Ragged
        The sentences.
    limit : float, "a+e" or "a-e"
        A pair is kept if the p-value of Fisher's exact test, one-sided, is at most so high; with
        ``a+e`` if it is lower than that of two phrases that occur once, in one sentence pair;
        with ``a-e`` if it is not higher than that.

    Returns
    -------
    int64, sorted
    """
    logarithms = log_p_values(pairs, source, target)
    once = -math.log(max(1, len(source)))
    if limit == ONCE:
        return np.flatnonzero(logarithms < once - _ROUNDING)
    if limit == MORE_THAN_ONCE:
        return np.flatnonzero(logarithms <= once + _ROUNDING)
    return np.flatnonzero(logarithms <= math.log(float(limit)))


def log_p_values(pairs: PhrasePairs, source: Ragged, target: Ragged) -> Float64:
    """Return the logarithms of the p-values of Fisher's exact test of phrase pairs.

    Of the sentence pairs, some have the source phrase, some the target phrase and some both, no
    matter how often and how they are linked; the p-value is the probability that as many or more
    have both by chance.
    """
    grams = pairs.source_ngrams, pairs.target_ngrams
    rows = [_sentences(ngrams, side) for ngrams, side in zip(grams, (source, target), strict=True)]
    sizes = np.arange(len(pairs) + 1)
    meetings = np.empty(len(pairs), np.int64)
    lists = (rows[0].values, rows[0].offsets, rows[1].values, rows[1].offsets)
    run_rows(kernel.count_meetings, sizes, *lists, pairs.source, pairs.target, meetings)
    counts = [
        each.lengths[numbers]
        for each, numbers in zip(rows, (pairs.source, pairs.target), strict=True)
    ]
    factorials = np.zeros(len(source) + 1, np.float64)
    call(kernel.add_logarithms, factorials, 1, len(factorials))
    found = np.empty(len(pairs), np.float64)
    arguments = (factorials, len(source), *counts, meetings, found)
    run_rows(kernel.log_probabilities, sizes, *arguments)
    return found


def _sentences(ngrams: Ngrams, sentences: Ragged) -> Ragged:
    """Return the sentences that each word sequence occurs in, each sentence once."""
    row = np.repeat(np.arange(len(sentences), dtype=np.int32), sentences.lengths)
    longest = len(ngrams.numbers) // max(1, len(row))
    rows = np.tile(row, longest)
    order = np.lexsort((rows, ngrams.numbers))
    numbers, rows = ngrams.numbers[order], rows[order]
    new = (np.diff(numbers, prepend=-1) != 0) | (np.diff(rows, prepend=-1) != 0)
    # 0 is the empty sequence, of places where the sentence ends before.
    new &= numbers > 0
    offsets = np.searchsorted(numbers[new], np.arange(len(ngrams.parents) + 1))
    values: Int32 = rows[new]
    return Ragged(values, offsets.astype(np.int64))


def checked_limit(limit: object) -> float | str | None:
    """Return a limit for `significant`, or None; a number may be written as text.

    Raises
    ------
    UsageError
        If it is nothing of that kind.

    Examples
    --------
    >>> checked_limit("1e-5"), checked_limit("a-e")
    (1e-05, 'a-e')
    """
    if limit is None or limit in (ONCE, MORE_THAN_ONCE):
        return limit if limit is None else str(limit)
    try:
        number = math.nan if isinstance(limit, bool) else float(limit)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < 1:
        raise UsageError(
            f"prune is a p-value between 0 and 1, {ONCE} or {MORE_THAN_ONCE}; not {limit!r}"
        )
    return number
