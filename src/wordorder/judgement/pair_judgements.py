"""Judgements of pairs: which of two outputs a rater found better."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.types import Int8, Int32


@dataclass(frozen=True, eq=False)
class PairJudgements:
    """Which of two systems was judged better, one row a judgement.

    A ranking of several outputs gives one row for each two of them, all with the same number in
    `ranking`. Systems that share an output are judged once: one of them stands for all in `first`
    and `second`, and `shared` names the others.

    Attributes
    ----------
    systems, raters, items : tuple of str
        The names that the numbers below refer to; an item is a segment.
    item, rater, first, second : int32[N]
    outcome : int8[N]
        1 if `first` was judged better, -1 if `second` was, 0 for a tie.
    ranking : int32[N]
        From 0; judgements with the same number come from one ranking.
    """

    systems: tuple[str, ...]
    raters: tuple[str, ...]
    items: tuple[str, ...]
    item: Int32
    rater: Int32
    first: Int32
    second: Int32
    outcome: Int8
    ranking: Int32

    def __len__(self) -> int:
        return len(self.outcome)
