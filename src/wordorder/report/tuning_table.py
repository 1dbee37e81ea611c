"""Tuned weights and their values, for every format."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from wordorder.messages import counted, number
from wordorder.report.document import Document, Output, Part, Table, Verbatim
from wordorder.report.tables import Cell, columns_tsv, estimate
from wordorder.training.tuning.weights_file import Round, Tuned, TunedRounds

# As many as Moses prints.
DECIMALS = 6
T = TypeVar("T", Tuned, TunedRounds)


def tuning_output(tuned: Tuned) -> Output:
    """Return the output of tuning: value and weights."""
    return _output(tuned, _tuning_document)


def _output(tuned: T, document: Callable[[T], Document]) -> Output:
    """Return the output of a result, whose TSV has no final line end."""
    return replace(
        Output.of(tuned, lambda: document(tuned)),
        lines=lambda: columns_tsv(tuned.to_columns()).removesuffix("\n"),
    )


def _tuning_document(tuned: Tuned) -> Document:
    best = max(tuned.starts) if tuned.value >= tuned.before else min(tuned.starts)
    reached = _count_equal(best, tuned.starts)
    lines = [
        tuned.objective,
        f"{_value_text(tuned.value, tuned.interval)} ({number(tuned.before, DECIMALS)} before), "
        f"{counted(tuned.sentences, 'sentence')}, {counted(tuned.candidates, 'candidate')}",
    ]
    if _count_equal(tuned.before, tuned.starts) == len(tuned.starts) > 1:
        lines.append(f"none of the {len(tuned.starts)} starts found a better value")
    elif len(tuned.starts) > 1:
        lines.append(f"{reached} of {len(tuned.starts)} starts reached it")
    parts = Verbatim("\n".join(lines), code=False), _table(tuned)
    return Document(parts, legends=True)


def _count_equal(target: float, values: Sequence[float]) -> int:
    """Count the values that are equal to the target as printed."""
    return sum(abs(value - target) < 0.5 * 10.0**-DECIMALS for value in values)


def _value_text(value: float, bounds: tuple[float, float] | None) -> str:
    """Format a value, with its interval if there is one."""
    return number(value, DECIMALS) if bounds is None else estimate(value, *bounds, DECIMALS)


def _table(tuned: Tuned | TunedRounds) -> Table:
    """Return the weights of the features, with their intervals if there are any."""
    return replace(Table.of(tuned.to_columns()), decimals=DECIMALS)


def round_line(finished: Round, run: int | None = None) -> str:
    """Return a line on a finished round of tuning a decoder; `run` is the number of its run."""
    location = f"round {finished.number}" if run is None else f"run {run}, round {finished.number}"
    candidate_count = counted(finished.candidates, "candidate", commas=True)
    return (
        f"{location}: {number(finished.value, DECIMALS)}, {candidate_count} ({finished.new:,} new)"
    )


def rounds_output(tuned: TunedRounds) -> Output:
    """Return the output of tuning a decoder: value, rounds, runs and weights."""
    return _output(tuned, _rounds_document)


def _rounds_document(tuned: TunedRounds) -> Document:
    best = tuned.best
    lines = [
        tuned.objective,
        f"{_value_text(tuned.value, tuned.interval)} ({number(tuned.before, DECIMALS)} before), "
        f"{counted(tuned.sentences, 'sentence')}; round {best.best.number} of "
        f"{counted(len(best.rounds) - 1, 'round')} is the best; {tuned.method}",
    ]
    parts: list[Part] = [Verbatim("\n".join(lines), code=False)]
    if len(tuned.runs) > 1:
        rows: list[list[Cell]] = [
            [str(run.seed), str(len(run.rounds) - 1), run.value] for run in tuned.runs
        ]
        mean = _value_text(float(tuned.values.mean()), tuned.run_interval or (0.0, 0.0))
        parts += [Table(rows, ["seed", "rounds", "value"], DECIMALS), f"mean of the runs: {mean}"]
    return Document((*parts, _table(tuned)), legends=True)
