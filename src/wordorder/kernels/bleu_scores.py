"""BLEU of many rows of statistics, by sacreBLEU's operations: the same digits."""

import cython
from cython.cimports.libc.math import exp, fabs, log

# What sacreBLEU takes for it.
LOG_OF_ZERO = cython.declare(cython.double, -9999999999.0)
EXP = cython.declare(cython.int, 1)
FLOOR = cython.declare(cython.int, 2)
ADD_K = cython.declare(cython.int, 3)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def penalty(ours: cython.double, theirs: cython.double) -> cython.double:
    """Return the brevity penalty of a length beside that of the references."""
    if ours >= theirs:
        return 1.0
    if ours == 0.0:
        return 0.0
    return exp(1 - theirs / (ours if ours > 1.0 else 1.0))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mean_precision(
    counts: cython.const[cython.double][::1],
    place: cython.Py_ssize_t,
    order: cython.int,
    smoothing: cython.int,
    value: cython.double,
    effective_order: cython.bint,
    compensated: cython.bint,
) -> cython.double:
    """Return the geometric mean of the smoothed precisions in per cent.

    `counts` has the matches of each order from `place` on, then the n-grams. Logarithms are summed
    as Python does: from version 3.12 on with what rounding takes away.
    """
    cython.declare(n=cython.int, correct=cython.double, total=cython.double)
    cython.declare(logarithm=cython.double, after=cython.double)
    effective: cython.int = 0
    scale: cython.double = 1.0
    sum: cython.double = 0.0
    lost: cython.double = 0.0
    for n in range(order):
        correct = counts[place + n]
        total = counts[place + order + n]
        if smoothing == ADD_K and n > 0:
            correct += value
            total += value
        if effective == n and total != 0.0:
            effective = n + 1
            correct = 100.0 * correct
            if correct == 0.0 and smoothing == EXP:
                scale *= 2.0
                total *= scale
                correct = 100.0
            elif correct == 0.0 and smoothing == FLOOR:
                correct = 100.0 * value
            correct /= total
        else:
            if effective_order and effective > 0:
                break
            correct = 0.0
        logarithm = log(correct) if correct != 0.0 else LOG_OF_ZERO
        after = sum + logarithm
        if fabs(sum) >= fabs(logarithm):
            lost += (sum - after) + logarithm
        else:
            lost += (logarithm - after) + sum
        sum = after
    if compensated:
        sum += lost
    return exp(sum / (effective if effective_order and effective > 0 else order))


def bleu_scores(
    counts: cython.const[cython.double][::1],
    order: cython.int,
    smoothing: cython.int,
    value: cython.double,
    effective_order: cython.bint,
    compensated: cython.bint,
    scores: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the BLEU of rows ``ours, theirs, matches of each order, n-grams of each order``.

    From 0 to 100. `smoothing` is 0 for none, 1 for exp, 2 for floor, 3 for add-k. Precisions are 0
    from the first order on that has no n-grams.
    """
    cython.declare(row=cython.Py_ssize_t, place=cython.Py_ssize_t, n=cython.int)
    cython.declare(matched=cython.bint)
    with cython.nogil:
        for row in range(first, last):
            place = row * (2 + 2 * order)
            matched = False
            for n in range(order):
                matched = matched or counts[place + 2 + n] > 0.0
            if not matched:
                scores[row] = 0.0
                continue
            scores[row] = penalty(counts[place], counts[place + 1]) * mean_precision(
                counts, place + 2, order, smoothing, value, effective_order, compensated
            )
