"""How far words are from their places: squared distances and words in place."""

import cython


def squared_displacement(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    total: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Sum per row ``(permutation[i] - i)**2``."""
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, start=cython.longlong)
    cython.declare(away=cython.longlong, count=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            start = offsets[row]
            count = 0
            for i in range(start, offsets[row + 1]):
                away = permutation[i] - (i - start)
                count += away * away
            total[row] = count


def squared_tied_displacement(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    total: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    starts: cython.int[::1],
) -> None:
    """Sum per row ``(2 * middle - 2 * i)**2``, `middle` being the mean place of the word's group.

    Doubled, since a mean place may be a half. Scratch: an array one longer than the longest row.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, start=cython.longlong)
    cython.declare(away=cython.longlong, count=cython.longlong, group=cython.int)
    with cython.nogil:
        for row in range(first, last):
            start = offsets[row]
            group_starts(groups, start, offsets[row + 1], starts)
            count = 0
            for i in range(start, offsets[row + 1]):
                group = groups[i]
                away = starts[group] + starts[group + 1] - 1 - 2 * (i - start)
                count += away * away
            total[row] = count


def in_place(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    total: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Count per row the positions with ``permutation[i] == i``."""
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, start=cython.longlong)
    cython.declare(count=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            start = offsets[row]
            count = 0
            for i in range(start, offsets[row + 1]):
                if permutation[i] == i - start:
                    count += 1
            total[row] = count


def in_tied_place(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    total: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    starts: cython.int[::1],
) -> None:
    """Count per row the words that are in one of the places of their group.

    Each such place is claimed by one word only, so the reference can be read to have them all.
    Scratch: an array one longer than the longest row.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, start=cython.longlong)
    cython.declare(count=cython.longlong, group=cython.int)
    with cython.nogil:
        for row in range(first, last):
            start = offsets[row]
            group_starts(groups, start, offsets[row + 1], starts)
            count = 0
            for i in range(start, offsets[row + 1]):
                group = groups[i]
                if starts[group] <= i - start and i - start < starts[group + 1]:
                    count += 1
            total[row] = count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def group_starts(
    groups: cython.const[cython.int][::1],
    start: cython.longlong,
    stop: cython.longlong,
    starts: cython.int[::1],
) -> cython.int:
    """Fill ``starts[g]`` with the first place of group `g` in the reference, one past the last."""
    cython.declare(i=cython.longlong)
    for i in range(stop - start + 1):
        starts[i] = 0
    for i in range(start, stop):
        starts[groups[i] + 1] += 1
    for i in range(1, stop - start + 1):
        starts[i] += starts[i - 1]
    return 0
