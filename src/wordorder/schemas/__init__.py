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
# The class that each of these verbs prints.
RECORDS = {
    "agreement": "wordorder.judgement.rater_agreement.RaterAgreement",
    "agreement-annotators": "wordorder.people.annotator_agreement.AnnotatorAgreement",
    "list": "wordorder.report.listing.Listing",
    "path": "wordorder.metrics.text.paths.PrintedPaths",
    "progress": "wordorder.judgement.project_file.ProjectProgress",
    "rank": "wordorder.judgement.ranking.Ranking",
    "reference-check": "wordorder.alignment.lint.LintReport",
    "rules-check": "wordorder.report.rule_checks.RuleChecks",
    "rules-explain": "wordorder.reordering.explanation.Explanation",
    "rules-explain-learned": "wordorder.reordering.learned_explanation.LearnedExplanation",
    "rules-list": "wordorder.reordering.explanation.RuleListing",
    "score-compat": "wordorder.report.compat.CompatScores",
    "select": "wordorder.training.references.SelectionReport",
    "tune": "wordorder.training.tuning.weights_file.Tuned",
    "tune-model": "wordorder.training.tuning.weights_file.TunedRounds",
    "tree": "wordorder.report.permutation_trees.PermutationTrees",
}
# Titles of schemas whose names are not the command.
TITLES = {
    "tune-model": "`wordorder tune MODEL --format json`",
    "agreement-annotators": (
        "`wordorder agreement PROJECT --format json` of a project of `annotate`"
    ),
    "reference-check": "`wordorder reference --check --report json`",
    "score-compat": "`wordorder score --compat --format json`",
    "rules-explain-learned": "`wordorder rules explain RULES --format json` of a learned order",
}
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
    return path.read_text("utf-8")


def tsv_columns(name: str) -> list[str]:
    """Return the columns of what a verb prints as TSV, if its result describes itself.

    Examples
    --------
    >>> tsv_columns("progress")[:3]
    ['rater', 'done', 'total']
    """
    return column_names(_record(name)) if name in RECORDS else []


def _record(name: str) -> type[Record]:
    """Return the class of a result."""
    module, _, kind = RECORDS[name].rpartition(".")
    record: type[Record] = getattr(import_module(module), kind)
    return record


def _record_schema(name: str) -> dict[str, Any]:
    """Make the schema of a result, with what is around it in JSON."""
    kind = _record(name)
    schema = json_schema(kind)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": TITLES.get(name) or f"`wordorder {name.replace('-', ' ')} --format json`",
        "description": remarks(kind),
        "type": "object",
        "properties": {"version": _VERSION, **schema["properties"], "notes": _NOTES},
        "required": ["version", *schema["required"], "notes"],
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
