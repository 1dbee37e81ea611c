"""Learned orders of English for Japanese, beside topdown-btg-preordering, R5 and the source order.

Three parts of ``preordering-baselines``, each with its own training data and no other:
**kftt-dev**, 636 sentences with links made by hand, in the five folds of the data, each sentence
ordered by a model of the other four; **small-parallel**, 5,000 sentences with the links of
`wordorder align`, tested on 1,000 others; **pud**, 500 sentences with links made by hand, tested on
250 others. English is parsed by the model `en`. All is trained and scored under the rule of
topdown-btg's evaluator, which drops unaligned words (`wordorder score --compat topdown-btg`), three
seeds; each difference from topdown-btg has a paired bootstrap over the same sentences.

    python -m papers.learned_orders.learned_order DATA --cache FOLDER

FOLDER keeps the orders of each member, so that an interrupted run goes on. R5 was tuned on kftt-dev
and pud: what it scores there is no test. A second part of the table scores the same orders with
unaligned words placed before the next word (rule talbot), and models that were trained so.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.keeping import OUTPUT, write
from wordorder.arrays import Float64, Int64, Ragged
from wordorder.metrics.compat import evaluate_compat
from wordorder.metrics.registry import metric
from wordorder.order.reading import read_orders, write_orders
from wordorder.reordering import open_rules
from wordorder.reordering.consensus import (
    MEMBERS,
    WEIGHTS,
    Consensus,
    ConsensusLearner,
)
from wordorder.reordering.learned import OrderExamples, order_examples
from wordorder.reordering.learned.agreement import agreed_orders
from wordorder.reordering.learned.learned_order import ORDER_KINDS, learn_order
from wordorder.segments import Segments
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.training.order_data import AnnotationSources

PARTS = ("kftt-dev", "small-parallel", "pud")
SEEDS = (1, 2, 3)
ASKED = {"kftt-dev": (0.775, 0.885), "small-parallel": (0.725, 0.905), "pud": (0.72, 0.88)}
METRIC = "frs-boundary"
SYSTEMS = ("linear", "bracketing", "consensus", "consensus + R5")
R5_WEIGHT = 1.0


@dataclass(frozen=True)
class Part:
    """A part of the data: its splits, and the test sentences as one text."""

    name: str
    # Numbers of the sentences to train on and to test on, one pair a fold.
    splits: list[tuple[Int64, Int64]]
    examples: OrderExamples
    placed: OrderExamples
    links: wo.Alignments
    tested: Int64
    # Of the test sentences, in their order.
    topdown: wo.Orders


def read_part(folder: Path, name: str) -> Part:
    """Read a part with its trees."""
    folder = folder / "preordering-baselines" / name
    sources = AnnotationSources("trees", parser="en")
    if name == "kftt-dev":
        bank, links = sources.read(folder / "en.gz", folder / "align.gz")
        with gzip.open(folder / "folds.gz", "rt") as stream:
            folds = np.array([int(line) for line in stream])
        splits = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(5)]
        orders = "topdown-btg.orders.gz"
    else:
        (train, train_links), (test, test_links) = (
            sources.read(folder / f"{half}.en.gz", folder / f"{half}.align.gz")
            for half in ("train", "test")
        )
        bank = type(train).concatenate([train, test])
        links = wo.Alignments.concatenate([train_links, test_links])
        splits = [(np.arange(len(train)), np.arange(len(train), len(bank)))]
        orders = "test.topdown-btg.orders.gz"
    tested = np.sort(np.concatenate([test for _, test in splits]))
    return Part(
        name,
        splits,
        order_examples(bank, links),
        order_examples(bank, links, unaligned="next"),
        links,
        tested,
        read_orders(folder / orders),
    )


def learned(part: Part, kind: str, placed: bool, **options: Any) -> wo.Orders:
    """Return the orders of the test sentences by models of their training sentences."""
    examples = part.placed if placed else part.examples
    parts, places = [], []
    for train, test in part.splits:
        learner = ORDER_KINDS.load(kind).learner(examples.take(train), **options)
        parts.append(learn_order(learner).orders(examples.treebank.take(test)))
        places.append(test)
    back = np.argsort(np.concatenate(places), kind="stable")
    return wo.Orders.concatenate(parts).take(back)


class Cache:
    """Keeps orders that took long to make."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, name: str, make: Callable[[], wo.Orders]) -> wo.Orders:
        """Return the orders of a name, made now if they are not there."""
        path = self.folder / f"{name}.orders"
        if not path.exists():
            begin = time.process_time()
            write_orders(make(), path)
            print(f"{name}: {time.process_time() - begin:.0f} CPU-s", flush=True)
        return read_orders(path)


def orders_of_members(part: Part, seed: int, cache: Cache) -> list[wo.Orders]:
    """Return what each member of a consensus makes of the test sentences."""
    models: list[Consensus] = []

    def of(number: int) -> wo.Orders:
        for train, _ in part.splits if not models else ():
            found = learn_order(ConsensusLearner(part.examples.take(train), seed=seed))
            assert isinstance(found, Consensus)
            models.append(found)
        parts = [
            bare(model.members[number].model.orders(part.examples.treebank.take(test)))
            for model, (_, test) in zip(models, part.splits, strict=True)
        ]
        back = np.argsort(np.concatenate([test for _, test in part.splits]), kind="stable")
        return wo.Orders.concatenate(parts).take(back)

    return [
        cache.get(f"{part.name}.member.{seed}.{number}", partial(of, number))
        for number in range(sum(MEMBERS.values()))
    ]


def systems(
    part: Part, seed: int, cache: Cache, placed: bool = False
) -> Iterator[tuple[str, wo.Orders]]:
    """Yield the learned orders of one seed; a consensus is made of the orders of its members."""
    how = "next" if placed else "drop"
    for kind in ("linear",) if placed else ("linear", "bracketing"):
        name = f"{part.name}.{how}.{kind}.{seed}"
        yield kind, cache.get(name, partial(learned, part, kind, placed, seed=seed))
    if placed:
        return
    own = orders_of_members(part, seed, cache)
    weights = [WEIGHTS.get(name, 1.0) for name, count in MEMBERS.items() for _ in range(count)]
    yield "consensus", agreed_orders(own, weights=weights, metric=METRIC)
    rules = bare(open_rules("R5").orders(part.examples.treebank.take(part.tested)))
    both = agreed_orders([*own, rules], weights=[*weights, R5_WEIGHT], metric=METRIC)
    yield "consensus + R5", both


def bare(orders: wo.Orders) -> wo.Orders:
    return wo.Orders(orders.positions)


def source(lengths: Int64) -> wo.Orders:
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    places = (np.arange(int(lengths.sum())) - starts).astype(np.int32)
    return wo.Orders(Ragged(places, np.concatenate([[0], np.cumsum(lengths)])))


def segment_scores(orders: wo.Orders, examples: OrderExamples) -> dict[str, Float64]:
    """Return fuzzy reordering scores and tau of the sentences that have a reference order."""
    rows = np.flatnonzero(examples.ranked)
    segments = Segments.from_orders(bare(orders).take(rows), examples.references.take(rows))
    found = {"frs": metric("frs-boundary", ties="rank"), "tau": metric("kendall")}
    return {name: each.segment_scores(segments) for name, each in found.items()}


def tested(own: Float64, other: Float64) -> dict[str, Any]:
    """Compare the means of two systems by a paired bootstrap over sentences."""
    measured = Measurement([other[:, None], own[:, None]], lambda totals: totals[..., 0] / len(own))
    (found,) = paired_bootstrap([measured], resamples=10_000)
    pair = found.pair(0, 1)
    return {
        "difference": round(pair.difference, 4),
        "interval_95": [round(end, 4) for end in pair.interval_95 or ()],
        "p": pair.p_value,
        "mark": pair.mark,
    }


def checked(part: Part, orders: wo.Orders, scores: dict[str, Float64]) -> None:
    """Insist that the scores are those of the other evaluator."""
    links = part.links.take(part.tested)
    lengths = part.examples.treebank.lengths[part.tested]
    theirs = evaluate_compat("topdown-btg", bare(orders), links, lengths)
    figures = [theirs[label].value for label in ("Fuzzy Reordering Score", "Kendall's Tau")]
    assert np.allclose(figures, [scores["frs"].mean(), scores["tau"].mean()]), figures


def results_of(part: Part, cache: Cache, seeds: tuple[int, ...]) -> dict[str, Any]:
    """Return the rows of the table of one part."""
    examples, placed = part.examples.take(part.tested), part.placed.take(part.tested)
    bank = examples.treebank
    fixed = {
        "none": source(bank.lengths),
        "R5": bare(open_rules("R5").orders(bank)),
        "topdown-btg": part.topdown,
    }
    rows: dict[str, list[dict[str, Float64]]] = {}
    next_rows: dict[str, list[dict[str, Float64]]] = {}
    for name, orders in fixed.items():
        rows[name] = [segment_scores(orders, examples)]
        next_rows[name] = [segment_scores(orders, placed)]
        checked(part, orders, rows[name][0])
    for seed in seeds:
        for name, orders in systems(part, seed, cache):
            rows.setdefault(name, []).append(segment_scores(orders, examples))
            next_rows.setdefault(name, []).append(segment_scores(orders, placed))
            checked(part, orders, rows[name][-1])
        for name, orders in systems(part, seed, cache, placed=True):
            next_rows.setdefault(f"{name}, trained so", []).append(segment_scores(orders, placed))
    baseline = rows["topdown-btg"][0]
    return {
        "sentences": len(baseline["frs"]),
        "rows": [described(name, found, baseline) for name, found in rows.items()],
        "with unaligned words": [
            described(name, found, next_rows["none"][0]) for name, found in next_rows.items()
        ],
    }


def described(
    name: str, found: list[dict[str, Float64]], baseline: dict[str, Float64]
) -> dict[str, Any]:
    """Return a row: the mean over seeds and the scores of each, and the test of the mean."""
    row: dict[str, Any] = {"system": name, "seeds": len(found)}
    for figure in ("frs", "tau"):
        means = [float(scores[figure].mean()) for scores in found]
        row[figure] = round(float(np.mean(means)), 4)
        if len(found) > 1:
            row[f"{figure} of seeds"] = [round(value, 4) for value in means]
        own = np.mean([scores[figure] for scores in found], axis=0)
        if found[0] is not baseline:
            row[f"{figure} against"] = tested(own, baseline[figure])
    return row


def table(results: dict[str, Any]) -> str:
    """Write all parts as Markdown."""
    lines = ["# Learned orders, English to Japanese", ""]
    for name, found in results.items():
        asked = ASKED[name]
        lines += [
            f"## {name}, {found['sentences']} sentences",
            "",
            f"Asked: FRS {asked[0]:.3f}, tau {asked[1]:.3f}. Differences from topdown-btg.",
            "",
            "| | FRS | tau | FRS difference, 95 % | tau difference, 95 % |",
            "|---|---:|---:|---:|---:|",
        ]
        lines += [_line(row) for row in found["rows"]]
        lines += [
            "",
            "Unaligned words before the next word (rule talbot). Differences from none.",
            "",
            "| | FRS | tau | FRS difference, 95 % | tau difference, 95 % |",
            "|---|---:|---:|---:|---:|",
        ]
        lines += [*(_line(row) for row in found["with unaligned words"]), ""]
    return "\n".join(lines)


def _line(row: dict[str, Any]) -> str:
    cells = [row["system"], f"{row['frs']:.4f}", f"{row['tau']:.4f}"]
    for figure in ("frs", "tau"):
        test = row.get(f"{figure} against")
        if test is None:
            cells.append("")
        else:
            low, high = test["interval_95"]
            cells.append(f"{test['difference']:+.4f} [{low:+.4f}, {high:+.4f}] {test['mark']}")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--only-train", action="store_true", help="fill the cache, write nothing")
    chosen = parser.parse_args()
    cache = Cache(chosen.cache)
    results = {}
    for name in chosen.parts:
        part = read_part(chosen.data, name)
        found = results_of(part, cache, tuple(chosen.seeds))
        results[name] = found
        print(table({name: found}), flush=True)
    if not chosen.only_train:
        write(OUTPUT, "learned_order", {"parts": results}, table(results))


if __name__ == "__main__":
    main()
