#!/usr/bin/env python3
"""Table 5 of Talbot et al. (2011): which rule sets BLEU tells apart, with a translator of our own.

    python -m papers.talbot_2011.talbot_table_5 DATA --cache WORK [--so-far]

The translator, the text and WORK are those of `translation_loop.py`: a phrase-based system is
trained on 50,000 pairs for each order of the source, tuned by MIRA, and run with window 4, the
paper's. R2, R3 and R4 come in two forms: as built in, where labels say what is a head, and literal.
--so-far makes no system and reports those that are there.
"""

from __future__ import annotations

from typing import Any

import wordorder as wo
from papers.keeping import marked
from papers.translation.translation_loop import SEEDS, USUAL, Judged, marks
from papers.translation.translation_orders import PARTS
from papers.translation.translation_systems import AS_IT_STANDS, Cell, Systems, experiment
from papers.translation.translation_tables import PAPER_RULES

# The orders by the names of the paper, in both forms.
FORMS = {
    "by labels": {
        "R1": AS_IT_STANDS,
        **{name: f"{name}, by labels" for name in ("R2", "R3", "R4")},
        "R5": "R5",
    },
    "literal": {"R1": AS_IT_STANDS, **{name: name for name in ("R2", "R3", "R4", "R5")}},
}


# What the marks say, in Markdown.
EXPLAINED = (
    "The second of a pair has a better (+) or worse (-) BLEU, by a paired bootstrap at 90 %",
    "(\\*) or 95 % (\\*\\*).",
)


def cells() -> list[Cell]:
    """Return all systems."""
    orders = dict.fromkeys(order for form in FORMS.values() for order in form.values())
    return [Cell(order, USUAL, seed) for seed in SEEDS for order in orders]


def measured(systems: Systems) -> dict[str, Any]:
    """Return FRS and BLEU of each order, and the marks of all pairs, in both forms."""
    judged = Judged(systems)
    found = {form: told_apart(judged, names) for form, names in FORMS.items()}
    for each in found.values():
        each["as in the paper"] = agreeing(each["marks"])
    return found


def told_apart(judged: Judged, names: dict[str, str]) -> dict[str, Any]:
    """Return FRS and BLEU of each order, and the marks of all pairs, by the names of the orders."""
    sources, frs = judged.systems.sources, wo.metric("frs")
    reference = sources.references("test")
    called = {order: name for name, order in names.items()}
    rows = {}
    for order, name in called.items():
        orders = sources.orders(order)[PARTS["test"]]
        value = frs.corpus_score(wo.Segments.from_orders(orders, reference)).value
        rows[name] = {"frs": value, **judged.values(judged.seeds(order, USUAL))}
    pairs = {
        " / ".join(called[each] for each in pair.split(" / ")): mark
        for pair, mark in marks(judged, list(called), USUAL)["bleu"].items()
    }
    return {"systems": rows, "marks": pairs}


def agreeing(marks: dict[str, str]) -> int:
    """Count the cells that are as in the paper."""
    return sum(mark == printed(pair) for pair, mark in marks.items())


def printed(pair: str) -> str:
    """Return a cell of the paper's table."""
    one, other = pair.split(" / ")
    return PAPER_RULES.get((one, other), "+**")


def shown(row: dict[str, Any]) -> list[str]:
    """Write FRS, and BLEU over the seeds."""
    each = row["bleu of seeds"]
    mean = sum(each) / len(each)
    deviation = (sum((v - mean) ** 2 for v in each) / max(len(each) - 1, 1)) ** 0.5
    return [f"{row['frs']:.3f}", marked(mean, deviation)]


def row_of(pair: str, found: list[str]) -> str:
    """Write the marks of a pair."""
    return f"| {pair} | " + " | ".join(each.replace("*", "\\*") for each in found) + " |"


def markdown(results: dict[str, Any]) -> str:
    """Write the tables."""
    forms = {form: results[form] for form in FORMS}
    lines = [
        "# Talbot et al. (2011), table 5: which rule sets BLEU tells apart",
        "",
        "small_parallel_enja: 50,000 pairs, tuned on 500, tested on 500; window 4. R2, R3 and R4",
        "*by labels* are the built-in sets, *literal* are `R2-literal` to `R4-literal`. FRS:",
        "against reference orders by our aligner's links. BLEU: mean ± standard deviation of the",
        "seeds.",
        "",
        "| rules | FRS, by labels | BLEU, by labels | FRS, literal | BLEU, literal | seeds |",
        "|---|---|---|---|---|---|",
    ]
    for name in FORMS["literal"]:
        cells = []
        for found in forms.values():
            cells += shown(found["systems"][name])
        seeds = sorted({len(found["systems"][name]["bleu of seeds"]) for found in forms.values()})
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {', '.join(map(str, seeds))} |")
    lines += [
        "",
        *EXPLAINED,
        "",
        "| pair | paper | by labels | literal |",
        "|---|---|---|---|",
    ]
    for pair in results["literal"]["marks"]:
        given = [printed(pair), *(found["marks"][pair] for found in forms.values())]
        lines.append(row_of(pair, given))
    same = [f"{form}: {found['as in the paper']} of 10" for form, found in forms.items()]
    lines += ["", f"Cells that are as in the paper: {'; '.join(same)}.", "", results["made"], ""]
    return "\n".join(lines)


if __name__ == "__main__":
    experiment("talbot_table_5", __doc__, cells(), measured, markdown)
