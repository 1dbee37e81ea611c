#!/usr/bin/env python3
"""Tables 3 to 6 of Leusch et al. (2006): CDER, its variants and its rivals against people.

    python -m papers.leusch_2006.leusch_2006 FOLDER --cache SCRATCH

FOLDER holds the corpora (or WORDORDER_DATA says where they are). The paper's judgements, of NIST
2004, are not public. Here people ranked the outputs of 13 test sets of WMT12 to WMT15, and marked
the errors (MQM) of Chinese-English news of 2021 and of English-German talks. The settings are the
paper's: sentence boundary symbols for BLEU-S, the best reference length for TER. SCRATCH keeps the
scores. Four minutes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats

from papers.judged_sets import MQM, WMT
from papers.keeping import arguments_of, keep
from papers.scored_sets import ScoredSet, scored
from wordorder.arrays import Float64, Int64
from wordorder.judgement import fisher_interval, pearson
from wordorder.metrics.registry import named_metric
from wordorder.statistics.consistency import pair_differences

RESAMPLES, SEED = 1000, 12345
# 0.6 CDER + 0.4 PER, found on seven corpora of the paper.
SHARE = 0.6
METRICS = {
    "BLEU-S": "bleu-s(boundaries=true)",
    "TER": "ter(ref_len=best)",
    "PER": "per",
    "WER": "wer",
    "WER, prefix": "wer(substitution=prefix)",
    "WER, Levenshtein": "wer(substitution=levenshtein)",
    "CDER": "cder",
    "CDER reversed": "cder(direction=candidate)",
    "CDER maximum": "cder(direction=max)",
    "CDER, length penalty": "cder(penalty=length)",
    "CDER, miscoverage penalty": "cder(penalty=miscoverage)",
    "CDER, mean of both penalties": "cder(penalty=mean)",
    "CDER, prefix": "cder(substitution=prefix)",
    "CDER, Levenshtein": "cder(substitution=levenshtein)",
}
# What is mixed at a share of `SHARE` with PER; the paper's row has prefix costs.
MIXED = {"0.6 CDER, prefix + 0.4 PER": "CDER, prefix", "0.6 CDER + 0.4 PER": "CDER"}
COMBINED = next(iter(MIXED))
LENGTH = "length of the output"
# What the paper says is better, and than what.
CLAIMS = (
    ("table 3: CDER above WER", "CDER", "WER"),
    ("table 3: CDER above BLEU-S", "CDER", "BLEU-S"),
    ("table 3: CDER above its reverse", "CDER", "CDER reversed"),
    ("table 3: CDER above the maximum of both directions", "CDER", "CDER maximum"),
    ("table 3: the maximum above WER", "CDER maximum", "WER"),
    ("table 4: no penalty above the length penalty", "CDER", "CDER, length penalty"),
    ("table 4: length above miscoverage", "CDER, length penalty", "CDER, miscoverage penalty"),
    ("table 5: WER gains by prefix costs", "WER, prefix", "WER"),
    ("table 5: WER: Levenshtein above prefix costs", "WER, Levenshtein", "WER, prefix"),
    ("table 5: CDER gains by prefix costs", "CDER, prefix", "CDER"),
    ("table 5: CDER: Levenshtein above prefix costs", "CDER, Levenshtein", "CDER, prefix"),
    ("table 6: BLEU-S above WER with Levenshtein costs", "BLEU-S", "WER, Levenshtein"),
    ("table 6: WER above TER", "WER", "TER"),
    ("table 6: the mix with PER above CDER, prefix", COMBINED, "CDER, prefix"),
)
# Those of the table of single sets.
COLUMNS = (
    *("BLEU-S", "TER", "PER", "WER", "WER, Levenshtein", "CDER", "CDER reversed"),
    *("CDER, miscoverage penalty", "CDER, prefix", "CDER, Levenshtein", *MIXED),
)
# What the paper prints for Chinese-English and Arabic-English.
TABLES: dict[str, dict[str, tuple[float, float] | None]] = {
    "Table 3: BLEU, WER and CDER": {
        "BLEU-S": (0.615, 0.603),
        "WER": (0.559, 0.589),
        "CDER": (0.625, 0.623),
        "CDER reversed": (0.222, 0.393),
        "CDER maximum": (0.594, 0.599),
    },
    "Table 4: penalties for what is covered twice or never": {
        "CDER": (0.625, 0.623),
        "CDER, length penalty": (0.581, 0.567),
        "CDER, miscoverage penalty": (0.466, 0.528),
        "CDER, mean of both penalties": (0.534, 0.557),
    },
    "Table 5: costs of substitutions that look at the words": {
        "WER": (0.559, 0.589),
        "WER, prefix": (0.571, 0.605),
        "WER, Levenshtein": (0.580, 0.611),
        "CDER": (0.625, 0.623),
        "CDER, prefix": (0.637, 0.634),
        "CDER, Levenshtein": (0.638, 0.637),
    },
    "Table 6: all": {
        "BLEU-S": (0.615, 0.603),
        "TER": (0.548, 0.582),
        "WER": (0.559, 0.589),
        "WER, Levenshtein": (0.580, 0.611),
        "PER": None,
        "CDER": (0.625, 0.623),
        "CDER, prefix": (0.637, 0.634),
        COMBINED: (0.649, 0.635),
        LENGTH: None,
    },
}
# The paper's numbers of candidate translations, behind the last line of its table 6.
CANDIDATES = (4460, 1735)


def half_width(r: float, n: int) -> float:
    """Return half the width of the 95 % interval of a correlation, by Fisher's z."""
    low, high = fisher_interval(r, n)
    return (high - low) / 2


def within(metric: Float64, human: Float64, tau: bool) -> Float64:
    """Return the correlation over the systems of each segment where both differ, float64[S']."""
    correlations = []
    for ours, theirs in zip(metric.T, human.T, strict=True):
        if np.ptp(ours) > 0 and np.ptp(theirs) > 0:
            correlation = scipy.stats.kendalltau if tau else scipy.stats.pearsonr
            correlations.append(float(correlation(ours, theirs).statistic))
    return np.array(correlations)


def measured(metric: Float64, human: Float64) -> dict[str, Any]:
    """Return the pooled correlation and the mean of those within segments, with intervals."""
    used = ~np.isnan(metric) & ~np.isnan(human)
    whole = used.all(axis=0)
    r = pearson(metric[used], human[used])
    generator = np.random.default_rng(SEED)
    single = within(metric[:, whole], human[:, whole], tau=False)
    means = single[generator.integers(0, len(single), (RESAMPLES, len(single)))].mean(axis=1)
    low, high = np.sort(means)[[RESAMPLES // 40, -1 - RESAMPLES // 40]]
    return {
        "pooled": r,
        "half width": half_width(r, int(used.sum())),
        "n": int(used.sum()),
        "within": float(single.mean()),
        "low": float(low),
        "high": float(high),
        "segments": len(single),
        "tau within": float(within(metric[:, whole], human[:, whole], tau=True).mean()),
    }


def of_shares(cder: Float64, per: Float64, human: Float64) -> list[dict[str, float]]:
    """Return both correlations of all combinations in steps of a tenth."""
    curve = []
    for tenth in range(11):
        share = tenth / 10
        mix = share * cder + (1 - share) * per
        used = ~np.isnan(mix) & ~np.isnan(human)
        whole = used.all(axis=0)
        curve.append(
            {
                "cder": share,
                "pooled": pearson(mix[used], human[used]),
                "within": float(within(mix[:, whole], human[:, whole], tau=False).mean()),
            }
        )
    return curve


def agreeing(scores: dict[str, Float64], pairs: Int64, segments: int) -> Float64:
    """Return of each segment how many preferences each metric shares, a tie being half of one.

    float64[M + 1, S]; the last row counts the preferences.
    """
    items, better, worse = pairs.T
    rows = []
    for each in scores.values():
        shared = (np.sign(pair_differences(each, items, better, worse)) + 1) / 2
        rows.append(np.bincount(items, np.nan_to_num(shared, nan=0.5), segments))
    return np.array([*rows, np.bincount(items, minlength=segments)], np.float64)


def resampled(counts: Float64) -> Float64:
    """Return the consistency of each metric in each resample of the segments, float64[R, M]."""
    generator, size = np.random.default_rng(SEED), counts.shape[1]
    sums = [counts[:, generator.integers(0, size, size)].sum(axis=1) for _ in range(RESAMPLES)]
    drawn = np.array(sums)
    return np.asarray(drawn[:, :-1] / drawn[:, -1:], np.float64)


def rows_of(names: Sequence[str], values: Float64, draws: Float64) -> dict[str, Any]:
    """Return each metric's consistency, and by how much it is above that of CDER, with intervals.

    A metric is in the first cluster when the interval of its distance from the best holds 0.
    """
    cder, best = names.index("CDER"), int(np.argmax(values))
    found = {}
    for number, name in enumerate(names):
        to_best = np.quantile(draws[:, best] - draws[:, number], (0.025, 0.975))
        found[name] = {
            "consistency": float(values[number]),
            "interval": np.quantile(draws[:, number], (0.025, 0.975)).tolist(),
            "above CDER": float(values[number] - values[cder]),
            "interval above CDER": np.quantile(
                draws[:, number] - draws[:, cder], (0.025, 0.975)
            ).tolist(),
            "first cluster": bool(number == best or to_best[0] <= 0),
        }
    return found


def of_systems(given: ScoredSet) -> dict[str, float]:
    """Return Pearson's r between the systems' ratios of wins and each metric."""
    totals = {}
    for name, spec in METRICS.items():
        metric = named_metric(spec)
        sign = 1 if metric.higher_is_better else -1
        each = [metric.score(of.sum(axis=0)) for of in given.statistics[name]]
        totals[name] = sign * np.array(each, np.float64)
    for name, cder in MIXED.items():
        totals[name] = SHARE * totals[cder] + (1 - SHARE) * totals["PER"]
    ratio = given.judged.ratio
    assert ratio is not None
    return {name: pearson(each, ratio) for name, each in totals.items()}


def with_mixes(scores: dict[str, Float64]) -> dict[str, Float64]:
    """Add the mixes with PER to the scores of segments."""
    mixes = {name: SHARE * scores[of] + (1 - SHARE) * scores["PER"] for name, of in MIXED.items()}
    return scores | mixes


def rankings(data: Path, cache: Path | None) -> dict[str, Any]:
    """Measure consistency with the preferences of WMT12 to WMT15, set by set and over all."""
    sets: dict[str, Any] = {}
    counts, draws = [], []
    names: list[str] = []
    for name in WMT:
        given = scored(data, name, METRICS, cache)
        scores = with_mixes(given.scores)
        names = list(scores)
        counted = agreeing(scores, given.judged.pairs, len(given.judged.reference))
        counts.append(counted.sum(axis=1))
        draws.append(resampled(counted))
        sets[name] = {
            "systems": len(given.judged.systems),
            "preferences": int(counts[-1][-1]),
            "metrics": rows_of(names, counts[-1][:-1] / counts[-1][-1], draws[-1]),
            "systems r": of_systems(given),
            "signatures": given.signatures,
        }
    # Sets are independent, and each has the same weight.
    values = np.mean([of[:-1] / of[-1] for of in counts], axis=0)
    drawn = np.mean(draws, axis=0)
    mean = rows_of(names, values, drawn)
    claims = []
    for claim, *pair in CLAIMS:
        one, other = map(names.index, pair)
        interval = np.quantile(drawn[:, one] - drawn[:, other], (0.025, 0.975)).tolist()
        claims.append([claim, float(values[one] - values[other]), *interval])
    r = {each: float(np.mean([of["systems r"][each] for of in sets.values()])) for each in names}
    return {"sets": sets, "claims": claims, "mean": mean, "mean systems r": r}


def rankings_tables(found: dict[str, Any]) -> list[str]:
    """Write consistency with people's preferences."""
    sets, mean = found["sets"], found["mean"]
    many = sum(of["preferences"] for of in sets.values())
    lines = [
        "## Preferences of WMT12 to WMT15",
        "",
        f"{many:,} strict preferences of people between two outputs, in {len(sets)} sets. The",
        "consistency of a metric is the share of them that it shares, a tie of the metric being",
        "half of one. Mean: each set has the same weight. Intervals: 1,000 resamples of the",
        "segments. *Sets above CDER*: the number of sets in which the metric is better than CDER,",
        "and in which it is worse, with 95 % intervals that exclude 0. *First*: in how many sets",
        "the metric cannot be told apart from the best. *r of systems*: Pearson's r with the ratio",
        "of wins of the systems, mean of the sets.",
        "",
        "| metric | mean | above CDER | sets above, below CDER | first | r of systems |",
        "|---|---|---|---|---|---|",
    ]
    for name, of in sorted(mean.items(), key=lambda item: -item[1]["consistency"]):
        low, high = of["interval"]
        below, above = of["interval above CDER"]
        ranges = [each["metrics"][name]["interval above CDER"] for each in sets.values()]
        sure = f"{sum(low > 0 for low, _ in ranges)}, {sum(high < 0 for _, high in ranges)}"
        first = sum(each["metrics"][name]["first cluster"] for each in sets.values())
        distance = f"{100 * of['above CDER']:+.2f} [{100 * below:+.2f}, {100 * above:+.2f}]"
        own = name == "CDER"
        lines.append(
            f"| {name} | {100 * of['consistency']:.2f} [{100 * low:.2f}, {100 * high:.2f}] | "
            f"{'' if own else distance} | {'' if own else sure} | {first} | "
            f"{found['mean systems r'][name]:.3f} |"
        )
    shown = [name for name in mean if name in COLUMNS]
    lines += [
        "",
        "Set by set, in percent; bold: cannot be told apart from the best of all metrics.",
        "",
        "| set | preferences | " + " | ".join(shown) + " |",
        "|---" * (len(shown) + 2) + "|",
    ]
    for name, of in sets.items():
        cells = []
        for metric in shown:
            value = of["metrics"][metric]
            text = f"{100 * value['consistency']:.1f}"
            cells.append(f"**{text}**" if value["first cluster"] else text)
        lines.append(f"| {name} | {of['preferences']:,} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def verdict(claims: Sequence[tuple[str, float, float, float]]) -> list[str]:
    """Say claim by claim what becomes of the paper's on these preferences."""
    lines = [
        "| the paper's claim | here: difference of the mean consistency, in points | |",
        "|---|---|---|",
    ]
    for claim, difference, low, high in claims:
        holds = "yes" if low > 0 else "**no, the reverse**" if high < 0 else "not sure"
        shown = f"{100 * difference:+.2f} [{100 * low:+.2f}, {100 * high:+.2f}]"
        lines.append(f"| {claim} | {shown} | {holds} |")
    return [*lines, ""]


def markdown(results: dict[str, Any]) -> str:
    """Write the tables with the paper's figures beside ours."""
    sets = results["sets"]
    lines = [
        "# CDER against people, after Leusch et al. (2006)",
        "",
        "The paper's judgements (NIST 2004: adequacy and fluency of 4,460 and 1,735 outputs, four",
        "references) are not public. Two kinds of judgements are in their place, with one",
        "reference: people's rankings of outputs (WMT12 to WMT15), and errors marked by",
        "professionals (MQM) in outputs of 2021, which differ far less. BLEU-S has sentence",
        "boundary symbols and TER the best reference length, as in the paper.",
        "",
        *verdict(results["rankings"]["claims"]),
        *rankings_tables(results["rankings"]),
        "## The paper's tables, with MQM",
        "",
        "Pearson's r between a metric and people, sentence by sentence; error rates are negated.",
        "*Pooled* takes all outputs as one sample, as the paper does, so that easy and hard",
        "sentences differ in it. *Within* is the mean of the correlations over the systems of each",
        "sentence: it only asks which output is better.",
        "",
    ]
    lines += [
        f"- {name}: {of['systems']} systems × {of['segments']} sentences, the score of "
        f"{100 * of['perfect']:.0f} % of the outputs is that of a perfect one"
        for name, of in sets.items()
    ]
    lines.append("")
    for title, rows in TABLES.items():
        lines += [
            f"### {title}",
            "",
            "| metric | paper zh-en | paper ar-en | "
            + " | ".join(f"{name} pooled | {name} within" for name in sets)
            + " |",
            "|---" * (3 + 2 * len(sets)) + "|",
        ]
        for metric, printed in rows.items():
            cells = [metric, *(f"{each:.3f}" for each in printed or ())]
            cells += ["–", "–"] if printed is None else []
            for of in sets.values():
                value = of["values"][metric]
                cells.append(f"{value['pooled']:.3f} ± {value['half width']:.3f}")
                cells.append(f"{value['within']:.3f} [{value['low']:.3f}, {value['high']:.3f}]")
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    widths = results["the paper's intervals"]
    lines += [
        "±: half of the 95 % interval by Fisher's z. For the paper's numbers of outputs and its r",
        f"of CDER it is {widths[0]:.4f} and {widths[1]:.4f}; the paper prints .018 and .028. It",
        "takes outputs as independent, which those of one sentence are not. Intervals within:",
        "1,000 resamples of the sentences. A sentence whose outputs all get one score, by the",
        "metric or by people, has no r within and is left out: the metrics are averaged over",
        "nearly the same sentences, not exactly.",
        "",
        "### Kendall's tau-b within sentences (the paper computed it and does not print it)",
        "",
        "| metric | " + " | ".join(sets) + " |",
        "|---" * (len(sets) + 1) + "|",
    ]
    for metric in (*METRICS, COMBINED, LENGTH):
        cells = [f"{of['values'][metric]['tau within']:.3f}" for of in sets.values()]
        lines.append(f"| {metric} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "### How much CDER, how much PER (section 5.5: about 60 % and 40 %)",
        "",
        "CDER with prefix costs.",
        "",
        "| share of CDER | " + " | ".join(f"{n} pooled | {n} within" for n in sets) + " |",
        "|---" * (2 * len(sets) + 1) + "|",
    ]
    for tenth in range(11):
        points = [of["shares"][tenth] for of in sets.values()]
        cells = [f"{p['pooled']:.3f} | {p['within']:.3f}" for p in points]
        lines.append(f"| {tenth / 10:.1f} | " + " | ".join(cells) + " |")
    lines += ["", "### What differs from the paper under MQM, and why", ""]
    for name, of in sets.items():
        values = of["values"]
        order = sorted(METRICS, key=lambda metric: -values[metric]["pooled"])
        lines.append(
            f"- {name}: best to worst, pooled: {'; '.join(order)}. The combination has "
            f"{values[COMBINED]['pooled'] - values['CDER, prefix']['pooled']:+.3f} over CDER with "
            f"prefix costs (paper: +.012 and +.001)."
        )
    lines += [
        "- All correlations are lower than the paper's. Likely reasons: the outputs of 2021 are",
        "  good, so that they differ little, and there is one reference instead of four. On the",
        "  rankings of WMT12 to WMT15 the paper's order comes back.",
        "- MQM sums errors, so long sentences have worse scores whoever translates them: the row",
        f"  *{LENGTH}* (in words, negated) shows how much of a pooled r that alone makes.",
        "",
        results["made"],
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure everything and keep it."""
    given = arguments_of(__doc__)
    started = time.process_time()
    results: dict[str, Any] = {"sets": {}}
    for name in MQM:
        given_set = scored(given.data, name, METRICS, given.cache)
        human = given_set.judged.human
        assert human is not None
        scores = with_mixes(given_set.scores)
        scores[LENGTH] = -given_set.lengths["outputs"]
        results["sets"][name] = {
            "systems": len(human),
            "segments": human.shape[1],
            "perfect": float(np.mean(human[~np.isnan(human)] == 0)),
            "values": {metric: measured(each, human) for metric, each in scores.items()},
            "shares": of_shares(scores["CDER, prefix"], scores["PER"], human),
            "signatures": given_set.signatures,
        }
    results["rankings"] = rankings(given.data, given.cache)
    results["the paper's intervals"] = [
        half_width(r, n) for r, n in zip((0.625, 0.623), CANDIDATES, strict=True)
    ]
    keep(given.output, "leusch_2006", results, markdown, started)


if __name__ == "__main__":
    main()
