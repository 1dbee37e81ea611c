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

# Text, a count, a value or nothing. A float is a score or a mean; texts are never trusted.
Value: TypeAlias = "str | int | float | None"


class Group(Enum):
    """What a table is about: the heading under which a page puts it, in the order of the page."""

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
        A short name, one per section: ``words-by-form``. Of small letters, digits and hyphens.
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
    group : Group
        What it is about.
    whole : bool
        Whether it is never shortened: its rows are few, and follow each other.

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
    def of_columns(cls, columns: Mapping[str, Any], **others: Any) -> Section:
        """Make a section of its columns: a name, and a value or a number of an array a row.

        Examples
        --------
        >>> columns = {"word": ["a", "b"], "lost": np.array([1, 2])}
        >>> Section.of_columns(columns, key="words", title="Words", reading="").rows
        (('a', 1), ('b', 2))
        """
        listed = [
            each.tolist() if isinstance(each, np.ndarray) else each for each in columns.values()
        ]
        return cls(header=tuple(columns), rows=tuple(zip(*listed, strict=True)), **others)

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
            name: [plain_value(row[place]) for row in self.rows]
            for place, name in enumerate(self.header)
        }


def plain_value(value: Value) -> Value:
    """Return the value of a cell without its type `Marked`, as other programs know it."""
    return str(value) if isinstance(value, Marked) else value


@dataclass(frozen=True)
class Finding:
    """One sentence about what goes wrong, that can be read alone.

    Attributes
    ----------
    sentence : str
        Names the system, what is wrong, and how many points of the score that explains.
    explained : float
        How much of what the score lacks is explained, in points: 0.021 of FRS are 2.1 points.
        All findings of one analysis count the same points, so that they can be ranked: FRS for
        orders, CDER for translations. Not negative.
    examples : tuple of int
        Sentences that show it, counted from 0, the best first.
    theme : str
        Findings of one theme look at the same errors from several sides, and only the first of
        them is among the top findings. Empty for a finding of its own.
    shown : int, optional
        The sentence that shows it best, counted from 0: a page draws it on its first screen.
    systems : tuple of str
        Whose outputs are drawn there; the page chooses where there are none.
    level : int
        Findings of a lower level come first, whatever they explain: why a system is best (0), its
        parts (1), other findings about order (2), those about words (3), and about words with
        punctuation attached to them (4).
    sure : bool
        Whether it is more than chance.
    compared : float64[S], optional
        What each segment adds to the difference of the system from the others, on average, if
        the finding compares them; before that, what each segment loses. It is tested.
    seen : float64[S], optional
        How often a reader of each segment can see what the finding says, more often than in the
        other outputs. The segments that show it best become its examples.
    words : tuple of set of int
        For each of the examples the words of the reference that it is about: one of `systems` moves
        them there, as places in ``texts.references.values``. A sentence is drawn if that is seen.
    caption : str
        What is said under the drawing.
    direction : str
        The position of these words in the sentence: "early", "late", or "" if it has none.
    candidates : int
        Of how many systems this is the worst, if there are more than two: so many tests were
        possible.
    p_value : float, optional
        Of a finding that is tested already, corrected for the rows of its own table.
    place : int
        Of findings of one level those with a lower place come first.
    subject : set of (str, str)
        The words that it is about, each with the system that gets it wrong. A finding is left out
        of the top findings if its words are among those of an earlier one, or the other way round.
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
    """Return a value and its interval as cells, empty ones without them."""
    if estimate is None or math.isnan(estimate.value):
        return None, None, None
    return estimate.value, estimate.low, estimate.high


def shortened(sections: Sequence[Section], rows: int) -> list[Section]:
    """Return the sections with no more than so many rows each, but for those that stay whole."""
    return [
        each
        if each.whole
        else replace(
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


def numbered_sections(
    made: Iterable[Iterable[Section]], *, findings: bool = True
) -> Iterator[Section]:
    """Yield sections that are made once a system, or once a metric, with keys that differ.

    Parameters
    ----------
    made : iterable of iterables of Section
        One per system.
    findings : bool
        Whether those of the second and later ones have findings. Those of a worse system would
        explain more, and take the place of all others.

    Examples
    --------
    >>> words = Section("words", "Words", "", (), ())
    >>> [section.key for section in numbered_sections([[words], [words], [words]])]
    ['words', 'words-2', 'words-3']
    """
    for nth, sections in enumerate(made, 1):
        for each in sections:
            if nth == 1:
                yield each
            else:
                found = each.findings if findings else ()
                yield replace(each, key=f"{each.key}-{nth}", findings=found)
