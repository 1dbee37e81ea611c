"""What holds for every permutation and every corpus."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests import oracles
from tests.strategies import shuffles, tied_rows
from tests.threads import with_threads

import wordorder as wo
from wordorder.metrics.registry import metrics_for
from wordorder.testing import check_metric

NAMES = metrics_for({"permutation"})


def value(name: str, row: list[int], **options: object) -> float:
    segments = wo.Segments.from_permutations([row])
    return float(wo.metric(name, **options).segment_scores(segments)[0])


def inverse(row: list[int]) -> list[int]:
    return sorted(range(len(row)), key=row.__getitem__)


@given(shuffles())
def test_bounds_and_identity(row: list[int]) -> None:
    straight = row == sorted(row)
    for name in NAMES:
        got = value(name, row)
        assert 0.0 <= got <= 1.0, name
        if straight:
            assert got == 1.0, name
        elif name not in ("pet", "pets", "maxop"):
            # The tree metrics do not see direction; all others know a faulty order.
            assert got < 1.0, name


@given(shuffles())
def test_inversion_does_not_matter(row: list[int]) -> None:
    for name in NAMES:
        assert value(name, row) == pytest.approx(value(name, inverse(row)), abs=1e-12), name


@given(shuffles(longest=20), st.data())
def test_frs_is_symmetric_in_its_arguments(system: list[int], data: st.DataObject) -> None:
    reference = data.draw(st.permutations(range(len(system))))
    frs = wo.metric("frs")
    there = frs.segment_scores(wo.Segments.from_orders([system], [reference]))
    back = frs.segment_scores(wo.Segments.from_orders([reference], [system]))
    assert there == back


@pytest.mark.parametrize("n", [3, 4, 10, 25, 200])
def test_a_turned_sentence(n: int) -> None:
    turned = list(range(n - 1, -1, -1))
    for name in ("pet", "pets", "maxop"):
        assert value(name, turned) == 1.0
    for name in ("frs", "frs-boundary", "kendall", "spearman", "ulam", "exact", "pef-recursive"):
        assert value(name, turned) == pytest.approx(0.0, abs=1e-12), name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("degenerate", ["standard", "skip", "beer"])
@pytest.mark.parametrize("average", ["segment", "micro", "length"])
def test_the_contract(name: str, average: str, degenerate: str) -> None:
    if average == "micro" and name in ("pets", "pef-recursive"):
        with pytest.raises(wo.WordOrderError, match="average is one of segment, length"):
            wo.metric(name, average=average)
        return
    check_metric(wo.metric(name, average=average, degenerate=degenerate))


def test_averages() -> None:
    # Kendall: 0 of 1 pair and 6 of 6 pairs, reference lengths 2 and 4.
    segments = wo.Segments.from_permutations([[1, 0], [0, 1, 2, 3]])

    def corpus(average: str) -> float:
        return float(wo.metric("kendall", average=average).corpus_score(segments).value)

    assert corpus("segment") == 1 / 2
    assert corpus("micro") == 6 / 7
    assert corpus("length") == 4 / 6


def test_length_average_counts_dropped_words() -> None:
    # The second system drops a word; its reference still has three.
    segments = wo.Segments.from_orders([[1, 0], [0, 1]], [[0, 1], [0, 1, 2]])
    assert wo.metric("kendall", average="length").corpus_score(segments).value == 3 / 5
    assert segments.dropped == 1


def test_micro_of_rows_without_pairs() -> None:
    ones = wo.Segments.from_permutations([[0], [0]])
    assert wo.metric("frs", average="micro").corpus_score(ones).value == 1.0
    # Rows without a denominator add nothing to a quotient of sums: no rule for them is asked.
    beer = wo.metric("frs", average="micro", degenerate="beer")
    assert beer.corpus_score(ones) == wo.metric("frs", average="micro").corpus_score(ones)
    skipping = wo.metric("frs", degenerate="skip").corpus_score(ones)
    assert (skipping.value, skipping.skipped) == (0.0, len(ones))
    mixed = wo.Segments.from_permutations([[0], [1, 0]])
    assert wo.metric("frs", average="micro").corpus_score(mixed).value == 0.0


@given(st.lists(shuffles(shortest=0, longest=12), min_size=1, max_size=30), st.data())
def test_no_cutting_and_no_shuffling_changes_a_corpus_score(
    rows: list[list[int]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(rows))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    for name in ("frs", "pef-recursive", "spearman"):
        whole = wo.metric(name).corpus_score(wo.Segments.from_permutations(rows))
        running = wo.Accumulator(wo.metric(name))
        for first, last in zip([0, *cuts], [*cuts, len(rows)], strict=True):
            running.update(shuffled[first:last])
        assert running.compute() == whole


def test_threads_do_not_matter() -> None:
    generator = np.random.default_rng(5)
    values = np.concatenate([generator.permutation(40) for _ in range(20_000)]).astype(np.int32)
    rows = wo.Ragged(values, np.arange(0, len(values) + 1, 40))

    def work() -> list[bytes]:
        segments = wo.Segments.from_permutations(rows)
        return [wo.metric(name).segment_scores(segments).tobytes() for name in NAMES]

    one, two, eight = with_threads(work, 1, 2, 8)
    assert work() == one == two == eight


@pytest.mark.parametrize("name", metrics_for({"permutation"}))
@pytest.mark.parametrize("average", ["segment", "length"])
def test_one_word_may_be_left_out(name: str, average: str) -> None:
    rows = [[1, 0, 2], [0], [], [2, 1, 0, 3], [0]]
    skipping = wo.metric(name, average=average, degenerate="skip")
    found = skipping.corpus_score(wo.Segments.from_permutations(rows))
    longer = wo.Segments.from_permutations([row for row in rows if len(row) > 1])
    assert found.value == wo.metric(name, average=average).corpus_score(longer).value
    assert found.skipped == 3


# -- Ties and repeated words, against every reading of them.


def reference_of(groups: list[int]) -> list[list[int]]:
    """The reference whose tie group `g` holds the system's words of rank `g`."""
    return [[i for i, g in enumerate(groups) if g == rank] for rank in range(max(groups) + 1)]


def score(name: str, groups: list[int], **options: object) -> float:
    segments = wo.Segments.from_orders([list(range(len(groups)))], [reference_of(groups)])
    return float(wo.metric(name, **options).segment_scores(segments)[0])


BEST: dict[str, Callable[[oracles.Permutation], Fraction]] = {
    "frs": oracles.frs,
    "frs-boundary": oracles.frs_boundary,
    "kendall": oracles.kendall,
    "spearman": oracles.spearman,
    "hamming": oracles.hamming,
    "ulam": oracles.ulam,
    "exact": oracles.exact,
}


@given(tied_rows(longest=7))
def test_best_is_the_best_reading(groups: list[int]) -> None:
    readings = list(oracles.readings(groups))
    for name, oracle in BEST.items():
        assert score(name, groups) == float(max(map(oracle, readings))), name


@given(tied_rows(longest=60))
def test_no_reading_beats_best_on_long_rows(groups: list[int]) -> None:
    generator = np.random.default_rng(len(groups))
    members: dict[int, list[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(group, []).append(place)
    best = score("frs", groups)
    for _ in range(20):
        order = [p for g in sorted(members) for p in generator.permutation(members[g]).tolist()]
        pi = [0] * len(groups)
        for rank, place in enumerate(order):
            pi[place] = rank
        assert float(oracles.frs(pi)) <= best


@given(tied_rows(longest=30))
def test_rank_counts_by_rank(groups: list[int]) -> None:
    n = len(groups)
    steps = [b - a for a, b in pairwise(groups)]
    good = sum(step in (0, 1) for step in steps)
    assert score("frs", groups, ties="rank") == (good / (n - 1) if n > 1 else 1.0)
    ends = good + (groups[0] == 0) + (groups[-1] == max(groups))
    assert score("frs-boundary", groups, ties="rank") == ends / (n + 1)
    pairs = [(a, b) for a, b in combinations(groups, 2) if a != b]
    right = sum(a < b for a, b in pairs)
    kendall = right / len(pairs) if pairs else 1.0
    assert score("kendall", groups, ties="rank") == kendall
    wrong = 1 - np.sqrt((len(pairs) - right) / len(pairs)) if pairs else 1.0
    assert score("kendall-sqrt", groups, ties="rank") == pytest.approx(wrong, abs=1e-15)
    middle = [np.mean([i for i, g in enumerate(sorted(groups)) if g == group]) for group in groups]
    squares = sum((m - i) ** 2 for i, m in enumerate(middle))
    spearman = 1 - 3 * squares / (n * (n * n - 1)) if n > 1 else 1.0
    assert score("spearman", groups, ties="rank") == pytest.approx(spearman, abs=1e-13)
    for name in ("hamming", "ulam", "exact"):
        assert score(name, groups, ties="rank") == score(name, groups)


def test_the_two_rules_differ() -> None:
    # Reference A {B C} D, system A B D C: by rank B-D is contiguous; C is left behind.
    groups = [0, 1, 2, 1]
    assert score("frs", groups, ties="rank") == pytest.approx(2 / 3)
    assert score("frs", groups, ties="best") == pytest.approx(1 / 3)


def test_tree_metrics_read_ties_in_the_systems_order() -> None:
    # Reference A {B C} D, system D C B A: read as A C B D, not as the A B C D that would give
    # one chain.
    tied = wo.Segments.from_orders([[3, 2, 1, 0]], [[0, [1, 2], 3]])
    plain = wo.Segments.from_permutations([[3, 1, 2, 0]])
    for name in ("pet", "pets", "maxop", "pef-recursive"):
        metric = wo.metric(name)
        assert metric.segment_scores(tied) == metric.segment_scores(plain)
        assert ("ties", "system") in metric.signature().fields


def first_unmatched(system: list[str], reference: list[str]) -> list[int]:
    """The paper's rule, word by word."""
    free = list(enumerate(reference))
    matched = []
    for word in system:
        place = next(place for place, other in free if other == word)
        free = [(p, w) for p, w in free if p != place]
        matched.append(place)
    return matched


@given(st.data())
def test_first_unmatched(data: st.DataObject) -> None:
    source = data.draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=12))
    n = len(source)
    system = data.draw(st.permutations(range(n)))
    reference = data.draw(st.permutations(range(n)))
    segments = wo.Segments.from_orders([system], [reference], source=[source])
    wanted = first_unmatched([source[i] for i in system], [source[i] for i in reference])
    matched, _ = segments.matched("first-unmatched")
    assert matched.to_lists() == [wanted]


def test_first_unmatched_punishes_repeated_words() -> None:
    # System "the cat the dog saw", reference "the dog the cat saw": 0 instead of one half.
    source = ["the", "cat", "the", "dog", "saw"]
    segments = wo.Segments.from_orders([[0, 1, 2, 3, 4]], [[2, 3, 0, 1, 4]], source=[source])
    assert wo.metric("frs").corpus_score(segments).value == 0.5
    assert wo.metric("frs", match="first-unmatched").corpus_score(segments).value == 0.0


def test_first_unmatched_with_ties() -> None:
    # Reference x {a b} a: the system's first `a` takes the tied one.
    source = ["x", "a", "b", "a"]
    segments = wo.Segments.from_orders([[0, 3, 2, 1]], [[0, [1, 2], 3]], source=[source])
    matched, groups = segments.matched("first-unmatched")
    assert groups is not None
    assert (matched.to_lists(), groups.to_lists()) == ([[0, 1, 2, 3]], [[0, 1, 1, 2]])
    assert wo.metric("exact", match="first-unmatched").corpus_score(segments).value == 1.0


def test_first_unmatched_needs_words() -> None:
    segments = wo.Segments.from_permutations([[0, 1]])
    with pytest.raises(wo.WordOrderError, match="source"):
        wo.metric("frs", match="first-unmatched").corpus_score(segments)
