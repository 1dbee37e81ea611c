"""The corpora on which rules are measured: trees, and references from links."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import wordorder as wo
from papers.otedama_trees import read_otedama_trees
from wordorder.alignment.reading import write_alignments
from wordorder.parsing.pipeline.loading import open_parser
from wordorder.treebank import Treebank, read_treebank

Sentences = list[list[str]]
SAMPLE = Path(wo.__file__).parent / "samples" / "enja"


@dataclass(frozen=True)
class Parallel:
    """Trees of the English side, the words of the other side, and links between them."""

    trees: Treebank
    target: Sentences
    links: wo.Alignments

    def reference(self, unaligned: str = "drop") -> wo.Orders:
        """Return the reference orders under a rule for unaligned words."""
        return wo.reference_orders(self.links, self.trees.lengths, unaligned=unaligned)


def parsed(words: Sentences, model: Path | str) -> Treebank:
    """Tag and parse sentences."""
    opened = open_parser(model, tags="predict")
    return opened.parsed(opened.tagged(Treebank.from_words(words), "text", 0))


def words_of(trees: Treebank) -> Sentences:
    """Return the words of each sentence."""
    words = trees.form.vocabulary.words
    return [
        [words[code] for code in row] for row in np.split(trees.form.codes, trees.offsets[1:-1])
    ]


def lines_of(path: Path) -> Sentences:
    """Return the words of each line of a compressed text."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        # Blanks alone: a word of the treebanks may hold one that does not break.
        return [line.rstrip("\n").split(" ") for line in stream]


def pud_japanese(data: Path) -> Parallel:
    """Read PUD English-Japanese: gold trees, links of content words made by hand."""
    folder = data / "pud-word-alignments" / "en-ja"
    trees = read_treebank(folder / "en.conllu.gz")
    links = wo.read_alignments(folder / "en-ja.align.gz", source_lengths=trees.lengths)
    return Parallel(trees, lines_of(folder / "ja.tok.gz"), links)


def kftt_dev(data: Path, model: Path | str) -> Parallel:
    """Read the dev set of KFTT: all links made by hand, trees by a parser."""
    folder = data / "kftt-alignments-dev"
    trees = parsed(lines_of(folder / "en.tok.gz"), model)
    links = wo.read_alignments(folder / "en-ja.align.gz", source_lengths=trees.lengths)
    return Parallel(trees, lines_of(folder / "ja.tok.gz"), links)


def wpt05_hindi(data: Path, model: Path | str) -> Parallel:
    """Read the English-Hindi links of WPT 2005, made by hand; trees by a parser."""
    with gzip.open(data / "gold-alignments" / "wpt05-en-hi" / "all.jsonl.gz", "rt") as stream:
        rows = [json.loads(line) for line in stream]
    trees = parsed([row["src_words"] for row in rows], model)
    # A word that is linked to none is linked to -1.
    links = wo.Alignments.from_rows(
        [[link for link in row["alignment"] if min(link) >= 0] for row in rows]
    )
    return Parallel(trees, [row["tgt_words"] for row in rows], links)


def pud_aligned(data: Path, language: str) -> Parallel:
    """Read PUD English and another language: gold trees, links by our own aligner."""
    english, other = (
        read_treebank(data / "ud-pud" / f"{each}_pud-ud-test.conllu.gz")
        for each in ("en", language)
    )
    target = words_of(other)
    return Parallel(english, target, wo.align(words_of(english), target))


def tanaka_pairs(data: Path) -> tuple[Sentences, Sentences]:
    """Read 50,000 short sentences in English, lower-cased, and Japanese, without links."""
    folder = data / "small_parallel_enja"
    return lines_of(folder / "train.en.gz"), lines_of(folder / "train.ja.gz")


def tanaka_orders(data: Path, scratch: Path) -> tuple[Sentences, wo.Orders]:
    """Read the English side of these pairs, and the orders that links of our own aligner give.

    Words without a link are left out of an order. SCRATCH keeps the links.
    """
    english, japanese = tanaka_pairs(data)
    links = scratch / "links.align"
    if not links.exists():
        write_alignments(wo.align(english, japanese), links)
    lengths = np.array(list(map(len, english)))
    return english, wo.reference_orders(wo.read_alignments(links), lengths, unaligned="drop")


@dataclass(frozen=True)
class Stanford:
    """KFTT sentences with Stanford trees and GIZA++ links, less those that tokens do not match."""

    trees: Treebank
    links: wo.Alignments
    left_out: int


def otedama_sample(data: Path) -> Stanford:
    """Read the sample of otedama."""
    folder = data / "kftt-preordering-otedama"
    trees = read_otedama_trees(folder / "train.trees.gz")
    pairs = zip(words_of(trees), lines_of(folder / "train.en.gz"), strict=True)
    same = np.flatnonzero([ours == theirs for ours, theirs in pairs])
    links = wo.read_alignments(folder / "train.align.gz")
    return Stanford(trees.take(same), links.take(same), len(trees) - len(same))


def otedama_output(data: Path) -> tuple[Treebank, wo.Orders, int]:
    """Read other sentences of that sample, and the orders in which otedama put them.

    Of several equal words the first is the first in its output. Returned are trees, orders, and the
    number of sentences left out because their words are others.
    """
    folder = data / "kftt-preordering-otedama"
    trees = read_otedama_trees(folder / "test.trees.gz")
    rows, kept = [], []
    outputs = [list(filter(None, line)) for line in lines_of(folder / "test-reordered.en.gz")]
    for number, (words, output) in enumerate(zip(words_of(trees), outputs, strict=True)):
        if sorted(words) != sorted(output):
            continue
        places: dict[str, list[int]] = {}
        for place, word in enumerate(words):
            places.setdefault(word, []).append(place)
        rows.append([places[word].pop(0) for word in output])
        kept.append(number)
    taken = trees.take(np.array(kept))
    return taken, wo.Orders.from_rows(rows), len(trees) - len(kept)
