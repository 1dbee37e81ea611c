#!/usr/bin/env python3
"""The source orders that `translation_loop.py` translates from, made once and kept.

    python -m papers.translation.translation_orders DATA --cache WORK

All 51,000 English sentences of small_parallel_enja are parsed and put in each order: written rules,
learned orders, and R5 on the trees of five parsers. The learned orders and the targeted parser
(Katz-Brown et al. 2011) learn from links of `wordorder.align` on the first lines of the training
text; nothing of dev and test is learned from. Made alone, the orders take about a quarter of an
hour; `translation_loop.py` makes what is missing.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import wordorder as wo
from papers.hand_links import HandLinked
from papers.own_links import Corpus
from papers.rule_corpora import Sentences, lines_of
from papers.talbot_2011.talbot_parsers import PARSERS, model_of
from wordorder.alignment.reading import write_alignments
from wordorder.arrays import Ragged
from wordorder.order.reading import read_orders, write_orders
from wordorder.parsing.pipeline.loading import open_parser
from wordorder.reordering import open_rules
from wordorder.training import OrderData, OrderRecipe, train_order
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.reading import write_treebank

PARTS = {"train": slice(0, 50_000), "dev": slice(50_000, 50_500), "test": slice(50_500, 51_000)}
# The lines that the learned orders learn from.
LEARNED_FROM = slice(0, 5000)
SEED = 1


@dataclass(frozen=True)
class SourceOrder:
    """How the source is put in order: rules or a learned model, and the parser before it."""

    rules: str | None
    parser: str = "en"


# R2 to R4 are the literal forms here: the kept results are theirs. `BY_LABELS` has the others.
ORDERS = {
    "as it stands": SourceOrder(None),
    "R2": SourceOrder("R2-literal"),
    "R3": SourceOrder("R3-literal"),
    "R4": SourceOrder("R4-literal"),
    "R5": SourceOrder("R5"),
    "head-final": SourceOrder("head-final"),
    "linear": SourceOrder("learned linear"),
    "bracketing": SourceOrder("learned bracketing"),
    "consensus": SourceOrder("learned consensus"),
    "R5, greedy": SourceOrder("R5", "en, greedy"),
    "R5, baseline parser": SourceOrder("R5", "baseline"),
    "R5, targeted parser": SourceOrder("R5", "targeted"),
}
BY_LABELS = {f"{name}, by labels": SourceOrder(name) for name in ("R2", "R3", "R4")}
OF_PARSERS = {f"R5, {name}": SourceOrder("R5", name) for name in PARSERS}


class Sources:
    """The texts of both sides, and the English side in each order.

    Parameters
    ----------
    data : Path
        The folder of corpora.
    work : Path
        Where trees, models and orders are kept; what is there is not made again.
    """

    def __init__(self, data: Path, work: Path) -> None:
        self.data = data
        self.work = work
        work.mkdir(parents=True, exist_ok=True)
        folder = data / "small_parallel_enja"
        self.english: Sentences = []
        self.japanese: Sentences = []
        for part in PARTS:
            self.english += lines_of(folder / f"{part}.en.gz")
            self.japanese += lines_of(folder / f"{part}.ja.gz")

    def orders(self, name: str) -> wo.Orders:
        """Return the order of all sentences under one of the source orders above."""
        path = self.work / f"{name.replace(', ', '-').replace(' ', '_')}.orders"
        if not path.exists():
            how = (ORDERS | BY_LABELS | OF_PARSERS)[name]
            with _timed(f"order {name}"):
                if how.rules is None:
                    found = in_place([len(words) for words in self.english])
                else:
                    rules = self._model(how.rules) if " " in how.rules else how.rules
                    found = open_rules(rules).orders(self.trees(how.parser))
                whole(path, lambda there: write_orders(wo.Orders(found.positions), there))
        return read_orders(path)

    def text(self, name: str, part: str) -> Path:
        """Return the file of a part of the English side in one order."""
        path = self.work / f"{name.replace(', ', '-').replace(' ', '_')}.{part}.en"
        if not path.exists():
            rows = self.orders(name)[PARTS[part]].positions
            words = self.english[PARTS[part]]
            lines = [
                " ".join(sentence[at] for at in rows[number].tolist())
                for number, sentence in enumerate(words)
            ]
            whole(path, lambda there: _write_lines(there, lines))
        return path

    def target(self, part: str) -> Path:
        """Return the file of a part of the Japanese side."""
        path = self.work / f"{part}.ja"
        if not path.exists():
            lines = [" ".join(words) for words in self.japanese[PARTS[part]]]
            whole(path, lambda there: _write_lines(there, lines))
        return path

    @cached_property
    def links(self) -> wo.Alignments:
        """Links of all pairs in the order of the source, by our aligner."""
        path = self.work / "all.align"
        if not path.exists():
            with _timed("links"):
                found = wo.align(self.english, self.japanese)
                whole(path, lambda there: write_alignments(found, there))
        return wo.read_alignments(path)

    def links_of(self, part: str) -> Path:
        """Return the file of the links of a part, as the source stands."""
        path = self.work / f"{part}.align"
        if not path.exists():
            whole(path, lambda there: write_alignments(self.links[PARTS[part]], there))
        return path

    def references(self, part: str) -> wo.Orders:
        """Return the reference orders of a part, from its links; unaligned words are dropped."""
        lengths = np.array([len(words) for words in self.english[PARTS[part]]])
        return wo.reference_orders(self.links[PARTS[part]], lengths, unaligned="drop")

    def trees(self, parser: str) -> Treebank:
        """Return the trees of all sentences by one parser."""
        path = self.work / f"{parser.replace(', ', '-')}.conllu"
        if not path.exists():
            with _timed(f"trees of {parser}"):
                model = "en" if parser.startswith("en") else self._parser(parser)
                opened = open_parser(model, tags="predict")
                if parser.endswith("greedy"):
                    opened.parser.beam = 1  # type: ignore[attr-defined]
                found = opened.parse(self.english)
                whole(path, lambda there: write_treebank(there, found))
        return read_treebank(path)

    def _parser(self, name: str) -> Path:
        """Return one of P1 to P5, the parser of 2,000 trees, or the one with chosen trees."""
        if name in PARSERS:
            corpus = HandLinked(self.data, self.work / "talbot_parsers")
            return model_of(corpus, name, SEED)
        automatic = Corpus(self.data, _made(self.work / "self_training"))
        return automatic.base_model(SEED) if name == "baseline" else automatic.targeted_model(SEED)

    def _model(self, name: str) -> Path:
        """Return a learned order, trained on the first lines and the links of all pairs."""
        kind = name.split()[1]
        path = self.work / f"{kind}.model"
        if not path.exists():
            text, links, trees = (
                self.work / f"learned_from.{end}" for end in ("en", "align", "conllu")
            )
            _write_lines(text, [" ".join(words) for words in self.english[LEARNED_FROM]])
            write_alignments(self.links[LEARNED_FROM], links)
            write_treebank(trees, self.trees("en")[LEARNED_FROM])
            with _timed(f"learned order {kind}"):
                data = OrderData(text=text, alignments=links, trees=trees)
                train_order(data, path, OrderRecipe(model=kind, seed=SEED), resume=True)
        return path


def in_place(lengths: list[int]) -> wo.Orders:
    """Return the orders that leave the words where they are."""
    ends = np.cumsum(lengths)
    places = np.arange(int(ends[-1])) - np.repeat(ends - lengths, lengths)
    return wo.Orders(Ragged(places.astype(np.int32), np.concatenate([[0], ends]).astype(np.int64)))


@contextmanager
def _timed(what: str) -> Iterator[None]:
    """Say what something cost."""
    begin = time.process_time()
    yield
    print(f"{what}: {time.process_time() - begin:.0f} CPU-s", flush=True)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under another name first, so that it is never there in part."""
    unfinished = path.with_name(f"unfinished-{path.name}")
    write(unfinished)
    os.replace(unfinished, path)


def main() -> None:
    """Make all orders."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    data = os.environ.get("WORDORDER_DATA")
    parser.add_argument("data", type=Path, nargs="?", default=data)
    parser.add_argument("--cache", type=Path, required=True)
    given = parser.parse_args()
    sources = Sources(given.data, given.cache)
    for name in ORDERS:
        for part in PARTS:
            sources.text(name, part)
            sources.target(part)


if __name__ == "__main__":
    main()
