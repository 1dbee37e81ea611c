"""What the benchmarks work on: seeded permutations, orders, alignments, texts, files of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

import wordorder as wo
from wordorder.arrays import Int64

SHORTEST, LONGEST = 10, 40
KINDS = ("near", "random")
# Large files repeat blocks of this many rows: nothing that is measured remembers rows.
BLOCK = 100_000


def row_lengths(rows: int, seed: int = 1) -> Int64:
    """Draw the lengths of rows, uniform from 10 to 40, so 25 on average."""
    return np.random.default_rng(seed).integers(SHORTEST, LONGEST + 1, rows)


def permutations(rows: int, kind: str, seed: int = 2) -> wo.Ragged:
    """Draw permutations.

    Parameters
    ----------
    rows : int
    kind : "near" or "random"
        Chunks of about four words that move by a few places, as in translation between related
        languages; or any permutation, each as likely as the other.
    seed : int
        Rows of one number have the same lengths whatever the seed.
    """
    lengths = row_lengths(rows)
    generator = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    total = int(offsets[-1])
    row = np.repeat(np.arange(rows), lengths)
    place = np.arange(total) - offsets[row]
    if kind == "near":
        starts = generator.random(total) < 0.25
        starts[offsets[:-1]] = True
        chunk = np.cumsum(starts) - 1
        begin = place[starts] + generator.normal(0.0, 3.0, int(starts.sum()))
        key = begin[chunk]
    else:
        key = generator.random(total)
    order = np.lexsort((place, key, row))
    return wo.Ragged((order - offsets[row]).astype(np.int32), offsets)


def tiled(rows: wo.Ragged, number: int) -> wo.Ragged:
    """Repeat rows until there are `number` of them."""
    times = -(-number // len(rows))
    return wo.Ragged.concatenate([rows] * times)[:number]


def write_order_files(
    folder: Path, rows: int, kind: str, systems: int = 1
) -> tuple[Path, list[Path]]:
    """Write a reference and systems as ``.orders`` files; return their paths."""
    from wordorder.order.reading import write_rows

    block = min(rows, BLOCK)
    paths = [folder / f"{name}-{rows}-{kind}.orders" for name in ("reference", *"ABCD"[:systems])]
    for seed, path in enumerate(paths, 2):
        orders = wo.Orders(permutations(block, kind, seed))
        with path.open("wb") as stream:
            for first in range(0, rows, block):
                write_rows(orders[: min(block, rows - first)], stream)
    return paths[0], paths[1:]


def links(rows: int, kind: str, seed: int = 2) -> list[list[tuple[int, int]]]:
    """Draw word alignments: one link for most words, none for some, two for some."""
    generator = np.random.default_rng(seed)
    found = []
    for row in permutations(rows, kind, seed):
        choice = generator.random(len(row))
        pairs = [
            (source, target) for target, source in enumerate(row.tolist()) if choice[target] >= 0.1
        ]
        pairs += [
            (source, target + 1)
            for target, source in enumerate(row.tolist()[:-1])
            if choice[target] > 0.9
        ]
        found.append(pairs)
    return found


@dataclass(frozen=True)
class Translations:
    """References and hypotheses, one line of words a segment."""

    references: list[str]
    hypotheses: list[str]

    def tokens(self) -> list[tuple[list[str], list[str]]]:
        """Return pairs of reference and hypothesis as lists of words."""
        pairs = zip(self.references, self.hypotheses, strict=True)
        return [(reference.split(), hypothesis.split()) for reference, hypothesis in pairs]


# Words are stems with one of these endings, so that a stemmer finds something to do.
ENDINGS = ("", "s", "ed", "ing")
STEMS = 12_000
# Shares of the reference's words, as a middling system of machine translation has them.
SUBSTITUTED, INSERTED, DELETED, MOVED = 0.2, 0.08, 0.08, 0.03


def translations(rows: int, seed: int = 3) -> Translations:
    """Draw references of 10 to 40 words and what a system could have made of them.

    The words follow the law of Zipf and Mandelbrot. In the hypothesis words are replaced, every
    fourth time by another form of the word, left out and put in, and blocks of one to five words
    stand elsewhere.
    """
    generator = np.random.default_rng(seed)
    vocabulary, forms = _vocabulary(generator)
    shares = 1.0 / (np.arange(len(vocabulary)) + 2.7)
    shares /= shares.sum()
    lengths = row_lengths(rows)
    words = generator.choice(len(vocabulary), int(lengths.sum()), p=shares)
    total = len(words)
    other_words = generator.choice(len(vocabulary), total, p=shares)
    other_forms = forms[words, generator.integers(len(ENDINGS), size=total)]
    others = np.where(generator.random(total) < 0.25, other_forms, other_words).tolist()
    # Each word of the reference meets one fate.
    fates = generator.random(total).tolist()
    moved = generator.random(total) < MOVED
    sizes = generator.integers(1, 6, total).tolist()
    shifts = generator.integers(-8, 9, total).tolist()
    references, hypotheses = [], []
    for begin, end in pairwise([0, *np.cumsum(lengths).tolist()]):
        row = words[begin:end].tolist()
        made: list[int] = []
        for place, word in enumerate(row, begin):
            fate = fates[place]
            if fate < SUBSTITUTED:
                made.append(others[place])
            elif fate < SUBSTITUTED + INSERTED:
                made += [word, others[place]]
            elif fate >= SUBSTITUTED + INSERTED + DELETED:
                made.append(word)
        for place in np.flatnonzero(moved[begin:end]).tolist():
            block = made[place : place + sizes[begin + place]]
            del made[place : place + len(block)]
            target = max(0, place + shifts[begin + place])
            made[target:target] = block
        references.append(" ".join(vocabulary[word] for word in row))
        hypotheses.append(" ".join(vocabulary[word] for word in made))
    return Translations(references, hypotheses)


def _vocabulary(generator: np.random.Generator) -> tuple[list[str], Int64]:
    """Draw distinct words, the frequent ones first, and the forms of each by their numbers."""
    consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"
    stems: dict[str, None] = {}
    while len(stems) < STEMS:
        # The rarer, the longer: one to four syllables.
        syllables = 1 + min(3, int(len(stems) ** 0.2 * generator.random() + 0.5))
        letters = [kind[generator.integers(len(kind))] for kind in (consonants, vowels) * syllables]
        stems["".join(letters) + consonants[generator.integers(len(consonants))]] = None
    words = [stem + ending for ending in ENDINGS for stem in stems]
    # Forms with an ending are rarer than the stem, and among the most frequent words are none.
    keys = [np.arange(STEMS), *(m * (np.arange(STEMS) + 300) for m in range(2, len(ENDINGS) + 1))]
    order = np.argsort(np.concatenate(keys), kind="stable")
    number = np.empty(len(words), np.int64)
    number[order] = np.arange(len(words))
    forms = number.reshape(len(ENDINGS), STEMS).T
    return [words[place] for place in order.tolist()], forms[order % STEMS]


def write_text_files(folder: Path, rows: int) -> tuple[Path, Path]:
    """Write a reference and a system's translations; return their paths."""
    drawn = translations(min(rows, BLOCK))
    paths = folder / f"reference-{rows}.txt", folder / f"system-{rows}.txt"
    for path, lines in zip(paths, (drawn.references, drawn.hypotheses), strict=True):
        with path.open("wb") as stream:
            for first in range(0, rows, BLOCK):
                stream.write("".join(f"{line}\n" for line in lines[: rows - first]).encode())
    return paths
