"""Human judgements of the outputs of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from wordorder.arrays import Bool, Float64, Int8, Int32, Int64
from wordorder.errors import UsageError
from wordorder.judgement.table_rows import MAX_DIGITS
from wordorder.messages import counted
from wordorder.notes import note
from wordorder.records import Record, key
from wordorder.statistics.consistency import score_differences
from wordorder.statistics.exact_means import group_means

if TYPE_CHECKING:
    from wordorder.judgement.score_table import ScoreTable

# With fewer items, resamples differ too little to show how results vary with the items.
MIN_RESAMPLED_ITEMS = 20


@dataclass(frozen=True)
class FailedRater(Record):
    """A rater who answered too few control items correctly."""

    rater: str = key("who it is")
    right: int = key("control items that the rater knew")
    asked: int = key("control items that the rater answered")


@dataclass(frozen=True, eq=False)
class Judgements:
    """Human judgements of outputs, one row each: `PairJudgements` or `Ratings`.

    `read_judgements` reads them from a file of any format.

    Attributes
    ----------
    systems, raters, items : tuple of str
        Names; an item is a segment. Empty `raters` if the file does not name them.
    item : int32[N]
        Index into `items`.
    rater : int32[N]
        Index into `raters`, or -1 if unknown.
    signature : str
        For projects of `rate`: how the judgements were collected.
    failed : tuple of FailedRater
        Raters who failed control items; their judgements are left out.
    everybody : Judgements, optional
        The judgements of all raters, if some failed.
    """

    systems: tuple[str, ...]
    raters: tuple[str, ...]
    items: tuple[str, ...]
    item: Int32
    rater: Int32
    signature: str = field(default="", kw_only=True)
    failed: tuple[FailedRater, ...] = field(default=(), kw_only=True)
    everybody: Judgements | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        return len(self.item)

    def note_few_items(self, outcome: str) -> None:
        """Warn if there are too few items to resample; `outcome` ends the message."""
        if len(self.items) < MIN_RESAMPLED_ITEMS:
            items = counted(len(self.items), "item")
            note(f"{items}: resamples of so few differ too little, so {outcome}")


@dataclass(frozen=True, eq=False)
class Ratings(Judgements):
    """Ratings of single outputs by raters, one per row.

    Direct assessment, MQM scores and ratings from 0 to 6 are represented so.

    Attributes
    ----------
    systems, raters, items, item, rater
        See `Judgements`.
    system : int32[N]
        Index into `systems`.
    value : float64[N]
        Higher is better.
    standard : float64[N], optional
        The same values standardised for each rater, if the file has them.

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
        """Return the ratings of some rows, with all names."""
        names = ("item", "rater", "system", "value", "standard")
        columns = {name: getattr(self, name) for name in names}
        selected = {name: column[rows] for name, column in columns.items() if column is not None}
        return replace(self, **selected)

    def pairs(self) -> PairJudgements:
        """Return one judgement per pair of systems that a rater rated on the same item.

        The higher value is better; equal values tie. Repeated ratings of an output by one rater are
        averaged. All unknown raters are treated as one rater.
        """
        ids = np.stack([self.item, self.rater, self.system])
        unique_keys, codes = np.unique(ids, axis=1, return_inverse=True)
        codes = codes.reshape(-1)
        means = group_means(self.value, codes, unique_keys.shape[1])[codes]
        rated: dict[tuple[int, int], dict[int, float]] = {}
        for item, rater, system, mean in zip(*ids.tolist(), means.tolist(), strict=True):
            rated.setdefault((item, rater), {})[system] = mean
        rows = []
        for ranking, ((item, rater), outputs) in enumerate(rated.items()):
            for (a, mean_a), (b, mean_b) in combinations(outputs.items(), 2):
                rows.append((item, rater, a, b, (mean_a > mean_b) - (mean_a < mean_b), ranking))
        return PairJudgements.from_rows((self.systems, self.raters, self.items), rows)

    def means(self, values: Float64 | None = None) -> Float64:
        """Return the mean of each system on each item, float64[n, items]; NaN without a rating.

        Parameters
        ----------
        values : float64[N], optional
            The values to average instead of `value`, such as `standard`.
        """
        values = self.value if values is None else values
        shape = len(self.systems), len(self.items)
        cells = self.system.astype(np.int64) * shape[1] + self.item
        return group_means(values, cells, shape[0] * shape[1]).reshape(shape)


@dataclass(frozen=True, eq=False)
class PairJudgements(Judgements):
    """Judgements of which of two systems is better, one per row.

    A ranking of several outputs gives one row per pair of outputs, all with the same `ranking`.
    Systems that share an output are judged once: one of them represents all in `first` and
    `second`, and `shared` has the others.

    Attributes
    ----------
    systems, raters, items, item, rater
        See `Judgements`.
    first, second : int32[N]
        Indices into `systems`.
    outcome : int8[N]
        1 if `first` was judged better, -1 if `second` was, 0 for a tie.
    ranking : int32[N]
        Number of the ranking that the judgement is from, from 0.
    shared : mapping of (item, system) to tuple of int
        Indices of the other systems with the same output on that item.

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

    @classmethod
    def from_rows(
        cls,
        names: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]],
        rows: Sequence[tuple[int, ...]],
        shared: Mapping[tuple[int, int], tuple[int, ...]] = {},
    ) -> PairJudgements:
        """Build judgements from rows of item, rater, first, second, outcome and ranking.

        `names` are those of the systems, the raters and the items.
        """
        columns = np.array(rows, np.int32).reshape(-1, 6).T.copy()
        item, rater, first, second, outcome, ranking = columns
        outcomes = outcome.astype(np.int8)
        return cls(*names, item, rater, first, second, outcomes, ranking, shared)

    def expanded(self) -> PairJudgements:
        """Return one row per pair of systems, including systems that share an output.

        A judgement of a shared output counts for each of its systems, and these systems tie with
        each other, as in the official rankings of WMT15. The added rows are not independent:
        compute the agreement of raters from the original rows.
        """
        if not self.shared:
            return self
        rows: list[tuple[int, int, int, int]] = []
        tied: set[tuple[int, int]] = set()
        columns = (self.item, self.first, self.second, self.outcome, self.ranking)
        for row, (item, a, b, outcome, ranking) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        ):
            outputs = [(x, *self.shared.get((item, x), ())) for x in (a, b)]
            rows += [(row, x, y, outcome) for x in outputs[0] for y in outputs[1]]
            for systems in outputs:
                if (ranking, systems[0]) not in tied:
                    tied.add((ranking, systems[0]))
                    rows += [(row, x, y, 0) for x, y in combinations(systems, 2)]
        row_of, first, second, outcomes = np.array(rows, np.int32).reshape(-1, 4).T.copy()
        return PairJudgements(
            *(self.systems, self.raters, self.items, self.item[row_of], self.rater[row_of]),
            *(first, second, outcomes.astype(np.int8), self.ranking[row_of]),
        )

    def of_systems(self, systems: Sequence[str]) -> PairJudgements:
        """Return the judgements between two of these systems; all other names are dropped.

        An output that several systems share is kept as long as one of these systems remains.
        """
        remaining = [index for index, name in enumerate(self.systems) if name in set(systems)]
        new_index = np.full(len(self.systems), -1, np.int32)
        new_index[remaining] = np.arange(len(remaining), dtype=np.int32)
        # The first remaining system with a shared output represents the output.
        system_columns = [self.first.copy(), self.second.copy()]
        shared: dict[tuple[int, int], tuple[int, ...]] = {}
        for (item, system), same_output in self.shared.items():
            sharing = [index for index in (system, *same_output) if new_index[index] >= 0]
            if not sharing:
                continue
            if sharing[0] != system:
                for column in system_columns:
                    column[(self.item == item) & (column == system)] = sharing[0]
            representative, *represented = new_index[sharing].tolist()
            if represented:
                shared[item, representative] = tuple(represented)
        first, second = new_index[system_columns[0]], new_index[system_columns[1]]
        rows = (first >= 0) & (second >= 0)
        names = tuple(self.systems[index] for index in remaining)
        return PairJudgements(
            *(names, self.raters, self.items, self.item[rows], self.rater[rows]),
            *(first[rows], second[rows], self.outcome[rows], self.ranking[rows], shared),
        )

    def wins(self) -> Int64:
        """Return how often the row's system was judged better than the column's, int64[n, n]."""
        n = len(self.systems)
        counts = np.zeros((n, n), np.int64)
        for winner, loser, outcome in ((self.first, self.second, 1), (self.second, self.first, -1)):
            rows = self.outcome == outcome
            np.add.at(counts, (winner[rows], loser[rows]), 1)
        return counts


@dataclass(frozen=True, eq=False)
class Preferences:
    """Strict human preferences between two outputs, one per row.

    Attributes
    ----------
    item, better, worse : int64[N]
        Indices of the segment and of the two systems.
    ties : int
        The number of judgements that two outputs are equally good, which are not in the rows.
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
        """Build preferences from judgements of pairs, whose items are segment numbers from 1.

        Parameters
        ----------
        systems : tuple of str
            The systems of the score tables, in their order.
        segments : int
            The number of segments of the tables.

        Raises
        ------
        UsageError
            If a judged system or segment is not in the tables; the message names it.
        """
        index_of = {name: n for n, name in enumerate(systems)}
        missing = [name for name in judgements.systems if name not in index_of]
        if missing:
            raise UsageError(f"people judged {missing[0]}, which has no scores")
        system = np.array([index_of[name] for name in judgements.systems], np.int64)
        segment = np.array([_segment_index(name, segments) for name in judgements.items], np.int64)
        strict = judgements.outcome != 0
        wins = judgements.outcome[strict] > 0
        first = system[judgements.first[strict]]
        second = system[judgements.second[strict]]
        return cls(
            segment[judgements.item[strict]],
            np.where(wins, first, second),
            np.where(wins, second, first),
            int(np.count_nonzero(~strict)),
        )

    @classmethod
    def of_scores(cls, human: ScoreTable) -> Preferences:
        """Build preferences from all pairs of systems with different human scores on a segment.

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


def _segment_index(name: str, segments: int) -> int:
    """Return the index of a segment named by its number, from 1."""
    is_number = name.isascii() and name.isdigit() and len(name) < MAX_DIGITS
    if not is_number or not 1 <= int(name) <= segments:
        raise UsageError(f"people judged segment {name}; expected a number from 1 to {segments}")
    return int(name) - 1
