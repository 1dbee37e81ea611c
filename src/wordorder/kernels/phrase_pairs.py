"""Phrase pairs that are consistent with the links of sentence pairs (Koehn, Och & Marcu 2003)."""

import cython

# The corners of the phrase pairs of a sentence pair, in a grid of source by target positions.
ENDS = cython.declare(cython.uchar, 1)
BEGINS = cython.declare(cython.uchar, 2)
BEGINS_ENDS = cython.declare(cython.uchar, 4)
ENDS_BEGINS = cython.declare(cython.uchar, 8)

MONOTONE = cython.declare(cython.uchar, 0)
SWAP = cython.declare(cython.uchar, 1)
OTHER = cython.declare(cython.uchar, 2)


def count_pairs(
    source_offsets: cython.const[cython.longlong][::1],
    target_offsets: cython.const[cython.longlong][::1],
    link_offsets: cython.const[cython.longlong][::1],
    link_source: cython.const[cython.int][::1],
    link_target: cython.const[cython.int][::1],
    longest: cython.longlong,
    counts: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    source_span: cython.int[::1],
    target_span: cython.int[::1],
    spans: cython.int[::1],
) -> None:
    """Count the phrase pairs of each sentence pair; the scratch is that of `extract_pairs`."""
    cython.declare(row=cython.Py_ssize_t)
    with cython.nogil:
        for row in range(first, last):
            counts[row] = find_pairs(
                source_offsets[row + 1] - source_offsets[row],
                target_offsets[row + 1] - target_offsets[row],
                link_source,
                link_target,
                link_offsets[row],
                link_offsets[row + 1],
                longest,
                source_span,
                target_span,
                spans,
            )


def extract_pairs(
    source_offsets: cython.const[cython.longlong][::1],
    target_offsets: cython.const[cython.longlong][::1],
    link_offsets: cython.const[cython.longlong][::1],
    link_source: cython.const[cython.int][::1],
    link_target: cython.const[cython.int][::1],
    longest: cython.longlong,
    source_ngrams: cython.const[cython.int][::1],
    target_ngrams: cython.const[cython.int][::1],
    pair_offsets: cython.const[cython.longlong][::1],
    keys: cython.longlong[::1],
    masks: cython.ulonglong[::1],
    orientations: cython.uchar[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    source_span: cython.int[::1],
    target_span: cython.int[::1],
    spans: cython.int[::1],
    corners: cython.uchar[::1],
) -> None:
    """Write the phrase pairs of sentence pairs, those of row `r` from ``pair_offsets[r]`` on.

    ``source_ngrams[(k - 1) * N + i]`` is the number of the `k` words from word `i` on, of N words
    in all. A key is the number of the source phrase times 2^32 plus that of the target phrase. Bit
    ``8 * s + t`` of a mask is the link of the words `s` and `t` of the phrases, so that no phrase
    has more than 8 words. An orientation is that to the previous phrase plus 4 times that to the
    next one. Scratch: two numbers a word in `source_span` and `target_span`, four numbers a phrase
    pair of one sentence pair in `spans`, and in `corners`, all zeros, the product of the lengths.
    """
    cython.declare(row=cython.Py_ssize_t, number=cython.longlong, count=cython.longlong)
    cython.declare(pair=cython.longlong, link=cython.longlong, rows=cython.longlong)
    cython.declare(columns=cython.longlong, s1=cython.longlong, s2=cython.longlong)
    cython.declare(t1=cython.longlong, t2=cython.longlong, s=cython.longlong, t=cython.longlong)
    cython.declare(mask=cython.ulonglong, before=cython.uchar, behind=cython.uchar)
    cython.declare(key=cython.longlong)
    source_words: cython.longlong = source_offsets[source_offsets.shape[0] - 1]
    target_words: cython.longlong = target_offsets[target_offsets.shape[0] - 1]
    with cython.nogil:
        for row in range(first, last):
            rows = source_offsets[row + 1] - source_offsets[row]
            columns = target_offsets[row + 1] - target_offsets[row]
            count = find_pairs(
                rows,
                columns,
                link_source,
                link_target,
                link_offsets[row],
                link_offsets[row + 1],
                longest,
                source_span,
                target_span,
                spans,
            )
            for number in range(count):
                s1 = spans[4 * number]
                s2 = spans[4 * number + 1]
                t1 = spans[4 * number + 2]
                t2 = spans[4 * number + 3]
                corners[s2 * columns + t2] |= ENDS
                corners[s1 * columns + t1] |= BEGINS
                corners[s1 * columns + t2] |= BEGINS_ENDS
                corners[s2 * columns + t1] |= ENDS_BEGINS
            for number in range(count):
                s1 = spans[4 * number]
                s2 = spans[4 * number + 1]
                t1 = spans[4 * number + 2]
                t2 = spans[4 * number + 3]
                before = OTHER
                if s1 == 0 and t1 == 0:
                    before = MONOTONE
                elif t1 > 0 and s1 > 0 and corners[(s1 - 1) * columns + t1 - 1] & ENDS:
                    before = MONOTONE
                elif t1 > 0 and s2 + 1 < rows:
                    if corners[(s2 + 1) * columns + t1 - 1] & BEGINS_ENDS:
                        before = SWAP
                behind = OTHER
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
                mask = 0
                for link in range(link_offsets[row], link_offsets[row + 1]):
                    s = link_source[link]
                    t = link_target[link]
                    if s1 <= s and s <= s2 and t1 <= t and t <= t2:
                        mask |= cython.cast(cython.ulonglong, 1) << (8 * (s - s1) + t - t1)
                pair = pair_offsets[row] + number
                key = source_ngrams[(s2 - s1) * source_words + source_offsets[row] + s1]
                keys[pair] = (key << 32) | target_ngrams[
                    (t2 - t1) * target_words + target_offsets[row] + t1
                ]
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_pairs(
    rows: cython.longlong,
    columns: cython.longlong,
    link_source: cython.const[cython.int][::1],
    link_target: cython.const[cython.int][::1],
    first_link: cython.longlong,
    last_link: cython.longlong,
    longest: cython.longlong,
    source_span: cython.int[::1],
    target_span: cython.int[::1],
    spans: cython.int[::1],
) -> cython.longlong:
    """Write the phrase pairs of a sentence pair, first and last words; return how many.

    No word of a pair is linked with a word outside of it, at least one is linked inside. The spans
    of words are those of the words on the other side that they are linked with, none: 0 to -1.
    """
    cython.declare(link=cython.longlong, i=cython.longlong, s=cython.int, t=cython.int)
    cython.declare(t1=cython.longlong, t2=cython.longlong, low=cython.longlong)
    cython.declare(high=cython.longlong, s1=cython.longlong, s2=cython.longlong, top=cython.int)
    cython.declare(bottom=cython.int)
    count: cython.longlong = 0
    for i in range(rows):
        source_span[2 * i] = 0
        source_span[2 * i + 1] = -1
    for i in range(columns):
        target_span[2 * i] = 0
        target_span[2 * i + 1] = -1
    for link in range(first_link, last_link):
        s = link_source[link]
        t = link_target[link]
        if source_span[2 * s + 1] < 0:
            source_span[2 * s] = t
            source_span[2 * s + 1] = t
        elif t < source_span[2 * s]:
            source_span[2 * s] = t
        elif t > source_span[2 * s + 1]:
            source_span[2 * s + 1] = t
        if target_span[2 * t + 1] < 0:
            target_span[2 * t] = s
            target_span[2 * t + 1] = s
        elif s < target_span[2 * t]:
            target_span[2 * t] = s
        elif s > target_span[2 * t + 1]:
            target_span[2 * t + 1] = s
    for t1 in range(columns):
        low = rows
        high = -1
        for t2 in range(t1, min(t1 + longest, columns)):
            if target_span[2 * t2 + 1] >= 0:
                low = min(low, target_span[2 * t2])
                high = max(high, target_span[2 * t2 + 1])
            if high < 0:
                continue
            if high - low >= longest:
                break
            top = 0
            bottom = -1
            for i in range(low, high + 1):
                if source_span[2 * i + 1] >= 0:
                    if bottom < 0:
                        top = source_span[2 * i]
                        bottom = source_span[2 * i + 1]
                    else:
                        top = min(top, source_span[2 * i])
                        bottom = max(bottom, source_span[2 * i + 1])
            if bottom > t2:
                continue
            if top < t1:
                break
            # Words without a link at the edges belong to it or not.
            s1 = low
            while True:
                s2 = high
                while True:
                    spans[4 * count] = cython.cast(cython.int, s1)
                    spans[4 * count + 1] = cython.cast(cython.int, s2)
                    spans[4 * count + 2] = cython.cast(cython.int, t1)
                    spans[4 * count + 3] = cython.cast(cython.int, t2)
                    count += 1
                    s2 += 1
                    if s2 >= rows or s2 - s1 >= longest or source_span[2 * s2 + 1] >= 0:
                        break
                s1 -= 1
                if s1 < 0 or high - s1 >= longest or source_span[2 * s1 + 1] >= 0:
                    break
    return count


def sum_pairs(
    order: cython.const[cython.longlong][::1],
    keys: cython.const[cython.longlong][::1],
    masks: cython.const[cython.ulonglong][::1],
    orientations: cython.const[cython.uchar][::1],
    pair_keys: cython.longlong[::1],
    counts: cython.int[::1],
    pair_masks: cython.ulonglong[::1],
    directions: cython.int[::1],
    seen_masks: cython.ulonglong[::1],
    seen_counts: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> cython.longlong:
    """Sum up equal phrase pairs, sorted by key; return how many different ones there are.

    ``directions[6 * p ...]`` counts the orientations of pair `p` to the previous phrase, then to
    the next one; it has been filled with zeros. ``pair_masks[p]`` are its most frequent links, of
    equally frequent ones those with the lowest number. The scratch has room for all masks of a
    pair.
    """
    cython.declare(k=cython.Py_ssize_t, place=cython.longlong, i=cython.longlong)
    cython.declare(best=cython.longlong, mask=cython.ulonglong)
    pair: cython.longlong = -1
    seen: cython.longlong = 0
    with cython.nogil:
        for k in range(first, last):
            place = order[k]
            if k == first or keys[place] != pair_keys[pair]:
                pair += 1
                pair_keys[pair] = keys[place]
                counts[pair] = 0
                seen = 0
            counts[pair] += 1
            directions[6 * pair + (orientations[place] & 3)] += 1
            directions[6 * pair + 3 + (orientations[place] >> 2)] += 1
            mask = masks[place]
            i = 0
            while i < seen and seen_masks[i] != mask:
                i += 1
            if i == seen:
                seen_masks[i] = mask
                seen_counts[i] = 0
                seen += 1
            seen_counts[i] += 1
            if k + 1 == last or keys[order[k + 1]] != pair_keys[pair]:
                best = 0
                for i in range(1, seen):
                    if seen_counts[i] > seen_counts[best] or (
                        seen_counts[i] == seen_counts[best] and seen_masks[i] < seen_masks[best]
                    ):
                        best = i
                pair_masks[pair] = seen_masks[best]
    return pair + 1
