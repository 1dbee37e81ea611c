"""Sentences that are too long for a learned order: cut into pieces that keep their order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wordorder.counts import counted
from wordorder.notes import note
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.reordering.precedence import projective
from wordorder.treebank.treebank import NO_MARGIN, Treebank
from wordorder.types import Int32, Int64

# The work on a sentence grows with the cube of its length, and the memory with the square: longer
# ones are cut, and their pieces keep their order. Both then grow with the words alone.
LONGEST = 512


def piece_offsets(offsets: Int64) -> Int64:
    """Cut rows into equal pieces of at most `LONGEST` words.

    Examples
    --------
    >>> piece_offsets(np.array([0, 3, 3, 1003])).tolist()
    [0, 3, 3, 503, 1003]
    """
    lengths = np.diff(offsets)
    if not np.any(lengths > LONGEST):
        return np.ascontiguousarray(offsets)
    found = [0]
    for start, length in zip(offsets[:-1].tolist(), lengths.tolist(), strict=True):
        pieces = max(1, -(-length // LONGEST))
        found += [start + length * k // pieces for k in range(1, pieces + 1)]
    return np.array(found, np.int64)


def cut(treebank: Treebank, *, trees: bool = True) -> Treebank:
    """Return the pieces of sentences as sentences; a word whose head is elsewhere is a root.

    Parameters
    ----------
    treebank : Treebank
        Returned as it is if no sentence is too long.
    trees : bool
        Whether the trees are read, and so must be trees.

    Raises
    ------
    InputError
        If a sentence is too long, and the heads of one make no tree; the message names it.

    Examples
    --------
    >>> long = Treebank.from_words([["a"] * 513], heads=[[0, *range(1, 513)]])
    >>> cut(long).lengths.tolist(), cut(long).heads[254:258].tolist()
    ([256, 257], [254, 255, 0, 1])
    """
    offsets = piece_offsets(treebank.offsets)
    if len(offsets) == len(treebank.offsets):
        return treebank
    if trees:
        # An error names a sentence, not a piece.
        projective(treebank)
    heads = local_heads(treebank, offsets)
    heads = np.where(treebank.heads < 0, treebank.heads, heads + 1).astype(np.int32)
    return Treebank(offsets, heads, treebank.columns, [NO_MARGIN] * (len(offsets) - 1))


def local_heads(treebank: Treebank, offsets: Int64) -> Int32:
    """Return where in its piece the head of each word is, from 0; -1 if it is not there."""
    lengths = np.diff(offsets)
    starts = np.repeat(offsets[:-1], lengths)
    ends = np.repeat(offsets[1:], lengths)
    sentence = np.repeat(treebank.offsets[:-1], treebank.lengths)
    heads = treebank.heads + sentence - 1
    inside = (treebank.heads > 0) & (heads >= starts) & (heads < ends)
    return np.where(inside, heads - starts, -1).astype(np.int32)


def joined(order: Int32, pieces: Int64, offsets: Int64) -> Orders:
    """Return the orders of sentences, given those of their pieces, which keep their order.

    Parameters
    ----------
    order : int32[N]
        Positions, counted from the beginning of each piece.
    pieces, offsets : int64
        Where the pieces and the sentences begin.

    Examples
    --------
    >>> joined(np.array([1, 0, 0], np.int32), np.array([0, 2, 3]), np.array([0, 3]))[0].positions
    (1, 0, 2)
    """
    if len(pieces) == len(offsets):
        return Orders(Ragged(order, offsets))
    shift = np.repeat(pieces[:-1], np.diff(pieces)) - np.repeat(offsets[:-1], np.diff(offsets))
    return Orders(Ragged((order + shift).astype(np.int32), offsets))


def in_pieces(
    orders: Callable[[Treebank], Orders], treebank: Treebank, *, trees: bool = True
) -> Orders:
    """Return the orders of sentences, of which long ones are ordered piece by piece.

    Raises
    ------
    InputError
        As `cut` and `orders`.
    """
    pieces = cut(treebank, trees=trees)
    return joined(orders(pieces).positions.values, pieces.offsets, treebank.offsets)


def note_long(lengths: Int64) -> None:
    """Say of the first sentence that is too long how it is ordered, and how many there are.

    Examples
    --------
    >>> from wordorder.notes import held_notes
    >>> with held_notes() as held:
    ...     note_long(np.array([512, 1998, 700]))
    >>> print(held[0])
    sentence 2: 1,998 words are ordered in 4 pieces of at most 512, which keep their order (so long:
    2 of 3 sentences; expected: one sentence per line)
    """
    long = np.flatnonzero(lengths > LONGEST)
    if not len(long):
        return
    words = int(lengths[long[0]])
    note(
        f"sentence {long[0] + 1}: {words:,} words are ordered in {-(-words // LONGEST)} pieces of "
        f"at most {LONGEST}, which keep their order (so long: {len(long):,} of "
        f"{counted(len(lengths), 'sentence')}; expected: one sentence per line)"
    )
