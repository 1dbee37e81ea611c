"""Orders of systems against reference orders."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from wordorder.errors import InputError, location
from wordorder.scoring.file_kind import FileKind, Inputs, Make
from wordorder.scoring.files import ALIGNER, ALIGNMENTS, NOTATION, ORDERS, TEXT, Files
from wordorder.segments import Segments
from wordorder.text.compression import without_compression
from wordorder.text.in_step import RowSource

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric


class OrderFiles(FileKind):
    """Orders, or source lines that systems reordered, against reference orders."""

    name = "orders"
    default_metrics = "frs,kendall"
    orders_alone = True

    @property
    def columns(self) -> set[str]:
        """Orders alone."""
        return {"permutation"}

    @property
    def _says_so(self) -> bool:
        """Whether the reference is called what it holds."""
        return self.files.kind == "orders" or without_compression(self.files.reference).endswith(
            ORDERS
        )

    def check(self) -> None:
        """Refuse options for translations and for alignments."""
        files = self.files
        files.check_standard_input()
        why = (
            "holds orders"
            if self._says_so
            else "is taken for orders, which these metrics read; --aligner=exact+stem, or "
            "alignments with --source, make orders of translations"
        )
        files.refuse(["multiple_roots"], "is for trees")
        files.refuse(
            [*TEXT, *ALIGNER, *ALIGNMENTS], f"is for translations, but {files.reference} {why}"
        )
        files.refuse(NOTATION, "is for alignments")

    def lacking(self, missing: set[str]) -> str:
        """Orders have no words."""
        return super().lacking(missing) or (
            f"reads translations, and {self.files.reference} is taken for orders "
            "(--input=text, if it is none)"
        )

    def hinted(self, error: InputError) -> InputError:
        """Add to an error at the very beginning of a file that it may hold text."""
        files = self.files
        if error.where in [location(path, 1, 1) for path in files.system_paths]:
            hint = "for reordered source lines, give --source"
        elif error.where == location(files.reference, 1, 1) and not self._says_so:
            hint = "for translations, give --aligner=exact+stem, or alignments with --source"
        else:
            return error
        return InputError(error.where, error.what, f"{error.expected}; {hint}")

    def open(self, metrics: Sequence[BaseMetric], stack: ExitStack) -> Inputs:
        """Open reference and systems, and the source if its words matter."""
        from wordorder.order.matching import WordIdReader
        from wordorder.order.reading import OrderReader

        files = self.files
        by_form = any(metric.match != "index" for metric in metrics)
        files.check_readings(by_form + sum(map(files.is_reordered_text, files.system_paths)))
        readers = [stack.enter_context(order_reader(path, files)) for path in files.system_paths]
        target = stack.enter_context(OrderReader(files.reference))
        words = None
        if files.source and by_form:
            words = stack.enter_context(WordIdReader(files.source))
        return order_inputs(target, readers, files.names, words)


def order_reader(path: str, files: Files) -> Any:
    """Open a system as orders, or as reordered source lines."""
    from wordorder.order.matching import MatchedTextReader
    from wordorder.order.reading import OrderReader

    if files.is_reordered_text(path):
        return MatchedTextReader(path, str(files.source))
    return OrderReader(path)


def order_inputs(
    reference: RowSource,
    systems: Sequence[RowSource],
    names: Sequence[str],
    words: RowSource | None = None,
) -> Inputs:
    """Return orders as inputs; with the numbers of source words for ``match="first-unmatched"``."""

    def segments(parts: Sequence[Any], before: int) -> list[Make]:
        target, *orders = parts
        numbers = orders.pop() if words is not None else None

        def make(name: str, system: Any) -> Segments:
            if numbers is not None:
                _check_positions(name, before, system, numbers)
            return Segments.from_orders(system, target, source=numbers)

        return [partial(make, *pair) for pair in zip(names, orders, strict=True)]

    return Inputs([reference, *systems, *([words] if words is not None else [])], names, segments)


def _check_positions(name: str, before: int, system: Any, numbers: Any) -> None:
    """Raise if a position lies beyond its source sentence; the message names the line."""
    from wordorder.order.first_unmatched import first_beyond

    fault = first_beyond(system, numbers)
    if fault is not None:
        row, position, words = fault
        raise InputError(
            location(name, before + row + 1),
            f"position {position} in a source of {words} words",
            "positions of the source; are the files in step?",
        )
