"""Documents in LaTeX: tables in the style of booktabs, everything else as comments."""

from __future__ import annotations

import re

from wordorder.drawing.width import printable
from wordorder.report.document import Document, Part, Table, Title
from wordorder.report.tables import cell_texts, number_columns

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


def escaped(text: str) -> str:
    r"""Write a text so that LaTeX sets it as it is.

    Examples
    --------
    >>> print(escaped("95 % of a_b: [-0.1, 0.2]"))
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
        f"{found[1]}--{found[2]}" if found else escaped(cell)
        for cell, found in zip(cells, ranges, strict=True)
    ]
    line = " & ".join(shown)
    # The end of the row before it would take these signs for its own options.
    guard = "{}" if line.startswith(("[", "*", "(")) else ""
    return rf"{guard}{line} \\"


def _comment(text: str) -> str:
    return f"% {printable(text)}"
