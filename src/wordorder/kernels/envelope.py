"""Which candidate of each sentence wins at each point of a line through the space of weights.

A candidate is a straight line there: its score at point `x` is ``intercept + x * slope``. The upper
envelope of a sentence's candidates says which of them scores highest, from minus to plus infinity.
"""

import cython
from cython import Py_ssize_t, bint, double, longlong, void

INFINITY = cython.declare(double, float("inf"))
# Of two points that are closer than this, relative to their size, a rounding may make one.
CLOSE = cython.declare(double, 1e-9)
# What scores may be wrong by, relative to their size.
ROUNDING = cython.declare(double, 1e-12)
# Points that are sorted one by one.
RUN = cython.declare(longlong, 8)
# Candidates that are worked on at a time.
BLOCK = cython.declare(Py_ssize_t, 256)


@cython.cfunc
@cython.inline
@cython.nogil
def multiply(
    features: cython.const[double][::1],
    candidates: Py_ssize_t,
    width: Py_ssize_t,
    directions: cython.const[double][::1],
    direction: Py_ssize_t,
    begin: Py_ssize_t,
    end: Py_ssize_t,
    out: double[::1],
    at: Py_ssize_t,
) -> void:
    """Write the products of the candidates ``begin .. end-1`` with a direction, from `at` on.

    Summed in the order of the features, so that candidates with equal features have equal products.
    Four features at a time: the sums stay where they are, and several candidates are worked on at
    once.
    """
    f: Py_ssize_t = 0
    number: Py_ssize_t = end - begin
    for i in range(number):
        out[at + i] = 0.0
    while f + 4 <= width:
        a: double = directions[direction * width + f]
        b: double = directions[direction * width + f + 1]
        c: double = directions[direction * width + f + 2]
        d: double = directions[direction * width + f + 3]
        row: Py_ssize_t = f * candidates + begin
        for i in range(number):
            out[at + i] = (
                out[at + i]
                + features[row + i] * a
                + features[row + candidates + i] * b
                + features[row + 2 * candidates + i] * c
                + features[row + 3 * candidates + i] * d
            )
        f += 4
    while f < width:
        a = directions[direction * width + f]
        row = f * candidates + begin
        for i in range(number):
            out[at + i] += features[row + i] * a
        f += 1


def project(
    features: cython.const[double][::1],
    directions: cython.const[double][::1],
    width: Py_ssize_t,
    candidates: Py_ssize_t,
    out: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the product of each candidate's features with each direction.

    `features` is [width, candidates], `directions` is [D, width], `out` is [D, candidates].
    """
    number: Py_ssize_t = directions.shape[0] // width
    begin: Py_ssize_t = first
    with cython.nogil:
        # Block by block, which stays in the cache.
        while begin < last:
            end: Py_ssize_t = begin + BLOCK if begin + BLOCK < last else last
            for d in range(number):
                at: Py_ssize_t = d * candidates + begin
                multiply(features, candidates, width, directions, d, begin, end, out, at)
            begin = end


def best_candidates(
    scores: cython.const[double][::1],
    offsets: cython.const[longlong][::1],
    best: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the first of the candidates with the highest score of each sentence."""
    with cython.nogil:
        for row in range(first, last):
            highest: longlong = offsets[row]
            for i in range(offsets[row] + 1, offsets[row + 1]):
                if scores[i] > scores[highest]:
                    highest = i
            best[row] = highest


@cython.cfunc
@cython.inline
@cython.nogil
def is_wide(begin: double, end: double) -> bint:
    """Return whether an interval is more than a rounding; one without a beginning always is."""
    if begin == -INFINITY:
        return True
    size: double = begin if begin >= 0.0 else -begin
    return begin < INFINITY and end - begin > CLOSE * (size if size > 1.0 else 1.0)


@cython.cfunc
@cython.inline
@cython.nogil
def sort_points(points: double[::1], places: longlong[::1], size: longlong) -> longlong:
    """Sort points with their places; equal ones stay in their order. Return where they are.

    Both arrays have room for twice as many: 0 says that the sorted ones are in the first half,
    `size` in the second. Runs of `RUN` points are sorted by insertion, then merged.
    """
    source: longlong = 0
    target: longlong = size
    width: longlong = RUN
    low: longlong = 0
    while low < size:
        high: longlong = low + RUN if low + RUN < size else size
        for one in range(low + 1, high):
            point: double = points[one]
            place: longlong = places[one]
            at: longlong = one
            while at > low and points[at - 1] > point:
                points[at] = points[at - 1]
                places[at] = places[at - 1]
                at -= 1
            points[at] = point
            places[at] = place
        low = high
    while width < size:
        low = 0
        while low < size:
            middle: longlong = low + width if low + width < size else size
            high = middle + width if middle + width < size else size
            one = source + low
            other: longlong = source + middle
            at = target + low
            while one < source + middle and other < source + high:
                # Which is smaller cannot be predicted, so nothing branches on it.
                point = points[one]
                beyond: double = points[other]
                first: longlong = point <= beyond
                points[at] = point if first else beyond
                places[at] = places[one if first else other]
                one += first
                other += 1 - first
                at += 1
            while one < source + middle:
                points[at] = points[one]
                places[at] = places[one]
                one += 1
                at += 1
            while other < source + high:
                points[at] = points[other]
                places[at] = places[other]
                other += 1
                at += 1
            low = high
        source, target = target, source
        width *= 2
    return source


@cython.cfunc
@cython.inline
@cython.nogil
def edge(
    low: double, start: double, high: double, end: double, edges: double[::1], at: Py_ssize_t
) -> void:
    """Write the straight line through two points, (`start`, `low`) and (`end`, `high`).

    Its rise, and its height at 0, less by more than a rounding.
    """
    rise: double = (high - low) / (end - start)
    steep: double = rise if rise >= 0.0 else -rise
    size: double = 1.0 + (low if low >= 0.0 else -low) + (high if high >= 0.0 else -high)
    size += steep * ((start if start >= 0.0 else -start) + (end if end >= 0.0 else -end))
    edges[at] = rise
    edges[at + 1] = low - rise * start - ROUNDING * size


@cython.cfunc
@cython.inline
@cython.nogil
def side(
    intercepts: cython.const[double][::1],
    slopes: cython.const[double][::1],
    line: longlong,
    outer: longlong,
    between: longlong,
    best: longlong,
    edges: double[::1],
    at: Py_ssize_t,
) -> bint:
    """Write the edges from the outermost candidate over one between to the best one.

    It is one edge, twice, if the one between is below it. Return whether there is any.
    """
    start: double = slopes[line + outer]
    middle: double = slopes[line + between]
    end: double = slopes[line + best]
    if start == end:
        return False
    edge(intercepts[outer], start, intercepts[best], end, edges, at)
    if (
        middle != start
        and middle != end
        and (intercepts[between] - edges[at] * middle > edges[at + 1])
    ):
        edge(intercepts[outer], start, intercepts[between], middle, edges, at)
        edge(intercepts[between], middle, intercepts[best], end, edges, at + 2)
    else:
        edges[at + 2] = edges[at]
        edges[at + 3] = edges[at + 1]
    return True


@cython.cfunc
@cython.inline
@cython.nogil
def find_guides(
    intercepts: cython.const[double][::1],
    slopes: cython.const[double][::1],
    line: longlong,
    number: longlong,
    best: longlong,
    guides: longlong[::1],
    at: Py_ssize_t,
) -> void:
    """Write which candidates have the lowest and highest slope, and two between them.

    Those have the highest scores on either side of 0, of each fourth candidate.
    """
    lowest: longlong = 0
    highest: longlong = 0
    left: longlong = best
    right: longlong = best
    slope: double = slopes[line]
    low: double = slope
    high: double = slope
    least: double = intercepts[0]
    for i in range(1, number):
        slope = slopes[line + i]
        if slope < low:
            low = slope
            lowest = i
        if slope > high:
            high = slope
            highest = i
    for i in range(0, number, 4):
        if intercepts[i] < least:
            least = intercepts[i]
    far: double = (intercepts[best] - least) / (high - low) if high > low else 0.0
    before: double = intercepts[best] - far * slopes[line + best]
    behind: double = intercepts[best] + far * slopes[line + best]
    for i in range(0, number, 4):
        slope = far * slopes[line + i]
        if intercepts[i] - slope > before:
            before = intercepts[i] - slope
            left = i
        if intercepts[i] + slope > behind:
            behind = intercepts[i] + slope
            right = i
    guides[at] = lowest
    guides[at + 1] = left
    guides[at + 2] = right
    guides[at + 3] = highest


@cython.cfunc
@cython.inline
@cython.nogil
def find_winners(
    intercepts: cython.const[double][::1],
    slopes: cython.const[double][::1],
    line: longlong,
    number: longlong,
    lowest: double,
    highest: double,
    guides: longlong[::1],
    at: Py_ssize_t,
) -> void:
    """Write the first of the candidates that score highest at each of two points."""
    before: double = -INFINITY
    behind: double = -INFINITY
    for i in range(number):
        slope: double = slopes[line + i]
        height: double = intercepts[i]
        if height + lowest * slope > before:
            before = height + lowest * slope
            guides[at] = i
        if height + highest * slope > behind:
            behind = height + highest * slope
            guides[at + 3] = i


@cython.cfunc
@cython.nogil
def envelope(
    intercepts: cython.const[double][::1],
    slopes: cython.const[double][::1],
    line: longlong,
    number: longlong,
    best: longlong,
    lowest: double,
    highest: double,
    guides: longlong[::1],
    guide: Py_ssize_t,
    chosen: longlong[::1],
    begins: double[::1],
    start: longlong,
    shift: longlong,
    points: double[::1],
    places: longlong[::1],
    edges: double[::1],
) -> longlong:
    """Write the envelope of a sentence on a line from `start` on; return where it ends.

    The slopes begin at `line`, the candidates are numbered from `shift` on in `chosen`. Only what
    wins between the points `lowest` and `highest` is looked for, unless one of them is infinite.
    """
    cython.declare(k=longlong)
    size: longlong = 0
    top: longlong = start
    low: double = -INFINITY
    high: double = INFINITY
    if lowest > -INFINITY and highest < INFINITY:
        # What rises less than the winner at one end, or more than that at the other, never wins.
        find_winners(intercepts, slopes, line, number, lowest, highest, guides, guide)
        low = slopes[line + guides[guide]]
        high = slopes[line + guides[guide + 3]]
        if guides[guide + 1] < 0:
            guides[guide + 1] = guides[guide + 2] = best
    elif guides[guide] < 0:
        find_guides(intercepts, slopes, line, number, best, guides, guide)
    beaten: bint = side(intercepts, slopes, line, guides[guide], guides[guide + 1], best, edges, 0)
    if side(intercepts, slopes, line, guides[guide + 3], guides[guide + 2], best, edges, 4):
        if not beaten:
            for k in range(4):
                edges[k] = edges[4 + k]
    elif beaten:
        for k in range(4):
            edges[4 + k] = edges[k]
    else:
        # Nothing else wins anywhere.
        chosen[start] = best + shift
        begins[start] = -INFINITY
        return start + 1
    rise_0: double = edges[0]
    base_0: double = edges[1]
    rise_1: double = edges[2]
    base_1: double = edges[3]
    rise_2: double = edges[4]
    base_2: double = edges[5]
    rise_3: double = edges[6]
    base_3: double = edges[7]
    for i in range(number):
        slope: double = slopes[line + i]
        height: double = intercepts[i]
        if slope < low or slope > high:
            continue
        if (
            height - rise_0 * slope < base_0
            and height - rise_3 * slope < base_3
            and height - rise_1 * slope < base_1
            and height - rise_2 * slope < base_2
        ):
            continue
        points[size] = slope
        places[size] = i
        size += 1
    at: longlong = sort_points(points, places, size)
    for i in range(at, at + size):
        new: longlong = places[i]
        point: double = -INFINITY
        beaten = False
        while top > start:
            old: longlong = chosen[top - 1]
            rise: double = slopes[line + new] - slopes[line + old]
            if rise > 0.0:
                point = (intercepts[old] - intercepts[new]) / rise
                if point > begins[top - 1]:
                    break
            elif intercepts[new] <= intercepts[old]:
                # Equal slopes: the higher line wins everywhere.
                beaten = True
                break
            top -= 1
        if beaten:
            continue
        if top == start:
            point = -INFINITY
        chosen[top] = new
        begins[top] = point
        top += 1
    # Halfway from the best candidate to the ends of the envelope.
    at = start
    while at < top - 1 and begins[at + 1] <= 0.0:
        at += 1
    guides[guide + 1] = chosen[(start + at) // 2]
    guides[guide + 2] = chosen[(at + top) // 2]
    for i in range(start, top):
        chosen[i] += shift
    return top


def envelopes(
    features: cython.const[double][::1],
    candidates: Py_ssize_t,
    width: Py_ssize_t,
    directions: cython.const[double][::1],
    axes: cython.const[longlong][::1],
    lows: cython.const[double][::1],
    highs: cython.const[double][::1],
    offsets: cython.const[longlong][::1],
    guides: longlong[::1],
    chosen: longlong[::1],
    begins: double[::1],
    starts: longlong[::1],
    counts: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    products: double[::1],
    points: double[::1],
    places: longlong[::1],
    edges: double[::1],
    fresh: longlong[::1],
) -> None:
    """Write the upper envelope of each sentence on each of several lines through one point.

    `features` is [width, candidates], and sentence ``s`` has the candidates ``offsets[s] ..
    offsets[s + 1]-1``. The first of the `directions` [1 + R, width] is the point. The lines change
    the features `axes`, one each, then go in the other directions. The envelope of sentence ``s``
    on line ``d`` is at ``starts[d * S + s]`` of `chosen` and `begins`, ``counts[d * S + s]``
    candidates, each with the point from which on it wins; the first one wins from minus infinity.
    What wins between the points ``lows[d]`` and ``highs[d]``, on either side of 0, is there; where
    one is infinite, what wins anywhere. Of equal candidates the first is there. One that wins at a
    single point is not. Scratch: three arrays with two numbers for each candidate of the longest
    sentence, then 8, and 4.

    A candidate is below two others everywhere if its point (slope, intercept) is below the straight
    line between theirs. Most are below those through five: the ones with the lowest and the highest
    slope, with the highest intercept, and one on either side of it. Which they are changes how long
    it takes, not what is found. Between two points, the outermost ones are those that win there.
    The `guides` [sentences, axes, 4] are all but the middle one, from left to right, below 0 before
    the first search; those on either side of the middle are then on the envelope found last.
    """
    sentences: Py_ssize_t = offsets.shape[0] - 1
    number: Py_ssize_t = axes.shape[0]
    lines: Py_ssize_t = number + directions.shape[0] // width - 1
    with cython.nogil:
        for row in range(first, last):
            begin: longlong = offsets[row]
            end: longlong = offsets[row + 1]
            size: longlong = end - begin
            multiply(features, candidates, width, directions, 0, begin, end, products, 0)
            best: longlong = 0
            for i in range(1, size):
                if products[i] > products[best]:
                    best = i
            at: longlong = begin * lines
            for d in range(lines):
                slopes: cython.const[double][::1] = features
                held: longlong[::1] = guides
                guide: longlong = (row * number + d) * 4
                if d < number:
                    line: longlong = axes[d] * candidates + begin
                else:
                    slopes = products
                    held = fresh
                    fresh[0] = fresh[1] = -1
                    line = size
                    guide = 0
                    k: longlong = d - number + 1
                    multiply(features, candidates, width, directions, k, begin, end, products, size)
                top: longlong = envelope(
                    products, slopes, line, size, best, lows[d], highs[d], held, guide,
                    chosen, begins, at, begin, points, places, edges,
                )  # fmt: skip
                starts[d * sentences + row] = at
                counts[d * sentences + row] = top - at
                at = top


def sweeps(
    chosen: cython.const[longlong][::1],
    begins: cython.const[double][::1],
    counts: cython.const[longlong][::1],
    starts: cython.const[longlong][::1],
    sentences: Py_ssize_t,
    statistics: cython.const[double][::1],
    width: Py_ssize_t,
    offsets: cython.const[longlong][::1],
    found: double[::1],
    totals: double[::1],
    kept: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    points: double[::1],
    places: longlong[::1],
    total: double[::1],
) -> None:
    """Write the intervals of whole lines, and the summed statistics of the candidates that win.

    `chosen`, `begins`, `starts` and `counts` are those of `envelopes`; `statistics` is [candidates,
    width]. Line `d` has room for the intervals ``offsets[d] .. offsets[d + 1]-1`` of `found` and
    `totals`, one more than its envelopes have changes; it gets ``kept[d]`` of them, since those
    without any width are left out. Scratch: twice the changes of the longest line, and a row.
    """
    with cython.nogil:
        for line in range(first, last):
            for k in range(width):
                total[k] = 0.0
            size: longlong = offsets[line + 1] - offsets[line] - 1
            at: longlong = 0
            for row in range(line * sentences, (line + 1) * sentences):
                start: longlong = chosen[starts[row]] * width
                for k in range(width):
                    total[k] += statistics[start + k]
                for new in range(starts[row] + 1, starts[row] + counts[row]):
                    points[at] = begins[new]
                    places[at] = new
                    at += 1
            start = sort_points(points, places, size)
            out: longlong = offsets[line]
            begin: double = -INFINITY
            for at in range(size + 1):
                if at:
                    old: longlong = chosen[places[start + at - 1] - 1] * width
                    new = chosen[places[start + at - 1]] * width
                    for k in range(width):
                        total[k] += statistics[new + k] - statistics[old + k]
                end: double = points[start + at] if at < size else INFINITY
                if is_wide(begin, end):
                    found[out] = begin
                    for k in range(width):
                        totals[out * width + k] = total[k]
                    out += 1
                begin = end
            kept[line] = out - offsets[line]
