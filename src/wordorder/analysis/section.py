"""Section: one finding of an analysis as a table with a plain reading, for any output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from wordorder.analysis.finding import Finding
from wordorder.drawing.marks import Marked

# Text, a count, a value or nothing. A float is a score or a mean; texts are never trusted.
Value: TypeAlias = "str | int | float | None"


@dataclass(frozen=True)
class Section:
    """One table of an analysis.

    Attributes
    ----------
    key : str
        A short name, one a section: ``words-by-form``. Of small letters, digits and hyphens.
    title : str
    reading : str
        What the table shows, in a plain sentence or two.
    header : tuple of str
    rows : tuple of tuples of Value
        As wide as the header; the most important first.
    examples : tuple of tuples of int
        For each row, sentences that show it, counted from 0; empty if no row has any.
    note : str
        How to read the columns, or what is left out.
    hidden : int
        How many more rows there were before the section was shortened.
    findings : tuple of Finding
        What the table says about the score, each in a sentence that can be read alone.
    signature : str
        What the numbers of the table come from; shown at its foot.

    Examples
    --------
    >>> section = Section("words", "Words", "", ("word",), (("a",), ("b",)), note="By form.")
    >>> shortened([section], 1)[0].notes
    'By form. 1 more row is not shown.'
    """

    key: str
    title: str
    reading: str
    header: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    examples: tuple[tuple[int, ...], ...] = ()
    note: str = ""
    hidden: int = 0
    findings: tuple[Finding, ...] = ()
    signature: str = ""

    @property
    def notes(self) -> str:
        """The note, and how many rows are not shown."""
        if not self.hidden:
            return self.note
        rows = "1 more row is" if self.hidden == 1 else f"{self.hidden} more rows are"
        return f"{self.note} {rows} not shown.".strip()

    @property
    def marked(self) -> bool:
        """Whether a cell has marks, which the note explains."""
        return any(isinstance(value, Marked) for row in self.rows for value in row)

    def to_columns(self) -> dict[str, list[Value]]:
        """Return the rows as columns: ``pandas.DataFrame`` takes them.

        Examples
        --------
        >>> Section("words", "Words", "", ("word", "loss"), (("a", 1), ("b", 2))).to_columns()
        {'word': ['a', 'b'], 'loss': [1, 2]}
        """
        return {
            name: [_plain(row[place]) for row in self.rows]
            for place, name in enumerate(self.header)
        }

    def to_json(self) -> dict[str, object]:
        """Return the section as plain dictionaries and lists; sentences are counted from 1."""
        section: dict[str, object] = {
            "key": self.key,
            "title": self.title,
            "reading": self.reading,
            "rows": [dict(zip(self.header, map(_plain, row), strict=True)) for row in self.rows],
        }
        if self.examples:
            section["examples"] = [[number + 1 for number in row] for row in self.examples]
        if self.notes:
            section["note"] = self.notes
        if self.findings:
            section["findings"] = [finding.to_json() for finding in self.findings]
        if self.signature:
            section["signature"] = self.signature
        return section


def _plain(value: Value) -> Value:
    """Return a value as other programs know it."""
    return str(value) if isinstance(value, Marked) else value


def shortened(sections: Sequence[Section], rows: int) -> list[Section]:
    """Return the sections with no more than so many rows each."""
    return [
        replace(
            each,
            rows=each.rows[:rows],
            examples=each.examples[:rows],
            hidden=each.hidden + max(0, len(each.rows) - rows),
        )
        for each in sections
    ]


def signed(sections: Iterable[Section], signature: str) -> list[Section]:
    """Return the sections with what their numbers come from."""
    return [replace(each, signature=signature) for each in sections]
