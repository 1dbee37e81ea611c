"""The words of each segment numbered among themselves."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.ragged import Ragged
from wordorder.types import Int32


@dataclass(frozen=True, eq=False)
class LocalTexts:
    """The words of each segment numbered among themselves.

    Attributes
    ----------
    hypothesis, references : Ragged
        Numbers from 0 in order of first occurrence in the hypothesis, then in the references of
        the segment; two words of a segment have one number exactly if they are equal.
    distinct : int32[S]
        How many distinct words each segment has.
    """

    hypothesis: Ragged
    references: Ragged
    distinct: Int32
