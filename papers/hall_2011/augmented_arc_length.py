#!/usr/bin/env python3
"""Augmented-loss training by the arc-length score, as in section 4.3 of Hall et al. (2011).

The first 1,000 trees of UD English EWT are learnt from twice: as whole trees, and by the cost
1 - ALS, unlabelled or labelled, of lists of 8 trees. All parsers take as many epochs over the
treebank as the one that learns from the treebank alone needs (`augmented_epochs.py`). In the first
rows the further loss is there from the first epoch, as printed; `late` begins with it after a
third. `primary` learns from whole trees for a third of the epochs and then by the cost alone.
`twice the epochs` says what as many more passes give without a further loss. Tested on EWT dev and
on EWT test, with tags of the model's own tagger.

    python -m papers.hall_2011.augmented_arc_length DATA SCRATCH [--seeds 1 2 3]
    python -m papers.hall_2011.augmented_arc_length DATA SCRATCH --algorithm graph

DATA holds ud-english-ewt. SCRATCH keeps what each run found, so that an experiment that
was stopped goes on. Takes some minutes on one core.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import wordorder as wo
from papers.hall_2011.augmented_tables import LEARNERS, Paper, Runs, options_of, sizes_of, tagger_of
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.parsing import train
from wordorder.training import ArcLengthCost, AugmentedLearner, AugmentedLoss
from wordorder.treebank import read_treebank

METRICS = ("als", "als-labelled", "las", "uas", "als/test", "als-labelled/test", "las/test")
PAPER: Paper = (
    "Hall et al. (2011), Table 3, development set of the Penn Treebank",
    ("LAS", "UAS", "ALS"),
    {
        "transition, PTB": (88.64, 91.64, 82.96),
        "transition, unlabelled": (88.74, 91.91, 83.65),
        "transition, labelled": (88.84, 91.91, 83.46),
        "graph, PTB": (85.75, 88.70, 73.88),
        "graph, unlabelled": (85.80, 88.81, 74.26),
        "graph, labelled": (85.85, 88.93, 74.40),
    },
)
RUNS = (
    "treebank alone",
    "unlabelled",
    "labelled",
    "late, unlabelled",
    "late, labelled",
    "primary, labelled",
    "treebank alone, twice the epochs",
)


def main() -> None:
    """Run the experiment and keep its result."""
    given = options_of(__doc__).parse_args()
    folder = given.data / "ud-english-ewt"
    number, once = sizes_of(given)
    trees = read_treebank(folder / "en_ewt-ud-train.conllu.gz")[:number]
    dev, test = (read_treebank(folder / f"en_ewt-ud-{part}.conllu.gz") for part in ("dev", "test"))
    given.scratch = given.scratch / given.algorithm

    def run(name: str, seed: int) -> dict[str, Any]:
        tagger = tagger_of(trees, seed, given.scratch)
        cost = ArcLengthCost(trees, labelled=not name.endswith("unlabelled"))
        loss = AugmentedLoss(trees, cost)
        primary = loss if name.startswith("primary") else None
        further = [loss] if name.endswith("labelled") and primary is None else []
        late = name.startswith(("late", "primary"))
        learner = AugmentedLearner(
            LEARNERS[given.algorithm](trees),
            further,
            primary=primary,
            start=once // 3 if late else 0,
        )
        epochs = 2 * once if name.endswith("twice the epochs") else once
        parser: Any = train(learner, epochs=epochs, seed=seed).model
        segments = {
            where: wo.Segments.from_treebanks(parser.parse(tagger.tag(bank)), bank)
            for where, bank in (("", dev), ("test", test))
        }
        found = {}
        for column in METRICS:
            metric, _, where = column.partition("/")
            found[column] = statistics_in_pieces(wo.metric(metric), segments[where])
        return found

    runs = Runs("augmented_arc_length", given, METRICS, PAPER)
    for seed in given.seeds:
        for name in RUNS:
            runs.add(name, seed, partial(run, name, seed))
    print(runs.markdown(runs.table()))


if __name__ == "__main__":
    main()
