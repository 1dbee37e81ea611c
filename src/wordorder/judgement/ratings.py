"""Ratings: a number that a rater gave to one output."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from wordorder.judgement.judgements import Judgements
from wordorder.judgement.pair_judgements import PairJudgements
from wordorder.statistics.exact_means import group_means
from wordorder.types import Bool, Float64, Int32


@dataclass(frozen=True, eq=False)
class Ratings(Judgements):
    """Values that raters gave to outputs, one row a rating.

    Direct assessment, MQM scores and ratings from 0 to 6 are read into this form.

    Attributes
    ----------
    systems, raters, items, item, rater
        As in `Judgements`.
    system : int32[N]
    value : float64[N]
        Higher is better.
    standard : float64[N], optional
        The same values standardised for each rater, where the file has them.

    Examples
    --------
    >>> numbers = np.arange(2, dtype=np.int32)
    >>> Ratings(("A", "B"), (), ("1", "2"), numbers, numbers, numbers, np.array([60.0, 80.0])
    ...     ).means().tolist()
    [[60.0, nan], [nan, 80.0]]
    """

    system: Int32
    value: Float64
    standard: Float64 | None = None

    def taking(self, rows: Bool) -> Ratings:
        """Return the ratings of some rows; the names stay."""
        standard = None if self.standard is None else self.standard[rows]
        return replace(
            self,
            item=self.item[rows],
            rater=self.rater[rows],
            system=self.system[rows],
            value=self.value[rows],
            standard=standard,
        )

    def pairs(self) -> PairJudgements:
        """Return each two systems that one rater rated on one item: the higher value is better.

        Equal values tie. If a rater rated an output several times, his mean counts. Ratings of
        unknown raters are taken for those of one.
        """
        names = np.stack([self.item, self.rater, self.system])
        own, codes = np.unique(names, axis=1, return_inverse=True)
        codes = codes.reshape(-1)
        means = group_means(self.value, codes, own.shape[1])[codes]
        rated: dict[tuple[int, int], dict[int, float]] = {}
        for item, rater, system, mean in zip(*names.tolist(), means.tolist(), strict=True):
            rated.setdefault((item, rater), {})[system] = mean
        rows = []
        for number, ((item, rater), outputs) in enumerate(rated.items()):
            for (a, above), (b, below) in combinations(outputs.items(), 2):
                rows.append((item, rater, a, b, (above > below) - (above < below), number))
        item, rater, first, second, outcome, ranking = (
            np.array(rows, np.int32).reshape(-1, 6).T.copy()
        )
        return PairJudgements(
            *(self.systems, self.raters, self.items, item, rater, first, second),
            outcome=outcome.astype(np.int8),
            ranking=ranking,
        )

    def means(self, values: Float64 | None = None) -> Float64:
        """Return the mean of each system on each item, float64[n, items]; NaN without a rating.

        Parameters
        ----------
        values : float64[N], optional
            What is averaged instead of `value`, such as `standard`.
        """
        values = self.value if values is None else values
        shape = len(self.systems), len(self.items)
        cells = self.system.astype(np.int64) * shape[1] + self.item
        return group_means(values, cells, shape[0] * shape[1]).reshape(shape)
