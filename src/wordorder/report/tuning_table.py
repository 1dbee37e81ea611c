"""What tuning found, as text, TSV and JSON."""

from __future__ import annotations

from typing import Any

from wordorder.counts import counted, number
from wordorder.report.tables import Cell, table, tsv
from wordorder.training.tuning.weights_file import Round, Tuned, TunedRounds

# As Moses prints them.
DECIMALS = 6


def tuning_text(tuned: Tuned) -> str:
    """Write value and weights as a table."""
    shown = number(tuned.value, DECIMALS)
    if tuned.interval is not None:
        low, high = (number(bound, DECIMALS) for bound in tuned.interval)
        shown += f" [{low}, {high}]"
    best = max(tuned.starts) if tuned.value >= tuned.before else min(tuned.starts)
    reached = sum(abs(value - best) < 0.5 * 10.0**-DECIMALS for value in tuned.starts)
    lines = [
        tuned.objective,
        f"{shown} ({number(tuned.before, DECIMALS)} before), "
        f"{counted(tuned.sentences, 'sentence')}, {counted(tuned.candidates, 'candidate')}",
    ]
    if len(tuned.starts) > 1:
        lines.append(f"{reached} of {len(tuned.starts)} starts reached it")
    header, rows = _weights(tuned)
    return "\n".join([*lines, "", table(rows, header, decimals=DECIMALS), ""])


def tuning_tsv(tuned: Tuned) -> str:
    """Write the weights as TSV, in full precision."""
    header, rows = _weights(tuned)
    return tsv(
        [[cell if isinstance(cell, str) else repr(cell) for cell in r] for r in rows], header
    )


def _weights(tuned: Tuned) -> tuple[list[str], list[list[Cell]]]:
    """Return the rows of the features, and the heads of their columns."""
    header = ["feature", "weight"]
    rows: list[list[Cell]] = [
        [name, weight] for name, weight in zip(tuned.names, tuned.weights.tolist(), strict=True)
    ]
    if tuned.spread is not None:
        header += ["low", "high"]
        rows = [[*row, *bounds] for row, bounds in zip(rows, tuned.spread.tolist(), strict=True)]
    return header, rows


def tuning_json(tuned: Tuned, *, brief: bool) -> dict[str, Any]:
    """Return value and weights as JSON can hold them; briefly: what other programs read alone."""
    found: dict[str, Any] = {
        "objective": tuned.objective,
        "value": tuned.value,
        "weights": tuned.weights.tolist(),
    }
    if not brief:
        found |= {
            "features": list(tuned.names),
            "before": tuned.before,
            "method": tuned.method,
            "starts": list(tuned.starts),
            "sentences": tuned.sentences,
            "candidates": tuned.candidates,
        }
    if tuned.interval is not None:
        found["interval"] = list(tuned.interval)
    if tuned.spread is not None:
        found["spread"] = tuned.spread.tolist()
    return found


def round_line(made: Round, run: int | None = None) -> str:
    """Write what one round of tuning a decoder found; `run` is the number of its run."""
    where = f"round {made.number}" if run is None else f"run {run}, round {made.number}"
    many = counted(made.candidates, "candidate", commas=True)
    return f"{where}: {number(made.value, DECIMALS)}, {many} ({made.new:,} new)"


def rounds_text(tuned: TunedRounds) -> str:
    """Write value, rounds, runs and weights of a tuned decoder."""
    shown = number(tuned.value, DECIMALS)
    if tuned.interval is not None:
        low, high = (number(bound, DECIMALS) for bound in tuned.interval)
        shown += f" [{low}, {high}]"
    best = tuned.best
    lines = [
        tuned.objective,
        f"{shown} ({number(tuned.before, DECIMALS)} before), "
        f"{counted(tuned.sentences, 'sentence')}; round {best.best.number} of "
        f"{counted(len(best.rounds) - 1, 'round')} is the best; {tuned.method}",
    ]
    if len(tuned.runs) > 1:
        rows: list[list[Cell]] = [
            [str(run.seed), str(len(run.rounds) - 1), run.best.value] for run in tuned.runs
        ]
        low, high = (number(bound, DECIMALS) for bound in tuned.run_interval or (0.0, 0.0))
        mean = number(float(tuned.values.mean()), DECIMALS)
        spread = table(rows, ["seed", "rounds", "value"], decimals=DECIMALS)
        lines += ["", spread, "", f"mean of the runs: {mean} [{low}, {high}]"]
    weights = table(_of_rounds(tuned), ["feature", "weight"], decimals=DECIMALS)
    return "\n".join([*lines, "", weights, ""])


def rounds_tsv(tuned: TunedRounds) -> str:
    """Write the tuned weights of a decoder as TSV, in full precision."""
    rows = [[name, repr(weight)] for name, weight in _of_rounds(tuned)]
    return tsv(rows, ["feature", "weight"])


def _of_rounds(tuned: TunedRounds) -> list[list[Cell]]:
    pairs = zip(tuned.names, tuned.weights.tolist(), strict=True)
    return [[name, weight] for name, weight in pairs]


def rounds_json(tuned: TunedRounds) -> dict[str, Any]:
    """Return value, weights, runs and rounds of a tuned decoder as JSON can hold them."""
    found: dict[str, Any] = {
        "objective": tuned.objective,
        "value": tuned.value,
        "weights": tuned.weights.tolist(),
        "features": list(tuned.names),
        "before": tuned.before,
        "method": tuned.method,
        "sentences": tuned.sentences,
        "seed": tuned.best.seed,
        "runs": [
            {
                "seed": run.seed,
                "value": run.best.value,
                "weights": run.best.weights.tolist(),
                "rounds": [
                    {"value": made.value, "candidates": made.candidates, "new": made.new}
                    for made in run.rounds
                ],
            }
            for run in tuned.runs
        ],
    }
    if tuned.interval is not None:
        found["interval"] = list(tuned.interval)
    if tuned.run_interval is not None:
        found["run_interval"] = list(tuned.run_interval)
    return found
