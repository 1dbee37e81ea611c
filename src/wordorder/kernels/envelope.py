"""Which candidate of each sentence wins at each point of a line through the space of weights.

A candidate is a straight line there: its score at point `x` is ``intercept + x * slope``. The upper
envelope of a sentence's candidates says which of them scores highest, from minus to plus infinity.
"""

import cython

INFINITY = cython.declare(cython.double, float("inf"))
# Of two points that are closer than this, relative to their size, a rounding may make one.
CLOSE = cython.declare(cython.double, 1e-9)
# What scores may be wrong by, relative to their size.
ROUNDING = cython.declare(cython.double, 1e-12)


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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_below(
    intercepts: cython.const[cython.double][::1],
    slopes: cython.const[cython.double][::1],
    line: cython.longlong,
    i: cython.longlong,
    one: cython.longlong,
    other: cython.longlong,
) -> cython.bint:
    """Return whether a candidate is below two others everywhere, by more than a rounding.

    It is if its point (slope, intercept) is below the straight line between theirs.
    """
    run: cython.double = slopes[line + other] - slopes[line + one]
    step: cython.double = slopes[line + i] - slopes[line + one]
    low: cython.double = intercepts[one]
    high: cython.double = intercepts[other]
    size: cython.double = 1.0 + (low if low >= 0.0 else -low) + (high if high >= 0.0 else -high)
    above: cython.double = intercepts[i] + ROUNDING * size
    if run > 0.0:
        return (above - low) * run < step * (high - low)
    return above < (low if low > high else high)


def envelopes(
    intercepts: cython.const[cython.double][::1],
    slopes: cython.const[cython.double][::1],
    sentences: cython.Py_ssize_t,
    rows: cython.const[cython.longlong][::1],
    chosen: cython.longlong[::1],
    begins: cython.double[::1],
    counts: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    points: cython.double[::1],
    places: cython.longlong[::1],
) -> None:
    """Write the upper envelope of each sentence on each of several lines.

    Row ``line * sentences + sentence`` has the places ``rows[row] .. rows[row + 1]-1`` of `chosen`
    and `begins`, and the candidates behind ``rows[sentence]``. `slopes` is [lines, candidates]. The
    envelope of a row is ``counts[row]`` candidates in `chosen`, from where the row begins, each
    with the point from which on it wins in `begins`; the first one wins from minus infinity. Of
    equal candidates the first is there. One that wins at a single point is not. Scratch: twice the
    candidates of the longest row.

    Most candidates are below two others everywhere. Five that are not, those with the lowest and
    the highest slope, with the highest score at 0 and on either side of it, tell most of them.
    """
    row: cython.Py_ssize_t
    line: cython.longlong
    start: cython.longlong
    begin: cython.longlong
    stop: cython.longlong
    top: cython.longlong
    i: cython.longlong
    new: cython.longlong
    old: cython.longlong
    size: cython.longlong
    at: cython.longlong
    lowest: cython.longlong
    highest: cython.longlong
    best: cython.longlong
    left: cython.longlong
    right: cython.longlong
    beaten: cython.int
    rise: cython.double
    point: cython.double
    far: cython.double
    before: cython.double
    behind: cython.double
    slope: cython.double
    with cython.nogil:
        for row in range(first, last):
            start = rows[row]
            line = row // sentences * intercepts.shape[0]
            begin = start - line
            stop = rows[row + 1] - line
            lowest = highest = best = begin
            point = intercepts[begin]
            for i in range(begin + 1, stop):
                slope = slopes[line + i]
                if slope < slopes[line + lowest]:
                    lowest = i
                if slope > slopes[line + highest]:
                    highest = i
                if intercepts[i] > intercepts[best]:
                    best = i
                if intercepts[i] < point:
                    point = intercepts[i]
            rise = slopes[line + highest] - slopes[line + lowest]
            far = (intercepts[best] - point) / rise if rise > 0.0 else 0.0
            left = right = best
            before = intercepts[best] - far * slopes[line + best]
            behind = intercepts[best] + far * slopes[line + best]
            for i in range(begin, stop):
                point = far * slopes[line + i]
                if intercepts[i] - point > before:
                    before = intercepts[i] - point
                    left = i
                if intercepts[i] + point > behind:
                    behind = intercepts[i] + point
                    right = i
            size = 0
            for i in range(begin, stop):
                slope = slopes[line + i]
                if slope < slopes[line + best]:
                    if slope < slopes[line + left]:
                        beaten = is_below(intercepts, slopes, line, i, lowest, left)
                    else:
                        beaten = is_below(intercepts, slopes, line, i, left, best)
                elif slope < slopes[line + right]:
                    beaten = is_below(intercepts, slopes, line, i, best, right)
                else:
                    beaten = is_below(intercepts, slopes, line, i, right, highest)
                if not beaten:
                    points[size] = slope
                    places[size] = i
                    size += 1
            at = sort_points(points, places, size)
            top = start
            for i in range(at, at + size):
                new = places[i]
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
