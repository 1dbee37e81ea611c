"""The bytes of an input: a file, standard input, or a column of a table."""

from __future__ import annotations

from collections import deque
from typing import Any

from wordorder.text.names import table_column
from wordorder.text.opening import FileSource, Path
from wordorder.text.parts import FilePart


class Source(FileSource):
    """The decompressed bytes of an input: a file, standard input or a column of a table.

    Parameters
    ----------
    path : path or "-"
        Accepted values: see `wordorder.text.opening.FileSource`. A column of a table
        (``data.parquet#reference``, ``data.jsonl#text``) is read as one cell per line.
    part : FilePart, optional
        The part of the file to read; it takes precedence over `wordorder.text.parts.reading_parts`.

    Raises
    ------
    InputError
        If the file cannot be read, or its suffix and its bytes differ in their compression.
    """

    # The content of cells, an argument of `wordorder.text.table_cells.cell_text`.
    _holding = "text"

    @classmethod
    def of(cls, path: Path | Source) -> Source:
        """Open a path; return an open input unchanged."""
        return path if isinstance(path, Source) else cls(path)

    def _open_stream(self, path: Path, part: FilePart | None) -> tuple[Any, bool]:
        """Return the stream of a path, and whether it is a regular file."""
        table = table_column(path)
        # A part of a column has the name of the column, not of its file.
        is_column = table_column(self.name) or self.name.startswith("<stdin>#")
        table = table if is_column else None
        if table is None:
            return super()._open_stream(path, part)
        from wordorder.text.table_cells import TableStream

        self._cells = True
        return TableStream(table, self.name, part, holding=self._holding), False


class LinkSource(Source):
    """The bytes of a file of alignments; a cell ``[[1, 0], [0, 1]]`` is the line ``1-0 0-1``."""

    _holding = "links"


class NameSource(Source):
    """The bytes of a file of names; a cell of a table may be an integer."""

    _holding = "names"


class PeekableInput(Source):
    r"""An input whose first bytes can be peeked at before they are read.

    Parameters
    ----------
    path : path or "-"
        Accepted values: see `Source`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.text.sniffing import input_kind
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_bytes(b"It rains .\n")
    >>> with PeekableInput(path) as source:
    ...     input_kind(source), b"".join(iter(source.read, b""))
    ('text', b'It rains .\n')
    """

    def __init__(self, path: Path) -> None:
        self._peeked: deque[bytes] = deque()
        super().__init__(path)

    def peek(self) -> bytes:
        """Return the bytes after those that were peeked at before; empty at the end.

        Raises
        ------
        InputError
            As `read`.
        """
        chunk = super().read()
        if chunk:
            self._peeked.append(chunk)
        return chunk

    def read(self) -> bytes:
        """Return the next bytes, starting with those that were peeked at; empty at the end."""
        return self._peeked.popleft() if self._peeked else super().read()
