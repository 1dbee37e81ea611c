#!/usr/bin/env python3
"""Augmented-loss training by the reordering cost, as in section 4.1 of Hall et al. (2011).

Base: the first 2,000 trees of UD English EWT. Extrinsic data: lines 1 to 4,000 of
small_parallel_enja, with references from links of our own aligner (words without a link are
dropped) and the rules R5; the cost of a tree is 1 - FRS. Tested on lines 44,001 to 47,000 and on
EWT dev, with tags of the model's own tagger. All parsers learn for 15 epochs; in the augmented
ones the extrinsic data come in after 5. `margin` learns only from trees that cost less by more than
0.1. `plain` is the algorithm as printed, for 10 epochs, against a parser of 10 epochs.

    python experiments/augmented_order.py DATA SCRATCH [--seeds 1 2 3] [--algorithm graph]

DATA holds ud-english-ewt and small_parallel_enja. SCRATCH keeps what each run found, so that an
experiment that was stopped goes on. Takes ten minutes on one core.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from augmented_tables import LEARNERS, Paper, Runs, options_of, tagger_of
from self_training import CHOSEN, SMALL, Corpus

import wordorder as wo
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.order.reading import read_orders
from wordorder.training import OrderCost, augmented_train
from wordorder.treebank import Treebank

EPOCHS, START, MARGIN = 15, 5, 0.1
PLAIN, LATE, CAREFUL = "plain, ", "", "margin, "
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


def statistics(corpus: Corpus, tagger: Any, parser: Any) -> dict[str, Any]:
    """Return the statistics of a model on the test sentences and on EWT dev."""
    orders = corpus.rules.orders(parser.parse(tagger.tag(corpus.tested)))
    tested = wo.Segments.from_orders(orders, corpus.reference)
    gold = wo.Segments.from_treebanks(parser.parse(tagger.tag(corpus.dev)), corpus.dev)
    return {
        name: statistics_in_pieces(wo.metric(name), tested if name in METRICS[:2] else gold)
        for name in METRICS
    }


def main() -> None:
    """Run the experiment and keep its result."""
    given = options_of(__doc__).parse_args()
    given.scratch.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(given.data, given.scratch)
    trees = corpus.train[:SMALL]
    words = [line.split(" ") for line in corpus.text.read_text().splitlines()]
    assert len(words) == CHOSEN.stop
    text = Treebank.from_words(words)
    cost = OrderCost(corpus.rules, read_orders(corpus.orders))

    def run(seed: int, ratio: float | None, kind: str) -> dict[str, Any]:
        tagger = tagger_of(trees, seed, given.scratch)
        tagged = tagger.tag(text)
        learner = LEARNERS[given.algorithm](trees, text=tagged)
        losses = [] if ratio is None else [(tagged, cost, ratio)]
        how: dict[str, Any] = {"epochs": EPOCHS, "start": START}
        if kind == PLAIN:
            how = {"epochs": 10}
        if kind == CAREFUL:
            how["margin"] = MARGIN
        trained = augmented_train(learner, losses, seed=seed, **how)
        return statistics(corpus, tagger, trained.model)

    runs = Runs(
        "augmented_order",
        given,
        METRICS,
        PAPER,
        lambda name: (PLAIN if name.startswith(PLAIN) else LATE) + "treebank alone",
    )
    first = given.seeds[0]
    # The first of each kind first: a table is there early.
    wanted = [(seed, ratio, LATE) for seed in given.seeds[:1] for ratio in (None, *RATIOS)]
    wanted += [(seed, ratio, LATE) for ratio in (None, *RATIOS) for seed in given.seeds[1:]]
    wanted += [(first, ratio, PLAIN) for ratio in (None, 1.0)]
    wanted += [(first, ratio, CAREFUL) for ratio in RATIOS]
    for seed, ratio, kind in wanted:
        name = "treebank alone" if ratio is None else f"ratio {ratio}"
        runs.add(kind + name, seed, partial(run, seed, ratio, kind))
    print(runs.markdown(runs.table()))


if __name__ == "__main__":
    main()
