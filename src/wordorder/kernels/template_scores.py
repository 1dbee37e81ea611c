"""Scores of actions as sums of the weights of features that templates make.

What is scored is seen as a row of parts: numbers, some of which name words of a sentence, counted
from 1, with 0 for none. An atom is a part, or a column of the word that a part names; a feature is
a key mixed from the atoms of a template. Templates that look at the same parts form a group; the
scores that a group gives to all actions are kept under the parts' hash, since many rows of a
sentence look the same in most parts.
"""

import cython

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)


@cython.cclass
class Scores:
    """Templates, weights, and the scores that are kept, in the caller's arrays."""

    # `width` numbers of each word.
    words: cython.const[cython.int][::1]
    width: cython.longlong
    # The templates; see `parsing.transition.feature_sets`.
    atoms: cython.int
    templates: cython.int
    groups: cython.int
    atom_part: cython.const[cython.int][::1]
    atom_column: cython.const[cython.int][::1]
    template_start: cython.const[cython.int][::1]
    group_start: cython.const[cython.int][::1]
    group_part_start: cython.const[cython.int][::1]
    group_parts: cython.const[cython.int][::1]
    template_atoms: cython.const[cython.int][::1]
    seeds: cython.const[cython.ulonglong][::1]
    # The weights.
    table_key: cython.const[cython.ulonglong][::1]
    table_row: cython.const[cython.int][::1]
    row_start: cython.const[cython.longlong][::1]
    row_count: cython.const[cython.int][::1]
    action: cython.const[cython.short][::1]
    value: cython.const[cython.int][::1]
    mask: cython.ulonglong
    key_mask: cython.ulonglong
    actions: cython.longlong
    # What is kept: `slots` times the scores of all actions for each group, the hash of the parts,
    # the sentence, and when they were used last.
    slots: cython.longlong
    kept: cython.longlong[::1]
    kept_key: cython.ulonglong[::1]
    kept_sentence: cython.longlong[::1]
    kept_use: cython.longlong[::1]
    # The rows of parts, and where in `kept` the scores of each row and group start.
    parts: cython.const[cython.int][::1]
    base: cython.longlong[::1]
    # The atoms of a row, the keys of its features, and for whose scores they count.
    atom: cython.int[::1]
    found_key: cython.ulonglong[::1]
    found_base: cython.longlong[::1]
    found_start: cython.longlong[::1]
    found_count: cython.int[::1]

    def __init__(
        self,
        words: cython.const[cython.int][::1],
        features: cython.const[cython.int][::1],
        seeds: cython.const[cython.ulonglong][::1],
        table_key: cython.const[cython.ulonglong][::1],
        table_row: cython.const[cython.int][::1],
        row_start: cython.const[cython.longlong][::1],
        row_count: cython.const[cython.int][::1],
        action: cython.const[cython.short][::1],
        value: cython.const[cython.int][::1],
        key_mask: cython.ulonglong,
        actions: cython.longlong,
        slots: cython.longlong,
        kept: cython.longlong[::1],
        kept_key: cython.ulonglong[::1],
        uses: cython.longlong[::1],
        ints: cython.int[::1],
        longs: cython.longlong[::1],
        keys: cython.ulonglong[::1],
    ):
        at: cython.Py_ssize_t = 4
        parts: cython.Py_ssize_t
        self.words = words
        self.width = features[0]
        self.atoms = features[1]
        self.templates = features[2]
        self.groups = features[3]
        self.atom_part = features[at : at + self.atoms]
        at += self.atoms
        self.atom_column = features[at : at + self.atoms]
        at += self.atoms
        self.template_start = features[at : at + self.templates + 1]
        at += self.templates + 1
        self.group_start = features[at : at + self.groups + 1]
        at += self.groups + 1
        self.group_part_start = features[at : at + self.groups + 1]
        at += self.groups + 1
        parts = self.group_part_start[self.groups]
        self.group_parts = features[at : at + parts]
        self.template_atoms = features[at + parts :]
        self.seeds = seeds
        self.table_key = table_key
        self.table_row = table_row
        self.row_start = row_start
        self.row_count = row_count
        self.action = action
        self.value = value
        self.mask = table_row.shape[0] - 1
        self.key_mask = key_mask
        self.actions = actions
        self.slots = slots
        self.kept = kept
        self.kept_key = kept_key
        self.kept_sentence = uses[: self.groups * slots]
        self.kept_use = uses[self.groups * slots :]
        self.atom = ints[: self.atoms]
        self.found_count = ints[self.atoms :]
        self.found_base = longs[: self.templates]
        self.found_start = longs[self.templates :]
        self.found_key = keys

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_atoms(self, row: cython.longlong, start: cython.longlong) -> cython.void:
        """Write the atoms of the parts from `row` on, of the sentence from word `start` on."""
        i: cython.Py_ssize_t
        part: cython.longlong
        for i in range(self.atoms):
            part = self.parts[row + self.atom_part[i]]
            if part > 0 and self.atom_column[i] >= 0:
                part = self.words[(start + part - 1) * self.width + self.atom_column[i]]
            self.atom[i] = cython.cast(cython.int, part)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key_of(self, template: cython.Py_ssize_t) -> cython.ulonglong:
        """Return the key of a template's feature; 0 where its first atom is not there."""
        i: cython.Py_ssize_t
        begin: cython.Py_ssize_t = self.template_start[template]
        key: cython.ulonglong = self.seeds[template]
        if self.atom[self.template_atoms[begin]] == 0:
            return 0
        for i in range(begin, self.template_start[template + 1]):
            key ^= cython.cast(cython.ulonglong, self.atom[self.template_atoms[i]])
            key = (key * MIX) & MASK64
            key ^= key >> 32
        return key & self.key_mask

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rate(
        self,
        row: cython.longlong,
        width: cython.longlong,
        start: cython.longlong,
        sentence: cython.longlong,
        use: cython.longlong,
    ) -> cython.void:
        """Write where in `kept` each group's scores for a row stand, finding those that do not."""
        group: cython.Py_ssize_t
        i: cython.Py_ssize_t
        slot: cython.longlong
        at: cython.longlong
        key: cython.ulonglong
        mask: cython.ulonglong = self.slots - 1
        found: cython.Py_ssize_t = 0
        ready: cython.bint = False
        for group in range(self.groups):
            key = sentence & MASK64
            for i in range(self.group_part_start[group], self.group_part_start[group + 1]):
                key ^= cython.cast(cython.ulonglong, self.parts[row * width + self.group_parts[i]])
                key = (key * MIX) & MASK64
                key ^= key >> 32
            slot = key & mask
            at = group * self.slots + slot
            # What another row of this use needs stays.
            while self.kept_use[at] == use and (
                self.kept_key[at] != key or self.kept_sentence[at] != sentence
            ):
                slot = (slot + 1) & cython.cast(cython.longlong, mask)
                at = group * self.slots + slot
            self.kept_use[at] = use
            self.base[row * self.groups + group] = at * self.actions
            if self.kept_key[at] == key and self.kept_sentence[at] == sentence:
                continue
            self.kept_key[at] = key
            self.kept_sentence[at] = sentence
            at *= self.actions
            for i in range(at, at + self.actions):
                self.kept[i] = 0
            if not ready:
                self.read_atoms(row * width, start)
                ready = True
            for i in range(self.group_start[group], self.group_start[group + 1]):
                key = self.key_of(i)
                if key != 0:
                    self.found_key[found] = key
                    self.found_base[found] = at
                    found += 1
        self.sum_up(found)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_up(self, found: cython.Py_ssize_t) -> cython.void:
        """Add the weights of the first features in `found_key` to their groups' scores."""
        i: cython.Py_ssize_t
        j: cython.longlong
        base: cython.longlong
        row: cython.longlong
        slot: cython.ulonglong
        key: cython.ulonglong
        known: cython.Py_ssize_t = 0
        # One kind of memory after the other: its delays overlap.
        for i in range(found):
            key = self.found_key[i]
            slot = key & self.mask
            row = self.table_row[slot]
            while row >= 0 and self.table_key[slot] != key:
                slot = (slot + 1) & self.mask
                row = self.table_row[slot]
            self.found_start[known] = row
            self.found_base[known] = self.found_base[i]
            known += 1 if row >= 0 else 0
        for i in range(known):
            row = self.found_start[i]
            self.found_count[i] = self.row_count[row]
            self.found_start[i] = self.row_start[row]
        for i in range(known):
            base = self.found_base[i]
            for j in range(self.found_start[i], self.found_start[i] + self.found_count[i]):
                self.kept[base + self.action[j]] += self.value[j]


def rate_rows(
    scores: Scores,
    parts: cython.const[cython.int][::1],
    width: cython.longlong,
    starts: cython.const[cython.longlong][::1],
    sentences: cython.const[cython.longlong][::1],
    counts: cython.const[cython.int][::1],
    room: cython.longlong,
    use: cython.longlong,
    base: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Rate the rows of the lanes ``first .. last-1``: ``counts[lane]`` rows of `width` parts.

    They stand from row ``lane * room`` on; `base` has one entry for each row and group. The words
    of a lane's sentence start at ``starts[lane]``; `sentences` has a number for each, never 0,
    that no other sentence had with these weights. `use` is larger than in any call before, and
    there are at least twice as many slots as rows.
    """
    lane: cython.Py_ssize_t
    i: cython.longlong
    row: cython.longlong
    scores.parts = parts
    scores.base = base
    with cython.nogil:
        for lane in range(first, last):
            for i in range(counts[lane]):
                row = lane * room + i
                scores.rate(row, width, starts[lane], sentences[lane], use)


def row_keys(
    scores: Scores,
    parts: cython.const[cython.int][::1],
    width: cython.longlong,
    start: cython.longlong,
    found: cython.ulonglong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the keys of all templates for each row; a feature that is not there has the key 0."""
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    scores.parts = parts
    with cython.nogil:
        for row in range(first, last):
            scores.read_atoms(row * width, start)
            for i in range(scores.templates):
                found[row * scores.templates + i] = scores.key_of(i)
