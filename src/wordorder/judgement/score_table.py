"""Score table: the scores of systems on segments, from one metric or from people."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.drawing.svg import table_html
from wordorder.errors import InputError, UsageError, location
from wordorder.messages import counted, number
from wordorder.statistics.exact_means import exact_means, group_means, group_sums
from wordorder.statistics.measurement import Measurement
from wordorder.text.lines import REAL_NUMBER, read_lines, read_number
from wordorder.text.opening import Path, display_name
from wordorder.text.output import write_text

# The abbreviations of units of scores in file names of mt-metrics-eval.
LEVELS = {"seg": "segment", "doc": "document", "sys": "system"}

# A missing score in files.
MISSING = "None"


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of systems on segments.

    Attributes
    ----------
    name : str
        The metric, or the kind of human judgement.
    systems : tuple of str
        The n systems.
    segments : float64[n, S]
        NaN for segments that the metric leaves out, or that were not judged.
    whole : float64[n], optional
        The score of each system on the whole test set; by default, the mean of its segments.
    measurement : Measurement, optional
        The statistics that the scores are computed from, to resample corpus scores exactly.
    higher_is_better : bool
    documents : float64[n, D], optional
        The scores of documents, if they are not computed from those of segments.
    negated : bool
        Whether the scores were negated, since lower scores of the metric are better.

    Raises
    ------
    UsageError
        If the shapes do not agree, a system is listed twice or a score is infinite.

    Examples
    --------
    >>> table = ScoreTable("frs", ("A", "B"), np.array([[0.5, 1.0], [np.nan, 0.5]]))
    >>> table.system_scores().tolist()
    [0.75, 0.5]
    """

    name: str
    systems: tuple[str, ...]
    segments: Float64
    whole: Float64 | None = None
    measurement: Measurement | None = None
    higher_is_better: bool = True
    documents: Float64 | None = None
    negated: bool = False

    def __post_init__(self) -> None:
        if self.segments.ndim != 2 or len(self.segments) != len(self.systems):
            shape = self.segments.shape
            raise UsageError(f"{self.name}: scores of shape {shape}, {len(self.systems)} systems")
        if len(set(self.systems)) < len(self.systems):
            raise UsageError(f"{self.name}: a system is listed twice")
        if np.isinf(self.segments).any():
            raise UsageError(f"{self.name}: a score is infinite")
        if self.whole is not None and self.whole.shape != (len(self.systems),):
            raise UsageError(
                f"{self.name}: {self.whole.shape} scores for {len(self.systems)} systems"
            )

    @classmethod
    def of(
        cls,
        name: str,
        systems: Sequence[str],
        segments: int,
        *,
        by_segment: Mapping[str, Sequence[float]] = {},
        by_document: Mapping[str, Sequence[float]] = {},
        by_system: Mapping[str, float] = {},
    ) -> ScoreTable:
        """Build a table from scores by system; systems without scores get NaN.

        Parameters
        ----------
        name : str
        systems : sequence of str
        segments : int
            The number of segments.
        by_segment, by_document : mapping of system to scores
            One score per segment, or per document.
        by_system : mapping of system to score

        Examples
        --------
        >>> table = ScoreTable.of("mqm", ("A", "B"), 2, by_segment={"B": [-1.0, 0.0]})
        >>> table.segments.tolist()
        [[nan, nan], [-1.0, 0.0]]
        """

        def score_matrix(scores: Mapping[str, Sequence[float]], length: int) -> Float64:
            matrix = np.full((len(systems), length), np.nan)
            for row, system in enumerate(systems):
                if system in scores:
                    matrix[row] = scores[system]
            return matrix

        whole = documents = None
        if by_system:
            whole = np.array([by_system.get(system, np.nan) for system in systems], np.float64)
        if by_document:
            documents = score_matrix(by_document, len(next(iter(by_document.values()))))
        return cls(
            name, tuple(systems), score_matrix(by_segment, segments), whole, documents=documents
        )

    @classmethod
    def of_levels(
        cls,
        name: str,
        systems: Sequence[str],
        segments: int,
        levels: Mapping[str, Mapping[str, Sequence[float]]],
    ) -> ScoreTable:
        """Build a table from ``levels[unit][system]``; units are segment, document and system."""
        return cls.of(
            name,
            systems,
            segments,
            by_segment=levels.get("segment", {}),
            by_document=levels.get("document", {}),
            by_system={system: row[0] for system, row in levels.get("system", {}).items()},
        )

    def _repr_html_(self) -> str:
        """Show the score of each system in a notebook, and the number of its scored segments."""
        scored_counts = (~np.isnan(self.segments)).sum(axis=1)
        html_rows = [
            [system, "" if np.isnan(score) else number(score), str(segments)]
            for system, score, segments in zip(
                self.systems, self.system_scores(), scored_counts, strict=True
            )
        ]
        return table_html(self.name, ["system", "score", "segments"], html_rows)

    def system_scores(self) -> Float64:
        """Return the score of each system, float64[n]; NaN if it has no scores."""
        return self.whole if self.whole is not None else exact_means(self.segments)

    def document_scores(self, document_of: Int64) -> Float64:
        """Return the score of each system on each document, float64[n, D].

        They are `documents` if that is given. Otherwise they are computed from the summed
        statistics of the segments of a document; without statistics, they are the means of its
        scored segments.

        Parameters
        ----------
        document_of : int64[S]
            The index of the document of each segment.
        """
        if self.documents is not None:
            return self.documents
        shape = len(self.systems), int(document_of.max(initial=-1)) + 1
        cell_of_score = np.arange(shape[0])[:, None] * shape[1] + document_of
        has_score = ~np.isnan(self.segments)
        scores = group_means(
            self.segments[has_score], cell_of_score[has_score], shape[0] * shape[1]
        )
        if self.measurement is not None:
            columns = np.moveaxis(self.measurement.statistics, 2, 0)
            sums = [
                group_sums(column.ravel(), cell_of_score.ravel(), len(scores)) for column in columns
            ]
            has_document_score = ~np.isnan(scores)
            scores[has_document_score] = self.measurement.scores(
                np.stack(sums, axis=1)[has_document_score]
            )
        return scores.reshape(shape)

    def of_systems(self, systems: Sequence[str]) -> ScoreTable:
        """Return the table with only these systems, in this order.

        Raises
        ------
        UsageError
            If the table does not have one of them.
        """
        missing = [system for system in systems if system not in self.systems]
        if missing:
            raise UsageError(f"{self.name}: no scores of {missing[0]}")
        system_indices = [self.systems.index(system) for system in systems]
        measurement = (
            None if self.measurement is None else self.measurement.of_systems(system_indices)
        )
        return self._map_scores(
            lambda scores: scores[system_indices], systems=tuple(systems), measurement=measurement
        )

    def over(self, systems: Sequence[str]) -> ScoreTable:
        """Return the table with these systems, in this order; missing ones get NaN.

        `measurement` is kept only if no system is missing.

        Examples
        --------
        >>> table = ScoreTable("frs", ("A",), np.array([[0.5]]), np.array([0.5]))
        >>> table.over(["B", "A"]).system_scores().tolist()
        [nan, 0.5]
        """
        if set(systems) <= set(self.systems):
            return self.of_systems(systems)
        indices = np.array([self.systems.index(s) if s in self.systems else -1 for s in systems])

        def reorder(scores: Float64) -> Float64:
            with_missing = np.concatenate([scores, np.full((1, *scores.shape[1:]), np.nan)])
            return np.asarray(with_missing[indices], np.float64)

        return self._map_scores(reorder, systems=tuple(systems), measurement=None)

    def better_higher(self) -> ScoreTable:
        """Return the table so that higher is better: negate all scores if lower is better now."""
        if self.higher_is_better:
            return self
        measurement = self.measurement
        if measurement is not None:
            score = measurement.score
            measurement = Measurement(measurement.statistics, lambda totals: -score(totals))
        return self._map_scores(
            lambda scores: -scores,
            measurement=measurement,
            higher_is_better=True,
            negated=not self.negated,
        )

    def _map_scores(self, function: Callable[[Float64], Float64], **fields: Any) -> ScoreTable:
        """Return the table with a function applied to all scores, and other fields replaced."""
        return replace(
            self,
            segments=function(self.segments),
            whole=None if self.whole is None else function(self.whole),
            documents=None if self.documents is None else function(self.documents),
            **fields,
        )


def read_scores(path: Path) -> dict[str, list[float]]:
    r"""Read the scores of systems, in the order of the file; missing ones are NaN.

    Each line is a system, a space or tab, and a number or ``None``. A system has one line per
    segment, one per document, or a single one.

    Raises
    ------
    InputError
        If a line does not have a system and a score, or the score is not a finite number.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "de-en.mqm.seg.score")
    >>> _ = path.write_text("A\t-1.5\nA\tNone\nB\t0\nB\t-2\n")
    >>> read_scores(path)
    {'A': [-1.5, nan], 'B': [0.0, -2.0]}
    """
    scores: dict[str, list[float]] = {}
    for line_number, line in enumerate(read_lines(path), 1):
        parts = line.split("\t") if "\t" in line else line.rsplit(None, 1)
        if len(parts) != 2 or not parts[0].strip():
            if not line.strip():
                continue
            file_line = location(display_name(path), line_number)
            raise InputError(file_line, repr(line[:60]), "a system and its score")
        cell = parts[1].strip()
        score = math.nan if cell == MISSING else read_number(cell)
        if score is None:
            file_line = location(display_name(path), line_number)
            raise InputError(file_line, f"score {cell!r}", f"{REAL_NUMBER}, or {MISSING}")
        scores.setdefault(parts[0].strip(), []).append(score)
    return scores


def check_lengths(
    path: Path, scores: Mapping[str, Sequence[float]], length: int, unit: str
) -> None:
    """Refuse scores unless each system has one per segment or document.

    Parameters
    ----------
    path : path
        The file of the scores.
    scores : mapping of system to scores
    length : int
        The expected number of scores of a system.
    unit : str
        The unit of the scores: ``"segment"``.

    Raises
    ------
    InputError
    """
    for system, values in scores.items():
        if len(values) != length:
            problem = f"{counted(len(values), 'score')} of {system}"
            expected = f"{length}: one per {unit}, {MISSING} where there is none"
            raise InputError(display_name(path), problem, expected)


def write_scores(path: Path, scores: Mapping[str, Sequence[float]]) -> None:
    """Write the scores of systems, in full precision; ``None`` for NaN."""
    with write_text(path) as stream:
        for system, values in scores.items():
            for value in values:
                stream.write(f"{system}\t{MISSING if math.isnan(value) else repr(float(value))}\n")
