"""Human judgements of the outputs of systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from wordorder.arrays import Bool, Float64, Int8, Int32, Int64
from wordorder.errors import UsageError
from wordorder.judgement.table_rows import MAX_DIGITS, Names, TableRows
from wordorder.messages import counted, percent
from wordorder.notes import note
from wordorder.records import Record, key
from wordorder.statistics.consistency import score_differences
from wordorder.statistics.exact_means import group_means
from wordorder.text.blocks import quoted
from wordorder.text.opening import Path

if TYPE_CHECKING:
    from wordorder.judgement.score_table import ScoreTable


# With fewer items, resamples differ too little to show how results vary with the items.
FEW = 20


@dataclass(frozen=True)
class FailedRater(Record):
    """A rater who answered too few control items correctly."""

    rater: str = key("who it is")
    right: int = key("control items that the rater knew")
    asked: int = key("control items that the rater answered")


@dataclass(frozen=True, eq=False)
class Judgements:
    """Human judgements of outputs, one row each: `PairJudgements` or `Ratings`.

    `read_judgements` reads them from a file, whatever its form.

    Attributes
    ----------
    systems, raters, items : tuple of str
        The names that the numbers below refer to; an item is a segment. No raters if the file
        does not name them.
    item : int32[N]
    rater : int32[N]
        -1 where the file does not say who judged.
    signature : str
        For projects of `rate`: how the judgements were collected.
    failed : tuple of FailedRater
        Raters whose judgements are left out, since they failed control items.
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
        """Warn if there are too few items to resample."""
        if len(self.items) < FEW:
            items = counted(len(self.items), "item")
            note(f"{items}: resamples of so few differ too little, so {outcome}")


@dataclass(frozen=True, eq=False)
class Ratings(Judgements):
    """Values that raters gave to outputs, one row a rating.

    Direct assessment, MQM scores and ratings from 0 to 6 are read into this form.

    Attributes
    ----------
    systems, raters, items, item, rater
        See `Judgements`.
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
        columns = ("item", "rater", "system", "value", "standard")
        given = {name: getattr(self, name) for name in columns}
        taken = {name: each[rows] for name, each in given.items() if each is not None}
        return replace(self, **taken)

    def pairs(self) -> PairJudgements:
        """Return a judgement for each two systems that one rater rated on one item.

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
        return _of_rows((self.systems, self.raters, self.items), rows, {})

    def means(self, values: Float64 | None = None) -> Float64:
        """Return the mean of each system on each item, float64[n, items]; NaN without a rating.

        Parameters
        ----------
        values : float64[N], optional
            The values that are averaged instead of `value`, such as `standard`.
        """
        values = self.value if values is None else values
        shape = len(self.systems), len(self.items)
        cells = self.system.astype(np.int64) * shape[1] + self.item
        return group_means(values, cells, shape[0] * shape[1]).reshape(shape)


@dataclass(frozen=True, eq=False)
class PairJudgements(Judgements):
    """Which of two systems was judged better, one row a judgement.

    A ranking of several outputs gives one row per pair of outputs, all with the same number in
    `ranking`. Systems that share an output are judged once: one of them represents all in `first`
    and `second`, and `shared` names the others.

    Attributes
    ----------
    systems, raters, items, item, rater
        See `Judgements`.
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
            sides = [(x, *self.shared.get((item, x), ())) for x in (a, b)]
            rows += [(row, x, y, outcome) for x in sides[0] for y in sides[1]]
            for side in sides:
                if (ranking, side[0]) not in tied:
                    tied.add((ranking, side[0]))
                    rows += [(row, x, y, 0) for x, y in combinations(side, 2)]
        taken, first, second, outcomes = np.array(rows, np.int32).reshape(-1, 4).T.copy()
        return PairJudgements(
            *(self.systems, self.raters, self.items, self.item[taken], self.rater[taken]),
            *(first, second, outcomes.astype(np.int8), self.ranking[taken]),
        )

    def of_systems(self, systems: Sequence[str]) -> PairJudgements:
        """Return the judgements between two of these systems; all other names are dropped.

        An output that several systems share is kept as long as one of these systems remains.
        """
        remaining = [number for number, name in enumerate(self.systems) if name in set(systems)]
        new_index = np.full(len(self.systems), -1, np.int32)
        new_index[remaining] = np.arange(len(remaining), dtype=np.int32)
        # The first remaining system of those that share an output represents it from here on.
        system_columns = [self.first.copy(), self.second.copy()]
        shared: dict[tuple[int, int], tuple[int, ...]] = {}
        for (item, system), others in self.shared.items():
            kept = [each for each in (system, *others) if new_index[each] >= 0]
            if not kept:
                continue
            if kept[0] != system:
                for column in system_columns:
                    column[(self.item == item) & (column == system)] = kept[0]
            if kept[1:]:
                shared[item, int(new_index[kept[0]])] = tuple(
                    int(new_index[each]) for each in kept[1:]
                )
        first, second = new_index[system_columns[0]], new_index[system_columns[1]]
        rows = (first >= 0) & (second >= 0)
        names = tuple(self.systems[number] for number in remaining)
        return PairJudgements(
            *(names, self.raters, self.items, self.item[rows], self.rater[rows]),
            *(first[rows], second[rows], self.outcome[rows], self.ranking[rows], shared),
        )

    def wins(self) -> Int64:
        """Return how often the row's system was judged better than the column's, int64[n, n]."""
        n = len(self.systems)
        won = np.zeros((n, n), np.int64)
        for winner, loser, outcome in ((self.first, self.second, 1), (self.second, self.first, -1)):
            rows = self.outcome == outcome
            np.add.at(won, (winner[rows], loser[rows]), 1)
        return won


_Names = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


def _of_rows(
    names: _Names,
    rows: Sequence[tuple[int, ...]],
    shared: Mapping[tuple[int, int], tuple[int, ...]],
) -> PairJudgements:
    """Build judgements from rows of item, rater, first, second, outcome and ranking."""
    columns = np.array(rows, np.int32).reshape(-1, 6).T.copy()
    item, rater, first, second, outcome, ranking = columns
    outcomes = outcome.astype(np.int8)
    return PairJudgements(*names, item, rater, first, second, outcomes, ranking, shared)


class _Rows:
    """Judgements as they come from a file: names get numbers; an empty rater is unknown, -1."""

    def __init__(self) -> None:
        self.systems, self.raters, self.items = Names(), Names(), Names()

    def numbers(self, item: str, rater: str, *systems: str) -> tuple[int, ...]:
        """Return the numbers of the names."""
        rater_number = self.raters.number(rater) if rater else -1
        return self.items.number(item), rater_number, *map(self.systems.number, systems)

    @property
    def names(self) -> _Names:
        """The names of the systems, the raters and the items."""
        return self.systems.all(), self.raters.all(), self.items.all()


class PairRows(_Rows):
    """Judgements of pairs as they come from a file; `judgements` returns them all."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[int, ...]] = []
        self._shared: dict[tuple[int, int], tuple[int, ...]] = {}
        # The number of rankings, and of those with a single output, which compare nothing.
        self._rankings = self._alone = 0

    def add_pair(self, item: str, rater: str, first: str, second: str, outcome: int) -> None:
        """Add one judgement; an empty `rater` is unknown."""
        self._rows.append((*self.numbers(item, rater, first, second), outcome, self._rankings))
        self._rankings += 1

    def add_ranking(
        self, item: str, rater: str, outputs: Sequence[tuple[Sequence[str], int]]
    ) -> None:
        """Add each pair of outputs of a ranking.

        `outputs` has the systems of each output and its rank; 1 is best.
        """
        numbers = self.numbers(item, rater)
        ranked: list[tuple[int, int]] = []
        for names, rank in outputs:
            system, *others = sorted(map(self.systems.number, names))
            if others:
                self._shared[numbers[0], system] = tuple(others)
            ranked.append((system, rank))
        for (first, rank), (second, second_rank) in combinations(ranked, 2):
            outcome = (second_rank > rank) - (second_rank < rank)
            self._rows.append((*numbers, first, second, outcome, self._rankings))
        self._rankings += 1
        self._alone += len(ranked) < 2

    def judgements(self, name: str) -> PairJudgements:
        """Return all judgements; note how many rankings of the file `name` have one output."""
        if self._alone:
            share = percent(self._alone, self._rankings)
            note_text = f"{self._alone} of {self._rankings} rankings ({share}) have a single output"
            note(f"{name}: {note_text} and say nothing")
        return _of_rows(self.names, self._rows, self._shared)


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


def _line(name: str, segments: int) -> int:
    is_number = name.isascii() and name.isdigit() and len(name) < MAX_DIGITS
    if not is_number or not 1 <= int(name) <= segments:
        raise UsageError(f"people judged segment {name}; expected a number from 1 to {segments}")
    return int(name) - 1


# The weights of MQM errors (Freitag et al. 2021, Table 4).
# WMT's official scores of 2024 count critical errors as major ones.
_WEIGHTS = {"no-error": 0.0, "neutral": 0.0, "minor": 1.0, "major": 5.0, "critical": 5.0}

# The severity of a planted error: whether the rater found it says nothing about the system.
_RATER_CHECK = "hotw-test"

_PUNCTUATION, _NON_TRANSLATION = "fluency/punctuation", "non-translation"

_PUNCTUATION_WEIGHT, _NON_TRANSLATION_WEIGHT = 0.1, 25.0


class RatingRows(_Rows):
    """Ratings as they come from a file; `ratings` returns them all."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[int, ...]] = []
        self.values: list[float] = []

    def add(self, item: str, rater: str, system: str, value: float) -> None:
        """Add one rating; an empty `rater` is unknown."""
        self.rows.append(self.numbers(item, rater, system))
        self.values.append(value)

    def ratings(self, standard: Iterable[float] | None = None) -> Ratings:
        """Return all ratings.

        `standard` has the same values standardised for each rater, one per rating in the order of
        `add`, if the file gives them; they are not computed here.
        """
        item, rater, system = np.array(self.rows, np.int32).reshape(-1, 3).T.copy()
        values = np.array(self.values, np.float64)
        known = None if standard is None else np.array(list(standard), np.float64)
        return Ratings(*self.names, item, rater, system, values, known)


def rater_values(rows: TableRows) -> Ratings:
    """Read ratings of raters: rater, item, system and value; higher is better."""
    ratings = RatingRows()
    for rater, item, system, value in rows.cells("rater", "item", "system", "value"):
        who = rows.filled(rater, "rater")
        what = rows.filled(system, "system")
        ratings.add(rows.filled(item, "item"), who, what, rows.number(value, "value"))
    return ratings.ratings()


def direct_assessment(rows: TableRows) -> Ratings:
    """Read the segment scores of WMT's direct assessment: SYS, SID, RAW.SCR, Z.SCR and N.

    A row is the mean of N raters, who are not named; Z.SCR is standardised for each rater.
    """
    ratings = RatingRows()
    standard: list[float] = []
    for system, item, raw, z in rows.cells("SYS", "SID", "RAW.SCR", "Z.SCR"):
        ratings.add(item, "", system, rows.number(raw, "RAW.SCR"))
        standard.append(rows.number(z, "Z.SCR"))
    return ratings.ratings(standard)


def judged_items(rows: TableRows, items: Path | None) -> Ratings:
    """Read scores of items: item, judge and score; another file has the system of each item.

    Parameters
    ----------
    rows : TableRows
    items : path
        A table with the columns item, system and source_line. An item without a source line is a
        segment of its own.
    """
    if items is None:
        raise UsageError(f"{rows.name}: scores of items; --items names the file with their systems")
    with TableRows(items) as table:
        if missing := {"item", "system"} - set(table.header):
            columns = "the columns item, system and source_line"
            raise table.error(f"no column {min(missing)}", columns)
        outputs = {
            item: (system, line or f"item {item}")
            for item, system, line in table.cells("item", "system", "source_line")
        }
    ratings = RatingRows()
    for item, rater, score in rows.cells("item", "judge", "score"):
        if item not in outputs:
            raise rows.error(f"item is {quoted(item.encode())}", f"an item of {table.name}")
        system, segment = outputs[item]
        ratings.add(segment, rows.filled(rater, "judge"), system, rows.number(score, "score"))
    return ratings.ratings()


def mqm_errors(rows: TableRows) -> Ratings:
    """Read MQM errors, a row each: the value of a rating is minus the sum of its weights.

    A minor error weighs 1, one of punctuation .1, a major one 5, a non-translation 25 (Freitag et
    al. 2021, Table 4); a critical one weighs as much as a major one. Rows of rater checks
    (``HOTW-test``) are skipped, with a note.
    """
    ratings = RatingRows()
    read = checks = 0
    weights: dict[tuple[int, ...], list[float]] = {}
    segment = "seg_id" if "seg_id" in rows.header else "globalSegId"
    for system, item, rater, category, severity in rows.cells(
        "system", segment, "rater", "category", "severity"
    ):
        read += 1
        if severity.lower() == _RATER_CHECK:
            checks += 1
            continue
        who = rows.filled(item, segment), rows.filled(rater, "rater")
        key = ratings.numbers(*who, rows.filled(system, "system"))
        weights.setdefault(key, []).append(_weight(rows, category.lower(), severity))
    if checks:
        share = percent(checks, read)
        note(
            f"{rows.name}: left out {checks} of {counted(read, 'row')} ({share}): rater checks "
            f"(HOTW-test)"
        )
    ratings.rows = list(weights)
    # In tenths, without rounding: ties of outputs depend on it.
    ratings.values = [
        0.0 - sum(round(10 * each) for each in some) / 10 for some in weights.values()
    ]
    return ratings.ratings()


def mqm_means(rows: TableRows) -> Ratings:
    """Read the mean MQM score of each system and segment; None is a segment that is not rated."""
    ratings = RatingRows()
    read = unrated = 0
    for system, score, item in rows.cells("system", "mqm_avg_score", "seg_id"):
        read += 1
        if score == "None":
            unrated += 1
        else:
            ratings.add(item, "", system, 0.0 + rows.number(score, "mqm_avg_score"))
    if unrated:
        what = f"{counted(unrated, 'output')} of {read} ({percent(unrated, read)}) without a score"
        note(f"{rows.name}: {what} (None)")
    return ratings.ratings()


def _weight(rows: TableRows, category: str, severity: str) -> float:
    """Return the weight of an error."""
    if severity.lower() not in _WEIGHTS:
        names = "Critical, Major, Minor, Neutral, No-error or HOTW-test"
        raise rows.error(f"severity is {quoted(severity.encode())}", names)
    weight = _WEIGHTS[severity.lower()]
    if category.startswith(_NON_TRANSLATION) and weight:
        return _NON_TRANSLATION_WEIGHT
    if category == _PUNCTUATION and weight == _WEIGHTS["minor"]:
        return _PUNCTUATION_WEIGHT
    return weight
