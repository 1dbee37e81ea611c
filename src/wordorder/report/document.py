"""The output of a command, as tables and paragraphs that any format can lay out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wordorder.counts import DECIMALS
from wordorder.drawing.width import display_width, padded, printable
from wordorder.errors import choose
from wordorder.report.tables import (
    Cell,
    Legend,
    cell_texts,
    number_columns,
    paragraph,
    paragraphs,
    table,
)


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


_SIGNS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "×": r"$\times$",
    "…": r"\dots{}",
}

_SPECIAL = re.compile("|".join(map(re.escape, _SIGNS)))

# The sign of a number, alone or in an interval.
_MINUS = re.compile(r"(?<![\w.)])-(?=[\d.])")

# Between the ranks that a system may have.
_RANGE = re.compile(r"(\d+)-(\d+)")


def document_latex(document: Document) -> str:
    """Lay out each table as a ``tabular`` of booktabs; notes and signatures are comments.

    Examples
    --------
    >>> print(document_latex(Document((Table([["a_b", -0.5]], ["system", "frs ↑"]),), (),
    ...                               ("frs|v:1",))))
    % needs \\usepackage{booktabs}
    <BLANKLINE>
    \\begin{tabular}{lr}
    \\toprule
    system & frs $\\uparrow$ \\\\
    \\midrule
    a\\_b & $-$0.5000 \\\\
    \\bottomrule
    \\end{tabular}
    <BLANKLINE>
    % signature: frs|v:1
    <BLANKLINE>
    """
    blocks = [r"% needs \usepackage{booktabs}", *map(_part, document.parts)]
    signatures = [f"signature: {each}" for each in document.signatures]
    foot = "\n".join(_comment(each) for each in (*document.notes, *signatures))
    return "\n\n".join([*blocks, *filter(None, [foot])]) + "\n"


def latex_escaped(text: str) -> str:
    r"""Write a text so that LaTeX sets it as it is.

    Examples
    --------
    >>> print(latex_escaped("95 % of a_b: [-0.1, 0.2]"))
    95 \% of a\_b: [$-$0.1, 0.2]
    """
    return _MINUS.sub("$-$", _SPECIAL.sub(lambda sign: _SIGNS[sign[0]], printable(text)))


def _part(part: Part) -> str:
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Title):
        return f"%% {printable(part.text)}"
    return "\n".join(map(_comment, part.split("\n")))


def _table(given: Table) -> str:
    """Lay out a table; groups of rows are set apart by a small space."""
    head, *body = cell_texts(given.rows, given.header, given.decimals)
    right = number_columns(given.rows, len(head))
    lines = [
        rf"\begin{{tabular}}{{{''.join('r' if each else 'l' for each in right)}}}",
        r"\toprule",
        _row(head),
        r"\midrule",
    ]
    for number, row in enumerate(body):
        lines.append(_row(row))
        if number in given.ends:
            lines.append(r"\addlinespace")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _row(cells: list[str]) -> str:
    ranges = [_RANGE.fullmatch(cell) for cell in cells]
    shown = [
        f"{found[1]}--{found[2]}" if found else latex_escaped(cell)
        for cell, found in zip(cells, ranges, strict=True)
    ]
    line = " & ".join(shown)
    # The end of the row before it would take these signs for its own options.
    guard = "{}" if line.startswith(("[", "*", "(")) else ""
    return rf"{guard}{line} \\"


def _comment(text: str) -> str:
    return f"% {printable(text)}"


# What Markdown or HTML would take for a sign.
_MARKDOWN_SIGNS = re.compile(r"([\\`*_{}\[\]|#])")

# Signs that not all readers of Markdown let a backslash protect.
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "~": "&#126;"})


def document_markdown(document: Document) -> str:
    """Lay out titles, tables and paragraphs; signatures are code, below everything.

    Examples
    --------
    >>> print(document_markdown(Document((Table([["a_b", 0.5]], ["system", "frs ↑"]),), (),
    ...                                  ("frs|v:1",))))
    | system |  frs ↑ |
    | :----- | -----: |
    | a\\_b   | 0.5000 |
    <BLANKLINE>
    Signature: `frs|v:1`
    <BLANKLINE>
    """
    blocks = [_markdown_part(part) for part in document.parts]
    blocks += [markdown_escaped(note) for note in document.notes]
    if len(document.signatures) == 1:
        blocks.append(f"Signature: {_code(document.signatures[0])}")
    elif document.signatures:
        lines = [f"- {_code(each)}" for each in document.signatures]
        blocks.append("\n".join(["Signatures:", "", *lines]))
    return "\n\n".join(blocks) + "\n"


def markdown_escaped(text: str) -> str:
    """Write a text so that Markdown shows it as it is.

    Examples
    --------
    >>> markdown_escaped("a|b *c* [0.1, 0.2]")
    'a\\\\|b \\\\*c\\\\* \\\\[0.1, 0.2\\\\]'
    """
    return _MARKDOWN_SIGNS.sub(r"\\\1", printable(text)).translate(_ENTITIES)


def _markdown_part(part: Part) -> str:
    if isinstance(part, Table):
        return _markdown_table(part)
    if isinstance(part, Title):
        return f"### {markdown_escaped(part.text)}"
    return "  \n".join(map(markdown_escaped, part.split("\n")))


def _markdown_table(given: Table) -> str:
    """Lay out a table whose source can be read too."""
    head, *body = [
        [markdown_escaped(cell) for cell in row]
        for row in cell_texts(given.rows, given.header, given.decimals)
    ]
    right = number_columns(given.rows, len(head))
    widths = [max(4, *(display_width(row[c]) for row in [head, *body])) for c in range(len(head))]
    lines = ["| " + " | ".join(map(padded, row, widths, right)) + " |" for row in [head, *body]]
    dashes = ["-" * (width - 1) for width in widths]
    marks = [f"{d}:" if r else f":{d}" for d, r in zip(dashes, right, strict=True)]
    lines.insert(1, f"| {' | '.join(marks)} |")
    return "\n".join(lines)


def _code(text: str) -> str:
    """Write a text as code, whatever grave accents it has."""
    fence = "`"
    while fence in text:
        fence += "`"
    blank = " " if "`" in text else ""
    return f"{fence}{blank}{printable(text)}{blank}{fence}"
