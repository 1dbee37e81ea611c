"""Phrase pairs: extracted, weighed, numbered and looked up.

Pairs are consistent with the links of sentence pairs, and their lexical weights are those of Koehn,
Och & Marcu (2003, section 3.2); how surprising it is that two phrases meet, Johnson et al. (2007)
say.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, uchar, ulonglong
from cython.cimports.libc.math import log, log1p

# The corners of the phrase pairs of a sentence pair, in a grid of source by target positions.
cython.declare(ENDS=uchar, BEGINS=uchar, BEGINS_ENDS=uchar, ENDS_BEGINS=uchar)
ENDS, BEGINS, BEGINS_ENDS, ENDS_BEGINS = 1, 2, 4, 8

cython.declare(MONOTONE=uchar, SWAP=uchar, OTHER=uchar)
MONOTONE, SWAP, OTHER = range(3)

# A further term that is smaller by this factor changes no digit of the sum.
NEGLIGIBLE = cython.declare(double, 1e-18)

SPREAD = cython.declare(ulonglong, 0x9E3779B97F4A7C15)
MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.final
@cython.cclass
class Finder:
    """Finds the phrase pairs of one sentence pair after the other."""

    cython.declare(source_offsets=cython.const[longlong][::1])
    cython.declare(target_offsets=cython.const[longlong][::1])
    cython.declare(link_offsets=cython.const[longlong][::1], longest=longlong)
    cython.declare(link_source=cython.const[cython.int][::1])
    cython.declare(link_target=cython.const[cython.int][::1], rows=longlong, columns=longlong)
    # Of each word the first and the last word on the other side that it is linked with; of one
    # without a link the length of the other side, and -1.
    cython.declare(source_span=cython.int[::1], target_span=cython.int[::1])
    # The pairs found, first and last words of both sides; a grid for corners, all zeros.
    cython.declare(spans=cython.int[::1], corners=uchar[::1])

    def __init__(
        self,
        source_offsets: cython.const[longlong][::1],
        target_offsets: cython.const[longlong][::1],
        link_offsets: cython.const[longlong][::1],
        link_source: cython.const[cython.int][::1],
        link_target: cython.const[cython.int][::1],
        longest: longlong,
        source_words: Py_ssize_t,
        target_words: Py_ssize_t,
        cells: Py_ssize_t,
    ):
        """Take sentence pairs, with links, of so many words and products of them at most."""
        self.source_offsets, self.target_offsets = source_offsets, target_offsets
        self.link_source, self.link_target = link_source, link_target
        self.link_offsets, self.longest = link_offsets, longest
        self.source_span = array("i", bytes(8 * source_words))
        self.target_span = array("i", bytes(8 * target_words))
        # A pair has a link, which is in so many spans of each side at most.
        most: Py_ssize_t = target_words * longest * (longest * (longest + 1) // 2)
        self.spans = array("i", bytes(16 * most))
        self.corners = array("B", bytes(cells))

    @cython.cfunc
    @cython.nogil
    def find(self, row: longlong) -> longlong:
        """Write the phrase pairs of a sentence pair, and return how many.

        No word of a pair is linked with a word outside of it, at least one is linked inside.
        """
        self.rows = self.source_offsets[row + 1] - self.source_offsets[row]
        self.columns = self.target_offsets[row + 1] - self.target_offsets[row]
        count: longlong = 0
        for i in range(self.rows):
            self.source_span[2 * i] = cython.cast(cython.int, self.columns)
            self.source_span[2 * i + 1] = -1
        for i in range(self.columns):
            self.target_span[2 * i] = cython.cast(cython.int, self.rows)
            self.target_span[2 * i + 1] = -1
        for link in range(self.link_offsets[row], self.link_offsets[row + 1]):
            s: cython.int = self.link_source[link]
            t: cython.int = self.link_target[link]
            self.source_span[2 * s] = min(self.source_span[2 * s], t)
            self.source_span[2 * s + 1] = max(self.source_span[2 * s + 1], t)
            self.target_span[2 * t] = min(self.target_span[2 * t], s)
            self.target_span[2 * t + 1] = max(self.target_span[2 * t + 1], s)
        for t1 in range(self.columns):
            low: longlong = self.rows
            high: longlong = -1
            for t2 in range(t1, min(t1 + self.longest, self.columns)):
                low = min(low, self.target_span[2 * t2])
                high = max(high, self.target_span[2 * t2 + 1])
                if high < 0:
                    continue
                if high - low >= self.longest:
                    break
                # Some word of these is linked.
                top: longlong = self.columns
                bottom: longlong = -1
                for i in range(low, high + 1):
                    top = min(top, self.source_span[2 * i])
                    bottom = max(bottom, self.source_span[2 * i + 1])
                if bottom > t2:
                    continue
                if top < t1:
                    break
                # Words without a link at the edges belong to it or not.
                s1: longlong = low
                while True:
                    s2: longlong = high
                    while True:
                        self.spans[4 * count] = cython.cast(cython.int, s1)
                        self.spans[4 * count + 1] = cython.cast(cython.int, s2)
                        self.spans[4 * count + 2] = cython.cast(cython.int, t1)
                        self.spans[4 * count + 3] = cython.cast(cython.int, t2)
                        count += 1
                        s2 += 1
                        if (
                            s2 >= self.rows
                            or s2 - s1 >= self.longest
                            or self.source_span[2 * s2 + 1] >= 0
                        ):
                            break
                    s1 -= 1
                    if s1 < 0 or high - s1 >= self.longest or self.source_span[2 * s1 + 1] >= 0:
                        break
        return count


def count_pairs(counts: longlong[::1], first: Py_ssize_t, last: Py_ssize_t, finder: Finder) -> None:
    """Count the phrase pairs of each sentence pair."""
    with cython.nogil:
        for row in range(first, last):
            counts[row] = finder.find(row)


def extract_pairs(
    source_ngrams: cython.const[cython.int][::1],
    target_ngrams: cython.const[cython.int][::1],
    pair_offsets: cython.const[longlong][::1],
    keys: longlong[::1],
    masks: ulonglong[::1],
    orientations: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    finder: Finder,
) -> None:
    """Write the phrase pairs of sentence pairs, those of row `r` from ``pair_offsets[r]`` on.

    ``source_ngrams[(k - 1) * N + i]`` is the number of the `k` words from word `i` on, of N words
    in all. A key is the number of the source phrase times 2^32 plus that of the target phrase. Bit
    ``8 * s + t`` of a mask is the link of the words `s` and `t` of the phrases, so that no phrase
    has more than 8 words. An orientation is that to the previous phrase plus 4 times that to the
    next one.
    """
    spans: cython.int[::1] = finder.spans
    corners: uchar[::1] = finder.corners
    link_source: cython.const[cython.int][::1] = finder.link_source
    link_target: cython.const[cython.int][::1] = finder.link_target
    source_words: longlong = finder.source_offsets[finder.source_offsets.shape[0] - 1]
    target_words: longlong = finder.target_offsets[finder.target_offsets.shape[0] - 1]
    with cython.nogil:
        for row in range(first, last):
            count: longlong = finder.find(row)
            rows: longlong = finder.rows
            columns: longlong = finder.columns
            for number in range(count):
                s1: longlong = spans[4 * number]
                s2: longlong = spans[4 * number + 1]
                t1: longlong = spans[4 * number + 2]
                t2: longlong = spans[4 * number + 3]
                corners[s2 * columns + t2] |= ENDS
                corners[s1 * columns + t1] |= BEGINS
                corners[s1 * columns + t2] |= BEGINS_ENDS
                corners[s2 * columns + t1] |= ENDS_BEGINS
            for number in range(count):
                s1 = spans[4 * number]
                s2 = spans[4 * number + 1]
                t1 = spans[4 * number + 2]
                t2 = spans[4 * number + 3]
                before: uchar = OTHER
                if s1 == 0 and t1 == 0:
                    before = MONOTONE
                elif t1 > 0 and s1 > 0 and corners[(s1 - 1) * columns + t1 - 1] & ENDS:
                    before = MONOTONE
                elif t1 > 0 and s2 + 1 < rows:
                    if corners[(s2 + 1) * columns + t1 - 1] & BEGINS_ENDS:
                        before = SWAP
                behind: uchar = OTHER
                if s2 + 1 == rows and t2 + 1 == columns:
                    behind = MONOTONE
                elif (
                    t2 + 1 < columns
                    and s2 + 1 < rows
                    and corners[(s2 + 1) * columns + t2 + 1] & BEGINS
                ):
                    behind = MONOTONE
                elif t2 + 1 < columns and s1 > 0:
                    if corners[(s1 - 1) * columns + t2 + 1] & ENDS_BEGINS:
                        behind = SWAP
                mask: ulonglong = 0
                for link in range(finder.link_offsets[row], finder.link_offsets[row + 1]):
                    s: longlong = link_source[link]
                    t: longlong = link_target[link]
                    if s1 <= s and s <= s2 and t1 <= t and t <= t2:
                        mask |= cython.cast(ulonglong, 1) << (8 * (s - s1) + t - t1)
                pair: longlong = pair_offsets[row] + number
                s = (s2 - s1) * source_words + finder.source_offsets[row] + s1
                t = (t2 - t1) * target_words + finder.target_offsets[row] + t1
                keys[pair] = (cython.cast(longlong, source_ngrams[s]) << 32) | target_ngrams[t]
                masks[pair] = mask
                orientations[pair] = before | (behind << 2)
            for number in range(count):
                s1 = spans[4 * number]
                s2 = spans[4 * number + 1]
                t1 = spans[4 * number + 2]
                t2 = spans[4 * number + 3]
                corners[s2 * columns + t2] = 0
                corners[s1 * columns + t1] = 0
                corners[s1 * columns + t2] = 0
                corners[s2 * columns + t1] = 0


def list_jumps(
    pair_offsets: cython.const[longlong][::1],
    ends: longlong[::1],
    last_words: longlong[::1],
    sides: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    finder: Finder,
) -> None:
    """Write where the translation goes on after each place where phrase pairs end.

    ``ends[k]`` is the last source word and ``last_words[k]`` the last target word of phrase pairs,
    among all words; ``sides[k]`` is 2 if the next linked target word is linked with nothing before
    `ends`, otherwise 1, and stays 0 where nothing follows. The places of row `r` are from
    ``pair_offsets[r]`` on, each once.
    """
    spans: cython.int[::1] = finder.spans
    corners: uchar[::1] = finder.corners
    with cython.nogil:
        for row in range(first, last):
            count: longlong = finder.find(row)
            columns: longlong = finder.columns
            place: longlong = pair_offsets[row]
            for number in range(count):
                s2: longlong = spans[4 * number + 1]
                t2: longlong = spans[4 * number + 3]
                if corners[s2 * columns + t2] & ENDS:
                    continue
                corners[s2 * columns + t2] |= ENDS
                next: longlong = t2 + 1
                while next < columns and finder.target_span[2 * next + 1] < 0:
                    next += 1
                if next < columns:
                    ends[place] = finder.source_offsets[row] + s2
                    last_words[place] = finder.target_offsets[row] + t2
                    sides[place] = 2 if finder.target_span[2 * next] > s2 else 1
                    place += 1
            for number in range(count):
                corners[spans[4 * number + 1] * columns + spans[4 * number + 3]] = 0


def sum_pairs(
    order: cython.const[longlong][::1],
    keys: cython.const[longlong][::1],
    masks: cython.const[ulonglong][::1],
    orientations: cython.const[uchar][::1],
    pair_keys: longlong[::1],
    counts: cython.int[::1],
    pair_masks: ulonglong[::1],
    directions: cython.int[::1],
    seen_masks: ulonglong[::1],
    seen_counts: cython.int[::1],
    size: Py_ssize_t,
) -> longlong:
    """Sum up equal phrase pairs, sorted by key; return how many different ones there are.

    ``directions[6 * p ...]`` counts the orientations of pair `p` to the previous phrase, then to
    the next one; it has been filled with zeros. ``pair_masks[p]`` are its most frequent links, of
    equally frequent ones those with the lowest number. The scratch has room for all masks of a
    pair.
    """
    pair: longlong = -1
    seen: longlong = 0
    with cython.nogil:
        for k in range(size):
            place: longlong = order[k]
            if k == 0 or keys[place] != pair_keys[pair]:
                pair += 1
                pair_keys[pair] = keys[place]
                counts[pair] = seen = 0
            counts[pair] += 1
            directions[6 * pair + (orientations[place] & 3)] += 1
            directions[6 * pair + 3 + (orientations[place] >> 2)] += 1
            mask: ulonglong = masks[place]
            i: longlong = 0
            while i < seen and seen_masks[i] != mask:
                i += 1
            if i == seen:
                seen_masks[i] = mask
                seen_counts[i] = 0
                seen += 1
            seen_counts[i] += 1
            if k + 1 == size or keys[order[k + 1]] != pair_keys[pair]:
                best: longlong = 0
                for i in range(1, seen):
                    if seen_counts[i] > seen_counts[best] or (
                        seen_counts[i] == seen_counts[best] and seen_masks[i] < seen_masks[best]
                    ):
                        best = i
                pair_masks[pair] = seen_masks[best]
    return pair + 1


def count_meetings(
    source_rows: cython.const[cython.int][::1],
    source_offsets: cython.const[longlong][::1],
    target_rows: cython.const[cython.int][::1],
    target_offsets: cython.const[longlong][::1],
    source: cython.const[cython.int][::1],
    target: cython.const[cython.int][::1],
    meetings: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Count the sentence pairs in which both phrases of each pair occur.

    Phrase `p` occurs in the sentences ``rows[offsets[p] : offsets[p + 1]]``, which rise.
    """
    with cython.nogil:
        for pair in range(first, last):
            at: longlong = source_offsets[source[pair]]
            stop: longlong = source_offsets[source[pair] + 1]
            low: longlong = target_offsets[target[pair]]
            high: longlong = target_offsets[target[pair] + 1]
            # The longer list is searched for what is in the shorter one.
            swapped: bint = high - low < stop - at
            if swapped:
                at, stop, low, high = low, high, at, stop
            count: longlong = 0
            while at < stop and low < high:
                row: cython.int = target_rows[at] if swapped else source_rows[at]
                right: longlong = high
                while low < right:
                    middle: longlong = (low + right) // 2
                    if (source_rows[middle] if swapped else target_rows[middle]) < row:
                        low = middle + 1
                    else:
                        right = middle
                if low < high and (source_rows[low] if swapped else target_rows[low]) == row:
                    count += 1
                    low += 1
                at += 1
            meetings[pair] = count


def add_logarithms(factorials: double[::1], first: Py_ssize_t, last: Py_ssize_t) -> None:
    """Write the logarithms of the factorials of all numbers; that of 0 is there."""
    with cython.nogil:
        for number in range(first, last):
            factorials[number] = factorials[number - 1] + log(number)


def log_probabilities(
    factorials: cython.const[double][::1],
    sentences: longlong,
    source: cython.const[longlong][::1],
    target: cython.const[longlong][::1],
    meetings: cython.const[longlong][::1],
    found: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the logarithms of the probabilities that phrases meet at least so often by chance.

    `factorials` has the logarithms of those of all numbers up to `sentences`. Of so many sentence
    pairs, `source` have the source phrase, `target` the target phrase and
    `meetings` both: Fisher's exact test, one-sided.
    """
    with cython.nogil:
        for pair in range(first, last):
            a: longlong = source[pair]
            b: longlong = target[pair]
            k: longlong = meetings[pair]
            if k <= max(0, a + b - sentences):
                # As often as they must.
                found[pair] = 0.0
                continue
            total: double = (
                log_choose(factorials, a, k)
                + log_choose(factorials, sentences - a, b - k)
                - log_choose(factorials, sentences, b)
            )
            # All further terms, each as a share of the first one.
            term: double = 1.0
            found[pair] = 0.0
            while k < min(a, b):
                term *= cython.cast(double, a - k) * cython.cast(double, b - k)
                term /= cython.cast(double, k + 1)
                term /= cython.cast(double, sentences - a - b + k + 1)
                found[pair] += term
                k += 1
                if term < NEGLIGIBLE * found[pair]:
                    break
            found[pair] = min(0.0, total + log1p(found[pair]))


@cython.cfunc
@cython.inline
@cython.nogil
def log_choose(factorials: cython.const[double][::1], n: longlong, k: longlong) -> double:
    """Return the logarithm of the number of ways to choose `k` of `n`."""
    return factorials[n] - factorials[k] - factorials[n - k]


def weigh_pairs(
    source_words: cython.const[cython.int][::1],
    source_offsets: cython.const[longlong][::1],
    target_words: cython.const[cython.int][::1],
    target_offsets: cython.const[longlong][::1],
    masks: cython.const[ulonglong][::1],
    row_offsets: cython.const[longlong][::1],
    linked: cython.const[cython.int][::1],
    counts: cython.const[longlong][::1],
    source_totals: cython.const[longlong][::1],
    target_totals: cython.const[longlong][::1],
    weights: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the logarithms of lex(f|e) and lex(e|f) of each phrase pair to `weights` [2 a pair].

    Bit ``8 * s + t`` of a mask links the words `s` and `t` of the pair. Source word `w` has been
    linked ``counts[k]`` times with the target word ``linked[k]``, for `k` from ``row_offsets[w]``
    to ``row_offsets[w + 1] - 1``, sorted; word 0 is the null word of words without a link.
    """
    with cython.nogil:
        for row in range(first, last):
            source_size: longlong = source_offsets[row + 1] - source_offsets[row]
            target_size: longlong = target_offsets[row + 1] - target_offsets[row]
            weight: double = 0.0
            for i in range(source_size):
                source: cython.int = source_words[source_offsets[row] + i]
                total: double = 0.0
                links: longlong = 0
                for j in range(target_size):
                    if (masks[row] >> (8 * i + j)) & 1:
                        target: cython.int = target_words[target_offsets[row] + j]
                        both: longlong = joint(row_offsets, linked, counts, source, target)
                        total += cython.cast(double, both) / target_totals[target]
                        links += 1
                if links == 0:
                    both = joint(row_offsets, linked, counts, source, 0)
                    total = cython.cast(double, both) / target_totals[0]
                    links = 1
                weight += log(total / links)
            weights[2 * row] = weight
            weight = 0.0
            for j in range(target_size):
                target = target_words[target_offsets[row] + j]
                total = 0.0
                links = 0
                for i in range(source_size):
                    if (masks[row] >> (8 * i + j)) & 1:
                        source = source_words[source_offsets[row] + i]
                        both = joint(row_offsets, linked, counts, source, target)
                        total += cython.cast(double, both) / source_totals[source]
                        links += 1
                if links == 0:
                    both = joint(row_offsets, linked, counts, 0, target)
                    total = cython.cast(double, both) / source_totals[0]
                    links = 1
                weight += log(total / links)
            weights[2 * row + 1] = weight


@cython.cfunc
@cython.inline
@cython.nogil
def joint(
    row_offsets: cython.const[longlong][::1],
    linked: cython.const[cython.int][::1],
    counts: cython.const[longlong][::1],
    source: cython.int,
    target: cython.int,
) -> longlong:
    """Return how often two words were linked, at least once."""
    low: longlong = row_offsets[source]
    high: longlong = row_offsets[source + 1] - 1
    while low < high:
        middle: longlong = (low + high) // 2
        if linked[middle] < target:
            low = middle + 1
        else:
            high = middle
    return counts[low]


def list_links(
    masks: cython.const[ulonglong][::1],
    offsets: cython.const[longlong][::1],
    links: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the links of each mask, source and target position, two numbers a link."""
    cython.declare(bit=cython.int)
    with cython.nogil:
        for row in range(first, last):
            at: longlong = 2 * offsets[row]
            for bit in range(64):
                if (masks[row] >> bit) & 1:
                    links[at] = bit // 8
                    links[at + 1] = bit % 8
                    at += 2


def keep_best(
    group_offsets: cython.const[longlong][::1],
    counts: cython.const[cython.int][::1],
    weights: cython.const[double][::1],
    most: longlong,
    chosen: longlong[::1],
    chosen_counts: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Choose the `most` pairs of each group with the highest counts, best first.

    Of equal counts those with the higher lex(e|f), the second of `weights`; then the first ones.
    Group `g` writes to ``chosen[group_offsets[g] ...]``.
    """
    with cython.nogil:
        for group in range(first, last):
            start: longlong = group_offsets[group]
            size: longlong = 0
            for pair in range(start, group_offsets[group + 1]):
                at: longlong = size
                while at > 0:
                    other: longlong = chosen[start + at - 1]
                    if counts[other] > counts[pair] or (
                        counts[other] == counts[pair]
                        and weights[2 * other + 1] >= weights[2 * pair + 1]
                    ):
                        break
                    if at < most:
                        chosen[start + at] = other
                    at -= 1
                if at < most:
                    chosen[start + at] = pair
                    if size < most:
                        size += 1
            chosen_counts[group] = size


def number_ngrams(
    words: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    length: longlong,
    shorter: cython.const[cython.int][::1],
    numbers: cython.int[::1],
    parent: cython.int[::1],
    begin: cython.int,
    keys: longlong[::1],
    found: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> longlong:
    """Number the sequences of `length` words, from `begin` on; return how many there are.

    ``shorter[i]`` is the number of the ``length - 1`` words from `i` on; ``numbers[i]`` becomes
    that of one word more, and stays as it is where the sentence ends before. Sequence
    ``begin + n`` continues ``parent[2 * n]`` with the word ``parent[2 * n + 1]``. `keys` (-1 where
    free) and `found` are a hash table of a power of two of slots.
    """
    count: longlong = 0
    mask: longlong = keys.shape[0] - 1
    with cython.nogil:
        for row in range(first, last):
            for at in range(offsets[row], offsets[row + 1] - length + 1):
                key: longlong = (cython.cast(longlong, shorter[at]) << 32) | words[at + length - 1]
                slot: longlong = home(key) & mask
                while keys[slot] != -1 and keys[slot] != key:
                    slot = (slot + 1) & mask
                if keys[slot] == -1:
                    keys[slot] = key
                    found[slot] = cython.cast(cython.int, begin + count)
                    parent[2 * count] = shorter[at]
                    parent[2 * count + 1] = words[at + length - 1]
                    count += 1
                numbers[at] = found[slot]
    return count


@cython.cfunc
@cython.inline
@cython.nogil
def home(key: longlong) -> longlong:
    """Return a number that looks random, at least 0, the same for the same key."""
    mixed: ulonglong = cython.cast(ulonglong, key)
    mixed = ((mixed ^ (mixed >> 29)) * SPREAD) & MASK64
    mixed = ((mixed ^ (mixed >> 32)) * SPREAD) & MASK64
    return cython.cast(longlong, mixed >> 20)


def spell_ngrams(
    parent: cython.const[cython.int][::1],
    ngrams: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    words: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the words of sequences; the offsets say how long each is."""
    with cython.nogil:
        for row in range(first, last):
            number: cython.int = ngrams[row]
            at: longlong = offsets[row + 1]
            while at > offsets[row]:
                at -= 1
                words[at] = parent[2 * number + 1]
                number = parent[2 * number]


def find_options(
    words: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    phrase_offsets: cython.const[longlong][::1],
    phrase_words: cython.const[cython.int][::1],
    first_phrases: cython.const[longlong][::1],
    entry_offsets: cython.const[longlong][::1],
    longest: longlong,
    first_entry: longlong[::1],
    last_entry: longlong[::1],
    rows: Py_ssize_t,
) -> None:
    """Find the entries of each span of the sentences.

    The phrases are sorted, a phrase before its continuations, and those that begin with word `w`
    are ``first_phrases[w] .. first_phrases[w + 1] - 1``. Word `i` and the ``k - 1`` words behind
    it have the entries ``first_entry[i * longest + k - 1] .. last_entry[...] - 1``; the caller has
    filled both with zeros.
    """
    known: longlong = first_phrases.shape[0] - 1
    with cython.nogil:
        for row in range(rows):
            for start in range(offsets[row], offsets[row + 1]):
                word: cython.int = words[start]
                if word < 0 or word >= known:
                    continue
                low: longlong = first_phrases[word]
                high: longlong = first_phrases[word + 1]
                # Of the phrases low .. high - 1 all begin with the `depth` words from `start` on.
                for depth in range(1, longest + 1):
                    if depth > 1:
                        if start + depth > offsets[row + 1]:
                            break
                        word = words[start + depth - 1]
                        left: longlong = low
                        right: longlong = high
                        while left < right:
                            middle: longlong = (left + right) // 2
                            if phrase_words[phrase_offsets[middle] + depth - 1] < word:
                                left = middle + 1
                            else:
                                right = middle
                        low = left
                        right = high
                        while left < right:
                            middle = (left + right) // 2
                            if phrase_words[phrase_offsets[middle] + depth - 1] <= word:
                                left = middle + 1
                            else:
                                right = middle
                        high = left
                    if low == high:
                        break
                    if phrase_offsets[low + 1] - phrase_offsets[low] == depth:
                        first_entry[start * longest + depth - 1] = entry_offsets[low]
                        last_entry[start * longest + depth - 1] = entry_offsets[low + 1]
                        # Its continuations come behind it.
                        low += 1
                        if low == high:
                            break
