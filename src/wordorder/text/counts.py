"""How many tokens each line of a text has."""

from __future__ import annotations

import numpy as np

from wordorder.text.blocks import LineBlocks
from wordorder.text.closeable import Closeable
from wordorder.text.lines import decoded
from wordorder.text.opening import Path
from wordorder.types import Int64


class TokenCounter(Closeable):
    """Counts the tokens of a text's lines, some lines at a time.

    Parameters
    ----------
    path : path or "-"
        The text, tokens separated by ASCII blanks or tabs.

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
    >>> _ = path.write_bytes(b"the  cat\\n\\n sat")
    >>> with TokenCounter(path) as counter:
    ...     counter.take(10).tolist()
    [2, 0, 1]
    """

    def __init__(self, path: Path) -> None:
        self._blocks = LineBlocks(path)
        self.name = self._blocks.name
        self.lines = 0

    def close(self) -> None:
        """Close the input."""
        self._blocks.close()

    def take(self, lines: int) -> Int64:
        """Return the counts of the next `lines` lines; fewer if they are long, none at the end.

        Raises
        ------
        InputError
            If a line is not UTF-8.
        """
        block = self._blocks.take(lines)
        decoded(block, self.name)
        self.lines += block.lines
        data = block.data
        line_end = data == ord("\n")
        # A carriage return before it belongs to the end of the line.
        line_end[:-1] |= (data[:-1] == ord("\r")) & line_end[1:]
        inside = ~((data == ord(" ")) | (data == ord("\t")) | line_end)
        starts = inside.copy()
        starts[1:] &= ~inside[:-1]
        ends = np.append(np.flatnonzero(data == ord("\n")) + 1, len(data))[: block.lines]
        before = np.concatenate([[0], np.cumsum(starts, dtype=np.int64)])
        counts: Int64 = np.diff(before[np.concatenate([[0], ends])])
        return counts
