"""Permutations as text: ``2 4 5 6 1 3``, one a line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from wordorder.errors import InputError, location
from wordorder.order.permutation_tree import check_permutation
from wordorder.text.lines import read_lines, tokens
from wordorder.text.opening import Path, display_name
from wordorder.text.quoting import quoted

_WORD = re.compile("[^ \t]+")
_NUMBER = re.compile("[0-9]{1,9}")
# No sentence is longer, and a tree of more words would take gigabytes.
MAX_NUMBERS = 1 << 20
# How much of what is neither a file nor numbers a message repeats.
SHOWN = 80


def read_permutations(given: Path) -> Iterator[tuple[str, list[int]]]:
    """Yield the place and the numbers of each permutation.

    Parameters
    ----------
    given : path, "-", or the numbers themselves
        A file with one permutation a line (empty lines are passed over), or ``"2 4 5 6 1 3"``.

    Yields
    ------
    place : str
        ``file:line``, or ``permutation``.
    permutation : list of int
        Counted from 0, whether the text counts from 0 or from 1.

    Raises
    ------
    InputError
        If a line is not a permutation, or there is neither such a file nor are these numbers; the
        message names line and column (in bytes).

    Examples
    --------
    >>> list(read_permutations("2 4 1 3"))
    [('permutation', [1, 3, 0, 2])]
    """
    text = os.fspath(given)
    if text != "-" and not os.path.exists(text):
        if not re.fullmatch(r"[0-9 \t,+-]*", text):
            shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
            raise InputError(
                shown, "neither a file nor a permutation", 'a file, or numbers: "2 4 5 6 1 3"'
            )
        yield "permutation", _numbers(text, "permutation", None)
        return
    any_row = False
    for number, line in enumerate(read_lines(given), 1):
        if tokens(line):
            any_row = True
            yield location(display_name(given), number), _numbers(line, display_name(given), number)
    if not any_row:
        raise InputError(display_name(given), "no permutation", "one a line")


def _numbers(text: str, name: str, line: int | None) -> list[int]:
    """Read the numbers of one line and count them from 0."""
    where = location(name, line)
    numbers: list[int] = []
    columns: list[int] = []
    for word in _WORD.finditer(text):
        # All before it is ASCII, so characters are bytes.
        place = location(where, word.start() + 1)
        if not _NUMBER.fullmatch(word[0]):
            raise InputError(place, quoted(word[0].encode()), "a number: 0, 1, 2, ...")
        if len(numbers) == MAX_NUMBERS:
            raise InputError(place, f"more than {MAX_NUMBERS} numbers", "a shorter permutation")
        numbers.append(int(word[0]))
        columns.append(word.start() + 1)
    return list(map(int, check_permutation(numbers, where, columns)))
