"""Tables of the n-grams that one system gets right and another does not."""

from __future__ import annotations

import numpy as np

from wordorder.analysis.finding import Finding
from wordorder.analysis.section import Section, Value
from wordorder.analysis.section_keys import numbered_keys
from wordorder.analysis.translations.compared_pairs import compared_pairs
from wordorder.analysis.translations.ngram_differences import (
    FEWEST,
    NgramDifferences,
    examples_of,
    ngram_differences,
    ngram_places,
    occurrences,
)
from wordorder.analysis.translations.right_ngrams import RightNgrams, right_ngrams
from wordorder.analysis.translations.translated_system import TranslatedSystem
from wordorder.analysis.translations.translations import Translations
from wordorder.analysis.translations.word_charges import WordCharges, word_charges
from wordorder.counts import counted
from wordorder.types import Int32, Int64

# N-grams a table, and findings of it.
SHOWN, FINDINGS = 100, 3
LEVEL = 0.05
NOTE = (
    "N-grams of 1 to 4 words. Right: occurrences in the output, in each sentence at most as many "
    "as in its reference (as BLEU counts matches). More: sentences in which the system gets the "
    "n-gram right more often than the other system. p: exact two-sided sign test over these "
    f"sentences. p (Holm): corrected for all n-grams with at least {FEWEST} such sentences; those "
    "with fewer cannot be significant. N-grams inside a longer one with the same numbers are "
    "left out. compare-mt: the score of that program, (a + 1) / (a + b + 2)."
)


def ngram_sections(translations: Translations) -> list[Section]:
    """Make a table of n-grams for each pair of systems that is compared.

    Parameters
    ----------
    translations : Translations

    Returns
    -------
    list of Section
        ``ngrams``, ``ngrams-2``, ...; none for one system. The pairs are those of
        `compared_pairs`.
    """
    pairs = compared_pairs(translations)
    if not pairs:
        return []
    right = right_ngrams([system.texts for system in translations.systems])
    return [_section(translations, right, pair, suffix) for suffix, pair in numbered_keys(pairs)]


def _section(
    translations: Translations, right: RightNgrams, pair: tuple[int, int], suffix: str
) -> Section:
    first, second = pair
    ours, theirs = (translations.names[number] for number in pair)
    compared = ngram_differences(right, first, second)
    listed = _without_parts(right, compared)[:SHOWN]
    ngrams = compared.ngrams[listed]
    times = occurrences(right, translations.texts, ngrams)
    texts = [right.text(number, translations.texts) for number in ngrams.tolist()]
    rows: list[tuple[Value, ...]] = []
    for at, text, there in zip(listed.tolist(), texts, times.tolist(), strict=True):
        corrected = float(compared.corrected[at])
        rows.append(
            (
                text,
                there,
                int(compared.first[at]),
                int(compared.second[at]),
                int(compared.first_more[at]),
                int(compared.second_more[at]),
                float(compared.p_values[at]),
                None if np.isnan(corrected) else corrected,
                float(compared.salience[at]),
            )
        )
    examples = examples_of(right, first, second, ngrams)
    header = ["n-gram", "in references"]
    for what in ("right", "more"):
        header += [f"{what}: {name}" for name in (ours, theirs)]
    return Section(
        key=f"ngrams{suffix}",
        title=f"N-grams that {ours} or {theirs} gets right and the other does not",
        reading=_reading(compared, texts, listed, ours, theirs),
        header=(*header, "p", "p (Holm)", "compare-mt"),
        rows=tuple(rows),
        examples=examples,
        note=NOTE,
        findings=_findings(translations, right, compared, texts, listed, examples, pair),
    )


def _without_parts(right: RightNgrams, compared: NgramDifferences) -> Int64:
    """Return the places of the n-grams that are in no longer one with the same numbers."""
    numbers = zip(
        compared.first.tolist(),
        compared.second.tolist(),
        compared.first_more.tolist(),
        compared.second_more.tolist(),
        strict=True,
    )
    alike: dict[tuple[int, int, int, int], list[int]] = {}
    for place, key in enumerate(numbers):
        alike.setdefault(key, []).append(place)
    kept: list[int] = []
    for key, places in alike.items():
        # N-grams that hardly differ come by the thousand; none of them is significant.
        if key[2] + key[3] < FEWEST:
            kept += places
            continue
        words = [
            " ".join(map(str, right.words[n][right.words[n] >= 0]))
            for n in compared.ngrams[places].tolist()
        ]
        kept += [
            place
            for place, text in zip(places, words, strict=True)
            if not any(f" {text} " in f" {other} " for other in words if other != text)
        ]
    return np.array(sorted(kept), np.int64)


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
    examples: tuple[tuple[int, ...], ...],
    pair: tuple[int, int],
) -> tuple[Finding, ...]:
    """Say which significant differences cost most."""
    found = []
    charges = {
        number: word_charges(translations.systems[number].paths)
        for number in pair
        if (compared.corrected <= LEVEL).any()
    }
    for place, at in enumerate(listed.tolist()):
        if not compared.corrected[at] <= LEVEL:
            continue
        times = {pair[0]: int(compared.first[at]), pair[1]: int(compared.second[at])}
        worse, better = sorted(pair, key=times.__getitem__)
        words = right.words[compared.ngrams[at]]
        points = {
            number: ngram_points(translations.systems[number], charges[number], words[words >= 0])
            for number in pair
        }
        more = points[worse] - points[better]
        if more <= 0:
            continue
        p_value = compared.corrected[at]
        name = translations.names[worse]
        sentence = (
            f"{name} gets {texts[place]!r} right {counted(times[worse], 'time', commas=True)}, "
            f"{translations.names[better]} {counted(times[better], 'time', commas=True)} "
            f"(p {'< 0.001' if p_value < 0.001 else f'= {p_value:.3f}'} after Holm's correction): "
            f"{name} loses {more:.2f} points of CDER more there."
        )
        found.append(Finding(sentence, more, examples[place]))
    found.sort(key=lambda each: -each.explained)
    return tuple(found[:FINDINGS])


def ngram_points(system: TranslatedSystem, charges: WordCharges, words: Int32) -> float:
    """Return the points of CDER that fall on the words of an n-gram wherever references have it.

    A word where two of them overlap counts once.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> system = translations_of({"A": ["a b x", "a"]}, ["a b c", "c"]).systems[0]
    >>> words = np.array([system.texts.vocabulary.words.index(w) for w in "bc"], np.int32)
    >>> ngram_points(system, word_charges(system.paths), words)
    25.0
    """
    begins = ngram_places(system.references, words)
    places = np.unique(begins[:, np.newaxis] + np.arange(len(words)))
    charged = charges.edits[places] + charges.jumps[places]
    return 100 * float(charged.sum()) / max(len(charges.edits), 1)
