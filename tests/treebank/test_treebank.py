"""Treebanks in columns, single trees, and treebanks made ready."""

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests import oracles_trees as slow
from tests.files import data
from tests.oracles_trees import non_projective, random_tree
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.preparation import (
    hyphen_pieces,
    in_one_case,
    lowercase,
    split_hyphens,
    with_lower_case,
)
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import NO_HEAD, STRING_COLUMNS, Column, Margin, Tree, Treebank
from wordorder.treebank.trees import (
    check_trees,
    crossing_arcs,
    non_projective_arcs,
    non_projective_words,
    projectivize,
)

WORDS = st.sampled_from(["a", "b", "c", "dd", "_"])
ROWS = st.lists(st.lists(WORDS, max_size=4), max_size=6)


def bank(rows: list[list[str]]) -> Treebank:
    heads = [[i for i, _ in enumerate(row)] for row in rows]
    made = Treebank.from_words(rows, heads=heads, xpos=rows)
    return replace(made, margins=[Margin((f"# n = {i}",)) for i in range(len(rows))])


def lists(treebank: Treebank, column: str = "form") -> list[list[str]]:
    strings = treebank.columns[column].strings()
    cuts = treebank.offsets.tolist()
    return [strings[a:b] for a, b in pairwise(cuts)]


@settings(max_examples=50)
@given(ROWS, st.slices(6))
def test_slices_are_those_of_lists(rows: list[list[str]], rows_cut: slice) -> None:
    part = bank(rows)[rows_cut]
    assert lists(part) == lists(part, "xpos") == rows[rows_cut]
    assert [margin.value("n") for margin in part.margins] == [
        str(i) for i in range(len(rows))[rows_cut]
    ]
    assert part.heads.tolist() == [i for row in rows[rows_cut] for i, _ in enumerate(row)]


@settings(max_examples=40)
@given(st.lists(ROWS, max_size=4))
def test_joined_treebanks_are_joined_lists(parts: list[list[list[str]]]) -> None:
    whole = Treebank.concatenate([bank(rows) for rows in parts])
    rows = [row for part in parts for row in part]
    assert lists(whole) == rows
    assert len(whole.margins) == len(whole) == len(rows)
    assert whole.words == sum(map(len, rows))
    # A vocabulary made of several says each string once.
    assert len(set(whole.form.vocabulary.words)) == len(whole.form.vocabulary)


def test_sentences_taken_as_often_as_named() -> None:
    taken = bank([["a"], [], ["b", "c"]]).take(np.array([2, 0, 2, 1]))
    assert lists(taken) == [["b", "c"], ["a"], ["b", "c"], []]
    assert [margin.value("n") for margin in taken.margins] == ["2", "0", "2", "1"]


def test_indices() -> None:
    treebank = bank([["a"], ["b", "c"]])
    assert treebank[-1].forms == ("b", "c")
    assert [tree.forms for tree in treebank] == [("a",), ("b", "c")]
    for index in (2, -3):
        with pytest.raises(IndexError):
            treebank[index]


def test_what_is_not_said() -> None:
    treebank = Treebank.from_words([["a", "b"]])
    assert not treebank.has_trees
    assert {
        name: treebank.columns[name].strings() for name in STRING_COLUMNS if name != "form"
    } == {name: ["_", "_"] for name in STRING_COLUMNS if name != "form"}
    assert bank([["a"]]).has_trees


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"tag": [["x"]]}, "a column 'tag'; expected form, lemma, upos"),
        ({"upos": []}, "0 rows of upos; expected 1"),
        ({"upos": [["x", "y"]]}, "sentence 1: 2 of upos; expected 1 as of form"),
        ({"heads": [[]]}, "sentence 1: 0 of heads"),
        ({"heads": [[1 << 32]]}, "sentence 1: 4294967296 in heads; expected whole numbers"),
        ({"heads": [[0.5]]}, "sentence 1: 0.5 in heads"),
        ({"heads": [[None]]}, "sentence 1: None in heads"),
        ({"upos": ["X"]}, "sentence 1: 'X' as upos; expected one entry per word"),
        ({"upos": [[None]]}, "sentence 1: None in upos; expected strings"),
    ],
)
def test_columns_that_do_not_fit(columns: dict[str, list[list[str]]], message: str) -> None:
    refuses(InputError, message, Treebank.from_words, [["w"]], **columns)


def test_a_sentence_is_no_string() -> None:
    refuses(InputError, "sentence 2: 'It rains' as form", Treebank.from_words, [["Go"], "It rains"])


def test_other_columns() -> None:
    treebank = bank([["a", "b"]])
    other = treebank.replace(heads=np.array([2, 0], np.int32), upos=Column.of(["X", "Y"]))
    assert other.heads.tolist() == [2, 0]
    assert lists(other, "upos") == [["X", "Y"]]
    assert lists(treebank, "upos") == [["_", "_"]]
    refuses(InputError, "1 of upos; expected 2 words", treebank.replace, upos=Column.of(["X"]))
    refuses(InputError, "a column 'tag'", treebank.replace, tag=Column.of(["X", "Y"]))
    refuses(InputError, r"bad heads; expected int32\[2\]", treebank.replace, heads=np.array([2, 0]))


def test_a_column_may_hold_a_string_twice() -> None:
    column = Column.of(["A", "a", "B"]).map(str.lower)
    assert column.vocabulary.words == ["a", "a", "b"]
    assert column.strings() == ["a", "a", "b"]
    assert column.encode({"a": 7}, -1).tolist() == [7, 7, -1]
    assert Column.concatenate([column, column[:1]]).codes.tolist() == [0, 0, 1, 0]
    assert column.take(np.array([2, 0])).strings() == ["b", "a"]
    empty = Column(np.zeros(0, np.int32), Vocabulary([]))
    assert empty.encode({}, 0).tolist() == empty.strings() == []
    assert len(Column.concatenate([empty, Column.filled(2)])) == 2


def test_comments_by_name() -> None:
    margin = Margin(("#sent_id=a = b", "# newdoc", "# sent_id = c"))
    assert margin.value("sent_id") == "a = b"
    assert margin.value("newdoc") is None


def tree(heads: list[int]) -> Tree:
    return Treebank.from_words([["w"] * len(heads)], heads=[heads])[0]


@given(st.integers(0, 2**32), st.integers(1, 9))
def test_what_a_tree_says_of_itself(seed: int, words: int) -> None:
    heads = slow.random_tree(random.Random(seed), words, roots=1 + seed % min(2, words))
    shown = tree(heads)
    above = {word: slow.ancestors(heads, word) for word in range(1, words + 1)}
    for word in range(words + 1):
        assert shown.children(word) == tuple(w for w in above if heads[w - 1] == word)
        assert shown.subtree(word) == tuple(sorted([word, *(w for w in above if word in above[w])]))
    assert shown.roots == shown.children(0)
    assert heads[shown.root - 1] == 0
    assert shown.depth == max(map(len, above.values()))
    marks = slow.non_projective(heads)
    assert shown.non_projective == tuple(i for i, mark in enumerate(marks, 1) if mark)
    assert shown.is_projective == (not any(marks))
    assert shown.crossings == slow.crossings(heads, root=True)
    assert shown.is_tree
    assert len(shown) == words


def test_heads_that_make_no_tree() -> None:
    for heads in ([2, 1], [-1, -1], [3, 0]):
        assert not tree(heads).is_tree
        with pytest.raises(InputError):
            _ = tree(heads).non_projective
    refuses(InputError, "Tree, sentence 1, word 1", tree([2, 1]).subtree, 1)
    refuses(InputError, "word 1: head 3", tree([3, 0]).children, 1)
    bare = tree([-1, -1])
    assert (bare.root, bare.roots, bare.depth, bare.children(0)) == (0, (), 0, ())


def test_words_that_are_not_there() -> None:
    for word in (-1, 3):
        refuses(IndexError, f"word {word} of 2", tree([2, 0]).children, word)
        refuses(IndexError, f"word {word} of 2", tree([2, 0]).subtree, word)


def test_texts_and_names() -> None:
    bank = Treebank.from_words([["Es", "regnet"]] * 2, lemma=[["es", "regnen"]] * 2)
    bank.margins[0] = Margin(("# sent_id = s-1", "# text = Es regnet."))  # type: ignore[index]
    named, bare = bank
    assert (named.sent_id, named.text, repr(named)) == ("s-1", "Es regnet.", "Tree('Es regnet.')")
    assert (bare.sent_id, bare.text, bare.lemmas) == (None, "Es regnet", ("es", "regnen"))
    assert (bare.upos, bare.xpos, bare.feats, bare.labels) == (("_", "_"),) * 4
    assert named.to_conllu().startswith("# sent_id = s-1\n# text = Es regnet.\n1\tEs\tes\t")
    assert str(named) == named.to_text()
    assert named._repr_html_() == named.to_svg()


# -- Lower case, one case, hyphenated words split. -------------------------------------------------


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


def trees_with(rows: list[list[int]]) -> Treebank:
    return Treebank.from_words([["w"] * len(heads) for heads in rows], heads=rows)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_all_agree_with_their_definitions(seed: int) -> None:
    rng = random.Random(seed)
    rows = [
        slow.random_tree(rng, words, roots=rng.choice([1, 1, 1, 2, 3]))
        for words in [0, 1, 2, *(rng.randrange(1, 14) for _ in range(6))]
    ]
    trees = trees_with(rows)
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
    trees = read_treebank(data("ud-english-ewt", f"en_ewt-ud-{part}.conllu.gz"))
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
        refuses(InputError, "Treebank, sentence 2, word", function, trees_with([[0, 1], heads]))
