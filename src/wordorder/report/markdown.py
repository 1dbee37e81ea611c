"""Documents in Markdown, for pages of code hosts and notebooks."""

from __future__ import annotations

import re

from wordorder.drawing.width import display_width, padded, printable
from wordorder.report.document import Document, Part, Table, Title
from wordorder.report.tables import cell_texts, number_columns

# What Markdown or HTML would take for a sign.
_SIGNS = re.compile(r"([\\`*_{}\[\]|#])")
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
    blocks = [_part(part) for part in document.parts]
    blocks += [escaped(note) for note in document.notes]
    if len(document.signatures) == 1:
        blocks.append(f"Signature: {_code(document.signatures[0])}")
    elif document.signatures:
        lines = [f"- {_code(each)}" for each in document.signatures]
        blocks.append("\n".join(["Signatures:", "", *lines]))
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """Write a text so that Markdown shows it as it is.

    Examples
    --------
    >>> escaped("a|b *c* [0.1, 0.2]")
    'a\\\\|b \\\\*c\\\\* \\\\[0.1, 0.2\\\\]'
    """
    return _SIGNS.sub(r"\\\1", printable(text)).translate(_ENTITIES)


def _part(part: Part) -> str:
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Title):
        return f"### {escaped(part.text)}"
    return "  \n".join(map(escaped, part.split("\n")))


def _table(given: Table) -> str:
    """Lay out a table whose source can be read too."""
    head, *body = [
        [escaped(cell) for cell in row]
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
