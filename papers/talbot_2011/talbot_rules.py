#!/usr/bin/env python3
"""Measure rule sets and parsers against reference orders, as Talbot et al. (2011) do.

On PUD English-Japanese (gold trees, content words linked by hand), KFTT dev (parsed, all words
linked by hand), a sample of KFTT with Stanford trees, and PUD with Korean, Turkish and Hindi, whose
links are automatic. R5 was chosen on the first two.

    python -m papers.talbot_2011.talbot_rules FOLDER --models SCRATCH

FOLDER holds the corpora. SCRATCH keeps the parsers P1 and P2, which are trained when they are not
there: a few minutes. The rest takes half a minute.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats

import wordorder as wo
from papers.keeping import OUTPUT, write
from papers.rule_corpora import (
    SAMPLE,
    Parallel,
    Sentences,
    kftt_dev,
    otedama_output,
    otedama_sample,
    parsed,
    pud_aligned,
    pud_japanese,
    tanaka_pairs,
    words_of,
    wpt05_hindi,
)
from papers.talbot_2011.rule_ceiling import ordered_by_reference
from papers.talbot_2011.rule_tables import markdown
from wordorder.analysis.corpus import AnalysedSystem, Corpus, OrderScores
from wordorder.analysis.grid import Grid
from wordorder.analysis.grid_systems import evaluate_grid
from wordorder.analysis.rule_effects import class_parts, leave_out, rule_parts
from wordorder.parsing import train_parser_files
from wordorder.parsing.model_file import load_models
from wordorder.parsing.training.recipes import ParserOptions
from wordorder.parsing.training.training_text import TrainingFiles
from wordorder.reordering import open_rules
from wordorder.treebank import Treebank, read_treebank

XU = str(Path(__file__).resolve().parent / "xu2009.toml")
RULES = ("R1", "R2", "R3", "R4", "head-final", XU, "R5")
LITERAL = ("R2-literal", "R3-literal", "R4-literal")
UNALIGNED = ("drop", "next", "previous")
Table = dict[str, Any]
Pairs = tuple[Sentences, Sentences]


def table_of(grid: Grid) -> Table:
    """Return values, intervals, signatures and marks of a grid."""
    found: Table = {"systems": {}, "triangles": []}
    for number, system in enumerate(grid.evaluation.systems):
        row = {}
        for m, metric in enumerate(grid.metrics):
            estimate = grid.estimates[m][number]
            row[metric.name] = [
                round(each, 4) for each in (estimate.value, estimate.low, estimate.high)
            ]
        found["systems"][system.name] = row
    found["signatures"] = [str(signature) for signature in grid.signatures]
    found["n"] = grid.evaluation.segments - grid.evaluation.skipped
    names = [system.name for system in grid.evaluation.systems]
    groups = [*zip(grid.with_parser, grid.by_parser[0], strict=bool(grid.by_parser[0]))]
    groups += [*zip(grid.under_rules, grid.by_rules[0], strict=bool(grid.by_rules[0]))]
    for systems, comparison in groups:
        listed = [names[system] for system in systems]
        found["triangles"].append({"systems": listed, "marks": comparison.triangle()})
    return found


def measured(
    reference: wo.Orders, trees: Mapping[str, Treebank], rules: Sequence[str] = RULES
) -> Table:
    """Evaluate parsers with rule sets."""
    return table_of(evaluate_grid(reference, trees, rules))


def of_rules(corpora: Mapping[str, tuple[str, Parallel]]) -> Table:
    """Evaluate all rule sets under each rule for unaligned words."""
    return {
        f"{name}, unaligned={unaligned}": measured(
            corpus.reference(unaligned), {parser: corpus.trees}, [*RULES, *LITERAL]
        )
        for name, (parser, corpus) in corpora.items()
        for unaligned in UNALIGNED
    }


def of_parsers(corpus: Parallel, gold: Treebank | None, models: Mapping[str, Path | str]) -> Table:
    """Evaluate parsers with R1 and R5, and say how good their trees are."""
    words = words_of(corpus.trees)
    trees = {name: parsed(words, model) for name, model in models.items()}
    attachment = {}
    if gold is not None:
        for name, bank in trees.items():
            segments = wo.Segments.from_treebanks(bank, gold)
            attachment[name] = {
                metric: round(wo.metric(metric).corpus_score(segments).value, 4)
                for metric in ("uas", "las", "upos")
            }
        trees["gold"] = gold
    return {**measured(corpus.reference(), trees, ["R1", "R5"]), "attachment": attachment}


def of_references(corpus: Parallel, trees: Mapping[str, Treebank], more: Pairs) -> Table:
    """Compare references from links by hand with those from our aligner (Table 7 of the paper).

    The aligner learns from the corpus alone, or from `more` text, too. The systems are all rules
    with the first parser, and R5 with each other.
    """
    words = [[word.lower() for word in row] for row in words_of(corpus.trees)]
    longer = wo.align(words + more[0], corpus.target + more[1])
    links = {
        "manual": corpus.links,
        "automatic": wo.align(words, corpus.target),
        f"automatic, {len(more[0]):,} pairs more": longer[: len(words)],
    }
    first, *others = trees
    found: Table = {
        "links": {
            kind: agreement(corpus.links, each) for kind, each in links.items() if kind != "manual"
        },
        "FRS": {},
        "rankings": {},
    }
    for unaligned in ("drop", "next"):
        values: dict[str, dict[str, float]] = {}
        for kind, each in links.items():
            reference = Parallel(corpus.trees, corpus.target, each).reference(unaligned)
            grids = [evaluate_grid(reference, {first: trees[first]}, RULES, metrics=["frs"])]
            banks = {name: trees[name] for name in others}
            if banks:
                grids.append(evaluate_grid(reference, banks, ["R5"], metrics=["frs"]))
            values[kind] = {
                system.name: round(system.scores[0].value, 4)
                for grid in grids
                for system in grid.evaluation.systems
            }
        found["FRS"][unaligned] = values
        found["rankings"][unaligned] = {
            kind: ranking(values["manual"], each)
            for kind, each in values.items()
            if kind != "manual"
        }
    return found


def agreement(manual: wo.Alignments, automatic: wo.Alignments) -> dict[str, float]:
    """Return precision and recall of links."""
    both = [
        (set(map(tuple, a.links)), set(map(tuple, b.links)))
        for a, b in zip(manual, automatic, strict=True)
    ]
    shared = sum(len(a & b) for a, b in both)
    return {
        "precision": round(shared / max(sum(len(b) for _, b in both), 1), 4),
        "recall": round(shared / max(sum(len(a) for a, _ in both), 1), 4),
    }


def ranking(manual: dict[str, float], automatic: dict[str, float]) -> Table:
    """Return how well two references agree in the ranking of systems, and where they do not."""
    differ = [
        f"{a} and {b}"
        for a, b in combinations(manual, 2)
        if (manual[a] - manual[b]) * (automatic[a] - automatic[b]) < 0
    ]
    tau = scipy.stats.kendalltau(list(manual.values()), list(automatic.values())).statistic
    return {"tau": round(float(tau), 4), "ranked differently": differ}


def of_parts(corpus: Parallel, unaligned: str) -> Table:
    """Return what each rule of R5 and each class in it adds to FRS."""
    rules, metric = open_rules("R5"), wo.metric("frs")
    reference = corpus.reference(unaligned)
    orders = rules.orders(corpus.trees)
    nothing = np.zeros(len(corpus.trees))
    system = AnalysedSystem("R5", orders, nothing, nothing > 0, corpus.trees, rules)
    scores = OrderScores(Corpus(corpus.trees, reference), metric)
    found: Table = {}
    for kind, parts in (("rules", rule_parts(system)), ("classes", class_parts(system))):
        effects = leave_out(system, scores, parts)
        found[kind] = {
            ": ".join(name): {
                "words": int(effects.words[i]),
                "gain": round(gain.difference, 4),
                "interval": [round(each, 4) for each in gain.interval_95 or (0, 0)],
                "mark": gain.mark,
            }
            for i, (name, gain) in enumerate(zip(effects.names, effects.gains, strict=True))
        }
    return found


def of_ceilings(corpora: Mapping[str, tuple[str, Parallel]]) -> Table:
    """Return the FRS of the order in which each family stands as the reference has it."""
    found = {}
    for name, (_, corpus) in corpora.items():
        for unaligned in UNALIGNED:
            reference = corpus.reference(unaligned)
            best = ordered_by_reference(corpus.trees, reference)
            segments = wo.Segments.from_orders(best, reference)
            value = wo.metric("frs").corpus_score(segments).value
            found[f"{name}, unaligned={unaligned}"] = round(value, 4)
    return found


def of_stanford(data: Path) -> Table:
    """Evaluate the rules for Stanford dependencies, and how near they are to learnt ones."""
    sample = otedama_sample(data)
    rules = ("R1", "R2", "R3", "R4", "head-final", "R5-sd")
    english = parsed(words_of(sample.trees), "en")
    found: Table = {}
    for unaligned in ("drop", "next"):
        reference = wo.reference_orders(sample.links, sample.trees.lengths, unaligned=unaligned)
        for title, table in (
            ("Stanford trees", measured(reference, {"stanford": sample.trees}, rules)),
            ("the same, UD trees by a parser", measured(reference, {"en": english})),
        ):
            found[f"KFTT training sentences, {title}, GIZA++ links, unaligned={unaligned}"] = {
                **table,
                "left out": sample.left_out,
            }
    trees, learnt, left_out = otedama_output(data)
    found["Agreement with the rules that otedama learnt, other KFTT sentences"] = {
        **measured(learnt, {"stanford": trees}, rules),
        "left out": left_out,
    }
    return found


def of_unseen(data: Path) -> Table:
    """Evaluate the rules on sentences that they were not chosen on."""
    hindi = wpt05_hindi(data, "en")
    found = {
        "sample en-ja, gold trees": measured(
            wo.read_orders(SAMPLE / "reference.orders"),
            {"gold": read_treebank(SAMPLE / "trees.conllu")},
        ),
    }
    for unaligned in ("drop", "next"):
        found[f"WPT05 en-hi by hand, parsed, unaligned={unaligned}"] = measured(
            hindi.reference(unaligned), {"en": hindi.trees}
        )
    for language in ("ko", "tr", "hi"):
        corpus = pud_aligned(data, language)
        found[f"PUD en-{language}, automatic links, gold trees, unaligned=drop"] = measured(
            corpus.reference(), {"gold": corpus.trees}
        )
    return found


def models_in(folder: Path, data: Path) -> dict[str, Path | str]:
    """Return the parsers, trained if they are not there."""
    found: dict[str, Path | str] = {}
    treebank = data / "ud-english-ewt"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("P1", "P2"):
        found[name] = folder / f"{name}.model"
        if not (folder / f"{name}.model").exists():
            train_parser_files(
                TrainingFiles(
                    treebank / "en_ewt-ud-train.conllu.gz", dev=treebank / "en_ewt-ud-dev.conllu.gz"
                ),
                folder / f"{name}.model",
                ParserOptions(recipe=name),
            )
    found["en"] = "en"
    return found


def of_models(folder: Path, data: Path, pud: Parallel, kftt: Parallel) -> Table:
    """Compare parsers, and references, and say how P1 and P2 were trained."""
    models = models_in(folder, data)
    banks = {name: parsed(words_of(pud.trees), model) for name, model in models.items()}
    more = tanaka_pairs(data)
    return {
        "models": {
            name: {"seed": about["seed"], **about["parser"]}
            for name in ("P1", "P2")
            for about in [load_models(models[name]).about]
        },
        "parsers": {
            "PUD en-ja, parsers, unaligned=drop": of_parsers(pud, pud.trees, models),
            "KFTT dev, parsers, unaligned=drop": of_parsers(kftt, None, models),
        },
        "references": {
            "PUD en-ja": of_references(pud, {"gold": pud.trees, **banks}, more),
            "KFTT dev": of_references(kftt, {"en": kftt.trees}, more),
        },
    }


def main() -> None:
    """Measure everything and keep it."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("data", type=Path, help="the folder of corpora")
    arguments.add_argument("--models", type=Path, required=True, help="where P1 and P2 are kept")
    arguments.add_argument("--output", type=Path, default=OUTPUT)
    given = arguments.parse_args()
    started = time.process_time()
    pud, kftt = pud_japanese(given.data), kftt_dev(given.data, "en")
    corpora = {"PUD en-ja": ("gold", pud), "KFTT dev": ("en", kftt)}
    results: Table = {
        "rule files": {
            "R5": dict(open_rules("R5").orders(pud.trees).provenance)["rules"],
            "R5-sd": dict(open_rules("R5-sd").orders(pud.trees).provenance)["rules"],
        },
        "rules": of_rules(corpora),
        "ceilings": of_ceilings(corpora),
        **of_models(given.models, given.data, pud, kftt),
        "parts": {
            "PUD en-ja, unaligned=drop": of_parts(pud, "drop"),
            "KFTT dev, unaligned=drop": of_parts(kftt, "drop"),
        },
        "stanford": of_stanford(given.data),
        "unseen": of_unseen(given.data),
    }
    results["cpu_seconds"] = round(time.process_time() - started, 1)
    tables = markdown(results)
    write(given.output, "talbot_rules", results, tables)
    print(tables)
    print(f"{results['cpu_seconds']} CPU seconds")


if __name__ == "__main__":
    main()
