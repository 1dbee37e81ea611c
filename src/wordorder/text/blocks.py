"""Inputs cut into blocks of whole lines, or of the lines of whole sentences."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Int64, UInt8
from wordorder.errors import InputError, location
from wordorder.notes import note
from wordorder.text.opening import BOM, Closeable, FileSource
from wordorder.text.parts import NEWLINE
from wordorder.text.raw_lines import RawLines

MAX_LINE_BYTES = 1 << 26
BLOCK_BYTES = 1 << 24
# The longest sentence that is read, so that memory stays bounded: more than a million words, and
# not many more lines, each of which takes many times the two bytes of a shortest comment.
MAX_SENTENCE_BYTES = 1 << 26
MAX_SENTENCE_LINES = 1 << 22
QUOTED_BYTES = 30


@dataclass(frozen=True)
class TextBlock:
    """Consecutive complete lines of a file.

    Attributes
    ----------
    data : uint8 array
        The bytes of the lines with their ends; the last line of a file may have none.
    lines : int
        How many lines; 0 at the end of the file.
    first_line : int
        The number of the first one in the file, counted from 1.
    newlines : int64 array or None
        Indices of the newlines in `data`, if they are known.
    """

    data: UInt8
    lines: int
    first_line: int
    newlines: Int64 | None = None

    def place(self, index: int) -> tuple[int, int]:
        """Return line and column, both counted from 1, of a byte of `data`.

        Examples
        --------
        >>> TextBlock(np.frombuffer(b"0 1\\n0 x\\n", np.uint8), 2, 7).place(6)
        (8, 3)
        """
        ends = np.flatnonzero(self.data[:index] == NEWLINE)
        start = int(ends[-1]) + 1 if len(ends) else 0
        return self.first_line + len(ends), index - start + 1


def decode_block(block: TextBlock, name: str) -> str:
    """Decode a block strictly; a byte that is not UTF-8 is an InputError at its line and byte."""
    data = block.data.tobytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        context = location(name, *block.place(error.start))
        raise InputError(context, f"byte 0x{data[error.start]:02x}", "UTF-8 text") from None


class LineBlocks(Closeable):
    r"""Reads an input in blocks of whole lines.

    Only ``\n`` and the end of the file end a line. A UTF-8 byte order mark at the start is dropped
    with a note.

    Parameters
    ----------
    source : FileSource
        The bytes; closed with the blocks.
    max_line_bytes : int
        The longest line that is read, so that memory stays bounded.

    Raises
    ------
    InputError
        From here and from `take`: if the input cannot be read, is damaged or breaks off, or a
        line is too long; the message names the line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = path.write_bytes(b"one\ntwo\r\nthree")
    >>> with LineBlocks(FileSource(path)) as blocks:
    ...     [(b.lines, b.data.tobytes()) for b in (blocks.take(2), blocks.take(2))]
    [(2, b'one\ntwo\r\n'), (1, b'three')]
    """

    def __init__(self, source: FileSource, *, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._source = source
        self.name = self._source.name
        self._max_line_bytes = max_line_bytes
        self._lines_returned = self._source.lines_before
        self._chunk = np.zeros(0, np.uint8)
        self._start = 0
        # The ends of the chunk's lines, and the index of the next one.
        self._ends = np.zeros(0, np.int64)
        self._next = 0
        # Bytes of the unfinished line in earlier chunks.
        self._unfinished = 0
        self._first = self._source.lines_before == 0

    @property
    def lines_before(self) -> int:
        """Number of lines of the file before the part that is read; 0 for a complete file."""
        return self._source.lines_before

    def take(self, lines: int, *, prompt: bool = False) -> TextBlock:
        """Return the next `lines` lines; fewer at the end or if they are long, 0 after the end.

        With `prompt`, return as soon as there is at least one, without waiting for more input.

        A block ends early when it has reached `BLOCK_BYTES`, so that memory stays bounded.
        """
        parts = []
        newlines = [np.zeros(0, np.int64)]
        missing_lines = lines
        size = 0
        while missing_lines > 0:
            ready = len(self._ends) - self._next
            full = size >= BLOCK_BYTES
            if 0 < ready < missing_lines and (full or (prompt and self._source.waits())):
                lines -= missing_lines - ready
                missing_lines = ready
            if ready >= missing_lines:
                ends = self._ends[self._next : self._next + missing_lines]
                newlines.append(ends + (size - self._start - 1))
                stop = int(ends[-1])
                parts.append(self._chunk[self._start : stop])
                self._start = stop
                self._next += missing_lines
                missing_lines = 0
                break
            missing_lines -= ready
            newlines.append(self._ends[self._next :] + (size - self._start - 1))
            parts.append(self._chunk[self._start :])
            size += len(parts[-1])
            if not self._load(self._lines_returned + lines - missing_lines):
                # The rest of the last chunk is a line without a newline.
                missing_lines -= 1 if self._unfinished else 0
                self._unfinished = 0
                break
        parts = [part for part in parts if len(part)]
        data = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.uint8), *parts])
        block = TextBlock(
            data, lines - missing_lines, self._lines_returned + 1, np.concatenate(newlines)
        )
        self._lines_returned += block.lines
        return block

    def take_ready(self) -> TextBlock:
        """Return the lines that are in memory, at least one; 0 at the end.

        Memory is bounded by the longest line, so this suits files with long lines.
        """
        return self.take(max(len(self._ends) - self._next, 1))

    def waits(self) -> bool:
        """Return whether the next line must be waited for."""
        return self._next == len(self._ends) and self._source.waits()

    def close(self) -> None:
        """Close the input."""
        self._source.close()

    def _load(self, complete: int) -> bool:
        """Replace the used chunk by the next one; return False at the end."""
        old_end = int(self._ends[-1]) if len(self._ends) else -self._unfinished
        unfinished = len(self._chunk) - old_end
        try:
            data = self._read()
        except InputError as error:
            # Errors in rows of a table already have a location.
            context = error.where if error.where != self.name else location(self.name, complete + 1)
            raise InputError(context, error.what, error.expected) from None
        self._unfinished = unfinished
        self._chunk = np.frombuffer(data, np.uint8)
        self._start = 0
        self._ends = np.flatnonzero(self._chunk == NEWLINE) + 1
        self._next = 0
        lengths = np.diff(self._ends, prepend=-unfinished, append=len(data) + 1) - 1
        too_long = lengths > self._max_line_bytes
        if too_long.any():
            context = location(self.name, complete + int(np.argmax(too_long)) + 1)
            problem = f"a line of more than {self._max_line_bytes} bytes"
            raise InputError(context, problem, "shorter lines; split it")
        return bool(data)

    def _read(self) -> bytes:
        """Read the next bytes, without a byte order mark at the very start."""
        data = self._source.read()
        if self._first:
            self._first = False
            while 0 < len(data) < len(BOM) and (following := self._source.read()):
                data += following
            if data.startswith(BOM):
                note(f"{self.name}: dropped the byte order mark at the start")
                data = data[len(BOM) :] or self._source.read()
        return data


class SentenceBlocks(Closeable):
    r"""Reads an input in blocks of whole sentences.

    Parameters
    ----------
    source : FileSource
        The bytes; closed with the blocks.

    Attributes
    ----------
    sentences : int
        Number of sentences returned so far.

    Raises
    ------
    InputError
        From here and from `take`: if the input cannot be read, is damaged or breaks off, or a
        sentence is too long.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = path.write_bytes(b"one\ntwo\n\nthree\n\nfour")
    >>> with SentenceBlocks(FileSource(path)) as blocks:
    ...     [(b.first_line, b.data.tobytes()) for b in (blocks.take(2), blocks.take(2))]
    [(1, b'one\ntwo\n\nthree\n\n'), (6, b'four')]
    """

    def __init__(self, source: FileSource) -> None:
        self._blocks = LineBlocks(source)
        self.name = self._blocks.name
        self.sentences = 0
        self._chunk = np.zeros(0, np.uint8)
        self._start = 0
        # The ends of the chunk's sentences, and the index of the next one.
        self._ends = np.zeros(0, np.int64)
        self._next = 0
        # Whether the next chunk starts inside a sentence.
        self._in_sentence = False
        # Lines of the chunk after its last complete sentence, without empty ones.
        self._unfinished_lines = 0
        self._line = self._blocks.lines_before + 1

    def take(self, sentences: int, *, prompt: bool = False) -> TextBlock:
        """Return the next `sentences` sentences; fewer at the end or if they are long, 0 after it.

        With `prompt`, return as soon as there is at least one, without waiting for more input.

        A block ends early when it has reached `BLOCK_BYTES`, so that memory stays bounded.
        """
        parts: list[UInt8] = []
        missing, size, unfinished, pending_lines = sentences, 0, 0, 0
        while missing > 0:
            ready = len(self._ends) - self._next
            if ready:
                count = min(ready, missing)
                if size >= BLOCK_BYTES and unfinished:
                    count = 1
                self._next += count
                self.sentences += count
                missing -= count
                stop = int(self._ends[self._next - 1])
                parts.append(self._chunk[self._start : stop])
                size += stop - self._start
                self._start = stop
                unfinished = pending_lines = 0
            if missing == 0 or (size >= BLOCK_BYTES and not unfinished):
                break
            if prompt and missing < sentences and not unfinished and self._blocks.waits():
                break
            parts.append(self._chunk[self._start :])
            size += len(parts[-1])
            unfinished += len(parts[-1])
            pending_lines += self._unfinished_lines
            if unfinished > MAX_SENTENCE_BYTES or pending_lines > MAX_SENTENCE_LINES:
                lines = sum(int(np.count_nonzero(part == NEWLINE)) for part in parts)
                limit = (
                    f"{MAX_SENTENCE_LINES} lines"
                    if pending_lines > MAX_SENTENCE_LINES
                    else f"{MAX_SENTENCE_BYTES} bytes"
                )
                context = location(self.name, self._line + lines)
                problem = f"a sentence of more than {limit}"
                raise InputError(context, problem, "an empty line after each sentence")
            if not self._load():
                self.sentences += pending_lines > 0
                break
        parts = [part for part in parts if len(part)]
        data = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.uint8), *parts])
        block = TextBlock(data, _count_lines(data), self._line)
        self._line += block.lines
        return block

    def close(self) -> None:
        """Close the input."""
        self._blocks.close()

    def _load(self) -> bool:
        """Replace the used chunk by the next one; return False at the end."""
        self._chunk = self._blocks.take_ready().data
        self._start = 0
        self._next = 0
        lines = RawLines.from_bytes(self._chunk)
        filled = lines.stops > lines.starts
        filled_before = np.append(self._in_sentence, filled)[:-1]
        ends = np.flatnonzero(~filled & filled_before)
        self._ends = np.append(lines.starts, len(self._chunk))[ends + 1]
        self._unfinished_lines = int(np.count_nonzero(filled[ends[-1] if len(ends) else 0 :]))
        if len(filled):
            self._in_sentence = bool(filled[-1])
        return bool(len(self._chunk))


def _count_lines(data: UInt8) -> int:
    """Count lines; the last may have no newline."""
    ends = int(np.count_nonzero(data == NEWLINE))
    return ends + (1 if len(data) and data[-1] != NEWLINE else 0)


def quoted(token: bytes) -> str:
    r"""Quote a token in at most 30 characters, control characters escaped.

    Examples
    --------
    >>> print(quoted(b"3,,4"), quoted(b"a\rb"), quoted(b"\xff"), quoted(b"7" * 40))
    '3,,4' 'a\rb' b'\xff' '777777777777777777777777777777'...
    """
    start = token[: QUOTED_BYTES * 4]
    try:
        # The last character of a token that was cut off may be incomplete.
        text = codecs.getincrementaldecoder("utf-8")().decode(start, final=start == token)
    except UnicodeDecodeError:
        return f"{token[:QUOTED_BYTES]!r}{'...' if len(token) > QUOTED_BYTES else ''}"
    return f"{text[:QUOTED_BYTES]!r}{'...' if len(text) > QUOTED_BYTES else ''}"
