"""What readers see above the columns of a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from wordorder.errors import UsageError
from wordorder.metrics import METRICS
from wordorder.metrics.called import NAMED, called
from wordorder.metrics.formula import named_metric
from wordorder.report.symbols import arrow

# What follows the name of a metric in the names of columns: of its values, and of differences.
_VALUES = ("", "of", "without")
_DIFFERENCES = ("lost",)
# Metrics whose names are the names of other columns too.
_WORDS = ("precision", "recall", "unaligned", "mix")


def heading(column: str, arrows: Callable[[bool], str] = arrow) -> str:
    """Return the name of a column with its metric as papers call it, and where that is better.

    Parameters
    ----------
    column : str
    arrows : function of bool to str
        Writes the direction of the metric behind its name.

    Examples
    --------
    >>> heading("frs"), heading("CDER of A"), heading("per cent"), heading("words")
    ('FRS ↑', 'CDER ↓ of A', 'per cent', 'words')
    >>> heading("frs lost"), heading("cder(penalty=mean) of B")
    ('FRS lost', 'CDER(penalty=mean) ↓ of B')
    """
    name, rest = _metric_first(column)
    follows = rest.split(" ")[0]
    if not name or follows not in (*_VALUES, *_DIFFERENCES):
        return column
    better = higher_is_better(name) if follows in _VALUES else None
    shown = called(name) if better is None else f"{called(name)} {arrows(better)}"
    return f"{shown} {rest}".rstrip(" ")


@cache
def higher_is_better(name: str) -> bool | None:
    """Return the direction of a metric, with options or without; None if it cannot be made.

    Examples
    --------
    >>> higher_is_better("frs"), higher_is_better("cder(penalty=mean)"), higher_is_better("words")
    (True, False, None)
    """
    try:
        return named_metric(name).higher_is_better
    except UsageError:
        return None


def _metric_first(column: str) -> tuple[str, str]:
    """Return the metric that a column begins with, and what follows; "" if there is none."""
    for name, shown in NAMED.items():
        for begin in (name, shown):
            if column == begin or column.startswith((f"{begin} ", f"{begin}(")):
                options, bracket, rest = column[len(begin) :].partition(")")
                if column.startswith(f"{begin}(") and bracket:
                    return f"{name}{options})", rest.strip(" ")
                return name, column[len(begin) :].strip(" ")
    first, _, rest = column.partition(" ")
    return (first, rest) if first in METRICS.built_in and first not in _WORDS else ("", column)
