"""Results as columns, as tables of pandas and Polars are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.arrays import Array

if TYPE_CHECKING:
    from wordorder.metrics.contract import Metric
    from wordorder.scoring.systems import Evaluation, SystemScores
    from wordorder.statistics.intervals import Estimate
    from wordorder.statistics.paired_tests import Comparison

Columns = dict[str, list[Any]]


def columns(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Columns:
    """Return rows as columns.

    Examples
    --------
    >>> columns(["name", "value"], [["a", 1], ["b", None]])
    {'name': ['a', 'b'], 'value': [1, None]}
    """
    return {name: [row[place] for row in rows] for place, name in enumerate(header)}


def number_or_none(value: float | None) -> float | None:
    """Return a number, and None for what is none.

    Examples
    --------
    >>> number_or_none(0.5), number_or_none(float("nan"))
    (0.5, None)
    """
    return None if value is None or math.isnan(value) else value


def signed_columns(found: Columns, signature: str) -> Columns:
    """Return columns with one of the signature, if there is one."""
    rows = len(next(iter(found.values())))
    return found | {"signature": [signature] * rows} if signature else found


# Of systems with several runs.
RUN_COLUMNS = ("spread", "runs")


def run_cells(system: SystemScores, metric: int) -> list[Any]:
    """Return the spread of a system's runs, and their values separated by commas."""
    values = [run.scores[metric].value for run in system.runs]
    return [system.spread(metric), ",".join(map(repr, values))]


def score_columns(
    evaluation: Evaluation,
    estimates: Sequence[Sequence[Estimate]] | None,
    metrics: Sequence[Metric],
) -> Columns:
    """Return one row for each system and metric."""
    header = ["system", "metric", "value", "low", "high", "scored", "skipped", "matched"]
    rows: list[list[Any]] = []
    several = bool(evaluation.systems[0].runs)
    names = evaluation.metric_names
    for s, system in enumerate(evaluation.systems):
        for m, score in enumerate(system.scores):
            bounds: list[Any] = [None, None]
            if estimates is not None:
                bounds = [estimates[m][s].low, estimates[m][s].high]
            counts = [score.segments - score.skipped, score.skipped, system.matched(metrics[m])]
            numbers = map(number_or_none, (score.value, *bounds))
            rows.append([system.name, names[m], *numbers, *counts, str(score.signature)])
            rows[-1] += run_cells(system, m) if several else []
    return columns([*header, "signature", *(RUN_COLUMNS if several else ())], rows)


def segment_columns(evaluation: Evaluation) -> dict[str, Array]:
    """Return one row for each system, metric and segment; NaN for a segment that is left out."""
    parts: dict[str, list[Array]] = {"system": [], "metric": [], "segment": [], "value": []}
    for system in evaluation.systems:
        for name, scored in zip(evaluation.metric_names, system.segments, strict=True):
            values = scored.known
            parts["system"].append(np.full(len(values), system.name, object))
            parts["metric"].append(np.full(len(values), name, object))
            parts["segment"].append(np.arange(1, len(values) + 1))
            parts["value"].append(values)
    return {name: np.concatenate(found) for name, found in parts.items()}


def comparison_columns(evaluation: Evaluation, comparisons: Sequence[Comparison]) -> Columns:
    """Return one row for each metric and pair of systems."""
    names = [system.name for system in evaluation.systems]
    header = ["metric", "a", "b", "difference", "low95", "high95", "p", "mark", "common"]
    header.append("signature")
    several = bool(evaluation.systems[0].runs)
    if several:
        header += [f"{name}_{side}" for side in "ab" for name in RUN_COLUMNS]
    rows: list[list[Any]] = []
    for m, comparison in enumerate(comparisons):
        signature = evaluation.systems[0].scores[m].signature
        for pair in comparison.pairs:
            low, high = pair.interval_95 or (None, None)
            named = [evaluation.metric_names[m], names[pair.first], names[pair.second]]
            numbers = map(number_or_none, (pair.difference, low, high, pair.p_value))
            found = [*numbers, pair.mark, pair.common]
            rows.append([*named, *found, str(signature)])
            if several:
                for system in (pair.first, pair.second):
                    rows[-1] += run_cells(evaluation.systems[system], m)
    return columns(header, rows)
