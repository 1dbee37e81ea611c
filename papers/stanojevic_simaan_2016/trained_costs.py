#!/usr/bin/env python3
"""Costs of the operators of permutation trees, learnt from what people prefer.

    python -m papers.stanojevic_simaan_2016.trained_costs FOLDER --cache SCRATCH

Stanojević & Sima'an (2016, section 4, footnote 5) ask for costs of operators other than their
lengths, of which trained ones are the obvious kind. FOLDER holds the corpora (or WORDORDER_DATA
says where they are): thirteen pairs of WMT12 to WMT15. SCRATCH keeps the scores; the first run
takes about a quarter of an hour.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from papers.judged_sets import WMT
from papers.keeping import arguments_of, keep
from papers.scored_sets import scored
from wordorder.judgement import FitInput, WeightFit, fit_weights, pair_differences
from wordorder.judgement.fitting import OPERATORS
from wordorder.statistics.consistency import consistency

SEED = 12345
# What stands beside the learnt costs.
BESIDE = {
    "length": "tree-cost",
    "not-monotone": "tree-cost(cost=not-monotone)",
    "PET": "pet",
    "FUZZY": "frs",
    "KENDALL": "kendall",
}


def operator_metrics(folder: Path) -> dict[str, str]:
    """Return a metric for each operator in which it alone costs 1."""
    metrics = {}
    for number, operator in enumerate(OPERATORS):
        path = folder / f"{number}.txt"
        lines = [f"{key} {int(key == operator)}\n" for key in ("12", *OPERATORS)]
        path.write_text("".join(lines), encoding="utf-8")
        metrics[operator] = f"tree-cost(cost=table,costs={path})"
    return metrics


def inputs_of(data: Any, cache: Any) -> tuple[list[FitInput], dict[str, list[dict[str, float]]]]:
    """Return the differences of the operators' shares, and how the metrics beside them do."""
    inputs: list[FitInput] = []
    beside: dict[str, list[dict[str, float]]] = {name: [] for name in BESIDE}
    with tempfile.TemporaryDirectory() as scratch:
        # Kept scores are known by the names of the metrics, and so of the tables.
        tables = Path(cache or scratch) / "operators"
        tables.mkdir(parents=True, exist_ok=True)
        metrics = operator_metrics(tables)
        for name in WMT:
            given = scored(data, name, {**metrics, **BESIDE}, cache)
            pairs = given.judged.pairs.T
            rows = {m: pair_differences(scores, *pairs) for m, scores in given.scores.items()}
            shares = np.stack([rows[operator] for operator in OPERATORS])
            inputs.append(FitInput(name, shares, pairs[0]))
            for metric, found in beside.items():
                counts = consistency(rows[metric])
                found.append({"strict": counts.strict, "half": counts.half})
    return inputs, beside


def plain(fit: WeightFit) -> dict[str, Any]:
    """Return a fit as it is kept."""
    return {
        "costs": fit.costs,
        "fitted": {ties: fit.mean("fitted", ties) for ties in ("strict", "half")},
        "left out": {ties: fit.mean("held_out", ties) for ties in ("strict", "half")},
        "folds": [list(each) for each in fit.folds],
        "sets": {
            each.name: {
                "pairs": each.fitted.pairs,
                "own": dict(zip(fit.names, each.own_weights, strict=True)),
                "left out": {"strict": each.held_out.strict, "half": each.held_out.half},
            }
            for each in fit.sets
            if each.held_out is not None
        },
    }


def both(found: dict[str, float]) -> str:
    """Write the two counts in percent."""
    return f"{100 * found['strict']:.2f} / {100 * found['half']:.2f}"


def markdown(results: dict[str, Any]) -> str:
    """Write the tables."""
    lines = [
        "# Costs of operators learnt from what people prefer",
        "",
        "`tree-cost` with `cost=table`: ⟨1,2⟩ costs 0; ⟨2,1⟩, ⟨2,4,1,3⟩, ⟨3,1,4,2⟩ and all longer",
        "operators (\\*) get the costs, which sum to 1, that share most of the preferences of",
        "people, sentence by sentence; mean over thirteen pairs of WMT12 to WMT15. The score is",
        "the mean cost of the operators; order alone, no words.",
        "",
        "| chosen by | left out | ⟨2,1⟩ | ⟨2,4,1,3⟩ | ⟨3,1,4,2⟩ | * | fitted | left out |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, fit in results["fits"].items():
        costs = " | ".join(f"{fit['costs'].get(key, fit['costs']['*']):.3f}" for key in OPERATORS)
        ties, left_out = name.split(", ")
        row = f"{ties} | {left_out} | {costs} | {both(fit['fitted'])} | {both(fit['left out'])}"
        lines.append(f"| {row} |")
    lines += [
        "",
        "Share of preferences in percent: strict / a tie being half right. *Left out*: judged on",
        "segments, or on a language pair, that the costs were not learnt from.",
        "",
        "| not learnt | mean of the pairs |",
        "|---|---|",
    ]
    for name, found in results["beside"].items():
        mean = {ties: float(np.mean([each[ties] for each in found])) for ties in found[0]}
        lines.append(f"| {name} | {both(mean)} |")
    learnt = next(iter(results["fits"].values()))["left out"]
    equal = results["beside"]["not-monotone"]
    gains = [100 * (learnt[t] - np.mean([each[t] for each in equal])) for t in ("strict", "half")]
    lines += [
        "",
        f"Equal costs are *not-monotone*: learning adds {gains[0]:+.2f} / {gains[1]:+.2f} points.",
        "The first is mostly made of ties that unequal costs break.",
    ]
    lines += ["", f"By pair, left out, {next(iter(results['fits']))}:", ""]
    names = list(BESIDE)
    lines += [
        "| pair | preferences | learnt | " + " | ".join(names) + " |",
        "|---" * (len(names) + 3) + "|",
    ]
    for n, (name, of) in enumerate(next(iter(results["fits"].values()))["sets"].items()):
        cells = [both(of["left out"]), *(both(results["beside"][each][n]) for each in names)]
        lines.append(f"| {name} | {of['pairs']:,} | " + " | ".join(cells) + " |")
    lines += ["", results["made"], ""]
    return "\n".join(lines)


def fits_of(inputs: Sequence[FitInput]) -> dict[str, Any]:
    """Fit by both counts, leaving segments or language pairs out."""
    return {
        f"{ties}, {name}": plain(
            fit_weights(
                OPERATORS,
                inputs,
                ties=ties,
                leave_out=left_out,
                option="tree-cost.costs",
                seed=SEED,
            )
        )
        for ties in ("half", "strict")
        for name, left_out in (("segments", "segments"), ("a pair", True))
    }


def main() -> None:
    """Measure everything and keep it."""
    given = arguments_of(__doc__)
    started = time.process_time()
    inputs, beside = inputs_of(given.data, given.cache)
    results = {"seed": SEED, "fits": fits_of(inputs), "beside": beside}
    keep(given.output, "trained_costs", results, markdown, started)


if __name__ == "__main__":
    main()
