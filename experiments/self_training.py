#!/usr/bin/env python3
"""Targeted and standard self-training, as Katz-Brown et al. (2011) compare them, on open data.

A parser that is trained on UD English EWT parses sentences of small_parallel_enja (English and
Japanese, lower case, 4 to 16 words). Reference orders come from links of our own aligner, which is
trained on the same 50,000 pairs; words without a link are dropped. Of each list of trees the one
that R5 brings closest to the reference is added to the treebank (targeted), or the first one
(standard), and tagger and parser are trained again from scratch. Lines 1 to 4,000 are chosen from;
lines 44,001 to 47,000, which no parser sees, are tested on. LAS is that of EWT dev. The settings
were compared on these lines; lines 47,001 to 50,000, which nothing was chosen on, confirm them.

    python experiments/self_training.py DATA SCRATCH              # 2,000 trees, three seeds
    python experiments/self_training.py DATA SCRATCH --confirm    # the same models on fresh lines
    python experiments/self_training.py DATA SCRATCH --whole      # all of EWT: k and rounds

DATA holds ud-english-ewt and small_parallel_enja. SCRATCH keeps models, so that a run that was
stopped goes on. The first takes about ten minutes on one core, the second half an hour.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from keeping import write
from rule_corpora import tanaka_orders

import wordorder as wo
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.order.reading import write_orders
from wordorder.parsing import open_parser, train_parser_files
from wordorder.reordering import open_rules
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.training import self_train
from wordorder.training.references import Readings
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.reading import write_treebank
from wordorder.types import Float64

RESULTS = Path(__file__).resolve().parent / "results"
CHOSEN, TESTED, FRESH = slice(0, 4000), slice(44_000, 47_000), slice(47_000, 50_000)
SEEDS = (1, 2, 3)
WORDS = ("plan", "book", "drop", "cry")
SMALL = 2000
# Katz-Brown et al. (2011), Table 1: reordering score on the web test part, LAS on WSJ.
PAPER = {
    "baseline": (0.757, 85.31),
    "standard, weight 1": (0.760, 85.26),
    "standard, weight 10": (0.756, 84.14),
    "targeted, weight 1": (0.770, 85.19),
    "targeted, weight 10": (0.777, 84.48),
}


@dataclass(frozen=True)
class Setting:
    """One way to train again.

    Attributes
    ----------
    standard : bool
    kbest, kbest_tags : int
    treebank : int
        How often the treebank is taken in an epoch; the chosen trees are taken `weight` times.
    weight, rounds : int
    """

    standard: bool = False
    kbest: int = 64
    kbest_tags: int = 1
    treebank: int = 1
    weight: int = 1
    rounds: int = 1


class Corpus:
    """The data, and what a model does on them."""

    def __init__(
        self, data: Path, scratch: Path, *, so_far: bool = False, fresh: bool = False
    ) -> None:
        self.scratch = scratch
        self.so_far = so_far
        folder = data / "ud-english-ewt"
        self.train = read_treebank(folder / "en_ewt-ud-train.conllu.gz")
        self.dev = read_treebank(folder / "en_ewt-ud-dev.conllu.gz")
        english, orders = tanaka_orders(data, scratch)
        self.text, self.orders = scratch / "chosen.txt", scratch / "chosen.orders"
        self.text.write_text("".join(" ".join(row) + "\n" for row in english[CHOSEN]))
        write_orders(orders[CHOSEN], self.orders)
        tested = FRESH if fresh else TESTED
        self.tested = Treebank.from_words(english[tested])
        self.reference = orders[tested]
        self.name = "self_training_confirmed" if fresh else "self_training"
        self.rules = open_rules("R5")

    def treebank(self, size: int | None) -> Path:
        """Return a file of the first trees, or of all."""
        path = self.scratch / f"ewt-{size or 'all'}.conllu"
        if not path.exists():
            write_treebank(path, self.train[:size])
        return path

    def measured(self, model: Path) -> dict[str, Any]:
        """Return the statistics of a model on the test sentences and on EWT dev."""
        opened = open_parser(model, tags="predict")
        trees, dev = opened.parse(self.tested), opened.parse(self.dev)
        orders = wo.Segments.from_orders(self.rules.orders(trees), self.reference)
        gold = wo.Segments.from_treebanks(dev, self.dev)
        readings = Readings(WORDS)
        readings.add(trees)
        return {
            "frs": statistics_in_pieces(wo.metric("frs"), orders),
            "kendall": statistics_in_pieces(wo.metric("kendall"), orders),
            "las": statistics_in_pieces(wo.metric("las"), gold),
            "readings": readings,
        }


def base_model(corpus: Corpus, size: int | None, seed: int, times: int = 1) -> Path:
    """Return the parser that is trained on the treebank alone, taken so often in an epoch."""
    path = corpus.scratch / f"base{times}-{size or 'all'}-{seed}.model"
    if not path.exists():
        train_parser_files([corpus.treebank(size)] * times, path, seed=seed, restart=True)
    return path


def trained_again(
    corpus: Corpus, name: str, setting: Setting, size: int | None, seed: int
) -> tuple[list[Path], list[dict[str, Any]]]:
    """Return the models of all rounds and what these found; from SCRATCH if they are there."""
    path = corpus.scratch / f"{name.replace(', ', '-').replace(' ', '_')}-{size or 'all'}-{seed}"
    report = path.with_suffix(".json")
    if corpus.so_far and not report.exists():
        return rounds_so_far(path, setting.rounds)
    models = [Path(f"{path}.round{number}") for number in range(1, setting.rounds)] + [path]
    if not report.exists():
        done = self_train(
            [corpus.treebank(size)] * setting.treebank,
            path,
            corpus.text,
            corpus.orders,
            rules="R5",
            standard=setting.standard,
            kbest=setting.kbest,
            kbest_tags=setting.kbest_tags,
            weight=setting.weight,
            rounds=setting.rounds,
            start=base_model(corpus, size, seed),
            words=WORDS,
            keep_rounds=True,
            seed=seed,
            resume=True,
            say=lambda line: print(f"{name}, seed {seed}: {line}", flush=True),
        )
        report.write_text(json.dumps(done.to_dict()["rounds"]))
    return models, json.loads(report.read_text())


def rounds_so_far(path: Path, rounds: int) -> tuple[list[Path], list[dict[str, Any]]]:
    """Return the models of a run that was stopped, and what its rounds found."""
    models = [Path(f"{path}.round{number}") for number in range(1, rounds)]
    there = [model for model in models if model.exists()]
    state = Path(f"{path}.rounds")
    found = json.loads(state.read_text())["rounds"] if there else []
    return there, found[: len(there)]


def compared(base: list[Float64], other: list[Float64], metric: str) -> dict[str, Any]:
    """Compare two parsers over the same sentences; the statistics are means over the seeds."""
    means = [np.mean(each, axis=0) for each in (base, other)]
    made = wo.metric(metric)
    (test,) = paired_bootstrap([Measurement(means, made.score)], resamples=2000)
    pair = test.pair(0, 1)
    low, high = pair.interval_95 or (0.0, 0.0)
    each = [
        float(made.score(two.sum(axis=0)) - made.score(one.sum(axis=0)))
        for one, two in zip(base, other, strict=True)
    ]
    return {
        "value": round(float(made.score(means[1].sum(axis=0))), 4),
        "difference": round(pair.difference, 4),
        "interval": [round(low, 4), round(high, 4)],
        "seeds": [round(value, 4) for value in each],
    }


def row(base: list[dict[str, Any]], other: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what a setting gains over the parsers that it starts from."""
    found: dict[str, Any] = {
        name: compared([each[name] for each in base], [each[name] for each in other], name)
        for name in ("frs", "kendall", "las")
    }
    readings = [each["readings"] for each in other]
    found["imperatives"] = round(float(np.mean([each.rate for each in readings])), 4)
    found["words"] = {
        word: [sum(r.nouns[word] for r in readings), sum(r.verbs[word] for r in readings)]
        for word in WORDS
    }
    return found


def small(corpus: Corpus) -> dict[str, Any]:
    """2,000 trees, three seeds: targeted against standard."""
    settings = {
        "targeted": Setting(kbest_tags=8, treebank=2),
        "standard": Setting(kbest_tags=8, treebank=2, standard=True),
        "targeted, one tag sequence": Setting(),
    }
    base = [corpus.measured(base_model(corpus, SMALL, seed)) for seed in SEEDS]
    found: dict[str, Any] = {"baseline": row(base, base)}
    for name, setting in settings.items():
        runs = [trained_again(corpus, name, setting, SMALL, seed) for seed in SEEDS]
        again = [corpus.measured(models[-1]) for models, _ in runs]
        found[name] = {
            **row(base, again),
            "setting": asdict(setting),
            "lists": runs[0][1][0]["lists"],
        }
        keep(corpus.name, found, markdown(found))
    twice = [corpus.measured(base_model(corpus, SMALL, seed, times=2)) for seed in SEEDS]
    found["baseline, treebank twice an epoch"] = row(base, twice)
    keep(corpus.name, found, markdown(found))
    return found


def whole(corpus: Corpus) -> dict[str, Any]:
    """All of EWT: the length of lists, and rounds; one seed."""
    seed = SEEDS[0]
    base = [corpus.measured(base_model(corpus, None, seed))]
    found: dict[str, Any] = {"baseline": row(base, base)}
    for kbest, rounds in ((512, 3), (64, 1), (8, 1)):
        setting = Setting(kbest=kbest, kbest_tags=8, rounds=rounds)
        name = f"{kbest}-best"
        models, reports = trained_again(corpus, name, setting, None, seed)
        for number, (model, report) in enumerate(zip(models, reports, strict=True), 1):
            measured = row(base, [corpus.measured(model)])
            found[f"{name}, round {number}"] = {
                **measured,
                "setting": asdict(setting),
                "lists": report["lists"],
            }
        keep("self_training_whole", found, markdown(found))
    return found


def keep(name: str, found: dict[str, Any], table: str) -> None:
    """Write what is known so far."""
    write(RESULTS, name, {"parsers": found}, table)


def markdown(found: dict[str, Any]) -> str:
    """Return the table of a run."""
    words = " | ".join(WORDS)
    lines = [
        f"| parser | FRS | difference [95 %] | tau | LAS, EWT dev | difference [95 %] | "
        f"imperatives | {words} (N/V) |",
        "|---|---|---|---|---|---|---|" + "---|" * len(WORDS),
    ]
    for name, each in found.items():
        frs, las = each["frs"], each["las"]
        counts = " | ".join("/".join(map(str, each["words"][word])) for word in WORDS)
        differences = [
            ""
            if name == "baseline"
            else f"{d['difference']:+.4f} [{d['interval'][0]:.4f}, {d['interval'][1]:.4f}]"
            for d in (frs, las)
        ]
        lines.append(
            f"| {name} | {frs['value']:.4f} | {differences[0]} | {each['kendall']['value']:.4f} | "
            f"{las['value']:.4f} | {differences[1]} | {100 * each['imperatives']:.1f} % | "
            f"{counts} |"
        )
    lines += ["", "| lists of | distinct orders | one order | first is best | first | best |"]
    lines.append("|---|---|---|---|---|---|")
    for name, each in found.items():
        if "lists" in each:
            lists = each["lists"]
            of = lists["sentences"]
            lines.append(
                f"| {name} | {lists['orders'] / of:.2f} | {100 * lists['one_order'] / of:.0f} % | "
                f"{100 * lists['first_best'] / of:.0f} % | {lists['first_score']:.4f} | "
                f"{lists['best_score']:.4f} |"
            )
    lines += ["", "Katz-Brown et al. (2011), Table 1, shift-reduce parser, 512-best lists:", ""]
    lines += ["| parser | reordering score | LAS, WSJ |", "|---|---|---|"]
    lines += [f"| {name} | {frs:.3f} | {las:.2f} |" for name, (frs, las) in PAPER.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run one of the two experiments and keep its result."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("scratch", type=Path)
    options.add_argument("--whole", action="store_true", help="all of EWT instead of 2,000 trees")
    options.add_argument(
        "--so-far",
        action="store_true",
        help="with --whole: measure the rounds that SCRATCH has, train none",
    )
    options.add_argument(
        "--confirm", action="store_true", help="test on lines that no setting was chosen on"
    )
    given = options.parse_args()
    given.scratch.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(given.data, given.scratch, so_far=given.so_far, fresh=given.confirm)
    found = whole(corpus) if given.whole else small(corpus)
    print(markdown(found))


if __name__ == "__main__":
    main()
