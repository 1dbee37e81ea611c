#!/usr/bin/env python3
"""After how many epochs do the parsers of the augmented-loss experiments stop to gain?

A further loss is a further pass over sentences. Against a parser that is not yet done learning,
any further pass gains. So the baselines of `augmented_order.py`, `augmented_root.py` and
`augmented_arc_length.py` learn until LAS on EWT dev stops gaining: this script says when that is.

    python -m papers.hall_2011.augmented_epochs DATA SCRATCH [--seeds 1 2 3]

DATA holds ud-english-ewt. SCRATCH keeps each curve. Takes three minutes on one core.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.hall_2011.augmented_tables import LEARNERS, options_of, tagger_of
from papers.keeping import OUTPUT, keep
from wordorder.parsing import train
from wordorder.treebank import Treebank, read_treebank

# The parsers: trees that they learn from, and epochs that are looked at.
PARSERS = {"transition": (1000, 30), "graph": (300, 16)}
# Dev sentences that the curve is measured on, and what counts as a gain.
SENTENCES, GAIN = 1000, 0.001


def curve(algorithm: str, trees: Treebank, dev: Treebank, tagger: Any, seed: int) -> list[float]:
    """Return LAS on dev sentences after each epoch, of the averaged weights."""
    tagged = tagger.tag(dev)
    metric = wo.metric("las")

    def score(parser: Any) -> float:
        segments = wo.Segments.from_treebanks(parser.parse(tagged), dev)
        return float(metric.corpus_score(segments).value)

    learner = LEARNERS[algorithm](trees)
    trained = train(learner, epochs=PARSERS[algorithm][1], seed=seed, dev=score)
    return [round(epoch.score or 0.0, 4) for epoch in trained.history]


def stopped(values: list[float]) -> int:
    """Return the first epoch that no later one beats by more than `GAIN`."""
    best = np.maximum.accumulate(np.array(values)[::-1])[::-1]
    return int(np.flatnonzero(best - np.array(values) <= GAIN)[0]) + 1


def markdown(results: dict[str, Any]) -> str:
    """Write the curves."""
    lines = [
        "# When the parsers stop to gain",
        "",
        f"LAS on the first {SENTENCES:,} sentences of EWT dev after each epoch, mean of the seeds;",
        f"*stops*: the first epoch that no later one beats by more than {GAIN}.",
        "",
        "| parser | trees | seeds | stops | epochs 1, 2, ... |",
        "|---|---|---|---|---|",
    ]
    for found in results["curves"].values():
        values = ", ".join(f"{value:.4f}" for value in found["mean"])
        lines.append(
            f"| {found['algorithm']} | {found['trees']:,} | {len(found['seeds'])} "
            f"| {found['stops']} | {values} |"
        )
    return "\n".join([*lines, "", results["made"], ""])


def main() -> None:
    """Measure the curves of both parsers."""
    given = options_of(__doc__).parse_args()
    started = time.process_time()
    folder = given.data / "ud-english-ewt"
    all_trees = read_treebank(folder / "en_ewt-ud-train.conllu.gz")
    dev = read_treebank(folder / "en_ewt-ud-dev.conllu.gz")[:SENTENCES]
    curves = {}
    for algorithm, (number, _) in PARSERS.items():
        trees = all_trees[:number]
        scratch: Path = given.scratch / f"{algorithm}-{number}"
        scratch.mkdir(parents=True, exist_ok=True)
        found = []
        for seed in given.seeds:
            kept = scratch / f"epochs-{seed}.json"
            if not kept.exists():
                tagger = tagger_of(trees, seed, scratch)
                kept.write_text(json.dumps(curve(algorithm, trees, dev, tagger, seed)))
            found.append(json.loads(kept.read_text()))
        values = np.mean(found, axis=0).tolist()
        curves[scratch.name] = {
            "algorithm": algorithm,
            "trees": number,
            "seeds": given.seeds,
            "mean": [round(value, 4) for value in values],
            "stops": stopped(values),
        }
    keep(OUTPUT, "augmented_epochs", {"curves": curves}, markdown, started)


if __name__ == "__main__":
    main()
