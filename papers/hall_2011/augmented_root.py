#!/usr/bin/env python3
"""Augmented-loss training by the roots of questions, as in section 4.2 of Hall et al. (2011).

Base: the first 1,000 trees of UD English EWT whose text has no question mark. UD English Atis
(spoken questions about flights) takes the part of QuestionBank: of its first 1,000 training
sentences the augmented parsers see the words, and which of them is the root. Tested on the dev part
of Atis, and on EWT dev, with tags of the model's own tagger, which is trained on EWT alone. All
parsers take as many epochs as the one that learns from the treebank alone needs
(`augmented_epochs.py`), the augmented ones from roots after a third of them; lists of 8 trees grow
up to 64 while no root in them is right. `Atis trees` is the row of the domain: tagger and parser
learn from the whole trees of the same questions and from nothing else.

    python -m papers.hall_2011.augmented_root DATA SCRATCH [--seeds 1 2 3]
    python -m papers.hall_2011.augmented_root DATA SCRATCH --algorithm graph

DATA holds ud-english-ewt and ud-english-atis. SCRATCH keeps what each run found, so that
an experiment that was stopped goes on. Takes some minutes on one core.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import wordorder as wo
from papers.hall_2011.augmented_tables import LEARNERS, Paper, Runs, options_of, sizes_of, tagger_of
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.parsing.given_tags import without_tags
from wordorder.training import RootCost, augmented_train
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.treebank import NO_HEAD, ROOT

QUESTIONS, GROWN = 1000, 64
RATIOS = (1.0, 0.5, 2.0)
DOMAIN = "Atis trees"
METRICS = ("root-f1", "las", "uas", "nsubj", "las/ewt", "uas/ewt")
PAPER: Paper = (
    "Hall et al. (2011), Table 2",
    ("LAS", "UAS", "Root-F1"),
    {
        "transition, PTB": (67.97, 73.52, 47.60),
        "transition, augmented": (76.27, 86.42, 83.41),
        "transition, QTB": (84.59, 89.59, 91.06),
        "graph, PTB": (65.27, 72.72, 43.10),
        "graph, augmented": (72.82, 80.68, 86.26),
        "graph, QTB": (82.73, 87.44, 91.58),
    },
)


def main() -> None:
    """Run the experiment and keep its result."""
    given = options_of(__doc__).parse_args()
    folder = given.data / "ud-english-ewt"
    ewt = read_treebank(folder / "en_ewt-ud-train.conllu.gz")
    asked = np.array(["?" in "".join(words) for words in ewt.sentences()])
    number, epochs = sizes_of(given)
    trees = ewt.take(np.flatnonzero(~asked)[:number])
    ewt_dev = read_treebank(folder / "en_ewt-ud-dev.conllu.gz")
    folder = given.data / "ud-english-atis"
    atis = read_treebank(folder / "en_atis-ud-train.conllu.gz")[:QUESTIONS]
    test = read_treebank(folder / "en_atis-ud-dev.conllu.gz")
    # All that is kept of a tree is which word its root is.
    heads = np.where(atis.heads == ROOT, ROOT, NO_HEAD).astype(np.int32)
    questions = without_tags(atis).replace(heads=heads)

    given.scratch = given.scratch / f"{given.algorithm}-roots"

    def run(name: str, seed: int, ratio: float | None) -> dict[str, Any]:
        bank, scratch = (trees, given.scratch)
        if name == DOMAIN:
            bank, scratch = atis, given.scratch / "atis"
        tagger = tagger_of(bank, seed, scratch)
        tagged = tagger.tag(questions)
        learner = LEARNERS[given.algorithm](bank, text=None if name == DOMAIN else tagged)
        losses = [] if ratio is None else [(tagged, RootCost(tagged), ratio)]
        parser: Any = augmented_train(
            learner, losses, grow=GROWN, seed=seed, epochs=epochs, start=epochs // 3
        ).model

        def segments(gold: Treebank) -> wo.Segments:
            return wo.Segments.from_treebanks(parser.parse(tagger.tag(gold)), gold)

        found = {"": segments(test), "ewt": segments(ewt_dev)}
        return {
            name: statistics_in_pieces(
                wo.metric(name.partition("/")[0]), found[name.partition("/")[2]]
            )
            for name in METRICS
        }

    runs = Runs("augmented_root", given, METRICS, PAPER)
    for seed in given.seeds:
        wanted: list[tuple[str, float | None]] = [("treebank alone", None), (DOMAIN, None)]
        wanted += [(f"roots, ratio {ratio}", ratio) for ratio in RATIOS]
        for name, ratio in wanted:
            runs.add(name, seed, partial(run, name, seed, ratio))
    print(runs.markdown(runs.table()))


if __name__ == "__main__":
    main()
