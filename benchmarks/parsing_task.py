"""What each parser and tagger of the benchmark is given, and how it is scored."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from wordorder.treebank.kbest import KBest
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank

# Sentences of each part with --quick.
QUICK = {"train": 500, "dev": 100, "test": 200}
Figures = dict[str, Any]
Result = TypeVar("Result")


@dataclass
class Task:
    """The treebank, and where models are kept."""

    folder: Path
    models: Path
    quick: bool

    def path(self, part: str) -> Path:
        return self.folder / f"en_ewt-ud-{part}.conllu.gz"

    def bank(self, part: str) -> Treebank:
        """Read one part."""
        bank = read_treebank(self.path(part))
        return bank[: QUICK[part]] if self.quick else bank

    def text(self, part: str) -> str:
        """Return one part as CoNLL-U."""
        with gzip.open(self.path(part), "rt", encoding="utf-8") as file:
            sentences = file.read().split("\n\n")[:-1]
        chosen = sentences[: QUICK[part]] if self.quick else sentences
        return "\n\n".join(chosen) + "\n\n"


def blank(bank: Treebank, *, tags: bool) -> Treebank:
    """Return the words, with their tags or without, and nothing else."""
    kept = ("lemma", "upos", "xpos", "feats") if tags else ()
    columns: dict[str, Any] = {name: bank.columns[name] for name in kept}
    return Treebank.from_words(rows(bank, "form")).replace(**columns)


def rows(bank: Treebank, name: str) -> list[list[str]]:
    """Return a column as lists, one a sentence."""
    strings, cuts = bank.columns[name].strings(), bank.offsets.tolist()
    return [strings[first:last] for first, last in pairwise(cuts)]


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return what the work returns, and its CPU seconds."""
    begin = time.process_time()
    result = work()
    return result, time.process_time() - begin


def agreement(found: Treebank, gold: Treebank, name: str) -> float:
    """Return the percentage of words whose column is right."""
    pairs = zip(found.columns[name].strings(), gold.columns[name].strings(), strict=True)
    return 100 * sum(a == b for a, b in pairs) / gold.words


def right_arcs(found: Treebank, gold: Treebank) -> tuple[np.ndarray[Any, Any], ...]:
    """Return which words have the right head, and which the right head and whole label."""
    head = found.heads == gold.heads
    pairs = zip(found.label.strings(), gold.label.strings(), strict=True)
    return head, head & np.array([a == b for a, b in pairs], bool)


def attachment(found: Treebank, gold: Treebank) -> Figures:
    """Return UAS and LAS in percent, punctuation included, and the share with one root."""
    head, both = right_arcs(found, gold)
    roots = np.add.reduceat((found.heads == 0).astype(np.int64), gold.offsets[:-1])
    return {
        "uas": 100 * float(head.mean()),
        "las": 100 * float(both.mean()),
        "one_root": 100 * float((roots == 1).mean()),
    }


def oracle(lists: KBest, gold: Treebank) -> Figures:
    """Return UAS and LAS of the tree of each list that is best by LAS, then UAS; in percent."""
    head, both = right_arcs(lists.trees, gold.take(lists.sentence))
    starts = lists.trees.offsets[:-1]
    heads, labelled = (np.add.reduceat(x.astype(np.int64), starts) for x in (head, both))
    order = labelled * (1 << 20) + heads
    best = np.maximum.reduceat(order, lists.offsets[:-1])
    return {
        "oracle_las": 100 * float((best >> 20).sum()) / gold.words,
        "oracle_uas": 100 * float((best & ((1 << 20) - 1)).sum()) / gold.words,
        "trees_a_sentence": len(lists.trees) / len(gold),
    }


def tried(predict: Callable[[Treebank], Treebank], gold: Treebank, *, tags: bool) -> Figures:
    """Parse the gold sentences; return scores, and sentences a CPU second."""
    words = blank(gold, tags=tags)
    predict(words[:20])
    found, seconds = timed(lambda: predict(words))
    figures = attachment(found, gold)
    if not tags:
        figures |= {name: agreement(found, gold, name) for name in ("upos", "xpos")}
    return {**figures, "rate": len(gold) / seconds}


def peak_megabytes() -> float:
    """Return the peak memory of this process, in MB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return float("nan")
