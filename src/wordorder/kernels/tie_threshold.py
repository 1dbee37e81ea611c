"""The tie threshold of a metric that agrees best with people."""

import cython


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def gain_sign(metric_gap: cython.double, human_gap: cython.double) -> cython.longlong:
    """Return what a verdict gains once the metric calls the pair a tie: 1, 0 or -1.

    It turns right if people see a tie, wrong if metric and people agree on who is better.
    """
    sign: cython.longlong = human_gap == 0.0
    sign -= (metric_gap > 0.0) & (human_gap > 0.0)
    sign -= (metric_gap < 0.0) & (human_gap < 0.0)
    return sign


def gain_histogram(
    metric: cython.const[cython.double][::1],
    human: cython.const[cython.double][::1],
    starts: cython.const[cython.longlong][::1],
    weights: cython.const[cython.longlong][::1],
    scale: cython.double,
    sums: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Sum what ties would gain and lose, by the size of the metric's difference.

    Output ``i`` is paired with the outputs ``starts[i] .. i - 1``, those before it in its group;
    its pairs weigh ``weights[i]``. A pair with the absolute difference ``gap`` is in the bucket
    ``b = int(gap * scale)`` and adds its weight to ``sums[2 * b]`` if a tie gains it, to
    ``sums[2 * b + 1]`` if a tie loses it. All scores are finite.
    """
    cython.declare(i=cython.Py_ssize_t, j=cython.longlong, bucket=cython.Py_ssize_t)
    cython.declare(gap=cython.double, sign=cython.longlong, weight=cython.longlong)
    with cython.nogil:
        for i in range(first, last):
            weight = weights[i]
            for j in range(starts[i], i):
                gap = metric[i] - metric[j]
                sign = gain_sign(gap, human[i] - human[j])
                bucket = cython.cast(cython.Py_ssize_t, abs(gap) * scale)
                # Without a branch, which would be wrong for every third pair.
                sums[2 * bucket + (sign < 0)] += weight * (sign != 0)


def tie_gains(
    metric: cython.const[cython.double][::1],
    human: cython.const[cython.double][::1],
    starts: cython.const[cython.longlong][::1],
    weights: cython.const[cython.longlong][::1],
    scale: cython.double,
    wanted: cython.const[cython.uchar][::1],
    gaps: cython.double[::1],
    gains: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> cython.longlong:
    """List the pairs whose verdict turns right or wrong once the metric calls them a tie.

    Pairs are those of `gain_histogram`; listed are those in buckets that are `wanted`. Writes, one
    pair after another from index 0 on, to `gaps` the absolute difference of the metric's scores
    and to `gains` what a tie is worth: plus or minus ``weights[i]``. Returns how many it listed.
    Both have room for all pairs of the outputs ``first .. last - 1``, or for all that are wanted.
    """
    cython.declare(i=cython.Py_ssize_t, j=cython.longlong, gap=cython.double, sign=cython.longlong)
    cython.declare(weight=cython.longlong)
    found: cython.longlong = 0
    room: cython.longlong = gaps.shape[0]
    with cython.nogil:
        for i in range(first, last):
            weight = weights[i]
            for j in range(starts[i], i):
                gap = metric[i] - metric[j]
                if wanted[cython.cast(cython.Py_ssize_t, abs(gap) * scale)] and found < room:
                    # Written always, kept if it counts: there is no branch to guess wrong.
                    sign = gain_sign(gap, human[i] - human[j])
                    gaps[found] = abs(gap)
                    gains[found] = sign * weight
                    found += sign != 0
    return found


def best_gap(
    gaps: cython.const[cython.double][::1],
    gains: cython.const[cython.longlong][::1],
    size: cython.Py_ssize_t,
    tolerance: cython.double,
    threshold: cython.double[::1],
) -> cython.longlong:
    """Sweep over `size` sorted gaps; write the smallest best threshold, return its gain.

    The threshold 0 gains what gaps of 0 gain. Gaps of which each is at most `tolerance` above the
    one before are the same difference; the largest of them serves as the threshold for all.
    """
    cython.declare(i=cython.Py_ssize_t)
    gap: cython.double = 0.0
    running: cython.longlong = 0
    best: cython.longlong = 0
    begun: cython.bint = False
    with cython.nogil:
        for i in range(size + 1):
            if i == size or gaps[i] - gap > tolerance:
                if not begun or running > best:
                    begun = True
                    best = running
                    threshold[0] = gap
            if i < size:
                gap = gaps[i]
                running += gains[i]
    return best
