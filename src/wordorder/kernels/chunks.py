"""How many adjacent words a system keeps together: the count behind the reordering scores."""

import cython


def contiguous_pairs(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    pairs: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Count per row the positions ``i`` with ``permutation[i+1] == permutation[i] + 1``."""
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, count=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            count = 0
            for i in range(offsets[row] + 1, offsets[row + 1]):
                if permutation[i] == permutation[i - 1] + 1:
                    count += 1
            pairs[row] = count


def contiguous_rank_pairs(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    pairs: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Count per row the neighbours whose ranks are equal or rise by exactly one."""
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, count=cython.longlong, step=cython.int)
    with cython.nogil:
        for row in range(first, last):
            count = 0
            for i in range(offsets[row] + 1, offsets[row + 1]):
                step = groups[i] - groups[i - 1]
                if step == 0 or step == 1:
                    count += 1
            pairs[row] = count


def contiguous_tied_pairs(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    pairs: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    head: cython.int[::1],
    runs: cython.int[::1],
    following: cython.int[::1],
    group_of: cython.int[::1],
) -> None:
    """Count contiguous pairs under the reading of the ties that suits the row best.

    ``groups[i]`` is the dense rank of the system's ``i``-th word. A pair inside a group always
    counts. Between the groups ``g`` and ``g+1`` one pair can count: the word that ends a run ``a``
    of ``g`` and the word after it, which starts a run ``b`` of ``g+1``; then ``a`` is read last
    in ``g`` and ``b`` first in ``g+1``. A group with several runs cannot read one run both first
    and last, so the state of the dynamic programme is the run that its group reads first.

    Scratch: four arrays of the longest row's length.
    """
    cython.declare(row=cython.Py_ssize_t, start=cython.longlong, stop=cython.longlong)
    cython.declare(i=cython.longlong, count=cython.longlong, run=cython.int, size=cython.int)
    cython.declare(group=cython.int, top=cython.int)
    # The best value over all first runs of the current group, the run that reaches it (-1: no
    # run is fixed as the first), and the best value of any other state.
    cython.declare(best=cython.int, best_run=cython.int, other=cython.int, next_best=cython.int)
    cython.declare(next_run=cython.int, next_other=cython.int, value=cython.int)
    with cython.nogil:
        for row in range(first, last):
            start = offsets[row]
            stop = offsets[row + 1]
            pairs[row] = 0
            if stop - start < 2:
                continue
            top = 0
            for i in range(start, stop):
                if groups[i] > top:
                    top = groups[i]
            for group in range(top + 1):
                head[group] = -1
                runs[group] = 0
            count = 0
            size = 0
            for i in range(start, stop):
                group = groups[i]
                if i > start and groups[i - 1] == group:
                    count += 1
                    continue
                group_of[size] = group
                following[size] = head[group]
                head[group] = size
                runs[group] += 1
                size += 1
            best = 0
            best_run = -1
            other = -1
            for group in range(1, top + 1):
                next_best = best
                next_run = -1
                next_other = -1
                run = head[group]
                while run >= 0:
                    if run > 0 and group_of[run - 1] == group - 1:
                        if runs[group - 1] == 1 or best_run != run - 1:
                            value = best + 1
                        else:
                            value = other + 1
                        if value > next_best:
                            next_other = next_best
                            next_best = value
                            next_run = run
                        elif value > next_other:
                            next_other = value
                    run = following[run]
                best = next_best
                best_run = next_run
                other = next_other
            pairs[row] = count + best
