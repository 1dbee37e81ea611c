"""Partial correlations against the recursion in r, and the inverse of the correlation matrix."""

import math

import numpy as np
import pytest
import scipy.stats
from tests.refusing import refuses

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.judgement import partial_correlation, pearson


def recursion(rows: Float64) -> float:
    """Take the last score out, then the one before (Yule 1907)."""
    if len(rows) == 2:
        return float(scipy.stats.pearsonr(rows[0], rows[1])[0])
    xy = recursion(rows[:-1])
    xz, yz = (recursion(np.stack([row, rows[-1], *rows[2:-1]])) for row in rows[:2])
    return (xy - xz * yz) / math.sqrt((1 - xz * xz) * (1 - yz * yz))


@pytest.mark.parametrize("others", [0, 1, 2, 3])
@pytest.mark.parametrize("statistic", ["pearson", "spearman"])
def test_by_recursion_and_by_the_inverse(others: int, statistic: str) -> None:
    generator = np.random.default_rng(others)
    rows = generator.normal(size=(2 + others, 30)) + generator.normal(size=30)
    found = partial_correlation(rows[0] * 1e-6, rows[1] + 1e4, list(rows[2:]), statistic)
    if statistic == "spearman":
        rows = scipy.stats.rankdata(rows, axis=1)
    assert found == pytest.approx(recursion(rows), abs=1e-10)
    inverse = np.linalg.inv(np.corrcoef(rows))
    expected = -inverse[0, 1] / math.sqrt(inverse[0, 0] * inverse[1, 1])
    assert found == pytest.approx(expected, abs=1e-10)


def test_outputs_that_lack_any_score_are_left_out() -> None:
    x, y, z = np.random.default_rng(1).normal(size=(3, 4, 5))
    gaps = [each.copy() for each in (x, y, z)]
    gaps[0][0, 0] = gaps[1][1, 1] = gaps[2][2, 2] = np.nan
    kept = ~np.isnan(np.stack(gaps)).any(axis=0)
    found = partial_correlation(gaps[0], gaps[1], [gaps[2]])
    assert found == pytest.approx(partial_correlation(x[kept], y[kept], [z[kept]]), abs=1e-12)
    assert partial_correlation(x, y, []) == pytest.approx(pearson(x, y), abs=1e-12)


def test_what_others_say_completely_leaves_nothing() -> None:
    x, y, z = np.random.default_rng(1).normal(size=(3, 20))
    assert np.isnan(partial_correlation(2 * z + 3, y, [z]))
    assert np.isnan(partial_correlation(x, x + z, [x, z]))
    assert np.isnan(partial_correlation([1, 2], [1, 3], [[2, 5]]))
    assert np.isnan(partial_correlation([], [], [[]]))
    # A metric that is constant explains nothing.
    constant = partial_correlation(x, y, [np.full(20, 0.1)])
    assert constant == pytest.approx(pearson(x, y), abs=1e-12)


def test_bad_scores_are_refused() -> None:
    with pytest.raises(UsageError, match=r"shapes \(2,\) and \(3,\)"):
        partial_correlation([1, 2], [1, 2], [[1, 2, 3]])
    refuses(UsageError, "infinite", partial_correlation, [1, np.inf, 2], [1, 2, 3], [])
    with pytest.raises(UsageError, match="unknown value for statistic 'kendall'"):
        partial_correlation([1, 2], [1, 2], [], "kendall")
