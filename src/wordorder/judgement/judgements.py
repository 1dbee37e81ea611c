"""Judgements: what people said of the outputs of systems."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.types import Int32


@dataclass(frozen=True, eq=False)
class Judgements:
    """What people said of outputs, one row a judgement: `PairJudgements` or `Ratings`.

    `read_judgements` reads them from a file, whatever its form.

    Attributes
    ----------
    systems, raters, items : tuple of str
        The names that the numbers below refer to; an item is a segment. No raters if the file
        does not name them.
    item : int32[N]
    rater : int32[N]
        -1 where the file does not say who judged.
    """

    systems: tuple[str, ...]
    raters: tuple[str, ...]
    items: tuple[str, ...]
    item: Int32
    rater: Int32

    def __len__(self) -> int:
        return len(self.item)
