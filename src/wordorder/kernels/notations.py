"""Orders and word alignments from bytes, orders to bytes, and the checks on both.

Orders are ``2 0 3,4 1``; their parser stops at the first group that does not fit, and says in
`state` where that is. Alignments are Pharaoh's ``i-j`` and Talbot's ``0,2_1,,3``; their parsers
work on whole lines and stop at the first byte that does not fit. ``state`` returns what they found:
``[links, lines, targets, position of the bad token or -1]``.
"""

import cython
from cython import Py_ssize_t, bint, longlong, uchar

cython.declare(TAB=uchar, NEWLINE=uchar, RETURN=uchar, BLANK=uchar, COMMA=uchar, ZERO=uchar)
cython.declare(NINE=uchar)
TAB, NEWLINE, RETURN, BLANK, COMMA, ZERO, NINE = b"\t\n\r ,09"
# Positions are smaller than this; ten times one and a digit still fit into 32 bits.
LIMIT = cython.declare(cython.int, 1 << 24)

cython.declare(HYPHEN=uchar, QUESTION=uchar, UNDERSCORE=uchar, LETTER_P=uchar)
HYPHEN, QUESTION, UNDERSCORE, LETTER_P = b"-?_p"
# Indices reach from 0 to this; the sum of ten times it and a digit still fits into 32 bits.
LARGEST = cython.declare(cython.int, 1 << 24)


def parse_orders(
    data: cython.const[uchar][::1],
    positions: cython.int[::1],
    ranks: cython.int[::1],
    offsets: longlong[::1],
    state: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Read the positions of the lines in ``data[first:last]`` and the rank of each one's group.

    Ranks are written only if any two positions tie: otherwise each is a group of its own.

    A position needs at least two bytes with what follows it, so ``(last - first) // 2 + 1``
    places in `positions` and `ranks` are enough; `offsets` has one more than there are lines.
    ``state`` returns ``[positions, lines, whether any group has two members, where the bad group
    begins or -1]``. A bad line counts, with the whole groups in front of the bad one.
    """
    at: Py_ssize_t = first
    count: longlong = 0
    whole: longlong = 0
    lines: longlong = 0
    tied: longlong = 0
    bad: longlong = -1
    rank: cython.int = 0
    with cython.nogil:
        offsets[0] = 0
        while at < last:
            byte: uchar = data[at]
            # What nearly all groups are: up to three digits, and a blank or the end of the line.
            if at + 4 <= last and byte >= ZERO and byte <= NINE:
                number: cython.int = byte - ZERO
                digits: Py_ssize_t = at + 1
                byte = data[digits]
                if byte >= ZERO and byte <= NINE:
                    number = number * 10 + (byte - ZERO)
                    digits += 1
                    byte = data[digits]
                    if byte >= ZERO and byte <= NINE:
                        number = number * 10 + (byte - ZERO)
                        digits += 1
                        byte = data[digits]
                if byte == BLANK or byte == NEWLINE:
                    positions[count] = number
                    if tied != 0:
                        ranks[count] = rank
                    rank += 1
                    count += 1
                    at = digits + 1
                    if byte == NEWLINE:
                        lines += 1
                        offsets[lines] = count
                        rank = 0
                    continue
                byte = data[at]
            if byte == BLANK or byte == TAB:
                at += 1
                continue
            if byte == RETURN and at + 1 < last and data[at + 1] == NEWLINE:
                at += 1
                byte = NEWLINE
            if byte == NEWLINE:
                at += 1
                lines += 1
                offsets[lines] = count
                rank = 0
                continue
            bad = at
            whole = count
            while True:
                digits = at
                number = 0
                while at < last and data[at] >= ZERO and data[at] <= NINE and number < LIMIT:
                    number = number * 10 + (data[at] - ZERO)
                    at += 1
                if at == digits or number >= LIMIT:
                    break
                positions[count] = number
                if tied != 0:
                    ranks[count] = rank
                count += 1
                if at < last and data[at] == COMMA:
                    if tied == 0:
                        # The ranks of all groups so far, and of the one that begins.
                        for row in range(lines):
                            for i in range(offsets[row], offsets[row + 1]):
                                ranks[i] = cython.cast(cython.int, i - offsets[row])
                        for i in range(offsets[lines], count):
                            ranks[i] = cython.cast(cython.int, i - offsets[lines])
                    tied = 1
                    at += 1
                    continue
                # The group must end here: at a blank, the end of the line or of the data.
                if at == last or data[at] == BLANK or data[at] == TAB or data[at] == NEWLINE:
                    bad = -1
                elif data[at] == RETURN and at + 1 < last and data[at + 1] == NEWLINE:
                    bad = -1
                break
            if bad >= 0:
                break
            rank += 1
        if bad >= 0:
            count = whole
        if bad >= 0 or (last > first and data[last - 1] != NEWLINE):
            lines += 1
            offsets[lines] = count
        state[0] = count
        state[1] = lines
        state[2] = tied
        state[3] = bad


def check_distinct(
    positions: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    state: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    seen: cython.int[::1],
) -> None:
    """Find the first entry whose position its row already has: ``state[0]``, or -1.

    Scratch: zeros, as many as the largest position plus one.
    """
    stamp: cython.int = 0
    with cython.nogil:
        state[0] = -1
        for row in range(first, last):
            stamp += 1
            for i in range(offsets[row], offsets[row + 1]):
                if seen[positions[i]] == stamp:
                    state[0] = i
                    break
                seen[positions[i]] = stamp
            if state[0] >= 0:
                break


def check_ranks(
    ranks: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    state: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Find the first rank that does not start at 0 or rise by 0 or 1: ``state[0]``, or -1.

    ``state[1]`` says whether any two neighbours tie.
    """
    with cython.nogil:
        state[0] = -1
        state[1] = 0
        for row in range(first, last):
            previous: longlong = -1
            for i in range(offsets[row], offsets[row + 1]):
                if ranks[i] == previous and previous >= 0:
                    state[1] = 1
                elif ranks[i] != previous + 1:
                    state[0] = i
                    break
                previous = ranks[i]
            if state[0] >= 0:
                break


def format_orders(
    positions: cython.const[cython.int][::1],
    ranks: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    text: uchar[::1],
    state: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the rows as lines of `text`; ``state[0]`` returns the number of bytes.

    Nine bytes a position (eight digits and what follows) and one a row are enough. Neighbours of
    equal rank tie; `positions` themselves serve as ranks where nothing does.
    """
    at: longlong = 0
    with cython.nogil:
        for row in range(first, last):
            for i in range(offsets[row], offsets[row + 1]):
                if i > offsets[row]:
                    text[at] = COMMA if ranks[i] == ranks[i - 1] else BLANK
                    at += 1
                number: cython.int = positions[i]
                rest: cython.int = number // 10
                end: longlong = at + 1
                while rest > 0:
                    rest = rest // 10
                    end += 1
                at = end
                while True:
                    end -= 1
                    text[end] = cython.cast(uchar, ZERO + number % 10)
                    number = number // 10
                    if number == 0:
                        break
            text[at] = NEWLINE
            at += 1
        state[0] = at


def parse_pharaoh(
    data: cython.const[uchar][::1],
    source: cython.int[::1],
    target: cython.int[::1],
    possible: uchar[::1],
    offsets: longlong[::1],
    state: longlong[::1],
    size: Py_ssize_t,
) -> None:
    """Read the links of the lines in `data`.

    A link needs at least four bytes with its blank, so ``size // 4 + 1`` places in
    `source`, `target` and `possible` are enough; `offsets` has one more than there are lines.
    """
    at: Py_ssize_t = 0
    links: longlong = 0
    lines: longlong = 0
    bad: longlong = -1
    with cython.nogil:
        offsets[0] = 0
        while at < size:
            byte: uchar = data[at]
            if byte == BLANK or byte == TAB:
                at += 1
                continue
            if byte == RETURN and at + 1 < size and data[at + 1] == NEWLINE:
                at += 1
                byte = NEWLINE
            if byte == NEWLINE:
                at += 1
                lines += 1
                offsets[lines] = links
                continue
            begin: Py_ssize_t = at
            bad = begin
            left: cython.int = 0
            digits: Py_ssize_t = at
            while at < size and data[at] >= ZERO and data[at] <= NINE and left <= LARGEST:
                left = left * 10 + (data[at] - ZERO)
                at += 1
            if at == digits or left > LARGEST or at == size:
                break
            byte = data[at]
            if byte != HYPHEN and byte != LETTER_P and byte != QUESTION:
                break
            at += 1
            right: cython.int = 0
            digits = at
            while at < size and data[at] >= ZERO and data[at] <= NINE and right <= LARGEST:
                right = right * 10 + (data[at] - ZERO)
                at += 1
            if at == digits or right > LARGEST:
                break
            # The token must end here: at a blank, the end of the line or the end of the data.
            if at < size and data[at] != BLANK and data[at] != TAB and data[at] != NEWLINE:
                if data[at] != RETURN or at + 1 == size or data[at + 1] != NEWLINE:
                    break
            source[links] = left
            target[links] = right
            possible[links] = 0 if byte == HYPHEN else 1
            links += 1
            bad = -1
        if bad < 0 and size > 0 and data[size - 1] != NEWLINE:
            lines += 1
            offsets[lines] = links
        state[0] = links
        state[1] = lines
        state[2] = 0
        state[3] = bad


def parse_talbot(
    data: cython.const[uchar][::1],
    source: cython.int[::1],
    target: cython.int[::1],
    offsets: longlong[::1],
    targets: longlong[::1],
    state: longlong[::1],
    size: Py_ssize_t,
) -> None:
    """Read one comma-separated field per target word from the lines in `data`.

    ``targets[i]`` is the number of target words in line ``i``. A link needs at least two bytes
    with what follows it, so ``size // 2 + 1`` places are enough.
    """
    # Whether a number must come next, because ``_`` precedes it.
    at: Py_ssize_t = 0
    links: longlong = 0
    lines: longlong = 0
    bad: longlong = -1
    with cython.nogil:
        offsets[0] = 0
        while at < size:
            field: cython.int = 0
            joined: bint = False
            begin: Py_ssize_t = at
            while at < size and data[at] != NEWLINE:
                bad = at
                if data[at] >= ZERO and data[at] <= NINE:
                    number: cython.int = 0
                    while at < size and data[at] >= ZERO and data[at] <= NINE:
                        number = number * 10 + (data[at] - ZERO)
                        if number > LARGEST:
                            break
                        at += 1
                    if number > LARGEST:
                        break
                    source[links] = number
                    target[links] = field
                    links += 1
                    joined = False
                    if at < size and data[at] == UNDERSCORE:
                        joined = True
                        at += 1
                    elif at < size and data[at] == COMMA:
                        field += 1
                        at += 1
                    elif at < size and data[at] != NEWLINE and data[at] != RETURN:
                        break
                elif data[at] == COMMA and not joined:
                    field += 1
                    at += 1
                elif data[at] == RETURN and at + 1 < size and data[at + 1] == NEWLINE:
                    if joined:
                        break
                    at += 1
                else:
                    break
                bad = -1
            if bad < 0 and joined:
                bad = at - 1
            if bad >= 0:
                break
            # An empty line has no target words; any other has one more than it has commas.
            if at == begin or data[begin] == RETURN:
                targets[lines] = 0
            else:
                targets[lines] = field + 1
            lines += 1
            offsets[lines] = links
            at += 1
        state[0] = links
        state[1] = lines
        state[2] = 0
        state[3] = bad


def check_links(
    source: cython.const[cython.int][::1],
    target: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    source_lengths: cython.const[longlong][::1],
    target_lengths: cython.const[longlong][::1],
    faults: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    table: longlong[::1],
) -> None:
    """Find in each row the first link that is out of range or listed twice.

    ``faults[row]`` is the link's number, or -1 if all is well. A negative index is out of range.

    Scratch: a hash table of link numbers, all -1 at first, whose size is a power of two and at
    least twice the longest row. What earlier rows left in it has smaller numbers than the row's
    first link and counts as empty.
    """
    mask: longlong = table.shape[0] - 1
    with cython.nogil:
        for row in range(first, last):
            faults[row] = -1
            start: longlong = offsets[row]
            for link in range(start, offsets[row + 1]):
                if (
                    source[link] < 0
                    or target[link] < 0
                    or source[link] >= source_lengths[row]
                    or target[link] >= target_lengths[row]
                ):
                    faults[row] = link
                    break
                slot: longlong = cython.cast(longlong, source[link]) * 73856093
                slot = slot ^ (cython.cast(longlong, target[link]) * 19349663)
                slot = (slot ^ (slot >> 17)) & mask
                other: longlong = table[slot]
                while other >= start:
                    if source[other] == source[link] and target[other] == target[link]:
                        break
                    slot = (slot + 1) & mask
                    other = table[slot]
                if other >= start:
                    faults[row] = link
                    break
                table[slot] = link
