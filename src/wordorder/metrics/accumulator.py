"""Scores that grow: for corpora in pieces and for training loops."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics.contract import (
    Metric,
    Score,
    completed,
    left_out,
    statistics_in_pieces,
    statistics_width,
)
from wordorder.metrics.name_and_options import name_and_options
from wordorder.metrics.partial_result import (
    decoded,
    encoded,
    read_count,
    read_metric,
    read_provenance,
    read_sums,
)
from wordorder.segments import Segments
from wordorder.segments.columns import Provenance
from wordorder.segments.given_orders import Rows
from wordorder.segments.joining import one_provenance
from wordorder.signature import Signature
from wordorder.statistics.exact_sum import ExactSum
from wordorder.types import Float64

if TYPE_CHECKING:
    from typing_extensions import Self


class Accumulator:
    """Adds up a metric's statistics, piece by piece.

    Parameters
    ----------
    metric : Metric

    Notes
    -----
    Sums are exact: any cutting of a corpus into pieces, in any order, gives the same score to the
    last digit. Memory does not grow.

    Examples
    --------
    >>> from wordorder.metrics import metric
    >>> running = Accumulator(metric("frs"))
    >>> _ = running.update([[1, 0, 2]], [[0, 1, 2]])
    >>> _ = running.update([[0, 1, 2]], [[0, 1, 2]])
    >>> running.compute().value
    0.5
    >>> running.reset()
    >>> running.compute().segments
    0
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = completed(metric)
        self._signature: Signature | None = None
        self.reset()

    @property
    def signature(self) -> Signature:
        """The metric's signature: only accumulators with the same one can be merged."""
        if self._signature is None:
            self._signature = self.metric.signature()
        return self._signature

    def reset(self) -> None:
        """Forget everything."""
        self._sum: ExactSum | None = None
        self._segments = 0
        self._skipped = 0
        self._provenance: Provenance | None = None

    def update(self, system: Segments | Rows, reference: Rows | None = None) -> Float64:
        """Add segments, relative permutations, or the orders of a system and of a reference.

        Returns
        -------
        float64[S, k]
            The statistics that were added.

        Raises
        ------
        UsageError
            If the references came about in another way than earlier ones: no signature could say
            how.
        InputError
            If the orders are wrong, as in `Segments`.
        """
        if isinstance(system, Segments):
            if reference is not None:
                raise UsageError("segments have their references already")
            segments = system
        elif reference is None:
            segments = Segments.from_permutations(system)  # type: ignore[arg-type]
        else:
            segments = Segments.from_orders(system, reference)
        statistics = statistics_in_pieces(self.metric, segments)
        self.add(segments, statistics)
        return statistics

    def add(self, segments: Segments, statistics: Float64) -> None:
        """Add segments whose statistics under the metric are known already."""
        if len(segments):
            known = [] if self._provenance is None else [self._provenance]
            described = segments.described(self.metric.columns)
            self._provenance = one_provenance([*known, described])
        if self._sum is None:
            self._sum = ExactSum(statistics.shape[1])
        self._sum.add(statistics)
        self._segments += len(segments)
        self._skipped += int(np.count_nonzero(left_out(statistics)))

    def merge(self, other: Accumulator) -> None:
        """Add all that `other` has added; `other` stays as it is.

        Raises
        ------
        UsageError
            If the two have different signatures, or their references came about in different ways;
            nothing is added then.

        Examples
        --------
        >>> from wordorder.metrics import metric
        >>> first, second = Accumulator(metric("frs")), Accumulator(metric("frs"))
        >>> _ = first.update([[1, 0, 2]], [[0, 1, 2]])
        >>> _ = second.update([[0, 1, 2]], [[0, 1, 2]])
        >>> first.merge(second)
        >>> first.compute().value
        0.5
        """
        if other.signature != self.signature:
            raise UsageError(
                f"cannot merge {other.signature} into {self.signature}: "
                "partial results have the same metric, options and version"
            )
        known = [each._provenance for each in (self, other) if each._provenance is not None]
        if len(set(known)) > 1:
            mine, theirs = (_shown(set(known[i]) - set(known[1 - i])) for i in (0, 1))
            raise UsageError(
                f"cannot merge {self.metric.name} on references with {theirs} into one with "
                f"{mine}: the references came about in different ways"
            )
        self._provenance = known[0] if known else None
        if other._sum is not None:
            if self._sum is None:
                self._sum = ExactSum(other._sum.columns)
            self._sum.merge(other._sum)
        self._segments += other._segments
        self._skipped += other._skipped

    def to_bytes(self) -> bytes:
        """Return everything that was added, as one line of JSON.

        Equal contents give equal bytes, however the segments were cut, ordered and merged.

        Raises
        ------
        UsageError
            If the metric is not registered by name, or its options do not make it again.

        Examples
        --------
        >>> from wordorder.metrics import metric
        >>> running = Accumulator(metric("exact"))
        >>> _ = running.update([[1, 0, 2], [0, 1]])
        >>> print(running.to_bytes().decode())  # doctest: +ELLIPSIS
        {"metric":"exact","options":{},...,"segments":2,...,"sums":["1p0","1p1"],"version":1,...}
        """
        name, options = name_and_options(self.metric)
        return encoded(
            {
                "metric": name,
                "options": options,
                "signature": str(self.signature),
                "provenance": self._provenance or (),
                "segments": self._segments,
                "skipped": self._skipped,
                "sums": self._sum.to_text() if self._sum is not None and self._segments else [],
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read what `to_bytes` wrote, perhaps on another machine.

        The bytes are read as text and numbers; nothing in them is run. The metric is made from its
        name and options. One that has to see all references first (`nist`) has not seen them: it
        can be merged and computed, not updated.

        Raises
        ------
        InputError
            If the bytes are cut off or damaged, of another version of the format or of wordorder,
            or name a metric that is not installed here.
        """
        content = decoded(data)
        metric, signature = read_metric(content)
        made = cls(metric)
        made._signature = signature
        made._segments = read_count(content, "segments")
        made._skipped = read_count(content, "skipped", most=made._segments)
        provenance = read_provenance(content)
        if made._segments:
            made._provenance = provenance
            made._sum = read_sums(content, metric)
        return made

    def compute(self) -> Score:
        """Return the score of everything added since the start or the last `reset`."""
        if self._sum is None:
            totals = np.zeros(statistics_width(self.metric))
        else:
            totals = self._sum.totals()
        value = float(self.metric.score(totals))
        signature = self.signature.with_fields(*(self._provenance or ()))
        return Score(value, signature, self._segments, self._skipped)


def _shown(fields: Iterable[tuple[str, str]]) -> str:
    return "|".join(f"{key}:{value}" for key, value in sorted(fields)) or "no such field"
