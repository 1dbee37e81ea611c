"""Tables of words that are misplaced, missing and added: by form, frequency, length and tag."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.analysis.finding import Finding
from wordorder.analysis.section import Section, Value
from wordorder.analysis.section_keys import numbered_keys
from wordorder.analysis.translations.judged_words import JudgedWords, KindCounts, worst_kinds
from wordorder.analysis.translations.translations import Translations
from wordorder.analysis.translations.word_kinds import (
    WordKinds,
    word_forms,
    word_frequencies,
    word_lengths,
    word_tags,
)
from wordorder.types import Float64, Int64

# Rows of a table of words.
SHOWN = 300
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
    "reference words; a jump is shared equally by the words on its two sides."
)
SUM = "The rows of a system add up to its CDER."
NO_OUTPUT = (
    "Only references are tagged, so output words that CDER deletes are in no row, and there is "
    "no precision."
)


def word_sections(translations: Translations) -> list[Section]:
    """Make all tables of words.

    Parameters
    ----------
    translations : Translations

    Returns
    -------
    list of Section
        ``words``, ``words-by-frequency``, ``words-by-length``, ``words-by-tag`` where the
        references are parsed, and ``words-by-form``, ``words-by-form-2``, ..., one a system.
    """
    judged = [JudgedWords.of(system) for system in translations.systems]
    texts = translations.texts
    tables = [word_frequencies(texts), word_lengths(texts)]
    if (tags := word_tags(translations)) is not None:
        tables.append(tags)
    forms = word_forms(texts)
    return [
        _overview(judged),
        *(_kinds_section(judged, kinds) for kinds in tables),
        *(_forms_section(each, forms, suffix) for suffix, each in numbered_keys(judged)),
    ]


def _overview(judged: Sequence[JudgedWords]) -> Section:
    rows: list[tuple[Value, ...]] = []
    findings = []
    for each in judged:
        counts, edited = each.counted(), int(np.count_nonzero(each.charges.edits))
        points = each.points(float(each.charges.edits.sum()))
        rows.append(
            (
                each.system.name,
                each.words,
                int(counts.output[0]),
                int(counts.missing[0]),
                int(counts.added[0]),
                int(counts.misplaced[0]),
                float(counts.recall[0]),
                float(counts.precision[0]),
                float(counts.f1[0]),
                *(edited, points),
            )
        )
        findings.append(
            Finding(
                f"{each.system.name} lacks or replaces {edited:,} of {each.words:,} reference "
                f"words: {points:.1f} points of its {each.cder:.1f} CDER.",
                points,
            )
        )
    # One system is enough to tell words from order; the table has them all.
    most = max(findings, key=lambda finding: finding.explained)
    best = max(judged, key=lambda each: float(each.counted().f1[0]))
    counts = best.counted()
    best_words = "has the best words: it finds" if len(judged) > 1 else "finds"
    reading = (
        f"{best.system.name} {best_words} {100 * counts.recall[0]:.1f} % of the "
        f"reference words, and {100 * counts.precision[0]:.1f} % of its own words are right."
    )
    return Section(
        key="words",
        title="Misplaced, missing and added words",
        reading=reading,
        header=(
            *("system", "in references", "in output", "missing", "added", "misplaced"),
            *("recall", "precision", "F1", "edited", "CDER points"),
        ),
        rows=tuple(rows),
        note=f"{OUTCOMES} Edited: reference words that the cheapest CDER path inserts or "
        "substitutes (its matches differ from those of the alignment). CDER points: their "
        "cost, per 100 reference words.",
        findings=(most,) if most.explained > 0 else (),
    )


def _kinds_section(judged: Sequence[JudgedWords], kinds: WordKinds) -> Section:
    """Make a table with a row for each kind and system."""
    found = [each.by_kind(kinds) for each in judged]
    both = kinds.of_output is not None
    rows: list[tuple[Value, ...]] = []
    used = np.zeros(len(kinds.names), np.bool_)
    for each in found:
        used |= (each.counts.reference + each.counts.output) > 0
    numbers = np.flatnonzero(used).tolist()
    if not both:
        most = found[0].counts.reference
        numbers.sort(key=lambda number: (-int(most[number]), kinds.names[number]))
    cells = [_cells(each, numbers, both) for each in found]
    shown = [each.examples(numbers) for each in found]
    for place, number in enumerate(numbers):
        for words, made in zip(judged, cells, strict=True):
            rows.append((kinds.names[number], words.system.name, *made[place]))
    return Section(
        key=f"words-by-{kinds.key}",
        title=f"Words by {kinds.title}",
        reading=_reading(judged, found, kinds),
        header=(kinds.title, "system", *_header(both)),
        rows=tuple(rows),
        examples=tuple(each for row in zip(*shown, strict=True) for each in row),
        note=f"{OUTCOMES} {CHARGES} {SUM if both else NO_OUTPUT}",
        findings=_excess_finding(judged, found, kinds, theme="kinds of words"),
    )


def _forms_section(judged: JudgedWords, forms: WordKinds, suffix: str) -> Section:
    """Make the table of the words that cost one system most."""
    found = judged.by_kind(forms)
    order = worst_kinds(found)
    costly = order[found.points[order] > 0].tolist()
    listed = costly[:SHOWN]
    reading = f"{judged.system.name} loses nothing on any word."
    if listed:
        counts, worst = found.counts, listed[0]
        reading = (
            f"{forms.names[worst]!r} costs {judged.system.name} most: of "
            f"{counts.reference[worst]:,} in the references {counts.missing[worst]:,} are missing "
            f"and {counts.misplaced[worst]:,} misplaced, and {counts.added[worst]:,} are added."
        )
    return Section(
        key=f"words-by-form{suffix}",
        title=f"Costliest words: {judged.system.name}",
        reading=reading,
        header=(forms.title, *_header(True)),
        rows=tuple(
            (forms.names[number], *cells)
            for number, cells in zip(listed, _cells(found, listed, True), strict=True)
        ),
        hidden=len(costly) - len(listed),
        examples=found.examples(listed),
        note=f"{OUTCOMES} {CHARGES} {SUM}",
        findings=_excess_finding([judged], [found], forms, theme="words"),
    )


def _header(both: bool) -> tuple[str, ...]:
    if both:
        return (
            *("in references", "in output", "missing", "added", "misplaced", "CDER points"),
            *("recall", "precision", "F1"),
        )
    return ("in references", "missing", "misplaced", "CDER points", "recall")


def _cells(found: KindCounts, numbers: list[int], both: bool) -> list[tuple[Value, ...]]:
    """Return the cells of some kinds, as `_header` names them; shares of no words are empty."""
    counts = found.counts
    columns: list[Int64 | Float64] = [counts.reference, counts.missing, counts.misplaced]
    columns.append(found.points)
    shares = [(counts.recall, counts.reference)]
    if both:
        columns[1:1] = [counts.output]
        columns[3:3] = [counts.added]
        shares += [(counts.precision, counts.output)]
        shares += [(counts.f1, np.minimum(counts.reference, counts.output))]
    known = [column[numbers].tolist() for column in columns]
    for share, words in shares:
        listed = zip(share[numbers].tolist(), words[numbers].tolist(), strict=True)
        known.append([value if of else None for value, of in listed])
    return list(zip(*known, strict=True))


def _reading(judged: Sequence[JudgedWords], found: Sequence[KindCounts], kinds: WordKinds) -> str:
    """Say which words the first system finds least often and which most often."""
    # With several references, systems may be compared with different ones.
    words = np.min([each.counts.reference for each in found], axis=0)
    # The share of a handful of words says little.
    there = np.flatnonzero(words >= min(FEW, words.max(initial=0)))
    if not words.any():
        return "The references have no words."
    recall = found[0].counts.recall
    least, most = (int(there[at(recall[there])]) for at in (np.argmin, np.argmax))
    said = f"{judged[0].system.name} finds {100 * recall[least]:.1f} % of the {kinds.all(least)}"
    if least != most:
        said += f" and {100 * recall[most]:.1f} % of the {kinds.all(most)}"
    if len(judged) == 1:
        return f"{said}."
    recalls = np.array([each.counts.recall[there] for each in found])
    widest = int(np.ptp(recalls, axis=0).argmax())
    shares = recalls[:, widest]
    high, low = int(shares.argmax()), int(shares.argmin())
    if high == low:
        return f"{said}."
    return (
        f"{said}. The systems differ most in the {kinds.all(int(there[widest]))}: "
        f"{judged[high].system.name} finds {100 * shares[high]:.1f} %, "
        f"{judged[low].system.name} {100 * shares[low]:.1f} %."
    )


def _excess_finding(
    judged: Sequence[JudgedWords],
    found: Sequence[KindCounts],
    kinds: WordKinds,
    *,
    theme: str,
) -> tuple[Finding, ...]:
    """Say which words cost a system more than its other words do, where that explains most."""
    if not found[0].counts.reference.any():
        return ()
    # Kinds that no reference has cannot be lost.
    worst = [int(np.argmax(np.where(each.counts.reference, each.excess, 0))) for each in found]
    excess = [float(each.excess[kind]) for each, kind in zip(found, worst, strict=True)]
    at = int(np.argmax(excess))
    kind, each, words = worst[at], found[at], judged[at]
    count = int(each.counts.reference[kind])
    if not count or excess[at] <= 0:
        return ()
    each_costs = each.points[kind] * words.words / 100 / count
    average = each.points.sum() / 100
    sentence = (
        f"{words.system.name} loses {each_costs:.2f} edits and jumps on each {kinds.each(kind)}, "
        f"{average:.2f} on the average word: {excess[at]:.1f} points of its {words.cder:.1f} CDER "
        "beyond the average."
    )
    return (Finding(sentence, excess[at], each.examples([kind])[0], theme),)
