"""Saying before the work that a sentence pair is so long that it is slow."""

from __future__ import annotations

import numpy as np

from wordorder.alignment.statistical.parallel_text import ParallelText
from wordorder.notes import note

# What a cell costs with jumps, where it costs 1 without, in sentences of a hundred words or more.
JUMP_WORK = 8
# About a second's work.
MUCH_WORK = 1 << 24


def note_long_pairs(text: ParallelText, *, passes: int, jump_passes: int, doing: str) -> None:
    """Name the first sentence pair that takes a second or more, if there is one.

    Parameters
    ----------
    text : ParallelText
    passes : int
        How often each pair is worked through.
    jump_passes : int
        In how many of these passes jumps count.
    doing : str
        What is about to begin.

    Warns
    -----
    WordOrderWarning
        With the lengths of the pair, and how many pairs are as long.
    """
    cost = passes + (JUMP_WORK - 1) * jump_passes
    long = np.flatnonzero(np.diff(text.cell_offsets) * cost > MUCH_WORK)
    if len(long):
        row = int(long[0])
        many = "" if len(long) == 1 else f" ({len(long)} pairs are as long)"
        note(
            f"sentence pair {row + 1}: {text.source.lengths[row]} and {text.target.lengths[row]} "
            f"words; {doing} may take a second or more for such a pair, more with the product of "
            f"both lengths{many}"
        )
