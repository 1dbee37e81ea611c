"""Sections of an analysis as text for a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wordorder.analysis.section import Section, Value
from wordorder.drawing.marks import Marked
from wordorder.drawing.width import display_width, printable
from wordorder.report.headings import heading
from wordorder.report.legend import Legend
from wordorder.report.lines import paragraph
from wordorder.report.marks import in_letters, key_in_letters, styled
from wordorder.report.tables import table

# Texts that take more columns go below their row, unless they are its name.
WIDE = 30
EXAMPLES = 3
_SENTENCE = re.compile(r"(?<=\.) +(?=[A-Z])")


def sections_text(sections: Sequence[Section], *, signature: str = "") -> str:
    """Lay sections out one below the other.

    Parameters
    ----------
    sections : sequence of Section
    signature : str
        What need not be said at the foot of each table: it is said elsewhere.

    Returns
    -------
    str
        For each a title, the reading, the table with the numbers of some sentences (from 1) and
        the note and the signature. What an earlier note said is not said again. Long texts
        are printed below their row.

    Examples
    --------
    >>> section = Section("a", "Words", "The worst is 'the'.", ("form", "lost"), (("the", 2.5),))
    >>> print(sections_text([section]))
    Words
    =====
    The worst is 'the'.
    <BLANKLINE>
    form    lost
    ----  ------
    the   2.5000
    """
    said = {signature}
    return "\n\n\n".join(_section(section, said) for section in sections)


def _section(section: Section, said: set[str]) -> str:
    title = paragraph(section.title)
    line = "=" * max(map(display_width, title.split("\n")))
    parts = [f"{title}\n{line}\n{paragraph(section.reading)}"]
    if section.rows:
        parts.append(_table(section))
    fresh = [each for each in _SENTENCE.split(section.notes) if each and each not in said]
    said.update(fresh)
    if fresh:
        note = " ".join(fresh)
        parts.append(styled(paragraph(key_in_letters(note))) if section.marked else paragraph(note))
    if section.signature and section.signature not in said:
        said.add(section.signature)
        parts.append(printable(section.signature))
    return "\n\n".join(parts)


def _table(section: Section) -> str:
    """Lay out the table, with example sentences as its last column."""
    header = [heading(name) for name in section.header]
    rows = [list(row) for row in section.rows]
    # A table of sentences names them already.
    if section.examples and header[0] != "sentence":
        header.append("examples")
        for row, sentences in zip(rows, section.examples, strict=True):
            row.append(" ".join(str(number + 1) for number in sentences[:EXAMPLES]))
    # What is marked is never broken into lines beside other cells.
    long = [c for c in range(1, len(header)) if any(_is_below(row[c]) for row in rows)]
    if not long:
        return table(rows, header)
    short = [c for c in range(len(header)) if c not in long]
    legend = Legend()
    names = [printable(header[c]) for c in long]
    if max(map(display_width, names)) > legend.width // 2:
        legend.add(word for name in names for word in name.split(" "))
        names = [legend.short_words(name) for name in names]
    width = max(map(display_width, names))
    below = [
        [
            _below(
                row[c],
                f"    {name}{' ' * (width - display_width(name))}  ",
                " " * (width + 6),
            )
            for c, name in zip(long, names, strict=True)
        ]
        for row in rows
    ]
    shown = [[row[c] for c in short] for row in rows]
    laid_out = table(shown, [header[c] for c in short], below=below, legend=legend)
    return "\n\n".join(filter(None, [laid_out, legend.text()]))


def _is_below(cell: Value) -> bool:
    """Say whether a cell is printed below its row: it is long, or it has marks."""
    if isinstance(cell, Marked):
        return True
    return isinstance(cell, str) and display_width(printable(cell)) > WIDE


def _below(cell: Value, first: str, others: str) -> str:
    """Write a cell that is printed below its row."""
    if isinstance(cell, Marked):
        return styled(paragraph(in_letters(cell), first, others))
    return paragraph("" if cell is None else str(cell), first, others)
