#!/usr/bin/env python3
"""Write the system orders of the English-Japanese sample from its dependency trees.

Four files are written, one line a sentence, source positions (0-based) in target order:

unchanged.orders            the English order.
reversed.orders             the English order backwards.
head-final.orders           a simple pre-ordering rule for a head-final language (below).
head-final-mistakes.orders  the same rule on trees, or with rules, that are wrong in every
                            fourth sentence (below).

The head-final rule writes each word with its dependents, recursively, as

1. all dependents not named below (arguments, modifiers, clauses, coordinating conjunctions,
   punctuation left of the word), in source order;
2. the word itself;
3. its verb particle; its auxiliaries and copula, the nearest first; its negation (not, n't);
4. what never comes before its head: conj, flat, fixed, appos and parataxis, in source order;
5. case markers, subordinators (mark; when and the like in an adverbial clause) and relative
   pronouns and adverbs, the nearest to the word first;
6. punctuation right of the word, in source order.

Punctuation at the end of the sentence stays at the end.

The mistakes are those of a weak parser or of a rule that fails to apply. Sentence n (counted from
1) gets one if 4 divides n, the first of these that changes its order (none, if none does):

1. A prepositional phrase hangs on the wrong head: the first one of a verb with a noun of the same
   verb between the two is hung on that noun; if there is none, the first one of a noun is hung on
   the noun's head.
2. Adverbial clauses on the right of their heads are left behind, after them.
3. The root is left at its English place among its dependents.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[2] / "src" / "wordorder" / "samples" / "enja"
VERBAL = {"aux", "cop"}
NEVER_FIRST = {"conj", "flat", "fixed", "appos", "parataxis"}


@dataclass(frozen=True)
class Word:
    """A word of a tree; head is a 0-based position, -1 for the root's."""

    upos: str
    xpos: str
    feats: frozenset[str]
    head: int
    deprel: str

    @property
    def relation(self) -> str:
        """The relation without its subtype."""
        return self.deprel.partition(":")[0]


Tree = list[Word]


def read_trees(path: Path) -> Iterator[Tree]:
    """Yield the trees of a CoNLL-U file that has no multiword tokens or empty nodes."""
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        yield [
            Word(row[3], row[4], frozenset(row[5].split("|")), int(row[6]) - 1, row[7])
            for row in rows
        ]


def group(tree: Tree, position: int) -> int:
    """Return the number of the step of the rule that writes a dependent."""
    word = tree[position]
    if word.upos == "PUNCT":
        return 1 if position < word.head else 6
    if word.relation in VERBAL or word.deprel == "compound:prt" or "Polarity=Neg" in word.feats:
        return 3
    if word.relation in NEVER_FIRST:
        return 4
    wh_adverb = word.xpos == "WRB" and tree[word.head].relation == "advcl"
    if word.relation in {"case", "mark"} or wh_adverb or "PronType=Rel" in word.feats:
        return 5
    return 1


def verbal_key(tree: Tree, position: int) -> tuple[int, int]:
    """Sort the words of step 3: particle, auxiliaries from the nearest on, negation."""
    word = tree[position]
    if word.deprel == "compound:prt":
        return 0, position
    if word.relation in VERBAL:
        return 1, -position
    return 2, position


def head_final(tree: Tree, in_place: bool = False, behind: Collection[int] = ()) -> list[int]:
    """Order a tree by the rule; the root stays in place or some clauses behind if told."""
    end = len(tree)
    while end > 1 and tree[end - 1].upos == "PUNCT":
        end -= 1

    def write(head: int) -> list[int]:
        steps: dict[int, list[int]] = {step: [] for step in range(1, 8)}
        for position in range(end):
            if tree[position].head == head:
                step = 7 if position in behind else group(tree, position)
                if in_place and tree[head].head < 0 and step == 1 and position > head:
                    step = 7
                steps[step].append(position)
        steps[3].sort(key=lambda position: verbal_key(tree, position))
        steps[5].sort(key=lambda position: abs(position - head))
        steps[2] = [head]
        return [
            position
            for step in range(1, 8)
            for word in steps[step]
            for position in ([word] if word == head else write(word))
        ]

    root = next(position for position, word in enumerate(tree) if word.head < 0)
    return write(root) + list(range(end, len(tree)))


def reattached(tree: Tree) -> Tree:
    """Return the tree with a prepositional phrase on the wrong head, if there is a way."""
    marked = {word.head for word in tree if word.relation == "case"}
    phrases = [position for position in range(len(tree)) if position in marked]
    for position in phrases:
        verb = tree[position].head
        if tree[position].relation == "obl":
            for noun in range(position - 1, verb, -1):
                if tree[noun].upos in {"NOUN", "PROPN"} and tree[noun].head == verb:
                    return [*tree[:position], moved(tree[position], noun), *tree[position + 1 :]]
    for position in phrases:
        noun = tree[position].head
        if tree[position].deprel == "nmod" and tree[noun].head >= 0:
            head = tree[noun].head
            return [*tree[:position], moved(tree[position], head), *tree[position + 1 :]]
    return tree


def moved(word: Word, head: int) -> Word:
    """Return the word with another head."""
    return replace(word, head=head)


def with_mistake(tree: Tree, number: int) -> list[int]:
    """Order sentence `number` (from 1), with a mistake if it is its turn."""
    right = head_final(tree)
    if number % 4:
        return right
    clauses = {
        position
        for position, word in enumerate(tree)
        if word.relation == "advcl" and word.head < position
    }
    wrong = (
        head_final(reattached(tree)),
        head_final(tree, behind=clauses),
        head_final(tree, in_place=True),
    )
    return next((order for order in wrong if order != right), right)


def main() -> None:
    """Read the trees and write the orders."""
    parser = argparse.ArgumentParser(description="Write the system orders of the sample.")
    parser.add_argument("--samples", type=Path, default=SAMPLES, help="folder with trees.conllu")
    folder: Path = parser.parse_args().samples
    trees = list(read_trees(folder / "trees.conllu"))
    systems: dict[str, list[list[int]]] = {
        "unchanged": [list(range(len(tree))) for tree in trees],
        "reversed": [list(reversed(range(len(tree)))) for tree in trees],
        "head-final": [head_final(tree) for tree in trees],
        "head-final-mistakes": [with_mistake(tree, n) for n, tree in enumerate(trees, 1)],
    }
    for name, orders in systems.items():
        text = "".join(" ".join(map(str, order)) + "\n" for order in orders)
        (folder / f"{name}.orders").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
