"""Wins, losses and draws of metrics over many sets (Stanojević and Sima'an 2016, Table 3)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.statistics.correlation_bootstrap import bootstrap_interval
from wordorder.statistics.dependent_tests import DependentTest
from wordorder.statistics.distributions import student_tail

# Called with the resampled coefficients of two metrics; returns 1 if the first is better, -1 if the
# second is, else 0.
Verdict = Callable[[Float64, Float64], int]


@dataclass(frozen=True, eq=False)
class WinsTable:
    """The number of sets on which each row's metric beats each column's, under one test.

    Attributes
    ----------
    rows, columns : tuple of str
        Names of metrics.
    wins, losses, draws : int64[rows, columns]
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    wins: Int64
    losses: Int64
    draws: Int64

    @property
    def decided(self) -> int:
        """The number of significant comparisons."""
        return int(self.wins.sum() + self.losses.sum())

    @property
    def comparisons(self) -> int:
        """The number of all comparisons."""
        return self.decided + int(self.draws.sum())

    def cells(self) -> list[list[str]]:
        """Return each cell as wins/losses/draws, such as "5/4/1"."""
        counts = zip(self.wins, self.losses, self.draws, strict=True)
        return [
            [f"{win}/{loss}/{draw}" for win, loss, draw in zip(*row, strict=True)] for row in counts
        ]


@dataclass(frozen=True, eq=False)
class WinsTables:
    """The same comparisons under two tests.

    Attributes
    ----------
    bootstrap : WinsTable
        Significant if the percentile interval of the difference excludes 0.
    ss2016 : WinsTable
        Significant if a t-test over the resampled coefficients has p < .05, as in the paper.
    resamples : int
        The number of resamples, which the t-test treats as independent measurements.
    level : float
        The confidence of the interval.
    """

    bootstrap: WinsTable
    ss2016: WinsTable
    resamples: int
    level: float


def wins_losses_draws(
    samples: Sequence[npt.ArrayLike],
    metrics: Sequence[str],
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    level: float = 0.95,
) -> WinsTables:
    """Count the sets, such as language pairs, on which one metric beats another.

    Parameters
    ----------
    samples : sequence of float64[M, B]
        The resampled coefficients of the metrics on each set, from `bootstrap_coefficients`.
    metrics : sequence of str
        The names of the metrics.
    rows, columns : sequence of str, optional
        The metrics to compare, by default all. A metric compared with itself is a draw.
    level : float
        The confidence of the bootstrap's interval, between 0 and 1.

    Raises
    ------
    UsageError
        If the sets differ in their metrics or resamples, or a name is unknown.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> set_of_two = np.array([[0.9], [0.89]]) + generator.normal(size=(2, 1000)) * 0.02
    >>> tables = wins_losses_draws([set_of_two], ["new", "old"], rows=["new"], columns=["old"])
    >>> tables.bootstrap.cells(), tables.ss2016.cells()
    ([['0/0/1']], [['1/0/0']])
    """
    sets = [np.asarray(sample, np.float64) for sample in samples]
    shapes = sorted({sample.shape for sample in sets})
    if len(shapes) != 1 or len(shapes[0]) != 2 or shapes[0][0] != len(metrics):
        problem = " and ".join(map(str, shapes)) or "no set"
        raise UsageError(
            f"expected [{len(metrics)} metrics, resamples] for each set, got {problem}"
        )
    indices = {name: index for index, name in enumerate(metrics)}
    row_names = tuple(metrics if rows is None else rows)
    column_names = tuple(metrics if columns is None else columns)
    unknown = [name for name in (*row_names, *column_names) if name not in indices]
    if unknown:
        raise UsageError(f"unknown metric {unknown[0]!r}; legal names: {', '.join(metrics)}")

    def by_interval(first: Float64, second: Float64) -> int:
        """Return 1 or -1 if the interval of the difference excludes 0, else 0."""
        low, high = bootstrap_interval(first - second, level=level)
        return int(low > 0) - int(high < 0)

    def table(verdict: Verdict) -> WinsTable:
        """Count the verdicts of one test over all sets."""
        verdicts = np.array(
            [
                [
                    [verdict(scores[indices[a]], scores[indices[b]]) for scores in sets]
                    for b in column_names
                ]
                for a in row_names
            ]
        ).reshape(len(row_names), len(column_names), len(sets))
        wins, losses, draws = ((verdicts == sign).sum(axis=2) for sign in (1, -1, 0))
        return WinsTable(row_names, column_names, wins, losses, draws)

    return WinsTables(table(by_interval), table(_t_test_verdict), shapes[0][1], level)


def t_test_over_resamples(first: Float64, second: Float64) -> DependentTest:
    """Test whether resampled coefficients differ in their means, as the paper does.

    Only for reproducing published tables: resamples are not independent measurements, and with
    enough of them any difference is significant. Stanojević and Sima'an (2016) specify neither the
    type of t-test nor its samples; this unpaired two-sided test over the resamples reproduces all
    15 cells of their Table 3 from the means and deviations in their Tables 1 and 2.

    Parameters
    ----------
    first, second : float64[B]
        NaN is left out.

    Returns
    -------
    DependentTest
        Student's t, and its two-sided p-value.

    Raises
    ------
    UsageError
        If a metric has fewer than two coefficients that are not NaN.
    """
    defined = [sample[~np.isnan(sample)] for sample in (first, second)]
    if min(map(len, defined)) < 2:
        raise UsageError("a t-test needs at least two coefficients of each metric")
    (mean_a, sd_a, n_a), (mean_b, sd_b, n_b) = (
        (float(sample.mean()), float(sample.std(ddof=1)), len(sample)) for sample in defined
    )
    return t_test_of_means(mean_a, sd_a, n_a, mean_b, sd_b, n_b)


def t_test_of_means(
    mean_a: float, sd_a: float, n_a: int, mean_b: float, sd_b: float, n_b: int
) -> DependentTest:
    """Test whether two means differ by Student's unpaired t-test, two-sided.

    Raises
    ------
    UsageError
        If one of the samples is empty, or both together have fewer than three values.

    Examples
    --------
    PET and KENDALL on WMT13 Czech-English, as the paper's Table 2 prints them.

    >>> test = t_test_of_means(0.895, 0.026, 1000, 0.887, 0.026, 1000)
    >>> round(test.statistic, 2), test.p_value < 0.05
    (6.88, True)
    """
    degrees_of_freedom = n_a + n_b - 2
    if min(n_a, n_b) < 1 or degrees_of_freedom < 1:
        raise UsageError(f"a t-test of means of {n_a} and {n_b} values; expected 3 or more in all")
    pooled_variance = ((n_a - 1) * sd_a**2 + (n_b - 1) * sd_b**2) / degrees_of_freedom
    standard_error = math.sqrt(pooled_variance * (1 / n_a + 1 / n_b))
    if standard_error == 0:
        statistic = math.copysign(math.inf, mean_a - mean_b) if mean_a != mean_b else 0.0
    else:
        statistic = (mean_a - mean_b) / standard_error
    return DependentTest(
        statistic, max(2 * student_tail(abs(statistic), degrees_of_freedom), 5e-324)
    )


def _t_test_verdict(first: Float64, second: Float64) -> int:
    """Return 1 or -1 for the better metric by the paper's t-test at p < .05, else 0."""
    if min(np.count_nonzero(~np.isnan(sample)) for sample in (first, second)) < 2:
        return 0
    test = t_test_over_resamples(first, second)
    return int(np.sign(test.statistic)) if test.p_value < 0.05 else 0
