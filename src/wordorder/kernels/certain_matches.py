"""Matches of two sentences that no other match disputes: those that the beam need not look for.

Words match if they are of one class: equal ("exact") or of one stem. Whatever else may match,
phrases too, comes as a list of candidates. A match is certain if all words that it covers, in both
sentences, are covered once.
"""

import cython

NONE = cython.declare(cython.int, -1)
EXACT = cython.declare(cython.int, -2)
STEM = cython.declare(cython.int, -3)


def certain_matches(
    hypothesis: cython.const[cython.int][::1],
    hypothesis_offsets: cython.const[cython.longlong][::1],
    references: cython.const[cython.int][::1],
    row_offsets: cython.const[cython.longlong][::1],
    segment_of: cython.const[cython.longlong][::1],
    classes: cython.const[cython.int][::1],
    candidates: cython.const[cython.int][::1],
    candidate_offsets: cython.const[cython.longlong][::1],
    place: cython.int[::1],
    which: cython.int[::1],
    state: cython.uchar[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    table: cython.int[::1],
    covers: cython.int[::1],
) -> None:
    """Settle what is certain between each reference row and the hypothesis of its segment.

    `classes` gives each word the number of the first word of its class. `candidates` are the rows
    reference start, length, hypothesis start, length of an array of four rows; those of one
    reference row are sorted by start.

    For each reference word `which` tells what begins there: -1 nothing that is certain, -2 an exact
    match, -3 a stem match, else the number of a candidate among those of the row; `place` is where
    it begins in the hypothesis. ``state[row]`` is 0 if all is settled, 1 if the rest needs a
    search, 3 if it does and the sentences are equal: then only exact matches count.

    Scratch: `table` three times as long as `classes`, all 0; `covers` twice as long as the
    longest row.
    """
    cython.declare(row=cython.Py_ssize_t, left=cython.longlong, right=cython.longlong)
    cython.declare(n=cython.longlong, m=cython.longlong, i=cython.longlong, j=cython.longlong)
    cython.declare(c=cython.longlong, begin=cython.longlong, stop=cython.longlong)
    cython.declare(label=cython.longlong, word=cython.int, identical=cython.bint)
    cython.declare(certain=cython.bint, unsettled=cython.bint)
    kinds: cython.Py_ssize_t = table.shape[0] // 3
    room: cython.Py_ssize_t = covers.shape[0] // 2
    listed: cython.Py_ssize_t = candidates.shape[0] // 4
    with cython.nogil:
        for row in range(first, last):
            left = hypothesis_offsets[segment_of[row]]
            n = hypothesis_offsets[segment_of[row] + 1] - left
            right = row_offsets[row]
            m = row_offsets[row + 1] - right
            identical = n == m
            i = 0
            while identical and i < n:
                identical = hypothesis[left + i] == references[right + i]
                i += 1
            c = candidate_offsets[row]
            stop = c if identical else candidate_offsets[row + 1]
            # By class: how many words on either side, and the last one of the hypothesis.
            for i in range(n):
                word = hypothesis[left + i]
                label = word if identical else classes[word]
                table[label] += 1
                table[2 * kinds + label] = cython.cast(cython.int, i)
                covers[i] = 0
            for j in range(m):
                word = references[right + j]
                label = word if identical else classes[word]
                table[kinds + label] += 1
                covers[room + j] = 0
            for c in range(candidate_offsets[row], stop):
                for j in range(candidates[c], candidates[c] + candidates[listed + c]):
                    covers[room + j] += 1
                begin = candidates[2 * listed + c]
                for i in range(begin, begin + candidates[3 * listed + c]):
                    covers[i] += 1
            unsettled = stop > candidate_offsets[row]
            for j in range(m):
                word = references[right + j]
                label = word if identical else classes[word]
                which[right + j] = NONE
                if table[label] == 1 and table[kinds + label] == 1:
                    i = table[2 * kinds + label]
                    if covers[room + j] == 0 and covers[i] == 0:
                        place[right + j] = cython.cast(cython.int, i)
                        which[right + j] = EXACT if hypothesis[left + i] == word else STEM
                        continue
                if table[label] > 0:
                    unsettled = True
            for c in range(candidate_offsets[row], stop):
                certain = True
                for j in range(candidates[c], candidates[c] + candidates[listed + c]):
                    word = references[right + j]
                    if covers[room + j] != 1 or table[classes[word]] != 0:
                        certain = False
                begin = candidates[2 * listed + c]
                for i in range(begin, begin + candidates[3 * listed + c]):
                    word = hypothesis[left + i]
                    if covers[i] != 1 or table[kinds + classes[word]] != 0:
                        certain = False
                if certain:
                    place[right + candidates[c]] = candidates[2 * listed + c]
                    which[right + candidates[c]] = cython.cast(
                        cython.int, c - candidate_offsets[row]
                    )
            state[row] = (3 if identical else 1) if unsettled else 0
            for i in range(n):
                word = hypothesis[left + i]
                table[word if identical else classes[word]] = 0
            for j in range(m):
                word = references[right + j]
                table[kinds + (word if identical else classes[word])] = 0
