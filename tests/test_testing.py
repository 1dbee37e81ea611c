"""The conformance check finds each broken promise."""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
import pytest

import wordorder as wo
from tests.refusing import refuses
from tests.threads import with_threads
from wordorder.alignment.statistical.align import ALIGNERS
from wordorder.alignment.statistical.aligner import IBMModel1
from wordorder.arrays import Float64
from wordorder.kernels._run import threads
from wordorder.metrics.contract import BaseMetric
from wordorder.reordering import RuleSet, open_rules
from wordorder.reordering.rules import RULES
from wordorder.segments import Segments
from wordorder.testing import check_aligner, check_metric, check_rules
from wordorder.treebank import Treebank


class Good(BaseMetric):
    """The share of segments with at least one word."""

    name = "good"

    def statistics(self, segments: Segments) -> Float64:
        filled = (segments.permutation.lengths > 0).astype(np.float64)
        return np.stack([filled, np.ones(len(filled))], axis=1)

    def score(self, totals: Float64) -> Float64:
        zeros = np.zeros(totals.shape[:-1])
        return np.divide(totals[..., 0], totals[..., 1], out=zeros, where=totals[..., 1] > 0)

    def signature(self) -> wo.Signature:
        return wo.Signature(self.name)


def broken(**methods: Any) -> BaseMetric:
    return type("Broken", (Good,), methods)()  # type: ignore[no-any-return]


def nan_scores(self: BaseMetric, totals: Float64) -> Float64:
    with np.errstate(invalid="ignore"):
        return totals[..., 0] / totals[..., 1]


def neighbours(self: BaseMetric, segments: Segments) -> Float64:
    return np.full((len(segments), 2), float(len(segments)))


def hardened(self: BaseMetric, references: Any) -> BaseMetric:
    """Count the pieces, as no metric should."""
    number = 1 if isinstance(references, Segments) else len(list(references))
    made = copy(self)
    vars(made)["statistics"] = lambda segments: number * Good().statistics(segments)
    return made


class Bare:
    """Not even half a metric."""

    name = "bare"

    def statistics(self, segments: Segments) -> Float64:
        return np.ones((len(segments), 1))


def test_a_good_metric_passes() -> None:
    check_metric(Good())


def test_a_metric_that_needs_preparation_is_prepared() -> None:
    text = Segments.from_text(["a b", "c d", "", "a"], ["a b c", "c", "d", ""])
    check_metric(wo.metric("nist", order=2), text)
    check_metric(wo.metric("mix", formula="1*nist - 2*wer"), text)


@pytest.mark.parametrize(
    ("metric", "promise"),
    [
        (broken(name=""), "has a name"),
        (broken(higher_is_better=1), "True or False"),
        (broken(signature=lambda self: "good|v:1"), "returns a Signature"),
        (broken(signature=lambda self: wo.Signature("bad")), "starts with the metric's name"),
        (broken(signature=lambda self: wo.Signature("a|b")), "can be parsed"),
        (broken(statistics=lambda self, s: np.zeros((len(s), 2), np.float32)), "float64 matrix"),
        (broken(statistics=lambda self, s: np.zeros((len(s) + 1, 2))), "one row per segment"),
        (broken(statistics=lambda self, s: np.full((len(s), 2), np.nan)), "are finite"),
        (broken(statistics=neighbours), "do not depend on the segments around"),
        (broken(score=nan_scores), "finite"),
        (broken(score=lambda self, t: np.array(0.5)), r"\[..., k\] to \[...\]"),
        (broken(columns="permutation"), "columns is a tuple of names among permutation, text"),
        (broken(columns=()), "columns is a tuple"),
        (broken(columns=("words",)), "columns is a tuple"),
        (broken(slow=1), "slow is True or False"),
        (broken(match="form"), "match is one of index, first-unmatched"),
        (broken(members=[(1.0, "frs")]), "members are pairs"),
        (broken(needs_preparation=1), "needs_preparation is True or False"),
        (broken(needs_preparation=True), "that needs no preparation"),
        (broken(prepare=lambda self, r: wo.metric("frs")), "of the same class"),
        (broken(prepare=hardened), "in one piece or in several"),
        (broken(score_segments=lambda self, s: s), r"score_segments maps \[S, k\] to \[S\]"),
        (broken(segment_scores=lambda self, s: np.zeros(len(s))), "are the score_segments"),
        (Bare(), "a metric keeps the contract: Bare is not a metric: it lacks score, signature"),
    ],
)
def test_a_broken_promise_is_named(metric: BaseMetric, promise: str) -> None:
    refuses(AssertionError, promise, check_metric, metric)


@pytest.mark.parametrize("rows", [[], [[0]], [[0], [1, 0]], [[0], [1, 0], [2, 1, 0]]])
def test_segments_of_ones_own(rows: list[list[int]]) -> None:
    check_metric(wo.metric("kendall"), Segments.from_permutations(rows))


@pytest.mark.parametrize("name", list(ALIGNERS.built_in))
def test_our_aligners_keep_their_contract(name: str) -> None:
    check_aligner(ALIGNERS.load(name))


class Forgetful(IBMModel1):
    """Links nothing once it has been saved."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Forgetful:
        model: Forgetful = cls.train([], [])
        return model


class Unordered(IBMModel1):
    """Loses the last line."""

    def align(
        self, source: Any, target: Any, *, symmetrize: str = "union", scores: bool = False
    ) -> wo.Alignments:
        return super().align(source[:-1], target[:-1], symmetrize=symmetrize)


@pytest.mark.parametrize(("broken", "what"), [(Forgetful, "saved model"), (Unordered, "per line")])
def test_a_broken_aligner_is_named(broken: type, what: str) -> None:
    refuses(AssertionError, what, check_aligner, broken)


@pytest.mark.parametrize("name", list(RULES.built_in))
def test_our_rules_keep_their_contract(name: str) -> None:
    check_rules(open_rules(name))


@pytest.mark.parametrize("rows", [[], [[]], [["a"]], [["a", "b"], [], ["c"]]])
def test_trees_of_ones_own(rows: list[list[str]]) -> None:
    heads = [list(range(len(row))) for row in rows]
    check_rules(open_rules("R5"), Treebank.from_words(rows, heads=heads))


class Kept:
    """Leaves all words where they are."""

    name = "kept"

    def orders(self, treebank: Treebank) -> wo.Orders:
        return wo.Orders.from_rows([list(range(n)) for n in treebank.lengths.tolist()])


def rows_of(change: Callable[[list[Any]], list[Any]]) -> Callable[..., wo.Orders]:
    """Make orders of rows that are changed before."""

    def orders(self: Kept, treebank: Treebank) -> wo.Orders:
        return wo.Orders.from_rows(
            [change(row) for row in Kept.orders(self, treebank).positions.to_lists()]
        )

    return orders


def longest_first(self: Kept, treebank: Treebank) -> wo.Orders:
    """Turn each sentence round that is as long as the longest."""
    most = max(treebank.lengths.tolist(), default=0)
    rows = [list(range(n)) for n in treebank.lengths.tolist()]
    return wo.Orders.from_rows([row[::-1] if len(row) == most else row for row in rows])


def lost(self: Kept, treebank: Treebank) -> wo.Orders:
    return Kept.orders(self, treebank[1:])


def by_threads(self: Kept, treebank: Treebank) -> wo.Orders:
    rows = [list(range(n)) for n in treebank.lengths.tolist()]
    return wo.Orders.from_rows([row[::-1] for row in rows] if threads() == 3 else rows)


def never_twice(self: Any, treebank: Treebank) -> wo.Orders:
    self.turned = not getattr(self, "turned", False)
    rows = [list(range(n)) for n in treebank.lengths.tolist()]
    return wo.Orders.from_rows([row[::-1] if self.turned else row for row in rows])


def none_of_none(self: Kept, treebank: Treebank) -> wo.Orders:
    if not len(treebank):
        return wo.Orders.from_rows([[]])
    return Kept.orders(self, treebank)


@pytest.mark.parametrize(
    ("methods", "promise"),
    [
        ({"name": ""}, "has a name"),
        ({"name": "a b"}, "no spaces, colons and bars"),
        ({"name": "a|b"}, "no spaces, colons and bars"),
        ({"orders": lambda self, bank: [[0]] * len(bank)}, "returns Orders"),
        ({"orders": lost}, "an order for each sentence"),
        ({"orders": rows_of(lambda row: row[1:])}, "each word of its sentence once"),
        ({"orders": rows_of(lambda row: [*row, len(row)])}, "each word of its sentence once"),
        ({"orders": rows_of(lambda row: [row] if len(row) > 1 else row)}, "words do not tie"),
        ({"orders": never_twice}, "the same orders twice"),
        ({"orders": longest_first}, "does not depend on those around it"),
        ({"orders": none_of_none}, "without sentences"),
        ({"orders": by_threads}, "any number of threads"),
    ],
)
def test_a_broken_rule_set_is_named(methods: dict[str, Any], promise: str) -> None:
    rules: RuleSet = type("Broken", (Kept,), methods)()
    with_threads(lambda: refuses(AssertionError, promise, check_rules, rules), 1)


def test_good_rules_pass() -> None:
    check_rules(Kept())
