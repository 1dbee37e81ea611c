"""Gathering judgements of pairs row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.counts import percent
from wordorder.judgement.pair_judgements import PairJudgements
from wordorder.judgement.table_rows import Names
from wordorder.notes import note


class PairRows:
    """Judgements of pairs as they come from a file; `judgements` returns them all.

    Attributes
    ----------
    systems, raters, items : Names
    alone : int
        Rankings of a single output, which say nothing.
    """

    def __init__(self) -> None:
        self.systems, self.raters, self.items = Names(), Names(), Names()
        self._rows: list[tuple[int, int, int, int, int, int]] = []
        self._shared: dict[tuple[int, int], tuple[int, ...]] = {}
        self._rankings = self.alone = 0

    def add_pair(self, item: str, rater: str, first: str, second: str, outcome: int) -> None:
        """Take one judgement; an empty `rater` is unknown."""
        numbers = self.items.number(item), self.raters.number(rater) if rater else -1
        pair = self.systems.number(first), self.systems.number(second)
        self._rows.append((*numbers, *pair, outcome, self._rankings))
        self._rankings += 1

    def add_ranking(
        self, item: str, rater: str, outputs: Sequence[tuple[Sequence[str], int]]
    ) -> None:
        """Take each two outputs of a ranking: the systems of each output and its rank, 1 best."""
        numbers = self.items.number(item), self.raters.number(rater) if rater else -1
        ranked: list[tuple[int, int]] = []
        for names, rank in outputs:
            system, *others = sorted(map(self.systems.number, names))
            if others:
                self._shared[numbers[0], system] = tuple(others)
            ranked.append((system, rank))
        for i, (first, rank) in enumerate(ranked):
            for second, other in ranked[i + 1 :]:
                outcome = (other > rank) - (other < rank)
                self._rows.append((*numbers, first, second, outcome, self._rankings))
        self._rankings += 1
        self.alone += len(ranked) < 2

    def judgements(self, name: str) -> PairJudgements:
        """Return all judgements; a note says how many rankings of the file `name` say nothing."""
        if self.alone:
            share = percent(self.alone, self._rankings)
            what = f"{self.alone} of {self._rankings} rankings ({share}) have a single output"
            note(f"{name}: {what} and say nothing")
        columns = np.array(self._rows, np.int32).reshape(-1, 6).T.copy()
        item, rater, first, second, outcome, ranking = columns
        return PairJudgements(
            self.systems.all(),
            self.raters.all(),
            self.items.all(),
            item,
            rater,
            first,
            second,
            outcome.astype(np.int8),
            ranking,
            self._shared,
        )
