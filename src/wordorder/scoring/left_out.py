"""What `score` and `compare` say beside their numbers, each thing once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wordorder.counts import counted, joined
from wordorder.notes import note, note_each

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric
    from wordorder.scoring.file_kind import FileKind
    from wordorder.scoring.systems import Evaluation

# Skipped lines that are named.
_NAMED = 5


def note_left_out(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], kind: FileKind | type[FileKind]
) -> None:
    """Say what did not take part in the scores.

    Parameters
    ----------
    evaluation : Evaluation
    metrics : sequence of BaseMetric
        Those that made it.
    kind : FileKind
        What the files hold.
    """
    if not evaluation.segments:
        note("no segments: the files are empty, and their scores say nothing")
    if any("permutation" in metric.columns for metric in metrics):
        found = [(system.name, system.dropped) for system in evaluation.systems]
        shares = {system.name: system.dropped_words.shares for system in evaluation.systems}
        note_each(found, kind.dropped, "system", "word", shares)
    if evaluation.skipped:
        numbers = ", ".join(map(str, evaluation.skipped_lines[:_NAMED]))
        more = ", ..." if evaluation.skipped > _NAMED else ""
        why = kind.skipped or f"that {_skipping(evaluation)} cannot score"
        rows = kind.row if evaluation.skipped == 1 else f"{kind.row}s"
        note(f"skipped {counted(evaluation.skipped, 'segment')} {why}: {rows} {numbers}{more}")


def _skipping(evaluation: Evaluation) -> str:
    """Name the metrics that left out a segment."""
    names = {
        score.signature.metric: None
        for system in evaluation.systems
        for score in system.scores
        if score.skipped
    }
    shown = list(names)
    if len(shown) > _NAMED:
        return f"{len(shown)} of the metrics"
    return joined(shown)
