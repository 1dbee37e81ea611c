"""The bracketing model: its kernel against slow twins, its learner, its file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.compact_trees import trees_of
from tests.oracles_bracketing import Sentence, wrong_pairs
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Array
from wordorder.errors import InputError, ModelError, UsageError
from wordorder.kernels import INTERPRETED_BY_CHOICE
from wordorder.order.orders import Orders
from wordorder.reordering.learned import load_learned, order_examples, save_learned
from wordorder.reordering.learned.bracketing_model import (
    Bracketing,
    BracketingLearner,
    BracketingSettings,
    WordArrays,
    word_arrays,
)
from wordorder.reordering.learned.examples import MAX_WORDS
from wordorder.reordering.learned.learned_order import learn_order, rebuild_model
from wordorder.treebank import Treebank

FORMS = ("he", "ate", "rice", "with", "sticks", "today", ".")
TAGS = ("PRP", "VBD", "NN", "IN", "NNS", "RB", ".")
BITS = 16


@st.composite
def sentences(draw: st.DrawFn, most: int = 6) -> Treebank:
    """Draw a tagged sentence with a tree."""
    n = draw(st.integers(2, most))
    picked = draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    # Each word but the root hangs on one that comes before it in a shuffled order.
    shuffled = draw(st.permutations(range(n)))
    heads = [0] * n
    for place in range(1, n):
        heads[shuffled[place]] = shuffled[draw(st.integers(0, place - 1))] + 1
    labels = draw(st.lists(st.sampled_from(["nsubj", "obj", "case"]), min_size=n, max_size=n))
    words, tags = ([[names[i] for i in picked]] for names in (FORMS, TAGS))
    return Treebank.from_words(words, xpos=tags, heads=[heads], label=[labels])


def twin(words: WordArrays, columns: int, tag: int, trees: bool) -> Sentence:
    """Return the naive twin of the only sentence."""
    rows = words.attributes.reshape(-1, columns).tolist()
    if not trees:
        return Sentence(rows, tag)
    return Sentence(rows, tag, words.heads.tolist(), words.labels.tolist())


def random_weights(seed: int) -> Array:
    return np.random.default_rng(seed).normal(size=2 << BITS).astype(np.float32)


def chosen(trees: bool, beam: int) -> BracketingSettings:
    attributes = ("form", "xpos", "label") if trees else ("form", "class")
    return BracketingSettings(attributes, trees, BITS, beam)


@given(sentences(4), st.booleans(), st.integers(0, 3), st.sampled_from([0.0, 0.7, 5.0]))
@settings(deadline=None, max_examples=15)
def test_a_beam_without_limit_finds_the_best_derivation(
    bank: Treebank, trees: bool, seed: int, straight: float
) -> None:
    picked, weights = chosen(trees, 400), random_weights(seed)
    words = word_arrays(bank, picked.attributes, trees=trees)
    slow = twin(words, len(picked.attributes), 1, trees)
    best: dict[tuple[int, ...], float] = {}
    for score, order in slow.derivations(weights.tolist(), BITS, straight):
        best[order] = max(score, best.get(order, score))
    ranking = sorted(best, key=lambda order: -best[order])
    model = Bracketing(picked, weights, straight)
    listed = model.kbest_orders(bank, 400)
    # All orders that splits can make, each with the score of its best derivation.
    assert sorted(tuple(row.tolist()) for row in listed.orders.positions) == sorted(best)
    assert np.allclose(listed.score, [best[order] for order in ranking], atol=1e-4)
    assert tuple(model.orders(bank).positions[0].tolist()) == ranking[0]


def test_the_best_of_all_derivations_of_six_words() -> None:
    bank = Treebank.from_words(
        [list(FORMS[:6])], xpos=[list(TAGS[:6])], heads=[[2, 0, 2, 5, 2, 2]], label=[["x"] * 6]
    )
    for seed in range(1 if INTERPRETED_BY_CHOICE else 4):
        picked, weights = chosen(True, 1400), random_weights(seed)
        slow = twin(word_arrays(bank, picked.attributes, trees=True), 3, 1, True)
        score, order = max(slow.derivations(weights.tolist(), BITS))
        listed = Bracketing(picked, weights).kbest_orders(bank, 1)
        assert tuple(listed.orders.positions[0].tolist()) == order
        assert listed.score[0] == pytest.approx(score, abs=1e-4)


@given(st.data())
@settings(deadline=None, max_examples=15)
def test_one_sentence_is_learned_as_well_as_splits_can_put_it(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 6))
    # All words differ, so that any derivation can be told from any other.
    bank = Treebank.from_words([[f"w{k}" for k in range(n)]])
    links = data.draw(
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, 7)), max_size=12, unique=True)
    )
    examples = order_examples(bank, Alignments.from_rows([links]))
    low, high = examples.low.tolist(), examples.high.tolist()
    if not examples.weights.any():
        refuses(UsageError, "no order to learn", Bracketing.learner, examples)
        return
    slow = Sentence([[k] for k in range(n)], 0)
    nothing = [0.0] * (2 << BITS)
    fewest = min(wrong_pairs(order, low, high) for _, order in slow.derivations(nothing, BITS))
    learner = Bracketing.learner(examples, epochs=40, runs=1)
    order = learned(learner).orders(bank).positions[0].tolist()
    assert learner.forced.tolist() == [fewest]
    assert wrong_pairs(order, low, high) == fewest


def test_a_sentence_that_splits_cannot_order_is_learned_from_all_the_same() -> None:
    # 2 4 1 3, which no split puts right: one pair stays wrong.
    bank = Treebank.from_words([["a", "b", "c", "d"]])
    examples = order_examples(bank, Alignments.from_rows([[(0, 1), (1, 3), (2, 0), (3, 2)]]))
    learner = Bracketing.learner(examples, runs=1)
    assert learner.learn(1).updates == 1
    assert learner.forced.tolist() == [1]
    assert learner.forced_share == 1.0


def corpus(rows: int = 30, seed: int = 0) -> tuple[Treebank, Alignments]:
    """Make sentences whose last word goes to the front, with a tree in which it is the head."""
    random = np.random.default_rng(seed)
    words, links = [], []
    for _ in range(rows):
        n = int(random.integers(1, 9))
        words.append([FORMS[i] for i in random.integers(0, 6, n - 1)] + ["."])
        links.append([(n - 1, 0), *((i, i + 1) for i in range(n - 1) if random.random() < 0.8)])
    heads = [[len(row)] * (len(row) - 1) + [0] for row in words]
    tags = [[TAGS[FORMS.index(word)] for word in row] for row in words]
    labels = [["dep"] * (len(row) - 1) + ["root"] for row in words]
    bank = Treebank.from_words(words, xpos=tags, heads=heads, label=labels)
    return bank, Alignments.from_rows(links)


def learned(learner: BracketingLearner) -> Bracketing:
    model = learn_order(learner)
    assert isinstance(model, Bracketing)
    return model


def trained(bank: Treebank, links: Alignments, seed: int = 0, **options: object) -> Bracketing:
    few = {"runs": 1, **options}
    return learned(Bracketing.learner(order_examples(bank, links), seed=seed, **few))


def file_of(model: Bracketing, path: Path) -> bytes:
    save_learned(path, model, {})
    return path.read_bytes()


@pytest.mark.parametrize("reads", ["words", "tags", "trees"])
def test_what_was_learned_holds_for_new_sentences(reads: str, tmp_path: Path) -> None:
    model = trained(*corpus(), epochs=5, reads=reads)
    assert model.reads == reads
    text = "he/PRP/4/dep ate/VBD/4/dep today/RB/4/dep ././0/root"
    new = trees_of([text], "form xpos heads label")
    assert model.orders(new).to_text(0) == "3 0 1 2"
    file_of(model, tmp_path / "m")
    assert load_learned(tmp_path / "m").orders(new).to_text(0) == "3 0 1 2"


def noise(rows: int, seed: int) -> tuple[Treebank, Alignments]:
    """Make sentences of which two in five have two words changed round, whatever the words."""
    random = np.random.default_rng(seed)
    words, links = [], []
    for _ in range(rows):
        n = int(random.integers(5, 9))
        words.append([FORMS[i] for i in random.integers(0, 7, n)])
        places = np.arange(n)
        if random.random() < 0.4:
            i = int(random.integers(0, n - 1))
            places[[i, i + 1]] = i + 1, i
        links.append(list(enumerate(places.tolist())))
    return Treebank.from_words(words), Alignments.from_rows(links)


def in_source_order(model: Bracketing, bank: Treebank) -> float:
    """Return the share of sentences that a model leaves as they are."""
    rows = model.orders(bank).positions
    return float(np.mean([row.tolist() == list(range(len(row))) for row in rows]))


@pytest.mark.skipif(INTERPRETED_BY_CHOICE, reason="too slow as plain Python")
def test_what_cannot_be_learned_is_left_in_the_source_order() -> None:
    new = noise(200, 1)[0]
    model = trained(*noise(150, 0), epochs=6, runs=2)
    assert model.straight > 0
    assert in_source_order(model, new) > 0.9
    # It would have turned much round.
    assert in_source_order(model.preferring(0.0), new) < 0.85
    assert in_source_order(model.preferring(1e6), new) == 1


def test_what_can_be_learned_needs_no_preference() -> None:
    bank, links = corpus(60)
    chosen, plain = (trained(bank, links, epochs=3, straight=straight) for straight in (None, 0.0))
    assert chosen.straight == 0.0
    assert np.array_equal(chosen.weights, plain.weights)


def test_a_file_without_a_preference_has_none() -> None:
    about, arrays = trained(*corpus(), epochs=1, straight=0.5).parts()
    assert Bracketing.from_parts(about, arrays).straight == 0.5


def test_a_sentence_that_counts_nothing_changes_nothing() -> None:
    bank, links = corpus()
    examples = order_examples(bank, links)
    refuses(UsageError, "no order to learn", Bracketing.learner, examples.weighted(0))
    light, full = (
        abs(learned(Bracketing.learner(each, epochs=1, runs=1)).weights).max()
        for each in (examples.weighted(1e-6), examples)
    )
    assert 0 < light <= 1e-4 < full


def test_words_without_a_link_are_free_unless_the_rule_places_them() -> None:
    # The link of "b" is missing: dropped, it may be anywhere; under next it goes before "c".
    bank = Treebank.from_words([["a", "b", "c"]])
    links = Alignments.from_rows([[(0, 1), (2, 0)]])
    for unaligned, asked in (("drop", [-1]), ("next", [0])):
        examples = order_examples(bank, links, unaligned=unaligned)
        assert examples.low.tolist()[1:2] == asked
        learner = Bracketing.learner(examples, epochs=30, runs=2)
        order = learned(learner).orders(bank).positions[0].tolist()
        assert order.index(2) < order.index(0)
        if unaligned == "next":
            assert order == [1, 2, 0]


@pytest.mark.skipif(INTERPRETED_BY_CHOICE, reason="too slow as plain Python")
def test_long_sentences_are_cut_and_keep_the_order_of_their_pieces() -> None:
    model = trained(*corpus(), epochs=3, reads="words")
    lengths = [0, 1, 2, 500, MAX_WORDS, MAX_WORDS + 1, 1, 2000]
    bank = Treebank.from_words([["rice"] * n for n in lengths])
    found = model.orders(bank)
    for row, n in enumerate(lengths):
        assert sorted(found.positions[row].tolist()) == list(range(n))
    cut = found.positions[5].tolist()
    half = (MAX_WORDS + 1) // 2
    assert sorted(cut[:half]) == list(range(half))
    assert isinstance(found, Orders)


def test_one_word_empty_sentences_and_those_without_what_the_model_reads() -> None:
    model = trained(*corpus(), epochs=1, reads="words")
    bank = Treebank.from_words([[], ["rice"], []])
    assert model.orders(bank).positions.to_lists() == [[], [0], []]
    assert model.kbest_orders(bank, 3).orders.positions.to_lists() == [[], [0], []]
    bare = Treebank.from_words([["rice"], ["he", "ate"]])
    refuses(InputError, r"sentence 1: no tree", trained(*corpus(), epochs=1).orders, bare)
    tagged = trained(*corpus(), epochs=1, reads="tags")
    refuses(InputError, r"sentence 1: no XPOS", tagged.orders, bare)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beam": 0}, "a beam is from 1 to 1000 wide, not 0"),
        ({"epochs": 0}, "epochs are at least 1, not 0"),
        ({"runs": 0}, "runs are at least 1, not 0"),
        ({"straight": -0.5}, "straight is at least 0, not -0.5"),
        ({"reads": "trees"}, "no trees to learn from"),
        ({"reads": "tags"}, "no tags to learn from"),
        ({"reads": "pictures"}, "pictures"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    bank = Treebank.from_words([["a", "b"]])
    examples = order_examples(bank, Alignments.from_rows([[(0, 1), (1, 0)]]))
    refuses(UsageError, message, Bracketing.learner, examples, **options)


def test_damaged_parts_are_refused() -> None:
    about, arrays = trained(*corpus(), epochs=1).parts()
    assert Bracketing.from_parts(about, arrays).reads == "trees"
    spoiled = [
        ({**about, "bits": 70}, arrays),
        ({**about, "attributes": ["form", "colour"]}, arrays),
        ({**about, "beam": True}, arrays),
        ({**about, "straight": -1.0}, arrays),
        ({**about, "straight": "much"}, arrays),
        ({}, arrays),
        (about, {**arrays, "used": arrays["used"][1:]}),
        (about, {**arrays, "used": ~arrays["used"]}),
        (about, {**arrays, "weights": arrays["weights"][1:]}),
        (about, {**arrays, "weights": np.full_like(arrays["weights"], 0x7FC0)}),
        (about, {**arrays, "weights": arrays["weights"].astype(np.float64)}),
    ]
    for parts in spoiled:
        refuses(ModelError, ".", rebuild_model, "bracketing", *parts)
