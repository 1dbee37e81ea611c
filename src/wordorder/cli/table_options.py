"""The option of all verbs that read lines for files that are tables."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from wordorder.errors import UsageError
from wordorder.text.table_names import with_column

Function = TypeVar("Function", bound=Callable[..., Any])

# Parameters that name what is written, and other values that are no inputs.
_OUTPUTS = ("output", "orders", "alignment_output", "save", "html", "report", "title")


def column_option(function: Function) -> Function:
    """Add ``--column``: which column of tables is read where a name of a file does not say so."""

    @click.option(
        "--column",
        metavar="NAME",
        help="The column of .parquet and .jsonl files that are named without one; FILE#NAME names "
        "the column of one file.",
    )
    @functools.wraps(function)
    def with_columns(*args: Any, column: str | None, **options: Any) -> Any:
        if column is not None:
            named = {
                name: value if name in _OUTPUTS else _named(value, column)
                for name, value in options.items()
            }
            if named == options:
                raise UsageError(
                    "--column is for .parquet and .jsonl files that are named without a column, "
                    "and there is none"
                )
            options = named
        return function(*args, **options)

    return with_columns  # type: ignore[return-value]  # the same, with one more option


def _named(value: Any, column: str) -> Any:
    """Return a value of an option with the column behind each name of a table."""
    if isinstance(value, tuple):
        return tuple(_named(each, column) for each in value)
    return with_column(value, column) if isinstance(value, str) else value
