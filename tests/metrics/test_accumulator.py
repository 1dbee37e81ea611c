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
from wordorder.metrics.accumulator import bucket_measurement
from wordorder.metrics.contract import BaseMetric, statistics_in_pieces
from wordorder.statistics.bucket_sums import BUCKETS
from wordorder.statistics.intervals import confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import compare
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
        UsageError, match="cannot merge per on references with tok:char into one with tok:13a: "
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


# -- Intervals and paired tests of accumulators, from sums of buckets.


CHOSEN = ("frs|match:index|ties:best", "cder|direction:reference|penalty:none")


def shuffled(rows: int, seed: int) -> wo.Segments:
    """Permutations of 2 to 11 words, some swapped."""
    generator = np.random.default_rng(seed)
    orders = []
    for length in generator.integers(2, 12, rows).tolist():
        order = list(range(length))
        for place in generator.integers(0, length - 1, generator.integers(0, 4)).tolist():
            order[place : place + 2] = order[place : place + 2][::-1]
        orders.append(order)
    return wo.Segments.from_permutations(orders)


@pytest.mark.parametrize("seed", range(2))
def test_any_partition_of_buckets_gives_the_same_bytes(seed: int) -> None:
    chance = random.Random(seed)
    for segments, metric, statistics, _, score in cases():
        if not str(score.signature).startswith(CHOSEN):
            continue
        once = wo.Accumulator(metric, intervals=True)
        once.add(segments, statistics)
        borders = [0, *sorted(chance.sample(range(SEGMENTS), 4)), SEGMENTS]
        parts = []
        for first, last in pairwise(borders):
            part = wo.Accumulator(metric, intervals=True)
            part.add(segments[first:last], statistics[first:last], first_row=first)
            parts.append(wo.Accumulator.from_bytes(part.to_bytes()))
        chance.shuffle(parts)
        whole = wo.Accumulator(metric, intervals=True)
        for part in parts:
            whole.merge(part)
        assert whole.to_bytes() == once.to_bytes()
        assert whole.compute() == score
        assert whole.estimate(resamples=50) == once.estimate(resamples=50)
        assert once.estimate(resamples=50).value == score.value
        columns = statistics.shape[1]
        assert len(once.to_bytes()) < 4096 + BUCKETS * (64 * columns + 3)


def test_pieces_in_order_need_no_row_numbers() -> None:
    segments = shuffled(60, 1)
    once, pieces = (wo.Accumulator(wo.metric("frs"), intervals=True) for _ in range(2))
    once.update(segments)
    for first in range(0, 60, 17):
        pieces.update(segments[first : first + 17])
    assert pieces.to_bytes() == once.to_bytes()
    # The content does not choose the bucket: from another row on, the same text is elsewhere.
    moved = wo.Accumulator(wo.metric("frs"), intervals=True)
    moved.update(segments, first_row=1)
    assert moved.to_bytes() != once.to_bytes()
    assert moved.compute() == once.compute()


def test_as_wide_as_intervals_of_segments() -> None:
    """The mean of ten widths is that of the full bootstrap, within its own noise."""
    segments = shuffled(20_000, 2)
    metric = wo.metric("kendall")
    statistics = metric.statistics(segments)
    ((full,),) = confidence_intervals([Measurement([statistics], metric.score)])
    widths = []
    for seed in range(10):
        running = wo.Accumulator(metric, intervals=True, seed=seed)
        running.add(segments, statistics)
        found = running.estimate()
        assert found.value == full.value
        widths.append(found.high - found.low)
    assert np.mean(widths) / (full.high - full.low) == pytest.approx(1, abs=0.05)


def test_few_segments_are_resampled_as_themselves() -> None:
    """Each has a bucket of its own, and buckets without segments are none."""
    running = wo.Accumulator(wo.metric("frs"), intervals=True)
    assert (running.estimate().low, running.estimate().high) == (0, 0)
    running.update([[0, 1, 2]])
    found = running.estimate()
    assert (found.low, found.value, found.high) == (1, 1, 1)
    running.update([[0, 1, 2]] * 3)
    assert running.estimate() == found


def test_paired() -> None:
    worse, better = (shuffled(3000, seed) for seed in (3, 3))
    rows = better.permutation.to_lists()
    better = wo.Segments.from_permutations(
        [sorted(r) if i % 50 == 0 else r for i, r in enumerate(rows)]
    )
    metric = wo.metric("frs")
    systems = []
    for segments in (worse, better):
        running = wo.Accumulator(metric, intervals=True)
        running.update(segments)
        systems.append(running)
    whole = Measurement([metric.statistics(s) for s in (worse, better)], metric.score)
    for test in ("bootstrap", "randomization"):
        (found,), (full,) = (compare([m], test=test) for m in (bucket_measurement(systems), whole))
        assert found.values == full.values
        assert found.pair(0, 1).difference == full.pair(0, 1).difference
        assert found.pair(0, 1).mark == full.pair(0, 1).mark == "+**"
    # Paired, a difference in few segments is seen; the systems' own intervals overlap.
    assert systems[0].estimate().high > systems[1].estimate().low


def test_what_cannot_be_merged_or_compared() -> None:
    plain = wo.Accumulator(wo.metric("frs"))
    first, other = (wo.Accumulator(wo.metric("frs"), intervals=True, seed=s) for s in (1, 2))
    for running in (plain, first, other):
        running.update([[1, 0]])
    with pytest.raises(UsageError, match="cannot merge frs without buckets into one with buckets"):
        first.merge(plain)
    with pytest.raises(UsageError, match="with buckets of seed 2 into one with buckets of seed 1"):
        first.merge(other)
    refuses(UsageError, "made with intervals=True", plain.estimate)
    refuses(UsageError, "buckets of seed 2 and of seed 1", bucket_measurement, [first, other])
    with pytest.raises(UsageError, match="kendall.* cannot be compared with frs"):
        bucket_measurement([first, wo.Accumulator(wo.metric("kendall"), intervals=True, seed=1)])
    refuses(UsageError, "at least one", bucket_measurement, [])
    more = wo.Accumulator.from_bytes(first.to_bytes())
    more.update([[1, 0]])
    refuses(UsageError, "different segments", bucket_measurement, [first, more])


def with_buckets(**fields: Any) -> bytes:
    running = wo.Accumulator(wo.metric("frs"), intervals=True)
    running.update([[1, 0]])
    content = json.loads(running.to_bytes())
    lines = content["buckets"]["sums"]
    return json.dumps({**content, "buckets": {"seed": 1, "sums": lines} | fields}).encode()


ZEROS = " ".join("0" * BUCKETS)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"seed": -1}, "seed is -1"),
        ({"seed": None}, "seed is None"),
        ({"sums": 3}, "buckets without sums"),
        ({"sums": []}, "buckets with 0 lines; expected 3"),
        ({"sums": [ZEROS, ZEROS]}, "buckets with 2 lines; expected 3"),
        ({"sums": [ZEROS, ZEROS, "0"]}, "1 buckets; expected 4096"),
        ({"sums": [ZEROS, ZEROS, 7]}, "0 buckets; expected 4096"),
        ({"sums": [ZEROS, ZEROS, ZEROS]}, "buckets that do not add up; expected 1 segments"),
        ({"sums": [ZEROS, ZEROS, "x" + ZEROS[1:]]}, "'x' is not an exact sum"),
        ({"sums": ["-1" + ZEROS[1:], ZEROS, ZEROS]}, "'-1' segments in a bucket"),
        ({"sums": [ZEROS, ZEROS, "1p1024" + ZEROS[1:]]}, "beyond the largest double"),
    ],
)
def test_hostile_buckets(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        wo.Accumulator.from_bytes(with_buckets(**fields))
    assert str(error.value).startswith("partial result: ")
