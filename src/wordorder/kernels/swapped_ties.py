"""acc_eq of two metrics that swap some of their scores at random, 64 resamples at a time.

Each resample needs its own best tie threshold. The differences that can occur are sorted once:
a pair of outputs has four, of the scores of either metric and of one score of each. A sweep from
the smallest difference on finds the best threshold, and what it keeps is one whole number.

With the threshold below all differences some pairs are right. Once a difference is passed, its
pair is tied: a gain if people see a tie, a loss if metric and people agree. Keep ``g``, by how much
the best number of right pairs so far exceeds the present one: a loss adds to ``g``, a gain takes
away, but never below 0. At the end all pairs are tied, and only those are right that people tie.
So the best number of right pairs is the number of human ties plus ``g``.
"""

import cython

MASK64 = cython.declare(cython.ulonglong, (1 << 64) - 1)


def swapped_tie_gains(
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    sides: cython.const[cython.schar][::1],
    weights: cython.const[cython.longlong][::1],
    lanes: cython.const[cython.ulonglong][::1],
    units: cython.longlong,
    planes: cython.longlong,
    gains: cython.ulonglong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write ``g`` of both mixed metrics, for 64 resamples a row.

    Difference ``d``, in their order, is between the scores of the units ``left[d]`` and
    ``right[d]``; bits 0 and 1 of ``sides[d]`` say of which metric each score is. ``weights[d]`` is
    a gain above 0, a loss below; of equal differences the losses come first. Bit ``r`` of
    ``lanes[row * units + u]`` says whether unit ``u`` is swapped in resample ``r`` of the row.
    `gains` [rows * 2 * planes] takes ``g`` in binary: bit ``r`` of ``gains[(2 * row + m) * planes +
    p]`` is worth ``2**p`` for metric ``m``. No sum of weights may need more than `planes` bits.
    """
    cython.declare(row=cython.Py_ssize_t, d=cython.Py_ssize_t, base=cython.longlong)
    cython.declare(x=cython.ulonglong, y=cython.ulonglong)
    mask: cython.ulonglong = MASK64
    with cython.nogil:
        for row in range(first, last):
            base = 2 * row * planes
            for d in range(2 * planes):
                gains[base + d] = 0
            for d in range(left.shape[0]):
                x = lanes[row * units + left[d]] ^ (mask * ((sides[d] & 1) ^ 1))
                y = lanes[row * units + right[d]] ^ (mask * ((sides[d] >> 1) ^ 1))
                if weights[d] < 0:
                    _add(gains, base, planes, x & y, -weights[d])
                    _add(gains, base + planes, planes, (x | y) ^ mask, -weights[d])
                else:
                    _take(gains, base, planes, x & y, weights[d])
                    _take(gains, base + planes, planes, (x | y) ^ mask, weights[d])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add(
    planes: cython.ulonglong[::1],
    base: cython.longlong,
    number: cython.longlong,
    lanes: cython.ulonglong,
    weight: cython.longlong,
) -> cython.void:
    """Add `weight` to the counters of some lanes."""
    cython.declare(carry=cython.ulonglong, kept=cython.ulonglong, plane=cython.longlong)
    lowest: cython.longlong = 0
    while weight > 0:
        if weight & 1:
            carry = lanes
            plane = base + lowest
            while carry != 0 and plane < base + number:
                kept = planes[plane] & carry
                planes[plane] = planes[plane] ^ carry
                carry = kept
                plane += 1
        weight >>= 1
        lowest += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _take(
    planes: cython.ulonglong[::1],
    base: cython.longlong,
    number: cython.longlong,
    lanes: cython.ulonglong,
    weight: cython.longlong,
) -> cython.void:
    """Take `weight` from the counters of some lanes; a counter that has less becomes 0."""
    cython.declare(borrow=cython.ulonglong, kept=cython.ulonglong, plane=cython.longlong)
    lowest: cython.longlong = 0
    while weight > 0:
        if weight & 1:
            borrow = lanes
            plane = base + lowest
            while borrow != 0 and plane < base + number:
                kept = planes[plane] ^ borrow
                borrow = borrow & kept
                planes[plane] = kept
                plane += 1
            if borrow != 0:
                # These had less. What is left of the weight finds them at 0 and leaves them there.
                for plane in range(base, base + number):
                    planes[plane] = planes[plane] & ~borrow
        weight >>= 1
        lowest += 1
