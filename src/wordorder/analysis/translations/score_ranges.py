"""How many sentences of each system have a low, medium or high score."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from wordorder.analysis.section import Section, Value
from wordorder.analysis.section_keys import numbered_keys
from wordorder.analysis.translations.translations import Translations
from wordorder.metrics.called import called
from wordorder.statistics.proportions import wilson_interval
from wordorder.types import Float64, Int64

# The ranges of compare-mt, for scores from 0 to 1.
STARTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
# Sums of fractions that should end on the border of a range may end just below it.
NEAR = 1e-12


def range_names() -> tuple[str, ...]:
    """Return what the ranges are called.

    Examples
    --------
    >>> range_names()[:2], range_names()[-1]
    (('below 0.1', '0.1 to 0.2'), '0.9 or more')
    """
    inner = [f"{start} to {stop}" for start, stop in pairwise(STARTS)]
    return (f"below {STARTS[0]}", *inner, f"{STARTS[-1]} or more")


def score_ranges(scores: Float64) -> Int64:
    """Return the range of each score, int64[S]; -1 for NaN.

    Examples
    --------
    >>> score_ranges(np.array([-0.5, 0.1, 0.95, 1.5, np.nan])).tolist()
    [0, 1, 9, 9, -1]
    """
    ranges = np.searchsorted(np.array(STARTS), scores + NEAR, side="right")
    return np.where(np.isnan(scores), -1, ranges).astype(np.int64)


def score_range_sections(translations: Translations, *, level: float = 0.95) -> list[Section]:
    """Make a table of how many sentences have which score, for each metric.

    Parameters
    ----------
    translations : Translations
    level : float
        Of the intervals of the shares.

    Returns
    -------
    list of Section
        ``score-ranges``, ``score-ranges-2``, ..., one a metric.
    """
    return [
        _section(translations, place, suffix, level)
        for suffix, place in numbered_keys(range(len(translations.metrics)))
    ]


def _section(translations: Translations, place: int, suffix: str, level: float) -> Section:
    name = called(translations.metrics[place].name)
    ranges = [score_ranges(system.scores[place]) for system in translations.systems]
    counts = np.array([np.bincount(each + 1, minlength=len(STARTS) + 2)[1:] for each in ranges])
    scored = counts.sum(axis=1, keepdims=True)
    shares = counts / np.maximum(scored, 1)
    low, high = wilson_interval(counts, scored, level)
    rows: list[tuple[Value, ...]] = [
        (
            *(range_name, system, int(counts[at, number])),
            *(float(each[at, number]) for each in (shares, low, high)),
        )
        for number, range_name in enumerate(range_names())
        if counts[:, number].any()
        for at, system in enumerate(translations.names)
    ]
    return Section(
        key=f"score-ranges{suffix}",
        title=f"Sentences by {name}",
        reading=_reading(translations, ranges, place),
        header=(name, "system", "sentences", "share", "low", "high"),
        rows=tuple(rows),
        note=f"Sentences with a score in each range, and their share of the sentences that {name} "
        f"scores; low and high are the ends of its {100 * level:g} % interval (Wilson 1927).",
        signature=translations.segment_signature(place),
    )


def _reading(translations: Translations, ranges: list[Int64], place: int) -> str:
    """Say how many sentences of each system are in the best range and in the worst."""
    higher = translations.metrics[place].higher_is_better
    best, worst = (len(STARTS), 0) if higher else (0, len(STARTS))
    names = range_names()
    parts = []
    for name, each in zip(translations.names, ranges, strict=True):
        scored = max(int(np.count_nonzero(each >= 0)), 1)
        top, bottom = (100 * np.count_nonzero(each == at) / scored for at in (best, worst))
        parts.append(f"{name} {top:.1f} % and {bottom:.1f} %")
    return (
        f"Sentences with the best scores ({names[best]}) and the worst ({names[worst]}): "
        f"{'; '.join(parts)}."
    )
