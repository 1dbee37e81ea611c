#!/usr/bin/env python3
"""Do order metrics agree better with people on words, stems, beginnings of words or characters?

    python -m papers.metrics.units FOLDER

FOLDER holds the corpora (or WORDORDER_DATA says where they are): rankings of WMT12 to WMT15, into
English and out of it. Of each set 600 segments that people judged are drawn. Words are split at
blanks and lower-cased; they match by form, by form and stem, by their first four letters, or
character by character. Intervals are of 1,000 resamples of the segments; what people say of the
systems stays as it is.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.judged_sets import JudgedSet, read_set
from papers.keeping import arguments_of, keep
from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.arrays import Float64, Int64
from wordorder.notes import held_notes

FROM_ENGLISH = (
    *("wmt12 en-cs", "wmt12 en-de", "wmt12 en-es", "wmt12 en-fr"),
    *("wmt15 en-de", "wmt15 en-fi", "wmt15 en-ru"),
)
INTO_ENGLISH = (
    *("wmt12 de-en", "wmt12 fr-en", "wmt13 cs-en", "wmt13 de-en", "wmt13 es-en", "wmt13 fr-en"),
    *("wmt14 cs-en", "wmt14 de-en", "wmt14 fr-en", "wmt15 de-en", "wmt15 fi-en"),
)
# Languages with many forms per word.
RICH = ("wmt12 en-cs", "wmt12 en-de", "wmt15 en-de", "wmt15 en-fi", "wmt15 en-ru")
METRICS = ("frs", "kendall")
WORDS, STEMS, BEGINNINGS, CHARACTERS = "words", "stems", "four letters", "characters"
UNITS = (WORDS, STEMS, BEGINNINGS, CHARACTERS)
# Snowball has no stemmer for Czech.
WITHOUT_STEMS = ("cs",)
SEGMENTS, RESAMPLES, SEED = 600, 1000, 1
SYSTEM, SEGMENT, HALVES = "system", "segment", "ties as halves"
MEASURES = {
    SYSTEM: "By system: Pearson's r with the ratio of wins",
    SEGMENT: "By segment: strict pairs of outputs in people's order (ties left out)",
    HALVES: "By segment: the same, with a tie as half a pair",
}


def segments_of(judged: JudgedSet, chosen: Int64, unit: str) -> list[wo.Segments]:
    """Match the units of each system with those of the reference, in some segments."""
    language = judged.languages[1]
    aligner: Any = "exact"
    if unit == STEMS:
        aligner = MonolingualAligner(language, ["exact", "stem"])

    def cut(text: str) -> str:
        if unit == BEGINNINGS:
            return " ".join(word[:4] for word in text.split())
        return text

    def taken(lines: Any) -> list[str]:
        return [cut(lines[number].lower()) for number in chosen.tolist()]

    reference = taken(judged.reference)
    tokenizer = "char" if unit == CHARACTERS else None
    return [
        wo.Segments.from_text(taken(text), reference, tokenizer=tokenizer, aligner=aligner)
        for text in judged.outputs.values()
    ]


def right_wrong_tied(values: Float64, pairs: Int64) -> Float64:
    """Count the strict pairs in people's order, in the other one, and tied, float64[S, 3]."""
    segment, better, worse = pairs.T
    sign = np.sign(values[better, segment] - values[worse, segment])
    counts = np.zeros((values.shape[1], 3))
    for column, wanted in enumerate((1, -1, 0)):
        np.add.at(counts[:, column], segment[sign == wanted], 1)
    return counts


def agreement(values: Float64, people: Float64, pairs: Int64, weights: Int64) -> dict[str, Float64]:
    """Return the agreement in each resample of the segments, float64[B]; the first is the whole."""
    of_system = weights @ values.T
    of_system = of_system - of_system.mean(axis=1, keepdims=True)
    centred = people - people.mean()
    norms = np.sqrt((of_system**2).sum(axis=1) * (centred**2).sum())
    right, wrong, tied = (weights @ right_wrong_tied(values, pairs)).T
    return {
        SYSTEM: of_system @ centred / norms,
        SEGMENT: right / (right + wrong),
        HALVES: (right + tied / 2) / (right + wrong + tied),
    }


def of_set(data: Path, name: str) -> dict[str, Any]:
    """Return the agreement of each metric, unit and measure, in each resample."""
    judged = read_set(data, name)
    assert judged.ratio is not None
    rng = np.random.default_rng(SEED)
    known = np.unique(judged.pairs[:, 0])
    chosen = np.sort(rng.choice(known, min(SEGMENTS, len(known)), replace=False))
    pairs = judged.pairs[np.isin(judged.pairs[:, 0], chosen)]
    pairs = np.column_stack([np.searchsorted(chosen, pairs[:, 0]), pairs[:, 1:]])
    draws = rng.multinomial(len(chosen), np.full(len(chosen), 1 / len(chosen)), RESAMPLES)
    weights = np.concatenate([np.ones((1, len(chosen)), np.int64), draws])
    found: dict[str, Any] = {"segments": len(chosen), "strict pairs": len(pairs), "matched": {}}
    for unit in UNITS:
        if unit == STEMS and judged.languages[1] in WITHOUT_STEMS:
            continue
        systems = segments_of(judged, chosen, unit)
        shares = [each.permutation.lengths.sum() / each.reference_lengths.sum() for each in systems]
        found["matched"][unit] = round(float(np.mean(shares)), 3)
        for metric in METRICS:
            values = np.stack([wo.metric(metric).segment_scores(each) for each in systems])
            of = agreement(np.nan_to_num(values), judged.ratio, pairs, weights)
            found.setdefault(metric, {})[unit] = of
    return found


def interval(draws: Float64) -> dict[str, Any]:
    """Return the value of the whole, and the interval of the resamples."""
    low, high = np.percentile(draws[1:], [2.5, 97.5])
    value, *ends = (round(float(number), 3) for number in (draws[0], low, high))
    return {"value": value, "interval": ends}


def means(sets: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the mean gain of each unit over words, with its interval, by measure and metric."""
    found: dict[str, Any] = {}
    for measure in MEASURES:
        for metric in METRICS:
            for unit in UNITS[1:]:
                of_sets = [sets[name][metric] for name in names if unit in sets[name][metric]]
                gains = [of[unit][measure] - of[WORDS][measure] for of in of_sets]
                row = interval(np.mean(gains, axis=0)) | {"sets": len(gains)}
                found.setdefault(measure, {}).setdefault(metric, {})[unit] = row
    return found


def measured(data: Path) -> dict[str, Any]:
    """Return the agreement of all sets, and the mean gains over words."""
    sets = {name: of_set(data, name) for name in (*FROM_ENGLISH, *INTO_ENGLISH)}
    groups = {"rich morphology": RICH, "from English": FROM_ENGLISH, "into English": INTO_ENGLISH}
    gains = {group: means(sets, names) for group, names in groups.items()}
    for of in sets.values():
        for metric in METRICS:
            of[metric] = {
                unit: {measure: interval(draws) for measure, draws in by_measure.items()}
                for unit, by_measure in of[metric].items()
            }
    return {"sets": sets, "gains over words": gains, "rich morphology": RICH, "seed": SEED}


def written(of: dict[str, Any]) -> str:
    """Write a value with its interval."""
    return "{:.3f} [{:.3f}, {:.3f}]".format(of["value"], *of["interval"])


def markdown(results: dict[str, Any]) -> str:
    """Write the tables as a page."""
    page = [
        "# Units of order metrics: words, stems, beginnings of words, characters",
        "",
        f"{SEGMENTS} judged segments of each set, drawn with seed {results['seed']}; in brackets "
        "95 % intervals of the segments.",
        "",
        "## Mean gain over words",
        "",
        "| sets | agreement | metric | stems | four letters | characters |",
        "|---|---|---|---|---|---|",
    ]
    for group, by_measure in results["gains over words"].items():
        for measure, by_metric in by_measure.items():
            for metric, units in by_metric.items():
                cells = [written(units[unit]) for unit in UNITS[1:]]
                page.append(f"| {group} | {measure} | {metric} | {' | '.join(cells)} |")
    page += ["", f"Rich morphology: {', '.join(results['rich morphology'])}."]
    for measure, title in MEASURES.items():
        page += [
            "",
            f"## {title}",
            "",
            "| set | metric | words | stems | four letters | characters |",
        ]
        page.append("|---|---|---|---|---|---|")
        for name, of in results["sets"].items():
            for metric in METRICS:
                units = of[metric]
                cells = [written(units[unit][measure]) if unit in units else "–" for unit in UNITS]
                page.append(f"| {name} | {metric} | {' | '.join(cells)} |")
    page += ["", "## Share of the reference's units that match", ""]
    page += ["| set | words | stems | four letters | characters |", "|---|---|---|---|---|"]
    for name, of in results["sets"].items():
        cells = [str(of["matched"].get(unit, "–")) for unit in UNITS]
        page.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*page, "", results["made"], ""])


def main() -> None:
    """Score all sets and keep the tables."""
    given = arguments_of(__doc__)
    started = time.process_time()
    with held_notes():
        results = measured(given.data)
    keep(given.output, Path(__file__).stem, results, markdown, started)


if __name__ == "__main__":
    main()
