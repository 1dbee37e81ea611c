"""Metrics of orders: what the papers and printed tables say, brute force, and what always holds."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from tests import oracles
from tests.clocks import within
from tests.strategies import shuffles, tied_rows
from tests.threads import with_threads

import wordorder as wo
from wordorder.metrics.registry import metrics_for
from wordorder.testing import check_metric

# golden/SOURCES.md, "order metrics": values to four digits, computed independently of this code.
TABLE = """
12345  1 1 1 1 1 1 1 1 1
54321  1 1 1 0 .2 0 0 0 0
12354  1 .3077 1 .9 .6 .95 .75 .5 .9346
2413   0 0 0 .5 0 .5 .3333 0 .2775
245613 .5 .0244 .5 .5333 0 .4571 .6 .4 .3288
614235 1 .0244 1 .5333 0 .4857 .6 .2 .3073
615234 1 .0244 1 .4667 0 .4 .6 .4 .2572
624153 .25 0 .25 .4 .3333 .3714 .4 0 .1051
4321   1 1 1 0 0 0 0 0 0
4231   1 .25 1 .1667 .5 .1 .3333 .3333 .0607
2143   1 0 1 .6667 0 .8 .3333 0 .7110
24153  0 0 0 .6 0 .65 .5 0 .3098
""".split("\n")[1:-1]
COLUMNS = ("pet", "pets", "maxop", "kendall", "hamming", "spearman", "ulam", "frs", "pef-recursive")


def scores(name: str, rows: list[tuple[int, ...]], **options: object) -> list[float]:
    metric = wo.metric(name, **options)
    return [float(v) for v in metric.segment_scores(wo.Segments.from_permutations(rows))]


@pytest.mark.parametrize("line", TABLE, ids=lambda line: line.split()[0])
def test_table(line: str) -> None:
    word, *expected = line.split()
    row = tuple(int(c) - 1 for c in word)
    got = [scores(name, [row])[0] for name in COLUMNS]
    assert got == pytest.approx([float(v) for v in expected], abs=5e-5)


def test_worked_examples_of_the_papers() -> None:
    # Katz-Brown et al. 2011, section 3.1: A B C D E against A B E C D.
    assert scores("frs", [(0, 1, 4, 2, 3)]) == [0.5]
    # Their figure 1 prints 0.78: three pieces over ten words.
    assert scores("frs", [(0, 1, 2, 6, 7, 8, 9, 3, 4, 5)])[0] == pytest.approx(7 / 9)
    # Talbot et al. 2011, figure 2: five pieces over ten words (printed as 0.5).
    gold = "Dog Trainers Make The 10 Biggest Mistakes about Learn .".split()
    result = "The 10 about Learn Biggest Mistakes Dog Trainers Make .".split()
    assert scores("frs", [tuple(gold.index(w) for w in result)])[0] == pytest.approx(5 / 9)
    # PEFrecursive of 1 2 3 5 4: .918 at beta = .5 and .93 at beta = .6 (cut, not rounded).
    assert scores("pef-recursive", [(0, 1, 2, 4, 3)], beta=0.5)[0] == pytest.approx(0.918, abs=1e-3)


@pytest.mark.parametrize("n", range(1, 8))
def test_all_permutations_of_up_to_seven(n: int) -> None:
    rows = list(permutations(range(n)))
    for name in ("frs", "frs-boundary", "kendall", "spearman", "hamming", "ulam", "exact"):
        assert scores(name, rows) == [float(oracles.METRICS[name](row)) for row in rows], name
    shapes = list(map(oracles.shift_reduce, rows))
    most = max(comb(2 * n - 2, n - 1) // n, 2) if n != 2 else 2
    if n > 2:
        assert scores("pet", rows) == [(nodes - 1) / (n - 2) for nodes, _, _ in shapes]
        assert scores("maxop", rows) == [(n - largest) / (n - 2) for _, largest, _ in shapes]
        assert scores("pets", rows) == [(count - 1) / (most - 1) for _, _, count in shapes]
    raw = np.array(list(map(oracles.inside_recursive, rows)))
    assert np.abs(scores("pef-recursive", rows, rescale=False) - raw).max() < 1e-14


@pytest.mark.parametrize("n", range(1, 6))
def test_tree_metrics_against_all_trees(n: int) -> None:
    rows = list(permutations(range(n)))
    for name in ("pet", "pets", "maxop", "pef-recursive"):
        wanted = [float(oracles.METRICS[name](row)) for row in rows]
        assert scores(name, rows) == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize(
    "n", [9, 16, 31, 63, 64, 65, 95, 96, 97, 127, 128, 129, 191, 192, 193, 200]
)
def test_random_rows_at_the_kernels_boundaries(n: int) -> None:
    generator = np.random.default_rng(n)
    rows = [tuple(generator.permutation(n).tolist()) for _ in range(4)]
    for noise in (0.5, 2, 8, n / 4):
        key = np.arange(n) + generator.normal(0, noise, n)
        rows += [tuple(np.argsort(key).tolist()), tuple(np.argsort(-key).tolist())]
    for name in ("frs", "frs-boundary", "kendall", "spearman", "hamming", "ulam"):
        oracle = oracles.METRICS[name]
        assert scores(name, rows) == [float(oracle(row)) for row in rows], name
    tau = [(stats.kendalltau(range(n), row).statistic + 1) / 2 for row in rows]
    rho = [(stats.spearmanr(range(n), row).statistic + 1) / 2 for row in rows]
    assert scores("kendall", rows) == pytest.approx(tau, abs=1e-12)
    assert scores("spearman", rows) == pytest.approx(rho, abs=1e-12)
    assert scores("kendall-sqrt", rows) == pytest.approx(1 - np.sqrt(1 - np.array(tau)), abs=1e-12)
    for row, nodes, largest, pets in zip(
        rows, scores("pet", rows), scores("maxop", rows), scores("pets", rows), strict=True
    ):
        wanted = oracles.shift_reduce(row)
        assert nodes == (wanted[0] - 1) / (n - 2)
        assert largest == (n - wanted[1]) / (n - 2)
        assert pets == pytest.approx((wanted[2] - 1) / (comb(2 * n - 2, n - 1) // n - 1), rel=1e-12)


def test_ulam_against_rapidfuzz() -> None:
    from rapidfuzz.distance import LCSseq

    generator = np.random.default_rng(7)
    rows = [tuple(generator.permutation(n).tolist()) for n in range(2, 200, 7)]
    wanted = [(LCSseq.similarity(row, sorted(row)) - 1) / (len(row) - 1) for row in rows]
    assert scores("ulam", rows) == wanted


def test_counts_of_trees_at_two_thousand_words() -> None:
    n = 2000
    everything = comb(2 * n - 2, n - 1) // n
    swap = [*range(n - 2), n - 1, n - 2]
    # The first n-2 words and the swapped pair are a chain of n-1 parts.
    wanted = (comb(2 * n - 4, n - 2) // (n - 1) - 1) / (everything - 1)
    got = scores("pets", [tuple(range(n)), tuple(range(n - 1, -1, -1)), tuple(swap)])
    assert got[:2] == [1.0, 1.0]
    assert got[2] == pytest.approx(wanted, rel=1e-14)


def test_degenerate_lengths() -> None:
    rows: list[tuple[int, ...]] = [(), (0,), (0, 1), (1, 0)]
    for name in metrics_for({"permutation"}):
        assert np.array_equal(scores(name, rows)[:2], [np.nan, 1.0], equal_nan=True), name
    two = {name: scores(name, rows)[2:] for name in metrics_for({"permutation"})}
    assert two.pop("pet") == two.pop("maxop") == [1.0, 1.0]
    assert two.pop("hamming") == [1.0, 0.0]
    assert all(values == [1.0, 0.0] for values in two.values()), two


def test_degenerate_lengths_as_in_beer() -> None:
    rows: list[tuple[int, ...]] = [(), (0,), (0, 1), (1, 0)]
    table = {
        "kendall": [0, 0, 1, 0],
        "hamming": [0, 1, 1, 0],
        "spearman": [0, 0.5, 1, 0],
        "ulam": [0, 0, 1, 0],
        "frs": [0, 0, 1, 0],
        "pet": [0, 1, 1, 1],
        "pets": [0, 1, 1, 0],
        "maxop": [0, 1, 0, 0],
        "pef-recursive": [0, 1, 1, 0],
    }
    for name, wanted in table.items():
        assert scores(name, rows, degenerate="beer") == wanted, name
        score = wo.metric(name, degenerate="beer").corpus_score(wo.Segments.from_permutations(rows))
        assert score.value == sum(wanted) / 4
        assert score.skipped == 0


def test_rows_without_words_are_skipped_and_counted() -> None:
    segments = wo.Segments.from_permutations([[], [1, 0], [], [0, 1]])
    for name in metrics_for({"permutation"}):
        score = wo.metric(name).corpus_score(segments)
        assert (score.segments, score.skipped) == (4, 2)
    assert wo.metric("kendall").corpus_score(segments).value == 0.5
    nothing = wo.Segments.from_permutations([[], []])
    assert np.isnan(wo.metric("frs").corpus_score(nothing).value)


def test_hostile_lengths_are_near_linear() -> None:
    n = 100_000
    generator = np.random.default_rng(1)
    rows = [
        generator.permutation(n),
        np.arange(n)[::-1],
        np.argsort(np.arange(n) + generator.normal(0, 3, n)),
    ]
    segments = wo.Segments.from_permutations([row.tolist() for row in rows])
    for name in metrics_for({"permutation"}):
        with within(3.0, name):
            wo.metric(name).segment_scores(segments)


# -- What holds for every permutation and every corpus.


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
    assert np.isnan(skipping.value)
    assert skipping.skipped == len(ones)
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


def test_first_unmatched_with_repeated_words_with_ties_and_without_words() -> None:
    # System "the cat the dog saw", reference "the dog the cat saw": 0 instead of one half.
    source = ["the", "cat", "the", "dog", "saw"]
    segments = wo.Segments.from_orders([[0, 1, 2, 3, 4]], [[2, 3, 0, 1, 4]], source=[source])
    assert wo.metric("frs").corpus_score(segments).value == 0.5
    assert wo.metric("frs", match="first-unmatched").corpus_score(segments).value == 0.0
    # Reference x {a b} a: the system's first `a` takes the tied one.
    source = ["x", "a", "b", "a"]
    segments = wo.Segments.from_orders([[0, 3, 2, 1]], [[0, [1, 2], 3]], source=[source])
    matched, groups = segments.matched("first-unmatched")
    assert groups is not None
    assert (matched.to_lists(), groups.to_lists()) == ([[0, 1, 2, 3]], [[0, 1, 1, 2]])
    assert wo.metric("exact", match="first-unmatched").corpus_score(segments).value == 1.0
    segments = wo.Segments.from_permutations([[0, 1]])
    with pytest.raises(wo.WordOrderError, match="source"):
        wo.metric("frs", match="first-unmatched").corpus_score(segments)
