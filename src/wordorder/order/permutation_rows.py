"""Rows that are permutations."""

from __future__ import annotations

import numpy as np

from wordorder.errors import InputError
from wordorder.kernels._run import call, piece_spans, run_pieces
from wordorder.kernels.parse_orders import check_distinct
from wordorder.ragged import Ragged


def check_permutations(rows: Ragged) -> None:
    """Raise an InputError unless every row holds each of ``0 .. n-1`` once; it names the entry.

    Examples
    --------
    >>> check_permutations(Ragged.from_rows([[1, 0], []]))
    """
    if _are_permutations(rows):
        return
    lengths = np.repeat(rows.lengths, rows.lengths)
    starts = np.repeat(rows.offsets[:-1], rows.lengths)
    values = rows.values
    bad = (values < 0) | (values >= lengths)
    if not bad.any():
        places = starts + values
        first = np.zeros(len(values), np.int64)
        # Written from the last to the first, so that the first of two equal entries stays.
        first[places[::-1]] = np.arange(len(values))[::-1]
        bad = first[places] != np.arange(len(values))
    if bad.any():
        at = int(np.argmax(bad))
        row = int(np.searchsorted(rows.offsets, at, side="right")) - 1
        raise InputError(
            f"row {row + 1}, entry {at - int(rows.offsets[row]) + 1}",
            f"{int(values[at])} in a row of {int(lengths[at])}",
            "each of 0 .. n-1 once, n being the length of the row",
        )


def _are_permutations(rows: Ragged) -> bool:
    """Whether every row holds each of ``0 .. n-1`` once, without saying where one does not."""
    pieces = [rows[first:last] for first, last in piece_spans(rows.offsets)]
    return all(run_pieces(_is_piece_of_permutations, pieces))


def _is_piece_of_permutations(rows: Ragged) -> bool:
    """Whether every row of a piece that fits into the cache is a permutation."""
    lengths = rows.lengths
    full = lengths > 0
    if not full.any():
        return True
    # Seen as unsigned, a negative number is beyond every length.
    largest = np.maximum.reduceat(rows.values.view(np.uint32), rows.offsets[:-1][full])
    if np.any(largest >= lengths[full]):
        return False
    state = np.zeros(1, np.int64)
    seen = np.zeros(int(lengths.max()), np.int32)
    call(check_distinct, rows.values, rows.offsets, state, 0, len(rows), seen)
    return int(state[0]) < 0
