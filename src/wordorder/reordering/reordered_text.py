"""Sentences as lines of text, words between blanks."""

from __future__ import annotations

import numpy as np

from wordorder.treebank.column import Column
from wordorder.types import Int64

# A word of a treebank may hold blanks, which would make several of it.
_NO_BREAK = "\u00a0"


def text_lines(words: Column, offsets: Int64) -> bytes:
    r"""Write sentences as lines; a sentence without words is an empty line.

    Parameters
    ----------
    words : Column
    offsets : int64[S+1]
        The words of sentence ``i`` are ``offsets[i] .. offsets[i+1]-1``.

    Examples
    --------
    >>> text_lines(Column.of(["it", "rains", "New York"]), np.array([0, 2, 2, 3]))
    b'it rains\n\nNew\xc2\xa0York\n'
    """
    strings = [word.replace(" ", _NO_BREAK) for word in words.vocabulary.words]
    # Each string is there as one that a word follows, and as one that ends a line; then an empty
    # line.
    known = len(strings)
    table = [f"{word} " for word in strings] + [f"{word}\n" for word in strings] + ["\n"]
    filled = np.diff(offsets) > 0
    codes = words.codes.copy()
    codes[offsets[1:][filled] - 1] += known
    pieces = np.insert(codes, offsets[:-1][~filled], 2 * known)
    return "".join(map(table.__getitem__, pieces.tolist())).encode()
