"""One note for all metrics that leave out the same data."""

from __future__ import annotations

from collections.abc import Iterable

from wordorder.counts import joined

# More names are counted, not listed.
_NAMED = 3


def left_out_remarks(gaps: Iterable[tuple[str, str]]) -> list[str]:
    """Say which metrics leave out how much.

    Parameters
    ----------
    gaps : pairs of a metric and what it leaves out

    Examples
    --------
    >>> left_out_remarks([("frs", "2 choices"), ("pet", "1 choice"), ("ulam", "2 choices")])
    ['frs and ulam leave out 2 choices', 'pet leaves out 1 choice']
    """
    metrics: dict[str, list[str]] = {}
    for metric, what in gaps:
        metrics.setdefault(what, []).append(metric)
    remarks = []
    for what, names in metrics.items():
        listed = names
        if len(names) > _NAMED:
            listed = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more metrics"]
        verb = "leaves" if len(names) == 1 else "leave"
        remarks.append(f"{joined(listed)} {verb} out {what}")
    return remarks
