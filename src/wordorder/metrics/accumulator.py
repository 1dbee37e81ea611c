"""Scores that grow: for corpora in pieces and for training loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics.contract import (
    Metric,
    Score,
    completed,
    left_out,
    require_segments,
    statistics_in_pieces,
    statistics_width,
)
from wordorder.metrics.name_and_options import name_and_options
from wordorder.metrics.partial_result import (
    decoded,
    encoded,
    read_buckets,
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
from wordorder.statistics.bucket_sums import BucketSums
from wordorder.statistics.exact_sum import ExactSum
from wordorder.statistics.intervals import Estimate, confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.types import Float64

if TYPE_CHECKING:
    from typing_extensions import Self


class Accumulator:
    """Adds up a metric's statistics, piece by piece.

    Parameters
    ----------
    metric : Metric
    intervals : bool
        Whether to keep the sums of 4,096 buckets of segments too, for `estimate` and
        `bucket_measurement`: see `BucketSums`.
    seed : int
        Where the random choices of buckets and of resamples start.

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
    >>> running.segments
    0
    """

    def __init__(self, metric: Metric, *, intervals: bool = False, seed: int = 12345) -> None:
        self.metric = completed(metric)
        self.intervals = intervals
        self.seed = seed
        self._signature: Signature | None = None
        self.reset()

    @property
    def signature(self) -> Signature:
        """The metric's signature: only accumulators with the same one can be merged."""
        if self._signature is None:
            self._signature = self.metric.signature()
        return self._signature

    @property
    def segments(self) -> int:
        """How many segments have been added."""
        return self._segments

    def reset(self) -> None:
        """Forget everything."""
        self._sum: ExactSum | None = None
        self._buckets: BucketSums | None = None
        self._segments = 0
        self._skipped = 0
        self._provenance: Provenance | None = None

    def update(
        self,
        system: Segments | Rows,
        reference: Rows | None = None,
        *,
        first_row: int | None = None,
    ) -> Float64:
        """Add segments, relative permutations, or the orders of a system and of a reference.

        Parameters
        ----------
        system : Segments, or rows
        reference : rows, optional
        first_row : int, optional
            The number of the first segment in the whole corpus, from 0, which decides on its
            bucket. By default the number of segments that were added before.

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
        self.add(segments, statistics, first_row=first_row)
        return statistics

    def add(self, segments: Segments, statistics: Float64, *, first_row: int | None = None) -> None:
        """Add segments whose statistics under the metric are known already."""
        provenance = self._provenance
        if len(segments):
            known = [] if provenance is None else [provenance]
            provenance = one_provenance([*known, segments.described(self.metric.columns)])
        # Whatever raises an error does so before anything is added.
        if self.intervals:
            if self._buckets is None:
                self._buckets = BucketSums(statistics.shape[1], seed=self.seed)
            self._buckets.add(statistics, self._segments if first_row is None else first_row)
        if self._sum is None:
            self._sum = ExactSum(statistics.shape[1])
        self._sum.add(statistics)
        self._provenance = provenance
        self._segments += len(segments)
        self._skipped += int(np.count_nonzero(left_out(statistics)))

    def merge(self, other: Accumulator) -> None:
        """Add all that `other` has added; `other` stays as it is.

        Raises
        ------
        UsageError
            If the two have different signatures, or their references were made in different ways;
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
        if (other.intervals, other.seed) != (self.intervals, self.seed) and (
            other.intervals or self.intervals
        ):
            raise UsageError(
                f"cannot merge {self.metric.name} {_kind(other)} into one {_kind(self)}"
            )
        known = [each._provenance for each in (self, other) if each._provenance is not None]
        if len(set(known)) > 1:
            mine, theirs = (_shown(set(known[i]) - set(known[1 - i])) for i in (0, 1))
            raise UsageError(
                f"cannot merge {self.metric.name} on references with {theirs} into one with "
                f"{mine}: the references were made in different ways"
            )
        self._provenance = known[0] if known else None
        if other._sum is not None:
            if self._sum is None:
                self._sum = ExactSum(other._sum.columns)
            self._sum.merge(other._sum)
        if other._buckets is not None:
            if self._buckets is None:
                self._buckets = BucketSums(other._buckets.columns, seed=self.seed)
            self._buckets.merge(other._buckets)
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
        some = self._segments > 0
        content: dict[str, Any] = {
            "metric": name,
            "options": options,
            "signature": str(self.signature),
            "provenance": self._provenance or (),
            "segments": self._segments,
            "skipped": self._skipped,
            "sums": self._sum.to_text() if self._sum is not None and some else [],
        }
        if self.intervals:
            lines = self._buckets.to_text() if self._buckets is not None and some else []
            content["buckets"] = {"seed": self.seed, "sums": lines}
        return encoded(content)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read what `to_bytes` wrote, perhaps on another machine.

        The bytes are read as text and numbers; nothing in them is run. The metric is made from its
        name and options. One that has to see all references first (`nist`) has not seen them: it
        can be merged and computed, not updated.

        Raises
        ------
        InputError
            If the bytes are truncated or damaged, of another version of the format or of wordorder,
            or name a metric that is not installed here.
        """
        content = decoded(data)
        metric, signature, columns = read_metric(content)
        segments = read_count(content, "segments")
        buckets = read_buckets(content, columns)
        made = cls(metric, intervals=buckets is not None)
        made._signature = signature
        made._segments = segments
        made._skipped = read_count(content, "skipped", most=made._segments)
        provenance = read_provenance(content)
        if made._segments:
            made._provenance = provenance
            made._sum = read_sums(content, metric, columns)
        if buckets is not None:
            made.seed = buckets.seed
            made._buckets = buckets
        return made

    def compute(self) -> Score:
        """Return the score of everything added since the start or the last `reset`.

        Raises
        ------
        InputError
            If no segment was added.
        """
        require_segments(self._segments)
        value = float(self.metric.score(self.totals()))
        signature = self.signature.with_fields(*(self._provenance or ()))
        return Score(value, signature, self._segments, self._skipped)

    def totals(self) -> Float64:
        """Return the sum of all statistics, float64[k], correctly rounded."""
        if self._sum is None:
            return np.zeros(statistics_width(self.metric))
        return self._sum.totals()

    def estimate(self, confidence: float = 0.95, *, resamples: int = 1000) -> Estimate:
        """Return the score with its interval, by bootstrap resampling of buckets of segments.

        Raises
        ------
        UsageError
            If the accumulator was made without ``intervals=True``, or an option is out of range.

        Examples
        --------
        >>> from wordorder.metrics import metric
        >>> running = Accumulator(metric("frs"), intervals=True)
        >>> _ = running.update([[0, 1, 2], [2, 1, 0]] * 10_000)
        >>> found = running.estimate()
        >>> found.value, round(found.low, 3), round(found.high, 3)
        (0.5, 0.493, 0.506)
        """
        ((found,),) = confidence_intervals(
            [bucket_measurement([self])],
            confidence=confidence,
            resamples=resamples,
            seed=self.seed,
        )
        return found


def bucket_measurement(systems: Sequence[Accumulator]) -> Measurement:
    """Return the bucket sums of systems under one metric, for intervals and paired tests.

    Parameters
    ----------
    systems : sequence of Accumulator
        Of the same metric, segments and seed, made with ``intervals=True``.

    Raises
    ------
    UsageError
        If there is none, one has no buckets, or they differ in more than the system.

    Examples
    --------
    >>> from wordorder.metrics import metric
    >>> from wordorder.statistics.paired_tests import compare
    >>> worse, better = (Accumulator(metric("frs"), intervals=True) for _ in range(2))
    >>> for _ in range(50):
    ...     _ = worse.update([[2, 1, 0], [0, 1, 2]])
    ...     _ = better.update([[1, 2, 0], [0, 1, 2]])
    >>> (found,) = compare([bucket_measurement([worse, better])])
    >>> found.pair(0, 1).difference, found.pair(0, 1).mark
    (0.25, '+**')
    """
    if not systems:
        raise UsageError("bucket_measurement needs at least one accumulator")
    first = systems[0]
    for system in systems:
        if not system.intervals:
            raise UsageError("an accumulator has buckets if it is made with intervals=True")
        if system.signature != first.signature:
            raise UsageError(f"{system.signature} cannot be compared with {first.signature}")
        if system.seed != first.seed:
            raise UsageError(f"buckets of seed {system.seed} and of seed {first.seed}")
    width = statistics_width(first.metric)
    sums = [each._buckets or BucketSums(width, seed=first.seed) for each in systems]
    if any(not np.array_equal(each.counts, sums[0].counts) for each in sums):
        raise UsageError("the systems' accumulators have different segments")
    # A bucket without segments is no part of the corpus.
    used = sums[0].counts > 0
    return Measurement(
        [each.totals()[used] for each in sums],
        first.metric.score,
        first.metric.higher_is_better,
        np.stack([system.totals() for system in systems]),
    )


def _kind(running: Accumulator) -> str:
    return f"with buckets of seed {running.seed}" if running.intervals else "without buckets"


def _shown(fields: Iterable[tuple[str, str]]) -> str:
    return "|".join(f"{key}:{value}" for key, value in sorted(fields)) or "no such field"
