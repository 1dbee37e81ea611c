"""Words of text as numbers, and lines as tokens and as characters.

The same bytes have the same number. Tokens come from bytes of UTF-8 and are bytes, or code points.
"""

import cython
from cython import Py_ssize_t, bint, longlong, uchar, ulonglong

MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
PRIME = cython.declare(ulonglong, 0x100000001B3)
# A 1 in each byte.
LOWEST = cython.declare(ulonglong, 0x0101010101010101)
SPREAD = cython.declare(ulonglong, 0x9E3779B97F4A7C15)
# A key has the length of the word in its highest byte, and below it the bytes themselves if they
# fit; otherwise the length is given as LONG and the rest is a hash of the bytes.
SHORT = cython.declare(longlong, 7)
LONG = cython.declare(ulonglong, 0xFF00000000000000)

# What a byte is to a tokenizer, as bits. The other bytes are parts of words.
BLANK = cython.declare(cython.int, 1)
SYMBOL = cython.declare(cython.int, 2)
STOP = cython.declare(cython.int, 4)
DIGIT = cython.declare(cython.int, 8)
DASH = cython.declare(cython.int, 16)
# Begins, or may begin, something that is replaced.
REPLACED = cython.declare(cython.int, 32)
# Is a token of its own at the edge of a word.
EDGE = cython.declare(cython.int, 64)
# Begins a character of several bytes that may be white space.
LEAD = cython.declare(cython.int, 128)


def number_words(
    data: cython.const[uchar][::1],
    starts: cython.const[longlong][::1],
    stops: cython.const[longlong][::1],
    table: ulonglong[::1],
    numbers: cython.int[::1],
    keys: ulonglong[::1],
    begins: longlong[::1],
    ends: longlong[::1],
    values: cython.int[::1],
    offsets: longlong[::1],
    state: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Number the words of rows of bytes, separated by blanks and tabs.

    Row `r` is ``data[starts[r] : stops[r]]``. `table` has a power of two of slots: the key of the
    word whose number is in `numbers`, 0 where free. Word `w` is ``data[begins[w] : ends[w]]``
    and has the key ``keys[w]``. ``state[0]`` is the number of words, ``state[1]`` that of tokens,
    ``state[2]`` the row to go on with: before three quarters of the table are full it stops.
    """
    words: longlong = state[0]
    count: longlong = state[1]
    size: longlong = data.shape[0]
    slots: longlong = table.shape[0]
    with cython.nogil:
        for row in range(first, last):
            at: longlong = starts[row]
            stop: longlong = stops[row]
            # Each word of the row may be a new one.
            if 4 * (words + (stop - at) // 2 + 1) > 3 * slots:
                state[2] = row
                break
            while at < stop:
                if data[at] == 32 or data[at] == 9:
                    at += 1
                    continue
                begin: longlong = at
                eight: ulonglong = eight_bytes(data, at, size)
                below: ulonglong = before_end(eight, stop - at)
                length: longlong = bytes_in(below)
                key: ulonglong = eight & below
                at += length
                if length > SHORT:
                    while length == 8:
                        eight = eight_bytes(data, at, size)
                        below = before_end(eight, stop - at)
                        length = bytes_in(below)
                        key = ((key ^ (key >> 29) ^ (eight & below)) * SPREAD) & MASK64
                        at += length
                    key = (key ^ (key >> 29)) | LONG
                    length = at - begin
                else:
                    key |= cython.cast(ulonglong, length) << 56
                slot: longlong = home(key) & (slots - 1)
                while table[slot] != 0:
                    if table[slot] == key and (
                        length <= SHORT
                        or ends[numbers[slot]] - begins[numbers[slot]] == length
                        and same_bytes(data, begins[numbers[slot]], begin, length)
                    ):
                        break
                    slot = (slot + 1) & (slots - 1)
                else:
                    table[slot] = key
                    numbers[slot] = cython.cast(cython.int, words)
                    keys[words] = key
                    begins[words] = begin
                    ends[words] = at
                    words += 1
                values[count] = numbers[slot]
                count += 1
            offsets[row + 1] = count
        else:
            state[2] = last
        state[0] = words
        state[1] = count


@cython.cfunc
@cython.inline
@cython.nogil
def eight_bytes(data: cython.const[uchar][::1], at: longlong, size: longlong) -> ulonglong:
    """Return the bytes from `at` on as a number, the first one lowest; zeros behind the end."""
    number: ulonglong = 0
    byte: cython.pointer(cython.const[uchar])
    if cython.compiled and at + 8 <= size:
        # Compilers make one load of it, but only from a pointer.
        byte = cython.address(data[at])
        return (
            cython.cast(ulonglong, byte[0])
            | (cython.cast(ulonglong, byte[1]) << 8)
            | (cython.cast(ulonglong, byte[2]) << 16)
            | (cython.cast(ulonglong, byte[3]) << 24)
            | (cython.cast(ulonglong, byte[4]) << 32)
            | (cython.cast(ulonglong, byte[5]) << 40)
            | (cython.cast(ulonglong, byte[6]) << 48)
            | (cython.cast(ulonglong, byte[7]) << 56)
        )
    for place in range(at, min(at + 8, size)):
        number |= cython.cast(ulonglong, data[place]) << (8 * (place - at))
    return number


@cython.cfunc
@cython.inline
@cython.nogil
def before_end(eight: ulonglong, left: longlong) -> ulonglong:
    """Return a mask of the bytes of `eight` before its first blank or tab; `left` of them at most.

    Subtracting 1 from each byte borrows from its highest bit where the byte was 0: the lowest such
    place is certain.
    """
    blank: ulonglong = eight ^ (LOWEST * 32)
    tab: ulonglong = eight ^ (LOWEST * 9)
    found: ulonglong = ((blank - LOWEST) & ~blank) | ((tab - LOWEST) & ~tab)
    found = (found >> 7) & LOWEST
    if left < 8:
        found |= cython.cast(ulonglong, 1) << (8 * left)
    return (found - 1) & ~found & MASK64


@cython.cfunc
@cython.inline
@cython.nogil
def bytes_in(below: ulonglong) -> longlong:
    """Return how many whole bytes a mask has."""
    return cython.cast(longlong, (((below & LOWEST) * LOWEST) & MASK64) >> 56)


@cython.cfunc
@cython.inline
@cython.nogil
def same_bytes(
    data: cython.const[uchar][::1], one: longlong, other: longlong, length: longlong
) -> bint:
    """Return whether the same bytes are at two places; at least 8."""
    i: longlong = 0
    size: longlong = data.shape[0]
    while i + 8 < length:
        if eight_bytes(data, one + i, size) != eight_bytes(data, other + i, size):
            return False
        i += 8
    i = length - 8
    return eight_bytes(data, one + i, size) == eight_bytes(data, other + i, size)


def number_fields(
    data: cython.const[uchar][::1],
    bounds: cython.const[cython.int][::1],
    table: ulonglong[::1],
    numbers: cython.int[::1],
    keys: ulonglong[::1],
    begins: longlong[::1],
    ends: longlong[::1],
    codes: cython.int[::1],
    state: longlong[::1],
    width: longlong,
    field: longlong,
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Number the strings of one field of rows of fields.

    Field `f` of row `r` is ``data[bounds[width * r + f] : bounds[width * r + f + 1] - 1]``: one
    byte separates it from the next. The other arrays are those of `number_words`; ``state[0]`` is
    the number of strings, ``state[1]`` the row to go on with: before the table is half full it
    stops.
    """
    words: longlong = state[0]
    slots: longlong = table.shape[0]
    with cython.nogil:
        for row in range(first, last):
            if 2 * (words + 1) > slots:
                state[1] = row
                break
            begin: longlong = bounds[row * width + field]
            end: longlong = bounds[row * width + field + 1] - 1
            length: longlong = end - begin
            packed: longlong = begin + SHORT if length > SHORT else end
            key: ulonglong = 0
            for at in range(begin, packed):
                key = (key << 8) | data[at]
            for at in range(packed, end):
                key = ((key ^ data[at]) * PRIME) & MASK64
            if length > SHORT:
                key |= LONG
            else:
                # An empty string has a key, too.
                key |= cython.cast(ulonglong, length + 1) << 56
            slot: longlong = home(key) & (slots - 1)
            while table[slot] != 0:
                if table[slot] == key and (
                    length <= SHORT
                    or ends[numbers[slot]] - begins[numbers[slot]] == length
                    and same_bytes(data, begins[numbers[slot]], begin, length)
                ):
                    break
                slot = (slot + 1) & (slots - 1)
            else:
                table[slot] = key
                numbers[slot] = cython.cast(cython.int, words)
                keys[words] = key
                begins[words] = begin
                ends[words] = end
                words += 1
            codes[row] = numbers[slot]
        else:
            state[1] = last
        state[0] = words


@cython.cfunc
@cython.nogil
def home(key: ulonglong) -> longlong:
    """Return where in a table to look for a key first, before it is cut to the table's size."""
    return cython.cast(longlong, ((key * SPREAD) & MASK64) >> 32)


def fill_table(
    keys: cython.const[ulonglong][::1],
    table: ulonglong[::1],
    numbers: cython.int[::1],
    words: Py_ssize_t,
) -> None:
    """Enter distinct words by their keys into an empty table, as `number_words` expects them."""
    slots: longlong = table.shape[0]
    with cython.nogil:
        for word in range(words):
            slot: longlong = home(keys[word]) & (slots - 1)
            while table[slot] != 0:
                slot = (slot + 1) & (slots - 1)
            table[slot] = keys[word]
            numbers[slot] = cython.cast(cython.int, word)


def local_words(
    hypothesis: cython.const[cython.int][::1],
    hypothesis_offsets: cython.const[longlong][::1],
    references: cython.const[cython.int][::1],
    row_offsets: cython.const[longlong][::1],
    reference_offsets: cython.const[longlong][::1],
    local_hypothesis: cython.int[::1],
    local_references: cython.int[::1],
    distinct: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    places: cython.int[::1],
    words: cython.int[::1],
) -> None:
    """Number the words of each segment, in order of first occurrence.

    Scratch: `places`, as long as the vocabulary, zeroed or not; `words`, as long as the longest
    segment has tokens.
    """
    with cython.nogil:
        for row in range(first, last):
            count: cython.int = 0
            for i in range(hypothesis_offsets[row], hypothesis_offsets[row + 1]):
                word: cython.int = hypothesis[i]
                place: cython.int = places[word]
                # Whatever an earlier segment left in `places`, `words` tells whether it holds.
                if place < 0 or place >= count or words[place] != word:
                    place = count
                    places[word] = place
                    words[place] = word
                    count += 1
                local_hypothesis[i] = place
            for i in range(
                row_offsets[reference_offsets[row]], row_offsets[reference_offsets[row + 1]]
            ):
                word = references[i]
                place = places[word]
                if place < 0 or place >= count or words[place] != word:
                    place = count
                    places[word] = place
                    words[place] = word
                    count += 1
                local_references[i] = place
            distinct[row] = count


@cython.cfunc
@cython.nogil
def blank_bytes(text: cython.const[uchar][::1], at: longlong, stop: longlong) -> longlong:
    """Return how many bytes the white space at `at` has that is not ASCII; 0 if there is none."""
    lead: cython.int = text[at]
    if at + 1 >= stop:
        return 0
    second: cython.int = text[at + 1]
    if lead == 0xC2:
        return 2 if second == 0x85 or second == 0xA0 else 0
    if at + 2 >= stop:
        return 0
    third: cython.int = text[at + 2]
    if lead == 0xE1:
        return 3 if second == 0x9A and third == 0x80 else 0
    if lead == 0xE3:
        return 3 if second == 0x80 and third == 0x80 else 0
    if lead == 0xE2 and second == 0x80:
        if third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF:
            return 3
    elif lead == 0xE2 and second == 0x81 and third == 0x9F:
        return 3
    return 0


def mark_cut(
    data: cython.const[uchar][::1],
    starts: cython.const[longlong][::1],
    stops: cython.const[longlong][::1],
    kinds: cython.const[uchar][::1],
    marks: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Mark the words ``data[starts[w] : stops[w]]`` that are empty or have white space by 1."""
    with cython.nogil:
        for word in range(first, last):
            found: bint = starts[word] == stops[word]
            for at in range(starts[word], stops[word]):
                if kinds[data[at]] & BLANK:
                    found = True
                elif kinds[data[at]] & LEAD and blank_bytes(data, at, stops[word]) > 0:
                    found = True
            marks[word] = found


@cython.cfunc
@cython.nogil
def without_end(line: uchar[::1], stop: longlong, kinds: cython.const[uchar][::1]) -> longlong:
    """Return where a line ends without the white space at its end."""
    found: bint = True
    while found:
        found = False
        if stop > 0 and kinds[line[stop - 1]] & BLANK:
            stop -= 1
            found = True
        for width in range(2, min(stop, 3) + 1):
            if kinds[line[stop - width]] & LEAD and blank_bytes(line, stop - width, stop) == width:
                stop -= width
                found = True
                break
    return stop


@cython.cfunc
@cython.nogil
def replaced(
    line: uchar[::1],
    length: longlong,
    rules: cython.const[uchar][::1],
    begin: longlong,
    middle: longlong,
    end: longlong,
) -> longlong:
    """Replace ``rules[begin : middle]`` by ``rules[middle : end]``; return the new length.

    From left to right, and not again in what was put there.
    """
    at: longlong = 0
    put: longlong = 0
    width: longlong = middle - begin
    while at < length:
        place: longlong = 0
        if at + width <= length:
            while place < width and line[at + place] == rules[begin + place]:
                place += 1
        if place == width:
            for place in range(middle, end):
                line[put] = rules[place]
                put += 1
            at += width
        else:
            line[put] = line[at]
            put += 1
            at += 1
    return put


def split_tokens(
    data: cython.const[uchar][::1],
    starts: cython.const[longlong][::1],
    stops: cython.const[longlong][::1],
    kinds: cython.const[uchar][::1],
    rules: cython.const[uchar][::1],
    bounds: cython.const[longlong][::1],
    tokens: uchar[::1],
    token_starts: cython.const[longlong][::1],
    token_stops: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    line: uchar[::1],
) -> None:
    """Write the tokens of lines of bytes, one blank between two.

    Row `r` is ``data[starts[r] : stops[r]]``; its tokens begin at ``tokens[token_starts[r]]``,
    where twice its length must be free, and end before ``token_stops[r]``.

    ``kinds[b]`` says what the byte `b` is. A symbol is a token of its own; so are a full stop or a
    comma unless digits surround it, a dash behind a digit, and an edge character at the end of
    a word or else at its beginning. Before that, in a line with a byte of the kind REPLACED,
    pattern `k`, ``rules[bounds[2k] : bounds[2k+1]]``, is replaced by
    ``rules[bounds[2k+1] : bounds[2k+2]]``, one pattern after the other.

    Scratch: as many bytes as the longest row has.
    """
    cython.declare(rule=longlong)
    # Where the word begins that is not complete yet; -1 between words.
    with cython.nogil:
        for row in range(first, last):
            length: longlong = stops[row] - starts[row]
            seen: cython.int = 0
            for at in range(length):
                byte: uchar = data[starts[row] + at]
                line[at] = byte
                seen |= kinds[byte]
            if seen & REPLACED:
                length = without_end(line, length, kinds)
                for rule in range((bounds.shape[0] - 1) // 2):
                    length = replaced(
                        line,
                        length,
                        rules,
                        bounds[2 * rule],
                        bounds[2 * rule + 1],
                        bounds[2 * rule + 2],
                    )
            begin: longlong = token_starts[row]
            put: longlong = begin
            word: longlong = -1
            before: cython.int = 0
            taken: bint = False
            at = 0
            while at < length:
                byte = line[at]
                kind: cython.int = kinds[byte]
                width: longlong = 1
                alone: bint = False
                if kind & (BLANK | SYMBOL | STOP | DASH | LEAD):
                    if kind & LEAD:
                        width = blank_bytes(line, at, length)
                        if width > 0:
                            kind |= BLANK
                        else:
                            width = 1
                    elif kind & STOP:
                        # sacreBLEU's patterns take pairs from left to right: of two stops in a row
                        # the second one is not parted from what follows if the first was taken.
                        taken = not (before & DIGIT) and not (before & STOP and taken)
                        alone = taken or at + 1 == length or not kinds[line[at + 1]] & DIGIT
                    elif kind & DASH:
                        alone = (before & DIGIT) != 0
                    else:
                        alone = (kind & SYMBOL) != 0
                if alone or kind & BLANK:
                    if word >= 0:
                        put = with_edges(tokens, word, put, kinds)
                        word = -1
                    if alone:
                        if put > begin:
                            tokens[put] = 32
                            put += 1
                        tokens[put] = byte
                        put += 1
                else:
                    if word < 0:
                        if put > begin:
                            tokens[put] = 32
                            put += 1
                        word = put
                    tokens[put] = byte
                    put += 1
                    # Most bytes are letters behind letters.
                    while at + 1 < length and not kinds[line[at + 1]] & (
                        BLANK | SYMBOL | STOP | DASH | LEAD
                    ):
                        at += 1
                        tokens[put] = line[at]
                        put += 1
                        kind = kinds[line[at]]
                before = kind
                at += width
            if word >= 0:
                put = with_edges(tokens, word, put, kinds)
            token_stops[row] = put


@cython.cfunc
@cython.inline
@cython.nogil
def with_edges(
    tokens: uchar[::1], word: longlong, put: longlong, kinds: cython.const[uchar][::1]
) -> longlong:
    """Part an edge character from ``tokens[word : put]``; return where the next token goes."""
    if put - word < 2:
        return put
    if kinds[tokens[put - 1]] & EDGE:
        tokens[put] = tokens[put - 1]
        tokens[put - 1] = 32
        return put + 1
    if kinds[tokens[word]] & EDGE:
        at: longlong = put
        while at > word + 1:
            tokens[at] = tokens[at - 1]
            at -= 1
        tokens[at] = 32
        return put + 1
    return put


def code_points(
    data: cython.const[uchar][::1],
    starts: cython.const[longlong][::1],
    stops: cython.const[longlong][::1],
    kinds: cython.const[uchar][::1],
    points: cython.int[::1],
    point_starts: cython.const[longlong][::1],
    point_stops: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the code points of lines of bytes, without the white space that `kinds` knows.

    Row `r` is ``data[starts[r] : stops[r]]``; its code points are written from
    ``points[point_starts[r]]`` on, where as many must be free as it has bytes, and end before
    ``point_stops[r]``.
    """
    with cython.nogil:
        for row in range(first, last):
            at: longlong = starts[row]
            stop: longlong = stops[row]
            put: longlong = point_starts[row]
            while at < stop:
                byte: cython.int = data[at]
                kind: cython.int = kinds[byte]
                if kind & BLANK:
                    at += 1
                    continue
                if kind & LEAD:
                    width: longlong = blank_bytes(data, at, stop)
                    if width > 0:
                        at += width
                        continue
                if byte < 0x80:
                    at += 1
                elif byte < 0xE0:
                    byte = (byte & 0x1F) << 6 | data[at + 1] & 0x3F
                    at += 2
                elif byte < 0xF0:
                    byte = (byte & 0x0F) << 12 | (data[at + 1] & 0x3F) << 6 | data[at + 2] & 0x3F
                    at += 3
                else:
                    byte = (
                        (byte & 0x07) << 18
                        | (data[at + 1] & 0x3F) << 12
                        | (data[at + 2] & 0x3F) << 6
                        | data[at + 3] & 0x3F
                    )
                    at += 4
                points[put] = byte
                put += 1
            point_stops[row] = put
