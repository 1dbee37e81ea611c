"""The consensus: the order that agrees best with others, and the model that looks for it."""

import random
from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.oracles_families import random_treebank
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.errors import ModelError, UsageError
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.reordering import open_rules
from wordorder.reordering.consensus import (
    WEIGHTS,
    Consensus,
    ConsensusLearner,
    ConsensusMember,
)
from wordorder.reordering.learned import load_learned, order_examples, save_learned
from wordorder.reordering.learned.agreement import agreed_orders, order_similarity
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.learned.learned_order import learn_order
from wordorder.reordering.learned.linear_model import Linear
from wordorder.segments import Segments

METRICS = ("frs", "frs-boundary", "kendall")


def similarity(name: str, order: list[int], other: list[int]) -> float:
    """A metric of two orders of one sentence, by its definition."""
    if name == "kendall":
        pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
        same = sum(other.index(a) < other.index(b) for a, b in pairs)
        return same / len(pairs) if pairs else 1.0
    ends = [["^", *order, "$"], ["^", *other, "$"]] if name == "frs-boundary" else [order, other]
    own, their = (set(pairwise(each)) for each in ends)
    return len(own & their) / len(own) if own else 1.0


def expected(name: str, order: list[int], others: list[list[int]], weights: list[float]) -> float:
    return sum(w * similarity(name, order, each) for w, each in zip(weights, others, strict=True))


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.sampled_from(METRICS), st.integers(1, 6))
def test_no_move_of_a_block_leads_to_a_better_order(
    rng: random.Random, name: str, words: int
) -> None:
    """And of few words, the order is nearly always the best of all permutations."""
    others = [rng.sample(range(words), words) for _ in range(rng.randrange(1, 5))]
    weights = [rng.choice([0.5, 1.0, 2.0]) for _ in others]
    candidates = [Orders.from_rows([each]) for each in others]
    found = list(agreed_orders(candidates, weights=weights, metric=name)[0].positions)
    value = expected(name, found, others, weights)
    assert value >= max(expected(name, each, others, weights) for each in others) - 0.02 * sum(
        weights
    )
    for start in range(words):
        for end in range(start + 1, words + 1):
            rest = [*found[:start], *found[end:]]
            for to in range(len(rest) + 1):
                moved = [*rest[:to], *found[start:end], *rest[to:]]
                # The tie-breaker may give away up to its own worth.
                assert expected(name, moved, others, weights) <= value + 0.03 * sum(weights)
    if words <= 5 and len(others) == 1:
        best = max(
            expected(name, list(each), others, weights) for each in permutations(range(words))
        )
        assert value == pytest.approx(best)


@given(st.randoms(use_true_random=False), st.sampled_from(METRICS))
def test_similarities_are_those_of_the_metrics(rng: random.Random, name: str) -> None:
    rows = [rng.sample(range(n), n) for n in (1, 2, 3, 7)]
    others = [rng.sample(range(len(row)), len(row)) for row in rows]
    made = metric(name)
    segments = Segments.from_orders(Orders.from_rows(rows), Orders.from_rows(others))
    found = made.segment_scores(segments)
    for own, other, value in zip(rows, others, found.tolist(), strict=True):
        assert similarity(name, own, other) == pytest.approx(value)


@settings(max_examples=30)
@given(st.randoms(use_true_random=False))
def test_under_other_metrics_the_best_candidate_wins(rng: random.Random) -> None:
    lengths = (0, 1, 2, 5, 8)
    candidates = [Orders.from_rows([rng.sample(range(n), n) for n in lengths]) for _ in range(4)]
    weights = [1.0, 0.5, 2.0, 1.0]
    compare = order_similarity("ulam")
    found = agreed_orders(candidates, weights=weights, metric="ulam")
    for row in range(1, len(lengths)):
        values = [
            sum(
                weight * compare(one[row : row + 1], other[row : row + 1])[0]
                for weight, other in zip(weights, candidates, strict=True)
            )
            for one in candidates
        ]
        chosen = [each[row].positions for each in candidates].index(found[row].positions)
        assert values[chosen] == pytest.approx(max(values))


def test_long_sentences_are_ordered_too() -> None:
    rng = np.random.default_rng(1)
    rows = [rng.permutation(n) for n in (500, 3, 120, 0)]
    one = Orders.from_rows(rows)
    assert agreed_orders([one, one]).positions == one.positions
    reverse = Orders.from_rows([row[::-1] for row in rows])
    assert agreed_orders([one, reverse], weights=[1, 2]).positions == reverse.positions


def test_what_makes_no_consensus_is_refused() -> None:
    one, two = Orders.from_rows([[0, 1]]), Orders.from_rows([[0]])
    refuses(UsageError, "at least one order", agreed_orders, [])
    refuses(UsageError, "same sentences", agreed_orders, [one, two])
    refuses(UsageError, "positive numbers", agreed_orders, [one, one], weights=[1, 0])
    with pytest.raises(UsageError, match="bleu does not compare orders; legal names: exact, frs, "):
        agreed_orders([one], metric="bleu")


def learner(seed: int = 0, **options: object) -> ConsensusLearner:
    rng = random.Random(5)
    bank = random_treebank(rng, [4, 6, 3, 8, 5, 7] * 4)
    links = [[(k, rng.randrange(9)) for k in range(n)] for n in bank.lengths.tolist()]
    chosen: dict[str, object] = {"members": {"bracketing": 2, "linear": 1, "R2": 1}, "epochs": 2}
    examples = order_examples(bank, Alignments.from_rows(links))
    return ConsensusLearner(examples, seed=seed, **{**chosen, **options})  # type: ignore[arg-type]


def test_members_are_learned_one_after_the_other() -> None:
    found = learn_order(learner(weights={"R2": 0.25}))
    assert isinstance(found, Consensus)
    kinds = [getattr(member.model, "kind", "rules") for member in found.members]
    assert kinds == ["bracketing", "bracketing", "linear", "rules"]
    assert [member.weight for member in found.members] == [1, 1, 0.5, 0.25]
    assert found.reads == "trees"
    bank = random_treebank(random.Random(9), [0, 1, 5, 9])
    own = [member.model.orders(bank) for member in found.members]
    wanted = agreed_orders(own, weights=[1, 1, 0.5, 0.25])
    assert found.orders(bank).positions == wanted.positions


def test_members_differ_in_what_they_read_and_how_much_sentences_count() -> None:
    seed, members = 3, {"linear": 2, "words": 1, "unchanged": 1}
    made = learner(seed, members=members, epochs=1)
    found = learn_order(made)
    assert isinstance(found, Consensus)
    words, one, other, source = (member.model for member in found.members)
    assert isinstance(words, Bracketing)
    assert isinstance(one, Linear)
    assert isinstance(other, Linear)
    assert (words.reads, found.reads) == ("words", "trees")
    bank = random_treebank(random.Random(9), [0, 1, 5, 9])
    assert source.orders(bank).to_text(2) == "0 1 2 3 4"
    weights = [member.weight for member in found.members]
    assert weights == [WEIGHTS[name] for name in ("words", "linear", "linear", "unchanged")]
    examples = made._examples
    drawn = np.random.default_rng(1009 * seed + 1).exponential(size=len(examples))
    weighed = replace(examples, weights=examples.weights * drawn)
    wanted = learn_order(Linear.learner(weighed, seed=1009 * seed + 1, epochs=1))
    assert isinstance(wanted, Linear)
    assert one.weights.tobytes() == wanted.weights.tobytes() != other.weights.tobytes()


def test_seeds_make_different_members() -> None:
    one, other = (learn_order(learner(seed)).parts()[1] for seed in (1, 2))
    assert one["0.weights"].tobytes() != one["1.weights"].tobytes()
    assert one["0.weights"].tobytes() != other["0.weights"].tobytes()
    message = "unknown member 'lineal'.*did you mean 'linear'"
    refuses(UsageError, message, learner, members={"lineal": 1})
    refuses(UsageError, "at least one", learner, members={"R5": 1, "linear": 0})
    refuses(UsageError, "does not compare orders", learner, metric="bleu")


@pytest.mark.parametrize(
    ("asked", "kinds"),
    [
        (None, ["bracketing"] * 12 + ["linear"] * 8 + ["unchanged"]),
        ({"R2": 1}, ["bracketing"] * 12 + ["linear"] * 8 + ["unchanged", "rules"]),
        ({"R2": 1, "linear": 1}, ["linear", "rules"]),
        ({"words": 1, "unchanged": 1}, ["bracketing", "unchanged"]),
        ({"bracketing": 1}, ["bracketing"]),
    ],
)
def test_rules_join_the_default_members_and_models_replace_them(
    asked: dict[str, int] | None, kinds: list[str]
) -> None:
    found = learn_order(learner(members=asked, epochs=1))
    assert isinstance(found, Consensus)
    assert [getattr(member.model, "kind", "rules") for member in found.members] == kinds


def test_a_model_with_rules_that_are_not_installed_is_refused(tmp_path: Path) -> None:
    class Mine:
        name = "mine"
        orders = staticmethod(open_rules("R2").orders)

    save_learned(tmp_path / "a.safetensors", Consensus([ConsensusMember(Mine())]), {})
    refuses(ModelError, "'mine', which is not installed", load_learned, tmp_path / "a.safetensors")
