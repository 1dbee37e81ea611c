#!/usr/bin/env python3
"""Tables 1 to 3 of Stanojević & Sima'an (2016): which order metric ranks systems as people do?

    python -m papers.stanojevic_simaan_2016.stanojevic_simaan_2016 FOLDER --cache SCRATCH

FOLDER holds the corpora (or WORDORDER_DATA says where they are): two of the paper's ten language
pairs, and eleven others of WMT12, WMT14 and WMT15; the pairs of WMT13 to WMT15 are laid out as
table 2 is. The rows of BEER are its order metrics (`--compat beer`): means over the sentences of
what BEER 1.1 takes as a feature, with its values for the shortest sentences, and without the
brevity penalty and F1. SCRATCH keeps the scores. Takes two minutes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.stats

import wordorder as wo
from papers.judged_sets import WMT
from papers.keeping import arguments_of, keep, marked
from papers.scored_sets import ORDER_PARTS, RAW, SENSCORE, scored
from wordorder.arrays import Float64
from wordorder.judgement import FitInput, fit_weights, pair_differences, wins_losses_draws
from wordorder.report.correlations import fit_output

RESAMPLES, SEED = 1000, 12345
# The paper's names; the metrics of its own come last.
METRICS = {
    "HAMMING": "hamming",
    "KENDALL": "kendall",
    "SPEARMAN": "spearman",
    "FUZZY": "frs",
    "ULAM": "ulam",
    "PET": "pet",
    "#PETS": "pets",
    "MAX": "maxop",
}
BASELINES = ("HAMMING", "KENDALL", "SPEARMAN", "FUZZY", "ULAM")
OWN = ("PET", "MAX", "#PETS")
BEER = {f"BEER, {label}": f"{METRICS[label]}(degenerate=beer)" for label in ("KENDALL", *OWN)}
# What is scored: nothing that no table shows.
SCORED = {name: ORDER_PARTS[name] for name in METRICS.values()} | {"F1": SENSCORE["F1"]}
# Into English, as table 2 of the paper, and the other campaigns in its form.
INTO = tuple(name for name in WMT if name.endswith("-en") and not name.startswith("wmt12"))
# Tables 1 and 2: what the paper prints for the two pairs at hand.
PAPER = {
    "wmt13 fr-en": {
        "HAMMING": (0.984, 0.012),
        "KENDALL": (0.969, 0.012),
        "SPEARMAN": (0.967, 0.014),
        "FUZZY": (0.977, 0.009),
        "ULAM": (0.974, 0.009),
        "PET": (0.965, 0.012),
        "#PETS": (0.959, 0.021),
        "MAX": (0.966, 0.012),
        "BLEU": (0.993, 0.014),
    },
    "wmt13 de-en": {
        "HAMMING": (0.851, 0.021),
        "KENDALL": (0.905, 0.016),
        "SPEARMAN": (0.905, 0.017),
        "FUZZY": (0.894, 0.015),
        "ULAM": (0.895, 0.015),
        "PET": (0.918, 0.014),
        "#PETS": (0.786, 0.039),
        "MAX": (0.921, 0.014),
        "BLEU": (0.902, 0.017),
    },
}
# Table 3: wins, losses and draws over the paper's ten pairs, against BASELINES.
PAPER_TABLE_3 = {
    "PET": ("5/4/1", "7/2/1", "6/2/2", "5/4/1", "5/4/1"),
    "MAX": ("5/4/1", "5/2/3", "6/2/2", "5/5/0", "5/4/1"),
    "#PETS": ("2/6/2", "3/7/0", "3/7/0", "2/8/0", "3/7/0"),
}


def spearman(scores: Float64, human: Float64) -> Float64:
    """Return the rank correlation of each row of scores with people, float64[..., n] to [...]."""
    ours = scipy.stats.rankdata(scores, axis=-1)
    theirs = scipy.stats.rankdata(human)
    ours = ours - ours.mean(axis=-1, keepdims=True)
    theirs = theirs - theirs.mean()
    spread = np.sqrt((ours**2).sum(axis=-1) * (theirs**2).sum())
    return np.asarray((ours * theirs).sum(axis=-1) / np.where(spread > 0, spread, np.inf))


def of_set(data: Any, cache: Any, name: str) -> tuple[dict[str, Any], dict[str, Float64]]:
    """Return point values, means and deviations of all metrics, and the replicates."""
    given = scored(data, name, {**SCORED, "BLEU": RAW["BLEU"], **BEER}, cache)
    human = given.judged.ratio
    assert human is not None
    segments = len(given.judged.reference)
    draws = np.random.default_rng(SEED).integers(0, segments, (RESAMPLES, segments))
    counts = np.stack([np.bincount(draw, minlength=segments) for draw in draws]).astype(np.float64)
    words = given.statistics["F1"]

    def values(totals: Float64) -> Float64:
        return np.asarray(totals[..., 0] / totals[..., 1])

    def bleu(totals: Float64) -> Float64:
        return wo.metric("bleu", lowercase=True).score(totals)

    rows: dict[str, tuple[Float64, Any]] = {}
    for paper, ordering in METRICS.items():
        order = given.statistics[ordering]
        rows[paper] = (order + words) / 2, values
        rows[f"{paper} alone"] = order, values
    rows["F1 alone"] = words, values
    for label in BEER:
        rows[label] = given.statistics[label], values
    rows["BLEU"] = given.statistics["BLEU"], bleu
    table, replicates = {}, {}
    for metric, (statistics, function) in rows.items():
        totals = np.einsum("bs,nsk->bnk", counts, statistics, optimize=True)
        samples = spearman(function(totals), human)
        point = spearman(function(statistics.sum(axis=1)), human)
        replicates[metric] = samples
        table[metric] = {
            "point": float(point),
            "mean": float(samples.mean()),
            "sd": float(samples.std(ddof=1)),
        }
    return {
        "systems": len(human),
        "judgements": len(given.judged.pairs),
        "values": table,
    }, replicates


def fitted(data: Any, cache: Any) -> dict[str, Any]:
    """Fit alpha of SenScore to people's preferences, sentence by sentence, over all sets."""
    inputs: dict[str, list[FitInput]] = {metric: [] for metric in METRICS}
    for name in WMT:
        given = scored(data, name, SCORED, cache)
        items, better, worse = given.judged.pairs.T
        words = pair_differences(given.scores["F1"], items, better, worse)
        for metric, ordering in METRICS.items():
            order = pair_differences(given.scores[ordering], items, better, worse)
            inputs[metric].append(FitInput(name, np.stack([order, words])))
    fits: dict[str, Any] = {}
    for metric, sets in inputs.items():
        fits[metric] = {}
        for ties in ("strict", "half"):
            fit = fit_weights(("order", "words"), sets, ties=ties, leave_out=True)
            kept = fit_output(fit).data()
            fits[metric][ties] = {**kept, "curve": kept["curve"][::10]}
    return fits


def outcomes(replicates: Sequence[dict[str, Float64]]) -> dict[str, Any]:
    """Count wins, losses and draws of the paper's metrics, under its test and under another."""
    samples = [np.stack([of[metric] for metric in METRICS]) for of in replicates]
    both = wins_losses_draws(samples, tuple(METRICS), rows=OWN, columns=BASELINES)
    tables = {"t-test over replicates": both.ss2016, "paired bootstrap": both.bootstrap}
    return {
        test: {
            own: dict(zip(BASELINES, row, strict=True))
            for own, row in zip(OWN, table.cells(), strict=True)
        }
        for test, table in tables.items()
    }


def markdown(results: dict[str, Any]) -> str:
    """Write the tables with the paper's figures beside ours."""
    lines = [
        "# Order metrics and the ranking of systems, after Stanojević & Sima'an (2016)",
        "",
        "Spearman's rho between the rankings of systems by a metric and by people (ratio of wins).",
        "The metric is SenScore, `0.5 F1 + 0.5 BP * ordering`; *alone* is `BP * ordering`, no F1.",
        f"Mean ± standard deviation over {RESAMPLES} resamples of the sentences, as in the paper,",
        "and the point value on all sentences in parentheses.",
        "",
        "## The paper's pairs at hand (its table 2)",
        "",
    ]
    for name, paper in PAPER.items():
        of = results["sets"][name]
        lines += [
            f"### {name}: {of['systems']} systems, {of['judgements']:,} strict judgements",
            "",
            "| metric | paper | ours | difference | ordering alone |",
            "|---|---|---|---|---|",
        ]
        for metric in (*METRICS, "F1 alone", "BLEU", *BEER):
            ours = of["values"][metric]
            alone = of["values"].get(f"{metric} alone")
            printed = paper.get(metric)
            cells = ["–", "–"]
            if printed is not None:
                cells = [marked(*printed), f"{ours['mean'] - printed[0]:+.3f}"]
            cells = [metric, cells[0], shown(ours), cells[1], "" if alone is None else shown(alone)]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    lines += _table_2(results)
    lines += [
        f"Largest difference from the paper: {results['largest']['#PETS']:.3f} for #PETS,",
        f"{results['largest']['others']:.3f} for the other order metrics. We match words by form",
        "and stem; the paper by form, stem, WordNet and paraphrases. The aligner can move a",
        "correlation by .02, and that of #PETS by more. BLEU is sacreBLEU's, in lower case.",
        "",
        "**F1 alone** does about as well as most rows on fr-en: on this pair the table mostly",
        "measures the half that SenScore gives to words. *Ordering alone* is the other half.",
        "",
        "## Other pairs (ours only)",
        "",
    ]
    for title, into in (("Into English", True), ("Out of English", False)):
        sets = [s for s in results["sets"] if (s.endswith("-en")) == into and s not in PAPER]
        lines += [
            f"### {title}",
            "",
            "| metric | " + " | ".join(sets) + " |",
            "|---" * (len(sets) + 1) + "|",
        ]
        for metric in (*METRICS, *(f"{m} alone" for m in METRICS), "F1 alone", "BLEU", *BEER):
            cells = [shown(results["sets"][s]["values"][metric]) for s in sets]
            lines.append(f"| {metric} | " + " | ".join(cells) + " |")
        counts = [str(results["sets"][s]["systems"]) for s in sets]
        lines += ["| systems | " + " | ".join(counts) + " |", ""]
    lines += [
        f"## Wins, losses and draws (table 3), over {len(results['sets'])} pairs here and 10 there",
        "",
        "| metric | test | " + " | ".join(BASELINES) + " |",
        "|---" * (len(BASELINES) + 2) + "|",
    ]
    for own in OWN:
        lines.append(f"| {own} | paper, t-test | " + " | ".join(PAPER_TABLE_3[own]) + " |")
        for which, short in (
            ("table 3", ""),
            ("table 3, into English", ", WMT13 to WMT15 into English"),
        ):
            for test, rows in results[which].items():
                cells = [rows[own][baseline] for baseline in BASELINES]
                lines.append(f"| {own} | ours, {test}{short} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "The two tests differ because the replicates are draws from one sample, not new data. With",
        "1,000 of them the standard error of their mean is a thirtieth of their deviation, so the",
        "t-test calls nearly every difference significant; with more replicates it would call all",
        "so. The paired bootstrap asks how far the difference itself moves with the sentences.",
        "(The paper does not say which t-test. Student's, unpaired, over 1,000 values gives",
        "all cells of table 3 from the means and deviations of tables 1 and 2.)",
        "",
        "## Alpha fitted to people (the paper's .5 is a choice)",
        "",
        "Share of people's preferences, sentence by sentence, mean over all sets: strict / ties as",
        "half right. *Left out*: fitted on all sets but one, judged on that one.",
        "",
        "| ordering | best alpha | at it | alpha 0 (order) | alpha .5 | alpha 1 (F1) | left out |",
        "|---" * 7 + "|",
    ]
    for metric, fits in results["fitted"].items():
        curve = fits["strict"]["curve"]
        both = [(curve[step]["strict"], curve[step]["half"]) for step in (0, 5, 10)]
        both.insert(0, (fits["strict"]["strict"], fits["strict"]["half"]))
        both.append((fits["strict"]["held_out"]["strict"], fits["strict"]["held_out"]["half"]))
        cells = [f"{100 * strict:.2f} / {100 * half:.2f}" for strict, half in both]
        alphas = [f"{fits[ties]['weights'][1]:.3f}" for ties in ("strict", "half")]
        lines.append(f"| {metric} | {' / '.join(alphas)} | " + " | ".join(cells) + " |")
    lines += [
        "",
        results["made"],
        "",
    ]
    return "\n".join(lines)


def pooled(replicates: dict[str, dict[str, Float64]]) -> dict[str, Any]:
    """Return the mean over the pairs of WMT13 to WMT15, and its paired differences from FUZZY.

    In each replicate every set is drawn anew, all metrics on the same sentences.
    """
    found = {}
    rows = (*METRICS, "F1 alone", "BLEU", *BEER)
    means = {row: np.mean([replicates[name][row] for name in INTO], axis=0) for row in rows}
    for row in rows:
        apart = means[row] - means["FUZZY"]
        found[row] = {
            "mean": float(means[row].mean()),
            "sd": float(means[row].std(ddof=1)),
            "from FUZZY": [float(apart.mean()), *map(float, np.quantile(apart, (0.025, 0.975)))],
        }
    return found


def _table_2(results: dict[str, Any]) -> list[str]:
    """Lay the pairs of WMT13 to WMT15 out as table 2, the best of a column in bold."""
    rows = (*METRICS, *BEER, "BLEU")
    best = {
        name: max(rows, key=lambda row: results["sets"][name]["values"][row]["mean"])
        for name in INTO
    }
    lines = ["### Into English, WMT13 to WMT15, in the form of table 2", ""]
    lines.append(f"| metric | {' | '.join(INTO)} | mean of the pairs | from FUZZY [95 %] |")
    lines.append("|---" * (len(INTO) + 3) + "|")
    for row in rows:
        cells = []
        for name in INTO:
            each = results["sets"][name]["values"][row]
            cell = marked(each["mean"], each["sd"])
            cells.append(f"**{cell}**" if row == best[name] else cell)
        mean = results["pooled"][row]
        value, low, high = mean["from FUZZY"]
        apart = "" if row == "FUZZY" else f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"
        cells += [marked(mean["mean"], mean["sd"]), apart]
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def shown(value: dict[str, float]) -> str:
    """Write mean ± deviation (point)."""
    return f"{marked(value['mean'], value['sd'])} ({value['point']:.3f})"


def main() -> None:
    """Measure everything and keep it."""
    given = arguments_of(__doc__)
    started = time.process_time()
    results: dict[str, Any] = {"sets": {}}
    replicates = {}
    for name in WMT:
        results["sets"][name], replicates[name] = of_set(given.data, given.cache, name)
    results["pooled"] = pooled(replicates)
    results["table 3"] = outcomes(list(replicates.values()))
    results["table 3, into English"] = outcomes([replicates[name] for name in INTO])
    results["fitted"] = fitted(given.data, given.cache)
    apart = {
        (name, metric): abs(results["sets"][name]["values"][metric]["mean"] - paper[metric][0])
        for name, paper in PAPER.items()
        for metric in METRICS
    }
    results["largest"] = {
        "#PETS": max(value for (_, metric), value in apart.items() if metric == "#PETS"),
        "others": max(value for (_, metric), value in apart.items() if metric != "#PETS"),
    }
    keep(given.output, "stanojevic_simaan_2016", results, markdown, started)


if __name__ == "__main__":
    main()
