#!/usr/bin/env python3
"""Targeted self-training with references that people made, as Katz-Brown et al. (2011) have it.

The references are word alignments by hand: PUD English-Japanese and the dev set of KFTT
(`hand_links.py`). Of each list of trees the one that R5 brings closest to the reference is added to
2,000 trees of UD English EWT (targeted), or the first one (standard); tagger and parser are trained
again from scratch, and tested on the other half of the sentences.

    python -m papers.katz_brown_2011.self_training_by_hand DATA SCRATCH [--seeds 1 2 3] [--only ROW]

Rows: both ways at weights 1 and 10 (table 1 of the paper); numbers of sentences; lengths of lists;
rounds, each with lists of the model of the one before; the graph parser; the trees of PUD
themselves against trees chosen for the same sentences (table 4, where the paper has questions); and
more sentences whose references are automatic (`own_links.py`). DATA holds ud-english-ewt,
pud-word-alignments, kftt-alignments-dev and small_parallel_enja. SCRATCH keeps what each run found,
so that an experiment that was stopped goes on. A row of three seeds takes two to three minutes on
one core.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.hand_links import HandLinked
from papers.keeping import OUTPUT, compared, keep
from papers.own_links import Corpus
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.parsing import open_parser, train_parser_files
from wordorder.parsing.given_tags import without_tags
from wordorder.parsing.training.recipes import ParserOptions
from wordorder.parsing.training.training_run import TrainingRun
from wordorder.parsing.training.training_text import TrainingFiles
from wordorder.reordering import open_rules
from wordorder.training import SelfTraining, self_train
from wordorder.treebank.reading import write_treebank

NAME = "self_training_by_hand"
KBEST = 64
# What the columns measure: a metric, and on which sentences.
COLUMNS = (
    *("frs", "frs/PUD", "frs/KFTT", "kendall", "las/EWT dev", "las/PUD"),
    # 3,000 lines of small_parallel_enja, whose references are automatic.
    "frs/automatic",
)


@dataclass(frozen=True)
class Way:
    """One way to train.

    Attributes
    ----------
    kind : {"base", "standard", "targeted", "treebank"}
        `treebank` adds the trees of PUD that people made.
    weight, kbest : int
    number : int, optional
        Of the sentences to choose from; all unless given.
    pud : bool
        Only those of PUD.
    automatic : int
        So many sentences of small_parallel_enja instead, with links of our own aligner.
    algorithm : str
    base : str
        The row that it is compared with.
    start : str, optional
        The row whose model makes the lists; that of `base` unless given.
    """

    kind: str
    weight: int = 1
    kbest: int = KBEST
    number: int | None = None
    pud: bool = False
    automatic: int = 0
    algorithm: str = "transition"
    base: str = "baseline"
    start: str | None = None


GRAPH = "graph parser, baseline"
WAYS = {
    "baseline": Way("base"),
    "standard, weight 1": Way("standard"),
    "targeted, weight 1": Way("targeted"),
    "standard, weight 10": Way("standard", weight=10),
    "targeted, weight 10": Way("targeted", weight=10),
    "targeted, 87 sentences": Way("targeted", number=87),
    "targeted, 173 sentences": Way("targeted", number=173),
    "targeted, 347 sentences": Way("targeted", number=347),
    "targeted, round 2": Way("targeted", start="targeted, weight 1"),
    "targeted, round 3": Way("targeted", start="targeted, round 2"),
    "targeted, lists of 8": Way("targeted", kbest=8),
    "targeted, lists of 512": Way("targeted", kbest=512),
    "PUD, treebank, weight 1": Way("treebank", pud=True),
    "PUD, targeted, weight 1": Way("targeted", pud=True),
    "PUD, treebank, weight 10": Way("treebank", weight=10, pud=True),
    "PUD, targeted, weight 10": Way("targeted", weight=10, pud=True),
    "standard, 693 automatic references": Way("standard", automatic=693),
    "targeted, 693 automatic references": Way("targeted", automatic=693),
    "standard, 4,000 automatic references": Way("standard", automatic=4000),
    "targeted, 4,000 automatic references": Way("targeted", automatic=4000),
    GRAPH: Way("base", algorithm="graph", base=GRAPH),
    "graph parser, standard, weight 1": Way("standard", algorithm="graph", base=GRAPH),
    "graph parser, targeted, weight 1": Way("targeted", algorithm="graph", base=GRAPH),
}
# What is compared directly, the second with the first.
PAIRS = {
    "targeted against standard, weight 1": ("standard, weight 1", "targeted, weight 1"),
    "targeted against standard, weight 10": ("standard, weight 10", "targeted, weight 10"),
    "round 3 against round 1": ("targeted, weight 1", "targeted, round 3"),
    "targeted against standard, 4,000 automatic references": (
        "standard, 4,000 automatic references",
        "targeted, 4,000 automatic references",
    ),
    "targeted against standard, 693 automatic references": (
        "standard, 693 automatic references",
        "targeted, 693 automatic references",
    ),
    "PUD, targeted against treebank, weight 1": (
        "PUD, treebank, weight 1",
        "PUD, targeted, weight 1",
    ),
    "PUD, targeted against treebank, weight 10": (
        "PUD, treebank, weight 10",
        "PUD, targeted, weight 10",
    ),
    "graph parser, targeted against standard, weight 1": (
        "graph parser, standard, weight 1",
        "graph parser, targeted, weight 1",
    ),
}
# Katz-Brown et al. (2011), tables 1 and 4: reordering score and LAS.
PAPER = {
    "table 1, shift-reduce": {
        "baseline": (0.757, 85.31),
        "standard, weight 1": (0.760, 85.26),
        "standard, weight 10": (0.756, 84.14),
        "targeted, weight 1": (0.770, 85.19),
        "targeted, weight 10": (0.777, 84.48),
    },
    "table 1, Berkeley": {
        "baseline": (0.780, 88.66),
        "standard, weight 1": (0.785, 89.21),
        "targeted, weight 1": (0.790, 89.32),
    },
    "table 4, questions, shift-reduce": {
        "baseline": (0.663, 64.78),
        "treebank, weight 1": (0.704, 77.12),
        "treebank, weight 10": (0.768, 84.75),
        "targeted, weight 1": (0.746, 67.84),
        "targeted, weight 10": (0.779, 69.17),
        "gold trees": (0.788, 100.0),
    },
    "table 4, questions, Berkeley": {
        "baseline": (0.733, 76.50),
        "treebank, weight 1": (0.800, 87.79),
        "targeted, weight 1": (0.775, 80.64),
    },
}


class Runs:
    """The runs of the experiment, each kept in SCRATCH when it is done."""

    def __init__(self, data: Path, scratch: Path) -> None:
        self.corpus = HandLinked(data, scratch)
        self.automatic = Corpus(data, scratch)
        self.rules = open_rules("R5")
        self.pud_trees = scratch / "pud.conllu"
        if not self.pud_trees.exists():
            write_treebank(self.pud_trees, self.corpus.chosen_gold)

    def first(self, number: int) -> tuple[Path, Path]:
        """Return files of the first sentences with automatic references, and of their orders."""
        files = []
        for path in (self.automatic.text, self.automatic.orders):
            lines = path.read_text("utf-8").splitlines(keepends=True)[:number]
            files.append(path.with_stem(f"{path.stem}-{number}"))
            files[-1].write_text("".join(lines), "utf-8")
        return files[0], files[1]

    def run(
        self, name: str, seed: int, *, only_kept: bool
    ) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Return the statistics of a way, and what its lists were; None if it is not to be run."""
        stem = self.stem(name, seed)
        model, lists, kept = (stem.with_suffix(end) for end in (".model", ".lists", ".npz"))
        if only_kept and not kept.exists():
            return None
        if not lists.exists():
            print(f"{name}, seed {seed}", flush=True)
            lists.write_text(json.dumps(self.train(WAYS[name], model, seed)))
        if not kept.exists():
            np.savez(kept, **self.measured(model))
        with np.load(kept) as found:
            return dict(found), json.loads(lists.read_text())

    def stem(self, name: str, seed: int) -> Path:
        """Return where the files of a run are, without their ends."""
        return self.corpus.scratch / f"{name.replace(', ', '-').replace(' ', '_')}-{seed}"

    def train(self, way: Way, path: Path, seed: int) -> dict[str, Any]:
        """Train a model; of self-training return what its first lists were."""
        treebank = self.corpus.treebank
        run = TrainingRun(path, seed=seed, resume=True)
        options = ParserOptions(algorithm=way.algorithm)
        if way.kind in ("base", "treebank"):
            added = [(self.pud_trees, way.weight)] if way.kind == "treebank" else []
            train_parser_files(TrainingFiles(treebank, add=added), run, options)
            return {}
        start = self.stem(way.start or way.base, seed).with_suffix(".model")
        text, orders = self.corpus.text(way.number, seed, pud=way.pud)
        if way.automatic:
            text, orders = self.first(way.automatic)
        lists = SelfTraining(
            text=text,
            reference=orders,
            rules="R5",
            standard=way.kind == "standard",
            kbest=way.kbest,
            weight=way.weight,
            start=start,
        )
        done = self_train(treebank, run, lists, options)
        report: dict[str, Any] = done.to_dict()["rounds"][0]["lists"]
        return report

    def measured(self, model: Path) -> dict[str, Any]:
        """Return the statistics of a model in all columns."""
        opened = open_parser(model, tags="predict")
        trees = opened.parse(self.corpus.tested)
        dev = opened.parse(without_tags(self.corpus.dev))
        others = self.rules.orders(opened.parse(self.automatic.tested))
        corpus, found = self.corpus, {}
        orders = self.rules.orders(trees)
        for name in COLUMNS:
            metric, _, where = name.partition("/")
            if metric == "las":
                of_pud = where == "PUD"
                bank = trees.take(corpus.rows("PUD")) if of_pud else dev
                segments = wo.Segments.from_treebanks(bank, corpus.gold if of_pud else corpus.dev)
            elif where == "automatic":
                segments = wo.Segments.from_orders(others, self.automatic.reference)
            else:
                rows = corpus.rows(where)
                segments = wo.Segments.from_orders(orders.take(rows), corpus.reference.take(rows))
            found[name] = statistics_in_pieces(wo.metric(metric), segments)
        return found

    def gold_trees(self) -> float:
        """Return FRS on PUD of the trees that people made, which R5 does not bring to 1."""
        rows = self.corpus.rows("PUD")
        segments = wo.Segments.from_orders(
            self.rules.orders(self.corpus.gold), self.corpus.reference.take(rows)
        )
        return round(float(wo.metric("frs").corpus_score(segments).value), 4)


def row(base: list[dict[str, Any]], own: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the values of a way, and what it gains over its base on the same seeds."""
    return {
        name: compared([b[name] for b in base], [o[name] for o in own], name.partition("/")[0])
        for name in COLUMNS
    }


def table(
    done: dict[str, dict[int, tuple[dict[str, Any], dict[str, Any]]]],
) -> dict[str, Any]:
    """Return all rows whose base is there."""
    found = {}
    for name, runs in done.items():
        base = done.get(WAYS[name].base, {})
        seeds = [seed for seed in runs if seed in base]
        if seeds:
            found[name] = {
                **row([base[seed][0] for seed in seeds], [runs[seed][0] for seed in seeds]),
                "seeds": seeds,
                "lists": runs[seeds[0]][1],
            }
    for title, pair in PAIRS.items():
        if all(each in found for each in pair):
            found[title] = between(done, *pair)
    return found


def between(done: dict[str, Any], one: str, two: str) -> dict[str, Any]:
    """Compare two ways directly."""
    seeds = [seed for seed in done[one] if seed in done[two]]
    return {
        **row([done[one][seed][0] for seed in seeds], [done[two][seed][0] for seed in seeds]),
        "seeds": seeds,
        "lists": {},
    }


def earlier(folder: Path) -> dict[str, Any]:
    """Return the rows of the result so far, each with what made it."""
    path = folder / f"{NAME}.json"
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {"parsers": {}}
    return {name: {"made": kept["made"], **found} for name, found in kept["parsers"].items()}


def columns(rows: dict[str, Any]) -> list[str]:
    """Return the table of some rows."""
    lines = ["| parser | seeds | " + " | ".join(COLUMNS) + " |"]
    lines.append("|---" * (len(COLUMNS) + 2) + "|")
    for name, found in rows.items():
        cells = [name, str(len(found["seeds"]))]
        for column in COLUMNS:
            each = found[column]
            low, high = each["interval"]
            gain = f"{each['difference']:+.4f} [{low:.4f}, {high:.4f}]"
            if "against" in name:
                cells.append(gain)
            else:
                cells.append(
                    f"{each['value']:.4f}" + (f" ({gain})" if "baseline" not in name else "")
                )
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def markdown(results: dict[str, Any]) -> str:
    """Write the tables, with the paper's beside them."""
    lines = [
        "# Self-training with references by hand, after Katz-Brown et al. (2011)",
        "",
        f"2,000 trees of UD English EWT; {results['chosen from']} sentences to choose trees for,",
        f"{results['tested']} others to test on, all with links made by hand. In parentheses: the",
        "difference from the baseline of the same parser and seeds, [95 %] by a paired bootstrap",
        "over the sentences (statistics are means over the seeds).",
    ]
    by_run: dict[str, dict[str, Any]] = {}
    for name, found in results["parsers"].items():
        by_run.setdefault(found.get("made", ""), {})[name] = found
    for made in sorted(by_run):
        if made:
            lines += ["", f"Rows made before, beside a baseline of that code: {made}"]
        lines += ["", *columns(by_run[made])]
    lines += [
        "",
        f"The trees of PUD that people made score {results['gold trees']} (FRS, PUD) under R5.",
        "",
        "| lists of the first round | distinct orders | one order | first is best | first | best |",
        "|---|---|---|---|---|---|",
    ]
    for name, found in results["parsers"].items():
        if lists := found["lists"]:
            of = lists["sentences"]
            lines.append(
                f"| {name} | {lists['orders'] / of:.2f} | {100 * lists['one_order'] / of:.0f} % | "
                f"{100 * lists['first_best'] / of:.0f} % | {lists['first_score']:.4f} | "
                f"{lists['best_score']:.4f} |"
            )
    for title, rows in PAPER.items():
        lines += ["", f"Katz-Brown et al. (2011), {title}:", ""]
        lines += ["| parser | reordering score | LAS |", "|---|---|---|"]
        lines += [f"| {name} | {frs:.3f} | {las:.2f} |" for name, (frs, las) in rows.items()]
    return "\n".join([*lines, "", results["made"], ""])


def main() -> None:
    """Run the experiment and keep its result."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("scratch", type=Path)
    options.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options.add_argument(
        "--only", nargs="+", default=list(WAYS), help="rows to run; others are shown if kept"
    )
    options.add_argument("--output", type=Path, default=OUTPUT)
    given = options.parse_args()
    started = time.process_time()
    runs = Runs(given.data, given.scratch)
    done: dict[str, dict[int, Any]] = {}
    # Seed by seed: a whole table is there early.
    for seed in given.seeds:
        for name in WAYS:
            found = runs.run(name, seed, only_kept=name not in given.only)
            if found is not None:
                done.setdefault(name, {})[seed] = found
    results = {
        "chosen from": len(runs.corpus.chosen),
        "tested": len(runs.corpus.tested),
        "gold trees": runs.gold_trees(),
        "parsers": earlier(given.output) | table(done),
    }
    keep(given.output, NAME, results, markdown, started)


if __name__ == "__main__":
    main()
