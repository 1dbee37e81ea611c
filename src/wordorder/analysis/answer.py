"""The answer of an analysis: which system is best, and whether that may be chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wordorder.analysis.findings import format_points
from wordorder.arrays import Float64
from wordorder.messages import number
from wordorder.metrics.registry import spelt_out
from wordorder.statistics.intervals import NO_ESTIMATE, Estimate, estimates_on_resamples
from wordorder.statistics.measurement import NOT_COMPARED, Measurement
from wordorder.statistics.paired_tests import EQUAL, Comparison, PairTest

# What the score of a metric means, for a single system.
_SCORE_MEANINGS = {
    "frs": "of 100 pairs of neighbouring {words} in its order, {share} are neighbours in the same "
    "order in the reference",
    "cder": "its output needs {share} edits and jumps per 100 reference words",
    "kendall": "of 100 pairs of {words}, {share} are in the right order",
    "exact": "of 100 sentences, {share} have the order of the reference",
}
# The statistics of the systems, and their scores on resamples.
Resampled: TypeAlias = "tuple[Measurement, Float64]"


@dataclass(frozen=True)
class ScoreIntervals:
    """The corpus scores of systems under a metric, with their intervals.

    Attributes
    ----------
    metric : str
        The metric's name, with options if two metrics have one name: ``cder(penalty=mean)``.
    names : tuple of str
        The names of the N systems.
    estimates : tuple of Estimate
        The score and interval of each system.
    higher_is_better : bool
    signature : str
    ranking : tuple of int
        The indices of the systems, the best first, if pairs of systems were compared; else empty.
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
        """Compute the intervals from the scores on resamples."""
        measured, _ = resampled
        estimates = (
            estimate if statistics.any() or not len(statistics) else NO_ESTIMATE
            for estimate, statistics in zip(
                estimates_on_resamples(*resampled, level), measured.statistics, strict=True
            )
        )
        better = measured.higher_is_better
        return cls(metric, tuple(names), tuple(estimates), better, signature)

    def ranked(self) -> list[int]:
        """Return the indices of the systems, the best first: by `ranking`, or by their scores.

        Systems with equal scores keep their order.

        Examples
        --------
        >>> two = (Estimate(0.5, 0.4, 0.6), Estimate(0.3, 0.2, 0.4))
        >>> [ScoreIntervals("m", ("A", "B"), two, up, "m|v:1").ranked() for up in (True, False)]
        [[0, 1], [1, 0]]
        """
        if self.ranking:
            return list(self.ranking)
        sign = -1.0 if self.higher_is_better else 1.0
        # Scores that differ only by rounding are equal.
        keys = [sign * round(estimate.value, 12) for estimate in self.estimates]
        return sorted(range(len(keys)), key=lambda system: (keys[system], system))

    def describe(self, system: int, level: float) -> str:
        """Return the score of a system and its interval as text."""
        estimate = self.estimates[system]
        interval = f"{100 * level:g} % interval {number(estimate.low)} to {number(estimate.high)}"
        return f"{number(estimate.value)} ({interval})"


def answer_sentence(
    scores: ScoreIntervals,
    comparison: Comparison | None = None,
    *,
    level: float = 0.95,
    claim: str = "orders words best",
) -> str:
    """Describe which system orders words best, whether that may be chance, and by how much.

    Parameters
    ----------
    scores : ScoreIntervals
        The scores under the metric that decides.
    comparison : Comparison, optional
        The paired tests of the same systems in the same order; needed for two or more systems.
    level : float
        The level of the intervals.
    claim : str
        What the sentence states about a system that is significantly better.

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
    if not scores.names:
        return "No systems were given."
    if comparison is None or len(scores.names) == 1:
        return _describe_system(scores, scores.ranked()[0], level)
    ranked = comparison.ranked()
    best, rival = ranked[0], closest_rival(comparison)
    pair = comparison.pair(rival, best)
    name, value = scores.names[best], scores.describe(best, level)
    if pair.mark == NOT_COMPARED and pair.common is not None:
        rival_name = scores.names[rival]
        return f"{name} and {rival_name} match no common words: neither is shown to be better."
    metric = spelt_out(scores.metric)
    extreme = "highest" if scores.higher_is_better else "lowest"
    difference = _describe_difference(pair)
    rival_text = _describe_rival(scores, ranked, rival)
    p_value = f"p {format_p(pair.p_value)}, {comparison.resamples:,} resamples"
    shared = _describe_common_words(pair)
    # On the words that each system matches, another one may have the best score.
    first = comparison.ranked_by_value()[0]
    if shared and comparison.scores_better(first, best) and abs(pair.difference) >= EQUAL:
        top, value = scores.names[first], scores.describe(first, level)
        if pair.mark.endswith("**"):
            return (
                f"{name} {claim}{shared}: there its {metric} is {difference} that of {rival_text}, "
                f"and the difference is significant ({p_value}). On its own matched words {top} "
                f"has the {extreme} one, {value}."
            )
        return (
            f"No system is surely best: {top} has the {extreme} {metric} on its own matched "
            f"words, {value}, but{shared} that of {name} is {difference} "
            f"{'it' if first == rival else f'that of {rival_text}'}, and the difference is "
            f"not significant ({p_value})."
        )
    if pair.mark.endswith("**"):
        return (
            f"{name} {claim}: its {metric} is {value}, {difference} that of {rival_text}{shared}; "
            f"the difference is significant ({p_value})."
        )
    if abs(pair.difference) < 1e-9:
        equal = f"the same {metric}{shared}" if shared else f"the same {extreme} {metric}, {value}"
        return f"No system is best: {name} and {scores.names[rival]} have {equal}."
    unsure = f"the difference is not significant ({_describe_interval(pair) or p_value})."
    if pair.interval_95 is not None and len(set(pair.interval_95)) == 1:
        unsure = "all resamples are alike: so few sentences say nothing about others."
    return (
        f"No system is surely best: {name} has the {extreme} {metric}, {value}, {difference} "
        f"that of {rival_text}{shared}, but {unsure}"
    )


def _describe_system(scores: ScoreIntervals, system: int, level: float) -> str:
    """Return a sentence with the score of a system and what it means."""
    value, name = scores.describe(system, level), scores.names[system]
    meaning = _SCORE_MEANINGS.get(scores.metric, "")
    share = f"{100 * scores.estimates[system].value:.0f}"
    words = "matched words" if "|aligner:" in scores.signature else "words"
    meaning = meaning.replace("{share}", share).replace("{words}", words)
    end = f": {meaning}" if meaning else ""
    return f"The {spelt_out(scores.metric)} of {name} is {value}{end}."


def _describe_difference(pair: PairTest) -> str:
    """Return how many points the best system is above or below its rival."""
    direction = "below" if pair.difference < 0 else "above"
    return f"{format_points(100 * abs(pair.difference))} points {direction}"


def _describe_rival(scores: ScoreIntervals, ranked: Sequence[int], rival: int) -> str:
    """Return the name of the rival and, of more than two systems, why it was chosen."""
    name = scores.names[rival]
    if len(ranked) == 2:
        return name
    reason = "the next best" if rival == ranked[1] else "the first not surely worse"
    return f"{name}, {reason} of {len(ranked)} systems"


def _describe_common_words(pair: PairTest) -> str:
    """Return on which share of the words a pair is compared, ``""`` if on all."""
    if pair.common is None:
        return ""
    return f" on the {100 * pair.common:.0f} % of the reference's words that both match"


def closest_rival(comparison: Comparison) -> int:
    """Return the first system that is not significantly worse than the best, or the next best."""
    best, *others = comparison.ranked()
    not_worse = (system for system in others if comparison.pair(system, best).mark != "+**")
    return next(not_worse, others[0])


def _describe_interval(pair: PairTest) -> str:
    """Return the interval of a difference if it contains 0, else ``""``."""
    interval = pair.interval_95
    if interval is None or interval[0] * interval[1] > 0:
        return ""
    low, high = sorted((100 * interval[0], 100 * interval[1]))
    return f"95 % interval of the difference {low:+.1f} to {high:+.1f} points"


def format_p(value: float) -> str:
    """Return a p-value with its sign, rounded; resampling gives none below 1 / resamples."""
    return f"= {value:.3f}" if value >= 0.001 else "< 0.001"
