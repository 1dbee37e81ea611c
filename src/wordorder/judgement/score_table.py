"""Score table: the scores that one metric, or people, gave each system on each segment."""

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


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of systems on segments.

    Attributes
    ----------
    name : str
        The metric, or the kind of human judgement.
    systems : tuple of str
        n of them.
    segments : float64[n, S]
        NaN where there is no score: a segment that the metric leaves out, or that nobody judged.
    whole : float64[n], optional
        The score of each system on the whole test set; without it, the mean of its segments.
    measurement : Measurement, optional
        The statistics behind the scores, to resample corpus scores exactly.
    higher_is_better : bool
    documents : float64[n, D], optional
        The scores of whole documents, where they were given.
    negated : bool
        Whether the scores are those of a metric of which the lower is the better, negated.

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
        """Take scores by the name of the system; systems without any get NaN.

        Parameters
        ----------
        name : str
        systems : sequence of str
        segments : int
            How many there are.
        by_segment, by_document : mapping of system to scores
            One score per segment, or a document.
        by_system : mapping of system to score

        Examples
        --------
        >>> table = ScoreTable.of("mqm", ("A", "B"), 2, by_segment={"B": [-1.0, 0.0]})
        >>> table.segments.tolist()
        [[nan, nan], [-1.0, 0.0]]
        """

        def rows(given: Mapping[str, Sequence[float]], length: int) -> Float64:
            made = np.full((len(systems), length), np.nan)
            for row, system in enumerate(systems):
                if system in given:
                    made[row] = given[system]
            return made

        whole = documents = None
        if by_system:
            whole = np.array([by_system.get(system, np.nan) for system in systems], np.float64)
        if by_document:
            documents = rows(by_document, len(next(iter(by_document.values()))))
        return cls(name, tuple(systems), rows(by_segment, segments), whole, documents=documents)

    @classmethod
    def of_levels(
        cls,
        name: str,
        systems: Sequence[str],
        segments: int,
        levels: Mapping[str, Mapping[str, Sequence[float]]],
    ) -> ScoreTable:
        """Take scores by what each is of, "segment", "document" or "system", and by system."""
        return cls.of(
            name,
            systems,
            segments,
            by_segment=levels.get("segment", {}),
            by_document=levels.get("document", {}),
            by_system={system: row[0] for system, row in levels.get("system", {}).items()},
        )

    def _repr_html_(self) -> str:
        """Show the score of each system in a notebook, and how many segments have one."""
        scored = (~np.isnan(self.segments)).sum(axis=1)
        rows = [
            [system, "" if np.isnan(score) else number(score), str(segments)]
            for system, score, segments in zip(
                self.systems, self.system_scores(), scored, strict=True
            )
        ]
        return table_html(self.name, ["system", "score", "segments"], rows)

    def system_scores(self) -> Float64:
        """Return the score of each system, float64[n]; NaN without any score."""
        return self.whole if self.whole is not None else exact_means(self.segments)

    def document_scores(self, document_of: Int64) -> Float64:
        """Return the score of each system on each document, float64[n, D].

        Those that were given; or those of the summed statistics of the document's segments; or the
        mean of its segments that have a score.

        Parameters
        ----------
        document_of : int64[S]
            The document of each segment, from 0.
        """
        if self.documents is not None:
            return self.documents
        shape = len(self.systems), int(document_of.max(initial=-1)) + 1
        cells = np.arange(shape[0])[:, None] * shape[1] + document_of
        known = ~np.isnan(self.segments)
        scores = group_means(self.segments[known], cells[known], shape[0] * shape[1])
        if self.measurement is not None:
            columns = np.moveaxis(self.measurement.statistics, 2, 0)
            sums = [group_sums(each.ravel(), cells.ravel(), len(scores)) for each in columns]
            scored = ~np.isnan(scores)
            scores[scored] = self.measurement.scores(np.stack(sums, axis=1)[scored])
        return scores.reshape(shape)

    def of_systems(self, systems: Sequence[str]) -> ScoreTable:
        """Return the table with these systems alone, in this order.

        Raises
        ------
        UsageError
            If it has no such system.
        """
        missing = [system for system in systems if system not in self.systems]
        if missing:
            raise UsageError(f"{self.name}: no scores of {missing[0]}")
        rows = [self.systems.index(system) for system in systems]
        made = None if self.measurement is None else self.measurement.of_systems(rows)
        return self._with(lambda scores: scores[rows], systems=tuple(systems), measurement=made)

    def over(self, systems: Sequence[str]) -> ScoreTable:
        """Return the table with these systems, in this order; NaN for those that it does not have.

        Statistics to resample are kept only if it has all of them.

        Examples
        --------
        >>> table = ScoreTable("frs", ("A",), np.array([[0.5]]), np.array([0.5]))
        >>> table.over(["B", "A"]).system_scores().tolist()
        [nan, 0.5]
        """
        if set(systems) <= set(self.systems):
            return self.of_systems(systems)
        places = np.array([self.systems.index(s) if s in self.systems else -1 for s in systems])

        def rows(scores: Float64) -> Float64:
            with_missing = np.concatenate([scores, np.full((1, *scores.shape[1:]), np.nan)])
            return np.asarray(with_missing[places], np.float64)

        return self._with(rows, systems=tuple(systems), measurement=None)

    def better_higher(self) -> ScoreTable:
        """Return the table with scores of which the higher is the better: negated if need be."""
        if self.higher_is_better:
            return self
        made = self.measurement
        if made is not None:
            score = made.score
            made = Measurement(made.statistics, lambda totals: -score(totals))
        turned = {"higher_is_better": True, "negated": not self.negated}
        return self._with(lambda scores: -scores, measurement=made, **turned)

    def _with(self, change: Callable[[Float64], Float64], **others: Any) -> ScoreTable:
        """Return the table with all scores changed in one way, and some of its other fields."""
        whole = None if self.whole is None else change(self.whole)
        documents = None if self.documents is None else change(self.documents)
        segments = change(self.segments)
        return replace(self, segments=segments, whole=whole, documents=documents, **others)


# What mt-metrics-eval calls what each score is of.
LEVELS = {"seg": "segment", "doc": "document", "sys": "system"}

# How a missing score is written.
MISSING = "None"


def read_scores(path: Path) -> dict[str, list[float]]:
    r"""Read the scores of systems, in the order of the file; NaN where there is none.

    Each line is a system, a blank or tab, and a number or ``None``. A system has a line for each
    segment, for each document, or one.

    Raises
    ------
    InputError
        At a line that has no system and score, or a score that is no finite number, such as
        ``nan``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "de-en.mqm.seg.score")
    >>> _ = path.write_text("A\t-1.5\nA\tNone\nB\t0\nB\t-2\n")
    >>> read_scores(path)
    {'A': [-1.5, nan], 'B': [0.0, -2.0]}
    """
    scores: dict[str, list[float]] = {}
    for nth, line in enumerate(read_lines(path), 1):
        parts = line.split("\t") if "\t" in line else line.rsplit(None, 1)
        if len(parts) != 2 or not parts[0].strip():
            if not line.strip():
                continue
            where = location(display_name(path), nth)
            raise InputError(where, repr(line[:60]), "a system and its score")
        written = parts[1].strip()
        score = math.nan if written == MISSING else read_number(written)
        if score is None:
            where = location(display_name(path), nth)
            raise InputError(where, f"score {written!r}", f"{REAL_NUMBER}, or {MISSING}")
        scores.setdefault(parts[0].strip(), []).append(score)
    return scores


def check_lengths(path: Path, scores: Mapping[str, Sequence[float]], length: int, of: str) -> None:
    """Raise an InputError unless each system has a score for each segment, or document.

    Parameters
    ----------
    path : path
        Where the scores come from.
    scores : mapping of system to scores
    length : int
        How many are expected.
    of : str
        What each is a score of: ``"segment"``.
    """
    for system, values in scores.items():
        if len(values) != length:
            what = f"{counted(len(values), 'score')} of {system}"
            expected = f"{length}: one per {of}, {MISSING} where there is none"
            raise InputError(display_name(path), what, expected)


def write_scores(path: Path, scores: Mapping[str, Sequence[float]]) -> None:
    """Write the scores of systems, in full precision; ``None`` for NaN."""
    with write_text(path) as stream:
        for system, values in scores.items():
            for value in values:
                stream.write(f"{system}\t{MISSING if math.isnan(value) else repr(float(value))}\n")
