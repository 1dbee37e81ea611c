"""N-grams that a hypothesis shares with its references, the BLEU they give, and words in context.

An n-gram is the n-gram without its last entry, by number, and this entry. Only n-grams of the
hypothesis get a number, from 1 on, and only where both runs of n - 1 entries in them are shared:
what is not found at one order is not looked at for the next. Which n-grams are shared cannot be
foreseen, so the innermost lines do without branches: 0 is the number of all others.

BLEU of many rows of statistics takes sacreBLEU's operations: the same digits. `Contexts` tells
which reference word each hypothesis word matches by its context, as RIBES does it.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, ulonglong, void
from cython.cimports.libc.math import exp, fabs, log
from cython.cimports.wordorder.kernels.distances import RowPairs

MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
SPREAD = cython.declare(ulonglong, 0x9E3779B97F4A7C15)

# What sacreBLEU takes for it.
LOG_OF_ZERO = cython.declare(double, -9999999999.0)
cython.declare(EXP=cython.int, FLOOR=cython.int, ADD_K=cython.int)
EXP, FLOOR, ADD_K = 1, 2, 3


@cython.cfunc
@cython.inline
@cython.nogil
def slot_of(keys: ulonglong[::1], key: ulonglong, shift: cython.int, mask: longlong) -> longlong:
    """Return where a key is in a table with open addressing, or the free slot for it."""
    at: longlong = cython.cast(longlong, ((key * SPREAD) & MASK64) >> shift)
    while keys[at] != key and keys[at] != 0:
        at = (at + 1) & mask
    return at


@cython.cfunc
@cython.inline
@cython.nogil
def key_of(before: cython.int, entry: cython.int) -> ulonglong:
    """Return one number for the number of an n-gram, at least 1, and the entry behind it."""
    return (cython.cast(ulonglong, before) << 32) | cython.cast(ulonglong, entry)


def shared_ngrams(
    hypothesis: cython.const[cython.int][::1],
    starts: cython.const[longlong][::1],
    stops: cython.const[longlong][::1],
    hypothesis_of: cython.const[longlong][::1],
    references: cython.const[cython.int][::1],
    reference_starts: cython.const[longlong][::1],
    reference_stops: cython.const[longlong][::1],
    reference_offsets: cython.const[longlong][::1],
    orders: cython.int,
    shared: longlong[::1],
    by_place: bint,
    matched: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Count the n-grams of a hypothesis that match, clipped by the most frequent reference.

    Group `g` is the hypothesis ``hypothesis[starts[h] : stops[h]]`` with ``h = hypothesis_of[g]``
    and the references ``references[reference_starts[r] : reference_stops[r]]`` with `r` from
    ``reference_offsets[g]`` to before ``reference_offsets[g + 1]``. All entries are at least 0.
    The matches of n-grams go to ``shared[orders * g + n - 1]``. If `by_place`, those of each n-gram
    go to ``matched[(n - 1) * entries + place]`` too, at its first place in the hypotheses. Both
    must hold 0 everywhere. No group is longer than `longest`, counted with one entry more for each
    reference.
    """
    cython.declare(total=longlong, order=cython.int)
    entries: longlong = hypothesis.shape[0]
    room = array("i", bytes(4 * longest + 4))
    # The number of the n-gram that starts at each place of the hypothesis and of all references.
    ours: cython.int[::1] = room[:]
    theirs: cython.int[::1] = room[:]
    # Of each n-gram: its first place, how often it occurs in the hypothesis, how often at most in
    # one reference (but no oftener), how often in the present one.
    place: cython.int[::1] = room[:]
    count: cython.int[::1] = room[:]
    most: cython.int[::1] = room[:]
    now: cython.int[::1] = room[:]
    # The keys of n-grams, and their numbers.
    keys: ulonglong[::1] = array("Q", bytes(32 * longest + 32))
    numbers: cython.int[::1] = room * 4
    with cython.nogil:
        for group in range(first, last):
            start: longlong = starts[hypothesis_of[group]]
            length: longlong = stops[hypothesis_of[group]] - start
            for i in range(length + 1):
                ours[i] = 1
            base: longlong = 0
            for row in range(reference_offsets[group], reference_offsets[group + 1]):
                base += reference_stops[row] - reference_starts[row] + 1
            for i in range(base):
                theirs[i] = 1
            left: longlong = length
            for order in range(1, orders + 1):
                if length < order:
                    break
                size: longlong = 2
                shift: cython.int = 63
                while size < 2 * left:
                    size *= 2
                    shift -= 1
                for i in range(size):
                    keys[i] = 0
                for i in range(size):
                    numbers[i] = 0
                for i in range(left + 1):
                    count[i] = most[i] = now[i] = 0
                known: cython.int = 0
                for i in range(length - order + 1):
                    if ours[i] == 0 or ours[i + 1] == 0:
                        ours[i] = 0
                        continue
                    key: ulonglong = key_of(ours[i], hypothesis[start + i + order - 1])
                    at: longlong = slot_of(keys, key, shift, size - 1)
                    number: cython.int = numbers[at]
                    one: cython.int = number == 0
                    known += one
                    number += known & -one
                    keys[at] = key
                    numbers[at] = number
                    count[number] += 1
                    ours[i] = number
                    if by_place and one:
                        place[number] = cython.cast(cython.int, i)
                total = base = 0
                for row in range(reference_offsets[group], reference_offsets[group + 1]):
                    at = reference_starts[row] + order - 1 - base
                    for i in range(base, reference_stops[row] - at):
                        if theirs[i] == 0 or theirs[i + 1] == 0:
                            theirs[i] = 0
                            continue
                        key = key_of(theirs[i], references[at + i])
                        number = numbers[slot_of(keys, key, shift, size - 1)]
                        theirs[i] = number
                        now[number] += 1
                        one = (now[number] > most[number]) & (now[number] <= count[number])
                        most[number] += one
                        total += one
                    for i in range(known + 1):
                        now[i] = 0
                    base += reference_stops[row] - reference_starts[row] + 1
                if total == 0:
                    break
                shared[group * orders + order - 1] = total
                if by_place:
                    for number in range(1, known + 1):
                        matched[(order - 1) * entries + start + place[number]] = most[number]
                left = 0
                for i in range(length - order + 1):
                    one = most[ours[i]] > 0
                    ours[i] &= -one
                    left += one


@cython.cfunc
@cython.inline
@cython.nogil
def penalty(ours: double, theirs: double) -> double:
    """Return the brevity penalty of a length beside that of the references."""
    if ours >= theirs:
        return 1.0
    if ours == 0.0:
        return 0.0
    return exp(1 - theirs / (ours if ours > 1.0 else 1.0))


@cython.cfunc
@cython.inline
@cython.nogil
def mean_precision(
    counts: cython.const[double][::1],
    place: Py_ssize_t,
    order: cython.int,
    smoothing: cython.int,
    value: double,
    effective_order: bint,
    compensated: bint,
) -> double:
    """Return the geometric mean of the smoothed precisions in per cent.

    `counts` has the matches of each order from `place` on, then the n-grams. Logarithms are summed
    as Python does: from version 3.12 on with what rounding takes away.
    """
    effective: cython.int = 0
    scale: double = 1.0
    sum: double = 0.0
    lost: double = 0.0
    for n in range(order):
        correct: double = counts[place + n]
        total: double = counts[place + order + n]
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
        logarithm: double = log(correct) if correct != 0.0 else LOG_OF_ZERO
        after: double = sum + logarithm
        if fabs(sum) >= fabs(logarithm):
            lost += (sum - after) + logarithm
        else:
            lost += (logarithm - after) + sum
        sum = after
    if compensated:
        sum += lost
    return exp(sum / (effective if effective_order and effective > 0 else order))


def bleu_scores(
    counts: cython.const[double][::1],
    order: cython.int,
    smoothing: cython.int,
    value: double,
    effective_order: bint,
    compensated: bint,
    scores: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the BLEU of rows ``ours, theirs, matches of each order, n-grams of each order``.

    From 0 to 100. `smoothing` is 0 for none, 1 for exp, 2 for floor, 3 for add-k. Precisions are 0
    from the first order on that has no n-grams.
    """
    with cython.nogil:
        for row in range(first, last):
            place: Py_ssize_t = row * (2 + 2 * order)
            matched: bint = False
            for n in range(order):
                matched = matched or counts[place + 2 + n] > 0.0
            if not matched:
                scores[row] = 0.0
                continue
            scores[row] = penalty(counts[place], counts[place + 1]) * mean_precision(
                counts, place + 2, order, smoothing, value, effective_order, compensated
            )


@cython.cclass
class Contexts:
    """Finds for each word of a hypothesis the shortest context that tells where it belongs.

    The words of a segment are numbered from 0. `find` looks to the left; for the right both
    sentences are read backwards.
    """

    cython.declare(hypothesis=cython.int[::1], reference=cython.int[::1])
    # The last place of a word so far, and the place before each place with the same word.
    cython.declare(last=cython.int[::1], earlier=cython.int[::1], reference_earlier=cython.int[::1])
    # How long a common context ends at the present word and each place.
    cython.declare(common=cython.int[::1], reference_common=cython.int[::1])
    # Of each hypothesis word: the longest common context with another place of the hypothesis,
    # the two longest with places of the reference, and where the longest ends.
    cython.declare(again=cython.int[::1], longest=cython.int[::1], second=cython.int[::1])
    cython.declare(where=cython.int[::1])

    @cython.cfunc
    @cython.nogil
    def find(self, n: cython.int, m: cython.int, distinct: cython.int) -> void:
        """Fill `again`, `longest`, `second` and `where` for `n` words against `m`.

        A context of `k` words occurs once on both sides if and only if `again` and `second` are
        below `k` and `longest` is not. Common contexts grow from the place before both ends, so
        places are taken from the last to the first: the one before still holds the length of the
        word before.
        """
        for word in range(distinct):
            self.last[word] = -1
        for place in range(m):
            word = self.reference[place]
            self.reference_earlier[place] = self.last[word]
            self.last[word] = place
        for i in range(n):
            word = self.hypothesis[i]
            self.longest[i] = self.second[i] = 0
            self.where[i] = -1
            place = self.last[word]
            while place >= 0:
                length: cython.int = 1
                if i > 0 and place > 0 and self.hypothesis[i - 1] == self.reference[place - 1]:
                    length += self.reference_common[place - 1]
                self.reference_common[place] = length
                if length > self.longest[i]:
                    self.second[i] = self.longest[i]
                    self.longest[i] = length
                    self.where[i] = place
                elif length > self.second[i]:
                    self.second[i] = length
                place = self.reference_earlier[place]
        for word in range(distinct):
            self.last[word] = -1
        for i in range(n):
            word = self.hypothesis[i]
            self.again[i] = 0
            self.earlier[i] = self.last[word]
            self.last[word] = i
            place = self.earlier[i]
            while place >= 0:
                length = 1
                if place > 0 and self.hypothesis[i - 1] == self.hypothesis[place - 1]:
                    length += self.common[place - 1]
                self.common[place] = length
                if length > self.again[i]:
                    self.again[i] = length
                if length > self.again[place]:
                    self.again[place] = length
                place = self.earlier[place]

    @cython.cfunc
    @cython.nogil
    def needed(self, i: cython.int) -> cython.int:
        """Return the words of the shortest context that tells where word `i` belongs, 0 if none."""
        length: cython.int = self.again[i]
        if length < self.second[i]:
            length = self.second[i]
        return length + 1 if length < self.longest[i] else 0

    @cython.cfunc
    @cython.nogil
    def reverse(self, n: cython.int, m: cython.int) -> void:
        """Turn both sentences round."""
        cython.declare(i=cython.int)
        for i in range(n // 2):
            word: cython.int = self.hypothesis[i]
            self.hypothesis[i] = self.hypothesis[n - 1 - i]
            self.hypothesis[n - 1 - i] = word
        for i in range(m // 2):
            word = self.reference[i]
            self.reference[i] = self.reference[m - 1 - i]
            self.reference[m - 1 - i] = word


def worder(
    pairs: RowPairs,
    distinct: cython.const[cython.int][::1],
    right_first: cython.int,
    starts: cython.const[longlong][::1],
    ranks: cython.int[::1],
    matched: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write per reference the places of the hypothesis words in it, from ``ranks[starts[row]]``.

    ``matched[row]`` is their number: a word whose place no context tells is left out. With
    `right_first`, the right context wins over a left one of the same length, and a left context of
    the whole beginning is not tried for words in the second half. No sentence is longer than
    `longest`, no segment has more different words.
    """
    contexts: Contexts = Contexts()
    words = array("i", bytes(4 * longest))
    contexts.hypothesis, contexts.reference, contexts.last = words[:], words[:], words[:]
    contexts.earlier, contexts.reference_earlier = words[:], words[:]
    contexts.common, contexts.reference_common = words[:], words[:]
    contexts.again, contexts.longest, contexts.second = words[:], words[:], words[:]
    contexts.where = words[:]
    left_length: cython.int[::1] = words[:]
    left_where: cython.int[::1] = words[:]
    with cython.nogil:
        for row in range(first, last):
            segment: longlong = pairs.text_rows[row]
            start: longlong = pairs.text_offsets[segment]
            n: cython.int = cython.cast(cython.int, pairs.text_offsets[segment + 1] - start)
            for i in range(n):
                contexts.hypothesis[i] = pairs.text[start + i]
            start = pairs.pattern_offsets[row]
            m: cython.int = cython.cast(cython.int, pairs.pattern_offsets[row + 1] - start)
            for i in range(m):
                contexts.reference[i] = pairs.pattern[start + i]
            contexts.find(n, m, distinct[segment])
            for i in range(n):
                left_length[i] = contexts.needed(i)
                left_where[i] = contexts.where[i]
                if right_first and left_length[i] > 1:
                    widest: cython.int = n - i + 1
                    if widest < i:
                        widest = i
                    if left_length[i] > widest:
                        left_length[i] = 0
            contexts.reverse(n, m)
            contexts.find(n, m, distinct[segment])
            base: longlong = starts[row]
            found: cython.int = 0
            for i in range(n):
                left: cython.int = left_length[i]
                right: cython.int = contexts.needed(n - 1 - i)
                if left and (not right or left < right or (left == right and not right_first)):
                    ranks[base + found] = left_where[i]
                    found += 1
                elif right:
                    ranks[base + found] = m - 1 - contexts.where[n - 1 - i]
                    found += 1
            matched[row] = found


def rank_moments(
    ranks: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    lengths: cython.const[longlong][::1],
    covariance: longlong[::1],
    spread: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    middle: cython.int[::1],
) -> None:
    """Sum per row what Spearman's correlation of ranks and places is made of.

    Both are counted from the middle and doubled, equal ranks being averaged: `covariance` is the
    sum of their products, `spread` the sum of the squares of the ranks. Scratch: an array one
    longer than the largest of `lengths`.
    """
    cython.declare(products=longlong, squares=longlong)
    with cython.nogil:
        for row in range(first, last):
            n: longlong = offsets[row + 1] - offsets[row]
            for i in range(lengths[row]):
                middle[i] = 0
            for i in range(offsets[row], offsets[row + 1]):
                middle[ranks[i]] += 1
            below: longlong = 0
            for i in range(lengths[row]):
                equal: longlong = middle[i]
                middle[i] = cython.cast(cython.int, 2 * below + equal - n)
                below += equal
            products = squares = 0
            for i in range(n):
                away: longlong = middle[ranks[offsets[row] + i]]
                products += away * (2 * i + 1 - n)
                squares += away * away
            covariance[row] = products
            spread[row] = squares
