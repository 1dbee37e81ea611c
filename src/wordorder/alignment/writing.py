"""Writing files of word alignments."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.arguments import require_alignments, require_path
from wordorder.alignment.formats import Writer
from wordorder.alignment.giza import Giza
from wordorder.alignment.notations import FORMATS, LINE_FORMATS
from wordorder.alignment.reading import CHUNK
from wordorder.errors import choose
from wordorder.text.opening import Path
from wordorder.text.output import write_output

Words = Sequence[Sequence[str]]


def write_alignments(
    alignments: Alignments,
    path: Path,
    *,
    format: str = "pharaoh",
    source: Words | None = None,
    target: Words | None = None,
) -> None:
    """Write word alignments to a file, whole or not at all; 0-based, but 1-based where that is so.

    Parameters
    ----------
    alignments : Alignments
        With target lengths for ``talbot``, and both lengths for ``lader``. In ``naacl``, the number
        of sentence pairs behind the last link is lost.
    path : path or "-"
        As `wordorder.text.output.write_output` takes it.
    format : {"pharaoh", "pharaoh-reversed", "talbot", "lader", "naacl", "giza"}
        The notation.
    source, target : sequence of rows of words, optional
        The sentences, which ``giza`` holds; the others do without.

    Raises
    ------
    InputError
        If the notation cannot say what a row holds.
    UsageError
        If `format` is unknown, the words are missing, or another argument is of the wrong kind.

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
    notation: Writer = FORMATS[choose("format", format, tuple(FORMATS))]
    if format == Giza.name:
        notation = Giza(source, target)
    # Where rows have a line each, some at a time: what is made of them is larger than they are.
    step = CHUNK if format in LINE_FORMATS else max(len(alignments), 1)
    with write_output(path) as stream:
        for first in range(0, len(alignments), step):
            rows = notation.rows(alignments[first : first + step])
            while some := list(islice(rows, CHUNK)):
                stream.write("".join(f"{row}\n" for row in some).encode("utf-8"))
