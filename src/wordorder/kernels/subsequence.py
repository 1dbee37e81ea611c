"""The longest part of a row that is in order."""

import cython


def longest_increasing(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    length: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    tails: cython.int[::1],
) -> None:
    """Find per row the length of the longest increasing subsequence.

    ``tails[k]`` is the smallest last value of an increasing subsequence of length ``k + 1``.
    Scratch: one array of the longest row's length.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, value=cython.int, size=cython.int)
    cython.declare(low=cython.int, high=cython.int, middle=cython.int)
    with cython.nogil:
        for row in range(first, last):
            size = 0
            for i in range(offsets[row], offsets[row + 1]):
                value = permutation[i]
                if size == 0 or tails[size - 1] < value:
                    tails[size] = value
                    size += 1
                    continue
                low = 0
                high = size - 1
                while low < high:
                    middle = (low + high) >> 1
                    if tails[middle] < value:
                        low = middle + 1
                    else:
                        high = middle
                tails[low] = value
            length[row] = size
