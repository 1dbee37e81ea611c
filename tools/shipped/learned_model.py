#!/usr/bin/env python3
"""Make the learned order that ships with the package: the rule set ``en-ja``, English to Japanese.

A consensus as `train order` makes it, of somewhat fewer models, and with the rules R5 as a member.
The models learn from the dev set of KFTT (CC BY-SA 3.0, 636 sentences), whose links people made,
parsed by the model ``en``. The weights nearest to zero are left out, so that the file stays small.
The same data give the same bytes; their SHA-256 is kept with the results.

    python -m tools.shipped.learned_model DATA

Tried on the test sentences of small-parallel, on PUD (R5, one of its members, was tuned there) and
on the sample of the package, of which it has seen none; and on KFTT dev itself in five folds, each
put in order by what learned from the four others, beside the consensus of the usual members with
all their weights. Members and weights were chosen on these folds, PUD and small-parallel. The test
set of KFTT is not among the corpora.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.keeping import write
from wordorder.arrays import Float32, Int64
from wordorder.order.orders import Orders
from wordorder.parsing.training.training_text import data_signature
from wordorder.reordering import RuleSet, open_rules
from wordorder.reordering.consensus import Consensus, ConsensusMember
from wordorder.reordering.learned import OrderExamples, load_learned, save_learned
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.learned.learned_order import OrderModel, learn_order
from wordorder.reordering.learned.linear_model import Linear
from wordorder.samples import sample_path
from wordorder.training.order_data import AnnotationSources
from wordorder.training.order_scores import order_score

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUTPUT = ROOT / "src" / "wordorder" / "reordering" / "sets" / "en-ja.safetensors"
RESULTS = HERE / "learned_model.json"
TITLE = "English to Japanese: learned from hand-made alignments of KFTT, in agreement with R5"
LICENCE = (
    "CC BY-SA 3.0. Trained on hand-made alignments of the Kyoto Free Translation Task (KFTT), "
    "http://www.phontron.com/kftt/"
)
SEED = 1
# Weights that each model keeps.
KEPT = 50_000
MEMBERS = {"bracketing": 6, "words": 4, "linear": 4, "unchanged": 1, "R5": 1}
WEIGHTS = {"R5": 2.0}
METRIC = "frs"
Model = Callable[[OrderExamples], Consensus]


def pruned(weights: Float32, kept: int) -> Float32:
    """Return weights of which all but the largest are 0."""
    size = np.abs(weights)
    if np.count_nonzero(size) <= kept:
        return weights
    least = np.partition(size, -kept)[-kept]
    return np.where(size >= least, weights, 0).astype(np.float32)


def trained(examples: OrderExamples, **options: Any) -> Consensus:
    """Train a consensus."""
    found = learn_order(Consensus.learner(examples, seed=SEED, **options))
    assert isinstance(found, Consensus)
    return found


def small(examples: OrderExamples) -> Consensus:
    """Train the consensus of `MEMBERS`, and leave out most of its weights."""
    whole = trained(examples, members=MEMBERS, weights=WEIGHTS)
    return Consensus(
        [ConsensusMember(_kept(one.model), one.weight) for one in whole.members], whole.metric
    )


def _kept(model: OrderModel | RuleSet) -> OrderModel | RuleSet:
    """Return a member with `KEPT` weights, or itself if it has none."""
    if isinstance(model, Bracketing):
        return Bracketing(model.settings, pruned(model.weights, KEPT), model.straight)
    if isinstance(model, Linear):
        return Linear(pruned(model.weights, KEPT), model.templates)
    return model


def in_folds(examples: OrderExamples, folds: Int64, model: Model) -> dict[str, float]:
    """Return what a model scores on each fold's sentences if it learns from the other folds."""
    parts = [
        model(replace(examples, weights=examples.weights * (folds != fold)))
        .orders(examples.treebank.take(np.flatnonzero(folds == fold)))
        .positions
        for fold in range(int(folds.max()) + 1)
    ]
    back = np.argsort(np.argsort(folds, kind="stable"), kind="stable")
    orders = Orders.concatenate([Orders(each) for each in parts]).take(back)
    return {m: round(order_score(orders, examples, m).value, 4) for m in ("frs", "kendall")}


def scores(rules: RuleSet, tests: dict[str, OrderExamples]) -> dict[str, float]:
    """Return what a rule set scores on each test, FRS under topdown-btg/drop."""
    found = {}
    for name, examples in tests.items():
        orders = Orders(rules.orders(examples.treebank).positions)
        found[name] = round(order_score(orders, examples, METRIC).value, 4)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    sources = AnnotationSources("trees", parser="en")
    kftt, pud = data / "kftt-alignments-dev", data / "pud-word-alignments" / "en-ja"
    examples = sources.examples(kftt / "en.tok.gz", kftt / "en-ja.align.gz")
    about = {
        "title": TITLE,
        "licence": LICENCE,
        "wordorder": wo.__version__,
        "model": "consensus",
        "data": [f"KFTT dev, {len(examples)} sentences"],
        "data_signature": data_signature(examples.treebank),
        "sentences": int(np.count_nonzero(examples.weights)),
        "words": examples.treebank.words,
        "rule": examples.rule,
        "unaligned": examples.unaligned,
        "metric": METRIC,
        "parser": "en",
        "reads": "trees",
        "seed": SEED,
        "options": {"kept": KEPT, "members": MEMBERS, "weights": WEIGHTS},
    }
    save_learned(OUTPUT, small(examples), about)
    model = load_learned(OUTPUT)
    tests = {
        "sample": sources.examples(sample_path("source.en"), sample_path("alignments.talbot")),
        "small-parallel": sources.examples(
            *(
                data / "preordering-baselines" / "small-parallel" / f"test.{each}.gz"
                for each in ("en", "align")
            )
        ),
        "PUD": sources.examples(pud / "en.tok.gz", pud / "en-ja.align.gz"),
    }
    folds = np.loadtxt(data / "preordering-baselines" / "kftt-dev" / "folds.gz", np.int64)
    found = {
        "sha256": hashlib.sha256(OUTPUT.read_bytes()).hexdigest(),
        "bytes": OUTPUT.stat().st_size,
        "about": about,
        "frs": {
            "R1": scores(open_rules("R1"), tests),
            "R5": scores(open_rules("R5"), tests),
            "en-ja": scores(model, tests),
        },
        "KFTT dev, five folds": {
            "en-ja": in_folds(examples, folds, small),
            "usual members, all weights": in_folds(examples, folds, trained),
        },
    }
    write(RESULTS.parent, RESULTS.stem, found)
    print(json.dumps({name: found[name] for name in ("frs", "KFTT dev, five folds")}, indent=1))
    print(f"{OUTPUT.name}: {found['bytes']:,} bytes, SHA-256 {found['sha256']}")


if __name__ == "__main__":
    main()
