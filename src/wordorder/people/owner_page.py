"""Data of the owner's page: progress, time per item, agreement so far, and exports."""

import contextlib
import json
import os
import sqlite3
import tempfile
from dataclasses import dataclass
from statistics import median

from wordorder.arrays import group_rows
from wordorder.errors import WordOrderError
from wordorder.judgement import project_file
from wordorder.judgement.rater_agreement import agreement
from wordorder.notes import held_notes
from wordorder.people.annotations import active_annotators
from wordorder.people.annotator_agreement import annotator_agreement
from wordorder.people.exports import export
from wordorder.text.opening import Path

# Enough for two digits of an interval, without a long wait for the page.
_RESAMPLES = 200

_RATER_PAIRS = {"inter": "between people", "intra": "one person twice"}
_COEFFICIENTS = {
    "kappa": "kappa",
    "kappa-uniform": "kappa, all answers as likely by chance",
    "krippendorff-ordinal": "alpha of higher and lower ratings",
    "krippendorff-interval": "alpha of distances of ratings",
}


@dataclass(frozen=True)
class ProjectState:
    """The current state of a project.

    Attributes
    ----------
    progress : project_file.ProjectProgress
    seconds : dict of str to float
        Median seconds of each rater from seeing an item to the first answer.
    agreement : list of (name, value, low, high, n)
        Low and high are NaN if there is no interval; n is the number of items compared. Empty until
        two answers can be compared.
    exports : tuple of (what, format) or (what, format, rater)
        What `export` can write, as `exports_of` lists it.
    """

    progress: project_file.ProjectProgress
    seconds: dict[str, float]
    agreement: list[tuple[str, float, float, float, int]]
    exports: tuple[tuple[str, ...], ...]


def project_state(path: Path) -> ProjectState:
    """Read the current state of a project; a server may be writing to it.

    The result contains no names of systems, so that raters who see it stay blind.

    Raises
    ------
    InputError
        If the file is not a project, or is of another version.
    """
    with project_file.open_readonly(path) as connection:
        protocol = project_file.project_signature(connection).metric
        seconds = seconds_per_item(connection)
    rows: list[tuple[str, float, float, float, int]] = []
    # Refused while no two answers can be compared.
    with contextlib.suppress(WordOrderError), held_notes():
        rows = _annotator_agreement(path) if protocol == "annotate" else _rater_agreement(path)
    return ProjectState(project_file.project_progress(path), seconds, rows, exports_of(path))


def exports_of(path: Path) -> tuple[tuple[str, ...], ...]:
    """Return the exports of a project: contents, format, and rater if there are several.

    Alignments are exported in the format of `reference`, one file per annotator, and together as
    JSON. The rater is left out if only one annotator has started.
    """
    with project_file.open_readonly(path) as connection:
        if project_file.project_signature(connection).metric != "annotate":
            return ("ratings", "tsv"), ("events", "tsv")
        names = active_annotators(connection)
    raters = [(name,) for name in names] if len(names) > 1 else [()]
    links = (("alignments", "pharaoh", *rater) for rater in raters)
    return *links, ("alignments", "json"), ("events", "tsv")


def export_text(path: Path, contents: str, format: str, rater: str | None = None) -> str:
    """Return the text that `export` writes."""
    with tempfile.TemporaryDirectory() as folder, held_notes():
        output = os.path.join(folder, contents)
        export(path, output, what=contents, format=format, rater=rater)
        with open(output, encoding="utf-8") as file:
            return file.read()


def seconds_per_item(connection: sqlite3.Connection) -> dict[str, float]:
    """Return the median seconds of each rater from seeing an item to the first answer.

    The median is used because a page may stay open overnight. Drafts are not answers.
    """
    first_answers: dict[int, tuple[str, float]] = {}
    rows = connection.execute(
        "SELECT task.id, name, given, at, value FROM event JOIN task ON task.id = event.task "
        "JOIN rater ON rater.id = rater WHERE given IS NOT NULL ORDER BY event.id"
    )
    for task, name, shown_at, saved_at, value in rows:
        answer = json.loads(value)
        if task not in first_answers and not (isinstance(answer, dict) and answer.get("draft")):
            first_answers[task] = name, saved_at - shown_at
    times = group_rows(first_answers.values())
    return {name: median(seconds) for name, seconds in times.items()}


def _rater_agreement(path: Path) -> list[tuple[str, float, float, float, int]]:
    return [
        (f"{_COEFFICIENTS[row.statistic]}, {_RATER_PAIRS[row.raters]}", *values, row.n)
        for row in agreement(project_file.read_project(path), resamples=_RESAMPLES).measures
        for values in [(row.value, row.low, row.high)]
        if row.n
    ]


def _annotator_agreement(path: Path) -> list[tuple[str, float, float, float, int]]:
    """Return F1 and kappa of each pair of annotators: name, value, no interval (NaN), sentences."""
    nan = float("nan")
    return [
        (f"{name}, {pair.first} and {pair.second}", getattr(pair, key), nan, nan, pair.sentences)
        for pair in annotator_agreement(path).pairs
        for name, key in (("links in common (F1)", "f1"), ("beyond chance (kappa)", "kappa"))
    ]
