"""Human judgements of an evaluation set, and the systems that both people and metrics scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.counts import counted, joined
from wordorder.errors import InputError, unknown_name
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.pair_judgements import PairJudgements
from wordorder.judgement.score_table import ScoreTable
from wordorder.notes import note
from wordorder.types import Float64

# What judgements of pairs are called among the human scores.
RANKINGS = "rankings"
# Systems that a message names.
_NAMED = 5


@dataclass(frozen=True, eq=False)
class Judged:
    """Human judgements of a set.

    Attributes
    ----------
    table : ScoreTable
        Of judgements of pairs: the share of its decided pairs that a system won.
    pairs : PairJudgements, optional
    """

    table: ScoreTable
    pairs: PairJudgements | None = None


def judged_by(given: EvaluationSet, human: str | None) -> Judged:
    """Return the human judgements: scores, or judgements of pairs if there are no scores."""
    pairs = given.rankings
    if pairs is not None and (human == RANKINGS or (human is None and not given.human)):
        return Judged(_wins(given, pairs), pairs)
    if pairs is not None and human is not None and human not in given.human:
        raise unknown_name(f"human score of {given.name}", human, [*given.human, RANKINGS])
    table = given.human_scores(human)
    if pairs is not None and human is None:
        note(f"{given.name}: people are {table.name}; --human={RANKINGS} takes the rankings")
    return Judged(table)


def _wins(given: EvaluationSet, pairs: PairJudgements) -> ScoreTable:
    """Return the share of its decided pairs that each system won, on each segment and in all."""
    every = pairs.expanded()
    shape = len(given.systems), given.segments
    number = {name: place for place, name in enumerate(given.systems)}
    system = np.array([number[name] for name in every.systems], np.int64)
    line = np.array([int(name) - 1 for name in every.items], np.int64)
    won, lost = np.zeros(shape), np.zeros(shape)
    for outcome, winner, loser in (
        (1, every.first, every.second),
        (-1, every.second, every.first),
    ):
        rows = every.outcome == outcome
        lines = line[every.item[rows]]
        np.add.at(won, (system[winner[rows]], lines), 1)
        np.add.at(lost, (system[loser[rows]], lines), 1)
    return ScoreTable(RANKINGS, given.systems, _share(won, lost), _share(won.sum(1), lost.sum(1)))


def _share(won: Float64, lost: Float64) -> Float64:
    """Return won / (won + lost), NaN where nothing was decided."""
    decided = won + lost
    return np.where(decided > 0, won / np.maximum(decided, 1), np.nan)


def judged_systems(table: ScoreTable) -> list[str]:
    """Return the systems that people judged."""
    rated = ~np.isnan(table.segments).all(axis=1) | ~np.isnan(table.system_scores())
    if table.documents is not None:
        rated |= ~np.isnan(table.documents).all(axis=1)
    return [name for name, some in zip(table.systems, rated, strict=True) if some]


def matched(
    given: EvaluationSet, judged: Judged, tables: Sequence[ScoreTable], human_translations: bool
) -> tuple[Judged, list[ScoreTable]]:
    """Keep the systems that people judged and a metric scored; name the others."""
    people = judged_systems(judged.table)
    left_out = [
        name for name in people if name in given.human_translations and not human_translations
    ]
    if left_out:
        note(
            f"{given.name}: left out {counted(len(left_out), 'human translation')} among the "
            f"systems: {joined(left_out[:_NAMED])} (--human-translations keeps them)"
        )
    scored = {name for table in tables for name in judged_systems(table)}
    kept = [name for name in people if name not in left_out and name in scored]
    unscored = [name for name in people if name not in left_out and name not in scored]
    if not kept:
        raise no_common_systems(given, people, "metrics scored", sorted(scored))
    if unscored:
        note(
            f"{given.name}: left out {counted(len(unscored), 'system')} of {len(people)} that "
            f"people judged, without output or score: {_some(unscored)}"
        )
    others = [name for name in given.systems if name not in people and name not in left_out]
    if others:
        note(
            f"{given.name}: nobody judged {counted(len(others), 'system')} of "
            f"{len(given.systems)}: {_some(others)}"
        )
    matched = [table.over(kept) for table in tables]
    pairs = None if judged.pairs is None else judged.pairs.of_systems(kept)
    return Judged(judged.table.of_systems(kept), pairs), matched


def no_common_systems(
    given: EvaluationSet, people: Sequence[str], others: str, names: Sequence[str]
) -> InputError:
    """Build the error for systems that people judged of which none is among the `others`."""
    if not people:
        return InputError(given.name, "people judged no system", "a human score that is a number")
    there = f"{others} {_some(names) or 'nothing'}"
    return InputError(
        given.name, f"people judged {_some(people)}, but {there}", "some systems in both"
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
