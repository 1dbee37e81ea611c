"""Slow, obvious twins of the metrics of dependency trees: word by word, by the definitions."""

import unicodedata
from dataclasses import dataclass
from fractions import Fraction

UNIVERSAL_TAGS = (
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
)


@dataclass(frozen=True)
class Word:
    """One line of a tree."""

    form: str
    upos: str
    xpos: str
    head: int
    label: str


Tree = list[Word]
Pairs = list[tuple[Tree, Tree]]


def with_words(pairs: Pairs) -> Pairs:
    """Return the pairs that are scored: a sentence without words is left out."""
    return [pair for pair in pairs if pair[1]]


def counts(gold: Word, punctuation: str) -> bool:
    """Say whether a word counts."""
    marks = all(unicodedata.category(letter)[0] == "P" for letter in gold.form)
    if punctuation == "include":
        return True
    if punctuation == "exclude" and gold.upos in UNIVERSAL_TAGS:
        return gold.upos != "PUNCT"
    return not marks


def same_label(a: str, b: str, subtypes: str) -> bool:
    if subtypes == "drop":
        a, b = a.split(":")[0], b.split(":")[0]
    return a == b


def attachment(
    pairs: Pairs, *, labelled: bool = False, subtypes: str = "keep", punctuation: str = "include"
) -> Fraction:
    """Return UAS or LAS."""
    right = total = 0
    for system, gold in pairs:
        for ours, theirs in zip(system, gold, strict=True):
            if counts(theirs, punctuation):
                total += 1
                if ours.head == theirs.head and (
                    not labelled or same_label(ours.label, theirs.label, subtypes)
                ):
                    right += 1
    return Fraction(right, total) if total else Fraction(bool(pairs))


def arc_length(
    pairs: Pairs,
    *,
    labelled: bool = False,
    root: str = "exclude",
    subtypes: str = "keep",
    punctuation: str = "include",
    average: str = "micro",
) -> Fraction:
    """Return ALS; each word from place 1 on, the artificial root in place 0."""
    if average == "segment" and pairs:
        options = {"root": root, "subtypes": subtypes, "punctuation": punctuation}
        scores = [arc_length([pair], labelled=labelled, **options) for pair in pairs]
        return sum(scores, Fraction(0)) / len(scores)
    right = total = 0
    for system, gold in pairs:
        for place, (ours, theirs) in enumerate(zip(system, gold, strict=True), 1):
            if not counts(theirs, punctuation) or (root == "exclude" and theirs.head == 0):
                continue
            length = abs(place - theirs.head)
            total += length
            if ours.head == theirs.head and (
                not labelled or same_label(ours.label, theirs.label, subtypes)
            ):
                right += length
    return Fraction(right, total) if total else Fraction(bool(pairs))


def exact(pairs: Pairs, *, punctuation: str = "include") -> Fraction:
    """Return the share of sentences without a wrong head."""
    right = 0
    for system, gold in pairs:
        right += all(
            ours.head == theirs.head
            for ours, theirs in zip(system, gold, strict=True)
            if counts(theirs, punctuation)
        )
    return Fraction(right, len(pairs)) if pairs else Fraction(0)


def f1(ours: set[object], theirs: set[object], anything: bool) -> Fraction:
    """Return the harmonic mean of precision and recall of two sets."""
    if not ours and not theirs:
        return Fraction(anything)
    common = len(ours & theirs)
    if not common:
        return Fraction(0)
    precision, recall = Fraction(common, len(ours)), Fraction(common, len(theirs))
    return 2 * precision * recall / (precision + recall)


def root_f1(pairs: Pairs, *, punctuation: str = "include") -> Fraction:
    sides: tuple[set[object], set[object]] = (set(), set())
    for number, (system, gold) in enumerate(pairs):
        for found, tree in zip(sides, (system, gold), strict=True):
            for place, word in enumerate(tree):
                if word.head == 0 and counts(gold[place], punctuation):
                    found.add((number, place))
    return f1(*sides, bool(pairs))


def label_f1(
    pairs: Pairs,
    *,
    label: str,
    head: str = "match",
    subtypes: str = "keep",
    punctuation: str = "include",
) -> Fraction:
    sides: tuple[set[object], set[object]] = (set(), set())
    for number, (system, gold) in enumerate(pairs):
        for found, tree in zip(sides, (system, gold), strict=True):
            for place, word in enumerate(tree):
                if same_label(word.label, label, subtypes) and counts(gold[place], punctuation):
                    found.add((number, place, word.head if head == "match" else None))
    return f1(*sides, bool(pairs))


def tags(pairs: Pairs, column: str, *, punctuation: str = "include") -> Fraction:
    """Return the accuracy of tags over words that have a gold tag."""
    right = total = sentences = 0
    for system, gold in pairs:
        tagged = [getattr(word, column) != "_" for word in gold]
        sentences += any(tagged)
        for ours, theirs, has_one in zip(system, gold, tagged, strict=True):
            if has_one and counts(theirs, punctuation):
                total += 1
                right += getattr(ours, column) == getattr(theirs, column)
    return Fraction(right, total) if total else Fraction(bool(sentences))
