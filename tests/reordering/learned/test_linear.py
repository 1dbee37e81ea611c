"""The linear order: its families, its features, its best orders, and what it learns."""

import random
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.compact_trees import trees_of
from tests.oracles_families import (
    best_value,
    evidence,
    families,
    pair_attributes,
    random_treebank,
    value_of,
    yields,
)
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.errors import InputError, ModelError, UsageError
from wordorder.kernels import learned as kernel
from wordorder.reordering import open_rules
from wordorder.reordering.learned import load_learned, order_examples, save_learned
from wordorder.reordering.learned.learned_order import learn_order
from wordorder.reordering.learned.linear_model import (
    ATTRIBUTES,
    Linear,
    LinearLearner,
    crossing_evidence,
    families_of,
    orders_by_scores,
    read_templates,
    run_pairs,
)
from wordorder.treebank import Treebank

LENGTHS = [0, 1, 2, 3, 5, 8, 13]


def heads_of(bank: Treebank) -> list[list[int]]:
    flat = bank.heads.tolist()
    return [flat[a:b] for a, b in zip(bank.offsets, bank.offsets[1:], strict=False)]


@given(st.randoms(use_true_random=False))
def test_families_are_heads_with_their_children(rng: random.Random) -> None:
    bank = random_treebank(rng, LENGTHS)
    found = families_of(bank)
    expected = families(heads_of(bank))
    start: Any = bank.offsets[[each.sentence for each in expected]] if expected else []
    assert found.heads.tolist() == [s + e.head for s, e in zip(start, expected, strict=True)]
    assert found.sentences.tolist() == [each.sentence for each in expected]
    members = [(s + m) for s, e in zip(start, expected, strict=True) for m in e.members]
    assert found.members.tolist() == members
    assert np.diff(found.starts).tolist() == [len(each.members) for each in expected]
    sizes = [len(list(combinations(each.members, 2))) for each in expected]
    assert np.diff(found.pairs).tolist() == sizes


@given(st.randoms(use_true_random=False))
def test_evidence_is_that_of_all_pairs_of_words(rng: random.Random) -> None:
    bank = random_treebank(rng, LENGTHS)
    spans: list[list[tuple[int, int] | None]] = []
    for length in LENGTHS:
        ends = [
            (low, low + rng.choice([0, 0, 1, 3]))
            for low in (rng.randrange(8) for _ in range(length))
        ]
        spans.append([None if rng.random() < 0.2 else end for end in ends])
    flat = [(-1, -1) if each is None else each for row in spans for each in row]
    low, high = np.array(flat, np.int32).reshape(-1, 2).T
    kept, turned = crossing_evidence(families_of(bank), low.copy(), high.copy())
    assert list(zip(kept.tolist(), turned.tolist(), strict=True)) == evidence(heads_of(bank), spans)


@settings(max_examples=30)
@given(st.randoms(use_true_random=False))
def test_a_template_tells_pairs_apart_that_its_attribute_tells_apart(rng: random.Random) -> None:
    """Each attribute alone as a template: two pairs share a feature where they share its value."""
    bank = random_treebank(rng, [0, 1, 4, 9, 12])
    found = families_of(bank)
    pairs = [
        pair_attributes(bank, family, i, j)
        for family in families(heads_of(bank))
        for i, j in combinations(range(len(family.members)), 2)
    ]
    for name in ATTRIBUTES:
        if name == "prior":
            continue
        features = np.empty(len(pairs), np.int32)
        run_pairs(kernel.pair_features, found, ((name,),), 30, features)
        values = [repr(pair[name]) for pair in pairs]
        number = dict(zip(values, features.tolist(), strict=True))
        assert [number[value] for value in values] == features.tolist(), name
        assert len(set(number.values())) == len(number), name


@given(st.randoms(use_true_random=False))
def test_scores_are_sums_of_the_weights_of_features(rng: random.Random) -> None:
    bank = random_treebank(rng, LENGTHS)
    templates = read_templates("a.label b.label side\nhead-upos a.form\nmembers")
    weights = np.random.default_rng(rng.randrange(99)).normal(size=1 << 8).astype(np.float32)
    found = families_of(bank)
    features = np.empty(3 * int(found.pairs[-1]), np.int32)
    run_pairs(kernel.pair_features, found, templates, 8, features)
    sums = weights[features].reshape(-1, 3).astype(float).sum(axis=1)
    assert np.allclose(Linear(weights, templates).scores(found), sums)


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.booleans())
def test_orders_have_the_highest_score_of_all(rng: random.Random, whole: bool) -> None:
    """Small families: no permutation is better. Whole numbers: many are equally good."""
    bank = random_treebank(rng, [1, 2, 4, 6, 7])
    found = families_of(bank)
    generator = np.random.default_rng(rng.randrange(10**6))
    scores = generator.normal(size=int(found.pairs[-1]))
    if whole:
        scores = np.round(scores)
    orders = orders_by_scores(found, scores)
    for number, family in enumerate(families(heads_of(bank))):
        members = len(family.members)
        own = scores[found.pairs[number] : found.pairs[number + 1]]
        table = dict(zip(combinations(range(members), 2), own.tolist(), strict=True))
        positions = orders[family.sentence].positions
        parts = yields(heads_of(bank)[family.sentence], family)
        places = [sorted(map(positions.index, part)) for part in parts]
        for place in places:
            # The words of a child with all below it stay together.
            assert place == list(range(place[0], place[-1] + 1)) or len(place) == 1
        order = sorted(range(members), key=lambda m: places[m][0])
        assert value_of(table, order) == pytest.approx(best_value(table, members))


@given(st.randoms(use_true_random=False), st.integers(10, 30))
def test_large_families_are_ordered_at_least_as_well_as_the_source(
    rng: random.Random, words: int
) -> None:
    bank = Treebank.from_words([["w"] * words], heads=[[0] + [1] * (words - 1)])
    found = families_of(bank)
    scores = np.random.default_rng(rng.randrange(10**6)).normal(size=int(found.pairs[-1]))
    order = list(orders_by_scores(found, scores)[0].positions)
    table = dict(zip(combinations(range(words), 2), scores.tolist(), strict=True))
    value = value_of(table, order)
    assert value >= sum(scores) - 1e-9
    for member in order:
        rest = [each for each in order if each != member]
        for place in range(words):
            moved = [*rest[:place], member, *rest[place:]]
            assert value_of(table, moved) <= value + 1e-6
    # Pairs that agree with one order are put in that order, however many there are.
    wanted = rng.sample(range(words), words)
    agreeing = [1.0 if wanted.index(a) < wanted.index(b) else -1.0 for a, b in table]
    assert list(orders_by_scores(found, np.array(agreeing))[0].positions) == wanted


def test_equally_good_orders_keep_the_source_order() -> None:
    bank = random_treebank(random.Random(1), [9, 30])
    found = families_of(bank)
    for row in orders_by_scores(found, np.zeros(int(found.pairs[-1]))):
        assert list(row.positions) == sorted(row.positions)


@given(st.floats(-40, 40))
def test_the_logistic_function(score: float) -> None:
    """One instance with one feature, whose weight is the score: its step shows the slope."""
    for label in (0.0, 1.0):
        weights, squares = np.array([score]), np.zeros(1)
        wrong = np.zeros(1, np.int64)
        given = np.zeros(1, np.int32), 1, np.zeros(1, np.int64), np.array([label]), np.ones(1)
        rates = np.ones(1, np.float32), 0.5, 0.0
        kernel.logistic_pass(*given, *rates, weights, squares, wrong)
        slope = 1 / (1 + np.exp(-max(-30.0, min(30.0, score)))) - label
        assert squares[0] ** 0.5 == pytest.approx(abs(slope), rel=0.12, abs=1e-12)
        if squares[0]:
            assert weights[0] == pytest.approx(score - 0.5 * np.sign(slope))
        assert wrong[0] == ((score > 0) != (label > 0.5))


def verb_final(seed: int = 0, sentences: int = 60) -> tuple[Treebank, Alignments]:
    """Sentences "S V O", whose translation is "S O V", and "S V" with a free order."""
    rng = random.Random(seed)
    text = "S{}/NOUN/NN/2/nsubj V{}/VERB/VBD/0/root O{}/NOUN/NN/2/obj"
    rows = [text.format(*map(rng.choice, ("abc", "de", "fg"))) for _ in range(sentences)]
    return trees_of(rows), Alignments.from_rows([[(0, 0), (1, 2), (2, 1)]] * sentences)


def trained(seed: int = 0, **options: Any) -> Linear:
    learner = LinearLearner(order_examples(*verb_final()), seed=seed, bits=12, **options)
    model = learn_order(learner)
    assert isinstance(model, Linear)
    return model


def test_it_learns_that_the_verb_is_last() -> None:
    bank, _ = verb_final(seed=9)
    assert {str(order) for order in trained().orders(bank)} == {"0 2 1"}


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    model = trained()
    path = tmp_path / "mine.safetensors"
    save_learned(path, model, {"parser": "en", "data": "toy"})
    found = load_learned(path)
    assert (found.name, found.kind, found.reads, found.parser) == ("mine", "linear", "trees", "en")
    bank = random_treebank(random.Random(3), LENGTHS)
    assert found.orders(bank).positions == model.orders(bank).positions
    assert found.orders(bank).provenance == (("rules", f"mine@{found.identity}"),)
    assert open_rules(path).orders(bank).positions == model.orders(bank).positions


def test_examples_that_say_nothing_are_refused() -> None:
    bank, _ = verb_final(sentences=2)
    nothing = order_examples(bank, Alignments.from_rows([[], [(0, 0)]]))
    refuses(UsageError, "are there links", LinearLearner, nothing)
    bare = Treebank.from_words([["a", "b"]]), Alignments.from_rows([[(0, 0), (1, 1)]])
    refuses(InputError, "no tree", LinearLearner, order_examples(*bare))
    refuses(UsageError, "rate cannot be 0", trained, rate=0)


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("linear", {"bits": 99}, "99 bits"),
        ("linear", {"bits": 2}, "weights are damaged"),
        ("linear", {"templates": ["a.label nothing"]}, "attribute 'nothing'"),
        ("linear", {"templates": None}, "TypeError"),
        ("other", {}, "kind 'other'; installed kinds: linear"),
    ],
)
def test_a_damaged_description_and_an_unknown_kind_are_refused(
    tmp_path: Path, kind: str, change: dict[str, Any], message: str
) -> None:
    class Damaged(Linear):
        def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
            said, arrays = super().parts()
            return {**said, **change}, arrays

    Damaged.kind = kind
    model = trained()
    path = tmp_path / "a.safetensors"
    save_learned(path, Damaged(model.weights, model.templates), {})
    refuses(ModelError, message, load_learned, path)
