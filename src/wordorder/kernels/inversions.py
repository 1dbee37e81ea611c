"""How many pairs are in the wrong order."""

import cython


def inversions(
    ranks: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    discordant: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    merged: cython.int[::1],
    spare: cython.int[::1],
) -> None:
    """Count per row the pairs ``i < j`` with ``ranks[i] > ranks[j]``; equal ranks never count.

    All pairs for short rows (a plain loop that vectorises), a merge sort for long ones.
    Scratch: two arrays of the longest row's length.
    """
    cython.declare(row=cython.Py_ssize_t, start=cython.longlong, stop=cython.longlong)
    cython.declare(i=cython.longlong, j=cython.longlong, rank=cython.int, count=cython.longlong)
    cython.declare(found=cython.int)
    with cython.nogil:
        for row in range(first, last):
            start = offsets[row]
            stop = offsets[row + 1]
            if stop - start > 192:
                discordant[row] = _by_merging(ranks, start, stop, merged, spare)
                continue
            count = 0
            for i in range(start + 1, stop):
                rank = ranks[i]
                found = 0
                for j in range(start, i):
                    found += ranks[j] > rank
                count += found
            discordant[row] = count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _by_merging(
    ranks: cython.const[cython.int][::1],
    start: cython.longlong,
    stop: cython.longlong,
    merged: cython.int[::1],
    spare: cython.int[::1],
) -> cython.longlong:
    """Sort bottom-up; whenever a right item passes left ones, each of those is an inversion."""
    cython.declare(low=cython.longlong, middle=cython.longlong, high=cython.longlong)
    cython.declare(left=cython.longlong, right=cython.longlong, out=cython.longlong)
    size: cython.longlong = stop - start
    width: cython.longlong = 1
    count: cython.longlong = 0
    for out in range(size):
        merged[out] = ranks[start + out]
    while width < size:
        low = 0
        while low < size:
            middle = low + width
            if middle > size:
                middle = size
            high = middle + width
            if high > size:
                high = size
            left = low
            right = middle
            for out in range(low, high):
                if right >= high or (left < middle and merged[left] <= merged[right]):
                    spare[out] = merged[left]
                    left += 1
                else:
                    spare[out] = merged[right]
                    right += 1
                    count += middle - left
            low = high
        for out in range(size):
            merged[out] = spare[out]
        width = width * 2
    return count
