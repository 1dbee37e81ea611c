"""What `path` and `tree` share: arguments that are files, or the text itself."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from wordorder.errors import UsageError
from wordorder.text.table_names import file_of

Function = TypeVar("Function", bound=Callable[..., Any])

# A word that ends like the name of a file, or begins like a path.
_NAMED = re.compile(r"\S*[^\s.]\.[A-Za-z][A-Za-z0-9]{0,9}(#\S*)?|(~|\.\.?)[/\\]\S+")


def number_option(function: Function) -> Function:
    """Add ``--number``."""
    return click.option(
        "--number", type=click.IntRange(1), metavar="N", help="Which line of files. [default: all]"
    )(function)


def literal_option(function: Function) -> Function:
    """Add ``--literal``."""
    return click.option(
        "--literal",
        is_flag=True,
        help="Arguments are the text itself, even if there are files with such names.",
    )(function)


def are_files(given: Mapping[str, str], *, number: int | None, literal: bool) -> bool:
    """Return whether arguments are files, all of them, or texts.

    Parameters
    ----------
    given : mapping of str to str
        What the help calls each argument, and its value.
    number, literal
        The options.

    Raises
    ------
    UsageError
        If only some are files, two are standard input, one of the texts looks like the name of a
        file, or `number` is for texts.

    Examples
    --------
    >>> are_files({"HYPOTHESIS": "it is", "REFERENCE": "is it"}, number=None, literal=False)
    False
    """
    files = [] if literal else list(filter(is_file, given.values()))
    if files and len(files) == len(given):
        if files.count("-") > 1:
            raise UsageError('only one input can be standard input ("-")')
        return True
    for text in () if literal else given.values():
        if text not in files and _looks_missing(text):
            raise UsageError(f"{text}: no such file; --literal takes it as the text itself")
    if files:
        raise UsageError(
            f"{files[0]} is a file and the other argument is not: give {' and '.join(given)} both "
            "as files or both as texts; --literal takes both as texts"
        )
    if number is not None:
        raise UsageError("--number is for files")
    return False


def is_file(given: str) -> bool:
    """Return whether an argument names a file that is there, or standard input."""
    path = file_of(given)
    return given == "-" or (os.path.exists(path) and not os.path.isdir(path))


def _looks_missing(text: str) -> bool:
    """Return whether a text looks like the name of a file: one word with a suffix or a folder."""
    folder = os.path.dirname(text)
    in_folder = folder != "" and " " not in text and os.path.isdir(folder)
    return in_folder or _NAMED.fullmatch(text) is not None
