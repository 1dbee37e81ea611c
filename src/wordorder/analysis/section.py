"""Tables of an analysis with their readings, and findings: sentences about the score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

from wordorder.arrays import Float64
from wordorder.statistics.intervals import Estimate
from wordorder.text.display import Marked

# A cell of a table: a text, a count, a score or mean, or None. Texts may come from users' files.
Value: TypeAlias = "str | int | float | None"


class Group(Enum):
    """The headings under which a page groups tables, in the order of the page."""

    SCORES = "Scores"
    WORDS = "Words"
    BLOCKS = "Moved blocks"
    TREES = "Trees and tags"
    RULES = "Rules"
    NEEDED = "Reordering that the sentences need"
    BREAKDOWNS = "Scores of groups of sentences"
    SENTENCES = "Single sentences"
    OTHERS = "More"


@dataclass(frozen=True)
class Section:
    """One table of an analysis.

    Attributes
    ----------
    key : str
        A unique short name of lower-case letters, digits and hyphens: ``words-by-form``.
    title : str
    reading : str
        What the table shows, in one or two sentences.
    header : tuple of str
    rows : tuple of tuples of Value
        One cell per column; the most important rows come first.
    examples : tuple of tuples of int
        For each row, the indices of sentences that show it; empty if no row has any.
    note : str
        An explanation of the columns, and what is left out.
    hidden : int
        The number of rows removed when the section was shortened.
    findings : tuple of Finding
        What the table says about the score.
    signature : str
        The signature of the numbers in the table; printed below it.
    group : Group
        The heading on the page.
    whole : bool
        True if the table is never shortened because its rows are few and belong together.

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
    group: Group = Group.OTHERS
    whole: bool = False

    @classmethod
    def of_columns(cls, columns: Mapping[str, Any], **options: Any) -> Section:
        """Make a section from columns; `options` are its other fields.

        Parameters
        ----------
        columns : mapping of str to sequence of Value, or array
            The cells of each column, by its header.

        Examples
        --------
        >>> columns = {"word": ["a", "b"], "lost": np.array([1, 2])}
        >>> Section.of_columns(columns, key="words", title="Words", reading="").rows
        (('a', 1), ('b', 2))
        """
        cells = [
            column.tolist() if isinstance(column, np.ndarray) else column
            for column in columns.values()
        ]
        return cls(header=tuple(columns), rows=tuple(zip(*cells, strict=True)), **options)

    @property
    def notes(self) -> str:
        """The note, and the number of rows that are not shown."""
        if not self.hidden:
            return self.note
        rows = "1 more row is" if self.hidden == 1 else f"{self.hidden} more rows are"
        return f"{self.note} {rows} not shown.".strip()

    @property
    def marked(self) -> bool:
        """True if a cell has marks, which the note explains."""
        return any(isinstance(value, Marked) for row in self.rows for value in row)

    def to_columns(self) -> dict[str, list[Value]]:
        """Return the rows as columns, for ``pandas.DataFrame``.

        Examples
        --------
        >>> Section("words", "Words", "", ("word", "loss"), (("a", 1), ("b", 2))).to_columns()
        {'word': ['a', 'b'], 'loss': [1, 2]}
        """
        return {
            name: [plain_value(row[column]) for row in self.rows]
            for column, name in enumerate(self.header)
        }


def plain_value(value: Value) -> Value:
    """Return the value of a cell, a `Marked` text as a plain string."""
    return str(value) if isinstance(value, Marked) else value


@dataclass(frozen=True)
class Finding:
    """A sentence about what goes wrong, understandable without its table.

    Attributes
    ----------
    sentence : str
        The sentence: it names the system, what is wrong, and how many points that explains.
    explained : float
        How much of the loss is explained, in points: 0.021 of FRS is 2.1 points. Not negative.
        All findings of an analysis count points of one metric, so that they can be ranked: FRS for
        orders, CDER for translations.
    examples : tuple of int
        The indices of sentences that show it, the best example first.
    theme : str
        Findings with one theme describe the same errors in different ways; only the first of
        them is among the top findings. Empty if the finding has no theme.
    shown : int, optional
        The index of the sentence that a page draws on its first screen.
    systems : tuple of str
        The systems whose outputs are drawn there; if empty, the page chooses them.
    level : int
        Findings of a lower level come first: why a system is best (0), the parts of that (1),
        other findings about order (2), about words (3), and about words with punctuation attached
        to them (4).
    sure : bool
        True if it is statistically significant.
    compared : float64[S], optional
        The values that are tested: the loss of each segment or, once `beside_others` has compared
        the systems, that loss minus the mean loss of the other systems.
    seen : float64[S], optional
        How often each segment shows the finding, minus the mean of the other outputs. The segments
        with the highest values become the examples.
    words : tuple of set of int
        For each example the reference words that one of `systems` moves, as indices of
        ``texts.references.values``. The sentence is drawn only if the drawing shows the move.
    caption : str
        The caption of the drawing.
    direction : str
        Where the system puts these words: "early", "late", or "" for neither.
    candidates : int
        The number of systems from which the worst was chosen, by which the test is corrected; 1 for
        up to two systems.
    p_value : float, optional
        The p-value of a finding that was tested before, corrected for the rows of its own table.
    place : int
        The rank among the findings of one level, the lowest first.
    subject : set of (str, str)
        The words that it is about, each with the system that gets it wrong. Of two findings whose
        words include each other, only the first is among the top findings.
    """

    sentence: str
    explained: float
    examples: tuple[int, ...] = ()
    theme: str = ""
    shown: int | None = None
    systems: tuple[str, ...] = ()
    level: int = 2
    sure: bool = True
    compared: Float64 | None = field(default=None, compare=False, repr=False)
    seen: Float64 | None = field(default=None, compare=False, repr=False)
    words: tuple[frozenset[int], ...] = ()
    caption: str = ""
    direction: str = ""
    candidates: int = 1
    p_value: float | None = None
    place: int = 0
    subject: frozenset[tuple[str, str]] = frozenset()


def with_bounds(estimate: Estimate | None) -> tuple[Value, Value, Value]:
    """Return a value and the ends of its interval as cells; None for each if there is no value."""
    if estimate is None or math.isnan(estimate.value):
        return None, None, None
    return estimate.value, estimate.low, estimate.high


def shortened(sections: Sequence[Section], rows: int) -> list[Section]:
    """Return the sections with at most `rows` rows each, except those that are never shortened."""
    return [
        section
        if section.whole
        else replace(
            section,
            rows=section.rows[:rows],
            examples=section.examples[:rows],
            hidden=section.hidden + max(0, len(section.rows) - rows),
        )
        for section in sections
    ]


def signed(sections: Iterable[Section], signature: str) -> list[Section]:
    """Return the sections with a signature."""
    return [replace(section, signature=signature) for section in sections]


def numbered_sections(
    groups: Iterable[Iterable[Section]], *, findings: bool = True
) -> Iterator[Section]:
    """Yield the sections of several systems or metrics with unique keys.

    Parameters
    ----------
    groups : iterable of iterables of Section
        The sections of each system; those of the second one get keys that end in ``-2``.
    findings : bool
        Whether to keep the findings of all systems but the first. Findings about a worse system
        explain more, and would displace the others from the top findings.

    Examples
    --------
    >>> words = Section("words", "Words", "", (), ())
    >>> [section.key for section in numbered_sections([[words], [words], [words]])]
    ['words', 'words-2', 'words-3']
    """
    for number, sections in enumerate(groups, 1):
        for section in sections:
            if number == 1:
                yield section
            else:
                kept_findings = section.findings if findings else ()
                yield replace(section, key=f"{section.key}-{number}", findings=kept_findings)
