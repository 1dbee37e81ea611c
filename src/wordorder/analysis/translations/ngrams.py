"""The n-grams that each system gets right, and those on which two systems differ."""

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
    count_values as number_counts,
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
LONGEST = 4


@dataclass(frozen=True, eq=False)
class RightNgrams:
    """How often each system gets the n-grams right that begin at each word of its output.

    A system gets an n-gram right as often as its output has it, but no oftener than the reference
    of the sentence that has it most often (the "modified precision" of BLEU).

    Attributes
    ----------
    systems : tuple of Texts
        With the same references and vocabulary.
    counts : tuple of four uint8[N] (or wider numbers where sentences are long)
        For each system, n-grams of 1 to 4 words by their first word, at the first place where a
        sentence has them; 0 at all others.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat sat", "the the"], ["the cat", "the the cat"])
    >>> [each.tolist() for each in RightNgrams.of([texts]).counts[0]]
    [[1, 1, 0, 2, 0], [1, 0, 0, 1, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    """

    systems: tuple[Texts, ...]
    counts: tuple[Sequence[npt.NDArray[np.unsignedinteger]], ...]

    @classmethod
    def of(cls, systems: Sequence[Texts]) -> RightNgrams:
        """Find the n-grams that each system gets right."""
        return cls(tuple(systems), tuple(map(_clipped_matches, systems)))

    def occurrences(self, system: int, n: int, words: Bool) -> tuple[Int32, Int64, Int32]:
        """Return where a system gets n-grams of n words right that begin with some words.

        Parameters
        ----------
        system, n : int
        words : bool[V]
            Whether n-grams begin with each word of the vocabulary.

        Returns
        -------
        int32[E, n], int64[E], int32[E]
            The words of each, its segment, and how often it is right there.
        """
        rows, counts = self.systems[system].hypothesis, self.counts[system][n - 1]
        places = np.flatnonzero(words[rows.values] & (counts > 0))
        segments = np.searchsorted(rows.offsets, places, side="right") - 1
        ngrams = rows.values[places[:, np.newaxis] + np.arange(n)]
        return ngrams, segments, counts[places].astype(np.int32)

    def times(self, system: int, words: Int32) -> Float64:
        """Return how often a system gets an n-gram right in each segment, float64[S]."""
        rows = self.systems[system].hypothesis
        places = ngram_places(rows, words)
        segments = np.searchsorted(rows.offsets, places, side="right") - 1
        found: Float64 = np.zeros(len(rows))
        np.add.at(found, segments, self.counts[system][len(words) - 1][places])
        return found

    def spans(self, pair: tuple[int, int], n: int) -> Iterator[Bool]:
        """Cut the first words of the n-grams of two systems into ranges of some n-grams each.

        Yields
        ------
        bool[V]
        """
        size = len(self.systems[0].vocabulary)
        begun = np.zeros(size, np.int64)
        for system in pair:
            there = self.counts[system][n - 1] > 0
            begun += number_counts(self.systems[system].hypothesis.values[there], size)
        cut = np.cumsum(begun) // TOGETHER
        for number in np.unique(cut[begun > 0]).tolist():
            yield cut == number


# N-grams of two systems that are put side by side at a time.
TOGETHER = 1 << 18


def _clipped_matches(texts: Texts) -> Sequence[npt.NDArray[np.unsignedinteger]]:
    """Return the rows of `clipped_matches`, in as few bytes as they need."""
    kind = np.min_scalar_type(int(texts.hypothesis.lengths.max(initial=0)))
    parts = [np.zeros((LONGEST, 0), kind)]
    for first, last in piece_spans(texts.token_offsets):
        found = clipped_matches(texts[first:last], LONGEST).astype(kind)
        parts.append(move_to_file(found, MIN_BYTES_OF_MANY))
        free_memory()
    return [concatenate(np.ascontiguousarray(part[n]) for part in parts) for n in range(LONGEST)]


def _numbered(rows: Int32, vocabulary: int) -> tuple[Int32, Int64]:
    """Return the distinct rows, and for each row which of them it is."""
    codes = rows[:, 0].astype(np.int64)
    size = vocabulary
    for column in rows.T[1:]:
        if size * vocabulary >= 1 << 62:
            distinct, codes = np.unique(codes, return_inverse=True)
            size = len(distinct)
        codes = codes * vocabulary + column
        size *= vocabulary
    _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    return rows[first], numbers


# With fewer sentences that differ no sign test can reach .05: 2 / 2**5 = .0625.
FEWEST = 6

# What compare-mt adds to both counts.
ALPHA = 1.0

SHOWN = 5


@dataclass(frozen=True, eq=False)
class NgramDifferences:
    """N-grams that two systems get right in different sentences, most significant first.

    Listed are D of them: all that are tested, and the first hundred of the others.

    Attributes
    ----------
    words : int32[D, 4]
        The words of each n-gram; -1 behind a shorter one.
    first, second : int64[D]
        How often either system gets each right.
    first_more, second_more : int64[D]
        In how many sentences either gets it right more often than the other.
    p_values : float64[D]
        Of the exact two-sided sign test over these sentences: were both systems equally likely to
        be the one that is right more often, so large a difference would come with this probability.
    corrected : float64[D]
        The same after Holm's correction for all n-grams that are tested: those with at least six
        such sentences. NaN for the others, which could not be significant. Which n-grams are
        tested does not depend on which of the two systems is better at them.
    salience : float64[D]
        The figure of compare-mt: ``(first + 1) / (first + second + 2)``.
    differing : int
        How many n-grams differ, listed or not.
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
        Numbers of systems.

    Returns
    -------
    NgramDifferences
        Of n-grams that one of the two gets right more often in some sentence. Sorted by p-value,
        then by how much oftener one is right, then by their words.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> found = translations_of(
    ...     {"A": ["we saw him"] * 7 + ["him we met"], "B": ["we met her"] * 8},
    ...     ["we met him"] * 8, metrics="cder")
    >>> compared = ngram_differences(
    ...     RightNgrams.of([system.texts for system in found.systems]), 0, 1)
    >>> [ngram_text(words, found.texts) for words in compared.words]
    ['him', 'met', 'we met']
    >>> compared.first_more.tolist(), compared.second_more.tolist(), compared.tested
    ([8, 0, 0], [0, 7, 7], 3)
    >>> compared.p_values.tolist(), compared.corrected.tolist()
    ([0.0078125, 0.015625, 0.015625], [0.0234375, 0.03125, 0.03125])
    """
    pair = first, second
    nothing = (np.zeros(0, np.int64) for _ in range(4))
    parts = [_Counts(np.zeros((0, LONGEST), np.int32), *nothing)]
    differing = 0
    for n in range(1, LONGEST + 1):
        for words in right.spans(pair, n):
            found = _Counts.of(right, pair, n, words)
            differing += len(found.words)
            # Those that are not tested come by the million.
            parts.append(found.listed())
    counts = _Counts.concatenate(parts).listed()
    counts = counts.taken(counts.order())
    tested = counts.more + counts.less >= FEWEST
    corrected = holm(np.where(tested, counts.p_values, np.nan))
    numbers = counts.first, counts.second, counts.more, counts.less, counts.p_values
    smoothed = salience(counts.first, counts.second)
    return NgramDifferences(counts.words, *numbers, corrected, smoothed, differing)


@dataclass(frozen=True, eq=False)
class _Counts:
    """The counts of n-grams that differ, as `NgramDifferences` has them; sorted by their words."""

    words: Int32
    first: Int64
    second: Int64
    more: Int64
    less: Int64

    @classmethod
    def concatenate(cls, parts: Sequence[_Counts]) -> _Counts:
        """Put the counts of several parts one behind the other."""
        columns = [
            np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(cls)
        ]
        return cls(*columns)

    @classmethod
    def of(cls, right: RightNgrams, pair: tuple[int, int], n: int, words: Bool) -> _Counts:
        """Count the n-grams of n words that begin with some words."""
        ours, theirs = (right.occurrences(system, n, words) for system in pair)
        distinct, numbers = _numbered(np.concatenate([ours[0], theirs[0]]), len(words))
        size, segments = len(distinct), len(right.systems[0])
        totals = [
            # Sums of whole numbers are exact.
            np.bincount(part, counts, size).astype(np.int64)
            for part, (*_, counts) in zip(
                np.split(numbers, [len(ours[0])]), (ours, theirs), strict=True
            )
        ]
        keys = numbers * segments + np.concatenate([ours[1], theirs[1]])
        change = np.concatenate([ours[2], -theirs[2]])
        order = np.argsort(keys, kind="stable")
        keys, change = keys[order], change[order]
        # No key is there more than twice.
        same = np.flatnonzero(keys[1:] == keys[:-1])
        change[same] += change[same + 1]
        change[same + 1] = 0
        ngrams = keys // max(segments, 1)
        more, less = (
            np.bincount(ngrams[each], minlength=size) for each in (change > 0, change < 0)
        )
        different = np.flatnonzero(more + less)
        padding = ((0, 0), (0, LONGEST - n))
        made = np.pad(distinct[different], padding, constant_values=-1)
        return cls(made, *(each[different] for each in (*totals, more, less)))

    @cached_property
    def p_values(self) -> Float64:
        """Of the two-sided sign test over the sentences that differ."""
        return _p_values(self.more, self.less)

    def order(self) -> Int64:
        """Sort by p-value, then by how much oftener one is right, then by words."""
        return np.lexsort((-np.abs(self.first - self.second), self.p_values))

    def taken(self, used: Int64) -> _Counts:
        """Return some of them."""
        return _Counts(*(getattr(self, each.name)[used] for each in fields(self)))

    def listed(self) -> _Counts:
        """Return those that are tested and the first hundred of the others, by their words."""
        tested = self.more + self.less >= FEWEST
        others = np.flatnonzero(~tested)
        # Most have the same few p-values.
        likely = np.sort(self.p_values[others])[:NGRAMS_SHOWN].max(initial=0.0)
        others = others[self.p_values[others] <= likely]
        first = others[self.taken(others).order()[:NGRAMS_SHOWN]]
        return self.taken(np.sort(np.concatenate([np.flatnonzero(tested), first])))


def ngram_text(words: Int32, texts: Texts) -> str:
    """Return the words of an n-gram with blanks between them."""
    return " ".join(texts.vocabulary.words[n] for n in words.tolist() if n >= 0)


def salience(first: Int64, second: Int64, alpha: float = ALPHA) -> Float64:
    """Return by what share of both counts the first is the larger one, as compare-mt smooths it.

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
    """Return for each n-gram sentences in which only one of two systems gets it right.

    Those of the system that does so in more sentences come first.
    """
    found = []
    for words in ngrams:
        ours, theirs = (right.times(n, words[words >= 0]) for n in (first, second))
        segments = np.flatnonzero(ours != theirs)
        changes = (ours - theirs)[segments]
        better = np.sign(np.sign(changes).sum()) or 1
        order = np.argsort(-better * changes, kind="stable")[:SHOWN]
        found.append(tuple(segments[order].tolist()))
    return tuple(found)


def occurrences(texts: Texts, ngrams: Int32) -> Int64:
    """Count how often the references have each n-gram, int64; of several, that which has it most.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat"], [["the cat saw the cat", "the cat"]])
    >>> occurrences(texts, np.array([[0, 1, -1, -1], [0, -1, -1, -1]], np.int32)).tolist()
    [2, 2]
    """
    counts = np.zeros(len(ngrams), np.int64)
    for number, ngram in enumerate(ngrams):
        begins = ngram_places(texts.references, ngram[ngram >= 0])
        row_of = np.searchsorted(texts.references.offsets, begins, side="right") - 1
        rows, times = np.unique(row_of, return_counts=True)
        most = np.zeros(len(texts), np.int64)
        np.maximum.at(most, texts.segment_of[rows], times)
        counts[number] = most.sum()
    return counts


def ngram_places(rows: Ragged, words: Int32) -> Int64:
    """Return where in ``rows.values`` an n-gram begins that is within a row.

    Examples
    --------
    >>> rows = Ragged.from_rows([[1, 2, 1], [2, 1, 2]])
    >>> ngram_places(rows, np.array([1, 2], np.int32)).tolist()
    [0, 4]
    """
    values = rows.values
    begins = np.flatnonzero(values[: max(len(values) - len(words) + 1, 0)] == words[0])
    for place, word in enumerate(words[1:].tolist(), 1):
        begins = begins[values[begins + place] == word]
    ends = np.searchsorted(rows.offsets, begins, side="right")
    inside: Int64 = begins[begins + len(words) <= rows.offsets[ends]]
    return inside


def _p_values(more: Int64, less: Int64) -> Float64:
    """Return the two-sided p-values of sign tests, each distinct one computed once."""
    high, low = np.maximum(more, less), np.minimum(more, less)
    width = int(high.max(initial=0)) + 1
    pairs, numbers = np.unique(high * width + low, return_inverse=True)
    both = (divmod(pair, width) for pair in pairs.tolist())
    return np.array([min(1.0, 2 * sign_test(*pair)) for pair in both], np.float64)[numbers]


# N-grams a table, and findings of it.
NGRAMS_SHOWN, FINDINGS = 100, 3

LEVEL = 0.05

NOTE = (
    "N-grams of 1 to 4 words. Right: occurrences in the output, in each sentence at most as many "
    "as in its reference (as BLEU counts matches). More: sentences in which the system gets the "
    "n-gram right more often than the other system. p: exact two-sided sign test over these "
    f"sentences. p (Holm): corrected for all n-grams with at least {FEWEST} such sentences; those "
    "with fewer cannot be significant. N-grams inside a longer one with the same numbers are "
    "left out. compare-mt: the score of that program, (a + 1) / (a + b + 2)."
)


def ngram_sections(translations: Translations, best: int) -> list[Section]:
    """Make a table of n-grams for each pair of systems that is compared.

    Parameters
    ----------
    translations : Translations
    best : int
        The best system, by number.

    Returns
    -------
    list of Section
        ``ngrams``, ``ngrams-2``, ...; none for one system. The pairs are those of
        `compared_pairs`.
    """
    pairs = compared_pairs(translations, best)
    if not pairs:
        return []
    right = RightNgrams.of([system.texts for system in translations.systems])
    return list(numbered_sections([_section(translations, right, pair)] for pair in pairs))


def _section(translations: Translations, right: RightNgrams, pair: tuple[int, int]) -> Section:
    first, second = pair
    ours, theirs = (translations.names[number] for number in pair)
    compared = ngram_differences(right, first, second)
    listed = _without_parts(compared)[:NGRAMS_SHOWN]
    ngrams = compared.words[listed]
    times = occurrences(translations.texts, ngrams)
    texts = [ngram_text(words, translations.texts) for words in ngrams]
    examples = examples_of(right, first, second, ngrams)
    corrected = compared.corrected[listed].tolist()
    columns = {
        "n-gram": texts,
        "in references": times,
        f"right: {ours}": compared.first[listed],
        f"right: {theirs}": compared.second[listed],
        f"more: {ours}": compared.first_more[listed],
        f"more: {theirs}": compared.second_more[listed],
        "p": compared.p_values[listed],
        "p (Holm)": [None if np.isnan(each) else each for each in corrected],
        "compare-mt": compared.salience[listed],
    }
    return Section.of_columns(
        columns,
        key="ngrams",
        group=Group.WORDS,
        title=f"N-grams that {ours} or {theirs} gets right and the other does not",
        reading=_reading(compared, texts, listed, ours, theirs),
        examples=examples,
        note=NOTE,
        findings=_findings(translations, right, compared, texts, listed, pair),
    )


def _without_parts(compared: NgramDifferences) -> Int64:
    """Return the places of the n-grams that are in no longer one with the same numbers."""
    # N-grams that hardly differ come by the thousand; none of them is significant.
    differing = compared.first_more + compared.second_more
    kept = [np.flatnonzero(differing < FEWEST)]
    others = np.flatnonzero(differing >= FEWEST)
    columns = compared.first, compared.second, compared.first_more, compared.second_more
    numbers = zip(*(column[others].tolist() for column in columns), strict=True)
    for places in group_rows(zip(numbers, others.tolist(), strict=True)).values():
        words = [" ".join(map(str, ngram[ngram >= 0])) for ngram in compared.words[places]]
        longest = [
            place
            for place, text in zip(places, words, strict=True)
            if not any(f" {text} " in f" {other} " for other in words if other != text)
        ]
        kept.append(np.array(longest, np.int64))
    return np.sort(np.concatenate(kept))


def _reading(
    compared: NgramDifferences, texts: list[str], listed: Int64, ours: str, theirs: str
) -> str:
    sure = compared.corrected <= LEVEL
    better = int(np.count_nonzero(sure & (compared.first_more > compared.second_more)))
    worse = int(np.count_nonzero(sure)) - better
    if not compared.differing:
        return f"{ours} and {theirs} get the same n-grams right."
    differ = f"{ours} and {theirs} differ in {counted(compared.differing, 'n-gram', commas=True)}"
    tested = counted(compared.tested, "n-gram", commas=True)
    if not compared.tested:
        return f"{differ}, but none of them in enough sentences for a test."
    if not better + worse:
        return f"{differ}; {tested} could be tested, and no difference is significant."
    at = int(listed[0])
    return (
        f"Of {tested} that could be tested, {ours} gets {better:,} and {theirs} {worse:,} right "
        f"significantly more often. Most significant: {texts[0]!r}, right {compared.first[at]:,} "
        f"times in {ours} and {compared.second[at]:,} times in {theirs}."
    )


def _findings(
    translations: Translations,
    right: RightNgrams,
    compared: NgramDifferences,
    texts: list[str],
    listed: Int64,
    pair: tuple[int, int],
) -> tuple[Finding, ...]:
    """Say which significant differences cost most."""
    found: list[tuple[int, float, int, Finding, Int32, int, int]] = []
    conventional = translations.convention_words(*pair)
    for place, at in enumerate(listed.tolist()):
        if not compared.corrected[at] <= LEVEL:
            continue
        times = {pair[0]: int(compared.first[at]), pair[1]: int(compared.second[at])}
        worse, better = sorted(pair, key=times.__getitem__)
        words = compared.words[at]
        words = words[words >= 0]
        if conventional[words].any() or is_punctuation(texts[place]):
            continue
        points = {number: ngram_points(translations.systems[number], words) for number in pair}
        more = points[worse] - points[better]
        if more <= 0:
            continue
        p_value = compared.corrected[at]
        name = translations.names[worse]
        sentence = (
            f"{name} gets {texts[place]!r} right {counted(times[worse], 'time', commas=True)}, "
            f"{translations.names[better]} {counted(times[better], 'time', commas=True)} "
            f"(p {format_p(p_value)} after Holm's correction): "
            f"{name} loses {more:.2f} points of CDER more on them."
        )
        # What may be due to the way in which the text was cut into words comes last.
        level = 4 if any(map(has_marks, texts[place].split())) else 3
        finding = Finding(
            sentence,
            more,
            level=level,
            p_value=float(p_value),
            subject=subject_of(name, texts[place]),
        )
        found.append((level, -more, len(found), finding, words, worse, better))
    return tuple(
        replace(finding, seen=_seen(translations, right, words, worse, better))
        for *_, finding, words, worse, better in sorted(found)[:FINDINGS]
    )


def _seen(
    translations: Translations, right: RightNgrams, ngram: Int32, worse: int, better: int
) -> Float64:
    """Return how much oftener one system gets an n-gram right in each segment, float64[S].

    Segments where the worse one has it in another case, or with marks attached, are left out.
    """
    times, texts = right.times(better, ngram), translations.systems[worse].texts
    seen = times - right.times(worse, ngram)
    text, words = re.escape(ngram_text(ngram, texts)), texts.vocabulary.words
    pattern = re.compile(rf"(?<!\w){text}(?!\w)", re.IGNORECASE)
    for segment in np.flatnonzero(seen > 0).tolist():
        output = " ".join(words[word] for word in texts.hypothesis[segment].tolist())
        if len(pattern.findall(output)) >= times[segment]:
            seen[segment] = 0
    return seen


def ngram_points(system: TranslatedSystem, words: Int32) -> float:
    """Return the points of CDER that fall on the words of an n-gram wherever references have it.

    A word where two of them overlap counts once.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> system = translations_of({"A": ["a b x", "a"]}, ["a b c", "c"]).systems[0]
    >>> words = np.array([system.texts.vocabulary.words.index(w) for w in "bc"], np.int32)
    >>> ngram_points(system, words)
    25.0
    """
    begins = ngram_places(system.references, words)
    places = np.unique(begins[:, np.newaxis] + np.arange(len(words)))
    charged = read_part(system.charges, "edits", places) + read_part(
        system.charges, "jumps", places
    )
    return 100 * float(charged.sum()) / max(system.words, 1)
