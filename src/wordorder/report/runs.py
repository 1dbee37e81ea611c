"""Values and spread of systems with several runs, for every format."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.messages import number
from wordorder.report.document import Table
from wordorder.report.tables import Cell
from wordorder.scoring.result_columns import number_or_none
from wordorder.scoring.systems import Evaluation

# The note below tables of systems with several runs.
RUNS_NOTE = "values are means of runs; spread: their standard deviation"


def run_table(evaluation: Evaluation, metrics: Sequence[str]) -> list[Table]:
    """Return a table with a row for each system and metric; an empty list for single runs."""
    max_runs = max(len(system.runs) for system in evaluation.systems)
    if not max_runs:
        return []
    rows: list[list[Cell]] = []
    for system in evaluation.systems:
        for metric_index, name in enumerate(metrics):
            values = [_cell(number_or_none(run.scores[metric_index].value)) for run in system.runs]
            values += [""] * (max_runs - len(values))
            rows.append([system.name, name, _cell(system.spread(metric_index)), *values])
    header = ["system", "metric", "spread", *(f"run {index}" for index in range(1, max_runs + 1))]
    return [Table(rows, header)]


def _cell(value: float | None) -> str:
    return "" if value is None else number(value)
