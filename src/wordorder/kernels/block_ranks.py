"""Target spans of source words: merged into blocks, given to brackets and to unaligned words.

A word's span goes from ``low`` to ``high``, the first and the last target position that it is
linked to; both are -1 for an unaligned word. Spans are numbers with fractions because a bracket
comes just before or after what it encloses.
"""

import cython

NOWHERE = cython.declare(cython.double, -1.0)
# Behind every target position: where a sentence's unaligned end goes.
BEHIND = cython.declare(cython.double, 1.7976931348623157e308)
# How far a bracket is from what it encloses.
BESIDE = cython.declare(cython.double, 1e-4)
# The parts of a bracket's code.
KIND = cython.declare(cython.int, 15)
OPENS = cython.declare(cython.int, 16)
CLOSES = cython.declare(cython.int, 32)


def target_spans(
    source: cython.const[cython.int][::1],
    target: cython.const[cython.int][::1],
    link_offsets: cython.const[cython.longlong][::1],
    word_offsets: cython.const[cython.longlong][::1],
    low: cython.double[::1],
    high: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the first and the last target position of each source word."""
    cython.declare(row=cython.Py_ssize_t, link=cython.longlong, word=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            for word in range(word_offsets[row], word_offsets[row + 1]):
                low[word] = NOWHERE
                high[word] = NOWHERE
            for link in range(link_offsets[row], link_offsets[row + 1]):
                word = word_offsets[row] + source[link]
                if low[word] == NOWHERE or target[link] < low[word]:
                    low[word] = target[link]
                if target[link] > high[word]:
                    high[word] = target[link]


def combine_blocks(
    low: cython.double[::1],
    high: cython.double[::1],
    by_span: cython.const[cython.longlong][::1],
    word_offsets: cython.const[cython.longlong][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Give words of overlapping spans, and all words between them, one span.

    ``by_span`` holds the words (indices into `low`) of each row in the order of their spans. A
    word between two others of a block takes over the block's span even if its own one starts
    before; what it shared with earlier words then stays with these alone.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, stop=cython.longlong)
    cython.declare(left=cython.longlong, right=cython.longlong, word=cython.longlong)
    cython.declare(begin=cython.double, end=cython.double)
    with cython.nogil:
        for row in range(first, last):
            i = word_offsets[row]
            stop = word_offsets[row + 1]
            while i < stop:
                left = by_span[i]
                right = left
                begin = low[left]
                end = high[left]
                i += 1
                if begin == NOWHERE:
                    continue
                while i < stop and low[by_span[i]] <= end:
                    word = by_span[i]
                    while left > word:
                        left -= 1
                        if high[left] > end:
                            end = high[left]
                    while right < word:
                        right += 1
                        if high[right] > end:
                            end = high[right]
                    i += 1
                while left <= right:
                    low[left] = begin
                    high[left] = end
                    left += 1


def align_brackets(
    low: cython.double[::1],
    high: cython.double[::1],
    codes: cython.const[cython.uchar][::1],
    word_offsets: cython.const[cython.longlong][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    stack: cython.longlong[::1],
    begins: cython.double[::1],
    ends: cython.double[::1],
) -> None:
    """Put matching unaligned brackets before and behind what they enclose.

    The code of a word is 0, or the kind of bracket (1 to 15) with 16 if it opens and 32 if it
    closes; a word that does both closes if it can. Scratch: as long as the longest row each.
    """
    cython.declare(row=cython.Py_ssize_t, word=cython.longlong, opening=cython.longlong)
    cython.declare(top=cython.longlong, code=cython.int, begin=cython.double, end=cython.double)
    with cython.nogil:
        for row in range(first, last):
            top = -1
            for word in range(word_offsets[row], word_offsets[row + 1]):
                code = codes[word]
                begin = BEHIND
                end = NOWHERE
                if low[word] != NOWHERE:
                    begin = low[word]
                    end = high[word]
                elif code & CLOSES and top >= 0 and (codes[stack[top]] & KIND) == (code & KIND):
                    opening = stack[top]
                    if ends[top] != NOWHERE:
                        begin = begins[top] - BESIDE
                        end = ends[top] + BESIDE
                        low[opening] = begin
                        high[opening] = begin
                        low[word] = end
                        high[word] = end
                    top -= 1
                elif code & OPENS:
                    top += 1
                    stack[top] = word
                    begins[top] = BEHIND
                    ends[top] = NOWHERE
                # What a bracket encloses is enclosed by the brackets around it too.
                if top >= 0 and end != NOWHERE:
                    if begin < begins[top]:
                        begins[top] = begin
                    if end > ends[top]:
                        ends[top] = end


def attach_unaligned(
    low: cython.double[::1],
    high: cython.double[::1],
    word_offsets: cython.const[cython.longlong][::1],
    to_next: cython.bint,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Give each unaligned word the span of a neighbour.

    ``to_next``: of the next aligned word; at the end of a sentence, of the last one. Else: of the
    previous aligned word; at the start of a sentence, of the first one; words at the end of a
    sentence share a span behind all others. A row without links keeps or gets one span.
    """
    cython.declare(row=cython.Py_ssize_t, word=cython.longlong, start=cython.longlong)
    cython.declare(stop=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            start = word_offsets[row]
            stop = word_offsets[row + 1]
            if to_next:
                for word in range(stop - 2, start - 1, -1):
                    if low[word] == NOWHERE:
                        low[word] = low[word + 1]
                        high[word] = high[word + 1]
                for word in range(start + 1, stop):
                    if low[word] == NOWHERE:
                        low[word] = low[word - 1]
                        high[word] = high[word - 1]
            else:
                word = stop - 1
                while word >= start and low[word] == NOWHERE:
                    low[word] = BEHIND
                    high[word] = BEHIND
                    word -= 1
                for word in range(start + 1, stop):
                    if low[word] == NOWHERE:
                        low[word] = low[word - 1]
                        high[word] = high[word - 1]
                for word in range(stop - 2, start - 1, -1):
                    if low[word] == NOWHERE:
                        low[word] = low[word + 1]
                        high[word] = high[word + 1]
