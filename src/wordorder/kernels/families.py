"""What lies below the words of projective trees, and how alignments order it."""

import cython

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
# Attributes of a word; which of them is its label. The first is its form.
WORD = cython.declare(cython.int, 6)
LABEL = cython.declare(cython.int, 3)


def read_subtrees(
    offsets: cython.const[cython.longlong][::1],
    parents: cython.const[cython.longlong][::1],
    words: cython.const[cython.ulonglong][::1],
    kinds: cython.const[cython.uchar][::1],
    marker: cython.longlong,
    spans: cython.longlong[::1],
    below: cython.ulonglong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Widen the span of each word to all words below it, and look at its children.

    `spans` comes with each word twice. ``below[2 * w]`` becomes the form of the first child of the
    kind `marker`, ``below[2 * w + 1]`` the sum of the labels of all children.
    """
    cython.declare(word=cython.longlong, above=cython.longlong)
    with cython.nogil:
        for word in range(offsets[first], offsets[last]):
            above = parents[word]
            if above >= 0:
                below[2 * above + 1] = (below[2 * above + 1] + words[WORD * word + LABEL]) & MASK64
                if (kinds[word] & marker) != 0 and below[2 * above] == 0:
                    below[2 * above] = words[WORD * word]
            while above >= 0:
                spans[2 * above] = min(spans[2 * above], word)
                spans[2 * above + 1] = max(spans[2 * above + 1], word)
                above = parents[above]


def count_evidence(
    heads: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    members: cython.const[cython.longlong][::1],
    spans: cython.const[cython.longlong][::1],
    pairs: cython.const[cython.longlong][::1],
    low: cython.const[cython.int][::1],
    high: cython.const[cython.int][::1],
    kept: cython.longlong[::1],
    turned: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Count for the pairs of members of families ``first .. last-1`` how the intervals of their
    words go: as in the source, and the other way round.
    """
    cython.declare(family=cython.Py_ssize_t, i=cython.longlong, j=cython.longlong)
    cython.declare(a=cython.longlong, b=cython.longlong, at=cython.longlong, left=cython.longlong)
    cython.declare(right=cython.longlong, a_low=cython.longlong, a_high=cython.longlong)
    cython.declare(b_low=cython.longlong, b_high=cython.longlong)
    with cython.nogil:
        for family in range(first, last):
            at = pairs[family]
            for i in range(starts[family], starts[family + 1]):
                left = members[i]
                a_low = left
                a_high = left
                if left != heads[family]:
                    a_low = spans[2 * left]
                    a_high = spans[2 * left + 1]
                for j in range(i + 1, starts[family + 1]):
                    right = members[j]
                    b_low = right
                    b_high = right
                    if right != heads[family]:
                        b_low = spans[2 * right]
                        b_high = spans[2 * right + 1]
                    for a in range(a_low, a_high + 1):
                        if low[a] < 0:
                            continue
                        for b in range(b_low, b_high + 1):
                            if low[b] < 0 or (low[a] == low[b] and high[a] == high[b]):
                                continue
                            if low[a] <= low[b] and high[a] <= high[b]:
                                kept[at] += 1
                            elif low[b] <= low[a] and high[b] <= high[a]:
                                turned[at] += 1
                    at += 1
