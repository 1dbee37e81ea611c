"""The best paths through the lattice of a sentence's tags."""

import cython


@cython.cclass
class Paths:
    """A lattice, and the paths of one sentence that were found so far.

    The positions of a sentence are its words and an end. A node's arcs come from nodes of the
    position before, those of the first position from -1.
    """

    position_nodes: cython.const[cython.longlong][::1]
    node_arcs: cython.const[cython.longlong][::1]
    arc_from: cython.longlong[::1]
    arc_score: cython.longlong[::1]
    node_best: cython.longlong[::1]
    chosen: cython.longlong[::1]
    parent: cython.longlong[::1]
    level: cython.longlong[::1]
    arc: cython.longlong[::1]
    score: cython.longlong[::1]
    waiting: cython.longlong

    def __init__(
        self,
        position_nodes: cython.const[cython.longlong][::1],
        node_arcs: cython.const[cython.longlong][::1],
        arc_from: cython.longlong[::1],
        arc_score: cython.longlong[::1],
        node_best: cython.longlong[::1],
        chosen: cython.longlong[::1],
        parent: cython.longlong[::1],
        level: cython.longlong[::1],
        arc: cython.longlong[::1],
        score: cython.longlong[::1],
    ):
        self.position_nodes = position_nodes
        self.node_arcs = node_arcs
        self.arc_from = arc_from
        self.arc_score = arc_score
        self.node_best = node_best
        self.chosen = chosen
        self.parent = parent
        self.level = level
        self.arc = arc
        self.score = score
        self.waiting = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def through(self, arc: cython.longlong) -> cython.longlong:
        """Return the score of the best path that ends with an arc."""
        origin: cython.longlong = self.arc_from[arc]
        if origin < 0:
            return self.arc_score[arc]
        return self.node_best[origin] + self.arc_score[arc]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort(self, node: cython.longlong) -> cython.void:
        """Put the arcs of a node in order, best first; equal ones stay as they are."""
        cython.declare(i=cython.longlong, j=cython.longlong, origin=cython.longlong)
        cython.declare(score=cython.longlong, value=cython.longlong)
        first: cython.longlong = self.node_arcs[node]
        for i in range(first + 1, self.node_arcs[node + 1]):
            value = self.through(i)
            origin = self.arc_from[i]
            score = self.arc_score[i]
            j = i
            while j > first and self.through(j - 1) < value:
                self.arc_from[j] = self.arc_from[j - 1]
                self.arc_score[j] = self.arc_score[j - 1]
                j -= 1
            self.arc_from[j] = origin
            self.arc_score[j] = score
        self.node_best[node] = self.through(first)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def wait(
        self,
        room: cython.longlong,
        score: cython.longlong,
        parent: cython.longlong,
        level: cython.longlong,
        arc: cython.longlong,
    ) -> cython.void:
        """Enter a path to come, the best last; only the best `room` are of use."""
        cython.declare(j=cython.longlong)
        if self.waiting == room:
            if room == 0 or self.score[0] >= score:
                return
            for j in range(room - 1):
                self.move(j + 1, j)
            self.waiting -= 1
        j = self.waiting
        while j > 0 and self.score[j - 1] >= score:
            self.move(j - 1, j)
            j -= 1
        self.score[j] = score
        self.parent[j] = parent
        self.level[j] = level
        self.arc[j] = arc
        self.waiting += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def move(self, source: cython.longlong, target: cython.longlong) -> cython.void:
        """Copy an entry of the paths to come."""
        self.score[target] = self.score[source]
        self.parent[target] = self.parent[source]
        self.level[target] = self.level[source]
        self.arc[target] = self.arc[source]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def branch(
        self,
        found: cython.longlong,
        level: cython.longlong,
        length: cython.longlong,
        score: cython.longlong,
        room: cython.longlong,
        position: cython.longlong,
    ) -> cython.void:
        """Enter the paths that leave a path that was found at one of its arcs up to `level`.

        Later arcs than that one stay; at `level` itself it may only get worse, since the better
        arcs were taken by the paths before. So each path is entered once.
        """
        cython.declare(i=cython.longlong, arc=cython.longlong, node=cython.longlong)
        for i in range(level, -1, -1):
            arc = self.chosen[found * (length + 1) + i]
            node = self.node_of(found, i, length, position)
            if arc + 1 < self.node_arcs[node + 1]:
                self.wait(
                    room, score - self.through(arc) + self.through(arc + 1), found, i, arc + 1
                )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def node_of(
        self,
        found: cython.longlong,
        level: cython.longlong,
        length: cython.longlong,
        position: cython.longlong,
    ) -> cython.longlong:
        """Return the node of a path at a level."""
        if level == length:
            return self.position_nodes[position + length]
        return self.arc_from[self.chosen[found * (length + 1) + level + 1]]


def best_paths(
    position_nodes: cython.const[cython.longlong][::1],
    node_tag: cython.const[cython.int][::1],
    node_arcs: cython.const[cython.longlong][::1],
    arc_from: cython.longlong[::1],
    arc_score: cython.longlong[::1],
    offsets: cython.const[cython.longlong][::1],
    k: cython.longlong,
    node_best: cython.longlong[::1],
    chosen: cython.longlong[::1],
    waiting: cython.longlong[::1],
    tags: cython.int[::1],
    scores: cython.longlong[::1],
    counts: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Find up to `k` paths of each sentence ``first .. last-1``, best first.

    The lattice is that of these sentences; the nodes of its position ``p`` are
    ``position_nodes[p] .. position_nodes[p+1]-1``, their arcs ``node_arcs[n] ..
    node_arcs[n+1]-1``. The tags of path ``j`` of a sentence follow each other from
    ``k * (offsets[row] - offsets[first]) + j * length`` on, its score at ``k * (row - first) +
    j``. Arcs are sorted in place.

    The second best of all paths leaves the best at one arc and is the best of those that do; and
    so on (Lawler's partition): no path comes twice, none is missed.
    """
    cython.declare(row=cython.Py_ssize_t, length=cython.longlong, node=cython.longlong)
    cython.declare(arc=cython.longlong, found=cython.longlong, parent=cython.longlong)
    cython.declare(level=cython.longlong, score=cython.longlong, base=cython.longlong)
    cython.declare(i=cython.longlong)
    paths: Paths = Paths(
        position_nodes, node_arcs, arc_from, arc_score, node_best, chosen,
        waiting[:k], waiting[k : 2 * k], waiting[2 * k : 3 * k], waiting[3 * k :],
    )  # fmt: skip
    position: cython.longlong = 0
    with cython.nogil:
        for row in range(first, last):
            length = offsets[row + 1] - offsets[row]
            for node in range(position_nodes[position], position_nodes[position + length + 1]):
                paths.sort(node)
            node = position_nodes[position + length]
            paths.waiting = 0
            paths.wait(k, node_best[node], -1, length, node_arcs[node])
            found = 0
            while found < k and paths.waiting > 0:
                paths.waiting -= 1
                i = paths.waiting
                parent = paths.parent[i]
                level = paths.level[i]
                arc = paths.arc[i]
                score = paths.score[i]
                base = found * (length + 1)
                for i in range(level + 1, length + 1):
                    chosen[base + i] = chosen[parent * (length + 1) + i]
                for i in range(level, -1, -1):
                    chosen[base + i] = arc
                    if i > 0:
                        arc = node_arcs[arc_from[arc]]
                base = k * (offsets[row] - offsets[first]) + found * length
                for i in range(length):
                    tags[base + i] = node_tag[paths.node_of(found, i, length, position)]
                scores[k * (row - first) + found] = score
                paths.branch(found, level, length, score, k - found - 1, position)
                found += 1
            counts[row] = found
            position += length + 1
