"""Features of arcs are those of the paper, and scores are the sums of their weights."""

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from tests.oracles_spanning_trees import NO_ARC, arc_features
from tests.parsing.graph.small_trees import random_trees, ten_sentences

from wordorder.errors import InputError
from wordorder.parsing.graph import arc_scores as numbering_module
from wordorder.parsing.graph.arc_scores import (
    FEATURES,
    ROOT,
    ArcScores,
    LabelChoice,
    Numbering,
    feature_scores,
)
from wordorder.parsing.graph.parser import GraphLearner
from wordorder.parsing.training.averaging import compact
from wordorder.treebank.treebank import Column, Treebank

LENGTHS = [0, 1, 2, 3, 5, 12]


def scored(features: str) -> tuple[Treebank, ArcScores]:
    bank = random_trees(np.random.default_rng(5), LENGTHS)
    numbering = Numbering.learn(bank)
    return bank, ArcScores(numbering, LabelChoice.learn(bank, numbering), bank, features)


def arcs_of(n: int) -> list[tuple[int, int]]:
    return [(head, i) for head in range(n + 1) for i in range(1, n + 1) if head != i]


def single(n: int, head: int, i: int, wanted: int) -> list[npt.NDArray[np.int32]]:
    """An arc alone: heads, labels, and which features are wanted."""
    arrays = np.zeros((3, n), np.int32)
    arrays[0, i - 1], arrays[2, i - 1] = head, wanted
    return list(arrays)


@pytest.mark.parametrize("name", FEATURES)
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


def shared(rows: Sequence[Collection[object]]) -> npt.NDArray[np.float64]:
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
    assert legal(ROOT, group["ADV"], 1) == {"root"}
    # Never seen: whatever was seen there, at the root and elsewhere.
    assert legal(ROOT, group["DET"], 1) == {"root"}
    assert legal(group["DET"], group["INTJ"], 0) == set(choice.labels) - {"root"}


def test_rare_tags_are_one_group_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering_module, "MOST_GROUPS", 3)
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
    words, tags = numbering.encode(
        Treebank.from_words(
            [["THE", "whale", "x", "y", "z", "?"]],
            upos=[["DET", "X", "VERB", "_", "_", "X"]],
            xpos=[["DT", "NN", "XX", "VBD", "XX", "_"]],
        )
    )
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
