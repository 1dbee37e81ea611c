"""Lines counted by the workers, where files are so large that the driver alone would be slow."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence

from wordorder._version import __version__
from wordorder.errors import InputError
from wordorder.scale.line_index import LineIndex, newlines_of
from wordorder.scale.span import Span
from wordorder.text.compression import CHUNK, kind_of_name
from wordorder.text.table_names import file_of, table_column

# From so many bytes of plain text on: the driver alone would take some seconds.
MANY_BYTES = 1 << 32
# What a worker counts at a time.
PIECE_BYTES = 256 * CHUNK

# Has spans done, and returns what came of them in their order.
GiveOut = Callable[[Sequence[Span]], Sequence[bytes]]


def counted_lines(paths: Iterable[str], give_out: GiveOut) -> dict[str, LineIndex]:
    """Have workers count the lines of files of plain text.

    Parameters
    ----------
    paths : iterable of str
    give_out : callable

    Returns
    -------
    mapping of path to LineIndex
        Of those that are plain text; of none if all together are not large.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    plain = {path: os.path.abspath(file_of(path)) for path in paths if _is_plain(path)}
    sizes = {full: _size(path) for path, full in plain.items()}
    if sum(sizes.values()) < MANY_BYTES:
        return {}
    spans = [
        Span(
            {"verb": "count", "version": __version__, "path": path, "offset": offset},
            0,
            0,
            files={path: (size, os.stat(path).st_mtime_ns)},
        )
        for path, size in sizes.items()
        for offset in range(0, size, PIECE_BYTES)
    ]
    counts: dict[str, list[int]] = {path: [] for path in sizes}
    for span, result in zip(spans, give_out(spans), strict=True):
        counts[span.task["path"]] += json.loads(result)["newlines"]
    return {
        path: LineIndex.of_counts(file_of(path), counts[full], sizes[full])
        for path, full in plain.items()
    }


def count_span(span: Span) -> bytes:
    """Count the line ends of a piece of a file: a number for each `CHUNK` bytes, as JSON."""
    found = list(newlines_of(span.task["path"], span.task["offset"], PIECE_BYTES))
    return json.dumps({"newlines": found}, separators=(",", ":")).encode()


def _is_plain(path: str) -> bool:
    table = table_column(path)
    return kind_of_name(file_of(path)) is None and not (table is not None and table.parquet)


def _size(path: str) -> int:
    try:
        return os.stat(file_of(path)).st_size
    except OSError as error:
        raise InputError(file_of(path), error.strerror or str(error), "a file to read") from None
