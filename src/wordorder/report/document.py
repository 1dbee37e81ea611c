"""The output of a command, as tables and paragraphs that any format can lay out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wordorder.counts import DECIMALS
from wordorder.errors import choose
from wordorder.report.legend import Legend
from wordorder.report.lines import paragraph, paragraphs
from wordorder.report.tables import Cell, table


@dataclass(frozen=True)
class Table:
    """A table that is not laid out yet.

    Attributes
    ----------
    rows : rows of cells, all of one length
    header : sequence of str
    decimals : int
        Of floats.
    ends : tuple of int
        The rows, counted from 0, after which there is a space: groups of systems.
    """

    rows: Sequence[Sequence[Cell]]
    header: Sequence[str]
    decimals: int = DECIMALS
    ends: tuple[int, ...] = ()

    def to_text(self, legend: Legend | None = None) -> str:
        """Lay the table out for a terminal, as `wordorder.report.tables.table` does."""
        below = [[""] * (row in self.ends) for row in range(len(self.rows))]
        return table(self.rows, self.header, decimals=self.decimals, legend=legend, below=below)


@dataclass(frozen=True)
class Title:
    """The heading of what follows."""

    text: str


Part: TypeAlias = "Table | Title | str"


@dataclass(frozen=True)
class Document:
    """The output of a command.

    Attributes
    ----------
    parts : tuple of Table, Title or str
        A str is a paragraph; its lines stay lines.
    notes : tuple of str
        How to read the tables, and how the numbers came about.
    signatures : tuple of str
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...]
    signatures: tuple[str, ...]


def document_text(document: Document) -> str:
    """Lay a document out for a terminal; long names are explained below all tables.

    Examples
    --------
    >>> print(document_text(Document((Table([["A", 0.5]], ["system", "frs"]),), ("1 segment",),
    ...                              ("frs|v:1",))))
    system     frs
    ------  ------
    A       0.5000
    <BLANKLINE>
    1 segment
    frs|v:1
    <BLANKLINE>
    """
    legend = Legend()
    blocks = [_text(part, legend) for part in document.parts]
    foot = "\n".join([*map(paragraph, document.notes), *document.signatures])
    return "\n\n".join(filter(None, [*blocks, legend.text(), foot])) + "\n"


def printed(document: Document, form: str) -> str:
    """Lay a document out as ``text``, ``markdown`` or ``latex``.

    Raises
    ------
    UsageError
        If there is no such form.

    Examples
    --------
    >>> print(printed(Document((Title("frs"),), (), ("frs|v:1",)), "markdown"))
    ### frs
    <BLANKLINE>
    Signature: `frs|v:1`
    <BLANKLINE>
    """
    from wordorder.report.latex import document_latex
    from wordorder.report.markdown import document_markdown

    forms: dict[str, Callable[[Document], str]] = {
        "text": document_text,
        "markdown": document_markdown,
        "latex": document_latex,
    }
    return forms[choose("form", form, tuple(forms))](document)


def _text(part: Part, legend: Legend) -> str:
    """Lay out one part."""
    if isinstance(part, Table):
        return part.to_text(legend)
    if isinstance(part, Title):
        return paragraph(part.text)
    return paragraphs(part)
