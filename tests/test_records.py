"""Records: JSON, columns and schema of one description."""

from __future__ import annotations

import math
from dataclasses import dataclass

import jsonschema
import pytest

from wordorder.records import Record, columns_of, json_schema, key


@dataclass(frozen=True)
class Part(Record):
    """A part."""

    name: str = key("how it is called")
    share: float = key("of the whole; none of an empty one", null=True)
    others: tuple[str, ...] = key("what it stands beside", default=())


@dataclass(frozen=True)
class Whole(Record):
    """Parts."""

    count: int = key("how many")
    parts: tuple[Part, ...] = key("the parts")
    first: Part | None = key("the first part", default=None)
    again: Whole | None = key("the same once more", default=None)


WHOLE = Whole(2, (Part("a", 0.5, ("b", "c")), Part("b", math.nan)), again=Whole(0, ()))


def test_json_has_every_key_and_null_for_what_is_missing() -> None:
    assert WHOLE.to_json() == {
        "count": 2,
        "parts": [
            {"name": "a", "share": 0.5, "others": ["b", "c"]},
            {"name": "b", "share": None, "others": []},
        ],
        "first": None,
        "again": {"count": 0, "parts": [], "first": None, "again": None},
    }
    with pytest.raises(ValueError, match="count is NaN"):
        Whole(math.nan, ()).to_json()  # type: ignore[arg-type]


def test_the_schema_describes_what_json_has() -> None:
    schema = json_schema(Whole)
    part = {
        "type": "object",
        "properties": {
            "name": {"description": "how it is called", "type": "string"},
            "share": {
                "description": "of the whole; none of an empty one",
                "type": ["number", "null"],
            },
            "others": {
                "description": "what it stands beside",
                "type": "array",
                "items": {"type": "string"},
            },
        },
        "required": ["name", "share", "others"],
    }
    assert schema == {
        "type": "object",
        "properties": {
            "count": {"description": "how many", "type": "integer"},
            "parts": {"description": "the parts", "type": "array", "items": part},
            "first": {"description": "the first part", **part, "type": ["object", "null"]},
            "again": {"description": "the same once more", "type": ["object", "null"]},
        },
        "required": ["count", "parts", "first", "again"],
    }
    jsonschema.Draft202012Validator(schema).validate(WHOLE.to_json())


def test_columns_come_from_a_record_or_what_it_belongs_to() -> None:
    rows = [(part, WHOLE) for part in WHOLE.parts]
    assert columns_of("name count share others", rows) == {
        "name": ["a", "b"],
        "count": [2, 2],
        "share": [0.5, None],
        "others": ["b,c", ""],
    }
    assert columns_of("name share", []) == {"name": [], "share": []}


def test_docstrings_list_the_fields() -> None:
    assert (Part.__doc__ or "").startswith("A part.\n\nAttributes\n----------\nname\n    How it is")
