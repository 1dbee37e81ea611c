"""Reading a text some lines at a time."""

from __future__ import annotations

from wordorder.text.blocks import LineBlocks
from wordorder.text.closeable import Closeable
from wordorder.text.later import Later
from wordorder.text.lines import decoded
from wordorder.text.opening import Path, Source
from wordorder.text.raw_lines import RawLines


class TextReader(Closeable):
    r"""Reads a file of text as lines of bytes.

    Parameters
    ----------
    path : path, "-" or Source
        As `wordorder.text.opening.Source` takes it: compressed or not, ``-`` is standard input.

    Attributes
    ----------
    name : str
        What messages call the input.
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

    def __init__(self, path: Path | Source) -> None:
        self._blocks = LineBlocks(path)
        self.name = self._blocks.name
        self.lines = 0

    def take(self, lines: int, *, prompt: bool = False) -> RawLines:
        """Return up to `lines` further lines; fewer if they are long, none at the end.

        With `prompt` also fewer, but at least one, where more would have to be waited for.

        Raises
        ------
        InputError
            If the input cannot be read or a byte is not UTF-8; the message names line and byte.
        """
        return self.begin(lines, prompt=prompt).rows()

    def begin(self, lines: int, *, prompt: bool = False) -> Later[RawLines]:
        """Return up to `lines` further lines, as `take` does, to be checked later."""
        block = self._blocks.take(lines, prompt=prompt)
        self.lines += block.lines

        def checked() -> RawLines:
            # ASCII, which a look at the largest byte shows, needs no decoding.
            if block.data.max(initial=0) >= 0x80:
                decoded(block, self.name)
            return RawLines.from_bytes(block.data, block.newlines)

        return Later(block.lines, checked)

    def close(self) -> None:
        """Close the input."""
        self._blocks.close()
