#!/usr/bin/env python3
"""Make the learned order that ships with the package: the rule set ``en-ja``, English to Japanese.

A consensus of *bracketing* and *linear* models and the rules R5. The models learn from the dev set
of KFTT (CC BY-SA 3.0, 636 sentences), whose links people made, parsed by the model ``en``. The
weights nearest to zero are left out, so that the file stays small. The same data give the same
bytes; their SHA-256 is kept with the results.

    python experiments/learned_model.py DATA

Tried on the test sentences of small-parallel, on PUD (R5, one of its members, was tuned there) and
on the sample of the package, of which it has seen none.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import cast

import numpy as np
from keeping import write

import wordorder as wo
from wordorder.order.orders import Orders
from wordorder.parsing.training.checkpoint import data_signature
from wordorder.reordering import RuleSet, open_rules
from wordorder.reordering.learned import OrderExamples, load_learned, save_learned
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.learned.consensus_model import Consensus, Member
from wordorder.reordering.learned.learned_order import learn_order
from wordorder.reordering.learned.linear_model import Linear
from wordorder.samples import sample_path
from wordorder.training.order import Sources, order_score
from wordorder.types import Float32

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "src" / "wordorder" / "reordering" / "sets" / "en-ja.safetensors"
RESULTS = ROOT / "experiments" / "results" / "learned_model.json"
TITLE = "English to Japanese: learned from hand-made alignments of KFTT, in agreement with R5"
LICENCE = (
    "CC BY-SA 3.0. Trained on hand-made alignments of the Kyoto Free Translation Task (KFTT), "
    "http://www.phontron.com/kftt/"
)
SEED = 1
# Weights that each kind of model keeps.
KEPT = {"linear": 80_000, "bracketing": 120_000}
WEIGHTS = {"linear": 0.5, "bracketing": 1.0, "R5": 1.0}
BRACKETING = {"epochs": 10, "runs": 3}
METRIC = "frs"


def pruned(weights: Float32, kept: int) -> Float32:
    """Return weights of which all but the largest are 0."""
    size = np.abs(weights)
    if np.count_nonzero(size) <= kept:
        return weights
    least = np.partition(size, -kept)[-kept]
    return np.where(size >= least, weights, 0).astype(np.float32)


def trained(examples: OrderExamples) -> Consensus:
    """Train the members."""
    linear = learn_order(Linear.learner(examples, seed=SEED))
    bracketing = learn_order(Bracketing.learner(examples, seed=SEED, **BRACKETING))
    assert isinstance(linear, Linear)
    assert isinstance(bracketing, Bracketing)
    members: list[Bracketing | Linear] = [
        Bracketing(bracketing.settings, pruned(bracketing.weights, KEPT["bracketing"])),
        Linear(pruned(linear.weights, KEPT["linear"]), linear.templates),
    ]
    return Consensus(
        [
            *(Member(model, WEIGHTS[model.kind]) for model in members),
            Member(open_rules("R5"), WEIGHTS["R5"]),
        ],
        METRIC,
    )


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
    sources = Sources("trees", parser="en")
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
        "options": {"kept": KEPT, "weights": WEIGHTS, "bracketing": BRACKETING},
    }
    save_learned(OUTPUT, trained(examples), about)
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
    assert isinstance(model.model, Consensus)
    kinds: dict[str, RuleSet] = {
        getattr(each.model, "kind", "R5"): cast(RuleSet, each.model) for each in model.model.members
    }
    found = {
        "sha256": hashlib.sha256(OUTPUT.read_bytes()).hexdigest(),
        "bytes": OUTPUT.stat().st_size,
        "about": about,
        "frs": {
            "R1": scores(open_rules("R1"), tests),
            **{name: scores(each, tests) for name, each in kinds.items()},
            "en-ja": scores(model, tests),
        },
    }
    write(RESULTS.parent, RESULTS.stem, found)
    print(json.dumps(found["frs"], indent=1))
    print(f"{OUTPUT.name}: {found['bytes']:,} bytes, SHA-256 {found['sha256']}")


if __name__ == "__main__":
    main()
