"""What a model has learned, as expected counts, and the probabilities that are made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.alignment.statistical.lexicon import Known, Lexicon
from wordorder.alignment.statistical.posteriors import Side
from wordorder.alignment.statistical.settings import Settings
from wordorder.types import Float64, Int32, Int64

# No probability is smaller, so that sums of products stay above 0.
LEAST = 1e-30
# How often every width of a jump counts as seen before any text.
JUMP_SMOOTHING = 0.5


@dataclass(frozen=True, eq=False)
class Counts:
    """The expected counts of one direction.

    Attributes
    ----------
    pairs : float64[E]
        How often a token of the pair came from its state, what is added before included.
    totals : float64[V]
        The sum of these over all pairs of the state's word, also those that are not kept.
    null : float64[V]
        How often each word came from the null word.
    jumps : float64[2 * WIDEST_JUMP + 1]
        How often each width was jumped.
    """

    pairs: Float64
    totals: Float64
    null: Float64
    jumps: Float64

    def take(self, pairs: Int64) -> Counts:
        """Return the counts of some of the pairs."""
        return Counts(self.pairs[pairs], self.totals, self.null, self.jumps)


def uniform(pairs: int, words: int, transposed: bool, settings: Settings) -> Side:
    """Return a direction before its first pass: every translation as probable as any other."""
    even = 1.0 / max(words, 1)
    return Side(transposed, np.full(pairs, even), np.full(words, even), None, settings.null_share)


def probabilities(
    lexicon: Lexicon,
    counts: Counts,
    known: Known,
    transposed: bool,
    settings: Settings,
    *,
    jumps: bool,
) -> Side:
    """Make the probabilities of a direction for the pairs of words of a text.

    With ``backing`` b, a count c(s, t) of the pair, the translations p(T|S) of the stems and a
    word's share p(t|T) of its stem, it is ``(c(s, t) + b p(T|S) p(t|T)) / (c(s) + b)``: the mean
    under a Dirichlet prior with the mean of the stems.
    """
    state, token = (known.target, known.source) if transposed else (known.source, known.target)
    pairs = np.where(known.pairs >= 0, _at(counts.pairs, known.pairs), known.prior)
    total = _at(counts.totals, known.words)[state]
    if settings.backing:
        pairs += settings.backing * _of_stems(lexicon, counts, known, transposed, state, token)
        total += settings.backing
    smoothed = counts.null + settings.smoothing
    null = _at(smoothed, known.words) / max(_sum(smoothed), LEAST)
    return Side(
        transposed,
        np.maximum(pairs / np.where(total > 0, total, 1.0), LEAST),
        np.maximum(null, LEAST),
        counts.jumps + JUMP_SMOOTHING if jumps else None,
        settings.null_share,
    )


def _of_stems(
    lexicon: Lexicon,
    counts: Counts,
    known: Known,
    transposed: bool,
    state: Int32,
    token: Int32,
) -> Float64:
    """Return how probable each pair of a text is by the stems of its words."""
    keys, group = lexicon.stem_pairs
    stems = len(lexicon.likeness.stems)
    by_group = np.bincount(group, weights=counts.pairs, minlength=len(keys))
    given = keys % stems if transposed else keys // stems
    totals = np.bincount(given, weights=by_group, minlength=stems)
    rates = by_group / np.where(totals > 0, totals, 1.0)[given]
    frequency = lexicon.source_frequency if transposed else lexicon.target_frequency
    stem_frequency = np.bincount(lexicon.likeness.stem, weights=frequency, minlength=stems)
    # A word that the training text has not counts as if it had stood there once.
    own = np.where(known.words >= 0, _at(frequency, known.words), 1)
    whole = _at(stem_frequency, known.stems) + (known.words < 0)
    share = own / np.maximum(whole, 1)
    return _at(rates, known.stem_pairs) * share[token]


def _at(values: Float64 | Int64, places: Int64) -> Float64:
    """Return the values at some places, 0 at place -1."""
    if not len(values):
        return np.zeros(len(places))
    return np.where(places >= 0, values[places], 0.0)


def _sum(values: Float64) -> float:
    """Add up in the order of the values, the same on any machine."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
