"""Lines of text and the tokens in them."""

from __future__ import annotations

from collections.abc import Generator

from wordorder.counts import counted
from wordorder.errors import InputError, location
from wordorder.text.blocks import Block, LineBlocks
from wordorder.text.opening import Path


def read_lines(path: Path) -> Generator[str, None, None]:
    r"""Read UTF-8 text line by line, without the lines' ends.

    Only ``\n`` and ``\r\n`` end a line: no other character does, whatever Unicode says.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.opening.Source` takes it.

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
    with LineBlocks(path) as blocks:
        while (block := blocks.take_ready()).lines:
            text = decoded(block, blocks.name).replace("\r\n", "\n")
            yield from text.removesuffix("\n").split("\n")


def tokens(line: str) -> list[str]:
    r"""Split a line at ASCII blanks and tabs, and nowhere else.

    Examples
    --------
    >>> tokens(" New\u00a0York  is\tbig ")
    ['New\xa0York', 'is', 'big']
    """
    return [token for token in line.replace("\t", " ").split(" ") if token]


def line_count_mismatch(
    name_a: str, lines_a: int, name_b: str, lines_b: int, rows: str = "line"
) -> InputError:
    """Build the error for two files that should have a line for each sentence and do not.

    Where a sentence is more than a line, `rows` says what is counted instead.

    Examples
    --------
    >>> print(line_count_mismatch("a.orders", 20, "b.orders", 1))
    a.orders: 20 lines, but b.orders has 1; expected as many lines in both
    """
    shown = rows if lines_a == 1 else f"{rows}s"
    what = f"{lines_a} {shown}, but {name_b} has {lines_b}"
    return InputError(name_a, what, f"as many {rows}s in both")


def no_such_line(name: str, lines: int, number: int, rows: str = "line") -> InputError:
    """Build the error for the number of a line that a file does not have.

    Examples
    --------
    >>> print(no_such_line("a.txt", 1, 3))
    a.txt: 1 line; expected a number up to that, not 3
    """
    return InputError(name, counted(lines, rows), f"a number up to that, not {number}")


def decoded(block: Block, name: str) -> str:
    """Decode a block strictly; a byte that is not UTF-8 is an InputError at its line and byte."""
    data = block.data.tobytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        where = location(name, *block.place(error.start))
        raise InputError(where, f"byte 0x{data[error.start]:02x}", "UTF-8 text") from None
