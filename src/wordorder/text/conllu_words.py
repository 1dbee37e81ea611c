"""The words of a CoNLL-U treebank, as lines of text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wordorder.errors import InputError, location
from wordorder.text.closeable import Closeable
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name
from wordorder.text.quoting import quoted
from wordorder.text.raw_lines import RawLines

# Numbers as `wordorder.treebank` reads them: without leading zeros, and not too large.
_ID = re.compile(r"(?:0|[1-9][0-9]{0,8})(?:[-.][0-9]{1,9})?", re.ASCII)
# A word may hold blanks; a line of text separates words by them.
_NO_BREAK = "\u00a0"


class ConlluWordReader(Closeable):
    r"""Reads the FORM column of a CoNLL-U file, a sentence as a line.

    Words are the numbered tokens: ranges (``3-4``) and empty nodes (``5.1``) are no words of their
    own. A blank inside a word becomes a no-break space. Comments alone are a sentence without
    words.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.opening.Source` takes it.

    Attributes
    ----------
    name : str
        What messages call the input.
    lines : int
        Sentences read so far.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> row = "{}\t{}" + "\t_" * 8 + "\n"
    >>> _ = path.write_text("# a comment\n" + row.format(1, "It") + row.format(2, "rains") + "\n")
    >>> with ConlluWordReader(path) as reader:
    ...     reader.take(9).strings()
    ['It rains']
    """

    rows = "sentence"

    def __init__(self, path: Path) -> None:
        self.name = display_name(path)
        self.lines = 0
        self._sentences = self._read(path)

    def take(self, lines: int) -> RawLines:
        """Return up to `lines` further sentences; none at the end.

        Raises
        ------
        InputError
            At ``file:line`` for a line without ten columns, with an ID that is out of order, or
            with nothing in FORM.
        """
        taken = [s for _, s in zip(range(lines), self._sentences, strict=False)]
        self.lines += len(taken)
        return RawLines.from_strings(taken)

    def close(self) -> None:
        """Close the input."""

    def _read(self, path: Path) -> Iterator[str]:
        words: list[str] = []
        open_sentence = False
        for number, line in enumerate(read_lines(path), 1):
            if not line.strip(" \t"):
                if open_sentence:
                    yield " ".join(words)
                words, open_sentence = [], False
                continue
            # Comments alone are a sentence without words, so that lines stay in step.
            open_sentence = True
            if line.startswith("#"):
                continue
            fields = line.split("\t")
            if len(fields) != 10 or not _ID.fullmatch(fields[0]):
                raise InputError(
                    location(self.name, number),
                    quoted(line.encode()),
                    "ten columns separated by tabs, an ID first",
                )
            if fields[0].isdecimal():
                if int(fields[0]) != len(words) + 1:
                    raise InputError(
                        location(self.name, number), f"ID {fields[0]}", f"ID {len(words) + 1}"
                    )
                if not fields[1]:
                    raise InputError(
                        location(self.name, number), "nothing in FORM", "_ or some text"
                    )
                words.append(fields[1].replace(" ", _NO_BREAK))
        if open_sentence:
            yield " ".join(words)
