"""Figures of other evaluators, for every format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wordorder.messages import counted
from wordorder.metrics.contract import Score
from wordorder.records import Record, key
from wordorder.report.document import Document, Output, Table


@dataclass(frozen=True)
class CompatFigure(Record):
    """A figure of a system."""

    figure: str = key("what the evaluator calls the figure", heading="figure")
    metric: str = key("the metric that gives it; for `conll18`, the figure in small letters")
    value: float = key("the figure", null=True, heading="value")
    segments: int = key("number of segments", column=False)
    scored: int = key("segments that the evaluator scores", heading="scored")
    skipped: int = key("segments that the evaluator passes over", heading="skipped")
    signature: str = key("what produced the number")


@dataclass(frozen=True)
class CompatSystem(Record):
    """The figures of a system."""

    system: str = key("the name given as `NAME=FILE`, or the file's without folder and suffix")
    scores: tuple[CompatFigure, ...] = key("the figures")


@dataclass(frozen=True)
class CompatScores(Record, rows="systems scores", first="system"):
    """Scores of systems by another evaluator's rules.

    Values are on the scale of the other evaluator, in full precision.
    """

    compat: str = key("the name that was given")
    tool: str = key("the evaluator")
    systems: tuple[CompatSystem, ...] = key("the systems")


def compat_output(scores: Mapping[str, Mapping[str, Score]], preset: str, tool: str) -> Output:
    """Return the output: a row per figure, with the number of segments and the signatures.

    Parameters
    ----------
    scores : mapping of str to mapping of str to Score
        By system, then by the evaluator's name of the figure.
    preset, tool : str
        The value of ``--compat``, and the name of the evaluator.
    """
    systems = [
        CompatSystem(
            system, tuple(_figure(label, score) for label, score in scores_of_system.items())
        )
        for system, scores_of_system in scores.items()
    ]
    result = CompatScores(preset, tool, tuple(systems))
    return Output.of(result, lambda: _document(result))


def _figure(label: str, score: Score) -> CompatFigure:
    return CompatFigure(
        figure=label,
        metric=score.signature.metric,
        value=score.value,
        segments=score.segments,
        scored=score.segments - score.skipped,
        skipped=score.skipped,
        signature=str(score.signature),
    )


def _document(result: CompatScores) -> Document:
    figures = [figure for system in result.systems for figure in system.scores]
    names = [system.system for system in result.systems for _ in system.scores]
    table = Table.of_records(CompatFigure, figures, first="system", cells={"system": names})
    first = result.systems[0].scores
    counts = f"{counted(first[0].segments, 'segment')}, by the rules of {result.tool}"
    signatures = tuple(f"{figure.figure}: {figure.signature}" for figure in first)
    return Document((table,), (counts,), signatures)
