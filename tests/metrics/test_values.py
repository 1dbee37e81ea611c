"""Values from the papers and from printed tables, and all short permutations by brute force."""

from itertools import permutations
from math import comb

import numpy as np
import pytest
from scipy import stats
from tests import oracles

import wordorder as wo
from wordorder.metrics.registry import metrics_for

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
        assert scores(name, rows)[:2] == [0.0, 1.0], name
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
    assert wo.metric("frs").corpus_score(nothing).value == 0.0


def test_hostile_lengths_are_near_linear() -> None:
    import time

    n = 100_000
    generator = np.random.default_rng(1)
    rows = [
        generator.permutation(n),
        np.arange(n)[::-1],
        np.argsort(np.arange(n) + generator.normal(0, 3, n)),
    ]
    segments = wo.Segments.from_permutations([row.tolist() for row in rows])
    for name in metrics_for({"permutation"}):
        start = time.process_time()
        wo.metric(name).segment_scores(segments)
        assert time.process_time() - start < 3.0, name
