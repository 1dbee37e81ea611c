"""Runs of words that two rows share: the longest first, each word in one run at most."""

import cython


@cython.cclass
class Tiling:
    """Cuts one pair of rows after the other into common runs, in the caller's arrays.

    Of equally long runs the one that begins first in the first row is taken, then the one that
    begins first in the second. All runs of one length are found in one pass: taking one cannot make
    a new one as long.
    """

    one: cython.const[cython.int][::1]
    other: cython.const[cython.int][::1]
    start: cython.longlong
    size: cython.longlong
    other_start: cython.longlong
    other_size: cython.longlong
    # Per number of a word the last place of it in the other row, -1 if none; per place the one
    # before with the same word.
    last: cython.int[::1]
    before: cython.int[::1]
    # In which pass a word was taken, 0 if it is free.
    taken: cython.int[::1]
    other_taken: cython.int[::1]
    # Per place of the other row: the length of the run that ends there, and with which word of the
    # first row it does.
    run: cython.int[::1]
    seen: cython.int[::1]
    # The lengths of the runs, from `other_start` on, the longest first; empty if nobody asks.
    lengths: cython.int[::1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_of_runs(self, power: cython.const[cython.double][::1]) -> cython.double:
        """Return the sum of ``power[length]`` over the runs."""
        cython.declare(i=cython.int, length=cython.int, count=cython.int)
        number: cython.int = 1
        written: cython.longlong = self.other_start
        total: cython.double = 0.0
        for i in range(self.size):
            self.taken[i] = 0
            self.last[self.one[self.start + i]] = -1
        for i in range(self.other_size):
            self.other_taken[i] = 0
            self.last[self.other[self.other_start + i]] = -1
        for i in range(self.other_size):
            self.before[i] = self.last[self.other[self.other_start + i]]
            self.last[self.other[self.other_start + i]] = i
        length = self.sweep(0, 0)
        while length > 0:
            count = self.sweep(length, number)
            total += power[length] * count
            if self.lengths.shape[0] > 0:
                for i in range(count):
                    self.lengths[written + i] = length
                written += count
            number += 1
            # Runs of single words are all taken at once.
            length = self.sweep(0, number) if length > 1 else 0
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sweep(self, length: cython.int, number: cython.int) -> cython.int:
        """Return the length of the longest free run; or take those of a length, and count them."""
        cython.declare(i=cython.int, j=cython.int, here=cython.int)
        longest: cython.int = 0
        count: cython.int = 0
        for j in range(self.other_size):
            self.seen[j] = -1
        for i in range(self.size):
            if not self.free(self.taken[i], number):
                continue
            j = self.last[self.one[self.start + i]]
            # From the last place on: what ends at the place before is still that of word i - 1.
            while j >= 0:
                if self.free(self.other_taken[j], number):
                    here = 1
                    if j > 0 and i > 0 and self.seen[j - 1] == i - 1:
                        here = self.run[j - 1] + 1
                    self.run[j] = here
                    self.seen[j] = i
                    longest = max(longest, here)
                j = self.before[j]
            if length > 0:
                count += self.take(i, length, number)
        return count if length > 0 else longest

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def free(self, taken: cython.int, number: cython.int) -> cython.bint:
        """Return whether a word was free before this pass began."""
        return taken == 0 or taken == number

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take(self, i: cython.int, length: cython.int, number: cython.int) -> cython.int:
        """Take the first run of a length that ends with word `i` and is free; return how many."""
        cython.declare(k=cython.int)
        j: cython.int = self.last[self.one[self.start + i]]
        best: cython.int = -1
        if self.taken[i] > 0 or i + 1 < length or self.taken[i - length + 1] > 0:
            return 0
        while j >= 0:
            if (
                self.seen[j] == i
                and self.run[j] == length
                and self.other_taken[j] == 0
                and self.other_taken[j - length + 1] == 0
            ):
                best = j
            j = self.before[j]
        if best < 0:
            return 0
        for k in range(length):
            self.taken[i - k] = number
            self.other_taken[best - k] = number
        return 1


def sums_of_runs(
    hypothesis: cython.const[cython.int][::1],
    hypothesis_offsets: cython.const[cython.longlong][::1],
    references: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    segment_of: cython.const[cython.longlong][::1],
    power: cython.const[cython.double][::1],
    total: cython.double[::1],
    lengths: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    last_place: cython.int[::1],
    places: cython.int[::1],
) -> None:
    """Write per reference the sum of ``power[length]`` over the runs it shares with its hypothesis.

    Into `lengths`, unless it is empty, the lengths of the runs, where the reference's words are.
    Scratch: `last_place`, an entry for each different word of a segment; `places`, five for each
    word of the longest row.
    """
    cython.declare(row=cython.Py_ssize_t)
    tiling: Tiling = Tiling()
    room: cython.Py_ssize_t = places.shape[0] // 5
    tiling.one = hypothesis
    tiling.other = references
    tiling.lengths = lengths
    tiling.last = last_place
    tiling.before = places[:room]
    tiling.taken = places[room : 2 * room]
    tiling.other_taken = places[2 * room : 3 * room]
    tiling.run = places[3 * room : 4 * room]
    tiling.seen = places[4 * room :]
    with cython.nogil:
        for row in range(first, last):
            tiling.start = hypothesis_offsets[segment_of[row]]
            tiling.size = hypothesis_offsets[segment_of[row] + 1] - tiling.start
            tiling.other_start = offsets[row]
            tiling.other_size = offsets[row + 1] - tiling.other_start
            total[row] = tiling.sum_of_runs(power)
