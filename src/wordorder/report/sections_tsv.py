"""Sections of an analysis as rows of a TSV."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.analysis.section import Section
from wordorder.report.tables import Cell


def section_cells(sections: Sequence[Section]) -> list[list[Cell]]:
    """Return a row for each cell of each section: section, row (from 1), column, value.

    The numbers of example sentences (from 1) are a further column ``examples``, with blanks between
    them.

    Examples
    --------
    >>> section_cells([Section("a", "A", "", ("word", "lost"), (("of", 2),), ((0, 4),))])
    [['a', 1, 'word', 'of'], ['a', 1, 'lost', 2], ['a', 1, 'examples', '1 5']]
    """
    rows: list[list[Cell]] = []
    for section in sections:
        for number, row in enumerate(section.rows, 1):
            cells = zip(section.header, row, strict=True)
            rows += [[section.key, number, column, value] for column, value in cells]
            if section.examples and section.examples[number - 1]:
                shown = " ".join(str(i + 1) for i in section.examples[number - 1])
                rows.append([section.key, number, "examples", shown])
    return rows
