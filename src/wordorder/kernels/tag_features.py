"""Keys of the features of words in their sentences, by templates over their attributes."""

import cython

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
PRIME = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MIX = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
# What precedes and follows a sentence.
OUTSIDE = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
# A template is so many atoms; an atom is an attribute, with the offset of the word plus 2 above
# its 5 bits, or -1 for none.
ATOMS = cython.declare(cython.int, 3)
BITS = cython.declare(cython.int, 5)
REACH = cython.declare(cython.int, 2)


def feature_keys(
    attributes: cython.const[cython.ulonglong][::1],
    columns: cython.longlong,
    templates: cython.const[cython.int][::1],
    number: cython.longlong,
    words: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    keys: cython.ulonglong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the keys of the words of sentences ``first .. last-1``, one for each template.

    The first template has the number `number`, which is part of the key. Where an attribute is
    0 there is no feature, and its key is 0.
    """
    cython.declare(row=cython.Py_ssize_t, at=cython.longlong, i=cython.longlong)
    cython.declare(template=cython.longlong, place=cython.longlong, atom=cython.int)
    cython.declare(value=cython.ulonglong, key=cython.ulonglong)
    count: cython.longlong = templates.shape[0] // ATOMS
    out: cython.longlong = 0
    with cython.nogil:
        for row in range(first, last):
            for at in range(offsets[row], offsets[row + 1]):
                for template in range(count):
                    key = cython.cast(cython.ulonglong, number + template + 1)
                    for i in range(template * ATOMS, template * ATOMS + ATOMS):
                        atom = templates[i]
                        if atom < 0:
                            break
                        place = at + (atom >> BITS) - REACH
                        value = OUTSIDE
                        if offsets[row] <= place < offsets[row + 1]:
                            value = attributes[words[place] * columns + (atom & 31)]
                        if value == 0:
                            key = 0
                            break
                        key = ((key ^ value) * PRIME) & MASK64
                        key ^= key >> 32
                    key = (key * MIX) & MASK64
                    keys[out] = key ^ (key >> 31)
                    out += 1
