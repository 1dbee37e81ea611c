"""Sentences whose links to Japanese were made by hand, half to learn from and half to test on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import wordorder as wo
from papers.rule_corpora import lines_of, pud_japanese, words_of
from wordorder.arrays import Int64
from wordorder.order.reading import write_orders
from wordorder.parsing.given_tags import without_tags
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.reading import write_treebank

TREES = 2000
SETS = ("PUD", "KFTT")


class HandLinked:
    """PUD English-Japanese and the dev set of KFTT, in two halves, and the trees of EWT.

    A word without a link is left out of the reference order (`drop`). Every other distinct sentence
    of either set is to learn from; equal sentences are in the same half. KFTT is in lower case. PUD
    has trees made by hand, KFTT has none.

    Attributes
    ----------
    train, dev : Treebank
        The first trees of UD English EWT, and its dev part.
    tested : Treebank
        The words of the test half: those of PUD first.
    reference : Orders
        The reference orders of these.
    of_pud : int
        How many are of PUD.
    gold : Treebank
        The trees of those.
    chosen, chosen_orders : Treebank and Orders
        The words to learn from and their reference orders.
    chosen_gold : Treebank
        The trees of those that are of PUD.
    """

    def __init__(self, data: Path, scratch: Path, trees: int = TREES) -> None:
        self.scratch = scratch
        scratch.mkdir(parents=True, exist_ok=True)
        ewt = data / "ud-english-ewt"
        self.train = read_treebank(ewt / "en_ewt-ud-train.conllu.gz")[:trees]
        self.dev = read_treebank(ewt / "en_ewt-ud-dev.conllu.gz")
        self.treebank = scratch / "ewt.conllu"
        if not self.treebank.exists():
            write_treebank(self.treebank, self.train)
        pud = pud_japanese(data)
        folder = data / "kftt-alignments-dev"
        words = [words_of(pud.trees), lines_of(folder / "en.tok.gz")]
        kftt = Treebank.from_words(words[1])
        links = wo.read_alignments(folder / "en-ja.align.gz", source_lengths=kftt.lengths)
        orders = [
            pud.reference(),
            wo.reference_orders(links, kftt.lengths, unaligned="drop"),
        ]
        halves = [halved(each) for each in words]
        banks = [Treebank.from_words(words[0]), kftt]
        self.chosen = concatenated([b.take(h[0]) for b, h in zip(banks, halves, strict=True)])
        self.tested = concatenated([b.take(h[1]) for b, h in zip(banks, halves, strict=True)])
        self.chosen_orders = wo.Orders.concatenate(
            [o.take(h[0]) for o, h in zip(orders, halves, strict=True)]
        )
        self.reference = wo.Orders.concatenate(
            [o.take(h[1]) for o, h in zip(orders, halves, strict=True)]
        )
        self.of_pud = len(halves[0][1])
        self.gold = pud.trees.take(halves[0][1])
        self.chosen_gold = pud.trees.take(halves[0][0])

    def text(
        self, number: int | None = None, seed: int = 1, *, pud: bool = False
    ) -> tuple[Path, Path]:
        """Return files of sentences to choose trees for, all or so many, and of their orders."""
        rows = np.arange(len(self.chosen_gold) if pud else len(self.chosen))
        if number is not None:
            rows = np.sort(np.random.default_rng(seed).permutation(rows)[:number])
        name = f"chosen{'-pud' if pud else ''}-{len(rows)}-{seed}"
        text, orders = self.scratch / f"{name}.conllu", self.scratch / f"{name}.orders"
        if not orders.exists():
            write_treebank(text, self.chosen.take(rows))
            write_orders(self.chosen_orders.take(rows), orders)
        return text, orders

    def rows(self, name: str) -> Int64:
        """Return the test sentences of a set, or all."""
        bounds = {"PUD": (0, self.of_pud), "KFTT": (self.of_pud, len(self.tested))}
        return np.arange(*bounds.get(name, (0, len(self.tested))))


def halved(sentences: list[list[str]]) -> tuple[Int64, Int64]:
    """Return the rows of the two halves; equal sentences share one."""
    numbers: dict[tuple[str, ...], int] = {}
    of = np.array([numbers.setdefault(tuple(each), len(numbers)) for each in sentences])
    return np.flatnonzero(of % 2 == 0), np.flatnonzero(of % 2 == 1)


def concatenated(parts: list[Treebank]) -> Treebank:
    """Join sentences whose words alone are known."""
    return without_tags(Treebank.concatenate(parts))
