"""All systems of an analysis in one table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.placement import Placement
from wordorder.analysis.score_intervals import ScoreIntervals
from wordorder.analysis.section import Section
from wordorder.analysis.system import AnalysedSystem
from wordorder.metrics.called import called


def system_overview_section(
    corpus: Corpus,
    systems: Sequence[AnalysedSystem],
    placements: Sequence[Placement],
    intervals: ScoreIntervals,
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> Section:
    """Make the table ``systems``: the score of each with its interval, and what it gets right.

    Parameters
    ----------
    corpus : Corpus
    systems : sequence of AnalysedSystem
    placements : sequence of Placement
        One a system.
    intervals : ScoreIntervals
        What the systems score on the whole corpus.
    level, resamples, seed
        Of the intervals.
    """
    rows = []
    for system, each, estimate in zip(systems, placements, intervals.estimates, strict=True):
        broken = np.bincount(each.sentences[each.begins], minlength=len(corpus.words))
        right = each.scored - int(np.count_nonzero(broken))
        words = max(len(each.words), 1)
        rows.append(
            (
                system.name,
                *(estimate.value, estimate.low, estimate.high),
                int(np.count_nonzero(~system.skipped)),
                int(np.count_nonzero(system.skipped)),
                right,
                int(np.count_nonzero(each.broken)),
                int(np.count_nonzero(each.misordered)) / words,
                float(np.abs(each.displacement).sum()) / words,
            )
        )
    ordered = [rows[number] for number in intervals.ranked()]
    best = ordered[0]
    reading = (
        f"{best[0]} has {called(intervals.metric)} {best[1]:.4f}, with a {100 * level:g} % "
        f"interval from {best[2]:.4f} to {best[3]:.4f}, and orders {best[6]} of {best[4]} "
        "sentences as in the reference."
    )
    equal = sum(round(row[1], 12) == round(best[1], 12) for row in rows)
    if not best[4]:
        reading = "No sentence has words to order, so nothing is scored."
    elif equal < len(rows):
        which = "It is the best of" if equal == 1 else f"It and {equal - 1} more are the best of"
        last = ordered[-1]
        reading += f" {which} {len(rows)} systems; the last is {last[0]} with {last[1]:.4f}."
    elif equal > 1:
        reading += f" All {equal} systems have the same value."
    missing = corpus.words.words - len(corpus.reference.positions.values)
    note = (
        f"low, high: the {100 * level:g} % interval by bootstrap resampling of sentences "
        f"({resamples} resamples, seed {seed}). Right: sentences in reference order. Boundaries: "
        "broken chunk boundaries. Misordered: the share of words next to a broken boundary. "
        "Distance: the mean distance of a word from its place in the reference, in words."
    )
    if missing:
        note += f" The reference lacks {missing} of {corpus.words.words} words, which do not count."
    for system, each in zip(systems, placements, strict=True):
        lacking = len(corpus.reference.positions.values) - len(each.words)
        if lacking:
            note += f" {system.name} lacks {lacking} words of the reference, which do not count."
    return Section(
        key="systems",
        title="Systems",
        reading=reading,
        header=(
            *("system", intervals.metric, "low", "high", "scored", "skipped", "right"),
            *("boundaries", "misordered", "distance"),
        ),
        rows=tuple(ordered),
        note=note,
        signature=intervals.signature,
    )
