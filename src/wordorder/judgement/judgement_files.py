"""Reading human judgements from a file, whose header says which form it has."""

from __future__ import annotations

from collections.abc import Callable

from wordorder.errors import InputError, UsageError
from wordorder.judgement import ranking_files, rating_files
from wordorder.judgement.judgements import Judgements
from wordorder.judgement.project_file import is_project, read_project
from wordorder.judgement.table_rows import TableRows
from wordorder.option_names import names_arguments
from wordorder.text.opening import Path

# The columns by which each form is told, and its reader; further columns are passed over.
_FORMS: dict[str, Callable[[TableRows], Judgements]] = {
    "segment better worse": ranking_files.strict_pairs,
    "ranking segment judge systems rank": ranking_files.output_rankings,
    "rater item system_a system_b choice": ranking_files.preferences,
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
        As `wordorder.text.opening.Source` takes it.
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
        return ranking_files.wmt_rankings(rows, languages)
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
