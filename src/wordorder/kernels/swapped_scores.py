"""Two metrics that swap some of their scores at random: what correlates with people then.

All functions share their input. `scores` [2 * cells] has the scores of both metrics side by side,
``2 * c`` and ``2 * c + 1`` for cell ``c``. Cells lie group after group, as `offsets` [groups + 1]
says. Cell ``c`` is swapped in resample ``r`` if bit ``units[c] % 64`` of word ``units[c] // 64`` in
row ``r`` of `flips` [rows * words] is 1: then the first of the two mixed metrics takes the score of
the second metric. `first` and `last` are rows.
"""

import cython
from cython.cimports.libc.math import sqrt


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def swapped(
    flips: cython.const[cython.ulonglong][::1], start: cython.longlong, unit: cython.longlong
) -> cython.longlong:
    """Return 1 if a unit is swapped in the resample whose words begin at `start`, else 0."""
    return cython.cast(cython.longlong, (flips[start + (unit >> 6)] >> (unit & 63)) & 1)


def swapped_sums(
    scores: cython.const[cython.double][::1],
    units: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    flips: cython.const[cython.ulonglong][::1],
    words: cython.longlong,
    sums: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Sum the scores of both mixed metrics over each group, into `sums` [rows * 2 * groups]."""
    cython.declare(row=cython.Py_ssize_t, group=cython.Py_ssize_t, cell=cython.longlong)
    cython.declare(bit=cython.longlong, one=cython.double, other=cython.double)
    groups: cython.Py_ssize_t = offsets.shape[0] - 1
    with cython.nogil:
        for row in range(first, last):
            for group in range(groups):
                one = 0.0
                other = 0.0
                for cell in range(offsets[group], offsets[group + 1]):
                    bit = swapped(flips, row * words, units[cell])
                    one += scores[2 * cell + bit]
                    other += scores[2 * cell + 1 - bit]
                sums[2 * row * groups + group] = one
                sums[(2 * row + 1) * groups + group] = other


def flipped_sums(
    table: cython.const[cython.double][::1],
    flips: cython.const[cython.ulonglong][::1],
    words: cython.longlong,
    sums: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Sum three numbers of each coin that shows 1, into `sums` [rows * 3].

    `table` [16 * words * 16 * 3] has the sums for four coins at a time: entry ``16 * f + b`` those
    of coins ``4 * f .. 4 * f + 3`` if they show the bits of ``b``.
    """
    cython.declare(row=cython.Py_ssize_t, word=cython.longlong, four=cython.longlong)
    cython.declare(place=cython.longlong, bits=cython.ulonglong, one=cython.double)
    cython.declare(two=cython.double, three=cython.double)
    with cython.nogil:
        for row in range(first, last):
            one = 0.0
            two = 0.0
            three = 0.0
            for word in range(words):
                bits = flips[row * words + word]
                for four in range(16):
                    place = 3 * (
                        16 * (16 * word + four)
                        + cython.cast(cython.longlong, (bits >> (4 * four)) & 15)
                    )
                    one += table[place]
                    two += table[place + 1]
                    three += table[place + 2]
            sums[3 * row] = one
            sums[3 * row + 1] = two
            sums[3 * row + 2] = three


def swapped_pearson(
    scores: cython.const[cython.double][::1],
    human: cython.const[cython.double][::1],
    units: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    flips: cython.const[cython.ulonglong][::1],
    words: cython.longlong,
    sums: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Sum Pearson's r of both mixed metrics over the groups.

    `human` is centred in each group, with squares that sum up to 1. Row ``r`` of `sums` [rows * 4]
    takes the sum of the first metric's coefficients and how many groups have one, then those of the
    second. A group in which all scores of a metric are equal has none.
    """
    cython.declare(row=cython.Py_ssize_t, group=cython.Py_ssize_t, cell=cython.longlong)
    cython.declare(start=cython.longlong, stop=cython.longlong, bit=cython.longlong)
    cython.declare(one=cython.double, other=cython.double, one_first=cython.double)
    cython.declare(other_first=cython.double, one_total=cython.double, other_total=cython.double)
    cython.declare(one_product=cython.double, other_product=cython.double, one_square=cython.double)
    cython.declare(other_square=cython.double, one_sum=cython.double, other_sum=cython.double)
    cython.declare(one_number=cython.longlong, other_number=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            one_sum = 0.0
            other_sum = 0.0
            one_number = 0
            other_number = 0
            for group in range(offsets.shape[0] - 1):
                start = offsets[group]
                stop = offsets[group + 1]
                bit = swapped(flips, row * words, units[start])
                one_first = scores[2 * start + bit]
                other_first = scores[2 * start + 1 - bit]
                one_total = 0.0
                other_total = 0.0
                one_product = 0.0
                other_product = 0.0
                one_square = 0.0
                other_square = 0.0
                # Distances from one of the scores: equal scores leave exactly 0, and the difference
                # of squares below loses at most a digit for each tenfold number of scores.
                for cell in range(start, stop):
                    bit = swapped(flips, row * words, units[cell])
                    one = scores[2 * cell + bit] - one_first
                    other = scores[2 * cell + 1 - bit] - other_first
                    one_total += one
                    other_total += other
                    one_product += one * human[cell]
                    other_product += other * human[cell]
                    one_square += one * one
                    other_square += other * other
                one_square -= one_total * one_total / (stop - start)
                other_square -= other_total * other_total / (stop - start)
                if one_square > 0.0:
                    one_sum += one_product / sqrt(one_square)
                    one_number += 1
                if other_square > 0.0:
                    other_sum += other_product / sqrt(other_square)
                    other_number += 1
            sums[4 * row] = one_sum
            sums[4 * row + 1] = one_number
            sums[4 * row + 2] = other_sum
            sums[4 * row + 3] = other_number


def swapped_spearman(
    order: cython.const[cython.int][::1],
    ends: cython.const[cython.schar][::1],
    human: cython.const[cython.double][::1],
    units: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    flips: cython.const[cython.ulonglong][::1],
    words: cython.longlong,
    sums: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Sum Spearman's rho of both mixed metrics over the groups, as `swapped_pearson` does.

    `order` [2 * cells] lists the scores of each group, ``2 * c`` or ``2 * c + 1``, from the lowest
    on, and `ends` marks the last one of equal scores. `human` are people's ranks, centred in each
    group, with squares that sum up to 1.
    """
    cython.declare(row=cython.Py_ssize_t, group=cython.Py_ssize_t, place=cython.longlong)
    cython.declare(cell=cython.longlong, taken=cython.longlong, number=cython.double)
    cython.declare(one_seen=cython.longlong, other_seen=cython.longlong, one_tied=cython.longlong)
    cython.declare(other_tied=cython.longlong, one_human=cython.double, other_human=cython.double)
    cython.declare(rank=cython.double, one_product=cython.double, other_product=cython.double)
    cython.declare(one_square=cython.double, other_square=cython.double, one_sum=cython.double)
    cython.declare(other_sum=cython.double, one_number=cython.longlong)
    cython.declare(other_number=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            one_sum = 0.0
            other_sum = 0.0
            one_number = 0
            other_number = 0
            for group in range(offsets.shape[0] - 1):
                number = offsets[group + 1] - offsets[group]
                one_seen = 0
                other_seen = 0
                one_tied = 0
                other_tied = 0
                one_human = 0.0
                other_human = 0.0
                one_product = 0.0
                other_product = 0.0
                one_square = 0.0
                other_square = 0.0
                for place in range(2 * offsets[group], 2 * offsets[group + 1]):
                    cell = order[place] >> 1
                    taken = 1 ^ (order[place] & 1) ^ swapped(flips, row * words, units[cell])
                    one_tied += taken
                    other_tied += 1 - taken
                    one_human += taken * human[cell]
                    other_human += (1 - taken) * human[cell]
                    if ends[place]:
                        # Twice the mean rank of the tied ones, less twice the mean of all ranks.
                        rank = 2 * one_seen + one_tied - number
                        one_product += rank * one_human
                        one_square += rank * rank * one_tied
                        rank = 2 * other_seen + other_tied - number
                        other_product += rank * other_human
                        other_square += rank * rank * other_tied
                        one_seen += one_tied
                        other_seen += other_tied
                        one_tied = 0
                        other_tied = 0
                        one_human = 0.0
                        other_human = 0.0
                if one_square > 0.0:
                    one_sum += one_product / sqrt(one_square)
                    one_number += 1
                if other_square > 0.0:
                    other_sum += other_product / sqrt(other_square)
                    other_number += 1
            sums[4 * row] = one_sum
            sums[4 * row + 1] = one_number
            sums[4 * row + 2] = other_sum
            sums[4 * row + 3] = other_number


def swapped_rankings(
    order: cython.const[cython.int][::1],
    ends: cython.const[cython.schar][::1],
    human: cython.const[cython.int][::1],
    units: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    flips: cython.const[cython.ulonglong][::1],
    words: cython.longlong,
    ranked: cython.int[::1],
    ties: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """List people's ranks in the order of each mixed metric, and count its ties.

    `order` and `ends` as in `swapped_spearman`, but equal scores are in the order of people's
    ranks, `human`. Writes `ranked` [rows * 2 * cells], of which the discordant pairs are the
    inversions, and to `ties` [rows * 2 * groups * 2] the pairs that the metric ties, and those
    among them that people tie too.
    """
    cython.declare(row=cython.Py_ssize_t, group=cython.Py_ssize_t, place=cython.longlong)
    cython.declare(cell=cython.longlong, side=cython.longlong, taken=cython.longlong)
    cython.declare(at=cython.longlong, tied=cython.longlong, same=cython.longlong)
    cython.declare(metric_ties=cython.longlong, both=cython.longlong, rank=cython.int)
    groups: cython.Py_ssize_t = offsets.shape[0] - 1
    cells: cython.longlong = offsets[groups]
    with cython.nogil:
        for row in range(first, last):
            for side in range(2):
                at = (2 * row + side) * cells
                for group in range(groups):
                    tied = 0
                    same = 0
                    metric_ties = 0
                    both = 0
                    rank = -1
                    for place in range(2 * offsets[group], 2 * offsets[group + 1]):
                        cell = order[place] >> 1
                        taken = (order[place] & 1) ^ swapped(flips, row * words, units[cell])
                        if taken == side:
                            if human[cell] != rank:
                                rank = human[cell]
                                same = 0
                            ranked[at] = rank
                            at += 1
                            metric_ties += tied
                            both += same
                            tied += 1
                            same += 1
                        if ends[place]:
                            tied = 0
                            same = 0
                    ties[2 * ((2 * row + side) * groups + group)] = metric_ties
                    ties[2 * ((2 * row + side) * groups + group) + 1] = both
