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
    occurrences,
)
from wordorder.analysis.translations.right_ngrams import RightNgrams, right_ngrams
from wordorder.analysis.translations.translations import Translations
from wordorder.counts import counted
from wordorder.types import Int64

# N-grams a table, and findings of it.
SHOWN, FINDINGS = 100, 3
LEVEL = 0.05
NOTE = (
    "N-grams of 1 to 4 words. Right: how often the output has the n-gram, no oftener in a sentence "
    "than its reference (as BLEU counts matches). More: sentences in which the system gets it "
    "right more often than the other one. p: exact two-sided sign test over these sentences. "
    f"p (Holm): corrected for all n-grams with at least {FEWEST} such sentences; those with fewer "
    "cannot be significant. An n-gram inside a longer one with the same numbers is left out. "
    "compare-mt: the figure of that program, (a + 1) / (a + b + 2)."
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
        findings=_findings(translations, compared, texts, listed, examples, pair),
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
    tested = counted(compared.tested, "n-gram")
    if not better + worse:
        return (
            f"{ours} and {theirs} differ in {counted(len(compared), 'n-gram')}; {tested} could be "
            "tested, and no difference is significant."
        )
    at = int(listed[0])
    return (
        f"Of {tested} that could be tested, {ours} gets {better} and {theirs} {worse} right "
        f"significantly more often. Surest: {texts[0]!r}, right {compared.first[at]} times in "
        f"{ours} and {compared.second[at]} times in {theirs}."
    )


def _findings(
    translations: Translations,
    compared: NgramDifferences,
    texts: list[str],
    listed: Int64,
    examples: tuple[tuple[int, ...], ...],
    pair: tuple[int, int],
) -> tuple[Finding, ...]:
    """Say which significant differences are the largest, over the words of the references."""
    found = []
    for place, at in enumerate(listed.tolist()):
        if not compared.corrected[at] <= LEVEL:
            continue
        right = {pair[0]: int(compared.first[at]), pair[1]: int(compared.second[at])}
        worse, better = sorted(pair, key=right.__getitem__)
        system = translations.systems[worse]
        words = max(int(system.references.lengths.sum()), 1)
        points = 100 * (right[better] - right[worse]) / words
        sentence = (
            f"{system.name} gets {texts[place]!r} right {counted(right[worse], 'time')}, "
            f"{translations.names[better]} {counted(right[better], 'time')} "
            f"(p = {compared.corrected[at]:.2g} after Holm's correction): up to {points:.2f} "
            "points of CDER."
        )
        found.append(Finding(sentence, points, examples[place]))
    found.sort(key=lambda each: -each.explained)
    return tuple(found[:FINDINGS])
