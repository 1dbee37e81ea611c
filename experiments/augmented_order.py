#!/usr/bin/env python3
"""Augmented-loss training by the reordering cost, as in section 4.1 of Hall et al. (2011).

Base: the first 2,000 trees of UD English EWT. Extrinsic data: lines 1 to 4,000 of
small_parallel_enja, with references from links of our own aligner (words without a link are
dropped) and the rules R5; the cost of a tree is 1 - FRS. Tested on lines 44,001 to 47,000 and on
EWT dev, with tags of the model's own tagger. All parsers learn for 15 epochs; in the augmented
ones the extrinsic data come in after 5, and only trees that cost less by more than 0.1 are learnt
from. `plain` is the algorithm without either, for 10 epochs, against a parser of 10 epochs.

    python experiments/augmented_order.py DATA SCRATCH [--seeds 1 2 3]

DATA holds ud-english-ewt and small_parallel_enja. SCRATCH keeps models, so that a run that was
stopped goes on. Takes a quarter of an hour on one core.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from augmented_tables import differences, keep, measured_once
from self_training import SMALL, Corpus, compared

import wordorder as wo
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.parsing import open_parser, train_parser_files
from wordorder.training import AugmentedFile, augmented_losses
from wordorder.training.references import ReferenceFile

EPOCHS, START, MARGIN = 15, 5, 0.1
RATIOS = (0.5, 1.0, 2.0)
METRICS = ("frs", "exact", "las", "uas")
# Hall et al. (2011), Table 1: Exact and Reorder.
PAPER = {
    "transition, baseline": (35.29, 76.49),
    "transition, 0.5": (38.71, 78.19),
    "transition, 1.0": (39.02, 78.39),
    "transition, 2.0": (39.58, 78.67),
    "graph, baseline": (25.71, 69.84),
    "graph, 0.5": (28.99, 72.23),
    "graph, 1.0": (29.99, 72.88),
    "graph, 2.0": (30.03, 73.15),
}


def measured(corpus: Corpus, model: Path) -> dict[str, Any]:
    """Return the statistics of a model on the test sentences and on EWT dev."""
    opened = open_parser(model, tags="predict")
    orders = corpus.rules.orders(opened.parse(corpus.tested))
    tested = wo.Segments.from_orders(orders, corpus.reference)
    gold = wo.Segments.from_treebanks(opened.parse(corpus.dev), corpus.dev)
    return {
        name: statistics_in_pieces(wo.metric(name), tested if name in METRICS[:2] else gold)
        for name in METRICS
    }


def trained(
    corpus: Corpus, algorithm: str, seed: int, ratio: float | None, *, plain: bool = False
) -> Path:
    """Return a model of SCRATCH, trained if it is not there."""
    kind = "plain" if plain else "late"
    path = corpus.scratch / f"{algorithm}-{kind}-{ratio or 'base'}-{seed}.model"
    if not path.exists():
        further = None
        if ratio is not None:
            file = AugmentedFile("order", corpus.text, ratio, ReferenceFile(corpus.orders))
            how: dict[str, Any] = {} if plain else {"start": START, "margin": MARGIN}
            further = augmented_losses([file], rules="R5", **how)
        train_parser_files(
            corpus.treebank(SMALL),
            path,
            algorithm=algorithm,
            epochs=10 if plain else EPOCHS,
            further=further,
            seed=seed,
            resume=True,
            say=lambda line: print(f"{path.stem}: {line}", flush=True),
        )
    return path


def main() -> None:
    """Run the experiment and keep its result."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("scratch", type=Path)
    options.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options.add_argument("--algorithm", choices=["transition", "graph"], default="transition")
    given = options.parse_args()
    given.scratch.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(given.data, given.scratch)
    statistics: dict[str, list[dict[str, Any]]] = {}
    for done, seed in enumerate(given.seeds, 1):
        runs = [(False, ratio) for ratio in (None, *RATIOS)]
        if seed == given.seeds[0] and given.algorithm == "transition":
            runs += [(True, None), (True, 1.0)]
        for plain, ratio in runs:
            model = trained(corpus, given.algorithm, seed, ratio, plain=plain)
            kind = "plain, " if plain else ""
            name = f"{kind}ratio {ratio}" if ratio else f"{kind}treebank alone"
            found = measured_once(model, lambda path: measured(corpus, path))
            statistics.setdefault(name, []).append(found)
        table = {
            name: differences(
                statistics["plain, treebank alone" if "plain" in name else "treebank alone"],
                rows,
                METRICS,
                compared,
            )
            for name, rows in statistics.items()
        }
        suffix = "" if given.algorithm == "transition" else "_graph"
        keep(
            f"augmented_order{suffix}",
            table,
            METRICS,
            seed=done,
            paper=("Hall et al. (2011), Table 1", ("Exact", "Reorder"), PAPER),
        )


if __name__ == "__main__":
    main()
