"""The answer of an analysis in one sentence: which system orders words best, and how surely."""

from __future__ import annotations

from wordorder.analysis.points import points
from wordorder.analysis.score_intervals import ScoreIntervals
from wordorder.counts import number
from wordorder.metrics.called import spelt_out
from wordorder.statistics.comparison import Comparison

# What a value of a metric says about words, for a system that has no rival.
_MEANINGS = {
    "frs": "of 100 pairs of adjacent words in its output, {share} are also adjacent and in order "
    "in the reference",
    "cder": "its output needs {share} edits and jumps per 100 reference words",
    "kendall": "of 100 pairs of words, {share} are in the right order",
    "exact": "of 100 sentences, {share} have the order of the reference",
}


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
pairs of adjacent words in its output, 75 are also adjacent and in order in the reference.'
    """
    ranked = scores.ranked()
    if not ranked:
        return "No systems were given."
    best = ranked[0]
    name, estimate = scores.names[best], scores.estimates[best]
    interval = f"{100 * level:g} % interval {number(estimate.low)} to {number(estimate.high)}"
    value = f"{number(estimate.value)} ({interval})"
    metric = spelt_out(scores.metric)
    if comparison is None or len(ranked) == 1:
        meaning = _MEANINGS.get(scores.metric, "")
        share = f"{100 * estimate.value:.0f}"
        said = f": {meaning.replace('{share}', share)}" if meaning else ""
        return f"The {metric} of {name} is {value}{said}."
    pair = comparison.pair(ranked[1], best)
    difference = f"{points(100 * abs(pair.difference))} points"
    rival = scores.names[ranked[1]]
    next_best = rival if len(ranked) == 2 else f"{rival}, the next best of {len(ranked)} systems"
    direction = "above" if scores.higher_is_better else "below"
    p_value = f"p {_p_value(pair.p_value)}, {comparison.resamples:,} resamples"
    if pair.mark.endswith("**"):
        return (
            f"{name} {claim}: its {metric} is {value}, {difference} "
            f"{direction} that of {next_best}; the difference is significant ({p_value})."
        )
    extreme = "highest" if scores.higher_is_better else "lowest"
    if abs(pair.difference) < 1e-9:
        return f"No system is best: {name} and {rival} have the same {extreme} {metric}, {value}."
    return (
        f"No system is surely best: {name} has the {extreme} {metric}, {value}, "
        f"but it is only {difference} {direction} that of {next_best}, and the difference is "
        f"not significant ({_interval(pair.interval_95) or p_value})."
    )


def _interval(interval: tuple[float, float] | None) -> str:
    """Write the interval of a difference; a bootstrap test decides by it, not by its p-value."""
    if interval is None:
        return ""
    low, high = sorted((100 * interval[0], 100 * interval[1]))
    return f"95 % interval of the difference {low:+.1f} to {high:+.1f} points"


def _p_value(value: float) -> str:
    """Write a p-value; resampling gives none below 1 in the number of resamples."""
    return f"= {value:.3f}" if value >= 0.001 else "< 0.001"
