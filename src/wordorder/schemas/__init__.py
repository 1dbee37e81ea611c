"""JSON Schemas of what the commands print as JSON, and of files of rules.

Those of commands are made from the classes of their results.
``python -m wordorder.schemas`` lists them, ``python -m wordorder.schemas score`` prints one.
"""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from wordorder.errors import unknown_name
from wordorder.records import Record, column_names, json_schema, remarks

RULE_FILE = "rule-file"
# The class that each command prints; some print the keys of two classes.
RECORDS: dict[str, str | tuple[str, ...]] = {
    "agreement": "wordorder.judgement.rater_agreement.RaterAgreement",
    "agreement-annotators": "wordorder.people.annotator_agreement.AnnotatorAgreement",
    "analyze": "wordorder.report.analysis_records.AnalysisReport",
    "compare": "wordorder.scoring.result_records.ComparisonTable",
    "correlate": "wordorder.judgement.correlation_table.CorrelationTable",
    "correlate-fit": "wordorder.judgement.fit_table.FitTable",
    "evaluate": ("wordorder.analysis.grid_files.ReadFiles", "wordorder.report.grids.GridTable"),
    "evaluate-sensitivity": (
        "wordorder.analysis.grid_files.ReadFiles",
        "wordorder.report.grids.SensitivityTable",
    ),
    "list": "wordorder.report.listing.Listing",
    "path": "wordorder.metrics.text.paths.PrintedPaths",
    "progress": "wordorder.judgement.project_file.ProjectProgress",
    "rank": "wordorder.judgement.ranking.Ranking",
    "reference-check": "wordorder.alignment.lint.LintReport",
    "rules-check": "wordorder.report.rule_checks.RuleChecks",
    "rules-explain": "wordorder.reordering.explanation.Explanation",
    "rules-explain-learned": "wordorder.reordering.learned_explanation.LearnedExplanation",
    "rules-list": "wordorder.reordering.explanation.RuleListing",
    "score": "wordorder.scoring.result_records.ScoreTable",
    "score-compat": "wordorder.report.compat.CompatScores",
    "select": "wordorder.training.references.SelectionReport",
    "tune": "wordorder.training.tuning.weights_file.Tuned",
    "tune-model": "wordorder.training.tuning.weights_file.TunedRounds",
    "tree": "wordorder.report.permutation_trees.PermutationTrees",
}
# Titles of the schemas whose names are not the command.
TITLES = {
    "correlate-fit": "`wordorder correlate --fit --format json`",
    "evaluate-sensitivity": "`wordorder evaluate --sensitivity --format json`",
    "tune-model": "`wordorder tune MODEL --format json`",
    "agreement-annotators": (
        "`wordorder agreement PROJECT --format json` of a project of `annotate`"
    ),
    "reference-check": "`wordorder reference --check --report json`",
    "score-compat": "`wordorder score --compat --format json`",
    "rules-explain-learned": "`wordorder rules explain RULES --format json` of a learned order",
}
# Commands whose TSV does not have the keys of their rows as columns: `score` prints segments, a fit
# has a column for each member, `analyze` a row for each cell; `select` prints no TSV.
_OTHER_TSV = ("analyze", "score", "correlate-fit", "select")
_VERSION = {
    "description": "1. It rises when a key changes its meaning or goes; further keys may come "
    "without that",
    "const": 1,
}
_NOTES = {
    "description": "the notes that are written to standard error, without `wordorder: note: `; "
    "those that `--quiet` silences too",
    "type": "array",
    "items": {"type": "string"},
}


def schema_names() -> list[str]:
    """Return the names of the schemas: a verb, with an option that changes its output.

    Examples
    --------
    >>> schema_names()[:3], "rule-file" in schema_names()
    (['agreement', 'agreement-annotators', 'analyze'], True)
    """
    return [*sorted(RECORDS), RULE_FILE]


def schema_text(name: str) -> str:
    """Return a schema as the text of a file.

    Raises
    ------
    UsageError
        If there is none of this name; the message lists the names.
    """
    names = schema_names()
    if name not in names:
        raise unknown_name("schema", name, names)
    if name in RECORDS:
        return json.dumps(_record_schema(name), indent=2, ensure_ascii=False) + "\n"
    return Path(__file__).with_name(f"{RULE_FILE}.json").read_text("utf-8")


def tsv_columns(name: str) -> list[str]:
    """Return the columns of what a verb prints as TSV, if its result describes itself.

    Examples
    --------
    >>> tsv_columns("progress")[:3]
    ['rater', 'done', 'total']
    """
    if name not in RECORDS or name in _OTHER_TSV:
        return []
    return column_names(_classes(name)[-1])


def _classes(name: str) -> list[type[Record]]:
    """Return the classes whose keys a command prints."""
    paths = RECORDS[name]
    classes: list[type[Record]] = []
    for path in (paths,) if isinstance(paths, str) else paths:
        module, _, class_name = path.rpartition(".")
        classes.append(getattr(import_module(module), class_name))
    return classes


def _record_schema(name: str) -> dict[str, Any]:
    """Return the schema of what a command prints, with the keys that every command adds."""
    classes = _classes(name)
    schemas = list(map(json_schema, classes))
    properties = {key: value for schema in schemas for key, value in schema["properties"].items()}
    required = [key for schema in schemas for key in schema["required"]]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": TITLES.get(name) or f"`wordorder {name.replace('-', ' ')} --format json`",
        "description": remarks(classes[-1]),
        "type": "object",
        "properties": {"version": _VERSION, **properties, "notes": _NOTES},
        "required": ["version", *required, "notes"],
    }


def read_schema(name: str) -> dict[str, Any]:
    """Return a schema.

    Raises
    ------
    UsageError
        As `schema_text`.

    Examples
    --------
    >>> read_schema("score")["properties"]["version"]["const"]
    1
    """
    schema: dict[str, Any] = json.loads(schema_text(name))
    return schema
