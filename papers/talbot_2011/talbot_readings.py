#!/usr/bin/env python3
"""R2, R3 and R4 of Talbot et al. (2011), step by step from the literal forms to the built-in ones.

    python -m papers.talbot_2011.talbot_readings FOLDER

Each step adds one difference between the trees of the paper and ours: punctuation that stays, then
the words that go behind theirs. Beside FRS stands how many of the ten cells of the paper's table 4
come out, when R1 and R5 are as built in. The last row reads R3 in another way: children after the
head before all others, as in the rules for nouns. FOLDER holds the corpora of `talbot_rules.py`;
words without a link are dropped, but in the sample. A minute.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import wordorder as wo
from papers.keeping import arguments_of, keep
from papers.rule_corpora import SAMPLE, kftt_dev, otedama_sample, pud_japanese
from wordorder.analysis.grid_systems import evaluate_grid
from wordorder.reordering import PrecedenceRules, open_rules
from wordorder.treebank import Treebank, read_treebank

# The steps, each with the labels of the words that go behind theirs; None: as built in.
STEPS: dict[str, tuple[str, ...] | None] = {
    "literal": (),
    "punctuation stays": (),
    "and `case`": ("case",),
    "and `aux`, `cop`": ("case", "aux", "auxpass", "cop"),
    "and `mark`: as built in": None,
}
READING = "R3 with children after the head first"
RULES = ("R1", "R2", "R3", "R4", "R5")
# The only pair of rules that table 4 does not tell apart; of all others the second is better.
EQUAL = ("R1", "R2")
BEFORE = '{ equal = ["before"], order = "reverse" }, "*"'
AFTER = '"*", { equal = ["after"], order = "reverse" }'
TURNED = '{ equal = ["after"], order = "reverse" }, "*"'


def written(folder: Path, name: str, children: str, grammar: Sequence[str]) -> PrecedenceRules:
    """Return rules like R3 and R4, with other words of grammar, from a file."""
    labels = ", ".join(f'"{label}"' for label in grammar or ("none",))
    path = folder / f"{name}.toml"
    path.write_text(
        f"""name = "{name}"
scheme = "any"
barriers = ["punct", "p"]
[classes]
grammar = {{ label = [{labels}] }}
before = {{ position = "left", not = {{ label = [{labels}] }} }}
after = {{ position = "right", not = {{ label = [{labels}] }} }}
[[rule]]
name = "head-final"
order = [{children}, "self", {{ equal = ["grammar"], order = "reverse" }}]
"""
    )
    return PrecedenceRules.read(path)


def steps(folder: Path, fifth: str) -> dict[str, dict[str, Any]]:
    """Return for each step the five rule sets."""
    fixed = {"R1": open_rules("R1"), "R2": open_rules("R2"), "R5": open_rules(fifth)}
    found: dict[str, dict[str, Any]] = {}
    for step, grammar in STEPS.items():
        if step == "literal":
            own = {name: open_rules(f"{name}-literal") for name in ("R2", "R3", "R4")}
        elif grammar is None:
            own = {name: open_rules(name) for name in ("R3", "R4")}
        else:
            own = {
                name: written(folder, name, children, grammar)
                for name, children in (("R3", BEFORE), ("R4", AFTER))
            }
        found[step] = fixed | own
    last = STEPS["and `aux`, `cop`"] or ()
    noun = written(folder, "R3", TURNED, (*last, "mark", "complm"))
    found[READING] = found["and `mark`: as built in"] | {"R3": noun}
    return found


def measured(
    reference: wo.Orders, trees: Treebank, sets: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return FRS with its interval, and the cells, of each step."""
    found = {}
    for step, rules in sets.items():
        chosen = {name: rules[name] for name in RULES}
        grid = evaluate_grid(reference, {"trees": trees}, chosen, metrics=["frs"])
        marks = {
            f"{RULES[a]} {RULES[a + 1 + b]}": mark
            for a, row in enumerate(grid.by_parser[0][0].triangle())
            for b, mark in enumerate(row)
        }
        wanted = {pair: "0" if pair == " ".join(EQUAL) else "+**" for pair in marks}
        found[step] = {
            "frs": {
                name: [round(each, 4) for each in (e.value, e.low, e.high)]
                for name, e in zip(RULES, grid.estimates[0], strict=True)
            },
            "marks": marks,
            "as in the paper": sum(marks[pair] == wanted[pair] for pair in marks),
        }
    return found


def markdown(results: dict[str, Any]) -> str:
    """Write the tables."""
    lines = [
        "# R2, R3 and R4: from the literal forms to the built-in ones",
        "",
        "FRS. *Cells*: how many of the ten pairs of rules have the mark of the paper's table 4",
        "(the second of a pair is better at 95 %; no difference between R1 and R2), by a paired",
        "bootstrap. *Others*: the pairs that have not. Each row adds to the one before it, but",
        "the last, which reads R3 in another way.",
    ]
    for corpus, found in results["corpora"].items():
        first = next(iter(found.values()))["frs"]
        lines += [
            "",
            f"## {corpus}",
            "",
            f"R1 {first['R1'][0]:.3f}, R5 {first['R5'][0]:.3f}.",
            "",
            "| | R2 | R3 | R4 | cells | others |",
            "|---|---|---|---|---|---|",
        ]
        for step, row in found.items():
            values = " | ".join(f"{row['frs'][name][0]:.3f}" for name in ("R2", "R3", "R4"))
            others = "; ".join(
                f"{pair} {mark}".replace("*", "\\*")
                for pair, mark in row["marks"].items()
                if mark != ("0" if pair == " ".join(EQUAL) else "+**")
            )
            lines.append(f"| {step} | {values} | {row['as in the paper']} | {others} |")
    return "\n".join([*lines, "", results["made"], ""])


def main() -> None:
    """Measure everything and keep it."""
    given = arguments_of(__doc__)
    started = time.process_time()
    pud, kftt = pud_japanese(given.data), kftt_dev(given.data, "en")
    stanford = otedama_sample(given.data)
    corpora = {
        "The sample, gold trees": (
            wo.read_orders(SAMPLE / "reference.orders"),
            read_treebank(SAMPLE / "trees.conllu"),
        ),
        "PUD English-Japanese, gold trees": (pud.reference(), pud.trees),
        "KFTT dev, parsed with `en`": (kftt.reference(), kftt.trees),
        "KFTT training sentences, Stanford trees, GIZA++ links, R5-sd": (
            wo.reference_orders(stanford.links, stanford.trees.lengths, unaligned="drop"),
            stanford.trees,
        ),
    }
    with tempfile.TemporaryDirectory() as folder:
        results = {
            "corpora": {
                name: measured(
                    reference, trees, steps(Path(folder), "R5-sd" if "R5-sd" in name else "R5")
                )
                for name, (reference, trees) in corpora.items()
            }
        }
    keep(given.output, "talbot_readings", results, markdown, started)


if __name__ == "__main__":
    main()
