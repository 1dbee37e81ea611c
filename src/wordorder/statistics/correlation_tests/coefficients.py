"""The coefficients that tests of two metrics can be about: of tables, of rows, of counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wordorder.errors import unknown_name
from wordorder.statistics.correlation.grouping import Groups
from wordorder.statistics.correlation.named import NAMES, coefficient, value_and_parts
from wordorder.statistics.correlation.rank_agreement import (
    POOLED,
    VARIANTS,
    accuracies,
    taus,
)
from wordorder.types import Float64, Int64

# Takes the metric's scores and people's, float64[systems, segments] with NaN for missing.
Statistic = Callable[[Float64, Float64], float]

# Pairs are enough for these. Tau-c needs the scores, "17" leaves pairs out.
COUNTED = (
    "accuracy",
    *(f"kendall-{variant}" for variant in VARIANTS if variant not in ("c", "17")),
)


def chosen_statistic(statistic: str | Statistic) -> str | Statistic:
    """Return `statistic` if it is a function or the name of a coefficient.

    Raises
    ------
    UsageError
        If it is not; the message has the legal names.
    """
    if callable(statistic) or statistic in NAMES:
        return statistic
    if statistic == "kendall":
        return "kendall-b"
    raise unknown_name("statistic", str(statistic), NAMES)


def of_tables(metric: Float64, human: Float64, statistic: str | Statistic, by: str) -> float:
    """Return the coefficient of two tables [systems, segments]; a function ignores `by`."""
    if callable(statistic):
        return float(statistic(metric, human))
    return coefficient(statistic, metric, human, by).value


def of_groups(groups: Groups, statistic: str) -> Float64:
    """Return the coefficient of each group, float64[G]; NaN where it is not defined.

    Raises
    ------
    UsageError
        If one threshold serves all groups (acc-eq), or all segments together make the value.
    """
    return value_and_parts(groups, statistic)[1]


def of_counts(counts: Int64, statistic: str) -> Float64:
    """Return a coefficient of `COUNTED` over groups whose pairs are counted.

    Parameters
    ----------
    counts : int64[R, G, 5]
        As `counts_of_groups` makes them, of R resamples.

    Returns
    -------
    float64[R]
        The mean over the groups; for WMT's own taus that of the summed counts.
    """
    variant = statistic.removeprefix("kendall-")
    if variant in POOLED:
        return taus(counts.sum(axis=1), variant)
    resamples, groups, kinds = counts.shape
    flat = counts.reshape(resamples * groups, kinds)
    values = accuracies(flat) if statistic == "accuracy" else taus(flat, variant)
    return means(values.reshape(resamples, groups))


def of_rows(metric: Float64, human: Float64, statistic: str | Statistic) -> Float64:
    """Return the coefficient of each row, float64[R], of float64[R, n] without NaN."""
    rows, systems = metric.shape
    if callable(statistic) or statistic in ("acc-eq", "spa", "pce"):
        both = zip(metric, human, strict=True)
        return np.array([of_tables(m[:, None], h[:, None], statistic, "none") for m, h in both])
    offsets = np.arange(rows + 1, dtype=np.int64) * systems
    scores, judged = (np.ascontiguousarray(each, np.float64).ravel() for each in (metric, human))
    return of_groups(Groups(scores, judged, offsets), statistic)


def means(values: Float64) -> Float64:
    """Return the mean of each row over the values that are defined; NaN without any."""
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        averages: Float64 = np.where(defined, values, 0.0).sum(axis=-1) / defined.sum(axis=-1)
    return averages
