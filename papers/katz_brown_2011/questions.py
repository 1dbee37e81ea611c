#!/usr/bin/env python3
"""Questions as a new domain, as in section 6 of Katz-Brown et al. (2011), on open data.

The parser starts from the first 2,000 trees of UD English EWT whose text has no question mark. The
questions are those of small_parallel_enja, and their reference orders come from links to the
Japanese side by our own aligner: no tree has a part in them, so gold trees would not score 1. (In
the paper people made the references. Of the sentences with links by hand, 9 are questions.) Trees
of 64-best lists of 800 questions are chosen by the reference orders alone (targeted), or are the
first ones (standard). No question of these has a gold tree: `treebank` learns from the trees of the
questions of EWT itself, which are of another kind. Tested on other questions, on LAS of the
questions of EWT dev and test, and beside the trees of the model `en`, which knows all of EWT.

    python -m papers.katz_brown_2011.questions DATA SCRATCH [--seeds 1 2 3] [--only NAME ...]

DATA holds ud-english-ewt and small_parallel_enja. SCRATCH keeps what each run found, so that an
experiment that was stopped goes on; rows that are not to be run are shown if they are there. Takes
ten minutes on one core.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.keeping import OUTPUT, compared, keep
from papers.rule_corpora import Sentences, tanaka_orders
from wordorder.arrays import Bool, Int64
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.order.reading import write_orders
from wordorder.parsing import open_parser, train_parser_files
from wordorder.parsing.given_tags import without_tags
from wordorder.parsing.training.training_run import TrainingRun
from wordorder.parsing.training.training_text import TrainingFiles
from wordorder.reordering import open_rules
from wordorder.training import SelfTraining, self_train
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.reading import write_treebank

TREES, QUESTIONS, FIRST_TESTED = 2000, 800, 44_000
METRICS = ("frs", "kendall", "exact", "las", "uas", "root-f1")
WAYS = {
    "baseline": 0,
    "treebank, weight 1": 1,
    "standard, weight 1": 1,
    "targeted, weight 1": 1,
    "treebank, weight 10": 10,
    "standard, weight 10": 10,
    "targeted, weight 10": 10,
}
EN = "trees of `en`"
# What is compared directly, the second with the first.
PAIRS = [
    (f"{other}, weight {weight}", f"targeted, weight {weight}")
    for weight in (1, 10)
    for other in ("standard", "treebank")
]
# Katz-Brown et al. (2011), Table 4: reordering score and LAS on QTB, shift-reduce parser.
PAPER = {
    "baseline": (0.663, 64.78),
    "treebank, weight 1": (0.704, 77.12),
    "targeted, weight 1": (0.746, 67.84),
    "treebank, weight 10": (0.768, 84.75),
    "targeted, weight 10": (0.779, 69.17),
    "gold trees": (0.788, 100.0),
}


class Questions:
    """The data, and what a model does on them."""

    def __init__(self, data: Path, scratch: Path) -> None:
        self.scratch = scratch
        self.rules = open_rules("R5")
        folder = data / "ud-english-ewt"
        train, dev, test = (
            read_treebank(folder / f"en_ewt-ud-{part}.conllu.gz")
            for part in ("train", "dev", "test")
        )
        asked = asking(train)
        self.treebank, self.trees = scratch / "ewt.conllu", scratch / "ewt-questions.conllu"
        write_treebank(self.treebank, train.take(np.flatnonzero(~asked)[:TREES]))
        write_treebank(self.trees, train.take(np.flatnonzero(asked)))
        self.number_of_trees = int(asked.sum())
        self.gold = Treebank.concatenate(
            [each.take(np.flatnonzero(asking(each))) for each in (dev, test)]
        )
        english, orders = tanaka_orders(data, scratch)
        chosen, tested = apart(english)
        self.text, self.orders = scratch / "questions.txt", scratch / "questions.orders"
        self.text.write_text("".join(" ".join(english[row]) + "\n" for row in chosen))
        write_orders(orders.take(chosen), self.orders)
        self.tested = Treebank.from_words([english[row] for row in tested])
        self.reference = orders.take(tested)

    def measured(self, model: Path | str) -> dict[str, Any]:
        """Return the statistics of a model on the questions to test on."""
        opened = open_parser(model, tags="predict")
        found = self.rules.orders(opened.parse(self.tested))
        orders = wo.Segments.from_orders(found, self.reference)
        trees = opened.parse(without_tags(self.gold))
        gold = wo.Segments.from_treebanks(trees, self.gold)
        return {
            name: statistics_in_pieces(made, orders if "permutation" in made.columns else gold)
            for name, made in ((name, wo.metric(name)) for name in METRICS)
        }

    def run(self, name: str, seed: int, *, only_kept: bool) -> dict[str, Any] | None:
        """Return the statistics of a way, which SCRATCH keeps; None if it is not to be run."""
        stem = self.scratch / f"{name.replace(', ', '-').replace(' ', '_')}-{seed}"
        kept = stem.with_suffix(".npz")
        if not kept.exists():
            if only_kept:
                return None
            print(f"{name}, seed {seed}", flush=True)
            np.savez(kept, **self.measured(self.trained(name, stem.with_suffix(".model"), seed)))
        with np.load(kept) as found:
            return dict(found)

    def trained(self, name: str, path: Path, seed: int) -> Path:
        """Return the parser that learnt from questions in one of the ways."""
        if path.exists():
            return path
        kind, weight = name.partition(",")[0], WAYS[name]
        common: dict[str, Any] = {"seed": seed, "resume": True}
        if kind in ("baseline", "treebank"):
            added = [(self.trees, weight)] if kind == "treebank" else []
            train_parser_files(TrainingFiles(self.treebank, add=added), TrainingRun(path, **common))
        else:
            start = self.trained("baseline", self.scratch / f"baseline-{seed}.model", seed)
            lists = SelfTraining(
                text=self.text,
                reference=self.orders,
                rules="R5",
                standard=kind == "standard",
                kbest=64,
                weight=weight,
                start=start,
            )
            self_train(self.treebank, TrainingRun(path, **common), lists)
        return path


def asking(trees: Treebank) -> Bool:
    """Say of each sentence whether it has a question mark."""
    return np.array(["?" in words for words in map("".join, trees.sentences())])


def apart(english: Sentences) -> tuple[Int64, Int64]:
    """Return the rows of the questions to choose trees for, and of others to test on."""
    rows: dict[tuple[str, ...], int] = {}
    for row, words in enumerate(english):
        if words[-1] == "?":
            rows.setdefault(tuple(words), row)
    found = np.array(list(rows.values()))
    return found[:QUESTIONS], found[found >= FIRST_TESTED]


def row(base: list[dict[str, Any]], other: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what a way to learn gains."""
    return {
        name: compared([each[name] for each in base], [each[name] for each in other], name)
        for name in METRICS
    }


def table(done: dict[str, dict[int, Any]]) -> dict[str, Any]:
    """Return all rows beside the baseline of the same seeds, and the pairs."""
    found = {}
    pairs = {name: ("baseline", name) for name in done}
    pairs |= {f"{two} against {one}": (one, two) for one, two in PAIRS if {one, two} <= set(done)}
    for title, (one, two) in pairs.items():
        seeds = [seed for seed in done[two] if seed in done[one]]
        if seeds:
            of = [[done[name][seed] for seed in seeds] for name in (one, two)]
            found[title] = {"seeds": seeds, **row(*of)}
    return found


def markdown(results: dict[str, Any]) -> str:
    """Return the table."""
    lines = [
        "# Questions, after Katz-Brown et al. (2011), section 6",
        "",
        f"{TREES:,} trees of UD English EWT, none of a question. FRS, tau and exact on "
        f"{results['tested']:,} questions of",
        f"small_parallel_enja, with references from links of our own aligner; trees were chosen "
        f"for {QUESTIONS} others. LAS, UAS",
        f"and Root-F1 on {results['gold']} questions of EWT dev and test; `treebank` learns from "
        f"{results['trees']} of EWT train. Means of the",
        "seeds; in parentheses the difference from the baseline of the same seeds, [95 %] by a "
        "paired bootstrap over",
        "sentences, and that of each seed.",
        "",
        "| parser | seeds | FRS | tau | exact | LAS | UAS | Root-F1 | KB-T4: score | LAS |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, each in results["parsers"].items():
        cells = []
        for metric in METRICS:
            of = each[metric]
            low, high = of["interval"]
            gain = f"{of['difference']:+.4f} [{low:.4f}, {high:.4f}]"
            if metric == "frs":
                gain += "; " + ", ".join(f"{value:+.4f}" for value in of["seeds"])
            shown = "" if name == "baseline" else f" ({gain})"
            cells.append(gain if "against" in name else f"{of['value']:.4f}{shown}")
        paper = PAPER.get(name)
        cells += [f"{paper[0]:.3f}", f"{paper[1]:.2f}"] if paper else ["", ""]
        lines.append(f"| {name} | {len(each['seeds'])} | " + " | ".join(cells) + " |")
    lines.append("| gold trees | | | | | | | | 0.788 | 100 |")
    return "\n".join([*lines, "", results["made"], ""])


def main() -> None:
    """Run the experiment and keep its result."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("scratch", type=Path)
    options.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options.add_argument("--only", nargs="+", default=list(WAYS), help="rows to run")
    given = options.parse_args()
    given.scratch.mkdir(parents=True, exist_ok=True)
    started = time.process_time()
    corpus = Questions(given.data, given.scratch)
    done: dict[str, dict[int, Any]] = {}
    for seed in given.seeds:
        for name in WAYS:
            found = corpus.run(name, seed, only_kept=name not in given.only)
            if found is not None:
                done.setdefault(name, {})[seed] = found
    known = corpus.measured("en")
    done[EN] = dict.fromkeys(done["baseline"], known)
    results = {
        "tested": len(corpus.tested),
        "gold": len(corpus.gold),
        "trees": corpus.number_of_trees,
        "parsers": table(done),
    }
    keep(OUTPUT, "questions", results, markdown, started)


if __name__ == "__main__":
    main()
