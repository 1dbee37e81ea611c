"""Partial results: merged in any order and sent as bytes, they are the result of one pass."""

import json
import random
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.metrics.test_contract import FirstWord
from tests.refusing import refuses

import wordorder as wo
from wordorder.arrays import Float64
from wordorder.errors import InputError, UsageError
from wordorder.metrics import METRICS
from wordorder.metrics.contract import BaseMetric, statistics_in_pieces
from wordorder.testing import cost_sample

SEGMENTS = 40
OPTIONS: dict[str, dict[str, Any]] = {
    "mix": {"formula": "0.6*frs(ties=rank) - 1e-3*nist(order=2)", "better": "higher"},
    "label-f1": {"label": "obj"},
}
# The options that are not the usual ones must come back too.
OTHERS = (
    ("frs", {"match": "first-unmatched", "ties": "rank", "average": "length"}),
    ("kendall", {"average": "micro", "degenerate": "skip"}),
    ("cder", {"direction": "max", "penalty": "mean", "substitution": "prefix"}),
    ("senscore", {"ordering": "frs(ties=rank,degenerate=beer)", "alpha": 0.25}),
    ("lr-hb1", {"alpha": 0.1}),
    ("bleu", {"tokenize": "char", "lowercase": True}),
    ("meteor", {"language": "de"}),
    ("nist", {"order": 3}),
    ("nsubj", {"subtypes": "drop"}),
    ("mix", {"formula": "2*senscore(ordering=kendall(ties=rank),alpha=1)+ .5*f1"}),
)


@cache
def corpora() -> tuple[wo.Segments, ...]:
    """Segments with every column that a metric may read: orders, text, links, gold links, trees."""
    chance = random.Random(16)
    words = "a b c the of , up".split()
    system = [[chance.choice(words) for _ in range(chance.randrange(9))] for _ in range(SEGMENTS)]
    reference = [[[chance.choice(words) for _ in row]] if row else [["a"]] for row in system]
    text = wo.Segments.from_text(system, reference, aligner="exact")
    source = [list("xyzuvw")[: 1 + row % 6] for row in range(SEGMENTS)]
    links = wo.Alignments.from_rows(
        [
            [(i, chance.randrange(len(t))) for i in range(len(s)) if t]
            for s, t in zip(source, system, strict=True)
        ]
    )
    again = wo.Alignments.from_rows(
        [
            [(i, chance.randrange(len(t[0]))) for i in range(len(s))]
            for s, t in zip(source, reference, strict=True)
        ]
    )
    aligned = wo.Segments.from_alignments(source, system, reference, links, again)
    judged = wo.Segments.from_links(links, again)
    gold = cost_sample()[:SEGMENTS]
    heads = np.where(np.arange(gold.words) % 3 == 0, 0, gold.heads).astype(np.int32)
    trees = wo.Segments.from_treebanks(gold.replace(heads=heads), gold)
    orders = [random.Random(row).sample(range(row % 9), row % 9) for row in range(SEGMENTS)]
    straight = [list(range(len(row))) for row in orders]
    repeated = wo.Segments.from_orders(orders, straight, source=[["a"] * len(r) for r in orders])
    return text, aligned, judged, trees, repeated


def corpus_for(metric: BaseMetric) -> tuple[wo.Segments, BaseMetric, Float64]:
    """Return segments that a metric can read, the metric prepared, and its statistics."""
    for segments in corpora():
        try:
            ready = metric.prepare(segments)
            return segments, ready, statistics_in_pieces(ready, segments)
        except UsageError:
            continue
    raise AssertionError(f"no segments for {metric}")


@cache
def cases() -> list[tuple[wo.Segments, BaseMetric, Float64, bytes, wo.Score]]:
    """Every metric with its segments and what one pass over them gives."""
    named = [(name, OPTIONS.get(name, {})) for name in METRICS.built_in]
    found = []
    for name, options in (*named, *OTHERS):
        segments, ready, statistics = corpus_for(wo.metric(name, **options))
        once = wo.Accumulator(ready)
        once.add(segments, statistics)
        found.append((segments, ready, statistics, once.to_bytes(), once.compute()))
    return found


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, SEGMENTS), min_size=1, max_size=3), st.integers(0, 1 << 32))
def test_any_partition_and_merge_order_gives_the_bytes_of_one_pass(
    cuts: list[int], seed: int
) -> None:
    chance = random.Random(seed)
    borders = [0, *sorted(cuts), SEGMENTS]
    spans = list(pairwise(borders))
    # The same slices for all metrics of the same segments.
    slices = {id(c): [c[first:last] for first, last in spans] for c in corpora()}
    # A quarter of the metrics at a time: each is cut and merged in some 25 ways.
    for segments, metric, statistics, once, _ in cases()[seed % 4 :: 4]:
        parts = []
        for (first, last), rows in zip(spans, slices[id(segments)], strict=True):
            part = wo.Accumulator(metric)
            part.add(rows, statistics[first:last])
            parts.append(part)
        while len(parts) > 1:
            chance.shuffle(parts)
            parts[-1].merge(parts.pop(0))
        # Which hold the score: see below.
        assert parts[0].to_bytes() == once


def test_bytes_alone_bring_everything_back() -> None:
    for segments, metric, statistics, once, score in cases():
        back = wo.Accumulator.from_bytes(once)
        assert back.to_bytes() == once
        assert back.compute() == score
        assert len(once) <= 4096, metric
        # And it goes on from there, under the same metric.
        twice = wo.Accumulator.from_bytes(once)
        twice.merge(back)
        direct = wo.Accumulator(metric)
        direct.add(segments, statistics)
        direct.add(segments, statistics)
        assert twice.to_bytes() == direct.to_bytes()
        if not back.metric.needs_preparation:
            assert back.metric.signature() == metric.signature()
            assert back.metric.statistics(segments).tobytes() == statistics.tobytes()


def test_equal_metrics_are_written_alike() -> None:
    pairs: list[tuple[BaseMetric, BaseMetric]] = [
        (wo.metric("lrscore", alpha="1"), wo.metric("lrscore", alpha=1)),
        (wo.metric("hamming"), wo.metric("hamming", ties="rank")),
        (wo.metric("frs"), wo.metric("frs", match="index", ties="best")),
        (wo.metric("mix", formula="1*frs"), wo.metric("mix", formula=" 1.0 * frs(ties=best)")),
        (wo.metric("nsubj"), wo.metric("label-f1", label="nsubj")),
    ]
    for one, other in pairs:
        assert one.signature() == other.signature()
        assert wo.Accumulator(one).to_bytes() == wo.Accumulator(other).to_bytes()


def test_nothing_is_a_partial_result_too() -> None:
    empty = wo.Accumulator(wo.metric("frs"))
    empty.update(wo.Segments.empty())
    assert empty.to_bytes() == wo.Accumulator(wo.metric("frs")).to_bytes()
    back = wo.Accumulator.from_bytes(empty.to_bytes())
    assert back.segments == 0
    back.update([[1, 0]])
    back.merge(empty)
    assert back.compute().segments == 1


def test_the_sums_are_exact() -> None:
    """A sum that rounds differently in every order: as bytes it is one number."""
    values = np.array([[1e100, 1.0], [1.0, 1e-300], [-1e100, -1.0]])
    segments = wo.Segments.from_permutations([[0]] * 3)
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        total = wo.Accumulator(wo.metric("frs"))
        for row in order:
            part = wo.Accumulator(wo.metric("frs"))
            part.add(segments[:1], values[row : row + 1])
            total.merge(part)
        assert json.loads(total.to_bytes())["sums"] == ["1p0", written(1e-300)]


def written(value: float) -> str:
    """A double as odd hexadecimal digits and a power of two, from its quotient."""
    numerator, denominator = value.as_integer_ratio()
    return f"{numerator:x}p{1 - denominator.bit_length()}"


def partial(name: str, segments: wo.Segments, **options: Any) -> wo.Accumulator:
    running = wo.Accumulator(wo.metric(name, **options))
    running.update(segments)
    return running


def test_partial_results_of_other_kinds_are_refused_by_name() -> None:
    orders = wo.Segments.from_permutations([[1, 0, 2]])
    running = partial("frs", orders)
    before = running.to_bytes()
    with pytest.raises(UsageError, match=r"cannot merge kendall\|match.* into frs\|match"):
        running.merge(partial("kendall", orders))
    with pytest.raises(UsageError, match=r"cannot merge frs\|match:index\|ties:rank"):
        running.merge(partial("frs", orders, ties="rank"))
    words = partial("per", wo.Segments.from_text(["a b"], ["a b"]))
    plain = words.to_bytes()
    characters = partial("per", wo.Segments.from_text(["a b"], ["a b"], tokenizer="char"))
    with pytest.raises(
        UsageError, match="cannot merge per on references with tok:char into one with tok:none: "
    ):
        words.merge(characters)
    assert words.to_bytes() == plain
    assert running.to_bytes() == before


def changed(**fields: Any) -> bytes:
    content = json.loads(partial("frs", wo.Segments.from_permutations([[1, 0]])).to_bytes())
    return json.dumps({**content, **fields}).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "damaged or truncated"),
        (b"\x80\x04\x95", "damaged or truncated"),
        (b"[" * 100_000, "damaged or truncated"),
        (b"[]", "something else; expected what Accumulator.to_bytes wrote"),
        (changed(version=2), "format version 2; expected version 1"),
        (changed(version=True), "format version"),
        (changed(signature="frs|v:0.0.1"), "made by wordorder 0.0.1; expected wordorder"),
        (changed(signature="frs"), "no signature"),
        (changed(signature=None), "no signature"),
        (changed(metric="frss"), "its metric cannot be made: unknown metric 'frss'"),
        (changed(metric=3), "it names no metric"),
        (changed(metric="kendall"), r"made by frs\|.*; expected kendall\|"),
        (changed(options={"ties": "rank"}), r"made by frs\|.*; expected frs\|.*ties:rank"),
        (changed(options={"ties": [1]}), "an option that is no number, switch or text"),
        (changed(options={"name": "frs"}), "unknown option of frs 'name'; legal names"),
        (changed(provenance=[["a"]]), "provenance"),
        (changed(segments=-1), "segments is -1; expected a whole number from 0"),
        (changed(segments=1e3), "segments is 1000.0"),
        (changed(segments=True), "segments is True"),
        (changed(skipped=2), "skipped is 2; expected a whole number from 0 to 1"),
        (changed(sums=["1p0"]), "1 sums; expected 2 for frs"),
        (changed(sums=None), "no sums; expected 2 for frs"),
        (changed(sums=["1p0", 1]), "1 is not an exact sum"),
        (changed(sums=["1p0", "2p0"]), "'2p0' is not an exact sum"),
        (changed(sums=["1p0", "1p-1075"]), "'1p-1075' is not an exact sum"),
        (changed(sums=["1p0", "1p9999"]), "'1p9999' is not an exact sum"),
        (changed(sums=["1p0", "f" * 10**6 + "p0"]), "is not an exact sum"),
        (changed(sums=["1p0", "1p1024"]), "frs has no score for its sums"),
        (changed(sums=["1p0", "1p\u0663"]), "is not an exact sum"),
    ],
)  # fmt: skip
def test_hostile_bytes_are_one_clear_error(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        wo.Accumulator.from_bytes(data)
    assert str(error.value).startswith("partial result: ")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("meteor", {"paraphrases": "/dev/zero"}),
        ("meteor", {"function_words": "-"}),
        ("mix", {"formula": "1*meteor(synonyms=/dev/zero)"}),
    ],
)
def test_no_endless_stream_is_read(metric: str, options: dict[str, str]) -> None:
    signature = str(wo.Signature(metric))
    with pytest.raises(InputError, match="an option names (/dev/zero|-); expected a file"):
        wo.Accumulator.from_bytes(changed(metric=metric, options=options, signature=signature))


def test_every_prefix_is_cut_off() -> None:
    data = partial("kendall", wo.Segments.from_permutations([[1, 0]])).to_bytes()
    for size in range(len(data)):
        with pytest.raises(InputError, match="partial result: damaged or truncated"):
            wo.Accumulator.from_bytes(data[:size])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside),
    max_leaves=4,
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_field_may_be_anything(data: st.DataObject) -> None:
    """A damaged field is an InputError, or by chance a legal one; never another exception."""
    *_, once, _ = data.draw(st.sampled_from(cases()))
    content = json.loads(once)
    key = data.draw(st.sampled_from(sorted(content)))
    if key == "options" and data.draw(st.booleans()):
        taken = sorted(wo.metric("frs").named_options() | {"alpha": 0, "order": 0, "formula": ""})
        content[key] = {data.draw(st.sampled_from(taken)): data.draw(JSON)}
    else:
        content[key] = data.draw(JSON)
    with suppress(InputError):
        wo.Accumulator.from_bytes(json.dumps(content).encode())


def test_a_metric_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    running = wo.Accumulator(Weighted(weight=0.5))
    running.update([[0, 1], [1, 0]])
    refuses(UsageError, "'first-word' is not registered.*'wordorder.metrics'", running.to_bytes)

    def load(name: str) -> Any:
        return Weighted if name == "first-word" else registered(name)

    registered = METRICS.load
    monkeypatch.setattr(METRICS, "load", load)
    back = wo.Accumulator.from_bytes(running.to_bytes())
    assert back.compute() == running.compute()
    assert json.loads(running.to_bytes())["options"] == {"weight": 0.5}
    # One that keeps its options under other names must say so.
    monkeypatch.setattr(Weighted, "named_options", lambda self: {}, raising=False)
    with pytest.raises(UsageError, match="cannot be made again from its name and the options {}"):
        wo.Accumulator(Weighted(weight=0.25)).to_bytes()


class Weighted(FirstWord, BaseMetric):
    """As a plugin has it: its option is a keyword."""

    def __init__(self, *, weight: float = 1.0) -> None:
        object.__setattr__(self, "weight", weight)


def test_a_metric_that_has_to_see_the_references_is_merged_without_them() -> None:
    segments = wo.Segments.from_text(["a b c"], ["a b d"])
    metric = wo.metric("nist").prepare(segments)
    running = wo.Accumulator(metric)
    running.update(segments)
    back = wo.Accumulator.from_bytes(running.to_bytes())
    assert back.compute() == running.compute()
    refuses(UsageError, r"use nist\.prepare", back.update, segments)
    running.merge(back)
    assert running.compute().segments == 2
    other = wo.Accumulator(wo.metric("nist").prepare(wo.Segments.from_text(["a"], ["b"])))
    refuses(UsageError, "cannot merge nist", running.merge, other)


@pytest.mark.parametrize("first_row", [-1, 2**63 - 1, 2**63])
def test_rows_without_a_number_change_nothing(first_row: int) -> None:
    running = wo.Accumulator(wo.metric("frs"), intervals=True)
    running.update([[1, 0]])
    before = running.to_bytes()
    with pytest.raises(UsageError, match=f"rows have numbers from 0 .* got {first_row}"):
        running.update([[0, 1, 2], [2, 1, 0]], first_row=first_row)
    assert running.to_bytes() == before


def test_any_seed_comes_back() -> None:
    running = wo.Accumulator(wo.metric("frs"), intervals=True, seed=10**30)
    running.update([[1, 0]], first_row=2**63 - 1)
    back = wo.Accumulator.from_bytes(running.to_bytes())
    assert (back.seed, back.to_bytes()) == (10**30, running.to_bytes())
