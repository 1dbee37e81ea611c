"""Words that are right, missing, added and misplaced, by kind, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from wordorder.analysis import section
from wordorder.analysis.findings import beside_others, format_points, worst_of_systems
from wordorder.analysis.tally import Bins, Costliest, Tally, largest_first
from wordorder.analysis.translations.outcomes import (
    WordCharges as WordCharges,
    WordOutcomes as WordOutcomes,
    absent_words,
    word_charges as word_charges,
    word_outcomes as word_outcomes,
)
from wordorder.analysis.translations.stored import (
    MIN_BYTES_OF_MANY,
    concatenate,
    concatenate_records,
    count_values as number_counts,
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


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Words of K kinds, counted in the references and in the output of one system.

    Attributes
    ----------
    reference, output : int64[K]
        Words of the references, and of the output.
    found : int64[K]
        Reference words that are matched.
    right : int64[K]
        Output words that are matched. The same number where each match is of one word with one.
    misplaced : int64[K]
        Matched reference words beside the end of a chunk.

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
    found: Int64
    right: Int64
    misplaced: Int64

    @property
    def missing(self) -> Int64:
        """Reference words without a match, int64[K]."""
        return self.reference - self.found

    @property
    def added(self) -> Int64:
        """Output words without a match, int64[K]."""
        return self.output - self.right

    @property
    def recall(self) -> Float64:
        """The share of the reference words that are matched, float64[K]; 0 of none."""
        return _share(self.found, self.reference)

    @property
    def precision(self) -> Float64:
        """The share of the output words that are matched, float64[K]; 0 of none."""
        return _share(self.right, self.output)

    @property
    def f1(self) -> Float64:
        """The harmonic mean of precision and recall, float64[K]; 0 where both are 0."""
        both = self.precision + self.recall
        product = 2 * self.precision * self.recall
        return np.divide(product, both, out=np.zeros(len(both)), where=both > 0)

    @classmethod
    def of_none(cls, kinds: int) -> WordCounts:
        """Return the counts before any word is counted."""
        return cls(*np.zeros((5, kinds), np.int64))

    def plus(self, other: WordCounts) -> WordCounts:
        """Return the counts of both."""
        both = zip(vars(self).values(), vars(other).values(), strict=True)
        return WordCounts(*(ours + theirs for ours, theirs in both))

    def first(self, kinds: int) -> WordCounts:
        """Return the counts of the first so many kinds."""
        return WordCounts(*(column[:kinds] for column in vars(self).values()))


def word_counts(outcomes: WordOutcomes, kinds: Array, output_kinds: Array, size: int) -> WordCounts:
    """Count the words of each kind.

    Parameters
    ----------
    outcomes : WordOutcomes
    kinds : whole numbers [M]
        The kind of each reference word.
    output_kinds : whole numbers [N]
        The kind of each output word by itself. It counts for added words; a matched one is of
        the kind of the reference word that it is matched with.
    size : int
        How many kinds there are.

    Examples
    --------
    >>> from wordorder.alignment.monolingual import MonolingualAligner
    >>> from wordorder.analysis.translations.words import word_outcomes
    >>> from wordorder.text.texts import Texts
    >>> texts = Texts.from_segments(["the dog sat"], ["the old dog lay down"])
    >>> outcomes = word_outcomes(texts, np.array([0]), MonolingualAligner().align(texts))
    >>> lengths = np.array([len(word) for word in texts.vocabulary.words])
    >>> found = word_counts(outcomes, lengths[outcomes.words], lengths[outcomes.output_words], 5)
    >>> found.reference.tolist(), found.output.tolist(), found.missing.tolist()
    ([0, 0, 0, 4, 1], [0, 0, 0, 3, 0], [0, 0, 0, 2, 1])
    """
    added = outcomes.added
    counted = np.where(added, output_kinds, kinds[outcomes.partners] if len(kinds) else 0)
    reference, output = Tally(kinds, size), Tally(counted, size)
    return WordCounts(
        reference=reference.count(),
        output=output.count(),
        found=reference.count(outcomes.matched),
        right=output.count(~added),
        misplaced=reference.count(outcomes.misplaced),
    )


def _share(part: Int64, whole: Int64) -> Float64:
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)


# The ranges of compare-mt.
FREQUENCIES = Bins((0, 1, 2, 3, 4, 5, 10, 100, 1000))

LENGTHS = Bins((1, 2, 3, 4, 5, 6, 7, 8, 10, 13))


@dataclass(frozen=True, eq=False)
class WordKinds:
    """Kinds of words, and which word is of which.

    Attributes
    ----------
    key : str
        "form", "frequency", "length" or "tag".
    title : str
        What a column of them is called.
    names : sequence of str
        By number, K of them.
    of_reference : callable
        Returns the kind of each reference word of some outcomes, whole numbers [M].
    of_output : callable or None
        The same of the output words [N]; None where outputs are not known by kind.
    which : callable or None
        Says which words are of a kind, as printed after "word" or "words"; None where the name of
        a kind is the word itself.
    """

    key: str
    title: str
    names: tuple[str, ...]
    of_reference: Callable[[WordOutcomes], Array]
    of_output: Callable[[WordOutcomes], Array] | None
    which: Callable[[str], str] | None

    def each(self, kind: int) -> str:
        """Return what one word of a kind is called."""
        name = self.names[kind]
        return repr(name) if self.which is None else f"word {self.which(name)}"

    def all(self, kind: int) -> str:
        """Return what all words of a kind are called."""
        name = self.names[kind]
        return repr(name) if self.which is None else f"words {self.which(name)}"


def word_forms(texts: Texts) -> WordKinds:
    """Tell words apart by their form, with its case."""
    names = tuple(texts.vocabulary.words)
    same = np.arange(len(names))
    return _by_word("form", "word", names, same, None)


def word_frequencies(texts: Texts) -> WordKinds:
    """Sort words by how often the references have them, all references together.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat"], [["the dog", "the dogs"]])
    >>> kinds = word_frequencies(texts)
    >>> counts = np.bincount(texts.references.values, minlength=len(texts.vocabulary))
    >>> {w: kinds.names[k] for w, k in zip(texts.vocabulary.words, FREQUENCIES.of(counts))}
    {'the': '2', 'dog': '1', 'dogs': '1', 'cat': '0'}
    """
    counts = number_counts(texts.references.values, len(texts.vocabulary))
    return _by_word(
        "frequency",
        "frequency",
        FREQUENCIES.names,
        FREQUENCIES.of(counts),
        lambda name: f"used {_times(name)} in the references",
    )


def word_lengths(texts: Texts) -> WordKinds:
    """Sort words by their length in characters (code points)."""
    lengths = np.fromiter(map(len, texts.vocabulary.words), np.int64, len(texts.vocabulary))
    return _by_word(
        "length",
        "length",
        LENGTHS.names,
        LENGTHS.of(lengths),
        lambda name: f"of {_characters(name)}",
    )


def word_tags(translations: Translations) -> WordKinds | None:
    """Tell words of the references apart by their tag; None where they are not tagged.

    Tags of the outputs are not known, since only references are parsed.
    """
    trees = translations.trees
    if trees is None or not trees.upos.has_value().any():
        return None
    of_place, names = numbered(trees.upos)
    return WordKinds(
        "tag",
        "tag",
        names,
        lambda outcomes: of_place[outcomes.places],
        None,
        lambda name: f"tagged {name}",
    )


def _by_word(
    key: str, title: str, names: tuple[str, ...], of_word: Int64, which: Callable[[str], str] | None
) -> WordKinds:
    # There is one for each word of the texts.
    of_word = narrow(of_word)
    return WordKinds(
        key,
        title,
        names,
        lambda outcomes: of_word[outcomes.words],
        lambda outcomes: of_word[outcomes.output_words],
        which,
    )


def _times(name: str) -> str:
    """Say how often words of a range occur."""
    if name in ("1", "2"):
        return "once" if name == "1" else "twice"
    return f"{name[:-1]} times or more" if name.endswith("+") else f"{name} times"


def _characters(name: str) -> str:
    """Say how long words of a range are."""
    if name == "1":
        return "1 character"
    return f"{name[:-1]} characters or more" if name.endswith("+") else f"{name} characters"


@narrow_field
@dataclass(frozen=True, eq=False)
class ChargedWords:
    """The L words of a system that are charged anything: of the references, then of the outputs.

    Attributes
    ----------
    sentences : int32[L]
        Those of the references rise, and so do those of the outputs.
    costs : float64[L]
    missing : bool[L]
        Whether it is a reference word that is not in the output in any case.
    """

    sentences: Int32
    costs: Float64
    missing: Bool


@dataclass(frozen=True, eq=False)
class KindCounts:
    """What a system does with each of K kinds of words.

    Attributes
    ----------
    system : TranslatedSystem
    kinds : WordKinds
    counts : WordCounts
        Where outputs are not known by kind, output words are those that are matched.
    points : float64[K]
        Points of CDER that words of the kind are charged: hundredths of an edit for each
        reference word of the corpus.
    charged : ChargedWords
        L words, the same of all tables of a system.
    words : int
        How many of these are of the references.
    groups : whole numbers [L]
        The kind of each; K for one of which the kind is not known.
    """

    system: TranslatedSystem
    kinds: WordKinds
    counts: WordCounts
    points: Float64
    charged: ChargedWords
    words: int
    groups: Array

    @property
    def excess(self) -> Float64:
        """How many points more a kind is charged than as many words of all kinds, float64[K]."""
        share = self.counts.reference / max(int(self.counts.reference.sum()), 1)
        excess: Float64 = self.points - share * self.points.sum()
        return excess

    def losses(self, kind: int) -> Float64:
        """Return what a kind is charged beyond its share in each segment, float64[S], in points."""
        share = self.counts.reference[kind] / max(int(self.counts.reference.sum()), 1)
        lost = np.zeros(len(self.system))
        for begin in range(0, len(self.groups), SPAN):
            groups, sentences, costs = self._part(slice(begin, begin + SPAN))
            known = np.flatnonzero(groups < len(self.points))
            # One word after the other, so that sums do not depend on the parts.
            np.add.at(lost, sentences[known], costs[known] * ((groups[known] == kind) - share))
        return lost * np.float64(self.system.points(1))

    def _part(self, span: slice) -> tuple[Array, Int32, Float64]:
        """Return kinds, sentences and costs of some of the charged words."""
        sentences, costs = (read_part(self.charged, name, span) for name in ("sentences", "costs"))
        return self.groups[span], sentences, costs

    def missing(self, kind: int) -> Float64:
        """Count the missing words of a kind in each segment, float64[S]."""
        chosen = (self.groups == kind) & self.charged.missing
        counts = np.bincount(self.charged.sentences[chosen], minlength=len(self.system))
        return counts.astype(np.float64)

    def examples(self, kinds: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Return for each of some kinds the sentences that lose most through it."""
        place = np.full(len(self.points) + 1, -1)
        place[np.asarray(kinds, np.int64)] = np.arange(len(kinds))
        costliest = Costliest(len(kinds))
        sentences = self.charged.sentences
        # Each sentence has some words.
        cuts = range(0, len(self.system) + SPAN // 8, SPAN // 8)
        ours = np.searchsorted(sentences[: self.words], cuts)
        theirs = self.words + np.searchsorted(sentences[self.words :], cuts)
        for spans in zip(pairwise(ours.tolist()), pairwise(theirs.tolist()), strict=True):
            both = zip(*(self._part(slice(*span)) for span in spans), strict=True)
            groups, segments, costs = map(np.concatenate, both)
            listed = place[groups]
            used = np.flatnonzero(listed >= 0)
            costliest.add(listed[used], segments[used].astype(np.int64), costs[used])
        return costliest.sentences()


def worst_kinds(found: KindCounts) -> Int64:
    """Return the kinds that have words, the costliest first, then the most frequent.

    Returns
    -------
    int64
        Numbers of kinds.
    """
    counts = found.counts
    used = np.flatnonzero(counts.reference + counts.output)
    return used[largest_first(found.points[used], counts.reference[used], digits=9)]


# Rows of a table of words.
SHOWN = 300

# The kind that has the punctuation, in tables by tag and by length.
PUNCTUATION = {"tag": "PUNCT", "length": "1"}

# A sentence about a kind of words has at least so many of them, if any has.
FEW = 20

OUTCOMES = (
    "Missing: reference words without a match in the output (by the monolingual alignment). "
    "Added: output words without a match. Misplaced: matched words next to the end of a chunk, "
    "where FRS over the matched words is lost. Recall: matched over reference words; precision: "
    "matched over output words; F1: their harmonic mean."
)

CHARGES = (
    "CDER points: edits and jumps of the cheapest CDER path that fall on the words, per 100 "
    "reference words; a jump is shared equally by the words on its two sides, and where the "
    "reference has no words, by those of the output."
)

SUM = "The rows of a system add up to its CDER."

NO_OUTPUT = (
    "Only references are tagged, so output words that CDER deletes are in no row, and there is "
    "no precision."
)


def word_sections(translations: Translations) -> list[section.Section]:
    """Make all tables of words.

    Parameters
    ----------
    translations : Translations

    Returns
    -------
    list of Section
        ``words``, ``words-by-frequency``, ``words-by-length``, ``words-by-tag`` where the
        references are parsed, and ``words-by-form``, ``words-by-form-2``, ..., one per system.
    """
    systems, texts = translations.systems, translations.texts
    tables = [word_frequencies(texts), word_lengths(texts)]
    if (tags := word_tags(translations)) is not None:
        tables.append(tags)
    tables.append(word_forms(texts))
    totals: list[_Totals] = []
    counts: list[list[KindCounts]] = []
    for n, each in enumerate(systems):
        running = _Running(each, tables, translations.convention_words(n))
        # What is known of each word is most of the memory: of some segments at a time.
        for part in each.words_in_parts():
            running.add(part, absent_words(part.outcomes, translations.lowered))
        totals.append(running.totals())
        counts.append(running.kinds())
        each.forget_derived()
    *by_kind, by_form = map(list, zip(*counts, strict=True))
    return [
        _overview(totals),
        *map(_kinds_section, by_kind),
        *section.numbered_sections(
            [_forms_section(n, by_form, translations.convention_words(n))]
            for n in range(len(systems))
        ),
    ]


@dataclass(frozen=True, eq=False)
class _Totals:
    """What a system does with all words together, as one kind."""

    system: TranslatedSystem
    counts: WordCounts
    row: tuple[section.Value, ...]
    finding: section.Finding


# Charged words, or segments with such words, that are looked at together.
SPAN = 1 << 18


class _Running:
    """The words of a system, counted part by part.

    Parameters
    ----------
    system : TranslatedSystem
    tables : sequence of WordKinds
    conventional : bool[V]
        The words of conventions: the finding about all words leaves them out.
    """

    def __init__(
        self, system: TranslatedSystem, tables: Sequence[WordKinds], conventional: Bool
    ) -> None:
        self._system, self._tables, self._conventional = system, tables, conventional
        self._all = WordCounts.of_none(1)
        self._counts = [WordCounts.of_none(len(kinds.names)) for kinds in tables]
        # Of the words of the references, and of those of the outputs.
        self._charged: tuple[list[ChargedWords], list[ChargedWords]] = ([], [])
        self._groups: list[tuple[list[Array], list[Array]]] = [([], []) for _ in tables]
        self._edited = self._named = self._lacking = 0
        self._edits = self._named_edits = 0.0
        self._compared = np.zeros(len(system))
        self._seen = np.zeros(len(system))

    def add(self, part: WordsOfPart, absent: Bool) -> None:
        """Add the words of some segments; `absent` are those of `absent_words`, bool[M]."""
        outcomes, charges = part.outcomes, part.charges
        self._add_all(part, absent)
        none = np.zeros(len(outcomes.begins), np.bool_)
        used = []
        for parts, costs, segments, missing in (
            (self._charged[0], charges.edits + charges.jumps, outcomes.segments, absent),
            (self._charged[1], charges.deletions, outcomes.output_segments, none),
        ):
            chosen = np.flatnonzero(costs)
            sentences = (part.before + segments[chosen]).astype(np.int32)
            parts.append(ChargedWords(sentences, costs[chosen], missing[chosen]))
            used.append(chosen)
        for n, (kinds, groups) in enumerate(zip(self._tables, self._groups, strict=True)):
            size = len(kinds.names)
            of_reference = kinds.of_reference(outcomes)
            # A kind of its own for all words that are added, where nothing is known of them.
            of_output = np.full(len(outcomes.output_words), size)
            if kinds.of_output is not None:
                of_output = kinds.of_output(outcomes)
            counts = word_counts(outcomes, of_reference, of_output, size + 1)
            self._counts[n] = self._counts[n].plus(counts.first(size))
            matched = np.maximum(outcomes.partners, 0)
            known = of_reference[matched] if len(of_reference) else of_output
            of_output = np.where(outcomes.added, of_output, known)
            kind = np.min_scalar_type(size)
            of_both = of_reference, of_output
            for listed, words, chosen in zip(groups, of_both, used, strict=True):
                listed.append(move_to_file(words[chosen].astype(kind), MIN_BYTES_OF_MANY))

    def _add_all(self, part: WordsOfPart, absent: Bool) -> None:
        """Count all words together, as one kind."""
        edits, outcomes = part.charges.edits, part.outcomes
        named = np.where(self._conventional[outcomes.words], 0.0, edits)
        missing = absent & (named > 0)
        self._edited += int(np.count_nonzero(edits))
        self._edits += float(edits.sum())
        self._named += int(np.count_nonzero(named))
        self._named_edits += float(named.sum())
        self._lacking += int(np.count_nonzero(missing))
        kinds, output = (np.zeros(len(words), np.int8) for words in (edits, outcomes.begins))
        self._all = self._all.plus(word_counts(outcomes, kinds, output, 1))
        segments = slice(part.before, part.before + part.segments)
        self._compared[segments] = np.bincount(outcomes.segments, named, part.segments)
        self._seen[segments] = np.bincount(outcomes.segments, missing, part.segments)

    def kinds(self) -> list[KindCounts]:
        """Return what the system does with each kind of words, by table."""
        system = self._system
        charged = concatenate_records([*self._charged[0], *self._charged[1]], {})
        words = sum(len(part.costs) for part in self._charged[0])
        found = []
        for kinds, counts, (ours, theirs) in zip(
            self._tables, self._counts, self._groups, strict=True
        ):
            size, groups = len(kinds.names), concatenate([*ours, *theirs])
            costs = np.zeros(size + 1)
            for begin in range(0, len(groups), SPAN):
                span = slice(begin, begin + SPAN)
                # One word after the other, so that sums do not depend on the parts.
                np.add.at(costs, groups[span], read_part(charged, "costs", span))
            points = 100 * costs[:size] / max(system.words, 1)
            found.append(KindCounts(system, kinds, counts, points, charged, words, groups))
        free_memory()
        return found

    def totals(self) -> _Totals:
        """Return what the system does with all words together, as one kind."""
        each, counts = self._system, self._all
        points, lost = each.points(self._edits), each.points(self._named_edits)
        columns = (
            *(counts.output, counts.missing, counts.added, counts.misplaced),
            *(counts.recall, counts.precision, counts.f1),
        )
        cells = (column.tolist()[0] for column in columns)
        others = self._named - self._lacking
        finding = section.Finding(
            f"{each.name} lacks {self._lacking:,} of "
            f"{counted(each.words, 'reference word', commas=True)}, and has {others:,} more in "
            f"another form or place: {format_points(lost)} of its {each.cder:.1f} points of CDER.",
            lost,
            level=3,
            compared=self._compared * np.float64(each.points(1)),
            seen=self._seen,
        )
        row = (each.name, each.words, *cells, self._edited, points)
        return _Totals(each, counts, row, finding)


def _overview(totals: Sequence[_Totals]) -> section.Section:
    """Make the table of all words."""
    best = max(totals, key=lambda each: float(each.counts.f1[0]))
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
        rows=tuple(each.row for each in totals),
        note=f"{OUTCOMES} Edited: reference words that the cheapest CDER path inserts or "
        "substitutes (its matches differ from those of the alignment: moved words may be among "
        "them). Edit points: their cost, per 100 reference words.",
        findings=worst_of_systems(
            [each.finding for each in totals], [each.system.name for each in totals]
        ),
    )


def _kinds_section(found: Sequence[KindCounts]) -> section.Section:
    """Make a table with a row for each kind and system."""
    kinds, both = found[0].kinds, found[0].kinds.of_output is not None
    # Most words of one character are punctuation, which is not word order.
    ignored = np.array([name == PUNCTUATION.get(kinds.key) for name in kinds.names], np.bool_)
    used = np.any([(each.counts.reference + each.counts.output) > 0 for each in found], axis=0)
    numbers = np.flatnonzero(used).tolist()
    if not both:
        most = found[0].counts.reference
        numbers.sort(key=lambda number: (-int(most[number]), kinds.names[number]))
    cells = [_columns(each, numbers) for each in found]
    shown = [each.examples(numbers) for each in found]
    return section.Section(
        key=f"words-by-{kinds.key}",
        group=section.Group.WORDS,
        whole=True,
        title=f"Words by {kinds.title}",
        reading=_reading(found),
        header=(kinds.title, "system", *cells[0]),
        rows=tuple(
            (kinds.names[number], each.system.name, *(column[place] for column in made.values()))
            for place, number in enumerate(numbers)
            for each, made in zip(found, cells, strict=True)
        ),
        examples=tuple(each for row in zip(*shown, strict=True) for each in row),
        note=f"{OUTCOMES} {CHARGES} {SUM if both else NO_OUTPUT}",
        findings=_excess_finding(found, theme="kinds of words", ignored=ignored),
    )


def _forms_section(n: int, by_form: Sequence[KindCounts], conventional: Bool) -> section.Section:
    """Make the table of the words that cost one system most."""
    found, name, forms = by_form[n], by_form[n].system.name, by_form[n].kinds
    order = worst_kinds(found)
    costly = order[found.points[order] > 0].tolist()
    listed = costly[:SHOWN]
    reading = f"{name} loses nothing on any word."
    if listed:
        counts, worst = found.counts, listed[0]
        reading = (
            f"{forms.names[worst]!r} costs {name} most: of "
            f"{counts.reference[worst]:,} in the references {counts.missing[worst]:,} are missing "
            f"and {counts.misplaced[worst]:,} misplaced, and {counts.added[worst]:,} are added."
        )
    return section.Section.of_columns(
        {forms.title: [forms.names[number] for number in listed], **_columns(found, listed)},
        key="words-by-form",
        group=section.Group.WORDS,
        title=f"Costliest words: {name}",
        reading=reading,
        hidden=len(costly) - len(listed),
        examples=found.examples(listed),
        note=f"{OUTCOMES} {CHARGES} {SUM}",
        findings=_excess_finding(by_form, theme="words", chosen=n, ignored=conventional),
    )


# The columns of a table of kinds of which outputs are not known.
_OF_REFERENCES = ("in references", "missing", "misplaced", "CDER points", "recall")


def _columns(found: KindCounts, numbers: list[int]) -> dict[str, list[section.Value]]:
    """Return the columns of some kinds; shares of no words are empty."""
    counts = found.counts
    columns: dict[str, Int64 | Float64] = {
        "in references": counts.reference,
        "in output": counts.output,
        "missing": counts.missing,
        "added": counts.added,
        "misplaced": counts.misplaced,
        "CDER points": found.points,
    }
    cells = {name: column[numbers].tolist() for name, column in columns.items()}
    for name, share, words in (
        ("recall", counts.recall, counts.reference),
        ("precision", counts.precision, counts.output),
        ("F1", counts.f1, np.minimum(counts.reference, counts.output)),
    ):
        listed = zip(share[numbers].tolist(), words[numbers].tolist(), strict=True)
        cells[name] = [value if of else None for value, of in listed]
    shown = cells if found.kinds.of_output is not None else _OF_REFERENCES
    return {name: cells[name] for name in shown}


def _reading(found: Sequence[KindCounts]) -> str:
    """Say which words the first system finds least often and which most often."""
    kinds, names = found[0].kinds, [each.system.name for each in found]
    # With several references, systems may be compared with different ones.
    words = np.min([each.counts.reference for each in found], axis=0)
    # The share of a handful of words says little.
    there = np.flatnonzero(words >= min(FEW, words.max(initial=0)))
    if not words.any():
        return "The references have no words."
    recalls = np.array([each.counts.recall[there] for each in found])
    least, most = (int(there[at(recalls[0])]) for at in (np.argmin, np.argmax))
    recall = found[0].counts.recall
    said = f"{names[0]} finds {100 * recall[least]:.1f} % of the {kinds.all(least)}"
    if least != most:
        said += f" and {100 * recall[most]:.1f} % of the {kinds.all(most)}"
    widest = int(np.ptp(recalls, axis=0).argmax())
    shares = recalls[:, widest]
    high, low = int(shares.argmax()), int(shares.argmin())
    # Of one system, too.
    if high == low:
        return f"{said}."
    return (
        f"{said}. The systems differ most in the {kinds.all(int(there[widest]))}: "
        f"{names[high]} finds {100 * shares[high]:.1f} %, {names[low]} {100 * shares[low]:.1f} %."
    )


def _excess_finding(
    found: Sequence[KindCounts],
    *,
    theme: str,
    chosen: int | None = None,
    ignored: Bool | None = None,
) -> tuple[section.Finding, ...]:
    """Say which words cost a system more than its other words do, where that explains most.

    Of all systems, or of the one that is chosen; kinds that are ignored, bool[K], are left out.
    """
    kinds = found[0].kinds
    # Kinds that no reference has cannot be lost.
    excess = np.array([np.where(each.counts.reference, each.excess, 0) for each in found])
    if not excess.size:
        return ()
    if ignored is not None:
        excess[:, ignored] = 0
    if kinds.which is None:
        # Punctuation, and what may be due to the way in which the text was cut into words.
        marked = (has_marks(name) or is_punctuation(name) for name in kinds.names)
        excess[:, np.fromiter(marked, np.bool_, len(kinds.names))] = 0
    at = int(np.argmax(excess.max(axis=1))) if chosen is None else chosen
    kind = int(np.argmax(excess[at]))
    each, system = found[at], found[at].system
    count = int(each.counts.reference[kind])
    if not count or excess[at, kind] <= 0:
        return ()
    each_costs = each.points[kind] * system.words / 100 / count
    average = each.points.sum() / 100
    sentence = (
        f"{system.name} loses {each_costs:.2f} edits and jumps on each {kinds.each(kind)}, but "
        f"{average:.2f} on the average word. What is above the average costs "
        f"{format_points(excess[at, kind])} of its {system.cder:.1f} points of CDER."
    )
    losses = [
        (each.system.name, float(excess[n, kind]), each.losses(kind), each.missing(kind))
        for n, each in enumerate(found)
    ]
    _, lost, compared, seen = losses.pop(at)
    # A word that all systems get wrong says more about the word.
    if kinds.which is None and losses and lost < 2 * np.mean([other[1] for other in losses]):
        return ()
    finding = section.Finding(sentence, lost, theme=theme, level=3, compared=compared, seen=seen)
    if kinds.which is None:
        finding = replace(finding, subject=subject_of(system.name, kinds.names[kind]))
    return (beside_others(finding, losses),)
