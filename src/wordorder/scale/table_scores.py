"""TableScores: scores of rows that are columns of tables already, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.contract import Score, left_out
from wordorder.scale.partial_scores import PartialScores, PartialSystem
from wordorder.scale.scored_spans import merge
from wordorder.scoring.named_metrics import make_metrics
from wordorder.segments import Segments

# What `TableScores.in_arrow` yields, as Spark writes a schema.
SCHEMA = "part binary"
_KINDS = ("orders", "text")


@dataclass(frozen=True)
class TableScores:
    """Scores systems that are columns of a table against a reference in another column.

    It is small and plain: any engine sends it to its workers, has them score the batches that they
    hold, and merges what comes of them.

    Parameters
    ----------
    metrics : str
        Names separated by commas, as `wordorder.scoring.score` takes them.
    reference : str
        The column of the reference.
    systems : tuple of str
        The columns of the systems.
    kind : "orders" or "text"
        Lists of positions, or translations.
    options : mapping
        For text: what `Segments.from_text` takes: ``{"tokenizer": "13a", "aligner": "exact"}``.

    Raises
    ------
    UsageError
        If there is no system or no such kind.

    Examples
    --------
    >>> import pyarrow
    >>> table = pyarrow.table({"ref": [[0, 1, 2], [0, 1]], "sys": [[1, 0, 2], [0, 1]]})
    >>> frs = TableScores("frs", "ref", ("sys",))
    >>> parts = [frs.work([batch]) for batch in table.to_batches(max_chunksize=1)]
    >>> frs.scores(parts)["sys"][0].value
    0.5
    """

    metrics: str
    reference: str
    systems: tuple[str, ...]
    kind: str = "orders"
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choose("kind", self.kind, _KINDS)
        if not self.systems or isinstance(self.systems, str):
            raise UsageError("systems is a tuple of names of columns, at least one")

    def work(self, batches: Iterable[Any]) -> bytes:
        """Score batches of rows.

        Parameters
        ----------
        batches : iterable
            Each has the columns under their names: record batches or tables of pyarrow, frames of
            Polars or pandas, mappings of names to lists.

        Returns
        -------
        bytes
            For `scores`, or `wordorder.scale.merge`.

        Raises
        ------
        InputError
            If a row is wrong or null.
        UsageError
            If a metric cannot be had, or reads what there is not.
        """
        metrics = make_metrics(self.metrics, (), set())
        found = PartialScores(
            [PartialSystem(name, [Accumulator(each) for each in metrics]) for name in self.systems]
        )
        for batch in batches:
            missing: Any = False
            for system in found.systems:
                segments = self._segments(batch, system.name)
                for accumulator in system.accumulators:
                    missing = missing | left_out(accumulator.update(segments))
                system.dropped_words += segments.dropped_words
                system.one_word += segments.one_word
            found.segments += len(segments)
            found.skipped += int(np.count_nonzero(missing))
        return found.to_bytes()

    def in_arrow(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Score record batches as Spark's ``mapInArrow`` gives them; one row comes of them all.

        ``frame.mapInArrow(scores.in_arrow, SCHEMA)``
        """
        import pyarrow

        yield pyarrow.RecordBatch.from_pydict({"part": [self.work(batches)]})

    def scores(self, parts: Iterable[bytes]) -> dict[str, tuple[Score, ...]]:
        """Return the scores of each system, one a metric, of what `work` made of all batches."""
        merged = PartialScores.from_bytes(merge(parts))
        return {each.name: each.scores for each in merged.evaluation().systems}

    def _segments(self, batch: Any, system: str) -> Segments:
        columns = batch[system], batch[self.reference]
        if self.kind == "orders":
            return Segments.from_orders(*columns)
        return Segments.from_text(*columns, **self.options)
