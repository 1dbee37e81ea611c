"""Phrasal cohesion: whether phrases of the source stay together in the target (Fox 2002)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import read_alignments
from wordorder.arrays import group_rows
from wordorder.errors import InputError
from wordorder.messages import counted
from wordorder.text.opening import Path, display_name
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import check_trees


@dataclass(frozen=True)
class Crossings:
    """Counts of pairs of phrases, and of pairs that mix in the target.

    Attributes
    ----------
    pairs : int
        Pairs of phrases that both have links.
    crossed : int
        Pairs whose spans in the target overlap.
    shared : int
        Of these, pairs that overlap only in target words to which both are linked: one target word
        translates parts of both.
    """

    pairs: int = 0
    crossed: int = 0
    shared: int = 0

    @property
    def share(self) -> float:
        """Crossings per pair; 0 without pairs."""
        return self.crossed / self.pairs if self.pairs else 0.0

    def __add__(self, other: Crossings) -> Crossings:
        return Crossings(
            self.pairs + other.pairs, self.crossed + other.crossed, self.shared + other.shared
        )


@dataclass(frozen=True)
class Cohesion:
    """Counts of phrases of source trees that mix with others in the target.

    Attributes
    ----------
    sentences : int
    cohesive : int
        Sentences without crossings.
    head : Crossings
        Crossings of a head word with the phrase of one of its modifiers.
    modifier : Crossings
        Crossings of the phrases of two modifiers of one head.
    """

    sentences: int
    cohesive: int
    head: Crossings
    modifier: Crossings


def phrasal_cohesion(trees: Treebank, alignments: Alignments) -> Cohesion:
    """Count head crossings and modifier crossings (Fox 2002).

    A phrase is a word with all its descendants. Its span reaches from the first to the last target
    word that one of its words is linked to. In a head crossing, the span of a head word alone
    overlaps the span of one of its modifiers; in a modifier crossing, the spans of two modifiers of
    one head overlap. Precedence rules cannot remove crossings, since they only reorder the children
    of one head.

    Parameters
    ----------
    trees : Treebank
        Trees of the S source sentences; they need not be projective.
    alignments : Alignments
        S rows.

    Returns
    -------
    Cohesion
        Words and phrases without a link are not counted.

    Raises
    ------
    InputError
        If the numbers of rows differ, heads do not form a tree, or a link is out of range.

    Notes
    -----
    O(L + sum of squared numbers of children) time.

    Examples
    --------
    French "ne ... pas" is around the verb: "He does not sleep", "Il ne dort pas".

    >>> trees = Treebank.from_words([["He", "does", "not", "sleep"]], heads=[[4, 4, 4, 0]])
    >>> links = Alignments.from_rows([[(0, 0), (2, 1), (2, 3), (3, 2)]])
    >>> found = phrasal_cohesion(trees, links)
    >>> found.head, found.modifier.crossed
    (Crossings(pairs=2, crossed=1, shared=0), 0)
    """
    if len(trees) != len(alignments):
        rows, expected = counted(len(alignments), "row"), counted(len(trees), "row")
        raise InputError("phrasal cohesion", f"{rows} of links", f"{expected}, one per tree")
    if not trees.has_trees:
        raise InputError("phrasal cohesion", "words without a head", "a tree of each sentence")
    check_trees(trees, "phrasal cohesion", single_root=False)
    links = [set[int]() for _ in range(trees.words)]
    starts, lengths = trees.offsets.tolist(), trees.lengths.tolist()
    for s, row in enumerate(alignments):
        for source, target in row.links:
            if source >= lengths[s]:
                sentence_name = f"phrasal cohesion, sentence {s + 1}"
                problem = f"a link of word {source}"
                raise InputError(sentence_name, problem, f"words 0 to {lengths[s] - 1}")
            links[starts[s] + source].add(int(target))
    above = trees.above.tolist()
    # The target words that each word and its descendants are linked to.
    phrases = [set(row) for row in links]
    for word in np.argsort(-trees.depths, kind="stable").tolist():
        if above[word] >= 0:
            phrases[above[word]] |= phrases[word]
    sentence = np.repeat(np.arange(len(trees)), trees.lengths).tolist()
    children = group_rows((head, word) for word, head in enumerate(above) if head >= 0)
    head, modifier, crossed = Crossings(), Crossings(), set[int]()
    for word, word_children in children.items():
        linked = [phrases[child] for child in word_children if phrases[child]]
        with_head = _count_crossings((links[word], phrase) for phrase in linked if links[word])
        of_modifiers = _count_crossings(combinations(linked, 2))
        head, modifier = head + with_head, modifier + of_modifiers
        if with_head.crossed or of_modifiers.crossed:
            crossed.add(sentence[word])
    return Cohesion(len(trees), len(trees) - len(crossed), head, modifier)


def cohesion_of_files(
    trees: Path,
    alignments: Path,
    *,
    format: str = "auto",
    one_based: bool = False,
    strict: bool = False,
    links: str = "all",
    single_root: bool = False,
) -> Cohesion:
    """Count the crossings in a file of alignments, with a treebank of the source.

    Parameters
    ----------
    trees, alignments : path or "-"
    format, one_based, strict
        See `wordorder.read_alignments`.
    links
        The links to count, see `Alignments.counting`.
    single_root : bool
        See `wordorder.treebank.read_treebank`.

    Raises
    ------
    InputError
        If a file cannot be read, or the files have different numbers of sentences.
    """
    bank = read_treebank(trees, single_root=single_root)
    rows = read_alignments(
        alignments,
        format=format,
        one_based=one_based,
        strict=strict,
        source_lengths=bank.lengths,
        source_name=display_name(trees),
    )
    return phrasal_cohesion(bank, rows.counting(links))


def _count_crossings(pairs: Iterable[tuple[set[int], set[int]]]) -> Crossings:
    """Count pairs of sets of target words, and those whose spans overlap."""
    total = crossed = shared = 0
    for first, second in pairs:
        total += 1
        low, high = max(min(first), min(second)), min(max(first), max(second))
        if low <= high:
            crossed += 1
            overlap = {position for position in first | second if low <= position <= high}
            shared += overlap <= first & second
    return Crossings(total, crossed, shared)
