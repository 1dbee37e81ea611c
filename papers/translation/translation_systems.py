"""The translation systems of `translation_loop.py`: trained, tuned and run once, then kept."""

from __future__ import annotations

import gzip
import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.keeping import arguments_of, keep
from papers.translation.translation_orders import PARTS, Sources, whole
from wordorder.arrays import Float64
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.translation import (
    Decoder,
    DecoderSearch,
    TranslationModel,
    load_translation_model,
    train_translation,
    tune_translation,
)
from wordorder.translation.model import FEATURES

# MIRA for the grid: its outcome hardly depends on the seed. MERT for the objectives, as in the
# paper.
ROUNDS, MERT_STARTS = 4, 5
METRICS = {
    "bleu": wo.metric("bleu", tokenize="none"),
    "cder": wo.metric("cder"),
    "ribes": wo.metric("ribes"),
    "ter": wo.metric("ter"),
    "lr-hb4": wo.metric("lr-hb4"),
    "lr-kb4": wo.metric("lr-kb4"),
}
BLEU = "bleu(tokenize=none)"
AS_IT_STANDS, WINDOWS = "as it stands", (0, 2, 4, 6)
# Tuning for several objectives needs room to reorder; 6 is Moses' default.
OBJECTIVE_WINDOW = 6


@dataclass(frozen=True)
class Cell:
    """One system: an order of the source, a window, what it is tuned for, and a seed.

    Attributes
    ----------
    order : str
    window : int
    seed : int
    objective : str
    method : "mira" or "mert"
    weights_of : str, optional
        Another order whose tuned weights are used instead of tuning.
    reordering : "msd" or "maxent"
    """

    order: str
    window: int
    seed: int
    objective: str = BLEU
    method: str = "mira"
    weights_of: str | None = None
    reordering: str = "msd"

    @property
    def name(self) -> str:
        """The name of its files."""
        of = f"-weights of {self.weights_of}" if self.weights_of else ""
        parts = self.order, self.window, self.objective, self.method, self.seed
        of += "" if self.reordering == "msd" else f"-{self.reordering}"
        return "-".join(map(str, parts)).replace(", ", "_").replace(" ", "_") + of.replace(" ", "_")


class Systems:
    """Translates the test part by each system; what is there is not made again."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.work = sources.work / "systems"
        self.work.mkdir(parents=True, exist_ok=True)
        self.reference = _lines(sources.target("test"))
        self.english = [" ".join(words) for words in sources.english[PARTS["test"]]]

    @cache  # noqa: B019  one object a run
    def model(self, order: str, reordering: str = "msd") -> TranslationModel:
        """Return the model that is trained on the source in an order."""
        of = "" if reordering == "msd" else f"-{reordering}"
        path = self.work / f"{order.replace(', ', '_').replace(' ', '_')}{of}.model"
        if not path.exists():
            begin = time.process_time()
            text, target = self.sources.text(order, "train"), self.sources.target("train")
            train_translation(_lines(text), _lines(target), reordering=reordering).save(path)
            print(f"model {order}: {time.process_time() - begin:.1f} CPU-s", flush=True)
        return load_translation_model(path)

    def made(self, cell: Cell) -> dict[str, Any]:
        """Return what a system translated, and its weights."""
        path = self.work / f"{cell.name}.json.gz"
        if not path.exists():
            begin = time.process_time()
            found = self._make(cell)
            found["cpu_seconds"] = round(time.process_time() - begin, 1)
            packed = gzip.compress(json.dumps(found).encode(), mtime=0)
            whole(path, lambda there: there.write_bytes(packed))
            bleu = found["dev"][-1] if found["dev"] else float("nan")
            print(f"{cell.name}: {bleu:.4f}, {found['cpu_seconds']} CPU-s", flush=True)
        found = json.loads(gzip.decompress(path.read_bytes()))
        return dict(found)

    def done(self, cell: Cell) -> bool:
        """Whether a system is there."""
        return (self.work / f"{cell.name}.json.gz").exists()

    def _make(self, cell: Cell) -> dict[str, Any]:
        model = self.model(cell.order, cell.reordering)
        rounds: list[float] = []
        if cell.weights_of is not None:
            other = Cell(cell.weights_of, cell.window, cell.seed, cell.objective, cell.method)
            weights = np.array(self.made(other)["weights"])
        else:
            tuned = tune_translation(
                model,
                self.sources.text(cell.order, "dev"),
                self.sources.target("dev"),
                cell.objective,
                search=DecoderSearch(window=cell.window),
                method=cell.method,
                rounds=ROUNDS,
                starts=MERT_STARTS,
                directions=4,
                seed=cell.seed,
                **self._links(cell),
            )
            weights = tuned.weights
            rounds = [made.value for made in tuned.best.rounds]
        decoder = Decoder(model, weights=weights, window=cell.window)
        found = decoder.translate(_lines(self.sources.text(cell.order, "test")))
        return {
            "weights": weights.tolist(),
            "dev": rounds,
            "text": found.lines,
            "links": [[list(link) for link in row.links] for row in found.alignments],
        }

    def _links(self, cell: Cell) -> dict[str, Any]:
        """Return the options by which LRscore gets links of the references."""
        if not cell.objective.startswith("lr"):
            return {}
        assert cell.order == "as it stands", "links are of the source as it stands"
        return {"reference_alignments": [self.sources.links_of("dev")]}

    @cache  # noqa: B019
    def statistics(self, cell: Cell) -> dict[str, Float64]:
        """Return what each metric counts for each test sentence, float64[500, k]."""
        found = self.made(cell)
        orders = self.sources.orders(cell.order)[PARTS["test"]].positions
        # From positions in the source in its order to those as it stands.
        links = [
            [(int(row[source]), target) for source, target in each]
            for row, each in zip(orders, found["links"], strict=True)
        ]
        segments = wo.Segments.from_alignments(
            self.english, found["text"], self.reference, links, self._reference_links()
        )
        return {name: statistics_in_pieces(m, segments) for name, m in METRICS.items()}

    @cache  # noqa: B019
    def _reference_links(self) -> list[list[tuple[int, int]]]:
        return [list(row.links) for row in self.sources.links[PARTS["test"]]]


def experiment(
    name: str,
    about: str | None,
    cells: Sequence[Cell],
    measured: Callable[[Systems], dict[str, Any]],
    markdown: Callable[[dict[str, Any]], str],
) -> None:
    """Make all systems, or take those that are there; measure them and keep the result."""
    given = arguments_of(about, systems=True)
    logging.getLogger("wordorder").setLevel("ERROR")
    started = time.process_time()
    systems = Systems(Sources(given.data, given.cache))
    for cell in cells if not given.so_far else ():
        systems.made(cell)
    keep(given.output, name, measured(systems), markdown, started)


def named(weights: list[float]) -> dict[str, float]:
    """Return weights by the names of their features."""
    return dict(zip(FEATURES, weights, strict=True))


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()
