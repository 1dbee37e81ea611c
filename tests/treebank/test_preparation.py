"""Treebanks made ready: lower case, one case, hyphenated words split."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles_trees import non_projective, random_tree

from wordorder.treebank.preparation import (
    in_one_case,
    lowercase,
    split_hyphenated,
    split_hyphens,
    with_lower_case,
)
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import NO_HEAD, Treebank
from wordorder.treebank.trees import check_trees, non_projective_arcs

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
    assert pieces == [split_hyphenated(row) for row in rows]
    assert ["".join(row) for row in pieces] == ["".join(row) for row in rows]
    assert split.upos.strings() == [w for row in rows for w in row for _ in split_hyphenated([w])]
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


def test_a_lemma_of_other_pieces() -> None:
    bank = Treebank.from_words([["a-b", "c-d"]], lemma=[["ab", "_"]])
    assert split_hyphens(bank).columns["lemma"].strings() == ["a", "-", "b", "_", "_", "_"]


@pytest.mark.parametrize("word", ["-", "--", "a-", "-a", "a--b", "a_-b"])
def test_hyphens_that_stay(word: str) -> None:
    assert split_hyphenated([word]) == [word]


SENTENCES = [
    ["It", "rains"],
    ["OK", "!"],
    [],
    ["ok", "Then"],
    ["3", "%"],
    ["straße"],
    ["NASA", "is"],
]


def test_each_sentence_counts_alone() -> None:
    """Oracle: a sentence is in both cases if lowering and raising it both change it."""
    bank = Treebank.from_words(SENTENCES)
    expected = []
    for words in SENTENCES:
        text = " ".join(words)
        expected += [text in (text.lower(), text.upper())] * len(words)
    assert in_one_case(bank.form, bank.offsets).tolist() == expected


def test_copies_are_of_the_sentences_in_both_cases() -> None:
    bank, rows = with_lower_case(Treebank.from_words(SENTENCES))
    assert rows.tolist() == [0, 3, 6]
    lowered = [bank[i : i + 1].form.strings() for i in range(len(SENTENCES), len(bank))]
    assert lowered == [["it", "rains"], ["ok", "then"], ["nasa", "is"]]
