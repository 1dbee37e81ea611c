"""Reading and writing of orders: files with lines like ``2 0 3,4 1``, and rows of a caller."""

import os
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import BinaryIO, TypeAlias

import numpy as np

from wordorder.arrays import ArrowColumn, Ragged
from wordorder.errors import InputError, UsageError, location
from wordorder.kernels import call
from wordorder.kernels.text import format_orders, parse_orders
from wordorder.order.orders import MAX_POSITION, Orders, first_order_fault
from wordorder.text.blocks import TextBlock, quoted
from wordorder.text.lazy_rows import LazyRows
from wordorder.text.lockstep import until_empty
from wordorder.text.opening import Path
from wordorder.text.output import write_output
from wordorder.text.readers import LineReader

OrderRows: TypeAlias = (
    "Orders | Ragged | str | os.PathLike[str] | Iterable[Sequence[int | Sequence[int]]] "
    "| ArrowColumn"
)

# Rows that are read or written at a time, in some megabytes of text.
CHUNK_ROWS = 1 << 16

_WORD_BYTES = re.compile(rb"[^ \t\n]+")
_ASCII_DIGITS = re.compile(rb"[0-9]+")


def read_orders(path: Path) -> Orders:
    """Read a whole file of orders.

    One line per sentence: source positions in target order, 0-based, separated by spaces or tabs;
    positions that tie are joined by commas. An empty line is an order without words.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.text.sources.Source`: compressed or not; ``-`` is standard input.

    Raises
    ------
    InputError
        If a line has another form or lists a position twice; the message names line and column
        (in bytes).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.orders"
    >>> _ = path.write_text("2 0 3,4 1\\n\\n0\\n")
    >>> [str(order) for order in read_orders(path)]
    ['2 0 3,4 1', '', '0']
    """
    with OrderReader(path) as reader:
        return Orders.concatenate(list(until_empty(reader.take, CHUNK_ROWS)))


class OrderReader(LineReader):
    """Reads a file of orders some rows at a time.

    Parameters
    ----------
    path : path or "-"
        See `read_orders`.

    Attributes
    ----------
    name : str
        The name of the input in messages.
    lines : int
        The number of lines read so far.
    """

    def take(self, lines: int) -> Orders:
        """Return the orders of the next `lines` lines; fewer if they are long, none at the end.

        Raises
        ------
        InputError
            See `read_orders`.
        """
        return self.begin(lines).rows()

    def begin(self, lines: int) -> LazyRows[Orders]:
        """Return the orders of the next `lines` lines, to be parsed later."""
        block = self._blocks.take(lines)
        self.lines += block.lines
        return LazyRows(block.lines, lambda: orders_of_block(block, self.name))


def write_orders(orders: Orders, path: Path) -> None:
    """Write a file of orders atomically.

    Parameters
    ----------
    orders : Orders
    path : path or "-"
        See `wordorder.text.output.write_output`.

    Raises
    ------
    UsageError, InputError
        If the file cannot be created or written completely.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.orders"
    >>> write_orders(Orders.from_rows([[2, 0, (3, 4), 1], []]), path)
    >>> path.read_text()
    '2 0 3,4 1\\n\\n'
    """
    with write_output(path) as stream:
        write_rows(orders, stream)


def write_rows(orders: Orders, stream: BinaryIO) -> None:
    """Write orders as lines to an open stream."""
    offsets = orders.positions.offsets
    values = orders.positions.values
    # Adjacent positions differ, so as ranks they have no ties.
    ranks = values if orders.ranks is None else orders.ranks.values
    state = np.zeros(1, np.int64)
    for first in range(0, len(orders), CHUNK_ROWS):
        last = min(first + CHUNK_ROWS, len(orders))
        size = 9 * int(offsets[last] - offsets[first]) + last - first
        text = np.empty(size, np.uint8)
        call(format_orders, values, ranks, offsets, text, state, first, last)
        stream.write(text[: int(state[0])].data)


def orders_of_block(block: TextBlock, name: str) -> Orders:
    """Parse the lines of a block; `name` is the name of the input in messages."""
    data = block.data
    positions = np.empty(len(data) // 2 + 1, np.int32)
    ranks = np.empty_like(positions)
    offsets = np.zeros(block.lines + 1, np.int64)
    state = np.zeros(4, np.int64)
    call(parse_orders, data, positions, ranks, offsets, state, 0, len(data))
    count, lines, tied, invalid_byte = state.tolist()
    rows = Ragged(positions[:count], offsets[: lines + 1])
    if invalid_byte >= 0:
        raise _repeated_position_error(rows, block, name) or _invalid_group_error(
            block, invalid_byte, name
        )
    try:
        return Orders(rows, Ragged(ranks[:count], rows.offsets) if tied else None)
    except InputError as error:
        raise _repeated_position_error(rows, block, name) or error from None


def _repeated_position_error(rows: Ragged, block: TextBlock, name: str) -> InputError | None:
    """Build the error for a position that is listed twice in its row; None if there is none."""
    fault = first_order_fault(rows)
    if fault is None:
        return None
    row, entry, problem, expected = fault
    ends = np.flatnonzero(block.data == 10)
    start = int(ends[row - 1]) + 1 if row else 0
    line = block.data[start : int(ends[row]) if row < len(ends) else None].tobytes()
    number = next(islice(_ASCII_DIGITS.finditer(line), entry, None))
    error_location = location(name, block.first_line + row, number.start() + 1)
    return InputError(error_location, problem, expected)


def _invalid_group_error(block: TextBlock, byte_offset: int, name: str) -> InputError:
    """Build the error for the invalid group that starts at a byte of the block."""
    text = block.data[byte_offset:].tobytes()
    match = _WORD_BYTES.match(text)
    token = match[0] if match else b""
    if text[len(token) : len(token) + 1] == b"\n":
        token = token.removesuffix(b"\r")
    error_location = location(name, *block.place(byte_offset))
    for number in token.split(b","):
        if not number.isdigit():
            break
        if int(number[:400]) >= MAX_POSITION:
            return InputError(
                error_location, f"position {quoted(number)}", f"at most {MAX_POSITION - 1}"
            )
    expected = "positions from 0 on in ASCII digits, separated by spaces, ties joined by commas"
    return InputError(error_location, quoted(token), expected)


def orders_of_input(rows: OrderRows, name: str) -> Orders:
    """Return the orders of a file, of rows or of a column; errors name the argument."""
    if isinstance(rows, Orders):
        return rows
    if isinstance(rows, (str, os.PathLike)):
        return read_orders(rows)
    try:
        return Orders.from_rows(rows)
    except InputError as error:
        error_location = f"{name}, {error.where}" if error.where else name
        raise InputError(error_location, error.what, error.expected) from None


def input_name(rows: OrderRows, fallback: str) -> str:
    """Return the path of orders that are a file, otherwise `fallback`."""
    return os.fspath(rows) if isinstance(rows, (str, os.PathLike)) else fallback


def check_numbering(system: Orders, reference: Orders) -> None:
    """Raise a UsageError if orders of all words are compared with renumbered aligned words."""
    longer = np.flatnonzero(system.lengths > reference.lengths)
    if len(longer):
        message = f"row {int(longer[0]) + 1}: the system has words that the reference lacks"
        remedy = "unaligned='drop' keeps the positions of the source"
        raise UsageError(f"{message}: rule 'aligned' renumbers the aligned words; {remedy}")
