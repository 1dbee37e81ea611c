#!/usr/bin/env python3
"""Write the made-up sample of judgements: outputs of six invented systems, three invented raters.

Nothing here is the work of a translation system or of a person. An output is an English sentence
of the sample `enja` with errors that this script puts into it, at rates that differ from system to
system (`SYSTEMS`):

late        a verb is moved behind what follows it in its clause, as in Japanese
swap        two neighbouring parts of a phrase change places
article     an article is left out
inflection  a word has its dictionary form
drop        a word is left out
wrong       a word is replaced by another one of the sample with the same part of speech

A rater takes points off for each of them, his own number for each kind (`RATERS`), and adds some
noise. So people and metrics agree here because both count errors that were put in, and how well
they agree says nothing about real translations.

    python -m tools.shipped.make_sample_judgements [--check]

`--check` compares with the files that are there. The same files come out on every machine: only
`random.Random.random` is used, whose numbers Python promises not to change.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[2] / "src" / "wordorder" / "samples"
SEED = 20160805
SENTENCES = 40
FEWEST_WORDS = 9
KINDS = ("late", "swap", "article", "inflection", "drop", "wrong")
# How often each kind of error is made where it can be.
SYSTEMS = {
    "alder": (0.05, 0.02, 0.10, 0.05, 0.02, 0.02),
    "birch": (0.10, 0.04, 0.20, 0.15, 0.05, 0.08),
    "cedar": (0.45, 0.12, 0.08, 0.06, 0.02, 0.03),
    "elm": (0.12, 0.03, 0.60, 0.35, 0.08, 0.12),
    "fir": (0.60, 0.20, 0.30, 0.20, 0.06, 0.08),
    "hazel": (0.80, 0.25, 0.50, 0.40, 0.12, 0.15),
}
# What each kind of error costs, of 100 points, and what the rater gives a flawless output.
RATERS = {
    "rater1": ((11.0, 9.0, 2.0, 3.0, 7.0, 10.0), 97.0),
    "rater2": ((8.0, 6.0, 3.0, 5.0, 8.0, 12.0), 90.0),
    "rater3": ((14.0, 12.0, 1.0, 2.0, 6.0, 8.0), 100.0),
}
NOISE = 7.0
# Two outputs whose points differ by less get the same rank.
TIE = 5.0
RATED, RANKED, AGAIN, IN_RANKING = 24, 30, 6, 5


@dataclass(frozen=True)
class Word:
    form: str
    lemma: str
    upos: str
    head: int


def read_trees(path: Path) -> Iterator[list[Word]]:
    for block in path.read_text("utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        yield [Word(row[1], row[2], row[3], int(row[6]) - 1) for row in rows]


class Translator:
    """A system that makes errors."""

    def __init__(self, rates: Sequence[float], words: dict[str, list[str]], seed: str) -> None:
        self._rates = dict(zip(KINDS, rates, strict=True))
        self._words = words
        self._random = random.Random(seed).random
        self.errors = dict.fromkeys(KINDS, 0)

    def output(self, tree: Sequence[Word]) -> str:
        """Return a sentence with errors, which are counted in `errors`."""
        self.errors = dict.fromkeys(KINDS, 0)
        end = len(tree) - 1 if tree[-1].upos == "PUNCT" else len(tree)
        root = next(place for place, word in enumerate(tree) if word.head < 0)
        order = [place for place in self._phrase(tree, root) if place < end]
        shown = [
            word for place in [*order, *range(end, len(tree))] for word in self._word(tree[place])
        ]
        return " ".join([shown[0][0].upper() + shown[0][1:], *shown[1:]])

    def _happens(self, kind: str) -> bool:
        happens = self._random() < self._rates[kind]
        self.errors[kind] += happens
        return happens

    def _phrase(self, tree: Sequence[Word], head: int) -> list[int]:
        """Return the places of a word and all below it, in the order of the output."""
        below = [place for place, word in enumerate(tree) if word.head == head]
        parts = [(place, self._phrase(tree, place)) for place in below]
        before = [part for place, part in parts if place < head]
        behind = [part for place, part in parts if place > head]
        moved = [part for part in behind if tree[part[0]].upos != "PUNCT"]
        if tree[head].upos in ("VERB", "AUX") and moved and self._happens("late"):
            phrase = [*before, *behind, [head]]
        else:
            phrase = [*before, [head], *behind]
        for place in range(len(phrase) - 1):
            pair = phrase[place : place + 2]
            if all(tree[part[0]].upos != "PUNCT" for part in pair) and self._happens("swap"):
                phrase[place : place + 2] = pair[::-1]
        return [place for part in phrase for place in part]

    def _word(self, word: Word) -> Iterator[str]:
        """Yield what becomes of a word: one word or none."""
        article = word.form.lower() in ("a", "an", "the")
        form = word.form if word.upos == "PROPN" or word.form == "I" else word.form.lower()
        if word.upos == "PUNCT":
            yield form
        elif article:
            if not self._happens("article"):
                yield form
        elif word.upos != "PART" and self._happens("drop"):
            return
        elif word.upos in ("NOUN", "VERB", "ADJ", "ADP") and self._happens("wrong"):
            others = [other for other in self._words[word.upos] if other != form]
            yield others[int(self._random() * len(others))]
        elif word.lemma != form and word.upos in ("NOUN", "VERB") and self._happens("inflection"):
            yield word.lemma
        else:
            yield form


class Rater:
    """A person who takes points off for errors."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._costs, self._best = RATERS[name]
        self._random = random.Random(f"{SEED} {name}").random
        self._second = 9 * 3600

    def points(self, errors: dict[str, int]) -> float:
        # Twelve uniform numbers make nearly normal noise.
        noise = sum(self._random() for _ in range(12)) - 6
        costs = sum(cost * errors[kind] for kind, cost in zip(KINDS, self._costs, strict=True))
        return min(max(self._best - costs + NOISE * noise, 0.0), 100.0)

    def drawn(self, things: Sequence[str], number: int) -> list[str]:
        """Draw some of the things, in any order."""
        keyed = sorted((self._random(), thing) for thing in things)
        return [thing for _, thing in keyed[:number]]

    def time(self) -> str:
        """Return when the next judgement is made."""
        self._second += 12 + int(40 * self._random())
        minutes, seconds = divmod(self._second, 60)
        return f"2026-03-02T{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}Z"


def ranks(points: Sequence[float]) -> list[int]:
    """Return the rank of each, 1 for the best; close ones share a rank."""
    rank_of = [0] * len(points)
    rank, last = 0, float("inf")
    for place in sorted(range(len(points)), key=lambda place: -points[place]):
        if last - points[place] >= TIE or not rank:
            rank += 1
            last = points[place]
        rank_of[place] = rank
    return rank_of


def files() -> dict[str, str]:
    """Return the text of each file of the sample."""
    trees = list(read_trees(SAMPLES / "enja" / "trees.conllu"))
    kept = [n for n, tree in enumerate(trees) if len(tree) >= FEWEST_WORDS][:SENTENCES]
    source = (SAMPLES / "enja" / "target.ja").read_text("utf-8").splitlines()
    reference = (SAMPLES / "enja" / "source.en").read_text("utf-8").splitlines()
    words: dict[str, list[str]] = {}
    for word in sorted({(w.upos, w.form.lower()) for tree in trees for w in tree}):
        words.setdefault(word[0], []).append(word[1])
    made = {
        "source.ja": [source[n] for n in kept],
        "reference.en": [reference[n] for n in kept],
    }
    errors: dict[tuple[str, str], dict[str, int]] = {}
    for name, rates in SYSTEMS.items():
        system = Translator(rates, words, f"{SEED} {name}")
        lines = []
        for item, n in enumerate(kept, 1):
            lines.append(system.output(trees[n]))
            errors[name, str(item)] = system.errors
        made[f"{name}.en"] = lines
    raters = [Rater(name) for name in RATERS]
    items = [str(item) for item in range(1, len(kept) + 1)]
    made["ratings.tsv"], means = ratings(raters, items, errors)
    made["human.seg.score"] = [
        f"{name}\t{means.get((name, item), 'None')}" for name in SYSTEMS for item in items
    ]
    made["rankings.csv"] = rankings(raters, items, errors)
    return {name: "\n".join(lines) + "\n" for name, lines in made.items()}


def ratings(
    raters: Sequence[Rater], items: Sequence[str], errors: dict[tuple[str, str], dict[str, int]]
) -> tuple[list[str], dict[tuple[str, str], str]]:
    """Return the lines of the ratings, and the mean of each output that was rated."""
    rows = ["rater\titem\tsystem\tvalue\ttime"]
    values: dict[tuple[str, str], list[int]] = {}
    for rater in raters:
        for item in sorted(rater.drawn(items, RATED), key=int):
            for name in rater.drawn(list(SYSTEMS), len(SYSTEMS)):
                value = round(rater.points(errors[name, item]))
                rows.append(f"{rater.name}\t{item}\t{name}\t{value}\t{rater.time()}")
                values.setdefault((name, item), []).append(value)
    return rows, {key: f"{sum(each) / len(each):.4g}" for key, each in values.items()}


def rankings(
    raters: Sequence[Rater], items: Sequence[str], errors: dict[tuple[str, str], dict[str, int]]
) -> list[str]:
    """Return the lines of the rankings; some are made twice by the same rater."""
    places = range(1, IN_RANKING + 1)
    header = ["srclang,trglang,srcIndex,documentId,segmentId,judgeId"]
    header += [f"system{n}Number,system{n}Id" for n in places]
    header += [f"system{n}rank" for n in places]
    rows = [",".join(header)]
    for rater in raters:
        drawn = rater.drawn(items, RANKED)
        shown = [(item, rater.drawn(list(SYSTEMS), IN_RANKING)) for item in drawn]
        for item, names in [*shown, *shown[:AGAIN]]:
            ranked = ranks([rater.points(errors[name, item]) for name in names])
            systems = ",".join(f"{list(SYSTEMS).index(name) + 1},{name}" for name in names)
            row = f"Japanese,English,{item},judged,{item},{rater.name},{systems}"
            rows.append(f"{row},{','.join(map(str, ranked))}")
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    different = []
    for name, text in files().items():
        path = SAMPLES / "judged" / name
        if not check:
            path.write_text(text, "utf-8")
        elif path.read_text("utf-8") != text:
            different.append(name)
    if different:
        print(f"other files come out: {', '.join(different)}", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
