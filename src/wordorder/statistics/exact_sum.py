"""Sums and means that are rounded once, whatever the order, the cutting or the number of threads.

Plain sums of -.1, -.2, -.3 and of -.3, -.2, -.1 differ in the last digit, and so would two means.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Array, Float64, Int32, Int64
from wordorder.errors import InputError, UsageError
from wordorder.kernels import _run
from wordorder.kernels.resampling import add_exactly, add_to_buckets, draw_buckets

LIMBS = 4096

# A limb of 64 bits takes 2**31 values; below that the limbs move into Python integers.
ROOM = 1 << 30

# Sums are kept in units of the smallest double, 2**-1074.
SMALLEST = -1074

UNIT = 1 << -SMALLEST

# The bits of 2**63 times the largest double, in these units.
MOST_BITS = 1024 - SMALLEST + 63

_WRITTEN = re.compile(r"(-?[1-9a-f][0-9a-f]*)p(0|-?[1-9][0-9]{0,3})", re.ASCII)


class ExactSum:
    """The sum of each column of all matrices added so far, without rounding.

    Parameters
    ----------
    columns : int
        Columns of every matrix that will be added.

    Notes
    -----
    A double is an integer times a power of two. The integers are summed per exponent, so nothing
    is ever rounded away, and `totals` rounds once at the end: every column equals `math.fsum` of
    its values, however the rows were ordered, cut and merged. Takes 32 KB a column. One sum may
    be used by one thread at a time; threads and machines each fill their own, then `merge`.

    Examples
    --------
    >>> total = ExactSum(1)
    >>> total.add(np.array([[1e100], [1.0], [-1e100]]))
    >>> total.totals().tolist()
    [1.0]
    """

    __slots__ = ("_carried", "_limbs", "_room")

    def __init__(self, columns: int) -> None:
        if columns < 0:
            raise UsageError(f"an ExactSum cannot have {columns} columns")
        self._limbs = np.zeros((columns, LIMBS), np.int64)
        self._carried = [0] * columns
        self._room = ROOM

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self._carried)

    def add(self, matrix: npt.ArrayLike) -> None:
        """Add the rows of `matrix`, float64[S, columns].

        Raises
        ------
        UsageError
            If the matrix has another number of columns.
        ValueError
            If a value is not finite; the sum is then as before.
        """
        values = finite_matrix(matrix, self.columns)
        bits = values.view(np.int64).ravel()
        limbs = self._limbs.ravel()
        first = 0
        while first < len(values):
            if self._room == 0:
                self._carry()
            last = min(len(values), first + self._room)
            _run.call(add_exactly, bits, self.columns, limbs, first, last)
            self._room -= last - first
            first = last

    def merge(self, other: ExactSum) -> None:
        """Add all that `other` has summed; `other` stays as it is.

        Raises
        ------
        UsageError
            If `other` has another number of columns.
        """
        if other.columns != self.columns:
            raise UsageError(f"cannot merge {other.columns} columns into {self.columns}")
        sums = other._exact()
        self._carried = [mine + theirs for mine, theirs in zip(self._carried, sums, strict=True)]

    def to_text(self) -> list[str]:
        """Return the sum of each column as `written_sum` writes it.

        Equal sums give equal text, however they came about.

        Examples
        --------
        >>> total = ExactSum(2)
        >>> total.add(np.array([[0.5, 0.0], [2.0, -0.0]]))
        >>> total.to_text()
        ['5p-1', '0']
        """
        return [written_sum(units) for units in self._exact()]

    @classmethod
    def from_text(cls, sums: Sequence[str]) -> ExactSum:
        """Read what `to_text` wrote.

        Raises
        ------
        InputError
            If it is anything else.
        """
        made = cls(len(sums))
        made._carried = [read_sum(text) for text in sums]
        return made

    def totals(self) -> Float64:
        """Return the sum of each column, float64[columns], correctly rounded.

        Raises
        ------
        OverflowError
            If a sum is beyond the largest double.
        """
        return np.array([units / UNIT for units in self._exact()], np.float64)

    def _exact(self) -> list[int]:
        """Return the sum of each column in units of the smallest double."""
        sums = list(self._carried)
        for column, limb in zip(*np.nonzero(self._limbs != 0), strict=True):
            exponent, high = divmod(int(limb), 2)
            # The exponents 0 and 1 have the same unit: 0 marks the numbers without a leading 1.
            sums[column] += int(self._limbs[column, limb]) << (max(exponent - 1, 0) + 32 * high)
        return sums

    def _carry(self) -> None:
        """Move the limbs into Python integers, so that they have room again."""
        self._carried = self._exact()
        self._limbs[:] = 0
        self._room = ROOM


def finite_matrix(matrix: npt.ArrayLike, columns: int) -> Float64:
    """Return a matrix whose rows can be added, float64[S, columns], contiguous.

    Raises
    ------
    UsageError
        If it has another number of columns.
    ValueError
        If a value is not finite.
    """
    values = np.ascontiguousarray(matrix, np.float64)
    if values.ndim != 2 or values.shape[1] != columns:
        raise UsageError(f"expected a matrix [S, {columns}], got shape {values.shape}")
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise ValueError(f"row {row} has a value that is not finite: {values[row].tolist()}")
    return values


def written_sum(units: int) -> str:
    """Write an exact sum, given in units of 2**-1074, as hexadecimal digits and a power of two.

    Examples
    --------
    >>> written_sum(10 * UNIT), written_sum(-UNIT // 4), written_sum(0)
    ('5p1', '-1p-2', '0')
    """
    if units == 0:
        return "0"
    zeros = (units & -units).bit_length() - 1
    return f"{units >> zeros:x}p{zeros + SMALLEST}"


def read_sum(text: object) -> int:
    """Read what `written_sum` wrote.

    Raises
    ------
    InputError
        If it is anything else, or larger than a sum of doubles can be.

    Examples
    --------
    >>> read_sum("5p1") == 10 * UNIT
    True
    """
    if text == "0":
        return 0
    found = _WRITTEN.fullmatch(text) if isinstance(text, str) else None
    if found is not None and len(found[1]) <= MOST_BITS // 4:
        digits, zeros = int(found[1], 16), int(found[2]) - SMALLEST
        if digits % 2 and zeros >= 0 and digits.bit_length() + zeros <= MOST_BITS:
            return digits << zeros
    shown = repr(text)
    shown = shown if len(shown) <= 40 else f"{shown[:40]}…"
    raise InputError("", f"{shown} is not an exact sum", "odd hexadecimal digits and a power: 5p-1")


BITS = 12

BUCKETS = 1 << BITS

# With more segments than this, `score --confidence` and `compare` resample buckets.
MOST_SEGMENTS = 100_000

# What signatures then say.
FIELD = ("resampled", f"{BUCKETS}-buckets")

# A value takes three limbs; the sum of 2**62 such needs two more.
BUCKET_LIMBS = 5

MOST_ROWS = 1 << 63

_LIMB = 32

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
    counts : int64[4096]
        How many segments each bucket has.
    """

    __slots__ = ("_key", "_limbs", "_lowest", "_room", "counts", "seed")

    def __init__(self, columns: int, *, seed: int = 12345) -> None:
        if columns < 0 or seed < 0:
            raise UsageError(f"columns and seed must not be negative, got {columns} and {seed}")
        self.seed = seed
        # Far from where the keys of the resamples come from.
        self._key = int(np.random.PCG64(seed).jumped().random_raw(1).view(np.int64)[0])
        self.counts: Int64 = np.zeros(BUCKETS, np.int64)
        self._limbs = np.zeros((BUCKETS, columns, 0), np.int64)
        self._lowest = 0
        self._room = ROOM

    @property
    def columns(self) -> int:
        """Number of columns."""
        return self._limbs.shape[1]

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
        numbers = _row_numbers(first_row, len(values))
        bits = values.view(np.int64)
        used = bits[values != 0]
        if len(used):
            places = np.maximum((used >> 52) & 2047, 1) - 1
            self._make_room(int(places.min()) // _LIMB, int(places.max()) // _LIMB + BUCKET_LIMBS)
        buckets = np.empty(len(values), np.int32)
        _run.call(draw_buckets, self._key, numbers, 64 - BITS, buckets, 0, len(buckets))
        self.counts += np.bincount(buckets, minlength=BUCKETS)
        first = 0
        while first < len(values):
            last = min(len(values), first + self._room)
            self._add(bits.ravel(), buckets, first, last)
            first = last

    def merge(self, other: BucketSums) -> None:
        """Add all that `other` has summed; `other` stays as it is.

        Raises
        ------
        UsageError
            If `other` has another number of columns, or another seed.
        """
        if other.columns != self.columns:
            raise UsageError(f"cannot merge {other.columns} columns into {self.columns}")
        if other.seed != self.seed:
            raise UsageError(f"cannot merge buckets of seed {other.seed} into seed {self.seed}")
        self.counts += other.counts
        theirs = _carried(other._limbs)
        width = theirs.shape[2]
        if width:
            self._make_room(other._lowest, other._lowest + width)
            self._carry()
            first = other._lowest - self._lowest
            self._limbs[:, :, first : first + width] += theirs
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
        limbs = _carried(self._limbs)
        negative = limbs[:, :, -1:].sum(axis=2) < 0
        limbs = _carried(np.where(negative[:, :, np.newaxis], -limbs, limbs))
        totals = np.zeros(limbs.shape[:2])
        # From the top: what has been added so far is exact until a limb is rounded away.
        for limb in reversed(range(limbs.shape[2])):
            shift = _LIMB * (self._lowest + limb) + SMALLEST
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
        size, shift = 4 * limbs.shape[2], _LIMB * self._lowest
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
        """Read what `to_text` wrote.

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
        made = cls(len(parts) - 1, seed=seed)
        for bucket, text in enumerate(parts[0]):
            if _COUNT.fullmatch(text) is None:
                raise InputError("", f"{text[:40]!r} segments in a bucket", "hexadecimal digits")
            made.counts[bucket] = int(text, 16)
        for column, sums in enumerate(parts[1:]):
            made._put(column, [read_sum(text) for text in sums])
        return made

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
        """Carry what limbs have beyond 32 bits, so that they have room again."""
        self._limbs = _carried(self._limbs)
        self._room = ROOM

    def _put(self, column: int, sums: Sequence[int]) -> None:
        """Put numbers, in units of the smallest double, into an empty column."""
        used = [units for units in sums if units]
        if not used:
            return
        lowest = min((units & -units).bit_length() - 1 for units in used) // _LIMB
        self._make_room(lowest, max(map(int.bit_length, used)) // _LIMB + BUCKET_LIMBS)
        size, shift = 4 * self._limbs.shape[2], _LIMB * self._lowest
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
    if not 0 <= given <= MOST_ROWS - rows:
        raise UsageError(f"rows have numbers from 0 to 2**63 - 1, got {given} as the first")
    return np.arange(rows, dtype=np.int64) + given


def _carried(limbs: Int64) -> Int64:
    """Return the limbs with 32 bits each, not negative, but for the highest, which is signed.

    So each number has one form.
    """
    limbs = limbs.copy()
    for limb in range(limbs.shape[2] - 1):
        limbs[:, :, limb + 1] += limbs[:, :, limb] >> _LIMB
        limbs[:, :, limb] &= (1 << _LIMB) - 1
    return limbs


# Ratings with up to 12 decimals, and means of up to 10 ratings with up to 4, are whole multiples of
# one over these.
_SCALES = (*(10**digits for digits in range(13)), *(2520 * 10**digits for digits in range(5)))
# So many numbers tell most columns that are no multiples.
_FEW = 64
_WHOLE = 2.0**51
# A part of a number that many can be added of, as doubles, without rounding: 2**29 of 24 bits.
_BITS = 24


def exact_means(scores: Float64) -> Float64:
    """Return the mean over the last axis, without NaN; NaN if all are.

    Each is the mean of the exact sum, rounded once. Equal means are equal numbers, in whatever
    order the scores come and however many they are. Scores that people write as decimals are added
    as decimals, .1 being one tenth: see `whole_multiples`.

    Parameters
    ----------
    scores : float64[..., S]
        Finite or NaN.

    Returns
    -------
    float64[...]

    Examples
    --------
    >>> exact_means(np.array([[-0.1, -0.2, -0.3], [-0.3, -0.2, -0.1]])).tolist()
    [-0.2, -0.2]
    """
    known = ~np.isnan(scores)
    shape = scores.shape[:-1]
    size = math.prod(shape)
    rows = np.broadcast_to(np.arange(size).reshape(*shape, 1), scores.shape)
    return group_means(scores[known], rows[known], size).reshape(shape)


def group_means(values: Float64, group: Array, groups: int) -> Float64:
    """Return the mean of each group, as `exact_means` does; NaN of none.

    Parameters
    ----------
    values : float64[N]
        Finite.
    group : int[N]
        The group of each value, from 0.
    groups : int
        How many there are.

    Returns
    -------
    float64[groups]
    """
    number = np.bincount(group, minlength=groups)
    return _divided(values, group, np.maximum(number, 1), np.where(number > 0, 0.0, np.nan))


def group_sums(values: Float64, group: Array, groups: int) -> Float64:
    """Return the sum of each group, float64[groups], rounded once; 0 of none.

    Takes what `group_means` does.
    """
    return _divided(values, group, np.ones(groups, np.int64), np.zeros(groups))


def whole_multiples(values: Float64) -> tuple[Float64, int]:
    """Return whole numbers and a scale of which `values` are the quotients, if there are such.

    Decimals are no doubles: .1 + .1 + .1 exceeds .3, also if nothing is rounded on the way. But
    all that people write, and the means of some such numbers, are whole multiples of one small
    fraction, and whole numbers add up without rounding.

    Parameters
    ----------
    values : float64[...]
        NaN stays.

    Returns
    -------
    float64[...], int
        ``values == whole / scale``; the values themselves and 1 if there is no such scale.

    Examples
    --------
    >>> whole, scale = whole_multiples(np.array([0.1, -0.25]))
    >>> whole.tolist(), scale
    ([10.0, -25.0], 100)
    """
    known = values[np.isfinite(values)]
    largest = float(np.abs(known).max(initial=0.0))
    for scale in _SCALES:
        if largest * scale < _WHOLE and all(
            np.array_equal(np.rint(some * scale) / scale, some) for some in (known[:_FEW], known)
        ):
            return np.rint(values * scale), scale
    return values, 1


def _divided(values: Float64, group: Array, by: Array, start: Float64) -> Float64:
    """Return the sum of each group over a number, rounded once, added to `start`."""
    values, scale = whole_multiples(values)
    most = float(np.abs(values).max(initial=0.0))
    few = most * len(values) < _WHOLE and len(values) * scale < _WHOLE
    if np.isinf(most) or (few and np.array_equal(np.rint(values), values)):
        # Of whole numbers each sum is a double, and so is what divides it.
        return start + np.bincount(group, values, len(by)) / (by * float(scale))
    # Bits above the place of the last part; each pass takes as many from all numbers.
    place = int(np.frexp(most)[1])
    sums = np.zeros(len(by), object)
    rest = np.array(values)
    while rest.any():
        place -= _BITS
        part = np.trunc(np.ldexp(rest, -place))
        rest -= np.ldexp(part, place)
        sums = (sums << _BITS) + np.bincount(group, part, len(by)).astype(np.int64).astype(object)
    above, below = 1 << max(place, 0), scale << max(-place, 0)
    divided = zip(sums.tolist(), by.tolist(), strict=True)
    quotients = [total * above / (number * below) for total, number in divided]
    return start + np.array(quotients, np.float64)
