"""Inversion distance: edits, and exchanges of neighbouring blocks, under a bracketing grammar.

A pair of spans is edited from left to right, in steps of one word or of a pair that is itself an
exchange. Exchanges are tried only where the words of the pair and those around it allow one in a
derivation that beats plain editing.
"""

import cython


@cython.cclass
class Chart:
    """Holds the distances of all pairs of spans of two sentences, in the caller's arrays."""

    n: cython.int
    m: cython.int
    # What an edit and an exchange cost.
    edit: cython.int
    exchange: cython.int
    words: cython.int[::1]
    reference: cython.int[::1]
    row: cython.int[::1]
    # How often each word occurs in the sentences, and in the spans.
    total: cython.int[::1]
    reference_total: cython.int[::1]
    inside: cython.int[::1]
    reference_inside: cython.int[::1]
    # Pairs that are exchanged, chained by where they end: where they start, and the next one.
    heads: cython.int[::1]
    starts: cython.int[::1]
    chain: cython.int[::1]
    used: cython.int
    cells: cython.int[::1]
    # What must be beaten.
    most: cython.int

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def distance(self) -> cython.int:
        """Return the distance of the two sentences."""
        cython.declare(i=cython.int, j=cython.int, common=cython.int, word=cython.int)
        cython.declare(plain=cython.int, least=cython.int, more=cython.int)
        common = 0
        for i in range(self.n + self.m):
            word = self.words[i] if i < self.n else self.reference[i - self.n]
            self.total[word] = 0
            self.reference_total[word] = 0
            self.inside[word] = 0
            self.reference_inside[word] = 0
        for i in range(self.n):
            self.total[self.words[i]] += 1
        for j in range(self.m):
            word = self.reference[j]
            common += 1 if self.reference_total[word] < self.total[word] else 0
            self.reference_total[word] += 1
        plain = self.levenshtein()
        # Words missing or too many cannot be had cheaper, and an exchange comes on top of them.
        least = (max(self.n, self.m) - common) * self.edit
        more = self.edit + self.exchange
        # Little is tried where little may be spent: the allowance grows until it suffices.
        while least + self.exchange < plain:
            self.most = min(plain, least + more)
            for i in range((self.n + 1) * (self.m + 1)):
                self.heads[i] = -1
            self.used = 0
            for i in range(self.n, -1, -1):
                for j in range(self.m, -1, -1):
                    self.fill(i, j, common)
            plain = min(plain, self.cells[self.n * (self.m + 1) + self.m])
            if plain <= self.most:
                break
            more *= 3
        return plain

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def levenshtein(self) -> cython.int:
        """Return the distance without exchanges."""
        cython.declare(i=cython.int, j=cython.int, diagonal=cython.int, above=cython.int)
        for i in range(self.n + 1):
            self.row[i] = i * self.edit
        for j in range(self.m):
            diagonal = self.row[0]
            self.row[0] += self.edit
            for i in range(self.n):
                above = self.row[i + 1]
                diagonal += 0 if self.words[i] == self.reference[j] else self.edit
                self.row[i + 1] = min(diagonal, above + self.edit, self.row[i] + self.edit)
                diagonal = above
        return self.row[self.n]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, start: cython.int, begin: cython.int, common: cython.int) -> cython.void:
        """Compute the distances of all pairs of spans that start at `start` and `begin`."""
        cython.declare(i=cython.int, j=cython.int, word=cython.int, best=cython.int)
        cython.declare(wide=cython.int, plane=cython.longlong, at=cython.longlong)
        cython.declare(within=cython.int, around=cython.int, outer=cython.int, low=cython.int)
        cython.declare(apart=cython.int)
        wide = self.m + 1
        plane = cython.cast(cython.longlong, start * wide + begin) * (self.n + 1) * wide
        outer = common
        for j in range(begin, wide):
            self.cells[plane + start * wide + j] = (j - begin) * self.edit
        for i in range(start + 1, self.n + 1):
            word = self.words[i - 1]
            if self.total[word] - self.inside[word] <= self.reference_total[word]:
                outer -= 1
            self.inside[word] += 1
            at = plane + i * wide
            self.cells[at + begin] = (i - start) * self.edit
            # Common words of the two spans, and of what lies around them.
            within = 0
            around = outer
            for j in range(begin + 1, wide):
                word = self.reference[j - 1]
                if self.reference_inside[word] < self.inside[word]:
                    within += 1
                if (
                    self.reference_total[word] - self.reference_inside[word]
                    <= self.total[word] - self.inside[word]
                ):
                    around -= 1
                self.reference_inside[word] += 1
                best = self.cells[at - wide + j - 1]
                best += 0 if self.words[i - 1] == word else self.edit
                best = min(best, self.cells[at - wide + j] + self.edit)
                best = min(best, self.cells[at + j - 1] + self.edit)
                best = self.joined(plane, start, begin, i * wide + j, best)
                low = (max(i - start, j - begin) - within) * self.edit + self.exchange
                if low < best:
                    apart = max(self.n - i + start, self.m - j + begin) - around
                    if low + apart * self.edit < self.most:
                        best = self.crossed(start, begin, i, j, best)
                self.cells[at + j] = best
            for j in range(begin, self.m):
                self.reference_inside[self.reference[j]] = 0
        for i in range(start, self.n):
            self.inside[self.words[i]] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def joined(
        self,
        plane: cython.longlong,
        start: cython.int,
        begin: cython.int,
        end: cython.int,
        best: cython.int,
    ) -> cython.int:
        """Return the cheapest way to let an exchanged pair come last, or `best`."""
        cython.declare(entry=cython.int, place=cython.int, wide=cython.int, cost=cython.int)
        wide = self.m + 1
        entry = self.heads[end]
        while entry >= 0:
            place = self.starts[entry]
            # What starts later in the candidate may start earlier in the reference.
            if place % wide >= begin:
                cost = self.cells[plane + place]
                cost += self.cells[cython.cast(cython.longlong, place) * (self.n + 1) * wide + end]
                best = min(best, cost)
            entry = self.chain[entry]
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def crossed(
        self,
        start: cython.int,
        begin: cython.int,
        end: cython.int,
        stop: cython.int,
        best: cython.int,
    ) -> cython.int:
        """Return the cheapest exchange that makes up a pair of spans, or `best`."""
        cython.declare(i=cython.int, j=cython.int, wide=cython.longlong, plane=cython.longlong)
        cython.declare(left=cython.longlong, right=cython.longlong, least=cython.int)
        wide = self.m + 1
        plane = (self.n + 1) * wide
        least = best - self.exchange
        for i in range(start + 1, end):
            # The front of the candidate with the back of the reference, and the other way round.
            left = start * wide * plane + i * wide + stop
            right = (i * wide + begin) * plane + end * wide
            for j in range(begin + 1, stop):
                least = min(least, self.cells[left + j * plane] + self.cells[right + j])
        if least + self.exchange < best:
            self.starts[self.used] = cython.cast(cython.int, start * wide + begin)
            self.chain[self.used] = self.heads[end * wide + stop]
            self.heads[end * wide + stop] = self.used
            self.used += 1
        return least + self.exchange


def inversion_distances(
    hypotheses: cython.const[cython.int][::1],
    hypothesis_offsets: cython.const[cython.longlong][::1],
    references: cython.const[cython.int][::1],
    row_offsets: cython.const[cython.longlong][::1],
    reference_offsets: cython.const[cython.longlong][::1],
    edit: cython.int,
    exchange: cython.int,
    most_words: cython.int,
    distances: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    numbers: cython.int[::1],
    heads: cython.int[::1],
    cells: cython.int[::1],
    chain: cython.int[::1],
) -> None:
    """Write the distance between each segment's hypothesis and its references.

    It is -1 where one of the two has more than `most_words` words. The words of a segment are
    numbered from 0. Scratch for segments of up to `longest` words: `numbers`, 7 * (longest + 2);
    `heads`, the most pairs of places in the two sentences; `cells`, the square of that; `chain`,
    half of the square.
    """
    cython.declare(chart=Chart, room=cython.Py_ssize_t, segment=cython.Py_ssize_t)
    cython.declare(row=cython.longlong, i=cython.longlong, begin=cython.longlong)
    chart = Chart()
    room = numbers.shape[0] // 7
    chart.words = numbers[0:room]
    chart.reference = numbers[room : 2 * room]
    chart.row = numbers[2 * room : 3 * room]
    chart.total = numbers[3 * room : 4 * room]
    chart.reference_total = numbers[4 * room : 5 * room]
    chart.inside = numbers[5 * room : 6 * room]
    chart.reference_inside = numbers[6 * room : 7 * room]
    room = chain.shape[0] // 2
    chart.starts = chain[0:room]
    chart.chain = chain[room : 2 * room]
    chart.heads = heads
    chart.cells = cells
    chart.edit = edit
    chart.exchange = exchange
    with cython.nogil:
        for segment in range(first, last):
            begin = hypothesis_offsets[segment]
            chart.n = cython.cast(cython.int, hypothesis_offsets[segment + 1] - begin)
            for row in range(reference_offsets[segment], reference_offsets[segment + 1]):
                chart.m = cython.cast(cython.int, row_offsets[row + 1] - row_offsets[row])
                if chart.n > most_words or chart.m > most_words:
                    distances[row] = -1
                    continue
                for i in range(chart.n):
                    chart.words[i] = hypotheses[begin + i]
                for i in range(chart.m):
                    chart.reference[i] = references[row_offsets[row] + i]
                distances[row] = chart.distance()
