"""What a metric needs and what it gets; its options, and what its signature tells."""

import math
import random
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.refusing import refuses

import wordorder as wo
from wordorder.arrays import Float64
from wordorder.errors import InputError, UsageError
from wordorder.metrics import METRICS
from wordorder.metrics.contract import BaseMetric, complete_metric, default_options
from wordorder.metrics.order.chunks import OrderMetric
from wordorder.metrics.order.trees import RecursiveForest
from wordorder.metrics.registry import is_formula, metrics_for, named_metric
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
    assert running.compute() == complete_metric(own).corpus_score(SEGMENTS)
    assert running.compute().value == pytest.approx(1 / 3)


def test_what_it_lacks_has_a_default_and_what_it_has_stays() -> None:
    own = FirstWord(0.5)
    made = complete_metric(own)
    assert isinstance(made, BaseMetric)
    assert isinstance(made, FirstWord)
    assert made.weight == 0.5
    assert not isinstance(own, BaseMetric)
    found = (made.columns, made.slow, made.match, made.members)
    assert found == (("permutation",), False, "index", ())
    assert not made.needs_preparation
    assert made.prepare(SEGMENTS) is made
    assert made.segment_scores(SEGMENTS).tolist() == [0.5, 0.0, 0.5]
    other = complete_metric(WithColumns())
    assert (other.columns, other.slow) == (("permutation", "text"), True)
    frs = wo.metric("frs")
    assert complete_metric(frs) is frs


def test_a_class_that_cannot_be_completed_is_told_to_derive() -> None:
    class Slotted:
        __slots__ = ("name",)
        higher_is_better = True
        statistics = FirstWord.statistics
        score = FirstWord.score
        signature = FirstWord.signature

    class Bare:
        name = "bare"

    refuses(UsageError, "Slotted must derive from BaseMetric: ", complete_metric, Slotted())
    refuses(
        UsageError, "Bare is not a metric: it lacks score, signature, stat", complete_metric, Bare()
    )


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


# -- Options, their messages, and the promise that a signature tells the number.


# Rows on which every option of every metric makes a difference: ties, repeated words, several
# lengths, degenerate rows, a dropped word.
SYSTEM = [[2, 0, 1, 3, 5, 4], [0], [], [1, 0], [3, 1, 0, 2], [0, 1, 3, 2, 4], [0, 1, 3, 2], []]
REFERENCE: list[list[Any]] = [
    *([[0, 1], 2, [3, 4], 5], [0], [], [0, 1], [0, 1, 2, 3], [[1, 2], [0, 4], 3, 5]),
    *([0, [1, 2], 3], [0, 1]),
]
SOURCE = [list("abacab"), ["a"], [], ["a", "a"], *map(list, ("aabb", "ababab", "abcd", "ab"))]
VALUES: dict[str, list[object]] = {
    "match": ["index", "first-unmatched"],
    "ties": ["best", "rank"],
    "average": ["segment", "micro", "length"],
    "degenerate": ["standard", "skip", "beer"],
    "beta": [0.6, 0.5],
    "rescale": [True, False],
    "few": ["zero", "skip", "one"],
}


def variants(name: str) -> list[dict[str, object]]:
    keys = list(default_options(METRICS.load(name)))
    found = []
    for choice in product(*(VALUES[key] for key in keys)):
        options = dict(zip(keys, choice, strict=True))
        if not (options["average"] == "micro" and name in ("pets", "pef-recursive")):
            found.append(options)
    return found


@pytest.mark.parametrize("name", metrics_for({"permutation"}))
def test_the_signature_changes_if_and_only_if_the_value_can(name: str) -> None:
    segments = wo.Segments.from_orders(SYSTEM, REFERENCE, source=SOURCE)
    by_signature: dict[str, set[float]] = {}
    changed: dict[str, bool] = {}
    numbers = {}
    for options in variants(name):
        metric = wo.metric(name, **options)
        number = metric.corpus_score(segments).value
        by_signature.setdefault(str(metric.signature()), set()).add(number)
        numbers[tuple(options.items())] = (number, str(metric.signature()))
    # One signature, one number.
    assert all(len(found) == 1 for found in by_signature.values())
    # An option that the signature tells can change the number, on these very rows.
    for options in variants(name):
        for key in options:
            for value in VALUES[key]:
                other = numbers.get(tuple((options | {key: value}).items()))
                here = numbers[tuple(options.items())]
                if other is not None and other[1] != here[1]:
                    changed[key] = changed.get(key, False) or other[0] != here[0]
    assert all(changed.values()), changed


MICRO = [name for name in metrics_for({"permutation"}) if name not in ("pets", "pef-recursive")]
CORPORA = [
    wo.Segments.from_orders(SYSTEM, REFERENCE, source=SOURCE),
    wo.Segments.from_orders([[0], [0]], [[0], [0]]),
]


@pytest.mark.parametrize("name", MICRO)
def test_pooled_one_word_segments_change_the_signature_where_they_change_the_value(
    name: str,
) -> None:
    metrics = [
        wo.metric(name, average="micro", degenerate=rule) for rule in ("standard", "beer", "skip")
    ]
    changed = False
    for segments in CORPORA:
        # Without a value: as text, so that it equals itself.
        values = [str(metric.corpus_score(segments).value) for metric in metrics]
        rows = [str(metric.segment_scores(segments)) for metric in metrics]
        if metrics[0].signature() == metrics[2].signature():
            assert (values[2], rows[2]) == (values[0], rows[0])
        changed |= values[2] != values[0]
    assert (metrics[0].signature() != metrics[2].signature()) == changed
    assert ("degenerate:skip" in str(metrics[2].signature())) == changed
    assert changed == (name in ("frs-boundary", "hamming", "exact"))


@pytest.mark.parametrize("name", MICRO)
def test_whether_one_word_counts_is_what_the_denominator_says(name: str) -> None:
    metric = wo.metric(name, average="micro")
    assert isinstance(metric, OrderMetric)
    (row,) = metric.statistics(wo.Segments.from_permutations([[0]]))
    assert metric.one_word_counts == (row[1] > 0)


def test_messages_name_what_is_legal() -> None:
    with pytest.raises(
        wo.WordOrderError, match=r"'kendal' \(did you mean 'kendall'\?\).*list metrics"
    ):
        wo.metric("kendal")
    with pytest.raises(wo.WordOrderError, match=r"option of frs 'tie' \(did you mean 'ties'\?\)"):
        wo.metric("frs", tie="best")
    with pytest.raises(wo.WordOrderError, match=r"value for frs.ties 'bset'.*best, rank"):
        wo.metric("frs", ties="bset")
    refuses(wo.WordOrderError, "between 0 and 1", wo.metric, "pef-recursive", beta=1.0)
    with pytest.raises(wo.WordOrderError, match=r"pef-recursive\.beta is a number, not 'x'"):
        wo.metric("pef-recursive", beta="x")


def test_text_values_as_on_the_command_line() -> None:
    metric = wo.metric("pef-recursive", beta="0.5", rescale="no")
    assert isinstance(metric, RecursiveForest)
    assert (metric.beta, metric.rescale) == (0.5, False)
    for options, message in (
        ({"beta": None}, "beta is a number from 0 to 1, not None"),
        ({"beta": True}, "beta is a number from 0 to 1, not True"),
        ({"rescale": 0}, "rescale is True or False, not 0"),
    ):
        refuses(wo.WordOrderError, message, wo.metric, "pef-recursive", **options)


def test_provenance_stands_in_the_signature() -> None:
    reference = wo.Orders.from_rows([[1, 0]])
    named = wo.Orders(reference.positions, None, (("rule", "talbot"), ("null", "next")))
    score = wo.metric("frs").corpus_score(wo.Segments.from_orders([[0, 1]], named))
    assert "|rule:talbot|null:next|" in str(score.signature)


# What a number or switch is; values of the wrong kind, too large or without meaning.
LEGAL = {bool: "True or False", int: "a whole number from", float: "a number"}
WRONG: dict[type, list[object]] = {
    bool: [None, 2, 0, 1.0, "maybe", [True]],
    int: [None, True, 2.5, math.nan, -1, 2**70, "x", [1], b"1"],
    float: [None, True, math.nan, math.inf, -0.5, 2**2000, "x", [1]],
}
OPTIONS = [
    (name, option, type(default))
    for name in METRICS.names()
    for option, default in default_options(METRICS.load(name)).items()
    if not isinstance(default, str) and default is not None
]


@pytest.mark.parametrize(("name", "option", "kind"), OPTIONS)
def test_every_number_and_switch_is_checked(name: str, option: str, kind: type) -> None:
    for value in WRONG[kind]:
        # Text is turned into numbers first, which has a message of its own.
        text = f"{option} is (true or false|a number)"
        wanted = text if isinstance(value, str) else LEGAL[kind]
        refuses(UsageError, wanted, wo.metric, name, **{option: value})


def test_options_with_a_number_are_all_looked_at() -> None:
    assert {kind for _, _, kind in OPTIONS} == {bool, int, float}
    assert ("ribes", "alpha", float) in OPTIONS
    assert ("long-jump", "limit", int) in OPTIONS


@pytest.mark.parametrize("value", [None, "", [1], 3, True])
def test_a_formula_and_a_smoothing_value_are_checked(value: object) -> None:
    refuses(UsageError, "mix needs a formula", wo.metric, "mix", formula=value)
    if value not in (None, 3):
        refuses(UsageError, "smooth_value is a number", wo.metric, "bleu", smooth_value=value)


@pytest.mark.parametrize("option", ["synonyms", "paraphrases", "function_words"])
def test_files_have_names(option: str) -> None:
    for value in (3, True, b"words", ["words"]):
        with pytest.raises(UsageError, match=f"{option} is the name of a file, not"):
            wo.metric("meteor", **{option: value})


def test_a_smoothing_value_stands_in_the_signature_if_it_is_used() -> None:
    def line(**options: object) -> str:
        return str(wo.metric("bleu", **options).signature())

    for method in ("exp", "none"):
        assert line(smooth_method=method, smooth_value=0.5) == line(smooth_method=method)
    assert line(smooth_method="floor", smooth_value=0.1) == line(smooth_method="floor")
    assert line(smooth_method="floor", smooth_value=0.2) != line(smooth_method="floor")


def test_a_small_beta_has_a_limit_of_length() -> None:
    short = wo.Segments.from_permutations([range(500)])
    long = wo.Segments.from_permutations([range(501)])
    assert wo.metric("pef-recursive", beta=0.01).corpus_score(short).value == pytest.approx(1)
    assert wo.metric("pef-recursive", beta=0.2).corpus_score(long).value == pytest.approx(1)
    with pytest.raises(wo.WordOrderError, match="exact up to 500 words, not for the 501"):
        wo.metric("pef-recursive", beta=0.01).corpus_score(long)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2"])
def test_threads_are_a_whole_number(wrong: object) -> None:
    refuses(wo.WordOrderError, "at least 1", wo.set_threads, wrong)


@pytest.mark.parametrize("frozen", [False, True])
def test_plain_fields_of_a_dataclass_are_no_declared_options(frozen: bool) -> None:
    class Power(BaseMetric):
        name = "power"
        columns = ("permutation",)
        power: float = 2.0

        def signature(self) -> wo.Signature:
            return wo.Signature(self.name)

        def statistics(self, segments: Segments) -> Float64:
            return np.ones((len(segments), 1))

        def score(self, totals: Float64) -> Float64:
            return totals[..., 0] * self.power

    made: Any = dataclass(frozen=frozen, kw_only=True, eq=False)(Power)
    assert made(power=3.0).power == 3.0
