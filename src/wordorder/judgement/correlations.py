"""What a meta-evaluation found: how well each metric agrees with people, and which is better."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
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

# The statistic of which the lower value is the better one.
_ERROR = "pce"

# Metrics against people that a notebook draws.
_DRAWN = 4


@dataclass(frozen=True)
class Correlation:
    """The agreement of one metric with people.

    Attributes
    ----------
    metric : str
    unit : "system", "document" or "segment"
    statistic : str
        The coefficient: "pearson", "kendall-b", "acc-eq", …
    value, low, high : float
        The coefficient and its interval; NaN if too little was judged, and `reason` says why.
    n : int
        How many systems, or how many pairs of scores, it rests on.
    cluster : int, optional
        From 1, the best; by the test each metric of a cluster is better than each of the next ones.
    reason : str
        Why there is no number; empty if there is one.
    threshold : float, optional
        Of acc-eq: differences of the metric up to it count as ties.
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
        Of judgements of pairs: for each system the share of its decided pairs that it won, for
        each system and segment the same within the segment.
    metrics : sequence of ScoreTable
        In the order of `rows`, the same systems as `human`; the higher score is the better one.
    rows : sequence of Correlation
        One per metric.
    p_values : float64[M, M], optional
        ``p_values[a, b]``: that metric a is not better than metric b; NaN on the diagonal and
        where there was no test.
    test : str
        Which test made them, such as "perm-both".
    by : "none", "item", "system" or ""
        How scores of segments were grouped; empty for systems and documents.
    interval : str
        How the intervals were made: "fisher" or "bootstrap".
    pairs : PairJudgements, optional
        The judgements, where people compared pairs.
    remarks : sequence of str
        What a reader should know of these numbers, a sentence each.
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
        """Draw the intervals of all metrics, the best first, or one metric against people.

        Between intervals, a broken line separates clusters of metrics. Against people, systems
        have their names; segments are dots, or counted in squares if there are many; what is better
        is on the right and above.

        Parameters
        ----------
        metric : str, optional

        Returns
        -------
        str
            One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
            equal text. Empty for a metric whose scores of documents are not known.

        Raises
        ------
        UsageError
            If there is no such metric.
        """
        if metric is not None:
            return self._against_people(metric)
        rows = [self.rows[place] for place in best_first(self.rows)]
        return interval_svg(
            [row.metric for row in rows],
            rows,
            title=f"{self.name}: {self.statistic} of each metric with people",
            groups=[row.cluster for row in rows],
        )

    def _against_people(self, metric: str) -> str:
        """Draw a metric against people."""
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
        """Return the scores of what is scored; None of documents whose scores are not known."""
        if self.unit == "system":
            return table.system_scores()
        if self.unit == "segment":
            return table.segments
        return None if self.human.documents is None else table.documents

    def _repr_html_(self) -> str:
        """Draw it in a notebook: the intervals, and folded the best metrics against people."""
        about = f"{self.name}: {self.statistic} of {self.unit}s, {self.human.name}"
        best = [self.rows[place].metric for place in best_first(self.rows)[:_DRAWN]]
        pictures = "\n".join(f"<div>{self.to_svg(metric)}</div>" for metric in best)
        return (
            f"<p>{escape(drawable(about))}</p>\n<div>{self.to_svg()}</div>\n"
            f"<details><summary>{escape(drawable(joined(best)))} against people</summary>\n"
            f"{pictures}\n</details>"
        )


@dataclass(frozen=True, eq=False)
class AverageCorrelations:
    """The mean over evaluation sets, under one unit and one statistic.

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
    """What `correlate` found.

    Attributes
    ----------
    sets : sequence of SetCorrelations
        One an evaluation set, unit and statistic, in the order that they were asked for.
    signatures : mapping of str to str
        The signature of each metric that was computed here, of whole systems and documents; by
        ``"SET: METRIC"`` where it is another on other sets.
    level : float
        The confidence of the intervals.
    averages : sequence of AverageCorrelations
        Over the sets, if there are several: one per unit and statistic.
    resamples, seed : int
        Of the intervals and tests that draw at random.
    segment_signatures : mapping of str to str
        The same of the scores of single segments.
    """

    sets: Sequence[SetCorrelations]
    signatures: Mapping[str, str] = field(default_factory=dict)
    level: float = 0.95
    averages: Sequence[AverageCorrelations] = ()
    resamples: int = 1000
    seed: int = 12345
    segment_signatures: Mapping[str, str] = field(default_factory=dict)

    def signature(self, metric: str, unit: str, name: str = "") -> str | None:
        """Return what computed a metric's scores of a unit on a set; None of stored scores."""
        signed = self.segment_signatures if unit == "segment" else self.signatures
        return signed.get(metric, signed.get(f"{name}: {metric}"))

    @property
    def shown_signatures(self) -> list[tuple[str, str]]:
        """Metrics that were computed here with their signatures, for each unit that is shown."""
        units = dict.fromkeys(each.unit for each in self.sets)
        found = [
            (metric, signature)
            for unit in units
            for metric in self.signatures
            if (signature := self.signature(metric, unit)) is not None
        ]
        return list(dict.fromkeys(found))

    def to_columns(self) -> dict[str, list[Any]]:
        """Return a row for each set, unit and metric, as columns; averages come last.

        Returns
        -------
        dict of str to list
            ``set`` ("mean" of averages), ``human``, ``metric``, ``unit``, ``statistic``, ``by``,
            ``value``, ``low``, ``high``, ``n``, ``cluster``, ``threshold``, ``test``, ``reason``:
            None where there is none.
        """
        return correlation_table(self).to_columns()

    def _repr_html_(self) -> str:
        """Draw all sets in a notebook."""
        return "\n".join(each._repr_html_() for each in self.sets)


def best_first(rows: Sequence[Correlation]) -> list[int]:
    """Return the places of rows: the best cluster first, in it the best value; NaN at the end.

    The highest value is the best one, but of a confidence error, "pce", the lowest.

    Examples
    --------
    >>> rows = [Correlation("a", "system", "pearson", value, 0, 1, 9) for value in (0.1, 0.9)]
    >>> best_first(rows)
    [1, 0]
    """

    def key(place: int) -> tuple[bool, float, float, int]:
        row = rows[place]
        cluster = math.inf if row.cluster is None else row.cluster
        loss = row.value if row.statistic == _ERROR else -row.value
        return math.isnan(row.value), cluster, loss, place

    return sorted(range(len(rows)), key=key)


def average_correlations(sets: Sequence[SetCorrelations]) -> tuple[AverageCorrelations, ...]:
    """Return the mean of each metric over the sets, one entry per unit and statistic.

    A metric that has no value on one of the sets has no mean: the others would be another
    question. The interval comes from those of the sets, which are independent: the mean ``m`` of k
    values has the lower bound ``m - sqrt(sum((value - low)^2)) / k``, and the upper one alike (Zou
    and Donner 2008).

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
    kinds = group_rows(((each.unit, each.statistic, each.by), each) for each in sets)
    averages = []
    for (unit, statistic, _), some in kinds.items():
        if len(some) > 1:
            metrics = dict.fromkeys(row.metric for each in some for row in each.rows)
            rows = [_mean(name, some) for name in metrics]
            averages.append(
                AverageCorrelations(unit, statistic, [each.name for each in some], rows)
            )
    return tuple(averages)


def _mean(metric: str, sets: Sequence[SetCorrelations]) -> Correlation:
    """Average one metric."""
    of_metric = (row for each in sets for row in each.rows if row.metric == metric)
    rows = [row for row in of_metric if not math.isnan(row.value)]
    first = sets[0]
    k = len(rows)
    if k < len(sets):
        reason = f"a number on {k} of {len(sets)} sets"
        nothing = (math.nan, math.nan, math.nan)
        return Correlation(metric, first.unit, first.statistic, *nothing, k, reason=reason)
    mean = math.fsum(row.value for row in rows) / k
    below = math.sqrt(sum((row.value - row.low) ** 2 for row in rows)) / k
    above = math.sqrt(sum((row.high - row.value) ** 2 for row in rows)) / k
    return Correlation(metric, first.unit, first.statistic, mean, mean - below, mean + above, k)


UNITS = ("system", "segment", "document")

# Of two scores of each output.
OF_SCORES = (
    *("pearson", "spearman", "kendall-a", "kendall-b", "kendall-c"),
    *("kendall-10", "kendall-13", "kendall-14", "kendall-17", "kendall-23"),
    *("accuracy", "acc-eq"),
)

# Of a score of each system, and the significance of its differences.
OF_SYSTEMS = ("spa", "pce")

# Of pairs of which people said which is better.
OF_PAIRS = ("consistency", "consistency-strict", "kendall-10", "kendall-13", "kendall-14")

STATISTICS = tuple(dict.fromkeys((*OF_SCORES, *OF_SYSTEMS, *OF_PAIRS)))

# Of pairs of a segment only whole segments can be drawn, or swapped between metrics.
PAIR_TESTS = ("perm-inputs", "bootstrap")

# These draw at random themselves, too often to be resampled.
UNTESTED = OF_SYSTEMS

# Short for the usual variant.
_SHORT = {"kendall": "kendall-b", "tau": "kendall-b", "acc_eq": "acc-eq"}


def chosen_statistic(name: str | None, unit: str, *, pairs: bool) -> str:
    """Return the name of a coefficient in full, or the usual one.

    The usual ones: Pearson for systems and documents; acc-eq for scores of segments; consistency,
    the share of people's choices that the metric shares, for pairs.

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
    whole = _SHORT.get(name, name)
    if whole not in STATISTICS:
        raise unknown_name("statistic", name, STATISTICS)
    legal = OF_PAIRS if of_pairs else (*OF_SCORES, *(OF_SYSTEMS if unit == "system" else ()))
    if whole not in legal:
        what = "pairs that people compared" if of_pairs else f"scores of {unit}s"
        how = "is not for"
        if whole in OF_PAIRS and not of_pairs:
            how = "is for segments of which people compared pairs of outputs, not for"
        raise UsageError(f"--statistic={name} {how} {what}; legal: {', '.join(legal)}")
    return whole


def check_choice(
    unit: str, statistic: str | None, by: str | None, test: str | None, *, pairs: bool
) -> None:
    """Raise a UsageError if coefficient, grouping or test cannot be combined with what is scored.

    Parameters
    ----------
    unit, statistic, by, test
        As `correlate` takes them.
    pairs : bool
        Whether people compared pairs of outputs of a segment.
    """
    name = chosen_statistic(statistic, unit, pairs=pairs)
    of_pairs = pairs and unit == "segment"
    if by is not None and (unit == "system" or of_pairs):
        what = "pairs that people compared" if of_pairs else "systems: they have one score each"
        raise UsageError(f"--by is not for {what}")
    if of_pairs and test is not None and test not in PAIR_TESTS:
        legal = " or ".join(PAIR_TESTS)
        raise UsageError(f"--test={test} is not for pairs that people compared: {legal}")
    if test == "williams" and (name, unit) != ("pearson", "system"):
        raise UsageError(f"--test=williams is for pearson of systems, not for {name} of {unit}s")
    if test is not None and name in UNTESTED:
        raise UsageError(f"--test={test} is not for {name}, which draws at random itself")


def chosen_grouping(by: str | None, unit: str, statistic: str, *, pairs: bool) -> str:
    """Return how scores of segments are grouped, unless told: by item where pairs are counted.

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


# What judgements of pairs are called among the human scores.
RANKINGS = "rankings"

# Systems that a message names.
_NAMED = 5


@dataclass(frozen=True, eq=False)
class HumanJudgements:
    """Human judgements of a set.

    Attributes
    ----------
    table : ScoreTable
        Of judgements of pairs: the share of its decided pairs that a system won.
    pairs : PairJudgements, optional
    """

    table: ScoreTable
    pairs: PairJudgements | None = None


def judged_by(given: EvaluationSet, human: str | None) -> HumanJudgements:
    """Return the human judgements: scores, or judgements of pairs if there are no scores."""
    pairs = given.rankings
    if pairs is not None and (human == RANKINGS or (human is None and not given.human)):
        return HumanJudgements(_wins(given, pairs), pairs)
    if pairs is not None and human is not None and human not in given.human:
        raise unknown_name(f"human score of {given.name}", human, [*given.human, RANKINGS])
    table = given.human_scores(human)
    if pairs is not None and human is None:
        note(f"{given.name}: people are {table.name}; --human={RANKINGS} takes the rankings")
    return HumanJudgements(table)


def _wins(given: EvaluationSet, pairs: PairJudgements) -> ScoreTable:
    """Return the share of its decided pairs that each system won, on each segment and in all."""
    every, size = pairs.expanded(), len(given.systems)
    number = {name: place for place, name in enumerate(given.systems)}
    system = np.array([number[name] for name in every.systems], np.int64)
    line = np.array([int(name) - 1 for name in every.items], np.int64)
    judged = line[every.item], system[every.first], system[every.second], every.outcome
    counts = wins_by_item(*judged, items=given.segments, systems=size)
    won = counts.reshape(-1, size, size)
    by_segment = ratio_of_wins(won).T.copy()
    return ScoreTable(RANKINGS, given.systems, by_segment, ratio_of_wins(won.sum(axis=0)))


def judged_systems(table: ScoreTable) -> list[str]:
    """Return the systems that people judged."""
    rated = ~np.isnan(table.segments).all(axis=1) | ~np.isnan(table.system_scores())
    if table.documents is not None:
        rated |= ~np.isnan(table.documents).all(axis=1)
    return [name for name, some in zip(table.systems, rated, strict=True) if some]


def matched(
    given: EvaluationSet,
    judged: HumanJudgements,
    tables: Sequence[ScoreTable],
    human_translations: bool,
) -> tuple[HumanJudgements, list[ScoreTable]]:
    """Keep the systems that people judged and a metric scored; name the others."""
    people = judged_systems(judged.table)
    left_out = [
        name for name in people if name in given.human_translations and not human_translations
    ]
    if left_out:
        note(
            f"{given.name}: left out {counted(len(left_out), 'human translation')} among the "
            f"systems: {joined(left_out[:_NAMED])} (--human-translations keeps them)"
        )
    scored = {name for table in tables for name in judged_systems(table)}
    kept = [name for name in people if name not in left_out and name in scored]
    unscored = [name for name in people if name not in left_out and name not in scored]
    if not kept:
        raise no_common_systems(given, people, "metrics scored", sorted(scored))
    if unscored:
        note(
            f"{given.name}: left out {counted(len(unscored), 'system')} of {len(people)} that "
            f"people judged, without output or score: {_some(unscored)}"
        )
    others = [name for name in given.systems if name not in people and name not in left_out]
    if others:
        note(
            f"{given.name}: nobody judged {counted(len(others), 'system')} of "
            f"{len(given.systems)}: {_some(others)}"
        )
    matched = [table.over(kept) for table in tables]
    pairs = None if judged.pairs is None else judged.pairs.of_systems(kept)
    return HumanJudgements(judged.table.of_systems(kept), pairs), matched


def no_common_systems(
    given: EvaluationSet, people: Sequence[str], others: str, names: Sequence[str]
) -> InputError:
    """Build the error for systems that people judged of which none is among the `others`."""
    if not people:
        return InputError(given.name, "people judged no system", "a human score that is a number")
    there = f"{others} {_some(names) or 'nothing'}"
    return InputError(
        given.name, f"people judged {_some(people)}, but {there}", "some systems in both"
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")


# More names are counted, not listed.
_NAMED_LEFT_OUT = 3


def left_out_remarks(gaps: Iterable[tuple[str, str]]) -> list[str]:
    """Say which metrics leave out how much.

    Parameters
    ----------
    gaps : pairs of a metric and what it leaves out

    Examples
    --------
    >>> left_out_remarks([("frs", "2 choices"), ("pet", "1 choice"), ("ulam", "2 choices")])
    ['frs and ulam leave out 2 choices', 'pet leaves out 1 choice']
    """
    metrics = group_rows((what, metric) for metric, what in gaps)
    remarks = []
    for what, names in metrics.items():
        listed = names
        if len(names) > _NAMED_LEFT_OUT:
            listed = [
                *names[: _NAMED_LEFT_OUT - 1],
                f"{len(names) - _NAMED_LEFT_OUT + 1} more metrics",
            ]
        verb = "leaves" if len(names) == 1 else "leave"
        remarks.append(f"{joined(listed)} {verb} out {what}")
    return remarks


def correlation_table(meta: MetaEvaluation) -> CorrelationTable:
    """Return everything, numbers not rounded."""
    results = [
        SetCoefficient(
            **_coefficient(row),
            set=one.name,
            human=one.human.name,
            by=one.by or None,
            test=one.test or None,
            interval=one.interval or None,
            signature=meta.signature(row.metric, row.unit, one.name),
        )
        for one in meta.sets
        for row in one.rows
    ]
    averages = [
        MeanCoefficient(**_coefficient(row), sets=tuple(mean.sets))
        for mean in meta.averages
        for row in mean.rows
    ]
    remarks = [
        Remark(set=one.name, unit=one.unit, remark=remark)
        for one in meta.sets
        for remark in one.remarks
    ]
    return CorrelationTable(
        level=meta.level,
        resamples=meta.resamples,
        seed=meta.seed,
        results=tuple(results),
        averages=tuple(averages),
        tests=tuple(test for one in meta.sets for test in _tests(one)),
        remarks=tuple(remarks),
    )


def _coefficient(row: Correlation) -> dict[str, Any]:
    return {**vars(row), "reason": row.reason or None}


def _tests(one: SetCorrelations) -> Iterator[MetricTest]:
    """Yield the tests of each two metrics."""
    if one.p_values is None:
        return
    for a, first in enumerate(one.rows):
        for b, second in enumerate(one.rows):
            if a != b:
                yield MetricTest(
                    set=one.name,
                    unit=one.unit,
                    statistic=one.statistic,
                    test=one.test,
                    a=first.metric,
                    b=second.metric,
                    p=float(one.p_values[a, b]),
                )
