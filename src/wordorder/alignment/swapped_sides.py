"""Alignments whose links are target-source where source-target is expected."""

from __future__ import annotations

import numpy as np

from wordorder.counts import counted
from wordorder.types import Bool, Int32, Int64

# The notation that reads them.
REVERSED = "pharaoh-reversed"
# So many lines that fit only the other way round cannot be by chance.
_ENOUGH = 2
# For one line that fits only as it is given, so many that fit only the other way round.
_CLEARLY = 5
# And so large a share of all lines with links that fit the other way round.
_SHARE = 0.9


def hint(
    links: tuple[Int32, Int32, Int64],
    lengths: tuple[Int64 | None, Int64 | None],
    row: int,
    option: str,
) -> tuple[bool, str]:
    """Say that the sides look swapped, given that a link of a row is out of range.

    Parameters
    ----------
    links : source int32[L], target int32[L], offsets int64[S+1]
    lengths : source and target, int64[S] or None
    row : int
    option : str
        What reads the links the other way round; empty if nothing does.

    Returns
    -------
    sure : bool
        Whether several lines show it.
    words : str
        Empty if neither these lines nor the row show it.

    Examples
    --------
    >>> links = np.array([0, 3, 0, 2], np.int32), np.array([0, 1, 0, 1], np.int32)
    >>> lengths = np.array([2, 2]), np.array([4, 3])
    >>> hint((*links, np.array([0, 2, 4])), lengths, 0, "--format pharaoh-reversed")
    (True, 'The sides look swapped (2 of 2 lines fit only as target-source): \
--format pharaoh-reversed')
    """
    *ends, offsets = links
    last = [_last(end, offsets) for end in ends]
    here = _fit(last[0], last[1], lengths)
    there = _fit(last[1], last[0], lengths)
    linked = np.diff(offsets) > 0
    lines = int(np.count_nonzero(linked))
    only_here, only_there = (
        int(np.count_nonzero(x & ~y)) for x, y in ((here, there), (there, here))
    )
    what = option or "give source and target the other way round"
    if (
        only_there >= max(_ENOUGH, _CLEARLY * only_here)
        and int(np.count_nonzero(there & linked)) >= _SHARE * lines
    ):
        share = f"{only_there} of {counted(lines, 'line')} fit only as target-source"
        return True, f"The sides look swapped ({share}): {what}"
    if option and there[row] and only_there > only_here:
        return False, f"If the links are target-source: {what}"
    return False, ""


def _last(ends: Int32, offsets: Int64) -> Int64:
    """Return the largest end of each row, -1 where there is none, int64[S]."""
    largest = np.full(len(offsets) - 1, -1, np.int64)
    linked = np.diff(offsets) > 0
    if linked.any():
        largest[linked] = np.maximum.reduceat(ends, offsets[:-1][linked])
    return largest


def _fit(sources: Int64, targets: Int64, lengths: tuple[Int64 | None, Int64 | None]) -> Bool:
    """Return which rows have no end past its sentence, bool[S]."""
    fit = np.ones(len(sources), np.bool_)
    for ends, most in zip((sources, targets), lengths, strict=True):
        if most is not None:
            fit &= ends < most
    return fit
