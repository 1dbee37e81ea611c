"""The scores of all systems under every metric, with intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from wordorder.analysis.answer import ScoreIntervals
from wordorder.analysis.section import Group, Section, Value, with_bounds
from wordorder.analysis.tally import NEAR
from wordorder.analysis.translations.stored import free_memory
from wordorder.analysis.translations.translations import Translations
from wordorder.messages import counted, joined
from wordorder.metrics.order.common_words import count_dropped_words, reads_orders
from wordorder.metrics.registry import called
from wordorder.scoring.comparisons import COMMON_WORDS, on_common_words
from wordorder.scoring.documents import FIELD
from wordorder.scoring.significance_summary import comparison_reading
from wordorder.signature import labels
from wordorder.statistics.intervals import DEFAULT_PLAN, ResamplingPlan
from wordorder.statistics.measurement import bootstrap_scores
from wordorder.statistics.paired_tests import SWAPS, Comparison, compare_resamples, retest_by_swaps

# Smaller differences between shares of matched words are not mentioned.
MIN_SHARE_DIFFERENCE = 0.03

# All pairs of at most this number of systems are compared.
MAX_SYSTEMS_OF_ALL_PAIRS = 3


@dataclass(frozen=True)
class TestedScores:
    """The scores of the systems, and tests of their differences.

    Attributes
    ----------
    intervals : tuple of ScoreIntervals
        One per metric.
    comparisons : tuple of Comparison
        One per metric: paired tests of all pairs of systems by the bootstrap, or by randomization
        if there are few segments; of order metrics on the words that both systems match.
    plan : ResamplingPlan
        How segments are resampled.
    """

    # pytest would collect a class of this name.
    __test__ = False

    intervals: tuple[ScoreIntervals, ...]
    comparisons: tuple[Comparison, ...]
    plan: ResamplingPlan

    @classmethod
    def of(
        cls, translations: Translations, plan: ResamplingPlan = DEFAULT_PLAN, *, own: bool = False
    ) -> TestedScores:
        """Resample the segments once for all metrics and systems.

        With `own` words, order metrics do not compare pairs on common words.

        Examples
        --------
        >>> from wordorder.analysis.translations.files import translations_of
        >>> lines = {"A": ["b a", "a b"], "B": ["a b", "a b"]}
        >>> scores = TestedScores.of(translations_of(lines, ["a b", "a b"], metrics="frs,cder"))
        >>> [(metric.metric, metric.ranked()) for metric in scores.intervals]
        [('frs', [1, 0]), ('cder', [1, 0])]
        """
        pairs = [] if own else translations.common_pairs
        signatures = translations.signatures
        if pairs:
            signatures = tuple(
                signature.with_fields(COMMON_WORDS) if index in translations.orders else signature
                for index, signature in enumerate(signatures)
            )
        if plan.documents is not None:
            signatures = tuple(signature.with_fields(FIELD) for signature in signatures)
        names, swaps = labels(signatures), plan.swaps or SWAPS
        intervals: list[ScoreIntervals] = []
        tests: list[Comparison] = []
        # Metrics in one batch are computed from the same resamples.
        for indices in translations.measured_together():
            measurements = [plan.rows(translations.measurement(index)) for index in indices]
            free_memory()
            samples = bootstrap_scores(measurements, resamples=plan.resamples, seed=plan.seed)
            resampled = list(zip(measurements, samples, strict=True))
            intervals += [
                ScoreIntervals.on(
                    names[index],
                    translations.names,
                    metric_samples,
                    plan.level,
                    str(signatures[index]),
                )
                for index, metric_samples in zip(indices, resampled, strict=True)
            ]
            metric_tests = [
                compare_resamples(*metric_samples, seed=plan.seed) for metric_samples in resampled
            ]
            tests += retest_by_swaps(metric_tests, measurements, swaps)
            free_memory()
        if pairs:
            options = {"resamples": plan.resamples, "swaps": swaps, "seed": plan.seed}
            pairs = [
                replace(
                    pair,
                    measurements={
                        index: plan.rows(measured) for index, measured in pair.measurements.items()
                    },
                )
                for pair in pairs
            ]
            tests = on_common_words(tests, pairs, **options)
        rankings = (tuple(comparison.ranked()) for comparison in tests)
        ordered = tuple(
            replace(metric, ranking=ranking)
            for metric, ranking in zip(intervals, rankings, strict=True)
        )
        return cls(ordered, tuple(tests), plan)


def overview_section(scores: TestedScores, translations: Translations) -> Section:
    """Make the table ``systems``: scores with intervals, the best system of each metric first.

    Parameters
    ----------
    scores : TestedScores
    translations : Translations
        The systems. Order metrics have a column with the share of the reference words that match.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> translations = translations_of({"A": ["b a"], "B": ["a b"]}, ["a b"], metrics="frs,cder")
    >>> scores = TestedScores.of(translations, ResamplingPlan(resamples=10))
    >>> for row in overview_section(scores, translations).rows:
    ...     print(*row)
    FRS higher B 1.0 1.0 1.0 None 1.0
    FRS higher A 0.0 0.0 0.0 -1.0 1.0
    CDER lower B 0.0 0.0 0.0 None None
    CDER lower A 1.0 1.0 1.0 1.0 None
    """
    matched = [
        count_dropped_words(system.segments, translations.metrics).matched_share
        for system in translations.systems
    ]
    has_matched = any(share is not None for share in matched)
    header = ["metric", "better", "system", "value", "low", "high", "from the best"]
    note = ""
    if has_matched:
        header.append("matched")
        note = " Matched: the share of the references' words that match."
    if any(test.ranked() != test.ranked_by_value() for test in scores.comparisons):
        note += " The best system comes first, by the differences on common words."
    rows: list[tuple[Value, ...]] = []
    for metric, intervals in zip(translations.metrics, scores.intervals, strict=True):
        shares = matched if reads_orders(metric) else [None] * len(matched)
        rows += _overview_rows(intervals, shares if has_matched else None)
    return Section(
        key="systems",
        group=Group.SCORES,
        whole=True,
        title="Systems",
        reading=_describe_best(scores, translations),
        header=tuple(header),
        rows=tuple(rows),
        note="Better: whether higher or lower values are better. Low, high: the "
        f"{100 * scores.plan.level:g} % interval by bootstrap resampling of {scores.plan.unit} "
        f"{scores.plan.how}.{note}",
        signature=" ".join(intervals.signature for intervals in scores.intervals),
    )


def _overview_rows(
    metric: ScoreIntervals, matched: Sequence[float | None] | None
) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of a metric; `matched` is its last column, by system."""
    ranked = metric.ranked()
    best = metric.estimates[ranked[0]].value
    for system in ranked:
        estimate = metric.estimates[system]
        difference = estimate.value - best
        yield (
            called(metric.metric),
            "higher" if metric.higher_is_better else "lower",
            metric.names[system],
            *with_bounds(estimate),
            None if system == ranked[0] or math.isnan(difference) else difference,
            *([] if matched is None else [matched[system]]),
        )


def _describe_best(scores: TestedScores, translations: Translations) -> str:
    """Name the best system, or the best ones of each metric."""
    best = [_best_systems(translations.names, comparison) for comparison in scores.comparisons]
    metrics = counted(len(scores.intervals), "metric")
    systems = len(scores.intervals[0].names)
    under = f" under all of {metrics}" if len(scores.intervals) > 1 else ""
    if systems == 1:
        return f"One system under {metrics}."
    if len(set(best)) > 1:
        best_by_metric = "; ".join(
            f"{called(intervals.metric)}: {joined(names)}"
            for intervals, names in zip(scores.intervals, best, strict=True)
        )
        return f"The metrics disagree on which of the {systems} systems is best: {best_by_metric}."
    if len(best[0]) == systems:
        return f"All {systems} systems have the same scores{under}."
    verb = "is" if len(best[0]) == 1 else "are equal, and"
    return f"{joined(best[0])} {verb} the best of {systems} systems{under}."


def _best_systems(names: Sequence[str], comparison: Comparison) -> tuple[str, ...]:
    """Return the names of the best system and of the systems with the same score."""
    first, *other_systems = comparison.ranked()
    # A NaN score equals none, so the first system is compared by its index.
    equal = {n for n in other_systems if abs(comparison.pair(first, n).difference) < NEAR}
    return tuple(names[n] for n in (first, *other_systems) if n == first or n in equal)


def significance_section(scores: TestedScores) -> Section | None:
    """Make the table ``tests``: a triangle of marks per metric; None for a single system.

    Parameters
    ----------
    scores : TestedScores

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["b a"] * 9, "B": ["a b"] * 9}
    >>> scores = TestedScores.of(translations_of(lines, ["a b"] * 9, metrics="frs"))
    >>> section = significance_section(scores)
    >>> section.rows, section.reading
    ((('FRS', 'A', '+**'),), 'FRS: B is better than A (95 %).')
    """
    names = scores.intervals[0].names
    if len(names) < 2:
        return None
    rows: list[tuple[Value, ...]] = []
    readings = []
    for metric, comparison in zip(scores.intervals, scores.comparisons, strict=True):
        for index, row in enumerate(comparison.triangle()):
            rows.append((called(metric.metric), names[index], *[None] * index, *row))
        readings.append(f"{called(metric.metric)}: {comparison_reading(names, comparison)}")
    first = scores.comparisons[0]
    on_common = any(
        pair.common is not None for comparison in scores.comparisons for pair in comparison.pairs
    )
    name = first.test_name
    return Section(
        key="tests",
        group=Group.SCORES,
        whole=True,
        title="Which differences are significant",
        reading=" ".join(readings),
        header=("metric", "system", *names[1:]),
        rows=tuple(rows),
        note=f"{name[0].upper()}{name[1:]} of {scores.plan.unit}"
        f"{'; order metrics on the words that both systems of a pair match' if on_common else ''}. "
        "+** and +*: the system of the column is better than that of the row, at 95 and 90 %; "
        "-** and -*: it is worse; 0: no significant difference. "
        f"{counted(first.resamples, 'resample', commas=True)}, seed {first.seed}.",
    )


def matched_share(translations: Translations, index: int) -> float:
    """Return the share of the reference words that a system matches; 0 without words."""
    system = translations.systems[index]
    _, matched = system.matches.covered()
    return int(matched[system.rows[system.compared]].sum()) / max(system.words, 1)


def uneven_matches(translations: Translations, ranked: Sequence[int]) -> str:
    """Describe how many words the first metric compares of each of the two best systems.

    A system that matches fewer words of the reference has fewer words to put out of order.

    Parameters
    ----------
    translations : Translations
    ranked : sequence of int
        Indices of the systems, the best first.

    Returns
    -------
    str
        Empty if there is one system, if the shares hardly differ, or if orders do not come from
        matched words.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["we met on x x"], "B": ["we met tuesday on noon"]}
    >>> uneven_matches(translations_of(lines, ["we met on tuesday noon"]), [0, 1])
    'FRS compares matched words only: 60 % of the reference words for A and 100 % for B.'
    """
    metric = translations.metrics[0]
    # Metrics that also read texts take unmatched words into account.
    if set(metric.columns) != {"permutation"} or translations.links is not None or len(ranked) < 2:
        return ""
    first, second = (matched_share(translations, index) for index in ranked[:2])
    if abs(first - second) < MIN_SHARE_DIFFERENCE:
        return ""
    best, rival = (translations.names[index] for index in ranked[:2])
    return (
        f"{called(metric.name)} compares matched words only: {100 * first:.0f} % of the reference "
        f"words for {best} and {100 * second:.0f} % for {rival}."
    )


def compared_pairs(translations: Translations, best: int) -> list[tuple[int, int]]:
    """Return the pairs of systems that tables compare.

    Parameters
    ----------
    translations : Translations
    best : int
        Index of the best system.

    Returns
    -------
    list of (int, int)
        Indices of systems: all pairs of up to three systems; of more, the best one with each other
        system.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["a c b"], "B": ["a b c"], "C": ["c b a"], "D": ["b a c"]}
    >>> compared_pairs(translations_of(lines, ["a b c"]), 1)
    [(1, 0), (1, 2), (1, 3)]
    """
    count = len(translations.systems)
    if count <= MAX_SYSTEMS_OF_ALL_PAIRS:
        return list(combinations(range(count), 2))
    return [(best, other) for other in range(count) if other != best]
