#!/usr/bin/env python3
"""The five parsers P1 to P5 of Talbot et al. (2011): their tables 4 and 8, on open data.

P1 parses greedily and P2 with a beam of 8. P3, P4 and P5 are P2 with targeted self-training
(Katz-Brown et al. 2011): of 64 trees of each sentence to choose from, that which R5 brings closest
to the reference order joins the treebank. The paper says only that the three differ in how that is
applied and in how much data is used. Here P3 takes the chosen trees once in an epoch, P4 ten times,
and P5 is P4 that forgets case. All learn from the same 2,000 trees of UD English EWT, with the
paper's features (those of Katz-Brown et al.) and TnT, for ten epochs.

The sentences are of PUD and the dev set of KFTT, whose links to Japanese were made by hand: one
half is chosen from, the other one tested on. P5 has the rules R1 to R5 (table 4); accuracy is that
on EWT dev and on the trees of PUD (table 8).

    python experiments/talbot_parsers.py DATA SCRATCH [--seed 1]

DATA holds ud-english-ewt, pud-word-alignments and kftt-alignments-dev. SCRATCH keeps the models, so
that a run that was stopped goes on. Takes ten minutes on one core.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations
from pathlib import Path
from typing import Any

from hand_links import HandLinked
from keeping import OUTPUT, keep
from talbot_rules import table_of

import wordorder as wo
from wordorder.analysis.grid_systems import evaluate_grid
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.parsing import open_parser, train_parser_files
from wordorder.parsing.given_tags import without_tags
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.training import self_train
from wordorder.treebank import Treebank

PARSERS = ("P1", "P2", "P3", "P4", "P5")
RULES = ("R1", "R2", "R3", "R4", "R5")
KBEST = 64
ATTACHMENT = ("las", "upos")
# Table 8: LAS and accuracy of the tags on the dev set of WSJ.
PAPER_8 = {
    "P1": (0.807, 0.954),
    "P2": (0.822, 0.954),
    "P3": (0.827, 0.955),
    "P4": (0.830, 0.955),
    "P5": (0.822, 0.944),
}
# Table 4: FRS; a row is worse (+) than the column, at 95 % (**).
PAPER_4 = {
    "parsers": (["+**"] * 4, ["+**"] * 3, ["+**"] * 2, ["0"]),
    "rules": (["0", *["+**"] * 3], ["+**"] * 3, ["+**"] * 2, ["+**"]),
}


def model_of(corpus: HandLinked, name: str, seed: int) -> Path:
    """Return the model of a parser, from SCRATCH if it is there."""
    path = corpus.scratch / f"{name}-{seed}.model"
    if path.exists():
        return path
    print(f"{name}, seed {seed}", flush=True)
    if name in ("P1", "P2", "P2, lower case"):
        train_parser_files(
            corpus.treebank,
            path,
            recipe=name[:2],
            lowercase=name.endswith("lower case"),
            seed=seed,
            resume=True,
        )
        return path
    text, orders = corpus.text()
    # Its lists are those of the parser that learnt from the same trees in the same way.
    start = model_of(corpus, "P2, lower case" if name == "P5" else "P2", seed)
    self_train(
        corpus.treebank,
        path,
        text,
        orders,
        rules="R5",
        kbest=KBEST,
        recipe=name,
        start=start,
        seed=seed,
        resume=True,
        say=lambda line: print(f"{name}: {line}", flush=True),
    )
    return path


def parsed(model: Path, words: Treebank) -> Treebank:
    """Tag and parse sentences of which only the words are taken."""
    return open_parser(model, tags="predict").parse(without_tags(words))


def tested(banks: dict[str, Treebank], gold: Treebank, metric: str) -> dict[str, Any]:
    """Return the accuracy of each parser and the paired tests between them."""
    made = wo.metric(metric)
    statistics = [
        statistics_in_pieces(made, wo.Segments.from_treebanks(bank, gold))
        for bank in banks.values()
    ]
    (test,) = paired_bootstrap([Measurement(statistics, made.score)], resamples=2000)
    names = list(banks)
    differences = {}
    for one, two in combinations(range(len(names)), 2):
        pair = test.pair(one, two)
        low, high = pair.interval_95 or (0.0, 0.0)
        row = [round(each, 4) for each in (pair.difference, low, high)]
        differences[f"{names[two]} - {names[one]}"] = row
    values = {
        name: round(float(made.score(each.sum(axis=0))), 4)
        for name, each in zip(names, statistics, strict=True)
    }
    return {"values": values, "differences": differences, "marks": test.triangle()}


def grids(corpus: HandLinked, trees: dict[str, Treebank]) -> dict[str, Any]:
    """Return the two experiments of the paper on each test set, as table 4 has them."""
    found: dict[str, Any] = {}
    for name in ("PUD and KFTT", "PUD", "KFTT"):
        rows = corpus.rows(name)
        reference = corpus.reference.take(rows)
        banks = {parser: bank.take(rows) for parser, bank in trees.items()}
        found[name] = {
            "parsers": table_of(evaluate_grid(reference, banks, ["R5"])),
            "rules": table_of(evaluate_grid(reference, {"P5": banks["P5"]}, RULES)),
        }
    return found


def results_of(corpus: HandLinked, seed: int) -> dict[str, Any]:
    """Train what is missing, and measure everything."""
    models = {name: model_of(corpus, name, seed) for name in PARSERS}
    trees = {name: parsed(model, corpus.tested) for name, model in models.items()}
    pud = corpus.rows("PUD")
    dev = {name: parsed(model, corpus.dev) for name, model in models.items()}
    # What a parser that forgets case is for: KFTT is in lower case.
    lower = Treebank.from_words([[word.lower() for word in row] for row in corpus.dev.sentences()])
    lowered = {name: parsed(model, lower) for name, model in models.items()}
    gold = corpus.dev.replace(form=lower.form)
    return {
        "seed": seed,
        "trees": len(corpus.train),
        "chosen from": len(corpus.chosen),
        "grids": grids(corpus, trees),
        "accuracy": {
            "EWT dev": {each: tested(dev, corpus.dev, each) for each in ATTACHMENT},
            "EWT dev in lower case": {each: tested(lowered, gold, each) for each in ATTACHMENT},
            "PUD": {
                each: tested({n: t.take(pud) for n, t in trees.items()}, corpus.gold, each)
                for each in ATTACHMENT
            },
        },
    }


def triangle(names: list[str], marks: Any) -> list[str]:
    """Write the pairs of a table as the paper prints them."""
    lines = ["| | " + " | ".join(names[1:]) + " |", "|---" * len(names) + "|"]
    for number, row in enumerate(marks):
        lines.append("| " + " | ".join([names[number], *[""] * number, *row]) + " |")
    return [*lines, ""]


def markdown(results: dict[str, Any]) -> str:
    """Write the tables, with the paper's beside them."""
    first = next(iter(results["grids"].values()))
    lines = [
        "# Five parsers, after Talbot et al. (2011)",
        "",
        f"{results['trees']:,} trees of UD English EWT; trees are chosen for",
        f"{results['chosen from']} sentences and all is tested on {first['parsers']['n']} others.",
        "Marks: the system of the column is better (+) or worse (-) than that of the row, by a",
        "paired bootstrap, at 90 % (*) or 95 % (**).",
        "",
    ]
    for name, both in results["grids"].items():
        for experiment, found in both.items():
            lines += [f"## FRS, {name}: {experiment} (table 4)", ""]
            lines += ["| system | FRS [95 %] | Kendall's tau | exact |", "|---|---|---|---|"]
            for system, row in found["systems"].items():
                value, low, high = row["frs"]
                lines.append(
                    f"| {system} | {value:.4f} [{low:.4f}, {high:.4f}] | {row['kendall'][0]:.4f} "
                    f"| {row['exact'][0]:.4f} |"
                )
            lines.append("")
            for each in found["triangles"]:
                if len(each["systems"]) > 1:
                    lines += triangle(each["systems"], each["marks"])
    for experiment, rows in PAPER_4.items():
        names = (
            [f"{p}R5" for p in PARSERS] if experiment == "parsers" else [f"P5{r}" for r in RULES]
        )
        lines += [f"## The paper's marks (table 4): {experiment}", "", *triangle(names, rows)]
    accuracy = results["accuracy"]
    titles = [f"{name}, {metric.upper()}" for name in accuracy for metric in ATTACHMENT]
    lines += ["## Accuracy (table 8)", ""]
    lines.append("| parser | " + " | ".join(titles) + " | paper, LAS | POS |")
    lines.append("|---" * (len(titles) + 3) + "|")
    for parser in PARSERS:
        values = [of[metric]["values"][parser] for of in accuracy.values() for metric in ATTACHMENT]
        cells = [f"{value:.4f}" for value in values] + [f"{each:.3f}" for each in PAPER_8[parser]]
        lines.append(f"| {parser} | " + " | ".join(cells) + " |")
    lines.append("")
    for name, of in accuracy.items():
        for metric in ATTACHMENT:
            lines += [f"Pairs in {metric.upper()}, {name}:", ""]
            lines += triangle(list(PARSERS), of[metric]["marks"])
    return "\n".join([*lines, results["made"], ""])


def main() -> None:
    """Train, measure, keep."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("scratch", type=Path)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--output", type=Path, default=OUTPUT)
    given = options.parse_args()
    started = time.process_time()
    corpus = HandLinked(given.data, given.scratch)
    results = results_of(corpus, given.seed)
    keep(given.output, "talbot_parsers", results, markdown, started)


if __name__ == "__main__":
    main()
