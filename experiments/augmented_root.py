#!/usr/bin/env python3
"""Augmented-loss training by the roots of questions, as in section 4.2 of Hall et al. (2011).

Base: the first 2,000 trees of UD English EWT whose text has no question mark. UD English Atis
(spoken questions about flights) takes the part of QuestionBank: of its first 2,000 training
sentences the augmented parsers see the words, and which of them is the root. Tested on the dev part
of Atis, and on EWT dev, with tags of the model's own tagger, which is trained on EWT alone. All
parsers learn for 15 epochs, the augmented ones from roots after the first 5.

    python experiments/augmented_root.py DATA SCRATCH [--seeds 1 2 3] [--algorithm graph]

DATA holds ud-english-ewt and ud-english-atis. SCRATCH keeps models, so that a run that was stopped
goes on. Takes some minutes on one core.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from augmented_tables import differences, keep, measured_once
from self_training import compared

import wordorder as wo
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.parsing import open_parser, train_parser_files
from wordorder.training import AugmentedFile, augmented_losses
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import NO_HEAD, ROOT
from wordorder.treebank.writing import write_treebank

TREES, QUESTIONS, EPOCHS, START = 2000, 2000, 15, 5
RATIOS = (0.5, 1.0)
METRICS = ("root-f1", "las", "uas", "nsubj", "las/ewt", "uas/ewt")
# Hall et al. (2011), Table 2: LAS, UAS, F1 of the root, in per cent.
PAPER = {
    "transition, PTB": (67.97, 73.52, 47.60),
    "transition, augmented": (76.27, 86.42, 83.41),
    "transition, QTB": (84.59, 89.59, 91.06),
    "graph, PTB": (65.27, 72.72, 43.10),
    "graph, augmented": (72.82, 80.68, 86.26),
    "graph, QTB": (82.73, 87.44, 91.58),
}


class Questions:
    """The data, and what a model does on them."""

    def __init__(self, data: Path, scratch: Path) -> None:
        self.scratch = scratch
        folder = data / "ud-english-ewt"
        ewt = read_treebank(folder / "en_ewt-ud-train.conllu.gz")
        self.ewt_dev = read_treebank(folder / "en_ewt-ud-dev.conllu.gz")
        asked = np.array(["?" in "".join(words) for words in ewt.sentences()])
        self.treebank = scratch / "ewt.conllu"
        write_treebank(self.treebank, ewt.take(np.flatnonzero(~asked)[:TREES]))
        folder = data / "ud-english-atis"
        atis = read_treebank(folder / "en_atis-ud-train.conllu.gz")[:QUESTIONS]
        self.test = read_treebank(folder / "en_atis-ud-dev.conllu.gz")
        nothing = Column.filled(atis.words)
        bare = atis.replace(upos=nothing, xpos=nothing, feats=nothing, lemma=nothing)
        heads = np.where(atis.heads == ROOT, ROOT, NO_HEAD).astype(np.int32)
        self.roots = scratch / "roots.conllu"
        write_treebank(self.roots, bare.replace(heads=heads, label=nothing))

    def measured(self, model: Path) -> dict[str, Any]:
        """Return the statistics of a model on questions and on EWT dev."""
        opened = open_parser(model, tags="predict")

        def segments(gold: Treebank) -> wo.Segments:
            return wo.Segments.from_treebanks(opened.parse(gold), gold)

        found = {"": segments(self.test), "ewt": segments(self.ewt_dev)}
        return {
            name: statistics_in_pieces(
                wo.metric(name.partition("/")[0]), found[name.partition("/")[2]]
            )
            for name in METRICS
        }


def trained(data: Questions, algorithm: str, name: str, seed: int) -> Path:
    """Return a model of SCRATCH, trained if it is not there."""
    path = data.scratch / f"{algorithm}-{name.replace(' ', '-')}-{seed}.model"
    if not path.exists():
        further = None
        if name != "treebank alone":
            file = AugmentedFile("root", data.roots, float(name.split()[-1]))
            further = augmented_losses([file], start=START)
        train_parser_files(
            data.treebank,
            path,
            algorithm=algorithm,
            epochs=EPOCHS,
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
    data = Questions(given.data, given.scratch)
    statistics: dict[str, list[dict[str, Any]]] = {}
    names = ["treebank alone", *(f"roots, ratio {ratio}" for ratio in RATIOS)]
    for done, seed in enumerate(given.seeds, 1):
        for name in names:
            model = trained(data, given.algorithm, name, seed)
            statistics.setdefault(name, []).append(measured_once(model, data.measured))
        table = {
            name: differences(statistics["treebank alone"], rows, METRICS, compared)
            for name, rows in statistics.items()
        }
        suffix = "" if given.algorithm == "transition" else "_graph"
        paper = ("Hall et al. (2011), Table 2", ("LAS", "UAS", "Root-F1"), PAPER)
        keep(f"augmented_root{suffix}", table, METRICS, seed=done, paper=paper)


if __name__ == "__main__":
    main()
