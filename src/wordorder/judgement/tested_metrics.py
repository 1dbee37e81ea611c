"""Intervals of coefficients, and tests of which metric agrees better with people."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from wordorder.counts import counted, joined
from wordorder.errors import UsageError
from wordorder.judgement.correlations import Correlation
from wordorder.judgement.score_table import ScoreTable
from wordorder.judgement.statistic_names import UNTESTED
from wordorder.statistics.correlation.fisher import fisher_interval
from wordorder.statistics.correlation.linear import pearson
from wordorder.statistics.correlation_tests.bootstrap import (
    bootstrap_coefficients,
    bootstrap_interval,
    bootstrap_p_values,
    bootstrap_test,
)
from wordorder.statistics.correlation_tests.dependent_correlations import williams
from wordorder.statistics.correlation_tests.permutation import permutation_p_values
from wordorder.statistics.exact_means import exact_means
from wordorder.statistics.measurement import Measurement
from wordorder.types import Float64, OnProgress

# Is told of some work, of the steps that are done, and of all.
OnWork = Callable[[str, int, int], object]
TESTS = ("perm-both", "perm-inputs", "perm-systems", "williams", "bootstrap")
# Whose intervals Fisher's transformation gives, under the name that it knows.
FISHER = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall-a": "kendall",
    "kendall-b": "kendall",
}
_NO_WIDTH = (
    "Fisher's z gives a coefficient of 1 or -1 an interval without width; --over=systems makes it "
    "by the bootstrap"
)
# Fewer systems than Williams' test needs.
_FEWEST = 4
# Metrics that a message names.
_NAMED = 5


@dataclass(frozen=True)
class Resampling:
    """How intervals and tests are made.

    Attributes
    ----------
    test : str, optional
        One of `TESTS`; by default what fits.
    over : "segments", "systems" or "both", optional
        What the bootstrap draws: segments by default. If given, all intervals are made by it.
    level : float
    resamples, seed : int
    progress : callable, optional
        Told what is done, how many steps of it, and how many there are.
    """

    test: str | None = None
    over: str | None = None
    level: float = 0.95
    resamples: int = 1000
    seed: int = 12345
    progress: OnWork | None = None

    def steps(self, work: str, number: int) -> OnProgress | None:
        """Return what is told how many steps of some work are done."""
        told = self.progress
        return None if told is None else lambda done: told(work, done, number)


@dataclass(frozen=True, eq=False)
class Compared:
    """What metrics and people gave, in the form that a coefficient compares.

    Attributes
    ----------
    rows : sequence of Correlation
        One a metric, without intervals.
    scores : sequence of float64[n] or [n, S]
        What each metric gave, of the shape of `people`.
    people : float64[n] or [n, S]
    tables : sequence of ScoreTable
        The metrics whole.
    human : ScoreTable
    by : str
    """

    rows: Sequence[Correlation]
    scores: Sequence[Float64]
    people: Float64
    tables: Sequence[ScoreTable]
    human: ScoreTable
    by: str

    @property
    def statistic(self) -> str:
        """The coefficient."""
        return self.rows[0].statistic

    @property
    def of_systems(self) -> bool:
        """Whether each system has one score."""
        return self.people.ndim == 1

    @property
    def known(self) -> list[int]:
        """The metrics that have a value."""
        return [m for m, row in enumerate(self.rows) if not math.isnan(row.value)]

    @property
    def by_segment(self) -> bool:
        """Whether all metrics with a value have scores of segments."""
        return all(not np.isnan(self.tables[m].segments).all(axis=1).any() for m in self.known)


@dataclass(frozen=True, eq=False)
class Tested:
    """Rows with intervals, and tests of all pairs, as `SetCorrelations` has them."""

    rows: list[Correlation]
    p_values: Float64 | None
    interval: str
    test: str
    remarks: list[str]


def tested(compared: Compared, resampling: Resampling) -> Tested:
    """Add intervals to coefficients, and test all pairs of metrics.

    Raises
    ------
    UsageError
        If the test or what the bootstrap draws cannot be combined with the scores.
    """
    rows = list(compared.rows)
    known = compared.known
    name = compared.statistic
    test, why = _chosen_test(compared, resampling)
    fisher = name in FISHER and compared.of_systems and resampling.over is None
    interval = ""
    samples: tuple[Float64, Float64] | None = None
    if known and name not in UNTESTED and (test == "bootstrap" or not fisher):
        try:
            samples = _resampled(compared, resampling)
        except UsageError as error:
            # Nobody asked for it: the coefficients are worth having without intervals.
            if resampling.over or resampling.test:
                raise
            return Tested(rows, None, "", "", [f"no intervals and tests: {error}"])
    if fisher:
        interval = "fisher"
        for m in known:
            low, high = fisher_interval(rows[m].value, rows[m].n, resampling.level, FISHER[name])
            rows[m] = replace(rows[m], low=low, high=high)
        if any(rows[m].low == rows[m].high for m in known):
            why = [*why, _NO_WIDTH]
    elif samples is not None:
        interval = "bootstrap"
        for m, drawn in zip(known, samples[1], strict=True):
            low, high = bootstrap_interval(drawn, level=resampling.level)
            rows[m] = replace(rows[m], low=low, high=high)
    if not test:
        return Tested(rows, None, interval, "", why)
    if test == "williams":
        p_of_pairs = _williams(compared)
    elif test == "bootstrap":
        assert samples is not None
        p_of_pairs = _bootstrapped(compared, resampling, samples)
    else:
        p_of_pairs = permutation_p_values(
            [_segments_or_units(compared, m) for m in known],
            compared.people,
            swap=test.removeprefix("perm-"),
            statistic=name,
            by=compared.by or "none",
            unit="system" if compared.of_systems else "segment",
            resamples=resampling.resamples,
            seed=resampling.seed,
            progress=resampling.steps("tests", len(known) * (len(known) - 1) // 2),
        )
        why = [*why, *_these_systems(compared, test), *_means_compared(compared, test)]
    p_values = np.full((len(rows), len(rows)), np.nan)
    p_values[np.ix_(known, known)] = p_of_pairs
    return Tested(rows, p_values, interval, test, why)


def _chosen_test(compared: Compared, resampling: Resampling) -> tuple[str, list[str]]:
    """Return the test that fits, or none and why."""
    name, wanted = compared.statistic, resampling.test
    pearson_of_systems = name == "pearson" and compared.of_systems
    if len(compared.known) < 2:
        return "", []
    if name in UNTESTED:
        return "", [f"metrics are not compared by {name}, which draws at random itself"]
    needs_segments = wanted != "williams" and compared.of_systems
    if needs_segments and not compared.by_segment:
        if wanted and wanted != "bootstrap":
            raise UsageError(f"--test={wanted} needs scores of segments, which a metric lacks")
        if wanted is None and (not pearson_of_systems or len(compared.people) < _FEWEST):
            return "", ["metrics are not compared: a metric lacks scores of segments"]
        return wanted or "williams", []
    if wanted == "williams" and len(compared.people) < _FEWEST:
        return "", [f"metrics are not compared: Williams' test needs {_FEWEST} systems"]
    return wanted or "perm-both", []


def _these_systems(compared: Compared, test: str) -> list[str]:
    """Say that a test of systems draws no systems, unless it does."""
    if not compared.of_systems or test == "perm-systems":
        return []
    return [
        f"{test} says which metric leads on other segments of these {len(compared.people)} "
        "systems; --test=perm-systems asks about other systems too"
    ]


def _means_compared(compared: Compared, test: str) -> list[str]:
    """Say which metrics have another score of a whole text than the mean of its segments."""
    if not compared.of_systems:
        return []
    names = [
        compared.tables[m].name
        for m in compared.known
        if not np.allclose(exact_means(compared.tables[m].segments), compared.scores[m], 1e-9)
    ]
    if not names:
        return []
    shown = joined(names[:_NAMED]) if len(names) <= _NAMED else counted(len(names), "metric")
    return [
        f"{test} swaps scores of segments: it compares their means, which are not the scores of "
        f"the whole text of {shown}"
    ]


def _segments_or_units(compared: Compared, metric: int) -> Float64:
    """Return the scores that a test swaps: of segments, also where systems are compared."""
    table = compared.tables[metric]
    return table.segments if compared.of_systems else compared.scores[metric]


def _resampled(compared: Compared, resampling: Resampling) -> tuple[Float64, Float64]:
    """Return the coefficients of the metrics that have one, and those on resamples."""
    over = resampling.over or "segments"
    people = compared.people
    given: list[Float64 | Measurement] = [compared.scores[m] for m in compared.known]
    if compared.of_systems and over != "systems":
        # Systems' scores change with the segments, as far as there are scores of segments.
        if compared.by_segment:
            given = [
                compared.tables[m].measurement or compared.tables[m].segments
                for m in compared.known
            ]
        if compared.human.whole is None:
            people = compared.human.segments
    return bootstrap_coefficients(
        given,
        people,
        statistic=compared.statistic,
        by=compared.by or "none",
        unit="system" if compared.of_systems else "segment",
        over=over,
        resamples=resampling.resamples,
        seed=resampling.seed,
        progress=resampling.steps("intervals", resampling.resamples),
    )


def _bootstrapped(
    compared: Compared, resampling: Resampling, samples: tuple[Float64, Float64]
) -> Float64:
    """Test all pairs of the metrics that have a value, each on the outputs that both score."""
    p_values = bootstrap_p_values(*samples)
    if compared.of_systems:
        return p_values
    scores = [compared.scores[m] for m in compared.known]
    rated = ~np.isnan(compared.people)
    for (a, first), (b, second) in combinations(enumerate(scores), 2):
        if not (np.isnan(first) != np.isnan(second))[rated].any():
            continue
        test = bootstrap_test(
            *(first, second, compared.people),
            statistic=compared.statistic,
            by=compared.by or "none",
            over=resampling.over or "segments",
            level=resampling.level,
            resamples=resampling.resamples,
            seed=resampling.seed,
        )
        p_values[a, b], p_values[b, a] = test.p_value, test.p_value_of_b
    return p_values


def _williams(compared: Compared) -> Float64:
    """Test all pairs of the metrics that have a value."""
    known = compared.known
    p_values = np.full((len(known), len(known)), np.nan)
    for (a, first), (b, second) in combinations(enumerate(known), 2):
        between = pearson(compared.scores[first], compared.scores[second])
        ours, theirs = compared.rows[first], compared.rows[second]
        p_values[a, b] = williams(ours.value, theirs.value, between, ours.n).p_value
        p_values[b, a] = williams(theirs.value, ours.value, between, ours.n).p_value
    return p_values
