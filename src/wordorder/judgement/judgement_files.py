"""Reading human judgements from files: the header says the form; items become lines of a set."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Array, Int64
from wordorder.errors import InputError, UsageError, choose, unknown_name
from wordorder.judgement import judgements as rating_files
from wordorder.judgement.judgements import Judgements, PairJudgements, PairRows, Ratings
from wordorder.judgement.project_file import is_project, read_project
from wordorder.judgement.score_table import MISSING, check_lengths, read_scores
from wordorder.judgement.table_rows import MOST_DIGITS, TableRows
from wordorder.messages import counted, names_arguments, percent
from wordorder.notes import note
from wordorder.statistics.intervals import check_level
from wordorder.text.blocks import quoted
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name

# What a rater may have chosen; the names of both systems come before these.
_FIRST, _SECOND, _TIE = ("a", "system_a"), ("b", "system_b"), ("tie", "=")

_NO_ANSWER = ("", "none", "?")

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
                expected = "its rows together, of one segment and judge"
                raise rows.error(f"ranking {ranking} goes on here", expected)
            here, outputs = begins, []
        outputs.append((rows.filled(systems, "systems").split(","), _rank(rows, rank)))
        _refuse_twice(rows, [name for names, _ in outputs for name in names])
    if here is not None:
        gathered.add_ranking(here[1], here[2], outputs)
    return gathered.judgements(rows.name)


def strict_pairs(rows: TableRows) -> PairJudgements:
    """Read pairs without ties: segment, the better and the worse system."""
    gathered = PairRows()
    for item, better, worse in rows.cells("segment", "better", "worse"):
        names = _two(rows, better=better, worse=worse)
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
        names = _two(rows, system_a=first, system_b=second)
        if choice.lower() in _NO_ANSWER and choice not in names:
            unsaid += 1
            continue
        who = rows.filled(item, "item"), rows.filled(rater, "rater")
        gathered.add_pair(*who, *names, _outcome(rows, choice, *names))
    if unsaid:
        what = f"{counted(unsaid, 'answer')} of {read} ({percent(unsaid, read)}) without a choice"
        note(f"{rows.name}: left out {what}")
    return gathered.judgements(rows.name)


def _two(rows: TableRows, **systems: str) -> tuple[str, str]:
    """Return the names of two systems, which must differ."""
    first, second = systems.values()
    if first == second:
        raise rows.error(f"{quoted(first.encode())} twice", "two systems")
    first, second = (rows.filled(name, column) for column, name in systems.items())
    return first, second


def _outcome(rows: TableRows, choice: str, first: str, second: str) -> int:
    """Return 1 if the first system was chosen, -1 if the second was, 0 for a tie."""
    if choice in (first, second):
        return 1 if choice == first else -1
    for outcome, names in ((1, _FIRST), (-1, _SECOND), (0, _TIE)):
        if choice.lower() in names:
            return outcome
    raise rows.error(f"choice is {quoted(choice.encode())}", _CHOICES)


def _refuse_twice(rows: TableRows, systems: Sequence[str]) -> None:
    if len(set(systems)) < len(systems):
        raise rows.error("a system is listed twice", "each system once in a ranking")


def _rank(rows: TableRows, rank: str) -> int:
    if not (rank.isascii() and rank.isdigit() and len(rank) < MOST_DIGITS and int(rank) >= 1):
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
        As `wordorder.text.sources.Source` takes it.
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


# What is resampled.
OVER = ("items", "raters", "both")


def given_judgements(
    given: Judgements | Path,
    languages: str | None = None,
    items: Path | None = None,
    *,
    over: str = "items",
    level: float = 0.95,
) -> Judgements:
    """Return judgements that are given, or read from a file, if they can be so resampled."""
    if not isinstance(given, Judgements):
        given = read_judgements(given, languages=languages, items=items)
    check_level(level)
    choose("over", over, OVER)
    if over != "items" and (len(given.raters) < 2 or (given.rater < 0).any()):
        raise UsageError("raters are resampled, but these judgements do not name two or more")
    return given


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
        _refuse_twice(rows, [name for (name,), _ in ranking])
        gathered.add_ranking(rows.filled(item, "srcIndex"), rater, ranking)
    if languages is not None and languages not in read:
        raise unknown_name(f"language pair in {rows.name}", languages, read)
    if languages is None and len(read) > 1:
        each = ", ".join(f"{name} ({number})" for name, number in sorted(read.items()))
        what = f"rankings of several language pairs, {each}"
        raise UsageError(f"{rows.name}: {what}; --languages chooses one")
    if blank:
        share = percent(blank, outputs)
        what = f"{counted(blank, 'output')} of {outputs} ({share}) without a rank (-1)"
        note(f"{rows.name}: left out {what}")
    return gathered.judgements(rows.name)


@dataclass(frozen=True)
class JudgedScores:
    """Scores of segments, documents or systems as a file has them.

    Attributes
    ----------
    path : str
    scores : mapping of system to (places, scores)
        The places are from 0: of the segments, say.
    numbered : bool
        Whether the file numbers what it scores; one that does not must score all of it.
    """

    path: str
    scores: Mapping[str, tuple[Sequence[int], Sequence[float]]]
    numbered: bool

    @property
    def length(self) -> int:
        """How many segments, say, there are at least."""
        return max((max(places, default=-1) + 1 for places, _ in self.scores.values()), default=0)

    def rows(self, length: int, of: str) -> dict[str, list[float]]:
        """Return the scores of each system, NaN where there is none.

        Parameters
        ----------
        length : int
            How many segments there are, or documents.
        of : str
            What is scored: ``"segment"``.

        Raises
        ------
        InputError
            If the file has more of them, or another number.
        """
        made = {}
        if not length and of == "document" and self.scores:
            what = "scores of documents, but the set does not say which segments form a document"
            raise InputError(self.path, what, "documents = FILE beside them")
        for system, (places, values) in self.scores.items():
            if not self.numbered:
                check_lengths(self.path, {system: values}, length, of)
            if max(places, default=-1) >= length:
                what = f"a score of {of} {max(places) + 1} by {system}"
                raise InputError(self.path, what, f"{of}s 1 to {length}")
            row = [math.nan] * length
            for place, value in zip(places, values, strict=True):
                row[place] = value
            made[system] = row
        return made


def plain_scores(path: Path) -> JudgedScores:
    """Read a system and a score per line; see `read_scores`."""
    scores = {system: (range(len(row)), row) for system, row in read_scores(path).items()}
    return JudgedScores(display_name(path), scores, False)


def read_judged_scores(path: Path) -> JudgedScores:
    """Read scores: a system and a score per line, or judgements with a header.

    Of ratings (direct assessment, MQM, values of raters) each system gets the mean of its raters
    on a segment; of direct assessment the standardised values, as WMT does.

    Raises
    ------
    InputError
        If a row is wrong, or a segment is not a line number, from 1.
    """
    if not _has_header(path):
        return plain_scores(path)
    name = display_name(path)
    ratings = read_judgements(path)
    if not isinstance(ratings, Ratings):
        raise InputError(name, "rankings or pairs", "ratings (rankings = names rankings)")
    _note_signature(name, ratings.signature)
    lines = line_numbers(ratings.items, path)
    of_system = {}
    for system, means in zip(ratings.systems, ratings.means(ratings.standard), strict=True):
        rated = ~np.isnan(means)
        of_system[system] = (lines[rated].tolist(), means[rated].tolist())
    return JudgedScores(name, of_system, True)


def read_rankings(paths: Sequence[Path], segments: int) -> PairJudgements:
    """Read rankings or pairs of outputs from one or several files, as one.

    Raises
    ------
    InputError
        If a file has other judgements, or a segment is not the number of a line, from 1.
    """
    parts = []
    for path in paths:
        judged = read_judgements(path)
        if not isinstance(judged, PairJudgements):
            expected = "rankings or pairs (segment_scores = names ratings)"
            raise InputError(display_name(path), "ratings", expected)
        _note_signature(display_name(path), judged.signature)
        lines = line_numbers(judged.items, path)
        if segments and lines.max(initial=0) >= segments:
            what = f"a judgement of segment {lines.max() + 1}"
            raise InputError(display_name(path), what, f"segments 1 to {segments}")
        parts.append(judged)
    return parts[0] if len(parts) == 1 else _joined(parts)


def _note_signature(name: str, signature: str) -> None:
    """Say how the judgements of a project were collected."""
    if signature:
        note(f"{name}: judgements {signature}")


def line_numbers(items: Sequence[str], path: Path) -> Int64:
    """Return the lines, from 0, that the names of items say.

    Raises
    ------
    InputError
        If a name is no whole number from 1.
    """
    for name in items:
        if not (name.isascii() and name.isdigit() and len(name) < MOST_DIGITS and int(name) > 0):
            what = f"segment {quoted(name.encode())}"
            raise InputError(display_name(path), what, "the number of a line, from 1")
    return np.array([int(name) - 1 for name in items], np.int64)


def _joined(parts: Sequence[PairJudgements]) -> PairJudgements:
    """Put judgements of several files one behind the other."""
    systems, raters, items = (
        tuple(dict.fromkeys(name for part in parts for name in getattr(part, names)))
        for names in ("systems", "raters", "items")
    )
    numbers = {
        names: {name: number for number, name in enumerate(whole)}
        for names, whole in (("systems", systems), ("raters", raters), ("items", items))
    }
    columns: list[tuple[Array, ...]] = []
    shared: dict[tuple[int, int], tuple[int, ...]] = {}
    rankings = 0
    for part in parts:
        of = {
            names: np.array([number[name] for name in getattr(part, names)], np.int32)
            for names, number in numbers.items()
        }
        rater = np.where(part.rater < 0, -1, np.append(of["raters"], -1)[part.rater])
        item, first, second = part.item, of["systems"][part.first], of["systems"][part.second]
        for (place, system), others in part.shared.items():
            # In all files the first of all systems names the output that several share.
            named, *rest = sorted(of["systems"][[system, *others]].tolist())
            for end, given in ((first, part.first), (second, part.second)):
                end[(item == place) & (given == system)] = named
            shared[int(of["items"][place]), named] = tuple(rest)
        numbered = of["items"][item], rater.astype(np.int32), first, second
        columns.append((*numbered, part.outcome, part.ranking + rankings))
        rankings += int(part.ranking.max(initial=-1)) + 1
    item, rater, first, second, outcome, ranking = map(np.concatenate, zip(*columns, strict=True))
    every = item, rater, first, second, outcome, ranking
    return PairJudgements(systems, raters, items, *every, shared)


def _has_header(path: Path) -> bool:
    """Return whether a file begins with a header, not with a system and its score."""
    if is_project(path):
        return True
    for line in read_lines(path):
        if not line.strip():
            continue
        parts = line.split("\t") if "\t" in line else line.rsplit(None, 1)
        if len(parts) != 2:
            return True
        try:
            return parts[1].strip() != MISSING and float(parts[1]) is None
        except ValueError:
            return True
    return False
