"""Significance tests between all pairs of systems, under each metric."""

from __future__ import annotations

from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.tested_scores import TestedScores
from wordorder.analysis.triangle_reading import triangle_reading
from wordorder.metrics.called import called


def significance_section(scores: TestedScores) -> Section | None:
    """Make the table ``tests``: a triangle of marks a metric; None for one system.

    Parameters
    ----------
    scores : TestedScores

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> lines = {"A": ["b a"] * 9, "B": ["a b"] * 9}
    >>> scores = TestedScores.of(translations_of(lines, ["a b"] * 9, metrics="frs"))
    >>> found = significance_section(scores)
    >>> found.rows, found.reading
    ((('FRS', 'A', '+**'),), 'FRS: B is better than A (95 %).')
    """
    names = scores.intervals[0].names
    if len(names) < 2:
        return None
    rows: list[tuple[Value, ...]] = []
    readings = []
    for metric, comparison in zip(scores.intervals, scores.comparisons, strict=True):
        marks = comparison.triangle()
        for number, row in enumerate(marks):
            rows.append((called(metric.metric), names[number], *[None] * number, *row))
        readings.append(f"{called(metric.metric)}: {triangle_reading(names, marks)}")
    return Section(
        key="tests",
        title="Which differences are significant",
        reading=" ".join(readings),
        header=("metric", "system", *names[1:]),
        rows=tuple(rows),
        note="Paired bootstrap resampling of segments. +** and +*: the system of the column is "
        "better than that of the row, at 95 and 90 %; -** and -*: it is worse; 0: no "
        f"significant difference. {scores.resamples} resamples, seed {scores.seed}.",
    )
