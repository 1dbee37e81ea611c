"""Matched, missing, added and misplaced words by group, and their costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from wordorder.analysis import section
from wordorder.analysis.findings import beside_others, format_points, worst_of_systems
from wordorder.analysis.tally import Bins, Costliest, Tally, largest_first
from wordorder.analysis.translations.outcomes import WordOutcomes, absent_words
from wordorder.analysis.translations.stored import (
    MIN_BYTES_OF_MANY,
    concatenate,
    concatenate_records,
    count_values,
    free_memory,
    move_to_file,
    narrow,
    narrow_field,
    read_part,
)
from wordorder.analysis.translations.translations import TranslatedSystem, Translations, WordsOfPart
from wordorder.analysis.translations.word_classes import has_marks, is_punctuation, subject_of
from wordorder.arrays import Array, Bool, Float64, Int32, Int64
from wordorder.messages import counted
from wordorder.text.texts import Texts
from wordorder.treebank.treebank import numbered

# The ranges of compare-mt.
FREQUENCIES = Bins((0, 1, 2, 3, 4, 5, 10, 100, 1000))
WORD_LENGTHS = Bins((1, 2, 3, 4, 5, 6, 7, 8, 10, 13))

# Rows of a table of word forms.
MAX_FORM_ROWS = 300

# The group of punctuation in tables by tag and by length.
PUNCTUATION_GROUPS = {"tag": "PUNCT", "length": "1"}

# Sentences name groups of at least this number of words, if there are any: the recall of fewer
# words is unreliable.
MIN_GROUP_WORDS = 20

# Charged words in memory at a time.
SPAN_WORDS = 1 << 18

OUTCOME_NOTE = (
    "Missing: reference words without a match in the output (by the monolingual alignment). "
    "Added: output words without a match. Misplaced: matched words next to the end of a chunk, "
    "where FRS over the matched words is lost. Recall: matched over reference words; precision: "
    "matched over output words; F1: their harmonic mean."
)
CHARGE_NOTE = (
    "CDER points: edits and jumps of the cheapest CDER path that fall on the words, per 100 "
    "reference words; a jump is shared equally by the words on its two sides, and where the "
    "reference has no words, by those of the output."
)
SUM_NOTE = "The rows of a system add up to its CDER."
REFERENCE_NOTE = (
    "Only references are tagged, so output words that CDER deletes are in no row, and there is "
    "no precision."
)

# The columns of a table whose groups do not include output words.
REFERENCE_COLUMNS = ("in references", "missing", "misplaced", "CDER points", "recall")


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Counts of the words of K groups in the references and in the output of a system.

    Attributes
    ----------
    reference, output : int64[K]
        Words of the references, and of the output.
    matched, right : int64[K]
        Matched words of the references, and of the output. They are equal if each match links one
        word with one word.
    misplaced : int64[K]
        Matched reference words next to the end of a chunk.

    Examples
    --------
    >>> counts = WordCounts(*(np.array([n]) for n in (4, 5, 2, 3, 1)))
    >>> counts.missing.tolist(), counts.added.tolist()
    ([2], [2])
    >>> counts.recall.tolist(), counts.precision.tolist(), counts.f1.round(4).tolist()
    ([0.5], [0.6], [0.5455])
    """

    reference: Int64
    output: Int64
    matched: Int64
    right: Int64
    misplaced: Int64

    @property
    def missing(self) -> Int64:
        """Reference words without a match, int64[K]."""
        return self.reference - self.matched

    @property
    def added(self) -> Int64:
        """Output words without a match, int64[K]."""
        return self.output - self.right

    @property
    def recall(self) -> Float64:
        """The share of the reference words that are matched, float64[K]; 0 without words."""
        return _share(self.matched, self.reference)

    @property
    def precision(self) -> Float64:
        """The share of the output words that are matched, float64[K]; 0 without words."""
        return _share(self.right, self.output)

    @property
    def f1(self) -> Float64:
        """The harmonic mean of precision and recall, float64[K]; 0 where both are 0."""
        both = self.precision + self.recall
        product = 2 * self.precision * self.recall
        return np.divide(product, both, out=np.zeros(len(both)), where=both > 0)

    @classmethod
    def zeros(cls, groups: int) -> WordCounts:
        """Return zeros for some number of groups."""
        return cls(*np.zeros((5, groups), np.int64))

    def plus(self, other: WordCounts) -> WordCounts:
        """Return the sums of two counts."""
        columns = zip(vars(self).values(), vars(other).values(), strict=True)
        return WordCounts(*(first + second for first, second in columns))

    def first(self, groups: int) -> WordCounts:
        """Return the counts of the first groups."""
        return WordCounts(*(column[:groups] for column in vars(self).values()))


def word_counts(
    outcomes: WordOutcomes, groups: Array, output_groups: Array, size: int
) -> WordCounts:
    """Count the words of each group.

    Parameters
    ----------
    outcomes : WordOutcomes
    groups : integers [M]
        The group of each reference word.
    output_groups : integers [N]
        The group of each output word, used for added words; a matched output word belongs to the
        group of its reference word.
    size : int
        The number of groups.

    Examples
    --------
    >>> from wordorder.alignment.monolingual import MonolingualAligner
    >>> from wordorder.analysis.translations.outcomes import word_outcomes
    >>> from wordorder.text.texts import Texts
    >>> texts = Texts.from_segments(["the dog sat"], ["the old dog lay down"])
    >>> outcomes = word_outcomes(texts, np.array([0]), MonolingualAligner().align(texts))
    >>> lengths = np.array([len(word) for word in texts.vocabulary.words])
    >>> counts = word_counts(outcomes, lengths[outcomes.words], lengths[outcomes.output_words], 5)
    >>> counts.reference.tolist(), counts.output.tolist(), counts.missing.tolist()
    ([0, 0, 0, 4, 1], [0, 0, 0, 3, 0], [0, 0, 0, 2, 1])
    """
    added = outcomes.added
    output_groups = np.where(added, output_groups, groups[outcomes.partners] if len(groups) else 0)
    reference, output = Tally(groups, size), Tally(output_groups, size)
    return WordCounts(
        reference=reference.count(),
        output=output.count(),
        matched=reference.count(outcomes.matched),
        right=output.count(~added),
        misplaced=reference.count(outcomes.misplaced),
    )


def _share(part: Int64, whole: Int64) -> Float64:
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)


@dataclass(frozen=True, eq=False)
class WordGroups:
    """A division of words into K groups.

    Attributes
    ----------
    key : str
        "form", "frequency", "length" or "tag".
    title : str
        The heading of its column.
    names : sequence of str
        The names of the groups.
    of_reference : callable
        Returns the group of each reference word of some outcomes, integers [M].
    of_output : callable or None
        Returns the group of each output word, integers [N]; None if outputs have no groups.
    description : callable or None
        Describes the words of a group for a sentence, as printed after "word" or "words"; None if
        the name of a group is the word itself.
    """

    key: str
    title: str
    names: tuple[str, ...]
    of_reference: Callable[[WordOutcomes], Array]
    of_output: Callable[[WordOutcomes], Array] | None
    description: Callable[[str], str] | None

    def describe(self, group: int, noun: str) -> str:
        """Describe a group; `noun` is "word" or "words"."""
        name = self.names[group]
        return repr(name) if self.description is None else f"{noun} {self.description(name)}"


def word_forms(texts: Texts) -> WordGroups:
    """Group words by their form; case matters."""
    names = tuple(texts.vocabulary.words)
    return _vocabulary_groups("form", "word", names, np.arange(len(names)), None)


def word_frequencies(texts: Texts) -> WordGroups:
    """Group words by their frequency in all references together.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat"], [["the dog", "the dogs"]])
    >>> groups = word_frequencies(texts)
    >>> counts = np.bincount(texts.references.values, minlength=len(texts.vocabulary))
    >>> {w: groups.names[k] for w, k in zip(texts.vocabulary.words, FREQUENCIES.of(counts))}
    {'the': '2', 'dog': '1', 'dogs': '1', 'cat': '0'}
    """
    counts = count_values(texts.references.values, len(texts.vocabulary))
    return _vocabulary_groups(
        "frequency",
        "frequency",
        FREQUENCIES.names,
        FREQUENCIES.of(counts),
        lambda name: f"used {_times(name)} in the references",
    )


def word_lengths(texts: Texts) -> WordGroups:
    """Group words by their length in characters (code points)."""
    lengths = np.fromiter(map(len, texts.vocabulary.words), np.int64, len(texts.vocabulary))
    return _vocabulary_groups(
        "length",
        "length",
        WORD_LENGTHS.names,
        WORD_LENGTHS.of(lengths),
        lambda name: f"of {_characters(name)}",
    )


def word_tags(translations: Translations) -> WordGroups | None:
    """Group words of the references by their tag; None if they are not tagged.

    Outputs have no groups, since only references are parsed.
    """
    trees = translations.trees
    if trees is None or not trees.upos.has_value().any():
        return None
    tags, names = numbered(trees.upos)
    return WordGroups(
        "tag",
        "tag",
        names,
        lambda outcomes: tags[outcomes.indices],
        None,
        lambda name: f"tagged {name}",
    )


def _vocabulary_groups(
    key: str,
    title: str,
    names: tuple[str, ...],
    groups: Int64,
    description: Callable[[str], str] | None,
) -> WordGroups:
    """Make groups from the group of each word of the vocabulary."""
    narrow_groups = narrow(groups)
    return WordGroups(
        key,
        title,
        names,
        lambda outcomes: narrow_groups[outcomes.words],
        lambda outcomes: narrow_groups[outcomes.output_words],
        description,
    )


def _times(name: str) -> str:
    """Describe a range of frequencies."""
    if name in ("1", "2"):
        return "once" if name == "1" else "twice"
    return f"{name[:-1]} times or more" if name.endswith("+") else f"{name} times"


def _characters(name: str) -> str:
    """Describe a range of lengths."""
    if name == "1":
        return "1 character"
    return f"{name[:-1]} characters or more" if name.endswith("+") else f"{name} characters"


@narrow_field
@dataclass(frozen=True, eq=False)
class ChargedWords:
    """The L words with a charge, of the references and then of the outputs of a system.

    Attributes
    ----------
    sentences : int32[L]
        Ascending for the words of the references, and for those of the outputs.
    costs : float64[L]
    missing : bool[L]
        Whether it is a reference word that the output lacks in any case (upper or lower).
    """

    sentences: Int32
    costs: Float64
    missing: Bool


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """Counts and charges of the words of K groups for one system.

    Attributes
    ----------
    system : TranslatedSystem
    word_groups : WordGroups
    counts : WordCounts
        If outputs have no groups, only matched output words are counted.
    points : float64[K]
        Points of CDER that are charged to the words of each group: hundredths of an edit per
        reference word of the corpus.
    charged : ChargedWords
        L words, the same for all divisions.
    reference_size : int
        How many of these are words of the references.
    groups : integers [L]
        The group of each charged word; K if it has no group.
    """

    system: TranslatedSystem
    word_groups: WordGroups
    counts: WordCounts
    points: Float64
    charged: ChargedWords
    reference_size: int
    groups: Array

    @property
    def excess(self) -> Float64:
        """Points that a group is charged above the average for its words, float64[K]."""
        share = self.counts.reference / max(int(self.counts.reference.sum()), 1)
        excess: Float64 = self.points - share * self.points.sum()
        return excess

    def losses(self, group: int) -> Float64:
        """Return the excess of a group in each segment, float64[S], in points."""
        share = self.counts.reference[group] / max(int(self.counts.reference.sum()), 1)
        lost = np.zeros(len(self.system))
        for start in range(0, len(self.groups), SPAN_WORDS):
            groups, sentences, costs = self._span(slice(start, start + SPAN_WORDS))
            has_group = np.flatnonzero(groups < len(self.points))
            # Words are added one by one, so that sums do not depend on the spans.
            np.add.at(
                lost,
                sentences[has_group],
                costs[has_group] * ((groups[has_group] == group) - share),
            )
        return lost * np.float64(self.system.points(1))

    def _span(self, span: slice) -> tuple[Array, Int32, Float64]:
        """Return groups, sentences and costs of a span of the charged words."""
        sentences, costs = (read_part(self.charged, name, span) for name in ("sentences", "costs"))
        return self.groups[span], sentences, costs

    def missing(self, group: int) -> Float64:
        """Count the missing words of a group in each segment, float64[S]."""
        is_missing = (self.groups == group) & self.charged.missing
        counts = np.bincount(self.charged.sentences[is_missing], minlength=len(self.system))
        return counts.astype(np.float64)

    def examples(self, groups: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Return for each of the groups the sentences that lose most with it."""
        row_of = np.full(len(self.points) + 1, -1)
        row_of[np.asarray(groups, np.int64)] = np.arange(len(groups))
        costliest = Costliest(len(groups))
        sentences, size = self.charged.sentences, self.reference_size
        # Sentences have several words, so spans of sentences are shorter.
        cuts = range(0, len(self.system) + SPAN_WORDS // 8, SPAN_WORDS // 8)
        reference_cuts = np.searchsorted(sentences[:size], cuts)
        output_cuts = size + np.searchsorted(sentences[size:], cuts)
        for spans in zip(
            pairwise(reference_cuts.tolist()), pairwise(output_cuts.tolist()), strict=True
        ):
            columns = zip(*(self._span(slice(*span)) for span in spans), strict=True)
            word_groups, segments, costs = map(np.concatenate, columns)
            rows = row_of[word_groups]
            used = np.flatnonzero(rows >= 0)
            costliest.add(rows[used], segments[used].astype(np.int64), costs[used])
        return costliest.sentences()


def worst_groups(counts: GroupCounts) -> Int64:
    """Return the indices of groups with words, the costliest first, then the most frequent."""
    words = counts.counts
    used = np.flatnonzero(words.reference + words.output)
    return used[largest_first(counts.points[used], words.reference[used], digits=9)]


def word_sections(translations: Translations) -> list[section.Section]:
    """Make all tables of words.

    Returns
    -------
    list of Section
        ``words``, ``words-by-frequency``, ``words-by-length``, ``words-by-tag`` if the references
        are parsed, and ``words-by-form``, ``words-by-form-2``, ..., one per system.
    """
    systems, texts = translations.systems, translations.texts
    divisions = [word_frequencies(texts), word_lengths(texts)]
    if (tags := word_tags(translations)) is not None:
        divisions.append(tags)
    divisions.append(word_forms(texts))
    totals: list[_SystemTotals] = []
    counts: list[list[GroupCounts]] = []
    for n, system in enumerate(systems):
        counter = _WordCounter(system, divisions, translations.convention_words(n))
        # The outcomes of words take most of the memory, so segments are counted in parts.
        for part in system.words_in_parts():
            counter.add(part, absent_words(part.outcomes, translations.lowered))
        totals.append(counter.totals())
        counts.append(counter.group_counts())
        system.forget_derived()
    *by_division, by_form = map(list, zip(*counts, strict=True))
    return [
        _overview(totals),
        *map(_groups_section, by_division),
        *section.numbered_sections(
            [_forms_section(n, by_form, translations.convention_words(n))]
            for n in range(len(systems))
        ),
    ]


@dataclass(frozen=True, eq=False)
class _SystemTotals:
    """The counts of all words of a system together, with their row and finding."""

    system: TranslatedSystem
    counts: WordCounts
    row: tuple[section.Value, ...]
    finding: section.Finding


class _WordCounter:
    """Counts the words of a system part by part.

    Parameters
    ----------
    system : TranslatedSystem
    divisions : sequence of WordGroups
    conventional : bool[V]
        The words of conventions, which the finding about all words ignores.
    """

    def __init__(
        self, system: TranslatedSystem, divisions: Sequence[WordGroups], conventional: Bool
    ) -> None:
        self._system, self._divisions, self._conventional = system, divisions, conventional
        self._all = WordCounts.zeros(1)
        self._counts = [WordCounts.zeros(len(division.names)) for division in divisions]
        # For the words of the references, and for those of the outputs.
        self._charged: tuple[list[ChargedWords], list[ChargedWords]] = ([], [])
        self._groups: list[tuple[list[Array], list[Array]]] = [([], []) for _ in divisions]
        # Edited reference words, those that are not conventional, and absent ones among these.
        self._edited = self._counted = self._absent = 0
        self._edits = self._counted_edits = 0.0
        self._segment_edits = np.zeros(len(system))
        self._segment_absent = np.zeros(len(system))

    def add(self, part: WordsOfPart, absent: Bool) -> None:
        """Count the words of some segments; `absent` is the result of `absent_words`, bool[M]."""
        outcomes, charges = part.outcomes, part.charges
        self._add_total(part, absent)
        not_absent = np.zeros(len(outcomes.starts_chunk), np.bool_)
        charged_words = []
        for parts, costs, segments, missing in (
            (self._charged[0], charges.edits + charges.jumps, outcomes.segments, absent),
            (self._charged[1], charges.deletions, outcomes.output_segments, not_absent),
        ):
            charged = np.flatnonzero(costs)
            sentences = (part.before + segments[charged]).astype(np.int32)
            parts.append(ChargedWords(sentences, costs[charged], missing[charged]))
            charged_words.append(charged)
        for n, (division, groups) in enumerate(zip(self._divisions, self._groups, strict=True)):
            size = len(division.names)
            reference_groups = division.of_reference(outcomes)
            # If outputs have no groups, added words are in an additional group.
            output_groups = np.full(len(outcomes.output_words), size)
            if division.of_output is not None:
                output_groups = division.of_output(outcomes)
            counts = word_counts(outcomes, reference_groups, output_groups, size + 1)
            self._counts[n] = self._counts[n].plus(counts.first(size))
            partners = np.maximum(outcomes.partners, 0)
            partner_groups = reference_groups[partners] if len(reference_groups) else output_groups
            output_groups = np.where(outcomes.added, output_groups, partner_groups)
            dtype = np.min_scalar_type(size)
            for stored, word_groups, charged in zip(
                groups, (reference_groups, output_groups), charged_words, strict=True
            ):
                stored.append(move_to_file(word_groups[charged].astype(dtype), MIN_BYTES_OF_MANY))

    def _add_total(self, part: WordsOfPart, absent: Bool) -> None:
        """Count all words as one group."""
        edits, outcomes = part.charges.edits, part.outcomes
        counted_edits = np.where(self._conventional[outcomes.words], 0.0, edits)
        missing = absent & (counted_edits > 0)
        self._edited += int(np.count_nonzero(edits))
        self._edits += float(edits.sum())
        self._counted += int(np.count_nonzero(counted_edits))
        self._counted_edits += float(counted_edits.sum())
        self._absent += int(np.count_nonzero(missing))
        groups = np.zeros(len(edits), np.int8)
        output_groups = np.zeros(len(outcomes.starts_chunk), np.int8)
        self._all = self._all.plus(word_counts(outcomes, groups, output_groups, 1))
        segments = slice(part.before, part.before + part.segments)
        self._segment_edits[segments] = np.bincount(outcomes.segments, counted_edits, part.segments)
        self._segment_absent[segments] = np.bincount(outcomes.segments, missing, part.segments)

    def group_counts(self) -> list[GroupCounts]:
        """Return the counts and charges of each division."""
        system = self._system
        charged = concatenate_records([*self._charged[0], *self._charged[1]], {})
        reference_size = sum(len(part.costs) for part in self._charged[0])
        results = []
        for division, counts, (reference_groups, output_groups) in zip(
            self._divisions, self._counts, self._groups, strict=True
        ):
            size = len(division.names)
            groups = concatenate([*reference_groups, *output_groups])
            costs = np.zeros(size + 1)
            for start in range(0, len(groups), SPAN_WORDS):
                span = slice(start, start + SPAN_WORDS)
                # Words are added one by one, so that sums do not depend on the spans.
                np.add.at(costs, groups[span], read_part(charged, "costs", span))
            points = 100 * costs[:size] / max(system.words, 1)
            results.append(
                GroupCounts(system, division, counts, points, charged, reference_size, groups)
            )
        free_memory()
        return results

    def totals(self) -> _SystemTotals:
        """Return the counts of all words, with their row and finding."""
        system, counts = self._system, self._all
        points, lost = system.points(self._edits), system.points(self._counted_edits)
        columns = (
            *(counts.output, counts.missing, counts.added, counts.misplaced),
            *(counts.recall, counts.precision, counts.f1),
        )
        cells = (column.tolist()[0] for column in columns)
        elsewhere = self._counted - self._absent
        finding = section.Finding(
            f"{system.name} lacks {self._absent:,} of "
            f"{counted(system.words, 'reference word', commas=True)}, and has {elsewhere:,} more "
            f"in another form or place: {format_points(lost)} of its {system.cder:.1f} points of "
            "CDER.",
            lost,
            level=3,
            compared=self._segment_edits * np.float64(system.points(1)),
            seen=self._segment_absent,
        )
        row = (system.name, system.words, *cells, self._edited, points)
        return _SystemTotals(system, counts, row, finding)


def _overview(totals: Sequence[_SystemTotals]) -> section.Section:
    """Make the table of all words."""
    best = max(totals, key=lambda system_totals: float(system_totals.counts.f1[0]))
    counts = best.counts
    best_words = "has the best words: it finds" if len(totals) > 1 else "finds"
    reading = (
        f"{best.system.name} {best_words} {100 * counts.recall[0]:.1f} % of the "
        f"reference words, and {100 * counts.precision[0]:.1f} % of its own words are right."
    )
    return section.Section(
        key="words",
        group=section.Group.WORDS,
        title="Misplaced, missing and added words",
        reading=reading,
        header=(
            *("system", "in references", "in output", "missing", "added", "misplaced"),
            *("recall", "precision", "F1", "edited", "edit points"),
        ),
        rows=tuple(system_totals.row for system_totals in totals),
        note=f"{OUTCOME_NOTE} Edited: reference words that the cheapest CDER path inserts or "
        "substitutes (its matches differ from those of the alignment: moved words may be among "
        "them). Edit points: their cost, per 100 reference words.",
        findings=worst_of_systems(
            [system_totals.finding for system_totals in totals],
            [system_totals.system.name for system_totals in totals],
        ),
    )


def _groups_section(systems: Sequence[GroupCounts]) -> section.Section:
    """Make the table of matches and costs of words by group, such as a frequency or a tag."""
    division = systems[0].word_groups
    has_outputs = division.of_output is not None
    # Most words of one character are punctuation, whose order is not word order.
    ignored = np.array(
        [name == PUNCTUATION_GROUPS.get(division.key) for name in division.names], np.bool_
    )
    used = np.any([(s.counts.reference + s.counts.output) > 0 for s in systems], axis=0)
    groups = np.flatnonzero(used).tolist()
    if not has_outputs:
        frequency = systems[0].counts.reference
        groups.sort(key=lambda group: (-int(frequency[group]), division.names[group]))
    columns = [_columns(counts, groups) for counts in systems]
    examples = [counts.examples(groups) for counts in systems]
    return section.Section(
        key=f"words-by-{division.key}",
        group=section.Group.WORDS,
        whole=True,
        title=f"Words by {division.title}",
        reading=_describe_recall(systems),
        header=(division.title, "system", *columns[0]),
        rows=tuple(
            (
                division.names[group],
                counts.system.name,
                *(column[row] for column in system_columns.values()),
            )
            for row, group in enumerate(groups)
            for counts, system_columns in zip(systems, columns, strict=True)
        ),
        examples=tuple(sentences for row in zip(*examples, strict=True) for sentences in row),
        note=f"{OUTCOME_NOTE} {CHARGE_NOTE} {SUM_NOTE if has_outputs else REFERENCE_NOTE}",
        findings=_excess_finding(systems, theme="kinds of words", ignored=ignored),
    )


def _forms_section(
    index: int, systems: Sequence[GroupCounts], conventional: Bool
) -> section.Section:
    """Make the table of the words that cost one of the systems most."""
    counts, forms = systems[index], systems[index].word_groups
    name = counts.system.name
    order = worst_groups(counts)
    costly = order[counts.points[order] > 0].tolist()
    rows = costly[:MAX_FORM_ROWS]
    reading = f"{name} loses nothing on any word."
    if rows:
        words, worst = counts.counts, rows[0]
        reading = (
            f"{forms.names[worst]!r} costs {name} most: of "
            f"{words.reference[worst]:,} in the references {words.missing[worst]:,} are missing "
            f"and {words.misplaced[worst]:,} misplaced, and {words.added[worst]:,} are added."
        )
    return section.Section.of_columns(
        {forms.title: [forms.names[group] for group in rows], **_columns(counts, rows)},
        key="words-by-form",
        group=section.Group.WORDS,
        title=f"Costliest words: {name}",
        reading=reading,
        hidden=len(costly) - len(rows),
        examples=counts.examples(rows),
        note=f"{OUTCOME_NOTE} {CHARGE_NOTE} {SUM_NOTE}",
        findings=_excess_finding(systems, theme="words", selected=index, ignored=conventional),
    )


def _columns(system: GroupCounts, groups: list[int]) -> dict[str, list[section.Value]]:
    """Return the columns of some groups; shares without words are None."""
    counts = system.counts
    columns: dict[str, Int64 | Float64] = {
        "in references": counts.reference,
        "in output": counts.output,
        "missing": counts.missing,
        "added": counts.added,
        "misplaced": counts.misplaced,
        "CDER points": system.points,
    }
    cells = {name: column[groups].tolist() for name, column in columns.items()}
    for name, share, words in (
        ("recall", counts.recall, counts.reference),
        ("precision", counts.precision, counts.output),
        ("F1", counts.f1, np.minimum(counts.reference, counts.output)),
    ):
        rows = zip(share[groups].tolist(), words[groups].tolist(), strict=True)
        cells[name] = [value if count else None for value, count in rows]
    names = cells if system.word_groups.of_output is not None else REFERENCE_COLUMNS
    return {name: cells[name] for name in names}


def _describe_recall(systems: Sequence[GroupCounts]) -> str:
    """Describe the groups with the lowest and highest recall, and the largest difference."""
    division, names = systems[0].word_groups, [counts.system.name for counts in systems]
    # With several references, systems may be compared with different ones.
    words = np.min([counts.counts.reference for counts in systems], axis=0)
    large = np.flatnonzero(words >= min(MIN_GROUP_WORDS, words.max(initial=0)))
    if not words.any():
        return "The references have no words."
    recalls = np.array([counts.counts.recall[large] for counts in systems])
    lowest, highest = (int(large[recalls[0].argmin()]), int(large[recalls[0].argmax()]))
    recall = systems[0].counts.recall
    sentence = (
        f"{names[0]} finds {100 * recall[lowest]:.1f} % of the {division.describe(lowest, 'words')}"
    )
    if lowest != highest:
        sentence += (
            f" and {100 * recall[highest]:.1f} % of the {division.describe(highest, 'words')}"
        )
    widest = int(np.ptp(recalls, axis=0).argmax())
    shares = recalls[:, widest]
    high, low = int(shares.argmax()), int(shares.argmin())
    # True also for a single system.
    if high == low:
        return f"{sentence}."
    return (
        f"{sentence}. The systems differ most in the "
        f"{division.describe(int(large[widest]), 'words')}: {names[high]} finds "
        f"{100 * shares[high]:.1f} %, {names[low]} {100 * shares[low]:.1f} %."
    )


def _excess_finding(
    systems: Sequence[GroupCounts],
    *,
    theme: str,
    selected: int | None = None,
    ignored: Bool | None = None,
) -> tuple[section.Finding, ...]:
    """Return a finding about the group with the largest excess, or none.

    It is about the selected system, or else about any; groups that are ignored, bool[K], are left
    out.
    """
    division = systems[0].word_groups
    # Groups without reference words cannot be lost.
    excess = np.array([np.where(s.counts.reference, s.excess, 0) for s in systems])
    if not excess.size:
        return ()
    if ignored is not None:
        excess[:, ignored] = 0
    if division.description is None:
        # Leave out punctuation, and words that may differ because of the tokenization.
        marked = (has_marks(name) or is_punctuation(name) for name in division.names)
        excess[:, np.fromiter(marked, np.bool_, len(division.names))] = 0
    index = int(np.argmax(excess.max(axis=1))) if selected is None else selected
    group = int(np.argmax(excess[index]))
    counts, system = systems[index], systems[index].system
    word_count = int(counts.counts.reference[group])
    if not word_count or excess[index, group] <= 0:
        return ()
    word_cost = counts.points[group] * system.words / 100 / word_count
    average = counts.points.sum() / 100
    sentence = (
        f"{system.name} loses {word_cost:.2f} edits and jumps on each "
        f"{division.describe(group, 'word')}, but {average:.2f} on the average word. What is above "
        f"the average costs {format_points(excess[index, group])} of its {system.cder:.1f} points "
        "of CDER."
    )
    losses = [
        (s.system.name, float(excess[n, group]), s.losses(group), s.missing(group))
        for n, s in enumerate(systems)
    ]
    _, lost, compared, seen = losses.pop(index)
    # A form that all systems get wrong is about the word, not about the system.
    is_form = division.description is None
    if is_form and losses and lost < 2 * np.mean([other_lost for _, other_lost, *_ in losses]):
        return ()
    finding = section.Finding(sentence, lost, theme=theme, level=3, compared=compared, seen=seen)
    if is_form:
        finding = replace(finding, subject=subject_of(system.name, division.names[group]))
    return (beside_others(finding, losses),)
