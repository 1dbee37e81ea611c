"""The tie threshold of a metric that agrees best with people."""

import cython


def tie_gains(
    metric: cython.const[cython.double][::1],
    human: cython.const[cython.double][::1],
    offsets: cython.const[cython.longlong][::1],
    weights: cython.const[cython.longlong][::1],
    gaps: cython.double[::1],
    gains: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> cython.longlong:
    """List the pairs whose verdict turns right or wrong once the metric calls them a tie.

    Group ``g`` has the values ``offsets[g] .. offsets[g + 1] - 1`` of `metric` and of `human`, all
    finite. Writes for each such pair, one after another from index 0 on, to `gaps` the absolute
    difference of the metric's scores and to `gains` what a tie is worth: ``weights[g]`` if people
    see a tie too, ``-weights[g]`` if metric and people agree on who is better. Returns how many.
    `gaps` and `gains` have room for all pairs of the groups ``first .. last - 1``.
    """
    group: cython.Py_ssize_t
    i: cython.longlong
    j: cython.longlong
    start: cython.longlong
    stop: cython.longlong
    metric_gap: cython.double
    human_gap: cython.double
    weight: cython.longlong
    sign: cython.longlong
    found: cython.longlong = 0
    with cython.nogil:
        for group in range(first, last):
            start = offsets[group]
            stop = offsets[group + 1]
            weight = weights[group]
            for i in range(start + 1, stop):
                for j in range(start, i):
                    metric_gap = metric[i] - metric[j]
                    human_gap = human[i] - human[j]
                    sign = human_gap == 0.0
                    sign -= (metric_gap > 0.0) & (human_gap > 0.0)
                    sign -= (metric_gap < 0.0) & (human_gap < 0.0)
                    # Written always, kept if it counts: there is no branch to guess wrong.
                    if found < gaps.shape[0]:
                        gaps[found] = abs(metric_gap)
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
    i: cython.Py_ssize_t
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
