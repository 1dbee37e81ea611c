"""TranslatedSystem: the translations of one system, matched with their references and scored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordorder.alignment.monolingual.matches import Matches
from wordorder.metrics.contract import left_out
from wordorder.metrics.text.cover_path import CoverPaths, cover_paths
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.text.texts import Texts
from wordorder.types import Bool, Float64, Int64


@dataclass(frozen=True, eq=False)
class TranslatedSystem:
    """One system whose translations are looked at.

    Attributes
    ----------
    name : str
        What tables call it.
    texts : Texts
        S translations. All systems of an analysis share references, source and vocabulary.
    rows : int64[S]
        The row of ``texts.references`` that each translation is compared with wherever one
        reference is wanted: that of the lowest CDER, the first of them; -1 without a reference.
    matches : Matches
        Which words of the translation are which of the reference, one row a reference (R rows).
    segments : Segments
        What the metrics read: the texts, and orders and links where there are some.
    statistics : tuple of float64[S, k]
        One a metric.
    scores : tuple of float64[S]
        One a metric; NaN for a segment that the metric leaves out.
    """

    name: str
    texts: Texts
    rows: Int64
    matches: Matches
    segments: Segments
    statistics: tuple[Float64, ...]
    scores: tuple[Float64, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def compared(self) -> Bool:
        """Whether each segment has a reference, bool[S]."""
        return self.rows >= 0

    @cached_property
    def references(self) -> Ragged:
        """The reference that each translation is compared with, S rows; empty without one."""
        references = self.texts.references
        if self.compared.all():
            return references.take(self.rows)
        empty = Ragged(np.zeros(0, np.int32), np.zeros(2, np.int64))
        rows = np.where(self.compared, self.rows, len(references))
        return Ragged.concatenate([references, empty]).take(rows)

    @cached_property
    def paths(self) -> CoverPaths:
        """The cheapest path of each translation that has a reference; traced once."""
        return cover_paths(self.texts, self.rows[self.compared])

    def left_out(self, metric: int) -> Bool:
        """Return which segments a metric leaves out, by its number, bool[S]."""
        return left_out(self.statistics[metric])
