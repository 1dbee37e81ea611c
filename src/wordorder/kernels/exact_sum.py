"""Sums of doubles without any rounding: each mantissa goes to the limbs of its exponent."""

import cython

HIDDEN_BIT = cython.declare(cython.longlong, 1 << 52)  # the leading 1 that a double leaves out
LOW_WORD = cython.declare(cython.longlong, (1 << 32) - 1)


def add_exactly(
    bits: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    limbs: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Add the rows ``first .. last-1`` of a matrix of finite doubles to one accumulator a column.

    `bits` [rows * columns] is the matrix seen as integers. ``limbs`` [columns * 4096] holds for
    each column and each of the 2,048 exponents two limbs, the sums of the low 32 and of the high
    21 bits of the mantissas, signed. A limb has room for 2**31 values.
    """
    cython.declare(row=cython.Py_ssize_t, column=cython.Py_ssize_t, limb=cython.Py_ssize_t)
    cython.declare(value=cython.longlong, sign=cython.longlong, exponent=cython.longlong)
    cython.declare(mantissa=cython.longlong, low=cython.longlong, high=cython.longlong)
    hidden_bit: cython.longlong = HIDDEN_BIT
    low_word: cython.longlong = LOW_WORD
    with cython.nogil:
        for row in range(first, last):
            for column in range(columns):
                value = bits[row * columns + column]
                sign = value >> 63  # 0 or -1: (x ^ sign) - sign is x or -x
                exponent = (value >> 52) & 2047
                mantissa = value & (hidden_bit - 1)
                if exponent != 0:
                    mantissa += hidden_bit
                low = mantissa & low_word
                high = mantissa >> 32
                limb = column * 4096 + 2 * exponent
                limbs[limb] += (low ^ sign) - sign
                limbs[limb + 1] += (high ^ sign) - sign


def add_to_buckets(
    bits: cython.const[cython.longlong][::1],
    columns: cython.Py_ssize_t,
    buckets: cython.const[cython.int][::1],
    lowest: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
    limbs: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Add the rows ``first .. last-1`` of a matrix of finite doubles, each to its bucket's sums.

    `bits` [rows * columns] is the matrix seen as integers, `buckets` [rows] where each row goes.
    ``limbs`` [buckets * columns * width] holds for each bucket and column a number in limbs of 32
    bits, signed, the lowest first; limb 0 counts units of ``2 ** (32 * lowest - 1074)``. Every
    value that is not 0 must lie within them. A limb has room for 2**30 rows.
    """
    cython.declare(row=cython.Py_ssize_t, column=cython.Py_ssize_t, limb=cython.Py_ssize_t)
    cython.declare(value=cython.longlong, sign=cython.longlong, exponent=cython.longlong)
    cython.declare(mantissa=cython.longlong, place=cython.longlong, low=cython.longlong)
    cython.declare(high=cython.longlong, middle=cython.longlong)
    hidden_bit: cython.longlong = HIDDEN_BIT
    low_word: cython.longlong = LOW_WORD
    with cython.nogil:
        for row in range(first, last):
            for column in range(columns):
                value = bits[row * columns + column]
                sign = value >> 63  # 0 or -1, as above
                exponent = (value >> 52) & 2047
                mantissa = value & (hidden_bit - 1)
                place = 0
                if exponent != 0:
                    mantissa += hidden_bit
                    place = exponent - 1
                if mantissa != 0:
                    low = (mantissa & low_word) << (place & 31)
                    high = (mantissa >> 32) << (place & 31)
                    middle = (low >> 32) + (high & low_word)
                    low = low & low_word
                    high = high >> 32
                    limb = (buckets[row] * columns + column) * width
                    limb += cython.cast(cython.Py_ssize_t, place >> 5) - lowest
                    limbs[limb] += (low ^ sign) - sign
                    limbs[limb + 1] += (middle ^ sign) - sign
                    limbs[limb + 2] += (high ^ sign) - sign
