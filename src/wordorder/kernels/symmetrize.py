"""Two alignments of one sentence pair, each made from one side, become one.

The marks of a row are the cells of its table, target word by target word: which of the two
alignments has the link, and whether the result has it.
"""

import cython

FORWARD = cython.declare(cython.int, 1)
BACKWARD = cython.declare(cython.int, 2)
BOTH = cython.declare(cython.int, 3)
KEPT = cython.declare(cython.int, 4)

# Which neighbours grow, and which words a link of the final steps may have covered already.
NO_GROWTH = cython.declare(cython.int, 0)
STRAIGHT = cython.declare(cython.int, 1)
DIAGONAL = cython.declare(cython.int, 2)
NO_FINAL = cython.declare(cython.int, 0)
ONE_UNCOVERED = cython.declare(cython.int, 1)
BOTH_UNCOVERED = cython.declare(cython.int, 2)


def symmetrize_rows(
    forward_source: cython.const[cython.int][::1],
    forward_target: cython.const[cython.int][::1],
    forward_offsets: cython.const[cython.longlong][::1],
    backward_source: cython.const[cython.int][::1],
    backward_target: cython.const[cython.int][::1],
    backward_offsets: cython.const[cython.longlong][::1],
    source_lengths: cython.const[cython.longlong][::1],
    target_lengths: cython.const[cython.longlong][::1],
    needed: cython.int,
    growth: cython.int,
    final: cython.int,
    source: cython.int[::1],
    target: cython.int[::1],
    counts: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    marks: cython.uchar[::1],
    source_covered: cython.uchar[::1],
    target_covered: cython.uchar[::1],
) -> None:
    """Write the links of each row behind the sum of both offsets, and how many there are.

    A link is kept first if the bits of `needed` are among its marks (of 0: if it has any mark).
    Scratch: the cells of the largest row, and the words of the longest.
    """
    cython.declare(row=cython.Py_ssize_t, k=cython.longlong, i=cython.longlong)
    cython.declare(rows=cython.longlong, columns=cython.longlong, place=cython.longlong)
    cython.declare(begin=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            columns = source_lengths[row]
            rows = target_lengths[row]
            for k in range(rows * columns):
                marks[k] = 0
            for k in range(columns):
                source_covered[k] = 0
            for k in range(rows):
                target_covered[k] = 0
            for k in range(forward_offsets[row], forward_offsets[row + 1]):
                marks[forward_target[k] * columns + forward_source[k]] |= FORWARD
            for k in range(backward_offsets[row], backward_offsets[row + 1]):
                marks[backward_target[k] * columns + backward_source[k]] |= BACKWARD
            for k in range(rows):
                for i in range(columns):
                    place = k * columns + i
                    if marks[place] != 0 and (marks[place] & needed) == needed:
                        marks[place] |= KEPT
                        source_covered[i] = 1
                        target_covered[k] = 1
            if growth != NO_GROWTH:
                while grow(rows, columns, growth, marks, source_covered, target_covered):
                    pass
            if final != NO_FINAL:
                finish(rows, columns, FORWARD, final, marks, source_covered, target_covered)
                finish(rows, columns, BACKWARD, final, marks, source_covered, target_covered)
            begin = forward_offsets[row] + backward_offsets[row]
            place = begin
            for i in range(columns):
                for k in range(rows):
                    if marks[k * columns + i] & KEPT:
                        source[place] = cython.cast(cython.int, i)
                        target[place] = cython.cast(cython.int, k)
                        place += 1
            counts[row] = place - begin


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def grow(
    rows: cython.longlong,
    columns: cython.longlong,
    growth: cython.int,
    marks: cython.uchar[::1],
    source_covered: cython.uchar[::1],
    target_covered: cython.uchar[::1],
) -> cython.bint:
    """Add marked neighbours of kept links that cover a word, in one scan; say whether any was.

    A link that is added before the place of the scan waits for the next one.
    """
    cython.declare(t=cython.longlong, s=cython.longlong, y=cython.longlong, x=cython.longlong)
    cython.declare(step=cython.int)
    steps: cython.int = 8 if growth == DIAGONAL else 4
    added: cython.bint = False
    for t in range(rows):
        for s in range(columns):
            if not (marks[t * columns + s] & KEPT):
                continue
            for step in range(steps):
                # Above, left, below, right; then the corners, left before right.
                if step < 4:
                    y = t + (step - 1 if step % 2 == 0 else 0)
                    x = s + (step - 2 if step % 2 == 1 else 0)
                else:
                    y = t + (-1 if step < 6 else 1)
                    x = s + (-1 if step % 2 == 0 else 1)
                if y < 0 or y >= rows or x < 0 or x >= columns:
                    continue
                if marks[y * columns + x] == 0 or marks[y * columns + x] & KEPT:
                    continue
                if source_covered[x] and target_covered[y]:
                    continue
                marks[y * columns + x] |= KEPT
                source_covered[x] = 1
                target_covered[y] = 1
                added = True
    return added


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def finish(
    rows: cython.longlong,
    columns: cython.longlong,
    side: cython.int,
    final: cython.int,
    marks: cython.uchar[::1],
    source_covered: cython.uchar[::1],
    target_covered: cython.uchar[::1],
) -> cython.void:
    """Add the links that only one alignment has, where words are not covered yet."""
    cython.declare(t=cython.longlong, s=cython.longlong, covered=cython.int)
    for t in range(rows):
        for s in range(columns):
            if marks[t * columns + s] != side:
                continue
            covered = source_covered[s] + target_covered[t]
            if covered == 0 or (covered == 1 and final == ONE_UNCOVERED):
                marks[t * columns + s] |= KEPT
                source_covered[s] = 1
                target_covered[t] = 1
