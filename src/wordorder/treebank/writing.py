"""Writing treebanks in CoNLL-U."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import BinaryIO

import numpy as np

from wordorder.errors import InputError
from wordorder.text.opening import Path
from wordorder.text.output import write_output
from wordorder.treebank.treebank import COLUMNS, NO_HEAD, Margin, Treebank

# Sentences whose lines are in memory at the same time.
_BATCH = 1 << 11
# What would end a field or a line, or is not text.
_UNWRITABLE = re.compile("[\t\n\ud800-\udfff]")


class TreebankWriter:
    r"""Writes treebanks in CoNLL-U one behind the other.

    Parameters
    ----------
    stream : binary stream
        Stays open.

    Notes
    -----
    What `read_treebank` read from a file with ``\n`` at the end of its lines and one empty line
    behind each sentence is written as the same bytes. A sentence without words is written as its
    comments, and as ``# text =`` if it has none.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> bank = Treebank.from_words([["Go"]], heads=[[0]], upos=[["VERB"]], label=[["root"]])
    >>> TreebankWriter(stream).write(bank)
    >>> stream.getvalue()
    b'1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n'
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, treebank: Treebank) -> None:
        """Write the sentences of a treebank.

        Raises
        ------
        InputError
            If a string is empty or holds a tab or the end of a line, before anything is written.
        """
        for name in COLUMNS:
            _check_column(name, treebank)
        for number, margin in enumerate(treebank.margins, 1):
            if margin.comments or margin.extras:
                _check_margin(number, margin)
        for first in range(0, len(treebank), _BATCH):
            self._write(treebank[first : first + _BATCH])

    def _write(self, treebank: Treebank) -> None:
        """Write some sentences at once."""
        offsets = treebank.offsets.tolist()
        heads = ["_" if head == NO_HEAD else str(head) for head in treebank.heads.tolist()]
        ids = np.arange(1, treebank.words + 1) - np.repeat(treebank.offsets[:-1], treebank.lengths)
        columns = [treebank.columns[name].strings() for name in COLUMNS]
        fields = [map(str, ids.tolist()), *columns[:5], heads, *columns[5:]]
        rows = list(map("\t".join, zip(*fields, strict=True)))
        lines: list[str] = []
        for margin, (start, stop) in zip(treebank.margins, pairwise(offsets), strict=True):
            lines += margin.comments
            if margin.extras:
                lines += _with_extras(rows[start:stop], margin)
            elif start == stop and not margin.comments:
                lines.append("# text =")
            else:
                lines += rows[start:stop]
            lines.append("")
        if lines:
            lines.append("")
            self._stream.write("\n".join(lines).encode())


def write_treebank(path: Path, treebank: Treebank) -> None:
    """Write a treebank in CoNLL-U.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.output.write_output` takes it: compressed by its suffix, ``-`` is
        standard output; the file appears under its name when it is whole.
    treebank : Treebank

    Raises
    ------
    UsageError
        If the file cannot be created.
    InputError
        If a string is empty or holds a tab or the end of a line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.conllu"
    >>> write_treebank(path, Treebank.from_words([["It", "rains"]], heads=[[2, 0]]))
    >>> path.read_text().splitlines()[1].split("\\t")[:7]
    ['2', 'rains', '_', '_', '_', '_', '0']
    """
    with write_output(path) as stream:
        TreebankWriter(stream).write(treebank)


def _with_extras(rows: list[str], margin: Margin) -> list[str]:
    """Put the lines that are no words between those that are."""
    lines: list[str] = []
    done = 0
    for before, extra in margin.extras:
        lines += rows[done:before]
        lines.append(extra)
        done = max(done, before)
    return lines + rows[done:]


def _check_column(name: str, treebank: Treebank) -> None:
    """Check that a reader would find the strings of a column again."""
    column = treebank.columns[name]
    bad = [
        code
        for code, string in enumerate(column.vocabulary.words)
        if not string or _UNWRITABLE.search(string) or (name == "misc" and string.endswith("\r"))
    ]
    # A vocabulary may hold strings that no word has.
    places = np.flatnonzero(np.isin(column.codes, bad)) if bad else np.zeros(0, np.int64)
    if len(places):
        place = int(places[0])
        sentence = int(np.searchsorted(treebank.offsets, place, side="right"))
        word = place - int(treebank.offsets[sentence - 1]) + 1
        string = column.vocabulary.words[int(column.codes[place])]
        raise InputError(
            f"sentence {sentence}, word {word}",
            f"{name} {string[:30]!r}",
            "some text without tabs and ends of lines",
        )


def _check_margin(number: int, margin: Margin) -> None:
    """Check that a reader would find comments and other lines again."""
    for line in (*margin.comments, *(line for _, line in margin.extras)):
        # Tabs between columns are not what makes a line unwritable.
        if _UNWRITABLE.search(line.replace("\t", " ")) or line.endswith("\r"):
            expected = "one line of text"
        elif not line.startswith("#") and line.count("\t") != 9:
            expected = "a comment with #, or ten columns"
        else:
            continue
        raise InputError(f"sentence {number}", f"the line {line[:30]!r}", expected)
