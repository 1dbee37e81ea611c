"""The look-up of all phrases of a sentence in a sorted table of phrases."""

import cython


def find_options(
    words: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    phrase_offsets: cython.const[cython.longlong][::1],
    phrase_words: cython.const[cython.int][::1],
    first_phrases: cython.const[cython.longlong][::1],
    entry_offsets: cython.const[cython.longlong][::1],
    longest: cython.longlong,
    first_entry: cython.longlong[::1],
    last_entry: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Find the entries of each span of the sentences `first` to `last`.

    The phrases are sorted, a phrase before its continuations, and those that begin with word `w`
    are ``first_phrases[w] .. first_phrases[w + 1] - 1``. Word `i` and the ``k - 1`` words behind
    it have the entries ``first_entry[i * longest + k - 1] .. last_entry[...] - 1``; the caller has
    filled both with zeros.
    """
    cython.declare(row=cython.Py_ssize_t, start=cython.longlong, depth=cython.longlong)
    cython.declare(word=cython.int, low=cython.longlong, high=cython.longlong, left=cython.longlong)
    cython.declare(right=cython.longlong, middle=cython.longlong)
    known: cython.longlong = first_phrases.shape[0] - 1
    with cython.nogil:
        for row in range(first, last):
            for start in range(offsets[row], offsets[row + 1]):
                word = words[start]
                if word < 0 or word >= known:
                    continue
                low = first_phrases[word]
                high = first_phrases[word + 1]
                # Of the phrases low .. high - 1 all begin with the `depth` words from `start` on.
                for depth in range(1, longest + 1):
                    if depth > 1:
                        if start + depth > offsets[row + 1]:
                            break
                        word = words[start + depth - 1]
                        left = low
                        right = high
                        while left < right:
                            middle = (left + right) // 2
                            if phrase_words[phrase_offsets[middle] + depth - 1] < word:
                                left = middle + 1
                            else:
                                right = middle
                        low = left
                        right = high
                        while left < right:
                            middle = (left + right) // 2
                            if phrase_words[phrase_offsets[middle] + depth - 1] <= word:
                                left = middle + 1
                            else:
                                right = middle
                        high = left
                    if low == high:
                        break
                    if phrase_offsets[low + 1] - phrase_offsets[low] == depth:
                        first_entry[start * longest + depth - 1] = entry_offsets[low]
                        last_entry[start * longest + depth - 1] = entry_offsets[low + 1]
                        # Its continuations come behind it.
                        low += 1
                        if low == high:
                            break
