"""The figures of other evaluators, as text, JSON and TSV."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wordorder.counts import counted
from wordorder.metrics.contract import Score
from wordorder.report.document import Document, Table
from wordorder.report.tables import Cell, tsv

# By system, then by what the evaluator calls the figure.
CompatScores = Mapping[str, Mapping[str, Score]]


def compat_document(given: CompatScores, tool: str) -> Document:
    """Lay out a row a figure, with what it counts, and then what the numbers are."""
    header = ["system", "figure", "value", "scored", "skipped"]
    rows: list[list[Cell]] = [
        [system, label, score.value, score.segments - score.skipped, score.skipped]
        for system, scores in given.items()
        for label, score in scores.items()
    ]
    first = next(iter(given.values()))
    segments = next(iter(first.values())).segments
    counts = f"{counted(segments, 'segment')}, by the rules of {tool}"
    signatures = tuple(f"{label}: {score.signature}" for label, score in first.items())
    return Document((Table(rows, header),), (counts,), signatures)


def compat_json(given: CompatScores, preset: str, tool: str) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists."""
    return {
        "compat": preset,
        "tool": tool,
        "systems": [
            {
                "name": system,
                "scores": [
                    {
                        "figure": label,
                        "metric": score.signature.metric,
                        "value": score.value,
                        "signature": str(score.signature),
                        "segments": score.segments,
                        "skipped": score.skipped,
                    }
                    for label, score in scores.items()
                ],
            }
            for system, scores in given.items()
        ],
    }


def compat_tsv(given: CompatScores) -> str:
    """Write one row for each figure, in full precision."""
    header = ["system", "figure", "metric", "value", "scored", "skipped", "signature"]
    rows: list[list[Cell]] = [
        [
            system,
            label,
            score.signature.metric,
            score.value,
            score.segments - score.skipped,
            score.skipped,
            str(score.signature),
        ]
        for system, scores in given.items()
        for label, score in scores.items()
    ]
    return tsv(rows, header, decimals=None) + "\n"
