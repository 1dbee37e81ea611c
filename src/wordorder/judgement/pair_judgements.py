"""Judgements of pairs: which of two outputs a rater found better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from wordorder.judgement.judgements import Judgements
from wordorder.types import Int8, Int32, Int64


@dataclass(frozen=True, eq=False)
class PairJudgements(Judgements):
    """Which of two systems was judged better, one row a judgement.

    A ranking of several outputs gives one row for each two of them, all with the same number in
    `ranking`. Systems that share an output are judged once: one of them represents all in `first`
    and `second`, and `shared` names the others.

    Attributes
    ----------
    systems, raters, items, item, rater
        As in `Judgements`.
    first, second : int32[N]
        The numbers of the two systems.
    outcome : int8[N]
        1 if `first` was judged better, -1 if `second` was, 0 for a tie.
    ranking : int32[N]
        From 0; judgements with the same number come from one ranking.
    shared : mapping of (item, system) to tuple of int
        The other systems whose output on that item is the same.

    Examples
    --------
    >>> numbers = np.zeros(1, np.int32)
    >>> pair = PairJudgements(("A", "B", "C"), (), ("7",), numbers, numbers - 1, numbers,
    ...                       numbers + 1, np.ones(1, np.int8), numbers, {(0, 1): (2,)})
    >>> pair.wins().tolist(), pair.expanded().wins().tolist()
    ([[0, 1, 0], [0, 0, 0], [0, 0, 0]], [[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    """

    first: Int32
    second: Int32
    outcome: Int8
    ranking: Int32
    shared: Mapping[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)

    def expanded(self) -> PairJudgements:
        """Return judgements with a row for each pair of systems, also of those that share.

        A judgement of an output is one of every system that made it, and these tie with each
        other: the official rankings of WMT15 rest on such rows. They are not independent, so count
        the agreement of raters without them.
        """
        if not self.shared:
            return self
        rows: list[tuple[int, int, int, int]] = []
        tied: set[tuple[int, int]] = set()
        columns = (self.item, self.first, self.second, self.outcome, self.ranking)
        for row, (item, a, b, outcome, ranking) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        ):
            sides = [(x, *self.shared.get((item, x), ())) for x in (a, b)]
            rows += [(row, x, y, outcome) for x in sides[0] for y in sides[1]]
            for names in sides:
                if (ranking, names[0]) not in tied:
                    tied.add((ranking, names[0]))
                    rows += [(row, x, y, 0) for x, y in combinations(names, 2)]
        taken, first, second, outcomes = np.array(rows, np.int32).reshape(-1, 4).T.copy()
        return PairJudgements(
            self.systems,
            self.raters,
            self.items,
            self.item[taken],
            self.rater[taken],
            first,
            second,
            outcomes.astype(np.int8),
            self.ranking[taken],
        )

    def of_systems(self, systems: Sequence[str]) -> PairJudgements:
        """Return the judgements of two of these systems, which alone are named then.

        An output that several systems share stays as long as one of them is left.
        """
        left = [number for number, name in enumerate(self.systems) if name in set(systems)]
        place = np.full(len(self.systems), -1, np.int32)
        place[left] = np.arange(len(left), dtype=np.int32)
        # By item and system, those that share an output, of which the first one left is named.
        ends = [self.first.copy(), self.second.copy()]
        shared: dict[tuple[int, int], tuple[int, ...]] = {}
        for (item, system), others in self.shared.items():
            kept = [each for each in (system, *others) if place[each] >= 0]
            if not kept:
                continue
            if kept[0] != system:
                for end in ends:
                    end[(self.item == item) & (end == system)] = kept[0]
            if kept[1:]:
                shared[item, int(place[kept[0]])] = tuple(int(place[each]) for each in kept[1:])
        first, second = place[ends[0]], place[ends[1]]
        rows = (first >= 0) & (second >= 0)
        return PairJudgements(
            tuple(self.systems[number] for number in left),
            self.raters,
            self.items,
            self.item[rows],
            self.rater[rows],
            first[rows],
            second[rows],
            self.outcome[rows],
            self.ranking[rows],
            shared,
        )

    def wins(self) -> Int64:
        """Return how often the row's system was judged better than the column's, int64[n, n]."""
        n = len(self.systems)
        won = np.zeros((n, n), np.int64)
        for winner, loser, outcome in ((self.first, self.second, 1), (self.second, self.first, -1)):
            rows = self.outcome == outcome
            np.add.at(won, (winner[rows], loser[rows]), 1)
        return won
