"""The base class of results, whose fields are keys of JSON and columns of tables.

The JSON Schema of a result, its columns, its tables, the page on formats and the attributes in the
docstring are all generated from the declarations of the fields.
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import (
    Any,
    ClassVar,
    Generic,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

Columns: TypeAlias = dict[str, list[Any]]
T = TypeVar("T")
# Names of types in JSON Schema.
_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}
# The key of a field's metadata that holds its declaration.
_METADATA_KEY = "key"
# Cache of the declarations of each class, by key.
_DECLARATIONS: dict[type[Any], Mapping[str, _Declaration]] = {}


@dataclass(frozen=True)
class _Declaration:
    """The arguments of `key` or `computed` that declare a key."""

    description: str
    null: bool
    heading: str
    column: bool
    dimensions: int = 1
    optional: bool = False


def key(
    description: str,
    *,
    null: bool = False,
    heading: str = "",
    column: bool = True,
    dimensions: int = 1,
    optional: bool = False,
    default: Any = MISSING,
) -> Any:
    """Declare a field of a `Record`.

    Parameters
    ----------
    description : str
        A description of the value, without a full stop.
    null : bool
        Whether a number may be missing: NaN in Python, null in JSON.
    heading : str
        The heading of the column in text, Markdown and LaTeX tables, which contain only keys
        with a heading. Two fields with the same heading share a cell: ``[low, high]`` or ``2-4``.
    column : bool
        Whether the key is a column of TSV and of `Record.to_columns`, if it fits into a cell.
    dimensions : int
        The number of dimensions of an array.
    optional : bool
        Whether JSON leaves the key out where the value is None or empty.
    default : object, optional
    """
    declaration = _Declaration(description, null, heading, column, dimensions, optional)
    return field(default=default, metadata={_METADATA_KEY: declaration})


def hidden() -> Any:
    """Declare a field of a `Record` that is neither a key nor a column."""
    return field()


class _Computed(Generic[T]):
    """A property that is a key of JSON."""

    def __init__(self, method: Callable[[Any], T], declaration: _Declaration) -> None:
        self.method = method
        self.declaration = declaration
        self.__doc__ = method.__doc__

    def __get__(self, record: object, owner: type | None = None) -> T:
        """Return the value of a record; on the class, the property itself."""
        return cast("T", self) if record is None else self.method(record)


def computed(
    description: str, *, null: bool = False, heading: str = "", column: bool = True
) -> Callable[[Callable[[Any], T]], _Computed[T]]:
    """Declare a key of a `Record` that a method computes; the parameters are those of `key`."""
    declaration = _Declaration(description, null, heading, column)
    return lambda method: _Computed(method, declaration)


@dataclass(frozen=True)
class Layout:
    """Which records of a result are the rows of its table, and the order of their columns.

    Attributes
    ----------
    path : tuple of str
        The keys from the result to the rows; ``("systems", "scores")``: the scores of each system.
    first, last : tuple of str
        Columns before and after all others: keys of a row, or of a record that contains it.
    optional : set of str
        The columns of `first` and `last` that are omitted if they are empty in all rows.
    columns : tuple of str
        All columns, if the class overrides `Record.to_columns`.
    """

    path: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()
    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: str, first: str, last: str, columns: str) -> Layout:
        """Read strings of names separated by spaces; a name that ends in ``?`` is optional."""
        names = [*first.split(), *last.split()]
        return cls(
            path=tuple(rows.split()),
            first=tuple(first.replace("?", "").split()),
            last=tuple(last.replace("?", "").split()),
            optional=frozenset(name[:-1] for name in names if name.endswith("?")),
            columns=tuple(columns.split()),
        )


@dataclass(frozen=True)
class Record:
    """A part of a result: a frozen dataclass whose fields are declared with `key`.

    Types of fields are strings, numbers, booleans, records, tuples and mappings of these, arrays,
    and unions of these with None. A result with several rows declares their key:
    ``class Ranking(Record, rows="systems", first="system by", last="signature?")``.

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

    layout: ClassVar[Layout] = Layout()

    def __init_subclass__(
        cls, *, rows: str = "", first: str = "", last: str = "", columns: str = ""
    ) -> None:
        """Store the layout of the rows, and list the keys in the docstring."""
        cls.layout = Layout.of(rows, first, last, columns)
        entries = [
            f"{name}\n    {declared.description[:1].upper()}{declared.description[1:]}."
            for name, value in vars(cls).items()
            if (declared := _declared(value)) is not None
        ]
        attribute_section = "\n".join(["Attributes", "----------", *entries])
        cls.__doc__ = f"{inspect.cleandoc(cls.__doc__ or '')}\n\n{attribute_section}"

    def to_json(self, *, arrays: bool = False) -> dict[str, Any]:
        """Return the record as a JSON object; `arrays` keeps one-dimensional arrays as arrays."""
        return {
            name: _plain(getattr(self, name), name, declared, arrays)
            for name, declared in _keys(type(self)).items()
            if not (declared.optional and getattr(self, name) in (None, "", ()))
        }

    def to_columns(self) -> Columns:
        """Return the rows as columns for TSV or ``pandas.DataFrame``.

        Returns
        -------
        dict of str to list
            NaN becomes None; a tuple of integers becomes a string with spaces, another tuple a
            string with commas, and a mapping a string like ``a=1 b=2``.
        """
        rows = self._rows()
        columns = columns_of(column_names(type(self)), rows)
        empty = [
            name
            for name in self.layout.optional
            if getattr(self, name, None) is None and all(cell is None for cell in columns[name])
        ]
        return {name: cells for name, cells in columns.items() if name not in empty}

    def _rows(self) -> list[tuple[Record, ...]]:
        """Return each row of the table as a tuple: the row, then the records that contain it."""
        rows: list[tuple[Record, ...]] = [(self,)]
        for name in self.layout.path:
            rows = [(record, *row) for row in rows for record in getattr(row[0], name)]
        return rows


def _declared(value: object) -> _Declaration | None:
    """Return the declaration of an attribute of a class, if it is a key."""
    if isinstance(value, _Computed):
        return value.declaration
    declaration: _Declaration | None = getattr(value, "metadata", {}).get(_METADATA_KEY)
    return declaration


def _keys(kind: type[Any]) -> Mapping[str, _Declaration]:
    """Return the declarations of the keys of a class: fields first, then computed keys."""
    # Not `functools.cache`, because type checkers do not treat dataclasses as hashable.
    if kind not in _DECLARATIONS:
        keys = {
            declared_field.name: declared_field.metadata[_METADATA_KEY]
            for declared_field in fields(kind)
            if _METADATA_KEY in declared_field.metadata
        }
        for owner in reversed(kind.__mro__):
            keys |= {
                name: value.declaration
                for name, value in vars(owner).items()
                if isinstance(value, _Computed)
            }
        _DECLARATIONS[kind] = keys
    return _DECLARATIONS[kind]


def _types(kind: type[Any]) -> Mapping[str, Any]:
    """Return the type of each key."""
    type_by_key = get_type_hints(kind)
    for name in _keys(kind):
        if isinstance(value := getattr(kind, name, None), _Computed):
            type_by_key[name] = get_type_hints(value.method)["return"]
    return type_by_key


def _plain(value: Any, name: str, declared: _Declaration, arrays: bool) -> Any:
    """Convert the value of the key `name` to JSON; `arrays` keeps one-dimensional arrays."""
    if isinstance(value, Record):
        return value.to_json(arrays=arrays)
    if isinstance(value, Mapping):
        return {key: _plain(member, name, declared, arrays) for key, member in value.items()}
    if isinstance(value, np.ndarray):
        if arrays and value.ndim == 1:
            return value
        value = tuple(value.tolist() if value.ndim == 1 else value)
    if isinstance(value, tuple):
        return [_plain(member, name, declared, arrays) for member in value]
    if isinstance(value, float) and math.isnan(value):
        if not declared.null:
            raise ValueError(f"{name} is NaN; it is not declared as null")
        return None
    return value


def row_type(kind: type[Record]) -> type[Record]:
    """Return the class of the rows of a result."""
    for name in kind.layout.path:
        kind = _item_type(_types(kind)[name])
    return kind


def _item_type(hint: Any) -> Any:
    """Return the type of the items of a tuple that may be None."""
    if get_origin(hint) in (Union, types.UnionType):
        (hint,) = set(get_args(hint)) - {type(None)}
    return get_args(hint)[0]


def column_names(kind: type[Record]) -> list[str]:
    """Return the columns of a result: the keys of its rows that are neither records nor mappings.

    Examples
    --------
    >>> from wordorder.judgement.ranking import Ranking
    >>> column_names(Ranking)[:4]
    ['system', 'by', 'value', 'low']
    """
    if kind.layout.columns:
        return list(kind.layout.columns)
    row = row_type(kind)
    type_by_key = _types(row)
    row_columns = [
        name
        for name, declared in _keys(row).items()
        if declared.column and _is_cell(type_by_key[name])
    ]
    first, last = kind.layout.first, kind.layout.last
    return [*first, *(name for name in row_columns if name not in (*first, *last)), *last]


def columns_of(names: Iterable[str], rows: Iterable[Sequence[Record]]) -> Columns:
    """Return columns by name; each row is a record, followed by the records that contain it.

    Examples
    --------
    >>> columns_of(["a"], [])
    {'a': []}
    """
    row_list = list(rows)
    return {name: [_cell(row, name) for row in row_list] for name in names}


def _is_cell(hint: Any) -> bool:
    """Return whether values of a type fit into a cell."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return all(_is_cell(argument) for argument in arguments)
    if origin is tuple:
        return arguments[0] in _JSON_TYPES
    return hint in _JSON_TYPES or hint is type(None) or origin in (Literal, Mapping)


def _cell(row: Sequence[Record], name: str) -> Any:
    """Return the value of a column from the first record of the row that has this key."""
    value = getattr(next(record for record in row if name in _keys(type(record))), name)
    if isinstance(value, tuple):
        separator = " " if value and isinstance(value[0], int) else ","
        return separator.join(map(str, value))
    if isinstance(value, Mapping):
        return " ".join(f"{key}={member}" for key, member in value.items())
    return None if isinstance(value, float) and math.isnan(value) else value


def headings(kind: type[Record], first: str = "") -> dict[str, tuple[str, ...]]:
    """Return the keys of each heading of a table of records; several keys share a cell.

    Parameters
    ----------
    kind : type of Record
        The class of the rows.
    first : str
        Headings, separated by commas, to put before those of the keys.
    """
    keys_by_heading: dict[str, tuple[str, ...]] = {
        heading: () for heading in first.split(",") if heading
    }
    for name, declared in _keys(kind).items():
        if declared.heading:
            keys_by_heading[declared.heading] = (*keys_by_heading.get(declared.heading, ()), name)
    return keys_by_heading


def remarks(kind: type[Record]) -> str:
    """Return the docstring of a class without its first line and the list of keys."""
    return "\n\n".join(inspect.cleandoc(kind.__doc__ or "").split("\n\n")[1:-1])


def json_schema(kind: type[Record]) -> dict[str, Any]:
    """Return the JSON Schema of a class of records: an object with all its keys.

    Examples
    --------
    >>> json_schema(Record)
    {'type': 'object', 'properties': {}, 'required': []}
    """
    return _object_schema(kind, ())


def _object_schema(kind: type[Record], enclosing: tuple[type[Record], ...]) -> dict[str, Any]:
    """Return the schema of a class of records; `enclosing` classes contain it."""
    type_by_key = _types(kind)
    properties = {
        name: {
            "description": declared.description,
            **_nested(_type_schema(type_by_key[name], declared.null, (*enclosing, kind)), declared),
        }
        for name, declared in _keys(kind).items()
    }
    required = [name for name, declared in _keys(kind).items() if not declared.optional]
    return {"type": "object", "properties": properties, "required": required}


def _nested(schema: dict[str, Any], declared: _Declaration) -> dict[str, Any]:
    """Extend the schema of a one-dimensional array to the declared number of dimensions."""
    for _ in range(declared.dimensions - 1):
        schema = {**schema, "items": {"type": "array", "items": schema["items"]}}
    return schema


def _type_schema(hint: Any, null: bool, enclosing: tuple[type[Record], ...]) -> dict[str, Any]:
    """Return the schema of a type; `null` allows null for numbers, also inside other values.

    `enclosing` has the classes of the records that contain the value.
    """
    arguments, origin = get_args(hint), get_origin(hint)
    if origin in (Union, types.UnionType):
        members = [member for member in arguments if member is not type(None)]
        schemas = [_type_schema(member, null, enclosing) for member in members]
        names = [name for schema in schemas for name in _type_names(schema)]
        names += ["null"] * (len(members) < len(arguments))
        schema = {**schemas[0], "type": list(dict.fromkeys(names))}
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
        return schema
    if origin is tuple:
        return {"type": "array", "items": _type_schema(arguments[0], null, enclosing)}
    if origin is np.ndarray:
        return {"type": "array", "items": _number_schema("number", null)}
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is not None and issubclass(origin, Mapping):
        values = {} if arguments[1] is Any else _type_schema(arguments[1], null, enclosing)
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    if hint in _JSON_TYPES:
        return _number_schema(_JSON_TYPES[hint], null)
    # The keys of a recursive record are described only once.
    return {"type": "object"} if hint in enclosing else _object_schema(hint, enclosing)


def _number_schema(name: str, null: bool) -> dict[str, Any]:
    """Return the schema of a JSON type by its name; `null` allows null too."""
    return {"type": [name, "null"] if null else name}


def _type_names(schema: dict[str, Any]) -> list[str]:
    """Return the names of the types that a schema allows."""
    names: str | list[str] = schema["type"]
    return [names] if isinstance(names, str) else names
