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
# With more segments than this, `score --confidence` and `compare` resample buckets.
BUCKETS_ABOVE = 100_000
# What signatures then say.
RESAMPLED_FIELD = ("resampled", f"{BUCKETS}-buckets")
# So many rows wait before they are put into buckets: small corpora never need any.
_WAITING = 8192
# A value takes three limbs; the sum of 2**62 such needs two more.
BUCKET_LIMBS = 5
MAX_ROWS = 1 << 63
_LIMB_BITS = 32
_COUNT = re.compile(r"0|[1-9a-f][0-9a-f]{0,14}", re.ASCII)


class BucketSums:
    """Exact sums of statistics in 4,096 buckets, which are resampled in place of segments.

    Parameters
    ----------
    columns : int
        Columns of every matrix that will be added.
    seed : int
        Segment ``i`` of a corpus goes to a bucket that `seed` and ``i`` alone decide, never its
        content. So all systems and metrics of a corpus have the same segments in each bucket.

    Raises
    ------
    UsageError
        If `columns` or `seed` is negative.

    Notes
    -----
    The choice of a bucket is random, so bucket sums are exchangeable as segments are, and
    resampling them estimates the same variance. Random groups are an old way to estimate one
    (Wolter 2007, chapter 2). Sums are exact: no cutting into parts and no order of merging changes
    them. Takes 4,096 times some 40 to 100 bytes per column.

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

    __slots__ = ("_counts", "_limbs", "_lowest", "_room", "_waiting", "columns", "seed")

    def __init__(self, columns: int, *, seed: int = 12345) -> None:
        if columns < 0 or seed < 0:
            raise UsageError(f"columns and seed must not be negative, got {columns} and {seed}")
        self.seed = seed
        self.columns = columns
        self._waiting: list[tuple[Float64, Int64]] = []
        # None until the first rows are put into buckets.
        self._counts: Int64 | None = None
        self._limbs = np.zeros((BUCKETS, columns, 0), np.int64)
        self._lowest = 0
        self._room = VALUES_PER_CARRY

    @property
    def counts(self) -> Int64:
        """Number of segments in each bucket, int64[4096]."""
        return self._put_waiting_rows()

    def _put_waiting_rows(self) -> Int64:
        """Put rows that wait into their buckets; return the number of segments in each."""
        if self._counts is None:
            self._counts = np.zeros(BUCKETS, np.int64)
        if self._waiting:
            rows, self._waiting = self._waiting, []
            # Far from where the keys of the resamples come from.
            key = int(np.random.PCG64(self.seed).jumped().random_raw(1).view(np.int64)[0])
            for values, numbers in rows:
                self._counts += self._put_rows(values, numbers, key)
        return self._counts

    def add(self, matrix: npt.ArrayLike, first_row: int | Int64) -> None:
        """Add the statistics of segments, float64[S, columns].

        Parameters
        ----------
        matrix : float64[S, columns]
        first_row : int or int64[S]
            The number of the first of them in the corpus, from 0, if they follow each other; or
            the number of each. Segments with one number stay together.

        Raises
        ------
        UsageError
            If the matrix has another number of columns, or a row has a number that is negative or
            beyond 2**63 - 1.
        ValueError
            If a value is not finite; the sums are then as before.
        """
        values = finite_matrix(matrix, self.columns)
        self._waiting.append((values.copy(), _row_numbers(first_row, len(values))))
        if sum(len(numbers) for _, numbers in self._waiting) > _WAITING:
            self._put_waiting_rows()

    def _put_rows(self, values: Float64, numbers: Int64, key: int) -> Int64:
        """Add rows to the sums of their buckets; return how many each bucket got."""
        bits = values.view(np.int64)
        used = bits[values != 0]
        if len(used):
            places = np.maximum((used >> 52) & 2047, 1) - 1
            self._make_room(
                int(places.min()) // _LIMB_BITS, int(places.max()) // _LIMB_BITS + BUCKET_LIMBS
            )
        buckets = np.empty(len(values), np.int32)
        _run.call(draw_buckets, key, numbers, 64 - BUCKET_BITS, buckets, 0, len(buckets))
        first = 0
        while first < len(values):
            last = min(len(values), first + self._room)
            self._add(bits.ravel(), buckets, first, last)
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
        counts = self._put_waiting_rows()
        counts += other.counts
        added = _carried(other._limbs)
        width = added.shape[2]
        if width:
            self._make_room(other._lowest, other._lowest + width)
            self._carry()
            first = other._lowest - self._lowest
            self._limbs[:, :, first : first + width] += added
            self._carry()

    def totals(self) -> Float64:
        """Return the sum of each bucket and column, float64[4096, columns].

        Notes
        -----
        Rounded to a double, perhaps in two steps: equal sums give equal doubles.

        Raises
        ------
        OverflowError
            If a sum is beyond the largest double.
        """
        self._put_waiting_rows()
        limbs = _carried(self._limbs)
        negative = limbs[:, :, -1:].sum(axis=2) < 0
        limbs = _carried(np.where(negative[:, :, np.newaxis], -limbs, limbs))
        totals = np.zeros(limbs.shape[:2])
        # From the top: what has been added so far is exact until a limb is rounded away.
        for limb in reversed(range(limbs.shape[2])):
            shift = _LIMB_BITS * (self._lowest + limb) + SMALLEST
            with np.errstate(over="ignore"):
                totals += np.ldexp(limbs[:, :, limb].astype(np.float64), shift)
        np.negative(totals, out=totals, where=negative)
        if not np.isfinite(totals).all():
            raise OverflowError("the sum of a bucket is beyond the largest double")
        return totals

    def to_text(self) -> list[str]:
        """Return lines with a number for each bucket: its segments, and its sum of each column.

        The first are hexadecimal, the sums as `written_sum` writes them.

        Equal sums give equal text, however they came about.
        """
        counts = " ".join(f"{number:x}" for number in self.counts.tolist())
        limbs = _carried(self._limbs).astype("<u4")
        size, shift = 4 * limbs.shape[2], _LIMB_BITS * self._lowest
        if not size:
            return [counts, *[" ".join("0" * BUCKETS)] * self.columns]
        lines = [counts]
        for column in range(self.columns):
            written = limbs[:, column].tobytes()
            cells = (written[first : first + size] for first in range(0, len(written), size))
            sums = (int.from_bytes(cell, "little", signed=True) for cell in cells)
            lines.append(" ".join(written_sum(units << shift) for units in sums))
        return lines

    @classmethod
    def from_text(cls, lines: Sequence[str], *, seed: int = 12345) -> BucketSums:
        """Read sums from the output of `to_text`.

        Raises
        ------
        InputError
            If it is anything else.
        """
        parts = [line.split(" ") if isinstance(line, str) else [] for line in lines]
        for part in parts:
            if len(part) != BUCKETS:
                raise InputError("", f"{len(part)} buckets", f"{BUCKETS}")
        if not parts:
            raise InputError("", "buckets without the numbers of their segments")
        result = cls(len(parts) - 1, seed=seed)
        for bucket, text in enumerate(parts[0]):
            if _COUNT.fullmatch(text) is None:
                raise InputError("", f"{text[:40]!r} segments in a bucket", "hexadecimal digits")
            result.counts[bucket] = int(text, 16)
        for column, sums in enumerate(parts[1:]):
            result._put(column, [read_sum(text) for text in sums])
        return result

    def _add(self, bits: Int64, buckets: Int32, first: int, last: int) -> None:
        """Add some rows for which there is room."""
        width = self._limbs.shape[2]
        limbs = self._limbs.ravel()
        place = self._lowest, width, limbs
        _run.call(add_to_buckets, bits, self.columns, buckets, *place, first, last)
        self._room -= last - first
        if self._room == 0:
            self._carry()

    def _make_room(self, lowest: int, end: int) -> None:
        """Widen all numbers to the limbs ``lowest .. end-1``."""
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
        self._limbs = _carried(self._limbs)
        self._room = VALUES_PER_CARRY

    def _put(self, column: int, sums: Sequence[int]) -> None:
        """Put numbers, in units of the smallest double, into an empty column."""
        used = [units for units in sums if units]
        if not used:
            return
        lowest = min((units & -units).bit_length() - 1 for units in used) // _LIMB_BITS
        self._make_room(lowest, max(map(int.bit_length, used)) // _LIMB_BITS + BUCKET_LIMBS)
        size, shift = 4 * self._limbs.shape[2], _LIMB_BITS * self._lowest
        written = b"".join((units >> shift).to_bytes(size, "little", signed=True) for units in sums)
        limbs = np.frombuffer(written, "<u4").reshape(BUCKETS, -1)
        self._limbs[:, column] = limbs
        self._limbs[:, column, -1] = limbs[:, -1].astype(np.int32)


def _row_numbers(given: int | Int64, rows: int) -> Int64:
    """Return the number of each of some rows."""
    if isinstance(given, np.ndarray):
        if len(given) != rows:
            raise UsageError(f"{len(given)} numbers for {rows} rows")
        if rows and given.min() < 0:
            raise UsageError(f"rows have numbers from 0 to 2**63 - 1, got {given.min()}")
        return np.ascontiguousarray(given, np.int64)
    if not 0 <= given <= MAX_ROWS - rows:
        raise UsageError(f"rows have numbers from 0 to 2**63 - 1, got {given} as the first")
    return np.arange(rows, dtype=np.int64) + given


def _carried(limbs: Int64) -> Int64:
    """Return the limbs with 32 bits each, not negative, but for the highest, which is signed.

    So each number has one form.
    """
    limbs = limbs.copy()
    for limb in range(limbs.shape[2] - 1):
        limbs[:, :, limb + 1] += limbs[:, :, limb] >> _LIMB_BITS
        limbs[:, :, limb] &= (1 << _LIMB_BITS) - 1
    return limbs
