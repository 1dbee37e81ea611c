"""What `correlate` prints: coefficients, their means over sets, and the tests of metrics."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.records import Columns, Record, key


@dataclass(frozen=True, kw_only=True)
class SetCoefficient(Record):
    """The agreement of a metric with people on a set."""

    set: str = key("the evaluation set")
    human: str = key("the human score")
    metric: str = key("the metric's name")
    unit: str = key("`system`, `segment` or `document`")
    statistic: str = key("the coefficient")
    by: str | None = key(
        "how scores of segments were grouped: `none`, `item` or `system`; `null` for other units"
    )
    value: float = key("its value", null=True)
    low: float = key("the lower end of its interval", null=True)
    high: float = key("the upper end", null=True)
    n: int = key("how many systems, outputs, or choices of people it rests on")
    cluster: int | None = key(
        "from 1, the best: the test does not distinguish metrics of one cluster; `null` without a "
        "test"
    )
    threshold: float | None = key("of `acc-eq`: differences of the metric up to it are ties")
    test: str | None = key("what compared the metrics, such as `perm-both`; `null` without a test")
    reason: str | None = key("why there is no number")
    interval: str | None = key("`fisher` or `bootstrap`", column=False)
    signature: str | None = key("what computed the metric; `null` for stored scores", column=False)


@dataclass(frozen=True, kw_only=True)
class MeanCoefficient(Record):
    """The mean of a metric's coefficients over the sets."""

    sets: tuple[str, ...] = key("the sets of the mean")
    metric: str = key("as in `results`, like the keys that follow")
    unit: str = key("as in `results`")
    statistic: str = key("as in `results`")
    value: float = key("the mean over the sets", null=True)
    low: float = key("the lower end of its interval", null=True)
    high: float = key("the upper end", null=True)
    n: int = key("how many sets have a number")
    cluster: int | None = key("`null`")
    threshold: float | None = key("`null`")
    reason: str | None = key("why there is no mean")


@dataclass(frozen=True, kw_only=True)
class MetricTest(Record):
    """The test of two metrics."""

    set: str = key("the evaluation set")
    unit: str = key("as in `results`")
    statistic: str = key("as in `results`")
    test: str = key("as in `results`")
    a: str = key("the name of one metric")
    b: str = key("the name of another")
    p: float = key(
        "one-sided p-value: that `a` agrees better with people than `b`; never 0", null=True
    )


@dataclass(frozen=True, kw_only=True)
class Remark(Record):
    """What a reader should know of the numbers of a set."""

    set: str = key("the evaluation set")
    unit: str = key("as in `results`")
    remark: str = key("what a reader should know of the numbers, in a sentence")


@dataclass(frozen=True, kw_only=True)
class CorrelationTable(Record, rows="results"):
    """The agreement of metrics with people.

    Numbers are not rounded. A missing number is `null`, and `reason` says why.
    """

    level: float = key("the confidence of intervals and clusters")
    resamples: int = key("how many resamples intervals and tests drew")
    seed: int = key("where the random choices started")
    results: tuple[SetCoefficient, ...] = key("each set, unit and metric")
    averages: tuple[MeanCoefficient, ...] = key("means over the sets; empty for one set")
    tests: tuple[MetricTest, ...] = key("the tests of each two metrics, in both directions")
    remarks: tuple[Remark, ...] = key("remarks on the numbers")

    def to_columns(self) -> Columns:
        """Return a row for each result, and one for each average, whose set is called "mean"."""
        columns = super().to_columns()
        for average in self.averages:
            row = {**average.to_json(), "set": "mean"}
            for name, cells in columns.items():
                cells.append(row.get(name))
        return columns
