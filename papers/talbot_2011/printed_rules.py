#!/usr/bin/env python3
"""Measure the precedence list that two papers print, and R5 with amod and advmod treated alike.

    python -m papers.talbot_2011.printed_rules FOLDER

FOLDER holds the corpora of `talbot_rules.py`; PUD English-Japanese has gold trees, KFTT
dev trees by the model ``en``. Words without a link are dropped. Takes about ten seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import wordorder as wo
from papers.keeping import OUTPUT, write
from papers.rule_corpora import Parallel, Stanford, kftt_dev, otedama_sample, pud_japanese
from wordorder.analysis.grid_systems import evaluate_grid
from wordorder.reordering import open_rules
from wordorder.treebank import Treebank

UNIVERSAL = ("R1", "headverb", "R5", "R5-amod-advmod")
STANFORD = ("R1", "headverb-sd", "R5-sd")


def measured(trees: Treebank, links: wo.Alignments, rules: tuple[str, ...]) -> dict[str, Any]:
    """Return FRS and its interval of each rule set."""
    reference = wo.reference_orders(links, trees.lengths, unaligned="drop")
    grid = evaluate_grid(reference, {"trees": trees}, rules, metrics=["frs"])
    found: dict[str, Any] = {"sentences": grid.evaluation.segments - grid.evaluation.skipped}
    for name, estimate in zip(rules, grid.estimates[0], strict=True):
        found[name] = [round(each, 4) for each in (estimate.value, estimate.low, estimate.high)]
    return found


def same_orders(trees: Treebank) -> float:
    """Return the share of sentences that R5 and its variant order alike."""
    rows = [open_rules(name).orders(trees).positions for name in ("R5", "R5-amod-advmod")]
    same = [a == b for a, b in zip(*(each.to_lists() for each in rows), strict=True)]
    return float(round(sum(same) / len(same), 4))


def main() -> None:
    """Measure, and write the results as JSON and as a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    corpora: dict[str, tuple[Parallel | Stanford, tuple[str, ...]]] = {
        "PUD en-ja, gold trees": (pud_japanese(folder), UNIVERSAL),
        "KFTT dev, parsed with en": (kftt_dev(folder, "en"), UNIVERSAL),
        "KFTT training text, Stanford trees": (otedama_sample(folder), STANFORD),
    }
    results = {
        name: measured(each.trees, each.links, rules) for name, (each, rules) in corpora.items()
    }
    same = {
        name: same_orders(each.trees) for name, (each, rules) in corpora.items() if "R5" in rules
    }
    about = {
        "frs": {name: dict(rows) for name, rows in results.items()},
        "R5 and its variant agree": same,
    }
    lines = ["# The printed precedence list, and amod like advmod", ""]
    for name, rows in results.items():
        lines += [f"## {name}: {rows.pop('sentences')} sentences", "", "| rules | FRS | 95 % |"]
        lines += ["|---|---|---|"]
        lines += [
            f"| `{rules}` | {value:.4f} | [{low:.4f}, {high:.4f}] |"
            for rules, (value, low, high) in rows.items()
        ]
        if name in same:
            lines += ["", f"R5 and R5-amod-advmod order {same[name]:.1%} of the sentences alike."]
        lines.append("")
    write(OUTPUT, "printed_rules", about, "\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
