"""What the spelling of a word says of its tag: hashes of affixes, of its shape, of itself."""

import cython

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
PRIME = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MIX = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
# Columns of the attributes.
FORM = cython.declare(cython.int, 0)
NORMAL = cython.declare(cython.int, 1)
PREFIX = cython.declare(cython.int, 2)
PREFIXES = cython.declare(cython.int, 5)
SUFFIX = cython.declare(cython.int, 7)
SUFFIXES = cython.declare(cython.int, 6)
SHAPE = cython.declare(cython.int, 13)
KIND = cython.declare(cython.int, 14)
# Classes of characters; a character of no class is itself in a shape.
UPPER = cython.declare(cython.int, 1)
DIGIT = cython.declare(cython.int, 3)
# A letter of a sentence whose case says nothing.
LETTER = cython.declare(cython.int, 4)
HYPHEN = cython.declare(cython.int, 45)
# The number of a class is beyond all code points.
BEYOND = cython.declare(cython.int, 1 << 24)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def step(key: cython.ulonglong, value: cython.ulonglong) -> cython.ulonglong:
    """Put one more character into a hash."""
    return ((key ^ value) * PRIME + (key >> 29)) & MASK64


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def done(key: cython.ulonglong) -> cython.ulonglong:
    """Return a hash with its bits well mixed; never 0, which says that there is nothing."""
    key = ((key ^ (key >> 31)) * MIX) & MASK64
    return (key ^ (key >> 32)) | 1


def word_attributes(
    form: cython.const[cython.int][::1],
    form_offsets: cython.const[cython.longlong][::1],
    classes: cython.const[cython.uchar][::1],
    normal: cython.const[cython.int][::1],
    normal_offsets: cython.const[cython.longlong][::1],
    columns: cython.int,
    attributes: cython.ulonglong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Fill the first 15 of `columns` attributes of words given as code points.

    They are the form, the normal form, prefixes of 1 to 5 and suffixes of 1 to 6 characters of
    the normal form (0 where that is all of it), the shape, in which characters of one class
    are written once, and the kind: whether the first character is a capital, another one is, all
    are, and whether there are digits, hyphens and letters of no case.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, start=cython.longlong)
    cython.declare(length=cython.longlong, base=cython.longlong, key=cython.ulonglong)
    cython.declare(shape=cython.ulonglong, kind=cython.ulonglong, sign=cython.int)
    cython.declare(before=cython.int, capitals=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            base = row * columns
            start = form_offsets[row]
            length = form_offsets[row + 1] - start
            key = 1
            shape = 2
            kind = 0
            before = -1
            capitals = 0
            for i in range(start, start + length):
                key = step(key, form[i])
                sign = form[i]
                if classes[i] > 0:
                    sign = BEYOND + classes[i]
                if sign != before:
                    shape = step(shape, sign)
                before = sign
                if classes[i] == UPPER:
                    capitals += 1
                    kind |= 1 if i == start else 2
                elif classes[i] == DIGIT:
                    kind |= 4
                elif classes[i] == LETTER:
                    kind |= 32
                elif form[i] == HYPHEN:
                    kind |= 8
            if capitals == length:
                kind |= 16
            attributes[base + FORM] = done(key)
            attributes[base + SHAPE] = done(shape)
            attributes[base + KIND] = done(step(3, kind))
            start = normal_offsets[row]
            length = normal_offsets[row + 1] - start
            key = 1
            for i in range(length):
                key = step(key, normal[start + i])
                if i < PREFIXES:
                    attributes[base + PREFIX + i] = done(key) if i + 1 < length else 0
            for i in range(length, PREFIXES):
                attributes[base + PREFIX + i] = 0
            attributes[base + NORMAL] = done(key)
            key = 1
            for i in range(SUFFIXES):
                if i + 1 < length:
                    key = step(key, normal[start + length - 1 - i])
                    attributes[base + SUFFIX + i] = done(key)
                else:
                    attributes[base + SUFFIX + i] = 0
