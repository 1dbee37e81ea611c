"""The cheapest way to give each row of a matrix a column of its own."""

import cython

INFINITY = cython.declare(cython.longlong, (1 << 63) - 1)


@cython.cclass
class Matching:
    """Solves one matrix after the other in the caller's arrays.

    The Hungarian algorithm with shortest augmenting paths (Jonker and Volgenant 1987). A cost
    less the prices of its row and its column is never below 0, and is 0 where they are matched.
    """

    cost: cython.const[cython.longlong][::1]
    row_price: cython.longlong[::1]
    column_price: cython.longlong[::1]
    # Per column: the cheapest way there, and the column before on that way.
    reach: cython.longlong[::1]
    before: cython.int[::1]
    visited: cython.int[::1]
    # Per column its row, -1 if free; one column more for the row that looks for one.
    row_of: cython.int[::1]
    waiting: cython.int[::1]
    start: cython.longlong
    rows: cython.int
    columns: cython.int

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def at(self, row: cython.int, column: cython.int) -> cython.longlong:
        """Return a cost."""
        return self.cost[self.start + cython.cast(cython.longlong, row) * self.columns + column]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def solve(self) -> cython.longlong:
        """Return the cost of the cheapest matching; there are no more rows than columns."""
        cython.declare(row=cython.int, column=cython.int)
        waiting: cython.int = 0
        total: cython.longlong = 0
        for column in range(self.columns + 1):
            self.column_price[column] = 0
            self.row_of[column] = -1
        # While all prices are 0, rows may be matched where the cost is 0.
        for row in range(self.rows):
            self.row_price[row] = 0
            column = self.free_of_charge(row)
            if column >= 0:
                self.row_of[column] = row
            else:
                self.waiting[waiting] = row
                waiting += 1
        for row in range(waiting):
            self.match(self.waiting[row])
        for column in range(self.columns):
            if self.row_of[column] >= 0:
                total += self.at(self.row_of[column], column)
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def free_of_charge(self, row: cython.int) -> cython.int:
        """Return the first free column that costs a row nothing, -1 if there is none."""
        cython.declare(column=cython.int)
        for column in range(self.columns):
            if self.row_of[column] < 0 and self.at(row, column) == 0:
                return column
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def match(self, row: cython.int) -> cython.void:
        """Match one row more, by moving others along the cheapest path to a free column."""
        cython.declare(column=cython.int, left=cython.longlong, least=cython.longlong)
        here: cython.int = self.columns
        nearest: cython.int = here
        for column in range(self.columns + 1):
            self.reach[column] = INFINITY
            self.visited[column] = 0
        self.row_of[here] = row
        while self.row_of[here] >= 0:
            self.visited[here] = 1
            row = self.row_of[here]
            least = INFINITY
            for column in range(self.columns):
                if self.visited[column]:
                    continue
                left = self.at(row, column) - self.row_price[row] - self.column_price[column]
                if left < self.reach[column]:
                    self.reach[column] = left
                    self.before[column] = here
                if self.reach[column] < least:
                    least = self.reach[column]
                    nearest = column
            for column in range(self.columns + 1):
                if self.visited[column]:
                    self.row_price[self.row_of[column]] += least
                    self.column_price[column] -= least
                else:
                    self.reach[column] -= least
            here = nearest
        while here != self.columns:
            nearest = self.before[here]
            self.row_of[here] = self.row_of[nearest]
            here = nearest


def cheapest_matchings(
    cost: cython.const[cython.longlong][::1],
    cost_offsets: cython.const[cython.longlong][::1],
    rows: cython.const[cython.longlong][::1],
    columns: cython.const[cython.longlong][::1],
    total: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    numbers: cython.int[::1],
    prices: cython.longlong[::1],
) -> None:
    """Write the cost of the cheapest matching of all rows of each matrix; no cost is negative.

    Matrix `k` begins at ``cost_offsets[k] - cost_offsets[first]``, row by row; it has no more rows
    than columns.

    Scratch: `numbers`, 4 * the most columns and one; `prices`, 3 * as many.
    """
    cython.declare(k=cython.Py_ssize_t)
    matching: Matching = Matching()
    room: cython.Py_ssize_t = numbers.shape[0] // 4
    matching.cost = cost
    matching.before = numbers[0:room]
    matching.visited = numbers[room : 2 * room]
    matching.row_of = numbers[2 * room : 3 * room]
    matching.waiting = numbers[3 * room : 4 * room]
    matching.row_price = prices[0:room]
    matching.column_price = prices[room : 2 * room]
    matching.reach = prices[2 * room : 3 * room]
    with cython.nogil:
        for k in range(first, last):
            matching.start = cost_offsets[k] - cost_offsets[first]
            matching.rows = cython.cast(cython.int, rows[k])
            matching.columns = cython.cast(cython.int, columns[k])
            total[k] = matching.solve()
