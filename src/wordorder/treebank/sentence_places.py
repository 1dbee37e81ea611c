"""Errors and notes that name a sentence of a file, not of the batch that was worked on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from wordorder.errors import InputError
from wordorder.notes import placed_notes
from wordorder.types import Int64


@contextmanager
def sentences_of(name: str, numbers: Int64, *, lines: bool = False) -> Iterator[None]:
    """Have errors and notes inside say which sentences of a file those of a batch are.

    Parameters
    ----------
    name : str
        What messages call the file; nothing if an outer `sentences_of` says it.
    numbers : int64[B]
        The number of each sentence of the batch in the file, from 0.
    lines : bool
        Whether each sentence is a line of its file.

    Examples
    --------
    >>> import numpy as np
    >>> with sentences_of("a.conllu", np.array([7, 8])):
    ...     raise InputError("sentence 2 (x)", "no tree")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: a.conllu: sentence 9 (x): no tree
    >>> with sentences_of("a.txt", np.array([7, 8]), lines=True):
    ...     raise InputError("sentence 2", "no tree")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: a.txt:9: no tree
    """

    def placed(where: str) -> str:
        place = re.match(r"sentence (\d+)", where)
        if place is None:
            return where
        number = int(numbers[int(place[1]) - 1]) + 1
        rest = where[place.end() :]
        if not name:
            return f"sentence {number}{rest}"
        return f"{name}{':' if lines else ': sentence '}{number}{rest}"

    try:
        with placed_notes(placed):
            yield
    except InputError as error:
        where = placed(error.where)
        if where == error.where:
            raise
        raise InputError(where, error.what, error.expected) from None
