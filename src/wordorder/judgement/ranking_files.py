"""Files of rankings and of pairs: WMT's CSV, rankings of outputs, preferences."""

from __future__ import annotations

import re
from collections import Counter

from wordorder.counts import counted, percent
from wordorder.errors import UsageError, unknown_name
from wordorder.judgement.pair_judgements import PairJudgements
from wordorder.judgement.pair_rows import PairRows
from wordorder.judgement.table_rows import TableRows
from wordorder.notes import note
from wordorder.text.quoting import quoted

# What the names of systems begin with in WMT's files: the test set and the languages.
_TEST_SET = re.compile(r"newstest\d{4}\.[a-z]{2,3}-[a-z]{2,3}\.")
# What a rater may have chosen; the names of both systems come before these.
_FIRST, _SECOND, _TIE = ("a", "system_a"), ("b", "system_b"), ("tie", "=")
_NO_ANSWER = ("", "none", "?")
# A longer number is no rank.
_DIGITS = 10
_CHOICES = "the name of one of the two systems, a, b, tie or none"


def wmt_rankings(rows: TableRows, languages: str | None) -> PairJudgements:
    """Read rankings as WMT published them until 2014: a row has up to five systems and ranks.

    Rank 1 is best; -1 is a rank that was left blank, and its output is in no pair.

    Raises
    ------
    UsageError
        If the file has several language pairs and `languages`, such as "French-English", does not
        say which to read.
    """
    numbers = [n for n in range(1, 10) if f"system{n}Id" in rows.header]
    ids = [f"system{n}Id" for n in numbers]
    ranks = [f"system{n}rank" for n in numbers]
    gathered = PairRows()
    read: Counter[str] = Counter()
    outputs = blank = 0
    for row in rows.cells("srclang", "trglang", "srcIndex", "judgeId", *ids, *ranks):
        source, target, item, rater = row[:4]
        read[f"{source}-{target}"] += 1
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
                ranking.append(((name,), _rank(rows, rank)))
        if len({name for name, _ in ranking}) < len(ranking):
            raise rows.error("a system is listed twice", "each system once in a ranking")
        gathered.add_ranking(rows.filled(item, "srcIndex"), rater, ranking)
    if languages is not None and languages not in read:
        raise unknown_name(f"language pair in {rows.name}", languages, read)
    if languages is None and len(read) > 1:
        each = ", ".join(f"{name} ({number})" for name, number in sorted(read.items()))
        raise UsageError(
            f"{rows.name}: rankings of several language pairs, {each}; --languages chooses one"
        )
    if blank:
        share = percent(blank, outputs)
        what = f"{counted(blank, 'output')} of {outputs} ({share}) without a rank (-1)"
        note(f"{rows.name}: left out {what}")
    return gathered.judgements(rows.name)


def output_rankings(rows: TableRows) -> PairJudgements:
    """Read rankings with a row for each output: ranking, segment, judge, systems and rank.

    Systems that made the same output are separated by commas, and are judged once.
    """
    gathered = PairRows()
    here: tuple[str, str, str] | None = None
    outputs: list[tuple[list[str], int]] = []
    closed: set[str] = set()
    for ranking, item, rater, systems, rank in rows.cells(
        "ranking", "segment", "judge", "systems", "rank"
    ):
        begins = (ranking, rows.filled(item, "segment"), rater)
        if begins != here:
            if here is not None:
                gathered.add_ranking(here[1], here[2], outputs)
                closed.add(here[0])
            if ranking in closed:
                raise rows.error(
                    f"ranking {ranking} goes on here", "its rows together, of one segment and judge"
                )
            here, outputs = begins, []
        names = rows.filled(systems, "systems").split(",")
        if len({*names, *(name for output, _ in outputs for name in output)}) < len(names) + sum(
            len(output) for output, _ in outputs
        ):
            raise rows.error("a system is listed twice", "each system once in a ranking")
        outputs.append((names, _rank(rows, rank)))
    if here is not None:
        gathered.add_ranking(here[1], here[2], outputs)
    return gathered.judgements(rows.name)


def strict_pairs(rows: TableRows) -> PairJudgements:
    """Read pairs without ties: segment, the better and the worse system."""
    gathered = PairRows()
    for item, better, worse in rows.cells("segment", "better", "worse"):
        if better == worse:
            raise rows.error(f"{quoted(better.encode())} twice", "two systems")
        names = rows.filled(better, "better"), rows.filled(worse, "worse")
        gathered.add_pair(rows.filled(item, "segment"), "", *names, 1)
    return gathered.judgements(rows.name)


def preferences(rows: TableRows) -> PairJudgements:
    """Read preferences of raters: rater, item, two systems and which was chosen.

    The choice is the name of one of the two systems, as the row spells it, or else ``a`` or ``b``
    for the column, or ``tie``; an empty one, or ``none``, is a rater who could not say, and is
    left out with a note.
    """
    gathered = PairRows()
    read = unsaid = 0
    for rater, item, first, second, choice in rows.cells(
        "rater", "item", "system_a", "system_b", "choice"
    ):
        read += 1
        if first == second:
            raise rows.error(f"{quoted(first.encode())} twice", "two systems")
        names = rows.filled(first, "system_a"), rows.filled(second, "system_b")
        if choice.lower() in _NO_ANSWER and choice not in names:
            unsaid += 1
            continue
        gathered.add_pair(
            rows.filled(item, "item"),
            rows.filled(rater, "rater"),
            *names,
            _outcome(rows, choice, *names),
        )
    if unsaid:
        what = f"{counted(unsaid, 'answer')} of {read} ({percent(unsaid, read)}) without a choice"
        note(f"{rows.name}: left out {what}")
    return gathered.judgements(rows.name)


def _outcome(rows: TableRows, choice: str, first: str, second: str) -> int:
    """Return 1 if the first system was chosen, -1 if the second was, 0 for a tie."""
    if choice in (first, second):
        return 1 if choice == first else -1
    for outcome, names in ((1, _FIRST), (-1, _SECOND), (0, _TIE)):
        if choice.lower() in names:
            return outcome
    raise rows.error(f"choice is {quoted(choice.encode())}", _CHOICES)


def _rank(rows: TableRows, rank: str) -> int:
    if not (rank.isascii() and rank.isdigit() and len(rank) < _DIGITS and int(rank) >= 1):
        raise rows.error(f"rank is {quoted(rank.encode())}", "a whole number from 1, the best")
    return int(rank)
