"""Writing files of word alignments."""

from __future__ import annotations

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import CHUNK, FORMATS
from wordorder.errors import choose
from wordorder.text.opening import Path
from wordorder.text.output import write_output


def write_alignments(alignments: Alignments, path: Path, *, format: str = "pharaoh") -> None:
    """Write word alignments to a file, 0-based, whole or not at all.

    Parameters
    ----------
    alignments : Alignments
        With target lengths for ``talbot``.
    path : path or "-"
        As `wordorder.text.output.write_output` takes it.
    format : {"pharaoh", "talbot"}
        The notation.

    Raises
    ------
    InputError
        If the notation cannot say what a row holds.
    UsageError
        If `format` is unknown.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sample.align")
    >>> write_alignments(Alignments.from_rows([[(0, 1), (1, 0, True)], []]), path)
    >>> path.read_text()
    '0-1 1p0\\n\\n'
    """
    notation = FORMATS[choose("format", format, tuple(FORMATS))]
    with write_output(path) as stream:
        for first in range(0, len(alignments), CHUNK):
            rows = notation.rows(alignments[first : first + CHUNK])
            stream.write("".join(f"{row}\n" for row in rows).encode("ascii"))
