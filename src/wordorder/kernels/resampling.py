"""Resampling of segments and matches, exact sums, counts of pairs, and tie thresholds."""

import cython
from cython import Py_ssize_t, bint, double, longlong, schar, uchar, ulonglong, void
from cython.cimports.libc.math import sqrt
from cython.cimports.wordorder.kernels._common import GOLDEN, MASK64, mix64

# Resampling.

# The lower half of a number of 64 bits.
LOW_WORD = cython.declare(ulonglong, (1 << 32) - 1)
ONE_AS_BITS = cython.declare(longlong, 1023 << 52)  # the bits of the double 1.0

# The distance of random numbers from 0 to 1, which have the 53 bits of a mantissa.
RANDOM_UNIT = cython.declare(double, 1.0 / (1 << 53))
LOG2_E = cython.declare(double, 1.4426950408889634)
# The logarithm of 2 in two parts; the first has few digits, so that small multiples are exact.
LOG_2 = cython.declare(double, 0.693147180369123816490)
LOG_2_REST = cython.declare(double, 1.90821492927058770002e-10)
DENSITY = cython.declare(double, 0.3989422804014327)  # 1 / sqrt(2 pi)
# Powers of e with a smaller exponent are treated as 0.
MIN_EXPONENT = cython.declare(double, -700.0)
# Terms of the exponential series, enough for about 14 digits.
SERIES_TERMS = cython.declare(cython.int, 13)
# Below it the tail of the normal distribution is computed by a continued fraction.
TAIL = cython.declare(double, -3.0)
# Levels of the continued fraction, enough for about 14 digits.
FRACTION_LEVELS = cython.declare(cython.int, 120)
# Above it the distribution function rounds to 1.
MAX_BELOW_ONE = cython.declare(double, 8.5)

# Sums without rounding, moments, agreeing pairs, tie thresholds.

HIDDEN_BIT = cython.declare(longlong, 1 << 52)  # the leading 1 that a double leaves out
# A limb of an exact sum has 32 bits.
LIMB_MASK = cython.declare(longlong, (1 << 32) - 1)


# -- Resampling. -----------------------------------------------------------------------------------
#
# The bootstrap draws segments with replacement, and randomization swaps segments by coin flips. The
# key of a resample starts a splitmix64 generator (Steele, Lea and Flood 2014), so that a resample
# depends only on its key.
#
# Swapped scores: two metrics swap some of their scores at random, which changes their correlations
# with human scores. These functions share their input. `scores` [2 * cells] has the scores of both
# metrics, ``2 * c`` and ``2 * c + 1`` for cell ``c``. Group ``g`` has the cells ``offsets[g] ..
# offsets[g + 1] - 1``. Cell ``c`` is swapped in resample ``r`` if bit ``units[c] % 64`` of word
# ``units[c] // 64`` in row ``r`` of `flips` [rows * words] is 1: then the first of the two mixed
# metrics gets the score of the second metric. `first` and `last` are rows.
#
# Swapped ties: acc_eq of two such metrics, 64 resamples at once. Each resample needs its own best
# tie threshold. The possible differences are sorted once: a pair of outputs has four, between the
# scores of either metric and between one score of each. A sweep over the differences in ascending
# order finds the best threshold. With a threshold below all differences, some pairs are correct.
# When a difference is passed, its pair becomes tied: a gain if the human scores tie, a loss if
# metric and human scores agreed. The sweep keeps ``g``, the best number of correct pairs so far
# minus the current one: a loss is added to ``g``, a gain subtracted, down to 0. At the end all
# pairs are tied, and the human ties are correct, so the best number of correct pairs is the number
# of human ties plus ``g``.
#
# TrueSkill: skills of systems from matches, each a normal distribution. Only arithmetic and square
# roots are used, which round in the same way everywhere: the functions of the normal distribution
# are computed here, to about 14 digits.


def draw_buckets(
    key: longlong,
    numbers: cython.const[longlong][::1],
    shift: cython.int,
    buckets: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the bucket of each row: the high bits of one output of the generator.

    ``buckets[r]``, `first` <= r < `last`, is output number ``numbers[r]`` of the generator that
    starts from `key`, shifted to the right by `shift`.
    """
    start: ulonglong = cython.cast(ulonglong, key) & MASK64
    with cython.nogil:
        for row in range(first, last):
            index: ulonglong = cython.cast(ulonglong, numbers[row]) + 1
            state: ulonglong = (start + index * GOLDEN) & MASK64
            buckets[row] = cython.cast(cython.int, mix64(state) >> shift)


def draw_counts(
    keys: cython.const[longlong][::1],
    size: longlong,
    counts: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Draw `size` of `size` segments with replacement; write the count of each.

    Writes row ``r`` of `counts` [rows * size] from ``keys[r]``. Each output of the generator
    gives two words of 32 bits, the low one first. The high 32 bits of a word times `size` are the
    segment; words that would make some segments more likely than others are skipped (Lemire 2019).
    `size` is below 2**32.
    """
    segments: ulonglong = size
    uneven: ulonglong = 0
    mask: ulonglong = LOW_WORD
    if size > 0:
        uneven = (mask + 1) % segments
    with cython.nogil:
        for row in range(first, last):
            start: Py_ssize_t = row * size
            for draw in range(size):
                counts[start + draw] = 0.0
            state: ulonglong = cython.cast(ulonglong, keys[row]) & MASK64
            draw = 0
            while draw < size:
                state = (state + GOLDEN) & MASK64
                word: ulonglong = mix64(state)
                product: ulonglong = (word & mask) * segments
                if (product & mask) >= uneven:
                    counts[start + cython.cast(Py_ssize_t, product >> 32)] += 1.0
                    draw += 1
                product = (word >> 32) * segments
                if (product & mask) >= uneven and draw < size:
                    counts[start + cython.cast(Py_ssize_t, product >> 32)] += 1.0
                    draw += 1


def draw_swaps(
    keys: cython.const[longlong][::1],
    size: longlong,
    swaps: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Flip a coin for each of `size` segments.

    Writes row ``r`` of `swaps` [rows * size] from ``keys[r]``: the bits of the double 1.0 for
    segments to swap, and of 0.0 for others. Each output of the generator gives 64 flips, its
    lowest bit first.
    """
    mantissa: longlong = ONE_AS_BITS
    with cython.nogil:
        for row in range(first, last):
            start: Py_ssize_t = row * size
            stop: Py_ssize_t = start + size
            state: ulonglong = cython.cast(ulonglong, keys[row]) & MASK64
            while start < stop:
                state = (state + GOLDEN) & MASK64
                word: ulonglong = mix64(state)
                for segment in range(start, min(start + 64, stop)):
                    swaps[segment] = mantissa & -cython.cast(longlong, word & 1)
                    word = word >> 1
                start += 64


def draw_flips(
    keys: cython.const[longlong][::1],
    words: longlong,
    flips: ulonglong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Flip a coin for each of ``64 * words`` units; write the flips as bits.

    Writes row ``r`` of `flips` [rows * words] from ``keys[r]``: unit ``i`` has bit ``i % 64`` of
    word ``i // 64``. The flips are those of `draw_swaps`.
    """
    with cython.nogil:
        for row in range(first, last):
            state: ulonglong = cython.cast(ulonglong, keys[row]) & MASK64
            for word in range(words):
                state = (state + GOLDEN) & MASK64
                flips[row * words + word] = mix64(state)


@cython.cfunc
@cython.inline
@cython.nogil
def is_swapped(flips: cython.const[ulonglong][::1], start: longlong, unit: longlong) -> longlong:
    """Return 1 if a unit is swapped in the resample whose bits start at word `start`, else 0."""
    return cython.cast(longlong, (flips[start + (unit >> 6)] >> (unit & 63)) & 1)


def swapped_sums(
    scores: cython.const[double][::1],
    units: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    flips: cython.const[ulonglong][::1],
    words: longlong,
    sums: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Sum the scores of both mixed metrics over each group, into `sums` [rows * 2 * groups]."""
    cython.declare(sum_one=double, sum_other=double)
    groups: Py_ssize_t = offsets.shape[0] - 1
    with cython.nogil:
        for row in range(first, last):
            for group in range(groups):
                sum_one = sum_other = 0.0
                for cell in range(offsets[group], offsets[group + 1]):
                    bit: longlong = is_swapped(flips, row * words, units[cell])
                    sum_one += scores[2 * cell + bit]
                    sum_other += scores[2 * cell + 1 - bit]
                sums[2 * row * groups + group] = sum_one
                sums[(2 * row + 1) * groups + group] = sum_other


def flipped_sums(
    table: cython.const[double][::1],
    flips: cython.const[ulonglong][::1],
    words: longlong,
    sums: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Sum three numbers per unit over the units whose flip is 1, into `sums` [rows * 3].

    `table` [16 * words * 16 * 3] has the sums of four units at a time: entry ``16 * f + b`` is that
    of units ``4 * f .. 4 * f + 3`` if their flips are the bits of ``b``.
    """
    cython.declare(four=longlong, sum_one=double, two=double, three=double)
    with cython.nogil:
        for row in range(first, last):
            sum_one = two = three = 0.0
            for word in range(words):
                bits: ulonglong = flips[row * words + word]
                for four in range(16):
                    entry: longlong = 3 * (
                        16 * (16 * word + four) + cython.cast(longlong, (bits >> (4 * four)) & 15)
                    )
                    sum_one += table[entry]
                    two += table[entry + 1]
                    three += table[entry + 2]
            sums[3 * row] = sum_one
            sums[3 * row + 1] = two
            sums[3 * row + 2] = three


@cython.cfunc
@cython.inline
@cython.nogil
def add_coefficient(sums: double[::1], index: longlong, product: double, square: double) -> void:
    """Add a coefficient to a sum, and 1 to the count after it, unless all scores are equal."""
    if square > 0.0:
        sums[index] += product / sqrt(square)
        sums[index + 1] += 1.0


def swapped_pearson(
    scores: cython.const[double][::1],
    human: cython.const[double][::1],
    units: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    flips: cython.const[ulonglong][::1],
    words: longlong,
    sums: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Sum Pearson's r of both mixed metrics over the groups.

    `human` is centred in each group, with squares that sum up to 1. Row ``r`` of `sums` [rows * 4]
    is the sum of the first metric's coefficients and the number of groups that have one, then the
    same for the second metric. Groups in which all scores of a metric are equal have none.
    """
    with cython.nogil:
        for row in range(first, last):
            sums[4 * row] = sums[4 * row + 1] = sums[4 * row + 2] = sums[4 * row + 3] = 0.0
            for group in range(offsets.shape[0] - 1):
                start: longlong = offsets[group]
                stop: longlong = offsets[group + 1]
                bit: longlong = is_swapped(flips, row * words, units[start])
                one_first: double = scores[2 * start + bit]
                other_first: double = scores[2 * start + 1 - bit]
                one_total: double = 0.0
                other_total: double = 0.0
                one_product: double = 0.0
                other_product: double = 0.0
                one_square: double = 0.0
                other_square: double = 0.0
                # Scores minus the first one: equal scores give exactly 0, and the difference of
                # squares below loses at most a digit for each tenfold number of scores.
                for cell in range(start, stop):
                    bit = is_swapped(flips, row * words, units[cell])
                    first_value: double = scores[2 * cell + bit] - one_first
                    second_value: double = scores[2 * cell + 1 - bit] - other_first
                    one_total += first_value
                    other_total += second_value
                    one_product += first_value * human[cell]
                    other_product += second_value * human[cell]
                    one_square += first_value * first_value
                    other_square += second_value * second_value
                one_square -= one_total * one_total / (stop - start)
                other_square -= other_total * other_total / (stop - start)
                add_coefficient(sums, 4 * row, one_product, one_square)
                add_coefficient(sums, 4 * row + 2, other_product, other_square)


def swapped_spearman(
    order: cython.const[cython.int][::1],
    ends: cython.const[schar][::1],
    human: cython.const[double][::1],
    units: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    flips: cython.const[ulonglong][::1],
    words: longlong,
    sums: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Sum Spearman's rho of both mixed metrics over the groups, as `swapped_pearson` does.

    `order` [2 * cells] lists the scores of each group, ``2 * c`` or ``2 * c + 1``, in ascending
    order, and `ends` marks the last one of equal scores. `human` has the human ranks, centred in
    each group, with squares that sum up to 1.
    """
    cython.declare(one_seen=longlong, other_seen=longlong, one_tied=longlong, other_tied=longlong)
    with cython.nogil:
        for row in range(first, last):
            sums[4 * row] = sums[4 * row + 1] = sums[4 * row + 2] = sums[4 * row + 3] = 0.0
            for group in range(offsets.shape[0] - 1):
                number: double = offsets[group + 1] - offsets[group]
                one_seen = other_seen = one_tied = other_tied = 0
                one_human: double = 0.0
                other_human: double = 0.0
                one_product: double = 0.0
                other_product: double = 0.0
                one_square: double = 0.0
                other_square: double = 0.0
                for index in range(2 * offsets[group], 2 * offsets[group + 1]):
                    cell: longlong = order[index] >> 1
                    source: longlong = (
                        1 ^ (order[index] & 1) ^ is_swapped(flips, row * words, units[cell])
                    )
                    one_tied += source
                    other_tied += 1 - source
                    one_human += source * human[cell]
                    other_human += (1 - source) * human[cell]
                    if ends[index]:
                        # Twice the mean rank of the tied scores, minus twice the mean of all ranks.
                        rank: double = 2 * one_seen + one_tied - number
                        one_product += rank * one_human
                        one_square += rank * rank * one_tied
                        rank = 2 * other_seen + other_tied - number
                        other_product += rank * other_human
                        other_square += rank * rank * other_tied
                        one_seen += one_tied
                        other_seen += other_tied
                        one_tied = other_tied = 0
                        one_human = other_human = 0.0
                add_coefficient(sums, 4 * row, one_product, one_square)
                add_coefficient(sums, 4 * row + 2, other_product, other_square)


def swapped_rankings(
    order: cython.const[cython.int][::1],
    ends: cython.const[schar][::1],
    human: cython.const[cython.int][::1],
    units: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    flips: cython.const[ulonglong][::1],
    words: longlong,
    ranked: cython.int[::1],
    ties: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the human ranks in the order of each mixed metric, and count its ties.

    `order` and `ends` as in `swapped_spearman`, but equal scores are in the order of the human
    ranks, `human`. The inversions of `ranked` [rows * 2 * cells] are the discordant pairs; `ties`
    [rows * 2 * groups * 2] has the pairs that the metric ties, and those among them that the human
    ranks tie, too.
    """
    cython.declare(side=longlong, tied=longlong, same=longlong, metric_ties=longlong, both=longlong)
    groups: Py_ssize_t = offsets.shape[0] - 1
    cells: longlong = offsets[groups]
    with cython.nogil:
        for row in range(first, last):
            for side in range(2):
                row_start: longlong = (2 * row + side) * cells
                for group in range(groups):
                    tied = same = metric_ties = both = 0
                    rank: cython.int = -1
                    for index in range(2 * offsets[group], 2 * offsets[group + 1]):
                        cell: longlong = order[index] >> 1
                        source: longlong = (order[index] & 1) ^ is_swapped(
                            flips, row * words, units[cell]
                        )
                        if source == side:
                            if human[cell] != rank:
                                rank = human[cell]
                                same = 0
                            ranked[row_start] = rank
                            row_start += 1
                            metric_ties += tied
                            both += same
                            tied += 1
                            same += 1
                        if ends[index]:
                            tied = same = 0
                    ties[2 * ((2 * row + side) * groups + group)] = metric_ties
                    ties[2 * ((2 * row + side) * groups + group) + 1] = both


def swapped_tie_gains(
    left_units: cython.const[cython.int][::1],
    right_units: cython.const[cython.int][::1],
    sides: cython.const[schar][::1],
    weights: cython.const[longlong][::1],
    lanes: cython.const[ulonglong][::1],
    units: longlong,
    planes: longlong,
    gains: ulonglong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write ``g`` of both mixed metrics, for 64 resamples per row.

    Difference ``d``, in ascending order, is between the scores of the units ``left[d]`` and
    ``right[d]``; bits 0 and 1 of ``sides[d]`` are the metrics of the two scores. ``weights[d]`` is
    positive for a gain, negative for a loss; among equal differences losses come first. Bit ``r``
    of ``lanes[row * units + u]`` is 1 if unit ``u`` is swapped in resample ``r`` of the row.
    `gains` [rows * 2 * planes] is ``g`` in binary: bit ``r`` of ``gains[(2 * row + m) * planes +
    p]`` counts ``2**p`` for metric ``m``. Sums of weights must fit into `planes` bits.
    """
    cython.declare(d=Py_ssize_t)
    mask: ulonglong = MASK64
    with cython.nogil:
        for row in range(first, last):
            base: longlong = 2 * row * planes
            for d in range(2 * planes):
                gains[base + d] = 0
            for d in range(left_units.shape[0]):
                x: ulonglong = lanes[row * units + left_units[d]] ^ (mask * ((sides[d] & 1) ^ 1))
                y: ulonglong = lanes[row * units + right_units[d]] ^ (mask * ((sides[d] >> 1) ^ 1))
                if weights[d] < 0:
                    add_in_lanes(gains, base, planes, x & y, -weights[d])
                    add_in_lanes(gains, base + planes, planes, (x | y) ^ mask, -weights[d])
                else:
                    subtract_in_lanes(gains, base, planes, x & y, weights[d])
                    subtract_in_lanes(gains, base + planes, planes, (x | y) ^ mask, weights[d])


@cython.cfunc
@cython.inline
@cython.nogil
def add_in_lanes(
    planes: ulonglong[::1], base: longlong, number: longlong, lanes: ulonglong, weight: longlong
) -> void:
    """Add `weight` to the counters of the lanes whose bit is 1."""
    lowest: longlong = 0
    while weight > 0:
        if weight & 1:
            carry: ulonglong = lanes
            plane: longlong = base + lowest
            while carry != 0 and plane < base + number:
                carried: ulonglong = planes[plane] & carry
                planes[plane] = planes[plane] ^ carry
                carry = carried
                plane += 1
        weight >>= 1
        lowest += 1


@cython.cfunc
@cython.inline
@cython.nogil
def subtract_in_lanes(
    planes: ulonglong[::1], base: longlong, number: longlong, lanes: ulonglong, weight: longlong
) -> void:
    """Subtract `weight` from the counters of the lanes whose bit is 1, down to 0."""
    lowest: longlong = 0
    while weight > 0:
        if weight & 1:
            borrow: ulonglong = lanes
            plane: longlong = base + lowest
            while borrow != 0 and plane < base + number:
                difference: ulonglong = planes[plane] ^ borrow
                borrow = borrow & difference
                planes[plane] = difference
                plane += 1
            if borrow != 0:
                # These counters were smaller: they become 0, and stay 0 for the rest of the weight.
                for plane in range(base, base + number):
                    planes[plane] = planes[plane] & ~borrow
        weight >>= 1
        lowest += 1


@cython.cfunc
@cython.nogil
def power_of_e(x: double) -> double:
    """Return e to the power of a number that is not positive."""
    cython.declare(term=cython.int)
    if x < MIN_EXPONENT:
        return 0.0
    doublings: cython.int = cython.cast(cython.int, 0.5 - x * LOG2_E)
    remainder: double = (x + doublings * LOG_2) + doublings * LOG_2_REST
    total: double = 1.0
    for term in range(SERIES_TERMS, 0, -1):
        total = 1.0 + remainder * total / term
    half: double = 0.5
    while doublings > 0:
        if doublings & 1:
            total *= half
        half *= half
        doublings >>= 1
    return total


@cython.cfunc
@cython.inline
@cython.nogil
def raised_to(x: double) -> double:
    """Return e to the power of any number."""
    return power_of_e(x) if x <= 0.0 else 1.0 / power_of_e(-x)


@cython.cfunc
@cython.nogil
def density_ratio(x: double) -> double:
    """Return the density of the standard normal distribution over its distribution function."""
    cython.declare(k=cython.int)
    if x < TAIL:
        # Laplace's continued fraction of the tail.
        fraction: double = -x
        for k in range(FRACTION_LEVELS, 0, -1):
            fraction = -x + k / fraction
        return fraction
    density: double = DENSITY * power_of_e(-0.5 * x * x)
    if x > MAX_BELOW_ONE:
        return density
    # (The distribution function minus 1/2) / density: x + x^3/3 + x^5/(3*5) + ...
    term: double = x
    total: double = x
    k = 3
    while abs(term) > 1e-17 * abs(total):
        term *= x * x / k
        total += term
        k += 2
    return density / (0.5 + density * total)


@cython.cfunc
@cython.nogil
def rate_match(
    mu: double[::1],
    variance: double[::1],
    a: Py_ssize_t,
    b: Py_ssize_t,
    outcome: longlong,
    spread: double,
    margin: double,
    drift: double,
) -> void:
    """Update the skills at `a` and `b` after one match (Herbrich, Minka and Graepel 2006).

    `spread` is twice the square of beta, `drift` the square of tau.
    """
    sign: double = 1.0
    variance[a] += drift
    variance[b] += drift
    c: double = sqrt(spread + variance[a] + variance[b])
    x: double = (mu[a] - mu[b]) / c
    margin = margin / c
    if outcome == 0:
        if x < 0.0:
            sign = -1.0
            x = -x
        # P(-margin < performance < margin | x), divided by the density at margin - x.
        high: double = margin - x
        low: double = -margin - x
        ratio: double = power_of_e(-2.0 * margin * x)
        inverse_high: double = density_ratio(high)
        denominator: double = (
            1.0 / inverse_high - ratio / density_ratio(low) if inverse_high > 0.0 else 0.0
        )
        if denominator > 0.0:
            v: double = (ratio - 1.0) / denominator
            w: double = v * v + (high - low * ratio) / denominator
        else:
            v = 0.0
            w = 0.0
        v *= sign
    else:
        if outcome < 0:
            sign = -1.0
            x = -x
        x = x - margin
        v = density_ratio(x)
        w = v * (v + x)
        v *= sign
    mu[a] += variance[a] / c * v
    mu[b] -= variance[b] / c * v
    variance[a] *= 1.0 - variance[a] / (c * c) * w
    variance[b] *= 1.0 - variance[b] / (c * c) * w


def rate_in_order(
    winners: cython.const[longlong][::1],
    losers: cython.const[longlong][::1],
    outcomes: cython.const[longlong][::1],
    spread: double,
    margin: double,
    drift: double,
    mu: double[::1],
    variance: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Update the skills `mu` and `variance` after the matches ``first .. last-1``, one by one.

    A match is between ``winners[m]`` and ``losers[m]``; ``outcomes[m]`` is 1 if the former won, -1
    if the latter won, 0 for a draw.
    """
    with cython.nogil:
        for m in range(first, last):
            rate_match(mu, variance, winners[m], losers[m], outcomes[m], spread, margin, drift)


def sampled_runs(
    keys: cython.const[longlong][::1],
    systems: Py_ssize_t,
    matches: cython.const[longlong][::1],
    starts: cython.const[longlong][::1],
    items: cython.const[longlong][::1],
    outcomes: cython.const[longlong][::1],
    times: cython.const[double][::1],
    number_of_items: Py_ssize_t,
    variance_at_start: double,
    spread_of_match: double,
    margin_of_match: double,
    mu: double[::1],
    variance: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    sampled: longlong[::1],
    ends: longlong[::1],
    weights: double[::1],
    raised: double[::1],
    lowered: double[::1],
) -> None:
    """Rate systems in runs of matches, which are drawn as in Sakaguchi et al. (2014).

    Each match is between the system with the largest variance and another one, drawn with a
    probability proportional to ``exp(-|difference of mu|)``; its outcome is a random judgement of
    the two.

    Run ``r`` plays ``matches[r]`` matches. The judgements of the pair ``p = i * systems + j``, i <
    j, are ``starts[p] .. starts[p + 1] - 1``; judgement ``k`` is of the item ``items[k]`` and has
    the outcome ``outcomes[k]`` for i. An item counts ``times[r * number_of_items + item]`` times.
    Writes row ``r`` of `mu` and `variance` [runs * systems]. Scratch: `sampled`, for the judgements
    of a run; `ends`, ``systems ** 2 + 1`` numbers; `weights`, `raised` and `lowered`, one per
    system.
    """
    with cython.nogil:
        for run in range(first, last):
            base: Py_ssize_t = run * systems
            for i in range(systems):
                mu[base + i] = 0.0
                variance[base + i] = variance_at_start
                # e to the power of mu, and of -mu.
                raised[i] = 1.0
                lowered[i] = 1.0
            size: Py_ssize_t = 0
            for pair in range(systems * systems):
                ends[pair] = size
                for k in range(starts[pair], starts[pair + 1]):
                    copies: longlong = cython.cast(
                        longlong, times[run * number_of_items + items[k]]
                    )
                    while copies > 0:
                        sampled[size] = outcomes[k]
                        size += 1
                        copies -= 1
            ends[systems * systems] = size
            # Beta grows with the number of matches, so that one match moves little.
            spread: double = spread_of_match * matches[run] * matches[run]
            margin: double = margin_of_match * matches[run]
            state: ulonglong = cython.cast(ulonglong, keys[run]) & MASK64
            for _match in range(matches[run]):
                i = 0
                for j in range(1, systems):
                    if variance[base + j] > variance[base + i]:
                        i = j
                total: double = 0.0
                for j in range(systems):
                    pair = i * systems + j if i < j else j * systems + i
                    weights[j] = 0.0
                    if i != j and ends[pair + 1] > ends[pair]:
                        weights[j] = min(raised[i] * lowered[j], raised[j] * lowered[i])
                        total += weights[j]
                if total == 0.0:
                    # This system has no judgements in this run: mark it by a negative variance.
                    variance[base + i] = -variance[base + i]
                    continue
                state = (state + GOLDEN) & MASK64
                remaining: double = (mix64(state) >> 11) * RANDOM_UNIT * total
                j = 0
                while j < systems - 1 and (weights[j] == 0.0 or remaining >= weights[j]):
                    remaining -= weights[j]
                    j += 1
                while weights[j] == 0.0:
                    j -= 1
                pair = i * systems + j if i < j else j * systems + i
                state = (state + GOLDEN) & MASK64
                k = ends[pair] + cython.cast(
                    longlong, (mix64(state) >> 11) * RANDOM_UNIT * (ends[pair + 1] - ends[pair])
                )
                if i < j:
                    rate_match(mu, variance, base + i, base + j, sampled[k], spread, margin, 0.0)
                else:
                    rate_match(mu, variance, base + j, base + i, sampled[k], spread, margin, 0.0)
                raised[i] = raised_to(mu[base + i])
                raised[j] = raised_to(mu[base + j])
                lowered[i] = 1.0 / raised[i]
                lowered[j] = 1.0 / raised[j]
            for i in range(systems):
                variance[base + i] = abs(variance[base + i])


# -- Sums without rounding, moments, agreeing pairs, tie thresholds. -------------------------------
#
# `centred_moments` computes the moments in Pearson's r, `count_pairs` the pairs of outputs on which
# metric and human scores agree, disagree or tie. `add_exactly` adds doubles without rounding: each
# mantissa is added to the limbs of its exponent.


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
    ``a`` and ``b`` are its values minus their mean, divided by their spread: the largest distance
    of a value from the first one. So squares neither overflow nor underflow, and Pearson's r is
    ``moments[0] / sqrt(moments[1] * moments[2])``. All three are 0 if all values of `x`, or all of
    `y`, are equal, and for groups of fewer than two.
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
    finite. The kinds are: concordant, discordant, tied only by the metric, tied only by the human
    scores, tied by both. The metric ties two outputs if their scores differ by at most `threshold`;
    human scores tie if they are equal. Pairs whose human scores differ by less than `least` are not
    counted.

    Takes ``k * (k - 1) / 2`` steps for a group of ``k`` values, without a branch.
    """
    cython.declare(
        pairs=longlong, agree=longlong, tied=longlong, human_tied=longlong, both=longlong
    )
    with cython.nogil:
        for group in range(first, last):
            start: longlong = offsets[group]
            stop: longlong = offsets[group + 1]
            pairs = agree = tied = human_tied = both = 0
            for i in range(start + 1, stop):
                lead: double = metric[i]
                human_i: double = human[i]
                for j in range(start, i):
                    metric_gap: double = lead - metric[j]
                    human_gap: double = human_i - human[j]
                    pairs += abs(human_gap) >= least
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
            counts[5 * group + 1] = pairs - agree - tied - human_tied + both
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
    """Add the rows ``first .. last-1`` of a matrix of finite doubles to one accumulator per column.

    `bits` [rows * columns] has the bits of the matrix as integers. ``limbs`` [columns * 4096] has
    two signed limbs for each column and each of the 2,048 exponents: the sums of the low 32 and of
    the high 21 bits of the mantissas. A limb can sum up 2**31 values.
    """
    hidden_bit: longlong = HIDDEN_BIT
    low_word: longlong = LIMB_MASK
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

    `bits` [rows * columns] has the bits of the matrix as integers, `buckets` [rows] the bucket of
    each row. ``limbs`` [buckets * columns * width] has a number for each bucket and column, in
    signed limbs of 32 bits, the lowest first; limb 0 counts units of ``2 ** (32 * lowest - 1074)``.
    All values that are not 0 must be in this range. A limb can sum up 2**30 rows.
    """
    hidden_bit: longlong = HIDDEN_BIT
    low_word: longlong = LIMB_MASK
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
    """Return the gain in correct pairs if the metric ties the pair: 1, 0 or -1.

    The pair becomes correct if the human scores tie, and wrong if metric and human scores agreed.
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
    """Sum the gains and losses of ties by the size of the metric's difference.

    Output ``i`` is paired with the outputs ``starts[i] .. i - 1``, those before it in its group;
    its pairs have the weight ``weights[i]``. A pair with the absolute difference ``gap`` is in the
    bucket ``b = int(gap * scale)``. Its weight is added to ``sums[2 * b]`` if a tie makes it
    correct, to ``sums[2 * b + 1]`` if a tie makes it wrong. All scores are finite.
    """
    with cython.nogil:
        for i in range(first, last):
            weight: longlong = weights[i]
            for j in range(starts[i], i):
                gap: double = metric[i] - metric[j]
                sign: longlong = gain_sign(gap, human[i] - human[j])
                bucket: Py_ssize_t = cython.cast(Py_ssize_t, abs(gap) * scale)
                # Without a branch, which would be mispredicted for every third pair.
                sums[2 * bucket + (sign < 0)] += weight * (sign != 0)


def tie_gains(
    metric: cython.const[double][::1],
    human: cython.const[double][::1],
    starts: cython.const[longlong][::1],
    weights: cython.const[longlong][::1],
    scale: double,
    is_wanted: cython.const[uchar][::1],
    gaps: double[::1],
    gains: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> longlong:
    """List the pairs that become correct or wrong if the metric ties them; return their number.

    Pairs are those of `gain_histogram`, but only in buckets that are `is_wanted`. Writes, from
    index 0 on, to `gaps` the absolute difference of the metric's scores, and to `gains` the gain of
    a tie: plus or minus ``weights[i]``. Both arrays have an entry for each pair of the outputs
    ``first .. last - 1``, or for each wanted one.
    """
    gaps_found: longlong = 0
    capacity: longlong = gaps.shape[0]
    with cython.nogil:
        for i in range(first, last):
            weight: longlong = weights[i]
            for j in range(starts[i], i):
                gap: double = metric[i] - metric[j]
                size: double = abs(gap)
                if is_wanted[cython.cast(Py_ssize_t, size * scale)] and gaps_found < capacity:
                    # Always written, but counted only if the sign is not 0: no branch needed.
                    sign: longlong = gain_sign(gap, human[i] - human[j])
                    gaps[gaps_found] = size
                    gains[gaps_found] = sign * weight
                    gaps_found += sign != 0
    return gaps_found


def best_gap(
    gaps: cython.const[double][::1],
    gains: cython.const[longlong][::1],
    size: Py_ssize_t,
    tolerance: double,
    threshold: double[::1],
) -> longlong:
    """Sweep over `size` sorted gaps; write the smallest best threshold, and return its gain.

    The threshold 0 has the gain of gaps of 0. Successive gaps that differ by at most `tolerance`
    are the same difference, whose threshold is the largest of them.
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
