#!/usr/bin/env python3
"""Words that a treebank has as nouns alone: where a list of trees has them as verbs.

Katz-Brown et al. (2011, section 5.3.1) found that "click" never became a verb by targeted
self-training: their tagger gives a word of the treebank only the tags that it has there, so no list
had the right tree. Here the first 2,000 trees of UD English EWT have "plan", "book", "drop" and
"cry" as nouns alone; of the sentences of small_parallel_enja that self-training chooses from, those
with the word are counted, those whose 64-best list has a tree with the verb, and those whose best
tree by word order has it. For TnT that knows words as in the paper (seen) and that does not (open),
and for the perceptron tagger; over one tag sequence, and over 16.

    python -m papers.katz_brown_2011.verb_readings DATA SCRATCH

DATA holds ud-english-ewt and small_parallel_enja. Takes a minute on one core.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.keeping import OUTPUT, write
from papers.own_links import CHOSEN, Corpus
from wordorder.arrays import Int64
from wordorder.parsing import TnT, open_parser
from wordorder.parsing.pipeline.loading import ParsingPipeline
from wordorder.reordering import open_rules
from wordorder.training import OrderCost, best_of_lists
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.preparation import tagged_as

WORDS = ("plan", "book", "drop", "cry")
K = 64
SEQUENCES = (1, 16)


def verbs(trees: Treebank, word: str) -> Int64:
    """Return the trees in which a word is a verb."""
    forms = trees.form.vocabulary.words
    numbers = [number for number, form in enumerate(forms) if form.lower() == word]
    found = np.isin(trees.form.codes, numbers) & tagged_as(trees, "verb")
    rows = np.repeat(np.arange(len(trees)), trees.lengths)
    return np.unique(rows[found])


def readings(
    opened: ParsingPipeline, corpus: Corpus, sequences: int
) -> tuple[dict[str, Any], list[str]]:
    """Count the verb readings of each word, and describe those that are chosen."""
    orders = wo.read_orders(corpus.orders)
    text = corpus.text.read_text().splitlines()
    counts: dict[str, Any] = {}
    shown = []
    for word in WORDS:
        rows = np.array([row for row, line in enumerate(text) if word in line.split()])
        lists = opened.kbest([text[row] for row in rows], K, sequences=sequences)
        scores = -OrderCost(open_rules("R5"), orders)(lists, rows)
        best = best_of_lists(scores, lists.offsets)
        with_verb = verbs(lists.trees, word)
        chosen = np.intersect1d(best, with_verb)
        counts[word] = {
            "sentences": len(rows),
            "first": len(np.intersect1d(lists.offsets[:-1], with_verb)),
            "in the list": len(np.unique(lists.sentence[with_verb])),
            "chosen": len(chosen),
        }
        for tree in chosen.tolist():
            row = int(lists.sentence[tree])
            first = 1 + scores[lists.offsets[row]]
            shown.append(
                f"{text[rows[row]]!r}: {word!r} is a verb in tree {int(lists.rank[tree])}, whose "
                f"order scores {1 + scores[tree]:.2f}; that of the first tree {first:.2f}"
            )
    return counts, shown


def main() -> None:
    """Count, and keep the result."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("scratch", type=Path)
    given = options.parse_args()
    given.scratch.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(given.data, given.scratch)
    parser = open_parser(corpus.base_model(1))
    treebank = read_treebank(corpus.treebank())
    taggers = {
        "tnt, seen": TnT.train(treebank, known_words="seen", lowercase=True),
        "tnt, open": TnT.train(treebank, known_words="open", lowercase=True),
        "perceptron": parser.tagger,
    }
    found: dict[str, Any] = {}
    lines = ["| tagger | tag sequences | " + " | ".join(WORDS) + " |", "|---|---|---|---|---|---|"]
    cases: list[str] = []
    for name, tagger in taggers.items():
        for sequences in SEQUENCES:
            opened = ParsingPipeline(parser.parser, tagger, "predict", name=name)
            counts, shown = readings(opened, corpus, sequences)
            found[f"{name}, {sequences}"] = {"counts": counts, "chosen": shown}
            cells = ["/".join(map(str, counts[word].values())) for word in WORDS]
            lines.append(f"| {name} | {sequences} | " + " | ".join(cells) + " |")
            cases += [f"- {name}, {sequences} tag sequences: {case}" for case in shown]
    about = (
        f"Sentences {CHOSEN.start + 1} to {CHOSEN.stop} with the word / those whose first tree has "
        "the verb / those whose list has it / those whose chosen tree has it.\n\n"
    )
    text = about + "\n".join([*lines, "", *cases]) + "\n"
    write(OUTPUT, "verb_readings", found, text)
    print(text)


if __name__ == "__main__":
    main()
