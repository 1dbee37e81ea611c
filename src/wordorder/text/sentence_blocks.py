"""Whole sentences of a file as bytes, in blocks: an empty line ends each."""

from __future__ import annotations

import numpy as np

from wordorder.errors import InputError, location
from wordorder.text.blocks import BLOCK_BYTES, Block, LineBlocks
from wordorder.text.closeable import Closeable
from wordorder.text.opening import Path, Source
from wordorder.types import UInt8

# The longest sentence that is read, so that memory stays bounded: more than a million words, and
# not many more lines, each of which takes many times the two bytes of a shortest comment.
MAX_SENTENCE_BYTES = 1 << 26
MAX_SENTENCE_LINES = 1 << 22
_NEWLINE = 10
_RETURN = 13


class SentenceBlocks(Closeable):
    r"""Reads an input in blocks of whole sentences.

    Parameters
    ----------
    path : path, "-" or Source
        As `wordorder.text.opening.Source` takes it, or one that is open.

    Attributes
    ----------
    sentences : int
        How many have been given.

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
    >>> with SentenceBlocks(path) as blocks:
    ...     [(b.first_line, b.data.tobytes()) for b in (blocks.take(2), blocks.take(2))]
    [(1, b'one\ntwo\n\nthree\n\n'), (6, b'four')]
    """

    def __init__(self, path: Path | Source) -> None:
        self._blocks = LineBlocks(path)
        self.name = self._blocks.name
        self.sentences = 0
        self._chunk = np.zeros(0, np.uint8)
        self._start = 0
        # Where the sentences of the chunk end, and which of these ends is the next.
        self._ends = np.zeros(0, np.int64)
        self._next = 0
        # Whether lines of a sentence precede the next chunk.
        self._open = False
        # Lines of the chunk behind its last sentence, without empty ones.
        self._rest = 0
        self._line = self._blocks.before + 1

    def take(self, sentences: int, *, prompt: bool = False) -> Block:
        """Return the next `sentences` sentences: fewer at the end, or if they are long; then none.

        With `prompt` also fewer, but at least one, where more would have to be waited for.

        A block ends early when it has reached `BLOCK_BYTES`, so that memory stays bounded
        whatever the sentences hold.
        """
        parts: list[UInt8] = []
        missing, size, unfinished, rest = sentences, 0, 0, 0
        while missing > 0:
            ready = len(self._ends) - self._next
            if ready:
                given = min(ready, missing)
                if size >= BLOCK_BYTES and unfinished:
                    given = 1
                self._next += given
                self.sentences += given
                missing -= given
                stop = int(self._ends[self._next - 1])
                parts.append(self._chunk[self._start : stop])
                size += stop - self._start
                self._start = stop
                unfinished = rest = 0
            if missing == 0 or (size >= BLOCK_BYTES and not unfinished):
                break
            if prompt and missing < sentences and not unfinished and self._blocks.waits():
                break
            parts.append(self._chunk[self._start :])
            size += len(parts[-1])
            unfinished += len(parts[-1])
            rest += self._rest
            if unfinished > MAX_SENTENCE_BYTES or rest > MAX_SENTENCE_LINES:
                lines = sum(int(np.count_nonzero(part == _NEWLINE)) for part in parts)
                most = (
                    f"{MAX_SENTENCE_LINES} lines"
                    if rest > MAX_SENTENCE_LINES
                    else f"{MAX_SENTENCE_BYTES} bytes"
                )
                raise InputError(
                    location(self.name, self._line + lines),
                    f"a sentence of more than {most}",
                    "an empty line after each sentence",
                )
            if not self._load():
                self.sentences += rest > 0
                break
        parts = [part for part in parts if len(part)]
        data = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.uint8), *parts])
        block = Block(data, _lines(data), self._line)
        self._line += block.lines
        return block

    def close(self) -> None:
        """Close the input."""
        self._blocks.close()

    def _load(self) -> bool:
        """Replace the chunk, all of which has been given out, by the next; False at the end."""
        self._chunk = self._blocks.take_ready().data
        self._start = 0
        self._next = 0
        stops = np.flatnonzero(self._chunk == _NEWLINE) + 1
        if len(self._chunk) and (not len(stops) or stops[-1] < len(self._chunk)):
            stops = np.append(stops, len(self._chunk))
        lengths = np.diff(stops, prepend=0)
        returns = lengths == 2
        returns[returns] = self._chunk[stops[returns] - 2] == _RETURN
        newline = self._chunk[stops - 1] == _NEWLINE
        empty = newline & ((lengths == 1) | returns)
        filled = ~empty
        before = np.concatenate([[self._open], filled[:-1]]) if len(filled) else filled
        ends = np.flatnonzero(empty & before)
        self._ends = stops[ends]
        self._rest = int(np.count_nonzero(filled[ends[-1] if len(ends) else 0 :]))
        if len(filled):
            self._open = bool(filled[-1])
        return bool(len(self._chunk))


def _lines(data: UInt8) -> int:
    """Count lines; the last may lack its end."""
    ends = int(np.count_nonzero(data == _NEWLINE))
    return ends + (1 if len(data) and data[-1] != _NEWLINE else 0)
