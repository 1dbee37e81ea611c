"""Agreement of raters: published programs' values, and the definitions written out."""

import math
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.refusing import refuses

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.statistics.raters import (
    SCALES,
    Disagreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    pairwise_agreement,
)
from wordorder.statistics.sign_test import sign_test

GOLDEN = Path(__file__).parents[2] / "golden" / "agreement.tsv"
ROWS = [line.split("\t") for line in GOLDEN.read_text().splitlines()[1:]]


def rows(text: str) -> Float64:
    """Read rows of numbers between slashes; a dash is missing."""
    return np.array(
        [
            [math.nan if cell == "-" else float(cell) for cell in row.split()]
            for row in text.split(" / ")
        ]
    )


@pytest.mark.parametrize(("name", "value", "data"), ROWS)
def test_values_of_other_programs(name: str, value: str, data: str) -> None:
    statistic, _, scale = name.partition("-")
    if statistic == "cohen":
        found = cohen_kappa(*rows(data))
    elif statistic == "fleiss":
        found = fleiss_kappa(rows(data))
    else:
        found = krippendorff_alpha(rows(data), scale)
    assert abs(found - float(value)) <= 1e-12


def alpha_by_pairs(ratings: Float64, scale: str) -> float:
    """Krippendorff's alpha as it is defined, pair by pair, in fractions."""
    units = [[Fraction(v) for v in unit if not math.isnan(v)] for unit in ratings.T.tolist()]
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]

    def distance(a: Fraction, b: Fraction) -> Fraction:
        if scale == "nominal":
            return Fraction(a != b)
        if scale == "interval":
            return (a - b) ** 2
        low, high = sorted((a, b))
        between = sum(low <= value <= high for value in values)
        return (between - Fraction(values.count(low) + values.count(high), 2)) ** 2

    n = len(values)
    observed = sum(
        (
            sum((distance(a, b) for a, b in permutations(unit, 2)), Fraction(0)) / (len(unit) - 1)
            for unit in units
        ),
        Fraction(0),
    )
    expected = sum((distance(a, b) for a, b in permutations(values, 2)), Fraction(0))
    return float(1 - observed * (n - 1) / expected) if expected else math.nan


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(8))
def test_krippendorff_is_what_is_defined(scale: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, 2 + 3 * seed, (4, 7)).astype(np.float64)
    ratings[rng.random(ratings.shape) < 0.4] = math.nan
    expected = alpha_by_pairs(ratings, scale)
    assert krippendorff_alpha(ratings, scale) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("scale", SCALES)
def test_units_that_count_several_times_are_repeated_units(scale: str) -> None:
    rng = np.random.default_rng(3)
    ratings = rng.integers(0, 5, (3, 6)).astype(np.float64)
    ratings[0, :2] = ratings[1, 0] = math.nan
    times = np.array([5, 2, 0, 3, 1, 1])
    rated = ~np.isnan(ratings)
    units = np.broadcast_to(np.arange(6), ratings.shape)[rated]
    found = Disagreement(units, ratings[rated], scale).alpha(times.astype(np.float64))
    repeated = krippendorff_alpha(np.repeat(ratings, times, axis=1), scale)
    assert found == pytest.approx(repeated, abs=1e-12)


def test_large_numbers_do_not_lose_digits() -> None:
    ratings = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 3.0]])
    moved = krippendorff_alpha(ratings + 1e8, "interval")
    assert moved == pytest.approx(krippendorff_alpha(ratings, "interval"), abs=1e-12)


def test_cohen_is_what_is_defined_and_agreement_that_says_nothing_is_not_a_number() -> None:
    """Two raters, four items: P_A = 1/2, P_E = 1/2 * 1/4 + 1/2 * 1/2 + 0."""
    assert cohen_kappa(["x", "x", "y", "y"], ["x", "y", "z", "y"]) == pytest.approx(1 / 5)
    assert math.isnan(cohen_kappa([1, 1], [1, 1]))
    assert math.isnan(fleiss_kappa([[2, 0], [2, 0]]))
    assert math.isnan(krippendorff_alpha([[1, 1], [1, 1]]))
    assert math.isnan(krippendorff_alpha(np.array([[1, math.nan], [math.nan, 2]])))


def test_wrong_ratings_are_refused() -> None:
    refuses(UsageError, r"got shapes \(2,\) and \(3,\)", cohen_kappa, [1, 2], [1, 2, 3])
    refuses(UsageError, "the items have 2 to 3", fleiss_kappa, [[2, 0], [2, 1]])
    refuses(UsageError, "got shape", fleiss_kappa, [1, 2])
    refuses(UsageError, "whole numbers", fleiss_kappa, [[3, -1]])
    with pytest.raises(UsageError, match="legal names: interval, nominal, ordinal"):
        krippendorff_alpha([[1, 2], [1, 2]], "ratio")
    refuses(UsageError, "infinite", krippendorff_alpha, np.array([[1, math.inf], [1, 2]]))
    refuses(UsageError, "got 0 and 0", sign_test, 0, 0)
    refuses(UsageError, "got -1 and 3", sign_test, -1, 3)


@pytest.mark.parametrize(
    ("wins", "losses"), [(0, 1), (1, 0), (3, 3), (189, 158), (158, 189), (40, 2), (2, 40), (900, 1)]
)
def test_sign_test_is_binomial(wins: int, losses: int) -> None:
    expected = sum(math.comb(wins + losses, k) for k in range(wins, wins + losses + 1))
    probability = float(Fraction(expected, 2 ** (wins + losses)))
    assert sign_test(wins, losses) == pytest.approx(probability, rel=1e-14)
    normal = stats.norm.sf((wins - losses) / math.sqrt(wins + losses))
    assert sign_test(wins, losses, exact=False) == pytest.approx(normal, rel=1e-9)


def test_sign_test_of_birch_and_osborne() -> None:
    """And of many judgements: it is never 0."""
    assert round(sign_test(189, 158, exact=False), 4) == 0.048
    assert round(sign_test(189, 158), 4) == 0.0536
    assert 0 < sign_test(3000, 0) < 1e-300
    assert 0 < sign_test(3000, 0, exact=False) < 1e-300
    assert sign_test(41000, 40000) == pytest.approx(stats.binomtest(41000, 81000).pvalue / 2, 1e-9)


def judged(seed: int) -> list[Int64]:
    """Return item, rater, first, second and outcome of random judgements."""
    rng = np.random.default_rng(seed)
    pairs = np.array(list(permutations(range(3), 2)))[rng.integers(0, 6, 80)]
    return [rng.integers(0, 4, 80), rng.integers(-1, 3, 80), *pairs.T, rng.integers(-1, 2, 80)]


@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_pairwise_agreement_is_what_is_defined(within: bool, seed: int) -> None:
    columns = judged(seed)
    found = pairwise_agreement(*columns, within=within, resamples=20)
    rows = [row for row in zip(*(c.tolist() for c in columns), strict=True) if row[1] >= 0]
    compared = [
        outcome == (other if (first, second) == (a, b) else -other)
        for (item, rater, first, second, outcome), (i, r, a, b, other) in combinations(rows, 2)
        if item == i and {first, second} == {a, b} and (rater == r) == within
    ]
    ties = sum(row[4] == 0 for row in rows) / len(rows)
    observed, chance = sum(compared) / len(compared), ties**2 + 2 * ((1 - ties) / 2) ** 2
    assert (found.pairs, found.agreed) == (len(compared), sum(compared))
    assert (found.observed, found.chance) == pytest.approx((observed, chance))
    assert found.kappa == pytest.approx((observed - chance) / (1 - chance))
    assert found.low <= found.kappa <= found.high
    uniform = pairwise_agreement(*columns, within=within, chance="uniform", resamples=20)
    assert uniform.kappa == pytest.approx((observed - 1 / 3) / (2 / 3))


def test_pairwise_agreement_needs_known_raters() -> None:
    item, rater, first, second, outcome = judged(0)
    found = pairwise_agreement(item, np.full_like(rater, -1), first, second, outcome)
    assert (found.pairs, found.agreed) == (0, 0)
    assert math.isnan(found.kappa)


def test_missing_and_infinite_judgements_are_named() -> None:
    for missing in (float("nan"), None):
        with pytest.raises(UsageError, match="no category"):
            cohen_kappa(np.array([1, missing, 2]), np.array([1, missing, 1]))
    refuses(UsageError, "counts of raters", fleiss_kappa, [[np.inf, 1], [np.inf, 1]])
    for wrong in (np.nan, np.inf, -np.inf, 0.5):
        refuses(UsageError, "whole numbers", sign_test, wrong, 1)


@pytest.mark.parametrize("scale", SCALES)
def test_alpha_of_huge_and_tiny_numbers(scale: str) -> None:
    ratings = np.array([[1.0, 2, 3, 3], [1, 2, 4, 3]])
    expected = krippendorff_alpha(ratings, scale)
    for factor in (1e300, 1e-300):
        assert krippendorff_alpha(ratings * factor, scale) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("far", [1e18, 1e100, -1e300])
def test_a_far_rating_that_is_not_drawn_does_not_blur_the_others(far: float) -> None:
    """Units that count 0 times are units that are not there."""
    units = np.array([0, 0, 1, 1, 2, 2])
    values = np.array([1.0, 2.0, 3.0, 3.0, far, far])
    found = Disagreement(units, values, "interval").alpha(np.array([1.0, 1.0, 0.0]))
    assert found == pytest.approx(krippendorff_alpha([[1, 3], [2, 3]], "interval"), abs=1e-12)
