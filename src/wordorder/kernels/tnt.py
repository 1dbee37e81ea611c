"""A trigram hidden Markov model over tags: the lattice of tag pairs, within a beam."""

from array import array

import cython

# Below all scores.
NEVER = cython.declare(cython.longlong, -(1 << 62))


@cython.cclass
class Transitions:
    """Scores of a tag after two others: those of trigrams that were seen, else of bigrams."""

    tags: cython.longlong
    context: cython.const[cython.int][::1]
    context_start: cython.const[cython.longlong][::1]
    trigram_tag: cython.const[cython.int][::1]
    trigram_score: cython.const[cython.int][::1]
    bigram_score: cython.const[cython.int][::1]

    def __init__(
        self,
        tags: cython.longlong,
        context: cython.const[cython.int][::1],
        context_start: cython.const[cython.longlong][::1],
        trigram_tag: cython.const[cython.int][::1],
        trigram_score: cython.const[cython.int][::1],
        bigram_score: cython.const[cython.int][::1],
    ):
        self.tags = tags
        self.context = context
        self.context_start = context_start
        self.trigram_tag = trigram_tag
        self.trigram_score = trigram_score
        self.bigram_score = bigram_score

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def score(
        self, tag_2: cython.longlong, tag_1: cython.longlong, tag: cython.longlong
    ) -> cython.longlong:
        """Return the score of `tag` after `tag_2` and `tag_1`; ``tags`` is the boundary."""
        cython.declare(low=cython.longlong, high=cython.longlong, middle=cython.longlong)
        cython.declare(end=cython.longlong)
        context: cython.longlong = self.context[tag_2 * (self.tags + 1) + tag_1]
        if context >= 0:
            low = self.context_start[context]
            end = self.context_start[context + 1]
            high = end
            while low < high:
                middle = (low + high) >> 1
                if self.trigram_tag[middle] < tag:
                    low = middle + 1
                else:
                    high = middle
            if low < end and self.trigram_tag[low] == tag:
                return self.trigram_score[low]
        return self.bigram_score[tag_1 * (self.tags + 1) + tag]


def tag_lattice(
    table: Transitions,
    offsets: cython.const[cython.longlong][::1],
    words: cython.const[cython.int][::1],
    word_start: cython.const[cython.longlong][::1],
    word_tag: cython.const[cython.int][::1],
    word_score: cython.const[cython.int][::1],
    beam: cython.longlong,
    position_nodes: cython.longlong[::1],
    node_tag: cython.int[::1],
    node_before: cython.int[::1],
    node_score: cython.longlong[::1],
    node_arcs: cython.longlong[::1],
    arc_from: cython.longlong[::1],
    arc_score: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> int:
    """Write the lattice of sentences ``first .. last-1``; return where room ran out, or `last`.

    Word ``w`` may have the tags ``word_tag[word_start[w] .. word_start[w+1]-1]``, which never
    are none, with scores of their own. Nodes that lie more than `beam` below the best of their
    position are dropped. The arcs of the end come from all nodes of the last word.
    """
    cython.declare(row=cython.Py_ssize_t, at=cython.longlong, before=cython.longlong)
    cython.declare(count=cython.longlong, groups=cython.longlong, choices=cython.longlong)
    cython.declare(choice=cython.longlong, place=cython.longlong, tag_1=cython.longlong)
    cython.declare(tag_2=cython.longlong, score=cython.longlong, gain=cython.longlong)
    cython.declare(first_node=cython.longlong, top=cython.longlong, start=cython.longlong)
    cython.declare(g=cython.longlong, j=cython.longlong)
    tags: cython.longlong = table.tags
    room: cython.Py_ssize_t = node_tag.shape[0]
    group: cython.int[::1] = array("i", [0]) * room
    group_of: cython.int[::1] = array("i", [0]) * room
    best: cython.longlong[::1] = array("q", [0]) * room
    step: cython.longlong[::1] = array("q", [0]) * room
    positions: cython.longlong = 0
    nodes: cython.longlong = 0
    arcs: cython.longlong = 0
    done: cython.Py_ssize_t = first
    full: cython.bint = False
    with cython.nogil:
        for row in range(first, last):
            before = -1
            count = 1
            for at in range(offsets[row], offsets[row + 1] + 1):
                # The end of the sentence is one more word, whose only tag is the boundary.
                start = 0
                choices = 1
                if at < offsets[row + 1]:
                    start = word_start[words[at]]
                    choices = word_start[words[at] + 1] - start
                if (
                    nodes + count * choices > node_tag.shape[0]
                    or arcs + count * choices > arc_from.shape[0]
                ):
                    full = True
                    break
                groups = 0
                for j in range(count):
                    tag_1 = tags
                    if before >= 0:
                        tag_1 = node_tag[before + j]
                    g = 0
                    # All nodes go to the one end.
                    while at < offsets[row + 1] and g < groups and group[g] != tag_1:
                        g += 1
                    if g >= groups:
                        group[g] = cython.cast(cython.int, tag_1)
                        groups = g + 1
                        for choice in range(choices):
                            best[g * choices + choice] = NEVER
                    group_of[j] = cython.cast(cython.int, g)
                top = NEVER
                for j in range(count):
                    tag_1 = tags
                    tag_2 = tags
                    score = 0
                    if before >= 0:
                        tag_1 = node_tag[before + j]
                        tag_2 = node_before[before + j]
                        score = node_score[before + j]
                    for choice in range(choices):
                        gain = 0
                        if at < offsets[row + 1]:
                            gain = table.score(tag_2, tag_1, word_tag[start + choice])
                            gain += word_score[start + choice]
                        elif at > offsets[row]:
                            gain = table.score(tag_2, tag_1, tags)
                        step[j * choices + choice] = gain
                        place = group_of[j] * choices + choice
                        if score + gain > best[place]:
                            best[place] = score + gain
                        if score + gain > top:
                            top = score + gain
                first_node = nodes
                for place in range(groups * choices):
                    if best[place] < top - beam:
                        continue
                    g = place // choices
                    choice = place - g * choices
                    node_tag[nodes] = -1
                    if at < offsets[row + 1]:
                        node_tag[nodes] = word_tag[start + choice]
                    node_before[nodes] = group[g]
                    node_score[nodes] = best[place]
                    for j in range(count):
                        if group_of[j] == g:
                            arc_from[arcs] = before + j if before >= 0 else -1
                            arc_score[arcs] = step[j * choices + choice]
                            arcs += 1
                    nodes += 1
                    node_arcs[nodes] = arcs
                positions += 1
                position_nodes[positions] = nodes
                before = first_node
                count = nodes - first_node
            if full:
                break
            done = row + 1
    return done
