#!/usr/bin/env python3
"""Does the first finding of `wordorder analyze` name a difference that was planted?

    python -m papers.differences.planted_differences DATA

One of two systems is changed in one way wherever its own tree allows it: verbs to the end, nouns
before their adjectives, clitics dropped. Then the two are analysed as a user would, and the first
finding is searched for the name of what was changed. After that, how much of the difference
between real systems the sure parts of the first finding explain, on pairs fixed beforehand.
"""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from papers.keeping import arguments_of, keep
from wordorder.analysis.translations.difference import Difference, difference
from wordorder.analysis.translations.difference_sections import difference_sections
from wordorder.analysis.translations.files import reference_trees, translations_of
from wordorder.statistics.intervals import DEFAULT_PLAN
from wordorder.text.texts import Texts
from wordorder.treebank.treebank import Treebank

WMT = "human/wmt12-rr/de-en"
TED = "compare-mt-ted"
# Two systems that order words about equally well; the second one is changed.
NEAR = {
    "WMT12 de-en": ("LIMSI-Ncode-Constrained-Primary", "KIT_Phrase-Based_SMT_System"),
    "TED": ("ted.sys2", "ted.sys2"),
}
# The better one first: five pairs of the range of systems, and both of TED.
PAIRS = (
    ("TED", "ted.sys2", "ted.sys1"),
    ("WMT12 de-en", "quaero_primary", "UG-WMT12"),
    ("WMT12 de-en", "onlineB", "onlineC"),
    ("WMT12 de-en", "KIT_Phrase-Based_SMT_System", "uk-dan-moses"),
    ("WMT12 de-en", "RWTH_primary", "onlineE"),
    ("WMT12 de-en", "RWTH_primary", "jhu-hiero"),
)
MORE_PAIRS = (
    ("WMT12 de-en", "quaero_primary", "jhu-hiero"),
    ("WMT12 de-en", "uedin-wmt12", "uk-dan-moses"),
    ("WMT12 de-en", "LIMSI-Ncode-Constrained-Primary", "QCRI--primary"),
    ("WMT12 de-en", "RWTH_primary", "onlineA"),
    ("WMT12 de-en", "onlineB", "onlineD"),
    ("WMT12 de-en", "quaero_primary", "dfki-berlin"),
)
CLITICS = ("'s", "n't", "'re", "'ve", "'ll", "'m", "'d")

# Words of a changed sentence, as numbers of the old one.
Order = list[int]


@dataclass(frozen=True)
class Tree:
    """The words of a sentence, from 0: forms, tags, relations and heads (-1 for the root)."""

    form: list[str]
    upos: list[str]
    label: list[str]
    heads: list[int]

    def subtree(self, word: int) -> list[int]:
        """Return a word and all that hangs on it."""
        below = {word}
        while more := {at for at, head in enumerate(self.heads) if head in below} - below:
            below |= more
        return sorted(below)


def trees_of(bank: Treebank) -> list[Tree]:
    """Return the sentences of a treebank."""
    columns = [column.strings() for column in (bank.form, bank.upos, bank.label)]
    made = []
    for start, stop in pairwise(bank.offsets.tolist()):
        form, upos, label = (column[start:stop] for column in columns)
        made.append(Tree(form, upos, label, [head - 1 for head in bank.heads[start:stop].tolist()]))
    return made


def spans(tree: Tree, *labels: str) -> Iterator[tuple[int, int, int]]:
    """Yield words of some relations, and the ends of what hangs on each, if it is in a piece."""
    for word, label in enumerate(tree.label):
        if label.split(":")[0] in labels:
            below = tree.subtree(word)
            if below[-1] - below[0] == len(below) - 1:
                yield word, below[0], below[-1] + 1


def end(tree: Tree) -> int:
    """Return how many words there are before the last mark."""
    size = len(tree.form)
    return size - 1 if size and tree.upos[-1] == "PUNCT" else size


def moved(order: Order, start: int, stop: int, to: int) -> Order:
    """Put the words start .. stop-1 before word `to`, wherever these are now."""
    taken = [word for word in order if start <= word < stop]
    rest = [word for word in order if not start <= word < stop]
    at = rest.index(to) if to in rest else len(rest)
    return rest[:at] + taken + rest[at:]


def main_verbs(tree: Tree) -> Order:
    """Put the main verb before the last mark."""
    order = list(range(len(tree.form)))
    for word, tag in enumerate(tree.upos):
        if tag == "VERB" and tree.label[word] == "root":
            order = moved(order, word, word + 1, end(tree))
    return order


def subordinate_verbs(tree: Tree) -> Order:
    """Put the verbs of subordinate clauses behind their clauses."""
    order = list(range(len(tree.form)))
    for word, _, stop in spans(tree, "advcl", "acl", "ccomp", "xcomp"):
        if tree.upos[word] == "VERB":
            order = moved(order, word, word + 1, stop)
    return order


def without_clitics(tree: Tree) -> Order:
    """Leave out clitics."""
    return [word for word, form in enumerate(tree.form) if form not in CLITICS]


def adjectives(tree: Tree) -> Order:
    """Put adjectives behind the noun that follows."""
    order = list(range(len(tree.form)))
    for word, label in enumerate(tree.label):
        if label == "amod" and tree.heads[word] == word + 1:
            order = moved(order, word, word + 1, word + 2)
    return order


def noun_of_noun(tree: Tree) -> Order:
    """Turn "A of B" into "B of A"."""
    order = list(range(len(tree.form)))
    for word in range(1, len(order) - 1):
        nouns = tree.upos[word - 1], tree.upos[word + 1]
        if tree.form[word] == "of" and order[word] == word and nouns == ("NOUN", "NOUN"):
            order[word - 1], order[word + 1] = order[word + 1], order[word - 1]
    return order


def subjects(tree: Tree) -> Order:
    """Put subjects behind the verb that follows."""
    order = list(range(len(tree.form)))
    for word, start, stop in spans(tree, "nsubj"):
        verb = stop < len(order) and tree.upos[stop] in ("VERB", "AUX")
        if verb and tree.heads[word] >= stop:
            order = moved(order, start, stop, stop + 1)
    return order


def adverbs(tree: Tree) -> Order:
    """Put adverbs at the beginning."""
    order = list(range(len(tree.form)))
    for word, label in enumerate(tree.label):
        if label == "advmod" and word:
            order = [word, *(other for other in order if other != word)]
    return order


def phrases(tree: Tree) -> Order:
    """Put the last adverbial phrase at the beginning."""
    order = list(range(len(tree.form)))
    for _, start, stop in list(spans(tree, "obl"))[-1:]:
        order = [*range(start, stop), *(word for word in order if not start <= word < stop)]
    return order


def determiners(tree: Tree) -> Order:
    """Put determiners behind the noun."""
    order = list(range(len(tree.form)))
    for word, label in enumerate(tree.label):
        if label == "det" and tree.heads[word] > word:
            order = moved(order, word, word + 1, tree.heads[word] + 1)
    return order


def objects(tree: Tree) -> Order:
    """Put objects before their verb."""
    order = list(range(len(tree.form)))
    for word, start, stop in spans(tree, "obj"):
        if 0 <= tree.heads[word] < start:
            order = moved(order, start, stop, tree.heads[word])
    return order


# What the first finding must name.
KINDS: dict[str, tuple[Callable[[Tree], Order], tuple[str, ...]]] = {
    "main verbs to the end of the sentence": (main_verbs, ("main verbs",)),
    "verbs to the end of subordinate clauses": (
        subordinate_verbs,
        ("verbs of subordinate clauses",),
    ),
    "clitics dropped": (without_clitics, (repr("'s"), repr("n't"))),
    "adjectives behind their nouns": (adjectives, ("adjectives",)),
    "noun-of-noun reversed": (noun_of_noun, ("noun modifiers",)),
    "subjects behind their verbs": (subjects, ("subjects",)),
    "adverbs to the beginning": (adverbs, ("adverbs",)),
    "an adverbial phrase to the beginning": (phrases, ("adverbial phrases",)),
    "determiners behind their nouns": (determiners, ("determiners",)),
    "objects before their verbs": (objects, ("objects",)),
}


def lines(data: Path, corpus: str, name: str) -> list[str]:
    """Read a reference or an output; words of WMT are cut as those of TED are."""
    if corpus == "TED":
        path = data / TED / f"{name}.eng.gz"
    elif name == "reference":
        path = data / WMT / "reference.en.gz"
    else:
        path = data / WMT / "outputs" / f"{name}.en.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        text = file.read().removesuffix("\n").split("\n")
    if corpus == "TED":
        return text
    cut = [re.sub(r"(n't|'(?:s|re|ve|ll|m|d))\b", r" \1", line.replace("’", "'")) for line in text]
    return [" ".join(re.findall(r"n't|'\w+|\w+(?:[-.,]\w+)*|[^\w\s]", line)) for line in cut]


def parsed(text: list[str]) -> Treebank:
    """Parse lines of words."""
    return reference_trees(Texts.from_segments(text, text))


def planted(trees: list[Tree], change: Callable[[Tree], Order]) -> list[str]:
    """Change an output wherever its trees allow it."""
    return [" ".join(tree.form[word] for word in change(tree)) for tree in trees]


def compared(
    references: list[str], trees: Treebank, better: list[str], worse: list[str]
) -> Difference:
    """Analyse two systems; return the difference of the better one from the other."""
    found = translations_of({"A": better, "B": worse}, references, metrics="frs")
    found = replace(found, trees=trees)
    values = found.measurement(0).values()
    made = difference(found, (0, 1) if values[0] >= values[1] else (1, 0))
    assert made is not None
    return made


def sure_of(found: Difference) -> list[tuple[str, float]]:
    """Return the sure parts of the first division: families of kinds."""
    return [
        (p.name, round(p.points, 3)) for p in found.divisions["kinds of words"] if p.significant
    ]


def measured(data: Path) -> dict[str, Any]:
    """Plant each kind in each corpus, and compare the real pairs."""
    rows = []
    references = {
        corpus: lines(data, corpus, "ted.ref" if corpus == "TED" else "reference")
        for corpus in NEAR
    }
    banks = {corpus: parsed(text) for corpus, text in references.items()}
    for corpus, (better, worse) in NEAR.items():
        first, second = lines(data, corpus, better), lines(data, corpus, worse)
        trees = trees_of(parsed(second))
        for kind, (change, wanted) in KINDS.items():
            changed = planted(trees, change)
            found = compared(references[corpus], banks[corpus], first, changed)
            sections = difference_sections(found, "", DEFAULT_PLAN)
            said = sections[0].findings[0].sentence
            rows.append(
                {
                    "corpus": corpus,
                    "kind": kind,
                    "changed": sum(a != b for a, b in zip(second, changed, strict=True)),
                    "points": round(found.total.points, 3),
                    "named": any(name in said for name in wanted),
                    "largest": found.significant[0].name if found.significant else None,
                    "explained": _explained(found),
                    "finding": said,
                }
            )
            print(rows[-1])
    pairs = []
    for chosen, group in ((PAIRS, "six pairs"), (MORE_PAIRS, "more pairs")):
        for corpus, better, worse in chosen:
            systems = [lines(data, corpus, name) for name in (better, worse)]
            found = compared(references[corpus], banks[corpus], *systems)
            pairs.append(
                {
                    "group": group,
                    "corpus": corpus,
                    "pair": [better, worse],
                    "points": round(found.total.points, 3),
                    "explained": _explained(found),
                    "parts": sure_of(found),
                }
            )
            print(pairs[-1])
    return {"planted": rows, "pairs": pairs}


def _explained(found: Difference) -> float:
    return round(sum(points for _, points in sure_of(found)) / found.total.points, 3)


def markdown(results: dict[str, Any]) -> str:
    """Write both tables as a page."""
    page = [
        "# Planted differences",
        "",
        "One system is changed wherever its own tree (by the shipped parser) allows it, and the "
        "two are analysed. Named: the first finding has the name of what was changed. WMT12: the "
        "unchanged system is another one; TED: it is the same. Largest: the largest sure kind.",
        "",
        "| corpus | change | sentences | points of FRS | named | largest | explained |",
        "|---|---|---:|---:|---|---|---:|",
    ]
    for row in results["planted"]:
        named = "yes" if row["named"] else "no"
        page.append(
            f"| {row['corpus']} | {row['kind']} | {row['changed']:,} | {row['points']:.2f} | "
            f"{named} | {row['largest'] or '–'} | {100 * row['explained']:.0f} % |"
        )
    for corpus in NEAR:
        found = [row["named"] for row in results["planted"] if row["corpus"] == corpus]
        page += ["", f"{corpus}: {sum(found)} of {len(found)} kinds are named."]
    page += [
        "",
        "## Pairs of real systems",
        "",
        "Explained: the share of the difference in FRS that is in families of moved blocks (and "
        "words that only one system matches) that are each significant at 95 % after Holm's "
        "correction.",
        "",
        "| pairs | corpus | better | other | points of FRS | explained | sure parts |",
        "|---|---|---|---|---:|---:|---|",
    ]
    for row in results["pairs"]:
        parts = ", ".join(f"{name} {points:.2f}" for name, points in row["parts"])
        page.append(
            f"| {row['group']} | {row['corpus']} | {row['pair'][0]} | {row['pair'][1]} | "
            f"{row['points']:.2f} | {100 * row['explained']:.0f} % | {parts} |"
        )
    return "\n".join([*page, "", results["made"], ""])


def main() -> None:
    """Measure everything and keep it."""
    given = arguments_of(__doc__)
    started = time.process_time()
    keep(given.output, Path(__file__).stem, measured(given.data), markdown, started)


if __name__ == "__main__":
    main()
