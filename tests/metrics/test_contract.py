"""Everything that the package asks of a metric has a default, for any class with the five parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric, completed
from wordorder.testing import check_metric
from wordorder.types import Float64


@dataclass(frozen=True)
class FirstWord:
    """Derives from nothing and has no more than the five parts."""

    weight: float = 1.0
    name = "first-word"
    higher_is_better = True

    def statistics(self, segments: wo.Segments) -> Float64:
        rows = [len(row) > 0 and row[0] == 0 for row in segments.permutation]
        return np.array([[self.weight * right, 1.0] for right in rows]).reshape(-1, 2)

    def score(self, totals: Float64) -> Float64:
        value = np.zeros(totals.shape[:-1])
        return np.divide(totals[..., 0], totals[..., 1], out=value, where=totals[..., 1] > 0)

    def signature(self) -> wo.Signature:
        return wo.Signature(self.name, (("weight", repr(self.weight)),))


class WithColumns(FirstWord):
    columns = ("permutation", "text")
    slow = True


SEGMENTS = wo.Segments.from_permutations([[0, 1], [1, 0], [0]])


def test_a_class_with_five_parts_is_a_metric() -> None:
    own = FirstWord(0.5)
    check_metric(own)
    running = wo.Accumulator(own)
    running.update(SEGMENTS)
    assert running.compute() == completed(own).corpus_score(SEGMENTS)
    assert running.compute().value == pytest.approx(1 / 3)


def test_what_it_lacks_has_a_default_and_what_it_has_stays() -> None:
    own = FirstWord(0.5)
    made = completed(own)
    assert isinstance(made, BaseMetric)
    assert isinstance(made, FirstWord)
    assert made.weight == 0.5
    assert not isinstance(own, BaseMetric)
    assert (made.columns, made.slow, made.match, made.members) == (
        ("permutation",), False, "index", ()
    )  # fmt: skip
    assert not made.needs_preparation
    assert made.prepare(SEGMENTS) is made
    assert made.segment_scores(SEGMENTS).tolist() == [0.5, 0.0, 0.5]
    other = completed(WithColumns())
    assert (other.columns, other.slow) == (("permutation", "text"), True)


def test_a_metric_that_derives_from_the_base_class_is_taken_as_it_is() -> None:
    frs = wo.metric("frs")
    assert completed(frs) is frs


def test_a_class_that_cannot_be_completed_is_told_to_derive() -> None:
    class Slotted:
        __slots__ = ("name",)
        higher_is_better = True
        statistics = FirstWord.statistics
        score = FirstWord.score
        signature = FirstWord.signature

    class Bare:
        name = "bare"

    with pytest.raises(UsageError, match="Slotted must derive from BaseMetric: "):
        completed(Slotted())  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="Bare is not a metric: it lacks score, signature, stat"):
        completed(Bare())  # type: ignore[arg-type]


def test_a_metric_that_needs_the_references_prepares_itself_when_scored() -> None:
    text = wo.Segments.from_text(["a b", "c d"], ["a b c", "c"])
    nist = wo.metric("nist", order=2)
    prepared = nist.prepare(text)
    assert nist.needs_preparation
    assert not prepared.needs_preparation
    assert nist.corpus_score(text) == prepared.corpus_score(text)
    assert nist.segment_scores(text).tolist() == prepared.segment_scores(text).tolist()
