"""What `score` and `compare` say beside their numbers, each thing once."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from wordorder.counts import counted
from wordorder.errors import WordOrderWarning

if TYPE_CHECKING:
    from wordorder.metrics.systems import Evaluation

_NUMBER = re.compile(r"[0-9]+([.,][0-9]+)*(e[+-]?[0-9]+)?")
# Skipped lines that are named.
_NAMED = 5
# Systems or files that have a note of their own.
_EACH = 3
# Characters by which a note is named again.
_SHOWN = 50


@contextlib.contextmanager
def one_note_of_a_kind() -> Iterator[None]:
    """Show the first of the notes that differ only in numbers, and at the end how many there were.

    A metric is asked for statistics part by part, on several threads, and may have the same thing
    to say of each.
    """
    show = warnings.showwarning
    lock = Lock()
    found: dict[str, list[str]] = {}

    def once(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, WordOrderWarning):
            show(message, category, *place, **more)
            return
        text = str(message)
        with lock:
            alike = found.setdefault(_NUMBER.sub("#", text), [])
            alike.append(text)
            first = len(alike) == 1
        if first:
            show(message, category, *place, **more)

    warnings.showwarning = once
    try:
        yield
    finally:
        warnings.showwarning = show
        for alike in found.values():
            others = len(alike) - 1
            if len(set(alike)) > 1:
                start = alike[0][:_SHOWN].rsplit(" ", 1)[0]
                text = f'{counted(others, "more note")} like "{start} ..."'
                warnings.warn(text, WordOrderWarning, stacklevel=2)


def note_left_out(evaluation: Evaluation, metrics: Sequence[Any], held: str, aligner: bool) -> None:
    """Say on standard error what did not take part in the scores.

    Parameters
    ----------
    evaluation : Evaluation
    metrics : sequence of Metric
        Those that made it.
    held : "orders", "text", "alignments" or "trees"
        What the files hold.
    aligner : bool
        Whether the word orders come from matching words.
    """
    from wordorder.metrics.contract import columns_of

    if not evaluation.segments:
        _note("no segments: the files are empty, and their scores say nothing")
    if any("permutation" in columns_of(metric) for metric in metrics):
        said = "left out {} that only one of system and reference has"
        if held == "text":
            why = "without a match" if aligner else "that only one alignment links"
            said = f"the word orders leave out {{}} {why}"
        found = [(system.name, system.dropped) for system in evaluation.systems]
        _note_each(found, said, "system", "word")
    if evaluation.skipped:
        numbers = ", ".join(map(str, evaluation.skipped_lines[:_NAMED]))
        more = ", ..." if evaluation.skipped > _NAMED else ""
        why = "without a word to order"
        if held != "orders":
            why = f"that {_skipping(evaluation)} cannot score"
        place = "sentence" if held == "trees" else "line"
        _note(
            f"skipped {counted(evaluation.skipped, 'segment')} {why}: "
            f"{place if evaluation.skipped == 1 else place + 's'} {numbers}{more}"
        )


def note_without_links(sources: Sequence[Any]) -> None:
    """Say on standard error which files of alignments lack links, once they have been read."""
    from wordorder.cli.alignment_rows import AlignmentRows

    read = [source for source in sources if isinstance(source, AlignmentRows)]
    if read:
        said = f"no link in {{}} of {counted(read[0].lines, 'alignment')}"
        _note_each([(source.name, source.without_links) for source in read], said, "file")


def _note_each(found: Sequence[tuple[str, int]], said: str, what: str, noun: str = "") -> None:
    """Say a count of each of a few, and the range of many; those that count nothing are fine."""
    found = [(name, count) for name, count in found if count]
    if len(found) <= _EACH:
        for name, count in found:
            _note(f"{name}: {said.format(counted(count, noun) if noun else count)}")
        return
    counts = [count for _, count in found]
    most = counted(max(counts), noun) if noun else max(counts)
    between = f"{min(counts)} to {most}" if min(counts) < max(counts) else f"{most} each"
    _note(f"{counted(len(found), what)}: {said.format(between)}")


def _note(message: str) -> None:
    warnings.warn(message, WordOrderWarning, stacklevel=3)


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
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
