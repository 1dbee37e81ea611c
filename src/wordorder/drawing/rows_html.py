"""The first rows of a column as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import islice
from typing import Protocol

from wordorder.counts import counted

_SHOWN = 5


class Drawn(Protocol):
    """What can be drawn as an SVG picture."""

    def to_svg(self) -> str:
        """Return the picture."""


def rows_html(name: str, rows: Iterable[Drawn], number: int) -> str:
    """Write the name of a column, the pictures of its first rows and how many more it has.

    Parameters
    ----------
    name : str
        The heading above the rows.
    rows : iterable
        All rows; the first are looked at.
    number : int
        How many rows the column has.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> html = Orders.from_rows([[0, 1]] * 7)._repr_html_()
    >>> html.count("<svg "), html.endswith("<p>… 2 more rows</p>")
    (5, True)
    """
    parts = [f"<p>{escape(name)}</p>"]
    parts += [f"<div>{row.to_svg()}</div>" for row in islice(rows, _SHOWN)]
    if number > _SHOWN:
        parts.append(f"<p>… {counted(number - _SHOWN, 'more row')}</p>")
    return "\n".join(parts)
