"""The graph parser: scores of arcs, exact lists of trees, learning."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st
from tests.compact_trees import trees_of
from tests.oracles_spanning_trees import NO_ARC, all_trees, arc_features, is_tree, ranked_trees
from tests.parsing.toy import learnt
from tests.refusing import refuses

from wordorder.arrays import Float64, Int32, Int64
from wordorder.errors import InputError, ModelError, UsageError
from wordorder.parsing.graph import arc_scores as numbering_module
from wordorder.parsing.graph.arc_scores import (
    GRAPH_FEATURES,
    ROOT_CODE,
    ArcScores,
    LabelChoice,
    Numbering,
    feature_scores,
)
from wordorder.parsing.graph.parser import GraphLearner, GraphParser, TreeLists, tree_lists
from wordorder.parsing.training.compact_models import compact
from wordorder.parsing.weights import UNIT
from wordorder.treebank.treebank import NO_HEAD, Column, Treebank

# The last one is not projective.
TEN = """
it/PRON/PRP/2/nsubj rains/VERB/VBZ/0/root
the/DET/DT/2/det dog/NOUN/NN/3/nsubj barks/VERB/VBZ/0/root ./PUNCT/./3/punct
go/VERB/VB/0/root home/ADV/RB/1/advmod
click/VERB/VB/0/root the/DET/DT/3/det link/NOUN/NN/1/obj below/ADV/RB/1/advmod
she/PRON/PRP/2/nsubj saw/VERB/VBD/0/root a/DET/DT/5/det big/ADJ/JJ/5/amod dog/NOUN/NN/2/obj
who/PRON/WP/3/obj did/AUX/VBD/3/aux see/VERB/VB/0/root it/PRON/PRP/3/nsubj ?/PUNCT/./3/punct
dogs/NOUN/NNS/4/nsubj and/CCONJ/CC/3/cc cats/NOUN/NNS/1/conj sleep/VERB/VBP/0/root
yes/INTJ/UH/0/root
the/DET/DT/2/det link/NOUN/NN/4/nsubj is/AUX/VBZ/4/cop below/ADV/RB/0/root ./PUNCT/./4/punct
a/DET/DT/2/det dog/NOUN/NN/3/nsubj came/VERB/VBD/0/root in/ADV/RB/3/advmod big/ADJ/JJ/2/amod
"""


def ten_sentences() -> Treebank:
    return trees_of(TEN)


def random_trees(rng: np.random.Generator, lengths: list[int]) -> Treebank:
    heads = []
    for n in lengths:
        order = rng.permutation(n) + 1
        head = np.zeros(n, int)
        for place in range(1, n):
            head[order[place] - 1] = order[rng.integers(place)]
        heads.append(head.tolist())

    def some(letters: str) -> list[list[str]]:
        return [list(rng.choice(list(letters), n)) for n in lengths]

    return Treebank.from_words(
        some("abcdefgh"), heads=heads, upos=some("NVA"), xpos=some("xyz"), label=some("lmo")
    )


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


def test_no_sentences_give_no_trees(parser: GraphParser) -> None:
    none = ten_sentences()[:0]
    assert len(parser.parse(none)) == len(parser.kbest(none)) == 0
    assert len(parser.kbest(Treebank.from_words([[]])).trees) == 1


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


def test_features_have_names() -> None:
    refuses(UsageError, "legal names: hall, rich", GraphLearner, ten_sentences(), features="all")


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


# -- Features of arcs are those of the paper, and scores the sums of their weights. ----------------


LENGTHS = [0, 1, 2, 3, 5, 12]


def scored(features: str) -> tuple[Treebank, ArcScores]:
    bank = random_trees(np.random.default_rng(5), LENGTHS)
    numbering = Numbering.learn(bank)
    return bank, ArcScores(numbering, LabelChoice.learn(bank, numbering), bank, features)


def arcs_of(n: int) -> list[tuple[int, int]]:
    return [(head, i) for head in range(n + 1) for i in range(1, n + 1) if head != i]


def single(n: int, head: int, i: int, wanted: int) -> list[Int32]:
    """An arc alone: heads, labels, and which features are wanted."""
    arrays = np.zeros((3, n), np.int32)
    arrays[0, i - 1], arrays[2, i - 1] = head, wanted
    return list(arrays)


@pytest.mark.parametrize("name", GRAPH_FEATURES)
def test_arcs_share_keys_as_they_share_the_features_of_the_list(name: str) -> None:
    bank, arcs = scored(name)
    keys, features = [], []
    for row, n in enumerate(LENGTHS):
        one = bank[row : row + 1]
        words = ["root", *one.form.strings()]
        tags = [("root", "root"), *zip(one.upos.strings(), one.xpos.strings(), strict=True)]
        for head, i in arcs_of(n):
            found, actions = arcs.arc_features(row, *single(n, head, i, 1))
            assert set(actions.tolist()) == {arcs.choice.attach}
            keys.append(sorted(found.tolist()))
            features.append(arc_features(words, tags, head, i, rich=name == "rich"))
    assert [len(set(row)) for row in keys] == [len(row) for row in keys]
    assert np.array_equal(shared(keys), shared(features))


def shared(rows: Sequence[Collection[object]]) -> Float64:
    """How many entries each row shares with each."""
    numbers: dict[object, int] = {}
    columns = [[numbers.setdefault(x, len(numbers)) for x in row] for row in rows]
    table = np.zeros((len(rows), len(numbers)))
    for row, places in enumerate(columns):
        table[row, places] = 1
    return table @ table.T


@pytest.mark.parametrize(("features", "small"), [("rich", False), ("rich", True), ("hall", False)])
def test_the_score_of_an_arc_is_that_of_its_features_with_the_best_label(
    features: str, small: bool
) -> None:
    bank = random_trees(np.random.default_rng(5), LENGTHS)
    learner = GraphLearner(bank, features=features)
    weights = learner.new_weights()
    learner.learn(np.arange(len(bank)), weights, before=0)
    if small:
        weights = compact(weights)
    choice, numbering = learner.choice, learner.numbering
    arcs = ArcScores(numbering, choice, bank, features)
    cells, labels = arcs.score(weights, 0, len(bank))
    assert len(cells) == arcs.cells(0, len(bank)).sum()
    _, tag = numbering.encode(bank)
    start = 0
    for row, n in enumerate(LENGTHS):
        words = slice(int(bank.offsets[row]), int(bank.offsets[row + 1]))
        group = numbering.group[np.append(1, tag[words])]
        table = cells[start : start + n * (n + 1)].reshape(n, n + 1)
        label = labels[start : start + n * (n + 1)].reshape(n, n + 1)
        start += n * (n + 1)
        assert [table[i, i + 1] for i in range(n)] == [NO_ARC] * n
        for head, i in arcs_of(n):
            keys, _ = arcs.arc_features(row, *single(n, head, i, 1))
            total = dict.fromkeys(range(choice.attach + 1), 0)
            for key in keys.tolist():
                for action, value in weights.row(key & weights.key_mask).items():
                    total[action] += value
            c = 2 * (group[head] * numbering.groups + group[i]) + (i > head)
            legal = choice.numbers[choice.offsets[c] : choice.offsets[c + 1]].tolist()
            best = max(legal, key=lambda name: total[name])
            assert table[i - 1, head] == total[best] + total[choice.attach]
            assert total[label[i - 1, head]] == total[best]
            assert label[i - 1, head] in legal
            both = arcs.arc_features(row, *single(n, head, i, 3))
            assert feature_scores(weights, *both).sum() == total[0] + total[choice.attach]


def test_labels_are_those_seen_between_such_tags() -> None:
    bank = ten_sentences()
    numbering = Numbering.learn(bank)
    choice = LabelChoice.learn(bank, numbering)
    group = {tag: numbering.upos.index(tag) + 3 for tag in numbering.upos}

    def legal(head: int, dependent: int, side: int) -> set[str]:
        c = 2 * (head * numbering.groups + dependent) + side
        return {choice.labels[n] for n in choice.numbers[choice.offsets[c] : choice.offsets[c + 1]]}

    assert legal(group["VERB"], group["NOUN"], 0) == {"nsubj"}
    assert legal(group["VERB"], group["NOUN"], 1) == {"obj"}
    assert legal(ROOT_CODE, group["ADV"], 1) == {"root"}
    # Never seen: whatever was seen there, at the root and elsewhere.
    assert legal(ROOT_CODE, group["DET"], 1) == {"root"}
    assert legal(group["DET"], group["INTJ"], 0) == set(choice.labels) - {"root"}


def test_rare_tags_are_one_group_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering_module, "MAX_GROUPS", 3)
    bank = random_trees(np.random.default_rng(3), [12, 12])
    tags = [["A"] * 5 + ["B"] * 4 + ["C", "D", "E"]] * 2
    bank = bank.replace(
        upos=Column.filled(bank.words), xpos=Column.of([tag for row in tags for tag in row])
    )
    numbering = Numbering.learn(bank)
    assert (numbering.tags, numbering.groups) == (8, 6)
    assert numbering.group[numbering.encode(bank)[1]].tolist() == ([3] * 5 + [4] * 4 + [5] * 3) * 2
    choice = LabelChoice.learn(bank, numbering)
    assert len(choice.offsets) == 2 * 6 * 6 + 1


def test_tags_of_the_language_take_no_room_where_universal_ones_are() -> None:
    bank = ten_sentences()
    many = bank.replace(xpos=Column.of([f"x{i}" for i in range(bank.words)]))
    only = bank.replace(xpos=Column.filled(bank.words))
    assert Numbering.learn(many).groups == Numbering.learn(only).groups


def test_a_tag_that_was_not_seen_counts_as_its_nearest() -> None:
    bank = ten_sentences()
    numbering = Numbering.learn(bank, lowercase=True, least=2)
    text = "THE/DET/DT whale/X/NN x/VERB/XX y/_/VBD z/_/XX ?/X/_"
    words, tags = numbering.encode(trees_of([text], "form upos xpos"))
    assert words.tolist() == [numbering.words.index("the") + 3, 0, 0, 0, 0, 0]
    pairs = [
        (numbering.upos[u], numbering.xpos[x]) for u, x in numbering.pairs.reshape(-1, 2).tolist()
    ]
    # VB and VBZ are as frequent: the first of the two.
    known = [("DET", "DT"), ("NOUN", "NN"), ("VERB", "VB"), ("VERB", "VBD")]
    assert tags.tolist() == [*(pairs.index(pair) + 3 for pair in known), 0, 0]


@pytest.mark.parametrize("column", ["upos", "xpos"])
def test_one_kind_of_tag_is_enough(column: str) -> None:
    whole = ten_sentences()
    nothing = Column.filled(whole.words)
    bank = whole.replace(upos=nothing) if column == "upos" else whole.replace(xpos=nothing)
    numbering = Numbering.learn(bank)
    assert numbering.groups == len(set(numbering.group.tolist()) | {0, 1, 2})
    unseen = Treebank.from_words([["a"]], upos=[["X"]], xpos=[["_"]])
    assert numbering.encode(unseen)[1].tolist() == [0]


def test_a_sentence_that_is_too_long_is_refused() -> None:
    bank = ten_sentences()
    numbering = Numbering.learn(bank)
    choice = LabelChoice.learn(bank, numbering)
    long = Treebank.from_words([["a"], ["b"] * 2001])
    with pytest.raises(InputError, match="sentence 2: 2001 words; expected at most 2000"):
        ArcScores(numbering, choice, long, "rich")


# -- Lists of spanning trees are those of brute force over all trees. ------------------------------


MOST = 1 << 34


def listed_trees(lists: TreeLists, offsets: Int64, k: int, s: int) -> list[list[int]]:
    n = int(offsets[s + 1] - offsets[s])
    start = k * int(offsets[s])
    return [
        lists.heads[start + t * n : start + (t + 1) * n].tolist() for t in range(lists.counts[s])
    ]


@st.composite
def cells(draw: st.DrawFn, longest: int = 5) -> Int64:
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
def test_a_list_has_the_best_of_all_trees(table: Int64, k: int, forced: bool) -> None:
    n = len(table)
    root = 1 + n // 2 if forced else 0
    offsets = np.array([0, n])
    lists = tree_lists(table.ravel(), offsets, k, np.array([root]) if forced else None)
    ranked, score = ranked_trees(table, root)
    found = [tuple(tree) for tree in listed_trees(lists, offsets, k, 0)]
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
        found = listed_trees(lists, offsets, every + 5, 0)
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
        assert listed_trees(alone, own, 5, 0) == listed_trees(together, offsets, 5, s)
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
    found = listed_trees(lists, offsets, 50, 0)
    scores = lists.scores[0].tolist()
    assert len({tuple(tree) for tree in found}) == 50
    assert all(is_tree(tree) for tree in found)
    assert scores == sorted(scores, reverse=True)
    assert scores == [int(table[np.arange(n), tree].sum()) for tree in found]
    shorter = tree_lists(table.ravel(), offsets, 7)
    assert listed_trees(shorter, offsets, 7, 0) == found[:7]


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
