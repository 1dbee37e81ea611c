"""Rerankers: learnt from fixed lists, written and read; parsed costs for taggers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.parsing.small_treebank import TREEBANK
from tests.training.augmented.test_learner import LEARNERS, TEXT, order_cost, text

from wordorder.errors import ModelError, UsageError
from wordorder.parsing import Reranker, TaggerLearner, load_models, save_models, train
from wordorder.training import ParsedCost, RerankLearner, RootCost, augmented_train
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.kbest import KBest


@pytest.fixture
def trees(tmp_path: Path) -> Treebank:
    path = tmp_path / "small.conllu"
    path.write_text(TREEBANK)
    return read_treebank(path)


def parser_of(kind: str, trees: Treebank) -> Any:
    return train(LEARNERS[kind](trees, text()), epochs=3).model


def chosen_costs(model: Any) -> float:
    parsed = model.parse(text())
    lists = KBest(parsed, np.arange(len(TEXT) + 1), np.zeros(len(TEXT)))
    return float(order_cost()(lists, np.arange(len(TEXT))).sum())


@pytest.mark.parametrize("kind", LEARNERS)
def test_the_best_of_the_lists_are_chosen(kind: str, trees: Treebank, tmp_path: Path) -> None:
    parser = parser_of(kind, trees)
    learner = RerankLearner(parser, text(), order_cost(), k=8)
    lists = parser.kbest(text(), 8)
    costs = order_cost()(lists, np.arange(len(TEXT)))
    least = float(np.minimum.reduceat(costs, lists.offsets[:-1]).sum())
    assert least < chosen_costs(parser)
    weights, before = learner.new_weights(), 0
    while learner.learn(np.arange(len(TEXT)), weights, before).updates:
        before += len(TEXT)
        assert before < 500
    reranker = learner.model(weights)
    assert chosen_costs(reranker) == least
    # What it was made of stays as it was.
    assert chosen_costs(parser) == chosen_costs(parser_of(kind, trees))
    path = tmp_path / "a.model"
    save_models(path, {"parser": reranker}, {})
    again = load_models(path).parser
    assert isinstance(again, Reranker)
    assert again.parse(text()).heads.tolist() == reranker.parse(text()).heads.tolist()


def test_lists_are_ranked_by_the_new_weights(trees: Treebank) -> None:
    parser = parser_of("transition", trees)
    learner = RerankLearner(parser, text(), order_cost(), k=8)
    reranker = train(learner, epochs=9).model
    assert isinstance(reranker, Reranker)
    whole = reranker.kbest(text())
    old = parser.kbest(text(), 8)
    assert whole.offsets.tolist() == old.offsets.tolist()
    for row in range(len(TEXT)):
        one, other = whole[row : row + 1], old[row : row + 1]
        assert sorted(map(str, one.trees)) == sorted(map(str, other.trees))
        assert np.all(np.diff(one.scores) <= 0)
    short = reranker.kbest(text(), 2)
    assert np.diff(short.offsets).tolist() == np.minimum(np.diff(whole.offsets), 2).tolist()
    assert short.best().heads.tolist() == reranker.parse(text()).heads.tolist()
    assert len(reranker.parse(text()[:0])) == 0


def test_what_is_refused(trees: Treebank) -> None:
    parser = parser_of("graph", trees)
    for k in (0, 5000, 1.5):
        with pytest.raises(UsageError, match="k is a whole number from 1 to 4096"):
            RerankLearner(parser, text(), order_cost(), k=k)  # type: ignore[arg-type]
    about, arrays = Reranker(parser, parser.weights).parts()
    for wrong in ({**about, "k": 0}, {**about, "parser": "none"}):
        with pytest.raises(ModelError, match="cannot be"):
            Reranker.from_parts(wrong, arrays)


def test_a_tagger_learns_from_the_trees_of_its_tags(trees: Treebank) -> None:
    """Half of the words may be nouns or verbs; the roots say which."""
    parser = parser_of("transition", trees)
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
