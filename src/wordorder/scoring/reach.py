"""Which metrics the options for translations reach, and what is said where they do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wordorder.counts import joined
from wordorder.errors import UsageError
from wordorder.notes import note
from wordorder.scoring.files import Files

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric


def check_reach(files: Files, metrics: Sequence[BaseMetric]) -> None:
    """Note each option that some of the metrics do not see.

    Raises
    ------
    UsageError
        If none of them sees it.
    """
    members = list(_members(metrics))
    read = {column for member in members for column in member.columns}
    raw = [member for member in members if set(member.columns) == {"lines"}]
    if files.tokenizer != "none" and raw:
        own = _own_option(raw, files.tokenizer)
        message = f"--tokenizer does not reach {_names(raw)}: the lines are read as they are{own}"
        _say(message, nobody=len(raw) == len(members))
    if files.aligner is not None:
        own = "; meteor matches words by options of its own (-O meteor.language=...)"
        own = own if any(member.name == "meteor" for member in members) else ""
        if "permutation" not in read:
            _say(f"--aligner makes word orders, which no metric here reads{own}", nobody=True)
        elif own:
            _say(f"--aligner makes word orders{own}", nobody=False)
    if files.compares_alignments and read.isdisjoint({"permutation", "links"}):
        _say("alignments make word orders, which no metric here reads: name some, -m frs,kendall")


def _say(message: str, *, nobody: bool = True) -> None:
    """Refuse an option that does nothing, and note one that does something for some."""
    if nobody:
        raise UsageError(message)
    note(message)


def _members(metrics: Sequence[BaseMetric]) -> Iterator[BaseMetric]:
    """Yield the metrics, and instead of a sum what it adds up."""
    for metric in metrics:
        if metric.members:
            yield from _members([member for _, member in metric.members])
        else:
            yield metric


def _own_option(metrics: Sequence[BaseMetric], tokenizer: str) -> str:
    """Name the option that does for one of the metrics what the tokenizer does for others."""
    from wordorder.metrics.options import defaults

    for metric in metrics:
        if "tokenize" in defaults(type(metric)):
            return f", and cut by -O {metric.name}.tokenize={tokenizer}"
    return ", and cut by options of the metric"


def _names(metrics: Sequence[BaseMetric]) -> str:
    """Name some metrics, each once."""
    return joined(list(dict.fromkeys(metric.name for metric in metrics)))
