"""The arc-eager derivation of a projective tree.

Words wait in the buffer and go to a stack; N0 is the first word of the buffer and S0 the top of the
stack. SHIFT moves N0 to the stack; LEFT-ARC gives S0 the head N0 and removes it; RIGHT-ARC gives N0
the head S0 and moves it to the stack; REDUCE removes S0, which has a head; POP-ROOT ends by
removing the word that has none. Each word comes once and goes once: `n` words, ``2 * n`` actions.
As REDUCE never comes directly before SHIFT, a tree has one derivation.
"""

import cython

SHIFT = cython.declare(cython.int, 0)
REDUCE = cython.declare(cython.int, 1)
POP_ROOT = cython.declare(cython.int, 2)
# From here on first all left arcs by label, then all right arcs.
ARCS = cython.declare(cython.int, 3)


def derivations(
    heads: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    label_count: cython.int,
    actions: cython.int[::1],
    derived: cython.uchar[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    stack: cython.int[::1],
    farthest: cython.int[::1],
) -> None:
    """Write the actions of each tree from ``2 * offsets[row]`` on; `derived` says if there are any.

    There are none for a tree that is not projective or has not exactly one root, or for heads that
    are no word of the sentence. Heads are counted from 1, 0 is the root. Scratch: two arrays of the
    longest row.
    """
    row: cython.Py_ssize_t
    start: cython.longlong
    place: cython.longlong
    n: cython.longlong
    i: cython.longlong
    depth: cython.longlong
    coming: cython.longlong
    top: cython.longlong
    head: cython.longlong
    reduced: cython.bint
    with cython.nogil:
        for row in range(first, last):
            start = offsets[row]
            n = offsets[row + 1] - start
            # The first word that each word is linked with, itself if none comes before it.
            for i in range(n):
                farthest[i] = cython.cast(cython.int, i)
            for i in range(n):
                head = heads[start + i] - 1
                if i < head < n and farthest[head] > i:
                    farthest[head] = cython.cast(cython.int, i)
                elif 0 <= head and head < farthest[i]:
                    farthest[i] = cython.cast(cython.int, head)
            place = 2 * start
            coming = 0
            depth = 0
            reduced = False
            while coming < n or depth > 0:
                top = stack[depth - 1] if depth > 0 else -1
                head = heads[start + top] - 1 if depth > 0 else -1
                if depth > 0 and coming < n and head == coming:
                    actions[place] = ARCS + labels[start + top]
                    depth -= 1
                    reduced = False
                elif depth > 0 and coming < n and heads[start + coming] - 1 == top:
                    actions[place] = ARCS + label_count + labels[start + coming]
                    stack[depth] = cython.cast(cython.int, coming)
                    depth += 1
                    coming += 1
                    reduced = False
                elif depth > 0 and (coming == n or farthest[coming] < top):
                    if depth > 1 and head == stack[depth - 2]:
                        actions[place] = REDUCE
                    elif depth == 1 and coming == n and head == -1:
                        actions[place] = POP_ROOT
                    else:
                        break
                    depth -= 1
                    reduced = True
                elif coming < n and not reduced:
                    actions[place] = SHIFT
                    stack[depth] = cython.cast(cython.int, coming)
                    depth += 1
                    coming += 1
                else:
                    break
                place += 1
            derived[row] = 1 if place == 2 * (start + n) else 0


def best_paths(
    back_item: cython.const[cython.int][::1],
    back_action: cython.const[cython.int][::1],
    width: cython.longlong,
    lanes: cython.longlong,
    steps: cython.const[cython.longlong][::1],
    counts: cython.const[cython.int][::1],
    begins: cython.const[cython.longlong][::1],
    paths: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the actions that led to the best items of lanes ``first .. last-1``, best first.

    A lane has taken ``steps[lane]`` steps; `counts` says how many of its items are asked for, and
    `begins` from where in `paths` on their actions are to stand, behind each other.
    """
    lane: cython.Py_ssize_t
    i: cython.longlong
    item: cython.longlong
    step: cython.longlong
    back: cython.longlong
    with cython.nogil:
        for lane in range(first, last):
            for i in range(counts[lane]):
                item = i
                for step in range(steps[lane] - 1, -1, -1):
                    back = (step * lanes + lane) * width + item
                    paths[begins[lane] + i * steps[lane] + step] = back_action[back]
                    item = back_item[back]


def trees(
    actions: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    label_count: cython.int,
    heads: cython.int[::1],
    labels: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    stack: cython.int[::1],
) -> None:
    """Write the tree of each derivation, which stands from ``2 * offsets[row]`` on.

    The label of the root is `label_count`. Scratch: an array of the longest row.
    """
    row: cython.Py_ssize_t
    start: cython.longlong
    place: cython.longlong
    depth: cython.longlong
    coming: cython.int
    action: cython.int
    with cython.nogil:
        for row in range(first, last):
            start = offsets[row]
            depth = 0
            coming = 0
            for place in range(2 * start, 2 * offsets[row + 1]):
                action = actions[place]
                if action == SHIFT or action >= ARCS + label_count:
                    if action != SHIFT:
                        heads[start + coming] = stack[depth - 1] + 1
                        labels[start + coming] = action - ARCS - label_count
                    stack[depth] = coming
                    depth += 1
                    coming += 1
                    continue
                depth -= 1
                if action == POP_ROOT:
                    heads[start + stack[depth]] = 0
                    labels[start + stack[depth]] = label_count
                elif action != REDUCE:
                    heads[start + stack[depth]] = coming + 1
                    labels[start + stack[depth]] = action - ARCS
