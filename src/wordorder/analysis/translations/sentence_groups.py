"""Scores of groups of sentences: the corpus score of each, with an interval, for each system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.analysis.translations.translations import Translations
from wordorder.statistics.intervals import Estimate, confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.types import Int64


@dataclass(frozen=True, eq=False)
class SentenceGroups:
    """The scores of all systems on groups of sentences, under every metric.

    Attributes
    ----------
    groups : tuple of int
        Numbers of the groups that have sentences, G of them.
    members : tuple of int64
        Their segments.
    estimates : for each metric, for each group, an Estimate a system
        The score of these sentences as a corpus, and its interval by bootstrap resampling of these
        sentences, the same resamples for all systems and metrics; None for a system of which the
        metric leaves all of them out.
    """

    groups: tuple[int, ...]
    members: tuple[Int64, ...]
    estimates: tuple[tuple[tuple[Estimate | None, ...], ...], ...]


def sentence_groups(
    translations: Translations,
    groups: Int64,
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> SentenceGroups:
    """Score each group of sentences as a corpus of its own.

    Parameters
    ----------
    translations : Translations
    groups : int64[S]
        The group of each segment, from 0; below 0 for one that is in none.
    level, resamples, seed
        Of the intervals.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> found = translations_of(
    ...     {"A": ["a b", "c d e", "f"]}, ["a b", "e d c", "g"], metrics="wer"
    ... )
    >>> scored = sentence_groups(found, np.array([0, 1, 1]))
    >>> scored.groups, [row[0].value for row in scored.estimates[0]]
    ((0, 1), [0.0, 0.75])
    """
    numbers = [int(number) for number in np.unique(groups) if number >= 0]
    members = [np.flatnonzero(groups == number) for number in numbers]
    found: list[list[tuple[Estimate | None, ...]]] = [[] for _ in translations.metrics]
    for rows in members:
        measured = []
        for place, metric in enumerate(translations.metrics):
            parts = [system.statistics[place][rows] for system in translations.systems]
            measured.append(Measurement(parts, metric.score, metric.higher_is_better))
        estimates = confidence_intervals(measured, confidence=level, resamples=resamples, seed=seed)
        for place, row in enumerate(estimates):
            scored = [each.any() for each in measured[place].statistics]
            found[place].append(
                tuple(each if used else None for each, used in zip(row, scored, strict=True))
            )
    return SentenceGroups(tuple(numbers), tuple(members), tuple(map(tuple, found)))
