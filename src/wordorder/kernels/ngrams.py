"""N-grams that a hypothesis shares with its references.

An n-gram is the n-gram without its last entry, by number, and this entry. Only n-grams of the
hypothesis get a number, from 1 on, and only where both runs of n - 1 entries in them are shared:
what is not found at one order is not looked at for the next. Which n-grams are shared cannot be
foreseen, so the innermost lines do without branches: 0 is the number of all others.
"""

import cython

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
SPREAD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def slot_of(
    keys: cython.ulonglong[::1],
    key: cython.ulonglong,
    shift: cython.int,
    mask: cython.longlong,
) -> cython.longlong:
    """Return where a key is in a table with open addressing, or the free slot for it."""
    at: cython.longlong = cython.cast(cython.longlong, ((key * SPREAD) & MASK64) >> shift)
    while keys[at] != key and keys[at] != 0:
        at = (at + 1) & mask
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def key_of(before: cython.int, entry: cython.int) -> cython.ulonglong:
    """Return one number for the number of an n-gram, at least 1, and the entry behind it."""
    return (cython.cast(cython.ulonglong, before) << 32) | cython.cast(cython.ulonglong, entry)


def shared_ngrams(
    hypothesis: cython.const[cython.int][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    hypothesis_of: cython.const[cython.longlong][::1],
    references: cython.const[cython.int][::1],
    reference_starts: cython.const[cython.longlong][::1],
    reference_stops: cython.const[cython.longlong][::1],
    reference_offsets: cython.const[cython.longlong][::1],
    orders: cython.int,
    shared: cython.longlong[::1],
    by_place: cython.bint,
    matched: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    scratch: cython.int[::1],
    keys: cython.ulonglong[::1],
) -> None:
    """Count the n-grams of a hypothesis that match, clipped by the most frequent reference.

    Group `g` is the hypothesis ``hypothesis[starts[h] : stops[h]]`` with ``h = hypothesis_of[g]``
    and the references ``references[reference_starts[r] : reference_stops[r]]`` with `r` from
    ``reference_offsets[g]`` to before ``reference_offsets[g + 1]``. All entries are at least 0.
    The matches of n-grams go to ``shared[orders * g + n - 1]``. If `by_place`, those of each n-gram
    go to ``matched[(n - 1) * entries + place]`` too, at its first place in the hypotheses. Both
    must hold 0 everywhere.

    Scratch: ten times the longest group, counted with one entry more for each reference, and 10
    more; keys: four times and 4 more.
    """
    cython.declare(group=cython.Py_ssize_t, row=cython.longlong, i=cython.longlong)
    cython.declare(at=cython.longlong, start=cython.longlong, length=cython.longlong)
    cython.declare(base=cython.longlong, size=cython.longlong, left=cython.longlong)
    cython.declare(total=cython.longlong, order=cython.int, shift=cython.int, number=cython.int)
    cython.declare(known=cython.int, one=cython.int, key=cython.ulonglong)
    entries: cython.longlong = hypothesis.shape[0]
    room: cython.Py_ssize_t = scratch.shape[0] // 10
    # The number of the n-gram that starts at each place of the hypothesis and of all references.
    ours: cython.int[::1] = scratch[0:room]
    theirs: cython.int[::1] = scratch[room : 2 * room]
    # Of each n-gram: its first place, how often it occurs in the hypothesis, how often at most in
    # one reference (but no oftener), how often in the present one.
    place: cython.int[::1] = scratch[2 * room : 3 * room]
    count: cython.int[::1] = scratch[3 * room : 4 * room]
    most: cython.int[::1] = scratch[4 * room : 5 * room]
    now: cython.int[::1] = scratch[5 * room : 6 * room]
    # Beside the keys of n-grams, their numbers.
    numbers: cython.int[::1] = scratch[6 * room : 10 * room]
    with cython.nogil:
        for group in range(first, last):
            start = starts[hypothesis_of[group]]
            length = stops[hypothesis_of[group]] - start
            for i in range(length + 1):
                ours[i] = 1
            base = 0
            for row in range(reference_offsets[group], reference_offsets[group + 1]):
                base += reference_stops[row] - reference_starts[row] + 1
            for i in range(base):
                theirs[i] = 1
            left = length
            for order in range(1, orders + 1):
                if length < order:
                    break
                size = 2
                shift = 63
                while size < 2 * left:
                    size *= 2
                    shift -= 1
                for i in range(size):
                    keys[i] = 0
                for i in range(size):
                    numbers[i] = 0
                for i in range(left + 1):
                    count[i] = 0
                    most[i] = 0
                    now[i] = 0
                known = 0
                for i in range(length - order + 1):
                    if ours[i] == 0 or ours[i + 1] == 0:
                        ours[i] = 0
                        continue
                    key = key_of(ours[i], hypothesis[start + i + order - 1])
                    at = slot_of(keys, key, shift, size - 1)
                    number = numbers[at]
                    one = number == 0
                    known += one
                    number += known & -one
                    keys[at] = key
                    numbers[at] = number
                    count[number] += 1
                    ours[i] = number
                    if by_place and one:
                        place[number] = cython.cast(cython.int, i)
                total = 0
                base = 0
                for row in range(reference_offsets[group], reference_offsets[group + 1]):
                    at = reference_starts[row] + order - 1 - base
                    for i in range(base, reference_stops[row] - at):
                        if theirs[i] == 0 or theirs[i + 1] == 0:
                            theirs[i] = 0
                            continue
                        key = key_of(theirs[i], references[at + i])
                        number = numbers[slot_of(keys, key, shift, size - 1)]
                        theirs[i] = number
                        now[number] += 1
                        one = (now[number] > most[number]) & (now[number] <= count[number])
                        most[number] += one
                        total += one
                    for i in range(known + 1):
                        now[i] = 0
                    base += reference_stops[row] - reference_starts[row] + 1
                if total == 0:
                    break
                shared[group * orders + order - 1] = total
                if by_place:
                    for number in range(1, known + 1):
                        matched[(order - 1) * entries + start + place[number]] = most[number]
                left = 0
                for i in range(length - order + 1):
                    one = most[ours[i]] > 0
                    ours[i] &= -one
                    left += one


def bag_matches(
    hypothesis: cython.const[cython.int][::1],
    hypothesis_offsets: cython.const[cython.longlong][::1],
    references: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    segment_of: cython.const[cython.longlong][::1],
    matches: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    free: cython.int[::1],
) -> None:
    """Count per reference the words that hypothesis and reference share, each instance once.

    Scratch: an array of as many entries as a segment has different words, all 0.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, start=cython.longlong)
    cython.declare(stop=cython.longlong, count=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            start = hypothesis_offsets[segment_of[row]]
            stop = hypothesis_offsets[segment_of[row] + 1]
            for i in range(start, stop):
                free[hypothesis[i]] += 1
            count = 0
            for i in range(offsets[row], offsets[row + 1]):
                if free[references[i]] > 0:
                    free[references[i]] -= 1
                    count += 1
            for i in range(start, stop):
                free[hypothesis[i]] = 0
            matches[row] = count
