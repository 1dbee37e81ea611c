"""What the experiments of augmented-loss training share: taggers, runs, paired tables."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from papers.keeping import OUTPUT, compared, write
from wordorder.parsing import (
    GraphLearner,
    PerceptronTagger,
    TaggerLearner,
    TransitionLearner,
    load_models,
    save_models,
    train,
)
from wordorder.treebank import Treebank

LEARNERS: dict[str, Any] = {"transition": TransitionLearner, "graph": GraphLearner}
# Trees of the treebank, and epochs over it: `augmented_epochs.py` finds that no later one gains
# more than .001 on dev. The graph parser takes eight times as long for a tree.
SIZES = {"transition": 1000, "graph": 300}
EPOCHS = {"transition": 26, "graph": 4}
# The row that the others are compared with.
ALONE = "treebank alone"
# A title, the names of the columns, and the rows.
Paper = tuple[str, tuple[str, ...], dict[str, tuple[float, ...]]]
Statistics = dict[str, Any]


def options_of(about: str | None) -> argparse.ArgumentParser:
    """Return the options of an experiment."""
    options = argparse.ArgumentParser(description=about)
    options.add_argument("data", type=Path)
    options.add_argument("scratch", type=Path)
    options.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options.add_argument("--algorithm", choices=list(LEARNERS), default="transition")
    options.add_argument("--only", nargs="+", help="rows to run; others are shown if they are kept")
    return options


def sizes_of(given: argparse.Namespace) -> tuple[int, int]:
    """Return how many trees of the treebank there are, and how many epochs over them."""
    return SIZES[given.algorithm], EPOCHS[given.algorithm]


def tagger_of(trees: Treebank, seed: int, scratch: Path) -> PerceptronTagger:
    """Return the tagger that is trained on a treebank, from SCRATCH if it is there."""
    scratch.mkdir(parents=True, exist_ok=True)
    path = scratch / f"tagger-{seed}.model"
    if not path.exists():
        trained = train(TaggerLearner(trees), epochs=10, seed=seed)
        save_models(path, {"tagger": trained.model}, {})
    tagger = load_models(path).tagger
    assert isinstance(tagger, PerceptronTagger)
    return tagger


class Runs:
    """The statistics of the runs of an experiment, each kept in SCRATCH when it is done.

    Parameters
    ----------
    name : str
    options : argparse.Namespace
        As `options_of` reads them.
    metrics : sequence of str
        The columns of the table; what follows a slash is no part of the metric's name.
    paper : Paper
    """

    def __init__(
        self,
        name: str,
        options: argparse.Namespace,
        metrics: Sequence[str],
        paper: Paper,
    ) -> None:
        self.name = name if options.algorithm == "transition" else f"{name}_{options.algorithm}"
        self.options, self.metrics, self.paper = options, metrics, paper
        self.done: dict[str, dict[int, Statistics]] = {}

    def add(self, name: str, seed: int, run: Callable[[], Statistics]) -> None:
        """Do one run, unless it is done already, and write the table."""
        file = f"{self.options.algorithm}-{name.replace(', ', '-').replace(' ', '-')}-{seed}.npz"
        kept = self.options.scratch / file
        if not kept.exists():
            if self.options.only is not None and name not in self.options.only:
                return
            print(f"{name}, seed {seed}", flush=True)
            np.savez(kept, **run())
        with np.load(kept) as found:
            self.done.setdefault(name, {})[seed] = dict(found)
        self.write()

    def write(self) -> None:
        """Write what is known so far, as JSON and as tables."""
        table = self.table()
        trees, epochs = sizes_of(self.options)
        found = {"trees": trees, "epochs": epochs, "parsers": table, "paper": self.paper[2]}
        write(OUTPUT, self.name, found, self.markdown(table))

    def table(self) -> dict[str, Any]:
        """Return all rows that can be compared with `ALONE`."""
        return {name: self.row(name) for name in self.done if self.shared(name)}

    def shared(self, name: str) -> list[int]:
        """Return the seeds that a row and `ALONE` both have."""
        return [seed for seed in self.done[name] if seed in self.done.get(ALONE, {})]

    def row(self, name: str) -> dict[str, Any]:
        """Return the values of a row and what they gain over `ALONE`."""
        seeds = self.shared(name)
        found: dict[str, Any] = {"seeds": seeds}
        for metric in self.metrics:
            base, own = ([self.done[row][seed][metric] for seed in seeds] for row in (ALONE, name))
            found[metric] = compared(base, own, metric.partition("/")[0])
        return found

    def markdown(self, table: dict[str, Any]) -> str:
        """Return the tables of this run and of the paper."""
        trees, epochs = sizes_of(self.options)
        lines = [
            f"{trees:,} trees, {epochs} epochs over them. In parentheses: the difference from",
            "the treebank alone with the same seeds, [95 %] by a paired bootstrap over sentences",
            "(of means over the seeds), and in the first column the difference of each seed.",
            "",
        ]
        lines.append("| parser | seeds | " + " | ".join(self.metrics) + " |")
        lines.append("|---" * (len(self.metrics) + 2) + "|")
        for name, found in table.items():
            cells = [name, str(len(found["seeds"]))]
            for metric in self.metrics:
                each = found[metric]
                low, high = each["interval"]
                gain = f"{each['difference']:+.4f} [{low:.4f}, {high:.4f}]"
                if metric == self.metrics[0] and len(each["seeds"]) > 1:
                    gain += "; " + ", ".join(f"{value:+.4f}" for value in each["seeds"])
                shown = "" if name == ALONE else f" ({gain})"
                cells.append(f"{each['value']:.4f}{shown}")
            lines.append("| " + " | ".join(cells) + " |")
        title, names, rows = self.paper
        lines += ["", f"{title}:", "", "| parser | " + " | ".join(names) + " |"]
        lines.append("|---" * (len(names) + 1) + "|")
        for name, values in rows.items():
            lines.append(f"| {name} | " + " | ".join(f"{value:.2f}" for value in values) + " |")
        return "\n".join(lines) + "\n"
