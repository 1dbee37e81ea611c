"""An analysis: the systems that it is about, their scores, its answer and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from wordorder.analysis.answer import ScoreIntervals
from wordorder.analysis.grid import Grid
from wordorder.analysis.section import Section
from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError, unknown_name
from wordorder.metrics.contract import BaseMetric
from wordorder.scoring.by_length import LengthScores, scores_by_length
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import Comparison


class Analysed(Protocol):
    """The systems of an analysis, N of them, with the scores of their S sentences.

    Implemented by `AnalysedOrders` for orders of source words and by `Translations`.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""

    @property
    def metrics(self) -> tuple[BaseMetric, ...]:
        """The metrics of the scores; tables of single sentences show the first."""

    @property
    def unit(self) -> str:
        """The noun for a sentence in counts: "sentence" or "segment"."""

    @property
    def language(self) -> str:
        """The language of the references, ``""`` if it plays no part."""

    @property
    def reference_lengths(self) -> Int64 | None:
        """The number of words of each reference, int64[S], by which scores are grouped."""

    @property
    def marks_note(self) -> str:
        """A note that explains the marks in the texts of `sentence_columns`."""

    def __len__(self) -> int:
        """Return the number of sentences."""

    def system_scores(self, system: int, metric: int = 0) -> Float64:
        """Return the scores of a system, float64[S]; NaN for sentences that are left out."""

    def measurement(self, metric: int = 0) -> Measurement:
        """Return the statistics of all systems under a metric."""

    def segment_signature(self, metric: int = 0) -> str:
        """Return the signature of the scores of single sentences under a metric."""

    def sentence_lengths(self, system: int) -> Int64:
        """Return the length of each sentence, int64[S]: of equal scores, the longest is first."""

    def sentence_columns(self, system: int, sentences: Sequence[int]) -> dict[str, Any]:
        """Return the columns of a table of sentences: scores, lengths and marked texts."""

    def explain_points(self, sections: Sequence[Section]) -> str:
        """Explain what a point in the findings of these tables is."""


AnyAnalysed = TypeVar("AnyAnalysed", bound=Analysed, covariant=True)


@dataclass(frozen=True, eq=False)
class Analysis(Generic[AnyAnalysed]):
    """What `wordorder analyze` shows, as text, JSON, TSV and page.

    Attributes
    ----------
    analysed : AnalysedOrders or Translations
        The systems, their orders or texts, and the scores of their sentences.
    intervals : tuple of ScoreIntervals
        The corpus scores of the systems: one for each metric of `analysed`, the first being that
        of `answer`; then one for each further metric of `grid`.
    sections : tuple of Section
        The tables, in the order of the text.
    answer : str
        A sentence that names the best system, states whether that may be chance, and by how much
        it is better. A second sentence if the result depends on what is compared.
    comparisons : tuple of Comparison
        The tests of all pairs of systems, one for each metric of `analysed`; of orders none.
    grid : Grid, optional
        The systems as parsers × rule sets, in the order of `analysed`.
    notes : tuple of str
        What was left out or assumed, and the option that changes it.
    """

    analysed: AnyAnalysed
    intervals: tuple[ScoreIntervals, ...]
    sections: tuple[Section, ...]
    answer: str = ""
    comparisons: tuple[Comparison, ...] = ()
    grid: Grid | None = None
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.analysed.names

    @property
    def size(self) -> int:
        """The number of sentences."""
        return len(self.analysed)

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric of `analysed`, by the metric's name in tables."""
        intervals = self.intervals[: len(self.analysed.metrics)]
        return {scores.metric: scores.signature for scores in intervals}

    @property
    def signature(self) -> str:
        """The signature of the first metric."""
        return self.intervals[0].signature

    @property
    def higher_is_better(self) -> bool:
        """Whether higher scores are better under the first metric."""
        return self.intervals[0].higher_is_better

    @property
    def points(self) -> str:
        """What a point in the findings means."""
        return self.analysed.explain_points(self.sections)

    def scores(self, metric: int = 0) -> Float64:
        """Return the scores of all sentences under a metric, float64[N, S]; NaN if left out."""
        rows = [self.analysed.system_scores(n, metric) for n in range(len(self.names))]
        return np.reshape(rows, (len(rows), self.size))

    def scores_by_length(self) -> LengthScores | None:
        """Return the scores of sentences of similar lengths; None without lengths."""
        lengths = self.analysed.reference_lengths
        measured = map(self.analysed.measurement, range(len(self.analysed.metrics)))
        return None if lengths is None else scores_by_length(lengths, list(measured))


def named_systems(names: Sequence[str], known: Sequence[str]) -> tuple[int, ...]:
    """Return the indices of systems, given their names.

    Raises
    ------
    UsageError
        If a name is unknown or listed twice.
    """
    for name in names:
        if name not in known:
            raise unknown_name("system", name, known)
    if len(set(names)) < len(names):
        raise UsageError(f"a system is listed twice: {', '.join(names)}")
    return tuple(map(known.index, names))
