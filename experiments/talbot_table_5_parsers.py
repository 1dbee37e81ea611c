#!/usr/bin/env python3
"""Table 5 of Talbot et al. (2011): which of the parsers P1 to P5 BLEU tells apart.

    python experiments/talbot_table_5_parsers.py DATA --cache WORK [--so-far]

The parsers are those of `talbot_parsers.py` with the first seed, each with R5; the translator and
the text are those of `talbot_table_5.py`. No parser saw this text. --so-far makes no system and
reports those that are there.
"""

from __future__ import annotations

from typing import Any

from keeping import marked
from talbot_parsers import PARSERS
from translation_loop import SEEDS, USUAL, Judged, marks
from translation_orders import PARTS
from translation_systems import Cell, Systems, experiment

import wordorder as wo

ORDERS = {f"{parser}R5": f"R5, {parser}" for parser in PARSERS}
# The cells that are not 0 in the paper: P4 and P5 are better than P1, at 90 %.
PRINTED = {"P1R5 / P4R5": "+*", "P1R5 / P5R5": "+*"}


def cells() -> list[Cell]:
    """Return all systems."""
    return [Cell(order, USUAL, seed) for seed in SEEDS for order in ORDERS.values()]


def measured(systems: Systems) -> dict[str, Any]:
    """Return FRS and BLEU of each parser, and the marks of all pairs."""
    judged, frs = Judged(systems), wo.metric("frs")
    reference = systems.sources.references("test")
    called = {order: name for name, order in ORDERS.items()}
    rows = {}
    for order, name in called.items():
        orders = systems.sources.orders(order)[PARTS["test"]]
        value = frs.corpus_score(wo.Segments.from_orders(orders, reference)).value
        rows[name] = {"frs": value, **judged.values(judged.seeds(order, USUAL))}
    found = {
        " / ".join(called[each] for each in pair.split(" / ")): mark
        for pair, mark in marks(judged, list(called), USUAL)["bleu"].items()
    }
    same = sum(mark == PRINTED.get(pair, "0") for pair, mark in found.items())
    return {"systems": rows, "marks": found, "as in the paper": same}


def markdown(results: dict[str, Any]) -> str:
    """Write the tables."""
    lines = [
        "# Talbot et al. (2011), table 5: which parsers BLEU tells apart",
        "",
        "small_parallel_enja: 50,000 pairs, tuned on 500, tested on 500; window 4. FRS: against",
        "reference orders by our aligner's links. BLEU: mean ± standard deviation of the seeds of",
        "tuning.",
        "",
        "| system | FRS | BLEU | seeds |",
        "|---|---|---|---|",
    ]
    for name, row in results["systems"].items():
        each = row["bleu of seeds"]
        mean = sum(each) / len(each)
        deviation = (sum((v - mean) ** 2 for v in each) / max(len(each) - 1, 1)) ** 0.5
        lines.append(f"| {name} | {row['frs']:.3f} | {marked(mean, deviation)} | {len(each)} |")
    lines += [
        "",
        "The second of a pair has a better (+) or worse (-) BLEU, by a paired bootstrap at 90 %",
        "(\\*) or 95 % (\\*\\*).",
        "",
        "| pair | paper | here |",
        "|---|---|---|",
    ]
    for pair, mark in results["marks"].items():
        shown = (each.replace("*", "\\*") for each in (PRINTED.get(pair, "0"), mark))
        lines.append(f"| {pair} | " + " | ".join(shown) + " |")
    lines += [
        "",
        f"Cells that are as in the paper: {results['as in the paper']} of 10.",
        "",
        results["made"],
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    experiment("talbot_table_5_parsers", __doc__, cells(), measured, markdown)
