"""How probable each link is under a model, and the links that follow."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from wordorder.alignment.statistical.parallel_text import Block
from wordorder.kernels import hmm, ibm1, word_pairs
from wordorder.kernels._run import call, run_pieces, run_rows
from wordorder.types import Float64, Int32

# Wider jumps share one weight.
WIDEST_JUMP = 100
# The cells of a piece of work: jumps are summed by piece, so the cuts must not depend on threads.
PIECE_CELLS = 1 << 17


@dataclass(frozen=True, eq=False)
class Side:
    """One direction of a model, for the pairs of words of one text.

    Attributes
    ----------
    transposed : bool
        False: source words are states and target words tokens; True: the other way round.
    translation : float64[E]
        The probability of the token's word given the state's, by pair.
    null_translation : float64[V]
        That of a word given the null word.
    jumps : float64[2 * WIDEST_JUMP + 1] or None
        The weight of each width; None for Model 1.
    null_share : float
        How probable the null word is.
    """

    transposed: bool
    translation: Float64
    null_translation: Float64
    jumps: Float64 | None
    null_share: float


@dataclass(frozen=True, eq=False)
class Posteriors:
    """What a direction says of a block.

    Attributes
    ----------
    cells : float64
        The probability of each link.
    null : float64
        That of the null word, by token.
    jumps : float64[2 * WIDEST_JUMP + 1]
        How often each width is expected; zeros for Model 1.
    """

    cells: Float64
    null: Float64
    jumps: Float64


def posteriors(block: Block, side: Side) -> Posteriors:
    """Sum over all alignments of each sentence pair of a block."""
    states, tokens = block.source, block.target
    if side.transposed:
        states, tokens = tokens, states
    cells = np.empty(len(block.pair))
    null = np.empty(len(tokens.values))
    arrays = (
        states.offsets,
        tokens.offsets,
        block.cell_offsets,
        int(side.transposed),
        block.pair,
        side.translation,
        tokens.values,
        side.null_translation,
        side.null_share,
        cells,
        null,
    )
    if side.jumps is None:
        run_rows(ibm1.ibm1_posteriors, block.cell_offsets, *arrays)
        return Posteriors(cells, null, np.zeros(2 * WIDEST_JUMP + 1))
    spans = _spans(block)
    counts = np.zeros((len(spans), 2 * WIDEST_JUMP + 1))
    room = [
        int(lengths.max(initial=0))
        for lengths in (states.lengths, tokens.lengths, np.diff(block.cell_offsets))
    ]

    def work(piece: int) -> None:
        chain = call(hmm.Chain, *room, WIDEST_JUMP)
        call(hmm.hmm_posteriors, chain, *arrays, side.jumps, counts[piece], *spans[piece])

    run_pieces(work, range(len(spans)))
    # Piece by piece: a sum in another order could differ in its last digit.
    total = np.zeros(2 * WIDEST_JUMP + 1)
    for row in counts:
        total += row
    return Posteriors(cells, null, total)


def best_states(block: Block, transposed: bool, posteriors: Posteriors) -> Int32:
    """Return for each token its most probable state, int32; -1 for the null word."""
    states, tokens = block.source, block.target
    if transposed:
        states, tokens = tokens, states
    best = np.empty(len(tokens.values), np.int32)
    run_rows(
        word_pairs.best_states,
        block.cell_offsets,
        states.offsets,
        tokens.offsets,
        block.cell_offsets,
        int(transposed),
        posteriors.cells,
        posteriors.null,
        best,
    )
    return best


def _spans(block: Block) -> list[tuple[int, int]]:
    """Cut the rows of a block into pieces of like work."""
    offsets = block.cell_offsets
    targets = np.linspace(0, int(offsets[-1]), int(offsets[-1]) // PIECE_CELLS + 2)[1:-1]
    cuts = [0, *np.searchsorted(offsets, targets).tolist(), len(offsets) - 1]
    return [(first, last) for first, last in pairwise(cuts) if first < last]
