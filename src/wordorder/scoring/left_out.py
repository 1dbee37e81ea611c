"""What `score` and `compare` say beside their numbers, each thing once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wordorder.counts import counted, joined
from wordorder.notes import note, note_each

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric
    from wordorder.scoring.systems import Evaluation

# Skipped lines that are named.
_NAMED = 5


def note_left_out(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], held: str, aligner: bool
) -> None:
    """Say on standard error what did not take part in the scores.

    Parameters
    ----------
    evaluation : Evaluation
    metrics : sequence of BaseMetric
        Those that made it.
    held : "orders", "text", "alignments" or "trees"
        What the files hold.
    aligner : bool
        Whether the word orders come from matching words.
    """
    if not evaluation.segments:
        note("no segments: the files are empty, and their scores say nothing")
    if any("permutation" in metric.columns for metric in metrics):
        said = "left out {} that only one of system and reference has"
        if held == "text":
            why = "without a match" if aligner else "that only one alignment links"
            said = f"the word orders leave out {{}} {why}"
        found = [(system.name, system.dropped) for system in evaluation.systems]
        note_each(found, said, "system", "word")
    if evaluation.skipped:
        numbers = ", ".join(map(str, evaluation.skipped_lines[:_NAMED]))
        more = ", ..." if evaluation.skipped > _NAMED else ""
        why = "without a word to order"
        if held != "orders":
            why = f"that {_skipping(evaluation)} cannot score"
        place = "sentence" if held == "trees" else "line"
        note(
            f"skipped {counted(evaluation.skipped, 'segment')} {why}: "
            f"{place if evaluation.skipped == 1 else place + 's'} {numbers}{more}"
        )


def note_without_links(sources: Sequence[Any]) -> None:
    """Say on standard error which files of alignments lack links, once they have been read."""
    from wordorder.scoring.alignment_rows import AlignmentRows

    read = [source for source in sources if isinstance(source, AlignmentRows)]
    if read:
        said = f"no link in {{}} of {counted(read[0].lines, 'alignment')}"
        note_each([(source.name, source.without_links) for source in read], said, "file")


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
