"""The scores of all systems under every metric, with intervals and tests on the same resamples."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from wordorder.statistics.intervals import DRAWN, ResamplingPlan
from wordorder.statistics.measurement import bootstrap_scores
from wordorder.statistics.paired_tests import SWAPS, Comparison, compared_on, judged_by_swaps


@dataclass(frozen=True)
class TestedScores:
    """What the systems score, and which differences are more than chance.

    Attributes
    ----------
    intervals : tuple of ScoreIntervals
        One per metric.
    comparisons : tuple of Comparison
        One per metric: paired tests of all pairs of systems, by the bootstrap, or by randomization
        where segments are few; of order metrics on the words that both systems match.
    drawn : Drawn
        How intervals and tests were drawn.
    """

    # Not a test, whatever pytest takes the name for.
    __test__ = False

    intervals: tuple[ScoreIntervals, ...]
    comparisons: tuple[Comparison, ...]
    drawn: ResamplingPlan

    @classmethod
    def of(
        cls, translations: Translations, drawn: ResamplingPlan = DRAWN, *, own: bool = False
    ) -> TestedScores:
        """Resample the segments once for all metrics and systems.

        With `own` words, order metrics do not compare pairs on common words.

        Examples
        --------
        >>> from wordorder.analysis.translations.files import translations_of
        >>> lines = {"A": ["b a", "a b"], "B": ["a b", "a b"]}
        >>> found = TestedScores.of(translations_of(lines, ["a b", "a b"], metrics="frs,cder"))
        >>> [(each.metric, each.ranked()) for each in found.intervals]
        [('frs', [1, 0]), ('cder', [1, 0])]
        """
        pairs = [] if own else translations.common_pairs
        signatures = translations.signatures
        if pairs:
            signatures = tuple(
                sign.with_fields(COMMON_WORDS) if number in translations.orders else sign
                for number, sign in enumerate(signatures)
            )
        if drawn.documents is not None:
            signatures = tuple(signature.with_fields(FIELD) for signature in signatures)
        named, swaps = labels(signatures), drawn.swaps or SWAPS
        intervals: list[ScoreIntervals] = []
        tests: list[Comparison] = []
        # All metrics get the same choices of segments.
        for numbers in translations.measured_together():
            measurements = [drawn.rows(translations.measurement(number)) for number in numbers]
            free_memory()
            samples = bootstrap_scores(measurements, resamples=drawn.resamples, seed=drawn.seed)
            resampled = list(zip(measurements, samples, strict=True))
            intervals += [
                ScoreIntervals.on(
                    named[number], translations.names, each, drawn.level, str(signatures[number])
                )
                for number, each in zip(numbers, resampled, strict=True)
            ]
            compared = [compared_on(*each, seed=drawn.seed) for each in resampled]
            tests += judged_by_swaps(compared, measurements, swaps)
            free_memory()
        if pairs:
            how = {"resamples": drawn.resamples, "swaps": swaps, "seed": drawn.seed}
            pairs = [
                replace(
                    pair,
                    measurements={
                        number: drawn.rows(measured)
                        for number, measured in pair.measurements.items()
                    },
                )
                for pair in pairs
            ]
            tests = on_common_words(tests, pairs, **how)
        ranked = (tuple(comparison.ranked()) for comparison in tests)
        ordered = tuple(
            replace(metric, ranking=order) for metric, order in zip(intervals, ranked, strict=True)
        )
        return cls(ordered, tuple(tests), drawn)


def overview_section(scores: TestedScores, translations: Translations) -> Section:
    """Make the table ``systems``: the scores with their intervals, the best of each metric first.

    Parameters
    ----------
    scores : TestedScores
    translations : Translations
        What is scored. Where a metric reads orders, the share of the references' words that match
        stands beside its scores.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> found = translations_of({"A": ["b a"], "B": ["a b"]}, ["a b"], metrics="frs,cder")
    >>> scores = TestedScores.of(found, ResamplingPlan(resamples=10))
    >>> for row in overview_section(scores, found).rows:
    ...     print(*row)
    FRS higher B 1.0 1.0 1.0 None 1.0
    FRS higher A 0.0 0.0 0.0 -1.0 1.0
    CDER lower B 0.0 0.0 0.0 None None
    CDER lower A 1.0 1.0 1.0 1.0 None
    """
    rows: list[tuple[Value, ...]] = []
    used, tests = translations.metrics, scores.comparisons
    matched = [
        count_dropped_words(system.segments, used).matched_share for system in translations.systems
    ]
    shows_matched = any(share is not None for share in matched)
    for metric, read in zip(scores.intervals, map(reads_orders, used), strict=True):
        ranked = metric.ranked()
        best = metric.estimates[ranked[0]].value
        for place, number in enumerate(ranked):
            each = metric.estimates[number]
            rows.append(
                (
                    called(metric.metric),
                    "higher" if metric.higher_is_better else "lower",
                    metric.names[number],
                    *with_bounds(each),
                    each.value - best if place and not math.isnan(each.value - best) else None,
                    *([matched[number] if read else None] if shows_matched else []),
                )
            )
    firsts = [_highest(translations.names, comparison) for comparison in tests]
    metrics = counted(len(scores.intervals), "metric")
    systems = len(scores.intervals[0].names)
    under = f" under all of {metrics}" if len(scores.intervals) > 1 else ""
    if systems == 1:
        reading = f"One system under {metrics}."
    elif len(firsts[0]) == systems and len(set(firsts)) == 1:
        reading = f"All {systems} systems have the same scores{under}."
    elif len(set(firsts)) == 1:
        verb = "is" if len(firsts[0]) == 1 else "are equal, and"
        reading = f"{joined(firsts[0])} {verb} the best of {systems} systems{under}."
    else:
        reading = (
            f"The metrics disagree on which of the {systems} systems is best: "
            + "; ".join(
                f"{called(each.metric)}: {joined(best)}"
                for each, best in zip(scores.intervals, firsts, strict=True)
            )
            + "."
        )
    signatures = [each.signature for each in scores.intervals]
    header = ["metric", "better", "system", "value", "low", "high", "from the best"]
    explained = ""
    if shows_matched:
        header.append("matched")
        explained = " Matched: the share of the references' words that match."
    if any(each.ranked() != each.ranked_by_value() for each in tests):
        explained += " The best system comes first, by the differences on common words."
    return Section(
        key="systems",
        group=Group.SCORES,
        whole=True,
        title="Systems",
        reading=reading,
        header=tuple(header),
        rows=tuple(rows),
        note="Better: whether higher or lower values are better. Low, high: the "
        f"{100 * scores.drawn.level:g} % interval by bootstrap resampling of {scores.drawn.unit} "
        f"{scores.drawn.how}.{explained}",
        signature=" ".join(signatures),
    )


def _highest(names: Sequence[str], comparison: Comparison) -> tuple[str, ...]:
    """Return the best system, and those that are equal to it."""
    first, *others = comparison.ranked()
    # A score that is no number equals none: the first is named all the same.
    equal = {n for n in others if abs(comparison.pair(first, n).difference) < NEAR}
    return tuple(names[n] for n in (first, *others) if n == first or n in equal)


def significance_section(scores: TestedScores) -> Section | None:
    """Make the table ``tests``: a triangle of marks a metric; None for one system.

    Parameters
    ----------
    scores : TestedScores

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["b a"] * 9, "B": ["a b"] * 9}
    >>> scores = TestedScores.of(translations_of(lines, ["a b"] * 9, metrics="frs"))
    >>> found = significance_section(scores)
    >>> found.rows, found.reading
    ((('FRS', 'A', '+**'),), 'FRS: B is better than A (95 %).')
    """
    names = scores.intervals[0].names
    if len(names) < 2:
        return None
    rows: list[tuple[Value, ...]] = []
    readings = []
    for metric, comparison in zip(scores.intervals, scores.comparisons, strict=True):
        for number, row in enumerate(comparison.triangle()):
            rows.append((called(metric.metric), names[number], *[None] * number, *row))
        readings.append(f"{called(metric.metric)}: {comparison_reading(names, comparison)}")
    first = scores.comparisons[0]
    common = any(pair.common is not None for each in scores.comparisons for pair in each.pairs)
    name = first.test_name
    return Section(
        key="tests",
        group=Group.SCORES,
        whole=True,
        title="Which differences are significant",
        reading=" ".join(readings),
        header=("metric", "system", *names[1:]),
        rows=tuple(rows),
        note=f"{name[0].upper()}{name[1:]} of {scores.drawn.unit}"
        f"{'; order metrics on the words that both systems of a pair match' if common else ''}. "
        "+** and +*: the system of the column is better than that of the row, at 95 and 90 %; "
        "-** and -*: it is worse; 0: no significant difference. "
        f"{counted(first.resamples, 'resample', commas=True)}, seed {first.seed}.",
    )


# Shares that differ by less need no words.
APART = 0.03


def matched_share(translations: Translations, number: int) -> float:
    """Return which share of the reference words a system matches, by its number; 0 of no words."""
    system = translations.systems[number]
    _, matched = system.matches.covered()
    return int(matched[system.rows[system.compared]].sum()) / max(system.words, 1)


def uneven_matches(translations: Translations, ranked: Sequence[int]) -> str:
    """Say if the first metric sees fewer words of one of the two best systems than of the other.

    A system that finds fewer words of the reference has fewer that can be out of order.

    Parameters
    ----------
    translations : Translations
    ranked : sequence of int
        Numbers of systems, the best first.

    Returns
    -------
    str
        A sentence; empty for one system, where the shares hardly differ, or where orders do not
        come from matched words.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["we met on x x"], "B": ["we met tuesday on noon"]}
    >>> uneven_matches(translations_of(lines, ["we met on tuesday noon"]), [0, 1])
    'FRS compares matched words only: 60 % of the reference words for A and 100 % for B.'
    """
    metric = translations.metrics[0]
    # What reads texts too sees the other words.
    if set(metric.columns) != {"permutation"} or translations.links is not None or len(ranked) < 2:
        return ""
    first, second = (matched_share(translations, number) for number in ranked[:2])
    if abs(first - second) < APART:
        return ""
    best, rival = (translations.names[number] for number in ranked[:2])
    return (
        f"{called(metric.name)} compares matched words only: {100 * first:.0f} % of the reference "
        f"words for {best} and {100 * second:.0f} % for {rival}."
    )


# As many systems are compared in all pairs.
ALL_PAIRS = 3


def compared_pairs(translations: Translations, best: int) -> list[tuple[int, int]]:
    """Return the pairs of systems that tables of two systems are made of.

    Parameters
    ----------
    translations : Translations
    best : int
        The best system, by number.

    Returns
    -------
    list of (int, int)
        Numbers of systems. Of up to three systems all pairs; of more the best one with each of
        the others.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["a c b"], "B": ["a b c"], "C": ["c b a"], "D": ["b a c"]}
    >>> compared_pairs(translations_of(lines, ["a b c"]), 1)
    [(1, 0), (1, 2), (1, 3)]
    """
    count = len(translations.systems)
    if count <= ALL_PAIRS:
        return list(combinations(range(count), 2))
    return [(best, other) for other in range(count) if other != best]
