"""A small table as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from wordorder.counts import counted
from wordorder.drawing.tree_labels import drawable

_SHOWN = 50


def table_html(name: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table with its name; of more than 50 rows the first, and how many more there are.

    Parameters
    ----------
    name : str
        Its caption.
    header : sequence of str
    rows : rows of str
        The first cell of a row is its head.

    Examples
    --------
    >>> table_html("frs", ["system", "score"], [["<A>", "0.5"]]).count("&lt;A&gt;")
    1
    """

    def cells(row: Sequence[str], kinds: Sequence[str]) -> str:
        texts = (escape(drawable(text)) for text in row)
        return "".join(f"<{k}>{text}</{k}>" for k, text in zip(kinds, texts, strict=True))

    kinds = ["th", *["td"] * (len(header) - 1)]
    lines = [
        f"<table><caption>{escape(drawable(name))}</caption>",
        f"<thead><tr>{cells(header, ['th'] * len(header))}</tr></thead>",
        "<tbody>",
        *(f"<tr>{cells(row, kinds)}</tr>" for row in rows[:_SHOWN]),
        "</tbody></table>",
    ]
    if len(rows) > _SHOWN:
        lines.append(f"<p>… {counted(len(rows) - _SHOWN, 'more row')}</p>")
    return "\n".join(lines)
