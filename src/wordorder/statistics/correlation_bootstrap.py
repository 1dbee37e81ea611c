"""The bootstrap of a metric's agreement with human scores: over segments, systems or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, Int64, OnProgress
from wordorder.errors import UsageError, choose
from wordorder.statistics import dependent_tests as dependent, grouped_correlation as grouping
from wordorder.statistics.coefficients import POOLED_VARIANTS, accuracies, taus
from wordorder.statistics.correlation_permutation import TEST_UNITS, share_beyond
from wordorder.statistics.exact_means import exact_means, whole_multiples
from wordorder.statistics.grouped_correlation import rows_as_groups
from wordorder.statistics.intervals import interval_around
from wordorder.statistics.measurement import (
    Measurement,
    bootstrap_scores,
    bootstrap_totals,
    check_resamples,
    draw_bootstrap_counts,
    resample_keys,
    resampled_sums,
    rounded_statistics,
)
from wordorder.statistics.named_statistics import Outputs, calibrated_threshold, pair_weights
from wordorder.statistics.pair_counts import counts_of_groups, rounding

# Acc-eq takes some minutes on 1,000 resamples of this number of pairs.
MAX_CALIBRATED_PAIRS = 2_000_000

# The units that are drawn with replacement.
RESAMPLED_UNITS = ("both", "segments", "systems")
# Statistics and a function of their sums, scores of segments, or one score per system.
Source = Measurement | Float64
# For a mean over segments of these statistics, the coefficients of segments are resampled.
MEAN_STATISTICS = (
    *("pearson", "spearman", "kendall-c"),
    *(
        name
        for name in dependent.COUNTED_COEFFICIENTS
        if name.removeprefix("kendall-") not in POOLED_VARIANTS
    ),
)
# Two copies of an output tie in both scores. These statistics would count them as a pair, so such
# pairs are subtracted; the other statistics ignore ties.
STATISTICS_COUNTING_TIES = ("accuracy", "acc-eq", "kendall-a", "kendall-23")


@dataclass(frozen=True, eq=False)
class BootstrapTest:
    """Two metrics compared with human scores on resampled segments, systems or both.

    Attributes
    ----------
    value_a, value_b, difference : float
        The coefficients of both metrics, and the first minus the second.
    low, high : float
        The percentile interval of the difference.
    p_value : float in (0, 1]
        One-sided: the share of resamples in which the first metric does not lead.
    p_value_of_b : float in (0, 1]
        The same for the second metric.
    resamples : int
    undefined : int
        Resamples in which a coefficient is not defined, such as those with one system only. They
        count against both metrics and are not in the interval.
    differences : float64[B]
        The differences on the resamples; NaN if not defined.
    """

    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    p_value: float
    p_value_of_b: float
    resamples: int
    undefined: int
    differences: Float64


def bootstrap_coefficients(
    metrics: Sequence[npt.ArrayLike | Measurement],
    human: npt.ArrayLike,
    *,
    statistic: str | dependent.Statistic = "pearson",
    by: str = "none",
    unit: str = "segment",
    over: str = "both",
    resamples: int = 1000,
    seed: int = 12345,
    progress: OnProgress | None = None,
) -> tuple[Float64, Float64]:
    """Compute the agreement of metrics with human scores on resamples, shared by the metrics.

    Deutsch et al. (2021) draw segments (Boot-Inputs), systems (Boot-Systems) or both (Boot-Both)
    with replacement, the same number as in the data. An output is never compared with its own copy.

    Parameters
    ----------
    metrics : sequence of float64[systems, segments], float64[systems] or Measurement
        Higher is better, except for a Measurement with ``higher_is_better=False``, whose
        coefficient is negated. NaN for missing scores. A Measurement needs ``unit="system"``: its
        scores are computed from the resampled sums of its statistics.
    human : float64[systems, segments] or float64[systems]
        If segments are drawn, a single score per system is not resampled.
    statistic, by, unit
        See `perm_both`.
    over : "both", "segments" or "systems"
        The units that are drawn.
    resamples, seed : int
    progress : callable, optional
        Called with the number of finished resamples where these are computed one by one.

    Returns
    -------
    values : float64[M]
        The coefficients without resampling.
    samples : float64[M, B]
        The coefficients on resamples; NaN if not defined.

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite or an option is not valid; or if acc-eq has
        more than 2 million pairs.

    Examples
    --------
    >>> human = np.array([[1.0, 2, 3, 4], [2, 3, 4, 5]])
    >>> values, samples = bootstrap_coefficients([human * 2], human, over="segments", resamples=3)
    >>> values.round(9).tolist(), samples.round(9).tolist()
    ([1.0], [[1.0, 1.0, 1.0]])
    """
    statistic = dependent.check_statistic(statistic)
    choose("over", over, RESAMPLED_UNITS)
    choose("by", by, grouping.GROUPINGS)
    check_resamples(resamples)
    sources = [_source(metric) for metric in metrics]
    human_scores = _source(human)
    if isinstance(human_scores, Measurement):
        raise UsageError("people's scores are numbers, not a Measurement")
    if choose("unit", unit, TEST_UNITS) == "system":
        return _resample_systems(sources, human_scores, statistic, over, resamples, seed)
    tables = [_table(source, human_scores) for source in sources]
    return _resample_segments(tables, human_scores, statistic, by, over, resamples, seed, progress)


def bootstrap_test(
    metric_a: npt.ArrayLike | Measurement,
    metric_b: npt.ArrayLike | Measurement,
    human: npt.ArrayLike,
    *,
    statistic: str | dependent.Statistic = "pearson",
    by: str = "none",
    unit: str = "segment",
    over: str = "both",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> BootstrapTest:
    """Test by the paired bootstrap whether metric A agrees better with human scores than metric B.

    Both metrics are compared on the same resamples; see `bootstrap_coefficients`. The difference is
    significant if its interval does not contain 0.

    Parameters
    ----------
    metric_a, metric_b, human, statistic, by, unit, over, resamples, seed
        See `bootstrap_coefficients`. Outputs that one of the two metrics does not score are left
        out for both.
    level : float
        The confidence of the interval, between 0 and 1.

    Returns
    -------
    BootstrapTest

    Notes
    -----
    The bootstrap has less power than `perm_both`, and its intervals are too narrow with few systems
    (Deutsch et al. 2021). Use it for corpus scores that are not means over segments.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> human = generator.normal(size=(5, 40))
    >>> close, far = (human + generator.normal(size=human.shape) * noise for noise in (1, 2))
    >>> test = bootstrap_test(close, far, human, over="segments", resamples=99)
    >>> test.p_value, test.low > 0
    (0.01, True)
    """
    pair = [_source(metric) for metric in (metric_a, metric_b)]
    if not any(isinstance(source, Measurement) for source in pair):
        first, second = (np.asarray(samples, np.float64) for samples in pair)
        if first.shape != second.shape:
            raise UsageError(f"the metrics' scores are of shape {first.shape} and {second.shape}")
        unknown = np.isnan(first) | np.isnan(second)
        pair = [np.where(unknown, np.nan, scores) for scores in (first, second)]
    options: dict[str, Any] = {"statistic": statistic, "by": by, "unit": unit, "over": over}
    options |= {"resamples": resamples, "seed": seed}
    values, samples = bootstrap_coefficients(pair, human, **options)
    return compare_samples(values, samples, level=level)


def compare_samples(values: Float64, samples: Float64, *, level: float = 0.95) -> BootstrapTest:
    """Compare two metrics on given resamples.

    Parameters
    ----------
    values : float64[2]
    samples : float64[2, B]
        Two rows of `bootstrap_coefficients`.
    level : float
    """
    differences = samples[0] - samples[1]
    low, high = bootstrap_interval(differences, level=level)
    is_defined = not np.isnan(values).any()
    one_sided, other_sided = (
        _share_not_above(signed) if is_defined else np.nan for signed in (differences, -differences)
    )
    undefined = int(np.isnan(differences).sum())
    observed = float(values[0]), float(values[1]), float(values[0] - values[1])
    return BootstrapTest(
        *observed, low, high, one_sided, other_sided, len(differences), undefined, differences
    )


def bootstrap_interval(samples: Float64, *, level: float = 0.95) -> tuple[float, float]:
    """Return the percentile interval of the samples that are not NaN; NaN if all are."""
    return interval_around(np.nan, samples, level)


def bootstrap_p_values(values: Float64, samples: Float64) -> Float64:
    """Test all pairs of metrics on given resamples.

    Parameters
    ----------
    values : float64[M]
    samples : float64[M, B]
        Results of `bootstrap_coefficients` for metrics that score the same outputs.

    Returns
    -------
    float64[M, M]
        ``[a, b]``: the p-value for metric a agreeing better than metric b; NaN on the diagonal, and
        for metrics without a coefficient.
    """
    size = len(values)
    p_values = np.full((size, size), np.nan)
    for a, b in permutations(np.flatnonzero(~np.isnan(values)).tolist(), 2):
        p_values[a, b] = _share_not_above(samples[a] - samples[b])
    return p_values


def _share_not_above(differences: Float64) -> float:
    """Return ``(1 + number of d* <= 0) / (B + 1)``; undefined differences count."""
    return share_beyond(-differences, 0.0)


def _source(given: npt.ArrayLike | Measurement) -> Source:
    """Check the scores of a metric, or human scores, and convert them to an array."""
    if isinstance(given, Measurement):
        return given
    scores = np.asarray(given, np.float64)
    if scores.ndim not in (1, 2):
        raise UsageError(f"expected scores [systems, segments], got shape {scores.shape}")
    grouping.check_finite(scores)
    return scores


def _table(source: Source, human: Float64) -> Float64:
    """Check that a metric has scores of the same segments as the human scores."""
    if isinstance(source, Measurement):
        raise UsageError("a Measurement has no scores of segments; compare systems (unit='system')")
    if source.shape != human.shape:
        raise UsageError(f"the metric's scores are of shape {source.shape}, people's {human.shape}")
    return source if source.ndim == 2 else source[:, np.newaxis]


def _resample_systems(
    sources: Sequence[Source],
    human: Float64,
    statistic: str | dependent.Statistic,
    over: str,
    resamples: int,
    seed: int,
) -> tuple[Float64, Float64]:
    """Resample the scores of systems."""
    everything = [*sources, human]
    values = [scores_of_systems(source) for source in everything]
    systems = len(values[-1])
    if any(len(scores) != systems for scores in values):
        system_counts = ", ".join(str(len(scores)) for scores in values[:-1])
        raise UsageError(f"the metrics have {system_counts} systems, people's scores {systems}")
    if over == "systems":
        samples = [np.broadcast_to(scores, (resamples, systems)) for scores in values]
    else:
        samples = resampled_scores(everything, resamples, seed)
    coefficients = np.empty(len(sources)), np.full((len(sources), resamples), np.nan)
    for index, source in enumerate(sources):
        sign = -1.0 if isinstance(source, Measurement) and not source.higher_is_better else 1.0
        # Systems without any score are left out; a resample without scores of a system is NaN.
        has_both = ~np.isnan(values[index]) & ~np.isnan(values[-1])
        scored, judged = samples[index][:, has_both], samples[-1][:, has_both]
        system_rows = None
        if over != "segments" and has_both.any():
            system_rows = drawn_indices(_system_keys(resamples, seed), int(has_both.sum()))
            scored, judged = (np.take_along_axis(x, system_rows, 1) for x in (scored, judged))
        complete = ~np.isnan(scored).any(axis=1) & ~np.isnan(judged).any(axis=1)
        system_rows = None if system_rows is None else system_rows[complete]
        sampled = of_drawn_rows(scored[complete], judged[complete], system_rows, statistic)
        coefficients[1][index, complete] = sign * sampled
        first, second = values[index][has_both], values[-1][has_both]
        coefficients[0][index] = sign * dependent.of_rows(first[None], second[None], statistic)[0]
    return coefficients


def _system_keys(resamples: int, seed: int) -> Int64:
    """Return the keys that draw systems: they follow the keys that draw segments."""
    return resample_keys(2 * resamples, seed)[resamples:]


def _resample_segments(
    tables: Sequence[Float64],
    human: Float64,
    statistic: str | dependent.Statistic,
    by: str,
    over: str,
    resamples: int,
    seed: int,
    progress: OnProgress | None,
) -> tuple[Float64, Float64]:
    """Resample the scores of segments."""
    judged = human if human.ndim == 2 else human[:, np.newaxis]
    systems, segments = judged.shape
    values = np.array([dependent.of_tables(table, judged, statistic, by) for table in tables])
    keys = resample_keys(resamples, seed)
    if over == "segments" and by == "item" and isinstance(statistic, str):
        drawing = {"resamples": resamples, "seed": seed}
        fast = [over_segments_by_item(table, judged, statistic, **drawing) for table in tables]
        fast_samples = [table for table in fast if table is not None]
        if len(fast_samples) == len(tables):
            return values, np.array(fast_samples).reshape(len(tables), resamples)
    if statistic == "acc-eq":
        _check_pairs(tables, judged, by)
    rows = np.broadcast_to(np.arange(systems), (resamples, systems))
    columns = np.broadcast_to(np.arange(segments), (resamples, segments))
    if over != "segments":
        rows = drawn_indices(_system_keys(resamples, seed), systems)
    if over != "systems":
        columns = drawn_indices(keys, segments)
    samples = np.empty((len(tables), resamples))
    for resample, indices in enumerate(zip(rows, columns, strict=True)):
        for index, table in enumerate(tables):
            samples[index, resample] = of_drawn(table, judged, indices, statistic, by)
        if progress is not None:
            progress(resample + 1)
    return values, samples


def _check_pairs(tables: Sequence[Float64], human: Float64, by: str) -> None:
    """Refuse too many pairs for calibrating a tie threshold per resample: it would take hours."""
    for table in tables:
        pairs = int(grouping.grouped(table, human, by).pairs.sum())
        if pairs > MAX_CALIBRATED_PAIRS:
            problem = f"at most {MAX_CALIBRATED_PAIRS:,} pairs of outputs, these are {pairs:,}"
            advice = "compare the outputs of each segment (by='item')"
            raise UsageError(f"acc-eq can be resampled on {problem}; {advice}")


def scores_of_systems(source: Source) -> Float64:
    """Return the score of each system, float64[n]; NaN for a system without scores."""
    if isinstance(source, Measurement):
        return source.values()
    return source if source.ndim == 1 else exact_means(source)


def resampled_scores(sources: Sequence[Source], resamples: int, seed: int) -> list[Float64]:
    """Score all systems on the same resamples of segments.

    Returns
    -------
    list of float64[B, n]
        One per source. NaN if no resampled segment has a score.
    """
    samples: list[Float64] = []
    for source in sources:
        if isinstance(source, Measurement):
            # The resamples depend only on the seed and the number of segments.
            (scores,) = bootstrap_scores([source], resamples=resamples, seed=seed)
            samples.append(scores.T)
        elif source.ndim == 1:
            samples.append(np.broadcast_to(source, (resamples, len(source))))
        else:
            samples.append(_resampled_means(source, resamples, seed))
    return samples


def _resampled_means(table: Float64, resamples: int, seed: int) -> Float64:
    """Return the means of float64[n, S] on resampled segments, float64[B, n]."""
    scored = ~np.isnan(table)
    table, scale = whole_multiples(table)
    rounded = rounded_statistics(np.stack([np.where(scored, table, 0.0), scored], axis=2))
    means = np.empty((resamples, len(table)))
    for first, (sums,) in resampled_sums(
        [rounded], draw_bootstrap_counts, resample_keys(resamples, seed)
    ):
        totals = rounded.values(sums)
        with np.errstate(invalid="ignore"):
            means[first : first + len(sums)] = totals[..., 0] / (totals[..., 1] * scale)
    return means


def drawn_counts(keys: Int64, size: int) -> Float64:
    """Count how often each key draws each of `size` items, float64[B, size]."""
    times = np.empty((len(keys), size))
    draw_bootstrap_counts(keys, times)
    return times


def drawn_indices(keys: Int64, size: int) -> Int64:
    """Return the items that each key draws with replacement, int64[B, size]."""
    times = drawn_counts(keys, size).astype(np.int64)
    indices = np.broadcast_to(np.arange(size), times.shape)
    return np.repeat(indices.ravel(), times.ravel()).reshape(len(keys), size)


def over_segments_by_item(
    metric: Float64, human: Float64, statistic: str, *, resamples: int, seed: int
) -> Float64 | None:
    """Return a coefficient within segments on resampled segments, float64[B].

    A segment that is drawn twice has twice the weight, so its coefficient or pairs are computed
    once. None if the statistic is not a mean or a ratio over segments.
    """
    groups = grouping.grouped(metric, human, "item")
    variant = statistic.removeprefix("kendall-")
    if statistic == "acc-eq":
        return _acc_eq(groups, drawn_counts(resample_keys(resamples, seed), len(groups.sizes)))
    if statistic in MEAN_STATISTICS:
        values = dependent.of_groups(groups, statistic)
        defined = ~np.isnan(values)
        summed = np.stack([np.where(defined, values, 0.0), defined], axis=1)
        totals, counts = bootstrap_totals(summed, resamples=resamples, seed=seed).T
        with np.errstate(invalid="ignore"):
            averages: Float64 = totals / counts
        return averages
    if variant in POOLED_VARIANTS and statistic in dependent.COUNTED_COEFFICIENTS:
        pairs = counts_of_groups(groups).astype(np.float64)
        totals = bootstrap_totals(pairs, resamples=resamples, seed=seed)
        return taus(totals.astype(np.int64), variant)
    return None


def _acc_eq(groups: grouping.Groups, times: Float64) -> Float64:
    """Return acc_eq on resampled segments, each with its own tie threshold.

    The differences are sorted once. The pairs of a segment are weighted by how often it is drawn,
    and a sweep over the differences finds the best threshold.
    """
    pairs = groups.pairs
    weights = pair_weights(pairs)
    # Group numbers from 1 take the place of weights, which differ by resample.
    group_numbers = np.repeat(np.arange(1, len(pairs) + 1), groups.sizes)
    outputs = replace(Outputs.of(groups), weights=group_numbers)
    gaps, gains = outputs.gains(0, len(groups.metric))
    order = np.argsort(gaps, kind="stable")
    gaps, gains = gaps[order], gains[order]
    group, sign = np.abs(gains) - 1, np.sign(gains)
    tolerance = rounding(groups.metric)
    # Thresholds: 0 with all differences due to rounding, then the last of each run of equal ones.
    new = np.flatnonzero(np.diff(gaps, prepend=0.0) > tolerance)
    ends = np.append(new, len(gaps))
    agreements = counts_of_groups(groups)[:, 0]
    values = np.empty(len(times))
    running = np.zeros(len(gaps) + 1, np.int64)
    for resample, resample_times in enumerate(times.astype(np.int64)):
        weighted = resample_times * weights
        np.cumsum(weighted[group] * sign, out=running[1:])
        best = int((weighted * agreements).sum()) + int(running[ends].max())
        total = int((weighted * pairs).sum())
        values[resample] = best / total if total else np.nan
    return values


def of_drawn(
    metric: Float64,
    human: Float64,
    system_rows: tuple[Int64, Int64],
    statistic: str | dependent.Statistic,
    by: str,
) -> float:
    """Return the coefficient on the drawn systems and segments.

    Parameters
    ----------
    metric, human : float64[systems, segments]
    system_rows : int64[n], int64[S]
        Indices of systems and of segments, with repetitions.
    """
    cells = np.ix_(*system_rows)
    scores, judged = metric[cells], human[cells]
    if statistic not in STATISTICS_COUNTING_TIES:
        return dependent.of_tables(scores, judged, statistic, by)
    output_ids = np.arange(metric.size, dtype=np.float64).reshape(metric.shape)[cells]
    groups = grouping.grouped(scores, judged, by)
    output_ids = grouping.grouped(np.where(np.isnan(scores), np.nan, output_ids), judged, by).metric
    return grouping.mean_over_groups(_without_copies(groups, output_ids, str(statistic)))


def of_drawn_rows(
    metric: Float64, human: Float64, drawn: Int64 | None, statistic: str | dependent.Statistic
) -> Float64:
    """Return a coefficient for each row of float64[R, n].

    `drawn` has the system of each column of each row, int64[R, n]; None if no system is repeated.
    """
    if drawn is None or statistic not in STATISTICS_COUNTING_TIES:
        return dependent.of_rows(metric, human, statistic)
    if statistic != "acc-eq":
        return _without_copies(rows_as_groups(metric, human), drawn.ravel(), str(statistic))
    # The tie threshold differs by row.
    rows = zip(metric, human, drawn, strict=True)
    values = [_without_copies(rows_as_groups(m[None], h[None]), d, "acc-eq")[0] for m, h, d in rows]
    return np.array(values)


def _without_copies(
    groups: grouping.Groups, output_ids: Float64 | Int64, statistic: str
) -> Float64:
    """Return a coefficient of each group, without the pairs of outputs with the same id."""
    size = len(groups.sizes)
    group = np.repeat(np.arange(size), groups.sizes)
    group_outputs, occurrences = np.unique(
        np.stack([group, output_ids]), axis=1, return_counts=True
    )
    copies = np.zeros(size, np.int64)
    np.add.at(copies, group_outputs[0].astype(np.int64), occurrences * (occurrences - 1) // 2)
    threshold = calibrated_threshold(groups, copies) if statistic == "acc-eq" else 0.0
    counts = counts_of_groups(groups, threshold=threshold)
    counts[:, 4] -= copies
    if statistic in ("accuracy", "acc-eq"):
        return accuracies(counts)
    return taus(counts, statistic.removeprefix("kendall-"))
