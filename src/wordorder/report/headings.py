"""What readers see above the columns of a table."""

from __future__ import annotations

from wordorder.metrics.called import called

# What follows the name of a metric in the names of columns.
_AFTER = ("", "of", "without", "lost")


def heading(column: str) -> str:
    """Return the name of a column with its metric as papers call it.

    Examples
    --------
    >>> heading("frs"), heading("cder of A"), heading("per cent"), heading("words")
    ('FRS', 'CDER of A', 'per cent', 'words')
    """
    metric, blank, rest = column.partition(" ")
    return f"{called(metric)}{blank}{rest}" if rest.split(" ")[0] in _AFTER else column
