#!/usr/bin/env python3
"""Counted orientations against a maximum-entropy reordering model (Zens & Ney 2006).

    python -m papers.translation.translation_loop_reordering DATA --cache WORK [--so-far]

Two questions of that paper, on small_parallel_enja: how often does the model tell on held-out,
linked text whether the translation goes on to the right or to the left, and what is each kind of
feature worth for that; and how much BLEU does it gain over the model that counts monotone, swapped
and discontinuous phrases? Weights are tuned for each system as in `translation_loop.py`, whose
systems in WORK are used again. Alone it takes about a quarter of an hour; --so-far makes no system.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import wordorder as wo
from papers.translation.translation_loop import SEEDS, Judged, two_systems
from papers.translation.translation_orders import PARTS, Sources
from papers.translation.translation_systems import Cell, Systems, experiment
from wordorder.arrays import Ragged
from wordorder.text.raw_lines import RawLines
from wordorder.text.vocabulary import number_lines
from wordorder.translation import Decoder, train_translation
from wordorder.translation.jumps import (
    CONTEXT_WORDS,
    JumpFeatures,
    Jumps,
    context_words,
    learn_weights,
)

MODELS = ("msd", "maxent")
ORDERS = ("as it stands", "R5", "bracketing")
WINDOWS = (0, 2, 4, 6)
HELD_OUT = slice(PARTS["dev"].start, PARTS["test"].stop)
AROUND = 2 * CONTEXT_WORDS + 1
# Columns of `JumpFeatures.numbers`: one for all jumps, source words, their classes, the last target
# word, its class, the pair of last words, that of their classes.
WORDS = [*range(1 + AROUND), 1 + 2 * AROUND, 3 + 2 * AROUND]
KINDS = {
    "none (the more frequent side)": [0],
    "words": WORDS,
    "classes": [each for each in range(5 + 2 * AROUND) if each == 0 or each not in WORDS],
    "words and classes": list(range(5 + 2 * AROUND)),
}


def error_rates(sources: Sources, order: str) -> dict[str, Any]:
    """Return how often models with some features tell the side wrong, and what they cost."""
    orders = sources.orders(order).positions
    english = [
        [words[at] for at in row] for words, row in zip(sources.english, orders, strict=True)
    ]
    links = wo.align(english, sources.japanese)
    texts = [
        number_lines(RawLines.from_strings([" ".join(words) for words in side]))[0]
        for side in (english, sources.japanese)
    ]
    # As in a model, 0 is a word that is not known: those of the held-out part are.
    source, target = (Ragged(side.values + np.int32(1), side.offsets) for side in texts)
    learned, held = PARTS["train"], HELD_OUT
    seen = Jumps.of(source[learned], target[learned], links[learned], 7)
    new = Jumps.of(source[held], target[held], links[held], 7)
    words = int(source.values.max()) + 1
    begin = time.process_time()
    features = JumpFeatures.of(source[learned], target, seen, words)
    cost = time.process_time() - begin
    numbers = [
        features.feature_ids(context_words(part, words)[jumps.ends], side.values[jumps.last_words])
        for part, side, jumps in (
            (source[learned], target[learned], seen),
            (source[held], target[held], new),
        )
    ]
    # A pair that was not seen has the number of another one.
    last = [side[held].values[at] for side, at in ((source, new.ends), (target, new.last_words))]
    pair = np.searchsorted(features.pairs, last[0].astype(np.int64) << 32 | last[1])
    keys = features.pairs[np.minimum(pair, len(features.pairs) - 1)]
    unseen = keys != (last[0].astype(np.int64) << 32 | last[1])
    found: dict[str, Any] = {"jumps": len(seen.ends), "held out": len(new.ends)}
    found["classes, CPU s"] = round(cost, 1)
    size = int(features.feature_offsets[-1])
    for name, columns in KINDS.items():
        weights = learn_weights(np.ascontiguousarray(numbers[0][:, columns]), seen.right, size)
        each = weights[numbers[1][:, columns]]
        if WORDS[-1] in columns:
            each[unseen, columns.index(WORDS[-1])] = 0.0
        odds = each.sum(axis=1)
        loss = np.logaddexp(0, np.where(new.right, -odds, odds)).mean()
        found[name] = [float(((odds > 0) != new.right).mean()), float(loss)]
    return found


def costs(systems: Systems, order: str) -> dict[str, Any]:
    """Return what training and decoding cost under each model, on one processor."""
    text, target = (
        path.read_text("utf-8").splitlines()
        for path in (systems.sources.text(order, "train"), systems.sources.target("train"))
    )
    test = systems.sources.text(order, "test").read_text("utf-8").splitlines()
    found: dict[str, Any] = {}
    wo.set_threads(1)
    for name in MODELS:
        begin = time.process_time()
        train_translation(text, target, reordering=name)
        trained = time.process_time() - begin
        decoder = Decoder(systems.model(order, name), window=4)
        decoder.translate(test)
        seconds = []
        for _ in range(5):
            begin = time.process_time()
            decoder.translate(test)
            seconds.append(time.process_time() - begin)
        path = systems.work / f"{order.replace(' ', '_')}{'-maxent' * (name == 'maxent')}.model"
        size = path.stat().st_size / 1e6
        found[name] = [round(trained, 1), round(min(seconds), 3), round(size, 1)]
    wo.set_threads(None)
    return found


def measured(systems: Systems) -> dict[str, Any]:
    """Return all results."""
    judged = Judged(systems)
    rows = []
    for order in ORDERS:
        for window in WINDOWS:
            made = [judged.seeds(order, window, reordering=name) for name in MODELS]
            # Seeds that both have.
            seeds = {cell.seed for cell in made[0]} & {cell.seed for cell in made[1]}
            cells = [[cell for cell in each if cell.seed in seeds] for each in made]
            if not seeds:
                continue
            values = [judged.values(each) for each in cells]
            rows.append(
                {
                    "order": order,
                    "window": window,
                    "seeds": len(seeds),
                    **dict(zip(MODELS, values, strict=True)),
                    "difference": two_systems(judged, *cells),
                }
            )
    return {
        "error rates": {order: error_rates(systems.sources, order) for order in ORDERS},
        "systems": rows,
        "costs": costs(systems, ORDERS[0]),
    }


def markdown(results: dict[str, Any]) -> str:
    """Return the results as a page."""
    lines = [
        "# Counted orientations and a maximum-entropy reordering model",
        "",
        f"{results['made']} `translation_loop_reordering.py`: English to Japanese,",
        "small_parallel_enja, 50,000 sentence pairs. `msd` counts monotone, swapped and",
        "discontinuous phrases (Koehn et al. 2005), `maxent` is after Zens & Ney (2006).",
        "",
        "## To the right or to the left? Error rates on held-out links",
        "",
        "1,000 sentence pairs of dev and test, links of our aligner; in brackets the mean of",
        "−log p. A class is one of 50 that are found in the training text.",
        "",
        "| source order | jumps learned from | held out | " + " | ".join(KINDS) + " |",
        "|---" * (3 + len(KINDS)) + "|",
    ]
    for order, row in results["error rates"].items():
        rates = " | ".join(f"{row[kind][0]:.3f} ({row[kind][1]:.3f})" for kind in KINDS)
        lines.append(f"| {order} | {row['jumps']:,} | {row['held out']:,} | {rates} |")
    lines += [
        "",
        "## BLEU",
        "",
        "Weights tuned by MIRA for each system; means of the seeds, as many as are given;",
        "differences by paired bootstrap over the 500 test sentences, 95 %.",
        "",
        "| source order | window | seeds | msd | maxent | difference | of RIBES | of LR-KB4 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in results["systems"]:
        each = [
            "{:+.3f} [{:+.3f}, {:+.3f}]".format(*row["difference"][name])
            for name in ("bleu", "ribes", "lr-kb4")
        ]
        scores = f"{row['msd']['bleu']:.3f} | {row['maxent']['bleu']:.3f}"
        lines.append(
            f"| {row['order']} | {row['window']} | {row['seeds']} | {scores} | {' | '.join(each)} |"
        )
    lines += [
        "",
        "## Cost",
        "",
        f"The source {ORDERS[0]}, one thread; decoding: the 500 test sentences, window 4, the best",
        "of five runs.",
        "",
        "| | training, CPU s | decoding, CPU s | file, MB |",
        "|---|---|---|---|",
    ]
    for name, row in results["costs"].items():
        lines.append(f"| {name} | {row[0]} | {row[1]} | {row[2]} |")
    return "\n".join(lines) + "\n"


def cells() -> list[Cell]:
    """Return all systems, those that matter most first."""
    return [
        Cell(order, window, seed, reordering=name)
        for seed in SEEDS
        for window in (4, 6, 2, 0)
        for order in ORDERS
        for name in MODELS
    ]


if __name__ == "__main__":
    experiment("translation_loop_reordering", __doc__, cells(), measured, markdown)
