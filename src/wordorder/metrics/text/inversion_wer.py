"""Inversion word error rate: edits, and exchanges of neighbouring blocks."""

from __future__ import annotations

import numpy as np

from wordorder.errors import UsageError
from wordorder.kernels import inversion_distance as kernel
from wordorder.kernels._run import run_rows
from wordorder.metrics.options import real, whole
from wordorder.metrics.text.error_rate import ErrorRate
from wordorder.notes import note
from wordorder.segments import Segments
from wordorder.text.texts import Texts
from wordorder.types import Float64

# What an edit costs in the kernel, which computes with whole numbers.
EDIT = 1000
LONGEST = 50
# The chart of so many words takes half a gigabyte.
LONGEST_OF_ALL = 100
DEAREST = 1000.0
# Pairs of spans that are as much work as a word is for other kernels.
PAIRS = 1000


class InversionWordErrorRate(ErrorRate):
    """Edit distance with block exchanges over the length of the reference.

    Hypothesis and reference are cut into pairs of blocks, in order or crosswise, down to single
    words that are edited; each crosswise cut costs as much as an edit (Leusch, Ueffing and Ney
    2003). What an inversion transduction grammar cannot express, is edited.

    Parameters
    ----------
    inversion_cost : float, default 1.0
        What an exchange costs: from 0, with at most three decimals.
    max_words : int, default 50
        Pairs with a longer sentence are not compared, since the time grows with the sixth power.
        A segment without any other reference is left out and counted, with a warning.
    ref_len : "best" or "average"
        As `ErrorRate`.

    Raises
    ------
    UsageError
        If a value is unknown or out of range.

    Examples
    --------
    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> InversionWordErrorRate().segment_scores(segments).round(4)
    array([0.1667])
    """

    name = "inversion-wer"
    # Some sentences take it a second: whoever wants it asks for it by name.
    slow = True

    def __init__(
        self, *, inversion_cost: float = 1.0, max_words: int = LONGEST, ref_len: str = "best"
    ) -> None:
        super().__init__(ref_len=ref_len)
        self.inversion_cost = _checked_cost(inversion_cost)
        self.max_words = _checked_length(max_words)

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the cost of an exchange and the longest sentence."""
        return (("inversion_cost", f"{self.inversion_cost:g}"), ("max_words", str(self.max_words)))

    def distances(self, segments: Segments) -> Float64:
        """Return the distances, float64[R]; infinite where a sentence is too long.

        Warns
        -----
        WordOrderWarning
            If some are.
        """
        texts = segments.texts
        found = inversion_distances(
            texts, inversion_cost=self.inversion_cost, max_words=self.max_words
        )
        too_long = np.isinf(found)
        if too_long.any():
            used = np.zeros(len(texts), np.int64)
            np.add.at(used, texts.segment_of, ~too_long)
            left_out = int(np.count_nonzero((used == 0) & (np.diff(texts.reference_offsets) > 0)))
            note(
                f"inversion-wer: {int(too_long.sum())} of {len(found)} references are not "
                f"compared, because they or the hypothesis have more than "
                f"max_words={self.max_words} words; {left_out} segments are left out"
            )
        return found


def inversion_distances(
    texts: Texts, *, inversion_cost: float = 1.0, max_words: int = LONGEST
) -> Float64:
    """Return the inversion distance to each reference.

    The least of the edit distance and, over all ways to cut both sentences in two, of the sum of
    the distances of the two pairs of parts, with `inversion_cost` on top if the front of one goes
    with the back of the other.

    Parameters
    ----------
    texts : Texts
    inversion_cost : float
        From 0, with at most three decimals.
    max_words : int
        At most 100.

    Returns
    -------
    float64[R]
        Infinite where one of the two sentences has more than `max_words` words.

    Raises
    ------
    UsageError
        If `inversion_cost` or `max_words` is out of range.

    Notes
    -----
    Time: third power of both lengths at worst, and second power where exchanges cannot pay.
    Memory: six bytes times the squares of both lengths.

    Examples
    --------
    Two exchanges side by side; one inside the other; an order that exchanges cannot make.

    >>> texts = Texts.from_segments(["a b c d"], [["b a d c", "d c a b", "b d a c"]])
    >>> inversion_distances(texts)
    array([2., 2., 3.])
    """
    exchange = round(_checked_cost(inversion_cost) * EDIT)
    most = _checked_length(max_words)
    local = texts.local()
    found = np.empty(len(local.references), np.int32)
    lengths = np.diff(texts.token_offsets)
    longest = int(lengths.max(initial=0))
    places = min((longest + 2) ** 2 // 4, (most + 1) ** 2)
    work = np.minimum(lengths, 2 * most).astype(np.float64) ** 4 / 16 / PAIRS
    run_rows(
        kernel.inversion_distances,
        np.concatenate([np.zeros(1), np.cumsum(work + lengths)]).astype(np.int64),
        local.hypothesis.values,
        local.hypothesis.offsets,
        local.references.values,
        local.references.offsets,
        texts.reference_offsets,
        EDIT,
        exchange,
        most,
        found,
        scratch=lambda _: (
            np.empty(7 * (longest + 2), np.int32),
            np.empty(places, np.int32),
            np.empty(places**2, np.int32),
            np.empty(places**2 // 2 + 2, np.int32),
        ),
    )
    return np.where(found < 0, np.inf, found / EDIT)


def _checked_cost(cost: float) -> float:
    checked = real("inversion-wer.inversion_cost", cost, 0, DEAREST)
    if round(checked * EDIT, 6) % 1:
        raise UsageError(f"inversion-wer.inversion_cost has at most three decimals, not {cost!r}")
    return checked


def _checked_length(words: int) -> int:
    return whole("inversion-wer.max_words", words, 1, LONGEST_OF_ALL)
