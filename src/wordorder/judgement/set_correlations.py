"""Correlate metrics with human judgements on one evaluation set, for one unit and statistic."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from wordorder.arrays import Float64, Int64, OnProgress
from wordorder.errors import UsageError
from wordorder.judgement import correlations
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.judgements import MIN_RESAMPLED_ITEMS, PairJudgements, Preferences
from wordorder.judgement.score_table import ScoreTable
from wordorder.messages import counted, joined, number, percent, render_options
from wordorder.statistics import (
    coefficients,
    correlation_bootstrap,
    critical_values,
    paired_tests,
)
from wordorder.statistics.consistency import pair_differences
from wordorder.statistics.correlation_permutation import permutation_p_values
from wordorder.statistics.dependent_tests import metric_clusters, williams
from wordorder.statistics.exact_means import exact_means
from wordorder.statistics.intervals import confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.named_statistics import coefficient

METRIC_TESTS = ("perm-both", "perm-inputs", "perm-systems", "williams", "bootstrap")

# The paired test that each of `PAIR_TESTS` is.
PAIRED_TEST_OF = {"bootstrap": "bootstrap", "perm-inputs": "randomization"}

# The smallest numbers of systems, outputs and choices for which a coefficient is computed.
MIN_SYSTEMS = 3
MIN_OUTPUTS = 10
MIN_CHOICES = 10

# Up to this number of systems, a remark says how large a coefficient must be to be significant.
MAX_FEW_SYSTEMS = 12

# Williams' test needs this number of systems.
_MIN_WILLIAMS_SYSTEMS = 4

# Statistics with intervals by Fisher's transformation, and their names in `fisher_interval`.
FISHER_STATISTICS = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall-a": "kendall",
    "kendall-b": "kendall",
}

_NO_WIDTH = (
    "Fisher's z gives a coefficient of 1 or -1 an interval without width; --over=systems makes it "
    "by the bootstrap"
)

_KENDALLS = ("kendall-a", "kendall-b", "kendall-c")

# Tolerance for comparing accuracies.
_ACCURACY_TOLERANCE = 1e-12

# Progress callback: the work, the steps that are done, and all steps.
OnWork = Callable[[str, int, int], object]

# Rows with intervals, the p-values of all pairs, the test, and remarks.
_Tested = tuple[list[correlations.Correlation], Float64 | None, str, list[str]]


def set_correlations(
    evaluation_set: EvaluationSet,
    judged: correlations.HumanJudgements,
    metrics: Sequence[ScoreTable],
    resampling: Resampling,
    unit: str,
    choice: correlations.CoefficientChoice,
) -> correlations.SetCorrelations:
    """Correlate metrics with human judgements on one set.

    Parameters
    ----------
    evaluation_set : EvaluationSet
    judged : HumanJudgements
        The judgements of the systems that are compared.
    metrics : sequence of ScoreTable
        The scores of the same systems; a missing one is NaN.
    resampling : Resampling
        How intervals and tests are computed.
    unit : "system", "segment" or "document"
    choice : CoefficientChoice

    Raises
    ------
    UsageError
        If the statistic or the test cannot be combined with the judgements.
    """
    pairs = judged.pairs is not None
    name = correlations.chosen_statistic(choice.statistic, unit, pairs=pairs)
    grouping = correlations.chosen_grouping(choice.by, unit, name, pairs=pairs)
    human = judged.table
    tables = [table.better_higher() for table in metrics]
    if unit == "document":
        document_of = evaluation_set.document_of
        human = replace(human, documents=human.document_scores(document_of))
        tables = [replace(table, documents=table.document_scores(document_of)) for table in tables]
    if pairs and unit == "segment":
        assert judged.pairs is not None
        rows, p_values, test, remarks = pair_correlations(
            judged.pairs, tables, name, resampling=resampling
        )
        interval = "bootstrap"
    else:
        human_scores = unit_scores(human, unit, name)
        scores = [unit_scores(table, unit, name) for table in tables]
        rows = [
            _correlate_metric(
                table.name, metric_scores, human_scores, unit, name, grouping, resampling.seed
            )
            for table, metric_scores in zip(tables, scores, strict=True)
        ]
        compared = CorrelationInputs(rows, scores, human_scores, tables, human, grouping)
        (rows, p_values, test, remarks), interval = add_intervals_and_tests(compared, resampling)
        if interval == "bootstrap" and human_scores.ndim == 2:
            remarks = [*remarks, *_remark_on_few_columns(human_scores, unit)]
        if unit == "segment":
            remarks = [*remarks, *remark_on_unscored_outputs(human, tables)]
        if name == "acc-eq":
            remarks = [*_remark_on_constant_metric(human_scores, grouping, rows), *remarks]
    if p_values is not None:
        values = np.array([row.value for row in rows])
        clusters = metric_clusters(values, p_values, level=1 - resampling.level).tolist()
        rows = [replace(row, cluster=c or None) for row, c in zip(rows, clusters, strict=True)]
    if unit == "system":
        remarks = [*_remark_on_few_systems(len(human.systems), name, resampling.level), *remarks]
    remarks = [
        render_options(remark) for remark in (*remarks, *_remark_on_direction(rows, metrics))
    ]
    return correlations.SetCorrelations(
        *(evaluation_set.name, unit, name, human, tables, rows, p_values, test, grouping, interval),
        *(judged.pairs, remarks),
    )


def unit_scores(table: ScoreTable, unit: str, statistic: str) -> Float64:
    """Return the scores to correlate: of systems [n], of segments [n, S] or of documents [n, D]."""
    if statistic in ("spa", "pce") or unit == "segment":
        return table.segments
    if unit == "system":
        return table.system_scores()
    assert table.documents is not None
    return table.documents


def _correlate_metric(
    metric: str, scores: Float64, human: Float64, unit: str, statistic: str, by: str, seed: int
) -> correlations.Correlation:
    """Compute one coefficient, without an interval; NaN with the reason if it is undefined."""
    rated = ~np.isnan(human)
    both = rated & ~np.isnan(scores)
    n, rated_count = int(both.sum()), int(rated.sum())
    of_systems = unit == "system" and human.ndim == 1
    noun = "system" if of_systems else f"rated {'output' if unit != 'document' else 'document'}"
    coverage = f"scores {n} of {counted(rated_count, noun)}"
    undefined = correlations.Correlation(metric, unit, statistic, math.nan, math.nan, math.nan, n)
    if n < (min_n := MIN_SYSTEMS if of_systems else MIN_OUTPUTS):
        return replace(undefined, reason=f"{coverage}; at least {counted(min_n, noun)} are needed")
    if of_systems and n < rated_count:
        # Coefficients of different sets of systems cannot be compared.
        return replace(undefined, reason=coverage)
    # The p-values of a constant metric depend only on the order of the systems.
    constant = statistic in correlations.P_VALUE_STATISTICS and _is_constant(scores[both])
    measured = coefficient(statistic, scores, human, by or "none", seed=seed)
    if constant or math.isnan(measured.value):
        return replace(undefined, reason=_undefined_reason(scores[both], human[both], statistic))
    return replace(undefined, value=measured.value, n=measured.n, threshold=measured.threshold)


def _undefined_reason(scores: Float64, human: Float64, statistic: str) -> str:
    """Return why the coefficient of enough outputs is undefined."""
    if _is_constant(scores):
        return "the metric gives all of them the same score"
    if _is_constant(human):
        return "people give all of them the same score"
    if statistic == "kendall-17":
        return (
            f"people's scores of no two of them differ by {coefficients.LEAST_DIFFERENCE:g} or more"
        )
    return "no pair of them can be compared"


def _is_constant(scores: Float64) -> bool:
    return bool(len(scores)) and bool((scores == scores[0]).all())


def _names_or_count(metrics: Sequence[str]) -> str:
    """Return the names of a few metrics, or the number of many."""
    is_few = len(metrics) <= correlations.MAX_NAMED
    return joined(metrics) if is_few else counted(len(metrics), "metric")


def _remark_on_constant_metric(
    human: Float64, by: str, rows: Sequence[correlations.Correlation]
) -> list[str]:
    """Compare acc-eq with that of a constant metric, which a large tie threshold amounts to."""
    constant = np.where(np.isnan(human), np.nan, 0.0)
    share = coefficient("acc-eq", constant, human, by or "none").value
    if math.isnan(share):
        return []
    remark = f"a metric that calls all outputs equal has acc-eq {number(share)}"
    useless = [row.metric for row in rows if row.value <= share + _ACCURACY_TOLERANCE]
    if useless:
        does = "does" if len(useless) == 1 else "do"
        remark += f"; {_names_or_count(useless)} {does} no better"
    return [remark]


def _remark_on_few_systems(systems: int, statistic: str, level: float) -> list[str]:
    """Write how large a coefficient of few systems must be to be significant."""
    if not MIN_SYSTEMS <= systems <= MAX_FEW_SYSTEMS:
        return []
    family = "kendall" if statistic in _KENDALLS else statistic
    if family not in ("pearson", "spearman", "kendall"):
        return [f"with {systems} systems there are only {systems * (systems - 1) // 2} pairs"]
    critical = critical_values.critical_correlation(systems, level, family)
    symbol = {"pearson": "r", "spearman": "rho", "kendall": "tau"}[family]
    if math.isinf(critical):
        return [f"with {systems} systems no {symbol} differs from 0 ({100 * level:g} %)"]
    # With 3 systems it is .997, which two digits would round up to 1.
    digits = 2 if critical < 0.995 else 4
    text = f"{critical:.{digits}f}".lstrip("0") if critical < 1 else "1"
    sign = ">" if family == "pearson" else ">="
    condition = f"with {systems} systems only |{symbol}| {sign} {text}"
    return [f"{condition} differs from 0 ({100 * level:g} %)"]


def _remark_on_few_columns(human: Float64, unit: str) -> list[str]:
    """Warn about intervals from resamples of few segments or documents."""
    rated = int((~np.isnan(human)).any(axis=0).sum())
    if rated >= MIN_RESAMPLED_ITEMS:
        return []
    units = counted(rated, "document" if unit == "document" else "segment")
    return [f"{units}: resamples of so few differ too little, so intervals are too narrow"]


def _remark_on_direction(
    rows: Sequence[correlations.Correlation], metrics: Sequence[ScoreTable]
) -> list[str]:
    """Name stored metrics that correlate negatively: perhaps their lower scores are better."""
    names = [
        row.metric
        for row, table in zip(rows, metrics, strict=True)
        if row.high < 0 and table.measurement is None and not math.isnan(row.high)
    ]
    if not names:
        return []
    verb = "agrees" if len(names) == 1 else "agree"
    return [
        f"{joined(names[: correlations.MAX_NAMED])} {verb} with people backwards: if lower is "
        "better, --lower-is-better names it"
    ]


def remark_on_unscored_outputs(human: ScoreTable, metrics: Sequence[ScoreTable]) -> list[str]:
    """Name the metrics without scores of some rated outputs, and the number of these."""
    rated = ~np.isnan(human.segments)
    outputs = int(rated.sum())
    gaps = []
    for metric in metrics:
        missing = int((rated & np.isnan(metric.segments)).sum())
        if 0 < missing < outputs:
            share = percent(missing, outputs)
            gaps.append((metric.name, f"{missing} of {counted(outputs, 'rated output')} ({share})"))
    return correlations.left_out_remarks(gaps)


def pair_correlations(
    judgements: PairJudgements,
    metrics: Sequence[ScoreTable],
    statistic: str,
    *,
    resampling: Resampling,
) -> _Tested:
    """Return how often each metric agrees with human choices, with intervals and tests.

    Parameters
    ----------
    judgements : PairJudgements
        Judgements of systems that the metrics score; items are segment numbers, from 1.
    metrics : sequence of ScoreTable
        Higher scores are better.
    statistic : str
        "consistency": the share of choices that the metric agrees with, where a tie of the metric
        counts half; "consistency-strict": the same, where a tie counts nothing; or a tau of WMT,
        such as "kendall-14".
    resampling : Resampling
        Segments are drawn, with all their judgements.

    Returns
    -------
    rows, p_values, test, remarks : see `SetCorrelations`
    """
    segments = metrics[0].segments.shape[1]
    choices = Preferences.of_rankings(judgements, metrics[0].systems, segments)
    score = _score_of_counts(statistic)
    chosen = choices.item, choices.better, choices.worse
    differences = [pair_differences(table.segments, *chosen) for table in metrics]
    counts = np.stack([_count_agreement(row, choices.item, segments) for row in differences])
    totals = counts.sum(axis=1)
    measurement = Measurement(list(counts), score)
    enough = totals.sum(axis=1) >= MIN_CHOICES
    (estimates,) = confidence_intervals(
        [measurement], confidence=resampling.level, **resampling.sampling_options
    )
    rows = []
    left_out = []
    for table, total, estimate, defined in zip(metrics, totals, estimates, enough, strict=True):
        n = int(total.sum())
        values = (math.nan, math.nan, math.nan)
        reason = ""
        if not defined:
            reason = f"scores both outputs of {n} of {counted(len(choices), 'choice')}"
        else:
            values = (estimate.value, estimate.low, estimate.high)
            if missing := len(choices) - n:
                share = percent(missing, len(choices))
                left_out.append((table.name, f"{counted(missing, 'choice')} ({share})"))
        rows.append(
            correlations.Correlation(table.name, "segment", statistic, *values, n, reason=reason)
        )
    remarks = [
        *_remark_on_ties(metrics, totals, statistic),
        *correlations.left_out_remarks(left_out),
    ]
    test = resampling.test or ("perm-inputs" if len(metrics) > 1 else "")
    p_values = None
    if test and enough.sum() > 1:
        p_values = np.full((len(metrics), len(metrics)), np.nan)
        defined = np.flatnonzero(enough)
        p_values[np.ix_(defined, defined)] = _p_values(
            counts[defined], score, PAIRED_TEST_OF[test], resampling
        )
        for a, b in combinations(defined.tolist(), 2):
            unscored = np.isnan(differences[a]) | np.isnan(differences[b])
            if np.array_equal(np.isnan(differences[a]), np.isnan(differences[b])):
                continue
            # Compare on the choices whose outputs are scored by both metrics.
            shared = [np.where(unscored, np.nan, differences[m]) for m in (a, b)]
            both = np.stack([_count_agreement(row, choices.item, segments) for row in shared])
            p_values[np.ix_((a, b), (a, b))] = _p_values(
                both, score, PAIRED_TEST_OF[test], resampling
            )
    return rows, p_values, test if p_values is not None else "", remarks


def _p_values(
    counts: Float64, score: Callable[[Float64], Float64], test: str, resampling: Resampling
) -> Float64:
    """Test all pairs of metrics, one-sided, by their counts, float64[M, S, 3]."""
    p_values = np.full((len(counts), len(counts)), np.nan)
    measurement = Measurement(list(counts), score)
    (comparison,) = paired_tests.compare([measurement], test=test, **resampling.sampling_options)
    for pair in comparison.pairs:
        half = pair.p_value / 2
        p_of_second = half if pair.difference > 0 else 1 - half
        p_values[pair.second, pair.first] = p_of_second
        p_values[pair.first, pair.second] = 1 - p_of_second
    return p_values


def _count_agreement(differences: Float64, item: Int64, segments: int) -> Float64:
    """Count the choices of each segment that a metric agrees with, contradicts and ties: [S, 3]."""
    masks = (differences > 0, differences < 0, differences == 0)
    return np.stack([np.bincount(item[mask], minlength=segments) for mask in masks], axis=1).astype(
        np.float64
    )


def _score_of_counts(statistic: str) -> Callable[[Float64], Float64]:
    """Return the coefficient as a function of counts: agreeing, disagreeing, tied."""

    def share(totals: Float64) -> Float64:
        agreeing = totals[..., 0] + (0.0 if statistic.endswith("strict") else totals[..., 2] / 2)
        pairs = totals.sum(axis=-1)
        return np.where(pairs > 0, agreeing / np.maximum(pairs, 1), 0.0)

    def tau(totals: Float64) -> Float64:
        counts = np.zeros((*totals.shape[:-1], 5), np.int64)
        counts[..., :3] = np.rint(totals)
        values = coefficients.taus(counts.reshape(-1, 5), statistic.removeprefix("kendall-"))
        return np.nan_to_num(values).reshape(totals.shape[:-1])

    return share if statistic.startswith("consistency") else tau


def _remark_on_ties(metrics: Sequence[ScoreTable], totals: Float64, statistic: str) -> list[str]:
    """Write how ties of metrics count, and consistency if they counted the other way."""
    if not statistic.startswith("consistency"):
        return []
    strict = statistic.endswith("strict")
    alternative = _score_of_counts("consistency" if strict else "consistency-strict")(totals)
    tied = [m for m in range(len(metrics)) if totals[m, 2] > 0]
    rule = "a tie of the metric counts as wrong" if strict else "a tie of the metric counts half"
    if not tied:
        return [f"{rule}, but no metric has one"]
    other_rule = "as half right" if strict else "as wrong"
    values = ", ".join(f"{metrics[m].name} {number(float(alternative[m]))}" for m in tied)
    return [f"{rule}; {other_rule} it would be: {values}"]


@dataclass(frozen=True)
class Resampling:
    """How intervals and tests are computed.

    Attributes
    ----------
    test : str, optional
        One of `METRIC_TESTS`; by default one that applies to the data.
    over : "segments", "systems" or "both", optional
        What the bootstrap draws: segments by default. If specified, all intervals are bootstrapped.
    level : float
        The confidence of intervals and clusters.
    resamples, seed : int
    progress : callable, optional
        Called with the work, the number of steps that are done, and that of all steps.
    """

    test: str | None = None
    over: str | None = None
    level: float = 0.95
    resamples: int = 1000
    seed: int = 12345
    progress: OnWork | None = None

    @property
    def sampling_options(self) -> dict[str, Any]:
        """Keyword arguments of the functions that resample."""
        return {"resamples": self.resamples, "seed": self.seed}

    def step_progress(self, work: str, steps: int) -> OnProgress | None:
        """Return a callback for the number of steps of some work that are done."""
        progress = self.progress
        return None if progress is None else lambda done: progress(work, done, steps)


@dataclass(frozen=True, eq=False)
class CorrelationInputs:
    """Scores of metrics and people, as arrays that a coefficient compares.

    Attributes
    ----------
    rows : sequence of Correlation
        One per metric, without intervals.
    scores : sequence of float64[n] or [n, S]
        The scores of each metric, of the shape of `human_scores`.
    human_scores : float64[n] or [n, S]
    tables : sequence of ScoreTable
        All scores of each metric.
    human : ScoreTable
        All human scores.
    by : str
        How scores of segments are grouped.
    """

    rows: Sequence[correlations.Correlation]
    scores: Sequence[Float64]
    human_scores: Float64
    tables: Sequence[ScoreTable]
    human: ScoreTable
    by: str

    @property
    def statistic(self) -> str:
        """The coefficient."""
        return self.rows[0].statistic

    @property
    def coefficient_options(self) -> dict[str, Any]:
        """Keyword arguments of functions that resample coefficients."""
        unit = "system" if self.of_systems else "segment"
        return {"statistic": self.statistic, "by": self.by or "none", "unit": unit}

    @property
    def of_systems(self) -> bool:
        """Whether each system has one score."""
        return self.human_scores.ndim == 1

    @property
    def defined(self) -> list[int]:
        """Indices of the metrics that have a coefficient."""
        return [m for m, row in enumerate(self.rows) if not math.isnan(row.value)]

    @property
    def have_segment_scores(self) -> bool:
        """Whether all metrics with a coefficient have scores of segments for all systems."""
        return all(not np.isnan(self.tables[m].segments).all(axis=1).any() for m in self.defined)


def add_intervals_and_tests(
    compared: CorrelationInputs, resampling: Resampling
) -> tuple[_Tested, str]:
    """Add intervals to coefficients, and test all pairs of metrics.

    Returns rows, p-values, test and remarks as `pair_correlations` does, and the method of the
    intervals: "fisher", "bootstrap" or "".

    Raises
    ------
    UsageError
        If `resampling.test` or `resampling.over` does not apply to the scores.
    """
    rows = list(compared.rows)
    defined = compared.defined
    name = compared.statistic
    test, remarks = _choose_test(compared, resampling)
    fisher = name in FISHER_STATISTICS and compared.of_systems and resampling.over is None
    interval = ""
    samples: tuple[Float64, Float64] | None = None
    if (
        defined
        and name not in correlations.P_VALUE_STATISTICS
        and (test == "bootstrap" or not fisher)
    ):
        try:
            samples = _resampled(compared, resampling)
        except UsageError as error:
            # Without an explicit request, return the coefficients without intervals.
            if resampling.over or resampling.test:
                raise
            return (rows, None, "", [f"no intervals and tests: {error}"]), ""
    if fisher:
        interval = "fisher"
        for m in defined:
            low, high = critical_values.fisher_interval(
                rows[m].value, rows[m].n, resampling.level, FISHER_STATISTICS[name]
            )
            rows[m] = replace(rows[m], low=low, high=high)
        if any(rows[m].low == rows[m].high for m in defined):
            remarks = [*remarks, _NO_WIDTH]
    elif samples is not None:
        interval = "bootstrap"
        for m, resampled in zip(defined, samples[1], strict=True):
            low, high = correlation_bootstrap.bootstrap_interval(resampled, level=resampling.level)
            rows[m] = replace(rows[m], low=low, high=high)
    if not test:
        return (rows, None, "", remarks), interval
    if test == "williams":
        defined_p_values = _williams_p_values(compared)
    elif test == "bootstrap":
        assert samples is not None
        defined_p_values = _bootstrap_p_values(compared, resampling, samples)
    else:
        # Permutation tests swap scores of segments, even if systems are compared.
        tables, scores = compared.tables, compared.scores
        defined_p_values = permutation_p_values(
            [tables[m].segments if compared.of_systems else scores[m] for m in defined],
            compared.human_scores,
            swap=test.removeprefix("perm-"),
            **compared.coefficient_options,
            **resampling.sampling_options,
            progress=resampling.step_progress("tests", len(defined) * (len(defined) - 1) // 2),
        )
        if compared.of_systems:
            remarks = [
                *remarks,
                *_remark_on_systems(compared, test),
                *_remark_on_means(compared, test),
            ]
    p_values = np.full((len(rows), len(rows)), np.nan)
    p_values[np.ix_(defined, defined)] = defined_p_values
    return (rows, p_values, test, remarks), interval


def _choose_test(compared: CorrelationInputs, resampling: Resampling) -> tuple[str, list[str]]:
    """Return the test, or "" with a remark that says why there is none."""
    name, requested = compared.statistic, resampling.test
    pearson_of_systems = name == "pearson" and compared.of_systems
    if len(compared.defined) < 2:
        return "", []
    if name in correlations.P_VALUE_STATISTICS:
        return "", [f"metrics are not compared by {name}, which draws at random itself"]
    enough_for_williams = len(compared.human_scores) >= _MIN_WILLIAMS_SYSTEMS
    needs_segments = requested != "williams" and compared.of_systems
    if needs_segments and not compared.have_segment_scores:
        if requested and requested != "bootstrap":
            raise UsageError(f"--test={requested} needs scores of segments, which a metric lacks")
        if requested is None and not (pearson_of_systems and enough_for_williams):
            return "", ["metrics are not compared: a metric lacks scores of segments"]
        return requested or "williams", []
    if requested == "williams" and not enough_for_williams:
        problem = f"Williams' test needs {_MIN_WILLIAMS_SYSTEMS} systems"
        return "", [f"metrics are not compared: {problem}"]
    return requested or "perm-both", []


def _remark_on_systems(compared: CorrelationInputs, test: str) -> list[str]:
    """Write that a test does not generalise to other systems, except "perm-systems"."""
    if test == "perm-systems":
        return []
    return [
        f"{test} says which metric leads on other segments of these {len(compared.human_scores)} "
        "systems; --test=perm-systems asks about other systems too"
    ]


def _remark_on_means(compared: CorrelationInputs, test: str) -> list[str]:
    """Name the metrics whose score of a system is not the mean of its segment scores."""
    names = [
        compared.tables[m].name
        for m in compared.defined
        if not np.allclose(exact_means(compared.tables[m].segments), compared.scores[m], 1e-9)
    ]
    if not names:
        return []
    return [
        f"{test} swaps scores of segments: it compares their means, which are not the scores of "
        f"the whole text of {_names_or_count(names)}"
    ]


def _resampled(compared: CorrelationInputs, resampling: Resampling) -> tuple[Float64, Float64]:
    """Return the defined coefficients, and those on resamples."""
    over = resampling.over or "segments"
    human = compared.human_scores
    metrics: list[Float64 | Measurement] = [compared.scores[m] for m in compared.defined]
    if compared.of_systems and over != "systems":
        # Scores of systems change with the segments drawn, if there are scores of segments.
        if compared.have_segment_scores:
            tables = [compared.tables[m] for m in compared.defined]
            metrics = [table.measurement or table.segments for table in tables]
        if compared.human.whole is None:
            human = compared.human.segments
    return correlation_bootstrap.bootstrap_coefficients(
        metrics,
        human,
        over=over,
        **compared.coefficient_options,
        **resampling.sampling_options,
        progress=resampling.step_progress("intervals", resampling.resamples),
    )


def _bootstrap_p_values(
    compared: CorrelationInputs, resampling: Resampling, samples: tuple[Float64, Float64]
) -> Float64:
    """Test all pairs of metrics with coefficients, each pair on the outputs that both score."""
    p_values = correlation_bootstrap.bootstrap_p_values(*samples)
    if compared.of_systems:
        return p_values
    scores = [compared.scores[m] for m in compared.defined]
    rated = ~np.isnan(compared.human_scores)
    for (a, first), (b, second) in combinations(enumerate(scores), 2):
        if not (np.isnan(first) != np.isnan(second))[rated].any():
            continue
        test = correlation_bootstrap.bootstrap_test(
            first,
            second,
            compared.human_scores,
            **compared.coefficient_options,
            over=resampling.over or "segments",
            level=resampling.level,
            **resampling.sampling_options,
        )
        p_values[a, b], p_values[b, a] = test.p_value, test.p_value_of_b
    return p_values


def _williams_p_values(compared: CorrelationInputs) -> Float64:
    """Test all pairs of metrics with coefficients."""
    defined = compared.defined
    p_values = np.full((len(defined), len(defined)), np.nan)
    for (a, m), (b, k) in combinations(enumerate(defined), 2):
        between = coefficients.pearson(compared.scores[m], compared.scores[k])
        first, second = compared.rows[m], compared.rows[k]
        p_values[a, b] = williams(first.value, second.value, between, first.n).p_value
        p_values[b, a] = williams(second.value, first.value, between, first.n).p_value
    return p_values
