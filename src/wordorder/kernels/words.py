"""Words of text as numbers: the same number for the same bytes."""

import cython

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
SPREAD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
# A key has the length of the word in its highest byte, and below it the bytes themselves if they
# fit; otherwise the length is given as LONG and the rest is a hash of the bytes.
SHORT = cython.declare(cython.longlong, 7)
LONG = cython.declare(cython.ulonglong, 0xFF00000000000000)


def number_words(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    table: cython.int[::1],
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

    Row `r` is ``data[starts[r] : stops[r]]``. `table` has a power of two of slots, -1 where free;
    word `w` is ``data[begins[w] : ends[w]]`` and has the key ``keys[w]``. ``state[0]`` is the
    number of words, ``state[1]`` that of tokens, ``state[2]`` the row to go on with: before the
    table is half full it stops.
    """
    row: cython.Py_ssize_t
    at: cython.longlong
    stop: cython.longlong
    begin: cython.longlong
    packed: cython.longlong
    length: cython.longlong
    i: cython.longlong
    word: cython.longlong
    words: cython.longlong = state[0]
    count: cython.longlong = state[1]
    slots: cython.longlong = table.shape[0]
    slot: cython.longlong
    key: cython.ulonglong
    char: cython.uchar
    with cython.nogil:
        for row in range(first, last):
            at = starts[row]
            stop = stops[row]
            # Each word of the row may be a new one.
            if 2 * (words + (stop - at) // 2 + 1) > slots:
                state[2] = row
                break
            while at < stop:
                char = data[at]
                if char <= 32 and (char == 32 or char == 9):
                    at += 1
                    continue
                begin = at
                key = 0
                packed = begin + SHORT if begin + SHORT < stop else stop
                while at < packed:
                    char = data[at]
                    if char <= 32 and (char == 32 or char == 9):
                        break
                    key = (key << 8) | char
                    at += 1
                while at < stop:
                    char = data[at]
                    if char <= 32 and (char == 32 or char == 9):
                        break
                    key = ((key ^ char) * PRIME) & MASK64
                    at += 1
                length = at - begin
                if length > SHORT:
                    key |= LONG
                else:
                    key |= cython.cast(cython.ulonglong, length) << 56
                slot = home(key) & (slots - 1)
                while True:
                    word = table[slot]
                    if word < 0:
                        word = words
                        table[slot] = cython.cast(cython.int, word)
                        keys[word] = key
                        begins[word] = begin
                        ends[word] = at
                        words += 1
                        break
                    if keys[word] == key:
                        if length <= SHORT:
                            break
                        if ends[word] - begins[word] == length:
                            i = 0
                            while i < length and data[begins[word] + i] == data[begin + i]:
                                i += 1
                            if i == length:
                                break
                    slot = (slot + 1) & (slots - 1)
                values[count] = cython.cast(cython.int, word)
                count += 1
            offsets[row + 1] = count
        else:
            state[2] = last
        state[0] = words
        state[1] = count


def number_fields(
    data: cython.const[cython.uchar][::1],
    bounds: cython.const[cython.int][::1],
    table: cython.int[::1],
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
    """Number the strings that stand in one field of rows of fields.

    Field `f` of row `r` is ``data[bounds[width * r + f] : bounds[width * r + f + 1] - 1]``: one
    byte separates it from the next. The other arrays are those of `number_words`; ``state[0]`` is
    the number of strings, ``state[1]`` the row to go on with: before the table is half full it
    stops.
    """
    row: cython.Py_ssize_t
    at: cython.longlong
    begin: cython.longlong
    end: cython.longlong
    packed: cython.longlong
    length: cython.longlong
    i: cython.longlong
    word: cython.longlong
    words: cython.longlong = state[0]
    slots: cython.longlong = table.shape[0]
    slot: cython.longlong
    key: cython.ulonglong
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
                key |= cython.cast(cython.ulonglong, length) << 56
            slot = home(key) & (slots - 1)
            while True:
                word = table[slot]
                if word < 0:
                    word = words
                    table[slot] = cython.cast(cython.int, word)
                    keys[word] = key
                    begins[word] = begin
                    ends[word] = end
                    words += 1
                    break
                if keys[word] == key:
                    if length <= SHORT:
                        break
                    if ends[word] - begins[word] == length:
                        i = 0
                        while i < length and data[begins[word] + i] == data[begin + i]:
                            i += 1
                        if i == length:
                            break
                slot = (slot + 1) & (slots - 1)
            codes[row] = cython.cast(cython.int, word)
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
    table: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Enter distinct words by their keys into an empty table, as `number_words` expects them."""
    word: cython.Py_ssize_t
    slots: cython.longlong = table.shape[0]
    slot: cython.longlong
    with cython.nogil:
        for word in range(first, last):
            slot = home(keys[word]) & (slots - 1)
            while table[slot] >= 0:
                slot = (slot + 1) & (slots - 1)
            table[slot] = cython.cast(cython.int, word)


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
    """Number the words of each segment anew, in order of first occurrence.

    Scratch: `places`, as long as the vocabulary, zeroed or not; `words`, as long as the longest
    segment has tokens.
    """
    row: cython.Py_ssize_t
    i: cython.longlong
    word: cython.int
    place: cython.int
    count: cython.int
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
