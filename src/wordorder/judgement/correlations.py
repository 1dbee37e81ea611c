"""Results of a meta-evaluation: how well each metric agrees with human judgements."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import permutations
from typing import Any

import numpy as np

from wordorder.arrays import Float64, group_rows
from wordorder.drawing.plots import interval_svg, scatter_svg
from wordorder.drawing.trees import drawable, shortened
from wordorder.errors import InputError, UsageError, unknown_name
from wordorder.judgement.correlation_table import (
    CorrelationTable,
    MeanCoefficient,
    MetricTest,
    Remark,
    SetCoefficient,
)
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.judgements import PairJudgements
from wordorder.judgement.score_table import ScoreTable
from wordorder.messages import counted, joined
from wordorder.notes import note
from wordorder.statistics.ranking_models import ratio_of_wins, wins_by_item

UNITS = ("system", "segment", "document")

# Statistics that compare two scores of each output.
SCORE_STATISTICS = (
    *("pearson", "spearman", "kendall-a", "kendall-b", "kendall-c"),
    *("kendall-10", "kendall-13", "kendall-14", "kendall-17", "kendall-23"),
    *("accuracy", "acc-eq"),
)

# Statistics that compare the p-values of the differences between systems. They draw at random
# themselves, which takes too long to be resampled for intervals and tests.
P_VALUE_STATISTICS = ("spa", "pce")

# Statistics of pairs of outputs of which people chose the better one.
PAIR_STATISTICS = ("consistency", "consistency-strict", "kendall-10", "kendall-13", "kendall-14")

STATISTICS = tuple(dict.fromkeys((*SCORE_STATISTICS, *P_VALUE_STATISTICS, *PAIR_STATISTICS)))

# Tests for human choices between two outputs; they draw or swap whole segments.
PAIR_TESTS = ("perm-inputs", "bootstrap")

# The human score that stands for judgements of pairs.
RANKINGS = "rankings"

# Largest number of systems or metrics named in a message.
MAX_NAMED = 5

# Largest number of metrics named in a remark on omissions.
_MAX_METRICS_NAMED = 3

# The statistic that is better if lower.
_CONFIDENCE_ERROR = "pce"

_STATISTIC_ALIASES = {"kendall": "kendall-b", "tau": "kendall-b", "acc_eq": "acc-eq"}

# Number of metrics plotted against human scores in a notebook.
_MAX_PLOTS = 4


@dataclass(frozen=True)
class Correlation:
    """The agreement of one metric with human judgements.

    Attributes
    ----------
    metric : str
    unit : "system", "document" or "segment"
    statistic : str
        The coefficient: "pearson", "kendall-b", "acc-eq", …
    value, low, high : float
        The coefficient and its interval; NaN if too little was judged, see `reason`.
    n : int
        The number of systems, or of pairs of scores, that the coefficient is computed from.
    cluster : int, optional
        From 1, the best; each metric of a cluster is significantly better than each metric of the
        later clusters.
    reason : str
        Why `value` is NaN; empty if it is a number.
    threshold : float, optional
        For acc-eq: metric differences up to it count as ties.
    """

    metric: str
    unit: str
    statistic: str
    value: float
    low: float
    high: float
    n: int
    cluster: int | None = None
    reason: str = ""
    threshold: float | None = None


@dataclass(frozen=True, eq=False)
class SetCorrelations:
    """The metrics on one evaluation set, under one unit and one statistic.

    Attributes
    ----------
    name : str
        The evaluation set, such as "wmt13 de-en".
    unit, statistic : str
    human : ScoreTable
        For judgements of pairs, the score of a system is the share of its decided pairs that it
        won: on each segment, and on all.
    metrics : sequence of ScoreTable
        One per row of `rows`, with the systems of `human`; higher scores are better.
    rows : sequence of Correlation
        One per metric.
    p_values : float64[M, M], optional
        ``p_values[a, b]`` tests that metric a is better than metric b, one-sided; NaN on the
        diagonal and for pairs that were not tested.
    test : str
        The test, such as "perm-both".
    by : "none", "item", "system" or ""
        How scores of segments were grouped; empty for systems and documents.
    interval : str
        How the intervals were computed: "fisher" or "bootstrap".
    pairs : PairJudgements, optional
        The judgements, if people compared pairs of outputs.
    remarks : sequence of str
        Cautions about these numbers, one sentence each.
    """

    name: str
    unit: str
    statistic: str
    human: ScoreTable
    metrics: Sequence[ScoreTable]
    rows: Sequence[Correlation]
    p_values: Float64 | None = None
    test: str = ""
    by: str = ""
    interval: str = ""
    pairs: PairJudgements | None = None
    remarks: Sequence[str] = ()

    def to_svg(self, metric: str | None = None) -> str:
        """Draw the intervals of all metrics, the best first, or one metric against human scores.

        A broken line separates clusters of metrics. Against human scores, systems are labelled;
        segments are dots, or are counted in squares if there are many; better scores are to the
        right and higher.

        Parameters
        ----------
        metric : str, optional
            The metric to plot against human scores.

        Returns
        -------
        str
            One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
            equal text. Empty if the metric has no scores of documents and `unit` is "document".

        Raises
        ------
        UsageError
            If there is no such metric.
        """
        if metric is not None:
            return self._plot_against_human_scores(metric)
        rows = [self.rows[index] for index in best_first(self.rows)]
        return interval_svg(
            [row.metric for row in rows],
            rows,
            title=f"{self.name}: {self.statistic} of each metric with people",
            groups=[row.cluster for row in rows],
        )

    def _plot_against_human_scores(self, metric: str) -> str:
        names = [row.metric for row in self.rows]
        if metric not in names:
            raise unknown_name("metric", metric, names)
        human, scores = self.human, self.metrics[names.index(metric)]
        labels = {
            "across_label": f"{shortened(metric)} (negated)" if scores.negated else metric,
            "up_label": human.name if self.pairs is None else f"{human.name}: share won",
            "title": f"{self.name}: {metric} and {human.name}, {self.unit}s",
        }
        across, up = self.scores_of(scores), self.scores_of(human)
        if across is None or up is None:
            return ""
        systems = human.systems if self.unit == "system" else None
        return scatter_svg(across.ravel(), up.ravel(), systems, **labels)

    def scores_of(self, table: ScoreTable) -> Float64 | None:
        """Return the scores of the units in a table; None for documents without scores."""
        if self.unit == "system":
            return table.system_scores()
        if self.unit == "segment":
            return table.segments
        return None if self.human.documents is None else table.documents

    def _repr_html_(self) -> str:
        """Draw the intervals in a notebook, and, folded, the best metrics against human scores."""
        title = f"{self.name}: {self.statistic} of {self.unit}s, {self.human.name}"
        best = [self.rows[index].metric for index in best_first(self.rows)[:_MAX_PLOTS]]
        pictures = "\n".join(f"<div>{self.to_svg(metric)}</div>" for metric in best)
        return (
            f"<p>{escape(drawable(title))}</p>\n<div>{self.to_svg()}</div>\n"
            f"<details><summary>{escape(drawable(joined(best)))} against people</summary>\n"
            f"{pictures}\n</details>"
        )


@dataclass(frozen=True, eq=False)
class AverageCorrelations:
    """Mean correlations over evaluation sets, under one unit and one statistic.

    Attributes
    ----------
    unit, statistic : str
    sets : sequence of str
        The names of the sets.
    rows : sequence of Correlation
        One per metric; `n` is the number of sets that have a value for it.
    """

    unit: str
    statistic: str
    sets: Sequence[str]
    rows: Sequence[Correlation]


@dataclass(frozen=True, eq=False)
class MetaEvaluation:
    """The result of `correlate`.

    Attributes
    ----------
    sets : sequence of SetCorrelations
        One per evaluation set, unit and statistic, in the order of the arguments.
    signatures : mapping of str to str
        Signatures of the computed metrics, for scores of systems and documents. The keys are
        metrics, or ``"SET: METRIC"`` if the signature differs between sets.
    level : float
        The confidence of the intervals.
    averages : sequence of AverageCorrelations
        Means over the sets, if there are several: one per unit and statistic.
    resamples, seed : int
        Used by the intervals and tests that draw at random.
    segment_signatures : mapping of str to str
        As `signatures`, for scores of segments.
    """

    sets: Sequence[SetCorrelations]
    signatures: Mapping[str, str] = field(default_factory=dict)
    level: float = 0.95
    averages: Sequence[AverageCorrelations] = ()
    resamples: int = 1000
    seed: int = 12345
    segment_signatures: Mapping[str, str] = field(default_factory=dict)

    def signature(self, metric: str, unit: str, name: str = "") -> str | None:
        """Return the signature of a metric's scores on set `name`; None if they were stored."""
        signatures = self.segment_signatures if unit == "segment" else self.signatures
        return signatures.get(metric, signatures.get(f"{name}: {metric}"))

    @property
    def shown_signatures(self) -> list[tuple[str, str]]:
        """The computed metrics with their signatures, for each unit in the results."""
        pairs = [
            (metric, signature)
            for unit in dict.fromkeys(result.unit for result in self.sets)
            for metric in self.signatures
            if (signature := self.signature(metric, unit)) is not None
        ]
        return list(dict.fromkeys(pairs))

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per set, unit and metric, as columns; averages come last.

        Returns
        -------
        dict of str to list
            ``set`` ("mean" for averages), ``human``, ``metric``, ``unit``, ``statistic``, ``by``,
            ``value``, ``low``, ``high``, ``n``, ``cluster``, ``threshold``, ``test``, ``reason``.
            A missing value is None.
        """
        return correlation_table(self).to_columns()

    def _repr_html_(self) -> str:
        """Draw all sets in a notebook."""
        return "\n".join(result._repr_html_() for result in self.sets)


def best_first(rows: Sequence[Correlation]) -> list[int]:
    """Return row indices sorted by cluster, then by value, the best first; NaN comes last.

    The highest value is the best, except for "pce", an error.

    Examples
    --------
    >>> rows = [Correlation("a", "system", "pearson", value, 0, 1, 9) for value in (0.1, 0.9)]
    >>> best_first(rows)
    [1, 0]
    """

    def key(index: int) -> tuple[bool, float, float, int]:
        row = rows[index]
        cluster = math.inf if row.cluster is None else row.cluster
        loss = row.value if row.statistic == _CONFIDENCE_ERROR else -row.value
        return math.isnan(row.value), cluster, loss, index

    return sorted(range(len(rows)), key=key)


def average_correlations(sets: Sequence[SetCorrelations]) -> tuple[AverageCorrelations, ...]:
    """Return the mean of each metric over the sets, one entry per unit and statistic.

    A metric without a value on one of the sets has no mean, since it would average over other sets
    than those of the other metrics. The intervals of the sets, which are independent, give that of
    the mean ``m`` of k values: its lower bound is ``m - sqrt(sum((value - low)^2)) / k``, its upper
    bound ``m + sqrt(sum((high - value)^2)) / k`` (Zou and Donner 2008).

    Examples
    --------
    >>> from wordorder.judgement import ScoreTable
    >>> import numpy as np
    >>> people = ScoreTable("people", ("A",), np.zeros((1, 1)))
    >>> result = [
    ...     SetCorrelations(name, "system", "pearson", people, [people],
    ...                     [Correlation("frs", "system", "pearson", value, value - .3, 1, 9)])
    ...     for name, value in (("de-en", .5), ("fr-en", .7))
    ... ]
    >>> (row,) = average_correlations(result)[0].rows
    >>> round(row.value, 3), round(row.low, 3), row.n
    (0.6, 0.388, 2)
    """
    groups = group_rows(((result.unit, result.statistic, result.by), result) for result in sets)
    return tuple(
        AverageCorrelations(
            unit,
            statistic,
            [result.name for result in results],
            [
                _mean(metric, results)
                for metric in dict.fromkeys(row.metric for result in results for row in result.rows)
            ],
        )
        for (unit, statistic, _), results in groups.items()
        if len(results) > 1
    )


def _mean(metric: str, sets: Sequence[SetCorrelations]) -> Correlation:
    """Average one metric over the sets."""
    metric_rows = (row for result in sets for row in result.rows if row.metric == metric)
    rows = [row for row in metric_rows if not math.isnan(row.value)]
    unit, statistic = sets[0].unit, sets[0].statistic
    k = len(rows)
    if k < len(sets):
        reason = f"a number on {k} of {len(sets)} sets"
        return Correlation(metric, unit, statistic, *(math.nan,) * 3, k, reason=reason)
    mean = math.fsum(row.value for row in rows) / k
    below = math.sqrt(sum((row.value - row.low) ** 2 for row in rows)) / k
    above = math.sqrt(sum((row.high - row.value) ** 2 for row in rows)) / k
    return Correlation(metric, unit, statistic, mean, mean - below, mean + above, k)


def chosen_statistic(name: str | None, unit: str, *, pairs: bool) -> str:
    """Return the full name of a coefficient, or the default one.

    The defaults: Pearson for systems and documents; acc-eq for scores of segments; for pairs
    consistency, the share of human choices that the metric agrees with.

    Parameters
    ----------
    name : str or None
    unit : "system", "segment" or "document"
    pairs : bool
        Whether people compared pairs of outputs of a segment.

    Raises
    ------
    UsageError
        If there is no such coefficient, or it cannot be combined with the judgements.

    Examples
    --------
    >>> chosen_statistic(None, "segment", pairs=False), chosen_statistic("kendall", "system",
    ...                                                                  pairs=True)
    ('acc-eq', 'kendall-b')
    """
    of_pairs = pairs and unit == "segment"
    if name is None:
        if of_pairs:
            return "consistency"
        return "acc-eq" if unit == "segment" else "pearson"
    full_name = _STATISTIC_ALIASES.get(name, name)
    if full_name not in STATISTICS:
        raise unknown_name("statistic", name, STATISTICS)
    allowed: tuple[str, ...] = PAIR_STATISTICS if of_pairs else SCORE_STATISTICS
    if unit == "system":
        allowed += P_VALUE_STATISTICS
    if full_name not in allowed:
        judged = "pairs that people compared" if of_pairs else f"scores of {unit}s"
        problem = "is not for"
        if full_name in PAIR_STATISTICS and not of_pairs:
            problem = "is for segments of which people compared pairs of outputs, not for"
        raise UsageError(f"--statistic={name} {problem} {judged}; legal: {', '.join(allowed)}")
    return full_name


@dataclass(frozen=True)
class CoefficientChoice:
    """The coefficient, grouping and test that the caller chose; None for a default.

    Attributes
    ----------
    statistic, by, test : str, optional
        See `correlate`.
    """

    statistic: str | None = None
    by: str | None = None
    test: str | None = None


def check_choice(choice: CoefficientChoice, unit: str, *, pairs: bool) -> None:
    """Refuse a coefficient, grouping or test that does not apply to the unit scored.

    Parameters
    ----------
    choice : CoefficientChoice
    unit : "system", "segment" or "document"
    pairs : bool
        Whether people compared pairs of outputs of a segment.

    Raises
    ------
    UsageError
    """
    test = choice.test
    name = chosen_statistic(choice.statistic, unit, pairs=pairs)
    of_pairs = pairs and unit == "segment"
    if choice.by is not None and (unit == "system" or of_pairs):
        judged = "pairs that people compared" if of_pairs else "systems: they have one score each"
        raise UsageError(f"--by is not for {judged}")
    if of_pairs and test is not None and test not in PAIR_TESTS:
        allowed = " or ".join(PAIR_TESTS)
        raise UsageError(f"--test={test} is not for pairs that people compared: {allowed}")
    if test == "williams" and (name, unit) != ("pearson", "system"):
        raise UsageError(f"--test=williams is for pearson of systems, not for {name} of {unit}s")
    if test is not None and name in P_VALUE_STATISTICS:
        raise UsageError(f"--test={test} is not for {name}, which draws at random itself")


def chosen_grouping(by: str | None, unit: str, statistic: str, *, pairs: bool) -> str:
    """Return how scores of segments are grouped: `by`, or the default of the statistic.

    The default is "none" for Pearson and Spearman, and "item" for statistics that count pairs;
    "" if there is nothing to group.

    Examples
    --------
    >>> chosen_grouping(None, "segment", "acc-eq", pairs=False)
    'item'
    """
    if unit == "system" or (pairs and unit == "segment"):
        return ""
    if by is not None:
        return by
    return "none" if statistic in ("pearson", "spearman") else "item"


@dataclass(frozen=True, eq=False)
class HumanJudgements:
    """Human judgements of a set.

    Attributes
    ----------
    table : ScoreTable
        For judgements of pairs, the score of a system is the share of its decided pairs that it
        won.
    pairs : PairJudgements, optional
    """

    table: ScoreTable
    pairs: PairJudgements | None = None


def select_judgements(evaluation_set: EvaluationSet, human: str | None) -> HumanJudgements:
    """Return the judgements called `human`; by default scores, or else judgements of pairs."""
    pairs = evaluation_set.rankings
    if pairs is not None and (human == RANKINGS or (human is None and not evaluation_set.human)):
        return HumanJudgements(_win_ratios(evaluation_set, pairs), pairs)
    if pairs is not None and human is not None and human not in evaluation_set.human:
        raise unknown_name(
            f"human score of {evaluation_set.name}", human, [*evaluation_set.human, RANKINGS]
        )
    table = evaluation_set.human_scores(human)
    if pairs is not None and human is None:
        note(
            f"{evaluation_set.name}: people are {table.name}; --human={RANKINGS} takes the rankings"
        )
    return HumanJudgements(table)


def _win_ratios(evaluation_set: EvaluationSet, pairs: PairJudgements) -> ScoreTable:
    """Return the share of its decided pairs that each system won, on each segment and on all."""
    pairs, size = pairs.expanded(), len(evaluation_set.systems)
    system_index = {name: index for index, name in enumerate(evaluation_set.systems)}
    system = np.array([system_index[name] for name in pairs.systems], np.int64)
    segment = np.array([int(name) - 1 for name in pairs.items], np.int64)
    judged = segment[pairs.item], system[pairs.first], system[pairs.second], pairs.outcome
    wins = wins_by_item(*judged, items=evaluation_set.segments, systems=size).reshape(
        -1, size, size
    )
    by_segment = ratio_of_wins(wins).T.copy()
    return ScoreTable(RANKINGS, evaluation_set.systems, by_segment, ratio_of_wins(wins.sum(axis=0)))


def judged_systems(table: ScoreTable) -> list[str]:
    """Return the systems that people judged."""
    rated = ~np.isnan(table.segments).all(axis=1) | ~np.isnan(table.system_scores())
    if table.documents is not None:
        rated |= ~np.isnan(table.documents).all(axis=1)
    return [name for name, is_rated in zip(table.systems, rated, strict=True) if is_rated]


def keep_common_systems(
    evaluation_set: EvaluationSet,
    judged: HumanJudgements,
    tables: Sequence[ScoreTable],
    human_translations: bool,
) -> tuple[HumanJudgements, list[ScoreTable]]:
    """Keep the systems that people judged and a metric scored, and note the others.

    Human translations are kept only with `human_translations`.
    """
    judged_names = judged_systems(judged.table)
    left_out = [
        name
        for name in judged_names
        if name in evaluation_set.human_translations and not human_translations
    ]
    if left_out:
        note(
            f"{evaluation_set.name}: left out {counted(len(left_out), 'human translation')} among "
            f"the systems: {joined(left_out[:MAX_NAMED])} (--human-translations keeps them)"
        )
    scored = {name for table in tables for name in judged_systems(table)}
    common = [name for name in judged_names if name not in left_out and name in scored]
    unscored = [name for name in judged_names if name not in left_out and name not in scored]
    if not common:
        raise no_common_systems(evaluation_set, judged_names, "metrics scored", sorted(scored))
    if unscored:
        note(
            f"{evaluation_set.name}: left out {counted(len(unscored), 'system')} of "
            f"{len(judged_names)} that people judged, without output or score: "
            f"{_first_names(unscored)}"
        )
    unjudged = [name for name in evaluation_set.systems if name not in judged_names]
    if unjudged:
        note(
            f"{evaluation_set.name}: nobody judged {counted(len(unjudged), 'system')} of "
            f"{len(evaluation_set.systems)}: {_first_names(unjudged)}"
        )
    pairs = None if judged.pairs is None else judged.pairs.of_systems(common)
    common_judgements = HumanJudgements(judged.table.of_systems(common), pairs)
    return common_judgements, [table.over(common) for table in tables]


def no_common_systems(
    evaluation_set: EvaluationSet, judged: Sequence[str], have: str, names: Sequence[str]
) -> InputError:
    """Build the error for judged systems that are not in `names`; `have` introduces the names."""
    if not judged:
        return InputError(
            evaluation_set.name, "people judged no system", "a human score that is a number"
        )
    problem = f"people judged {_first_names(judged)}, but {have} {_first_names(names) or 'nothing'}"
    return InputError(evaluation_set.name, problem, "some systems in both")


def _first_names(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMED]) + (", ..." if len(names) > MAX_NAMED else "")


def left_out_remarks(gaps: Iterable[tuple[str, str]]) -> list[str]:
    """Write one remark per amount left out, with the metrics that leave it out.

    Parameters
    ----------
    gaps : pairs (metric, amount)

    Examples
    --------
    >>> left_out_remarks([("frs", "2 choices"), ("pet", "1 choice"), ("ulam", "2 choices")])
    ['frs and ulam leave out 2 choices', 'pet leaves out 1 choice']
    """
    remarks = []
    for amount, names in group_rows((amount, metric) for metric, amount in gaps).items():
        verb = "leaves" if len(names) == 1 else "leave"
        if len(names) > _MAX_METRICS_NAMED:
            unnamed = len(names) - _MAX_METRICS_NAMED + 1
            names = [*names[: _MAX_METRICS_NAMED - 1], f"{unnamed} more metrics"]
        remarks.append(f"{joined(names)} {verb} out {amount}")
    return remarks


def correlation_table(meta: MetaEvaluation) -> CorrelationTable:
    """Return all results as records; numbers are not rounded."""
    results = [
        SetCoefficient(
            **_coefficient(row),
            set=result.name,
            human=result.human.name,
            by=result.by or None,
            test=result.test or None,
            interval=result.interval or None,
            signature=meta.signature(row.metric, row.unit, result.name),
        )
        for result in meta.sets
        for row in result.rows
    ]
    averages = [
        MeanCoefficient(**_coefficient(row), sets=tuple(mean.sets))
        for mean in meta.averages
        for row in mean.rows
    ]
    remarks = [
        Remark(set=result.name, unit=result.unit, remark=remark)
        for result in meta.sets
        for remark in result.remarks
    ]
    return CorrelationTable(
        level=meta.level,
        resamples=meta.resamples,
        seed=meta.seed,
        results=tuple(results),
        averages=tuple(averages),
        tests=tuple(test for result in meta.sets for test in _metric_tests(result)),
        remarks=tuple(remarks),
    )


def _coefficient(row: Correlation) -> dict[str, Any]:
    return {**vars(row), "reason": row.reason or None}


def _metric_tests(result: SetCorrelations) -> Iterator[MetricTest]:
    """Yield the test of each ordered pair of metrics."""
    if result.p_values is None:
        return
    for (a, first), (b, second) in permutations(enumerate(result.rows), 2):
        yield MetricTest(
            set=result.name,
            unit=result.unit,
            statistic=result.statistic,
            test=result.test,
            a=first.metric,
            b=second.metric,
            p=float(result.p_values[a, b]),
        )
