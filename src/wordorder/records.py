"""Results that describe themselves: the fields of a class are keys of JSON and columns of tables.

Their JSON Schema, the tables of the page on formats and the attributes in a docstring are made of
the same descriptions.
"""

from __future__ import annotations

import math
import types
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

Columns: TypeAlias = dict[str, list[Any]]
_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number"}
_DESCRIPTION, _NULL = "description", "null"


def key(description: str, *, null: bool = False, default: Any = MISSING) -> Any:
    """Declare a field of a `Record`.

    Parameters
    ----------
    description : str
        What it is, without a full stop.
    null : bool
        Whether a number may be missing: NaN in Python, null in JSON.
    default : object, optional
    """
    return field(default=default, metadata={_DESCRIPTION: description, _NULL: null})


@dataclass(frozen=True)
class Record:
    """A part of a result: a frozen dataclass whose fields are declared with `key`.

    Types of fields are strings, numbers, booleans, further records, tuples of these, and whatever
    of these may be None.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Ranked(Record):
    ...     "A system in a ranking."
    ...     system: str = key("its name")
    ...     value: float = key("higher is better", null=True)
    >>> Ranked("A", math.nan).to_json()
    {'system': 'A', 'value': None}
    """

    def __init_subclass__(cls) -> None:
        """List the fields in the docstring."""
        entries = [
            f"{name}\n    {text[:1].upper()}{text[1:]}."
            for name, declared in vars(cls).items()
            if isinstance(declared, Field) and (text := declared.metadata[_DESCRIPTION])
        ]
        listed = "\n".join(["Attributes", "----------", *entries])
        cls.__doc__ = f"{cls.__doc__}\n\n{listed}"

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON has them."""
        return {each.name: _plain(getattr(self, each.name), each) for each in fields(self)}


def _plain(value: Any, declared: Field[Any]) -> Any:
    if isinstance(value, Record):
        return value.to_json()
    if isinstance(value, tuple):
        return [_plain(each, declared) for each in value]
    if isinstance(value, float) and math.isnan(value):
        if not declared.metadata[_NULL]:
            raise ValueError(f"{declared.name} is NaN; it is not declared as null")
        return None
    return value


def columns_of(names: str, rows: Iterable[Sequence[Record]]) -> Columns:
    """Return columns for a table: a name is a field of the first record of a row that has it.

    Parameters
    ----------
    names : str
        Of the fields, with blanks between them.
    rows : iterable of sequences of Record
        A row is a record, after or before those that it belongs to.

    Returns
    -------
    dict of str to list
        NaN is None; of several strings there is one, with commas between them.
    """
    found: Columns = {name: [] for name in names.split()}
    for row in rows:
        for name, cells in found.items():
            owner = next(record for record in row if hasattr(record, name))
            value = getattr(owner, name)
            if isinstance(value, tuple):
                value = ",".join(map(str, value))
            cells.append(None if isinstance(value, float) and math.isnan(value) else value)
    return found


def json_schema(kind: type[Record]) -> dict[str, Any]:
    """Return the JSON Schema of a class of records: an object with all its keys.

    Examples
    --------
    >>> json_schema(Record)
    {'type': 'object', 'properties': {}, 'required': []}
    """
    return _object_schema(kind, ())


def _object_schema(kind: type[Record], outer: tuple[type[Record], ...]) -> dict[str, Any]:
    types_of = get_type_hints(kind)
    properties = {
        each.name: {
            _DESCRIPTION: each.metadata[_DESCRIPTION],
            **_type_schema(types_of[each.name], each.metadata[_NULL], (*outer, kind)),
        }
        for each in fields(kind)
    }
    return {"type": "object", "properties": properties, "required": list(properties)}


def _type_schema(kind: Any, null: bool, outer: tuple[type[Record], ...]) -> dict[str, Any]:
    arguments = get_args(kind)
    if get_origin(kind) in (Union, types.UnionType):
        (kind,) = set(arguments) - {type(None)}
        return _type_schema(kind, True, outer)
    if get_origin(kind) is tuple:
        found = {"type": "array", "items": _type_schema(arguments[0], False, outer)}
    elif kind in _NAMES:
        found = {"type": _NAMES[kind]}
    elif kind in outer:
        # A result within a result of its kind: its keys are described once.
        found = {"type": "object"}
    else:
        found = _object_schema(kind, outer)
    return {**found, "type": [found["type"], "null"]} if null else found
