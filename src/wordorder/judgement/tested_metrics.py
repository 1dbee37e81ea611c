"""Intervals of coefficients, and tests of which metric agrees better with people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from wordorder.errors import UsageError
from wordorder.judgement.correlations import Correlation
from wordorder.judgement.score_table import ScoreTable
from wordorder.statistics.correlation.fisher import fisher_interval
from wordorder.statistics.correlation.linear import pearson
from wordorder.statistics.correlation_tests.dependent_correlations import williams
from wordorder.types import Float64

TESTS = ("perm-both", "perm-inputs", "perm-systems", "williams", "bootstrap")
# Whose intervals Fisher's transformation gives, under the name that it knows.
FISHER = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall-a": "kendall",
    "kendall-b": "kendall",
}


@dataclass(frozen=True)
class Resampling:
    """How intervals and tests are made.

    Attributes
    ----------
    test : str, optional
        One of `TESTS`; by default what fits.
    level : float
    resamples, seed : int
    """

    test: str | None = None
    level: float = 0.95
    resamples: int = 1000
    seed: int = 12345


def intervals_and_tests(
    rows: Sequence[Correlation],
    scores: Sequence[Float64],
    people: Float64,
    tables: Sequence[ScoreTable],
    human: ScoreTable,
    by: str,
    resampling: Resampling,
) -> tuple[list[Correlation], Float64 | None, str, str, list[str]]:
    """Add intervals to rows, and test all pairs of metrics.

    Parameters
    ----------
    rows : sequence of Correlation
        One a metric, without intervals.
    scores : sequence of float64
        What each metric gave, of the shape of `people`.
    people : float64[n] or [n, S]
    tables : sequence of ScoreTable
        The metrics whole.
    human : ScoreTable
    by : str
    resampling : Resampling

    Returns
    -------
    rows, p_values, interval, test, remarks : as `SetCorrelations` has them
    """
    known = [m for m, row in enumerate(rows) if not math.isnan(row.value)]
    name, unit = rows[0].statistic if rows else "", rows[0].unit if rows else ""
    made = list(rows)
    interval = ""
    if name in FISHER and people.ndim == 1:
        interval = "fisher"
        for m in known:
            low, high = fisher_interval(rows[m].value, rows[m].n, resampling.level, FISHER[name])
            made[m] = replace(rows[m], low=low, high=high)
    test = resampling.test or ""
    p_values = None
    if test == "williams":
        if name != "pearson" or people.ndim != 1:
            raise UsageError(
                f"--test williams is for Pearson's coefficient of systems, not {name} of {unit}s"
            )
        if len(known) > 1 and len(people) > 3:
            p_values = _williams(rows, scores, known)
    return made, p_values, interval, test if p_values is not None else "", []


def _williams(
    rows: Sequence[Correlation], scores: Sequence[Float64], known: Sequence[int]
) -> Float64:
    p_values = np.full((len(rows), len(rows)), np.nan)
    for a, b in combinations(known, 2):
        between = pearson(scores[a], scores[b])
        n = rows[a].n
        p_values[a, b] = williams(rows[a].value, rows[b].value, between, n).p_value
        p_values[b, a] = williams(rows[b].value, rows[a].value, between, n).p_value
    return p_values
