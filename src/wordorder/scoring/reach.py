"""Which metrics the options for translations reach, and what is said where they do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wordorder.counts import joined
from wordorder.errors import UsageError
from wordorder.notes import note
from wordorder.scoring.files import Files


def check_reach(files: Files, metrics: Sequence[Any]) -> None:
    """Note each option that some of the metrics do not see.

    Raises
    ------
    UsageError
        If none of them sees it.
    """
    from wordorder.metrics.contract import columns_of

    members = list(_members(metrics))
    read = set().union(*map(columns_of, members))
    raw = [member for member in members if set(columns_of(member)) == {"lines"}]
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


def _members(metrics: Sequence[Any]) -> Iterator[Any]:
    """Yield the metrics, and instead of a sum what it adds up."""
    for metric in metrics:
        members = getattr(metric, "members", None)
        if members is None:
            yield metric
        else:
            yield from _members([member for _, member in members])


def _own_option(metrics: Sequence[Any], tokenizer: str) -> str:
    """Name the option that does for one of the metrics what the tokenizer does for others."""
    for metric in metrics:
        if hasattr(metric, "tokenize"):
            return f", and cut by -O {metric.name}.tokenize={tokenizer}"
    return ", and cut by options of the metric"


def _names(metrics: Sequence[Any]) -> str:
    """Name some metrics, each once."""
    return joined(list(dict.fromkeys(metric.name for metric in metrics)))
