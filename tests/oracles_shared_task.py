"""Slow, obvious twin of the scores of the CoNLL 2018 shared task, for equal words.

Zeman et al. (2018), "CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal
Dependencies", section 4: word by word, by the definitions.
"""

from dataclasses import dataclass

from wordorder.metrics.trees.shared_task import CONTENT, FEATURES, FUNCTION


@dataclass(frozen=True)
class Word:
    """One line of a tree; the head counts from 1."""

    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    label: str

    @property
    def relation(self) -> str:
        return self.label.split(":")[0]

    @property
    def universal(self) -> set[str]:
        return {each for each in self.feats.split("|") if each.split("=")[0] in FEATURES}


Tree = list[Word]
FIGURES = ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")


def helpers(tree: Tree, position: int) -> list[tuple[int, str, str, set[str]]]:
    """Return the function words of the word at a position, which counts from 1."""
    return [
        (number, word.relation, word.upos, word.universal)
        for number, word in enumerate(tree, 1)
        if word.head == position and word.relation in FUNCTION
    ]


def right(figure: str, position: int, system: Tree, gold: Tree) -> bool:
    """Say whether the system has a word right."""
    ours, theirs = system[position - 1], gold[position - 1]
    arc = ours.head == theirs.head and ours.relation == theirs.relation
    lemma = theirs.lemma in ("_", ours.lemma)
    tags = ours.upos == theirs.upos and ours.universal == theirs.universal
    return {
        "UPOS": ours.upos == theirs.upos,
        "XPOS": ours.xpos == theirs.xpos,
        "UFeats": ours.universal == theirs.universal,
        "AllTags": tags and ours.xpos == theirs.xpos,
        "Lemmas": lemma,
        "UAS": ours.head == theirs.head,
        "LAS": arc,
        "CLAS": arc,
        "MLAS": arc and tags and helpers(system, position) == helpers(gold, position),
        "BLEX": arc and lemma,
    }[figure]


def score(figure: str, pairs: list[tuple[Tree, Tree]]) -> float:
    """Return F1 in percent."""
    content = figure in ("CLAS", "MLAS", "BLEX")
    correct = predicted = wanted = 0
    for system, gold in pairs:
        for position, (ours, theirs) in enumerate(zip(system, gold, strict=True), 1):
            counts = not content or theirs.relation in CONTENT
            wanted += counts
            predicted += not content or ours.relation in CONTENT
            correct += counts and right(figure, position, system, gold)
    return 200 * correct / (predicted + wanted) if predicted + wanted else 0.0
