"""Which reference word each hypothesis word matches, told by its context, as RIBES does it."""

import cython


@cython.cclass
class Contexts:
    """Finds for each word of a hypothesis the shortest context that tells where it belongs.

    The words of a segment are numbered from 0. `find` looks to the left; for the right both
    sentences are read backwards.
    """

    hypothesis: cython.int[::1]
    reference: cython.int[::1]
    # The last place of a word so far, and the place before each place with the same word.
    last: cython.int[::1]
    earlier: cython.int[::1]
    reference_earlier: cython.int[::1]
    # How long a common context ends at the present word and each place.
    common: cython.int[::1]
    reference_common: cython.int[::1]
    # Of each hypothesis word: the longest common context with another place of the hypothesis,
    # the two longest with places of the reference, and where the longest ends.
    again: cython.int[::1]
    longest: cython.int[::1]
    second: cython.int[::1]
    where: cython.int[::1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find(self, n: cython.int, m: cython.int, distinct: cython.int) -> cython.void:
        """Fill `again`, `longest`, `second` and `where` for `n` words against `m`.

        A context of `k` words occurs once on both sides if and only if `again` and `second` are
        below `k` and `longest` is not. Common contexts grow from the place before both ends, so
        places are taken from the last to the first: the one before still holds the length of the
        word before.
        """
        cython.declare(i=cython.int, place=cython.int, word=cython.int, length=cython.int)
        for word in range(distinct):
            self.last[word] = -1
        for place in range(m):
            word = self.reference[place]
            self.reference_earlier[place] = self.last[word]
            self.last[word] = place
        for i in range(n):
            word = self.hypothesis[i]
            self.longest[i] = 0
            self.second[i] = 0
            self.where[i] = -1
            place = self.last[word]
            while place >= 0:
                length = 1
                if i > 0 and place > 0 and self.hypothesis[i - 1] == self.reference[place - 1]:
                    length += self.reference_common[place - 1]
                self.reference_common[place] = length
                if length > self.longest[i]:
                    self.second[i] = self.longest[i]
                    self.longest[i] = length
                    self.where[i] = place
                elif length > self.second[i]:
                    self.second[i] = length
                place = self.reference_earlier[place]
        for word in range(distinct):
            self.last[word] = -1
        for i in range(n):
            word = self.hypothesis[i]
            self.again[i] = 0
            self.earlier[i] = self.last[word]
            self.last[word] = i
            place = self.earlier[i]
            while place >= 0:
                length = 1
                if place > 0 and self.hypothesis[i - 1] == self.hypothesis[place - 1]:
                    length += self.common[place - 1]
                self.common[place] = length
                if length > self.again[i]:
                    self.again[i] = length
                if length > self.again[place]:
                    self.again[place] = length
                place = self.earlier[place]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def needed(self, i: cython.int) -> cython.int:
        """Return the words of the shortest context that tells where word `i` belongs, 0 if none."""
        length: cython.int = self.again[i]
        if length < self.second[i]:
            length = self.second[i]
        return length + 1 if length < self.longest[i] else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def reverse(self, n: cython.int, m: cython.int) -> cython.void:
        """Turn both sentences round."""
        cython.declare(i=cython.int, word=cython.int)
        for i in range(n // 2):
            word = self.hypothesis[i]
            self.hypothesis[i] = self.hypothesis[n - 1 - i]
            self.hypothesis[n - 1 - i] = word
        for i in range(m // 2):
            word = self.reference[i]
            self.reference[i] = self.reference[m - 1 - i]
            self.reference[m - 1 - i] = word


def worder(
    hypothesis: cython.const[cython.int][::1],
    hypothesis_offsets: cython.const[cython.longlong][::1],
    references: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    segment_of: cython.const[cython.longlong][::1],
    distinct: cython.const[cython.int][::1],
    right_first: cython.int,
    starts: cython.const[cython.longlong][::1],
    ranks: cython.int[::1],
    matched: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    numbers: cython.int[::1],
) -> None:
    """Write per reference the places of the hypothesis words in it, from ``ranks[starts[row]]``.

    ``matched[row]`` is their number: a word whose place no context tells is left out. With
    `right_first`, the right context wins over a left one of the same length, and a left context of
    the whole beginning is not tried for words in the second half. Scratch: 13 arrays as long as
    the longest sentence, or as the different words of a segment if those are more.
    """
    cython.declare(row=cython.Py_ssize_t, start=cython.longlong, base=cython.longlong, n=cython.int)
    cython.declare(m=cython.int, i=cython.int, left=cython.int, right=cython.int, found=cython.int)
    cython.declare(widest=cython.int)
    contexts: Contexts = Contexts()
    room: cython.Py_ssize_t = numbers.shape[0] // 13
    contexts.hypothesis = numbers[0:room]
    contexts.reference = numbers[room : 2 * room]
    contexts.last = numbers[2 * room : 3 * room]
    contexts.earlier = numbers[3 * room : 4 * room]
    contexts.reference_earlier = numbers[4 * room : 5 * room]
    contexts.common = numbers[5 * room : 6 * room]
    contexts.reference_common = numbers[6 * room : 7 * room]
    contexts.again = numbers[7 * room : 8 * room]
    contexts.longest = numbers[8 * room : 9 * room]
    contexts.second = numbers[9 * room : 10 * room]
    contexts.where = numbers[10 * room : 11 * room]
    left_length: cython.int[::1] = numbers[11 * room : 12 * room]
    left_where: cython.int[::1] = numbers[12 * room : 13 * room]
    with cython.nogil:
        for row in range(first, last):
            start = hypothesis_offsets[segment_of[row]]
            n = cython.cast(cython.int, hypothesis_offsets[segment_of[row] + 1] - start)
            for i in range(n):
                contexts.hypothesis[i] = hypothesis[start + i]
            start = offsets[row]
            m = cython.cast(cython.int, offsets[row + 1] - start)
            for i in range(m):
                contexts.reference[i] = references[start + i]
            contexts.find(n, m, distinct[segment_of[row]])
            for i in range(n):
                left_length[i] = contexts.needed(i)
                left_where[i] = contexts.where[i]
                if right_first and left_length[i] > 1:
                    widest = n - i + 1
                    if widest < i:
                        widest = i
                    if left_length[i] > widest:
                        left_length[i] = 0
            contexts.reverse(n, m)
            contexts.find(n, m, distinct[segment_of[row]])
            base = starts[row]
            found = 0
            for i in range(n):
                left = left_length[i]
                right = contexts.needed(n - 1 - i)
                if left and (not right or left < right or (left == right and not right_first)):
                    ranks[base + found] = left_where[i]
                    found += 1
                elif right:
                    ranks[base + found] = m - 1 - contexts.where[n - 1 - i]
                    found += 1
            matched[row] = found


def ascending_pairs(
    ranks: cython.const[cython.int][::1],
    starts: cython.const[cython.longlong][::1],
    matched: cython.const[cython.longlong][::1],
    lengths: cython.const[cython.longlong][::1],
    pairs: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    tree: cython.int[::1],
) -> None:
    """Count per row the pairs of which the later is larger, of ranks below ``lengths[row]``.

    Scratch: an array one longer than the largest of `lengths`.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, node=cython.longlong)
    cython.declare(count=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            for i in range(lengths[row] + 1):
                tree[i] = 0
            count = 0
            for i in range(starts[row], starts[row] + matched[row]):
                # A Fenwick tree: node k counts the ranks from k - (k & -k) to k - 1.
                node = ranks[i]
                while node > 0:
                    count += tree[node]
                    node &= node - 1
                node = ranks[i] + 1
                while node <= lengths[row]:
                    tree[node] += 1
                    node += node & -node
            pairs[row] = count


def rank_moments(
    ranks: cython.const[cython.int][::1],
    starts: cython.const[cython.longlong][::1],
    matched: cython.const[cython.longlong][::1],
    lengths: cython.const[cython.longlong][::1],
    covariance: cython.longlong[::1],
    spread: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    middle: cython.int[::1],
) -> None:
    """Sum per row what Spearman's correlation of ranks and places is made of.

    Both are counted from the middle and doubled, equal ranks being averaged: `covariance` is the
    sum of their products, `spread` the sum of the squares of the ranks. Scratch: an array one
    longer than the largest of `lengths`.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, n=cython.longlong)
    cython.declare(below=cython.longlong, equal=cython.longlong, away=cython.longlong)
    cython.declare(products=cython.longlong, squares=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            n = matched[row]
            for i in range(lengths[row]):
                middle[i] = 0
            for i in range(starts[row], starts[row] + n):
                middle[ranks[i]] += 1
            below = 0
            for i in range(lengths[row]):
                equal = middle[i]
                middle[i] = cython.cast(cython.int, 2 * below + equal - n)
                below += equal
            products = 0
            squares = 0
            for i in range(n):
                away = middle[ranks[starts[row] + i]]
                products += away * (2 * i + 1 - n)
                squares += away * away
            covariance[row] = products
            spread[row] = squares
