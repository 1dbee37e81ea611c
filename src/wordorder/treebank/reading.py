"""Treebanks in CoNLL-U: read and written some sentences at a time, or as a whole."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np

from wordorder.arrays import Int32, Int64, UInt8, value_indices
from wordorder.errors import InputError, choose, location
from wordorder.kernels import call, text as kernel
from wordorder.notes import placed_notes
from wordorder.text.blocks import SentenceBlocks, TextBlock
from wordorder.text.conllu_lines import BOUNDS_PER_WORD, scan_conllu
from wordorder.text.lockstep import until_empty
from wordorder.text.names import refuse_brackets
from wordorder.text.opening import Closeable, Path
from wordorder.text.output import write_output
from wordorder.text.parts import RETURN
from wordorder.text.raw_lines import RawLines
from wordorder.text.sources import Source
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.treebank import (
    NO_MARGIN,
    STRING_COLUMNS,
    Column,
    Margin,
    Treebank,
    check_writable,
    conllu_text,
)
from wordorder.treebank.trees import HEAD_REQUIREMENTS, HeadRequirement, first_tree_fault

# The number of sentences per batch when a whole file is read.
READ_BATCH = 1 << 14

# The 0-based field of each column of strings in a line.
_FIELD_INDEX = dict(zip(STRING_COLUMNS, (1, 2, 3, 4, 5, 7, 8, 9), strict=True))

# The initial number of hash-table slots; a full table grows fourfold.
_INITIAL_SLOTS = 1 << 12

# A comment in which a carriage return precedes the start of another comment or of a word.
_HIDDEN_LINE = re.compile(rb"^#[^\n]*?\r(?:#|[0-9]+(?:[-.][0-9]+)?\t)", re.MULTILINE)

# The number of sentences that are written at a time.
WRITE_BATCH = 1 << 11


class TreebankReader(Closeable):
    r"""Reads a treebank in CoNLL-U some sentences at a time.

    Parameters
    ----------
    path : path, "-" or Source
        A file, compressed or not, or an open `wordorder.text.sources.Source`; ``-`` is standard
        input.
    trees : {"required", "optional", "partial"}
        Which heads may be missing (``_``, which becomes `NO_HEAD`): with ``required`` none, with
        ``optional`` those of all words of a sentence together, with ``partial`` those of any words.
    single_root : bool
        Whether a second word with head 0 is an error, as in Universal Dependencies. Treebanks in
        CoNLL-X often have several.
    lone_returns : bool
        Whether a comment may contain other lines after a carriage return. If all lines of a file
        end with a carriage return alone, the first comment contains the rest of the file.

    Attributes
    ----------
    name : str
        The name of the input in messages.
    lines : int
        The number of sentences read so far.
    rows : str
        The word for a sentence in messages.

    Raises
    ------
    UsageError
        If the file has a suffix of trees in brackets (``.mrg``), which `convert` reads.

    Notes
    -----
    A line has ten columns separated by tabs; words are numbered from 1. Comments, ranges (``3-4``)
    and empty nodes (``5.1``) become `Margin`; a block of comments alone is a sentence without
    words. Lines end with ``\n`` or ``\r\n``; an empty line or the end of the file ends a sentence.
    Files of CoNLL-X (2006, 2007) have the same columns except the last two, PHEAD and PDEPREL,
    which are read as ``deps`` and ``misc``. CoNLL-U Plus is refused if it has other columns.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> row = "{}\t{}\t_\t{}\t_\t_\t{}\t_\t_\t_\n"
    >>> _ = path.write_text(
    ...     row.format(1, "It", "PRON", 2) + row.format(2, "rains", "VERB", 0) + "\n"
    ... )
    >>> with TreebankReader(path) as reader:
    ...     bank = reader.take(9)
    >>> bank.form.strings(), bank.upos.strings(), bank.heads.tolist()
    (['It', 'rains'], ['PRON', 'VERB'], [2, 0])
    """

    rows = "sentence"

    def __init__(
        self,
        path: Path | Source,
        *,
        trees: HeadRequirement = "required",
        single_root: bool = True,
        lone_returns: bool = True,
    ) -> None:
        choose("trees", trees, HEAD_REQUIREMENTS)
        if isinstance(path, str | os.PathLike):
            refuse_brackets(path)
        self._blocks = SentenceBlocks(Source.of(path))
        self.name = self._blocks.name
        self.lines = 0
        self._block = TextBlock(np.zeros(0, np.uint8), 0, 1)
        self._trees = trees
        self._single_root = single_root
        self._lone_returns = lone_returns

    def take(self, sentences: int, *, prompt: bool = False) -> Treebank:
        """Return up to `sentences` further sentences; fewer if they are long, none at the end.

        With `prompt`, return as soon as at least one sentence is available.

        Raises
        ------
        InputError
            If the input cannot be read or is not UTF-8. With ``file:line``, if a line does not
            have ten non-empty columns, a number is out of order, the heads of a sentence are not a
            tree, or a comment contains lines and `lone_returns` is false.
        """
        block = self._blocks.take(sentences, prompt=prompt)
        if not self._lone_returns:
            refuse_lone_returns(block, self.name)
        bank = parse_sentences(block, self.name, trees=self._trees, single_root=self._single_root)
        self.lines += len(bank)
        self._block = block
        return bank

    def line(self, sentence: int, comment: str = "") -> int:
        """Return the line of the file, from 1, at which a sentence of the last `take` starts.

        Parameters
        ----------
        sentence : int
            Counted from 0.
        comment : str, optional
            The name of a comment of the sentence: return the line of the comment instead.
        """
        rows = self._block.data.tobytes().split(b"\n")
        remaining = sentence
        for number, (row, previous) in enumerate(zip(rows, [b"", *rows], strict=False)):
            starts_sentence = row.strip(b"\r") and not previous.strip(b"\r")
            remaining -= bool(starts_sentence)
            if remaining < 0:
                name = row[1:].partition(b"=")[0].strip().decode()
                if (starts_sentence and not comment) or name == comment:
                    return self._block.first_line + number
        return self._block.first_line

    def close(self) -> None:
        """Close the input."""
        self._blocks.close()


def read_treebank(
    path: Path | Source, *, trees: HeadRequirement = "required", single_root: bool = True
) -> Treebank:
    r"""Read a whole treebank in CoNLL-U.

    Parameters
    ----------
    path, trees, single_root
        See `TreebankReader`.

    Raises
    ------
    InputError
        See `TreebankReader.take`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> _ = path.write_text("1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n")
    >>> read_treebank(path)
    Treebank(1 sentence, 1 word)
    """
    options: dict[str, Any] = {"trees": trees, "single_root": single_root}
    with TreebankReader(path, **options, lone_returns=False) as reader:
        parts = list(until_empty(reader.take, READ_BATCH))
    return parts[0] if len(parts) == 1 else Treebank.concatenate(parts)


@contextmanager
def sentences_of(name: str, numbers: Int64, *, lines: bool = False) -> Iterator[None]:
    """In errors and notes inside, replace sentence numbers of a batch by those of its file.

    Parameters
    ----------
    name : str
        The name of the file in messages; empty if an outer `sentences_of` adds it.
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

    def name_location(where: str) -> str:
        match = re.match(r"sentence (\d+)", where)
        if match is None:
            return where
        number = int(numbers[int(match[1]) - 1]) + 1
        remainder = where[match.end() :]
        if not name:
            return f"sentence {number}{remainder}"
        return f"{name}{':' if lines else ': sentence '}{number}{remainder}"

    try:
        with placed_notes(name_location):
            yield
    except InputError as error:
        error_location = name_location(error.where)
        if error_location == error.where:
            raise
        raise InputError(error_location, error.what, error.expected) from None


def refuse_lone_returns(block: TextBlock, name: str) -> None:
    r"""Refuse comments that contain other lines after a carriage return.

    Parameters
    ----------
    block : TextBlock
        See `parse_sentences`.
    name : str
        The name of the input in messages.

    Raises
    ------
    InputError
        At the first such comment.

    Examples
    --------
    >>> data = b"# sent_id = a\r1\tGo" + b"\t_" * 8 + b"\r\r"
    >>> refuse_lone_returns(TextBlock(np.frombuffer(data, np.uint8), 1, 1), "a.conllu")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: a.conllu:1: lines that end with a carriage return alone; expected
    \n or \r\n
    """
    if not np.any(block.data == RETURN):
        return
    if lone_return := _HIDDEN_LINE.search(block.data.tobytes()):
        error_location = location(name, block.place(lone_return.start())[0])
        raise InputError(
            error_location, "lines that end with a carriage return alone", r"\n or \r\n"
        )


def parse_sentences(
    block: TextBlock, name: str, *, trees: HeadRequirement, single_root: bool
) -> Treebank:
    """Parse the lines of complete sentences.

    Parameters
    ----------
    block : TextBlock
        A block of `SentenceBlocks`.
    name : str
        The name of the input in messages.
    trees, single_root
        See `wordorder.treebank.trees.check_trees`.

    Raises
    ------
    InputError
        At the first faulty line, and if a byte is not UTF-8.

    Examples
    --------
    >>> data = b"# sent_id = a\\n1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> block = TextBlock(np.frombuffer(data, np.uint8), 3, 1)
    >>> bank = parse_sentences(block, "a.conllu", trees="required", single_root=True)
    >>> bank.columns["lemma"].strings(), bank.margins
    (['go'], [Margin(comments=('# sent_id = a',), extras=())])
    """
    lines = scan_conllu(block, name)
    # A faulty tree may precede the line that cannot be read, so trees are checked first.
    fault = first_tree_fault(lines.heads, lines.offsets, trees=trees, single_root=single_root)
    if fault:
        sentence, word, problem, expected = fault
        byte_offset = int(lines.bounds[BOUNDS_PER_WORD * (int(lines.offsets[sentence]) + word)])
        raise InputError(location(name, block.place(byte_offset)[0]), problem, expected)
    if lines.error:
        raise lines.error
    scan_arguments = (lines.data, lines.bounds, len(lines.heads))
    columns = {
        column: _encode_field(*scan_arguments, field) for column, field in _FIELD_INDEX.items()
    }
    margins = _collect_margins(lines.data, lines.other_lines, len(lines.offsets) - 1)
    return Treebank(lines.offsets, lines.heads, columns, margins)


def _encode_field(data: UInt8, bounds: Int32, word_count: int, field: int) -> Column:
    """Return a column of the strings of one field."""
    codes = np.empty(word_count, np.int32)
    table = np.zeros(_INITIAL_SLOTS, np.uint64)
    numbers = np.empty(_INITIAL_SLOTS, np.int32)
    keys = np.empty(_INITIAL_SLOTS // 2 + 1, np.uint64)
    starts = np.empty(_INITIAL_SLOTS // 2 + 1, np.int64)
    ends = np.empty(_INITIAL_SLOTS // 2 + 1, np.int64)
    counters = np.zeros(2, np.int64)
    while True:
        arrays = (data, bounds, table, numbers, keys, starts, ends, codes, counters)
        call(kernel.number_fields, *arrays, BOUNDS_PER_WORD, field, int(counters[1]), word_count)
        if counters[1] == word_count:
            break
        slots = 4 * len(table)
        table = np.zeros(slots, np.uint64)
        numbers = np.empty(slots, np.int32)
        keys = np.resize(keys, slots // 2 + 1)
        starts, ends = (np.resize(bounds, slots // 2 + 1) for bounds in (starts, ends))
        call(kernel.fill_table, keys, table, numbers, int(counters[0]))
    strings_count = int(counters[0])
    return Column(
        codes, Vocabulary(_copy_spans(data, starts[:strings_count], ends[:strings_count]))
    )


def _copy_spans(data: UInt8, starts: Int64, ends: Int64) -> RawLines:
    """Copy spans of bytes, so that the rest of the data can be freed."""
    edges = np.zeros(2 * len(starts) + 1, np.int64)
    edges[:-1:2], edges[1::2] = starts, ends
    # The spans are every second row between the edges; the gaps between them are not taken.
    positions, offsets = value_indices(edges, np.arange(0, 2 * len(starts), 2))
    return RawLines(data[positions], offsets[:-1], offsets[1:])


def _collect_margins(data: UInt8, lines: Int64, sentences: int) -> list[Margin]:
    """Collect comments, ranges and empty nodes of each sentence."""
    texts = _copy_spans(data, lines[:, 0], lines[:, 1]).strings()
    line_positions = lines[:, 3].tolist()
    row_bounds = np.searchsorted(lines[:, 2], np.arange(sentences + 1)).tolist()
    margins = []
    for first, last in pairwise(row_bounds):
        if first == last:
            margins.append(NO_MARGIN)
            continue
        start = first
        while start < last and line_positions[start] < 0:
            start += 1
        extras = zip(line_positions[start:last], texts[start:last], strict=True)
        margins.append(Margin(tuple(texts[first:start]), tuple(extras)))
    return margins


class TreebankWriter:
    r"""Writes treebanks in CoNLL-U to a stream.

    Parameters
    ----------
    stream : binary stream
        Not closed.

    Notes
    -----
    A file whose lines end with ``\n``, with one empty line after each sentence, is written as the
    same bytes as it was read. A sentence without words is written as its comments, or as
    ``# text =`` if it has none.

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
            If a string is empty or contains a tab or line break; then nothing is written.
        """
        check_writable(treebank)
        for first in range(0, len(treebank), WRITE_BATCH):
            self._stream.write(conllu_text(treebank[first : first + WRITE_BATCH]).encode())


def write_treebank(path: Path, treebank: Treebank) -> None:
    """Write a treebank in CoNLL-U.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.text.output.write_output`: compressed according to its suffix; ``-`` is
        standard output; the file appears when it is complete.
    treebank : Treebank

    Raises
    ------
    UsageError
        If the file cannot be created.
    InputError
        If a string is empty or contains a tab or line break.

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
