"""The n-grams that each system gets right, and n-grams on which two systems differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from wordorder.analysis.answer import format_p
from wordorder.analysis.section import Finding, Group, Section, numbered_sections
from wordorder.analysis.translations.scores import compared_pairs
from wordorder.analysis.translations.stored import (
    MIN_BYTES_OF_MANY,
    concatenate,
    count_values,
    free_memory,
    move_to_file,
    read_part,
)
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.analysis.translations.word_classes import has_marks, is_punctuation, subject_of
from wordorder.arrays import Bool, Float64, Int32, Int64, Ragged, group_rows
from wordorder.kernels import piece_spans
from wordorder.messages import counted
from wordorder.metrics.text.ngrams import clipped_matches
from wordorder.statistics.paired_tests import holm
from wordorder.statistics.sign_test import sign_test
from wordorder.text.texts import Texts

# The longest n-grams, as in BLEU.
MAX_LENGTH = 4

# N-grams of two systems in memory at a time.
SPAN_NGRAMS = 1 << 18

# With fewer differing sentences, no sign test can reach .05: 2 / 2**5 = .0625.
MIN_DIFFERING = 6

# compare-mt adds this to both counts.
SMOOTHING = 1.0

SIGNIFICANCE_LEVEL = 0.05

MAX_EXAMPLES = 5
MAX_ROWS, MAX_FINDINGS = 100, 3

NGRAM_NOTE = (
    "N-grams of 1 to 4 words. Right: occurrences in the output, in each sentence at most as many "
    "as in its reference (as BLEU counts matches). More: sentences in which the system gets the "
    "n-gram right more often than the other system. p: exact two-sided sign test over these "
    f"sentences. p (Holm): corrected for all n-grams with at least {MIN_DIFFERING} such sentences; "
    "those with fewer cannot be significant. N-grams inside a longer one with the same numbers are "
    "left out. compare-mt: the score of that program, (a + 1) / (a + b + 2)."
)


@dataclass(frozen=True, eq=False)
class RightNgrams:
    """How often each system gets the n-grams right that start at each word of its output.

    A sentence gets an n-gram right as often as its output contains it, but at most as often as the
    reference that contains it most often (the "modified precision" of BLEU).

    Attributes
    ----------
    systems : tuple of Texts
        The systems have the same references and vocabulary.
    counts : tuple of four uint8[N] (or wider if sentences are long)
        For each system and length 1 to 4, how often the n-gram at each word is right in its
        sentence; 0 except at the first occurrence in the sentence.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat sat", "the the"], ["the cat", "the the cat"])
    >>> [counts.tolist() for counts in RightNgrams.of([texts]).counts[0]]
    [[1, 1, 0, 2, 0], [1, 0, 0, 1, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    """

    systems: tuple[Texts, ...]
    counts: tuple[Sequence[npt.NDArray[np.unsignedinteger]], ...]

    @classmethod
    def of(cls, systems: Sequence[Texts]) -> RightNgrams:
        """Count the n-grams that each system gets right."""
        return cls(tuple(systems), tuple(map(_clipped_matches, systems)))

    def occurrences(
        self, system: int, n: int, prefix: Sequence[Bool]
    ) -> tuple[Int32, Int64, Int32]:
        """Return the n-grams of n words that a system gets right and that start with some words.

        Parameters
        ----------
        system, n : int
        prefix : sequence of one or two bool[V]
            Whether each word of the vocabulary may be the first word, and the second.

        Returns
        -------
        int32[E, n], int64[E], int32[E]
            The words of each n-gram, its segment, and how often it is right there.
        """
        rows, counts = self.systems[system].hypothesis, self.counts[system][n - 1]
        positions = np.flatnonzero(prefix[0][rows.values] & (counts > 0))
        for place, words in enumerate(prefix[1:], 1):
            positions = positions[words[rows.values[positions + place]]]
        segments = np.searchsorted(rows.offsets, positions, side="right") - 1
        ngrams = rows.values[positions[:, np.newaxis] + np.arange(n)]
        return ngrams, segments, counts[positions].astype(np.int32)

    def times(self, system: int, words: Int32) -> Float64:
        """Count how often a system gets an n-gram right in each segment, float64[S]."""
        rows = self.systems[system].hypothesis
        positions = ngram_places(rows, words)
        segments = np.searchsorted(rows.offsets, positions, side="right") - 1
        counts: Float64 = np.zeros(len(rows))
        np.add.at(counts, segments, self.counts[system][len(words) - 1][positions])
        return counts

    def spans(self, pair: tuple[int, int], n: int) -> Iterator[tuple[Bool, ...]]:
        """Divide the n-grams of two systems into groups that fit in memory, by their first words.

        A first word of too many n-grams is divided by the second word.

        Yields
        ------
        one or two bool[V]
            The first words of a group, and the second words if not all.
        """
        first_word_counts = self._count_words(pair, n)
        for span, size in _cut(first_word_counts):
            if size <= 2 * SPAN_NGRAMS or n == 1:
                yield (span,)
                continue
            for second_span, _ in _cut(self._count_words(pair, n, span)):
                yield span, second_span

    def _count_words(self, pair: tuple[int, int], n: int, first_words: Bool | None = None) -> Int64:
        """Count the n-grams of two systems by first word, or by second word after some first ones.

        Returns int64[V].
        """
        size = len(self.systems[0].vocabulary)
        counts = np.zeros(size, np.int64)
        for system in pair:
            is_right = self.counts[system][n - 1] > 0
            values = self.systems[system].hypothesis.values
            if first_words is None:
                counts += count_values(values[is_right], size)
            else:
                positions = np.flatnonzero(is_right & first_words[values])
                counts += count_values(values[positions + 1], size)
        return counts


def _cut(counts: Int64) -> Iterator[tuple[Bool, int]]:
    """Divide words with n-grams into groups of neighbours, and count the n-grams of each group."""
    cut = np.cumsum(counts) // SPAN_NGRAMS
    for span in np.unique(cut[counts > 0]).tolist():
        words = cut == span
        yield words, int(counts[words].sum())


def _clipped_matches(texts: Texts) -> Sequence[npt.NDArray[np.unsignedinteger]]:
    """Return the rows of `clipped_matches` in the smallest type that holds them."""
    dtype = np.min_scalar_type(int(texts.hypothesis.lengths.max(initial=0)))
    parts = [np.zeros((MAX_LENGTH, 0), dtype)]
    for start, end in piece_spans(texts.token_offsets):
        matches = clipped_matches(texts[start:end], MAX_LENGTH).astype(dtype)
        parts.append(move_to_file(matches, MIN_BYTES_OF_MANY))
        free_memory()
    return [concatenate(np.ascontiguousarray(part[n]) for part in parts) for n in range(MAX_LENGTH)]


def _numbered(rows: Int32, vocabulary: int) -> tuple[Int32, Int64]:
    """Return the distinct rows, and the index of each row among them."""
    codes = rows[:, 0].astype(np.int64)
    size = vocabulary
    for column in rows.T[1:]:
        if size * vocabulary >= 1 << 62:
            distinct, codes = np.unique(codes, return_inverse=True)
            size = len(distinct)
        codes = codes * vocabulary + column
        size *= vocabulary
    _, first, row_ids = np.unique(codes, return_index=True, return_inverse=True)
    return rows[first], row_ids


@dataclass(frozen=True, eq=False)
class NgramDifferences:
    """N-grams that two systems get right in different sentences, most significant first.

    The D n-grams are all that are tested, and the first hundred of the others.

    Attributes
    ----------
    words : int32[D, 4]
        The words of each n-gram, padded with -1.
    first, second : int64[D]
        How often each system gets the n-gram right.
    first_more, second_more : int64[D]
        In how many sentences one system gets it right more often than the other.
    p_values : float64[D]
        Of the exact two-sided sign test over these sentences: the probability of a difference at
        least this large if both systems were equally likely to be right more often.
    corrected : float64[D]
        The p-values after Holm's correction for all n-grams that are tested: those with at least
        six such sentences. NaN for the others, which could not be significant. Which n-grams are
        tested does not depend on which of the two systems is better at them.
    salience : float64[D]
        The score of compare-mt: ``(first + 1) / (first + second + 2)``.
    differing : int
        The number of n-grams that differ, listed here or not.
    """

    words: Int32
    first: Int64
    second: Int64
    first_more: Int64
    second_more: Int64
    p_values: Float64
    corrected: Float64
    salience: Float64
    differing: int

    def __len__(self) -> int:
        return len(self.words)

    @property
    def tested(self) -> int:
        """How many n-grams are tested."""
        return int(np.count_nonzero(~np.isnan(self.corrected)))


def ngram_differences(right: RightNgrams, first: int, second: int) -> NgramDifferences:
    """Compare two systems on each n-gram.

    Parameters
    ----------
    right : RightNgrams
    first, second : int
        Indices of the systems.

    Returns
    -------
    NgramDifferences
        The n-grams that one of the two gets right more often in at least one sentence. Sorted by
        p-value, then by the difference of the counts, then by their words.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> translations = translations_of(
    ...     {"A": ["we saw him"] * 7 + ["him we met"], "B": ["we met her"] * 8},
    ...     ["we met him"] * 8, metrics="cder")
    >>> ngrams = ngram_differences(
    ...     RightNgrams.of([system.texts for system in translations.systems]), 0, 1)
    >>> [ngram_text(words, translations.texts) for words in ngrams.words]
    ['him', 'met', 'we met']
    >>> ngrams.first_more.tolist(), ngrams.second_more.tolist(), ngrams.tested
    ([8, 0, 0], [0, 7, 7], 3)
    >>> ngrams.p_values.tolist(), ngrams.corrected.tolist()
    ([0.0078125, 0.015625, 0.015625], [0.0234375, 0.03125, 0.03125])
    """
    pair = first, second
    empty = (np.zeros(0, np.int64) for _ in range(4))
    parts = [_Counts(np.zeros((0, MAX_LENGTH), np.int32), *empty)]
    differing = 0
    words = _Counts.of_words(right, pair)
    differing += len(words.words)
    parts.append(words.shortlist())
    for n in range(2, MAX_LENGTH + 1):
        for prefix in right.spans(pair, n):
            counts_of_span = _Counts.of(right, pair, n, prefix)
            differing += len(counts_of_span.words)
            # There are millions of n-grams with too few sentences for a test.
            parts.append(counts_of_span.shortlist())
    counts = _Counts.concatenate(parts).shortlist()
    counts = counts.select(counts.order())
    is_tested = counts.more + counts.less >= MIN_DIFFERING
    corrected = holm(np.where(is_tested, counts.p_values, np.nan))
    columns = counts.first, counts.second, counts.more, counts.less, counts.p_values
    shares = salience(counts.first, counts.second)
    return NgramDifferences(counts.words, *columns, corrected, shares, differing)


@dataclass(frozen=True, eq=False)
class _Counts:
    """The counts of `NgramDifferences`, sorted by the words of the n-grams."""

    words: Int32
    first: Int64
    second: Int64
    more: Int64
    less: Int64

    @classmethod
    def concatenate(cls, parts: Sequence[_Counts]) -> _Counts:
        """Concatenate the counts of several parts."""
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    @classmethod
    def of(
        cls, right: RightNgrams, pair: tuple[int, int], n: int, prefix: Sequence[Bool]
    ) -> _Counts:
        """Count the n-grams of n words that start with some words."""
        first, second = (right.occurrences(system, n, prefix) for system in pair)
        distinct, ids = _numbered(np.concatenate([first[0], second[0]]), len(prefix[0]))
        size, segments = len(distinct), len(right.systems[0])
        totals = [
            # Sums of integers are exact in float64.
            np.bincount(part, counts, size).astype(np.int64)
            for part, (*_, counts) in zip(
                np.split(ids, [len(first[0])]), (first, second), strict=True
            )
        ]
        changes = np.concatenate([first[1], second[1]]), np.concatenate([first[2], -second[2]])
        more, less = _count_differing(ids, *changes, size, segments)
        differing = np.flatnonzero(more + less)
        padding = ((0, 0), (0, MAX_LENGTH - n))
        ngrams_padded = np.pad(distinct[differing], padding, constant_values=-1)
        return cls(ngrams_padded, *(counts[differing] for counts in (*totals, more, less)))

    @classmethod
    def of_words(cls, right: RightNgrams, pair: tuple[int, int]) -> _Counts:
        """Count single words, some segments at a time."""
        rows = [right.systems[system].hypothesis for system in pair]
        size = len(right.systems[0].vocabulary)
        totals, differing = np.zeros((2, 2, size), np.int64)
        for start, end in piece_spans(rows[0].offsets, SPAN_NGRAMS):
            ids, segments, changes = [], [], []
            for place, system in enumerate(pair):
                first, last = rows[place].offsets[[start, end]].tolist()
                counts = right.counts[system][0][first:last].astype(np.int64)
                positions = np.flatnonzero(counts)
                words = rows[place].values[first:last][positions]
                totals[place] += np.bincount(words, counts[positions], size).astype(np.int64)
                ends = rows[place].offsets[start + 1 : end + 1] - first
                ids.append(words.astype(np.int64))
                segments.append(np.searchsorted(ends, positions, side="right"))
                changes.append(counts[positions] * (1 - 2 * place))
            joined = [np.concatenate(part) for part in (ids, segments, changes)]
            differing += _count_differing(joined[0], joined[1], joined[2], size, end - start)
        different = np.flatnonzero(differing.any(axis=0))
        ngrams = np.full((len(different), MAX_LENGTH), -1, np.int32)
        ngrams[:, 0] = different
        return cls(ngrams, *totals[:, different], *differing[:, different])

    @cached_property
    def p_values(self) -> Float64:
        """The p-values of two-sided sign tests over the sentences that differ."""
        return _p_values(self.more, self.less)

    def order(self) -> Int64:
        """Return the order by p-value, then by the difference of the counts, then by words."""
        return np.lexsort((-np.abs(self.first - self.second), self.p_values))

    def select(self, indices: Int64) -> _Counts:
        """Return the counts of some n-grams."""
        return _Counts(*(getattr(self, field.name)[indices] for field in fields(self)))

    def shortlist(self) -> _Counts:
        """Return all tested n-grams and the first hundred of the others, sorted by their words."""
        is_tested = self.more + self.less >= MIN_DIFFERING
        untested = np.flatnonzero(~is_tested)
        # Sorting is slow: leave out n-grams whose p-values are too large for the first hundred.
        max_p_value = np.sort(self.p_values[untested])[:MAX_ROWS].max(initial=0.0)
        untested = untested[self.p_values[untested] <= max_p_value]
        first = untested[self.select(untested).order()[:MAX_ROWS]]
        return self.select(np.sort(np.concatenate([np.flatnonzero(is_tested), first])))


def _count_differing(
    ids: Int64, segments: Int64, changes: Int64, size: int, segment_count: int
) -> tuple[Int64, Int64]:
    """Count the segments in which the first system has an n-gram more often, and less often.

    Parameters
    ----------
    ids, segments : int64[E]
        The number of each n-gram, and its segment; a pair of both occurs once for each system.
    changes : int64[E]
        How often the first system has it there; how often the second has it, times -1.
    size, segment_count : int
        How many n-grams and segments there are.
    """
    keys = ids * segment_count + segments
    order = np.argsort(keys, kind="stable")
    keys, changes = keys[order], changes[order]
    same = np.flatnonzero(keys[1:] == keys[:-1])
    changes[same] += changes[same + 1]
    changes[same + 1] = 0
    ngrams = keys // max(segment_count, 1)
    more, less = (np.bincount(ngrams[mask], minlength=size) for mask in (changes > 0, changes < 0))
    return more, less


def ngram_text(words: Int32, texts: Texts) -> str:
    """Return the words of an n-gram, separated by spaces."""
    return " ".join(texts.vocabulary.words[n] for n in words.tolist() if n >= 0)


def salience(first: Int64, second: Int64, alpha: float = SMOOTHING) -> Float64:
    """Return the share of the first count in the sum of both, smoothed as in compare-mt.

    Examples
    --------
    >>> salience(np.array([3, 0]), np.array([0, 0])).tolist()
    [0.8, 0.5]
    """
    shares: Float64 = (first + alpha) / (first + second + 2 * alpha)
    return shares


def examples_of(
    right: RightNgrams, first: int, second: int, ngrams: Int32
) -> tuple[tuple[int, ...], ...]:
    """Return for each n-gram sentences in which one of two systems gets it right more often.

    Sentences of the system that does so in more sentences come first.
    """
    examples = []
    for words in ngrams:
        first_counts, second_counts = (right.times(n, words[words >= 0]) for n in (first, second))
        segments = np.flatnonzero(first_counts != second_counts)
        changes = (first_counts - second_counts)[segments]
        better = np.sign(np.sign(changes).sum()) or 1
        order = np.argsort(-better * changes, kind="stable")[:MAX_EXAMPLES]
        examples.append(tuple(segments[order].tolist()))
    return tuple(examples)


def occurrences(texts: Texts, ngrams: Int32) -> Int64:
    """Count each n-gram in the references, int64: the largest count in a reference per segment.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat"], [["the cat saw the cat", "the cat"]])
    >>> occurrences(texts, np.array([[0, 1, -1, -1], [0, -1, -1, -1]], np.int32)).tolist()
    [2, 2]
    """
    counts = np.zeros(len(ngrams), np.int64)
    for index, ngram in enumerate(ngrams):
        starts = ngram_places(texts.references, ngram[ngram >= 0])
        row_of = np.searchsorted(texts.references.offsets, starts, side="right") - 1
        rows, row_counts = np.unique(row_of, return_counts=True)
        segment_counts = np.zeros(len(texts), np.int64)
        np.maximum.at(segment_counts, texts.segment_of[rows], row_counts)
        counts[index] = segment_counts.sum()
    return counts


def ngram_places(rows: Ragged, words: Int32) -> Int64:
    """Return the positions in ``rows.values`` at which an n-gram starts, within a row.

    Examples
    --------
    >>> rows = Ragged.from_rows([[1, 2, 1], [2, 1, 2]])
    >>> ngram_places(rows, np.array([1, 2], np.int32)).tolist()
    [0, 4]
    """
    values = rows.values
    starts = np.flatnonzero(values[: max(len(values) - len(words) + 1, 0)] == words[0])
    for offset, word in enumerate(words[1:].tolist(), 1):
        starts = starts[values[starts + offset] == word]
    ends = np.searchsorted(rows.offsets, starts, side="right")
    inside: Int64 = starts[starts + len(words) <= rows.offsets[ends]]
    return inside


def _p_values(more: Int64, less: Int64) -> Float64:
    """Return the two-sided p-values of sign tests; equal pairs of counts are tested once."""
    high, low = np.maximum(more, less), np.minimum(more, less)
    width = int(high.max(initial=0)) + 1
    pairs, pair_ids = np.unique(high * width + low, return_inverse=True)
    distinct = (divmod(pair, width) for pair in pairs.tolist())
    return np.array([min(1.0, 2 * sign_test(*pair)) for pair in distinct], np.float64)[pair_ids]


def ngram_sections(translations: Translations, best: int) -> list[Section]:
    """Make a table of n-grams for each pair of systems that is compared.

    Parameters
    ----------
    translations : Translations
    best : int
        Index of the best system.

    Returns
    -------
    list of Section
        ``ngrams``, ``ngrams-2``, ...; none for a single system. See `compared_pairs`.
    """
    pairs = compared_pairs(translations, best)
    if not pairs:
        return []
    right = RightNgrams.of([system.texts for system in translations.systems])
    return list(numbered_sections([_section(translations, right, pair)] for pair in pairs))


def _section(translations: Translations, right: RightNgrams, pair: tuple[int, int]) -> Section:
    first, second = pair
    first_name, second_name = (translations.names[number] for number in pair)
    differences = ngram_differences(right, first, second)
    rows = _without_parts(differences)[:MAX_ROWS]
    ngrams = differences.words[rows]
    reference_counts = occurrences(translations.texts, ngrams)
    texts = [ngram_text(words, translations.texts) for words in ngrams]
    examples = examples_of(right, first, second, ngrams)
    corrected = differences.corrected[rows].tolist()
    columns = {
        "n-gram": texts,
        "in references": reference_counts,
        f"right: {first_name}": differences.first[rows],
        f"right: {second_name}": differences.second[rows],
        f"more: {first_name}": differences.first_more[rows],
        f"more: {second_name}": differences.second_more[rows],
        "p": differences.p_values[rows],
        "p (Holm)": [None if np.isnan(p_value) else p_value for p_value in corrected],
        "compare-mt": differences.salience[rows],
    }
    return Section.of_columns(
        columns,
        key="ngrams",
        group=Group.WORDS,
        title=f"N-grams that {first_name} or {second_name} gets right and the other does not",
        reading=_reading(differences, texts, rows, first_name, second_name),
        examples=examples,
        note=NGRAM_NOTE,
        findings=_findings(translations, right, differences, texts, rows, pair),
    )


def _without_parts(differences: NgramDifferences) -> Int64:
    """Return the n-grams that are not part of a longer n-gram with the same counts."""
    # The many n-grams with few differing sentences are not compared: none is significant.
    differing = differences.first_more + differences.second_more
    selected = [np.flatnonzero(differing < MIN_DIFFERING)]
    differing_ngrams = np.flatnonzero(differing >= MIN_DIFFERING)
    columns = differences.first, differences.second, differences.first_more, differences.second_more
    numbers = zip(*(column[differing_ngrams].tolist() for column in columns), strict=True)
    for indices in group_rows(zip(numbers, differing_ngrams.tolist(), strict=True)).values():
        words = [" ".join(map(str, ngram[ngram >= 0])) for ngram in differences.words[indices]]
        maximal = [
            index
            for index, text in zip(indices, words, strict=True)
            if not any(f" {text} " in f" {longer} " for longer in words if longer != text)
        ]
        selected.append(np.array(maximal, np.int64))
    return np.sort(np.concatenate(selected))


def _reading(
    differences: NgramDifferences, texts: list[str], rows: Int64, first_name: str, second_name: str
) -> str:
    significant = differences.corrected <= SIGNIFICANCE_LEVEL
    better = int(np.count_nonzero(significant & (differences.first_more > differences.second_more)))
    worse = int(np.count_nonzero(significant)) - better
    if not differences.differing:
        return f"{first_name} and {second_name} get the same n-grams right."
    ngrams = counted(differences.differing, "n-gram", commas=True)
    differ = f"{first_name} and {second_name} differ in {ngrams}"
    tested = counted(differences.tested, "n-gram", commas=True)
    if not differences.tested:
        return f"{differ}, but none of them in enough sentences for a test."
    if not better + worse:
        return f"{differ}; {tested} could be tested, and no difference is significant."
    best = int(rows[0])
    return (
        f"Of {tested} that could be tested, {first_name} gets {better:,} and {second_name} "
        f"{worse:,} right significantly more often. Most significant: {texts[0]!r}, right "
        f"{differences.first[best]:,} times in {first_name} and {differences.second[best]:,} times "
        f"in {second_name}."
    )


def _findings(
    translations: Translations,
    right: RightNgrams,
    differences: NgramDifferences,
    texts: list[str],
    rows: Int64,
    pair: tuple[int, int],
) -> tuple[Finding, ...]:
    """Return findings about the significant differences that cost most."""
    candidates: list[tuple[int, float, int, Finding, Int32, int, int]] = []
    conventional = translations.convention_words(*pair)
    for row, index in enumerate(rows.tolist()):
        if not differences.corrected[index] <= SIGNIFICANCE_LEVEL:
            continue
        right_counts = {
            pair[0]: int(differences.first[index]),
            pair[1]: int(differences.second[index]),
        }
        worse, better = sorted(pair, key=right_counts.__getitem__)
        words = differences.words[index]
        words = words[words >= 0]
        if conventional[words].any() or is_punctuation(texts[row]):
            continue
        points = {system: ngram_points(translations.systems[system], words) for system in pair}
        excess = points[worse] - points[better]
        if excess <= 0:
            continue
        p_value = differences.corrected[index]
        name = translations.names[worse]
        sentence = (
            f"{name} gets {texts[row]!r} right "
            f"{counted(right_counts[worse], 'time', commas=True)}, "
            f"{translations.names[better]} {counted(right_counts[better], 'time', commas=True)} "
            f"(p {format_p(p_value)} after Holm's correction): "
            f"{name} loses {excess:.2f} points of CDER more on them."
        )
        # Differences that may be due to the tokenization come last.
        level = 4 if any(map(has_marks, texts[row].split())) else 3
        finding = Finding(
            sentence,
            excess,
            level=level,
            p_value=float(p_value),
            subject=subject_of(name, texts[row]),
        )
        candidates.append((level, -excess, len(candidates), finding, words, worse, better))
    return tuple(
        replace(finding, seen=_seen(translations, right, words, worse, better))
        for *_, finding, words, worse, better in sorted(candidates)[:MAX_FINDINGS]
    )


def _seen(
    translations: Translations, right: RightNgrams, ngram: Int32, worse: int, better: int
) -> Float64:
    """Return how much more often `better` gets an n-gram right in each segment, float64[S].

    Segments in which `worse` has it in another case, or with marks attached, are 0.
    """
    better_counts, texts = right.times(better, ngram), translations.systems[worse].texts
    seen = better_counts - right.times(worse, ngram)
    text, words = re.escape(ngram_text(ngram, texts)), texts.vocabulary.words
    pattern = re.compile(rf"(?<!\w){text}(?!\w)", re.IGNORECASE)
    for segment in np.flatnonzero(seen > 0).tolist():
        output = " ".join(words[word] for word in texts.hypothesis[segment].tolist())
        if len(pattern.findall(output)) >= better_counts[segment]:
            seen[segment] = 0
    return seen


def ngram_points(system: TranslatedSystem, words: Int32) -> float:
    """Return the points of CDER that are charged to an n-gram of the references.

    A word in two overlapping occurrences counts once.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> system = translations_of({"A": ["a b x", "a"]}, ["a b c", "c"]).systems[0]
    >>> words = np.array([system.texts.vocabulary.words.index(w) for w in "bc"], np.int32)
    >>> ngram_points(system, words)
    25.0
    """
    starts = ngram_places(system.references, words)
    indices = np.unique(starts[:, np.newaxis] + np.arange(len(words)))
    charged = read_part(system.charges, "edits", indices) + read_part(
        system.charges, "jumps", indices
    )
    return 100 * float(charged.sum()) / max(system.words, 1)
