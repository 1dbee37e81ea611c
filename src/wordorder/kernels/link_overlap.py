"""How many links of an alignment are in a gold alignment, sure or possible."""

import cython


def link_overlap(
    source: cython.const[cython.int][::1],
    target: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    gold_source: cython.const[cython.int][::1],
    gold_target: cython.const[cython.int][::1],
    gold_possible: cython.const[cython.uchar][::1],
    gold_offsets: cython.const[cython.longlong][::1],
    sure: cython.longlong[::1],
    in_sure: cython.longlong[::1],
    in_gold: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    table: cython.longlong[::1],
) -> None:
    """Count in each row the sure gold links, and the links that are among these and among all.

    No link is listed twice in a row of either side.

    Scratch: a hash table of gold link numbers, all -1 at first, whose size is a power of two and
    at least twice the longest gold row. What earlier rows left in it has smaller numbers than the
    row's first gold link and counts as empty.
    """
    cython.declare(row=cython.Py_ssize_t, link=cython.longlong, other=cython.longlong)
    cython.declare(start=cython.longlong, slot=cython.longlong)
    mask: cython.longlong = table.shape[0] - 1
    with cython.nogil:
        for row in range(first, last):
            sure[row] = 0
            in_sure[row] = 0
            in_gold[row] = 0
            start = gold_offsets[row]
            for link in range(start, gold_offsets[row + 1]):
                if gold_possible[link] == 0:
                    sure[row] += 1
                slot = cython.cast(cython.longlong, gold_source[link]) * 73856093
                slot = slot ^ (cython.cast(cython.longlong, gold_target[link]) * 19349663)
                slot = (slot ^ (slot >> 17)) & mask
                while table[slot] >= start:
                    slot = (slot + 1) & mask
                table[slot] = link
            for link in range(offsets[row], offsets[row + 1]):
                slot = cython.cast(cython.longlong, source[link]) * 73856093
                slot = slot ^ (cython.cast(cython.longlong, target[link]) * 19349663)
                slot = (slot ^ (slot >> 17)) & mask
                other = table[slot]
                while other >= start:
                    if gold_source[other] == source[link] and gold_target[other] == target[link]:
                        in_gold[row] += 1
                        if gold_possible[other] == 0:
                            in_sure[row] += 1
                        break
                    slot = (slot + 1) & mask
                    other = table[slot]
