"""Reference orders of a file, whatever it holds, read in step with the sentences."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from wordorder.alignment.reading import AlignmentReader
from wordorder.counts import counted
from wordorder.errors import InputError, UsageError, choose, location
from wordorder.order.orders import Orders
from wordorder.order.reading import OrderReader
from wordorder.order.reference import reference_orders
from wordorder.scoring.files import ALIGNED
from wordorder.text.closeable import Closeable
from wordorder.text.compression import without_compression
from wordorder.text.opening import Path, display_name
from wordorder.types import Int64

KINDS = ("auto", "orders", "alignments")


@dataclass(frozen=True)
class ReferenceFile:
    """A file of reference orders, or of alignments of which they are made.

    Attributes
    ----------
    path : path or "-"
    kind : {"auto", "orders", "alignments"}
        ``auto``: alignments in ``.align`` and ``.talbot`` files, orders in others.
    rule, unaligned, links : str, optional
        How alignments become orders, as `wordorder.reference_orders` takes them; ``talbot`` and
        all links unless given.
    alignment_format, one_based, strict
        How alignments are read, as in `read_alignments`.

    Raises
    ------
    UsageError
        If `kind` has no such value, or an option is for alignments and the file holds orders.
    """

    path: Path
    kind: str = "auto"
    rule: str | None = None
    unaligned: str | None = None
    links: str | None = None
    alignment_format: str = "auto"
    one_based: bool = False
    strict: bool = False

    def __post_init__(self) -> None:
        choose("input", self.kind, KINDS)
        if self.holds_alignments:
            if self.rule == "aligned":
                raise UsageError(
                    "--rule=aligned renumbers the aligned words, so orders of all words do not "
                    "fit; --rule=lrscore --unaligned=drop keeps the numbers of the source"
                )
            return
        for field in fields(self):
            if field.name not in ("path", "kind") and getattr(self, field.name) != field.default:
                raise UsageError(
                    f"--{field.name.replace('_', '-')} is for alignments, but {self.name} is read "
                    "as orders (if it holds alignments: --input=alignments)"
                )

    @property
    def name(self) -> str:
        """What messages call the file."""
        return display_name(self.path)

    @property
    def holds_alignments(self) -> bool:
        """Whether it holds alignments, not orders."""
        if self.kind != "auto":
            return self.kind == "alignments"
        return without_compression(str(self.path)).endswith(ALIGNED)

    def settings(self) -> dict[str, Any]:
        """Return how the orders come about, as JSON can hold it."""
        chosen = {name: getattr(self, name) for name in ("kind", "rule", "unaligned", "links")}
        return chosen | {"one_based": self.one_based, "format": self.alignment_format}


class ReferenceReader(Closeable):
    """Reads the reference orders of sentences, some at a time.

    Parameters
    ----------
    file : ReferenceFile
    source : str
        What messages call the file of the sentences.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.align")
    >>> _ = path.write_text("0-1 1-0\\n")
    >>> with ReferenceReader(ReferenceFile(path), "a.txt") as reader:
    ...     orders = reader.take(np.array([2]))
    >>> str(orders[0])
    '1 0'
    """

    def __init__(self, file: ReferenceFile, source: str) -> None:
        self.file = file
        self.source = source
        self._reader: AlignmentReader | OrderReader
        if file.holds_alignments:
            self._reader = AlignmentReader(
                file.path,
                format=file.alignment_format,
                format_option="--alignment-format",
                one_based=file.one_based,
                strict=file.strict,
                source_name=source,
            )
        else:
            self._reader = OrderReader(file.path)

    def take(self, lengths: Int64) -> Orders:
        """Return the orders of the next sentences.

        Parameters
        ----------
        lengths : int64[S]
            How many words they have.

        Raises
        ------
        InputError
            If the file is wrong, has no more rows, or a position lies beyond its sentence.
        """
        parts: list[Orders] = []
        there = 0
        while there < len(lengths):
            part = self._some(lengths[there:])
            if not len(part):
                what = f"{counted(self._reader.lines, 'row')}, but {self.source} has more sentences"
                raise InputError(self.file.name, what, "one row a sentence")
            self._check(part, lengths[there : there + len(part)])
            parts.append(part)
            there += len(part)
        return Orders.concatenate(parts)

    def finish(self) -> None:
        """Check that there are no more rows.

        Raises
        ------
        InputError
            If there are.
        """
        read = self._reader.lines
        if len(self._reader.take(1)):
            what = f"more rows than the {counted(read, 'sentence')} of {self.source}"
            raise InputError(self.file.name, what, "one row a sentence")

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def _check(self, orders: Orders, lengths: Int64) -> None:
        """Refuse positions beyond their sentence in the rows read last."""
        beyond = np.flatnonzero(orders.positions.values >= np.repeat(lengths, orders.lengths))
        if len(beyond):
            at = int(beyond[0])
            row = int(np.searchsorted(orders.positions.offsets, at, side="right")) - 1
            line = self._reader.lines - len(orders) + row + 1
            words = counted(int(lengths[row]), "word")
            what = f"position {orders.positions.values[at]}, but the sentence has {words}"
            expected = f"the words of {self.source} in the same order"
            raise InputError(location(self.file.name, line), what, expected)

    def _some(self, lengths: Int64) -> Orders:
        """Return the orders of the first of some sentences."""
        if isinstance(self._reader, OrderReader):
            return self._reader.take(len(lengths))
        rows = self._reader.take(len(lengths), source_lengths=lengths)
        if not len(rows):
            return Orders.from_rows([])
        return reference_orders(
            rows,
            np.asarray(lengths[: len(rows)]),
            rule=self.file.rule or "talbot",
            unaligned=self.file.unaligned,
            links=self.file.links or "all",
        )
