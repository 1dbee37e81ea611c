"""What a notation of word alignments must offer, and which notations there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from wordorder.alignment.alignments import Alignments


@dataclass(frozen=True)
class Parsed:
    """What a notation found in a block of lines: the columns of `Alignments`, unchecked.

    Parameters
    ----------
    source, target : int32[L]
        The numbers as they stand in the text.
    possible : bool[L] or None
        None where the notation has no possible links.
    offsets : int64[S+1]
        Row by row.
    target_lengths : int64[S] or None
        None where the notation does not tell.
    bad : int
        Where the first token that does not fit stands in the block, or -1.
    """

    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    possible: npt.NDArray[np.bool_] | None
    offsets: npt.NDArray[np.int64]
    target_lengths: npt.NDArray[np.int64] | None
    bad: int


class Format(Protocol):
    """A notation with one line per sentence pair."""

    name: str
    # Whether the text holds target indices too (they then count from 1 where source indices do).
    target_indices: bool
    # What stands between two tokens, what one link looks like in a line that is right, and what
    # messages call a link and expect of a token.
    separators: bytes
    link: re.Pattern[bytes]
    noun: str
    expected: str

    def parse(self, data: npt.NDArray[np.uint8], lines: int) -> Parsed:
        """Read a block of whole lines."""
        ...

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write each row as a line without its end.

        Raises
        ------
        InputError
            If the notation cannot say what a row holds.
        """
        ...
