#!/usr/bin/env python3
"""Table 5 of Talbot et al. (2011): which of the parsers P1 to P5 BLEU tells apart.

    python -m papers.talbot_2011.talbot_table_5_parsers DATA --cache WORK [--so-far]

The parsers are those of `talbot_parsers.py` with the first seed, each with R5; the translator and
the text are those of `talbot_table_5.py`. No parser saw this text. --so-far makes no system and
reports those that are there.
"""

from __future__ import annotations

from typing import Any

from papers.talbot_2011.talbot_parsers import PARSERS
from papers.talbot_2011.talbot_table_5 import EXPLAINED, row_of, shown, told_apart
from papers.translation.translation_loop import SEEDS, USUAL, Judged
from papers.translation.translation_systems import Cell, Systems, experiment

ORDERS = {f"{parser}R5": f"R5, {parser}" for parser in PARSERS}
# The cells that are not 0 in the paper: P4 and P5 are better than P1, at 90 %.
PRINTED = {"P1R5 / P4R5": "+*", "P1R5 / P5R5": "+*"}


def cells() -> list[Cell]:
    """Return all systems."""
    return [Cell(order, USUAL, seed) for seed in SEEDS for order in ORDERS.values()]


def measured(systems: Systems) -> dict[str, Any]:
    """Return FRS and BLEU of each parser, and the marks of all pairs."""
    found = told_apart(Judged(systems), ORDERS)
    same = sum(mark == PRINTED.get(pair, "0") for pair, mark in found["marks"].items())
    return {**found, "as in the paper": same}


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
        columns = [name, *shown(row), str(len(row["bleu of seeds"]))]
        lines.append(f"| {' | '.join(columns)} |")
    lines += [
        "",
        *EXPLAINED,
        "",
        "| pair | paper | here |",
        "|---|---|---|",
    ]
    for pair, mark in results["marks"].items():
        lines.append(row_of(pair, [PRINTED.get(pair, "0"), mark]))
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
