"""The answer of an analysis: which system is best, and whether that may be chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wordorder.analysis.findings import format_points
from wordorder.arrays import Float64
from wordorder.messages import number
from wordorder.metrics.registry import spelt_out
from wordorder.statistics.intervals import NO_ESTIMATE, Estimate, estimated_on
from wordorder.statistics.measurement import NOT_COMPARED, Measurement
from wordorder.statistics.paired_tests import EQUAL, Comparison

# What a value of a metric says about words, for a system that has no rival.
_MEANINGS = {
    "frs": "of 100 pairs of neighbouring {words} in its order, {share} are neighbours in the same "
    "order in the reference",
    "cder": "its output needs {share} edits and jumps per 100 reference words",
    "kendall": "of 100 pairs of {words}, {share} are in the right order",
    "exact": "of 100 sentences, {share} have the order of the reference",
}
# What was measured, and the scores of the systems on resamples.
Resampled: TypeAlias = "tuple[Measurement, Float64]"


@dataclass(frozen=True)
class ScoreIntervals:
    """The value of each system on the whole corpus, as the picture of intervals shows it.

    Attributes
    ----------
    metric : str
        Its name, with options if two metrics of one name are shown: ``cder(penalty=mean)``.
    names : tuple of str
        The systems, n of them.
    estimates : tuple of Estimate
        n of them.
    higher_is_better : bool
    signature : str
        What produced the numbers.
    ranking : tuple of int
        The systems' numbers, the best first, where pairs of systems were compared; else empty.
    """

    metric: str
    names: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    higher_is_better: bool
    signature: str
    ranking: tuple[int, ...] = ()

    @classmethod
    def on(
        cls, metric: str, names: Sequence[str], resampled: Resampled, level: float, signature: str
    ) -> ScoreIntervals:
        """Estimate the value of each system on resamples that have been drawn."""
        measured = resampled[0]
        estimates = (
            each if rows.any() or not len(rows) else NO_ESTIMATE
            for each, rows in zip(estimated_on(*resampled, level), measured.statistics, strict=True)
        )
        better = measured.higher_is_better
        return cls(metric, tuple(names), tuple(estimates), better, signature)

    def ranked(self) -> list[int]:
        """Return the systems' numbers, the best first: by `ranking`, or by their values.

        Of equal values the first comes first.

        Examples
        --------
        >>> two = (Estimate(0.5, 0.4, 0.6), Estimate(0.3, 0.2, 0.4))
        >>> [ScoreIntervals("m", ("A", "B"), two, up, "m|v:1").ranked() for up in (True, False)]
        [[0, 1], [1, 0]]
        """
        if self.ranking:
            return list(self.ranking)
        sign = -1.0 if self.higher_is_better else 1.0
        # Equal but for rounding is equal.
        keys = [sign * round(each.value, 12) for each in self.estimates]
        return sorted(range(len(keys)), key=lambda number: (keys[number], number))


def answer_sentence(
    scores: ScoreIntervals,
    comparison: Comparison | None = None,
    *,
    level: float = 0.95,
    claim: str = "orders words best",
) -> str:
    """Say which system orders words best, whether that may be chance, and by how much.

    Parameters
    ----------
    scores : ScoreIntervals
        Of the metric that decides.
    comparison : Comparison, optional
        The paired tests of the same systems in the same order; needed for two or more.
    level : float
        Of the intervals.
    claim : str
        What is said of the system that is surely best.

    Returns
    -------
    str
        One sentence. Differences are in points: 0.01 of the metric is 1 point. A difference is
        significant if the paired test says so at 95 %.

    Examples
    --------
    >>> from wordorder.statistics.intervals import Estimate
    >>> one = ScoreIntervals("frs", ("A",), (Estimate(0.75, 0.7, 0.8),), True, "frs|v:1")
    >>> answer_sentence(one)
    'The fuzzy reordering score (FRS) of A is 0.7500 (95 % interval 0.7000 to 0.8000): of 100 \
pairs of neighbouring words in its order, 75 are neighbours in the same order in the reference.'
    """
    ranked = scores.ranked() if comparison is None else comparison.ranked()
    if not ranked:
        return "No systems were given."
    best = ranked[0]
    name = scores.names[best]
    value = _with_interval(scores.estimates[best], level)
    metric = spelt_out(scores.metric)
    if comparison is None or len(ranked) == 1:
        meaning = _MEANINGS.get(scores.metric, "")
        share = f"{100 * scores.estimates[best].value:.0f}"
        among = "matched words" if "|aligner:" in scores.signature else "words"
        meaning = meaning.replace("{share}", share).replace("{words}", among)
        said = f": {meaning}" if meaning else ""
        return f"The {metric} of {name} is {value}{said}."
    second = closest_rival(comparison)
    pair = comparison.pair(second, best)
    difference = f"{format_points(100 * abs(pair.difference))} points"
    rival = scores.names[second]
    place = "the next best" if second == ranked[1] else "the first not surely worse"
    next_best = rival if len(ranked) == 2 else f"{rival}, {place} of {len(ranked)} systems"
    direction = "below" if pair.difference < 0 else "above"
    extreme = "highest" if scores.higher_is_better else "lowest"
    p_value = f"p {format_p(pair.p_value)}, {comparison.resamples:,} resamples"
    shared = ""
    if pair.common is not None:
        if pair.mark == NOT_COMPARED:
            return f"{name} and {rival} match no common words: neither is shown to be better."
        shared = f" on the {100 * pair.common:.0f} % of the reference's words that both match"
        # By the words of each, another system may be first.
        first = comparison.ranked_by_value()[0]
        if comparison.scores_better(first, best) and abs(pair.difference) >= EQUAL:
            top, value = scores.names[first], _with_interval(scores.estimates[first], level)
            if pair.mark.endswith("**"):
                return (
                    f"{name} {claim}{shared}: there its {metric} is {difference} {direction} that "
                    f"of {next_best}, and the difference is significant ({p_value}). On its own "
                    f"matched words {top} has the {extreme} one, {value}."
                )
            return (
                f"No system is surely best: {top} has the {extreme} {metric} on its own matched "
                f"words, {value}, but{shared} that of {name} is {difference} {direction} "
                f"{'it' if first == second else f'that of {next_best}'}, and the difference is "
                f"not significant ({p_value})."
            )
    if pair.mark.endswith("**"):
        return (
            f"{name} {claim}: its {metric} is {value}, {difference} "
            f"{direction} that of {next_best}{shared}; the difference is significant ({p_value})."
        )
    if abs(pair.difference) < 1e-9:
        if shared:
            return f"No system is best: {name} and {rival} have the same {metric}{shared}."
        return f"No system is best: {name} and {rival} have the same {extreme} {metric}, {value}."
    if pair.interval_95 is not None and len(set(pair.interval_95)) == 1:
        return (
            f"No system is surely best: {name} has the {extreme} {metric}, {value}, {difference} "
            f"{direction} that of {next_best}{shared}, but all resamples are alike: so few "
            "sentences say nothing about others."
        )
    return (
        f"No system is surely best: {name} has the {extreme} {metric}, {value}, "
        f"{difference} {direction} that of {next_best}{shared}, but the difference is "
        f"not significant ({_interval(pair.interval_95) or p_value})."
    )


def _with_interval(estimate: Estimate, level: float) -> str:
    """Write a value and its interval."""
    interval = f"{100 * level:g} % interval {number(estimate.low)} to {number(estimate.high)}"
    return f"{number(estimate.value)} ({interval})"


def closest_rival(comparison: Comparison) -> int:
    """Return the first system that the best one does not surely beat, or else the next best."""
    best, *others = comparison.ranked()
    unsure = (each for each in others if comparison.pair(each, best).mark != "+**")
    return next(unsure, others[0])


def _interval(interval: tuple[float, float] | None) -> str:
    """Write the interval of a difference if it has 0; without it, the p-value says why."""
    if interval is None or interval[0] * interval[1] > 0:
        return ""
    low, high = sorted((100 * interval[0], 100 * interval[1]))
    return f"95 % interval of the difference {low:+.1f} to {high:+.1f} points"


def format_p(value: float) -> str:
    """Write a p-value; resampling gives none below 1 in the number of resamples."""
    return f"= {value:.3f}" if value >= 0.001 else "< 0.001"
