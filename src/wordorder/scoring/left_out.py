"""Notes that `score` and `compare` give with their numbers, each once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from wordorder.counts import counted, joined, percent
from wordorder.notes import note, note_each

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric
    from wordorder.scoring.file_kind import FileKind
    from wordorder.scoring.systems import Evaluation

# Skipped lines that are named.
_NAMED = 5
# From here on segments of one word change a mean by a percent of what is wrong in it.
ONE_WORD_SHARE = 0.01


def note_left_out(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], kind: FileKind | type[FileKind]
) -> None:
    """Say what was left out of the scores.

    Parameters
    ----------
    evaluation : Evaluation
    metrics : sequence of BaseMetric
        Those that made it.
    kind : FileKind
        What the files hold.
    """
    if any("permutation" in metric.columns for metric in metrics):
        found = [(system.name, system.dropped) for system in evaluation.systems]
        shares = {system.name: system.dropped_words.shares for system in evaluation.systems}
        note_each(found, kind.dropped, "system", "word", shares)
        _note_one_word(evaluation, metrics)
    if evaluation.skipped:
        numbers = ", ".join(map(str, evaluation.skipped_lines[:_NAMED]))
        more = ", ..." if evaluation.skipped > _NAMED else ""
        why = (
            too_few_words(str(metric.signature()) for metric in metrics)
            if kind.orders_alone
            else f"that {_skipping(evaluation)} cannot score"
        )
        share = f"{percent(evaluation.skipped, evaluation.segments)} of segments"
        rows = kind.row if evaluation.skipped == 1 else f"{kind.row}s"
        count = counted(evaluation.skipped, "segment")
        note(f"skipped {count} {why} ({share}): {rows} {numbers}{more}")


def too_few_words(signatures: Iterable[str]) -> str:
    """Say what the rows lack that metrics of orders leave out.

    Examples
    --------
    >>> too_few_words(["frs|average:segment|degenerate:skip|v:0.2.0"])
    'without two words to order'
    """
    skip = any("degenerate:skip" in signature for signature in signatures)
    return f"without {'two words' if skip else 'a word'} to order"


def _note_one_word(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> None:
    """Say how many segments of one word lift the mean of a metric, where they are not few."""
    from wordorder.metrics.order.order_metric import OrderMetric

    lifted = [
        metric.name
        for metric in metrics
        if isinstance(metric, OrderMetric)
        and (metric.average, metric.degenerate) == ("segment", "standard")
    ]
    most = max((system.one_word for system in evaluation.systems), default=0)
    if lifted and most and most >= ONE_WORD_SHARE * evaluation.segments:
        share = 100 * most / evaluation.segments
        note(
            f"{share:.0f} % of segments have one word to order and count as 1 in the mean of "
            f"{joined(lifted)}: -O=degenerate=skip leaves them out"
        )


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
