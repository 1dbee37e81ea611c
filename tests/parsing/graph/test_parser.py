"""The graph parser learns, lists trees exactly, and can be written and read."""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.oracles_spanning_trees import is_tree, ranked_trees
from tests.parsing.graph.small_trees import random_trees, ten_sentences
from tests.parsing.toy import learnt
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.errors import InputError, ModelError, UsageError
from wordorder.parsing.base import ListParser
from wordorder.parsing.graph import parser as parser_module
from wordorder.parsing.graph.arc_scores import ArcScores
from wordorder.parsing.graph.parser import GraphLearner, GraphParser
from wordorder.parsing.weights import UNIT, Weights
from wordorder.treebank.treebank import NO_HEAD, Treebank


def trained(bank: Treebank, epochs: int, **options: Any) -> GraphParser:
    found: GraphParser = learnt(GraphLearner(bank, **options), epochs)
    return found


@pytest.fixture(scope="module")
def parser() -> GraphParser:
    return trained(ten_sentences(), 12)


@pytest.fixture(scope="module")
def others() -> Treebank:
    return random_trees(np.random.default_rng(1), [3, 1, 6, 0, 5, 20, 2, 4])


def trees(bank: Treebank) -> list[list[int]]:
    return [bank.heads[bank.offsets[s] : bank.offsets[s + 1]].tolist() for s in range(len(bank))]


def test_ten_sentences_are_learnt_with_crossing_arcs_and_all(parser: GraphParser) -> None:
    bank = ten_sentences()
    parsed = parser.parse(bank)
    assert parsed.heads.tolist() == bank.heads.tolist()
    assert parsed.label.strings() == bank.label.strings()
    assert isinstance(parser, ListParser)


@pytest.mark.parametrize("options", [{"lowercase": True}, {"least": 2}, {"features": "rich"}])
def test_words_may_be_lowercased_and_rare_ones_unknown(options: dict[str, Any]) -> None:
    bank = ten_sentences()
    upper = bank.replace(form=bank.form.map(str.upper))
    model = trained(bank, 12, **options)
    assert (model.parse(upper).heads.tolist() == bank.heads.tolist()) or "lowercase" not in options
    assert model.parse(bank).heads.tolist() == bank.heads.tolist()


def test_a_list_is_the_head_of_all_trees(parser: GraphParser, others: Treebank) -> None:
    lists = parser.kbest(others, 8)
    arcs = ArcScores(parser.numbering, parser.choice, others, parser.features)
    assert lists.scores.tolist() == parser.score(lists.trees).tolist()
    for s, n in enumerate(others.lengths.tolist()):
        own = lists[s : s + 1]
        found = trees(own.trees)
        scores = (own.scores * UNIT).astype(int).tolist()
        assert all(is_tree(tree) for tree in found if n)
        assert len({tuple(tree) for tree in found}) == len(found)
        assert scores == sorted(scores, reverse=True)
        if 0 < n <= 6:
            cells, _ = arcs.score(parser.weights, s, s + 1)
            assert scores == ranked_trees(cells.reshape(n, n + 1))[0][:8]
    best = parser.parse(others)
    assert trees(lists.best()) == trees(best)
    assert lists.best().label.strings() == best.label.strings()


def test_the_root_can_be_forced(parser: GraphParser, others: Treebank) -> None:
    roots = np.array([2, 1, 6, 0, 1, 11, 2, 0])
    lists = parser.kbest(others, 5, roots=roots)
    for s, root in enumerate(roots.tolist()):
        for tree in trees(lists[s : s + 1].trees):
            assert tree.count(0) == (1 if tree else 0)
            assert not root or tree[root - 1] == 0
    assert trees(lists.best()) == trees(parser.parse(others, roots=roots.tolist()))
    for bad in ([1], [0.5] * 8, [4, 0, 0, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0, 0, 0]):
        refuses(UsageError, "root", parser.parse, others, roots=bad)


def test_pieces_and_threads_change_nothing(
    parser: GraphParser, others: Treebank, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = parser.kbest(others, 3)
    monkeypatch.setattr(parser_module, "CELLS", 30)
    for cut in with_threads(lambda: parser.kbest(others, 3)):
        assert cut.trees.heads.tolist() == whole.trees.heads.tolist()
        assert cut.trees.label.strings() == whole.trees.label.strings()
        assert cut.scores.tolist() == whole.scores.tolist()
        assert cut.offsets.tolist() == whole.offsets.tolist()


def test_no_sentences_give_no_trees(parser: GraphParser) -> None:
    none = ten_sentences()[:0]
    assert len(parser.parse(none)) == len(parser.kbest(none)) == 0
    assert len(parser.kbest(Treebank.from_words([[]])).trees) == 1


def test_averaged_weights_are_the_mean_over_all_instances() -> None:
    learner = GraphLearner(ten_sentences())
    weights = learner.new_weights()
    rows = np.random.default_rng(4).permutation(np.tile(np.arange(10), 3))
    total: dict[tuple[int, int], int] = {}
    for before in range(len(rows)):
        learner.learn(rows[before : before + 1], weights, before)
        for entry, value in entries(weights).items():
            total[entry] = total.get(entry, 0) + value
    averaged = entries(weights.averaged(len(rows)))
    half = Fraction(1, 2)
    assert averaged.keys() <= total.keys()
    assert len(total) > 100
    for entry, value in total.items():
        assert averaged.get(entry, 0) == (Fraction(value, len(rows)) + half).__floor__()


def entries(weights: Weights) -> dict[tuple[int, int], int]:
    keys, counts, actions, values, _ = weights.rows()
    pairs = zip(np.repeat(keys, counts).tolist(), actions.tolist(), strict=True)
    return dict(zip(pairs, values.tolist(), strict=True))


def test_learning_in_one_call_or_in_many_is_the_same() -> None:
    learner = GraphLearner(ten_sentences())
    one, many = learner.new_weights(), learner.new_weights()
    rows = np.tile(np.arange(10), 2)
    whole = learner.learn(rows, one, before=0)
    parts = [learner.learn(rows[i : i + 1], many, before=i) for i in range(20)]
    assert sum(part.updates for part in parts) == whole.updates > 0
    assert entries(one) == entries(many)
    assert one.rows()[4].tolist() == many.rows()[4].tolist()


def test_an_update_moves_one_tree_towards_another(others: Treebank) -> None:
    learner = GraphLearner(others)
    weights = learner.new_weights()
    model = learner.model(weights)
    row = 4
    lists = model.kbest(others[row : row + 1], 2)
    (good, bad), n = trees(lists.trees), 5
    strings = lists.trees.label.strings()
    better, worse = (bad, strings[n:]), (good, strings[:n])
    gap = lists.scores[0] - lists.scores[1]
    assert learner.update(weights, row, better, worse, before=0)
    scores = model.score(lists.trees)
    sizes = []
    for one, other in ((better, worse), (worse, better)):
        mine, theirs = (list(zip(*learner.features(row, *t), strict=True)) for t in (one, other))
        sizes.append(sum(mine.count(f) ** 2 - mine.count(f) * theirs.count(f) for f in set(mine)))
    assert scores[1] - scores[0] == sum(sizes) - gap
    # The same for sentences without trees of their own.
    bare = others.replace(heads=np.full(others.words, NO_HEAD, np.int32))
    encoded, same = model.encoded(bare), learner.new_weights()
    assert encoded.update(same, row, better, worse, before=0)
    assert [array.tolist() for array in same.rows()] == [a.tolist() for a in weights.rows()]
    assert encoded.features(row, *worse)[0].tolist() == learner.features(row, *worse)[0].tolist()
    # The other way round takes everything back.
    assert learner.update(weights, row, worse, better, before=0)
    assert not any(weights.rows()[3].tolist())
    assert not learner.update(weights, row, worse, worse, before=0)


def test_features_of_a_tree_add_up_to_its_score(parser: GraphParser) -> None:
    bank = ten_sentences()
    learner = GraphLearner(bank)
    for row, heads in enumerate(trees(bank)):
        labels = bank[row : row + 1].label.strings()
        keys, actions = learner.features(row, heads, labels)
        summed = sum(
            parser.weights.row(key).get(action, 0)
            for key, action in zip(keys.tolist(), actions.tolist(), strict=True)
        )
        assert summed / UNIT == parser.score(bank[row : row + 1])[0]
        numbers = [learner.choice.labels.index(label) for label in labels]
        assert learner.features(row, heads, numbers)[0].tolist() == keys.tolist()
    # A label that is not known: the arc alone.
    found = len(learner.features(7, [0], ["new"])[0]) * 2
    assert found == len(learner.features(7, [0], ["root"])[0])


@pytest.mark.parametrize(
    ("heads", "labels", "message"),
    [
        ([0, 1], ["root"], "1 labels; expected 2"),
        ([0], ["root", "x"], "1 heads; expected 2"),
        ([0, 3], ["root", "x"], "word 2: the head is 3; expected another one of 0 to 2"),
        ([0, 2], ["root", "x"], "word 2: the head is 2"),
        ([-1, 1], ["root", "x"], "word 1: the head is -1"),
        ([0, 1], [0, 99], "label 99; expected at most"),
    ],
)
def test_arcs_of_no_tree_are_refused(heads: list[int], labels: list[Any], message: str) -> None:
    learner = GraphLearner(ten_sentences())
    refuses(InputError, message, learner.features, 2, heads, labels)
    tree = ([0, 1], ["root", "advmod"])
    refuses(InputError, message, learner.update, learner.new_weights(), 2, tree, (heads, labels), 0)


@pytest.mark.parametrize("k", [0, -1, True, 2.5, "3", 4097, 10**30])
def test_lists_have_whole_lengths(parser: GraphParser, k: Any) -> None:
    refuses(UsageError, "k is a whole number from 1 to 4096", parser.kbest, ten_sentences(), k)


def test_only_whole_trees_are_learnt_from() -> None:
    with pytest.raises(InputError, match="sentence 2, word 2: a second root"):
        GraphLearner(Treebank.from_words([["a"], ["b", "c"]], heads=[[0], [0, 0]]))
    refuses(InputError, "sentence 1, word 1: no head", GraphLearner, Treebank.from_words([["a"]]))
    with pytest.raises(InputError, match="sentence 1, word 2: a cycle"):
        GraphLearner(Treebank.from_words([["a", "b", "c"]], heads=[[0, 3, 2]]))
    refuses(InputError, "no words", GraphLearner, ten_sentences()[:0])
    refuses(UsageError, "legal names: hall, rich", GraphLearner, ten_sentences(), features="all")


def test_a_parser_is_written_and_read(parser: GraphParser, others: Treebank) -> None:
    about, arrays = parser.parts()
    again = GraphParser.from_parts(about, arrays)
    assert parser.kbest(others).scores.tolist() == again.kbest(others).scores.tolist()
    assert again.parts()[0] == about
    for name, array in again.parts()[1].items():
        assert array.dtype == arrays[name].dtype
        assert array.tolist() == arrays[name].tolist()


def test_a_model_that_cannot_be_is_refused(parser: GraphParser, others: Treebank) -> None:
    about, arrays = parser.parts()
    for wrong in ({}, {**about, "features": "x"}, {**about, "lowercase": 1}):
        refuses(ModelError, "features", GraphParser.from_parts, wrong, arrays)
    rng = np.random.default_rng(6)
    refused = 0
    for name in arrays:
        for change in range(6):
            changed = {**arrays, name: _damaged(arrays[name], change, rng)}
            if change == 0:
                del changed[name]
            try:
                damaged = GraphParser.from_parts(about, changed)
            except ModelError:
                refused += 1
            else:
                # What is not refused can be used.
                damaged.kbest(others, 2)
    assert refused > 3 * len(arrays)


def _damaged(array: npt.NDArray[Any], change: int, rng: np.random.Generator) -> npt.NDArray[Any]:
    if change == 1:
        return array.astype(np.float32)
    if change == 2:
        return array[:-1]
    if change == 3:
        return array.reshape(1, -1)
    array = array.copy()
    array[rng.integers(len(array))] = [0, 1, np.iinfo(array.dtype).max][change % 3]
    return array
