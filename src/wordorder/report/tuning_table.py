"""What tuning found, as text and as JSON."""

from __future__ import annotations

from typing import Any

from wordorder.counts import counted, number
from wordorder.report.tables import Cell, table, tsv
from wordorder.training.tuning.tuned import Tuned

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
            "starts": list(tuned.starts),
            "sentences": tuned.sentences,
            "candidates": tuned.candidates,
        }
    if tuned.interval is not None:
        found["interval"] = list(tuned.interval)
    if tuned.spread is not None:
        found["spread"] = tuned.spread.tolist()
    return found
