"""JSON Schemas of what the verbs print as JSON, and of files of rules.

``python -m wordorder.schemas`` lists them, ``python -m wordorder.schemas score`` prints one.
"""

import json
from pathlib import Path
from typing import Any

from wordorder.errors import unknown_name

_FOLDER = Path(__file__).parent
RULE_FILE = "rule-file"


def schema_names() -> list[str]:
    """Return the names of the schemas: a verb, with an option that changes its output.

    Examples
    --------
    >>> schema_names()[:3], "rule-file" in schema_names()
    (['agreement', 'agreement-annotators', 'analyze'], True)
    """
    return [*sorted(path.stem for path in (_FOLDER / "json").glob("*.json")), RULE_FILE]


def schema_path(name: str) -> Path:
    """Return where the file of a schema is.

    Raises
    ------
    UsageError
        If there is none of this name; the message lists the names.
    """
    names = schema_names()
    if name not in names:
        raise unknown_name("schema", name, names)
    return _FOLDER / f"{name}.json" if name == RULE_FILE else _FOLDER / "json" / f"{name}.json"


def read_schema(name: str) -> dict[str, Any]:
    """Return a schema.

    Raises
    ------
    UsageError
        As `schema_path`.

    Examples
    --------
    >>> read_schema("score")["properties"]["version"]["const"]
    1
    """
    schema: dict[str, Any] = json.loads(schema_path(name).read_text("utf-8"))
    return schema
