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

    python -m papers.talbot_2011.talbot_parsers DATA SCRATCH [--seeds 1 2 3]

DATA holds ud-english-ewt, pud-word-alignments and kftt-alignments-dev. SCRATCH keeps the models, so
that a run that was stopped goes on. Takes ten minutes a seed on one core.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.hand_links import HandLinked
from papers.keeping import OUTPUT, keep
from wordorder.arrays import Float64
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.parsing import open_parser, train_parser_files
from wordorder.parsing.given_tags import without_tags
from wordorder.parsing.training.recipes import ParserOptions
from wordorder.parsing.training.training_run import TrainingRun
from wordorder.parsing.training.training_text import TrainingFiles
from wordorder.reordering import open_rules
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.training import SelfTraining, self_train
from wordorder.treebank import Treebank

PARSERS = ("P1", "P2", "P3", "P4", "P5")
RULES = ("R1", "R2", "R3", "R4", "R5")
KBEST = 64
ORDERS = ("frs", "kendall", "exact")
ATTACHMENT = ("las", "upos")
# Statistics of the sentences, by seed.
Systems = dict[str, list[Float64]]
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
            TrainingFiles(corpus.treebank, lowercase=name.endswith("lower case")),
            TrainingRun(path, seed=seed, resume=True),
            ParserOptions(recipe=name[:2]),
        )
        return path
    text, orders = corpus.text()
    # Its lists are those of the parser that learnt from the same trees in the same way.
    start = model_of(corpus, "P2, lower case" if name == "P5" else "P2", seed)
    self_train(
        corpus.treebank,
        TrainingRun(path, seed=seed, resume=True),
        SelfTraining(text=text, reference=orders, rules="R5", kbest=KBEST, start=start),
        ParserOptions(recipe=name),
        say=lambda line: print(f"{name}: {line}", flush=True),
    )
    return path


def parsed(model: Path, words: Treebank) -> Treebank:
    """Tag and parse sentences of which only the words are taken."""
    return open_parser(model, tags="predict").parse(without_tags(words))


def compared_all(systems: Systems, metric: str) -> dict[str, Any]:
    """Return the value of each system, and the paired tests between them; means over the seeds."""
    made = wo.metric(metric)
    (test,) = paired_bootstrap(
        [Measurement([np.mean(each, axis=0) for each in systems.values()], made.score)],
        resamples=2000,
    )
    names = list(systems)
    differences = {}
    for one, two in combinations(range(len(names)), 2):
        pair = test.pair(one, two)
        low, high = pair.interval_95 or (0.0, 0.0)
        row = [round(each, 4) for each in (pair.difference, low, high)]
        differences[f"{names[two]} - {names[one]}"] = row
    seeds = {
        name: [round(float(made.score(each.sum(axis=0))), 4) for each in runs]
        for name, runs in systems.items()
    }
    values = {
        name: round(float(made.score(np.mean(runs, axis=0).sum(axis=0))), 4)
        for name, runs in systems.items()
    }
    return {"values": values, "seeds": seeds, "differences": differences, "marks": test.triangle()}


def accuracy_of(runs: list[dict[str, Treebank]], gold: Treebank) -> dict[str, Any]:
    """Return LAS and tags of each parser, whose trees each seed has."""
    segments = {
        name: [wo.Segments.from_treebanks(trees[name], gold) for trees in runs] for name in PARSERS
    }
    return {
        metric: compared_all(
            {
                name: [statistics_in_pieces(wo.metric(metric), each) for each in of]
                for name, of in segments.items()
            },
            metric,
        )
        for metric in ATTACHMENT
    }


def grids(corpus: HandLinked, runs: list[dict[str, Treebank]]) -> dict[str, Any]:
    """Return the two experiments of the paper on each test set, as table 4 has them."""
    systems = {
        "parsers": [(parser, "R5") for parser in PARSERS],
        "rules": [("P5", rules) for rules in RULES],
    }
    orders = {
        (parser, rules): [open_rules(rules).orders(trees[parser]) for trees in runs]
        for parser, rules in dict.fromkeys([*systems["parsers"], *systems["rules"]])
    }
    found: dict[str, Any] = {}
    for name in ("PUD and KFTT", "PUD", "KFTT"):
        rows = corpus.rows(name)
        reference = corpus.reference.take(rows)
        found[name] = {"n": len(rows)}
        for experiment, pairs in systems.items():
            segments = {
                parser + rules: [
                    wo.Segments.from_orders(each.take(rows), reference)
                    for each in orders[parser, rules]
                ]
                for parser, rules in pairs
            }
            found[name][experiment] = {
                metric: compared_all(
                    {
                        system: [statistics_in_pieces(wo.metric(metric), each) for each in of]
                        for system, of in segments.items()
                    },
                    metric,
                )
                for metric in ORDERS
            }
    return found


def results_of(corpus: HandLinked, seeds: list[int]) -> dict[str, Any]:
    """Train what is missing, and measure everything."""
    models = [{name: model_of(corpus, name, seed) for name in PARSERS} for seed in seeds]

    def trees_of(words: Treebank) -> list[dict[str, Treebank]]:
        return [{name: parsed(model, words) for name, model in of.items()} for of in models]

    runs = trees_of(corpus.tested)
    pud = corpus.rows("PUD")
    # What a parser that forgets case is for: KFTT is in lower case.
    lower = Treebank.from_words([[word.lower() for word in row] for row in corpus.dev.sentences()])
    return {
        "seeds": seeds,
        "trees": len(corpus.train),
        "chosen from": len(corpus.chosen),
        "grids": grids(corpus, runs),
        "accuracy": {
            "EWT dev": accuracy_of(trees_of(corpus.dev), corpus.dev),
            "EWT dev in lower case": accuracy_of(
                trees_of(lower), corpus.dev.replace(form=lower.form)
            ),
            "PUD": accuracy_of(
                [{name: bank.take(pud) for name, bank in trees.items()} for trees in runs],
                corpus.gold,
            ),
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
    grids = results["grids"]
    lines = [
        "# Five parsers, after Talbot et al. (2011)",
        "",
        f"{results['trees']:,} trees of UD English EWT; trees are chosen for",
        f"{results['chosen from']} sentences, and all is tested on",
        f"{grids['PUD and KFTT']['n']} others. Means over seeds",
        f"{', '.join(map(str, results['seeds']))}; in parentheses FRS of each seed.",
        "Marks: the system of the column is better (+) or worse (-) than that of the row, by a",
        "paired bootstrap over the sentences, at 90 % (*) or 95 % (**).",
        "",
    ]
    for name, both in grids.items():
        for experiment in ("parsers", "rules"):
            found = both[experiment]
            lines += [f"## FRS, {name}: {experiment} (table 4)", ""]
            lines += ["| system | FRS | Kendall's tau | exact |", "|---|---|---|---|"]
            for system, value in found["frs"]["values"].items():
                each = ", ".join(f"{seed:.4f}" for seed in found["frs"]["seeds"][system])
                tau, exact = (found[metric]["values"][system] for metric in ORDERS[1:])
                lines.append(f"| {system} | {value:.4f} ({each}) | {tau:.4f} | {exact:.4f} |")
            lines += ["", *triangle(list(found["frs"]["values"]), found["frs"]["marks"])]
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
    options.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options.add_argument("--output", type=Path, default=OUTPUT)
    given = options.parse_args()
    started = time.process_time()
    corpus = HandLinked(given.data, given.scratch)
    results = results_of(corpus, given.seeds)
    keep(given.output, "talbot_parsers", results, markdown, started)


if __name__ == "__main__":
    main()
