"""Parts of files: whole lines that are read as if they were the file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """Whole lines of a file.

    Attributes
    ----------
    path : str
        The file.
    offset : int
        Where reading begins, in bytes as they are stored: anywhere in plain text, at the beginning
        of a member in compressed files.
    skip : int
        How many lines to leave out from there; the first may be the end of a line.
    lines : int
        How many lines there are.
    lines_before, rows_before : int
        Lines and rows of the file before them; a row is a line, or a sentence of a treebank.
    """

    path: str
    offset: int
    skip: int
    lines: int
    lines_before: int
    rows_before: int


_PARTS: ContextVar[Mapping[str, Part] | None] = ContextVar("parts", default=None)


@contextmanager
def reading_parts(parts: Mapping[str, Part]) -> Iterator[None]:
    r"""Let whatever opens some files on this thread see only parts of them.

    Parameters
    ----------
    parts : mapping of path to Part
        By the names under which the files are opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.text.lines import read_lines
    >>> path = str(pathlib.Path(tempfile.mkdtemp(), "a.txt"))
    >>> _ = pathlib.Path(path).write_text("one\ntwo\nthree\nfour\n")
    >>> with reading_parts({path: Part(path, 2, 1, 2, lines_before=1, rows_before=1)}):
    ...     list(read_lines(path))
    ['two', 'three']
    """
    token = _PARTS.set(parts)
    try:
        yield
    finally:
        _PARTS.reset(token)


def part_of(path: str | os.PathLike[str]) -> Part | None:
    """Return the part of a file that is to be read, if it is not the whole."""
    parts = _PARTS.get()
    return parts.get(os.fspath(path)) if parts else None
