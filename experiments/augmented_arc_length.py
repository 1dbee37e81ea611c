#!/usr/bin/env python3
"""Augmented-loss training by the arc-length score, as in section 4.3 of Hall et al. (2011).

The first 2,000 trees of UD English EWT are learnt from twice: as whole trees, and by the cost
1 - ALS, unlabelled or labelled, of lists of 8 trees. All parsers learn for 10 epochs. `primary`
learns from whole trees for five epochs and then by the cost alone. `more epochs` says what twice
as many passes over the trees give without a further loss. Tested on EWT dev, with tags of the
model's own tagger.

    python experiments/augmented_arc_length.py DATA SCRATCH [--seeds 1 2 3] [--algorithm graph]

DATA holds ud-english-ewt. SCRATCH keeps models, so that a run that was stopped goes on. Takes some
minutes on one core.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from augmented_tables import differences, keep, measured_once
from self_training import compared

import wordorder as wo
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.parsing import open_parser, train_parser_files
from wordorder.training import AugmentedFile, augmented_losses
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.writing import write_treebank

TREES, EPOCHS, START = 2000, 10, 5
METRICS = ("als", "als-labelled", "las", "uas")
RUNS = (
    "treebank alone",
    "arc-length, ratio 1.0",
    "arc-length-labelled, ratio 1.0",
    "primary arc-length-labelled",
    "more epochs",
)
# Hall et al. (2011), Table 3: LAS, UAS, ALS on the development set of the Penn Treebank.
PAPER = {
    "transition, PTB": (88.64, 91.64, 82.96),
    "transition, unlabelled": (88.74, 91.91, 83.65),
    "transition, labelled": (88.84, 91.91, 83.46),
    "graph, PTB": (85.75, 88.70, 73.88),
    "graph, unlabelled": (85.80, 88.81, 74.26),
    "graph, labelled": (85.85, 88.93, 74.40),
}


def measured(model: Path, dev: Treebank) -> dict[str, Any]:
    """Return the statistics of a model on EWT dev."""
    parsed = open_parser(model, tags="predict").parse(dev)
    segments = wo.Segments.from_treebanks(parsed, dev)
    return {name: statistics_in_pieces(wo.metric(name), segments) for name in METRICS}


def trained(treebank: Path, scratch: Path, algorithm: str, name: str, seed: int) -> Path:
    """Return a model of SCRATCH, trained if it is not there."""
    path = scratch / f"{algorithm}-{name.replace(', ', '-').replace(' ', '-')}-{seed}.model"
    if not path.exists():
        further = None
        kind, _, ratio = name.partition(", ratio ")
        if ratio:
            further = augmented_losses([AugmentedFile(kind, treebank, float(ratio))])
        elif kind.startswith("primary "):
            further = augmented_losses([], primary=kind.removeprefix("primary "), start=START)
        train_parser_files(
            treebank,
            path,
            algorithm=algorithm,
            epochs=2 * EPOCHS if name == "more epochs" else EPOCHS,
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
    folder = given.data / "ud-english-ewt"
    treebank = given.scratch / "ewt.conllu"
    write_treebank(treebank, read_treebank(folder / "en_ewt-ud-train.conllu.gz")[:TREES])
    dev = read_treebank(folder / "en_ewt-ud-dev.conllu.gz")
    statistics: dict[str, list[dict[str, Any]]] = {}
    for done, seed in enumerate(given.seeds, 1):
        for name in RUNS:
            model = trained(treebank, given.scratch, given.algorithm, name, seed)
            found = measured_once(model, lambda path: measured(path, dev))
            statistics.setdefault(name, []).append(found)
        table = {
            name: differences(statistics["treebank alone"], rows, METRICS, compared)
            for name, rows in statistics.items()
        }
        suffix = "" if given.algorithm == "transition" else "_graph"
        paper = ("Hall et al. (2011), Table 3", ("LAS", "UAS", "ALS"), PAPER)
        keep(f"augmented_arc_length{suffix}", table, METRICS, seed=done, paper=paper)


if __name__ == "__main__":
    main()
