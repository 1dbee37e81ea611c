#!/usr/bin/env python3
"""Augmented-loss training by the reordering cost, as in section 4.1 of Hall et al. (2011).

Base: the first 1,000 trees of UD English EWT. Extrinsic data: 693 sentences of PUD and the dev set
of KFTT (`hand_links.py`) whose links to Japanese were made by hand, and the rules R5; the cost of a
tree is 1 - FRS. Tested on as many others and on EWT dev, with tags of the model's own tagger. All
parsers take as many epochs over the treebank as the one that learns from the treebank alone needs
(`augmented_epochs.py`); in the augmented ones the extrinsic data come in after a third of them.

    python -m papers.hall_2011.augmented_order DATA SCRATCH [--seeds 1 2 3]
    python -m papers.hall_2011.augmented_order DATA SCRATCH --algorithm graph
    python -m papers.hall_2011.augmented_order DATA SCRATCH --references automatic

With automatic references the extrinsic data, and the sentences that are tested on, are those of
`own_links.py`; ratio 1 alone. DATA holds ud-english-ewt, pud-word-alignments, kftt-alignments-dev
and small_parallel_enja. SCRATCH keeps what each run found, so that an experiment that was stopped
goes on. Takes ten minutes on one core.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import wordorder as wo
from papers.hall_2011.augmented_tables import (
    ALONE,
    LEARNERS,
    Paper,
    Runs,
    options_of,
    sizes_of,
    tagger_of,
)
from papers.hand_links import HandLinked
from papers.own_links import Corpus
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.order.reading import read_orders
from wordorder.reordering import open_rules
from wordorder.training import OrderCost, augmented_train
from wordorder.treebank import Treebank

RATIOS = (1.0, 0.5, 2.0)
METRICS = ("frs", "exact", "las", "uas")
PAPER: Paper = (
    "Hall et al. (2011), Table 1",
    ("Exact", "Reorder"),
    {
        "transition, baseline": (35.29, 76.49),
        "transition, 0.5": (38.71, 78.19),
        "transition, 1.0": (39.02, 78.39),
        "transition, 2.0": (39.58, 78.67),
        "graph, baseline": (25.71, 69.84),
        "graph, 0.5": (28.99, 72.23),
        "graph, 1.0": (29.99, 72.88),
        "graph, 2.0": (30.03, 73.15),
    },
)


class Task:
    """The data: a treebank, sentences with references, and others to test on."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.rules = open_rules("R5")
        corpus: Any
        if given.references == "hand":
            corpus = HandLinked(given.data, given.scratch, sizes_of(given)[0])
            self.text, orders = corpus.chosen, corpus.chosen_orders
        else:
            corpus = Corpus(given.data, given.scratch)
            lines = corpus.text.read_text("utf-8").splitlines()
            self.text = Treebank.from_words([line.split(" ") for line in lines])
            orders = read_orders(corpus.orders)
        self.trees = corpus.train[: sizes_of(given)[0]]
        self.tested, self.reference, self.dev = corpus.tested, corpus.reference, corpus.dev
        self.cost = OrderCost(self.rules, orders)

    def statistics(self, tagger: Any, parser: Any) -> dict[str, Any]:
        """Return the statistics of a model on the test sentences and on EWT dev."""
        orders = self.rules.orders(parser.parse(tagger.tag(self.tested)))
        tested = wo.Segments.from_orders(orders, self.reference)
        gold = wo.Segments.from_treebanks(parser.parse(tagger.tag(self.dev)), self.dev)
        return {
            name: statistics_in_pieces(wo.metric(name), tested if name in METRICS[:2] else gold)
            for name in METRICS
        }


def main() -> None:
    """Run the experiment and keep its result."""
    options = options_of(__doc__)
    options.add_argument("--references", choices=("hand", "automatic"), default="hand")
    given = options.parse_args()
    given.scratch = given.scratch / f"{given.algorithm}-{given.references}"
    given.scratch.mkdir(parents=True, exist_ok=True)
    task = Task(given)
    _, epochs = sizes_of(given)

    def run(seed: int, ratio: float | None) -> dict[str, Any]:
        tagger = tagger_of(task.trees, seed, given.scratch)
        tagged = tagger.tag(task.text)
        learner = LEARNERS[given.algorithm](task.trees, text=tagged)
        losses = [] if ratio is None else [(tagged, task.cost, ratio)]
        trained = augmented_train(learner, losses, seed=seed, epochs=epochs, start=epochs // 3)
        return task.statistics(tagger, trained.model)

    name = "augmented_order" if given.references == "hand" else "augmented_order_automatic"
    runs = Runs(name, given, METRICS, PAPER)
    ratios = (None, *RATIOS) if given.references == "hand" else (None, 1.0)
    # All of the first seed first: a table is there early.
    wanted = [(seed, ratio) for seed in given.seeds[:1] for ratio in ratios]
    wanted += [(seed, ratio) for ratio in ratios for seed in given.seeds[1:]]
    for seed, ratio in wanted:
        row = ALONE if ratio is None else f"ratio {ratio}"
        runs.add(row, seed, partial(run, seed, ratio))
    print(runs.markdown(runs.table()))


if __name__ == "__main__":
    main()
