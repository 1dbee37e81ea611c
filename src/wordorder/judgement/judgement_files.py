"""Reading human judgements from a file, whose header says which form it has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from wordorder.counts import counted, percent
from wordorder.errors import InputError, UsageError, unknown_name
from wordorder.judgement import judgements as rating_files
from wordorder.judgement.judgements import Judgements, PairJudgements, PairRows
from wordorder.judgement.project_file import is_project, read_project
from wordorder.judgement.table_rows import TableRows
from wordorder.notes import note
from wordorder.option_names import names_arguments
from wordorder.text.lines import quoted
from wordorder.text.opening import Path

# What a rater may have chosen; the names of both systems come before these.
_FIRST, _SECOND, _TIE = ("a", "system_a"), ("b", "system_b"), ("tie", "=")

_NO_ANSWER = ("", "none", "?")

# A longer number is no rank.
_DIGITS = 10

_CHOICES = "the name of one of the two systems, a, b, tie or none"


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


# The columns by which each form is told, and its reader; further columns are passed over.
_FORMS: dict[str, Callable[[TableRows], Judgements]] = {
    "segment better worse": strict_pairs,
    "ranking segment judge systems rank": output_rankings,
    "rater item system_a system_b choice": preferences,
    "rater item system value": rating_files.rater_values,
    "SYS SID RAW.SCR Z.SCR": rating_files.direct_assessment,
    "system mqm_avg_score seg_id": rating_files.mqm_means,
    "system seg_id rater category severity": rating_files.mqm_errors,
    "system globalSegId rater category severity": rating_files.mqm_errors,
}

# These need more than the file.
_WMT = "srclang trglang srcIndex judgeId system1Id system1rank"

_ITEMS = "item judge score"

_FOR_WMT = "for the rankings of WMT (srclang trglang srcIndex …)"


@names_arguments
def read_judgements(
    path: Path, *, languages: str | None = None, items: Path | None = None
) -> Judgements:
    r"""Read human judgements of translations; the header of the file says which form it has.

    Pairs (``segment better worse``), rankings (WMT's CSV with five systems a row, or a row for
    each output: ``ranking segment judge systems rank``), preferences (``rater item system_a
    system_b choice time``), ratings (``rater item system value time``), direct assessment (``SYS
    SID RAW.SCR Z.SCR N``, or ``item judge score`` with a file of items), MQM errors or means;
    or the project of `rate`, of which raters who fail its control items are left out.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.lines.Source` takes it.
    languages : str, optional
        Which language pair is read from a WMT file that has several: "French-English".
    items : path, optional
        For ``item judge score``: a table with the columns item, system and source_line.

    Returns
    -------
    PairJudgements or Ratings

    Raises
    ------
    InputError
        If the header is of no known form or a row is wrong; the message names file and line.
    UsageError
        If the file needs `languages` or `items`, or has no use for one that is given.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.tsv")
    >>> _ = path.write_text("segment\tbetter\tworse\n7\tA\tB\n9\tA\tB\n")
    >>> judgements = read_judgements(path)
    >>> len(judgements), judgements.systems, judgements.items
    (2, ('A', 'B'), ('7', '9'))
    """
    if is_project(path):
        return read_project(path)
    with TableRows(path) as rows:
        judgements = _found(rows, languages, items)
    if not len(judgements):
        raise InputError(rows.name, "no judgement", "one or more after the header")
    return judgements


def _found(rows: TableRows, languages: str | None, items: Path | None) -> Judgements:
    """Read the rows in the form that their header says."""
    columns = set(rows.header)
    if columns.issuperset(_WMT.split()):
        _refuse(rows, "--items", items, f"for scores of items ({_ITEMS})")
        return wmt_rankings(rows, languages)
    if columns.issuperset(_ITEMS.split()):
        _refuse(rows, "--languages", languages, _FOR_WMT)
        return rating_files.judged_items(rows, items)
    form = next((form for form in _FORMS if columns.issuperset(form.split())), None)
    if form is None:
        known = "; ".join([*_FORMS, _ITEMS, "srclang trglang srcIndex … (WMT)"])
        shown = " ".join(rows.header)
        what = f"the header is {shown[:60]!r}" if shown else "an empty file"
        raise InputError(rows.name, what, f"a header with the columns of one form: {known}")
    _refuse(rows, "--languages", languages, _FOR_WMT)
    _refuse(rows, "--items", items, f"for scores of items ({_ITEMS})")
    return _FORMS[form](rows)


def _refuse(rows: TableRows, option: str, value: object, what_for: str) -> None:
    """Refuse an option that says nothing about this form."""
    if value is not None:
        raise UsageError(f"{rows.name}: {option} is {what_for}, with another header")


# What the names of systems begin with in WMT's files: the test set and the languages.
_TEST_SET = re.compile(r"newstest\d{4}\.[a-z]{2,3}-[a-z]{2,3}\.")


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
