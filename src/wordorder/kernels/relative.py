"""From two orders of one sentence to one permutation."""

import cython


def relative_permutation(
    system: cython.const[cython.int][::1],
    system_offsets: cython.const[cython.longlong][::1],
    reference: cython.const[cython.int][::1],
    reference_ranks: cython.const[cython.int][::1],
    reference_offsets: cython.const[cython.longlong][::1],
    permutation: cython.int[::1],
    groups: cython.int[::1],
    kept: cython.uchar[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    seen: cython.int[::1],
    rank_of: cython.int[::1],
    count: cython.int[::1],
    place: cython.int[::1],
) -> None:
    """Write for each system position the rank of its word in the reference.

    `system` and `reference` hold distinct source positions, ``reference_ranks`` the dense rank of
    the tie group of each. ``kept[i]`` is 1 where the reference has the system's word; only there
    `groups` (the dense rank of its group among the kept words) and `permutation` (the place of
    the word when tied words are read in the system's order) mean anything. The reference's other
    words are left out of all ranks.

    Scratch: `seen` (zeros) and `rank_of`, as long as the largest source position plus one;
    `count` and `place`, as long as the longest reference.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, position=cython.int, rank=cython.int)
    cython.declare(size=cython.int, places=cython.int, dense=cython.int, stamp=cython.int)
    with cython.nogil:
        for row in range(first, last):
            stamp = cython.cast(cython.int, row - first + 1)
            size = cython.cast(cython.int, reference_offsets[row + 1] - reference_offsets[row])
            for rank in range(size):
                count[rank] = 0
            for i in range(reference_offsets[row], reference_offsets[row + 1]):
                position = reference[i]
                seen[position] = stamp
                rank_of[position] = reference_ranks[i]
            for i in range(system_offsets[row], system_offsets[row + 1]):
                position = system[i]
                if seen[position] == stamp:
                    kept[i] = 1
                    count[rank_of[position]] += 1
                else:
                    kept[i] = 0
            # From here on `count` holds dense ranks: both are needed once per group only.
            places = 0
            dense = 0
            for rank in range(size):
                place[rank] = places
                places += count[rank]
                if count[rank] > 0:
                    count[rank] = dense
                    dense += 1
            for i in range(system_offsets[row], system_offsets[row + 1]):
                if kept[i] != 0:
                    rank = rank_of[system[i]]
                    groups[i] = count[rank]
                    permutation[i] = place[rank]
                    place[rank] += 1


def untied_permutation(
    system: cython.const[cython.int][::1],
    system_offsets: cython.const[cython.longlong][::1],
    reference: cython.const[cython.int][::1],
    reference_offsets: cython.const[cython.longlong][::1],
    permutation: cython.int[::1],
    missing: cython.uchar[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    seen: cython.longlong[::1],
) -> None:
    """Write what `relative_permutation` does where no words tie and both orders have all words.

    ``missing[0]`` becomes 1 if a word of one is not in the other; the rest then means nothing.

    Scratch: `seen`, as long as the largest source position plus one; -1 everywhere.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, start=cython.longlong)
    cython.declare(place=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            start = reference_offsets[row]
            for i in range(start, reference_offsets[row + 1]):
                seen[reference[i]] = i
            if system_offsets[row + 1] - system_offsets[row] != reference_offsets[row + 1] - start:
                missing[0] = 1
                break
            # Places of earlier rows are smaller than the start of this one.
            for i in range(system_offsets[row], system_offsets[row + 1]):
                place = seen[system[i]] - start
                if place < 0:
                    missing[0] = 1
                    break
                permutation[i] = cython.cast(cython.int, place)
            if missing[0] != 0:
                break
