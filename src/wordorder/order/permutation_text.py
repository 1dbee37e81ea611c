"""Permutations as text: ``2 4 5 6 1 3``, one per line."""

import os
import re
from collections.abc import Iterator

from wordorder.errors import InputError, location
from wordorder.order.permutation_tree import check_permutation
from wordorder.text.blocks import quoted
from wordorder.text.lines import read_lines, tokens
from wordorder.text.lockstep import no_such_line
from wordorder.text.opening import Path, display_name

_WORD = re.compile("[^ \t]+")
_NUMBER = re.compile("[0-9]{1,9}")
_TIED = re.compile("[0-9]+(,[0-9]+)+")
_WHAT_WOULD_DO = "`wordorder reference --rule aligned` writes orders without ties and gaps"
# No sentence is longer, and a tree of more words would take gigabytes.
MAX_NUMBERS = 1 << 20
# Characters of an invalid argument that a message quotes.
SHOWN = 80


def read_permutations(
    given: Path, *, literal: bool = False, number: int | None = None
) -> Iterator[tuple[str, list[int]]]:
    """Yield the place and the numbers of each permutation.

    Parameters
    ----------
    given : path, "-", or the numbers themselves
        A file with one permutation per line (empty lines are passed over), or ``"2 4 5 6 1 3"``.
    literal : bool
        Whether `given` is the numbers even if there is a file with such a name.
    number : int, optional
        The one line of a file that is read, counted from 1.

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
    if literal or (text != "-" and not os.path.exists(text)):
        if not literal and not re.fullmatch(r"[0-9 \t,+-]*", text):
            excerpt = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
            expected = 'a file, or numbers: "2 4 5 6 1 3"'
            raise InputError(excerpt, "neither a file nor a permutation", expected)
        yield "permutation", _numbers(text, "permutation", None)
        return
    any_row = False
    name, lines = display_name(given), 0
    for lines, line in enumerate(read_lines(given), 1):
        if tokens(line) and number in (None, lines):
            any_row = True
            yield location(name, lines), _numbers(line, name, lines)
    if number is not None and number > lines:
        raise no_such_line(name, lines, number)
    if not any_row:
        raise InputError(location(name, number), "no permutation", "one per line")


def _numbers(text: str, name: str, line: int | None) -> list[int]:
    """Read the numbers of one line and count them from 0."""
    line_location = location(name, line)
    numbers: list[int] = []
    columns: list[int] = []
    for word in _WORD.finditer(text):
        # All before it is ASCII, so characters are bytes.
        place = location(line_location, word.start() + 1)
        if not _NUMBER.fullmatch(word[0]):
            expected = "a number: 0, 1, 2, ..."
            if _TIED.fullmatch(word[0]):
                expected = f"{expected}, as a tree has no ties; {_WHAT_WOULD_DO}"
            raise InputError(place, quoted(word[0].encode()), expected)
        if len(numbers) == MAX_NUMBERS:
            raise InputError(place, f"more than {MAX_NUMBERS} numbers", "a shorter permutation")
        numbers.append(int(word[0]))
        columns.append(word.start() + 1)
    try:
        return list(map(int, check_permutation(numbers, line_location, columns)))
    except InputError as error:
        # Different numbers with gaps between them: an order that leaves out words.
        if not numbers or line is None or len(set(numbers)) < len(numbers):
            raise
        expected = f"{error.expected}, as a tree has no gaps; {_WHAT_WOULD_DO}"
        raise InputError(error.where, error.what, expected) from None
