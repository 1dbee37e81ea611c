"""The n-grams that each system gets right, and those on which two systems differ."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from wordorder.analysis.section import Finding, Group, Section, format_p, numbered_sections
from wordorder.analysis.translations.kinds import has_marks, is_punctuation, subject_of
from wordorder.analysis.translations.scores import compared_pairs
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.arrays import Float64, Int32, Int64, Ragged, grouped
from wordorder.messages import counted
from wordorder.metrics.text.ngrams import clipped_matches
from wordorder.statistics.paired_tests import holm
from wordorder.statistics.raters import sign_test
from wordorder.text.texts import Texts

# The longest n-grams, as in BLEU.
LONGEST = 4


@dataclass(frozen=True, eq=False)
class RightNgrams:
    """N-grams that some system gets right, G of them.

    A system gets an n-gram right as often as its output has it, but no oftener than the reference
    of the sentence that has it most often (the "modified precision" of BLEU).

    Attributes
    ----------
    words : int32[G, 4]
        The words of each n-gram; -1 behind a shorter one.
    segment_count : int
    keys : tuple of int64[E]
        For each system, ``n-gram * segment_count + segment`` wherever it gets one right; rising.
    counts : tuple of int32[E]
        How often.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat sat", "the the"], ["the cat", "the the cat"])
    >>> found = right_ngrams([texts])
    >>> found.lengths.tolist(), [found.text(number, texts) for number in range(4)]
    ([1, 1, 2, 2], ['the', 'cat', 'the the', 'the cat'])
    >>> found.keys[0].tolist(), found.counts[0].tolist()
    ([0, 1, 2, 5, 6], [1, 2, 1, 1, 1])
    """

    words: Int32
    segment_count: int
    keys: tuple[Int64, ...]
    counts: tuple[Int32, ...]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def lengths(self) -> Int64:
        """How many words each n-gram has, int64[G]."""
        lengths: Int64 = np.count_nonzero(self.words >= 0, axis=1)
        return lengths

    def totals(self, system: int) -> Int64:
        """Return how often a system gets each n-gram right, int64[G]."""
        ngrams = self.keys[system] // max(self.segment_count, 1)
        # Sums of whole numbers are exact.
        return np.bincount(ngrams, self.counts[system], len(self)).astype(np.int64)

    def times(self, system: int, ngram: int) -> Float64:
        """Return how often a system gets an n-gram right in each segment, float64[S]."""
        first = ngram * self.segment_count
        span = slice(*np.searchsorted(self.keys[system], (first, first + self.segment_count)))
        times = np.zeros(self.segment_count)
        times[self.keys[system][span] - first] = self.counts[system][span]
        return times

    def text(self, ngram: int, texts: Texts) -> str:
        """Return the words of an n-gram with blanks between them."""
        return " ".join(texts.vocabulary.words[n] for n in self.words[ngram].tolist() if n >= 0)


def right_ngrams(systems: Sequence[Texts], order: int = LONGEST) -> RightNgrams:
    """Find the n-grams of 1 .. `order` words that each system gets right.

    Parameters
    ----------
    systems : sequence of Texts
        With the same references and vocabulary.
    order : int
        1 to 4.
    """
    segments = len(systems[0])
    matched = [clipped_matches(texts, order) for texts in systems]
    words = []
    keys: list[list[Int64]] = [[] for _ in systems]
    counts: list[list[Int32]] = [[] for _ in systems]
    known = 0
    for n in range(1, order + 1):
        places = [np.flatnonzero(each[n - 1]) for each in matched]
        rows = [
            texts.hypothesis.values[at[:, np.newaxis] + np.arange(n)]
            for texts, at in zip(systems, places, strict=True)
        ]
        distinct, numbers = _numbered(np.concatenate(rows), len(systems[0].vocabulary))
        words.append(np.pad(distinct, ((0, 0), (0, LONGEST - n)), constant_values=-1))
        parts = np.split(numbers + known, np.cumsum([len(at) for at in places])[:-1])
        for system, (texts, at) in enumerate(zip(systems, places, strict=True)):
            owners = np.searchsorted(texts.hypothesis.offsets, at, side="right") - 1
            # Those of longer n-grams are larger.
            rising = parts[system] * segments + owners
            sorting = np.argsort(rising)
            keys[system].append(rising[sorting])
            counts[system].append(matched[system][n - 1][at[sorting]])
        known += len(distinct)
    return RightNgrams(
        np.concatenate(words),
        segments,
        tuple(map(np.concatenate, keys)),
        tuple(map(np.concatenate, counts)),
    )


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
    """N-grams that two systems get right in different sentences: D of them, most significant first.

    Attributes
    ----------
    ngrams : int64[D]
        Numbers in the `RightNgrams` that they come from.
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
    """

    ngrams: Int64
    first: Int64
    second: Int64
    first_more: Int64
    second_more: Int64
    p_values: Float64
    corrected: Float64
    salience: Float64

    def __len__(self) -> int:
        return len(self.ngrams)

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
        Of all n-grams that one of the two gets right more often in some sentence. Sorted by
        p-value, then by how much oftener one is right, then by number.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> from wordorder.analysis.translations.ngrams import right_ngrams
    >>> found = translations_of(
    ...     {"A": ["we saw him"] * 7 + ["him we met"], "B": ["we met her"] * 8},
    ...     ["we met him"] * 8, metrics="cder")
    >>> right = right_ngrams([system.texts for system in found.systems])
    >>> compared = ngram_differences(right, 0, 1)
    >>> [right.text(number, found.texts) for number in compared.ngrams.tolist()]
    ['him', 'met', 'we met']
    >>> compared.first_more.tolist(), compared.second_more.tolist(), compared.tested
    ([8, 0, 0], [0, 7, 7], 3)
    >>> compared.p_values.tolist(), compared.corrected.tolist()
    ([0.0078125, 0.015625, 0.015625], [0.0234375, 0.03125, 0.03125])
    """
    size, segments = len(right), right.segment_count
    keys, change = _differences(right, first, second)
    ngrams = keys // max(segments, 1)
    first_more = np.bincount(ngrams[change > 0], minlength=size)
    second_more = np.bincount(ngrams[change < 0], minlength=size)
    del keys, change, ngrams
    different = np.flatnonzero(first_more + second_more)
    more, less = first_more[different], second_more[different]
    p_values = _p_values(more, less)
    corrected = holm(np.where(more + less >= FEWEST, p_values, np.nan))
    ours, theirs = right.totals(first)[different], right.totals(second)[different]
    order = np.lexsort((different, -np.abs(ours - theirs), p_values))
    ours, theirs = ours[order], theirs[order]
    return NgramDifferences(
        different[order],
        ours,
        theirs,
        more[order],
        less[order],
        p_values[order],
        corrected[order],
        salience(ours, theirs),
    )


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
    right: RightNgrams, first: int, second: int, ngrams: Int64
) -> tuple[tuple[int, ...], ...]:
    """Return for each n-gram sentences in which only one of two systems gets it right.

    Those of the system that does so in more sentences come first.
    """
    keys, change = _differences(right, first, second)
    segments = right.segment_count
    found = []
    starts = np.searchsorted(keys, ngrams * segments).tolist()
    stops = np.searchsorted(keys, (ngrams + 1) * segments).tolist()
    for start, stop in zip(starts, stops, strict=True):
        changes = change[start:stop]
        better = np.sign(np.sign(changes).sum()) or 1
        order = np.argsort(-better * changes, kind="stable")[:SHOWN]
        found.append(tuple((keys[start:stop][order] % segments).tolist()))
    return tuple(found)


def occurrences(right: RightNgrams, texts: Texts, ngrams: Int64) -> Int64:
    """Count how often the references have each n-gram, int64; of several, that which has it most.

    Examples
    --------
    >>> from wordorder.analysis.translations.ngrams import right_ngrams
    >>> texts = Texts.from_segments(["the cat"], [["the cat saw the cat", "the cat"]])
    >>> found = right_ngrams([texts])
    >>> occurrences(found, texts, np.arange(len(found))).tolist()
    [2, 2, 2]
    """
    counts = np.zeros(len(ngrams), np.int64)
    for number, ngram in enumerate(ngrams.tolist()):
        words = right.words[ngram][right.words[ngram] >= 0]
        begins = ngram_places(texts.references, words)
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


# Keys of two systems that are put side by side at a time.
TOGETHER = 1 << 20


def _differences(right: RightNgrams, first: int, second: int) -> tuple[Int64, Int32]:
    """Return where two systems differ, and how much oftener the first is right there."""
    pair = first, second
    most = max(len(right.keys[system]) for system in pair)
    longest = right.keys[first if len(right.keys[first]) == most else second]
    # The keys of both are cut at the same values.
    cuts = longest[TOGETHER::TOGETHER]
    spans = [np.searchsorted(right.keys[n], cuts).tolist() for n in pair]
    bounds = [[0, *span, len(right.keys[n])] for n, span in zip(pair, spans, strict=True)]
    parts = [
        _differences_between(right, pair, [slice(*ends) for ends in zip(begin, end, strict=True)])
        for begin, end in pairwise(zip(*bounds, strict=True))
    ]
    keys, change = zip(*parts, strict=True)
    return np.concatenate(keys), np.concatenate(change)


def _differences_between(
    right: RightNgrams, pair: tuple[int, int], spans: Sequence[slice]
) -> tuple[Int64, Int32]:
    """Return what `_differences` does, of a span of the keys of each system."""
    (first, second), (ours, theirs) = pair, spans
    keys = np.concatenate([right.keys[first][ours], right.keys[second][theirs]])
    change = np.concatenate([right.counts[first][ours], -right.counts[second][theirs]])
    order = np.argsort(keys, kind="stable")
    keys, change = keys[order], change[order]
    # No key is there more than twice.
    same = np.flatnonzero(keys[1:] == keys[:-1])
    change[same] += change[same + 1]
    change[same + 1] = 0
    used = np.flatnonzero(change)
    return keys[used], change[used]


def _p_values(more: Int64, less: Int64) -> Float64:
    """Return the two-sided p-values of sign tests, each distinct one computed once."""
    high, low = np.maximum(more, less), np.minimum(more, less)
    pairs, numbers = np.unique(np.stack([high, low]), axis=1, return_inverse=True)
    values = np.array([min(1.0, 2 * sign_test(*pair)) for pair in pairs.T.tolist()], np.float64)
    return values[numbers.reshape(-1)]


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
    right = right_ngrams([system.texts for system in translations.systems])
    return list(numbered_sections([_section(translations, right, pair)] for pair in pairs))


def _section(translations: Translations, right: RightNgrams, pair: tuple[int, int]) -> Section:
    first, second = pair
    ours, theirs = (translations.names[number] for number in pair)
    compared = ngram_differences(right, first, second)
    listed = _without_parts(right, compared)[:NGRAMS_SHOWN]
    ngrams = compared.ngrams[listed]
    times = occurrences(right, translations.texts, ngrams)
    texts = [right.text(number, translations.texts) for number in ngrams.tolist()]
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


def _without_parts(right: RightNgrams, compared: NgramDifferences) -> Int64:
    """Return the places of the n-grams that are in no longer one with the same numbers."""
    # N-grams that hardly differ come by the thousand; none of them is significant.
    differing = compared.first_more + compared.second_more
    kept = [np.flatnonzero(differing < FEWEST)]
    others = np.flatnonzero(differing >= FEWEST)
    columns = compared.first, compared.second, compared.first_more, compared.second_more
    numbers = zip(*(column[others].tolist() for column in columns), strict=True)
    for places in grouped(zip(numbers, others.tolist(), strict=True)).values():
        words = [
            " ".join(map(str, right.words[n][right.words[n] >= 0]))
            for n in compared.ngrams[places].tolist()
        ]
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
    if not len(compared):
        return f"{ours} and {theirs} get the same n-grams right."
    differ = f"{ours} and {theirs} differ in {counted(len(compared), 'n-gram', commas=True)}"
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
    found: list[tuple[int, float, int, Finding, int, int, int]] = []
    conventional = translations.convention_words(*pair)
    for place, at in enumerate(listed.tolist()):
        if not compared.corrected[at] <= LEVEL:
            continue
        times = {pair[0]: int(compared.first[at]), pair[1]: int(compared.second[at])}
        worse, better = sorted(pair, key=times.__getitem__)
        words = right.words[compared.ngrams[at]]
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
        found.append((level, -more, len(found), finding, int(compared.ngrams[at]), worse, better))
    return tuple(
        replace(finding, seen=_seen(translations, right, ngram, worse, better))
        for *_, finding, ngram, worse, better in sorted(found)[:FINDINGS]
    )


def _seen(
    translations: Translations, right: RightNgrams, ngram: int, worse: int, better: int
) -> Float64:
    """Return how much oftener one system gets an n-gram right in each segment, float64[S].

    Segments where the worse one has it in another case, or with marks attached, are left out.
    """
    times, texts = right.times(better, ngram), translations.systems[worse].texts
    seen = times - right.times(worse, ngram)
    text, words = re.escape(right.text(ngram, texts)), texts.vocabulary.words
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
    charged = system.charges.edits[places] + system.charges.jumps[places]
    return 100 * float(charged.sum()) / max(len(system.charges.edits), 1)
