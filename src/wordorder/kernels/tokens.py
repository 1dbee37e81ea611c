"""Lines as tokens and as characters: bytes of UTF-8 in; bytes, or code points, out."""

import cython

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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def blank_bytes(
    text: cython.const[cython.uchar][::1], at: cython.longlong, stop: cython.longlong
) -> cython.longlong:
    """Return how many bytes the white space at `at` has that is not ASCII; 0 if there is none."""
    cython.declare(second=cython.int, third=cython.int)
    lead: cython.int = text[at]
    if at + 1 >= stop:
        return 0
    second = text[at + 1]
    if lead == 0xC2:
        return 2 if second == 0x85 or second == 0xA0 else 0
    if at + 2 >= stop:
        return 0
    third = text[at + 2]
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
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    kinds: cython.const[cython.uchar][::1],
    marks: cython.uchar[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Mark the words ``data[starts[w] : stops[w]]`` that are empty or have white space by 1."""
    cython.declare(word=cython.Py_ssize_t, at=cython.longlong, found=cython.bint)
    with cython.nogil:
        for word in range(first, last):
            found = starts[word] == stops[word]
            for at in range(starts[word], stops[word]):
                if kinds[data[at]] & BLANK:
                    found = True
                elif kinds[data[at]] & LEAD and blank_bytes(data, at, stops[word]) > 0:
                    found = True
            marks[word] = found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def without_end(
    line: cython.uchar[::1], stop: cython.longlong, kinds: cython.const[cython.uchar][::1]
) -> cython.longlong:
    """Return where a line ends without the white space at its end."""
    cython.declare(width=cython.longlong)
    found: cython.bint = True
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
@cython.exceptval(check=False)
def replaced(
    line: cython.uchar[::1],
    length: cython.longlong,
    rules: cython.const[cython.uchar][::1],
    begin: cython.longlong,
    middle: cython.longlong,
    end: cython.longlong,
) -> cython.longlong:
    """Replace ``rules[begin : middle]`` by ``rules[middle : end]``; return the new length.

    From left to right, and not again in what was put there.
    """
    cython.declare(place=cython.longlong)
    at: cython.longlong = 0
    put: cython.longlong = 0
    width: cython.longlong = middle - begin
    while at < length:
        place = 0
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
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    kinds: cython.const[cython.uchar][::1],
    rules: cython.const[cython.uchar][::1],
    bounds: cython.const[cython.longlong][::1],
    tokens: cython.uchar[::1],
    token_starts: cython.const[cython.longlong][::1],
    token_stops: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    line: cython.uchar[::1],
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
    cython.declare(row=cython.Py_ssize_t, at=cython.longlong, begin=cython.longlong)
    cython.declare(put=cython.longlong)
    # Where the word begins that is not complete yet; -1 between words.
    cython.declare(word=cython.longlong, length=cython.longlong, rule=cython.longlong)
    cython.declare(width=cython.longlong, byte=cython.uchar, kind=cython.int, before=cython.int)
    cython.declare(seen=cython.int, alone=cython.bint, taken=cython.bint)
    with cython.nogil:
        for row in range(first, last):
            length = stops[row] - starts[row]
            seen = 0
            for at in range(length):
                byte = data[starts[row] + at]
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
            begin = token_starts[row]
            put = begin
            word = -1
            before = 0
            taken = False
            at = 0
            while at < length:
                byte = line[at]
                kind = kinds[byte]
                width = 1
                alone = False
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
@cython.exceptval(check=False)
def with_edges(
    tokens: cython.uchar[::1],
    word: cython.longlong,
    put: cython.longlong,
    kinds: cython.const[cython.uchar][::1],
) -> cython.longlong:
    """Part an edge character from ``tokens[word : put]``; return where the next token goes."""
    cython.declare(at=cython.longlong)
    if put - word < 2:
        return put
    if kinds[tokens[put - 1]] & EDGE:
        tokens[put] = tokens[put - 1]
        tokens[put - 1] = 32
        return put + 1
    if kinds[tokens[word]] & EDGE:
        at = put
        while at > word + 1:
            tokens[at] = tokens[at - 1]
            at -= 1
        tokens[at] = 32
        return put + 1
    return put


def code_points(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    kinds: cython.const[cython.uchar][::1],
    points: cython.int[::1],
    point_starts: cython.const[cython.longlong][::1],
    point_stops: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the code points of lines of bytes, without the white space that `kinds` knows.

    Row `r` is ``data[starts[r] : stops[r]]``; its code points are written from
    ``points[point_starts[r]]`` on, where as many must be free as it has bytes, and end before
    ``point_stops[r]``.
    """
    cython.declare(row=cython.Py_ssize_t, at=cython.longlong, stop=cython.longlong)
    cython.declare(put=cython.longlong, width=cython.longlong, byte=cython.int, kind=cython.int)
    with cython.nogil:
        for row in range(first, last):
            at = starts[row]
            stop = stops[row]
            put = point_starts[row]
            while at < stop:
                byte = data[at]
                kind = kinds[byte]
                if kind & BLANK:
                    at += 1
                    continue
                if kind & LEAD:
                    width = blank_bytes(data, at, stop)
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
