#!/usr/bin/env python3
"""Lists of 8, 16 and 64 trees in augmented-loss training, as section 4.3 of Hall et al. (2011).

    python -m papers.hall_2011.list_lengths DATA SCRATCH [--seeds 1 2 3]

A parser learns from the first 1,000 trees of UD English EWT, once more by the cost of lists of 1,
8, 16 or 64 trees: labelled arc length on the same trees, or the order of 1,000 lines of
small_parallel_enja (as in `augmented_order.py`). Section 6 of the paper says that longer lists do
not help much, and that the assumption behind them, *if there is a better tree, a list has one*,
breaks down late: for the arc length there is a better tree wherever the first one is not free of
cost, so each epoch says how often the list had one. DATA holds ud-english-ewt and
small_parallel_enja. SCRATCH keeps what each run found. Half an hour on one core.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.hall_2011.augmented_tables import options_of, tagger_of
from papers.keeping import OUTPUT, compared, keep
from papers.own_links import Corpus
from wordorder.arrays import Float64, Int64
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.order.reading import read_orders
from wordorder.parsing import TransitionLearner
from wordorder.training import ArcLengthCost, OrderCost, augmented_train
from wordorder.treebank import KBest, Treebank

TREES, LINES, EPOCHS, START = 1000, 1000, 10, 3
LENGTHS = (8, 16, 64)
METRICS = ("las", "uas", "als-labelled", "frs", "exact")
NONE, ARCS, ORDER = "treebank alone", "arc length", "order"
# Hall et al. (2011), section 4.3: LAS of the transition parser, labelled loss, by list length.
PAPER = {NONE: 88.64, 8: 88.84, 16: 88.68, 64: 88.84}


class Watched:
    """A cost that counts, epoch by epoch, whether lists have a better tree than their first.

    Attributes
    ----------
    counts : int64[E, 3]
        Lists; those whose first tree costs something; those of them that have a cheaper tree.
    """

    def __init__(self, cost: Any, instances: int) -> None:
        self.cost, self.name, self.instances = cost, cost.name, instances
        self.seen = 0
        self.counts = np.zeros((EPOCHS, 3), np.int64)

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the costs as they are, and count."""
        costs: Float64 = self.cost(candidates, rows)
        for start, stop in zip(candidates.offsets[:-1], candidates.offsets[1:], strict=True):
            first, least = costs[start], costs[start:stop].min()
            row = min(self.seen // self.instances, EPOCHS - 1)
            self.counts[row] += [1, first > 0, least < first]
            self.seen += 1
        return costs


class Task:
    """The data, and one run."""

    def __init__(self, data: Path, scratch: Path) -> None:
        self.corpus = Corpus(data, scratch)
        self.scratch = scratch
        self.trees = self.corpus.train[:TREES]
        lines = self.corpus.text.read_text("utf-8").splitlines()[:LINES]
        self.text = Treebank.from_words([line.split(" ") for line in lines])
        self.orders = read_orders(self.corpus.orders)[:LINES]

    def run(self, kind: str, k: int, seed: int) -> dict[str, Any]:
        """Train, and return the statistics, and what `Watched` counted."""
        tagger = tagger_of(self.trees, seed, self.scratch)
        tagged = tagger.tag(self.text)
        if kind == ORDER:
            learner = TransitionLearner(self.trees, text=tagged)
            watched = Watched(OrderCost(self.corpus.rules, self.orders), LINES)
            losses: list[Any] = [(tagged, watched, 1.0)]
        else:
            learner = TransitionLearner(self.trees)
            watched = Watched(ArcLengthCost(self.trees, labelled=True), TREES)
            losses = [(self.trees, watched, 1.0)] if kind == ARCS else []
        # The treebank alone for some epochs; then one list for each of its sentences.
        how = {"epochs": EPOCHS, "start": START, "seed": seed}
        parser: Any = augmented_train(learner, losses, max(k, 1), **how).model
        dev, tested = tagger.tag(self.corpus.dev), tagger.tag(self.corpus.tested)
        orders = self.corpus.rules.orders(parser.parse(tested))
        segments = {
            True: wo.Segments.from_treebanks(parser.parse(dev), self.corpus.dev),
            False: wo.Segments.from_orders(orders, self.corpus.reference),
        }
        found: dict[str, Any] = {
            name: statistics_in_pieces(wo.metric(name), segments[name in METRICS[:3]])
            for name in METRICS
        }
        found["counts"] = watched.counts
        if kind == NONE:
            found["oracle las"] = self.best_of_lists(parser, dev)
            found["oracle frs"] = self.best_orders(parser, tested)
        return found

    def best_of_lists(self, parser: Any, dev: Treebank) -> Float64:
        """Return LAS of the best tree of each list of 1, 8, 16 and 64."""
        lists = parser.kbest(dev, max(LENGTHS))
        rows = np.repeat(np.arange(len(dev)), np.diff(lists.offsets))
        segments = wo.Segments.from_treebanks(lists.trees, self.corpus.dev.take(rows))
        statistics = statistics_in_pieces(wo.metric("las"), segments)
        return self._best("las", statistics, lists)

    def best_orders(self, parser: Any, tested: Treebank) -> Float64:
        """Return FRS of the best order of each list."""
        lists = parser.kbest(tested, max(LENGTHS))
        rows = np.repeat(np.arange(len(tested)), np.diff(lists.offsets))
        orders = self.corpus.rules.orders(lists.trees)
        segments = wo.Segments.from_orders(orders, self.corpus.reference.take(rows))
        return self._best("frs", statistics_in_pieces(wo.metric("frs"), segments), lists)

    def _best(self, name: str, statistics: Float64, lists: KBest) -> Float64:
        metric = wo.metric(name)
        values = metric.score_segments(statistics)
        found = []
        for k in (1, *LENGTHS):
            best = [
                start + int(np.argmax(values[start : min(stop, start + k)]))
                for start, stop in zip(lists.offsets[:-1], lists.offsets[1:], strict=True)
                if stop > start
            ]
            found.append(float(metric.score(statistics[best].sum(axis=0))))
        return np.array(found)


def markdown(results: dict[str, Any]) -> str:
    """Write the tables."""
    lines = [
        "# Lists of 8, 16 and 64 trees in augmented-loss training (Hall et al. 2011, 4.3 and 6)",
        "",
        f"Transition parser, {TREES:,} trees of UD English EWT, {EPOCHS} epochs, the further loss",
        f"after {START}; {len(results['seeds'])} seeds. LAS, UAS and labelled ALS on EWT dev; FRS",
        "and the share of exact orders on 3,000 lines of small_parallel_enja. Differences from",
        "the treebank alone [95 %, paired bootstrap over sentences].",
        "",
        "| loss | k | " + " | ".join(METRICS) + " |",
        "|---" * (len(METRICS) + 2) + "|",
    ]
    for name, row in results["rows"].items():
        kind, _, k = name.partition(", ")
        cells = []
        for metric in METRICS:
            each = row[metric]
            low, high = each["interval"]
            gain = f" ({each['difference']:+.4f} [{low:.4f}, {high:.4f}])" if k else ""
            cells.append(f"{each['value']:.4f}{gain}")
        lines.append(f"| {kind} | {k or '–'} | " + " | ".join(cells) + " |")
    lines += ["", "k = 64 against k = 8:", ""]
    for kind, of in results["longer"].items():
        said = [
            f"{metric} {each['difference']:+.4f} [{each['interval'][0]:.4f}, "
            f"{each['interval'][1]:.4f}]"
            for metric, each in of.items()
        ]
        lines.append(f"- {kind}: {', '.join(said)}")
    printed = ", ".join(f"k = {k} {PAPER[k]:.2f}" for k in LENGTHS)
    lines += [
        "",
        f"Paper (LAS, labelled arc length, Penn Treebank): alone {PAPER[NONE]:.2f}, {printed}.",
        "As there, longer lists do not help the labelled loss. They do help the order, which the",
        "paper says of no outside metric, and cost LAS: order and LAS move against each other, as",
        "Katz-Brown et al. (2011, section 5.1) find for their shift-reduce parser.",
        "",
        "## What the lists hold: the best tree of each, parser of the treebank alone",
        "",
        "| k | " + " | ".join(("1", *map(str, LENGTHS))) + " |",
        "|---" * (len(LENGTHS) + 2) + "|",
    ]
    for name, values in results["oracle"].items():
        lines.append(f"| {name} | " + " | ".join(f"{value:.4f}" for value in values) + " |")
    lines += [
        "",
        "## Does a list have a better tree when there is one?",
        "",
        "Arc length: of the lists whose first tree is not free of cost (so that there is a better",
        "tree, the correct one), the share that has a cheaper tree; the number of such lists in",
        "parentheses. Order: the share of all lists that has a tree of a better order. The paper",
        "expects the first to fall as training goes on. Here it stays where it began, and depends",
        "on the length alone: what falls is the number of lists that have something to learn from.",
        "",
        "| epoch | " + " | ".join(results["better"]) + " |",
        "|---" * (len(results["better"]) + 1) + "|",
    ]
    for epoch in range(EPOCHS - START):
        cells = []
        for name, counts in results["better"].items():
            lists, costly, better = counts[epoch]
            of_all = name.startswith(ORDER)
            share = f"{better / (lists if of_all else costly):.3f}"
            cells.append(share if of_all else f"{share} ({costly:,})")
        lines.append(f"| {epoch + START + 1} | " + " | ".join(cells) + " |")
    lines += ["", results["made"], ""]
    return "\n".join(lines)


def summary(kept: dict[tuple[str, int], list[dict[str, Any]]], seeds: list[int]) -> dict[str, Any]:
    """Return the rows of the tables."""

    def row(base: tuple[str, int], own: tuple[str, int]) -> dict[str, Any]:
        return {
            metric: compared(
                [each[metric] for each in kept[base]],
                [each[metric] for each in kept[own]],
                metric,
            )
            for metric in METRICS
        }

    alone = (NONE, 0)
    names = {key: key[0] if key == alone else f"{key[0]}, {key[1]}" for key in kept}
    counts = {
        name: sum(each["counts"] for each in kept[key])[: EPOCHS - START].tolist()
        for key, name in names.items()
        if key != alone
    }
    return {
        "seeds": seeds,
        "rows": {name: row(alone, key) for key, name in names.items()},
        "longer": {kind: row((kind, LENGTHS[0]), (kind, LENGTHS[-1])) for kind in (ARCS, ORDER)},
        "oracle": {
            name: np.mean([each[f"oracle {name.lower()}"] for each in kept[alone]], 0).tolist()
            for name in ("LAS", "FRS")
        },
        "better": counts,
    }


def main() -> None:
    """Run the experiment and keep its result."""
    given = options_of(__doc__).parse_args()
    started = time.process_time()
    task = Task(given.data, given.scratch)
    kept: dict[tuple[str, int], list[dict[str, Any]]] = {}
    runs = [(NONE, 0), *((kind, k) for kind in (ARCS, ORDER) for k in LENGTHS)]
    for seed in given.seeds:
        for kind, k in runs:
            file = given.scratch / f"{kind.replace(', ', '-').replace(' ', '-')}-{k}-{seed}.npz"
            if not file.exists():
                print(f"{kind}, {k}, seed {seed}", flush=True)
                np.savez(file, **task.run(kind, k, seed))
            with np.load(file) as found:
                kept.setdefault((kind, k), []).append(dict(found))
    results = json.loads(json.dumps(summary(kept, given.seeds)))
    keep(OUTPUT, "list_lengths", results, markdown, started)


if __name__ == "__main__":
    main()
