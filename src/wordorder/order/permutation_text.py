"""Reading of permutations from text: ``2 4 5 6 1 3``, one per line."""

import os
import re
from collections.abc import Iterator

from wordorder.errors import InputError, location
from wordorder.order.permutation_tree import check_permutation
from wordorder.text.blocks import quoted
from wordorder.text.lines import read_lines, tokens
from wordorder.text.lockstep import no_such_line
from wordorder.text.opening import Path, display_name

_NON_SPACES = re.compile("[^ \t]+")
_SHORT_NUMBER = re.compile("[0-9]{1,9}")
_TIED = re.compile("[0-9]+(,[0-9]+)+")
_REMEDY = "`wordorder reference --rule aligned` writes orders without ties and gaps"
# No sentence is longer, and a tree of more words would take gigabytes.
MAX_NUMBERS = 1 << 20
# Characters of an invalid argument that a message quotes.
MAX_QUOTED = 80


def read_permutations(
    source: Path, *, literal: bool = False, number: int | None = None
) -> Iterator[tuple[str, list[int]]]:
    """Yield the location and the numbers of each permutation.

    Parameters
    ----------
    source : path, "-", or the numbers themselves
        A file with one permutation per line (empty lines are skipped), or ``"2 4 5 6 1 3"``.
    literal : bool
        Whether `source` is the numbers even if a file has this name.
    number : int, optional
        The only line of the file that is read, counted from 1.

    Yields
    ------
    location : str
        ``file:line``, or ``permutation``.
    permutation : list of int
        Counted from 0, also if the text counts from 1.

    Raises
    ------
    InputError
        If a line is not a permutation, or `source` is neither a file nor numbers; the message
        names line and column (in bytes).

    Examples
    --------
    >>> list(read_permutations("2 4 1 3"))
    [('permutation', [1, 3, 0, 2])]
    """
    text = os.fspath(source)
    if literal or (text != "-" and not os.path.exists(text)):
        if not literal and not re.fullmatch(r"[0-9 \t,+-]*", text):
            excerpt = text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}..."
            expected = 'a file, or numbers: "2 4 5 6 1 3"'
            raise InputError(excerpt, "neither a file nor a permutation", expected)
        yield "permutation", _parse_numbers(text, "permutation", None)
        return
    has_row = False
    name, lines = display_name(source), 0
    for lines, line in enumerate(read_lines(source), 1):
        if tokens(line) and number in (None, lines):
            has_row = True
            yield location(name, lines), _parse_numbers(line, name, lines)
    if number is not None and number > lines:
        raise no_such_line(name, lines, number)
    if not has_row:
        raise InputError(location(name, number), "no permutation", "one per line")


def _parse_numbers(text: str, name: str, line: int | None) -> list[int]:
    """Return the permutation of one line, counted from 0."""
    line_location = location(name, line)
    numbers: list[int] = []
    columns: list[int] = []
    for word in _NON_SPACES.finditer(text):
        # All text before is ASCII, so characters are bytes.
        word_location = location(line_location, word.start() + 1)
        if not _SHORT_NUMBER.fullmatch(word[0]):
            expected = "a number: 0, 1, 2, ..."
            if _TIED.fullmatch(word[0]):
                expected = f"{expected}, as a tree has no ties; {_REMEDY}"
            raise InputError(word_location, quoted(word[0].encode()), expected)
        if len(numbers) == MAX_NUMBERS:
            raise InputError(
                word_location, f"more than {MAX_NUMBERS} numbers", "a shorter permutation"
            )
        numbers.append(int(word[0]))
        columns.append(word.start() + 1)
    try:
        return list(map(int, check_permutation(numbers, line_location, columns)))
    except InputError as error:
        # Distinct numbers with gaps are an order that lacks words.
        if not numbers or line is None or len(set(numbers)) < len(numbers):
            raise
        expected = f"{error.expected}, as a tree has no gaps; {_REMEDY}"
        raise InputError(error.where, error.what, expected) from None
