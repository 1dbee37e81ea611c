"""Checks of the rows of a project file, which may be damaged or edited.

All rows are checked when a project is opened, so that other code can rely on them.
"""

import json
import math
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from wordorder.errors import InputError
from wordorder.judgement.alignment_answers import checked_alignment, finishes

REMEDY = "restore a backup, a copy made by `wordorder export --backup`"

# The first second of the year 10000, which `datetime` cannot represent.
_MAX_TIME = 253_402_300_800

# Answers to a pair of outputs.
CHOICES = ("A", "B", "unknown")

# The outputs of a sentence on one page, by protocol.
_OUTPUTS = {"annotate": "none", "preference": "pair"}


# Types of columns: expected values in words, and a condition in SQL.
_TYPES = {
    "whole": ("a whole number", "typeof({0}) = 'integer'"),
    "text": ("text", "typeof({0}) = 'text'"),
    "flag": ("0 or 1", "typeof({0}) = 'integer' AND {0} IN (0, 1)"),
    "time": (
        "a time in seconds since 1970",
        f"typeof({{0}}) IN ('integer', 'real') AND {{0}} >= 0 AND {{0}} < {_MAX_TIME}",
    ),
}

# The columns of each table with their types; "?" allows empty cells. Messages about a row name it
# by its first column.
_TABLES = {
    "meta": "name:text value:text",
    "item": "id:whole line:whole content:text control:text?",
    "output": "id:whole item:whole system:text text:text better:flag?",
    "rater": "id:whole name:text token:text since:time seen:time revoked:time?",
    "task": "id:whole rater:whole item:whole place:whole shown:text given:time? done:flag "
    "returned:time?",
    "event": "id:whole task:whole key:text at:time undo:flag value:text",
}

Row = dict[str, Any]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any, low: float = -math.inf, high: float = math.inf) -> bool:
    # An int may be too large for a float.
    is_finite = abs(value) < 1e300 if _is_whole(value) else isinstance(value, float)
    return is_finite and math.isfinite(value) and low <= value <= high


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def check_rows(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a project with a damaged page, an impossible value or a reference to a missing row.

    Raises
    ------
    InputError
        The messages name the table, the row, the fault and the remedy.
    """
    problem = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if problem != "ok":
        raise InputError(path, f"damaged: {' '.join(problem.split())}; {REMEDY}")
    text_factory = connection.text_factory
    connection.text_factory = _decode
    try:
        _Rows(connection, path).check()
    finally:
        connection.text_factory = text_factory


def _decode(data: bytes) -> str | bytes:
    """Decode UTF-8; return other bytes unchanged."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _parse(text: str) -> Any:
    """Parse JSON; return NotImplemented, which every check refuses, if it is not valid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return NotImplemented


class _Rows:
    """The rows of all tables, by table and value of the first column."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._path = path
        self._answers: dict[tuple[str, int], Any] = {}
        self._tables = {table: self._read(connection, table) for table in _TABLES}

    def _read(self, connection: sqlite3.Connection, table: str) -> dict[Any, Row]:
        """Read a table after a check of the type of each column."""
        columns = dict(column.split(":") for column in _TABLES[table].split())
        names = list(columns)
        for name, column_type in columns.items():
            expected, condition = _TYPES[column_type.removesuffix("?")]
            if column_type.endswith("?"):
                expected, condition = f"{expected}, or empty", f"{{0}} IS NULL OR ({condition})"
            wrong = f"SELECT {names[0]}, {name} FROM {table} WHERE NOT ({condition.format(name)})"
            for key, value in connection.execute(f"{wrong} LIMIT 1"):
                raise self._fault(table, {names[0]: key}, f"{name} is {value!r:.40}", expected)
        rows = {}
        for cells in connection.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY 1"):
            row = rows[cells[0]] = dict(zip(names, cells, strict=True))
            if bytes in map(type, cells):
                name = next(name for name, cell in row.items() if isinstance(cell, bytes))
                raise self._fault(table, row, f"{name} is {row[name]!r:.40}", "text in UTF-8")
        return rows

    def _fault(self, table: str, row: Row, problem: str, expected: str) -> InputError:
        key = next(iter(row.values()))
        remedy = f"mend the row with `sqlite3`, or {REMEDY}"
        place = f"table {table}, row {key!r:.60}"
        return InputError(self._path, f"{place}: {problem}", f"{expected}; {remedy}")

    def _referenced_row(self, table: str, row: Row, column: str) -> Row:
        """Return the row that a row refers to."""
        target = self._tables[column].get(row[column])
        if target is None:
            problem = f"refers to {column} {row[column]}, which is missing"
            raise self._fault(table, row, problem, f"a row of table {column}")
        return target

    def check(self) -> None:
        """Check references between rows, and values stored as JSON."""
        protocol = self._protocol()
        for item in self._tables["item"].values():
            item["outputs"] = []
            item["content"] = self._content(item, protocol["name"])
        for output in self._tables["output"].values():
            item = self._referenced_row("output", output, "item")
            item["outputs"].append(output["id"])
            if (output["better"] is None) != (item["control"] is None):
                problem = f"better is {output['better']!r}"
                expected = "0 or 1 in control items, empty in others"
                raise self._fault("output", output, problem, expected)
        for item in self._tables["item"].values():
            sides = [self._tables["output"][output]["better"] for output in item["outputs"]]
            if item["control"] is not None and sorted(sides) != [0, 1]:
                expected = "two outputs, of which one is better"
                raise self._fault("item", item, f"a control item with better {sides}", expected)
        for task in self._tables["task"].values():
            self._check_task(task, protocol["outputs"])
        last: dict[int, Any] = defaultdict(lambda: None)
        for event in self._tables["event"].values():
            task = self._referenced_row("event", event, "task")
            last[task["id"]] = self._answer(event, task, protocol)
        for number, task in self._tables["task"].items():
            answer = last[number]
            is_done = answer is not None
            if protocol["name"] == "annotate":
                is_done = is_done and finishes(answer)
            if task["done"] != is_done:
                expected = f"{is_done:d}, as its last event says"
                raise self._fault("task", task, f"done is {task['done']}", expected)

    def _protocol(self) -> dict[str, Any]:
        """Check the rows of `meta`, and return the protocol."""
        tests: dict[str, tuple[str, Callable[[Any], bool]]] = {
            "protocol": ("the protocol as JSON", _is_protocol),
            "--seed": ("a whole number", _is_whole),
            "give_back": ("a number of seconds", lambda seconds: _is_number(seconds, 0)),
        }
        meta = self._tables["meta"]
        # Without "numbered", the order of outputs was drawn from the public seed.
        for name in ("protocol", "--seed", "give_back", "secret", "numbered", "version"):
            if name not in meta:
                raise InputError(self._path, f"table meta: no row {name!r}", f"one; {REMEDY}")
        for name, (expected, is_valid) in tests.items():
            row = meta.get(name, {})
            if row and not is_valid(_parse(row["value"])):
                raise self._fault("meta", row, f"value is {row['value']!r:.40}", expected)
        protocol: dict[str, Any] = json.loads(meta["protocol"]["value"])
        return protocol

    def _content(self, item: Row, protocol: str) -> Any:
        """Check the content of a page, and return it."""
        content = _parse(item["content"])
        is_content = isinstance(content, dict) and (
            _is_tokens(content.get("source"))
            and (content.get("target", "") is None or _is_tokens(content.get("target")))
            if protocol == "annotate"
            else _is_text(content.get("source")) and _is_text(content.get("reference"))
        )
        if not is_content:
            sides = "source and target" if protocol == "annotate" else "source and reference"
            problem = f"content is {item['content']!r:.40}"
            raise self._fault("item", item, problem, f"{sides} as JSON")
        return content

    def _check_task(self, task: Row, outputs: str) -> None:
        item = self._referenced_row("task", task, "item")
        self._referenced_row("task", task, "rater")
        output_ids = _parse(task["shown"])
        is_list = isinstance(output_ids, list) and all(map(_is_whole, output_ids))
        is_pair = item["control"] is not None or outputs == "pair"
        count = 2 if is_pair else {"none": 0, "one": 1}.get(outputs)
        if (
            not is_list
            or sorted(output_ids) != item["outputs"]
            or count not in (None, len(output_ids))
        ):
            expected = f"the outputs of item {item['id']} in some order, {item['outputs']}"
            raise self._fault("task", task, f"shown is {task['shown']!r:.40}", expected)
        task["shown"] = output_ids

    def _answer(self, event: Row, task: Row, protocol: dict[str, Any]) -> Any:
        """Check the answer of an event, and return it; None if it was undone."""
        # Many answers are equal, so checks are cached; annotations depend on the item too.
        cache_key = (
            event["value"],
            task["item"] if protocol["name"] == "annotate" else len(task["shown"]),
        )
        if cache_key not in self._answers:
            answer = _parse(event["value"])
            expected = "" if answer is None else self._expected_form(answer, task, protocol)
            if expected:
                raise self._fault("event", event, f"value is {event['value']!r:.40}", expected)
            self._answers[cache_key] = answer
        return self._answers[cache_key]

    def _expected_form(self, answer: Any, task: Row, protocol: dict[str, Any]) -> str:
        """Return the expected form of an answer that is not valid; empty if it is valid."""
        scale = protocol["scale"]
        if protocol["name"] == "annotate":
            try:
                checked_alignment(answer, self._tables["item"][task["item"]]["content"])
            except InputError as error:
                return f"an alignment ({error})"
        elif scale is None:
            if not (isinstance(answer, str) and answer in CHOICES):
                return f"one of {', '.join(CHOICES)}"
        else:
            low, high = scale["min"], scale["max"]
            has_length = isinstance(answer, list) and len(answer) == len(task["shown"])
            if not has_length or not all(_is_number(value, low, high) for value in answer):
                return f"{len(task['shown'])} numbers from {low:g} to {high:g}"
        return ""


def _is_tokens(value: Any) -> bool:
    """Return whether a value is a list of texts."""
    return isinstance(value, list) and all(map(_is_text, value))


def _is_protocol(value: Any) -> bool:
    """Return whether a value has exactly the fields of a protocol, with valid values."""
    names = {"name", "outputs", "ratings", "max_share", "scale", "instructions"}
    if not isinstance(value, dict) or set(value) != names:
        return False
    name, scale = value["name"], value["scale"]
    if name not in ("annotate", "preference", "talbot", "scale") or not _is_text(name):
        return False
    has_scale = name in ("talbot", "scale")
    return (
        value["outputs"] in ([_OUTPUTS[name]] if name in _OUTPUTS else ["all", "one"])
        and _is_whole(value["ratings"])
        and (value["ratings"] == 0) == (name == "annotate")
        and value["ratings"] >= 0
        and _is_number(value["max_share"], 0, 1)
        and _is_text(value["instructions"])
        and (_is_scale(scale) if has_scale else scale is None)
    )


def _is_scale(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"type", "min", "max", "step", "labels"}
        and value["type"] in ("points", "slider")
        and all(_is_number(value[name]) for name in ("min", "max", "step"))
        and value["min"] < value["max"]
        and value["step"] > 0
        and isinstance(value["labels"], dict)
    )
