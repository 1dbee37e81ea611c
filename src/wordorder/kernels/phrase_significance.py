"""How often two phrases meet, and how surprising that is (Johnson et al. 2007)."""

import cython
from cython.cimports.libc.math import log, log1p

# A further term that is smaller by this factor changes no digit of the sum.
NEGLIGIBLE = cython.declare(cython.double, 1e-18)


def count_meetings(
    source_rows: cython.const[cython.int][::1],
    source_offsets: cython.const[cython.longlong][::1],
    target_rows: cython.const[cython.int][::1],
    target_offsets: cython.const[cython.longlong][::1],
    source: cython.const[cython.int][::1],
    target: cython.const[cython.int][::1],
    meetings: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Count the sentence pairs in which both phrases of each pair occur.

    Phrase `p` occurs in the sentences ``rows[offsets[p] : offsets[p + 1]]``, which rise.
    """
    cython.declare(pair=cython.Py_ssize_t, at=cython.longlong, stop=cython.longlong)
    cython.declare(low=cython.longlong, high=cython.longlong, right=cython.longlong)
    cython.declare(middle=cython.longlong, row=cython.int, count=cython.longlong)
    cython.declare(swapped=cython.bint)
    with cython.nogil:
        for pair in range(first, last):
            at = source_offsets[source[pair]]
            stop = source_offsets[source[pair] + 1]
            low = target_offsets[target[pair]]
            high = target_offsets[target[pair] + 1]
            # The longer list is searched for what is in the shorter one.
            swapped = high - low < stop - at
            if swapped:
                at, stop, low, high = low, high, at, stop
            count = 0
            while at < stop and low < high:
                row = target_rows[at] if swapped else source_rows[at]
                right = high
                while low < right:
                    middle = (low + right) // 2
                    if (source_rows[middle] if swapped else target_rows[middle]) < row:
                        low = middle + 1
                    else:
                        right = middle
                if low < high and (source_rows[low] if swapped else target_rows[low]) == row:
                    count += 1
                    low += 1
                at += 1
            meetings[pair] = count


def add_logarithms(
    factorials: cython.double[::1], first: cython.Py_ssize_t, last: cython.Py_ssize_t
) -> None:
    """Write the logarithms of the factorials of all numbers; that of 0 is there."""
    cython.declare(number=cython.Py_ssize_t)
    with cython.nogil:
        for number in range(first, last):
            factorials[number] = factorials[number - 1] + log(number)


def log_probabilities(
    factorials: cython.const[cython.double][::1],
    sentences: cython.longlong,
    source: cython.const[cython.longlong][::1],
    target: cython.const[cython.longlong][::1],
    meetings: cython.const[cython.longlong][::1],
    found: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the logarithms of the probabilities that phrases meet at least so often by chance.

    `factorials` has the logarithms of those of all numbers up to `sentences`. Of so many sentence
    pairs, `source` have the source phrase, `target` the target phrase and
    `meetings` both: Fisher's exact test, one-sided.
    """
    cython.declare(pair=cython.Py_ssize_t, a=cython.longlong, b=cython.longlong, k=cython.longlong)
    cython.declare(term=cython.double, total=cython.double)
    with cython.nogil:
        for pair in range(first, last):
            a = source[pair]
            b = target[pair]
            k = meetings[pair]
            if k <= max(0, a + b - sentences):
                # As often as they must.
                found[pair] = 0.0
                continue
            total = (
                log_choose(factorials, a, k)
                + log_choose(factorials, sentences - a, b - k)
                - log_choose(factorials, sentences, b)
            )
            # All further terms, each as a share of the first one.
            term = 1.0
            found[pair] = 0.0
            while k < min(a, b):
                term *= cython.cast(cython.double, a - k) * cython.cast(cython.double, b - k)
                term /= cython.cast(cython.double, k + 1)
                term /= cython.cast(cython.double, sentences - a - b + k + 1)
                found[pair] += term
                k += 1
                if term < NEGLIGIBLE * found[pair]:
                    break
            found[pair] = min(0.0, total + log1p(found[pair]))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def log_choose(
    factorials: cython.const[cython.double][::1], n: cython.longlong, k: cython.longlong
) -> cython.double:
    """Return the logarithm of the number of ways to choose `k` of `n`."""
    return factorials[n] - factorials[k] - factorials[n - k]
