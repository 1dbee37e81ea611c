"""Which neighbours a system keeps together, if tied words are read as suits it best."""

import cython


def kept_tied_pairs(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    kept: cython.uchar[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    head: cython.int[::1],
    runs: cython.int[::1],
    best_run: cython.int[::1],
    other_run: cython.int[::1],
    following: cython.int[::1],
    group_of: cython.int[::1],
    before: cython.int[::1],
    start_of: cython.longlong[::1],
) -> None:
    """Mark the pairs that `chunks.contiguous_tied_pairs` counts, under one best reading.

    ``groups[i]`` is the dense rank of the system's ``i``-th word; ``kept[i]``, zero before, becomes
    1 if that word and the one before it in its row are kept together. The dynamic programme is the
    same: its state is the run that a group reads first, or none (-1). Of each group the best state
    and the best other one are noted, and for each run the state of the group before it through
    which it is reached, so that the way can be followed back from the last group.

    Scratch: eight arrays of the longest row's length plus one.
    """
    cython.declare(row=cython.Py_ssize_t, start=cython.longlong, stop=cython.longlong)
    cython.declare(i=cython.longlong, run=cython.int, size=cython.int, group=cython.int)
    cython.declare(top=cython.int, best=cython.int, other=cython.int, next_best=cython.int)
    cython.declare(next_other=cython.int, value=cython.int)
    with cython.nogil:
        for row in range(first, last):
            start = offsets[row]
            stop = offsets[row + 1]
            if stop - start < 2:
                continue
            top = 0
            for i in range(start, stop):
                if groups[i] > top:
                    top = groups[i]
            for group in range(top + 1):
                head[group] = -1
                runs[group] = 0
            size = 0
            for i in range(start, stop):
                group = groups[i]
                if i > start and groups[i - 1] == group:
                    kept[i] = 1
                    continue
                group_of[size] = group
                start_of[size] = i
                following[size] = head[group]
                head[group] = size
                runs[group] += 1
                size += 1
            best = 0
            best_run[0] = -1
            other = -1
            other_run[0] = -1
            for group in range(1, top + 1):
                next_best = best
                best_run[group] = -1
                next_other = -1
                other_run[group] = -1
                run = head[group]
                while run >= 0:
                    if run > 0 and group_of[run - 1] == group - 1:
                        if runs[group - 1] == 1 or best_run[group - 1] != run - 1:
                            value = best + 1
                            before[run] = best_run[group - 1]
                        else:
                            value = other + 1
                            before[run] = other_run[group - 1]
                        if value > next_best:
                            next_other = next_best
                            other_run[group] = best_run[group]
                            next_best = value
                            best_run[group] = run
                        elif value > next_other:
                            next_other = value
                            other_run[group] = run
                    run = following[run]
                best = next_best
                other = next_other
            group = top
            run = best_run[top]
            while group > 0:
                group -= 1
                if run < 0:
                    run = best_run[group]
                else:
                    kept[start_of[run]] = 1
                    run = before[run]
