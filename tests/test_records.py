"""Records: JSON, columns and schema of one description."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass, replace
from typing import Any, Literal, Protocol, get_type_hints

import jsonschema
import pytest

from wordorder.arrays import Float64
from wordorder.records import Record, column_names, computed, json_schema, key
from wordorder.report.document import Table


@dataclass(frozen=True)
class Part(Record):
    """A part."""

    name: str = key("how it is called", heading="part")
    share: float = key("of the whole; none of an empty one", null=True)
    others: tuple[str, ...] = key("what it stands beside", default=())

    @computed("how many others there are", heading="others")
    def size(self) -> int:
        return len(self.others)


@dataclass(frozen=True)
class Whole(Record, rows="parts", first="name count", last="unit?"):
    """Parts.

    Shares are between 0 and 1.
    """

    count: int = key("how many")
    parts: tuple[Part, ...] = key("the parts")
    first: Part | None = key("the first part", default=None)
    again: Whole | None = key("the same once more", default=None)
    unit: str | None = key("what is counted", default=None)


WHOLE = Whole(2, (Part("a", 0.5, ("b", "c")), Part("b", math.nan)), again=Whole(0, ()))


def test_json_has_every_key_and_null_for_what_is_missing() -> None:
    assert WHOLE.to_json() == {
        "count": 2,
        "parts": [
            {"name": "a", "share": 0.5, "others": ["b", "c"], "size": 2},
            {"name": "b", "share": None, "others": [], "size": 0},
        ],
        "first": None,
        "again": {"count": 0, "parts": [], "first": None, "again": None, "unit": None},
        "unit": None,
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
            "size": {"description": "how many others there are", "type": "integer"},
        },
        "required": ["name", "share", "others", "size"],
    }
    assert schema == {
        "type": "object",
        "properties": {
            "count": {"description": "how many", "type": "integer"},
            "parts": {"description": "the parts", "type": "array", "items": part},
            "first": {"description": "the first part", **part, "type": ["object", "null"]},
            "again": {"description": "the same once more", "type": ["object", "null"]},
            "unit": {"description": "what is counted", "type": ["string", "null"]},
        },
        "required": ["count", "parts", "first", "again", "unit"],
    }
    jsonschema.Draft202012Validator(schema).validate(WHOLE.to_json())


def test_columns_come_from_a_row_or_what_it_belongs_to() -> None:
    columns = {
        "name": ["a", "b"],
        "count": [2, 2],
        "share": [0.5, None],
        "others": ["b,c", ""],
        "size": [2, 0],
    }
    assert WHOLE.to_columns() == columns
    assert replace(WHOLE, unit="m").to_columns() == columns | {"unit": ["m", "m"]}
    assert Whole(0, ()).to_columns() == {name: [] for name in columns}
    assert column_names(Whole) == [*columns, "unit"]


@dataclass(frozen=True)
class Ends(Record):
    """Two ranges."""

    best: int = key("the best rank", heading="rank")
    worst: int = key("the worst rank", heading="rank")
    low: float = key("the lower end", null=True, heading="interval")
    high: float = key("the upper end", null=True, heading="interval")


def test_tables_have_the_keys_with_headings() -> None:
    cells = {"no": [7, 8], "more": [1, 2]}
    table = Table.of_records(Part, WHOLE.parts, first="no,others", cells=cells)
    assert table.header == ["no", "others", "part", "more"]
    assert table.rows == [(7, 2, "a", 1), (8, 0, "b", 2)]
    assert Table.of_records(Part, [], without="part").header == ["others"]
    ranks = Table.of_records(Ends, [Ends(1, 2, 0.5, 1.0), Ends(1, 1, math.nan, math.nan)])
    assert ranks.header == ["rank", "interval"]
    assert ranks.rows == [("1-2", "[0.5000, 1.0000]"), ("1", "")]


class Values(Protocol):
    """Types of keys that are not in `Whole`."""

    choice: Literal["a", "b"] | None
    either: int | str
    numbers: tuple[float, ...]
    pairs: tuple[tuple[int, ...], ...] | None
    costs: Mapping[str, float]
    anything: Mapping[str, Any]
    array: Float64


@pytest.mark.parametrize(
    ("name", "null", "schema"),
    [
        ("choice", False, {"type": ["string", "null"], "enum": ["a", "b", None]}),
        ("either", False, {"type": ["integer", "string"]}),
        ("numbers", True, {"type": "array", "items": {"type": ["number", "null"]}}),
        ("costs", False, {"type": "object", "additionalProperties": {"type": "number"}}),
        ("anything", False, {"type": "object"}),
        ("array", True, {"type": "array", "items": {"type": ["number", "null"]}}),
        (
            "pairs",
            False,
            {
                "type": ["array", "null"],
                "items": {"type": "array", "items": {"type": "integer"}},
            },
        ),
    ],
)
def test_types_have_schemas(name: str, null: bool, schema: dict[str, Any]) -> None:
    kind = make_dataclass(
        "Result",
        [("value", get_type_hints(Values)[name], key("a value", null=null))],
        bases=(Record,),
        frozen=True,
    )
    assert json_schema(kind)["properties"]["value"] == {"description": "a value", **schema}


def test_docstrings_list_the_fields() -> None:
    assert (Part.__doc__ or "").startswith("A part.\n\nAttributes\n----------\nname\n    How it is")
