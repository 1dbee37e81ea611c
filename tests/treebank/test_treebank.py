"""Treebanks in columns and single trees."""

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests import oracles_trees as slow
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.treebank import COLUMNS, Column, Margin, Tree, Treebank

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
    assert {name: treebank.columns[name].strings() for name in COLUMNS if name != "form"} == {
        name: ["_", "_"] for name in COLUMNS if name != "form"
    }
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
