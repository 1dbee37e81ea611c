"""Exact sums of statistics in buckets of segments, which can be resampled."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, Int32, Int64
from wordorder.errors import InputError, UsageError
from wordorder.kernels import _run
from wordorder.kernels.resampling import add_to_buckets, draw_buckets
from wordorder.statistics.exact_sum import (
    SMALLEST,
    VALUES_PER_CARRY,
    finite_matrix,
    read_sum,
    written_sum,
)

BUCKET_BITS = 12
BUCKETS = 1 << BUCKET_BITS
# If there are more segments, `score --confidence` and `compare` resample buckets of segments.
BUCKETS_ABOVE = 100_000
# The field that signatures then have.
RESAMPLED_FIELD = ("resampled", f"{BUCKETS}-buckets")
# The number of rows that are collected before buckets are filled; small corpora need no buckets.
_MAX_PENDING_ROWS = 8192
# A value takes three limbs; the sum of 2**62 values needs two more.
BUCKET_LIMBS = 5
MAX_ROWS = 1 << 63
_LIMB_BITS = 32
_COUNT_PATTERN = re.compile(r"0|[1-9a-f][0-9a-f]{0,14}", re.ASCII)


class BucketSums:
    """Exact sums of statistics in 4,096 buckets, which are resampled in place of segments.

    Parameters
    ----------
    columns : int
        The number of columns of every matrix that is added.
    seed : int
        The bucket of segment ``i`` of a corpus depends only on `seed` and ``i``, so all systems and
        metrics of a corpus have the same segments in each bucket.

    Raises
    ------
    UsageError
        If `columns` or `seed` is negative.

    Notes
    -----
    Buckets are chosen at random, so bucket sums are exchangeable like segments, and resampling them
    estimates the same variance (the method of random groups, Wolter 2007, chapter 2). Sums are
    exact: they do not depend on how the corpus is split and merged. A column takes 4,096 times 40
    to 100 bytes.

    Examples
    --------
    >>> sums = BucketSums(1)
    >>> sums.add(np.ones((10_000, 1)), first_row=0)
    >>> totals = sums.totals()
    >>> totals.shape, float(totals.sum()), bool((totals[:, 0] == sums.counts).all())
    ((4096, 1), 10000.0, True)

    Attributes
    ----------
    seed : int
    columns : int
    """

    __slots__ = (
        "_counts",
        "_limbs",
        "_lowest",
        "_pending",
        "_values_until_carry",
        "columns",
        "seed",
    )

    def __init__(self, columns: int, *, seed: int = 12345) -> None:
        if columns < 0 or seed < 0:
            raise UsageError(f"columns and seed must not be negative, got {columns} and {seed}")
        self.seed = seed
        self.columns = columns
        self._pending: list[tuple[Float64, Int64]] = []
        # None until the first rows are put into buckets.
        self._counts: Int64 | None = None
        self._limbs = np.zeros((BUCKETS, columns, 0), np.int64)
        self._lowest = 0
        self._values_until_carry = VALUES_PER_CARRY

    @property
    def counts(self) -> Int64:
        """The number of segments in each bucket, int64[4096]."""
        return self._flush_pending()

    def _flush_pending(self) -> Int64:
        """Add the collected rows to their buckets; return the number of segments in each bucket."""
        if self._counts is None:
            self._counts = np.zeros(BUCKETS, np.int64)
        if self._pending:
            rows, self._pending = self._pending, []
            # Jumped, so that the key is independent of the keys of the resamples.
            key = int(np.random.PCG64(self.seed).jumped().random_raw(1).view(np.int64)[0])
            for values, indices in rows:
                self._counts += self._add_to_buckets(values, indices, key)
        return self._counts

    def add(self, matrix: npt.ArrayLike, first_row: int | Int64) -> None:
        """Add the statistics of segments, float64[S, columns].

        Parameters
        ----------
        matrix : float64[S, columns]
        first_row : int or int64[S]
            The index in the corpus, from 0, of the first of consecutive segments, or of each
            segment. Segments with the same index go to the same bucket.

        Raises
        ------
        UsageError
            If the matrix has another number of columns, or an index is negative or above 2**63 - 1.
        ValueError
            If a value is not finite; the sums are then unchanged.
        """
        values = finite_matrix(matrix, self.columns)
        self._pending.append((values.copy(), _row_indices(first_row, len(values))))
        if sum(len(indices) for _, indices in self._pending) > _MAX_PENDING_ROWS:
            self._flush_pending()

    def _add_to_buckets(self, values: Float64, indices: Int64, key: int) -> Int64:
        """Add rows to the sums of their buckets; return the number of rows added to each bucket."""
        bits = values.view(np.int64)
        nonzero_bits = bits[values != 0]
        if len(nonzero_bits):
            exponents = np.maximum((nonzero_bits >> 52) & 2047, 1) - 1
            self._widen(
                int(exponents.min()) // _LIMB_BITS,
                int(exponents.max()) // _LIMB_BITS + BUCKET_LIMBS,
            )
        buckets = np.empty(len(values), np.int32)
        _run.call(draw_buckets, key, indices, 64 - BUCKET_BITS, buckets, 0, len(buckets))
        first = 0
        while first < len(values):
            last = min(len(values), first + self._values_until_carry)
            self._add_span(bits.ravel(), buckets, first, last)
            first = last
        return np.bincount(buckets, minlength=BUCKETS)

    def merge(self, other: BucketSums) -> None:
        """Add the sums of `other`, which stays unchanged.

        Raises
        ------
        UsageError
            If `other` has another number of columns, or another seed.
        """
        if other.columns != self.columns:
            raise UsageError(f"cannot merge {other.columns} columns into {self.columns}")
        if other.seed != self.seed:
            raise UsageError(f"cannot merge buckets of seed {other.seed} into seed {self.seed}")
        counts = self._flush_pending()
        counts += other.counts
        added = _with_carries(other._limbs)
        width = added.shape[2]
        if width:
            self._widen(other._lowest, other._lowest + width)
            self._carry()
            first = other._lowest - self._lowest
            self._limbs[:, :, first : first + width] += added
            self._carry()

    def totals(self) -> Float64:
        """Return the sum of each bucket and column, float64[4096, columns].

        Notes
        -----
        Sums may be rounded in two steps, but equal sums always give equal doubles.

        Raises
        ------
        OverflowError
            If a sum is beyond the largest double.
        """
        self._flush_pending()
        limbs = _with_carries(self._limbs)
        negative = limbs[:, :, -1:].sum(axis=2) < 0
        limbs = _with_carries(np.where(negative[:, :, np.newaxis], -limbs, limbs))
        totals = np.zeros(limbs.shape[:2])
        # From the highest limb down: the partial sum is exact until a limb is rounded.
        for limb in reversed(range(limbs.shape[2])):
            shift = _LIMB_BITS * (self._lowest + limb) + SMALLEST
            with np.errstate(over="ignore"):
                totals += np.ldexp(limbs[:, :, limb].astype(np.float64), shift)
        np.negative(totals, out=totals, where=negative)
        if not np.isfinite(totals).all():
            raise OverflowError("the sum of a bucket is beyond the largest double")
        return totals

    def to_text(self) -> list[str]:
        """Return one line with the segment count of each bucket, then one line of sums per column.

        Counts are hexadecimal; sums have the format of `written_sum`. Equal sums give equal text.
        """
        counts = " ".join(f"{number:x}" for number in self.counts.tolist())
        limbs = _with_carries(self._limbs).astype("<u4")
        size, shift = 4 * limbs.shape[2], _LIMB_BITS * self._lowest
        if not size:
            return [counts, *[" ".join("0" * BUCKETS)] * self.columns]
        lines = [counts]
        for column in range(self.columns):
            limb_bytes = limbs[:, column].tobytes()
            cells = (limb_bytes[first : first + size] for first in range(0, len(limb_bytes), size))
            sums = (int.from_bytes(cell, "little", signed=True) for cell in cells)
            lines.append(" ".join(written_sum(units << shift) for units in sums))
        return lines

    @classmethod
    def from_text(cls, lines: Sequence[str], *, seed: int = 12345) -> BucketSums:
        """Read sums from the output of `to_text`.

        Raises
        ------
        InputError
            If the text has another format.
        """
        fields = [line.split(" ") if isinstance(line, str) else [] for line in lines]
        for line_fields in fields:
            if len(line_fields) != BUCKETS:
                raise InputError("", f"{len(line_fields)} buckets", f"{BUCKETS}")
        if not fields:
            raise InputError("", "buckets without the numbers of their segments")
        result = cls(len(fields) - 1, seed=seed)
        for bucket, text in enumerate(fields[0]):
            if _COUNT_PATTERN.fullmatch(text) is None:
                raise InputError("", f"{text[:40]!r} segments in a bucket", "hexadecimal digits")
            result.counts[bucket] = int(text, 16)
        for column, sums in enumerate(fields[1:]):
            result._set_column(column, [read_sum(text) for text in sums])
        return result

    def _add_span(self, bits: Int64, buckets: Int32, first: int, last: int) -> None:
        """Add a span of rows, which must fit before the next carry."""
        width = self._limbs.shape[2]
        limbs = self._limbs.ravel()
        layout = self._lowest, width, limbs
        _run.call(add_to_buckets, bits, self.columns, buckets, *layout, first, last)
        self._values_until_carry -= last - first
        if self._values_until_carry == 0:
            self._carry()

    def _widen(self, lowest: int, end: int) -> None:
        """Widen all sums so that they have the limbs ``lowest .. end-1``."""
        width = self._limbs.shape[2]
        if width == 0:
            self._lowest = lowest
        below = max(self._lowest - lowest, 0)
        above = max(end - self._lowest - width, 0)
        if below or above:
            limbs = np.zeros((*self._limbs.shape[:2], below + width + above), np.int64)
            limbs[:, :, below : below + width] = self._limbs
            self._limbs = limbs
            self._lowest -= below

    def _carry(self) -> None:
        """Carry the upper bits of limbs into the next ones, so that each is below 2**32."""
        self._limbs = _with_carries(self._limbs)
        self._values_until_carry = VALUES_PER_CARRY

    def _set_column(self, column: int, sums: Sequence[int]) -> None:
        """Set the sums of an empty column, in units of the smallest double."""
        nonzero_sums = [units for units in sums if units]
        if not nonzero_sums:
            return
        lowest = min((units & -units).bit_length() - 1 for units in nonzero_sums) // _LIMB_BITS
        self._widen(lowest, max(map(int.bit_length, nonzero_sums)) // _LIMB_BITS + BUCKET_LIMBS)
        size, shift = 4 * self._limbs.shape[2], _LIMB_BITS * self._lowest
        limb_bytes = b"".join(
            (units >> shift).to_bytes(size, "little", signed=True) for units in sums
        )
        limbs = np.frombuffer(limb_bytes, "<u4").reshape(BUCKETS, -1)
        self._limbs[:, column] = limbs
        self._limbs[:, column, -1] = limbs[:, -1].astype(np.int32)


def _row_indices(first_row: int | Int64, rows: int) -> Int64:
    """Return the index of each row in the corpus."""
    if isinstance(first_row, np.ndarray):
        if len(first_row) != rows:
            raise UsageError(f"{len(first_row)} numbers for {rows} rows")
        if rows and first_row.min() < 0:
            raise UsageError(f"rows have numbers from 0 to 2**63 - 1, got {first_row.min()}")
        return np.ascontiguousarray(first_row, np.int64)
    if not 0 <= first_row <= MAX_ROWS - rows:
        raise UsageError(f"rows have numbers from 0 to 2**63 - 1, got {first_row} as the first")
    return np.arange(rows, dtype=np.int64) + first_row


def _with_carries(limbs: Int64) -> Int64:
    """Return the limbs with carries done: 32 bits each, unsigned except the highest one.

    This makes the representation of every sum unique.
    """
    limbs = limbs.copy()
    for limb in range(limbs.shape[2] - 1):
        limbs[:, :, limb + 1] += limbs[:, :, limb] >> _LIMB_BITS
        limbs[:, :, limb] &= (1 << _LIMB_BITS) - 1
    return limbs
