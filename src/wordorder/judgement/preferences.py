"""Preferences: which of two outputs people found better, as numbers of systems and segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wordorder.errors import UsageError
from wordorder.statistics.consistency import score_differences
from wordorder.types import Int64

if TYPE_CHECKING:
    from wordorder.judgement.pair_judgements import PairJudgements
    from wordorder.judgement.score_table import ScoreTable


@dataclass(frozen=True, eq=False)
class Preferences:
    """Strict preferences of people, one row a judgement.

    Attributes
    ----------
    item, better, worse : int64[N]
        Segment and systems, from 0.
    ties : int
        Judgements that two outputs are equally good; they are no preference.
    """

    item: Int64
    better: Int64
    worse: Int64
    ties: int = 0

    def __len__(self) -> int:
        return len(self.item)

    @classmethod
    def of_rankings(
        cls, judgements: PairJudgements, systems: tuple[str, ...], segments: int
    ) -> Preferences:
        """Take judgements of pairs; their items are the numbers of segments, from 1.

        Parameters
        ----------
        systems : tuple of str
            The systems of the score tables, in their order.
        segments : int
            How many segments the tables have.

        Raises
        ------
        UsageError
            If a judged system or segment is not in the tables; the message names it.
        """
        number = {name: n for n, name in enumerate(systems)}
        missing = [name for name in judgements.systems if name not in number]
        if missing:
            raise UsageError(f"people judged {missing[0]}, which has no scores")
        system = np.array([number[name] for name in judgements.systems], np.int64)
        line = np.array([_line(name, segments) for name in judgements.items], np.int64)
        strict = judgements.outcome != 0
        wins = judgements.outcome[strict] > 0
        first = system[judgements.first[strict]]
        second = system[judgements.second[strict]]
        return cls(
            line[judgements.item[strict]],
            np.where(wins, first, second),
            np.where(wins, second, first),
            int(np.count_nonzero(~strict)),
        )

    @classmethod
    def of_scores(cls, human: ScoreTable) -> Preferences:
        """Take all pairs of systems that people scored differently on a segment.

        Examples
        --------
        >>> from wordorder.judgement import ScoreTable
        >>> human = ScoreTable("mqm", ("A", "B"), np.array([[-1.0, 0.0], [-5.0, 0.0]]))
        >>> result = Preferences.of_scores(human)
        >>> result.item.tolist(), result.better.tolist(), result.worse.tolist(), result.ties
        ([0], [0], [1], 1)
        """
        scores = human.better_higher().segments
        first, second = np.triu_indices(len(scores), 1)
        difference = score_differences(scores[first], scores[second])
        pair, item = np.nonzero(np.nan_to_num(difference))
        wins = difference[pair, item] > 0
        return cls(
            item.astype(np.int64),
            np.where(wins, first[pair], second[pair]).astype(np.int64),
            np.where(wins, second[pair], first[pair]).astype(np.int64),
            int(np.count_nonzero(difference == 0)),
        )


def _line(name: str, segments: int) -> int:
    if not name.isascii() or not name.isdigit() or not 1 <= int(name) <= segments:
        raise UsageError(f"people judged segment {name}; expected a number from 1 to {segments}")
    return int(name) - 1
