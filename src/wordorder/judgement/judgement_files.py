"""Reads human judgements from files; the format is recognised by the header."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Array, Int64
from wordorder.errors import InputError, UsageError, choose
from wordorder.judgement import pair_rows, rating_rows
from wordorder.judgement.judgements import Judgements, PairJudgements, Ratings
from wordorder.judgement.project_file import is_project, read_project
from wordorder.judgement.score_table import MISSING, check_lengths, read_scores
from wordorder.judgement.table_rows import MAX_DIGITS, TableRows
from wordorder.messages import names_arguments
from wordorder.notes import note
from wordorder.statistics.intervals import check_level
from wordorder.text.blocks import quoted
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name

# Columns that identify each format, and its reader; further columns are ignored.
_ROW_READERS: dict[str, Callable[[TableRows], Judgements]] = {
    "segment better worse": pair_rows.strict_pairs,
    "ranking segment judge systems rank": pair_rows.output_rankings,
    "rater item system_a system_b choice": pair_rows.preferences,
    "rater item system value": rating_rows.rater_values,
    "SYS SID RAW.SCR Z.SCR": rating_rows.direct_assessment,
    "system mqm_avg_score seg_id": rating_rows.mqm_means,
    "system seg_id rater category severity": rating_rows.mqm_errors,
    "system globalSegId rater category severity": rating_rows.mqm_errors,
}

# Columns of the formats that need `languages` or `items`.
_WMT_COLUMNS = "srclang trglang srcIndex judgeId system1Id system1rank"

_ITEM_COLUMNS = "item judge score"

_WMT_PURPOSE = "for the rankings of WMT (srclang trglang srcIndex …)"

# Units of judgements that can be resampled.
RESAMPLED_UNITS = ("items", "raters", "both")


@names_arguments
def read_judgements(
    path: Path, *, languages: str | None = None, items: Path | None = None
) -> Judgements:
    r"""Read human judgements of translations; the header of the file gives the format.

    Pairs (``segment better worse``), rankings (WMT's CSV with five systems per row, or one row
    per output: ``ranking segment judge systems rank``), preferences (``rater item system_a
    system_b choice time``), ratings (``rater item system value time``), direct assessment (``SYS
    SID RAW.SCR Z.SCR N``, or ``item judge score`` with a file of items), MQM errors or means;
    or a project of `rate`, without the raters who fail its control items.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.text.sources.Source`.
    languages : str, optional
        The language pair to read from a WMT file with several: "French-English".
    items : path, optional
        For ``item judge score``: a table with the columns item, system and source_line.

    Returns
    -------
    PairJudgements or Ratings

    Raises
    ------
    InputError
        If the header or a row is not valid; the message names file and line.
    UsageError
        If the format needs `languages` or `items`, or does not read one that is given.

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
        judgements = _read_form(rows, languages, items)
    if not len(judgements):
        raise InputError(rows.name, "no judgement", "one or more after the header")
    return judgements


def check_judgements(
    judgements: Judgements | Path,
    languages: str | None = None,
    items: Path | None = None,
    *,
    over: str = "items",
    level: float = 0.95,
) -> Judgements:
    """Return judgements, read from a file if necessary; check that they can be resampled."""
    if not isinstance(judgements, Judgements):
        judgements = read_judgements(judgements, languages=languages, items=items)
    check_level(level)
    choose("over", over, RESAMPLED_UNITS)
    if over != "items" and (len(judgements.raters) < 2 or (judgements.rater < 0).any()):
        raise UsageError("raters are resampled, but these judgements do not name two or more")
    return judgements


def _read_form(rows: TableRows, languages: str | None, items: Path | None) -> Judgements:
    """Read the rows in the format given by the header."""
    columns = set(rows.header)
    if columns.issuperset(_WMT_COLUMNS.split()):
        _refuse_option(rows, "--items", items, f"for scores of items ({_ITEM_COLUMNS})")
        return pair_rows.wmt_rankings(rows, languages)
    if columns.issuperset(_ITEM_COLUMNS.split()):
        _refuse_option(rows, "--languages", languages, _WMT_PURPOSE)
        return rating_rows.judged_items(rows, items)
    form = next((form for form in _ROW_READERS if columns.issuperset(form.split())), None)
    if form is None:
        formats = "; ".join([*_ROW_READERS, _ITEM_COLUMNS, "srclang trglang srcIndex … (WMT)"])
        header = " ".join(rows.header)
        problem = f"the header is {header[:60]!r}" if header else "an empty file"
        raise InputError(rows.name, problem, f"a header with the columns of one form: {formats}")
    _refuse_option(rows, "--languages", languages, _WMT_PURPOSE)
    _refuse_option(rows, "--items", items, f"for scores of items ({_ITEM_COLUMNS})")
    return _ROW_READERS[form](rows)


def _refuse_option(rows: TableRows, option: str, value: object, purpose: str) -> None:
    """Refuse an option that this format does not read."""
    if value is not None:
        raise UsageError(f"{rows.name}: {option} is {purpose}, with another header")


@dataclass(frozen=True)
class JudgedScores:
    """Scores of segments, documents or systems, as read from a file.

    Attributes
    ----------
    path : str
    scores : mapping of system to (indices, scores)
        Indices of segments or documents, from 0.
    numbered : bool
        Whether the file has indices; a file without them must have all scores.
    """

    path: str
    scores: Mapping[str, tuple[Sequence[int], Sequence[float]]]
    numbered: bool

    @property
    def length(self) -> int:
        """The largest index plus 1: a lower bound of the number of segments or documents."""
        return max((max(indices, default=-1) + 1 for indices, _ in self.scores.values()), default=0)

    def rows(self, length: int, unit: str) -> dict[str, list[float]]:
        """Return the scores of each system, NaN for missing ones.

        Parameters
        ----------
        length : int
            Number of segments or documents.
        unit : str
            The unit scored: ``"segment"``.

        Raises
        ------
        InputError
            If the file has more scores, or without indices a different number.
        """
        rows = {}
        if not length and unit == "document" and self.scores:
            problem = "scores of documents, but the set does not say which segments form a document"
            raise InputError(self.path, problem, "documents = FILE beside them")
        for system, (indices, values) in self.scores.items():
            if not self.numbered:
                check_lengths(self.path, {system: values}, length, unit)
            if max(indices, default=-1) >= length:
                problem = f"a score of {unit} {max(indices) + 1} by {system}"
                raise InputError(self.path, problem, f"{unit}s 1 to {length}")
            row = [math.nan] * length
            for index, value in zip(indices, values, strict=True):
                row[index] = value
            rows[system] = row
        return rows


def plain_scores(path: Path) -> JudgedScores:
    """Read a system and a score per line; see `read_scores`."""
    scores = {system: (range(len(row)), row) for system, row in read_scores(path).items()}
    return JudgedScores(display_name(path), scores, False)


def read_judged_scores(path: Path) -> JudgedScores:
    """Read scores: a system and a score per line, or judgements with a header.

    Ratings (direct assessment, MQM, values of raters) are averaged over the raters of a segment;
    for direct assessment the standardised values are used, as by WMT.

    Raises
    ------
    InputError
        If a row is not valid, or a segment is not a line number, from 1.
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
    """Read rankings or pairs of outputs from one or several files, and concatenate them.

    Raises
    ------
    InputError
        If a file has other judgements, or a segment is not a line number, from 1.
    """
    parts = []
    for path in paths:
        judgements = read_judgements(path)
        if not isinstance(judgements, PairJudgements):
            expected = "rankings or pairs (segment_scores = names ratings)"
            raise InputError(display_name(path), "ratings", expected)
        _note_signature(display_name(path), judgements.signature)
        lines = line_numbers(judgements.items, path)
        if segments and lines.max(initial=0) >= segments:
            problem = f"a judgement of segment {lines.max() + 1}"
            raise InputError(display_name(path), problem, f"segments 1 to {segments}")
        parts.append(judgements)
    return parts[0] if len(parts) == 1 else _concatenate(parts)


def _note_signature(name: str, signature: str) -> None:
    """Note the signature of the judgements of a project."""
    if signature:
        note(f"{name}: judgements {signature}")


def line_numbers(items: Sequence[str], path: Path) -> Int64:
    """Return the line indices, from 0, of items named by line numbers.

    Raises
    ------
    InputError
        If a name is not a whole number from 1.
    """
    for name in items:
        if not (name.isascii() and name.isdigit() and len(name) < MAX_DIGITS and int(name) > 0):
            problem = f"segment {quoted(name.encode())}"
            raise InputError(display_name(path), problem, "the number of a line, from 1")
    return np.array([int(name) - 1 for name in items], np.int64)


def _concatenate(parts: Sequence[PairJudgements]) -> PairJudgements:
    """Concatenate the judgements of several files."""
    systems, raters, items = (
        tuple(dict.fromkeys(name for part in parts for name in getattr(part, names)))
        for names in ("systems", "raters", "items")
    )
    numbers = {
        names: {name: number for number, name in enumerate(all_names)}
        for names, all_names in (("systems", systems), ("raters", raters), ("items", items))
    }
    columns: list[tuple[Array, ...]] = []
    shared: dict[tuple[int, int], tuple[int, ...]] = {}
    rankings = 0
    for part in parts:
        renumbered = {
            names: np.array([number[name] for name in getattr(part, names)], np.int32)
            for names, number in numbers.items()
        }
        rater = np.where(part.rater < 0, -1, np.append(renumbered["raters"], -1)[part.rater])
        item, first, second = (
            part.item,
            renumbered["systems"][part.first],
            renumbered["systems"][part.second],
        )
        for (place, system), same_output in part.shared.items():
            # Of systems with the same output, the first of all files represents them.
            representative, *remaining = sorted(
                renumbered["systems"][[system, *same_output]].tolist()
            )
            for systems_column, part_column in ((first, part.first), (second, part.second)):
                systems_column[(item == place) & (part_column == system)] = representative
            shared[int(renumbered["items"][place]), representative] = tuple(remaining)
        ids = renumbered["items"][item], rater.astype(np.int32), first, second
        columns.append((*ids, part.outcome, part.ranking + rankings))
        rankings += int(part.ranking.max(initial=-1)) + 1
    item, rater, first, second, outcome, ranking = map(np.concatenate, zip(*columns, strict=True))
    all_columns = item, rater, first, second, outcome, ranking
    return PairJudgements(systems, raters, items, *all_columns, shared)


def _has_header(path: Path) -> bool:
    """Return whether a file starts with a header, not with a system and its score."""
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
