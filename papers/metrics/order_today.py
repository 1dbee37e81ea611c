#!/usr/bin/env python3
"""Does order add to words? What an order metric adds to F1 + PER, and to chrF, for people.

    python -m papers.metrics.order_today FOLDER --cache SCRATCH

FOLDER holds the corpora (or WORDORDER_DATA says where they are): rankings of WMT12 to WMT15 and
errors marked in WMT21 zh-en and TED en-de. For each set, a weighted sum of the base metrics is
learned from people's preferences, and another one with the order metric in it; length is in both.
Both are judged on sentences that they did not learn from. SCRATCH keeps the scores: a second run
takes five minutes.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from papers.judged_sets import MQM, WMT, JudgedSet
from papers.keeping import arguments_of, keep
from papers.scored_sets import ORDER_PARTS, ORDERS, WORDS, ScoredSet, scored
from wordorder.arrays import Bool, Float64, Int64
from wordorder.statistics.consistency import consistency, pair_differences

FOLDS, SEED, RESAMPLES = 10, 12345, 2000
BASES = {"F1 + PER": ("f1", "PER"), "chrF": ("chrF",)}
# What else may be added, to see how large a gain is: metrics of words and their order together,
# words alone, and noise, which can add nothing.
OTHERS = ("CDER", "WER", "TER", "BLEU-S")
# SenScore's half for order: its brevity penalty counts the matched words, so it is not order alone.
WITH_PENALTY = {f"BP * {name}": ORDER_PARTS[name] for name in ("kendall", "frs", "ulam")}
WORDS_ALONE = {"F1 + PER": ("chrF",), "chrF": ("f1", "PER")}
NOISE = "noise"
# Shown with ties as wrong, too.
STRICTLY = ("kendall", "frs", "ulam", "CDER")
ADDED = (*ORDERS, *WITH_PENALTY, *OTHERS)
RIDGE, STEPS = 1e-3, 30


def filled(scores: Float64) -> Float64:
    """Return scores in which an output without a word to order has the mean of all."""
    return np.where(np.isnan(scores), np.nanmean(scores), scores)


def length_features(given: ScoredSet) -> list[Float64]:
    """Return the length of the outputs over that of the reference, and how far it is from it."""
    ratio = given.lengths["outputs"] / np.maximum(given.lengths["reference"], 1)
    return [ratio, np.abs(ratio - 1)]


def columns_of(given: ScoredSet) -> dict[str, Float64]:
    """Return the difference of each feature for each preference, in its own deviations."""
    items, better, worse = given.judged.pairs.T
    noise = np.random.default_rng(SEED).normal(size=given.lengths["outputs"].shape)
    features = {name: filled(each) for name, each in given.scores.items()}
    features |= {f"length {n}": each for n, each in enumerate(length_features(given))}
    features[NOISE] = noise
    columns = {}
    for name, each in features.items():
        difference = pair_differences(each, items, better, worse)
        deviation = np.sqrt(np.mean(difference**2))
        columns[name] = difference / deviation if deviation > 0 else difference
    return columns


def learned(matrix: Float64) -> Float64:
    """Return the weights under which people's preferences are likeliest (Bradley-Terry)."""
    weights = np.zeros(matrix.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(matrix @ weights, -30, 30)))
        slope = matrix.T @ (1 - chance) - RIDGE * weights
        bend = (matrix * (chance * (1 - chance))[:, None]).T @ matrix
        step = np.linalg.solve(bend + RIDGE * np.eye(len(weights)), slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def held_out(matrix: Float64, fold_of: Int64) -> Float64:
    """Return the weighted sum of each preference, with weights learned on the other folds."""
    sums = np.empty(len(matrix))
    for fold in range(FOLDS):
        inside: Bool = fold_of == fold
        sums[inside] = matrix[inside] @ learned(matrix[~inside])
    return sums


def credit(sums: Float64) -> Float64:
    """Return 1 for a preference that is shared, a half for a tie, else 0."""
    return (np.sign(sums) + 1) / 2


def folds(judged: JudgedSet) -> Int64:
    """Return the fold of each preference; all of a sentence are in one."""
    number = len(judged.reference)
    of_segment = np.random.default_rng(SEED).permutation(number) % FOLDS
    return of_segment[judged.pairs[:, 0]]


def of_set(given: ScoredSet) -> tuple[dict[str, Any], dict[str, Float64]]:
    """Return the consistency of base and sum, and the gains on resampled sentences."""
    columns, fold_of = columns_of(given), folds(given.judged)
    segment = given.judged.pairs[:, 0]
    used, place = np.unique(segment, return_inverse=True)
    pairs = np.bincount(place).astype(np.float64)
    generator = np.random.default_rng([SEED, len(segment)])
    draws = generator.integers(0, len(used), (RESAMPLES, len(used)))
    drawn = np.stack([np.bincount(draw, minlength=len(used)) for draw in draws]).astype(np.float64)
    weight = drawn @ pairs
    table: dict[str, Any] = {}
    samples: dict[str, Float64] = {}
    lengths = ["length 0", "length 1"]
    for base, members in BASES.items():
        alone = held_out(np.stack([columns[c] for c in (*members, *lengths)], 1), fold_of)
        ground = credit(alone)
        table[base] = {
            "base": 100 * float(ground.mean()),
            "base, strict": 100 * float(np.mean(alone > 0)),
            "added": {},
            "added, strict": {},
        }
        for name in (*ADDED, *WORDS_ALONE[base], NOISE):
            chosen = np.stack([columns[c] for c in (*members, *lengths, name)], 1)
            sums = held_out(chosen, fold_of)
            gain = credit(sums) - ground
            strict = float(np.mean(sums > 0) - np.mean(alone > 0))
            table[base]["added, strict"][name] = 100 * strict
            of_segment = np.bincount(place, weights=gain)
            samples[f"{base}: {name}"] = 100 * (drawn @ of_segment) / weight
            table[base]["added"][name] = 100 * float(gain.mean())
    items, better, worse = given.judged.pairs.T
    by_itself = {}
    for name in (*WORDS, *ORDERS):
        counted = consistency(pair_differences(given.scores[name], items, better, worse))
        by_itself[name] = {"strict": 100 * counted.strict, "half": 100 * counted.half}
    order = np.stack([columns[name] for name in ("frs", "f1", "PER", "chrF", *lengths)])
    return {
        "pairs": len(segment),
        "sentences": len(used),
        "alone": by_itself,
        "bases": table,
        "correlation of frs with the rest": np.asarray(np.corrcoef(order))[0, 1:].tolist(),
    }, samples


def with_intervals(
    sets: Mapping[str, dict[str, Any]], samples: Mapping[str, Mapping[str, Float64]]
) -> dict[str, Any]:
    """Replace each gain by value and intervals: for itself, and for all of a base at once.

    Simultaneous intervals are as many deviations wide as the largest of all gains strays from its
    value in 95 % of the resamples, so that all of them hold together.
    """
    groups = {"WMT12-15": list(WMT), "MQM": list(MQM)}
    tables: dict[str, Any] = {}
    for base in BASES:
        names = [*ADDED, *WORDS_ALONE[base], NOISE]
        rows: dict[tuple[str, str], tuple[float, Float64]] = {}
        for name in names:
            for each, of in sets.items():
                gain = of["bases"][base]["added"][name]
                rows[name, each] = gain, samples[each][f"{base}: {name}"]
            for group, members in groups.items():
                values = [rows[name, each] for each in members]
                drawn = np.mean([each for _, each in values], axis=0)
                rows[name, group] = float(np.mean([gain for gain, _ in values])), drawn
        tests = [(name, each) for name in ORDERS for each in (*sets, *groups)]
        strayed = []
        for key in tests:
            _, drawn = rows[key]
            strayed.append(np.abs(drawn - drawn.mean()) / max(float(drawn.std()), 1e-9))
        width = float(np.quantile(np.max(strayed, axis=0), 0.95))
        table: dict[str, Any] = {"comparisons": len(tests), "deviations": width}
        for (name, each), (value, drawn) in rows.items():
            deviation = float(drawn.std())
            low, high = np.quantile(drawn, [0.025, 0.975])
            table.setdefault(each, {})[name] = {
                "gain": value,
                "low": float(low),
                "high": float(high),
                "low for all": value - width * deviation,
                "high for all": value + width * deviation,
            }
        tables[base] = table
    return tables


def mark(gain: dict[str, float]) -> str:
    """Say whether a gain is sure: ** for all comparisons at once, * by itself."""
    for low, high, sign in (("low for all", "high for all", "**"), ("low", "high", "*")):
        if gain[low] > 0 or gain[high] < 0:
            return sign
    return ""


def markdown(results: dict[str, Any]) -> str:
    """Write the answer and the tables."""
    sets, gains = results["sets"], results["gains"]
    lines = [
        "# Does order add to words?",
        "",
        "How many more of people's preferences (in points of percent, a tie half right) a weighted",
        "sum shares once an order metric is added to F1 + PER, or to chrF. The weights are learned",
        f"from preferences by logistic regression and judged on other sentences ({FOLDS} folds).",
        "They are not learned again for each resample.",
        "Every sum also has the length of the output over that of the reference, and its distance",
        "from 1, so that no gain comes from length. The orderings are those of the words that",
        "match by form and stem, without brevity penalty.",
        "",
        "`*`: the 95 % interval, by resampling sentences, does not contain 0. `**`: nor does that",
        "which holds for all order metrics, sets and means of a table at once "
        f"({gains['chrF']['comparisons']} comparisons;",
        "value ± "
        + " and ± ".join(f"{gains[base]['deviations']:.2f}" for base in BASES)
        + " deviations).",
        "",
        "## The answer",
        "",
        *answer(results),
        "",
    ]
    for base in BASES:
        lines += [f"## Gain over {base} and length", ""]
        for title, members in (
            ("WMT12-15, rankings", [*WMT, "WMT12-15"]),
            ("MQM", [*MQM, "MQM"]),
        ):
            lines += [
                f"### {title}",
                "",
                "| added | " + " | ".join(members) + " |",
                "|---" * (len(members) + 1) + "|",
                "| (base, %) | "
                + " | ".join(
                    f"{sets[each]['bases'][base]['base']:.1f}" if each in sets else "mean"
                    for each in members
                )
                + " |",
            ]
            for name in (*ADDED, *WORDS_ALONE[base], NOISE):
                cells = [gains[base][each][name] for each in members]
                shown = [f"{cell['gain']:+.2f}{mark(cell)}" for cell in cells]
                lines.append(f"| {name} | " + " | ".join(shown) + " |")
            lines.append("")
        lines += [
            "### With ties counted as wrong (strict), which rewards what only breaks ties",
            "",
            "| added | " + " | ".join(sets) + " |",
            "|---" * (len(sets) + 1) + "|",
            "| (base, %) | "
            + " | ".join(f"{of['bases'][base]['base, strict']:.1f}" for of in sets.values())
            + " |",
        ]
        for name in (*STRICTLY, NOISE):
            cells = [of["bases"][base]["added, strict"][name] for of in sets.values()]
            lines.append(f"| {name} | " + " | ".join(f"{cell:+.2f}" for cell in cells) + " |")
        lines.append("")
        lines += [
            "### Means with their intervals, for all comparisons at once",
            "",
            "| added | WMT12-15 | MQM |",
            "|---|---|---|",
        ]
        for name in ORDERS:
            cells = [gains[base][group][name] for group in ("WMT12-15", "MQM")]
            shown = [
                f"{c['gain']:+.2f} [{c['low for all']:+.2f}, {c['high for all']:+.2f}]"
                for c in cells
            ]
            lines.append(f"| {name} | " + " | ".join(shown) + " |")
        lines.append("")
    lines += [
        "`BP * …` is SenScore's half for order: its brevity penalty compares the number of matched",
        "words with the length of the reference, so it is not about order alone. CDER, WER, TER",
        "and BLEU-S look at words and their order together; chrF (or f1 and PER) at words alone;",
        "noise at nothing. They show how large a gain is, and are not among the comparisons that",
        "the intervals are corrected for.",
        "",
        "## Consistency of each metric alone (strict / a tie is half right)",
        "",
        "| metric | " + " | ".join(sets) + " |",
        "|---" * (len(sets) + 1) + "|",
    ]
    for name in (*WORDS, *ORDERS):
        cells = [of["alone"][name] for of in sets.values()]
        shown = [f"{cell['strict']:.1f} / {cell['half']:.1f}" for cell in cells]
        lines.append(f"| {name} | " + " | ".join(shown) + " |")
    counts = [f"{of['pairs']:,}" for of in sets.values()]
    lines += ["| preferences | " + " | ".join(counts) + " |", "", results["made"], ""]
    return "\n".join(lines)


def answer(results: dict[str, Any]) -> list[str]:
    """Say what was found, in numbers."""
    lines = []
    for base in BASES:
        gains = results["gains"][base]
        for group, members in (("WMT12-15", WMT), ("MQM", MQM)):
            best = max(ORDERS, key=lambda name: gains[group][name]["gain"])
            of_best = gains[group][best]
            sure = sum(
                any(gains[each][name]["low for all"] > 0 for name in ORDERS) for each in members
            )
            every = [gains[each][best]["gain"] for each in members]
            lines.append(
                f"- {group}, over {base}: the best order metric on average is {best}, "
                f"{of_best['gain']:+.2f} points (for all comparisons at once "
                f"[{of_best['low for all']:+.2f}, {of_best['high for all']:+.2f}]; from "
                f"{min(every):+.2f} to {max(every):+.2f} on single sets). Some order metric adds "
                f"surely on {sure} of {len(members)} sets."
            )
    return lines


def main() -> None:
    """Measure everything and keep it."""
    given = arguments_of(__doc__)
    started = time.process_time()
    sets: dict[str, Any] = {}
    samples: dict[str, dict[str, Float64]] = {}
    for name in (*WMT, *MQM):
        scored_set = scored(given.data, name, {**WORDS, **ORDERS, **WITH_PENALTY}, given.cache)
        sets[name], samples[name] = of_set(scored_set)
    results = {"sets": sets, "gains": with_intervals(sets, samples)}
    keep(given.output, "order_today", results, markdown, started)


if __name__ == "__main__":
    main()
