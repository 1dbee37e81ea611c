"""Slow, obvious twin of the scores of the CoNLL 2018 shared task.

Zeman et al. (2018), "CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal
Dependencies", section 4: word by word, by the definitions.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from wordorder.metrics.trees.shared_task import (
    CONTENT_RELATIONS,
    FUNCTION_RELATIONS,
    UNIVERSAL_FEATURES,
)


@dataclass(frozen=True)
class Word:
    """One line of a tree; the head counts from 1."""

    form: str
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
        return {each for each in self.feats.split("|") if each.split("=")[0] in UNIVERSAL_FEATURES}


# What is written, without spaces, and its words.
Token = tuple[str, list[Word]]
Text = list[list[Token]]
Span = tuple[int, int]
FIGURES = (
    *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
    *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
)


class Placed(NamedTuple):
    """A word of a text: what it spans, and which word of the text its head is."""

    word: Word
    span: Span
    is_multiword: bool
    head: int | None


def placed(text: Text) -> tuple[list[Placed], list[Span], list[Span]]:
    """Return the words of a text, and the spans of its tokens and sentences."""
    words: list[Placed] = []
    tokens: list[Span] = []
    sentences = []
    end = 0
    for sentence in text:
        begin, before = end, len(words)
        for written, parts in sentence:
            span = end, end + len(written)
            end = span[1]
            tokens.append(span)
            for word in parts:
                head = before + word.head - 1 if word.head else None
                words.append(Placed(word, span, len(parts) > 1, head))
        sentences.append((begin, end))
    return words, tokens, sentences


def stretches(*sides: list[Placed]) -> list[Span]:
    """Return the shortest spans that cut no multiword token of either side."""
    found: list[Span] = []
    for begin, end in sorted({word.span for side in sides for word in side if word.is_multiword}):
        if found and begin < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found


def common_words(system: list[str], gold: list[str]) -> list[tuple[int, int]]:
    """Return a longest common subsequence; the tests have no form twice, so there is only one."""
    for size in range(min(len(system), len(gold)), 0, -1):
        for some in combinations(range(len(system)), size):
            for others in combinations(range(len(gold)), size):
                if [system[n].lower() for n in some] == [gold[n].lower() for n in others]:
                    return list(zip(some, others, strict=True))
    return []


def aligned(system: list[Placed], gold: list[Placed]) -> dict[int, int]:
    """Return the gold word of each word of the system that has one."""
    found = {}
    cut = stretches(system, gold)
    for begin, end in cut:
        some, others = (
            [n for n, word in enumerate(side) if begin <= word.span[0] and word.span[1] <= end]
            for side in (system, gold)
        )
        forms = [system[n].word.form for n in some], [gold[n].word.form for n in others]
        found.update({some[ours]: others[theirs] for ours, theirs in common_words(*forms)})
    outside = {
        word.span: n
        for n, word in enumerate(gold)
        if not any(word.span[0] < end and begin < word.span[1] for begin, end in cut)
    }
    for n, word in enumerate(system):
        if not word.is_multiword and word.span in outside:
            found[n] = outside[word.span]
    return found


def helpers(words: list[Placed], head: int, names: dict[int, int]) -> list[object]:
    """Return the function words of a word; `names` says what each word is called."""
    return [
        (names.get(n), each.word.relation, each.word.upos, each.word.universal)
        for n, each in enumerate(words)
        if each.head == head and each.word.relation in FUNCTION_RELATIONS
    ]


def score(figure: str, system_text: Text, gold_text: Text) -> float:
    """Return F1 in percent."""
    system, tokens, sentences = placed(system_text)
    gold, gold_tokens, gold_sentences = placed(gold_text)
    if figure in ("Tokens", "Sentences"):
        spans = (tokens, gold_tokens) if figure == "Tokens" else (sentences, gold_sentences)
        return 200 * len(set(spans[0]) & set(spans[1])) / (len(spans[0]) + len(spans[1]))
    content = figure in ("CLAS", "MLAS", "BLEX")
    names = aligned(system, gold)
    selves = {n: n for n in range(len(gold))}
    correct = 0
    for n, m in names.items():
        ours, theirs = system[n].word, gold[m].word
        head = system[n].head
        same_head = (None if head is None else names.get(head, -1)) == gold[m].head
        arc = same_head and ours.relation == theirs.relation
        lemma = theirs.lemma in ("_", ours.lemma)
        tags = ours.upos == theirs.upos and ours.universal == theirs.universal
        right = {
            "Words": True,
            "UPOS": ours.upos == theirs.upos,
            "XPOS": ours.xpos == theirs.xpos,
            "UFeats": ours.universal == theirs.universal,
            "AllTags": tags and ours.xpos == theirs.xpos,
            "Lemmas": lemma,
            "UAS": same_head,
            "LAS": arc,
            "CLAS": arc,
            "MLAS": arc and tags and helpers(system, n, names) == helpers(gold, m, selves),
            "BLEX": arc and lemma,
        }[figure]
        correct += right and (not content or theirs.relation in CONTENT_RELATIONS)
    total = sum(
        not content or each.word.relation in CONTENT_RELATIONS
        for side in (system, gold)
        for each in side
    )
    return 200 * correct / total if total else 0.0
