"""What order metrics count in rows of ranks: pairs, distances, neighbours, words in order."""

import cython
from cython import Py_ssize_t, bint, longlong, uchar


def inversions(
    ranks: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    discordant: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    merged: cython.int[::1],
    spare: cython.int[::1],
) -> None:
    """Count per row the pairs ``i < j`` with ``ranks[i] > ranks[j]``; equal ranks never count.

    All pairs for short rows (a plain loop that vectorises), a merge sort for long ones.
    Scratch: two arrays of the longest row's length.
    """
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            stop: longlong = offsets[row + 1]
            if stop - start > 192:
                discordant[row] = _by_merging(ranks, start, stop, merged, spare)
                continue
            count: longlong = 0
            for i in range(start + 1, stop):
                rank: cython.int = ranks[i]
                found: cython.int = 0
                for j in range(start, i):
                    found += ranks[j] > rank
                count += found
            discordant[row] = count


@cython.cfunc
@cython.nogil
def _by_merging(
    ranks: cython.const[cython.int][::1],
    start: longlong,
    stop: longlong,
    merged: cython.int[::1],
    spare: cython.int[::1],
) -> longlong:
    """Sort bottom-up; whenever a right item passes left ones, each of those is an inversion."""
    size: longlong = stop - start
    width: longlong = 1
    count: longlong = 0
    for out in range(size):
        merged[out] = ranks[start + out]
    while width < size:
        low: longlong = 0
        while low < size:
            middle: longlong = low + width
            if middle > size:
                middle = size
            high: longlong = middle + width
            if high > size:
                high = size
            left: longlong = low
            right: longlong = middle
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


def squared_displacement(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    total: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Sum per row ``(permutation[i] - i)**2``."""
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            count: longlong = 0
            for i in range(start, offsets[row + 1]):
                away: longlong = permutation[i] - (i - start)
                count += away * away
            total[row] = count


def squared_tied_displacement(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    total: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    starts: cython.int[::1],
) -> None:
    """Sum per row ``(2 * middle - 2 * i)**2``, `middle` being the mean place of the word's group.

    Doubled, since a mean place may be a half. Scratch: an array one longer than the longest row.
    """
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            group_starts(groups, start, offsets[row + 1], starts)
            count: longlong = 0
            for i in range(start, offsets[row + 1]):
                group: cython.int = groups[i]
                away: longlong = starts[group] + starts[group + 1] - 1 - 2 * (i - start)
                count += away * away
            total[row] = count


def in_place(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    total: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Count per row the positions with ``permutation[i] == i``."""
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            count: longlong = 0
            for i in range(start, offsets[row + 1]):
                if permutation[i] == i - start:
                    count += 1
            total[row] = count


def in_tied_place(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    total: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    starts: cython.int[::1],
) -> None:
    """Count per row the words that are in one of the places of their group.

    Each such place is claimed by one word only, so the reference can be read to have them all.
    Scratch: an array one longer than the longest row.
    """
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            group_starts(groups, start, offsets[row + 1], starts)
            count: longlong = 0
            for i in range(start, offsets[row + 1]):
                group: cython.int = groups[i]
                if starts[group] <= i - start and i - start < starts[group + 1]:
                    count += 1
            total[row] = count


@cython.cfunc
@cython.nogil
def group_starts(
    groups: cython.const[cython.int][::1], start: longlong, stop: longlong, starts: cython.int[::1]
) -> cython.int:
    """Fill ``starts[g]`` with the first place of group `g` in the reference, one past the last."""
    for i in range(stop - start + 1):
        starts[i] = 0
    for i in range(start, stop):
        starts[groups[i] + 1] += 1
    for i in range(1, stop - start + 1):
        starts[i] += starts[i - 1]
    return 0


def longest_increasing(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    length: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    tails: cython.int[::1],
) -> None:
    """Find per row the length of the longest increasing subsequence.

    ``tails[k]`` is the smallest last value of an increasing subsequence of length ``k + 1``.
    Scratch: one array of the longest row's length.
    """
    with cython.nogil:
        for row in range(first, last):
            size: cython.int = 0
            for i in range(offsets[row], offsets[row + 1]):
                value: cython.int = permutation[i]
                if size == 0 or tails[size - 1] < value:
                    tails[size] = value
                    size += 1
                    continue
                low: cython.int = 0
                high: cython.int = size - 1
                while low < high:
                    middle: cython.int = (low + high) >> 1
                    if tails[middle] < value:
                        low = middle + 1
                    else:
                        high = middle
                tails[low] = value
            length[row] = size


def relative_permutation(
    system: cython.const[cython.int][::1],
    system_offsets: cython.const[longlong][::1],
    reference: cython.const[cython.int][::1],
    reference_ranks: cython.const[cython.int][::1],
    reference_offsets: cython.const[longlong][::1],
    permutation: cython.int[::1],
    groups: cython.int[::1],
    kept: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
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
    cython.declare(places=cython.int, dense=cython.int)
    with cython.nogil:
        for row in range(first, last):
            stamp: cython.int = cython.cast(cython.int, row - first + 1)
            size: cython.int = cython.cast(
                cython.int, reference_offsets[row + 1] - reference_offsets[row]
            )
            for rank in range(size):
                count[rank] = 0
            for i in range(reference_offsets[row], reference_offsets[row + 1]):
                position: cython.int = reference[i]
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
            places = dense = 0
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
    system_offsets: cython.const[longlong][::1],
    reference: cython.const[cython.int][::1],
    reference_offsets: cython.const[longlong][::1],
    permutation: cython.int[::1],
    missing: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    seen: longlong[::1],
) -> None:
    """Write what `relative_permutation` does where no words tie and both orders have all words.

    ``missing[0]`` becomes 1 if a word of one is not in the other; the rest then means nothing.

    Scratch: `seen`, as long as the largest source position plus one; -1 everywhere.
    """
    with cython.nogil:
        for row in range(first, last):
            start: longlong = reference_offsets[row]
            for i in range(start, reference_offsets[row + 1]):
                seen[reference[i]] = i
            if system_offsets[row + 1] - system_offsets[row] != reference_offsets[row + 1] - start:
                missing[0] = 1
                break
            # Places of earlier rows are smaller than the start of this one.
            for i in range(system_offsets[row], system_offsets[row + 1]):
                place: longlong = seen[system[i]] - start
                if place < 0:
                    missing[0] = 1
                    break
                permutation[i] = cython.cast(cython.int, place)
            if missing[0] != 0:
                break


def contiguous_pairs(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    pairs: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Count per row the positions ``i`` with ``permutation[i+1] == permutation[i] + 1``."""
    with cython.nogil:
        for row in range(first, last):
            count: longlong = 0
            for i in range(offsets[row] + 1, offsets[row + 1]):
                if permutation[i] == permutation[i - 1] + 1:
                    count += 1
            pairs[row] = count


def contiguous_rank_pairs(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    pairs: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Count per row the neighbours whose ranks are equal or rise by exactly one."""
    with cython.nogil:
        for row in range(first, last):
            count: longlong = 0
            for i in range(offsets[row] + 1, offsets[row + 1]):
                step: cython.int = groups[i] - groups[i - 1]
                if step == 0 or step == 1:
                    count += 1
            pairs[row] = count


def contiguous_tied_pairs(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    pairs: longlong[::1],
    kept: uchar[::1],
    marking: bint,
    first: Py_ssize_t,
    last: Py_ssize_t,
    head: cython.int[::1],
    runs: cython.int[::1],
    best_run: cython.int[::1],
    other_run: cython.int[::1],
    following: cython.int[::1],
    group_of: cython.int[::1],
    before: cython.int[::1],
    start_of: longlong[::1],
) -> None:
    """Count contiguous pairs under the reading of the ties that suits the row best.

    ``groups[i]`` is the dense rank of the system's ``i``-th word. With `marking`, ``kept[i]``, zero
    before, becomes 1 if that word and the one before it in its row are kept together. A pair inside
    a group always counts. Between the groups ``g`` and ``g+1`` one pair can count: the word that
    ends a run ``a`` of ``g`` and the word after it, which starts a run ``b`` of ``g+1``; then ``a``
    is read last in ``g`` and ``b`` first in ``g+1``. A group with several runs cannot read one run
    both first and last, so the state of the dynamic programme is the run that its group reads
    first, or none (-1). Of each group the best state and the best other one are noted, and for each
    run the state of the group before it through which it is reached, so that the way can be
    followed back from the last group.

    Scratch: eight arrays of the longest row's length plus one.
    """
    cython.declare(group=cython.int)
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            stop: longlong = offsets[row + 1]
            pairs[row] = 0
            if stop - start < 2:
                continue
            for i in range(stop - start):
                head[i] = -1
                runs[i] = 0
            top: cython.int = 0
            size: cython.int = 0
            count: longlong = 0
            for i in range(start, stop):
                group = groups[i]
                if i > start and groups[i - 1] == group:
                    count += 1
                    if marking:
                        kept[i] = 1
                    continue
                top = max(top, group)
                group_of[size] = group
                start_of[size] = i
                following[size] = head[group]
                head[group] = size
                runs[group] += 1
                size += 1
            best: cython.int = 0
            best_run[0] = -1
            other: cython.int = -1
            other_run[0] = -1
            for group in range(1, top + 1):
                next_best: cython.int = best
                best_run[group] = -1
                next_other: cython.int = -1
                other_run[group] = -1
                run: cython.int = head[group]
                while run >= 0:
                    if run > 0 and group_of[run - 1] == group - 1:
                        if runs[group - 1] == 1 or best_run[group - 1] != run - 1:
                            value: cython.int = best + 1
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
            pairs[row] = count + best
            if not marking:
                continue
            group = top
            run = best_run[top]
            while group > 0:
                group -= 1
                if run < 0:
                    run = best_run[group]
                else:
                    kept[start_of[run]] = 1
                    run = before[run]
