#!/usr/bin/env python3
"""Measure parsing over the k best tag sequences (Hall et al. 2011, section 6) on EWT dev.

    python -m papers.hall_2011.tag_sequences FOLDER

FOLDER holds ud-english-ewt. The model is ``en``, which was trained on EWT train; its tagger
predicts all tags. For each number of sequences: tags and trees of the best tree over all of them,
and the best tree that the list has. Takes about two minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import wordorder as wo
from papers.keeping import OUTPUT, write
from wordorder.parsing import open_parser
from wordorder.treebank import Treebank, read_treebank

SEQUENCES = (1, 2, 4, 8, 16)
METRICS = ("upos", "xpos", "uas", "las")
BATCH = 256


def best_of_lists(gold: Treebank, sequences: int) -> tuple[Treebank, Treebank]:
    """Return the tree that a list ranks first, and the one with the best LAS."""
    parser = open_parser("en", tags="predict")
    first, best = [], []
    for start in range(0, len(gold), BATCH):
        part = gold[start : start + BATCH]
        words = part.sentences()
        lists = parser.kbest(words, sequences, sequences=sequences)
        first.append(lists.best())
        again = part.take(lists.sentence)
        right = (lists.trees.heads == again.heads) & (
            np.array(lists.trees.label.strings()) == np.array(again.label.strings())
        )
        counts = np.add.reduceat(right.astype(np.int64), lists.trees.offsets[:-1])
        rows = [
            low + int(np.argmax(counts[low:high]))
            for low, high in zip(lists.offsets[:-1], lists.offsets[1:], strict=True)
        ]
        best.append(lists.trees.take(np.array(rows, np.int64)))
    return Treebank.concatenate(first), Treebank.concatenate(best)


def scores(trees: Treebank, gold: Treebank) -> dict[str, float]:
    """Return tag accuracy and attachment scores."""
    segments = wo.Segments.from_treebanks(trees, gold)
    return {name: round(100 * wo.metric(name).corpus_score(segments).value, 2) for name in METRICS}


def main() -> None:
    """Measure, and write the results as JSON and as a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    (path,) = (folder / "ud-english-ewt").glob("*dev.conllu.gz")
    gold = read_treebank(path)
    results = {}
    for sequences in SEQUENCES:
        first, best = best_of_lists(gold, sequences)
        results[sequences] = {"first": scores(first, gold), "best": scores(best, gold)}
    about = {"sentences": len(gold), "results": results}
    lines = [
        "# Parsing over the k best tag sequences: EWT dev, model en",
        "",
        "| k | UPOS | XPOS | UAS | LAS | best LAS in the list |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {k} | "
        + " | ".join(f"{row['first'][name]:.2f}" for name in METRICS)
        + f" | {row['best']['las']:.2f} |"
        for k, row in results.items()
    ]
    write(OUTPUT, "tag_sequences", about, "\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
