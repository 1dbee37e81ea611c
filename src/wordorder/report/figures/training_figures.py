"""The figures of ``wordorder train``: learning curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wordorder.drawing.figure import Cell, Figure
from wordorder.metrics.called import called
from wordorder.parsing.training.checkpoint import Epoch
from wordorder.parsing.training.learning_curve import LearningCurve
from wordorder.report.figures.score_curves import score_curves
from wordorder.report.file_names import file_name


def training_figures(curves: Sequence[LearningCurve]) -> Iterator[Figure]:
    """Yield for each model its scores on the development part, and how often it was corrected."""
    for curve in curves:
        scored = [epoch for epoch in curve.epochs if epoch.score is not None]
        if scored:
            yield _figure(
                curve,
                "learning",
                f"{called(curve.score)} on dev data",
                scored,
                [epoch.score or 0.0 for epoch in scored],
            )
        taught = [epoch for epoch in curve.epochs if epoch.instances]
        if taught:
            yield _figure(
                curve,
                "corrections",
                "share of examples corrected",
                taught,
                [epoch.updates / epoch.instances for epoch in taught],
            )


def _figure(
    curve: LearningCurve, start: str, label: str, epochs: Sequence[Epoch], values: Sequence[float]
) -> Figure:
    rows: list[tuple[Cell, ...]] = [
        (curve.model, epoch.number, epoch.instances, epoch.updates, epoch.score)
        for epoch in curve.epochs
    ]
    return score_curves(
        f"{start}-{file_name(curve.model)}",
        f"{curve.model}: {label} by epoch",
        [curve.model],
        [values],
        [str(epoch.number) for epoch in epochs],
        label=label,
        places_label="passes over the training data",
        header=("model", "epoch", "examples", "corrected", curve.score),
        rows=rows,
    )
