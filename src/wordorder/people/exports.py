"""Exports of a project: ratings, alignments and events, in formats that other commands read."""

import csv
import hashlib
import hmac
import json
import os
import sqlite3
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

from wordorder.errors import InputError, UsageError, choose
from wordorder.judgement import project_file
from wordorder.people.annotations import annotated_sentences, note_empty, sentences_of_annotator
from wordorder.people.schema import back_up_project
from wordorder.text.opening import Path
from wordorder.text.output import write_text

# Contents that can be exported, and their formats; the first is the default.
EXPORT_FORMATS = {
    "alignments": ("pharaoh", "talbot", "json"),
    "ratings": ("tsv", "csv", "json"),
    "events": ("tsv", "csv", "json"),
}
_RATINGS = ("rater", "item", "system", "value", "time")
_PREFERENCES = ("rater", "item", "system_a", "system_b", "choice", "time")
_EVENTS = ("event", "rater", "task", "item", "control", "place", "time", "undo", "shown", "value")
# Columns that would identify raters: events are numbered by time, tasks by rater.
_IDENTIFYING = ("event", "task", "time")
Row = dict[str, Any]


def export(
    path: Path,
    output: Path = "-",
    *,
    what: str | None = None,
    format: str | None = None,
    rater: str | None = None,
    anonymous: bool = False,
    backup: Path | None = None,
) -> None:
    """Write the ratings, alignments or events of a project so far.

    Parameters
    ----------
    path : path
        The project.
    output : path or "-"
    what : "alignments", "ratings" or "events", optional
        By default alignments for `annotate` and ratings for `rate`. Ratings and preferences are the
        last answers, without control items, in the format of `read_judgements`. Events are all
        answers, including replaced ones.
    format : str, optional
        "pharaoh", "talbot" or "json" for alignments, "tsv", "csv" or "json" for others; the
        first is the default. CSV is for spreadsheets: a text that starts with "=", "+", "-" or "@"
        gets an apostrophe, so that it is not computed. Other commands read TSV.
    rater : str, optional
        Export the answers of this rater only; alignments are of one annotator.
    anonymous : bool
        Whether to replace the names of raters, in an order that cannot be guessed, and leave out
        times and the numbers of events and tasks.
    backup : path, optional
        A new file: the whole project is copied into it instead, with all answers so far.

    Raises
    ------
    InputError
        If `path` is not a project, or does not have these contents.
    UsageError
        If these contents have no such format, there are several annotators and `rater` is missing,
        the output is the project itself, or the backup exists.
    """
    if backup is not None:
        if (output, what, format, rater, anonymous) != ("-", None, None, None, False):
            other_options = "--what, --format, --rater, --anonymous and -o"
            raise UsageError(f"--backup copies the whole project: it goes without {other_options}")
        back_up_project(os.fspath(path), os.fspath(backup))
        return
    with project_file.open_readonly(path) as connection:
        if output != "-" and os.path.exists(output) and os.path.samefile(path, output):
            raise UsageError(f"{output}: is the project itself; give the output another name")
        annotated = project_file.project_signature(connection).metric == "annotate"
        what = what or ("alignments" if annotated else "ratings")
        choose("what", what, tuple(EXPORT_FORMATS))
        format = format or EXPORT_FORMATS[what][0]
        if format not in EXPORT_FORMATS[what]:
            valid = ", ".join(EXPORT_FORMATS[what])
            raise UsageError(f"{what} have no format {format!r}; legal names: {valid}")
        if what != "events" and annotated != (what == "alignments"):
            kind = "alignments" if annotated else "ratings"
            raise InputError(str(path), f"no {what}", f"{kind}, which this project has")
        if rater is not None:
            names = [row[0] for row in connection.execute("SELECT name FROM rater ORDER BY id")]
            choose("rater", rater, tuple(names))
        export_names = _export_names(connection, anonymous)
        if what == "alignments" and format != "json":
            sentences_of_annotator(connection, str(path), rater).write(output, format=format)
            return
        rows = {"alignments": _alignment_rows, "ratings": _rating_rows, "events": _event_rows}[
            what
        ](connection)
        selected = [row for row in rows if rater in (None, row["rater"])]
        if what == "alignments":
            sentences = annotated_sentences(connection)
            note_empty(
                str(path),
                [annotation for annotation in sentences if rater in (None, annotation.rater)],
            )
        for row in selected:
            row["rater"] = export_names[row["rater"]]
        signature = str(project_file.project_signature(connection))
        control = [
            {"rater": export_names[name], "right": right, "asked": total}
            for name, (right, total) in project_file.control_results(connection).items()
            if rater in (None, name)
        ]
    columns = list(_EVENTS if what == "events" else _PREFERENCES)
    if what == "ratings" and not (selected and "choice" in selected[0]):
        columns = list(_RATINGS)
    if anonymous:
        selected = [{key: row[key] for key in row if key not in _IDENTIFYING} for row in selected]
        columns = [name for name in columns if name not in _IDENTIFYING]
        # The order of events would identify raters.
        selected.sort(key=lambda row: (row["rater"], row.get("place", 0)))
        control.sort(key=lambda result: str(result["rater"]))
    document = {"signature": signature, "control": control, what: selected}
    _write_rows(output, format, columns, selected, document)


def _write_rows(
    output: Path, format: str, columns: list[str], rows: list[Row], document: dict[str, Any]
) -> None:
    """Write rows as a table in TSV or CSV, or the document with them as JSON."""
    with write_text(output) as stream:
        if format == "tsv":
            stream.write("\t".join(columns) + "\n")
            for row in rows:
                stream.write("\t".join(_format_cell(row[name]) for name in columns) + "\n")
        elif format == "csv":
            table = csv.writer(stream, lineterminator="\n")
            table.writerow(columns)
            table.writerows([_format_csv_cell(row[name]) for name in columns] for row in rows)
        else:
            stream.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def _rating_rows(connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield the last ratings, one row per output, or the last preferences, one row per pair."""
    for answer in project_file.last_answers(connection):
        row: Row = {"rater": answer.rater, "item": answer.item, "time": _format_time(answer.at)}
        if isinstance(answer.value, str):
            first, second = answer.systems
            choice = {"A": first, "B": second}.get(answer.value, "none")
            if choice == "none" in answer.systems and answer.value not in "AB":
                choice = ""
            yield row | {"system_a": first, "system_b": second, "choice": choice}
            continue
        # Sorted by name, because the order shown differs between projects.
        for system, value in sorted(zip(answer.systems, answer.value, strict=True)):
            yield row | {"system": system, "value": value}


def _alignment_rows(connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield the sentences of each annotator, drafts included, with tokens and links."""
    for annotation in annotated_sentences(connection):
        time = None if annotation.saved_at is None else _format_time(annotation.saved_at)
        yield {
            "rater": annotation.rater,
            "item": annotation.line,
            "time": time,
            **annotation.answer,
        }


def _event_rows(connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield all events, in the order in which they were saved."""
    systems = dict(connection.execute("SELECT id, system FROM output"))
    rows = connection.execute(
        "SELECT event.id, rater.name, task, line, control IS NOT NULL, place, at, undo, shown, "
        "value FROM event JOIN task ON task.id = task JOIN item ON item.id = item "
        "JOIN rater ON rater.id = rater ORDER BY event.id"
    )
    for event, rater, task, line, control, place, saved_at, undo, output_ids, value in rows:
        names = [systems[output] for output in json.loads(output_ids)]
        cells = (
            event,
            rater,
            task,
            line,
            bool(control),
            place,
            _format_time(saved_at),
            bool(undo),
            names,
        )
        yield dict(zip(_EVENTS, (*cells, json.loads(value)), strict=True))


def _export_names(connection: sqlite3.Connection, anonymous: bool) -> dict[str, str]:
    """Return the exported name of each rater; anonymous names are the same in each export."""
    names = [row[0] for row in connection.execute("SELECT name FROM rater ORDER BY id")]
    if not anonymous:
        return dict(zip(names, names, strict=True))
    secret = connection.execute("SELECT value FROM meta WHERE name = 'secret'").fetchone()[0]
    digests = {hmac.digest(secret.encode(), name.encode(), hashlib.sha256): name for name in names}
    return {digests[digest]: f"P{number}" for number, digest in enumerate(sorted(digests), 1)}


def _format_time(seconds: float) -> str:
    """Format a time as ISO 8601 in UTC, to the millisecond."""
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _format_cell(value: object) -> str:
    """Format a cell of a TSV table; tabs become spaces."""
    if isinstance(value, bool):
        return str(int(value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("\t", " ")


def _format_csv_cell(value: object) -> str:
    """Format a cell of a CSV table, with an apostrophe before a text that looks like a formula.

    Examples
    --------
    >>> _format_csv_cell("=1+1"), _format_csv_cell("a-b"), _format_csv_cell(-3)
    ("'=1+1", 'a-b', '-3')
    """
    computed = isinstance(value, str) and value.lstrip().startswith(("=", "+", "-", "@"))
    return f"'{value}" if computed else _format_cell(value)
