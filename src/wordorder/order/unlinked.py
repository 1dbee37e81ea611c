"""Words without a link in reference orders: their file, and other treatments of these words."""

from __future__ import annotations

import os
import re
import zlib
from dataclasses import dataclass
from typing import BinaryIO, cast

import numpy as np

from wordorder.arrays import Bool, Int64, Ragged, concat_ranges, row_and_entry, row_offsets
from wordorder.errors import InputError, location
from wordorder.messages import percent
from wordorder.notes import note
from wordorder.options import UNALIGNED
from wordorder.order.orders import Orders
from wordorder.order.reading import OrderReader, write_rows
from wordorder.order.reference import ALLOWED_UNALIGNED, DEFAULT_UNALIGNED, orders_by_keys
from wordorder.text.lockstep import length_mismatch, take_exactly
from wordorder.text.names import read_only_once, unlinked_paths
from wordorder.text.opening import Path, display_name
from wordorder.text.sources import Source

# Rules under which the order of linked words does not depend on the other words.
MOVABLE = ("talbot", "lrscore")

# The last line of a file is within this number of bytes.
_LAST_LINE_BYTES = 400

_LAST_LINE_KEYS = "rule unaligned links sentences words unlinked orders-crc32 lines-crc32".split()
_LAST_LINE_VALUES = (*["([a-z0-9.-]+)"] * 3, *["([0-9]{1,18})"] * 3, *["([0-9a-f]{8})"] * 2)
_LAST_LINE = re.compile(
    "".join(
        f" {key}={value}" for key, value in zip(_LAST_LINE_KEYS, _LAST_LINE_VALUES, strict=True)
    )
    + "\n$"
)


@dataclass(frozen=True)
class UnlinkedWords:
    """The treatment of words without a link in a file of orders, stored in a second file.

    Attributes
    ----------
    path : str
        The second file: one line per sentence with the positions of words without a link; the last
        line has the other attributes.
    rule, unaligned, links : str
        See `wordorder.order.reference.reference_orders`.
    sentences, words, unlinked : int
        The number of sentences, of words, and of words without a link.
    """

    path: str
    rule: str
    unaligned: str
    links: str
    sentences: int
    words: int
    unlinked: int

    @classmethod
    def read_for(cls, orders: Path) -> UnlinkedWords | None:
        """Read the file of unlinked words of a file of orders; None if it does not exist.

        Parameters
        ----------
        orders : path

        Warns
        -----
        note
            If the file belongs to other orders or was changed; it is then not used.
        """
        if read_only_once(os.fspath(orders)):
            return None
        paths = list(filter(os.path.isfile, unlinked_paths(orders)))
        for path in paths:
            if unlinked := cls._read(path, orders):
                return unlinked
        if paths:
            note(
                f"{paths[0]} is left out: it was changed, or is of other orders than "
                f"{display_name(orders)} (`wordorder reference -o` writes both)"
            )
        return None

    @classmethod
    def _read(cls, path: str, orders: Path) -> UnlinkedWords | None:
        """Read a file of unlinked words; None if it belongs to other orders or was changed."""
        with open(path, "rb") as stream:
            stream.seek(max(0, os.path.getsize(path) - _LAST_LINE_BYTES))
            last_line = stream.read()
        last_line = last_line[last_line.rfind(b"\n", 0, -1) + 1 :]
        match = _LAST_LINE.search(last_line.decode(errors="replace"))
        if match is None:
            return None
        rule, unaligned, links, *counts, orders_checksum, lines_checksum = match.groups()
        lines = os.path.getsize(path) - len(last_line)
        if (
            (rule not in DEFAULT_UNALIGNED or unaligned not in UNALIGNED)
            or int(lines_checksum, 16) != _checksum(path, lines)
            or int(orders_checksum, 16) != _checksum(orders)
        ):
            return None
        return cls(path, rule, unaligned, links, *map(int, counts))

    @property
    def share(self) -> float:
        """The share of words without a link."""
        return self.unlinked / max(1, self.words)

    @property
    def provenance(self) -> tuple[tuple[str, str], ...]:
        """The provenance of the orders, as in `reference_orders`."""
        links = () if self.links == "all" else (("links", self.links),)
        return (("rule", self.rule), ("null", self.unaligned), *links)

    @property
    def other_treatments(self) -> tuple[str, ...]:
        """The other treatments of these words that can be derived from the orders."""
        if self.rule not in MOVABLE:
            return ()
        return tuple(
            choice
            for choice in ALLOWED_UNALIGNED.get(self.rule, UNALIGNED)
            if choice != self.unaligned
        )

    def rows(self, lengths: Int64) -> Ragged:
        """Return the positions of the words without a link in sentences of these lengths.

        Raises
        ------
        InputError
            If the file has other sentences.
        """
        with OrderReader(self.path) as reader:
            row_positions = take_exactly(
                lambda _, missing: reader.take(missing), len(lengths), Orders.concatenate
            )
        if row_positions is None or self.sentences != len(lengths):
            raise InputError(self.path, f"{self.sentences} sentences", f"{len(lengths)}")
        beyond = np.flatnonzero(
            row_positions.positions.values >= np.repeat(lengths, row_positions.lengths)
        )
        if len(beyond):
            row, _ = row_and_entry(row_positions.positions.offsets, int(beyond[0]))
            problem = f"position {row_positions.positions.values[beyond[0]]}"
            error_location = location(self.path, row + 1)
            raise InputError(error_location, problem, f"positions below {lengths[row]}")
        return row_positions.positions

    def __str__(self) -> str:
        return f"{percent(self.unlinked, self.words)} of the words"


class UnlinkedWriter:
    """Writes the file of unlinked words along with the orders, some sentences at a time.

    Parameters
    ----------
    stream : binary file
    rule, unaligned, links : str
        See `wordorder.order.reference.reference_orders`.
    """

    def __init__(self, stream: BinaryIO, rule: str, unaligned: str, links: str) -> None:
        self._lines = _ChecksumStream(stream)
        self._orders: _ChecksumStream | None = None
        self._how = rule, unaligned, links
        self._counts = np.zeros(3, np.int64)

    def add(self, unlinked: Ragged, words: int) -> None:
        """Write the words without a link of the next sentences, which have `words` words."""
        write_rows(Orders(unlinked), cast(BinaryIO, self._lines))
        self._counts += len(unlinked), words, len(unlinked.values)

    def watching(self, orders: BinaryIO) -> BinaryIO:
        """Return a stream that writes to `orders` and computes the checksum of the bytes."""
        self._orders = _ChecksumStream(orders)
        return cast(BinaryIO, self._orders)

    def finish(self) -> None:
        """Write the last line."""
        assert self._orders is not None
        checksums = (f"{part.checksum:08x}" for part in (self._orders, self._lines))
        values = (*self._how, *self._counts.tolist(), *checksums)
        pairs = "".join(
            f" {key}={value}" for key, value in zip(_LAST_LINE_KEYS, values, strict=True)
        )
        self._lines.write(f"# words without a link:{pairs}\n".encode())


class _ChecksumStream:
    """A stream that computes the CRC-32 of the bytes written."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.checksum = 0

    def write(self, data: bytes) -> int:
        """Write bytes."""
        self.checksum = zlib.crc32(data, self.checksum)
        return self._stream.write(data)


def unlinked_rows(linked: Bool, lengths: Int64) -> Ragged:
    """Return the positions of the words without a link in their sentences.

    Examples
    --------
    >>> unlinked_rows(np.array([True, False, False, True]), np.array([3, 1])).to_lists()
    [[1, 2], []]
    """
    positions = concat_ranges(0, lengths).astype(np.int32)
    return Ragged(positions[~linked], row_offsets(~linked)[row_offsets(lengths)])


def moved_orders(orders: Orders, unlinked: Ragged, rule: str, unaligned: str) -> Orders:
    """Return reference orders with another treatment of the words without a link.

    Parameters
    ----------
    orders : Orders, S rows
        The orders under `rule`, with any treatment of these words.
    unlinked : Ragged, S rows
        The positions of the words without a link in each sentence.
    rule : {"talbot", "lrscore"}
    unaligned : str
        The treatment, see `wordorder.order.reference.reference_orders`.

    Examples
    --------
    The links of "a b c d" are b-1 and d-0.

    >>> orders, unlinked = Orders.from_rows([[2, 3, 0, 1]]), Ragged.from_rows([[0, 2]])
    >>> for unaligned in ("next", "previous", "drop"):
    ...     print(moved_orders(orders, unlinked, "talbot", unaligned)[0])
    2 3 0 1
    0 3 1 2
    3 1
    """
    words = orders.positions
    # The lengths of sentences: words of the order, and words that it dropped.
    lengths = np.zeros(len(words), np.int64)
    row_of = np.repeat(np.arange(len(words)), words.lengths)
    row_of_unlinked = np.repeat(np.arange(len(unlinked)), unlinked.lengths)
    np.maximum.at(lengths, row_of, words.values + 1)
    np.maximum.at(lengths, row_of_unlinked, unlinked.values + 1)
    offsets = row_offsets(lengths)
    keys = np.full(int(offsets[-1]), -1, np.int32)
    ranks = concat_ranges(0, words.lengths) if orders.ranks is None else orders.ranks.values
    keys[offsets[row_of] + words.values] = ranks
    keys[offsets[row_of_unlinked] + unlinked.values] = -1
    return orders_by_keys(keys, offsets, rule, unaligned, (("rule", rule), ("null", unaligned)))


class MovedOrderReader:
    """Reads reference orders with another treatment of the words without a link.

    Parameters
    ----------
    orders, unlinked : OrderReader
        Open readers at their first line.
    rule, unaligned : str
        See `moved_orders`.
    """

    def __init__(
        self, orders: OrderReader, unlinked: OrderReader, rule: str, unaligned: str
    ) -> None:
        self._orders, self._unlinked = orders, unlinked
        self._rule, self._unaligned = rule, unaligned
        self.name = orders.name

    @property
    def lines(self) -> int:
        """Lines read so far."""
        return self._orders.lines

    def take(self, lines: int) -> Orders:
        """Return the orders of the next `lines` lines; fewer if they are long, none at the end."""
        orders = self._orders.take(lines)
        if not len(orders):
            return orders
        unlinked = take_exactly(
            lambda _, missing: self._unlinked.take(missing), len(orders), Orders.concatenate
        )
        if unlinked is None:
            raise length_mismatch([self._orders, self._unlinked])
        return moved_orders(orders, unlinked.positions, self._rule, self._unaligned)


def _checksum(path: Path, size: int | None = None) -> int:
    """Return the CRC-32 of a file, decompressed, or of its first `size` bytes."""
    checksum = 0
    with Source(path) as source:
        while (size is None or size > 0) and (data := source.read()):
            checksum = zlib.crc32(data[:size], checksum)
            size = None if size is None else size - len(data)
    return checksum
