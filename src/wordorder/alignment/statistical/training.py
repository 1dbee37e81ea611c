"""Training: expectation maximisation over a parallel text."""

from __future__ import annotations

import numpy as np

from wordorder.alignment.statistical.counts import Counts, probabilities, uniform
from wordorder.alignment.statistical.lexicon import Known, Lexicon
from wordorder.alignment.statistical.parallel_text import Block, ParallelText
from wordorder.alignment.statistical.posteriors import WIDEST_JUMP, Posteriors, posteriors
from wordorder.alignment.statistical.settings import Settings
from wordorder.kernels import word_pairs
from wordorder.kernels._run import call
from wordorder.types import OnProgress

# Pairs that have been counted less are left out: most words that meet have nothing in common.
LEAST_COUNT = 1e-6


def train(
    text: ParallelText, settings: Settings, progress: OnProgress | None = None
) -> tuple[Lexicon, Counts, Counts]:
    """Train both directions of a model.

    Parameters
    ----------
    text : ParallelText
    settings : Settings
    progress : callable, optional
        Told how many sentence pairs have been worked through, all passes together.

    Returns
    -------
    lexicon : Lexicon
        With the pairs that count for something, sorted.
    forward, backward : Counts
    """
    lexicon = Lexicon.of_text(text)
    known = Known.itself(lexicon, text, settings)
    directions = (False, True)
    sides = [uniform(len(known.pairs), len(text.words), d, settings) for d in directions]
    passes = settings.warm_up + settings.iterations
    done = 0
    for number in range(1, passes + 1):
        sums = [_Sums(text, known, settings, d) for d in directions]
        for block in text.blocks():
            both = [posteriors(block, side) for side in sides]
            for own in sums:
                own.add(block, both)
            done += len(block.source)
            if progress is not None:
                progress(done)
        learned = [own.counts() for own in sums]
        jumps = settings.jumps and number >= settings.warm_up
        if number < passes:
            sides = [
                probabilities(lexicon, learned[d], known, d, settings, jumps=jumps)
                for d in directions
            ]
    return _kept(lexicon, learned[0], learned[1], settings)


class _Sums:
    """Adds up what one direction expects, block after block.

    Always in the order of the text, so that the number of threads does not change a digit.
    """

    def __init__(
        self, text: ParallelText, known: Known, settings: Settings, transposed: bool
    ) -> None:
        self._given = text.pair_target if transposed else text.pair_source
        self._agree = settings.agree
        self._transposed = transposed
        self._pairs = known.prior.copy()
        self._null = np.zeros(len(text.words))
        self._jumps = np.zeros(2 * WIDEST_JUMP + 1)

    def add(self, block: Block, both_sides: list[Posteriors]) -> None:
        """Add the posteriors of both directions on a block, as far as they concern this one."""
        own = both_sides[self._transposed]
        if self._agree:
            both = (both_sides[0].cells, both_sides[1].cells)
            call(word_pairs.add_products, block.pair, *both, self._pairs, 0, len(block.pair))
        else:
            call(word_pairs.add_weights, block.pair, own.cells, self._pairs, 0, len(block.pair))
        tokens = (block.source if self._transposed else block.target).values
        call(word_pairs.add_weights, tokens, own.null, self._null, 0, len(tokens))
        self._jumps += own.jumps

    def counts(self) -> Counts:
        """Return the sums."""
        size = len(self._null)
        totals = np.bincount(self._given, weights=self._pairs, minlength=size).astype(np.float64)
        return Counts(self._pairs, totals, self._null, self._jumps)


def _kept(
    lexicon: Lexicon, forward: Counts, backward: Counts, settings: Settings
) -> tuple[Lexicon, Counts, Counts]:
    """Leave out the pairs that count no more than any other, and sort the rest."""
    most = np.maximum(forward.pairs, backward.pairs)
    kept = np.flatnonzero(most > settings.smoothing + LEAST_COUNT)
    kept = kept[np.lexsort((lexicon.pair_target[kept], lexicon.pair_source[kept]))]
    return lexicon.take(kept), forward.take(kept), backward.take(kept)
