"""The tables of `translation_loop.py`, with the figures of the papers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from papers.translation.translation_orders import ORDERS
from papers.translation.translation_systems import AS_IT_STANDS, METRICS, OBJECTIVE_WINDOW, WINDOWS

# Talbot et al. (2011), table 5; all others +**.
PAPER_RULES = {("R2", "R3"): "0", ("R3", "R4"): "0", ("R4", "R5"): "0", ("R3", "R5"): "+*"}
# Katz-Brown et al. (2011), table 2: BLEU into Japanese, and the gain with and without MERT.
PAPER_BLEU, PAPER_GAINS = (0.1777, 0.1802), (0.0030, 0.0025)


def signed(three: Sequence[float]) -> str:
    """Write a difference with its interval."""
    value, low, high = three
    return f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"


def markdown(found: dict[str, Any]) -> str:
    """Write the report."""
    rows = found["grid"]
    lines = [
        "# Translation in the loop, English to Japanese",
        "",
        "small_parallel_enja: 50,000 pairs, tuned on 500, tested on 500. BLEU on tokens (0 to 1).",
        "The translator is a small phrase-based one, a baseline for experiments with word order.",
        "Weights of the grid are tuned for BLEU by MIRA, at most four rounds; means of the seeds",
        "that are given. Differences and marks: paired bootstrap over sentences, 95 %.",
        "",
        "## BLEU by order and window",
        "",
        "FRS: of the order, against reference orders of the test part (our aligner's links). R2 to",
        "R4 are the literal forms; `talbot_table_5.md` has the built-in ones.",
        "",
        "| order | FRS | " + " | ".join(f"window {w} (seeds)" for w in WINDOWS) + " |",
        "|---|---|" + "---|" * len(WINDOWS),
    ]
    for order in ORDERS:
        cells = [
            f"{row['bleu']:.3f} ({row['seeds']})"
            if (row := rows.get(str(window), {}).get(order))
            else "–"
            for window in WINDOWS
        ]
        lines.append(f"| {order} | {found['frs'][order]:.3f} | " + " | ".join(cells) + " |")
    for window, orders in rows.items():
        lines += [
            "",
            f"## Window {window}",
            "",
            "| order | " + " | ".join(METRICS) + " | BLEU beside as it stands |",
            "|---|" + "---|" * (len(METRICS) + 1),
        ]
        for order, row in orders.items():
            cells = [f"{row[name]:.3f}" for name in METRICS]
            beside = signed(row["beside"]["bleu"]) if "beside" in row else ""
            lines.append(f"| {order} | " + " | ".join(cells) + f" | {beside} |")
    lines += [
        "",
        "## A monotone decoder after pre-ordering, beside window 4 without",
        "",
        "| order | " + " | ".join(METRICS) + " |",
        "|---|" + "---|" * len(METRICS),
    ]
    for order, row in found["monotone"].items():
        lines.append(f"| {order} | " + " | ".join(signed(row[name]) for name in METRICS) + " |")
    lines += [*chosen(found), *triangles(found), *cheap(found), *targeted(found), *tuned_for(found)]
    return "\n".join([*lines, "", found["made"], ""])


def triangles(found: dict[str, Any]) -> list[str]:
    """Write the pairs of rules and of parsers."""
    lines = [
        "",
        "## Talbot et al. (2011), table 5: pairs of rules and of parsers, window 4",
        "",
        "The second of a pair is better (+) or worse (-), at 90 % (\\*) or 95 % (\\*\\*).",
        "",
        "| pair | BLEU, paper | " + " | ".join(METRICS) + " |",
        "|---|---|" + "---|" * len(METRICS),
    ]
    for kind in ("rules", "parsers"):
        for pair in found[kind].get("bleu", {}):
            one, other = pair.split(" / ")
            paper = "–"
            if kind == "rules":
                one = "R1" if one == AS_IT_STANDS else one
                paper = PAPER_RULES.get((one, other), "+**")
            cells = [found[kind][name][pair] for name in METRICS]
            shown = [cell.replace("*", "\\*") for cell in (paper, *cells)]
            lines.append(f"| {one} / {other} | " + " | ".join(shown) + " |")
    return [
        *lines,
        "",
        "R1 is the source as it stands. The paper's five parsers are not ours: all its pairs are 0",
        "but P1-P4 and P1-P5, +\\*.",
    ]


def cheap(found: dict[str, Any]) -> list[str]:
    """Write how well the cheap measure predicts the dear one."""
    lines = [
        "",
        "## Does FRS predict BLEU? Over the orders",
        "",
        "| window | orders | Pearson r [95 %] | Spearman rho [95 %] |",
        "|---|---|---|---|",
    ]
    for window, row in found["correlations"].items():
        cells = [
            f"{row[name]:.3f} [{row[f'{name} interval'][0]:.3f}, {row[f'{name} interval'][1]:.3f}]"
            for name in ("r", "rho")
        ]
        lines.append(f"| {window} | {row['systems']} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "Inside each kind of order, window 4 (intervals by resampling the test sentences):",
        "",
        "| orders | number | Pearson r [95 %] |",
        "|---|---|---|",
    ]
    lines += [
        f"| {name} | {number} | {r:.3f} [{low:.3f}, {high:.3f}] |"
        for name, (number, r, low, high) in found["groups"].items()
    ]
    return lines


def chosen(found: dict[str, Any]) -> list[str]:
    """Write what an order gains over the source as it stands when each has its best window."""
    lines = [
        "",
        "## Each order at its best window",
        "",
        "The window of each order is the one with the highest BLEU on dev. This is the fair",
        "comparison: the source as it stands gains most from a wide window.",
        "",
        "| order | window | BLEU, mean ± sd of the seeds | over as it stands | over R5 |",
        "|---|---|---|---|---|",
    ]
    for order, row in found["chosen"].items():
        gains = [
            signed(row[name]) if (name := f"beside {other}") in row else ""
            for other in (AS_IT_STANDS, "R5")
        ]
        lines.append(
            f"| {order} | {row['window']} | {row['bleu']:.3f} ± {row['deviation']:.3f} | "
            f"{gains[0]} | {gains[1]} |"
        )
    return lines


def targeted(found: dict[str, Any]) -> list[str]:
    """Write table 2 of Katz-Brown et al."""
    if "targeted" not in found:
        return []
    row = found["targeted"]
    tuned, untuned = (row[n]["bleu"] for n in ("tuned", "with the baseline's weights"))
    return [
        "",
        "## Katz-Brown et al. (2011), table 2: targeted self-training, R5, window 4",
        "",
        "| | baseline | targeted, tuned | targeted, with the baseline's weights |",
        "|---|---|---|---|",
        f"| paper, BLEU | {PAPER_BLEU[0]:.4f} | {PAPER_BLEU[1]:.4f}; {PAPER_GAINS[0]:+.4f} | "
        f"{PAPER_GAINS[1]:+.4f} |",
        f"| ours, BLEU | {row['baseline']['bleu']:.4f} | {signed(tuned)} | {signed(untuned)} |",
        "",
        "The baseline parser is trained on 2,000 trees of EWT, the targeted one on these and on",
        "the trees of 4,000 sentences that R5 brings closest to the reference order.",
    ]


def tuned_for(found: dict[str, Any]) -> list[str]:
    """Write the table of Birch and Osborne's section 4."""
    if not found["objectives"]:
        return []
    lines = [
        "",
        "## Birch and Osborne (2011), section 4: tuned for each objective, judged by all",
        "",
        f"The source as it stands, window {OBJECTIVE_WINDOW}, MERT. The paper (Chinese-English;",
        "its table 5 is not at hand): LR-HB4 gives as high a BLEU as tuning with BLEU; LRscore",
        "gives better LRscore, TER and METEOR; the weight of the distortion cost is much lower.",
        "",
        "| objective | seeds | " + " | ".join(METRICS) + " | weight of distortion |",
        "|---|---|" + "---|" * (len(METRICS) + 1),
    ]
    for objective, row in found["objectives"].items():
        cells = []
        for name, metric in METRICS.items():
            mark = ""
            if "beside" in row:
                _, low, high = row["beside"][name]
                up, down = (" +", " -") if metric.higher_is_better else (" -", " +")
                mark = up if low > 0 else down if high < 0 else ""
            cells.append(f"{row[name]:.3f}{mark}")
        weights = ", ".join(f"{each:+.3f}" for each in row["distortion"])
        lines.append(f"| {objective} | {row['seeds']} | " + " | ".join(cells) + f" | {weights} |")
    return [
        *lines,
        "",
        "+ and -: better or worse than tuning with BLEU (95 %). Weights: of the sum of all but the",
        "unknown words'; above 0, jumps cost.",
    ]
