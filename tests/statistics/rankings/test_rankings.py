"""Rankings of systems: other programs' values, the definitions written out, published rankings."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize
from tests.refusing import refuses

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.statistics.ranking_models import (
    bradley_terry,
    expected_wins,
    rank_ranges,
    ratio_of_wins,
    standard_scores,
    wins_by_item,
)
from wordorder.statistics.trueskill import trueskill, trueskill_runs

GOLDEN = Path(__file__).parents[2] / "golden" / "trueskill.tsv"
ROWS = [line.split("\t") for line in GOLDEN.read_text().splitlines()[1:]]


def random_wins(seed: int, n: int = 5) -> Float64:
    table = np.random.default_rng(seed).integers(1, 30, (n, n)).astype(np.float64)
    np.fill_diagonal(table, 0)
    return table


@pytest.mark.parametrize("row", ROWS)
def test_trueskill_of_the_python_package(row: list[str]) -> None:
    mu, sigma, beta, tau, draws = map(float, row[:5])
    matches = [(int(m[0]), int(m[2]), "<=>".index(m[1]) - 1) for m in row[5].split()]
    found = trueskill(
        *np.array(matches).T,
        systems=5,
        mu=mu,
        sigma=sigma,
        beta=beta,
        tau=tau,
        draw_probability=draws,
    )
    np.testing.assert_allclose(found.mu, [float(x) for x in row[6].split()], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.sigma, [float(x) for x in row[7].split()], rtol=1e-9)


def test_matches_that_no_one_expected_keep_finite_skills() -> None:
    """A loser a hundred standard deviations above the winner, and such a draw."""
    for outcome in (-1, 0):
        first = np.zeros(200, np.int64)
        up = trueskill(first, first + 1, first + 1, systems=3, beta=0.01, tau=0.0)
        outcomes = np.append(first + 1, outcome)
        again = np.append(first, 0)
        found = trueskill(again, again + 1, outcomes, systems=3, beta=0.01, tau=0.0)
        assert np.isfinite(found.mu).all()
        assert (found.sigma[:2] < up.sigma[:2]).all()
        assert found.mu[0] < up.mu[0]
        assert (found.mu[2], found.sigma[2]) == (25, 25 / 3)


def judged(seed: int, n: int = 400, items: int = 50) -> list[Int64]:
    """Return judgements of four systems, the first the best, with ties."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    noise = second - first + rng.normal(0, 2, n)
    outcome = np.where(np.abs(noise) < 0.5, 0, np.sign(noise)).astype(np.int64)
    return [rng.integers(0, items, n), first, second, outcome]


def test_runs_of_trueskill_find_the_order() -> None:
    columns = judged(1)
    found = trueskill_runs(*columns, items=50, systems=4, runs=30, seed=5)
    again = trueskill_runs(*columns, items=50, systems=4, runs=30, seed=5)
    other = trueskill_runs(*columns, items=50, systems=4, runs=30, seed=6)
    assert found.mu.mean(axis=0).argsort().tolist() == [3, 2, 1, 0]
    assert found.mu.tobytes() == again.mu.tobytes() != other.mu.tobytes()
    # A run depends on its number and the seed alone.
    fewer = trueskill_runs(*columns, items=50, systems=4, runs=7, seed=5)
    assert fewer.mu.tobytes() == found.mu[:7].tobytes()


def test_runs_do_not_depend_on_who_is_named_first_nor_on_who_is_not_judged() -> None:
    item, first, second, outcome = judged(2)
    found = trueskill_runs(item, first, second, outcome, items=50, systems=4, runs=3)
    turned = trueskill_runs(item, second, first, -outcome, items=50, systems=4, runs=3)
    assert found.mu.tobytes() == turned.mu.tobytes()
    found = trueskill_runs(*judged(4), items=50, systems=6, runs=2)
    assert found.mu[:, 4:].tolist() == [[0, 0], [0, 0]]
    assert found.sigma[:, 4:].tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_resampled_items_make_runs_differ_more() -> None:
    columns = judged(3, 4000)
    whole = trueskill_runs(*columns, items=50, systems=4, runs=60, resample=False)
    resampled = trueskill_runs(*columns, items=50, systems=4, runs=60)
    assert (resampled.mu.std(axis=0) > 1.1 * whole.mu.std(axis=0)).all()


@pytest.mark.parametrize("seed", range(3))
def test_wins_are_what_is_defined(seed: int) -> None:
    table = random_wins(seed)
    table[1, 2] = table[2, 1] = 0
    for system, (ratio, expected) in enumerate(
        zip(ratio_of_wins(table), expected_wins(table), strict=True)
    ):
        others = [other for other in range(5) if other != system]
        won = sum(table[system, other] for other in others)
        lost = sum(table[other, system] for other in others)
        assert ratio == pytest.approx(won / (won + lost))
        shares = [
            table[system, other] / (table[system, other] + table[other, system])
            for other in others
            if table[system, other] + table[other, system]
        ]
        assert expected == pytest.approx(sum(shares) / len(shares))


def test_wins_are_counted_on_each_item() -> None:
    item, first, second, outcome = judged(5, 60, 7)
    found = wins_by_item(item, first, second, outcome, items=7, systems=4).reshape(7, 4, 4)
    expected = np.zeros((7, 4, 4))
    for i, a, b, o in zip(item, first, second, outcome, strict=True):
        if o:
            expected[(i, a, b) if o > 0 else (i, b, a)] += 1
    assert found.tolist() == expected.tolist()
    table = np.zeros((3, 3))
    table[0, 1] = 2
    assert str(ratio_of_wins(table).tolist()) == "[1.0, 0.0, nan]"
    assert str(expected_wins(table).tolist()) == "[1.0, 0.0, nan]"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("prior", [0.0, 0.5])
def test_bradley_terry_is_most_probable(seed: int, prior: float) -> None:
    table = random_wins(seed)

    def surprise(strengths: Float64) -> float:
        differences = strengths[:, np.newaxis] - strengths[np.newaxis, :]
        against = np.logaddexp(0, -strengths) + np.logaddexp(0, strengths)
        return float((table * np.logaddexp(0, -differences)).sum() + prior * against.sum())

    best = optimize.minimize(surprise, np.zeros(5), tol=1e-13).x
    found = bradley_terry(table, prior=prior)
    np.testing.assert_allclose(found, best - best.mean(), atol=2e-6)
    assert abs(found.mean()) < 1e-12
    # Each system wins as often as its strength says.
    if not prior:
        share = 1 / (1 + np.exp(found[np.newaxis, :] - found[:, np.newaxis]))
        np.testing.assert_allclose(((table + table.T) * share).sum(axis=1), table.sum(axis=1))


def test_bradley_terry_of_many_tables_and_without_finite_strengths() -> None:
    tables = np.stack([random_wins(seed) for seed in range(4)])
    found = bradley_terry(tables)
    for table, strengths in zip(tables, found, strict=True):
        np.testing.assert_allclose(bradley_terry(table), strengths, atol=1e-10)
    never_lost = [[0, 3, 1], [0, 0, 1], [0, 1, 0]]
    message = "strengths: system 0 never lost .*; system 1 and system 2 never won .*; prior=0.01"
    refuses(UsageError, message, bradley_terry, never_lost)
    for prior in (-1, math.nan, math.inf):
        refuses(UsageError, "the prior is at least 0", bradley_terry, never_lost, prior=prior)
    found = bradley_terry(never_lost, prior=0.1)
    assert found.argmax() == 0
    assert np.isfinite(found).all()


def test_standard_scores_are_what_is_defined() -> None:
    values, rater = np.array([1.0, 2, 6, 5, 5, 7]), np.array([4, 4, 4, 0, 0, 2])
    mean, deviation = 3, math.sqrt((4 + 1 + 9) / 2)
    expected = [*((v - mean) / deviation for v in values[:3]), math.nan, math.nan, math.nan]
    np.testing.assert_allclose(standard_scores(values, rater), expected)


def test_clusters_part_where_no_ranges_meet() -> None:
    """Ranges 1-1, 2-3, 3-4 and 2-4, 5-5: three clusters."""
    values = np.array([9.0, 7, 6, 5, 1])
    samples = np.array([[9.0, 7, 6, 5, 1]] * 50 + [[9, 5, 6, 7, 1]] * 50 + [[9, 6, 5, 7, 1]] * 50)
    found = rank_ranges(values, samples)
    shown = list(zip(found.best.tolist(), found.worst.tolist(), strict=True))
    assert shown == [(1, 1), (2, 4), (3, 4), (2, 4), (5, 5)]
    assert found.cluster.tolist() == [1, 2, 2, 2, 3]
    assert (found.low.tolist(), found.high.tolist()) == ([9, 5, 5, 5, 1], [9, 7, 6, 7, 1])
    found = rank_ranges(np.array([2.0, 2, 1]), np.array([[2.0, 2, 1]] * 40))
    assert (found.best.tolist(), found.worst.tolist()) == ([1, 1, 3], [2, 2, 3])
    assert found.cluster.tolist() == [1, 1, 2]


@pytest.mark.parametrize("seed", [1, 2])
def test_sure_pairs_are_those_of_most_resamples(seed: int) -> None:
    """Of 200 samples 5 may say otherwise at 95 %; a chain of overlapping ranks is no equality."""
    values = np.array([0.9, 0.6, 0.55, 0.5, 0.2])
    samples = values + np.random.default_rng(seed).normal(0, 0.08, (200, 5))
    found = rank_ranges(values, samples)
    for a, b in itertools.product(range(5), repeat=2):
        often = sum(bool(row[a] > row[b]) for row in samples)
        apart = found.worst[a] < found.best[b]
        assert found.above[a, b] == (often >= 195 or apart)
    assert found.above[0, 1:].all()
    assert not found.above[1, 2]


def test_wrong_matches_are_refused() -> None:
    one = np.ones(1, np.int64)
    refuses(UsageError, "expected wins", ratio_of_wins, [1, 2])
    refuses(UsageError, "at least 0", expected_wins, [[0, -1], [1, 0]])
    refuses(UsageError, "two of the systems 0 to 1", trueskill, one, one, one, systems=2)
    refuses(UsageError, "an outcome is", trueskill, one, one - 1, one * 2, systems=2)
    refuses(UsageError, "the same length", trueskill, one, one - 1, np.ones(2, np.int64), systems=2)
    with pytest.raises(UsageError, match="draws, but"):
        trueskill(one, one - 1, one * 0, systems=2, draw_probability=0.0)
    with pytest.raises(UsageError, match="items are numbers from 0 to 0"):
        trueskill_runs(one, one, one - 1, one, items=1, systems=2, runs=1)
    refuses(UsageError, "one rater per rating", standard_scores, np.zeros(2), np.zeros(3, np.int64))
    with pytest.raises(UsageError, match="at least 1 run .*, got 2 after -1"):
        trueskill_runs(one * 0, one, one - 1, one, items=1, systems=2, runs=2, before=-1)
    with pytest.raises(UsageError, match="at least 1 run"):
        trueskill_runs(one * 0, one, one - 1, one, items=1, systems=2, runs=0, before=5)
    for rank in (ratio_of_wins, expected_wins, bradley_terry):
        refuses(UsageError, "finite", rank, np.array([[0, np.inf], [1, 0]]))
    with pytest.raises(UsageError, match="infinite or NaN"):
        standard_scores(np.array([1.0, np.nan]), np.zeros(2, np.int64))
