"""Lines of text, their tokens, and numbers written in ASCII."""

from __future__ import annotations

from collections.abc import Generator

from wordorder.text.blocks import LineBlocks, decode_block
from wordorder.text.opening import Path
from wordorder.text.sources import Source

# Sums and products of a few such numbers stay finite.
LARGEST_NUMBER = 1e100
REAL_NUMBER = f"a number, at most {LARGEST_NUMBER:g} from 0"


def read_lines(path: Path | Source) -> Generator[str, None, None]:
    r"""Read UTF-8 text line by line, without the lines' ends.

    Only ``\n`` and ``\r\n`` end a line; Unicode's other line separators are text.

    Parameters
    ----------
    path : path or "-", or an open Source

    Raises
    ------
    InputError
        If the input cannot be read or a byte is not UTF-8; the message names line and byte.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = path.write_text("one\u2028two\r\nthree\n", newline="")
    >>> list(read_lines(path))
    ['one\u2028two', 'three']
    """
    with LineBlocks(Source.of(path)) as blocks:
        while (block := blocks.take_ready()).lines:
            text = decode_block(block, blocks.name).replace("\r\n", "\n")
            yield from text.removesuffix("\n").split("\n")


def tokens(line: str) -> list[str]:
    r"""Split a line at ASCII spaces and tabs, and nowhere else.

    Examples
    --------
    >>> tokens(" New\u00a0York  is\tbig ")
    ['New\xa0York', 'is', 'big']
    """
    return [token for token in line.replace("\t", " ").split(" ") if token]


def read_number(text: str) -> float | None:
    """Read a number in ASCII; return None for other text and numbers beyond `LARGEST_NUMBER`.

    Examples
    --------
    >>> [read_number(text) for text in ("-1.5", "2e-3", "1_0", "\u0661", "nan", "1e200")]
    [-1.5, 0.002, None, None, None, None]
    """
    try:
        value = float(text)
    except ValueError:
        return None
    # float reads digits of other scripts and underscores too.
    is_strict = text.isascii() and "_" not in text
    return value if is_strict and abs(value) <= LARGEST_NUMBER else None
