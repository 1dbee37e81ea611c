"""On how many words two systems are compared: a metric of matched words ignores all others."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.analysis.translations.translations import Translations
from wordorder.analysis.translations.word_outcomes import word_outcomes
from wordorder.metrics.called import called

# Shares that differ by less need no words.
APART = 0.03


def matched_share(translations: Translations, number: int) -> float:
    """Return which share of the reference words a system matches, by its number; 0 of no words."""
    system = translations.systems[number]
    matched = word_outcomes(system.texts, system.rows, system.matches).matched
    return float(matched.mean()) if len(matched) else 0.0


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
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> lines = {"A": ["we met on x x"], "B": ["we met tuesday on noon"]}
    >>> uneven_matches(translations_of(lines, ["we met on tuesday noon"]), [0, 1])
    'FRS compares matched words only: 60 % of the reference words for A, but 100 % for B.'
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
        f"words for {best}, but {100 * second:.0f} % for {rival}."
    )
