"""Phrasal cohesion against a count by brute force, and on sentences that were counted by hand."""

import random
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from tests.cli.running import ALIGNMENTS, SOURCE, TREES, call
from tests.oracles_trees import random_tree
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import InputError
from wordorder.reordering.cohesion import Crossings, phrasal_cohesion
from wordorder.treebank import Treebank


def descendants(heads: list[int], word: int) -> set[int]:
    """The word and all that reach it by going from head to head."""
    found = set()
    for start in range(1, len(heads) + 1):
        above = start
        while above not in (0, word):
            above = heads[above - 1]
        if above == word:
            found.add(start)
    return found


def brute(heads: list[int], links: set[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Crossings of heads and of modifiers, place by place: pairs, crossed, shared."""

    def targets(words: set[int]) -> set[int]:
        return {target for source, target in links if source + 1 in words}

    def add(counts: list[int], one: set[int], other: set[int]) -> None:
        if not one or not other:
            return
        spans = [set(range(min(each), max(each) + 1)) for each in (one, other)]
        overlap = spans[0] & spans[1]
        counts[0] += 1
        counts[1] += bool(overlap)
        counts[2] += bool(overlap) and all(
            place in one and place in other for place in overlap if place in one | other
        )

    head, modifier = [0, 0, 0], [0, 0, 0]
    for word in range(1, len(heads) + 1):
        below = [w for w in range(1, len(heads) + 1) if heads[w - 1] == word]
        for child in below:
            add(head, targets({word}), targets(descendants(heads, child)))
        for one, other in combinations(below, 2):
            add(modifier, targets(descendants(heads, one)), targets(descendants(heads, other)))
    return head, modifier


@settings(max_examples=80)
@given(st.integers(0, 2**32))
def test_crossings_are_those_of_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    rows = []
    for words in (0, 1, 2, rng.randrange(3, 10), rng.randrange(3, 10)):
        heads = random_tree(rng, words) if words else []
        cells = [(source, target) for source in range(words) for target in range(6)]
        rows.append((heads, set(rng.sample(cells, rng.randrange(len(cells) // 2 + 1)))))
    trees = Treebank.from_words(
        [["w"] * len(heads) for heads, _ in rows], heads=[h for h, _ in rows]
    )
    links = wo.Alignments.from_rows([sorted(each) for _, each in rows])
    found = phrasal_cohesion(trees, links)
    counted = [brute(*row) for row in rows]
    for kind, ours in enumerate((found.head, found.modifier)):
        sums = [sum(row[kind][column] for row in counted) for column in range(3)]
        assert [ours.pairs, ours.crossed, ours.shared] == sums
    assert found.cohesive == sum(not (head[1] or other[1]) for head, other in counted)
    assert found.sentences == len(rows)


def test_sentences_counted_by_hand() -> None:
    """(the old man) saw (a dog), into an order that keeps phrases, and into one that mixes them."""
    trees = Treebank.from_words(
        [["the", "old", "man", "saw", "a", "dog"]], heads=[[3, 3, 4, 0, 6, 4]]
    )
    kept = [(0, 0), (1, 1), (2, 2), (3, 5), (4, 3), (5, 4)]
    mixed = [(0, 0), (1, 1), (2, 5), (3, 3), (4, 4), (5, 2)]
    found = phrasal_cohesion(trees, wo.Alignments.from_rows([kept]))
    assert (found.cohesive, found.head, found.modifier) == (1, Crossings(5), Crossings(2))
    found = phrasal_cohesion(trees, wo.Alignments.from_rows([mixed]))
    # "saw" is inside the spans of both its phrases, and these overlap.
    assert (found.head.pairs, found.head.crossed) == (5, 2)
    assert (found.modifier.pairs, found.modifier.crossed) == (2, 1)
    # Words of one phrase on the same target word.
    found = phrasal_cohesion(trees, wo.Alignments.from_rows([[(2, 0), (3, 0)]]))
    assert found.head == Crossings(1, 1, 1)


def test_what_does_not_fit() -> None:
    trees = Treebank.from_words([["a", "b"]], heads=[[2, 0]])
    with pytest.raises(InputError, match="2 rows of links; expected 1 row"):
        phrasal_cohesion(trees, wo.Alignments.from_rows([[], []]))
    with pytest.raises(InputError, match="sentence 1: a link of word 2; expected words 0 to 1"):
        phrasal_cohesion(trees, wo.Alignments.from_rows([[(2, 0)]]))
    with pytest.raises(InputError, match="words without a head"):
        phrasal_cohesion(Treebank.from_words([["a"]]), wo.Alignments.from_rows([[]]))
    cycle = Treebank.from_words([["a", "b", "c"]], heads=[[0, 3, 2]])
    refuses(InputError, "word 2: a cycle", phrasal_cohesion, cycle, wo.Alignments.from_rows([[]]))


def test_the_command_prints_it(tmp_path: Path) -> None:
    arguments = ["reference", ALIGNMENTS, "--source", SOURCE, "--trees", TREES]
    answer = call(*arguments, "-o", tmp_path / "a.orders").good()
    assert "of 72 sentences have no crossing" in answer.stderr
    assert "head crossings: " in answer.stderr
    plain = call(*arguments[:-2]).good()
    assert plain.stdout == (tmp_path / "a.orders").read_bytes()
    refused = ["reference", "-", "--source", SOURCE, "--trees", TREES]
    call(*refused, stdin=b"").refused(2, "they must be a file")
