"""How well metrics agree with people on one evaluation set, under one unit and one statistic."""

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
from wordorder.judgement.judgements import FEW, PairJudgements, Preferences
from wordorder.judgement.score_table import ScoreTable
from wordorder.messages import counted, joined, number, percent, spoken
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

# With fewer outputs that have both scores there is no number.
FEWEST_SYSTEMS = 3

FEWEST_OUTPUTS = 10

# With as many systems a coefficient has to be large before it says anything.
FEW_SYSTEMS = 12

_KENDALLS = ("kendall-a", "kendall-b", "kendall-c")

# Systems, or metrics, that a message names.
_NAMED = 5

_ROUNDING = 1e-12


def set_correlations(
    given: EvaluationSet,
    judged: correlations.HumanJudgements,
    metrics: Sequence[ScoreTable],
    resampling: Resampling,
    *,
    unit: str,
    statistic: str | None,
    by: str | None,
) -> correlations.SetCorrelations:
    """Correlate metrics with people on one set.

    Parameters
    ----------
    given : EvaluationSet
    judged : HumanJudgements
        Of the systems that take part.
    metrics : sequence of ScoreTable
        Of the same systems; NaN where one has no score.
    resampling : Resampling
        How intervals and tests are made.
    unit : "system", "segment" or "document"
    statistic, by : str, optional
        As `correlate` takes them.

    Raises
    ------
    UsageError
        If the statistic or the test cannot be combined with the judgements.
    """
    pairs = judged.pairs is not None
    name = correlations.chosen_statistic(statistic, unit, pairs=pairs)
    grouping = correlations.chosen_grouping(by, unit, name, pairs=pairs)
    human = judged.table
    tables = [table.better_higher() for table in metrics]
    if unit == "document":
        of = given.document_of
        human = replace(human, documents=human.document_scores(of))
        tables = [replace(table, documents=table.document_scores(of)) for table in tables]
    if pairs and unit == "segment":
        assert judged.pairs is not None
        rows, p_values, test, remarks = pair_correlations(
            judged.pairs, tables, name, resampling=resampling
        )
        interval = "bootstrap"
    else:
        people = unit_scores(human, unit, name)
        scores = [unit_scores(table, unit, name) for table in tables]
        rows = [
            _row(table.name, each, people, unit, name, grouping, resampling.seed)
            for table, each in zip(tables, scores, strict=True)
        ]
        compared = CorrelationInputs(rows, scores, people, tables, human, grouping)
        (rows, p_values, test, remarks), interval = tested(compared, resampling)
        if interval == "bootstrap" and people.ndim == 2:
            remarks = [*remarks, *_few_columns(people, unit)]
        if unit == "segment":
            remarks = [*remarks, *not_rated(human, tables)]
        if name == "acc-eq":
            remarks = [*_all_tied(people, grouping, rows), *remarks]
    if p_values is not None:
        values = np.array([row.value for row in rows])
        clusters = metric_clusters(values, p_values, level=1 - resampling.level).tolist()
        rows = [replace(row, cluster=c or None) for row, c in zip(rows, clusters, strict=True)]
    if unit == "system":
        remarks = [*_few_systems(len(human.systems), name, resampling.level), *remarks]
    remarks = [spoken(each) for each in (*remarks, *_backwards(rows, metrics))]
    return correlations.SetCorrelations(
        *(given.name, unit, name, human, tables, rows, p_values, test, grouping, interval),
        *(judged.pairs, remarks),
    )


def unit_scores(table: ScoreTable, unit: str, statistic: str) -> Float64:
    """Return the scores that a coefficient compares: float64[n], or [n, S], or [n, D]."""
    if statistic in ("spa", "pce") or unit == "segment":
        return table.segments
    if unit == "system":
        return table.system_scores()
    assert table.documents is not None
    return table.documents


def _row(
    metric: str, scores: Float64, people: Float64, unit: str, statistic: str, by: str, seed: int
) -> correlations.Correlation:
    """Compute one coefficient, or say why there is none."""
    rated = ~np.isnan(people)
    both = rated & ~np.isnan(scores)
    n, all_rated = int(both.sum()), int(rated.sum())
    whole = unit == "system" and people.ndim == 1
    noun = "system" if whole else f"rated {'output' if unit != 'document' else 'document'}"
    missing = f"scores {n} of {counted(all_rated, noun)}"
    nothing = correlations.Correlation(metric, unit, statistic, math.nan, math.nan, math.nan, n)
    if n < (least := FEWEST_SYSTEMS if whole else FEWEST_OUTPUTS):
        return replace(nothing, reason=f"{missing}; at least {counted(least, noun)} are needed")
    if whole and n < all_rated:
        # Another set of systems is another question.
        return replace(nothing, reason=missing)
    # A constant has p-values too, which depend on nothing but the order of the systems.
    constant = statistic in correlations.OF_SYSTEMS and _constant(scores[both])
    measured = coefficient(statistic, scores, people, by or "none", seed=seed)
    if constant or math.isnan(measured.value):
        return replace(nothing, reason=_why_none(scores[both], people[both], statistic))
    return replace(nothing, value=measured.value, n=measured.n, threshold=measured.threshold)


def _why_none(scores: Float64, people: Float64, statistic: str) -> str:
    """Say why scores of enough outputs have no coefficient."""
    if _constant(scores):
        return "the metric gives all of them the same score"
    if _constant(people):
        return "people give all of them the same score"
    if statistic == "kendall-17":
        return (
            f"people's scores of no two of them differ by {coefficients.LEAST_DIFFERENCE:g} or more"
        )
    return "no pair of them can be compared"


def _constant(scores: Float64) -> bool:
    return bool(len(scores)) and bool((scores == scores[0]).all())


def _all_tied(people: Float64, by: str, rows: Sequence[correlations.Correlation]) -> list[str]:
    """Say what acc-eq is worth here: a tie threshold that is large enough ties everything."""
    equal = np.where(np.isnan(people), np.nan, 0.0)
    share = coefficient("acc-eq", equal, people, by or "none").value
    if math.isnan(share):
        return []
    remark = f"a metric that calls all outputs equal has acc-eq {number(share)}"
    useless = [row.metric for row in rows if row.value <= share + _ROUNDING]
    if useless:
        does = "does" if len(useless) == 1 else "do"
        shown = joined(useless) if len(useless) <= _NAMED else counted(len(useless), "metric")
        remark += f"; {shown} {does} no better"
    return [remark]


def _few_systems(systems: int, statistic: str, level: float) -> list[str]:
    """Say how large a coefficient of few systems must be."""
    if not FEWEST_SYSTEMS <= systems <= FEW_SYSTEMS:
        return []
    family = "kendall" if statistic in _KENDALLS else statistic
    if family not in ("pearson", "spearman", "kendall"):
        return [f"with {systems} systems there are only {systems * (systems - 1) // 2} pairs"]
    least = critical_values.critical_correlation(systems, level, family)
    symbol = {"pearson": "r", "spearman": "rho", "kendall": "tau"}[family]
    if math.isinf(least):
        return [f"with {systems} systems no {symbol} differs from 0 ({100 * level:g} %)"]
    # With 3 systems .997: two digits would round it up to 1.
    digits = 2 if least < 0.995 else 4
    shown = f"{least:.{digits}f}".lstrip("0") if least < 1 else "1"
    sign = ">" if family == "pearson" else ">="
    only = f"with {systems} systems only |{symbol}| {sign} {shown}"
    return [f"{only} differs from 0 ({100 * level:g} %)"]


def _few_columns(people: Float64, unit: str) -> list[str]:
    """Say what comes of drawing from few segments or documents."""
    rated = int((~np.isnan(people)).any(axis=0).sum())
    if rated >= FEW:
        return []
    drawn = counted(rated, "document" if unit == "document" else "segment")
    return [f"{drawn}: resamples of so few differ too little, so intervals are too narrow"]


def _backwards(
    rows: Sequence[correlations.Correlation], metrics: Sequence[ScoreTable]
) -> list[str]:
    """Name stored metrics of which the lower score may be the better one."""
    names = [
        row.metric
        for row, table in zip(rows, metrics, strict=True)
        if row.high < 0 and table.measurement is None and not math.isnan(row.high)
    ]
    if not names:
        return []
    verb = "agrees" if len(names) == 1 else "agree"
    return [
        f"{joined(names[:_NAMED])} {verb} with people backwards: if lower is better, "
        "--lower-is-better names it"
    ]


def not_rated(table: ScoreTable, metrics: Sequence[ScoreTable]) -> list[str]:
    """Say which metrics leave out rated outputs, and how many."""
    rated = ~np.isnan(table.segments)
    outputs = int(rated.sum())
    gaps = []
    for metric in metrics:
        missing = int((rated & np.isnan(metric.segments)).sum())
        if 0 < missing < outputs:
            share = percent(missing, outputs)
            what = f"{missing} of {counted(outputs, 'rated output')} ({share})"
            gaps.append((metric.name, what))
    return correlations.left_out_remarks(gaps)


# What the tests of `PAIR_TESTS` are, with segments drawn or swapped.
TESTS = {"bootstrap": "bootstrap", "perm-inputs": "randomization"}

FEWEST_PAIRS = 10

# Rows with intervals, p-values of all pairs, the test that made them, and remarks.
_Found = tuple[list[correlations.Correlation], Float64 | None, str, list[str]]


def pair_correlations(
    judgements: PairJudgements,
    metrics: Sequence[ScoreTable],
    statistic: str,
    *,
    resampling: Resampling,
) -> _Found:
    """Return how often each metric agrees with people's choices, with intervals and tests.

    Parameters
    ----------
    judgements : PairJudgements
        Of systems that the metrics score; items are numbers of segments, from 1.
    metrics : sequence of ScoreTable
        Higher is better.
    statistic : str
        "consistency": the share of choices that the metric shares, a tie of the metric counting
        half; "consistency-strict": a tie counting nothing; or a tau of WMT, "kendall-14".
    resampling : Resampling
        Segments are drawn, with all their judgements.

    Returns
    -------
    rows, p_values, test, remarks : as `SetCorrelations` has them
    """
    segments = metrics[0].segments.shape[1]
    choices = Preferences.of_rankings(judgements, metrics[0].systems, segments)
    score = _score(statistic)
    chosen = choices.item, choices.better, choices.worse
    differences = [pair_differences(table.segments, *chosen) for table in metrics]
    counts = np.stack([_counts(each, choices.item, segments) for each in differences])
    totals = counts.sum(axis=1)
    made = Measurement(list(counts), score)
    enough = totals.sum(axis=1) >= FEWEST_PAIRS
    (estimates,) = confidence_intervals([made], confidence=resampling.level, **resampling.drawn)
    rows = []
    left_out = []
    for table, total, estimate, known in zip(metrics, totals, estimates, enough, strict=True):
        choices_scored = int(total.sum())
        nothing = (math.nan, math.nan, math.nan)
        values = (estimate.value, estimate.low, estimate.high) if known else nothing
        missing = len(choices) - choices_scored
        reason = ""
        if not known:
            reason = f"scores both outputs of {choices_scored} of {counted(len(choices), 'choice')}"
        elif missing:
            share = percent(missing, len(choices))
            left_out.append((table.name, f"{counted(missing, 'choice')} ({share})"))
        rows.append(
            correlations.Correlation(
                table.name, "segment", statistic, *values, choices_scored, reason=reason
            )
        )
    remarks = [*_ties(metrics, totals, statistic), *correlations.left_out_remarks(left_out)]
    test = resampling.test or ("perm-inputs" if len(metrics) > 1 else "")
    p_values = None
    if test and enough.sum() > 1:
        p_values = np.full((len(metrics), len(metrics)), np.nan)
        used = np.flatnonzero(enough)
        p_values[np.ix_(used, used)] = _p_values(counts[used], score, TESTS[test], resampling)
        for a, b in combinations(used.tolist(), 2):
            unscored = np.isnan(differences[a]) | np.isnan(differences[b])
            if np.array_equal(np.isnan(differences[a]), np.isnan(differences[b])):
                continue
            # The choices of which both metrics score both outputs.
            shared = [np.where(unscored, np.nan, differences[m]) for m in (a, b)]
            both = np.stack([_counts(each, choices.item, segments) for each in shared])
            p_values[np.ix_((a, b), (a, b))] = _p_values(both, score, TESTS[test], resampling)
    return rows, p_values, test if p_values is not None else "", remarks


def _p_values(
    counts: Float64, score: Callable[[Float64], Float64], test: str, resampling: Resampling
) -> Float64:
    """Test all pairs of metrics, one-sided, by their counts, float64[M, S, 3]."""
    p_values = np.full((len(counts), len(counts)), np.nan)
    made = Measurement(list(counts), score)
    (found,) = paired_tests.compare([made], test=test, **resampling.drawn)
    for pair in found.pairs:
        half = pair.p_value / 2
        ahead = half if pair.difference > 0 else 1 - half
        p_values[pair.second, pair.first] = ahead
        p_values[pair.first, pair.second] = 1 - ahead
    return p_values


def _counts(differences: Float64, item: Int64, segments: int) -> Float64:
    """Count the choices of each segment that a metric shares, does not share, and ties: [S, 3]."""
    kinds = (differences > 0, differences < 0, differences == 0)
    return np.stack([np.bincount(item[kind], minlength=segments) for kind in kinds], axis=1).astype(
        np.float64
    )


def _score(statistic: str) -> Callable[[Float64], Float64]:
    """Return the coefficient as a function of counts: agreeing, disagreeing, tied."""

    def share(totals: Float64) -> Float64:
        shared = totals[..., 0] + (0.0 if statistic.endswith("strict") else totals[..., 2] / 2)
        pairs = totals.sum(axis=-1)
        return np.where(pairs > 0, shared / np.maximum(pairs, 1), 0.0)

    def tau(totals: Float64) -> Float64:
        counts = np.zeros((*totals.shape[:-1], 5), np.int64)
        counts[..., :3] = np.rint(totals)
        values = coefficients.taus(counts.reshape(-1, 5), statistic.removeprefix("kendall-"))
        return np.nan_to_num(values).reshape(totals.shape[:-1])

    return share if statistic.startswith("consistency") else tau


def _ties(metrics: Sequence[ScoreTable], totals: Float64, statistic: str) -> list[str]:
    """Say what ties of the metrics count, and what consistency would be if they counted less."""
    if not statistic.startswith("consistency"):
        return []
    strict = statistic.endswith("strict")
    other = _score("consistency" if strict else "consistency-strict")(totals)
    tied = [m for m in range(len(metrics)) if totals[m, 2] > 0]
    count = "a tie of the metric counts as wrong" if strict else "a tie of the metric counts half"
    if not tied:
        return [f"{count}, but no metric has one"]
    how = "as half right" if strict else "as wrong"
    each = ", ".join(f"{metrics[m].name} {number(float(other[m]))}" for m in tied)
    return [f"{count}; {how} it would be: {each}"]


# Is told of some work, of the steps that are done, and of all.
OnWork = Callable[[str, int, int], object]

METRIC_TESTS = ("perm-both", "perm-inputs", "perm-systems", "williams", "bootstrap")

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


@dataclass(frozen=True)
class Resampling:
    """How intervals and tests are made.

    Attributes
    ----------
    test : str, optional
        One of `METRIC_TESTS`; by default what fits.
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

    @property
    def drawn(self) -> dict[str, Any]:
        """How much is drawn, as the functions that draw take it."""
        return {"resamples": self.resamples, "seed": self.seed}

    def steps(self, work: str, number: int) -> OnProgress | None:
        """Return what is told how many steps of some work are done."""
        told = self.progress
        return None if told is None else lambda done: told(work, done, number)


@dataclass(frozen=True, eq=False)
class CorrelationInputs:
    """What metrics and people gave, in the form that a coefficient compares.

    Attributes
    ----------
    rows : sequence of Correlation
        One per metric, without intervals.
    scores : sequence of float64[n] or [n, S]
        What each metric gave, of the shape of `people`.
    people : float64[n] or [n, S]
    tables : sequence of ScoreTable
        The metrics whole.
    human : ScoreTable
    by : str
    """

    rows: Sequence[correlations.Correlation]
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
    def way(self) -> dict[str, Any]:
        """What is computed, as the functions of `wordorder.statistics` take it."""
        unit = "system" if self.of_systems else "segment"
        return {"statistic": self.statistic, "by": self.by or "none", "unit": unit}

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


def tested(compared: CorrelationInputs, resampling: Resampling) -> tuple[_Found, str]:
    """Add intervals to coefficients, and test all pairs of metrics.

    Returns what `pair_correlations` does, and "fisher", "bootstrap" or "" for the intervals.

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
    if known and name not in correlations.UNTESTED and (test == "bootstrap" or not fisher):
        try:
            samples = _resampled(compared, resampling)
        except UsageError as error:
            # Nobody asked for it: the coefficients are worth having without intervals.
            if resampling.over or resampling.test:
                raise
            return (rows, None, "", [f"no intervals and tests: {error}"]), ""
    if fisher:
        interval = "fisher"
        for m in known:
            low, high = critical_values.fisher_interval(
                rows[m].value, rows[m].n, resampling.level, FISHER[name]
            )
            rows[m] = replace(rows[m], low=low, high=high)
        if any(rows[m].low == rows[m].high for m in known):
            why = [*why, _NO_WIDTH]
    elif samples is not None:
        interval = "bootstrap"
        for m, drawn in zip(known, samples[1], strict=True):
            low, high = correlation_bootstrap.bootstrap_interval(drawn, level=resampling.level)
            rows[m] = replace(rows[m], low=low, high=high)
    if not test:
        return (rows, None, "", why), interval
    if test == "williams":
        p_of_pairs = _williams(compared)
    elif test == "bootstrap":
        assert samples is not None
        p_of_pairs = _bootstrapped(compared, resampling, samples)
    else:
        # Scores of segments, also where systems are compared.
        tables, scores = compared.tables, compared.scores
        p_of_pairs = permutation_p_values(
            [tables[m].segments if compared.of_systems else scores[m] for m in known],
            compared.people,
            swap=test.removeprefix("perm-"),
            **compared.way,
            **resampling.drawn,
            progress=resampling.steps("tests", len(known) * (len(known) - 1) // 2),
        )
        why = [*why, *_these_systems(compared, test), *_means_compared(compared, test)]
    p_values = np.full((len(rows), len(rows)), np.nan)
    p_values[np.ix_(known, known)] = p_of_pairs
    return (rows, p_values, test, why), interval


def _chosen_test(compared: CorrelationInputs, resampling: Resampling) -> tuple[str, list[str]]:
    """Return the test that fits, or none and why."""
    name, wanted = compared.statistic, resampling.test
    pearson_of_systems = name == "pearson" and compared.of_systems
    if len(compared.known) < 2:
        return "", []
    if name in correlations.UNTESTED:
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


def _these_systems(compared: CorrelationInputs, test: str) -> list[str]:
    """Say that a test of systems draws no systems, unless it does."""
    if not compared.of_systems or test == "perm-systems":
        return []
    return [
        f"{test} says which metric leads on other segments of these {len(compared.people)} "
        "systems; --test=perm-systems asks about other systems too"
    ]


def _means_compared(compared: CorrelationInputs, test: str) -> list[str]:
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


def _resampled(compared: CorrelationInputs, resampling: Resampling) -> tuple[Float64, Float64]:
    """Return the coefficients of the metrics that have one, and those on resamples."""
    over = resampling.over or "segments"
    people = compared.people
    given: list[Float64 | Measurement] = [compared.scores[m] for m in compared.known]
    if compared.of_systems and over != "systems":
        # Systems' scores change with the segments, as far as there are scores of segments.
        if compared.by_segment:
            tables = [compared.tables[m] for m in compared.known]
            given = [table.measurement or table.segments for table in tables]
        if compared.human.whole is None:
            people = compared.human.segments
    return correlation_bootstrap.bootstrap_coefficients(
        given,
        people,
        over=over,
        **compared.way,
        **resampling.drawn,
        progress=resampling.steps("intervals", resampling.resamples),
    )


def _bootstrapped(
    compared: CorrelationInputs, resampling: Resampling, samples: tuple[Float64, Float64]
) -> Float64:
    """Test all pairs of the metrics that have a value, each on the outputs that both score."""
    p_values = correlation_bootstrap.bootstrap_p_values(*samples)
    if compared.of_systems:
        return p_values
    scores = [compared.scores[m] for m in compared.known]
    rated = ~np.isnan(compared.people)
    for (a, first), (b, second) in combinations(enumerate(scores), 2):
        if not (np.isnan(first) != np.isnan(second))[rated].any():
            continue
        test = correlation_bootstrap.bootstrap_test(
            first,
            second,
            compared.people,
            **compared.way,
            over=resampling.over or "segments",
            level=resampling.level,
            **resampling.drawn,
        )
        p_values[a, b], p_values[b, a] = test.p_value, test.p_value_of_b
    return p_values


def _williams(compared: CorrelationInputs) -> Float64:
    """Test all pairs of the metrics that have a value."""
    known = compared.known
    p_values = np.full((len(known), len(known)), np.nan)
    for (a, first), (b, second) in combinations(enumerate(known), 2):
        between = coefficients.pearson(compared.scores[first], compared.scores[second])
        ours, theirs = compared.rows[first], compared.rows[second]
        p_values[a, b] = williams(ours.value, theirs.value, between, ours.n).p_value
        p_values[b, a] = williams(theirs.value, ours.value, between, ours.n).p_value
    return p_values
