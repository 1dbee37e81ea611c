"""Sums without rounding, moments, agreeing pairs, tie thresholds.

`centred_moments` has what Pearson's r is made of, `count_pairs` the pairs of outputs on which a
metric and people agree, disagree or see a tie. `add_exactly` adds doubles without any rounding:
each mantissa goes to the limbs of its exponent.
"""

import cython
from cython import Py_ssize_t, bint, double, longlong, uchar

HIDDEN_BIT = cython.declare(longlong, 1 << 52)  # the leading 1 that a double leaves out
LOW_WORD = cython.declare(longlong, (1 << 32) - 1)


def centred_moments(
    x: cython.const[double][::1],
    y: cython.const[double][::1],
    offsets: cython.const[longlong][::1],
    moments: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write ``sum(a * b), sum(a * a), sum(b * b)`` of each group to `moments` [groups * 3].

    Group ``g`` has the values ``offsets[g] .. offsets[g + 1] - 1`` of `x` and of `y`, both finite.
    ``a`` and ``b`` are its values less their mean, divided by their spread: by the largest distance
    of a value from the first one. So no square is too large or too small, and Pearson's r is
    ``moments[0] / sqrt(moments[1] * moments[2])``. All three are 0 if all values of `x`, or all of
    `y`, are equal, and for a group of fewer than two.
    """
    cython.declare(x_spread=double, y_spread=double, x_mean=double, y_mean=double, product=double)
    cython.declare(x_square=double, y_square=double)
    with cython.nogil:
        for group in range(first, last):
            start: longlong = offsets[group]
            stop: longlong = offsets[group + 1]
            product = x_square = y_square = x_spread = y_spread = 0.0
            if start < stop:
                x_first: double = x[start]
                y_first: double = y[start]
                for i in range(start + 1, stop):
                    x_spread = max(x_spread, abs(x[i] - x_first))
                    y_spread = max(y_spread, abs(y[i] - y_first))
            if x_spread > 0.0 and y_spread > 0.0:
                x_mean = y_mean = 0.0
                for i in range(start, stop):
                    x_mean += (x[i] - x_first) / x_spread
                    y_mean += (y[i] - y_first) / y_spread
                x_mean /= stop - start
                y_mean /= stop - start
                for i in range(start, stop):
                    a: double = (x[i] - x_first) / x_spread - x_mean
                    b: double = (y[i] - y_first) / y_spread - y_mean
                    product += a * b
                    x_square += a * a
                    y_square += b * b
            moments[3 * group] = product
            moments[3 * group + 1] = x_square
            moments[3 * group + 2] = y_square


def count_pairs(
    metric: cython.const[double][::1],
    human: cython.const[double][::1],
    offsets: cython.const[longlong][::1],
    threshold: double,
    least: double,
    counts: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Count the pairs within each group of five kinds; write them to `counts` [groups * 5].

    Group ``g`` has the values ``offsets[g] .. offsets[g + 1] - 1`` of `metric` and of `human`, all
    finite. In this order: concordant, discordant, tied by the metric alone, tied by people alone,
    tied by both. A metric ties two outputs whose scores differ by at most `threshold`, people those
    with equal scores. Pairs whose human scores differ by less than `least` are not counted.

    All pairs of a group: ``k * (k - 1) / 2`` steps for ``k`` values, without a branch.
    """
    cython.declare(kept=longlong, agree=longlong, tied=longlong, human_tied=longlong, both=longlong)
    with cython.nogil:
        for group in range(first, last):
            start: longlong = offsets[group]
            stop: longlong = offsets[group + 1]
            kept = agree = tied = human_tied = both = 0
            for i in range(start + 1, stop):
                lead: double = metric[i]
                human_i: double = human[i]
                for j in range(start, i):
                    metric_gap: double = lead - metric[j]
                    human_gap: double = human_i - human[j]
                    kept += abs(human_gap) >= least
                    human_tied += (human_gap == 0.0) & (least <= 0.0)
                    tied += (abs(metric_gap) <= threshold) & (abs(human_gap) >= least)
                    both += (abs(metric_gap) <= threshold) & (human_gap == 0.0) & (least <= 0.0)
                    agree += (
                        (abs(metric_gap) > threshold)
                        & (abs(human_gap) >= least)
                        & (
                            ((metric_gap > 0.0) & (human_gap > 0.0))
                            | ((metric_gap < 0.0) & (human_gap < 0.0))
                        )
                    )
            counts[5 * group] = agree
            counts[5 * group + 1] = kept - agree - tied - human_tied + both
            counts[5 * group + 2] = tied - both
            counts[5 * group + 3] = human_tied - both
            counts[5 * group + 4] = both


def add_exactly(
    bits: cython.const[longlong][::1],
    columns: Py_ssize_t,
    limbs: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Add the rows ``first .. last-1`` of a matrix of finite doubles to one accumulator a column.

    `bits` [rows * columns] is the matrix seen as integers. ``limbs`` [columns * 4096] holds for
    each column and each of the 2,048 exponents two limbs, the sums of the low 32 and of the high
    21 bits of the mantissas, signed. A limb has room for 2**31 values.
    """
    hidden_bit: longlong = HIDDEN_BIT
    low_word: longlong = LOW_WORD
    with cython.nogil:
        for row in range(first, last):
            for column in range(columns):
                value: longlong = bits[row * columns + column]
                sign: longlong = value >> 63  # 0 or -1: (x ^ sign) - sign is x or -x
                exponent: longlong = (value >> 52) & 2047
                mantissa: longlong = value & (hidden_bit - 1)
                if exponent != 0:
                    mantissa += hidden_bit
                low: longlong = mantissa & low_word
                high: longlong = mantissa >> 32
                limb: Py_ssize_t = column * 4096 + 2 * exponent
                limbs[limb] += (low ^ sign) - sign
                limbs[limb + 1] += (high ^ sign) - sign


def add_to_buckets(
    bits: cython.const[longlong][::1],
    columns: Py_ssize_t,
    buckets: cython.const[cython.int][::1],
    lowest: Py_ssize_t,
    width: Py_ssize_t,
    limbs: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Add the rows ``first .. last-1`` of a matrix of finite doubles, each to its bucket's sums.

    `bits` [rows * columns] is the matrix seen as integers, `buckets` [rows] where each row goes.
    ``limbs`` [buckets * columns * width] holds for each bucket and column a number in limbs of 32
    bits, signed, the lowest first; limb 0 counts units of ``2 ** (32 * lowest - 1074)``. Every
    value that is not 0 must lie within them. A limb has room for 2**30 rows.
    """
    hidden_bit: longlong = HIDDEN_BIT
    low_word: longlong = LOW_WORD
    with cython.nogil:
        for row in range(first, last):
            for column in range(columns):
                value: longlong = bits[row * columns + column]
                sign: longlong = value >> 63  # 0 or -1, as above
                exponent: longlong = (value >> 52) & 2047
                mantissa: longlong = value & (hidden_bit - 1)
                place: longlong = 0
                if exponent != 0:
                    mantissa += hidden_bit
                    place = exponent - 1
                if mantissa != 0:
                    low: longlong = (mantissa & low_word) << (place & 31)
                    high: longlong = (mantissa >> 32) << (place & 31)
                    middle: longlong = (low >> 32) + (high & low_word)
                    low = low & low_word
                    high = high >> 32
                    limb: Py_ssize_t = (buckets[row] * columns + column) * width
                    limb += cython.cast(Py_ssize_t, place >> 5) - lowest
                    limbs[limb] += (low ^ sign) - sign
                    limbs[limb + 1] += (middle ^ sign) - sign
                    limbs[limb + 2] += (high ^ sign) - sign


@cython.cfunc
@cython.inline
@cython.nogil
def gain_sign(metric_gap: double, human_gap: double) -> longlong:
    """Return what a verdict gains once the metric calls the pair a tie: 1, 0 or -1.

    It turns right if people see a tie, wrong if metric and people agree on who is better.
    """
    sign: longlong = human_gap == 0.0
    sign -= (metric_gap > 0.0) & (human_gap > 0.0)
    sign -= (metric_gap < 0.0) & (human_gap < 0.0)
    return sign


def gain_histogram(
    metric: cython.const[double][::1],
    human: cython.const[double][::1],
    starts: cython.const[longlong][::1],
    weights: cython.const[longlong][::1],
    scale: double,
    sums: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Sum what ties would gain and lose, by the size of the metric's difference.

    Output ``i`` is paired with the outputs ``starts[i] .. i - 1``, those before it in its group;
    its pairs weigh ``weights[i]``. A pair with the absolute difference ``gap`` is in the bucket
    ``b = int(gap * scale)`` and adds its weight to ``sums[2 * b]`` if a tie gains it, to
    ``sums[2 * b + 1]`` if a tie loses it. All scores are finite.
    """
    with cython.nogil:
        for i in range(first, last):
            weight: longlong = weights[i]
            for j in range(starts[i], i):
                gap: double = metric[i] - metric[j]
                sign: longlong = gain_sign(gap, human[i] - human[j])
                bucket: Py_ssize_t = cython.cast(Py_ssize_t, abs(gap) * scale)
                # Without a branch, which would be wrong for every third pair.
                sums[2 * bucket + (sign < 0)] += weight * (sign != 0)


def tie_gains(
    metric: cython.const[double][::1],
    human: cython.const[double][::1],
    starts: cython.const[longlong][::1],
    weights: cython.const[longlong][::1],
    scale: double,
    wanted: cython.const[uchar][::1],
    gaps: double[::1],
    gains: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> longlong:
    """List the pairs whose verdict turns right or wrong once the metric calls them a tie.

    Pairs are those of `gain_histogram`; listed are those in buckets that are `wanted`. Writes, one
    pair after another from index 0 on, to `gaps` the absolute difference of the metric's scores
    and to `gains` what a tie is worth: plus or minus ``weights[i]``. Returns how many it listed.
    Both have room for all pairs of the outputs ``first .. last - 1``, or for all that are wanted.
    """
    found: longlong = 0
    room: longlong = gaps.shape[0]
    with cython.nogil:
        for i in range(first, last):
            weight: longlong = weights[i]
            for j in range(starts[i], i):
                gap: double = metric[i] - metric[j]
                if wanted[cython.cast(Py_ssize_t, abs(gap) * scale)] and found < room:
                    # Written always, kept if it counts: there is no branch to guess wrong.
                    sign: longlong = gain_sign(gap, human[i] - human[j])
                    gaps[found] = abs(gap)
                    gains[found] = sign * weight
                    found += sign != 0
    return found


def best_gap(
    gaps: cython.const[double][::1],
    gains: cython.const[longlong][::1],
    size: Py_ssize_t,
    tolerance: double,
    threshold: double[::1],
) -> longlong:
    """Sweep over `size` sorted gaps; write the smallest best threshold, return its gain.

    The threshold 0 gains what gaps of 0 gain. Gaps of which each is at most `tolerance` above the
    one before are the same difference; the largest of them serves as the threshold for all.
    """
    gap: double = 0.0
    running: longlong = 0
    best: longlong = 0
    begun: bint = False
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
