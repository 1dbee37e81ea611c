#!/usr/bin/env python3
"""What the updates of augmented-loss training teach a parser: better trees, or trees that fit?

A parser is trained on the first 2,000 trees of UD English EWT. After some epochs it lists 8 trees
of each of lines 1 to 1,500 of small_parallel_enja. Where a tree costs less than the first one, an
update would favour it. Is it the better tree? The trees of the model `en`, which is trained on six
times as many trees, stand for the right ones. The references are either those of our own aligner's
links, as in `augmented_order.py`, or the orders that the rules R5 make of the right trees.

    python -m papers.hall_2011.augmented_updates DATA SCRATCH

DATA holds ud-english-ewt and small_parallel_enja. Takes half a minute on one core.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from papers.hall_2011.augmented_tables import options_of, tagger_of
from papers.keeping import OUTPUT, write
from papers.own_links import SMALL, Corpus
from wordorder.order.reading import read_orders
from wordorder.parsing import TransitionLearner, open_parser, train
from wordorder.training import OrderCost, TreeMetricCost
from wordorder.treebank import Treebank
from wordorder.treebank.kbest import KBest

SENTENCES, K, EPOCHS = 1500, 8, (1, 3, 6, 10)


def main() -> None:
    """Run the experiment and keep its result."""
    given = options_of(__doc__).parse_args()
    given.scratch.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(given.data, given.scratch)
    trees = corpus.train[:SMALL]
    lines = corpus.text.read_text().splitlines()[:SENTENCES]
    text = tagger_of(trees, 1, given.scratch).tag(
        Treebank.from_words([line.split(" ") for line in lines])
    )
    right = open_parser("en", tags="predict").parse(text)
    rows = np.arange(SENTENCES)
    costs = {
        "links": OrderCost(corpus.rules, read_orders(corpus.orders)[:SENTENCES]),
        "right trees": OrderCost(corpus.rules, corpus.rules.orders(right)),
    }
    distance = TreeMetricCost("las", right)
    alone = KBest(right, np.arange(SENTENCES + 1), np.zeros(SENTENCES))
    reached = 1 - float(costs["links"](alone, rows).mean())
    found: dict[str, Any] = {"FRS of the right trees": round(reached, 4), "updates": []}
    epochs = iter(range(1, EPOCHS[-1] + 1))

    def look(parser: Any) -> float:
        epoch = next(epochs)
        if epoch not in EPOCHS:
            return 0.0
        lists = parser.kbest(text, K)
        wrong = distance(lists, rows)
        for name, cost in costs.items():
            values = cost(lists, rows)
            spans = list(pairwise(lists.offsets.tolist()))
            chosen = [first + int(np.argmin(values[first:last])) for first, last in spans]
            pairs = np.array(
                [(first, best) for (first, _), best in zip(spans, chosen, strict=True)]
            )
            first, best = pairs[values[pairs[:, 1]] < values[pairs[:, 0]]].T
            found["updates"].append(
                {
                    "epoch": epoch,
                    "reference": name,
                    "first": round(1 - float(values[lists.offsets[:-1]].mean()), 4),
                    "updates": len(first),
                    "better": round(float(np.mean(wrong[best] < wrong[first])), 3),
                    "worse": round(float(np.mean(wrong[best] > wrong[first])), 3),
                    "las": round(float(np.mean(wrong[first] - wrong[best])), 4),
                }
            )
        return 0.0

    train(TransitionLearner(trees, text=text), epochs=EPOCHS[-1], seed=1, dev=look)
    lines = [
        f"FRS of the trees of `en` against the references of the links: {reached:.4f}",
        "",
        "| reference of | epoch | FRS of the parser | updates | better tree | worse | LAS |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['reference']} | {row['epoch']} | {row['first']:.4f} | {row['updates']} | "
        f"{100 * row['better']:.0f} % | {100 * row['worse']:.0f} % | {row['las']:+.4f} |"
        for row in sorted(found["updates"], key=lambda row: row["reference"])
    ]
    write(OUTPUT, "augmented_updates", found, "\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
