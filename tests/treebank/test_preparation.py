"""Treebanks made ready: lower case, one case, hyphenated words split."""

import os
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests import oracles_trees as slow
from tests.oracles_trees import non_projective, random_tree
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.treebank.preparation import (
    hyphen_pieces,
    in_one_case,
    lowercase,
    split_hyphens,
    with_lower_case,
)
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import NO_HEAD, Treebank
from wordorder.treebank.trees import (
    check_trees,
    crossing_arcs,
    non_projective_arcs,
    non_projective_words,
    projectivize,
)

TEXT = """\
1-2	don't-care	_	_	_	_	_	_	_	_
1	don't	do	AUX	MD	_	2	aux	2:aux	_
2	x-y	x-y	VERB	VB	A=B	0	root	0:root	_
2.1	gone	_	_	_	_	_	_	2:x	_
3	F-16s	F-16	NOUN	NNS	_	2	obj	2:obj	SpaceAfter=No
4	.	.	PUNCT	.	_	2	punct	2:punct	_

1	-	-	PUNCT	:	_	0	root	0:root	_

"""

SPLIT = """\
1-4	don't-care	_	_	_	_	_	_	_	_
1	don't	do	AUX	MD	_	4	aux	_	_
2	x	x	VERB	VB	A=B	4	hyphen	_	SpaceAfter=No
3	-	-	VERB	VB	A=B	4	hyphen	_	SpaceAfter=No
4	y	y	VERB	VB	A=B	0	root	_	_
4.1	gone	_	_	_	_	_	_	_	_
5	F	F	NOUN	NNS	_	7	hyphen	_	SpaceAfter=No
6	-	-	NOUN	NNS	_	7	hyphen	_	SpaceAfter=No
7	16s	16	NOUN	NNS	_	4	obj	_	SpaceAfter=No
8	.	.	PUNCT	.	_	4	punct	_	_

1	-	-	PUNCT	:	_	0	root	0:root	_

"""


def test_hyphens_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(TEXT)
    bank = read_treebank(path)
    assert "".join(tree.to_conllu() for tree in split_hyphens(bank)) == SPLIT
    assert split_hyphens(bank[1:]).words == 1
    labels = split_hyphens(bank, label="compound").label.strings()
    assert labels.count("compound") == 4


@given(st.integers(0, 2**32), st.booleans())
def test_trees_of_pieces_are_trees(seed: int, headed: bool) -> None:
    rng = random.Random(seed)
    rows = [
        rng.choices(["a-b", "c", "-", "d-e-f", "g-"], k=rng.randrange(5))
        for _ in range(rng.randrange(5))
    ]
    heads = [random_tree(rng, len(row)) for row in rows]
    bank = Treebank.from_words(rows, heads=heads if headed else None, upos=rows)
    split = split_hyphens(bank)
    strings, cuts = split.form.strings(), split.offsets.tolist()
    pieces = [strings[a:b] for a, b in pairwise(cuts)]
    assert pieces == [[piece for word in row for piece in hyphen_pieces(word)] for row in rows]
    assert ["".join(row) for row in pieces] == ["".join(row) for row in rows]
    assert split.upos.strings() == [w for row in rows for w in row for _ in hyphen_pieces(w)]
    if headed:
        check_trees(split)
        # The new arcs are projective, and what one dominates does not change.
        assert non_projective_arcs(split).tolist() == [sum(non_projective(row)) for row in heads]
    else:
        assert np.all(split.heads == NO_HEAD)


def test_lower_case_changes_forms_only() -> None:
    bank = Treebank.from_words([["The", "THE", "İ"]], upos=[["A", "B", "C"]], lemma=[["X"] * 3])
    low = lowercase(bank)
    assert low.form.strings() == ["the", "the", "i̇"]
    assert (low.upos.strings(), low.columns["lemma"].strings()) == (["A", "B", "C"], ["X"] * 3)


def test_a_lemma_of_other_pieces_and_hyphens_that_stay() -> None:
    bank = Treebank.from_words([["a-b", "c-d"]], lemma=[["ab", "_"]])
    assert split_hyphens(bank).columns["lemma"].strings() == ["a", "-", "b", "_", "_", "_"]
    for word in ("-", "--", "a-", "-a", "a--b", "a_-b"):
        assert hyphen_pieces(word) == [word]


SENTENCES = [row.split() for row in ("It rains", "OK !", "", "ok Then", "3 %", "straße", "NASA is")]


def test_each_sentence_counts_alone() -> None:
    """Oracle: a sentence is in both cases if lowering and raising it both change it."""
    bank = Treebank.from_words(SENTENCES)
    expected = []
    for words in SENTENCES:
        text = " ".join(words)
        expected += [text in (text.lower(), text.upper())] * len(words)
    assert in_one_case(bank.form, bank.offsets).tolist() == expected


def test_the_lower_case_of_turkish() -> None:
    bank, rows = with_lower_case(Treebank.from_words([["Isı", "İzin"]]), dotless=True)
    assert (bank.form.strings()[2:], rows.tolist()) == (["ısı", "izin"], [0])


def test_copies_are_of_the_sentences_in_both_cases() -> None:
    bank, rows = with_lower_case(Treebank.from_words(SENTENCES))
    assert rows.tolist() == [0, 3, 6]
    lowered = [bank[i : i + 1].form.strings() for i in range(len(SENTENCES), len(bank))]
    assert lowered == [["it", "rains"], ["ok", "then"], ["nasa", "is"]]


# -- Arcs that are projective, arcs that cross, lifted arcs: against their definitions. ------------

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
        refuses(InputError, "Treebank, sentence 2, word", function, bank([[0, 1], heads]))
