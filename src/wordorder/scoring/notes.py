"""Notes on skipped segments and words, and on scores that are unreliable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wordorder.messages import counted, joined, percent
from wordorder.metrics.contract import BaseMetric
from wordorder.notes import note, note_counts
from wordorder.scoring.files import FileKind
from wordorder.scoring.systems import Evaluation
from wordorder.statistics.intervals import FEW_SEGMENTS, true_level

# Numbers of skipped lines, and names of systems or metrics, that a note lists.
_MAX_LISTED = 5
# From this share on, segments of one word, which count as 1, noticeably raise a mean.
ONE_WORD_SHARE = 0.01
# Outputs that link a smaller share of the source words are hardly comparable with the reference.
_MIN_LINKED_SHARE = 0.5


def note_left_out(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], kind: FileKind | type[FileKind]
) -> None:
    """Note the words and segments that the scores leave out.

    Parameters
    ----------
    evaluation : Evaluation
    metrics : sequence of BaseMetric
        The metrics of the evaluation.
    kind : FileKind
        The kind of the files.
    """
    if any("permutation" in metric.columns for metric in metrics):
        counts = [(system.name, system.dropped) for system in evaluation.systems]
        shares = {system.name: system.dropped_words.shares for system in evaluation.systems}
        note_counts(counts, kind.dropped, "system", "word", shares)
        _note_few_links(evaluation)
        _note_one_word(evaluation, metrics)
    if evaluation.skipped:
        lines = ", ".join(map(str, evaluation.skipped_lines[:_MAX_LISTED]))
        ellipsis = ", ..." if evaluation.skipped > _MAX_LISTED else ""
        reason = f"that {_skipping_metrics(evaluation)} cannot score"
        if kind.orders_alone:
            reason = too_few_words(str(metric.signature()) for metric in metrics)
        share = f"{percent(evaluation.skipped, evaluation.segments)} of segments"
        noun = kind.row if evaluation.skipped == 1 else f"{kind.row}s"
        count = counted(evaluation.skipped, "segment")
        # Rows of tables on an engine have no line numbers.
        where = f": {noun} {lines}{ellipsis}" if lines else ""
        note(f"skipped {count} {reason} ({share}){where}")


def note_few(evaluation: Evaluation) -> None:
    """Note that intervals and tests over few segments or documents are unreliable."""
    count, unit = evaluation.segments - evaluation.skipped, "segment"
    if evaluation.documents is not None:
        count, unit = len(evaluation.documents), "document"
        if count == 1:
            note("1 document: no interval and no test, since documents are drawn")
            return
    if 0 < count < FEW_SEGMENTS:
        problem = f"{counted(count, unit)}: intervals and tests of so few claim too much"
        coverage = f"holds the true value about {100 * true_level(count):.0f} % of the time"
        note(f"{problem}: a 95 % interval {coverage}")


def too_few_words(signatures: Iterable[str]) -> str:
    """Describe the segments that order metrics leave out, for a note.

    Examples
    --------
    >>> too_few_words(["frs|average:segment|degenerate:skip|v:1.0.0rc1"])
    'without two words to order'
    """
    skips_one_word = any("degenerate:skip" in signature for signature in signatures)
    return f"without {'two words' if skips_one_word else 'a word'} to order"


def _note_few_links(evaluation: Evaluation) -> None:
    """Note the systems that link far fewer source words than the reference."""
    shares = [
        f"{system.name} {percent(words.matched, words.matchable)}"
        for system in evaluation.systems
        if (words := system.dropped_words).matchable
        and words.matched < _MIN_LINKED_SHARE * words.matchable
        # In orders from links, unlinked words are dropped; texts have no links.
        and any(("null", "drop") in score.signature.fields for score in system.scores)
    ]
    if shares:
        omitted = len(shares) - _MAX_LISTED
        remark = f" and {omitted} more" if omitted > 0 else ""
        listed_shares = f"{', '.join(shares[:_MAX_LISTED])}{remark}"
        note(f"of the source words that the reference links, outputs link few: {listed_shares}")


def _note_one_word(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> None:
    """Note the share of segments of one word if they raise the mean of a metric noticeably."""
    from wordorder.metrics.order.chunks import OrderMetric

    names = [
        metric.name
        for metric in metrics
        if isinstance(metric, OrderMetric)
        and (metric.average, metric.degenerate) == ("segment", "standard")
    ]
    max_count = max((system.one_word for system in evaluation.systems), default=0)
    if names and max_count and max_count >= ONE_WORD_SHARE * evaluation.segments:
        share = f"{100 * max_count / evaluation.segments:.0f} % of segments"
        effect = f"have one word to order and count as 1 in the mean of {joined(names)}"
        note(f"{share} {effect}: -O=degenerate=skip leaves them out")


def _skipping_metrics(evaluation: Evaluation) -> str:
    """List the metrics that left out a segment."""
    scores = (score for system in evaluation.systems for score in system.scores)
    names = list(dict.fromkeys(score.signature.metric for score in scores if score.skipped))
    return joined(names) if len(names) <= _MAX_LISTED else f"{len(names)} of the metrics"
