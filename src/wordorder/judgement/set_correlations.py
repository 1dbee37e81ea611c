"""How well metrics agree with people on one evaluation set, under one unit and one statistic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wordorder.counts import counted, joined, number, percent
from wordorder.judgement.correlations import Correlation, SetCorrelations
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.judged_systems import Judged
from wordorder.judgement.judgements import FEW
from wordorder.judgement.left_out import left_out_remarks
from wordorder.judgement.pair_correlations import pair_correlations
from wordorder.judgement.score_table import ScoreTable
from wordorder.judgement.statistic_names import OF_SYSTEMS, chosen_grouping, chosen_statistic
from wordorder.judgement.tested_metrics import Compared, Resampling, tested
from wordorder.option_names import spoken
from wordorder.statistics.correlation.fisher import critical_correlation
from wordorder.statistics.correlation.named import coefficient
from wordorder.statistics.correlation.rank_agreement import LEAST_DIFFERENCE
from wordorder.statistics.correlation_tests.metric_clusters import metric_clusters
from wordorder.types import Float64

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
    judged: Judged,
    metrics: Sequence[ScoreTable],
    resampling: Resampling,
    *,
    unit: str,
    statistic: str | None,
    by: str | None,
) -> SetCorrelations:
    """Correlate metrics with people on one set.

    Parameters
    ----------
    given : EvaluationSet
    judged : Judged
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
    name = chosen_statistic(statistic, unit, pairs=pairs)
    grouping = chosen_grouping(by, unit, name, pairs=pairs)
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
        compared = tested(Compared(rows, scores, people, tables, human, grouping), resampling)
        rows, p_values, interval = compared.rows, compared.p_values, compared.interval
        test, remarks = compared.test, compared.remarks
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
    return SetCorrelations(
        given.name,
        unit,
        name,
        human,
        tables,
        rows,
        p_values,
        test,
        grouping,
        interval,
        judged.pairs,
        remarks,
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
    metric: str,
    scores: Float64,
    people: Float64,
    unit: str,
    statistic: str,
    by: str,
    seed: int,
) -> Correlation:
    """Compute one coefficient, or say why there is none."""
    rated = ~np.isnan(people)
    both = rated & ~np.isnan(scores)
    n, all_rated = int(both.sum()), int(rated.sum())
    whole = unit == "system" and people.ndim == 1
    noun = "system" if whole else f"rated {'output' if unit != 'document' else 'document'}"
    missing = f"scores {n} of {counted(all_rated, noun)}"
    nothing = Correlation(metric, unit, statistic, math.nan, math.nan, math.nan, n)
    if n < (FEWEST_SYSTEMS if whole else FEWEST_OUTPUTS):
        least = counted(FEWEST_SYSTEMS if whole else FEWEST_OUTPUTS, noun)
        return replace(nothing, reason=f"{missing}; at least {least} are needed")
    if whole and n < all_rated:
        # Another set of systems is another question.
        return replace(nothing, reason=missing)
    # A constant has p-values too, which depend on nothing but the order of the systems.
    constant = statistic in OF_SYSTEMS and _constant(scores[both])
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
        return f"people's scores of no two of them differ by {LEAST_DIFFERENCE:g} or more"
    return "no pair of them can be compared"


def _constant(scores: Float64) -> bool:
    return bool(len(scores)) and bool((scores == scores[0]).all())


def _all_tied(people: Float64, by: str, rows: Sequence[Correlation]) -> list[str]:
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
    least = critical_correlation(systems, level, family)
    symbol = {"pearson": "r", "spearman": "rho", "kendall": "tau"}[family]
    if math.isinf(least):
        return [f"with {systems} systems no {symbol} differs from 0 ({100 * level:g} %)"]
    # With 3 systems .997: two digits would round it up to 1.
    digits = 2 if least < 0.995 else 4
    shown = f"{least:.{digits}f}".lstrip("0") if least < 1 else "1"
    sign = ">" if family == "pearson" else ">="
    return [
        f"with {systems} systems only |{symbol}| {sign} {shown} differs from 0 ({100 * level:g} %)"
    ]


def _few_columns(people: Float64, unit: str) -> list[str]:
    """Say what comes of drawing from few segments or documents."""
    rated = int((~np.isnan(people)).any(axis=0).sum())
    if rated >= FEW:
        return []
    drawn = counted(rated, "document" if unit == "document" else "segment")
    return [f"{drawn}: resamples of so few differ too little, so intervals are too narrow"]


def _backwards(rows: Sequence[Correlation], metrics: Sequence[ScoreTable]) -> list[str]:
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
    return left_out_remarks(gaps)
