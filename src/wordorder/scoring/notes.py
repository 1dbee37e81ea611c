"""Notes on what took no part in scores, and on how far they can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wordorder.messages import counted, joined, percent
from wordorder.metrics.contract import BaseMetric
from wordorder.notes import note, note_counts
from wordorder.scoring.files import FileKind
from wordorder.scoring.systems import Evaluation
from wordorder.statistics.intervals import FEW_SEGMENTS, true_level

# Skipped lines that are named.
_NAMED = 5

# From here on segments of one word change a mean by a percent of what is wrong in it.
ONE_WORD_SHARE = 0.01


def note_left_out(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], kind: FileKind | type[FileKind]
) -> None:
    """Note which words and segments the scores leave out.

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
        note_counts(found, kind.dropped, "system", "word", shares)
        _note_few_links(evaluation)
        _note_one_word(evaluation, metrics)
    if evaluation.skipped:
        listed = ", ".join(map(str, evaluation.skipped_lines[:_NAMED]))
        more = ", ..." if evaluation.skipped > _NAMED else ""
        why = f"that {_skipping(evaluation)} cannot score"
        if kind.orders_alone:
            why = too_few_words(str(metric.signature()) for metric in metrics)
        share = f"{percent(evaluation.skipped, evaluation.segments)} of segments"
        rows = kind.row if evaluation.skipped == 1 else f"{kind.row}s"
        count = counted(evaluation.skipped, "segment")
        # Rows of tables that are shared out have no numbers.
        where = f": {rows} {listed}{more}" if listed else ""
        note(f"skipped {count} {why} ({share}){where}")


def note_few(evaluation: Evaluation) -> None:
    """Note that intervals and tests claim too much where few segments or documents are drawn."""
    drawn, unit = evaluation.segments - evaluation.skipped, "segment"
    if evaluation.documents is not None:
        drawn, unit = len(evaluation.documents), "document"
        if drawn == 1:
            note("1 document: no interval and no test, since documents are drawn")
            return
    if 0 < drawn < FEW_SEGMENTS:
        what = f"{counted(drawn, unit)}: intervals and tests of so few claim too much"
        holds = f"holds the true value about {100 * true_level(drawn):.0f} % of the time"
        note(f"{what}: a 95 % interval {holds}")


def too_few_words(signatures: Iterable[str]) -> str:
    """Describe the rows that metrics of orders leave out: those with too few words.

    Examples
    --------
    >>> too_few_words(["frs|average:segment|degenerate:skip|v:1.0.0rc1"])
    'without two words to order'
    """
    skip = any("degenerate:skip" in signature for signature in signatures)
    return f"without {'two words' if skip else 'a word'} to order"


# Below it, an output says too little to be compared with the reference.
_FEW_LINKS = 0.5


def _note_few_links(evaluation: Evaluation) -> None:
    """Name the systems that link far fewer source words than the reference does."""
    few = [
        f"{system.name} {percent(words.matched, words.matchable)}"
        for system in evaluation.systems
        if (words := system.dropped_words).matchable
        and words.matched < _FEW_LINKS * words.matchable
        # Of orders from links, unlinked words are dropped; of texts they are never known.
        and any(("null", "drop") in score.signature.fields for score in system.scores)
    ]
    if few:
        more = f" and {len(few) - _NAMED} more" if len(few) > _NAMED else ""
        shares = f"{', '.join(few[:_NAMED])}{more}"
        note(f"of the source words that the reference links, outputs link few: {shares}")


def _note_one_word(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> None:
    """Say how many segments of one word lift the mean of a metric, where they are not few."""
    from wordorder.metrics.order.chunks import OrderMetric

    lifted = [
        metric.name
        for metric in metrics
        if isinstance(metric, OrderMetric)
        and (metric.average, metric.degenerate) == ("segment", "standard")
    ]
    most = max((system.one_word for system in evaluation.systems), default=0)
    if lifted and most and most >= ONE_WORD_SHARE * evaluation.segments:
        what = f"{100 * most / evaluation.segments:.0f} % of segments have one word to order"
        mean = f"and count as 1 in the mean of {joined(lifted)}"
        note(f"{what} {mean}: -O=degenerate=skip leaves them out")


def _skipping(evaluation: Evaluation) -> str:
    """Name the metrics that left out a segment."""
    scores = (score for system in evaluation.systems for score in system.scores)
    names = list(dict.fromkeys(each.signature.metric for each in scores if each.skipped))
    return joined(names) if len(names) <= _NAMED else f"{len(names)} of the metrics"
