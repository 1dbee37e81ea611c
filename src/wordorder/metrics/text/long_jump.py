"""Long jump distance: edits and jumps, every word covered once."""

from __future__ import annotations

import numpy as np

from wordorder.kernels import edit_distance
from wordorder.kernels import long_jump as kernel
from wordorder.kernels._run import run_rows
from wordorder.metrics.options import whole
from wordorder.metrics.text.error_rate import ErrorRate
from wordorder.metrics.text.pairs import Pairs
from wordorder.notes import note
from wordorder.segments import Segments
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int64

LIMIT = 20_000
# Years of search.
HIGHEST_LIMIT = 10**15
# The relaxed bound is left away above so many pairs of places in the two sentences.
MOST_PLACES = 1 << 18
SLOTS = 1 << 16
# The kernel works some ten times as long on a word as others do.
WEIGHT = 8


class LongJump(ErrorRate):
    """Long jump distance over the length of the reference.

    The fewest edits and jumps with which a reader covers the hypothesis completely, each word
    once, while he writes the reference. A jump to any other place costs as much as an edit (Leusch,
    Ueffing and Ney 2006, section 2.2).

    Parameters
    ----------
    limit : int, default 20000
        How many states the search of one pair of sentences may look at. Where that does not
        prove a distance, the smallest one that is known to be possible counts, and a warning tells
        for how many references.
    ref_len : "best" or "average"
        As `ErrorRate`.

    Raises
    ------
    UsageError
        If a value is unknown, of another kind or negative.

    Notes
    -----
    The distance is NP-hard. Most pairs are decided by a bound that takes a few edit distances;
    `long_jump_bounds` tells which are not.

    Examples
    --------
    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> LongJump().segment_scores(segments)
    array([0.5])
    """

    name = "long-jump"
    # Some sentences take a tenth of a second: whoever wants it asks for it by name.
    slow = True

    def __init__(self, *, limit: int = LIMIT, ref_len: str = "best") -> None:
        super().__init__(ref_len=ref_len)
        self.limit = checked_limit(limit)

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the limit, without which some distances could be smaller."""
        return (("limit", str(self.limit)),)

    def distances(self, segments: Segments) -> Float64:
        """Return the smallest distances that are known to be possible, float64[R].

        Warns
        -----
        WordOrderWarning
            If some are not proven to be the smallest.
        """
        lower, upper = long_jump_bounds(segments.texts, limit=self.limit)
        unproven = int(np.count_nonzero(lower < upper))
        if unproven:
            note(
                f"long-jump: {unproven} of {len(upper)} distances are not proven within "
                f"limit={self.limit}; the smallest ones found count"
            )
        return upper.astype(np.float64)


def long_jump_bounds(texts: Texts, *, limit: int = LIMIT) -> tuple[Int64, Int64]:
    """Return what is proven about the long jump distance to each reference.

    Parameters
    ----------
    texts : Texts
    limit : int
        How many states the search of one pair may look at; 0 does without any search.

    Returns
    -------
    lower, upper : int64[R]
        The distance is one of ``lower .. upper``; where the two are equal, it is that. Both depend
        on `limit` and on nothing else.

    Raises
    ------
    UsageError
        If `limit` is not a whole number from 0 to 10**15.

    Notes
    -----
    The lower bound lets the words of the shorter sentence be covered any number of times, at prices
    that are adjusted until this does not pay (Lagrangian relaxation), which is never below the CDER
    distance in that direction; a search refutes the distances above it one after the other. Pairs
    with more than 64 words on both sides are not searched. Those with more than about 500 lie
    between the words that are missing or too many and the edit distance.

    Examples
    --------
    >>> texts = Texts.from_segments(["a b c d e"], [["d e a b c", "e d c b a"]])
    >>> [bound.tolist() for bound in long_jump_bounds(texts)]
    [[3, 4], [3, 4]]
    """
    limit = checked_limit(limit)
    local = texts.local()
    lower = np.empty(len(local.references), np.int32)
    # Whoever never jumps pays the edit distance.
    edits = Pairs.of(texts, local=True).bit_parallel(edit_distance.levenshtein_distances)
    upper = edits.astype(np.int32)
    longest = int(np.diff(texts.token_offsets).max(initial=0))
    run_rows(
        kernel.long_jump_distances,
        texts.token_offsets * WEIGHT,
        local.hypothesis.values,
        local.hypothesis.offsets,
        local.references.values,
        local.references.offsets,
        texts.reference_offsets,
        limit,
        lower,
        upper,
        scratch=lambda _: (
            np.empty(7 * (longest + 2), np.int32),
            np.empty(min((longest + 2) ** 2 // 4, MOST_PLACES), np.int32),
            np.empty(SLOTS, np.uint64),
            np.zeros(2 * SLOTS, np.int64),
        ),
    )
    return lower.astype(np.int64), upper.astype(np.int64)


def checked_limit(limit: int) -> int:
    """Return a limit of the search, if it is one."""
    return whole("long-jump.limit", limit, 0, HIGHEST_LIMIT)
