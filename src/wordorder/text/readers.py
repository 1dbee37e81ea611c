"""Readers of lines and of the words of treebanks, and counters of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from wordorder.arrays import Int64, row_offsets
from wordorder.notes import note
from wordorder.text.blocks import LineBlocks, SentenceBlocks, decode_block
from wordorder.text.lazy_rows import LazyRows
from wordorder.text.lines import tokens
from wordorder.text.lockstep import CHUNK_LINES, until_empty
from wordorder.text.names import is_treebank
from wordorder.text.opening import Closeable, Path, display_name
from wordorder.text.raw_lines import RawLines
from wordorder.text.sniffing import input_kind
from wordorder.text.sources import PeekableInput, Source

# Replaces spaces inside words, since spaces separate the words of a line.
_NO_BREAK = "\u00a0"
_Treebank = TypeVar("_Treebank")
_Text = TypeVar("_Text")


class LineReader(Closeable):
    """A reader of lines with the input's name and the number of lines read so far."""

    def __init__(self, path: Path | Source) -> None:
        self._blocks = LineBlocks(Source.of(path))
        self.name = self._blocks.name
        self.lines = 0

    def close(self) -> None:
        """Close the input."""
        self._blocks.close()

    def _text(self, lines: int, *, prompt: bool = False) -> LazyRows[RawLines]:
        """Return up to `lines` further lines of text, to be checked later."""
        block = self._blocks.take(lines, prompt=prompt)
        self.lines += block.lines

        def checked() -> RawLines:
            # ASCII needs no decoding.
            if block.data.max(initial=0) >= 0x80:
                decode_block(block, self.name)
            return RawLines.from_bytes(block.data, block.newlines)

        return LazyRows(block.lines, checked)


class TokenCounter(LineReader):
    """Counts the tokens of the lines of a text.

    Parameters
    ----------
    path : path or "-"
        The text, tokens separated by ASCII spaces or tabs.

    Attributes
    ----------
    name : str
        The input's name in messages.
    lines : int
        Lines read so far.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_bytes(b"the  cat\\n\\n sat")
    >>> with TokenCounter(path) as counter:
    ...     counter.take(10).tolist()
    [2, 0, 1]
    """

    def take(self, lines: int) -> Int64:
        """Return the counts of the next `lines` lines; fewer if they are long, empty at the end.

        Raises
        ------
        InputError
            If a line is not UTF-8.
        """
        block = self._blocks.take(lines)
        decode_block(block, self.name)
        self.lines += block.lines
        data = block.data
        line_end = data == ord("\n")
        # A carriage return before a newline belongs to the end of the line.
        line_end[:-1] |= (data[:-1] == ord("\r")) & line_end[1:]
        inside = ~((data == ord(" ")) | (data == ord("\t")) | line_end)
        starts = inside.copy()
        starts[1:] &= ~inside[:-1]
        ends = np.append(np.flatnonzero(data == ord("\n")) + 1, len(data))[: block.lines]
        starts_before = row_offsets(starts)
        counts: Int64 = np.diff(starts_before[np.concatenate([[0], ends])])
        return counts


class TextReader(LineReader):
    r"""Reads a file of text as lines of bytes.

    Parameters
    ----------
    path : path, "-" or Source
        A file, compressed or not; ``-`` is standard input. See `wordorder.text.sources.Source`.

    Attributes
    ----------
    name : str
        The input's name in messages.
    lines : int
        Lines read so far.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_bytes(b"one\r\n\ntwo")
    >>> with TextReader(path) as reader:
    ...     reader.take(2).strings(), reader.take(2).strings(), len(reader.take(2))
    (['one', ''], ['two'], 0)
    """

    def take(self, lines: int, *, prompt: bool = False) -> RawLines:
        """Return up to `lines` further lines; fewer if they are long, empty at the end.

        With `prompt`, return as soon as there is at least one, without waiting for more input.

        Raises
        ------
        InputError
            If the input cannot be read or a byte is not UTF-8; the message names line and byte.
        """
        return self.begin(lines, prompt=prompt).rows()

    def begin(self, lines: int, *, prompt: bool = False) -> LazyRows[RawLines]:
        """Return up to `lines` further lines, as `take` does, to be checked later."""
        return self._text(lines, prompt=prompt)


class ConlluWordReader(Closeable):
    r"""Reads the FORM column of a CoNLL-U file, one line per sentence.

    Words are the numbered tokens: ranges (``3-4``) and empty nodes (``5.1``) are not words. A
    space inside a word becomes a no-break space. A block of comments alone is a sentence without
    words.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.text.sources.Source`.

    Attributes
    ----------
    name : str
        The input's name in messages.
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
        self._blocks = SentenceBlocks(Source(path))
        self.name = self._blocks.name
        self.lines = 0

    def take(self, lines: int) -> RawLines:
        """Return up to `lines` further sentences; fewer if they are long, empty at the end.

        Raises
        ------
        InputError
            As `wordorder.treebank.TreebankReader.take`, except that heads are not checked.
        """
        from wordorder.text.conllu_lines import FORM

        scanned = self._scan(lines)
        words = [word.replace(" ", _NO_BREAK) for word in scanned.field(FORM).strings()]
        bounds = pairwise(scanned.offsets.tolist())
        sentences = RawLines.from_strings([" ".join(words[start:stop]) for start, stop in bounds])
        self.lines += len(sentences)
        return sentences

    def _scan(self, lines: int) -> Any:
        """Scan up to `lines` further sentences; see `scan_conllu`."""
        from wordorder.text.conllu_lines import scan_conllu

        scanned = scan_conllu(self._blocks.take(lines), self.name)
        if scanned.error:
            raise scanned.error
        return scanned

    def close(self) -> None:
        """Close the input."""
        self._blocks.close()


class ConlluWordCounter(ConlluWordReader):
    """Counts the words of each sentence of a treebank; see `TokenCounter` for lines."""

    def take(self, lines: int) -> Any:
        """Return the counts of up to `lines` further sentences, int64[S]; empty at the end."""
        offsets = self._scan(lines).offsets
        self.lines += len(offsets) - 1
        return np.diff(offsets)


def read_whole(path: Path, kind: str = "auto") -> RawLines:
    """Read all lines of a file, or the words of a treebank's sentences, as `word_reader` does."""
    with word_reader(path, kind) as reader:
        return RawLines.concatenate(list(until_empty(reader.take, 8 * CHUNK_LINES)))


def word_reader(path: Path, kind: str = "auto") -> TextReader | ConlluWordReader:
    r"""Open a file whose sentences are read as lines.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.text.sources.Source`.
    kind : str
        ``conllu`` reads the words of a treebank, and so does ``auto`` if the file's name has a
        suffix of treebanks (`is_treebank`). Any other file or value is plain text.

    Warns
    -----
    note
        If a file that is read as plain text begins like a treebank.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> _ = path.write_text("1\tIt" + "\t_" * 8 + "\n2\train" + "\t_" * 8 + "\n\n")
    >>> with word_reader(path) as reader:
    ...     reader.take(9).strings()
    ['It rain']
    """
    return _open_sentences(path, kind, ConlluWordReader, TextReader)


def word_counter(path: Path) -> TokenCounter | ConlluWordCounter:
    """Open a file to count the words of each sentence; formats as in `word_reader`."""
    return _open_sentences(path, "auto", ConlluWordCounter, TokenCounter)


def read_words(path: Path) -> Iterator[list[str]]:
    """Read the words of each sentence of a file, as `word_reader` does."""
    with word_reader(path) as reader:
        for rows in until_empty(reader.take):
            yield from map(tokens, rows.strings())


def _open_sentences(
    path: Path,
    kind: str,
    treebank: Callable[[Path], _Treebank],
    text: Callable[[PeekableInput], _Text],
) -> _Treebank | _Text:
    """Open a file as a treebank or as text; see `word_reader`."""
    if kind == "conllu" or (kind == "auto" and is_treebank(path)):
        return treebank(path)
    source = PeekableInput(path)
    try:
        if kind == "auto" and input_kind(source) == "conllu":
            note(
                f"{display_name(path)}: looks like CoNLL-U, but is read as lines of text; the name "
                "of a treebank ends in .conllu"
            )
        return text(source)
    except BaseException:
        source.close()
        raise
