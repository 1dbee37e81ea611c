"""What a meta-evaluation found: how well each metric agrees with people, and which is better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from wordorder.counts import joined
from wordorder.drawing.interval_svg import interval_svg
from wordorder.drawing.scatter_svg import scatter_svg
from wordorder.drawing.tree_labels import drawable, shortened
from wordorder.errors import unknown_name
from wordorder.judgement.score_table import ScoreTable
from wordorder.scoring.result_columns import columns, number_or_none
from wordorder.types import Float64

if TYPE_CHECKING:
    from wordorder.judgement.pair_judgements import PairJudgements

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
        One a metric.
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
        if self.unit == "system":
            systems = human.systems
            return scatter_svg(scores.system_scores(), human.system_scores(), systems, **labels)
        if self.unit == "segment":
            return scatter_svg(scores.segments.ravel(), human.segments.ravel(), **labels)
        if human.documents is None or scores.documents is None:
            return ""
        return scatter_svg(scores.documents.ravel(), human.documents.ravel(), **labels)

    def _repr_html_(self) -> str:
        """Draw it in a notebook: the intervals, and folded the best metrics against people."""
        about = f"{self.name}: {self.statistic} of {self.unit}s, {self.human.name}"
        best = [self.rows[place].metric for place in best_first(self.rows)[:_DRAWN]]
        parts = [
            f"<p>{escape(drawable(about))}</p>",
            f"<div>{self.to_svg()}</div>",
            f"<details><summary>{escape(drawable(joined(best)))} against people</summary>",
            *(f"<div>{self.to_svg(metric)}</div>" for metric in best),
            "</details>",
        ]
        return "\n".join(parts)


@dataclass(frozen=True, eq=False)
class AverageCorrelations:
    """The mean over evaluation sets, under one unit and one statistic.

    Attributes
    ----------
    unit, statistic : str
    sets : sequence of str
        The names of the sets.
    rows : sequence of Correlation
        One a metric; `n` is the number of sets that have a value for it.
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
        The signature of each metric that was computed here, of whole systems and documents.
    level : float
        The confidence of the intervals.
    averages : sequence of AverageCorrelations
        Over the sets, if there are several: one a unit and statistic.
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

    def signature(self, metric: str, unit: str) -> str | None:
        """Return what computed a metric's scores of a unit; None of stored scores."""
        signed = self.segment_signatures if unit == "segment" else self.signatures
        return signed.get(metric)

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
        header = [
            *("set", "human", "metric", "unit", "statistic", "by", "value", "low", "high", "n"),
            *("cluster", "threshold", "test", "reason"),
        ]
        rows: list[list[Any]] = [
            [
                *(each.name, each.human.name, row.metric, row.unit, row.statistic),
                *(each.by or None, *map(number_or_none, (row.value, row.low, row.high)), row.n),
                *(row.cluster, row.threshold, each.test or None, row.reason or None),
            ]
            for each in self.sets
            for row in each.rows
        ]
        rows += [
            [
                *("mean", None, row.metric, row.unit, row.statistic, None),
                *(*map(number_or_none, (row.value, row.low, row.high)), row.n, None, None),
                *(None, row.reason or None),
            ]
            for mean in self.averages
            for row in mean.rows
        ]
        return columns(header, rows)

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
