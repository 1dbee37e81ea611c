"""Lists of spanning trees are those of brute force over all trees."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st
from tests.oracles_spanning_trees import NO_ARC, all_trees, is_tree, ranked_trees

from wordorder.errors import UsageError
from wordorder.parsing.graph.parser import TreeLists, tree_lists

MOST = 1 << 34


def trees_of(lists: TreeLists, offsets: npt.NDArray[np.int64], k: int, s: int) -> list[list[int]]:
    n = int(offsets[s + 1] - offsets[s])
    start = k * int(offsets[s])
    return [
        lists.heads[start + t * n : start + (t + 1) * n].tolist() for t in range(lists.counts[s])
    ]


@st.composite
def cells(draw: st.DrawFn, longest: int = 5) -> npt.NDArray[np.int64]:
    """Scores of arcs: with ties, with arcs that cannot be, with all the best at the root."""
    n = draw(st.integers(1, longest))
    most = draw(st.sampled_from([0, 1, 2, 7, 1000, MOST]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    table = rng.integers(-most, most + 1, (n, n + 1))
    if draw(st.booleans()):
        table[:, 0] = most
    if draw(st.booleans()):
        table[rng.random((n, n + 1)) < 0.3] = NO_ARC
    return table


@given(cells(), st.sampled_from([1, 2, 3, 8, 40]), st.booleans())
def test_a_list_is_the_head_of_all_trees(
    table: npt.NDArray[np.int64], k: int, forced: bool
) -> None:
    n = len(table)
    root = 1 + n // 2 if forced else 0
    offsets = np.array([0, n])
    lists = tree_lists(table.ravel(), offsets, k, np.array([root]) if forced else None)
    ranked, score = ranked_trees(table, root)
    found = [tuple(tree) for tree in trees_of(lists, offsets, k, 0)]
    assert lists.scores[0, : len(found)].tolist() == ranked[:k]
    assert [score[tree] for tree in found] == ranked[:k]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("most", [1, 1000])
def test_six_words(most: int) -> None:
    rng = np.random.default_rng(most)
    tables = rng.integers(-most, most + 1, (3, 6, 7))
    lists = tree_lists(tables.ravel(), np.arange(0, 19, 6), 30)
    for table, scores in zip(tables, lists.scores.tolist(), strict=True):
        assert scores == ranked_trees(table)[0][:30]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_long_list_has_every_tree_once(n: int) -> None:
    # Cayley: n ** (n - 1) rooted trees of n words.
    every = n ** (n - 1)
    assert len(all_trees(n)) == every
    offsets = np.array([0, n])
    for table in (np.zeros((n, n + 1), np.int64), np.arange(n * (n + 1))):
        lists = tree_lists(table.ravel(), offsets, every + 5)
        found = trees_of(lists, offsets, every + 5, 0)
        assert sorted(found) == sorted(all_trees(n).tolist())


def test_sentences_do_not_see_each_other() -> None:
    rng = np.random.default_rng(3)
    lengths = np.array([3, 0, 1, 9, 40, 2, 0])
    offsets = np.append(0, np.cumsum(lengths))
    tables = [rng.integers(-9, 9, n * (n + 1)) for n in lengths]
    together = tree_lists(np.concatenate(tables), offsets, 5)
    for s, n in enumerate(lengths):
        own = np.array([0, n])
        alone = tree_lists(tables[s], own, 5)
        assert trees_of(alone, own, 5, 0) == trees_of(together, offsets, 5, s)
        assert alone.scores[0].tolist() == together.scores[s].tolist()
    # An empty sentence has its one tree.
    assert together.counts[[1, 6]].tolist() == [1, 1]


@pytest.mark.parametrize("most", [3, MOST])
def test_long_lists_of_long_sentences(most: int) -> None:
    n = 60
    table = np.random.default_rng(most).integers(-most, most + 1, (n, n + 1))
    # Whatever the root's arcs score, there is one.
    table[:, 0] = most
    offsets = np.array([0, n])
    lists = tree_lists(table.ravel(), offsets, 50)
    found = trees_of(lists, offsets, 50, 0)
    scores = lists.scores[0].tolist()
    assert len({tuple(tree) for tree in found}) == 50
    assert all(is_tree(tree) for tree in found)
    assert scores == sorted(scores, reverse=True)
    assert scores == [int(table[np.arange(n), tree].sum()) for tree in found]
    shorter = tree_lists(table.ravel(), offsets, 7)
    assert trees_of(shorter, offsets, 7, 0) == found[:7]


def test_a_list_of_no_trees_is_refused() -> None:
    with pytest.raises(UsageError, match="k is at least 1, not 0"):
        tree_lists(np.zeros(0, np.int64), np.zeros(1, np.int64), 0)


def test_where_no_tree_can_be_there_is_none() -> None:
    table = np.array([[0, NO_ARC, 5], [0, 5, NO_ARC]])
    table[:, 0] = NO_ARC
    lists = tree_lists(table.ravel(), np.array([0, 2]), 3)
    assert lists.counts.tolist() == [0]


@pytest.mark.parametrize("spread", [5, 1000])
def test_a_single_sentence_has_the_list_that_it_has_among_others(spread: int) -> None:
    rng = np.random.default_rng(spread)
    for trial in range(300):
        n, k = int(rng.integers(0, 8)), int(rng.integers(1, 12))
        cells = rng.integers(-spread, spread, (n, n + 1))
        cells[np.arange(n), np.arange(1, n + 1)] = NO_ARC
        if trial % 3 == 0:
            cells[rng.random(cells.shape) < 0.3] = NO_ARC
        one = tree_lists(cells.ravel(), np.array([0, n]), k)
        two = tree_lists(np.concatenate([cells, cells]).ravel(), np.array([0, n, 2 * n]), k)
        count = int(two.counts[0])
        assert one.counts.tolist() == [count]
        assert one.scores[0, :count].tolist() == two.scores[0, :count].tolist()
        assert one.heads[: count * n].tolist() == two.heads[: count * n].tolist()
