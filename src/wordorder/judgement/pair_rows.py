"""Read judgements of pairs of outputs from tables: pairs, preferences and rankings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from wordorder.errors import UsageError, unknown_name
from wordorder.judgement.judgements import PairJudgements
from wordorder.judgement.table_rows import MAX_DIGITS, NamedRows, TableRows
from wordorder.messages import counted, percent
from wordorder.notes import note
from wordorder.text.blocks import quoted

# Choices of raters; names of the two systems take precedence.
_FIRST, _SECOND, _TIE = ("a", "system_a"), ("b", "system_b"), ("tie", "=")

_NO_ANSWER = ("", "none", "?")

_CHOICES = "the name of one of the two systems, a, b, tie or none"

# Prefix of system names in WMT's files: the test set and the languages.
_TEST_SET = re.compile(r"newstest\d{4}\.[a-z]{2,3}-[a-z]{2,3}\.")


class PairRows(NamedRows):
    """Collects the judgements of pairs in a file."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[int, ...]] = []
        self._shared: dict[tuple[int, int], tuple[int, ...]] = {}
        # The number of rankings, and of those with a single output, which are no comparison.
        self._rankings = self._single_output_rankings = 0

    def add_pair(self, item: str, rater: str, first: str, second: str, outcome: int) -> None:
        """Add one judgement; an empty `rater` is unknown."""
        self._rows.append((*self.ids(item, rater, first, second), outcome, self._rankings))
        self._rankings += 1

    def add_ranking(
        self, item: str, rater: str, outputs: Sequence[tuple[Sequence[str], int]]
    ) -> None:
        """Add each pair of outputs of a ranking.

        `outputs` has the systems of each output and its rank; 1 is best.
        """
        item_id, rater_id = self.ids(item, rater)
        ranked: list[tuple[int, int]] = []
        for names, rank in outputs:
            system, *same_output = sorted(map(self.systems.id_of, names))
            if same_output:
                self._shared[item_id, system] = tuple(same_output)
            ranked.append((system, rank))
        for (first, rank), (second, second_rank) in combinations(ranked, 2):
            outcome = (second_rank > rank) - (second_rank < rank)
            self._rows.append((item_id, rater_id, first, second, outcome, self._rankings))
        self._rankings += 1
        self._single_output_rankings += len(ranked) < 2

    def judgements(self, name: str) -> PairJudgements:
        """Return all judgements; note how many rankings of the file `name` have one output."""
        if single := self._single_output_rankings:
            share = percent(single, self._rankings)
            problem = f"{single} of {self._rankings} rankings ({share}) have a single output"
            note(f"{name}: {problem} and say nothing")
        return PairJudgements.from_rows(self.names, self._rows, self._shared)


def output_rankings(rows: TableRows) -> PairJudgements:
    """Read rankings with one row per output: ranking, segment, judge, systems and rank.

    Systems with the same output are separated by commas, and are judged once.
    """
    pairs = PairRows()
    current: tuple[str, str, str] | None = None
    outputs: list[tuple[list[str], int]] = []
    closed: set[str] = set()
    for ranking, item, rater, systems, rank in rows.cells(
        "ranking", "segment", "judge", "systems", "rank"
    ):
        ranking_key = (ranking, rows.filled(item, "segment"), rater)
        if ranking_key != current:
            if current is not None:
                pairs.add_ranking(current[1], current[2], outputs)
                closed.add(current[0])
            if ranking in closed:
                expected = "its rows together, of one segment and judge"
                raise rows.error(f"ranking {ranking} goes on here", expected)
            current, outputs = ranking_key, []
        outputs.append((rows.filled(systems, "systems").split(","), _parse_rank(rows, rank)))
        _refuse_duplicates(rows, [name for names, _ in outputs for name in names])
    if current is not None:
        pairs.add_ranking(current[1], current[2], outputs)
    return pairs.judgements(rows.name)


def strict_pairs(rows: TableRows) -> PairJudgements:
    """Read pairs without ties: segment, the better and the worse system."""
    pairs = PairRows()
    for item, better, worse in rows.cells("segment", "better", "worse"):
        names = _check_two(rows, better=better, worse=worse)
        pairs.add_pair(rows.filled(item, "segment"), "", *names, 1)
    return pairs.judgements(rows.name)


def preferences(rows: TableRows) -> PairJudgements:
    """Read preferences of raters: rater, item, two systems and the chosen one.

    The choice is the name of one of the two systems, ``a`` or ``b`` for the column, or ``tie``. An
    empty choice, or ``none``, is left out with a note.
    """
    pairs = PairRows()
    total = unanswered = 0
    for rater, item, first, second, choice in rows.cells(
        "rater", "item", "system_a", "system_b", "choice"
    ):
        total += 1
        names = _check_two(rows, system_a=first, system_b=second)
        if choice.lower() in _NO_ANSWER and choice not in names:
            unanswered += 1
            continue
        item_and_rater = rows.filled(item, "item"), rows.filled(rater, "rater")
        pairs.add_pair(*item_and_rater, *names, _parse_choice(rows, choice, *names))
    if unanswered:
        share = percent(unanswered, total)
        left_out = f"{counted(unanswered, 'answer')} of {total} ({share}) without a choice"
        note(f"{rows.name}: left out {left_out}")
    return pairs.judgements(rows.name)


def _check_two(rows: TableRows, **systems: str) -> tuple[str, str]:
    """Return the names of two systems; refuse equal or empty ones."""
    first, second = systems.values()
    if first == second:
        raise rows.error(f"{quoted(first.encode())} twice", "two systems")
    first, second = (rows.filled(name, column) for column, name in systems.items())
    return first, second


def _parse_choice(rows: TableRows, choice: str, first: str, second: str) -> int:
    """Return 1 if the first system was chosen, -1 if the second one was, 0 for a tie."""
    if choice in (first, second):
        return 1 if choice == first else -1
    for outcome, names in ((1, _FIRST), (-1, _SECOND), (0, _TIE)):
        if choice.lower() in names:
            return outcome
    raise rows.error(f"choice is {quoted(choice.encode())}", _CHOICES)


def _refuse_duplicates(rows: TableRows, systems: Sequence[str]) -> None:
    if len(set(systems)) < len(systems):
        raise rows.error("a system is listed twice", "each system once in a ranking")


def _parse_rank(rows: TableRows, rank: str) -> int:
    if not (rank.isascii() and rank.isdigit() and len(rank) < MAX_DIGITS and int(rank) >= 1):
        raise rows.error(f"rank is {quoted(rank.encode())}", "a whole number from 1, the best")
    return int(rank)


def wmt_rankings(rows: TableRows, languages: str | None) -> PairJudgements:
    """Read rankings in the format of WMT until 2014: up to five systems and ranks per row.

    Rank 1 is best; -1 is a missing rank, whose output is left out.

    Raises
    ------
    UsageError
        If the file has several language pairs, and `languages` does not select one.
    """
    numbers = [n for n in range(1, 10) if f"system{n}Id" in rows.header]
    ids = [f"system{n}Id" for n in numbers]
    ranks = [f"system{n}rank" for n in numbers]
    pairs = PairRows()
    counts: Counter[str] = Counter()
    outputs = blank = 0
    for row in rows.cells("srclang", "trglang", "srcIndex", "judgeId", *ids, *ranks):
        source, target, item, rater = row[:4]
        counts[f"{source}-{target}"] += 1
        if languages not in (None, f"{source}-{target}"):
            continue
        ranking = []
        for system, rank in zip(row[4 : 4 + len(ids)], row[4 + len(ids) :], strict=True):
            if not system:
                continue
            outputs += 1
            if rank == "-1":
                blank += 1
            else:
                name = _TEST_SET.sub("", system, count=1)
                ranking.append(((name,), _parse_rank(rows, rank)))
        _refuse_duplicates(rows, [name for (name,), _ in ranking])
        pairs.add_ranking(rows.filled(item, "srcIndex"), rater, ranking)
    if languages is not None and languages not in counts:
        raise unknown_name(f"language pair in {rows.name}", languages, counts)
    if languages is None and len(counts) > 1:
        languages_found = ", ".join(f"{name} ({number})" for name, number in sorted(counts.items()))
        left_out = f"rankings of several language pairs, {languages_found}"
        raise UsageError(f"{rows.name}: {left_out}; --languages chooses one")
    if blank:
        share = percent(blank, outputs)
        left_out = f"{counted(blank, 'output')} of {outputs} ({share}) without a rank (-1)"
        note(f"{rows.name}: left out {left_out}")
    return pairs.judgements(rows.name)
