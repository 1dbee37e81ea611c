"""Means of coefficients over evaluation sets."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wordorder.judgement.correlations import AverageCorrelations, Correlation, SetCorrelations


def average_correlations(sets: Sequence[SetCorrelations]) -> tuple[AverageCorrelations, ...]:
    """Return the mean of each metric over the sets, one entry a unit and statistic.

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
    kinds: dict[tuple[str, str, str], list[SetCorrelations]] = {}
    for each in sets:
        kinds.setdefault((each.unit, each.statistic, each.by), []).append(each)
    return tuple(
        AverageCorrelations(
            unit,
            statistic,
            [each.name for each in some],
            [
                _mean(name, some)
                for name in dict.fromkeys(row.metric for each in some for row in each.rows)
            ],
        )
        for (unit, statistic, _), some in kinds.items()
        if len(some) > 1
    )


def _mean(metric: str, sets: Sequence[SetCorrelations]) -> Correlation:
    """Average one metric."""
    rows = [row for each in sets for row in each.rows if row.metric == metric and not _missing(row)]
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


def _missing(row: Correlation) -> bool:
    return math.isnan(row.value)
