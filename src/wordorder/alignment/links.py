"""Links: the word alignments that segments come with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.types import Int64


@dataclass(frozen=True, eq=False)
class Links:
    """Word alignments of S segments with R references.

    Attributes
    ----------
    hypothesis : Alignments
        S rows: from source to hypothesis, or a system's alignments that are judged themselves.
    references : Alignments or None
        R rows: from source to each reference, or the gold alignments.
    source_lengths, hypothesis_lengths : int64[S] or None
    reference_lengths : int64[R] or None
        Words of the sentences, where known.
    gold : bool
        Whether `references` are gold alignments of the very sentence pairs that `hypothesis` links.
    """

    hypothesis: Alignments
    references: Alignments | None
    source_lengths: Int64 | None = None
    hypothesis_lengths: Int64 | None = None
    reference_lengths: Int64 | None = None
    gold: bool = False

    def part(self, rows: slice, reference_rows: slice) -> Links:
        """Return some of the segments, with their references."""
        return Links(
            self.hypothesis[rows],
            None if self.references is None else self.references[reference_rows],
            None if self.source_lengths is None else self.source_lengths[rows],
            None if self.hypothesis_lengths is None else self.hypothesis_lengths[rows],
            None if self.reference_lengths is None else self.reference_lengths[reference_rows],
            self.gold,
        )

    @classmethod
    def concatenate(cls, parts: list[Links]) -> Links:
        """Put the links of several parts one behind the other."""
        references = [part.references for part in parts if part.references is not None]

        def joined(name: str) -> Int64 | None:
            columns = [getattr(part, name) for part in parts]
            return None if any(c is None for c in columns) else np.concatenate(columns)

        return cls(
            Alignments.concatenate([part.hypothesis for part in parts]),
            Alignments.concatenate(references) if len(references) == len(parts) else None,
            joined("source_lengths"),
            joined("hypothesis_lengths"),
            joined("reference_lengths"),
            any(part.gold for part in parts),
        )
