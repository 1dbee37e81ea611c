"""Inputs as bytes: files, standard input, columns of tables; what kind they are."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

from wordorder.text.names import table_column
from wordorder.text.opening import BOM, FileSource, Part, Path

# How much is read ahead where comments never end.
MOST_BYTES = 1 << 20

# A line that is longer than this is no word of a treebank, unless it begins like one.
LONG_LINE = 1 << 14

# A file of so many columns wants to be a treebank; whether it is a good one, its reader says.
LEAST_COLUMNS = 8


_FIRST_ID = re.compile(rb"1|1-[0-9]+|0\.1")


class Source(FileSource):
    """The bytes of an input, decompressed: of a file, of standard input or of a table's column.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.opening.FileSource` takes it. Of a table (``data.parquet#reference``,
        ``data.jsonl#text``) the cells of a column, one a line.
    part : Part, optional
        Which part of the file is read, whatever `wordorder.text.opening.reading_parts` says.

    Raises
    ------
    InputError
        If the file cannot be read, or its suffix says something else than its bytes.
    """

    @classmethod
    def of(cls, path: Path | Source) -> Source:
        """Open a path; an open input is returned as it is."""
        return path if isinstance(path, Source) else cls(path)

    def _opened(self, path: Path, part: Part | None) -> tuple[Any, bool]:
        """Return the stream of a path, and whether it is a regular file."""
        table = table_column(path) if table_column(self.name) is not None else None
        if table is None:
            return super()._opened(path, part)
        from wordorder.text.table_cells import TableStream

        self._cells = True
        return TableStream(table, self.name, part), False


class PeekableInput(Source):
    r"""An input whose first bytes can be seen before they are read.

    Parameters
    ----------
    path : path or "-"
        As `Source` takes it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_bytes(b"It rains .\n")
    >>> with PeekableInput(path) as source:
    ...     input_kind(source), b"".join(iter(source.read, b""))
    ('text', b'It rains .\n')
    """

    def __init__(self, path: Path) -> None:
        self._seen: deque[bytes] = deque()
        super().__init__(path)

    def peek(self) -> bytes:
        """Return the bytes after those that were seen before; none at the end.

        Raises
        ------
        InputError
            As `read`.
        """
        found = super().read()
        if found:
            self._seen.append(found)
        return found

    def read(self) -> bytes:
        """Return the next bytes, first those that were seen; none at the end."""
        return self._seen.popleft() if self._seen else super().read()


def input_kind(source: PeekableInput) -> str:
    """Return what an input is by its first line that is neither empty nor a comment.

    Returns
    -------
    str
        ``"conllu"`` where the line has columns between tabs and begins with the ID of a first
        word, ``"text"`` otherwise.
    """
    rest = b""
    seen = 0
    while seen < MOST_BYTES:
        more = source.peek()
        if not seen:
            more = more.removeprefix(BOM)
        seen += len(more)
        *lines, rest = (rest + more).split(b"\n")
        if not more or len(rest) > LONG_LINE:
            lines.append(rest)
        for line in lines:
            if line.startswith(b"#"):
                # Lines that end with a carriage return alone: the reader says what is wrong.
                if any(map(_is_first_word, line.split(b"\r"))):
                    return "conllu"
            elif line.strip():
                return "conllu" if _is_first_word(line) else "text"
        if not more:
            break
    return "text"


def _is_first_word(line: bytes) -> bool:
    """Whether a line looks like the first word of a sentence in a treebank."""
    fields = line.split(b"\t")
    return len(fields) >= LEAST_COLUMNS and bool(_FIRST_ID.fullmatch(fields[0]))
