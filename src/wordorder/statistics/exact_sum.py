"""Sums that are rounded once, so that they do not depend on order, splitting or threads.

Ordinary sums of -.1, -.2, -.3 and of -.3, -.2, -.1 differ in the last digit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64
from wordorder.errors import InputError, UsageError
from wordorder.kernels import _run
from wordorder.kernels.resampling import add_exactly

LIMB_COUNT = 4096
# A limb of 64 bits holds the sum of 2**31 values; before, limbs are moved into Python integers.
VALUES_PER_CARRY = 1 << 30
# Sums are integers, in units of the smallest double, 2**-1074.
SMALLEST = -1074
UNITS_PER_ONE = 1 << -SMALLEST
# The number of bits of 2**63 times the largest double, in these units.
MAX_BITS = 1024 - SMALLEST + 63
_SUM_PATTERN = re.compile(r"(-?[1-9a-f][0-9a-f]*)p(0|-?[1-9][0-9]{0,3})", re.ASCII)


class ExactSum:
    """The sum of each column of all matrices added so far, without rounding.

    Parameters
    ----------
    columns : int
        The number of columns of every matrix that is added.

    Notes
    -----
    A double is an integer times a power of two. The integers are summed per exponent without
    rounding, and `totals` rounds once at the end: each total equals `math.fsum` of the column,
    however the rows were ordered, split and merged. A column takes 32 KB. Not thread-safe: each
    thread or machine fills its own sum, and the sums are merged (`merge`).

    Examples
    --------
    >>> total = ExactSum(1)
    >>> total.add(np.array([[1e100], [1.0], [-1e100]]))
    >>> total.totals().tolist()
    [1.0]
    """

    __slots__ = ("_carried_sums", "_limbs", "_values_until_carry")

    def __init__(self, columns: int) -> None:
        if columns < 0:
            raise UsageError(f"an ExactSum cannot have {columns} columns")
        self._limbs = np.zeros((columns, LIMB_COUNT), np.int64)
        self._carried_sums = [0] * columns
        self._values_until_carry = VALUES_PER_CARRY

    @property
    def columns(self) -> int:
        """The number of columns."""
        return len(self._carried_sums)

    def add(self, matrix: npt.ArrayLike) -> None:
        """Add the rows of `matrix`, float64[S, columns].

        Raises
        ------
        UsageError
            If the matrix has another number of columns.
        ValueError
            If a value is not finite; the sum is then unchanged.
        """
        values = finite_matrix(matrix, self.columns)
        bits = values.view(np.int64).ravel()
        limbs = self._limbs.ravel()
        first = 0
        while first < len(values):
            if self._values_until_carry == 0:
                self._carry()
            last = min(len(values), first + self._values_until_carry)
            _run.call(add_exactly, bits, self.columns, limbs, first, last)
            self._values_until_carry -= last - first
            first = last

    def merge(self, other: ExactSum) -> None:
        """Add the sums of `other`, which stays unchanged.

        Raises
        ------
        UsageError
            If `other` has another number of columns.
        """
        if other.columns != self.columns:
            raise UsageError(f"cannot merge {other.columns} columns into {self.columns}")
        sums = other._exact()
        self._carried_sums = [
            mine + other_sum for mine, other_sum in zip(self._carried_sums, sums, strict=True)
        ]

    def to_text(self) -> list[str]:
        """Return the sum of each column in the format of `written_sum`.

        Equal sums give equal text.

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
        """Read sums from the output of `to_text`.

        Raises
        ------
        InputError
            If the text has another format.
        """
        result = cls(len(sums))
        result._carried_sums = [read_sum(text) for text in sums]
        return result

    def totals(self) -> Float64:
        """Return the sum of each column, float64[columns], correctly rounded.

        Raises
        ------
        OverflowError
            If a sum is beyond the largest double.
        """
        return np.array([units / UNITS_PER_ONE for units in self._exact()], np.float64)

    def _exact(self) -> list[int]:
        """Return the sum of each column in units of the smallest double."""
        sums = list(self._carried_sums)
        for column, limb_index in zip(*np.nonzero(self._limbs != 0), strict=True):
            exponent, is_high_half = divmod(int(limb_index), 2)
            # The exponents 0 (subnormal numbers) and 1 have the same unit.
            sums[column] += int(self._limbs[column, limb_index]) << (
                max(exponent - 1, 0) + 32 * is_high_half
            )
        return sums

    def _carry(self) -> None:
        """Move the limbs into Python integers, so that further values can be added."""
        self._carried_sums = self._exact()
        self._limbs[:] = 0
        self._values_until_carry = VALUES_PER_CARRY


def finite_matrix(matrix: npt.ArrayLike, columns: int) -> Float64:
    """Return the matrix as contiguous float64[S, columns]; all values must be finite.

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
    """Format an exact sum, in units of 2**-1074, as hexadecimal digits and a power of two.

    Examples
    --------
    >>> written_sum(10 * UNITS_PER_ONE), written_sum(-UNITS_PER_ONE // 4), written_sum(0)
    ('5p1', '-1p-2', '0')
    """
    if units == 0:
        return "0"
    shift = (units & -units).bit_length() - 1
    return f"{units >> shift:x}p{shift + SMALLEST}"


def read_sum(text: object) -> int:
    """Return the sum, in units of 2**-1074, that `written_sum` has written.

    Raises
    ------
    InputError
        If the text has another format, or the sum is too large for a sum of 2**63 doubles.

    Examples
    --------
    >>> read_sum("5p1") == 10 * UNITS_PER_ONE
    True
    """
    if text == "0":
        return 0
    match = _SUM_PATTERN.fullmatch(text) if isinstance(text, str) else None
    if match is not None and len(match[1]) <= MAX_BITS // 4:
        digits, shift = int(match[1], 16), int(match[2]) - SMALLEST
        if digits % 2 and shift >= 0 and digits.bit_length() + shift <= MAX_BITS:
            return digits << shift
    quoted = repr(text)
    quoted = quoted if len(quoted) <= 40 else f"{quoted[:40]}…"
    raise InputError(
        "", f"{quoted} is not an exact sum", "odd hexadecimal digits and a power: 5p-1"
    )
