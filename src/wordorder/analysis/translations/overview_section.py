"""All systems under all metrics in one table."""

from __future__ import annotations

from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.tested_scores import TestedScores
from wordorder.counts import counted
from wordorder.metrics.called import called


def overview_section(scores: TestedScores) -> Section:
    """Make the table ``systems``: the scores with their intervals, the best of each metric first.

    Parameters
    ----------
    scores : TestedScores

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> found = translations_of({"A": ["b a"], "B": ["a b"]}, ["a b"], metrics="frs,cder")
    >>> for row in overview_section(TestedScores.of(found, resamples=10)).rows:
    ...     print(*row)
    FRS higher B 1.0 1.0 1.0 None
    FRS higher A 0.0 0.0 0.0 -1.0
    CDER lower B 0.0 0.0 0.0 None
    CDER lower A 1.0 1.0 1.0 1.0
    """
    rows: list[tuple[Value, ...]] = []
    for metric in scores.intervals:
        ranked = metric.ranked()
        best = metric.estimates[ranked[0]].value
        for place, number in enumerate(ranked):
            each = metric.estimates[number]
            rows.append(
                (
                    called(metric.metric),
                    "higher" if metric.higher_is_better else "lower",
                    metric.names[number],
                    *(each.value, each.low, each.high),
                    each.value - best if place else None,
                )
            )
    firsts = {metric.ranked()[0] for metric in scores.intervals}
    metrics = counted(len(scores.intervals), "metric")
    systems = len(scores.intervals[0].names)
    if systems == 1:
        reading = f"One system under {metrics}."
    elif len(firsts) == 1:
        name = scores.intervals[0].names[firsts.pop()]
        reading = f"{name} is the best of {systems} systems under all of {metrics}."
        if len(scores.intervals) == 1:
            reading = f"{name} is the best of {systems} systems."
    else:
        reading = (
            f"The metrics disagree on which of the {systems} systems is best: "
            + "; ".join(
                f"{called(each.metric)}: {each.names[each.ranked()[0]]}"
                for each in scores.intervals
            )
            + "."
        )
    signatures = [each.signature for each in scores.intervals]
    return Section(
        key="systems",
        title="Systems",
        reading=reading,
        header=("metric", "better", "system", "value", "low", "high", "from the best"),
        rows=tuple(rows),
        note="Better: whether higher or lower values are better. Low, high: the "
        f"{100 * scores.level:g} % interval by bootstrap resampling of segments "
        f"({scores.resamples} resamples, seed {scores.seed}).",
        signature=" ".join(signatures),
    )
