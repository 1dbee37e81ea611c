"""Errors that name a sentence of a file, not of the batch that was worked on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from wordorder.errors import InputError
from wordorder.types import Int64


@contextmanager
def sentences_of(name: str, numbers: Int64) -> Iterator[None]:
    """Have errors inside say which sentences of a file those of a batch are.

    Parameters
    ----------
    name : str
        What messages call the file; nothing if an outer `sentences_of` says it.
    numbers : int64[B]
        The number of each sentence of the batch in the file, from 0.

    Examples
    --------
    >>> import numpy as np
    >>> with sentences_of("a.conllu", np.array([7, 8])):
    ...     raise InputError("sentence 2 (x)", "no tree")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: a.conllu: sentence 9 (x): no tree
    """
    try:
        yield
    except InputError as error:
        place = re.match(r"sentence (\d+)", error.where)
        if place is None:
            raise
        number = int(numbers[int(place[1]) - 1]) + 1
        said = f"{name}: " if name else ""
        where = f"{said}sentence {number}{error.where[place.end() :]}"
        raise InputError(where, error.what, error.expected) from None
