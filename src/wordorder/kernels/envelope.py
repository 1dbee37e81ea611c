"""Which candidate of each sentence wins at each point of a line through the space of weights.

A candidate is a straight line there: its score at point `x` is ``intercept + x * slope``. The upper
envelope of a sentence's candidates says which of them scores highest, from minus to plus infinity.
"""

import cython

INFINITY = cython.declare(cython.double, float("inf"))
# Of two points that are closer than this, relative to their size, a rounding may make one.
CLOSE = cython.declare(cython.double, 1e-9)


def project(
    features: cython.const[cython.double][::1],
    directions: cython.const[cython.double][::1],
    width: cython.Py_ssize_t,
    candidates: cython.Py_ssize_t,
    out: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the product of each candidate's features with each direction.

    `features` is [candidates, width], `directions` is [D, width], `out` is [D, candidates]. Summed
    in the order of the features, so that candidates with equal features have equal products.
    """
    number: cython.Py_ssize_t = directions.shape[0] // width
    i: cython.Py_ssize_t
    d: cython.Py_ssize_t
    f: cython.Py_ssize_t
    total: cython.double
    with cython.nogil:
        for i in range(first, last):
            for d in range(number):
                total = 0.0
                for f in range(width):
                    total += features[i * width + f] * directions[d * width + f]
                out[d * candidates + i] = total


def best_candidates(
    scores: cython.const[cython.double][::1],
    offsets: cython.const[cython.longlong][::1],
    best: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the first of the candidates with the highest score of each sentence."""
    row: cython.Py_ssize_t
    i: cython.longlong
    highest: cython.longlong
    with cython.nogil:
        for row in range(first, last):
            highest = offsets[row]
            for i in range(offsets[row] + 1, offsets[row + 1]):
                if scores[i] > scores[highest]:
                    highest = i
            best[row] = highest


def envelopes(
    intercepts: cython.const[cython.double][::1],
    slopes: cython.const[cython.double][::1],
    order: cython.const[cython.longlong][::1],
    sentences: cython.Py_ssize_t,
    rows: cython.const[cython.longlong][::1],
    chosen: cython.longlong[::1],
    begins: cython.double[::1],
    counts: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the upper envelope of each sentence on each of several lines.

    Row ``line * sentences + sentence`` has the places ``rows[row] .. rows[row + 1]-1`` of `order`,
    `chosen` and `begins`. `slopes` is [lines, candidates], `order` has the candidates of each
    sentence by rising slope. The envelope of a row is ``counts[row]`` candidates in `chosen`, from
    where the row begins, each with the point from which on it wins in `begins`; the first one wins
    from minus infinity. Of candidates that are equal the one that comes first in `order` is there.
    One that wins at a single point is not.
    """
    row: cython.Py_ssize_t
    line: cython.Py_ssize_t
    start: cython.longlong
    top: cython.longlong
    i: cython.longlong
    new: cython.longlong
    old: cython.longlong
    beaten: cython.int
    rise: cython.double
    point: cython.double
    with cython.nogil:
        for row in range(first, last):
            start = rows[row]
            line = row // sentences * intercepts.shape[0]
            top = start
            for i in range(start, rows[row + 1]):
                new = order[i]
                point = -INFINITY
                beaten = 0
                while top > start:
                    old = chosen[top - 1]
                    rise = slopes[line + new] - slopes[line + old]
                    if rise > 0.0:
                        point = (intercepts[old] - intercepts[new]) / rise
                        if point > begins[top - 1]:
                            break
                    elif intercepts[new] <= intercepts[old]:
                        # Equal slopes: the higher line wins everywhere.
                        beaten = 1
                        break
                    top -= 1
                if beaten:
                    continue
                if top == start:
                    point = -INFINITY
                chosen[top] = new
                begins[top] = point
                top += 1
            counts[row] = top - start


def sort_rows(
    slopes: cython.const[cython.double][::1],
    candidates: cython.Py_ssize_t,
    sentences: cython.Py_ssize_t,
    rows: cython.const[cython.longlong][::1],
    order: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    room: cython.longlong[::1],
) -> None:
    """Write the candidates of each row by rising slope; equal ones stay in their order.

    Rows and slopes are those of `envelopes`. Runs of 1, 2, 4, ... candidates are merged. Scratch:
    `room`, as many places as the longest row has candidates.
    """
    row: cython.Py_ssize_t
    line: cython.Py_ssize_t
    start: cython.longlong
    shift: cython.longlong
    size: cython.longlong
    width: cython.longlong
    low: cython.longlong
    middle: cython.longlong
    high: cython.longlong
    one: cython.longlong
    other: cython.longlong
    at: cython.longlong
    with cython.nogil:
        for row in range(first, last):
            start = rows[row]
            size = rows[row + 1] - start
            line = row // sentences * candidates
            # From places of all lines to candidates.
            shift = start - line
            for at in range(size):
                order[start + at] = shift + at
            width = 1
            while width < size:
                low = 0
                while low + width < size:
                    middle = low + width
                    high = middle + width if middle + width < size else size
                    for at in range(low, middle):
                        room[at] = order[start + at]
                    one = low
                    other = middle
                    at = low
                    while one < middle and other < high:
                        if slopes[line + order[start + other]] < slopes[line + room[one]]:
                            order[start + at] = order[start + other]
                            other += 1
                        else:
                            order[start + at] = room[one]
                            one += 1
                        at += 1
                    while one < middle:
                        order[start + at] = room[one]
                        one += 1
                        at += 1
                    low = high
                width *= 2


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_wide(begin: cython.double, end: cython.double) -> cython.bint:
    """Return whether an interval is more than a rounding; one without a beginning always is."""
    if begin == -INFINITY:
        return True
    size: cython.double = begin if begin >= 0.0 else -begin
    return begin < INFINITY and end - begin > CLOSE * (size if size > 1.0 else 1.0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def sort_points(
    points: cython.double[::1],
    places: cython.longlong[::1],
    size: cython.longlong,
) -> cython.longlong:
    """Sort points with their places; equal ones stay in their order. Return where they are.

    Both arrays have room for twice as many: 0 says that the sorted ones are in the first half,
    `size` in the second. Runs of 1, 2, 4, ... points are merged.
    """
    source: cython.longlong = 0
    target: cython.longlong = size
    width: cython.longlong = 1
    low: cython.longlong
    middle: cython.longlong
    high: cython.longlong
    one: cython.longlong
    other: cython.longlong
    at: cython.longlong
    while width < size:
        low = 0
        while low < size:
            middle = low + width if low + width < size else size
            high = middle + width if middle + width < size else size
            one = source + low
            other = source + middle
            for at in range(target + low, target + high):
                if other >= source + high or (
                    one < source + middle and points[one] <= points[other]
                ):
                    points[at] = points[one]
                    places[at] = places[one]
                    one += 1
                else:
                    points[at] = points[other]
                    places[at] = places[other]
                    other += 1
            low = high
        source, target = target, source
        width *= 2
    return source


def sweeps(
    chosen: cython.const[cython.longlong][::1],
    begins: cython.const[cython.double][::1],
    counts: cython.const[cython.longlong][::1],
    rows: cython.const[cython.longlong][::1],
    sentences: cython.Py_ssize_t,
    statistics: cython.const[cython.double][::1],
    width: cython.Py_ssize_t,
    offsets: cython.const[cython.longlong][::1],
    found: cython.double[::1],
    totals: cython.double[::1],
    kept: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    points: cython.double[::1],
    places: cython.longlong[::1],
    total: cython.double[::1],
) -> None:
    """Write the intervals of whole lines, and the summed statistics of the candidates that win.

    `chosen`, `begins`, `counts` and `rows` are those of `envelopes`; `statistics` is [candidates,
    width]. Line `d` has room for the intervals ``offsets[d] .. offsets[d + 1]-1`` of `found` and
    `totals`, one more than its envelopes have changes; it gets ``kept[d]`` of them, since those
    without any width are left out. Scratch: twice the changes of the longest line, and a row.
    """
    line: cython.Py_ssize_t
    row: cython.Py_ssize_t
    k: cython.Py_ssize_t
    at: cython.longlong
    size: cython.longlong
    start: cython.longlong
    old: cython.longlong
    new: cython.longlong
    out: cython.longlong
    begin: cython.double
    end: cython.double
    with cython.nogil:
        for line in range(first, last):
            for k in range(width):
                total[k] = 0.0
            size = offsets[line + 1] - offsets[line] - 1
            at = 0
            for row in range(line * sentences, (line + 1) * sentences):
                start = chosen[rows[row]] * width
                for k in range(width):
                    total[k] += statistics[start + k]
                for new in range(rows[row] + 1, rows[row] + counts[row]):
                    points[at] = begins[new]
                    places[at] = new
                    at += 1
            start = sort_points(points, places, size)
            out = offsets[line]
            begin = -INFINITY
            for at in range(size + 1):
                if at:
                    old = chosen[places[start + at - 1] - 1] * width
                    new = chosen[places[start + at - 1]] * width
                    for k in range(width):
                        total[k] += statistics[new + k] - statistics[old + k]
                end = points[start + at] if at < size else INFINITY
                if is_wide(begin, end):
                    found[out] = begin
                    for k in range(width):
                        totals[out * width + k] = total[k]
                    out += 1
                begin = end
            kept[line] = out - offsets[line]
