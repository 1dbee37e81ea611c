"""Results that describe themselves: the fields of a class are keys of JSON and columns of tables.

The JSON Schema of a result, its columns, its tables, the page on formats and the attributes in the
docstring are made from the same declarations.
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
_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number"}
_KEY = "key"
T = TypeVar("T")
# The keys of each class, once they were asked for.
_KEYS: dict[type[Any], Mapping[str, _Declaration]] = {}


@dataclass(frozen=True)
class _Declaration:
    """What `key` and `computed` declare."""

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
        What the value is, without a full stop.
    null : bool
        Whether a number may be missing: NaN in Python, null in JSON.
    heading : str
        The heading of its column in the tables of text, Markdown and LaTeX; without one it is not
        in these tables. Two fields with one heading share a cell: ``[low, high]`` or ``2-4``.
    column : bool
        Whether it is a column of TSV and of `Record.to_columns`, if it fits into a cell.
    dimensions : int
        Of an array.
    optional : bool
        Whether JSON leaves the key out where the value is None or empty.
    default : object, optional
    """
    declaration = _Declaration(description, null, heading, column, dimensions, optional)
    return field(default=default, metadata={_KEY: declaration})


def hidden() -> Any:
    """Declare a field of a `Record` that is neither a key nor a column."""
    return field()


class _Computed(Generic[T]):
    """A property that is a key."""

    def __init__(self, method: Callable[[Any], T], declaration: _Declaration) -> None:
        self.method = method
        self.declaration = declaration
        self.__doc__ = method.__doc__

    def __get__(self, record: object, owner: type | None = None) -> T:
        """Return the value for a record; of the class, the property itself."""
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
        The keys that lead to the rows: each record of the first has some of the second.
    first, last : tuple of str
        Columns before and after the other ones: keys of a row, or of a record that it belongs to.
    optional : set of str
        Those of them that are left out where all rows lack them.
    columns : tuple of str
        All columns, of a class that makes its own.
    """

    path: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()
    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: str, first: str, last: str, columns: str) -> Layout:
        """Read the words of each part; a name that ends in ``?`` is optional."""
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

    Types of fields are strings, numbers, booleans, further records, tuples and mappings of these,
    arrays, and whatever of these may be None. A result of several rows names their key:
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
        """Note the rows, and list the keys in the docstring."""
        cls.layout = Layout.of(rows, first, last, columns)
        entries = [
            f"{name}\n    {declared.description[:1].upper()}{declared.description[1:]}."
            for name, value in vars(cls).items()
            if (declared := _declared(value)) is not None
        ]
        listed = "\n".join(["Attributes", "----------", *entries])
        cls.__doc__ = f"{inspect.cleandoc(cls.__doc__ or '')}\n\n{listed}"

    def to_json(self, *, arrays: bool = False) -> dict[str, Any]:
        """Return the keys as JSON has them; with `arrays` those of one dimension stay arrays."""
        return {
            name: _plain(getattr(self, name), name, declared, arrays)
            for name, declared in _keys(type(self)).items()
            if not (declared.optional and getattr(self, name) in (None, "", ()))
        }

    def to_columns(self) -> Columns:
        """Return the rows as columns, as TSV has them: ``pandas.DataFrame`` takes them.

        Returns
        -------
        dict of str to list
            NaN is None; of several whole numbers there is a text with blanks between them, of
            other values one with commas, of a mapping one like ``a=1 b=2``.
        """
        rows = self._rows()
        columns = columns_of(column_names(type(self)), rows)
        lacking = [
            name
            for name in self.layout.optional
            if getattr(self, name, None) is None and all(cell is None for cell in columns[name])
        ]
        return {name: cells for name, cells in columns.items() if name not in lacking}

    def _rows(self) -> list[tuple[Record, ...]]:
        """Return each row of the table, followed by the records that it belongs to."""
        rows: list[tuple[Record, ...]] = [(self,)]
        for name in self.layout.path:
            rows = [(part, *row) for row in rows for part in getattr(row[0], name)]
        return rows


def _declared(value: object) -> _Declaration | None:
    """Return what an attribute of a class declares as a key."""
    if isinstance(value, _Computed):
        return value.declaration
    found: _Declaration | None = getattr(value, "metadata", {}).get(_KEY)
    return found


def _keys(kind: type[Any]) -> Mapping[str, _Declaration]:
    """Return the declared keys of a class: fields declared with `key`, then computed ones."""
    # Not `functools.cache`: type checkers do not take a dataclass for hashable.
    if kind not in _KEYS:
        keys = {each.name: each.metadata[_KEY] for each in fields(kind) if _KEY in each.metadata}
        for owner in reversed(kind.__mro__):
            keys |= {
                name: value.declaration
                for name, value in vars(owner).items()
                if isinstance(value, _Computed)
            }
        _KEYS[kind] = keys
    return _KEYS[kind]


def _types(kind: type[Any]) -> Mapping[str, Any]:
    """Return the type of each key."""
    types_of = get_type_hints(kind)
    for name in _keys(kind):
        if isinstance(value := getattr(kind, name, None), _Computed):
            types_of[name] = get_type_hints(value.method)["return"]
    return types_of


def _plain(value: Any, name: str, declared: _Declaration, arrays: bool) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, Record):
        return value.to_json(arrays=arrays)
    if isinstance(value, Mapping):
        return {key: _plain(item, name, declared, arrays) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        if arrays and value.ndim == 1:
            return value
        value = tuple(value.tolist() if value.ndim == 1 else value)
    if isinstance(value, tuple):
        return [_plain(item, name, declared, arrays) for item in value]
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
    types_of = _types(row)
    own = [
        name
        for name, declared in _keys(row).items()
        if declared.column and _is_cell(types_of[name])
    ]
    first, last = kind.layout.first, kind.layout.last
    return [*first, *(name for name in own if name not in (*first, *last)), *last]


def columns_of(names: Iterable[str], rows: Iterable[Sequence[Record]]) -> Columns:
    """Return columns by their names; a row is a record, and those that it belongs to.

    Examples
    --------
    >>> columns_of(["a"], [])
    {'a': []}
    """
    cells = list(rows)
    return {name: [_cell(row, name) for row in cells] for name in names}


def _is_cell(hint: Any) -> bool:
    """Return whether values of a type fit into a cell."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return all(_is_cell(each) for each in arguments)
    if origin is tuple:
        return arguments[0] in _NAMES
    return hint in _NAMES or hint is type(None) or origin in (Literal, Mapping)


def _cell(row: Sequence[Record], name: str) -> Any:
    """Return the value of a column: that of the first record of a row that has it."""
    value = getattr(next(record for record in row if name in _keys(type(record))), name)
    if isinstance(value, tuple):
        between = " " if value and isinstance(value[0], int) else ","
        return between.join(map(str, value))
    if isinstance(value, Mapping):
        return " ".join(f"{key}={each}" for key, each in value.items())
    return None if isinstance(value, float) and math.isnan(value) else value


def headings(kind: type[Record], first: str = "") -> dict[str, tuple[str, ...]]:
    """Return the headings of a table of records, each with the keys that share its cells.

    Parameters
    ----------
    kind : type of Record
        The rows.
    first : str
        Headings before the others, with commas between them.
    """
    found: dict[str, tuple[str, ...]] = {each: () for each in first.split(",") if each}
    for name, declared in _keys(kind).items():
        if declared.heading:
            found[declared.heading] = (*found.get(declared.heading, ()), name)
    return found


def remarks(kind: type[Record]) -> str:
    """Return what the docstring of a class says after its first line and before its keys."""
    return "\n\n".join(inspect.cleandoc(kind.__doc__ or "").split("\n\n")[1:-1])


def json_schema(kind: type[Record]) -> dict[str, Any]:
    """Return the JSON Schema of a class of records: an object with all its keys.

    Examples
    --------
    >>> json_schema(Record)
    {'type': 'object', 'properties': {}, 'required': []}
    """
    return _object_schema(kind, ())


def _object_schema(kind: type[Record], outer: tuple[type[Record], ...]) -> dict[str, Any]:
    types_of = _types(kind)
    properties = {
        name: {
            "description": declared.description,
            **_nested(_type_schema(types_of[name], declared.null, (*outer, kind)), declared),
        }
        for name, declared in _keys(kind).items()
    }
    required = [name for name, declared in _keys(kind).items() if not declared.optional]
    return {"type": "object", "properties": properties, "required": required}


def _nested(schema: dict[str, Any], declared: _Declaration) -> dict[str, Any]:
    """Return the schema of an array of all its dimensions."""
    for _ in range(declared.dimensions - 1):
        schema = {**schema, "items": {"type": "array", "items": schema["items"]}}
    return schema


def _type_schema(hint: Any, null: bool, outer: tuple[type[Record], ...]) -> dict[str, Any]:
    """Return the schema of a type; of tuples, mappings and arrays `null` is for their numbers."""
    arguments, origin = get_args(hint), get_origin(hint)
    if origin in (Union, types.UnionType):
        kinds = [each for each in arguments if each is not type(None)]
        schemas = [_type_schema(each, null, outer) for each in kinds]
        names = [name for schema in schemas for name in _type_names(schema)]
        names += ["null"] * (len(kinds) < len(arguments))
        schema = {**schemas[0], "type": list(dict.fromkeys(names))}
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
        return schema
    if origin is tuple:
        return {"type": "array", "items": _type_schema(arguments[0], null, outer)}
    if origin is np.ndarray:
        return {"type": "array", "items": _number_schema("number", null)}
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is not None and issubclass(origin, Mapping):
        values = {} if arguments[1] is Any else _type_schema(arguments[1], null, outer)
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    if hint in _NAMES:
        return _number_schema(_NAMES[hint], null)
    # A result within a result of its kind: its keys are described once.
    return {"type": "object"} if hint in outer else _object_schema(hint, outer)


def _number_schema(name: str, null: bool) -> dict[str, Any]:
    return {"type": [name, "null"] if null else name}


def _type_names(schema: dict[str, Any]) -> list[str]:
    """Return the names of the types that a schema allows."""
    names: str | list[str] = schema["type"]
    return [names] if isinstance(names, str) else names
