"""The costs of trees against slow, obvious twins; user costs that go wrong."""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.oracles_trees import random_tree
from tests.refusing import refuses

from wordorder.arrays import Float64, Int32, Int64, Ragged
from wordorder.errors import InputError, UsageError
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.reordering import open_rules
from wordorder.segments import Segments
from wordorder.testing import check_cost, cost_sample
from wordorder.training import ArcLengthCost, OrderCost, RootCost, TreeMetricCost, open_cost
from wordorder.training.cost import checked_costs, first_equal_rows
from wordorder.treebank import Treebank
from wordorder.treebank.kbest import KBest

GENERATOR, DRAW = np.random.default_rng(4), random.Random(4)
GOLD = cost_sample()
LABELS = ["nsubj", "obj", "det", "_"]


def random_lists(gold: Treebank, most: int) -> tuple[KBest, Int64]:
    """Make lists of 0 to `most` trees for sentences of `gold` in some order."""
    rows = GENERATOR.permutation(len(gold))[: len(gold) // 2]
    counts = GENERATOR.integers(0, most + 1, len(rows))
    trees = gold.take(np.repeat(rows, counts))
    # Many words right, so that costs differ.
    kept = GENERATOR.random(trees.words) < 0.6
    heads = np.where(kept, trees.heads, random_heads(trees)).astype(np.int32)
    made = Treebank.from_words(
        trees.sentences(),
        heads=Ragged(heads, trees.offsets).to_lists(),
        label=[GENERATOR.choice(LABELS, n).tolist() for n in trees.lengths.tolist()],
    )
    return KBest(made, np.append(0, np.cumsum(counts)), np.zeros(len(made))), rows


FIRST = np.array([0])


def one_list(trees: Treebank) -> KBest:
    """Take the trees as the list of one sentence."""
    return KBest(trees, np.array([0, len(trees)]), np.zeros(len(trees)))


def random_heads(trees: Treebank) -> Int32:
    """Return the heads of other trees of the same words."""
    drawn = [random_tree(DRAW, n) for n in trees.lengths.tolist()]
    return np.array([head for heads in drawn for head in heads], np.int32)


def in_part(share: float) -> Treebank:
    """Forget some heads, and give random labels."""
    known = GENERATOR.random(GOLD.words) < share
    labels = [GENERATOR.choice(LABELS, n).tolist() for n in GOLD.lengths.tolist()]
    heads = Ragged(np.where(known, GOLD.heads, -1).astype(np.int32), GOLD.offsets).to_lists()
    return Treebank.from_words(GOLD.sentences(), heads=heads, label=labels)


def words_of(bank: Treebank, row: int) -> list[tuple[int, int, str]]:
    span = slice(int(bank.offsets[row]), int(bank.offsets[row + 1]))
    heads, labels = bank.heads[span].tolist(), bank.label[span].strings()
    return list(zip(range(1, len(heads) + 1), heads, labels, strict=True))


def slow(
    one: Callable[[list[Any], list[Any]], float], gold: Treebank, lists: KBest, rows: Int64
) -> list[float]:
    """Compare each tree with its gold tree, a sentence at a time."""
    return [
        one(words_of(lists.trees, tree), words_of(gold, int(rows[lists.sentence[tree]])))
        for tree in range(len(lists.trees))
    ]


def slow_root(own: list[Any], gold: list[Any]) -> float:
    roots = {place for place, head, _ in gold if head == 0}
    found = {place for place, head, _ in own if head == 0}
    return float(bool(roots) and not (len(found) == 1 and roots & found))


def slow_length(own: list[Any], gold: list[Any], labelled: bool = False) -> float:
    right = total = 0
    for (place, head, label), (_, theirs, wanted) in zip(own, gold, strict=True):
        if theirs > 0 and not (labelled and wanted == "_"):
            total += abs(place - theirs)
            right += abs(place - theirs) * (head == theirs and (not labelled or label == wanted))
    return 1 - right / total if total else 0.0


def slow_f1(own: list[Any], gold: list[Any], relation: str | None) -> float:
    """1 - F1 of the arcs of a relation, or of roots; words of unknown heads left out."""
    pairs = [(a, b) for a, b in zip(own, gold, strict=True) if b[1] != -1]

    def meant(word: tuple[int, int, str]) -> bool:
        return word[1] == 0 if relation is None else word[2] == relation

    ours = sum(meant(a) for a, _ in pairs)
    theirs = sum(meant(b) for _, b in pairs)
    both = sum(meant(a) and meant(b) and a[1] == b[1] for a, b in pairs)
    return 1 - (2 * both / (ours + theirs) if ours + theirs else 1.0)


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1])
def test_tree_costs_are_those_of_their_slow_twins(share: float) -> None:
    gold = in_part(share)
    lists, rows = random_lists(gold, 5)
    assert len(set(RootCost(gold)(lists, rows))) == 2
    np.testing.assert_array_equal(RootCost(gold)(lists, rows), slow(slow_root, gold, lists, rows))
    for labelled in (False, True):
        found = ArcLengthCost(gold, labelled=labelled)(lists, rows)
        expected = slow(partial(slow_length, labelled=labelled), gold, lists, rows)
        np.testing.assert_allclose(found, expected, atol=1e-12)
    for name, relation in (("nsubj", "nsubj"), ("root-f1", None)):
        found = open_cost(name, gold)(lists, rows)
        expected = slow(partial(slow_f1, relation=relation), gold, lists, rows)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_costs_of_whole_trees_are_those_of_the_metrics() -> None:
    gold = in_part(1.0)
    lists, rows = random_lists(gold, 4)
    wanted = gold.take(rows[lists.sentence])
    segments = Segments.from_treebanks(lists.trees, wanted)
    np.testing.assert_allclose(ArcLengthCost(gold)(lists, rows), cost_of(metric("als"), segments))
    for name in ("las", "uas", "det", "label-f1(label=obj,head=ignore)", "uem", "als", "upos"):
        made = open_cost(name, gold)
        assert isinstance(made, TreeMetricCost)
        np.testing.assert_allclose(made(lists, rows), cost_of(made.metric, segments))


def cost_of(made: BaseMetric, segments: Segments) -> Float64:
    # A tree that the metric leaves out costs nothing.
    return 1 - np.nan_to_num(made.segment_scores(segments), nan=1.0)


def test_hall_et_al_arc_lengths() -> None:
    # DEFINITIONS: heads 2 0 2 5 3 against 2 0 2 3 3, .8 without the arc of the root.
    words = [["a", "b", "c", "d", "e"]]
    gold = Treebank.from_words(words, heads=[[2, 0, 2, 5, 3]])
    lists = one_list(Treebank.from_words(words, heads=[[2, 0, 2, 3, 3]]))
    assert ArcLengthCost(gold)(lists, FIRST)[0] == pytest.approx(0.2)
    one = Treebank.from_words([["Go"]], heads=[[0]])
    assert ArcLengthCost(one)(one_list(one), FIRST) == [0.0]


@pytest.mark.parametrize("name", ["frs", "kendall", "exact", "ulam"])
@pytest.mark.parametrize("tied", [False, True])
def test_the_order_cost_scores_each_tree_as_if_alone(name: str, tied: bool) -> None:
    lists, rows = random_lists(GOLD, 6)
    trees = lists.trees.replace(upos=GOLD.take(rows[lists.sentence]).upos)
    lists = KBest(trees, lists.offsets, lists.scores)
    references = []
    for n in GOLD.lengths.tolist():
        order = GENERATOR.permutation(n).tolist()[: max(1, n - 1)]
        references.append([tuple(order[:2]), *order[2:]] if tied and n > 2 else order)
    reference, rules = Orders.from_rows(references), open_rules("R5")
    # Heads that make no tree are replaced.
    trees = lists.trees.replace(heads=random_heads(lists.trees))
    whole = KBest(trees, lists.offsets, lists.scores)
    found = OrderCost(rules, reference, name)(whole, rows)
    expected = []
    for tree in range(len(whole.trees)):
        row = int(rows[whole.sentence[tree]])
        orders = rules.orders(whole.trees[tree : tree + 1])
        segments = Segments.from_orders(orders, reference[row : row + 1])
        expected.append(1 - np.nan_to_num(metric(name).segment_scores(segments)[0]))
    np.testing.assert_allclose(found, expected)
    assert len(set(expected)) > 1


def test_equal_orders_are_found_within_their_lists() -> None:
    rows = [GENERATOR.permutation(int(n)).tolist() for n in GENERATOR.integers(0, 4, 400)]
    offsets = np.sort(GENERATOR.integers(0, 401, 30))
    offsets[0], offsets[-1] = 0, 400
    found = first_equal_rows(Ragged.from_rows(rows), offsets).tolist()
    for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        for row in range(first, last):
            assert found[row] == first + rows[first:last].index(rows[row])


class Failing:
    """Rules that fail on trees whose first word is no root."""

    name = "failing"

    def __init__(self, rules: str = "head-final") -> None:
        self.rules = open_rules(rules)

    def orders(self, treebank: Treebank) -> Orders:
        if (treebank.heads[treebank.offsets[:-1]] != 0).any():
            raise ValueError("not my kind of tree")
        return self.rules.orders(treebank)


def test_a_tree_on_which_the_rules_fail_costs_most() -> None:
    trees = Treebank.from_words([["a", "b"]] * 3, heads=[[2, 0], [0, 1], [2, 0]])
    cost = OrderCost(Failing(), Orders.from_rows([[1, 0]]))
    assert cost(one_list(trees), FIRST).tolist() == [np.inf, 0.0, np.inf]
    # A tree on which they fail has no order, so not that of a tree which leaves the words in place.
    straight = OrderCost(Failing(), Orders.from_rows([[0, 1]]))
    chain = Treebank.from_words([["a", "b"]] * 3, heads=[[2, 0], [0, 1], [0, 1]])
    straight.rules = Failing("R1")
    scored = straight.scored(one_list(chain), FIRST)
    assert scored.scores.tolist() == [-np.inf, 1.0, 1.0]
    assert scored.first.tolist() == [0, 1, 1]
    message = "sentence 1: the rules failing fail on every tree: Value"
    refuses(UsageError, message, cost, one_list(trees[:1]), FIRST)


def test_orders_that_do_not_fit_are_refused() -> None:
    trees = Treebank.from_words([["a", "b"]], heads=[[2, 0]])
    bare = trees.replace(heads=np.array([-1, 0], np.int32))
    rules, short = open_rules("R5"), Orders.from_rows([[0]])
    long = OrderCost(rules, Orders.from_rows([[0, 2, 1]]))
    other = RootCost(Treebank.from_words([["a"]], heads=[[0]]))
    costs: list[tuple[Any, Treebank, int, str]] = [
        (long, trees, 0, "sentence 1: position 2 in a reference order.* 2 words"),
        (OrderCost(rules, short), trees, 1, "sentence 2: no reference order: there are 1"),
        (OrderCost(rules, short), bare, 0, "a word without a head"),
        (other, trees, 0, "sentence 1: 2 words, but 1 in the gold tree"),
        (RootCost(trees), trees, 2, "sentence 3: no gold tree"),
    ]
    for cost, listed, row, message in costs:
        refuses(InputError, message, cost, one_list(listed), np.array([row]))
    refuses(UsageError, "las does not compare orders", OrderCost, rules, short, "las")


def test_costs_of_others_name_the_sentence_with_which_they_fail() -> None:
    lists = KBest(cost_sample(), np.arange(49), np.zeros(48))

    def raising(candidates: KBest, rows: Int64) -> Float64:
        return np.array([1 / (int(row) - 7) for row in rows])

    def nan(candidates: KBest, rows: Int64) -> Float64:
        return np.where(rows == 3, np.nan, 0.0)

    costs: list[tuple[Callable[..., Any], str]] = [
        (raising, "cost raising, sentence 8: ZeroDivisionError: division"),
        (nan, "cost nan, sentence 4: NaN; expected a number"),
        (lambda *_: np.zeros(2), r"sentence 1: an array of shape \(2,\) for 1 tree;"),
        (lambda *_: "low", "sentence 1: str returned; expected a number"),
    ]
    for cost, message in costs:
        refuses(UsageError, message, checked_costs, cost, lists, np.arange(48))


OWN = """
import numpy as np

class Own:
    name = "own"
    def __init__(self, gold):
        self.gold = gold
    def __call__(self, candidates, rows):
        return np.zeros(len(candidates.trees)) + len(self.gold)

def plain(candidates, rows):
    return np.zeros(len(candidates.trees))

number = 5
"""


def test_costs_of_a_users_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_costs_of_a_test.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    lists = KBest(cost_sample(), np.arange(49), np.zeros(48))
    assert open_cost("my_costs_of_a_test:Own", GOLD)(lists, np.arange(48))[0] == 48
    check_cost(open_cost("my_costs_of_a_test:plain", GOLD))
    for name, what in (
        ("my_costs_of_a_test:number", "is of type int; expected a function"),
        ("my_costs_of_a_test:nothing", "AttributeError"),
        ("no_such_module:Cost", "ModuleNotFoundError"),
        ("rot", r"did you mean 'root'\?.*MODULE:COST"),
    ):
        refuses(UsageError, what, open_cost, name, GOLD)


def test_the_built_in_costs_keep_the_contract() -> None:
    reference = open_rules("head-final").orders(GOLD)
    check_cost(OrderCost(open_rules("R5"), reference))
    check_cost(RootCost(GOLD))
    check_cost(ArcLengthCost(GOLD, labelled=True))
    check_cost(open_cost("root-f1", GOLD))


def test_the_check_finds_broken_promises() -> None:
    def of_neighbours(candidates: KBest, rows: Int64) -> Float64:
        return np.full(len(candidates.trees), float(len(rows)))

    def of_places(candidates: KBest, rows: Int64) -> Float64:
        return np.repeat(np.arange(len(rows)) % 2, np.diff(candidates.offsets)).astype(float)

    def of_lists(candidates: KBest, rows: Int64) -> Float64:
        counts = np.diff(candidates.offsets)
        return np.repeat(counts, counts).astype(float)

    def changing(candidates: KBest, rows: Int64) -> Float64:
        candidates.trees.heads[:] = 0
        return np.zeros(len(candidates.trees))

    for cost, promise in (
        (of_neighbours, "do not depend on those around it"),
        (of_places, "do not depend on those around it"),
        (of_lists, "does not depend on the others of its list"),
        (changing, "does not change its arguments"),
        (lambda candidates, rows: None, "each tree has a cost"),
    ):
        refuses(AssertionError, promise, check_cost, cost)
