"""The rules that every link obeys, and what to say about one that does not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.errors import InputError
from wordorder.kernels import notations
from wordorder.kernels._run import run_rows
from wordorder.types import Array, Int32, Int64

# No sentence has as many words; an index from here on is a mistake in the data.
MAX_INDEX = 1 << 24


class LinkError(InputError):
    """A link that is out of range or listed twice.

    Parameters
    ----------
    row, link : int
        The sentence, and the link's number within it, each from 0.
    """

    def __init__(self, where: str, what: str, row: int, link: int) -> None:
        super().__init__(where, what)
        self.row = row
        self.link = link


def faulty_links(
    source: Int32,
    target: Int32,
    offsets: Int64,
    source_lengths: Int64 | None,
    target_lengths: Int64 | None,
) -> Int64:
    """Return the number of the first bad link of each row, -1 if there is none, int64[S].

    A link is bad if an end is negative, not below its sentence's length (2^24 if unknown), or if
    the same pair comes earlier in the row.

    Examples
    --------
    >>> ends = np.array([0, 1, 0], np.int32)
    >>> faulty_links(ends, ends, np.array([0, 2, 3]), None, None).tolist()
    [-1, -1]
    >>> faulty_links(ends, ends, np.array([0, 3]), None, None).tolist()
    [2]
    """
    rows = len(offsets) - 1
    endless = np.full(rows, MAX_INDEX, np.int64)
    faults = np.empty(rows, np.int64)

    def hash_table(longest: int) -> tuple[Int64]:
        return (np.full(1 << (2 * longest).bit_length(), -1, np.int64),)

    run_rows(
        notations.check_links,
        offsets,
        source,
        target,
        offsets,
        endless if source_lengths is None else source_lengths,
        endless if target_lengths is None else target_lengths,
        faults,
        scratch=hash_table,
    )
    return faults


def explain(
    name: str,
    source: int,
    target: int,
    source_length: int | None,
    target_length: int | None,
    *,
    one_based: bool = False,
    swapped: tuple[bool, str] = (False, ""),
) -> str:
    """Say what is wrong with the link `name`, whose ends are `source` and `target`, 0-based.

    `swapped` is what `swapped_sides.hint` says.

    Examples
    --------
    >>> explain("link 7-31", 7, 31, 12, 29)
    'link 7-31 points past the target (29 tokens). Are the files in step?'
    >>> explain("link 2-0", 2, 0, 2, 2)
    'link 2-0 points past the source (2 tokens). Are the files in step? If indices start at 1: \
--one-based'
    """
    if source < 0 or target < 0:
        return f"{name} has an index below {1 if one_based else 0}"
    for side, index, length in (
        ("source", source, source_length),
        ("target", target, target_length),
    ):
        if index >= MAX_INDEX:
            return f"{name} has an index above {MAX_INDEX - 1}"
        if length is not None and index >= length:
            tokens = "1 token" if length == 1 else f"{length} tokens"
            what = f"{name} points past the {side} ({tokens}). "
            sure, hint = swapped
            if sure:
                return what + hint
            what += "Are the files in step?"
            if index == length and not one_based:
                what += " If indices start at 1: --one-based"
            return f"{what}{'.' if hint and what[-1] != '?' else ''} {hint}".rstrip()
    return f"{name} is listed twice; expected each pair once, sure or possible"


def flat_array(name: str, array: Array, dtype: type[np.generic]) -> Array:
    """Check that `array` is flat and of the right type, and make it contiguous."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
        raise InputError("Alignments", f"bad {name}", f"a flat {np.dtype(dtype)} array")
    return np.ascontiguousarray(array)


def is_link(link: object) -> bool:
    """Say whether `link` begins with two integers of 32 bits, as the flat arrays hold them.

    Examples
    --------
    >>> is_link((0, 7)), is_link([0, 7, True]), is_link((0,)), is_link("07")
    (True, True, False, False)
    """
    if not isinstance(link, (Sequence, np.ndarray)) or len(link) not in (2, 3):
        return False
    return all(
        isinstance(end, (int, np.integer))
        and not isinstance(end, bool)
        and -(2**31) <= int(end) < 2**31
        for end in link[:2]
    )
