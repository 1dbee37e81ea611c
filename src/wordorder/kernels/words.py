"""Words of text as numbers: the same number for the same bytes."""

import cython

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
# A 1 in each byte.
LOWEST = cython.declare(cython.ulonglong, 0x0101010101010101)
SPREAD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
# A key has the length of the word in its highest byte, and below it the bytes themselves if they
# fit; otherwise the length is given as LONG and the rest is a hash of the bytes.
SHORT = cython.declare(cython.longlong, 7)
LONG = cython.declare(cython.ulonglong, 0xFF00000000000000)


def number_words(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    table: cython.ulonglong[::1],
    numbers: cython.int[::1],
    keys: cython.ulonglong[::1],
    begins: cython.longlong[::1],
    ends: cython.longlong[::1],
    values: cython.int[::1],
    offsets: cython.longlong[::1],
    state: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Number the words of rows of bytes, separated by blanks and tabs.

    Row `r` is ``data[starts[r] : stops[r]]``. `table` has a power of two of slots: the key of the
    word whose number is in `numbers`, 0 where free. Word `w` is ``data[begins[w] : ends[w]]``
    and has the key ``keys[w]``. ``state[0]`` is the number of words, ``state[1]`` that of tokens,
    ``state[2]`` the row to go on with: before three quarters of the table are full it stops.
    """
    cython.declare(row=cython.Py_ssize_t, at=cython.longlong, stop=cython.longlong)
    cython.declare(begin=cython.longlong, length=cython.longlong, slot=cython.longlong)
    cython.declare(key=cython.ulonglong, eight=cython.ulonglong, below=cython.ulonglong)
    words: cython.longlong = state[0]
    count: cython.longlong = state[1]
    size: cython.longlong = data.shape[0]
    slots: cython.longlong = table.shape[0]
    with cython.nogil:
        for row in range(first, last):
            at = starts[row]
            stop = stops[row]
            # Each word of the row may be a new one.
            if 4 * (words + (stop - at) // 2 + 1) > 3 * slots:
                state[2] = row
                break
            while at < stop:
                if data[at] == 32 or data[at] == 9:
                    at += 1
                    continue
                begin = at
                eight = eight_bytes(data, at, size)
                below = before_end(eight, stop - at)
                length = bytes_in(below)
                key = eight & below
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
                    key |= cython.cast(cython.ulonglong, length) << 56
                slot = home(key) & (slots - 1)
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
@cython.exceptval(check=False)
def eight_bytes(
    data: cython.const[cython.uchar][::1], at: cython.longlong, size: cython.longlong
) -> cython.ulonglong:
    """Return the bytes from `at` on as a number, the first one lowest; zeros behind the end."""
    cython.declare(place=cython.longlong)
    number: cython.ulonglong = 0
    byte: cython.pointer(cython.const[cython.uchar])
    if cython.compiled and at + 8 <= size:
        # Compilers make one load of it, but only from a pointer.
        byte = cython.address(data[at])
        return (
            cython.cast(cython.ulonglong, byte[0])
            | (cython.cast(cython.ulonglong, byte[1]) << 8)
            | (cython.cast(cython.ulonglong, byte[2]) << 16)
            | (cython.cast(cython.ulonglong, byte[3]) << 24)
            | (cython.cast(cython.ulonglong, byte[4]) << 32)
            | (cython.cast(cython.ulonglong, byte[5]) << 40)
            | (cython.cast(cython.ulonglong, byte[6]) << 48)
            | (cython.cast(cython.ulonglong, byte[7]) << 56)
        )
    for place in range(at, min(at + 8, size)):
        number |= cython.cast(cython.ulonglong, data[place]) << (8 * (place - at))
    return number


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def before_end(eight: cython.ulonglong, left: cython.longlong) -> cython.ulonglong:
    """Return a mask of the bytes of `eight` before its first blank or tab; `left` of them at most.

    Subtracting 1 from each byte borrows from its highest bit where the byte was 0: the lowest such
    place is certain.
    """
    blank: cython.ulonglong = eight ^ (LOWEST * 32)
    tab: cython.ulonglong = eight ^ (LOWEST * 9)
    found: cython.ulonglong = ((blank - LOWEST) & ~blank) | ((tab - LOWEST) & ~tab)
    found = (found >> 7) & LOWEST
    if left < 8:
        found |= cython.cast(cython.ulonglong, 1) << (8 * left)
    return (found - 1) & ~found & MASK64


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def bytes_in(below: cython.ulonglong) -> cython.longlong:
    """Return how many whole bytes a mask has."""
    return cython.cast(cython.longlong, (((below & LOWEST) * LOWEST) & MASK64) >> 56)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def same_bytes(
    data: cython.const[cython.uchar][::1],
    one: cython.longlong,
    other: cython.longlong,
    length: cython.longlong,
) -> cython.bint:
    """Return whether the same bytes are at two places; at least 8."""
    i: cython.longlong = 0
    size: cython.longlong = data.shape[0]
    while i + 8 < length:
        if eight_bytes(data, one + i, size) != eight_bytes(data, other + i, size):
            return False
        i += 8
    i = length - 8
    return eight_bytes(data, one + i, size) == eight_bytes(data, other + i, size)


def number_fields(
    data: cython.const[cython.uchar][::1],
    bounds: cython.const[cython.int][::1],
    table: cython.ulonglong[::1],
    numbers: cython.int[::1],
    keys: cython.ulonglong[::1],
    begins: cython.longlong[::1],
    ends: cython.longlong[::1],
    codes: cython.int[::1],
    state: cython.longlong[::1],
    width: cython.longlong,
    field: cython.longlong,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Number the strings of one field of rows of fields.

    Field `f` of row `r` is ``data[bounds[width * r + f] : bounds[width * r + f + 1] - 1]``: one
    byte separates it from the next. The other arrays are those of `number_words`; ``state[0]`` is
    the number of strings, ``state[1]`` the row to go on with: before the table is half full it
    stops.
    """
    cython.declare(row=cython.Py_ssize_t, at=cython.longlong, begin=cython.longlong)
    cython.declare(end=cython.longlong, packed=cython.longlong, length=cython.longlong)
    cython.declare(slot=cython.longlong, key=cython.ulonglong)
    words: cython.longlong = state[0]
    slots: cython.longlong = table.shape[0]
    with cython.nogil:
        for row in range(first, last):
            if 2 * (words + 1) > slots:
                state[1] = row
                break
            begin = bounds[row * width + field]
            end = bounds[row * width + field + 1] - 1
            length = end - begin
            packed = begin + SHORT if length > SHORT else end
            key = 0
            for at in range(begin, packed):
                key = (key << 8) | data[at]
            for at in range(packed, end):
                key = ((key ^ data[at]) * PRIME) & MASK64
            if length > SHORT:
                key |= LONG
            else:
                # An empty string has a key, too.
                key |= cython.cast(cython.ulonglong, length + 1) << 56
            slot = home(key) & (slots - 1)
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
@cython.exceptval(check=False)
def home(key: cython.ulonglong) -> cython.longlong:
    """Return where in a table to look for a key first, before it is cut to the table's size."""
    return cython.cast(cython.longlong, ((key * SPREAD) & MASK64) >> 32)


def fill_table(
    keys: cython.const[cython.ulonglong][::1],
    table: cython.ulonglong[::1],
    numbers: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Enter distinct words by their keys into an empty table, as `number_words` expects them."""
    cython.declare(word=cython.Py_ssize_t, slot=cython.longlong)
    slots: cython.longlong = table.shape[0]
    with cython.nogil:
        for word in range(first, last):
            slot = home(keys[word]) & (slots - 1)
            while table[slot] != 0:
                slot = (slot + 1) & (slots - 1)
            table[slot] = keys[word]
            numbers[slot] = cython.cast(cython.int, word)


def local_words(
    hypothesis: cython.const[cython.int][::1],
    hypothesis_offsets: cython.const[cython.longlong][::1],
    references: cython.const[cython.int][::1],
    row_offsets: cython.const[cython.longlong][::1],
    reference_offsets: cython.const[cython.longlong][::1],
    local_hypothesis: cython.int[::1],
    local_references: cython.int[::1],
    distinct: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    places: cython.int[::1],
    words: cython.int[::1],
) -> None:
    """Number the words of each segment, in order of first occurrence.

    Scratch: `places`, as long as the vocabulary, zeroed or not; `words`, as long as the longest
    segment has tokens.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, word=cython.int, place=cython.int)
    cython.declare(count=cython.int)
    with cython.nogil:
        for row in range(first, last):
            count = 0
            for i in range(hypothesis_offsets[row], hypothesis_offsets[row + 1]):
                word = hypothesis[i]
                place = places[word]
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
