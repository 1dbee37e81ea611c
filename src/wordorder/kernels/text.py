"""Texts as bytes: ids of words, tokens, characters; reading and writing orders and alignments."""

import cython
from cython import Py_ssize_t, bint, longlong, uchar, ulonglong
from cython.cimports.wordorder.kernels._common import GOLDEN, MASK64, golden_hash

# Ids of words, tokens, and characters.

# The factor of Fowler, Noll and Vo (FNV-1a, for 64 bits).
FNV_PRIME = cython.declare(ulonglong, 0x100000001B3)
# A 1 in each byte.
LOW_BITS = cython.declare(ulonglong, 0x0101010101010101)
# A key has the length of the word in its highest byte and the bytes of the word below it, if they
# fit; otherwise it has LONG_WORD instead of the length, and a hash of the bytes.
SHORT_WORD = cython.declare(longlong, 7)
LONG_WORD = cython.declare(ulonglong, 0xFF00000000000000)

# Types of bytes for tokenizers, as bits. Other bytes are parts of words.
BLANK = cython.declare(cython.int, 1)
SYMBOL = cython.declare(cython.int, 2)
STOP = cython.declare(cython.int, 4)
DIGIT_BYTE = cython.declare(cython.int, 8)
DASH = cython.declare(cython.int, 16)
# The first byte of a pattern that may be replaced.
REPLACED = cython.declare(cython.int, 32)
# A token of its own at the edge of a word.
EDGE = cython.declare(cython.int, 64)
# The first byte of a character of several bytes that may be white space.
LEAD = cython.declare(cython.int, 128)

# Orders and word alignments from bytes, and orders to bytes.

cython.declare(TAB=uchar, NEWLINE=uchar, RETURN=uchar, SPACE=uchar, COMMA=uchar, ZERO=uchar)
cython.declare(NINE=uchar)
TAB, NEWLINE, RETURN, SPACE, COMMA, ZERO, NINE = b"\t\n\r ,09"
# Positions are smaller; ten times a position plus a digit still fits into 32 bits.
POSITION_LIMIT = cython.declare(cython.int, 1 << 24)

cython.declare(HYPHEN=uchar, QUESTION=uchar, UNDERSCORE=uchar, LETTER_P=uchar)
HYPHEN, QUESTION, UNDERSCORE, LETTER_P = b"-?_p"
# Indices are at most this; ten times an index plus a digit still fits into 32 bits.
MAX_LINK_INDEX = cython.declare(cython.int, 1 << 24)


# -- Ids of words, tokens, and characters. ---------------------------------------------------------
#
# Words with the same bytes have the same id. Lines are UTF-8; they are split into tokens of bytes,
# or into code points.


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
    """Assign ids to the words of rows of bytes, which are separated by spaces and tabs.

    Row `r` is ``data[starts[r] : stops[r]]``. A slot of `table`, a power of two of them, has the
    key of the word whose id is in `numbers`, or 0 if it is free. Word `w` is ``data[begins[w] :
    ends[w]]`` and has the key ``keys[w]``. ``state[0]`` is the number of words, ``state[1]`` that
    of tokens, ``state[2]`` the next row: the kernel stops before three quarters of the table are
    full.
    """
    words: longlong = state[0]
    count: longlong = state[1]
    size: longlong = data.shape[0]
    slots: longlong = table.shape[0]
    with cython.nogil:
        for row in range(first, last):
            position: longlong = starts[row]
            stop: longlong = stops[row]
            # All words of the row may be new.
            if 4 * (words + (stop - position) // 2 + 1) > 3 * slots:
                state[2] = row
                break
            while position < stop:
                if data[position] == 32 or data[position] == 9:
                    position += 1
                    continue
                begin: longlong = position
                eight: ulonglong = eight_bytes(data, position, size)
                below: ulonglong = before_end(eight, stop - position)
                length: longlong = bytes_in(below)
                key: ulonglong = eight & below
                position += length
                if length > SHORT_WORD:
                    while length == 8:
                        eight = eight_bytes(data, position, size)
                        below = before_end(eight, stop - position)
                        length = bytes_in(below)
                        key = ((key ^ (key >> 29) ^ (eight & below)) * GOLDEN) & MASK64
                        position += length
                    key = (key ^ (key >> 29)) | LONG_WORD
                    length = position - begin
                else:
                    key |= cython.cast(ulonglong, length) << 56
                slot: longlong = word_slot(data, table, numbers, begins, ends, key, begin, length)
                if table[slot] == 0:
                    table[slot] = key
                    numbers[slot] = cython.cast(cython.int, words)
                    keys[words] = key
                    begins[words] = begin
                    ends[words] = position
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
def eight_bytes(data: cython.const[uchar][::1], offset: longlong, size: longlong) -> ulonglong:
    """Return eight bytes from `offset` on as a little-endian number; zeros after the end."""
    number: ulonglong = 0
    byte: cython.pointer(cython.const[uchar])
    if cython.compiled and offset + 8 <= size:
        # Compilers combine these to one load, but only from a pointer.
        byte = cython.address(data[offset])
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
    for place in range(offset, min(offset + 8, size)):
        number |= cython.cast(ulonglong, data[place]) << (8 * (place - offset))
    return number


@cython.cfunc
@cython.inline
@cython.nogil
def before_end(eight: ulonglong, bytes_left: longlong) -> ulonglong:
    """Return a mask of the bytes of `eight` before its first space or tab; `bytes_left` of them at
    most.

    Subtracting 1 from each byte sets its highest bit if the byte was 0; the lowest such byte is
    certain to be 0.
    """
    blank: ulonglong = eight ^ (LOW_BITS * 32)
    tab: ulonglong = eight ^ (LOW_BITS * 9)
    matches: ulonglong = ((blank - LOW_BITS) & ~blank) | ((tab - LOW_BITS) & ~tab)
    matches = (matches >> 7) & LOW_BITS
    if bytes_left < 8:
        matches |= cython.cast(ulonglong, 1) << (8 * bytes_left)
    return (matches - 1) & ~matches & MASK64


@cython.cfunc
@cython.inline
@cython.nogil
def bytes_in(below: ulonglong) -> longlong:
    """Return the number of complete bytes in a mask."""
    return cython.cast(longlong, (((below & LOW_BITS) * LOW_BITS) & MASK64) >> 56)


@cython.cfunc
@cython.inline
@cython.nogil
def same_bytes(
    data: cython.const[uchar][::1], first: longlong, second: longlong, length: longlong
) -> bint:
    """Return whether two spans of at least 8 bytes are equal."""
    i: longlong = 0
    size: longlong = data.shape[0]
    while i + 8 < length:
        if eight_bytes(data, first + i, size) != eight_bytes(data, second + i, size):
            return False
        i += 8
    i = length - 8
    return eight_bytes(data, first + i, size) == eight_bytes(data, second + i, size)


@cython.cfunc
@cython.inline
@cython.nogil
def word_slot(
    data: cython.const[uchar][::1],
    table: cython.const[ulonglong][::1],
    numbers: cython.const[cython.int][::1],
    begins: cython.const[longlong][::1],
    ends: cython.const[longlong][::1],
    key: ulonglong,
    begin: longlong,
    length: longlong,
) -> longlong:
    """Return the slot of the word ``data[begin : begin + length]``, or the free slot for it."""
    mask: longlong = table.shape[0] - 1
    slot: longlong = golden_hash(key, 32) & mask
    while table[slot] != 0:
        if table[slot] == key and (
            length <= SHORT_WORD
            or ends[numbers[slot]] - begins[numbers[slot]] == length
            and same_bytes(data, begins[numbers[slot]], begin, length)
        ):
            break
        slot = (slot + 1) & mask
    return slot


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
    """Assign ids to the strings of one field of rows of fields.

    Field `f` of row `r` is ``data[bounds[width * r + f] : bounds[width * r + f + 1] - 1]``: one
    byte separates it from the next. The other arrays are those of `number_words`. ``state[0]`` is
    the number of strings, ``state[1]`` the next row: the kernel stops before the table is half
    full.
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
            packed: longlong = begin + SHORT_WORD if length > SHORT_WORD else end
            key: ulonglong = 0
            for position in range(begin, packed):
                key = (key << 8) | data[position]
            for position in range(packed, end):
                key = ((key ^ data[position]) * FNV_PRIME) & MASK64
            if length > SHORT_WORD:
                key |= LONG_WORD
            else:
                # The key of an empty string must not be 0.
                key |= cython.cast(ulonglong, length + 1) << 56
            slot: longlong = word_slot(data, table, numbers, begins, ends, key, begin, length)
            if table[slot] == 0:
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


def fill_table(
    keys: cython.const[ulonglong][::1],
    table: ulonglong[::1],
    numbers: cython.int[::1],
    words: Py_ssize_t,
) -> None:
    """Add distinct words by their keys to an empty table of `number_words`."""
    slots: longlong = table.shape[0]
    with cython.nogil:
        for word in range(words):
            slot: longlong = golden_hash(keys[word], 32) & (slots - 1)
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
    """Assign ids from 0 on to the words of each segment, in order of first occurrence.

    Scratch: `places`, as long as the vocabulary, with any contents; `words`, as long as the longest
    segment in tokens.
    """
    with cython.nogil:
        for row in range(first, last):
            count: cython.int = 0
            for i in range(hypothesis_offsets[row], hypothesis_offsets[row + 1]):
                word: cython.int = hypothesis[i]
                place: cython.int = places[word]
                # `words` shows whether the entry in `places` is from this segment.
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
def blank_bytes(text: cython.const[uchar][::1], offset: longlong, stop: longlong) -> longlong:
    """Return the number of bytes of non-ASCII white space at `offset`; 0 for other characters."""
    lead: cython.int = text[offset]
    if offset + 1 >= stop:
        return 0
    second: cython.int = text[offset + 1]
    if lead == 0xC2:
        return 2 if second == 0x85 or second == 0xA0 else 0
    if offset + 2 >= stop:
        return 0
    third: cython.int = text[offset + 2]
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
    """Mark words ``data[starts[w] : stops[w]]`` that are empty or have white space by 1."""
    with cython.nogil:
        for word in range(first, last):
            is_marked: bint = starts[word] == stops[word]
            for position in range(starts[word], stops[word]):
                if kinds[data[position]] & BLANK:
                    is_marked = True
                elif kinds[data[position]] & LEAD and blank_bytes(data, position, stops[word]) > 0:
                    is_marked = True
            marks[word] = is_marked


@cython.cfunc
@cython.nogil
def without_end(line: uchar[::1], stop: longlong, kinds: cython.const[uchar][::1]) -> longlong:
    """Return the end of a line without the white space at its end."""
    is_removed: bint = True
    while is_removed:
        is_removed = False
        if stop > 0 and kinds[line[stop - 1]] & BLANK:
            stop -= 1
            is_removed = True
        for width in range(2, min(stop, 3) + 1):
            if kinds[line[stop - width]] & LEAD and blank_bytes(line, stop - width, stop) == width:
                stop -= width
                is_removed = True
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

    Replacements go from left to right; their results are not searched again.
    """
    position: longlong = 0
    put: longlong = 0
    width: longlong = middle - begin
    while position < length:
        place: longlong = 0
        if position + width <= length:
            while place < width and line[position + place] == rules[begin + place]:
                place += 1
        if place == width:
            for place in range(middle, end):
                line[put] = rules[place]
                put += 1
            position += width
        else:
            line[put] = line[position]
            put += 1
            position += 1
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
    """Write the tokens of lines of bytes, separated by single spaces.

    Row `r` is ``data[starts[r] : stops[r]]``; its tokens start at ``tokens[token_starts[r]]``,
    where twice its length must be free, and end before ``token_stops[r]``.

    ``kinds[b]`` is the type of the byte `b`, as bits. A symbol is a token; so are a full stop or a
    comma, unless between digits, a dash after a digit, and an edge character at the end of a word,
    or else at its start. Before that, in lines with a byte of the type REPLACED, pattern `k`,
    ``rules[bounds[2k] : bounds[2k+1]]``, is replaced by ``rules[bounds[2k+1] : bounds[2k+2]]``, one
    pattern after the other.

    Scratch: one byte per byte of the longest row.
    """
    cython.declare(rule=longlong)
    # The start of the current word; -1 between words.
    with cython.nogil:
        for row in range(first, last):
            length: longlong = stops[row] - starts[row]
            seen: cython.int = 0
            for position in range(length):
                byte: uchar = data[starts[row] + position]
                line[position] = byte
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
            previous: cython.int = 0
            is_done: bint = False
            position = 0
            while position < length:
                byte = line[position]
                kind: cython.int = kinds[byte]
                width: longlong = 1
                alone: bint = False
                if kind & (BLANK | SYMBOL | STOP | DASH | LEAD):
                    if kind & LEAD:
                        width = blank_bytes(line, position, length)
                        if width > 0:
                            kind |= BLANK
                        else:
                            width = 1
                    elif kind & STOP:
                        # sacreBLEU's patterns match pairs from left to right: the second of two
                        # stops is not split from the next character if the first one was matched.
                        is_done = not (previous & DIGIT_BYTE) and not (previous & STOP and is_done)
                        alone = (
                            is_done
                            or position + 1 == length
                            or not kinds[line[position + 1]] & DIGIT_BYTE
                        )
                    elif kind & DASH:
                        alone = (previous & DIGIT_BYTE) != 0
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
                    # Fast path: most bytes are letters after letters.
                    while position + 1 < length and not kinds[line[position + 1]] & (
                        BLANK | SYMBOL | STOP | DASH | LEAD
                    ):
                        position += 1
                        tokens[put] = line[position]
                        put += 1
                        kind = kinds[line[position]]
                previous = kind
                position += width
            if word >= 0:
                put = with_edges(tokens, word, put, kinds)
            token_stops[row] = put


@cython.cfunc
@cython.inline
@cython.nogil
def with_edges(
    tokens: uchar[::1], word: longlong, put: longlong, kinds: cython.const[uchar][::1]
) -> longlong:
    """Split an edge character from ``tokens[word : put]``; return the start of the next token."""
    if put - word < 2:
        return put
    if kinds[tokens[put - 1]] & EDGE:
        tokens[put] = tokens[put - 1]
        tokens[put - 1] = 32
        return put + 1
    if kinds[tokens[word]] & EDGE:
        last: longlong = put
        while last > word + 1:
            tokens[last] = tokens[last - 1]
            last -= 1
        tokens[last] = 32
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
    """Write the code points of lines of bytes, without the white space of `kinds`.

    Row `r` is ``data[starts[r] : stops[r]]``; its code points start at ``points[point_starts[r]]``,
    with space for one per byte, and end before ``point_stops[r]``.
    """
    with cython.nogil:
        for row in range(first, last):
            position: longlong = starts[row]
            stop: longlong = stops[row]
            put: longlong = point_starts[row]
            while position < stop:
                byte: cython.int = data[position]
                kind: cython.int = kinds[byte]
                if kind & BLANK:
                    position += 1
                    continue
                if kind & LEAD:
                    width: longlong = blank_bytes(data, position, stop)
                    if width > 0:
                        position += width
                        continue
                if byte < 0x80:
                    position += 1
                elif byte < 0xE0:
                    byte = (byte & 0x1F) << 6 | data[position + 1] & 0x3F
                    position += 2
                elif byte < 0xF0:
                    byte = (
                        (byte & 0x0F) << 12
                        | (data[position + 1] & 0x3F) << 6
                        | data[position + 2] & 0x3F
                    )
                    position += 3
                else:
                    byte = (
                        (byte & 0x07) << 18
                        | (data[position + 1] & 0x3F) << 12
                        | (data[position + 2] & 0x3F) << 6
                        | data[position + 3] & 0x3F
                    )
                    position += 4
                points[put] = byte
                put += 1
            point_stops[row] = put


# -- Orders and word alignments from bytes, and orders to bytes. -----------------------------------
#
# Orders are ``2 0 3,4 1``; their parser stops at the first invalid group, and writes its offset to
# `state`. Alignments are in Pharaoh's notation ``i-j`` and Talbot's ``0,2_1,,3``; their parsers
# read whole lines and stop at the first invalid byte. ``state`` is then ``[links, lines, targets,
# offset of the invalid token or -1]``.


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

    Ranks are written only if positions tie; otherwise each position is its own group.

    A position and its separator have at least two bytes, so ``(last - first) // 2 + 1`` entries in
    `positions` and `ranks` suffice; `offsets` has one entry more than lines. ``state`` becomes
    ``[positions, lines, whether a group has two members, offset of the invalid group or -1]``. An
    invalid line counts, with the complete groups before the invalid one.
    """
    position: Py_ssize_t = first
    count: longlong = 0
    complete: longlong = 0
    lines: longlong = 0
    tied: longlong = 0
    bad: longlong = -1
    rank: cython.int = 0
    with cython.nogil:
        offsets[0] = 0
        while position < last:
            byte: uchar = data[position]
            # Fast path for most groups: up to three digits, and a space or the end of the line.
            if position + 4 <= last and byte >= ZERO and byte <= NINE:
                number: cython.int = byte - ZERO
                digits: Py_ssize_t = position + 1
                byte = data[digits]
                if byte >= ZERO and byte <= NINE:
                    number = number * 10 + (byte - ZERO)
                    digits += 1
                    byte = data[digits]
                    if byte >= ZERO and byte <= NINE:
                        number = number * 10 + (byte - ZERO)
                        digits += 1
                        byte = data[digits]
                if byte == SPACE or byte == NEWLINE:
                    positions[count] = number
                    if tied != 0:
                        ranks[count] = rank
                    rank += 1
                    count += 1
                    position = digits + 1
                    if byte == NEWLINE:
                        lines += 1
                        offsets[lines] = count
                        rank = 0
                    continue
                byte = data[position]
            if byte == SPACE or byte == TAB:
                position += 1
                continue
            if byte == RETURN and position + 1 < last and data[position + 1] == NEWLINE:
                position += 1
                byte = NEWLINE
            if byte == NEWLINE:
                position += 1
                lines += 1
                offsets[lines] = count
                rank = 0
                continue
            bad = position
            complete = count
            while True:
                digits = position
                number = 0
                while (
                    position < last
                    and data[position] >= ZERO
                    and data[position] <= NINE
                    and number < POSITION_LIMIT
                ):
                    number = number * 10 + (data[position] - ZERO)
                    position += 1
                if position == digits or number >= POSITION_LIMIT:
                    break
                positions[count] = number
                if tied != 0:
                    ranks[count] = rank
                count += 1
                if position < last and data[position] == COMMA:
                    if tied == 0:
                        # At the first tie, the ranks of all groups so far are written.
                        for row in range(lines):
                            for i in range(offsets[row], offsets[row + 1]):
                                ranks[i] = cython.cast(cython.int, i - offsets[row])
                        for i in range(offsets[lines], count):
                            ranks[i] = cython.cast(cython.int, i - offsets[lines])
                    tied = 1
                    position += 1
                    continue
                # The group must end here: at a space, the end of the line or of the data.
                if (
                    position == last
                    or data[position] == SPACE
                    or data[position] == TAB
                    or data[position] == NEWLINE
                ):
                    bad = -1
                elif (
                    data[position] == RETURN
                    and position + 1 < last
                    and data[position + 1] == NEWLINE
                ):
                    bad = -1
                break
            if bad >= 0:
                break
            rank += 1
        if bad >= 0:
            count = complete
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
    """Write the first entry that repeats a position of its row to ``state[0]``, or -1.

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
    """Write the index of the first invalid rank to ``state[0]``, or -1.

    Ranks of a row start at 0 and rise by 0 or 1. ``state[1]`` is 1 if any two neighbours tie.
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
    """Write the rows as lines of `text`; ``state[0]`` becomes the number of bytes.

    Nine bytes per position (eight digits and a separator) and one per row suffice. Neighbours of
    equal rank tie; without ties, `positions` can be passed as `ranks`.
    """
    position: longlong = 0
    with cython.nogil:
        for row in range(first, last):
            for i in range(offsets[row], offsets[row + 1]):
                if i > offsets[row]:
                    text[position] = COMMA if ranks[i] == ranks[i - 1] else SPACE
                    position += 1
                number: cython.int = positions[i]
                quotient: cython.int = number // 10
                end: longlong = position + 1
                while quotient > 0:
                    quotient = quotient // 10
                    end += 1
                position = end
                while True:
                    end -= 1
                    text[end] = cython.cast(uchar, ZERO + number % 10)
                    number = number // 10
                    if number == 0:
                        break
            text[position] = NEWLINE
            position += 1
        state[0] = position


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

    A link and its separator have at least four bytes, so ``size // 4 + 1`` entries in `source`,
    `target` and `possible` suffice; `offsets` has one entry more than lines.
    """
    position: Py_ssize_t = 0
    links: longlong = 0
    lines: longlong = 0
    bad: longlong = -1
    with cython.nogil:
        offsets[0] = 0
        while position < size:
            byte: uchar = data[position]
            if byte == SPACE or byte == TAB:
                position += 1
                continue
            if byte == RETURN and position + 1 < size and data[position + 1] == NEWLINE:
                position += 1
                byte = NEWLINE
            if byte == NEWLINE:
                position += 1
                lines += 1
                offsets[lines] = links
                continue
            begin: Py_ssize_t = position
            bad = begin
            left_number: cython.int = 0
            digits: Py_ssize_t = position
            while (
                position < size
                and data[position] >= ZERO
                and data[position] <= NINE
                and left_number <= MAX_LINK_INDEX
            ):
                left_number = left_number * 10 + (data[position] - ZERO)
                position += 1
            if position == digits or left_number > MAX_LINK_INDEX or position == size:
                break
            byte = data[position]
            if byte != HYPHEN and byte != LETTER_P and byte != QUESTION:
                break
            position += 1
            right_number: cython.int = 0
            digits = position
            while (
                position < size
                and data[position] >= ZERO
                and data[position] <= NINE
                and right_number <= MAX_LINK_INDEX
            ):
                right_number = right_number * 10 + (data[position] - ZERO)
                position += 1
            if position == digits or right_number > MAX_LINK_INDEX:
                break
            # The token must end here: at a space, the end of the line or of the data.
            if (
                position < size
                and data[position] != SPACE
                and data[position] != TAB
                and data[position] != NEWLINE
            ):
                if (
                    data[position] != RETURN
                    or position + 1 == size
                    or data[position + 1] != NEWLINE
                ):
                    break
            source[links] = left_number
            target[links] = right_number
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

    ``targets[i]`` is the number of target words in line ``i``. A link and its separator have at
    least two bytes, so ``size // 2 + 1`` entries suffice.
    """
    # Whether a number must follow, after ``_``.
    position: Py_ssize_t = 0
    links: longlong = 0
    lines: longlong = 0
    bad: longlong = -1
    with cython.nogil:
        offsets[0] = 0
        while position < size:
            field: cython.int = 0
            joined: bint = False
            begin: Py_ssize_t = position
            while position < size and data[position] != NEWLINE:
                bad = position
                if data[position] >= ZERO and data[position] <= NINE:
                    number: cython.int = 0
                    while position < size and data[position] >= ZERO and data[position] <= NINE:
                        number = number * 10 + (data[position] - ZERO)
                        if number > MAX_LINK_INDEX:
                            break
                        position += 1
                    if number > MAX_LINK_INDEX:
                        break
                    source[links] = number
                    target[links] = field
                    links += 1
                    joined = False
                    if position < size and data[position] == UNDERSCORE:
                        joined = True
                        position += 1
                    elif position < size and data[position] == COMMA:
                        field += 1
                        position += 1
                    elif position < size and data[position] != NEWLINE and data[position] != RETURN:
                        break
                elif data[position] == COMMA and not joined:
                    field += 1
                    position += 1
                elif (
                    data[position] == RETURN
                    and position + 1 < size
                    and data[position + 1] == NEWLINE
                ):
                    if joined:
                        break
                    position += 1
                else:
                    break
                bad = -1
            if bad < 0 and joined:
                bad = position - 1
            if bad >= 0:
                break
            # An empty line has no target words; other lines have one more than commas.
            if position == begin or data[begin] == RETURN:
                targets[lines] = 0
            else:
                targets[lines] = field + 1
            lines += 1
            offsets[lines] = links
            position += 1
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

    ``faults[row]`` is the index of the link, or -1 for a valid row.

    Scratch: a hash table of link indices, initially -1, whose size is a power of two and at least
    twice the longest row. Entries of earlier rows are smaller than the row's first index, and count
    as empty.
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
                stored: longlong = table[slot]
                while stored >= start:
                    if source[stored] == source[link] and target[stored] == target[link]:
                        break
                    slot = (slot + 1) & mask
                    stored = table[slot]
                if stored >= start:
                    faults[row] = link
                    break
                table[slot] = link
