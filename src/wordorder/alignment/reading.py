"""Read and write files of word alignments."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from wordorder.alignment import formats
from wordorder.alignment.alignments import Alignments, Lengths
from wordorder.alignment.naacl import Giza, Naacl
from wordorder.alignment.pharaoh import (
    LINE_FORMATS,
    TOKEN,
    Lader,
    Pharaoh,
    ReversedPharaoh,
    Talbot,
)
from wordorder.arrays import Int64
from wordorder.errors import InputError, UsageError, choose, location
from wordorder.text.blocks import TextBlock, decode_block, quoted
from wordorder.text.lockstep import line_count_mismatch
from wordorder.text.opening import Path
from wordorder.text.output import write_output
from wordorder.text.readers import LineReader
from wordorder.text.sources import LinkSource

# The number of lines that `read_alignments` has in memory as text.
CHUNK_LINES = 1 << 16

# The line formats that can be written. Those of Moses need the words, or phrases, too.
WRITTEN_LINES: dict[str, formats.WrittenLineFormat] = {
    n.name: n for n in (Pharaoh(), ReversedPharaoh(), Talbot(), Lader())
}

WRITERS: dict[str, formats.Writer] = {**WRITTEN_LINES, Naacl.name: Naacl()}
RECORD_FORMATS: dict[str, formats.RecordFormat] = {n.name: n for n in (Naacl(), Giza())}
FORMATS: dict[str, formats.LineFormat | formats.RecordFormat] = {**LINE_FORMATS, **RECORD_FORMATS}

# The start of the first nonblank line in each format that can be detected, narrower ones first.
_FIRST_LINES = {
    "giza": re.compile(rb"# Sentence pair "),
    "lader": re.compile(rb"[0-9]+-[0-9]+[ \t]+\|\|\|"),
    "naacl": re.compile(rb"[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+([ \t]|\r?\n|\Z)"),
    "moses-phrases": re.compile(rb"[0-9]+(-[0-9]+)?="),
    "pharaoh": re.compile(rb"[0-9]+([-p?]|\t[0-9]+-[0-9]+-[01]?\.[0-9])"),
    "talbot": re.compile(rb",|[0-9]+([,_]|\r?\n|\Z)"),
}


class AlignmentReader(LineReader):
    """Reads a file of word alignments in batches of sentence pairs.

    Parameters
    ----------
    path : path or "-"
        A file, compressed or not; ``-`` is standard input. See `wordorder.text.sources.Source`.
    format : str
        "auto", "talbot", "pharaoh", "pharaoh-reversed", "lader", "naacl", "giza", "moses-phrases"
        or "moses-trace". ``auto`` detects the format from the first nonblank line: ``-``, ``p`` or
        ``?`` after a number is Pharaoh, or lader if ``|||`` follows; ``=`` is Moses' phrases; a
        comma, ``_`` or a single number is Talbot; three numbers are NAACL; ``# Sentence pair`` is
        GIZA++. Files of the last two formats are read completely. ``pharaoh-reversed`` is Pharaoh
        with links target-source. ``moses-trace`` cannot be detected.
    one_based : bool
        Whether indices in the file start at 1; in ``naacl`` and ``giza`` they always do.
    sentences : int, optional
        The number of sentence pairs, since ``naacl`` does not show pairs after the last link.
    strict : bool
        Whether a repeated link in a sentence pair is an error. Otherwise it is stored once, as sure
        if it is listed as sure anywhere; a note at the end has their number.
    source_name, target_name : str
        The names of source and target text in messages.
    format_option : str
        The name of the option `format` in messages.

    Attributes
    ----------
    name : str
        The name of the input in messages.
    lines : int
        The number of rows read so far, in most formats one per line.

    Raises
    ------
    UsageError
        If `format` is unknown, `sentences` is negative, or `path` is not a path.
    """

    def __init__(
        self,
        path: Path,
        *,
        format: str = "auto",
        one_based: bool = False,
        sentences: int | None = None,
        strict: bool = False,
        source_name: str = "the source",
        target_name: str = "the target",
        format_option: str = "--format",
    ) -> None:
        self._notation = FORMATS.get(choose("format", format, ("auto", *FORMATS)))
        if sentences is not None and sentences < 0:
            raise UsageError(f"sentences is a number of at least 0, not {sentences}")
        require_path(path)
        super().__init__(LinkSource(path))
        self._sentences = sentences
        self._names = (source_name, target_name)
        self._strict = strict
        self._doubled = formats.DoubledLinks(self.name, strict=strict)
        self._line_rows = formats.LineRows(
            self.name, self._names, self._doubled, one_based=one_based, format_option=format_option
        )
        self._record_rows: formats.RecordRows | None = None

    @property
    def format(self) -> str | None:
        """The name of the format; None until it is detected."""
        return self._notation.name if self._notation else None

    def take(
        self,
        lines: int,
        *,
        source_lengths: Lengths | None = None,
        target_lengths: Lengths | None = None,
    ) -> Alignments:
        """Read up to `lines` further rows; none at the end of the file.

        Parameters
        ----------
        lines : int
            At least 1.
        source_lengths, target_lengths : int64[S], optional
            The lengths of the next sentences. If the file ends before, the remaining lengths are
            not used, and fewer rows are returned. (In ``naacl`` they are sentences without links,
            unless `sentences` is set.)

        Raises
        ------
        InputError
            At ``file:line:column`` for a first line in an unknown format, a token that is not a
            link, an index out of range or, if `strict`, a repeated link; with both file names if
            there are more rows than lengths.

        Warns
        -----
        note
            At the end of the file, if its indices seem to start at 1, or links are repeated.
        """
        if self._record_rows is not None:
            return self._records(self._record_rows, lines, source_lengths, target_lengths)
        block = self._blocks.take(lines)
        if block.lines == 0:
            self._line_rows.warn_of_one_based(self.lines)
            self._doubled.report(self.lines)
        if self._notation is None:
            self._notation = recognise(block, self.name)
        if self._notation is not None and self._notation.name in RECORD_FORMATS:
            self._record_rows = self._read_records(RECORD_FORMATS[self._notation.name], block)
            return self._records(self._record_rows, lines, source_lengths, target_lengths)
        if block.lines == 0 and self._sentences not in (None, self.lines):
            raise InputError(self.name, f"{self.lines} lines", f"{self._sentences}")
        # While all lines are blank, they have no links in any format that allows blank lines.
        notation = LINE_FORMATS[self.format or "pharaoh"]
        parsed = self._line_rows.parse(block, notation)
        self.lines += block.lines
        sources = self._lengths(source_lengths, block.lines, self._names[0])
        targets = self._lengths(target_lengths, block.lines, self._names[1])
        return self._line_rows.checked(parsed, block, notation, sources, targets)

    def _read_records(self, notation: formats.RecordFormat, first: TextBlock) -> formats.RecordRows:
        """Read the rest of the file, after its first block."""
        records = notation.read(self._numbered(first), self.name, strict=self._strict)
        return formats.RecordRows(
            records, self.name, self._names, self._doubled, sentences=self._sentences
        )

    def _numbered(self, block: TextBlock) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of a block and of all following blocks, with their numbers."""
        while block.lines:
            decode_block(block, self.name)
            lines = block.data.tobytes().split(b"\n", block.lines)
            # The text after the last line end is a line only if it is not empty.
            for number, line in enumerate(lines[: block.lines], block.first_line):
                ended = number - block.first_line < len(lines) - 1
                yield number, line.removesuffix(b"\r") if ended else line
            block = self._blocks.take(CHUNK_LINES)

    def _records(
        self,
        records: formats.RecordRows,
        rows: int,
        source_lengths: Lengths | None,
        target_lengths: Lengths | None,
    ) -> Alignments:
        """Return the next rows of a file that has been read completely."""
        numbers_of_lengths = [
            len(lengths) for lengths in (source_lengths, target_lengths) if lengths is not None
        ]
        rows = records.ahead(rows, min(numbers_of_lengths) if numbers_of_lengths else None)
        if rows == 0:
            self._doubled.report(self.lines, "sentence pair")
        self.lines += rows
        sources = self._lengths(source_lengths, rows, self._names[0])
        return records.take(rows, sources, self._lengths(target_lengths, rows, self._names[1]))

    def _lengths(self, lengths: Lengths | None, rows: int, name: str) -> Int64 | None:
        """Return the lengths of the current rows; raise an error if there are too few."""
        if lengths is None:
            return None
        if len(lengths) < rows:
            there = self.lines - rows + len(lengths)
            if self._record_rows is not None:
                problem = f"{self._record_rows.total} sentence pairs, but {name} has {there}"
                raise InputError(self.name, problem, "as many in both")
            while (block := self._blocks.take(CHUNK_LINES)).lines:
                self.lines += block.lines
            raise line_count_mismatch(self.name, self.lines, name, there)
        return np.asarray(lengths, np.int64)[:rows]


def read_alignments(
    path: Path,
    *,
    format: str = "auto",
    one_based: bool = False,
    sentences: int | None = None,
    strict: bool = False,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
    source_name: str = "the source",
    target_name: str = "the target",
    format_option: str = "--format",
) -> Alignments:
    """Read a complete file of word alignments.

    Parameters
    ----------
    path, format, one_based, sentences, strict, source_name, target_name, format_option
        See `AlignmentReader`.
    source_lengths, target_lengths : int64[S], optional
        The lengths of the sentences, against which links are checked. For ``naacl`` they also set
        the number of sentence pairs; without them and `sentences`, the last sentence pair is the
        last one with a link.

    Raises
    ------
    InputError
        See `AlignmentReader.take`; also, with both file names, if the numbers of lines and lengths
        differ.

    Warns
    -----
    note
        See `AlignmentReader.take`; `Alignments.doubled` has the number of repeated links.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sample.align")
    >>> _ = path.write_text("0-0 1-2 2p1\\n\\n")
    >>> a = read_alignments(path, source_lengths=[3, 2])
    >>> len(a), str(a[0])
    (2, '0-0 1-2 2p1')
    >>> _ = path.write_text("1 1 1 S\\n1 2 3 P\\n")
    >>> [str(row) for row in read_alignments(path, sentences=2)]
    ['0-0 1p2', '']
    """
    parts: list[Alignments] = []
    with AlignmentReader(
        path,
        format=format,
        one_based=one_based,
        sentences=sentences,
        strict=strict,
        source_name=source_name,
        target_name=target_name,
        format_option=format_option,
    ) as reader:
        while True:
            span = slice(reader.lines, reader.lines + CHUNK_LINES)
            part = reader.take(
                CHUNK_LINES,
                source_lengths=None if source_lengths is None else source_lengths[span],
                target_lengths=None if target_lengths is None else target_lengths[span],
            )
            if len(part) == 0:
                break
            parts.append(part)
    for lengths, name in ((source_lengths, source_name), (target_lengths, target_name)):
        if lengths is not None and len(lengths) != reader.lines:
            raise line_count_mismatch(reader.name, reader.lines, name, len(lengths))
    if reader.format == "talbot":
        # Blank lines before the format was detected have no target words.
        for part in parts:
            if part.target_lengths is None:
                part.target_lengths = np.zeros(len(part), np.int64)
    return Alignments.concatenate(parts) if parts else Alignments.from_rows([], path=reader.name)


def require_alignments(**arguments: object) -> None:
    """Raise an error for arguments that are not `Alignments`.

    Raises
    ------
    UsageError
        The message names the first of them.

    Examples
    --------
    >>> require_alignments(forward=[[(0, 0)]])
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: forward is an object of type list; expected Alignments, which \
Alignments.from_rows makes of links
    """
    for name, value in arguments.items():
        if not isinstance(value, Alignments):
            raise UsageError(
                f"{name} is an object of type {type(value).__name__}; expected Alignments, "
                "which Alignments.from_rows makes of links"
            )


def require_path(path: object) -> None:
    """Raise an error if `path` is not a path.

    Raises
    ------
    UsageError
        If `path` is neither text nor an `os.PathLike`.

    Examples
    --------
    >>> require_path(None)
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: the path is an object of type NoneType; expected text or a \
pathlib.Path
    """
    if not isinstance(path, (str, os.PathLike)):
        kind = type(path).__name__
        raise UsageError(f"the path is an object of type {kind}; expected text or a pathlib.Path")


Words = Sequence[Sequence[str]]


def write_alignments(
    alignments: Alignments,
    path: Path,
    *,
    format: str = "pharaoh",
) -> None:
    """Write word alignments to a file atomically, 0-based unless the format is 1-based.

    Parameters
    ----------
    alignments : Alignments
        ``talbot`` needs target lengths, ``lader`` both lengths. In ``naacl``, sentence pairs after
        the last link are lost.
    path : path or "-"
        See `wordorder.text.output.write_output`.
    format : {"pharaoh", "pharaoh-reversed", "talbot", "lader", "naacl"}

    Raises
    ------
    InputError
        If the format cannot represent a row.
    UsageError
        If `format` is unknown, or another argument has the wrong type.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sample.align")
    >>> a = Alignments.from_rows([[(0, 1), (1, 0, True)], []])
    >>> write_alignments(a, path)
    >>> path.read_text()
    '0-1 1p0\\n\\n'
    >>> write_alignments(a, path, format="naacl")
    >>> path.read_text()
    '1 1 2 S\\n1 2 1 P\\n'
    """
    require_alignments(alignments=alignments)
    require_path(path)
    notation = WRITERS[choose("format", format, tuple(WRITERS))]
    # Formats with one line per row are written in chunks, to save memory.
    step = CHUNK_LINES if format in WRITTEN_LINES else max(len(alignments), 1)
    with write_output(path) as stream:
        for first in range(0, len(alignments), step):
            rows = notation.rows(alignments[first : first + step])
            while chunk := list(islice(rows, CHUNK_LINES)):
                stream.write("".join(f"{row}\n" for row in chunk).encode("utf-8"))


def recognise(block: TextBlock, path: str) -> formats.LineFormat | formats.RecordFormat | None:
    """Detect the format from the first nonblank line; None if all lines are blank.

    Raises
    ------
    InputError
        If the format is unknown, or does not allow the empty lines before this line.
    """
    text = block.data.tobytes()
    start = re.search(rb"[^ \t\r\n]", text)
    if start is None:
        return None
    line, column = block.place(start.start())
    for name, pattern in _FIRST_LINES.items():
        if pattern.match(text, start.start()):
            if line > 1 and not FORMATS[name].empty_lines:
                file_position = location(path, line - 1)
                problem = f"an empty line before the notation {name}, which has none"
                raise InputError(
                    file_position, problem, "no empty line, or the notation named (--format)"
                )
            return FORMATS[name]
    token = TOKEN.match(text, start.start())
    raise InputError(
        location(path, line, column),
        f"{quoted(token.group() if token else b'')} is not an alignment in a known notation",
        "Pharaoh's i-j, Talbot's comma-separated fields, Moses' i-j=k-l, or lader's, NAACL's or "
        "GIZA++'s lines",
    )
