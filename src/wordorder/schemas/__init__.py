"""JSON Schemas of what the verbs print as JSON, and of files of rules.

Those of results whose classes describe themselves are made from the classes.
``python -m wordorder.schemas`` lists them, ``python -m wordorder.schemas score`` prints one.
"""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from wordorder.errors import unknown_name
from wordorder.records import Record, column_names, json_schema, remarks

_FOLDER = Path(__file__).parent
RULE_FILE = "rule-file"
# The class that each of these verbs prints; of some, the keys of two classes.
RECORDS: dict[str, str | tuple[str, ...]] = {
    "agreement": "wordorder.judgement.rater_agreement.RaterAgreement",
    "agreement-annotators": "wordorder.people.annotator_agreement.AnnotatorAgreement",
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
# Titles of schemas whose names are not the command.
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
# Segments are rows of the TSV of `score`, members columns of that of a fit; `select` has none.
_OTHER_TSV = ("score", "correlate-fit", "select")
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
    written = [path.stem for path in (_FOLDER / "json").glob("*.json")]
    return [*sorted([*written, *RECORDS]), RULE_FILE]


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
    path = _FOLDER / f"{name}.json" if name == RULE_FILE else _FOLDER / "json" / f"{name}.json"
    if name != "analyze":
        return path.read_text("utf-8")
    schema = json.loads(path.read_text("utf-8"))
    schema["properties"]["grid"] |= json_schema(_kinds("evaluate")[-1])
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def tsv_columns(name: str) -> list[str]:
    """Return the columns of what a verb prints as TSV, if its result describes itself.

    Examples
    --------
    >>> tsv_columns("progress")[:3]
    ['rater', 'done', 'total']
    """
    if name not in RECORDS or name in _OTHER_TSV:
        return []
    return column_names(_kinds(name)[-1])


def _kinds(name: str) -> list[type[Record]]:
    """Return the classes whose keys a result has."""
    paths = RECORDS[name]
    kinds: list[type[Record]] = []
    for path in (paths,) if isinstance(paths, str) else paths:
        module, _, kind = path.rpartition(".")
        kinds.append(getattr(import_module(module), kind))
    return kinds


def _record_schema(name: str) -> dict[str, Any]:
    """Make the schema of a result, with what is around it in JSON."""
    kinds = _kinds(name)
    schemas = list(map(json_schema, kinds))
    properties = {key: value for schema in schemas for key, value in schema["properties"].items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": TITLES.get(name) or f"`wordorder {name.replace('-', ' ')} --format json`",
        "description": remarks(kinds[-1]),
        "type": "object",
        "properties": {"version": _VERSION, **properties, "notes": _NOTES},
        "required": ["version", *properties, "notes"],
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
