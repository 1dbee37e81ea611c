"""Augmented loss: lists, costs, and when which instance comes."""

import math
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.compact_trees import trees_of
from tests.parsing import small_treebank
from tests.parsing.small_treebank import TREEBANK
from tests.parsing.toy import entries, written
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.order.orders import Orders
from wordorder.parsing import GraphLearner, TaggerLearner, TransitionLearner, train
from wordorder.parsing.training.training import TrainingProgress
from wordorder.parsing.weights import UNIT, Weights
from wordorder.reordering import open_rules
from wordorder.training import (
    ArcLengthCost,
    AugmentedLearner,
    AugmentedLoss,
    Cost,
    OrderCost,
    ParsedCost,
    RootCost,
    augmented_train,
)
from wordorder.training.augmented.learner import Schedule
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Column

Made = Callable[[Treebank, Treebank], Any]
TEXT = [
    *("the old dog finds now a bird .".split(), "now she sees the cat and the birds".split()),
    *("Birds !".split(), "a well-known bird hears her old dog now .".split(), ["stop"]),
]
TAGS = {"the": "DET", "a": "DET", "old": "ADJ", "well-known": "ADJ", "now": "ADV", "and": "CCONJ"}
TAGS |= {"she": "PRON", "her": "PRON", ".": "PUNCT", "!": "PUNCT", "stop": "VERB"}
TAGS |= {"finds": "VERB", "sees": "VERB", "hears": "VERB"}


@pytest.fixture
def trees() -> Treebank:
    return small_treebank.read()


def text() -> Treebank:
    tags = [[TAGS.get(word, "NOUN") for word in row] for row in TEXT]
    return Treebank.from_words(TEXT, upos=tags)


def order_cost() -> OrderCost:
    """Return the cost of a reference that puts each sentence the other way round."""
    backwards = Orders.from_rows([list(range(len(row)))[::-1] for row in TEXT])
    return OrderCost(open_rules("R5"), backwards)


LEARNERS: dict[str, Made] = {
    "transition": lambda trees, text: TransitionLearner(trees, text=text, beam=4),
    "graph": lambda trees, text: GraphLearner(trees, text=text),
}


def written_out(
    learner: Any, trees: int, text: Treebank, cost: Any, ratio: float, k: int, epochs: list[Any]
) -> tuple[Weights, int, int]:
    """Run algorithms 2 and 3 over the public parts: parsers, lists, features of whole trees."""
    weights, seen, updates = learner.new_weights(), 0, 0
    schedule = Schedule(trees, [ratio], [len(text)])
    for number, order in enumerate(epochs, 1):
        for row in schedule.epoch(order, number).tolist():
            if row < trees:
                updates += learner.learn(np.array([row]), weights, seen).updates
                seen += 1
                continue
            row -= trees
            parser = learner.model(weights)
            lists = parser.kbest(text[row : row + 1], k)
            costs = cost(lists, np.array([row])).tolist()
            best = costs.index(min(costs))
            if costs[0] > costs[best]:
                updates += 1
                encoded = parser.encoded(text[row : row + 1])
                for tree, sign in ((best, UNIT), (0, -UNIT)):
                    one = lists.trees[tree : tree + 1]
                    keys, actions = encoded.features(0, one.heads, one.label.strings())
                    deltas = np.full(len(keys), sign, np.int32)
                    weights.add(keys, actions.astype(np.int32), deltas, seen)
            seen += 1
    return weights, seen, updates


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize(("ratio", "k"), [(0.5, 3), (1.0, 4), (2.0, 8), (1.0, 1)])
def test_the_same_as_algorithms_2_and_3(kind: str, ratio: float, k: int, trees: Treebank) -> None:
    few = trees[:6]
    base = LEARNERS[kind](few, text())
    learner = AugmentedLearner(base, [AugmentedLoss(text(), order_cost(), ratio)], k=k)
    rng = np.random.default_rng(3)
    epochs = [rng.permutation(len(few)) for _ in range(4)]
    expected, seen, updates = written_out(base, len(few), text(), order_cost(), ratio, k, epochs)
    weights, before, found = learner.new_weights(), 0, 0
    for number, order in enumerate(epochs, 1):
        rows = learner.epoch(order, number)
        for part in np.array_split(rows, 3):
            found += learner.learn(part, weights, before).updates
            before += len(part)
    assert (before, found) == (seen, updates)
    assert updates > (len(few) if k > 1 else 0)
    assert entries(weights) == entries(expected)
    assert entries(weights.averaged(seen)) == entries(expected.averaged(seen))


def same_lists(found: KBest, expected: KBest) -> None:
    assert found.trees.heads.tolist() == expected.trees.heads.tolist()
    for column in ("label", "form", "upos", "xpos"):
        assert found.trees.columns[column].strings() == expected.trees.columns[column].strings()
    assert found.scores.tolist() == expected.scores.tolist()
    assert found.offsets.tolist() == expected.offsets.tolist()


@pytest.mark.parametrize("kind", [*LEARNERS, "tagger"])
def test_lists_are_those_of_the_parser_and_of_the_tagger(kind: str, trees: Treebank) -> None:
    base: Any = TaggerLearner(trees) if kind == "tagger" else LEARNERS[kind](trees, text())
    weights = base.new_weights()
    base.learn(np.arange(len(trees)), weights, 0)
    lister, model = base.lister(text())(weights), base.model(weights)
    listed = model.kbest_tags if kind == "tagger" else model.kbest
    for row in range(len(TEXT)):
        for k in (1, 3, 8):
            same_lists(lister.list_candidates(row, k), listed(text()[row : row + 1], k))


def wrong_tags(candidates: KBest, rows: Int64) -> Float64:
    """Count the tags that are not those of the text."""
    words = candidates.trees.form.strings()
    right = [TAGS.get(word, "NOUN") for word in words]
    wrong = np.array(right) != np.array(candidates.trees.upos.strings())
    return np.add.reduceat(wrong.astype(np.float64), candidates.trees.offsets[:-1])


def test_a_tagger_learns_from_the_costs_of_its_lists(trees: Treebank) -> None:
    learner = TaggerLearner(trees[:4])
    plain = augmented_train(learner, [], epochs=6)
    learnt = augmented_train(learner, [(text(), wrong_tags, 1.0)], epochs=6)
    everything = np.arange(len(TEXT))

    def wrong(model: Any) -> float:
        tagged = model.tag(text())
        lists = KBest(tagged, np.arange(len(TEXT) + 1), np.zeros(len(TEXT)))
        return float(wrong_tags(lists, everything).sum())

    assert wrong(learnt.model) < wrong(plain.model)
    assert learnt.history[0].losses[1].updates > 0


def test_updates_of_a_tagger_move_scores_by_the_features(trees: Treebank) -> None:
    learner = TaggerLearner(trees[:2])
    weights = learner.new_weights()
    gold = list(zip(trees[:1].upos.strings(), trees[:1].xpos.strings(), strict=True))
    other = [gold[-1], *gold[1:]]
    assert not learner.update(weights, 0, gold, gold, 0)
    assert weights.features == 0
    assert learner.update(weights, 0, gold, other, 0)
    first = entries(weights)
    # The other way round takes it all back.
    assert learner.update(weights, 0, other, gold, 1)
    assert first
    assert entries(weights) == {}
    with pytest.raises(Exception, match="sentence 1, word 2: tag"):
        learner.update(weights, 0, [gold[0], ("NO", "NO"), *gold[2:]], gold, 2)
    refuses(Exception, "sentence 1: 1 tags", learner.update, weights, 0, gold[:1], gold, 2)


def test_words_of_the_text_are_known(trees: Treebank) -> None:
    for make in LEARNERS.values():
        model = make(trees, text()).model(Weights(99))
        assert {"stop", "Birds", "dog"} <= set(model.learnt_words())
        assert "stop" not in make(trees, trees).model(Weights(99)).learnt_words()


@pytest.mark.parametrize("kind", LEARNERS)
def test_roots_alone_teach(kind: str, trees: Treebank) -> None:
    """Partial trees: the verb is the root, which no tree of the treebank ever shows."""
    rows = ["sees/VERB/-1 the/DET/-1 dog/NOUN/0 her/PRON/-1"]
    rows += ["hears/VERB/-1 she/PRON/-1 birds/NOUN/0 ./PUNCT/-1"]
    sentences = trees_of(rows, "form upos heads")
    learner = LEARNERS[kind](trees, sentences)
    cost = RootCost(sentences)
    trained = augmented_train(learner, [(sentences, cost, 1.0)], k=16, epochs=12)
    roots = np.flatnonzero(trained.model.parse(sentences).heads == 0)  # type: ignore[attr-defined]
    assert roots.tolist() == [2, 6]
    assert trained.history[-1].losses[1].cost == 0.0


def test_a_cost_that_fails_names_the_sentence(trees: Treebank) -> None:
    def failing(candidates: KBest, rows: Int64) -> Float64:
        if 3 in rows:
            raise ZeroDivisionError("no words to judge")
        return np.zeros(len(candidates.trees))

    def not_a_number(candidates: KBest, rows: Int64) -> Float64:
        return np.full(len(candidates.trees), np.nan if 2 in rows else 0.0)

    learner = TransitionLearner(trees, text=text())
    for cost, message in (
        (failing, r"failing, sentence 4: ZeroDivisionError: no words"),
        (not_a_number, r"not_a_number, sentence 3: NaN"),
    ):
        refuses(UsageError, message, augmented_train, learner, [(text(), cost, 1.0)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k is a whole number from 1 to 4096, not 0"),
        ({"k": 9000}, "k is a whole number"),
        ({"k": 8, "grow": 4}, "lists of 8 candidates cannot grow to 4"),
        ({"grow": 5000}, "grow is a whole number"),
        ({"start": -1}, "start is a whole number of at least 0, not -1"),
        ({"margin": -1.0}, "margin is a number of at least 0"),
        ({"margin": float("nan")}, "margin is a number of at least 0"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str, trees: Treebank) -> None:
    learner = TransitionLearner(trees, text=text())
    refuses(UsageError, message, augmented_train, learner, [(text(), order_cost(), 1.0)], **options)


def test_two_losses_with_data_of_their_own(trees: Treebank) -> None:
    learner = TransitionLearner(trees, text=text())
    losses: list[tuple[Treebank, Cost, float]] = [(text(), order_cost(), 0.5)]
    losses += [(trees, RootCost(trees), 2.0)]
    trained = augmented_train(learner, losses, k=4, epochs=2)
    counts = [[loss.instances for loss in epoch.losses] for epoch in trained.history]
    assert counts == [[27, 13, 54], [27, 14, 54]]
    assert [epoch.instances for epoch in trained.history] == [94, 95]


def test_later_epochs_alone(trees: Treebank) -> None:
    learner = TransitionLearner(trees, text=text())
    plain = augmented_train(learner, [], epochs=2)
    later = augmented_train(learner, [(text(), order_cost(), 1.0)], epochs=3, start=2)
    assert [epoch.instances for epoch in later.history] == [27, 27, 54]
    assert [e.updates for e in later.history[:2]] == [e.updates for e in plain.history]
    with pytest.raises(UsageError, match="begin after 3 epochs, and the training has 3;"):
        augmented_train(learner, [(text(), order_cost(), 1.0)], epochs=3, start=3)


def test_a_primary_loss_comes_after_an_epoch_of_whole_trees(trees: Treebank) -> None:
    base = TransitionLearner(trees, beam=2)
    primary = AugmentedLoss(trees, ArcLengthCost(trees))
    learner = AugmentedLearner(base, [(AugmentedLoss(text(), order_cost()))], primary=primary)
    rows = np.arange(len(trees))
    assert learner.epoch(rows, 1).tolist() == rows.tolist()
    mixed = learner.epoch(rows, 2)
    assert mixed[::2].tolist() == (rows + 27 + 5).tolist()
    assert mixed[1::2].tolist() == [27 + row % 5 for row in range(27)]
    tally = learner.learn(mixed, base.new_weights(), 0)
    assert [loss.instances for loss in tally.losses] == [0, 27, 27]
    with pytest.raises(UsageError, match="the data of the primary loss"):
        AugmentedLearner(base, [], primary=AugmentedLoss(text(), ArcLengthCost(text())))


@pytest.mark.parametrize("shards", [1, 3])
def test_threads_make_no_difference(shards: int, trees: Treebank) -> None:
    def work() -> tuple[bytes, object]:
        losses = [(text(), order_cost(), 1.0)]
        learner = TransitionLearner(trees, text=text())
        trained = augmented_train(learner, losses, k=4, epochs=3, shards=shards)
        return written(trained.weights), trained.history

    one, two, four = with_threads(work, 1, 2, 4)
    assert one == two == four


def killed(checkpoint: str, bank: str, epoch: int, chunk: int) -> None:
    """Train, and die in an epoch; run as a program of its own."""

    def die(progress: TrainingProgress) -> None:
        if progress.epoch == epoch and progress.done >= chunk and progress.finished is None:
            os.kill(os.getpid(), signal.SIGKILL)

    run(bank, checkpoint, progress=die)


def run(bank: str, checkpoint: str, **options: Any) -> Any:
    learner = TransitionLearner(read_treebank(bank), text=text())
    losses = [(text(), order_cost(), 2.0)]
    given = {"k": 2, "grow": 8, "epochs": 4, "repeat": [3] * 27, "checkpoint": checkpoint}
    return augmented_train(learner, losses, **{**given, **options})


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize(("epoch", "chunk"), [(1, 100), (4, 200)])
def test_resumed_after_a_kill_it_gives_the_same_bytes(
    epoch: int, chunk: int, tmp_path: Path
) -> None:
    bank = tmp_path / "small.conllu"
    bank.write_text(TREEBANK)
    whole = run(str(bank), str(tmp_path / "whole"))
    checkpoint = str(tmp_path / "killed")
    program = "from tests.training.augmented.test_learner import killed; killed({}, {}, {}, {})"
    code = program.format(repr(checkpoint), repr(str(bank)), epoch, chunk)
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    resumed = run(str(bank), checkpoint, resume=True)
    assert written(resumed.weights) == written(whole.weights)
    assert resumed.history == whole.history


def test_a_candidate_says_all_that_is_said_of_its_sentence(trees: Treebank) -> None:
    learner = TransitionLearner(trees)
    lister = learner.lister(trees)(learner.new_weights())
    lists = lister.list_candidates(5, 3)
    for name in trees.columns:
        if name != "label":
            own = trees[5:6].columns[name].strings()
            assert lists.trees.columns[name].strings() == own * len(lists.trees)
    assert [margin.value("sent_id") for margin in lists.trees.margins] == ["small-6"] * 3
    assert isinstance(lists.trees.label, Column)


@pytest.mark.parametrize("kind", LEARNERS)
def test_sentences_of_no_word_one_word_and_five_hundred(kind: str, trees: Treebank) -> None:
    words = [[], ["stop"], ["the", "dog"] * 250, []]
    odd = Treebank.from_words(words, upos=[["NOUN" for _ in row] for row in words])
    backwards = Orders.from_rows([list(range(len(row)))[::-1] for row in words])
    cost = OrderCost(open_rules("R5"), backwards)
    learner = LEARNERS[kind](trees[:4], odd)
    trained = augmented_train(learner, [(odd, cost, 1.0)], k=2, grow=8, epochs=2)
    assert [epoch.losses[1].instances for epoch in trained.history] == [4, 4]


def printed_loop(
    orders: list[list[int]], trees: int, ratios: list[Fraction], sizes: list[int]
) -> list[list[int]]:
    """Run algorithm 2: all iterations, all losses, one instance of each loss that is due."""
    most = max([Fraction(1), *ratios])
    rates = [1 / most, *(ratio / most for ratio in ratios)]
    firsts = [trees + sum(sizes[:j]) for j in range(len(sizes))]
    places = [0] * len(sizes)
    epochs: list[list[int]] = [[]]
    waiting = [row for order in orders for row in order]
    done = i = 0
    while True:
        for j, rate in enumerate(rates):
            if math.floor((i + 1) * rate) <= math.floor(i * rate):
                continue
            if j == 0:
                epochs[-1].append(waiting[done])
                done += 1
            else:
                epochs[-1].append(firsts[j - 1] + places[j - 1])
                places[j - 1] = (places[j - 1] + 1) % sizes[j - 1]
        i += 1
        if i * rates[0] == len(epochs) * len(orders[0]):
            if len(epochs) == len(orders):
                return epochs
            epochs.append([])


@pytest.mark.parametrize("number", range(60))
def test_the_same_as_the_printed_loop(number: int) -> None:
    rng = random.Random(number)
    trees, epochs = rng.randint(1, 9), rng.randint(1, 4)
    choices = [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(1, 3), Fraction(3, 2)]
    ratios = [rng.choice(choices) for _ in range(rng.randint(1, 3))]
    # The loop ends epochs between two iterations: where the treebank's rate allows it.
    if max(ratios) == Fraction(3, 2):
        trees *= 2
    sizes = [rng.randint(1, 12) for _ in ratios]
    orders = [rng.sample(range(trees), trees) for _ in range(epochs)]
    start = rng.randint(0, 2)
    schedule = Schedule(trees, [float(ratio) for ratio in ratios], sizes, start)
    for epoch in range(1, start + 1):
        assert schedule.epoch(np.array(orders[0]), epoch).tolist() == orders[0]
    found = [
        schedule.epoch(np.array(order), start + epoch).tolist()
        for epoch, order in enumerate(orders, 1)
    ]
    assert found == printed_loop(orders, trees, ratios, sizes)


def test_ratios_are_those_asked_for() -> None:
    for ratio in (0.5, 1.0, 2.0, 0.333, 1.7):
        order = Schedule(100, [ratio], [7]).epoch(np.arange(100), 1)
        assert abs(np.count_nonzero(order >= 100) - 100 * ratio) <= 1
    # A repeated tree counts as often.
    order = Schedule(2, [1.0], [3]).epoch(np.array([1, 1, 1, 0]), 1)
    assert order.tolist() == [1, 2, 1, 3, 1, 4, 0, 2]


@pytest.mark.parametrize(
    ("ratio", "size", "message"),
    [
        (0.0, 1, "a ratio is a number from 0.001 to 1000, not 0.0"),
        (float("nan"), 1, "not nan"),
        (1.0, 0, "an augmented loss has no sentences"),
    ],
)
def test_what_cannot_be_scheduled(ratio: float, size: int, message: str) -> None:
    refuses(UsageError, message, Schedule, 3, [ratio], [size])


def test_a_tagger_learns_from_the_trees_of_its_tags(trees: Treebank) -> None:
    """Half of the words may be nouns or verbs; the roots say which."""
    parser: Any = train(LEARNERS["transition"](trees, text()), epochs=3).model
    few = trees[:3]
    gold = trees[3:]
    roots = gold.replace(heads=np.where(gold.heads == 0, 0, -1).astype(np.int32))
    cost = ParsedCost(RootCost(roots), parser)
    learner = TaggerLearner(few)

    def wrong(tagger: Any) -> int:
        heads = parser.parse(tagger.tag(gold)).heads
        return int(np.sum((heads == 0) != (gold.heads == 0)))

    plain = augmented_train(learner, [], epochs=8)
    learnt = augmented_train(learner, [(roots, cost, 4.0)], k=16, epochs=8)
    assert wrong(learnt.model) < wrong(plain.model)
