"""Rows of the results of `score` and `compare`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordorder.arrays import Float64
from wordorder.metrics.contract import BaseMetric, signature_of_segments
from wordorder.records import Record, key
from wordorder.scoring.significance_summary import comparison_reading
from wordorder.statistics.system_ranks import clusters, system_rank_ranges

if TYPE_CHECKING:
    from wordorder.scoring.systems import Evaluation, SystemScores
    from wordorder.statistics.intervals import Estimate
    from wordorder.statistics.paired_tests import Comparison

_NAME_DESCRIPTION = "the name given as `NAME=FILE`, or the file's without folder and suffix"
_MATCHED_DESCRIPTION = (
    "the share of the reference's words that match; of orders from links, of the source words that "
    "it links, those that the output links too; `null` for metrics that read no orders, and of "
    "orders"
)
_SPREAD_DESCRIPTION = "the standard deviation of the runs (n - 1); `null` without several runs"
_RUNS_DESCRIPTION = "the values of the system's runs, where systems have several"
_NOT_COMPARED = "`null` where the pair is not compared"


@dataclass(frozen=True, kw_only=True)
class Counted(Record):
    """Counts of the segments of an evaluation."""

    segments: int = key("number of segments")
    skipped: int = key("segments that at least one metric left out for at least one system")
    documents: int | None = key(
        "how many documents intervals and tests draw, with `--by document`", default=None
    )
    skipped_lines: tuple[int, ...] = key("line numbers of skipped segments, the first hundred")


@dataclass(frozen=True, kw_only=True)
class MetricScore(Record):
    """The score of a system under one metric."""

    metric: str = key("the metric's name")
    value: float = key("the corpus score; `null` if all segments are left out", null=True)
    low: float | None = key(
        "with `--confidence`: the lower end of the interval; `null` without a value", null=True
    )
    high: float | None = key("with `--confidence`: the upper end", null=True)
    scored: int = key("segments that were scored")
    skipped: int = key("segments that this metric left out for this system")
    matched: float | None = key(_MATCHED_DESCRIPTION)
    signature: str = key("what produced the number")
    spread: float | None = key(_SPREAD_DESCRIPTION)
    runs: tuple[float, ...] | None = key(f"{_RUNS_DESCRIPTION}; `value` is their mean", null=True)
    segments: Float64 | None = key(
        "with `--segments`: the score of each segment, `null` for one that is left out",
        null=True,
        default=None,
    )
    segments_signature: str | None = key(
        "with `--segments`: what produced these scores; BLEU of a segment takes effective order",
        column=False,
        default=None,
    )


@dataclass(frozen=True, kw_only=True)
class ScoredSystem(Record):
    """The scores of a system under all metrics."""

    system: str = key(_NAME_DESCRIPTION)
    dropped: int = key("words that only one of system and reference has")
    scores: tuple[MetricScore, ...] = key("a score for each metric")


@dataclass(frozen=True, kw_only=True)
class ScoreTable(Counted, rows="systems scores", first="system metric", last="spread? runs?"):
    """The scores of systems.

    Values are on the scale from 0 to 1, in full precision.
    """

    systems: tuple[ScoredSystem, ...] = key("the systems, in the order of the command")


@dataclass(frozen=True, kw_only=True)
class ComparedPair(Record):
    """The difference of two systems."""

    a: str = key("the name of one system")
    b: str = key("the name of a later one")
    difference: float = key(
        "value of `b` minus value of `a`; `null` where the pair is not compared: both systems "
        "match no two words of a segment, or one has no value",
        null=True,
    )
    low90: float | None = key(
        "the lower end of its 90 % interval; `null` for randomization, and where the pair is not "
        "compared",
        column=False,
    )
    high90: float | None = key("the upper end of its 90 % interval", column=False)
    low95: float | None = key("the lower end of its 95 % interval")
    high95: float | None = key("the upper end of its 95 % interval")
    p: float = key(f"two-sided p-value, never 0; {_NOT_COMPARED}", null=True)
    mark: str = key(
        "`+**`, `+*`, `0`, `-*` or `-**`: is `b` better than `a`? `not compared` where the pair is "
        "not compared"
    )
    common: float | None = key(
        "the share of the reference's words that both systems match and on which alone the pair is "
        "compared; `null` where all words count"
    )
    spread_a: float | None = key(f"of `a`: {_SPREAD_DESCRIPTION}")
    runs_a: tuple[float, ...] | None = key(f"of `a`: {_RUNS_DESCRIPTION}", null=True)
    spread_b: float | None = key("as `spread_a`, of `b`")
    runs_b: tuple[float, ...] | None = key("as `runs_a`, of `b`", null=True)


@dataclass(frozen=True, kw_only=True)
class ComparedSystem(Record):
    """A system of a comparison, with its range of ranks."""

    system: str = key(f"{_NAME_DESCRIPTION}; in the order of the command")
    value: float = key("the corpus score; `null` if all segments are left out", null=True)
    best: int = key("the best rank that the system may have")
    worst: int = key("the worst rank that it may have")
    matched: float | None = key(_MATCHED_DESCRIPTION)
    spread: float | None = key(_SPREAD_DESCRIPTION)
    runs: tuple[float, ...] | None = key(f"{_RUNS_DESCRIPTION}; `value` is their mean", null=True)


@dataclass(frozen=True, kw_only=True)
class TestedPairs(Record):
    """The tests of all pairs of some systems."""

    test: str = key("`bootstrap` or `randomization`")
    resamples: int = key("how many resamples")
    seed: int = key("where the random choices started")
    systems: tuple[ComparedSystem, ...] = key("the systems")
    clusters: tuple[tuple[str, ...], ...] = key(
        "names of the systems in each cluster, the best cluster and the best system of each first, "
        "by the differences of pairs"
    )
    pairs: tuple[ComparedPair, ...] = key("each pair of systems")
    reading: str = key("the triangle in one sentence")


@dataclass(frozen=True, kw_only=True)
class MetricPairs(TestedPairs):
    """The tests of all pairs of systems under one metric."""

    metric: str = key("the metric's name")
    signature: str = key("what produced the numbers")


@dataclass(frozen=True, kw_only=True)
class ComparisonTable(
    Counted,
    rows="metrics pairs",
    first="metric",
    last="signature spread_a? runs_a? spread_b? runs_b?",
):
    """The tests of each metric."""

    metrics: tuple[MetricPairs, ...] = key("the tests of each metric")


def counts_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the values of the fields of `Counted`."""
    documents = evaluation.documents
    return {
        "segments": evaluation.segments,
        "skipped": evaluation.skipped,
        "documents": None if documents is None else len(documents),
        "skipped_lines": tuple(evaluation.skipped_lines),
    }


def run_values(system: SystemScores, metric: int) -> tuple[float, ...] | None:
    """Return the values of a system's runs under a metric; None if it has only one run."""
    return tuple(run.scores[metric].value for run in system.runs) or None


def run_spread(system: SystemScores, metric: int) -> float | None:
    """Return the standard deviation of a system's runs; None if it has only one run."""
    return system.spread(metric) if system.runs else None


def score_table(
    evaluation: Evaluation,
    estimates: Sequence[Sequence[Estimate]] | None,
    metrics: Sequence[BaseMetric],
    segments: Mapping[tuple[int, int], Float64] | None = None,
) -> ScoreTable:
    """Return the scores of an evaluation as a table.

    `estimates` has the intervals of each metric and system, `segments` the segment scores by
    indices of system and metric; both are optional.
    """
    systems = []
    signatures = segment_signatures(evaluation, metrics) if segments is not None else ()
    for system_index, system in enumerate(evaluation.systems):
        scores = []
        for metric_index, score in enumerate(system.scores):
            estimate = None if estimates is None else estimates[metric_index][system_index]
            metric_score = MetricScore(
                metric=evaluation.metric_names[metric_index],
                value=score.value,
                low=None if estimate is None else estimate.low,
                high=None if estimate is None else estimate.high,
                scored=score.segments - score.skipped,
                skipped=score.skipped,
                matched=system.matched(metrics[metric_index]),
                signature=str(score.signature),
                spread=run_spread(system, metric_index),
                runs=run_values(system, metric_index),
                segments=None if segments is None else segments[system_index, metric_index],
                segments_signature=signatures[metric_index] if signatures else None,
            )
            scores.append(metric_score)
        systems.append(
            ScoredSystem(system=system.name, dropped=system.dropped, scores=tuple(scores))
        )
    return ScoreTable(**counts_of(evaluation), systems=tuple(systems))


def segment_signatures(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> tuple[str, ...]:
    """Return the signature of each metric's segment scores."""
    scores = evaluation.systems[0].scores
    return tuple(
        str(signature_of_segments(metric, score.signature))
        for metric, score in zip(metrics, scores, strict=True)
    )


def compared_pairs(
    evaluation: Evaluation, comparison: Comparison, metric: int
) -> Iterator[ComparedPair]:
    """Yield a row for each pair of systems; `metric` is the index of the metric compared."""
    for pair in comparison.pairs:
        first, second = (evaluation.systems[index] for index in (pair.first, pair.second))
        low90, high90 = pair.interval_90 or (None, None)
        low95, high95 = pair.interval_95 or (None, None)
        yield ComparedPair(
            a=first.name,
            b=second.name,
            difference=pair.difference,
            low90=low90,
            high90=high90,
            low95=low95,
            high95=high95,
            p=pair.p_value,
            mark=pair.mark,
            common=pair.common,
            spread_a=run_spread(first, metric),
            runs_a=run_values(first, metric),
            spread_b=run_spread(second, metric),
            runs_b=run_values(second, metric),
        )


def tested_pairs(
    evaluation: Evaluation, comparison: Comparison, metric: int, metrics: Sequence[BaseMetric]
) -> dict[str, Any]:
    """Return the values of the fields of `TestedPairs`; `metric` is the index of the metric.

    If `metrics` is empty, the shares of matched words are None.
    """
    names = [system.name for system in evaluation.systems]
    systems = [
        ComparedSystem(
            system=system.name,
            value=value,
            best=best,
            worst=worst,
            matched=system.matched(metrics[metric]) if metrics else None,
            spread=run_spread(system, metric),
            runs=run_values(system, metric),
        )
        for system, value, (best, worst) in zip(
            evaluation.systems, comparison.values, system_rank_ranges(comparison), strict=True
        )
    ]
    return {
        "test": comparison.test,
        "resamples": comparison.resamples,
        "seed": comparison.seed,
        "systems": tuple(systems),
        "clusters": tuple(
            tuple(names[system] for system in cluster) for cluster in clusters(comparison)
        ),
        "pairs": tuple(compared_pairs(evaluation, comparison, metric)),
        "reading": comparison_reading(names, comparison),
    }


def comparison_table(
    evaluation: Evaluation, comparisons: Sequence[Comparison], metrics: Sequence[BaseMetric]
) -> ComparisonTable:
    """Return the comparisons of an evaluation, one per metric, as a table.

    If `metrics` is empty, the shares of matched words are None.
    """
    scores = evaluation.systems[0].scores
    tests = [
        MetricPairs(
            metric=metric_name,
            signature=str(score.signature),
            **tested_pairs(evaluation, comparison, metric_index, metrics),
        )
        for metric_index, (metric_name, score, comparison) in enumerate(
            zip(evaluation.metric_names, scores, comparisons, strict=True)
        )
    ]
    return ComparisonTable(**counts_of(evaluation), metrics=tuple(tests))
