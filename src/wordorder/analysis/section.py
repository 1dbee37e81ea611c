"""Section: one table of an analysis with its reading and findings, and the whole of all tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

from wordorder.analysis.corpus import AnalysedSystem, Corpus
from wordorder.analysis.grid import Grid
from wordorder.analysis.translations.translations import Translations
from wordorder.arrays import Float64
from wordorder.errors import UsageError, unknown_name
from wordorder.messages import number
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.order.chunks import OrderMetric
from wordorder.metrics.registry import called, spelt_out
from wordorder.metrics.text.edits import ErrorRate
from wordorder.scoring.by_length import LengthScores
from wordorder.statistics.intervals import NO_ESTIMATE, Estimate, estimated_on
from wordorder.statistics.measurement import NOT_COMPARED, Measurement
from wordorder.statistics.paired_tests import EQUAL, Comparison
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

    Examples
    --------
    >>> Finding("A puts 'not' too late in 12 sentences: 0.4 points of FRS.", 0.4, (3,)).to_json()
    {'sentence': "A puts 'not' too late in 12 sentences: 0.4 points of FRS.", 'explained': 0.4, \
'examples': [4]}
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

    def to_json(self) -> dict[str, object]:
        """Return the finding as a dictionary; sentences are counted from 1."""
        found: dict[str, object] = {
            "sentence": self.sentence,
            "explained": self.explained,
            "examples": [number + 1 for number in self.examples],
        }
        if self.shown is not None:
            found |= {"shown": self.shown + 1, "systems": list(self.systems)}
        return found


FINDINGS = 10

# So that the first findings do not all say the same.
OF_A_SECTION = 2


def top_findings(sections: Sequence[Section], count: int = FINDINGS) -> list[tuple[Finding, str]]:
    """Return the findings that explain most, each with the key of its section.

    Parameters
    ----------
    sections : sequence of Section
    count : int
        How many at most.

    Returns
    -------
    list of (Finding, str)
        Those of the lowest level first, of these the one that explains most; of equal ones that of
        the earlier section. Those that explain nothing are left out but for level 0, and so are
        all but the first two of a section (of levels from 2 on) and the first of a theme, those
        about the words of an earlier one, and those that explain as much as an earlier one and
        have its examples.

    Examples
    --------
    >>> words = Section("words", "Words", "", (), (), findings=(Finding("'of': 0.5.", 0.5),))
    >>> tags = Section("tags", "Tags", "", (), (), findings=(Finding("DET: 0.7 points.", 0.7),))
    >>> [(found.sentence, key) for found, key in top_findings([words, tags])]
    [('DET: 0.7 points.', 'tags'), ("'of': 0.5.", 'words')]
    """
    listed = [
        (finding, section.key)
        for section in sections
        for place, finding in enumerate(sorted(section.findings, key=_importance))
        if (finding.explained > 0 and place < OF_A_SECTION) or finding.level < 2
    ]
    # Two tables may say the same of the same words, as by tag and by label.
    told: dict[object, tuple[Finding, str]] = {}
    for finding, key in listed:
        same = (round(finding.explained, 9), finding.examples or finding.sentence)
        told.setdefault(same, (finding, key))
    ranked = sorted(told.values(), key=lambda each: _importance(each[0]))
    first: dict[object, tuple[Finding, str]] = {}
    for place, each in enumerate(ranked):
        first.setdefault(each[0].theme or place, each)
    top: list[tuple[Finding, str]] = []
    for finding, key in first.values():
        words = finding.subject
        subjects = [earlier.subject for earlier, _ in top if earlier.subject]
        if not (words and any(words <= other or words >= other for other in subjects)):
            top.append((finding, key))
    return top[:count]


def _importance(finding: Finding) -> tuple[int, int, float]:
    return finding.level, finding.place, -finding.explained


# What the points of findings are, for the heads of their lists.
OF_ORDERS = "A point is 0.01 of FRS. Findings overlap, so they do not add up."

_OF_CDER = (
    "A point is 0.01 of the cover disjoint error rate (CDER): one edit or jump per 100 reference "
    "words. Findings overlap, so they do not add up."
)


def of_translations(metric: str, sections: Sequence[Section]) -> str:
    """Explain the points in the findings about translations.

    Parameters
    ----------
    metric : str
        That of the answer.
    sections : sequence of Section
        Those of the analysis: whether one cuts the difference of two systems into parts, and
        whether words are characters.

    Examples
    --------
    >>> why = Section("frs-difference", "Why", "", (), (), findings=(Finding("A is better.", 1.0),))
    >>> of_translations("frs", [why]).startswith("The first finding says what")
    True
    >>> of_translations("cder", []) in of_translations("frs", [])
    True
    """
    characters = any("|tok:char|" in section.signature for section in sections)
    explained = f"{_OF_CDER} Words are characters here." if characters else _OF_CDER
    if metric == "cder":
        return explained
    start = f"{metric}-difference"
    pairs = sum(section.key.startswith(start) and bool(section.findings) for section in sections)
    if pairs:
        first = f"The first finding says what the difference in {called(metric)} is made of."
        if pairs > 1:
            first = f"Findings on two systems say what their difference in {called(metric)} is."
        return (
            f"{first} Where findings count CDER, it is because its edits add up word by word. "
            f"{explained}"
        )
    return (
        f"The answer compares {called(metric)}; the findings count CDER, because its edits add up "
        f"word by word. {explained}"
    )


def points(value: float) -> str:
    """Write points with one decimal, or with two where one would show none.

    Examples
    --------
    >>> points(12.34), points(1.04), points(0.034), points(-0.001)
    ('12.3', '1.0', '0.03', '0.00')
    """
    digits = 1 if abs(value) >= 0.095 else 2
    # Adding 0 takes the sign from what is rounded to nothing.
    return f"{round(value, digits) + 0.0:.{digits}f}"


def of_the_loss(lost: float, frs: float) -> str:
    """Say how many of a system's lost points of FRS are lost in one place.

    Parameters
    ----------
    lost : float
        In points.
    frs : float
        Of the system, in [0, 1].

    Examples
    --------
    >>> of_the_loss(2.13, 0.75)
    '2.1 of the 25.0 points of FRS that it loses'
    """
    return f"{points(lost)} of the {points(100 * (1 - frs))} points of FRS that it loses"


# What a value of a metric says about words, for a system that has no rival.
_MEANINGS = {
    "frs": "of 100 pairs of neighbouring {words} in its order, {share} are neighbours in the same "
    "order in the reference",
    "cder": "its output needs {share} edits and jumps per 100 reference words",
    "kendall": "of 100 pairs of {words}, {share} are in the right order",
    "exact": "of 100 sentences, {share} have the order of the reference",
}


def answer_sentence(
    scores: ScoreIntervals,
    comparison: Comparison | None = None,
    *,
    level: float = 0.95,
    claim: str = "orders words best",
) -> str:
    """Say which system orders words best, whether that may be chance, and by how much.

    Parameters
    ----------
    scores : ScoreIntervals
        Of the metric that decides.
    comparison : Comparison, optional
        The paired tests of the same systems in the same order; needed for two or more.
    level : float
        Of the intervals.
    claim : str
        What is said of the system that is surely best.

    Returns
    -------
    str
        One sentence. Differences are in points: 0.01 of the metric is 1 point. A difference is
        significant if the paired test says so at 95 %.

    Examples
    --------
    >>> from wordorder.statistics.intervals import Estimate
    >>> one = ScoreIntervals("frs", ("A",), (Estimate(0.75, 0.7, 0.8),), True, "frs|v:1")
    >>> answer_sentence(one)
    'The fuzzy reordering score (FRS) of A is 0.7500 (95 % interval 0.7000 to 0.8000): of 100 \
pairs of neighbouring words in its order, 75 are neighbours in the same order in the reference.'
    """
    ranked = scores.ranked() if comparison is None else comparison.ranked()
    if not ranked:
        return "No systems were given."
    best = ranked[0]
    name = scores.names[best]
    value = _with_interval(scores.estimates[best], level)
    metric = spelt_out(scores.metric)
    if comparison is None or len(ranked) == 1:
        meaning = _MEANINGS.get(scores.metric, "")
        share = f"{100 * scores.estimates[best].value:.0f}"
        among = "matched words" if "|aligner:" in scores.signature else "words"
        meaning = meaning.replace("{share}", share).replace("{words}", among)
        said = f": {meaning}" if meaning else ""
        return f"The {metric} of {name} is {value}{said}."
    second = closest_rival(comparison)
    pair = comparison.pair(second, best)
    difference = f"{points(100 * abs(pair.difference))} points"
    rival = scores.names[second]
    place = "the next best" if second == ranked[1] else "the first not surely worse"
    next_best = rival if len(ranked) == 2 else f"{rival}, {place} of {len(ranked)} systems"
    direction = "below" if pair.difference < 0 else "above"
    extreme = "highest" if scores.higher_is_better else "lowest"
    p_value = f"p {format_p(pair.p_value)}, {comparison.resamples:,} resamples"
    shared = ""
    if pair.common is not None:
        if pair.mark == NOT_COMPARED:
            return f"{name} and {rival} match no common words: neither is shown to be better."
        shared = f" on the {100 * pair.common:.0f} % of the reference's words that both match"
        # By the words of each, another system may be first.
        first = comparison.ranked_by_value()[0]
        if comparison.scores_better(first, best) and abs(pair.difference) >= EQUAL:
            top, value = scores.names[first], _with_interval(scores.estimates[first], level)
            if pair.mark.endswith("**"):
                return (
                    f"{name} {claim}{shared}: there its {metric} is {difference} {direction} that "
                    f"of {next_best}, and the difference is significant ({p_value}). On its own "
                    f"matched words {top} has the {extreme} one, {value}."
                )
            return (
                f"No system is surely best: {top} has the {extreme} {metric} on its own matched "
                f"words, {value}, but{shared} that of {name} is {difference} {direction} "
                f"{'it' if first == second else f'that of {next_best}'}, and the difference is "
                f"not significant ({p_value})."
            )
    if pair.mark.endswith("**"):
        return (
            f"{name} {claim}: its {metric} is {value}, {difference} "
            f"{direction} that of {next_best}{shared}; the difference is significant ({p_value})."
        )
    if abs(pair.difference) < 1e-9:
        if shared:
            return f"No system is best: {name} and {rival} have the same {metric}{shared}."
        return f"No system is best: {name} and {rival} have the same {extreme} {metric}, {value}."
    if pair.interval_95 is not None and len(set(pair.interval_95)) == 1:
        return (
            f"No system is surely best: {name} has the {extreme} {metric}, {value}, {difference} "
            f"{direction} that of {next_best}{shared}, but all resamples are alike: so few "
            "sentences say nothing about others."
        )
    return (
        f"No system is surely best: {name} has the {extreme} {metric}, {value}, "
        f"{difference} {direction} that of {next_best}{shared}, but the difference is "
        f"not significant ({_interval(pair.interval_95) or p_value})."
    )


def _with_interval(estimate: Estimate, level: float) -> str:
    """Write a value and its interval."""
    interval = f"{100 * level:g} % interval {number(estimate.low)} to {number(estimate.high)}"
    return f"{number(estimate.value)} ({interval})"


def closest_rival(comparison: Comparison) -> int:
    """Return the first system that the best one does not surely beat, or else the next best."""
    best, *others = comparison.ranked()
    unsure = (each for each in others if comparison.pair(each, best).mark != "+**")
    return next(unsure, others[0])


def _interval(interval: tuple[float, float] | None) -> str:
    """Write the interval of a difference if it has 0; without it, the p-value says why."""
    if interval is None or interval[0] * interval[1] > 0:
        return ""
    low, high = sorted((100 * interval[0], 100 * interval[1]))
    return f"95 % interval of the difference {low:+.1f} to {high:+.1f} points"


def format_p(value: float) -> str:
    """Write a p-value; resampling gives none below 1 in the number of resamples."""
    return f"= {value:.3f}" if value >= 0.001 else "< 0.001"


# What was measured, and the scores of the systems on resamples.
Resampled: TypeAlias = "tuple[Measurement, Float64]"


@dataclass(frozen=True)
class ScoreIntervals:
    """The value of each system on the whole corpus, as the picture of intervals shows it.

    Attributes
    ----------
    metric : str
        Its name, with options if two metrics of one name are shown: ``cder(penalty=mean)``.
    names : tuple of str
        The systems, n of them.
    estimates : tuple of Estimate
        n of them.
    higher_is_better : bool
    signature : str
        What produced the numbers.
    ranking : tuple of int
        The systems' numbers, the best first, where pairs of systems were compared; else empty.
    """

    metric: str
    names: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    higher_is_better: bool
    signature: str
    ranking: tuple[int, ...] = ()

    @classmethod
    def on(
        cls, metric: str, names: Sequence[str], resampled: Resampled, level: float, signature: str
    ) -> ScoreIntervals:
        """Estimate the value of each system on resamples that have been drawn."""
        measured = resampled[0]
        estimates = (
            each if rows.any() or not len(rows) else NO_ESTIMATE
            for each, rows in zip(estimated_on(*resampled, level), measured.statistics, strict=True)
        )
        better = measured.higher_is_better
        return cls(metric, tuple(names), tuple(estimates), better, signature)

    def ranked(self) -> list[int]:
        """Return the systems' numbers, the best first: by `ranking`, or by their values.

        Of equal values the first comes first.

        Examples
        --------
        >>> two = (Estimate(0.5, 0.4, 0.6), Estimate(0.3, 0.2, 0.4))
        >>> [ScoreIntervals("m", ("A", "B"), two, up, "m|v:1").ranked() for up in (True, False)]
        [[0, 1], [1, 0]]
        """
        if self.ranking:
            return list(self.ranking)
        sign = -1.0 if self.higher_is_better else 1.0
        # Equal but for rounding is equal.
        keys = [sign * round(each.value, 12) for each in self.estimates]
        return sorted(range(len(keys)), key=lambda number: (keys[number], number))


@dataclass(frozen=True, eq=False)
class Analysis:
    """What `wordorder analyze` shows, as text, JSON and page.

    Attributes
    ----------
    corpus : Corpus
    systems : tuple of AnalysedSystem
    signature : str
        Of the metric that scores single sentences: ``frs|match:index|…``.
    grid : Grid, optional
        The systems as parsers × rule sets, if they are that: in the order of `systems`.
    sections : tuple of Section
        The findings, the most important first.
    higher_is_better : bool
        Of the scores of sentences.
    answer : str
        Which system orders words best, whether that may be chance, and by how much: one sentence.
    intervals : tuple of ScoreIntervals
        What the systems score under each metric; the first is that of `answer`.
    lengths : LengthScores, optional
        What they score under the first metric on sentences of similar lengths.
    """

    corpus: Corpus
    systems: tuple[AnalysedSystem, ...]
    signature: str
    grid: Grid | None
    sections: tuple[Section, ...]
    higher_is_better: bool = True
    answer: str = ""
    intervals: tuple[ScoreIntervals, ...] = ()
    lengths: LengthScores | None = None

    @property
    def size(self) -> int:
        """How many sentences there are."""
        return len(self.corpus.words)

    @property
    def sentence_scores(self) -> Float64:
        """The scores of all sentences, float64[N, S]; NaN where a sentence was left out."""
        scores = [system.known_scores for system in self.systems]
        return np.reshape(scores, (len(self.systems), self.size))


def focus_systems(
    systems: Sequence[AnalysedSystem],
    names: Sequence[str] = (),
    *,
    values: Sequence[float] | None = None,
    higher_is_better: bool = True,
) -> tuple[int, ...]:
    """Choose the systems whose words and sentences are looked at.

    Parameters
    ----------
    systems : sequence of AnalysedSystem
    names : sequence of str
        Of systems, in the order in which they are wanted. Without names: the system with the best
        value, and the best one of the systems that have the same rules and other trees; if there
        is none, the second best system.
    values : sequence of float, optional
        What the systems score on the corpus; by default the means of the scores of sentences.
    higher_is_better : bool
        Of the scores.

    Returns
    -------
    tuple of int
        Numbers of systems.

    Raises
    ------
    UsageError
        If no system has such a name, or one is named twice.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> systems = [
    ...     AnalysedSystem(name, Orders.from_rows([[0]]), np.array([score]), np.zeros(1, bool))
    ...     for name, score in [("A", 0.2), ("B", 1.0)]
    ... ]
    >>> focus_systems(systems), focus_systems(systems, ["A"])
    ((1, 0), (0,))
    """
    if names:
        return named_systems(names, [system.name for system in systems])
    ranked_by = list(map(_mean, systems)) if values is None else values
    means = [value if higher_is_better else -value for value in ranked_by]
    # Equal but for rounding: the first one counts as better.
    ranked = sorted(range(len(systems)), key=lambda number: (-round(means[number], 12), number))
    if len(ranked) < 2:
        return tuple(ranked)
    best = systems[ranked[0]]
    rivals = [
        number
        for number in ranked[1:]
        if best.rules is not None
        and systems[number].rules is best.rules
        and systems[number].treebank is not best.treebank
    ]
    return ranked[0], (rivals or ranked[1:])[0]


def named_systems(names: Sequence[str], known: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of systems.

    Raises
    ------
    UsageError
        If no system has such a name, or one is named twice.
    """
    for name in names:
        if name not in known:
            raise unknown_name("system", name, known)
    if len(set(names)) < len(names):
        raise UsageError(f"a system is listed twice: {', '.join(names)}")
    return tuple(map(known.index, names))


def _mean(system: AnalysedSystem) -> float:
    scored = int(np.count_nonzero(~system.skipped))
    return float(system.scores[~system.skipped].sum()) / max(scored, 1)


@dataclass(frozen=True, eq=False)
class TranslationAnalysis:
    """What `wordorder analyze` shows of translations, as text, JSON, TSV and page.

    Attributes
    ----------
    translations : Translations
        Systems, texts, scores of sentences, matches and trees.
    answer : str
        One sentence: which system orders words best, whether that may be chance, and by how much;
        a second one if the two best are compared over very different shares of words.
    intervals : tuple of ScoreIntervals
        One per metric; the first is that of `answer`.
    comparisons : tuple of Comparison
        One per metric: all pairs of systems, tested.
    sections : tuple of Section
        The findings, the most important first.
    notes : tuple of str
        What was left out or assumed, and which option changes it.
    """

    translations: Translations
    answer: str
    intervals: tuple[ScoreIntervals, ...]
    comparisons: tuple[Comparison, ...]
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the systems are called."""
        return self.translations.names

    @property
    def signature(self) -> str:
        """What the scores of sentences are: those of the first metric."""
        return self.intervals[0].signature

    @property
    def higher_is_better(self) -> bool:
        """Whether these scores are better if they are higher."""
        return self.intervals[0].higher_is_better

    @property
    def size(self) -> int:
        """How many segments there are."""
        return len(self.translations)


# A system's name, the points that it loses, what each segment loses if that can be tested, and
# how often each shows it.
Loss: TypeAlias = "tuple[str, float, Float64 | None, Float64 | None]"


def beside_others(finding: Finding, others: Sequence[Loss]) -> Finding:
    """Add to a finding what the other systems lose through the same, and what is tested.

    Parameters
    ----------
    finding : Finding
        Its sentence ends with a full stop.
    others : sequence of (str, float, float64[S] or None, float64[S] or None)
        Names of the other systems, their points, what each segment loses, and how often it shows
        that. What is tested is whether the system of the finding loses more than the mean of them.

    Examples
    --------
    >>> found = Finding("B moves 3 blocks: 0.4 of its 9.0 points.", 0.4)
    >>> beside_others(found, [("A", 0.2, None, None)]).sentence
    'B moves 3 blocks: 0.4 of its 9.0 points (A: 0.2).'
    >>> beside_others(found, [("A", 0.2, None, None), ("C", 0.1, None, None)]).sentence
    'B moves 3 blocks: 0.4 of its 9.0 points (the other 2 systems: 0.1 to 0.2).'
    >>> beside_others(found, [("A", 0.2, None, None), ("C", 0.2, None, None)]).sentence
    'B moves 3 blocks: 0.4 of its 9.0 points (the other 2 systems: 0.2 each).'
    """
    if not others:
        return replace(finding, compared=None)
    lost = [explained for _, explained, _, _ in others]
    low, high = points(min(lost)), points(max(lost))
    who = f"the other {len(others)} systems" if len(others) > 1 else others[0][0]
    said = low if low == high else f"{low} to {high}"
    if len(others) > 1 and low == high:
        said += " each"
    compared = _more(finding.compared, [loss for _, _, loss, _ in others])
    seen = _more(finding.seen, [seen for _, _, _, seen in others])
    return replace(
        finding,
        sentence=f"{finding.sentence.removesuffix('.')} ({who}: {said}).",
        compared=compared,
        seen=seen,
        candidates=len(others) if len(others) > 1 else 1,
    )


def _more(value: Float64 | None, others: Sequence[Float64 | None]) -> Float64 | None:
    """Return what a value of each segment has more than the mean of others; None without both."""
    known = [other for other in others if other is not None]
    if value is None or not known:
        return None
    more: Float64 = value - np.mean(known, axis=0)
    return more


def worst_of_systems(findings: Sequence[Finding], names: Sequence[str]) -> tuple[Finding, ...]:
    """Return one finding instead of one per system, so that lists do not repeat themselves.

    Parameters
    ----------
    findings : sequence of Finding
        One per system, of the same kind.
    names : sequence of str
        Of the systems.

    Returns
    -------
    tuple of Finding
        The one that explains most, of equal ones the first, beside the points of the others; none
        if it explains nothing.

    Examples
    --------
    >>> found = [Finding("A moves 2 blocks.", 0.2), Finding("B moves 3 blocks.", 0.4)]
    >>> [each.sentence for each in worst_of_systems(found, ["A", "B"])]
    ['B moves 3 blocks (A: 0.2).']
    >>> worst_of_systems([Finding("A moves no block.", 0.0)], ["A"])
    ()
    """
    worst = max(findings, key=lambda each: each.explained)
    if worst.explained <= 0:
        return ()
    others = [
        (name, each.explained, each.compared, each.seen)
        for name, each in zip(names, findings, strict=True)
        if each is not worst
    ]
    return (beside_others(worst, others),)


def sentence_losses(metric: BaseMetric, statistics: Float64) -> Float64 | None:
    """Return how much of the corpus's loss each segment has.

    An error rate loses its edits, over the reference words of the whole corpus. The mean of an
    order metric loses what each sentence is short of 1, with its weight.

    Parameters
    ----------
    metric : BaseMetric
    statistics : float64[S, k]
        Of the metric.

    Returns
    -------
    float64[S], or None
        Not negative. They add up to the error rate of the corpus, or to 1 minus its score. None
        for a metric whose score is no sum over segments, as BLEU.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> from wordorder.segments import Segments
    >>> segments = Segments.from_text(["b a", "a b c"], ["a b", "a b c"], aligner="exact")
    >>> for name in ("frs", "cder", "bleu"):
    ...     made = metric(name)
    ...     print(name, sentence_losses(made, made.statistics(segments)))
    frs [0.5 0. ]
    cder [0.4 0. ]
    bleu None
    """
    if isinstance(metric, ErrorRate):
        words = float(statistics[:, 1].sum())
        return statistics[:, 0] / words if words else None
    if isinstance(metric, OrderMetric) and metric.average != "micro":
        weight = float(statistics[:, 1].sum())
        lost = statistics[:, 1] - statistics[:, 0]
        return np.maximum(lost, 0.0) / weight if weight else None
    return None
