import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.oracles_transition import (
    Tree,
    derivations,
    is_projective,
    projective_trees,
    random_tree,
    replay,
)

from wordorder.errors import InputError
from wordorder.messages import WordOrderWarning
from wordorder.parsing.transition.features import Encoding
from wordorder.parsing.transition.system import TransitionSystem
from wordorder.treebank.treebank import Treebank

LABELS = ["a", "b", "c"]


def bank(trees: list[Tree]) -> Treebank:
    return Treebank.from_words(
        [["w"] * len(heads) for heads, _ in trees],
        heads=[heads for heads, _ in trees],
        label=[labels for _, labels in trees],
    )


@cache
def some_system() -> TransitionSystem:
    """Knows these labels, the first as the most frequent."""
    trees = bank([((0, 1, 1, 1), ("root", *LABELS)), ((0, 1), ("root", LABELS[0]))])
    return TransitionSystem.learn(trees, Encoding.learn(trees), "zhang-nivre")


def names(actions: list[int], labels: list[str]) -> list[str]:
    left, right = ([f"{name} {label}" for label in labels] for name in ("left-arc", "right-arc"))
    table = ["shift", "reduce", "pop-root", *left, *right]
    return [table[action] for action in actions]


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 9999)), max_size=4))
def test_derivations_lead_to_their_trees(sizes: list[tuple[int, int]]) -> None:
    trees = [random_tree(random.Random(seed), n, LABELS) for n, seed in sizes]
    system = some_system()
    treebank = bank(trees)
    actions, derived = system.derivations(treebank)
    assert derived.all()
    for i, tree in enumerate(trees):
        begin, end = 2 * treebank.offsets[i], 2 * treebank.offsets[i + 1]
        named = names(actions[begin:end].tolist(), list(system.labels))
        assert replay(len(tree[0]), named, LABELS) == tree


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_each_projective_tree_has_just_one_derivation(n: int) -> None:
    labels = ["a", "b"] if n < 4 else ["a"]
    reached = [tree for _, tree in derivations(n, labels)]
    assert set(reached) == projective_trees(n, labels)
    assert len(set(reached)) == len(reached)
    # A006013 of the OEIS: projective trees with one root.
    assert len(reached) == [1, 2, 7, 30, 143][n - 1] * len(labels) ** (n - 1)


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n)))
def test_only_projective_trees_with_one_root_are_derived(heads: list[int]) -> None:
    labels = ["a" if head else "root" for head in heads]
    _, derived = some_system().derivations(bank([(tuple(heads), tuple(labels))]))
    assert derived[0] == is_projective(tuple(heads))


def test_trees_that_cannot_be_built_are_named() -> None:
    system = some_system()
    good = ((0, 1), ("root", "a"))
    for bad in [((2, 0, 2), ("a", "root", "other")), ((3, 4, 0, 3), ("a", "a", "root", "a"))]:
        _, derived = system.derivations(bank([good, bad]))
        assert derived.tolist() == [True, False]
        with pytest.raises(InputError, match="sentence 2: a tree that the parser cannot build"):
            system.required_derivations(bank([good, bad]))


@pytest.mark.parametrize("head", [3, 1_000_000, 2**31 - 1, -1, -1_000_000])
def test_heads_beyond_the_sentence_lead_nowhere(head: int) -> None:
    for heads in ((head, 0), (0, head), (head,)):
        labels = ("a",) * len(heads)
        _, derived = some_system().derivations(bank([(heads, labels), ((0, 1), ("root", "a"))]))
        assert derived.tolist() == [False, True]


def test_more_labels_than_actions_are_refused() -> None:
    labels = [f"l{i}" for i in range(16_383)]
    trees = bank([((0, *[1] * len(labels)), ("root", *labels))])
    with pytest.raises(InputError, match="16383 labels; expected at most 16382"):
        TransitionSystem.learn(trees, Encoding.learn(trees), "hall")


def test_rare_tags_are_one_class_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordorder.parsing.transition.features.MOST_CLASSES", 5)
    tags = [["A"] * 4 + ["B"] * 3 + ["C"] * 2 + ["D", "E", "F"]]
    trees = Treebank.from_words(
        [["w"] * 12], xpos=tags, heads=[[0, *[1] * 11]], label=[["root", *"aaabbbccdef"]]
    )
    system = TransitionSystem.learn(trees, Encoding.learn(trees), "zhang-nivre")
    classes = system.encoding.word_classes(system.encoding.encode(trees))
    assert classes.tolist() == [2] * 4 + [3] * 3 + [4] * 5
    assert len(system.arcs) < 100
    about, arrays = system.parts()
    assert TransitionSystem.from_parts(about, arrays).derivations(trees)[1].all()


def test_other_labels_of_roots_are_told() -> None:
    trees = bank([((0,), ("root",)), ((0,), ("root",)), ((0,), ("dep",))])
    with pytest.warns(WordOrderWarning, match=r"2 labels of roots \(root, dep\)"):
        system = TransitionSystem.learn(trees, Encoding.learn(trees), "hall")
    assert system.root_label == "root"
    assert system.labels == ("dep",)


def test_long_sentences_are_derived() -> None:
    n = 20_000
    chain = (0, *range(1, n))
    labels = ("root", *["a"] * (n - 1))
    actions, derived = some_system().derivations(bank([(chain, labels)]))
    assert derived.all()
    assert np.bincount(actions).tolist()[:3] == [1, n - 1, 1]
