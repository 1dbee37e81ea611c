"""Arcs that are projective, arcs that cross, lifted arcs: against their definitions."""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles_trees as slow

from wordorder.errors import InputError
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import (
    crossing_arcs,
    non_projective_arcs,
    non_projective_words,
    projectivize,
)

EWT = Path(os.environ.get("WORDORDER_DATA", "no data"), "ud-english-ewt")


def bank(rows: list[list[int]]) -> Treebank:
    return Treebank.from_words([["w"] * len(heads) for heads in rows], heads=rows)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_all_agree_with_their_definitions(seed: int) -> None:
    rng = random.Random(seed)
    rows = [
        slow.random_tree(rng, words, roots=rng.choice([1, 1, 1, 2, 3]))
        for words in [0, 1, 2, *(rng.randrange(1, 14) for _ in range(6))]
    ]
    trees = bank(rows)
    marks = [slow.non_projective(heads) for heads in rows]
    assert non_projective_words(trees).tolist() == [mark for row in marks for mark in row]
    assert non_projective_arcs(trees).tolist() == list(map(sum, marks))
    for root in (True, False):
        expected = [slow.crossings(heads, root=root) for heads in rows]
        assert crossing_arcs(trees, root=root).tolist() == expected
    # No crossings and no arc that is not projective are the same.
    assert ((crossing_arcs(trees) > 0) == (non_projective_arcs(trees) > 0)).all()
    lifted, count = projectivize(trees)
    expected_heads = [slow.projectivized(heads) for heads in rows]
    assert lifted.heads.tolist() == [head for heads in expected_heads for head in heads]
    assert count.tolist() == [
        sum(a != b for a, b in zip(*pair, strict=True))
        for pair in zip(rows, expected_heads, strict=True)
    ]


@pytest.mark.parametrize(("part", "sentences", "arcs"), [("dev", 31, 36), ("test", 26, 27)])
def test_counts_of_a_treebank(part: str, sentences: int, arcs: int) -> None:
    path = EWT / f"en_ewt-ud-{part}.conllu.gz"
    if not path.exists():
        pytest.skip("WORDORDER_DATA names no folder with ud-english-ewt/")
    trees = read_treebank(path)
    counts = non_projective_arcs(trees)
    assert np.count_nonzero(counts) == sentences
    assert counts.sum() == arcs
    lifted, words = projectivize(trees)
    assert not non_projective_arcs(lifted).any()
    assert ((words > 0) == (counts > 0)).all()


def test_long_sentences_take_no_time() -> None:
    words = 100_000
    number = np.arange(1, words + 1)
    chain = number - 1
    flat = np.where(number == 1, 0, 1)
    # Odd words hang on word 2, even words and word 2 on word 1: from word 5 on, each odd word's
    # arc passes words that hang on word 1, and crosses their arcs.
    fans = np.where(number == 1, 0, np.where(number % 2, 2, 1))
    trees = Treebank.from_words(
        [["w"] * words] * 3, heads=[heads.tolist() for heads in (chain, flat, fans)]
    )
    assert non_projective_arcs(trees).tolist() == [0, 0, words // 2 - 2]
    assert crossing_arcs(trees).tolist() == [0, 0, sum(range(words // 2 - 1))]


@pytest.mark.parametrize("heads", [[2, 1], [3, 0], [-1, 0], [1, 0]])
def test_heads_that_are_no_tree(heads: list[int]) -> None:
    for function in (non_projective_words, non_projective_arcs, crossing_arcs, projectivize):
        with pytest.raises(InputError, match="Treebank, sentence 2, word"):
            function(bank([[0, 1], heads]))
