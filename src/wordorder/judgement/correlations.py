"""What a meta-evaluation found: how well each metric agrees with people, and which is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wordorder.judgement.score_table import ScoreTable
from wordorder.types import Float64


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
        From 1, the best; metrics in one cluster are not told apart by the test.
    reason : str
        Why there is no number; empty if there is one.
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


@dataclass(frozen=True, eq=False)
class SetCorrelations:
    """The metrics on one evaluation set, under one unit and one statistic.

    Attributes
    ----------
    name : str
        The evaluation set, such as "wmt13 de-en".
    unit, statistic : str
    human : ScoreTable
    metrics : sequence of ScoreTable
        In the order of `rows`.
    rows : sequence of Correlation
        One a metric.
    p_values : float64[M, M], optional
        ``p_values[a, b]``: that metric a is not better than metric b; NaN on the diagonal.
    test : str
        Which test made them, such as "perm-both".
    """

    name: str
    unit: str
    statistic: str
    human: ScoreTable
    metrics: Sequence[ScoreTable]
    rows: Sequence[Correlation]
    p_values: Float64 | None = None
    test: str = ""


@dataclass(frozen=True, eq=False)
class MetaEvaluation:
    """What `correlate` found.

    Attributes
    ----------
    sets : sequence of SetCorrelations
        One an evaluation set, unit and statistic, in the order that they were asked for.
    signatures : mapping of str to str
        The signature of each metric that was computed here.
    level : float
        The confidence of the intervals.
    """

    sets: Sequence[SetCorrelations]
    signatures: Mapping[str, str] = field(default_factory=dict)
    level: float = 0.95
