"""One tree to look at."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import oracles_trees as slow

from wordorder.errors import InputError
from wordorder.treebank.treebank import Margin, Tree, Treebank


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
    with pytest.raises(InputError, match="Tree, sentence 1, word 1"):
        tree([2, 1]).subtree(1)
    with pytest.raises(InputError, match="word 1: head 3"):
        tree([3, 0]).children(1)
    bare = tree([-1, -1])
    assert (bare.root, bare.roots, bare.depth, bare.children(0)) == (0, (), 0, ())


def test_words_that_are_not_there() -> None:
    for word in (-1, 3):
        with pytest.raises(IndexError, match=f"word {word} of 2"):
            tree([2, 0]).children(word)
        with pytest.raises(IndexError, match=f"word {word} of 2"):
            tree([2, 0]).subtree(word)


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
