"""Exports: ratings, alignments and events of a project, in forms that other commands read."""

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
from wordorder.people.annotations import annotated_sentences, as_alignments, note_empty
from wordorder.people.schema import back_up_project
from wordorder.text.opening import Path
from wordorder.text.output import write_text

# What can be exported, each with its formats; the first is taken if none is named.
FORMATS = {
    "alignments": ("pharaoh", "talbot", "json"),
    "ratings": ("tsv", "csv", "json"),
    "events": ("tsv", "csv", "json"),
}
_RATINGS = ("rater", "item", "system", "value", "time")
_PREFERENCES = ("rater", "item", "system_a", "system_b", "choice", "time")
_EVENTS = ("event", "rater", "task", "item", "control", "place", "time", "undo", "shown", "value")
# What would tell who is who: events are numbered by time, tasks rater by rater.
_TELLING = ("event", "task", "time")
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
    """Write what people did in a project, as it is at this moment.

    Parameters
    ----------
    path : path
        The project.
    output : path or "-"
    what : "alignments", "ratings" or "events", optional
        Without it alignments of `annotate`, ratings of `rate`. Ratings and preferences are the
        last answers, without control items, in the form that `read_judgements` reads. Events are
        all that was ever answered.
    format : str, optional
        "pharaoh", "talbot" or "json" for alignments, "tsv", "csv" or "json" for others; without it
        the first of these. CSV is for spreadsheets: a text that begins with "=", "+", "-" or "@",
        which they would compute, gets an apostrophe before it. What commands read back is TSV.
    rater : str, optional
        Whose answers alone; alignments are of one annotator.
    anonymous : bool
        Raters get other names, in an order that nobody can guess; times and the numbers of events
        and tasks are left out.
    backup : path, optional
        A new file, into which the whole project is copied instead, the newest answers too.

    Raises
    ------
    InputError
        If `path` is no project, or has nothing of the kind.
    UsageError
        If the format does not fit, several people aligned and none is named, or the output would
        take the place of the project; or of a backup, something has its name already.
    """
    if backup is not None:
        if (output, what, format, rater, anonymous) != ("-", None, None, None, False):
            others = "--what, --format, --rater, --anonymous and -o"
            raise UsageError(f"--backup copies the whole project: it goes without {others}")
        back_up_project(os.fspath(path), os.fspath(backup))
        return
    with project_file.reading(path) as connection:
        if output != "-" and os.path.exists(output) and os.path.samefile(path, output):
            raise UsageError(f"{output}: is the project itself; give the output another name")
        annotated = project_file.project_signature(connection).metric == "annotate"
        what = what or ("alignments" if annotated else "ratings")
        choose("what", what, tuple(FORMATS))
        format = format or FORMATS[what][0]
        if format not in FORMATS[what]:
            legal = ", ".join(FORMATS[what])
            raise UsageError(f"{what} have no format {format!r}; legal names: {legal}")
        if what != "events" and annotated != (what == "alignments"):
            kind = "alignments" if annotated else "ratings"
            raise InputError(str(path), f"no {what}", f"{kind}, which this project has")
        if rater is not None:
            names = [row[0] for row in connection.execute("SELECT name FROM rater ORDER BY id")]
            choose("rater", rater, tuple(names))
        shown_as = _names(connection, anonymous)
        if what == "alignments" and format != "json":
            as_alignments(connection, str(path), rater).write(output, format=format)
            return
        rows = {"alignments": _alignments, "ratings": _ratings, "events": _events}[what](connection)
        chosen = [row for row in rows if rater in (None, row["rater"])]
        if what == "alignments":
            sentences = annotated_sentences(connection)
            note_empty(str(path), [each for each in sentences if rater in (None, each.rater)])
        for row in chosen:
            row["rater"] = shown_as[row["rater"]]
        if anonymous:
            chosen = [{key: row[key] for key in row if key not in _TELLING} for row in chosen]
        signature = str(project_file.project_signature(connection))
        control = project_file.control_results(connection)
    if anonymous:
        # The order of events would tell who is who.
        chosen.sort(key=lambda row: (row["rater"], row.get("place", 0)))
        control = dict(sorted(control.items(), key=lambda each: shown_as[each[0]]))
    columns = list(_EVENTS if what == "events" else _PREFERENCES)
    if what == "ratings" and not (chosen and "choice" in chosen[0]):
        columns = list(_RATINGS)
    if anonymous:
        columns = [name for name in columns if name not in _TELLING]
    with write_text(output) as stream:
        if format == "tsv":
            stream.write("\t".join(columns) + "\n")
            for row in chosen:
                stream.write("\t".join(_cell(row[name]) for name in columns) + "\n")
        elif format == "csv":
            table = csv.writer(stream, lineterminator="\n")
            table.writerow(columns)
            table.writerows([_guarded(row[name]) for name in columns] for row in chosen)
        else:
            results = [
                {"rater": shown_as[name], "right": right, "asked": asked}
                for name, (right, asked) in control.items()
                if rater in (None, name)
            ]
            found = {"signature": signature, "control": results, what: chosen}
            stream.write(json.dumps(found, ensure_ascii=False, indent=1) + "\n")


def _ratings(connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield the last ratings, one row per output, or the last preferences, one row per pair."""
    for answer in project_file.last_answers(connection):
        row: Row = {"rater": answer.rater, "item": answer.item, "time": _time(answer.at)}
        if isinstance(answer.value, str):
            first, second = answer.systems
            choice = {"A": first, "B": second}.get(answer.value, "none")
            if choice == "none" in answer.systems and answer.value not in "AB":
                choice = ""
            yield row | {"system_a": first, "system_b": second, "choice": choice}
            continue
        # By name: the order shown differs from project to project.
        for system, value in sorted(zip(answer.systems, answer.value, strict=True)):
            yield row | {"system": system, "value": value}


def _alignments(connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield each annotator's sentences, drafts too, with tokens and links."""
    for each in annotated_sentences(connection):
        when = None if each.at is None else _time(each.at)
        yield {"rater": each.rater, "item": each.line, "time": when, **each.answer}


def _events(connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield all that was ever answered, in the order in which it came."""
    systems = dict(connection.execute("SELECT id, system FROM output"))
    rows = connection.execute(
        "SELECT event.id, rater.name, task, line, control IS NOT NULL, place, at, undo, shown, "
        "value FROM event JOIN task ON task.id = task JOIN item ON item.id = item "
        "JOIN rater ON rater.id = rater ORDER BY event.id"
    )
    for event, rater, task, line, control, place, at, undo, shown, value in rows:
        names = [systems[output] for output in json.loads(shown)]
        cells = event, rater, task, line, bool(control), place, _time(at), bool(undo), names
        yield dict(zip(_EVENTS, (*cells, json.loads(value)), strict=True))


def _names(connection: sqlite3.Connection, anonymous: bool) -> dict[str, str]:
    """Return what each rater is called; anonymous names are the same in each export."""
    names = [row[0] for row in connection.execute("SELECT name FROM rater ORDER BY id")]
    if not anonymous:
        return dict(zip(names, names, strict=True))
    secret = connection.execute("SELECT value FROM meta WHERE name = 'secret'").fetchone()[0]
    digests = {hmac.digest(secret.encode(), name.encode(), hashlib.sha256): name for name in names}
    return {digests[digest]: f"P{number}" for number, digest in enumerate(sorted(digests), 1)}


def _time(at: float) -> str:
    """Write a time as ISO 8601 in UTC, to the millisecond."""
    moment = datetime.fromtimestamp(at, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _cell(value: object) -> str:
    """Write what a table holds; a name with a tab in it would be two cells."""
    if isinstance(value, bool):
        return str(int(value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("\t", " ")


def _guarded(value: object) -> str:
    """Write a cell for a spreadsheet: with an apostrophe before a text that it would compute.

    Examples
    --------
    >>> _guarded("=1+1"), _guarded("a-b"), _guarded(-3)
    ("'=1+1", 'a-b', '-3')
    """
    computed = isinstance(value, str) and value.lstrip().startswith(("=", "+", "-", "@"))
    return f"'{value}" if computed else _cell(value)
