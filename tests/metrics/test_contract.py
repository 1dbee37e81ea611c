"""Everything that the package asks of a metric has a default, for any class with the five parts."""

import random
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from tests.refusing import refuses

import wordorder as wo
from wordorder.arrays import Float64
from wordorder.errors import InputError, UsageError
from wordorder.metrics import METRICS
from wordorder.metrics.contract import BaseMetric, completed
from wordorder.metrics.registry import is_formula, named_metric
from wordorder.segments import Segments
from wordorder.testing import check_metric


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
    found = (made.columns, made.slow, made.match, made.members)
    assert found == (("permutation",), False, "index", ())
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

    refuses(UsageError, "Slotted must derive from BaseMetric: ", completed, Slotted())
    refuses(UsageError, "Bare is not a metric: it lacks score, signature, stat", completed, Bare())


def test_a_metric_that_needs_the_references_prepares_itself_when_scored() -> None:
    text = wo.Segments.from_text(["a b", "c d"], ["a b c", "c"])
    nist = wo.metric("nist", order=2)
    prepared = nist.prepare(text)
    assert nist.needs_preparation
    assert not prepared.needs_preparation
    assert nist.corpus_score(text) == prepared.corpus_score(text)
    assert nist.segment_scores(text).tolist() == prepared.segment_scores(text).tolist()


# -- A score of nothing: refused, for nothing is not perfect; parts of nothing are welcome.


# Those that need an option have it.
NAMES = [
    {"mix": "0.6*cder + 0.4*per", "label-f1": "label-f1(label=nsubj)"}.get(name, name)
    for name in METRICS.names()
]


def made(name: str) -> BaseMetric:
    return wo.metric("mix", formula=name) if is_formula(name) else named_metric(name)


@pytest.mark.parametrize("name", NAMES)
def test_no_metric_scores_nothing(name: str) -> None:
    with pytest.raises(InputError, match="^no segments; expected at least one"):
        made(name).corpus_score(Segments.empty())
    # By segment there is nothing to score, and nothing wrong.
    assert made(name).segment_scores(Segments.empty()).tolist() == []


@pytest.mark.parametrize("name", ["cder", "frs", "ter", "0.6*cder + 0.4*per"])
def test_parts_may_be_empty_and_the_whole_may_not(name: str) -> None:
    metric = made(name)
    part, whole = wo.Accumulator(metric), wo.Accumulator(metric)
    part.update(Segments.empty())
    whole.merge(part)
    again = wo.Accumulator.from_bytes(part.to_bytes())
    assert again.segments == 0
    for empty in (part, whole, again):
        refuses(InputError, "no segments", empty.compute)
    some = Segments.from_text(["a b c"], ["a c b"], aligner="exact")
    whole.update(some)
    whole.merge(again)
    assert whole.compute().value == metric.corpus_score(some).value


# -- Metrics of text, on sentences that are empty, equal, without references, with several. --------

KEEPERS = [
    *(
        "ter",
        "ter(normalized=true,no_punct=true)",
        "long-jump",
        "long-jump(limit=5,ref_len=average)",
    ),
    *("inversion-wer", "inversion-wer(inversion_cost=0.5,ref_len=average)"),
    *("ribes", "ribes(rank=spearman)", "ribes(compat=nltk)"),
    *(f"gtm(exponent={exponent})" for exponent in (1, 1.5, 2, 3, 10)),
    *("f1", "bleu-s", "bleu-s(order=1,boundaries=true)"),
    *(
        f"{name}({','.join(options)})"
        for name in ("wer", "per", "cder")
        for options in product(
            ("direction=reference", "direction=candidate", "direction=max"),
            ("penalty=none", "penalty=length", "penalty=miscoverage", "penalty=mean"),
            ("substitution=constant", "substitution=prefix", "substitution=levenshtein"),
            ("ref_len=best", "ref_len=average"),
        )
    ),
]


@pytest.fixture(scope="module")
def hard() -> Segments:
    rng = random.Random(3)

    def sentence() -> str:
        return " ".join(rng.choices(["a", "b", "c", "ab", "abc", "x", "."], k=rng.randrange(9)))

    references = [[sentence() for _ in range(rng.randrange(4))] for _ in range(24)]
    return Segments.from_text(
        [*("", "a", "a b c", "c b a", "", "x y"), *(sentence() for _ in references)],
        [["a"], [], ["c a b", "", "a b"], ["A b c d", "c"], [""], ["y x", "x"], *references],
    )


@pytest.mark.parametrize("name", KEEPERS)
def test_metrics_of_text_keep_the_contract(name: str, hard: Segments) -> None:
    metric = made(name)
    check_metric(metric, hard)
    check_metric(metric, Segments.from_text([], []))
