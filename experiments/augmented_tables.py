"""What the experiments of augmented-loss training share: paired differences and their tables."""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).resolve().parent / "results"
Paper = tuple[str, tuple[str, ...], dict[str, tuple[float, ...]]]


def measured_once(model: Path, measure: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    """Return the statistics of a model, from a file beside it if they are known."""
    kept = model.with_suffix(".npz")
    if not kept.exists():
        np.savez(kept, **measure(model))
    with np.load(kept) as found:
        return dict(found)


def differences(
    base: list[dict[str, Any]],
    other: list[dict[str, Any]],
    metrics: Sequence[str],
    compared: Callable[[list[Any], list[Any], str], dict[str, Any]],
) -> dict[str, Any]:
    """Return for each metric the value of a parser and what it gains over another."""
    return {
        name: compared(
            [each[name] for each in base], [each[name] for each in other], name.split("/")[0]
        )
        for name in metrics
    }


def keep(
    name: str, table: dict[str, Any], metrics: Sequence[str], *, seed: int, paper: Paper
) -> None:
    """Write what is known so far: up to which seed, the figures and the paper's."""
    about = {
        "date": str(datetime.date.today()),
        "python": platform.python_version(),
        "seeds": seed,
    }
    text = json.dumps({"about": about, "parsers": table, "paper": paper[2]}, indent=1)
    (RESULTS / f"{name}.json").write_text(text + "\n")
    shown = markdown(table, metrics, seed, paper)
    (RESULTS / f"{name}.md").write_text(shown)
    print(shown, flush=True)


def markdown(table: dict[str, Any], metrics: Sequence[str], seeds: int, paper: Paper) -> str:
    """Return the tables of a run."""
    title, names, rows = paper
    lines = [f"Means of {seeds} seeds; differences from the treebank alone [95 %, paired].", ""]
    lines.append("| parser | " + " | ".join(metrics) + " |")
    lines.append("|---" * (len(metrics) + 1) + "|")
    for parser, found in table.items():
        cells = []
        for metric in metrics:
            each = found[metric]
            low, high = each["interval"]
            gain = f" ({each['difference']:+.4f} [{low:.4f}, {high:.4f}])"
            cells.append(f"{each['value']:.4f}" + ("" if "alone" in parser else gain))
        lines.append(f"| {parser} | " + " | ".join(cells) + " |")
    lines += ["", f"{title}:", "", "| parser | " + " | ".join(names) + " |"]
    lines.append("|---" * (len(names) + 1) + "|")
    for parser, values in rows.items():
        lines.append(f"| {parser} | " + " | ".join(f"{value:.2f}" for value in values) + " |")
    return "\n".join(lines) + "\n"
