#!/usr/bin/env python3
"""Compare the heads that `wordorder convert` finds with those of the Penn Treebank sample of NLTK.

    python -m papers.learned_orders.bracket_heads FOLDER BRACKETS

FOLDER holds ptb-sample-nltk, whose trees have heads but no labels and no brackets. BRACKETS is a
folder with files ``wsj_*.mrg`` of the same sentences, as the treebank has them: here three of those
that NLTK's repository had in data/corpora/treebank/combined; no rule was adjusted on them.
Sentences are paired by their words; punctuation does not count. Takes seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from papers.keeping import OUTPUT, write
from wordorder.treebank import Tree, dependencies, read_brackets, read_treebank
from wordorder.treebank.brackets.heads import PUNCTUATION_TAGS, STYLES


def plain(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words as they are in both files."""
    signs = {"(": "-LRB-", ")": "-RRB-", "{": "-LCB-", "}": "-RCB-"}
    return tuple(signs.get(word, word).replace("\\/", "/") for word in words)


def same_heads(found: Tree, gold: Tree) -> list[bool]:
    """Return for each word that is no punctuation whether it has the same head."""
    return [
        ours == theirs
        for ours, theirs, tag in zip(found.heads, gold.heads, gold.xpos, strict=True)
        if tag not in PUNCTUATION_TAGS
    ]


def main() -> None:
    """Measure, and write the results as JSON and as a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("brackets", type=Path)
    arguments = parser.parse_args()
    (path,) = (arguments.folder / "ptb-sample-nltk").glob("*.conllu.gz")
    gold = {plain(tree.forms): tree for tree in read_treebank(path)}
    files = sorted(arguments.brackets.glob("wsj_*.mrg"))
    trees = [each.tree for file in files for each in read_brackets(file)]
    lines = ["# Heads of converted trees and those of the sample", ""]
    lines += ["| heads | sentences | words | UAS |", "|---|---|---|---|"]
    results = {}
    for style in STYLES:
        pairs = [(tree, gold.get(plain(tree.forms))) for tree in dependencies(trees, style=style)]
        right = [same_heads(tree, other) for tree, other in pairs if other is not None]
        words = sum(map(len, right))
        uas = 100 * sum(map(sum, right)) / words
        results[style] = {"sentences": len(right), "words": words, "uas": round(uas, 2)}
        lines.append(f"| {style} | {len(right)} | {words} | {uas:.2f} |")
    about = {"files": [file.name for file in files], "results": results}
    write(OUTPUT, "bracket_heads", about, "\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
