"""A paraphrase table in METEOR's format, read as far as a vocabulary needs it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from wordorder.errors import InputError, location
from wordorder.text.lines import read_lines, tokens
from wordorder.text.opening import Source

Phrase = tuple[int, ...]


class ParaphraseTable:
    """Phrases and what can replace them.

    Parameters
    ----------
    path : path
        Three lines an entry: a probability (which is not used), a phrase, and a phrase that can
        replace it. Compressed if the suffix says so.

    Raises
    ------
    InputError
        If the file cannot be read.

    Notes
    -----
    Tables are large: each vocabulary reads the file again and keeps the entries that it has all
    words of.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "table.txt")
    >>> _ = path.write_text("0.5\\nat once\\nimmediately\\n")
    >>> ParaphraseTable(path).restricted(["immediately", "once", "at"])
    {(2, 1): [(0,)]}
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        digest = hashlib.sha256()
        with Source(path) as source:
            while block := source.read():
                digest.update(block)
        self.digest = digest.hexdigest()[:8]

    def restricted(self, words: Sequence[str]) -> dict[Phrase, list[Phrase]]:
        """Return phrases as word numbers, with what can replace each, in the file's order.

        Raises
        ------
        InputError
            If an entry is not complete, has an empty phrase, or begins with no probability.
        """
        numbers = {word: number for number, word in enumerate(words)}
        known = numbers.keys()
        kept: dict[Phrase, list[Phrase]] = {}
        sides: list[list[str]] = []
        count = 0
        for count, line in enumerate(read_lines(self.path), 1):
            if count % 3 == 1:
                self._check_probability(line, count)
                continue
            side = tokens(line)
            if not side:
                raise InputError(location(self.path, count), "an empty line", "a phrase")
            sides.append(side)
            if len(sides) == 2:
                if known >= set(sides[0]) and known >= set(sides[1]):
                    phrase, other = (tuple(numbers[word] for word in side) for side in sides)
                    kept.setdefault(phrase, []).append(other)
                sides = []
        if count % 3:
            where = location(self.path, count)
            raise InputError(where, "the last entry is incomplete", "three lines an entry")
        return kept

    def _check_probability(self, line: str, number: int) -> None:
        try:
            float(line)
        except ValueError:
            where = location(self.path, number)
            raise InputError(where, repr(line[:30]), "a probability") from None
